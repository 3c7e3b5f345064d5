//===- tilec-lsp.cpp - kernels in editors ----------------------*- C++ -*-===//
//
// Reads the command line and runs the language server on standard input and output.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "OptionReader.h"
#include "tilec/LanguageServer/Server.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LSP/Logging.h"

using namespace llvm::opt;
using llvm::lsp::Logger;

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "LspOptions.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "LspOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "LspOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "LspOptions.inc"
#undef OPTION
};

class LspOptions : public GenericOptTable {
public:
  LspOptions() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infoTable) {}
};

class Reader : public tilec::OptionReader {
public:
  explicit Reader(const InputArgList &args) : OptionReader("tilec-lsp", args) {}
  tilec::ServerOptions read();
};

} // namespace

tilec::ServerOptions Reader::read() {
  tilec::ServerOptions options;
  options.compileOptions = args.getAllArgValues(OPT_option_EQ);
  options.checkLimit = std::chrono::milliseconds(readNumber(OPT_check_limit_EQ, 2000u));
  options.version = TILEC_VERSION;
  for (const std::string &input : args.getAllArgValues(OPT_INPUT))
    error("unexpected argument '" + input + "'; files are opened by the editor");
  llvm::StringRef log = args.getLastArgValue(OPT_log_EQ, "error");
  std::optional<Logger::Level> level = llvm::StringSwitch<std::optional<Logger::Level>>(log)
                                           .Case("error", Logger::Level::Error)
                                           .Case("info", Logger::Level::Info)
                                           .Case("debug", Logger::Level::Debug)
                                           .Default(std::nullopt);
  if (level)
    Logger::setLogLevel(*level);
  else
    error("expected --log to be error, info or debug, found '" + log + "'");
  return options;
}

static void printHelp(const LspOptions &table) {
  static constexpr unsigned groups[] = {OPT_check_Group, OPT_general_Group};
  static constexpr tilec::HelpEntry words[] = {
      {"# tilec: OPTIONS",
       "a comment of a kernel file: how its kernels are checked, by options of tilec; --sig, -D, "
       "--kernel, --arch, --num-warps, --num-ctas, --num-stages, --debug and -I count. Without the "
       "types of a kernel's parameters only its syntax is checked"},
      {"tilec.options", "a setting of the editor: a list of such options, for all files"},
  };
  static constexpr tilec::HelpEntry statuses[] = {
      {"0", "the editor ended the session"},
      {"1", "standard input ended before that, or could not be read"},
      {"2", "wrong usage"},
  };
  static constexpr tilec::HelpSection sections[] = {
      {"FILES AND SETTINGS", "", words},
      {"EXAMPLES", "  # tilec: --sig=add:x=*fp32,out=*fp32,n=i32 -DBLOCK=256\n", {}},
      {"EXIT STATUS", "", statuses},
  };
  tilec::HelpPage page;
  page.usage = "tilec-lsp [options]";
  page.overview = "serves editors of kernel files by the language server protocol";
  page.groups = groups;
  page.sections = sections;
  tilec::printHelp(llvm::outs(), table, page, tilec::helpWidth());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  LspOptions table;
  unsigned missingIndex, missingCount;
  InputArgList args =
      table.ParseArgs(llvm::ArrayRef(argv + 1, argc - 1), missingIndex, missingCount);
  if (args.hasArg(OPT_help)) {
    printHelp(table);
    return 0;
  }
  if (args.hasArg(OPT_version)) {
    llvm::outs() << "tilec-lsp " << TILEC_VERSION << " (LLVM and MLIR " << LLVM_VERSION_STRING
                 << ")\n";
    return 0;
  }
  Reader reader(args);
  reader.checkOptions(table, missingIndex, missingCount);
  tilec::ServerOptions options = reader.read();
  if (reader.failed())
    return 2;
  // The server asks the descriptor whether there is more to read.
  std::setvbuf(stdin, nullptr, _IONBF, 0);
  return tilec::runLanguageServer(stdin, llvm::outs(), options);
}
