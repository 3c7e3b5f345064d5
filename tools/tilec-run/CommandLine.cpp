//===- CommandLine.cpp - reads tilec-run's command line --------*- C++ -*-===//
//
// Reads the command line of tilec-run: the kernel, its arguments (arrays by description, constants
// as text), the grid, the target, and what to do with results. Every wrong argument is reported,
// not only the first, with a suggestion where one is near.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "HelpPage.h"
#include "OptionReader.h"
#include "tilec/Language/Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm::opt;

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "RunOptions.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "RunOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "RunOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "RunOptions.inc"
#undef OPTION
};

class RunOptions : public GenericOptTable {
public:
  RunOptions() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infoTable) {}
};

/// Collects usage errors while options are read.
class Reader : public tilec::OptionReader {
public:
  explicit Reader(const InputArgList &args) : OptionReader("tilec-run", args) {}

  CommandLine read();

private:
  void readKernel();
  void readWarpRoles();
  void readTensorMaps();
  void readArguments();
  void readTarget();
  void readCheck();
  void readCheckTools();
  void readWatched();
  void readProfile();
  void readResults();
  std::vector<NamedText> readNamed(ID option);
  std::vector<NamedValue> readValues(ID option);
  NamedValue readValue(const std::string &name, llvm::StringRef text);
  NamedValue readDescriptor(NamedValue value, const TupleText &parts);
  std::optional<double> readTolerance(ID option);

  CommandLine line;
};

} // namespace

std::optional<double> Reader::readTolerance(ID option) {
  const Arg *arg = args.getLastArg(option);
  if (!arg)
    return std::nullopt;
  double number = 0;
  if (llvm::StringRef(arg->getValue()).getAsDouble(number) || !(number >= 0))
    error("expected a number that is not negative in '" + arg->getAsString(args) + "'");
  return number;
}

/// An identifier, or that of an array in a tuple, "x.0", where `mayBeElement`.
static bool isName(llvm::StringRef text, bool mayBeElement) {
  if (text.empty() || llvm::isDigit(text.front()))
    return false;
  return llvm::all_of(text, [&](unsigned char c) {
    return llvm::isAlnum(c) || c == '_' || c >= 0x80 || (c == '.' && mayBeElement);
  });
}

std::vector<NamedText> Reader::readNamed(ID option) {
  bool mayBeElement = option == OPT_save_EQ || option == OPT_expect_EQ;
  std::vector<NamedText> result;
  for (const Arg *arg : args.filtered(option)) {
    llvm::StringRef text = arg->getValue();
    llvm::StringRef name = text.split('=').first.trim(), value = text.split('=').second.trim();
    if (!isName(name, mayBeElement) || value.empty()) {
      error("expected NAME=VALUE after '" + arg->getSpelling() + "', found '" + text + "'");
      continue;
    }
    for (const NamedText &other : result)
      if (other.name == name)
        error("'" + arg->getSpelling() + "' is given twice for '" + name + "'");
    result.push_back({name.str(), value.str()});
  }
  return result;
}

std::vector<NamedValue> Reader::readValues(ID option) {
  std::vector<NamedValue> result;
  for (NamedText &named : readNamed(option))
    result.push_back(readValue(named.name, named.text));
  return result;
}

/// desc(ARRAY, [64, 32], nan): the array has the argument's name.
NamedValue Reader::readDescriptor(NamedValue value, const TupleText &parts) {
  llvm::StringRef array = parts.elements.front().trim();
  llvm::Expected<DescriptorSpec> spec =
      parseDescriptorSpec(llvm::ArrayRef(parts.elements).drop_front());
  if (!spec)
    error("'" + value.name + "=" + value.text + "': " + llvm::toString(spec.takeError()));
  else
    value.descriptor = std::move(*spec);
  if (isArraySpec(array))
    value.elements.push_back(readValue(value.name, array));
  else
    error("'" + value.name + "=" + value.text + "': expected an array in a descriptor, found '" +
          array + "'");
  return value;
}

/// The tuples in which an argument may be are only taken apart where there is an array in them.
NamedValue Reader::readValue(const std::string &name, llvm::StringRef text) {
  NamedValue value;
  value.name = name;
  value.text = text.str();
  if (isArraySpec(text)) {
    llvm::Expected<ArraySpec> spec = parseArraySpec(text);
    if (spec)
      value.array = std::move(*spec);
    else
      error("'" + name + "=" + text + "': " + llvm::toString(spec.takeError()));
    return value;
  }
  std::optional<TupleText> tuple = splitTuple(text);
  if (!tuple)
    return value;
  if (tuple->className == "desc")
    return readDescriptor(std::move(value), *tuple);
  std::vector<NamedValue> elements;
  bool hasArray = false;
  for (auto [index, part] : llvm::enumerate(tuple->elements)) {
    elements.push_back(readValue(name + "." + std::to_string(index), part.trim()));
    hasArray |= elements.back().array || !elements.back().elements.empty();
  }
  if (hasArray) {
    value.elements = std::move(elements);
    value.className = tuple->className.str();
  }
  return value;
}

/// Adds the names of `value` and its elements that are arrays.
static void collectArrays(const NamedValue &value, std::vector<std::string> &names) {
  if (isArraySpec(value.text))
    names.push_back(value.name);
  for (const NamedValue &element : value.elements)
    collectArrays(element, names);
}

void Reader::readWarpRoles() {
  llvm::StringRef name = args.getLastArgValue(OPT_warp_roles_EQ, "auto");
  if (std::optional<tilec::WarpRoles> roles = tilec::warpRolesByName(name))
    line.warpRoles = *roles;
  else
    error("expected --warp-roles to be never, asked, auto or always, found '" + name + "'");
}

void Reader::readTensorMaps() {
  llvm::StringRef name = args.getLastArgValue(OPT_tensor_maps_EQ, "launcher");
  if (std::optional<tilec::TensorMaps> maps = tilec::tensorMapsByName(name))
    line.tensorMaps = *maps;
  else
    error("expected --tensor-maps to be kernel or launcher, found '" + name + "'");
}

void Reader::readKernel() {
  std::vector<std::string> inputs = args.getAllArgValues(OPT_INPUT);
  if (inputs.empty())
    error(
        "no input file: 'tilec-run FILE.py --grid=1 ..' runs a kernel; --help explains the usage");
  else if (inputs.size() > 1)
    error("expected one input file, found '" + inputs[0] + "' and '" + inputs[1] + "'");
  else
    line.input = inputs[0];
  line.importFolders = readFolders(OPT_I);
  line.kernel = args.getLastArgValue(OPT_kernel_EQ).str();
  line.grid = args.getLastArgValue(OPT_grid_EQ).str();
  line.requirements = args.getAllArgValues(OPT_require_EQ);
  if (!args.hasArg(OPT_grid_EQ) && !inputs.empty())
    error("no grid: say how many programs to run, e.g. --grid=1");
  line.signature = args.getLastArgValue(OPT_sig_EQ).str();
  line.numWarps = readPowerOfTwo(OPT_num_warps_EQ, "1, 2, 4, 8, 16 or 32", 32);
  line.numCTAs = readPowerOfTwo(OPT_num_ctas_EQ, "1, 2, 4, 8 or 16", 16);
  if (args.hasArg(OPT_num_stages_EQ))
    line.numStages = readNumber(OPT_num_stages_EQ, 1u);
  if (args.hasArg(OPT_num_stages_EQ) && (line.numStages == 0 || line.numStages > 64))
    error("expected --num-stages to be from 1 to 64, found '" +
          args.getLastArgValue(OPT_num_stages_EQ) + "'");
  readWarpRoles();
  readTensorMaps();
  line.fpFusion = readBool(OPT_enable_fp_fusion_EQ, true);
  line.debug = args.hasArg(OPT_debug);
}

void Reader::readArguments() {
  line.arguments = readValues(OPT_arg_EQ);
  line.constants = readNamed(OPT_D);
  for (const NamedText &constant : line.constants)
    if (tilec::splitAtCommas(constant.text).size() > 1)
      error("-D " + constant.name + "=" + constant.text +
            " lists several values, and a run takes one; a tuple is written in parentheses: -D " +
            constant.name + "='(" + constant.text + ")'");
  for (const NamedText &constant : line.constants)
    for (const NamedValue &argument : line.arguments)
      if (argument.name == constant.name)
        error("'" + constant.name + "' is given by --arg and by -D");
  line.seed = readNumber(OPT_seed_EQ, uint64_t(0));
}

/// Machines have other names, too.
static std::string targetSuggestion(llvm::StringRef name) {
  auto ours = llvm::StringSwitch<llvm::StringRef>(name)
                  .CasesLower({"gpu", "nvidia", "device"}, "cuda")
                  .CasesLower({"host", "processor", "native"}, "cpu")
                  .Default(name);
  return tilec::suggestion(ours, {"cpu", "cuda", "simulator", "auto"});
}

void Reader::readTarget() {
  llvm::StringRef target = args.getLastArgValue(OPT_target_EQ, "auto");
  auto choice = llvm::StringSwitch<std::optional<TargetChoice>>(target)
                    .Case("auto", TargetChoice::Auto)
                    .Case("cpu", TargetChoice::CPU)
                    .Case("cuda", TargetChoice::CUDA)
                    .Case("simulator", TargetChoice::Simulator)
                    .Default(std::nullopt);
  if (!choice)
    error("expected --target to be cpu, cuda, simulator or auto, found '" + target + "'" +
          targetSuggestion(target));
  line.target = choice.value_or(TargetChoice::Auto);
  if (const Arg *arg = args.getLastArg(OPT_arch_EQ)) {
    llvm::StringRef name = arg->getValue();
    llvm::Expected<tilec::GpuArch> arch = tilec::GpuArch::parse(name);
    if (arch)
      line.arch = *arch;
    std::string reason = arch ? "" : llvm::toString(arch.takeError());
    if (!reason.empty() && name.contains(','))
      error("--arch=" + name + " lists several architectures, and a run takes one");
    else if (!reason.empty() && tilec::processorMeantBy(name))
      error("'" + name +
            "' is a processor, and --arch is for GPUs; --target=cpu runs on this "
            "machine's processor");
    else if (!reason.empty())
      error(reason);
    if (line.target == TargetChoice::CPU)
      error("--arch is for GPUs and does nothing with --target=cpu");
  }
  if (args.hasArg(OPT_maxnreg_EQ))
    line.maxRegisters = readNumber(OPT_maxnreg_EQ, 1u);
  if (args.hasArg(OPT_maxnreg_EQ) && (line.maxRegisters == 0 || line.maxRegisters > 256))
    error("expected --maxnreg to be from 1 to 256, found '" + args.getLastArgValue(OPT_maxnreg_EQ) +
          "'");
  if (args.hasArg(OPT_maxnreg_EQ) && line.target == TargetChoice::CPU)
    error("--maxnreg is for GPUs and does nothing with --target=cpu");
  line.disabledHeuristics = readHeuristics(OPT_disable_heuristic_EQ);
  if (args.hasArg(OPT_disable_heuristic_EQ) && line.target == TargetChoice::CPU)
    error("--disable-heuristic is for GPUs and does nothing with --target=cpu");
  line.threads = readNumber(OPT_threads_EQ, 0u);
  if (args.hasArg(OPT_threads_EQ) && (line.threads == 0 || line.threads > 4096))
    error("expected --threads to be from 1 to 4096, found " +
          llvm::StringRef(args.getLastArgValue(OPT_threads_EQ)));
  if (args.hasArg(OPT_threads_EQ) &&
      (line.target == TargetChoice::CUDA || line.target == TargetChoice::Simulator))
    error("--threads is for the CPU and does nothing with --target=" + target);
  readCheck();
  readWatched();
}

/// How a run that was started by --check is told of it.
void Reader::readWatched() {
  line.noResults = args.hasArg(OPT_no_results);
  const Arg *arg = args.getLastArg(OPT_watched_EQ);
  if (!arg)
    return;
  auto [tool, file] = llvm::StringRef(arg->getValue()).split(':');
  if (tool.empty() || file.empty() || line.target != TargetChoice::CUDA || line.check)
    error("'" + arg->getAsString(args) + "' is for runs that --check has started");
  line.watchingTool = tool.str();
  line.factsFile = file.str();
}

/// The tools of compute-sanitizer to run under; all of them unless some are named.
void Reader::readCheckTools() {
  static constexpr llvm::StringRef known[] = {"memcheck", "initcheck", "racecheck", "synccheck"};
  for (const Arg *arg : args.filtered(OPT_check_EQ))
    for (llvm::StringRef name : arg->getValues()) {
      if (!llvm::is_contained(known, name))
        error("expected --check= to name memcheck, initcheck, racecheck or synccheck, found '" +
              name + "'");
      if (!llvm::is_contained(line.checkTools, name))
        line.checkTools.push_back(name.str());
    }
  if (!args.hasArg(OPT_check_EQ))
    line.checkTools.assign(std::begin(known), std::end(known));
  else if (line.checkTools.empty())
    error("expected a tool of compute-sanitizer after '--check='");
  if (line.input == "-")
    error("--check runs the kernel several times on a GPU, and standard input can be read once; "
          "give a file");
  ArgStringList child;
  for (const Arg *arg : args)
    if (!arg->getOption().matches(OPT_check) && !arg->getOption().matches(OPT_check_EQ))
      arg->renderAsInput(args, child);
  line.childArguments.assign(child.begin(), child.end());
}

void Reader::readCheck() {
  line.check = args.hasArg(OPT_check, OPT_check_EQ);
  if (!line.check)
    return;
  if (line.target == TargetChoice::Simulator)
    error("--check is for --target=cpu and cuda; the simulator finds races in shared memory in any "
          "case, and --check with --target=cpu those of arrays and accesses outside of them");
  for (auto [ids, name] : {std::pair(std::pair(OPT_bench, OPT_bench), "--bench"),
                           std::pair(std::pair(OPT_tune, OPT_tune), "--tune"),
                           std::pair(std::pair(OPT_profile, OPT_profile_EQ), "--profile")})
    if (args.hasArg(ids.first, ids.second))
      error(llvm::Twine(name) + " measures, and a run with --check is slow");
  if (line.target == TargetChoice::CUDA)
    return readCheckTools();
  if (args.hasArg(OPT_check_EQ))
    error("--check= names tools of compute-sanitizer, which look at a GPU; it goes with "
          "--target=cuda");
  if (args.hasArg(OPT_threads_EQ))
    error("--threads does nothing with --check, where programs run one after the other");
  if (line.arch)
    error("--arch is for GPUs and does nothing with --check");
  line.target = TargetChoice::CPU;
}

void Reader::readProfile() {
  line.profile = args.hasArg(OPT_profile, OPT_profile_EQ);
  line.profileFile = args.getLastArgValue(OPT_profile_EQ).str();
  if (args.hasArg(OPT_profile_EQ) && line.profileFile.empty())
    error("expected a file after '--profile='");
  line.operations = args.getLastArgValue(OPT_operations_EQ).str();
  if (args.hasArg(OPT_operations_EQ) && line.operations.empty())
    error("expected an expression after '--operations'");
  if (args.hasArg(OPT_operations_EQ) && !line.profile)
    error("--operations does nothing without --profile");
  if (line.profile && line.target == TargetChoice::Simulator)
    error("--profile tells times, which a simulated GPU does not have");
}

void Reader::readResults() {
  line.saves = readNamed(OPT_save_EQ);
  line.expectations = readValues(OPT_expect_EQ);
  for (const NamedValue &value : line.expectations)
    if (!value.array && !isArraySpec(value.text))
      error("expected @FILE.npy or CONTENTS:TYPE[SHAPE] in '--expect " + value.name + "=" +
            value.text + "'");
  line.rtol = readTolerance(OPT_rtol_EQ);
  line.atol = readTolerance(OPT_atol_EQ);
  if ((line.rtol || line.atol) && line.expectations.empty())
    error("--rtol and --atol do nothing without --expect");
  line.prints = args.getAllArgValues(OPT_print_EQ);
  line.bench = args.hasArg(OPT_bench);
  line.tune = args.hasArg(OPT_tune);
  line.tuned = args.getLastArgValue(OPT_tuned_EQ).str();
  if (args.hasArg(OPT_tuned_EQ) && line.tuned.empty())
    error("expected a file after '--tuned'");
  readProfile();
  line.verbose = args.hasArg(OPT_v);
  // Every name must be that of an array.
  std::vector<std::string> names = line.prints;
  for (const NamedText &save : line.saves)
    names.push_back(save.name);
  for (const NamedValue &value : line.expectations)
    names.push_back(value.name);
  std::vector<std::string> arrays;
  for (const NamedValue &argument : line.arguments)
    collectArrays(argument, arrays);
  std::vector<llvm::StringRef> known(arrays.begin(), arrays.end());
  for (const std::string &name : names)
    if (!llvm::is_contained(arrays, name))
      error("no array argument is called '" + name + "'" + tilec::suggestion(name, known));
}

CommandLine Reader::read() {
  readKernel();
  readArguments();
  readTarget();
  readResults();
  readWorkarounds(OPT_disable_workaround_EQ);
  return std::move(line);
}

static void printHelp(const RunOptions &options) {
  static constexpr unsigned groups[] = {OPT_kernel_Group, OPT_target_Group, OPT_result_Group,
                                        OPT_general_Group};
  tilec::HelpPage page = helpPage();
  page.groups = groups;
  tilec::printHelp(llvm::outs(), options, page, tilec::helpWidth());
}

std::optional<CommandLine> parseCommandLine(int argc, char **argv, int &exitCode) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> expanded(argv + 1, argv + argc);
  llvm::cl::ExpansionContext context(allocator, llvm::cl::TokenizeGNUCommandLine);
  exitCode = 2;
  if (llvm::Error failure = context.expandResponseFiles(expanded)) {
    llvm::errs() << "tilec-run: error: " << llvm::toString(std::move(failure)) << "\n";
    return std::nullopt;
  }
  RunOptions options;
  unsigned missingIndex, missingCount;
  InputArgList args = options.ParseArgs(expanded, missingIndex, missingCount);
  if (args.hasArg(OPT_help) || args.hasArg(OPT_version)) {
    exitCode = 0;
    if (args.hasArg(OPT_help)) {
      printHelp(options);
    } else {
      llvm::outs() << "tilec-run " << TILEC_VERSION << " (LLVM and MLIR " << LLVM_VERSION_STRING
                   << ")\n";
    }
    return std::nullopt;
  }
  Reader reader(args);
  // The value of a misspelt option looks like a file, and the option itself like a missing one.
  if (!reader.checkOptions(options, missingIndex, missingCount))
    return std::nullopt;
  CommandLine line = reader.read();
  if (reader.failed())
    return std::nullopt;
  exitCode = 0;
  return line;
}
