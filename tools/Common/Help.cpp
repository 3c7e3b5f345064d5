//===- Help.cpp - what --help prints ---------------------------*- C++ -*-===//
//
// Prints the --help of all tools: options by group, from the table that TableGen makes of
// Options.td, and further sections. LLVM's own printer neither wraps lines nor keeps groups in a
// given order.
//
//===----------------------------------------------------------------------===//

#include "Help.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace llvm::opt;
using namespace tilec;

/// Where explanations start.
static constexpr unsigned textColumn = 26;

static void printEntry(llvm::raw_ostream &os, const HelpEntry &entry, unsigned width) {
  os << "  " << entry.term;
  size_t column = 2 + entry.term.size();
  auto startLine = [&] {
    os << '\n';
    os.indent(textColumn);
    column = textColumn;
  };
  if (column + 2 > textColumn)
    startLine();
  else
    os.indent(unsigned(textColumn - column));
  column = textColumn;
  llvm::SmallVector<llvm::StringRef> words;
  entry.text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    if (column != textColumn && column + 1 + word.size() > width)
      startLine();
    if (column != textColumn) {
      os << ' ';
      ++column;
    }
    os << word;
    column += word.size();
  }
  os << '\n';
}

/// How an option is written: "--arch=ARCH", "-MF FILE", "-w".
static std::string spellingOf(const OptTable &table, const Option &option) {
  std::string text = option.getPrefixedName().str();
  const char *value = table.getOptionMetaVar(option.getID());
  if (!value)
    return text;
  bool isJoined = option.getKind() == Option::JoinedClass;
  return text + (isJoined ? "" : " ") + value;
}

static std::vector<Option> optionsOf(const OptTable &table, unsigned group) {
  std::vector<Option> options;
  for (unsigned id = 1; id <= table.getNumOptions(); ++id)
    if (table.getOption(id).getKind() != Option::GroupClass && table.getOptionHelpText(id) &&
        table.getOptionGroupID(id) == group && !table.getOption(id).hasFlag(HelpHidden))
      options.push_back(table.getOption(id));
  // In alphabetical order, whether they start with one dash or two.
  llvm::sort(options, [](const Option &left, const Option &right) {
    int order = left.getName().compare_insensitive(right.getName());
    return order ? order < 0 : left.getName() < right.getName(); // -O, -o
  });
  return options;
}

unsigned tilec::helpWidth() {
  if (!llvm::sys::Process::StandardOutIsDisplayed())
    return 80;
  unsigned columns = llvm::sys::Process::StandardOutColumns();
  return columns == 0 ? 80 : std::clamp(columns, 60u, 100u);
}

void tilec::printHelp(llvm::raw_ostream &os, const OptTable &table, const HelpPage &page,
                      unsigned width) {
  os << "OVERVIEW: " << page.overview << "\n\nUSAGE: " << page.usage << "\n";
  auto printGroup = [&](llvm::StringRef title, unsigned group) {
    std::vector<Option> options = optionsOf(table, group);
    if (options.empty())
      return;
    os << "\n" << title << ":\n";
    for (const Option &option : options)
      printEntry(os, {spellingOf(table, option), table.getOptionHelpText(option.getID())}, width);
  };
  for (unsigned group : page.groups)
    printGroup(table.getOptionHelpText(group), group);
  printGroup("OTHER OPTIONS", 0);
  for (const HelpSection &section : page.sections) {
    os << "\n" << section.title << ":\n" << section.lines;
    for (const HelpEntry &entry : section.entries)
      printEntry(os, entry, width);
  }
}
