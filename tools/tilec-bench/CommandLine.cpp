//===- CommandLine.cpp - reads tilec-bench's command line ------*- C++ -*-===//
//
// Reads the command line of tilec-bench: suites, types, sizes and providers, each checked against
// what there is. Every wrong argument is reported, not only the first, with a suggestion where one
// is near.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "HelpPage.h"
#include "OptionReader.h"
#include "Table.h"
#include "tilec/Language/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm::opt;
using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "BenchOptions.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "BenchOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "BenchOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "BenchOptions.inc"
#undef OPTION
};

class BenchOptions : public GenericOptTable {
public:
  BenchOptions() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infoTable) {}
};

/// Collects usage errors while options are read.
class Reader : public tilec::OptionReader {
public:
  explicit Reader(const InputArgList &args) : OptionReader("tilec-bench", args) {}

  CommandLine read();

private:
  /// The names after an option, in the order of `known`, each checked; all without the option.
  std::vector<StringRef> readNames(ID option, const char *what, llvm::ArrayRef<StringRef> known);
  void readSuites();
  void readSizes();
  void readProviders();
  void readWarps();
  std::string readText(ID option, std::string fallback);

  CommandLine line;
};

} // namespace

std::string Reader::readText(ID option, std::string fallback) {
  const Arg *arg = args.getLastArg(option);
  if (!arg)
    return fallback;
  if (StringRef(arg->getValue()).empty())
    error("expected a value after '" + arg->getSpelling() + "'");
  return arg->getValue();
}

std::vector<StringRef> Reader::readNames(ID option, const char *what,
                                         llvm::ArrayRef<StringRef> known) {
  const Arg *arg = args.getLastArg(option);
  if (!arg)
    return known.vec();
  llvm::SmallVector<StringRef> given;
  StringRef(arg->getValue()).split(given, ',');
  for (StringRef &name : given) {
    name = name.trim();
    if (llvm::is_contained(known, name))
      continue;
    std::optional<StringRef> near = closestName(name, known);
    error(llvm::Twine("there is no ") + what + " '" + name + "'" +
          (near ? "; did you mean '" + near->str() + "'?"
                : "; there are " + llvm::join(known, ", ")));
  }
  std::vector<StringRef> names;
  for (StringRef name : known)
    if (llvm::is_contained(given, name))
      names.push_back(name);
  return names;
}

void Reader::readSuites() {
  std::vector<StringRef> suiteNames, typeNames;
  for (const Suite &suite : allSuites())
    suiteNames.push_back(suite.name);
  for (ScalarKind type : allTypes())
    typeNames.push_back(typeName(type));
  for (StringRef name : readNames(OPT_suite_EQ, "suite", suiteNames))
    line.suites.push_back(findSuite(name));
  std::vector<StringRef> types = readNames(OPT_dtype_EQ, "type", typeNames);
  for (const Suite *suite : line.suites) {
    line.types.emplace_back();
    for (ScalarKind type : suite->types)
      if (llvm::is_contained(types, typeName(type)))
        line.types.back().push_back(type);
    if (line.types.back().empty() && !types.empty())
      error("none of the given types is in suite '" + suite->name + "', which has " +
            llvm::join(llvm::map_range(suite->types, typeName), ", "));
  }
}

void Reader::readSizes() {
  const Arg *arg = args.getLastArg(OPT_sizes_EQ);
  if (arg && line.quick)
    error("--quick chooses sizes and cannot be given with --sizes");
  llvm::SmallVector<StringRef> given;
  if (arg)
    StringRef(arg->getValue()).split(given, ',');
  for (const Suite *suite : line.suites) {
    line.sizes.push_back(line.quick ? suite->quickSizes : suite->sizes);
    if (!arg)
      continue;
    line.sizes.back().clear();
    for (StringRef text : given) {
      llvm::Expected<Size> size = parseSize(text.trim(), *suite);
      if (!size)
        error("--sizes: " + llvm::toString(size.takeError()));
      else if (!llvm::is_contained(line.sizes.back(), *size))
        line.sizes.back().push_back(*size);
    }
  }
}

void Reader::readProviders() {
  line.providersGiven = args.hasArg(OPT_providers_EQ);
  for (StringRef name : readNames(OPT_providers_EQ, "provider", allProviders()))
    line.providers.push_back(name.str());
  if (!line.providersGiven || failed())
    return;
  for (const Suite *suite : line.suites)
    if (llvm::none_of(suite->providers,
                      [&](StringRef name) { return llvm::is_contained(line.providers, name); }))
      error("none of the given providers is in suite '" + suite->name + "', which has " +
            llvm::join(suite->providers, ", "));
}

void Reader::readWarps() {
  StringRef text = args.getLastArgValue(OPT_num_warps_EQ, "auto");
  if (text == "auto")
    return;
  if (text.getAsInteger(10, line.numWarps) || line.numWarps == 0 || line.numWarps > 32 ||
      (line.numWarps & (line.numWarps - 1)) != 0)
    error("expected --num-warps to be auto, 1, 2, 4, 8, 16 or 32, found " + text);
}

CommandLine Reader::read() {
  for (const Arg *arg : args.filtered(OPT_INPUT))
    error("unexpected argument '" + StringRef(arg->getValue()) + "'");
  line.quick = args.hasArg(OPT_quick);
  readSuites();
  readSizes();
  readProviders();
  readWarps();
  line.out = readText(OPT_out_EQ, line.out);
  line.source = readText(OPT_source_EQ, line.source);
  line.python = readText(OPT_python_EQ, line.python);
  return std::move(line);
}

/// --list: what may be named after --suite, --dtype and --providers.
static void printList() {
  for (const Suite &suite : allSuites())
    llvm::outs() << suite.name << ": " << suite.description << "; " << suite.sizes.size()
                 << " sizes (" << suite.quickSizes.size() << " with --quick)\n    "
                 << llvm::join(suite.providers, ", ") << "; "
                 << llvm::join(llvm::map_range(suite.types, typeName), ", ") << "\n";
  llvm::outs() << "types: " << llvm::join(llvm::map_range(allTypes(), typeName), ", ") << "\n";
}

/// --help, --version and --list.
static bool answerQuestion(const InputArgList &args, const BenchOptions &options) {
  if (args.hasArg(OPT_help)) {
    static constexpr unsigned groups[] = {OPT_measure_Group, OPT_place_Group, OPT_general_Group};
    HelpPage page = helpPage();
    page.groups = groups;
    printHelp(llvm::outs(), options, page, helpWidth());
    return true;
  }
  if (args.hasArg(OPT_version)) {
    llvm::outs() << "tilec-bench " << TILEC_VERSION << " (LLVM and MLIR " << LLVM_VERSION_STRING
                 << ")\n";
    return true;
  }
  return false;
}

std::optional<CommandLine> bench::parseCommandLine(int argc, char **argv, int &exitCode) {
  BenchOptions options;
  unsigned missingIndex, missingCount;
  InputArgList args =
      options.ParseArgs(llvm::ArrayRef(argv + 1, size_t(argc - 1)), missingIndex, missingCount);
  exitCode = 0;
  if (answerQuestion(args, options))
    return std::nullopt;
  Reader reader(args);
  reader.checkOptions(options, missingIndex, missingCount);
  CommandLine line = reader.read();
  if (reader.failed()) {
    exitCode = 2;
    return std::nullopt;
  }
  if (args.hasArg(OPT_list_suites)) {
    printList();
    return std::nullopt;
  }
  return line;
}
