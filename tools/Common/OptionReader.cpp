//===- OptionReader.cpp - what the tools' command lines share --*- C++ -*-===//
//
// What the readers of the tools' command lines have in common: errors that name the tool and do not
// end the reading, suggestions for misspelled options, and options with numbers, folders or truth
// values. Each tool derives its Reader from it.
//
//===----------------------------------------------------------------------===//

#include "OptionReader.h"

#include "tilec/Language/Diagnostics.h"
#include "tilec/Support/Workarounds.h"

#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm::opt;
using namespace tilec;

std::optional<llvm::StringRef> tilec::processorMeantBy(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> others[] = {
      {"amd64", "x86-64"},  {"x64", "x86-64"},    {"x86", "x86-64"},
      {"arm64", "aarch64"}, {"armv8", "aarch64"}, {"native", "host"}};
  for (auto [other, ours] : others)
    if (name.equals_insensitive(other))
      return ours;
  // Of equally near levels the highest.
  return closestName(name, {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64", "aarch64", "host"});
}

std::string tilec::suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  std::optional<llvm::StringRef> near = closestName(name, known);
  return near ? "; did you mean '" + near->str() + "'?" : "";
}

void OptionReader::error(const llvm::Twine &message) {
  llvm::errs() << tool << ": error: " << message << "\n";
  hasFailed = true;
}

bool OptionReader::checkOptions(const OptTable &table, unsigned missingIndex,
                                unsigned missingCount) {
  if (missingCount)
    error(llvm::Twine("option '") + args.getArgString(missingIndex) + "' needs a value");
  for (const Arg *arg : args) {
    if (arg->getOption().getKind() != Option::UnknownClass)
      continue;
    std::string text = arg->getAsString(args), nearest;
    if (table.findNearest(text, nearest) <= 2)
      error("unknown option '" + text + "'; did you mean '" + nearest + "'?");
    else
      error("unknown option '" + text + "'");
  }
  return !failed();
}

unsigned OptionReader::readPowerOfTwo(OptSpecifier option, llvm::StringRef choices, unsigned most) {
  const Arg *arg = args.getLastArg(option);
  if (!arg)
    return 0;
  unsigned number = 0;
  if (llvm::StringRef(arg->getValue()).getAsInteger(10, number) || number > most ||
      !llvm::isPowerOf2_32(number))
    error("expected " + arg->getOption().getPrefixedName().drop_back() + " to be " + choices +
          ", found " + arg->getValue());
  return number;
}

std::vector<std::string> OptionReader::readFolders(llvm::opt::OptSpecifier option) {
  std::vector<std::string> folders = args.getAllArgValues(option);
  for (const std::string &folder : folders)
    if (!llvm::sys::fs::exists(folder))
      error("the folder '" + folder + "' does not exist");
    else if (!llvm::sys::fs::is_directory(folder))
      error("'" + folder + "' is no folder");
  return folders;
}

void OptionReader::readWorkarounds(OptSpecifier option) {
  for (const std::string &names : args.getAllArgValues(option))
    if (llvm::Error failure = disableWorkarounds(names))
      error(llvm::toString(std::move(failure)));
}

tilec::HeuristicSet OptionReader::readHeuristics(OptSpecifier option) {
  HeuristicSet disabled;
  std::vector<std::string> names = args.getAllArgValues(option);
  if (args.hasArg(option) && names.empty())
    names.push_back(""); // An error, as any name that there is not.
  for (const std::string &name : names)
    if (llvm::Error unknown = disabled.add(name))
      error(llvm::toString(std::move(unknown)));
  return disabled;
}

bool OptionReader::readBool(OptSpecifier option, bool fallback) {
  const Arg *arg = args.getLastArg(option);
  if (!arg)
    return fallback;
  llvm::StringRef value = arg->getValue();
  if (value != "true" && value != "false")
    error("expected true or false in '" + arg->getAsString(args) + "'");
  return value == "true";
}
