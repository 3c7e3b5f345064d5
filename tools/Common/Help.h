//===- Help.h - what --help prints -----------------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_COMMON_HELP_H
#define TILEC_TOOLS_COMMON_HELP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {

/// A term with its explanation, which is wrapped.
struct HelpEntry {
  llvm::StringRef term;
  llvm::StringRef text;
};

/// What follows the options: a title, lines to print as they are, and entries.
struct HelpSection {
  llvm::StringRef title;
  llvm::StringRef lines;
  llvm::ArrayRef<HelpEntry> entries;
};

/// Everything that --help of a tool says.
struct HelpPage {
  llvm::StringRef usage;
  llvm::StringRef overview;
  /// The groups of options, in the order in which they are printed. The help text of a group is its
  /// title; options of no group come last.
  llvm::ArrayRef<unsigned> groups;
  llvm::ArrayRef<HelpSection> sections;
};

/// How many columns help may take: those of the terminal if standard output is one, from 60 to 100;
/// otherwise 80.
unsigned helpWidth();

/// Prints the page with the options of `table` that have a help text, wrapped at `width` columns. A
/// word that is longer than a line stays whole.
void printHelp(llvm::raw_ostream &os, const llvm::opt::OptTable &table, const HelpPage &page,
               unsigned width);

} // namespace tilec

#endif // TILEC_TOOLS_COMMON_HELP_H
