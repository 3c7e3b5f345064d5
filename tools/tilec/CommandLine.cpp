//===- CommandLine.cpp - reads tilec's command line ------------*- C++ -*-===//
//
// Reads the command line of tilec: inputs, output and its form, kernels with signatures and
// constants, targets, and options for objects. Every wrong argument is reported, not only the
// first, with a suggestion where one is near.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "HelpPage.h"
#include "OptionReader.h"
#include "tilec/Language/Signature.h"
#include "tilec/Support/Workarounds.h"
#include "tilec/Target/Host.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm::opt;

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class TilecOptions : public GenericOptTable {
public:
  TilecOptions() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infoTable) {}
};

/// Collects usage errors while options are read.
class Reader : public tilec::OptionReader {
public:
  explicit Reader(const InputArgList &args) : OptionReader("tilec", args) {}

  CommandLine read();

private:
  void readInput();
  void readForm();
  void rejectBeside(llvm::StringRef option, llvm::StringRef reason,
                    llvm::ArrayRef<std::pair<unsigned, llvm::StringRef>> others);
  void readSyntaxOnly();
  bool wantsObject() const;
  void readReport();
  void readKernels();
  void readSignature(llvm::StringRef text);
  void readTarget();
  void readHost();
  bool readProcessor(llvm::StringRef name);
  void readArchs();
  void readWarpRoles();
  void readTensorMaps();
  void readObject();
  void readFiles();
  void readDiagnostics();
  void readLLVMOptions();

  CommandLine line;
};

} // namespace

static std::optional<Form> formOfName(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Form>>(name)
      .Case("ast", Form::AST)
      .Case("tile", Form::Tile)
      .Case("layout", Form::Layout)
      .Case("gpu", Form::GPU)
      .Case("nvvm", Form::NVVM)
      .Case("llvm", Form::LLVM)
      .Case("ptx", Form::PTX)
      .Case("cubin", Form::Cubin)
      .Case("sass", Form::SASS)
      .Case("json", Form::JSON)
      .Case("obj", Form::Object)
      .Default(std::nullopt);
}

static std::optional<Form> formOfEnding(llvm::StringRef file) {
  return llvm::StringSwitch<std::optional<Form>>(llvm::sys::path::extension(file))
      .Case(".ptx", Form::PTX)
      .Case(".cubin", Form::Cubin)
      .Case(".ll", Form::LLVM)
      .Case(".mlir", Form::Tile)
      .Case(".json", Form::JSON)
      .Case(".sass", Form::SASS)
      .Cases({".o", ".a"}, Form::Object)
      .Default(std::nullopt);
}

void Reader::readInput() {
  line.inspect = args.getLastArgValue(OPT_inspect_EQ).str();
  line.inputs = args.getAllArgValues(OPT_INPUT);
  if (!line.inputs.empty())
    line.input = line.inputs.front();
  else if (line.inspect.empty())
    error("no input file; --help explains the usage");
  line.output = args.getLastArgValue(OPT_o).str();
}

/// Reports those of `others`, options with their names, that are given although `option` is.
void Reader::rejectBeside(llvm::StringRef option, llvm::StringRef reason,
                          llvm::ArrayRef<std::pair<unsigned, llvm::StringRef>> others) {
  for (auto [other, name] : others)
    if (args.hasArg(other))
      error(name + " does not go with " + option + ", which " + reason);
}

/// -fsyntax-only writes nothing, so what is about output does not go with it.
void Reader::readSyntaxOnly() {
  line.syntaxOnly = args.hasArg(OPT_fsyntax_only);
  if (!line.syntaxOnly)
    return;
  rejectBeside("-fsyntax-only", "writes nothing",
               {{OPT_o, "-o"},
                {OPT_emit_EQ, "--emit"},
                {OPT_report_EQ, "--report"},
                {OPT_resource_usage, "--resource-usage"},
                {OPT_MD, "-MD"},
                {OPT_MF, "-MF"},
                {OPT_hash_hash_hash, "-###"}});
}

/// Whether --emit or the name of the output ask for an object.
bool Reader::wantsObject() const {
  if (const Arg *emit = args.getLastArg(OPT_emit_EQ))
    return formOfName(emit->getValue()) == Form::Object;
  return !line.output.empty() && formOfEnding(line.output) == Form::Object;
}

/// A report is an output of its own, unless it is that of an object.
void Reader::readReport() {
  line.reportProfile = args.getLastArgValue(OPT_report_profile_EQ).str();
  if (args.hasArg(OPT_report_profile_EQ) && line.reportProfile.empty())
    error("--report-profile= wants the name of a file");
  if (args.hasArg(OPT_report_profile_EQ) && !args.hasArg(OPT_report_EQ))
    error("--report-profile does nothing without --report");
  if (!args.hasArg(OPT_report_EQ) || line.syntaxOnly)
    return;
  std::string page = args.getLastArgValue(OPT_report_EQ).str();
  if (page.empty())
    error("--report= wants the name of a file, or - for standard output");
  if (wantsObject()) {
    line.object.report = page;
    if (page == line.output)
      error("--report and -o name one file, '" + page + "'");
    return;
  }
  line.form = Form::Report;
  line.output = page;
  rejectBeside("--report", "is the only output but for an object",
               {{OPT_o, "-o"},
                {OPT_emit_EQ, "--emit"},
                {OPT_resource_usage, "--resource-usage"},
                {OPT_hash_hash_hash, "-###"}});
}

void Reader::readForm() {
  readReport();
  const Arg *emit = args.getLastArg(OPT_emit_EQ);
  if (line.form == Form::Report) {
    // The option has said what there is to write.
  } else if (emit) {
    std::optional<Form> form = formOfName(emit->getValue());
    if (!form)
      error(llvm::Twine("unknown form '") + emit->getValue() +
            "'; expected ast, tile, layout, gpu, nvvm, llvm, ptx, cubin, sass, json or obj");
    line.form = form.value_or(Form::PTX);
  } else if (!line.output.empty() && line.output != "-") {
    std::optional<Form> form = formOfEnding(line.output);
    if (!form)
      error("cannot tell from the name '" + line.output +
            "' what to write; expected the ending .o, .a, .ptx, .cubin, .sass, .ll, .mlir or "
            ".json, or --emit=");
    line.form = form.value_or(Form::PTX);
  }
  if (line.form != Form::Object && line.inputs.size() > 1)
    error("expected one input file, found '" + line.inputs[0] + "' and '" + line.inputs[1] +
          "'; only objects take several");
  // The page of an object may be all that is written.
  if (!line.output.empty() || line.input.empty() || line.syntaxOnly || !line.object.report.empty())
    return;
  if (emit || line.input == "-") {
    line.output = "-";
    return;
  }
  llvm::SmallString<128> name(llvm::sys::path::filename(line.input));
  llvm::sys::path::replace_extension(name, ".ptx");
  line.output = name.str().str();
  line.hasDefaultOutput = true;
}

static bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Takes the name for C off `KERNEL@NAME:types`. Nothing else in a signature has that sign.
void Reader::readSignature(llvm::StringRef text) {
  auto [kernel, rest] = text.split('@');
  if (kernel.size() == text.size()) {
    line.signatures.push_back({text.str(), ""});
    return;
  }
  auto [name, types] = rest.split(':');
  name = name.trim();
  if (!isIdentifier(name) || name.size() == rest.size()) {
    error("expected '--sig=KERNEL@NAME:TYPES' with the name of a C function, found '--sig=" + text +
          "'");
    return;
  }
  if (line.form != Form::Object)
    error("'@" + name +
          "' in --sig names a C function, which objects have; it goes with -o FILE.o, -o FILE.a or "
          "--emit=obj");
  kernel = kernel.trim();
  line.signatures.push_back({(kernel + (kernel.empty() ? "" : ":") + types).str(), name.str()});
}

void Reader::readKernels() {
  for (const std::string &list : args.getAllArgValues(OPT_kernel_EQ)) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(list).split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names)
      line.kernels.push_back(name.trim().str());
  }
  for (const std::string &text : args.getAllArgValues(OPT_sig_EQ))
    readSignature(text);
  for (const std::string &text : args.getAllArgValues(OPT_D)) {
    auto [target, value] = llvm::StringRef(text).split('=');
    if (target.empty() || target.size() == text.size()) {
      error("expected '-D NAME=VALUE', found '-D " + text + "'");
      continue;
    }
    if (line.form != Form::Object && tilec::splitAtCommas(value).size() > 1)
      error("'-D " + text +
            "' lists several values, which only objects hold (-o FILE.o or --emit=obj); "
            "give one, or write a tuple in parentheses: '-D " +
            target + "=(" + value + ")'");
    auto [kernel, name] = target.contains('.')
                              ? target.split('.')
                              : std::pair<llvm::StringRef, llvm::StringRef>("", target);
    line.definitions.push_back({kernel.trim().str(), name.trim().str(), value.str()});
  }
}

/// The level of x86-64 that `name` asks for; 0 if it names no such processor.
static unsigned cpuLevelOf(llvm::StringRef name) {
  if (name == "host")
    return tilec::hostCpuLevel();
  if (name == "x86-64" || name == "x86-64-v1")
    return 1;
  unsigned level = 0;
  bool isLevel = name.consume_front("x86-64-v") && !name.getAsInteger(10, level);
  return isLevel && level >= 1 && level <= 4 ? level : 0;
}

/// The machines whose programs link the object. Read before the architectures, which depend on it.
void Reader::readHost() {
  llvm::StringRef name = args.getLastArgValue(OPT_host_EQ, "x86-64");
  if (name == "aarch64")
    line.object.host = tilec::HostArch::AArch64;
  else if (name != "x86-64") {
    std::optional<llvm::StringRef> near = tilec::processorMeantBy(name);
    std::string hint =
        near == "x86-64" || near == "aarch64" ? "; did you mean '" + near->str() + "'?" : "";
    error("expected --host to be x86-64 or aarch64, found '" + name + "'" + hint);
  }
}

/// Takes `name` if it is a processor's; otherwise it is a GPU's, or unknown.
bool Reader::readProcessor(llvm::StringRef name) {
  unsigned level = cpuLevelOf(name);
  bool isArm = name == "aarch64", isArmHost = line.object.host == tilec::HostArch::AArch64;
  if (!level && !isArm)
    return false;
  level = isArm ? 1 : level;
  if (line.form == Form::Report && !isArm)
    line.cpuLevel = level;
  else if (line.form != Form::Object)
    error("'" + name +
          "' is a processor, and only objects hold code for those; write one with "
          "-o FILE.o or --emit=obj, or run the kernel with tilec-run --target=cpu");
  else if (isArm != isArmHost)
    error("'" + name + "' is no processor of --host=" +
          (isArmHost ? "aarch64; that is aarch64" : "x86-64; add --host=aarch64"));
  else if (!llvm::is_contained(line.object.cpuLevels, level))
    line.object.cpuLevels.push_back(level);
  return true;
}

/// One architecture; for an object as many as are listed, processors too.
void Reader::readArchs() {
  bool isObject = line.form == Form::Object;
  llvm::SmallVector<llvm::StringRef> names;
  args.getLastArgValue(OPT_arch_EQ, "sm_80").split(names, ',');
  if (!isObject && names.size() > 1)
    error("--arch=" + args.getLastArgValue(OPT_arch_EQ) +
          " lists several architectures, which only objects hold; give one, or write an object "
          "with -o FILE.o or --emit=obj");
  for (llvm::StringRef name : names) {
    name = name.trim();
    if (readProcessor(name))
      continue;
    llvm::Expected<tilec::GpuArch> arch = tilec::GpuArch::parse(name);
    if (!arch) {
      std::string reason = llvm::toString(arch.takeError());
      if (std::optional<llvm::StringRef> near = tilec::processorMeantBy(name)) {
        error("unknown processor '" + name + "'; did you mean '" + *near + "'?");
        continue;
      }
      if (isObject || line.form == Form::Report)
        reason += "; processors are x86-64, x86-64-v2, x86-64-v3, x86-64-v4 and host, or aarch64 "
                  "with --host=aarch64";
      error(reason);
      continue;
    }
    line.arch = *arch;
    if (!llvm::is_contained(line.object.gpus, *arch))
      line.object.gpus.push_back(*arch);
  }
}

static bool isNamespace(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, "::");
  return llvm::all_of(parts, isIdentifier);
}

void Reader::readObject() {
  ObjectOptions &object = line.object;
  const std::pair<unsigned, llvm::StringRef> own[] = {
      {OPT_header_EQ, "--header"}, {OPT_namespace_EQ, "--namespace"},
      {OPT_grid_EQ, "--grid"},     {OPT_require_EQ, "--require"},
      {OPT_spec_EQ, "--spec"},     {OPT_j, "-j"},
      {OPT_tuned_EQ, "--tuned"},   {OPT_host_EQ, "--host"}};
  for (auto [option, name] : own)
    if (line.form != Form::Object && args.hasArg(option))
      error(name + " is about objects; it goes with -o FILE.o, -o FILE.a or --emit=obj");
  if (line.form != Form::Object)
    return;
  if (line.dryRun)
    error("-### does not go with objects");
  object.header = args.getLastArgValue(OPT_header_EQ).str();
  object.nameSpace = args.getLastArgValue(OPT_namespace_EQ, "kernels").str();
  if (!isNamespace(object.nameSpace))
    error("expected --namespace to be a C++ namespace, found '" + object.nameSpace + "'");
  object.grids = args.getAllArgValues(OPT_grid_EQ);
  object.requirements = args.getAllArgValues(OPT_require_EQ);
  object.spec = args.getLastArgValue(OPT_spec_EQ, "auto").str();
  if (object.spec != "auto" && object.spec != "none" && object.spec != "full")
    error("expected --spec to be auto, none or full, found '" + object.spec + "'");
  object.tuned = args.getLastArgValue(OPT_tuned_EQ).str();
  object.jobs = readNumber(OPT_j, 0u);
}

void Reader::readFiles() {
  line.importFolders = readFolders(OPT_I);
  const std::string &output = line.output.empty() ? line.object.report : line.output;
  if (args.hasArg(OPT_MF))
    line.depfile = args.getLastArgValue(OPT_MF).str();
  else if (args.hasArg(OPT_MD) && output == "-")
    error("-MD needs -MF when the output is '-'");
  else if (args.hasArg(OPT_MD)) {
    llvm::SmallString<128> name(output);
    llvm::sys::path::replace_extension(name, ".d");
    line.depfile = name.str().str();
  }
}

void Reader::readWarpRoles() {
  // Who launches PTX or a cubin by the author's number of warps must not be surprised.
  llvm::StringRef name =
      args.getLastArgValue(OPT_warp_roles_EQ, line.form == Form::Object ? "auto" : "asked");
  if (std::optional<tilec::WarpRoles> roles = tilec::warpRolesByName(name))
    line.warpRoles = *roles;
  else
    error("expected --warp-roles to be never, asked, auto or always, found '" + name + "'");
}

void Reader::readTensorMaps() {
  // Who launches PTX or a cubin passes the arguments of the source.
  llvm::StringRef name =
      args.getLastArgValue(OPT_tensor_maps_EQ, line.form == Form::Object ? "launcher" : "kernel");
  if (std::optional<tilec::TensorMaps> maps = tilec::tensorMapsByName(name))
    line.tensorMaps = *maps;
  else
    error("expected --tensor-maps to be kernel or launcher, found '" + name + "'");
}

void Reader::readTarget() {
  readHost();
  readArchs();
  line.disabledHeuristics = readHeuristics(OPT_disable_heuristic_EQ);
  readWarpRoles();
  readTensorMaps();
  line.numWarps = readPowerOfTwo(OPT_num_warps_EQ, "1, 2, 4, 8, 16 or 32", 32);
  line.numCTAs = readPowerOfTwo(OPT_num_ctas_EQ, "1, 2, 4, 8 or 16", 16);
  if (args.hasArg(OPT_num_stages_EQ))
    line.numStages = readNumber(OPT_num_stages_EQ, 1u);
  if (args.hasArg(OPT_num_stages_EQ) && (line.numStages == 0 || line.numStages > 64))
    error("expected --num-stages to be from 1 to 64, found '" +
          args.getLastArgValue(OPT_num_stages_EQ) + "'");
  if (args.hasArg(OPT_maxnreg_EQ))
    line.maxRegisters = readNumber(OPT_maxnreg_EQ, 1);
  if (args.hasArg(OPT_maxnreg_EQ) && (line.maxRegisters == 0 || line.maxRegisters > 256))
    error("expected --maxnreg to be from 1 to 256, found '" + args.getLastArgValue(OPT_maxnreg_EQ) +
          "'");
  line.optLevel = readNumber(OPT_O, 3);
  if (line.optLevel > 3)
    error("expected an optimisation level from 0 to 3, found " + llvm::Twine(line.optLevel));
  line.fpFusion = readBool(OPT_enable_fp_fusion_EQ, true);
  line.lineInfo = args.hasArg(OPT_lineinfo);
  line.remarks = args.hasArg(OPT_Rtile);
  line.debug = args.hasArg(OPT_debug);
  line.ptxas = args.getLastArgValue(OPT_ptxas_EQ).str();
  line.resourceUsage = args.hasArg(OPT_resource_usage);
  if (line.resourceUsage && line.form != Form::Report && line.form != Form::PTX &&
      line.form != Form::Cubin && line.form != Form::SASS && line.form != Form::JSON &&
      line.form != Form::Object)
    error(
        "--resource-usage is about machine code; it goes with the forms ptx, cubin, sass, json and "
        "obj");
  line.timeReport = args.hasArg(OPT_time_report);
  line.verbose = args.hasArg(OPT_v);
  line.dryRun = args.hasArg(OPT_hash_hash_hash);
}

void Reader::readDiagnostics() {
  line.diagnostics.warningsAsErrors = args.hasArg(OPT_Werror);
  line.diagnostics.ignoreWarnings = args.hasArg(OPT_w);
  line.diagnostics.errorLimit = readNumber(OPT_error_limit_EQ, 20);
  llvm::StringRef format = args.getLastArgValue(OPT_diag_format_EQ, "text");
  if (format != "text" && format != "json")
    error("expected --diag-format to be text or json, found '" + format + "'");
  if (format == "json")
    line.diagnostics.format = tilec::DiagnosticFormat::JSON;
  llvm::StringRef color = args.getLastArgValue(OPT_color_EQ, "auto");
  if (color != "auto" && color != "always" && color != "never")
    error("expected --color to be auto, always or never, found '" + color + "'");
  line.diagnostics.color =
      color == "always" || (color == "auto" && llvm::sys::Process::StandardErrHasColors());
}

/// LLVM's own options are variables of this process, so they are read here, once.
void Reader::readLLVMOptions() {
  std::vector<std::string> given = args.getAllArgValues(OPT_mllvm);
  if (given.empty())
    return;
  llvm::SmallVector<const char *> words = {"-mllvm"};
  for (const std::string &option : given)
    words.push_back(option.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (llvm::cl::ParseCommandLineOptions(words.size(), words.data(), "options of LLVM\n", &stream))
    return;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(messages).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef message : lines)
    error(message);
}

CommandLine Reader::read() {
  readInput();
  if (!line.inspect.empty())
    return std::move(line);
  readSyntaxOnly();
  readForm();
  readKernels();
  readTarget();
  readObject();
  readFiles();
  readDiagnostics();
  readLLVMOptions();
  readWorkarounds(OPT_disable_workaround_EQ);
  return std::move(line);
}

static void printHelp(const TilecOptions &options) {
  static constexpr unsigned groups[] = {OPT_output_Group, OPT_kernel_Group, OPT_target_Group,
                                        OPT_object_Group, OPT_report_Group, OPT_general_Group};
  tilec::HelpPage page = helpPage();
  page.groups = groups;
  tilec::printHelp(llvm::outs(), options, page, tilec::helpWidth());
}

static void printVersion() {
  llvm::outs() << "tilec " << TILEC_VERSION << " (LLVM and MLIR " << LLVM_VERSION_STRING << ")\n"
               << "targets: " << tilec::GpuArch::all().front().name() << " to "
               << tilec::GpuArch::all().back().name()
               << "; processors x86-64, x86-64-v2, x86-64-v3, x86-64-v4, and aarch64 with "
                  "--host=aarch64\n";
}

std::optional<CommandLine> parseCommandLine(int argc, char **argv, int &exitCode) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> expanded(argv + 1, argv + argc);
  llvm::cl::ExpansionContext context(allocator, llvm::cl::TokenizeGNUCommandLine);
  exitCode = 2;
  if (llvm::Error failure = context.expandResponseFiles(expanded)) {
    llvm::errs() << "tilec: error: " << llvm::toString(std::move(failure)) << "\n";
    return std::nullopt;
  }
  TilecOptions options;
  unsigned missingIndex, missingCount;
  InputArgList args = options.ParseArgs(expanded, missingIndex, missingCount);
  if (args.hasArg(OPT_help) || args.hasArg(OPT_version) || args.hasArg(OPT_print_workarounds)) {
    exitCode = 0;
    if (args.hasArg(OPT_help))
      printHelp(options);
    else if (args.hasArg(OPT_version))
      printVersion();
    else
      llvm::outs() << tilec::workaroundsAsJSON();
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
