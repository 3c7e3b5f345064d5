//===- Assemble.cpp - PTX to machine code by ptxas --------------*- C++ -*-===//
//
// Runs ptxas and the disassemblers as children, each in a temporary folder that only this user may
// read. Arguments go to the child as they are: no shell sees them, so spaces and quotes in paths
// are safe.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Disassembly.h"
#include "tilec/Target/Ptxas.h"

#include "PTXInternals.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Files and children
//===----------------------------------------------------------------------===//

namespace {

/// A folder of mode 0700 that goes away with this object, unless keep() was called.
class TemporaryFolder {
public:
  static Expected<TemporaryFolder> create() {
    SmallString<128> parent;
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
    std::string path = (parent + "/tilec-XXXXXX").str();
    if (!mkdtemp(path.data()))
      return makeError("cannot make a temporary folder in '" + parent +
                       "': " + std::error_code(errno, std::generic_category()).message());
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder &&other) : folder(std::exchange(other.folder, "")) {}
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder() {
    if (!folder.empty())
      sys::fs::remove_directories(folder);
  }

  std::string file(StringRef name) const { return folder + "/" + name.str(); }
  void keep() { folder.clear(); }

private:
  explicit TemporaryFolder(std::string folder) : folder(std::move(folder)) {}

  std::string folder;
};

struct ChildResult {
  int status = 0;
  std::string output;  ///< Standard output and error, mixed.
  std::string failure; ///< Why it did not run or did not end by itself; else empty.
};

} // namespace

static Error writeFile(const std::string &path, StringRef content) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::OF_None);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return makeError("cannot write '" + path + "': " + code.message());
  return Error::success();
}

static Expected<std::string> readFile(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError("cannot read '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Runs \p program with \p arguments, its output going through a file in \p folder.
static Expected<ChildResult> runChild(const std::string &program,
                                      const std::vector<std::string> &arguments,
                                      const TemporaryFolder &folder) {
  std::string log = folder.file("log");
  SmallVector<StringRef, 16> all{program};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  ChildResult result;
  result.status = sys::ExecuteAndWait(program, all, /*Env=*/std::nullopt, redirects,
                                      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &result.failure);
  if (result.status >= 0)
    result.failure.clear();
  else if (result.failure.empty())
    result.failure = "it could not be run";
  if (!sys::fs::exists(log)) // It did not even start.
    return result;
  Expected<std::string> output = readFile(log);
  if (!output)
    return output.takeError();
  result.output = std::move(*output);
  return result;
}

static std::string commandLine(const std::string &program,
                               const std::vector<std::string> &arguments) {
  std::string text;
  raw_string_ostream stream(text);
  sys::printArg(stream, program, /*Quote=*/false);
  for (const std::string &argument : arguments)
    sys::printArg(stream << ' ', argument, /*Quote=*/false);
  return text;
}

//===----------------------------------------------------------------------===//
// Versions and reports
//===----------------------------------------------------------------------===//

std::optional<Version> tilec::parseToolVersion(StringRef text) {
  StringRef rest = text.split(", release ").second;
  Version version;
  if (rest.consumeInteger(10, version.major) || !rest.consume_front(".") ||
      rest.consumeInteger(10, version.minor))
    return std::nullopt;
  return version;
}

Expected<Version> tilec::toolVersion(const Tool &tool) {
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  Expected<ChildResult> result = runChild(tool.path, {"--version"}, *folder);
  if (!result)
    return result.takeError();
  if (!result->failure.empty())
    return makeError("'" + tool.path + " --version' failed: " + result->failure);
  std::optional<Version> version = parseToolVersion(result->output);
  if (result->status != 0 || !version)
    return makeError("'" + tool.path + " --version' names no CUDA release: " +
                     StringRef(result->output).trim().take_front(200));
  return *version;
}

Error tilec::checkPtxasVersion(Version cuda, const GpuArch &arch, Version ptx) {
  Version oldest = std::max(ptx, arch.minPTXVersion());
  std::optional<Version> newest = newestPTXOfCuda(cuda);
  std::optional<Version> needed = cudaReleaseForPTX(oldest);
  if (needed && (!newest || *newest < oldest))
    return makeError("ptxas of CUDA " + cuda.str() + " is too old for " + arch.smName() +
                     " and PTX " + oldest.str() + ": CUDA " + needed->str() +
                     " or later is needed");
  if (std::optional<Version> removed = arch.removedInCuda(); removed && *removed <= cuda)
    return makeError("ptxas of CUDA " + cuda.str() + " is too new for " + arch.smName() +
                     ", which CUDA " + removed->str() + " removed");
  return Error::success();
}

/// Reads one item of a line of the report, such as "12 bytes smem" or "used 1 barriers".
static void readReportItem(StringRef item, ResourceUsage &usage) {
  item = item.trim();
  if (!item.consume_front("Used "))
    item.consume_front("used ");
  unsigned amount;
  if (item.consumeInteger(10, amount))
    return;
  item = item.ltrim();
  if (item == "registers")
    usage.registers = amount;
  else if (item == "barriers")
    usage.barriers = amount;
  else if (item == "bytes smem")
    usage.sharedBytes = amount;
  else if (item == "bytes stack frame")
    usage.stackBytes = amount;
  else if (item == "bytes spill stores")
    usage.spillStoreBytes = amount;
  else if (item == "bytes spill loads")
    usage.spillLoadBytes = amount;
  else if (item.starts_with("bytes cmem["))
    usage.constantBytes += amount;
}

static bool isPropertiesLine(StringRef line) { return line.contains(" bytes stack frame, "); }

std::vector<ResourceUsage> tilec::parseResourceUsage(StringRef text) {
  std::vector<ResourceUsage> kernels;
  // Device functions have properties too, which are not the kernel's.
  bool propertiesOfKernel = false;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    StringRef info = line;
    bool isInfo = info.consume_front("ptxas info");
    info = info.split(": ").second;
    SmallVector<StringRef, 8> items;
    if (isInfo && info.consume_front("Compiling entry function '")) {
      kernels.emplace_back();
      kernels.back().kernel = info.split('\'').first.str();
    } else if (kernels.empty()) {
      continue;
    } else if (isInfo && info.consume_front("Function properties for ")) {
      propertiesOfKernel = info.trim() == kernels.back().kernel;
    } else if (isInfo && info.starts_with("Used ")) {
      info.split(items, ',');
    } else if (isPropertiesLine(line) && propertiesOfKernel) {
      line.split(items, ',');
    }
    for (StringRef item : items)
      readReportItem(item, kernels.back());
  }
  return kernels;
}

/// What remains of ptxas's output without its report.
static std::string warningsOf(StringRef text) {
  std::string warnings;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    // Numbered remarks, "ptxas info : (C7510) ...", are about lost performance.
    bool isReport = (line.starts_with("ptxas info") && !line.contains(": (C")) ||
                    isPropertiesLine(line) || line.trim().empty();
    if (!isReport)
      warnings += (line + "\n").str();
  }
  return warnings;
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

static Expected<std::vector<std::string>> ptxasArguments(const AssembleOptions &options,
                                                         StringRef input, StringRef output) {
  if (options.arch.isVirtual())
    return makeError(options.arch.name() + " has no machine code: name a real architecture, " +
                     options.arch.smName() + " for instance");
  if (options.optLevel > 3)
    return makeError("optimisation levels are 0 to 3, not " + Twine(options.optLevel));
  std::vector<std::string> arguments{"-arch=" + options.arch.smName(),
                                     "-O" + std::to_string(options.optLevel), "-v"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  arguments.insert(arguments.end(), options.extraArgs.begin(), options.extraArgs.end());
  arguments.insert(arguments.end(), {input.str(), "-o", output.str()});
  return arguments;
}

Expected<std::string> tilec::assembleCommand(const AssembleOptions &options, StringRef input,
                                             StringRef output) {
  Expected<Tool> tool = findTool("ptxas", options.ptxasPath);
  if (!tool)
    return tool.takeError();
  Expected<std::vector<std::string>> arguments = ptxasArguments(options, input, output);
  if (!arguments)
    return arguments.takeError();
  return commandLine(tool->path, *arguments);
}

static Version versionOfPTX(StringRef ptx) {
  StringRef rest = ptx.split("\n.version ").second;
  Version version;
  if (rest.consumeInteger(10, version.major) || !rest.consume_front(".") ||
      rest.consumeInteger(10, version.minor))
    return {};
  return version;
}

static Error assemblyFailed(const Tool &tool, const std::vector<std::string> &arguments,
                            const ChildResult &result, StringRef ptx, StringRef ptxFile,
                            const GpuArch &arch) {
  std::string message = "ptxas failed";
  // Only now, since asking costs as much as assembling a small kernel.
  if (Expected<Version> cuda = toolVersion(tool)) {
    message += " (CUDA " + cuda->str() + ")";
    if (Error error = checkPtxasVersion(*cuda, arch, versionOfPTX(ptx)))
      message += ": " + toString(std::move(error));
  } else {
    consumeError(cuda.takeError());
  }
  if (!result.failure.empty())
    message += ": " + result.failure;
  message += "\n  command: " + commandLine(tool.path, arguments);
  message += "\n  the PTX is kept in " + ptxFile.str();
  StringRef output = StringRef(result.output).trim();
  if (!output.empty())
    message += "\n" + output.str();
  return makeError(message);
}

Expected<Cubin> tilec::assemble(StringRef ptx, const AssembleOptions &options) {
  Expected<Tool> tool = findTool("ptxas", options.ptxasPath);
  if (!tool)
    return tool.takeError();
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  std::string input = folder->file("kernel.ptx");
  std::string output = folder->file("kernel.cubin");
  Expected<std::vector<std::string>> arguments = ptxasArguments(options, input, output);
  if (!arguments)
    return arguments.takeError();
  if (Error error = writeFile(input, ptx))
    return error;
  Expected<ChildResult> result = runChild(tool->path, *arguments, *folder);
  if (!result)
    return result.takeError();
  if (result->status != 0 || !sys::fs::exists(output)) {
    Error error = assemblyFailed(*tool, *arguments, *result, ptx, input, options.arch);
    sys::fs::remove(output);
    sys::fs::remove(folder->file("log"));
    folder->keep();
    return error;
  }
  Expected<std::string> image = readFile(output);
  if (!image)
    return image.takeError();
  return Cubin{std::move(*image), parseResourceUsage(result->output), warningsOf(result->output),
               std::move(*tool)};
}

/// With \p options, nvdisasm's; cuobjdump has one of its own.
static Expected<std::string> disassembleAs(StringRef cubin, const ToolPlaces &places,
                                           std::vector<std::string> options) {
  Expected<Tool> tool = findTool("nvdisasm", "", places);
  if (!tool) {
    consumeError(tool.takeError());
    options = {"-sass"};
    tool = findTool("cuobjdump", "", places);
  }
  if (!tool) {
    consumeError(tool.takeError());
    return makeError("SASS needs nvdisasm or cuobjdump of the CUDA toolkit, and neither is in "
                     "CUDA_HOME, CUDA_PATH, PATH or " +
                     places.toolkitParent + "/cuda*/bin");
  }
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  std::string input = folder->file("kernel.cubin");
  if (Error error = writeFile(input, cubin))
    return error;
  std::vector<std::string> arguments = options;
  arguments.push_back(input);
  Expected<ChildResult> result = runChild(tool->path, arguments, *folder);
  if (!result)
    return result.takeError();
  if (result->status != 0)
    return makeError("'" + commandLine(tool->path, options) + "' failed" +
                     (result->failure.empty() ? "" : ": " + result->failure) + "\n" +
                     StringRef(result->output).trim());
  return std::move(result->output);
}

Expected<std::string> tilec::disassemble(StringRef cubin, const ToolPlaces &places) {
  return disassembleAs(cubin, places, {"-c"});
}

Expected<std::string> tilec::disassembleWithLines(StringRef cubin, const ToolPlaces &places) {
  return disassembleAs(cubin, places, {"-c", "-g"});
}
