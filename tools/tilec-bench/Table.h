//===- Table.h - aligned columns of text -----------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_TABLE_H
#define TILEC_TOOLS_TILEC_BENCH_TABLE_H

#include <string>
#include <vector>

namespace tilec::bench {

/// Rows of cells; the first row is the header. Columns are aligned to the right, as numbers are.
class Table {
public:
  explicit Table(std::vector<std::string> header) { rows.push_back(std::move(header)); }

  /// Adds a row with as many cells as the header has.
  void add(std::vector<std::string> cells);
  /// The lines, with a rule below the header; each ends in a newline and has no spaces before it.
  std::string str() const;

private:
  std::vector<std::vector<std::string>> rows;
};

/// `value` with `digits` digits behind the point.
std::string formatFixed(double value, int digits);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_TABLE_H
