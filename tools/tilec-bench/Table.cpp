//===- Table.cpp - aligned columns of text ---------------------*- C++ -*-===//

#include "Table.h"

#include <algorithm>
#include <cassert>
#include <cstdio>

using namespace tilec::bench;

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == rows.front().size() && "a row has a cell for each column");
  rows.push_back(std::move(cells));
}

std::string Table::str() const {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (size_t index = 0; index < rows.size(); ++index) {
    for (size_t column = 0; column < widths.size(); ++column) {
      const std::string &cell = rows[index][column];
      text += std::string(widths[column] - cell.size() + (column ? 2 : 0), ' ') + cell;
    }
    text += '\n';
    if (index != 0)
      continue;
    size_t total = 2 * (widths.size() - 1);
    for (size_t width : widths)
      total += width;
    text += std::string(total, '-') + '\n';
  }
  return text;
}

std::string tilec::bench::formatFixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}
