//===- OptionReader.h - what the tools' command lines share ----*- C++ -*-===//

#ifndef TILEC_TOOLS_COMMON_OPTIONREADER_H
#define TILEC_TOOLS_COMMON_OPTIONREADER_H

#include "tilec/Arch/Heuristics.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// The processor that `name` most likely stands for, as `tilec --arch` calls it: by another
/// system's name or a misspelt one.
std::optional<llvm::StringRef> processorMeantBy(llvm::StringRef name);

/// "; did you mean 'x'?" with the nearest of `known`; empty if none is near.
std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// Reads options, and reports each wrong use on standard error under the tool's name. A reading
/// goes on after an error, so that the user sees all of them at once.
class OptionReader {
public:
  /// `tool` and `args` must outlive this object.
  OptionReader(llvm::StringRef tool, const llvm::opt::InputArgList &args)
      : args(args), tool(tool) {}

  bool failed() const { return hasFailed; }
  void error(const llvm::Twine &message);

  /// Reports options that `table` lacks, each with the nearest that it has, and a value that is
  /// missing; the numbers are those that OptTable::ParseArgs set. False if there are any: a tool
  /// that wants files or certain options would report what follows from them, too.
  bool checkOptions(const llvm::opt::OptTable &table, unsigned missingIndex, unsigned missingCount);

protected:
  /// The value of `option`, or `fallback` without it. What is no number is an error.
  template <typename T> T readNumber(llvm::opt::OptSpecifier option, T fallback) {
    const llvm::opt::Arg *arg = args.getLastArg(option);
    T number = fallback;
    if (arg && llvm::StringRef(arg->getValue()).getAsInteger(10, number))
      error("expected a number in '" + arg->getAsString(args) + "'");
    return number;
  }
  /// One of the numbers that `choices` lists, the powers of two up to `most`; 0 without the option.
  unsigned readPowerOfTwo(llvm::opt::OptSpecifier option, llvm::StringRef choices, unsigned most);
  /// The values of `option`, each of which must be a folder.
  std::vector<std::string> readFolders(llvm::opt::OptSpecifier option);
  /// Turns off the workarounds that the values of `option` name.
  void readWorkarounds(llvm::opt::OptSpecifier option);
  /// Decisions to do without, by name; an option without a name is an error, too.
  HeuristicSet readHeuristics(llvm::opt::OptSpecifier option);
  /// "true" or "false".
  bool readBool(llvm::opt::OptSpecifier option, bool fallback);

  const llvm::opt::InputArgList &args;

private:
  llvm::StringRef tool;
  bool hasFailed = false;
};

} // namespace tilec

#endif // TILEC_TOOLS_COMMON_OPTIONREADER_H
