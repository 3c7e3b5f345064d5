//===- Build.cpp - From kernel files to an artifact ------------*- C++ -*-===//
//
// Reads what goes for a whole kernel: its decorators, conditions and grid, the assembler and the
// measurements. SignatureBuilder.cpp does the rest for each of its signatures.
//
//===----------------------------------------------------------------------===//

#include "tilec/Artifact/Build.h"

#include "SignatureBuilder.h"
#include "tilec/Artifact/Header.h"
#include "tilec/Language/Grid.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace tilec;
using namespace tilec::artifact;
using llvm::SMRange;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The docstring without the indentation that all lines but the first have.
static std::string docOf(const ast::FunctionDef &function) {
  auto *first = function.body.empty() ? nullptr : llvm::dyn_cast<ast::ExprStmt>(function.body[0]);
  auto *text = first ? llvm::dyn_cast<ast::Constant>(first->value) : nullptr;
  if (!text || !text->isString())
    return "";
  llvm::SmallVector<StringRef> lines;
  text->stringValue().split(lines, '\n');
  size_t indent = StringRef::npos;
  for (StringRef line : llvm::drop_begin(lines))
    if (!line.trim().empty())
      indent = std::min(indent, line.size() - line.ltrim(' ').size());
  std::string doc = lines.front().trim().str();
  for (StringRef line : llvm::drop_begin(lines))
    doc += "\n" + line.drop_front(std::min(indent, line.size())).rtrim().str();
  return StringRef(doc).trim().str();
}

static bool checkOnes(const Signature &signature, DiagnosticEngine &diagnostics) {
  bool fine = true;
  auto check = [&](const SignatureItem &item) {
    if (item.type && item.type->equalsOne &&
        (!item.type->type.isInt() || item.type->type.isBool())) {
      diagnostics.error(item.range, "only an integer can be promised to be 1");
      fine = false;
    }
  };
  for (const SignatureItem &item : signature.items)
    item.forEachLeaf(check);
  return fine;
}

bool ArtifactBuilder::findPtxas(Compilation &source) {
  if (lookedForPtxas)
    return true;
  lookedForPtxas = true;
  llvm::Expected<Tool> tool = findTool("ptxas", options.ptxasPath);
  if (tool) {
    assembler = *tool;
    return true;
  }
  std::string reason = llvm::toString(tool.takeError());
  bool isWanted = llvm::any_of(options.gpus, [](const GpuArch &arch) { return !arch.isVirtual(); });
  bool isChosen = !llvm::sys::Process::GetEnv("TILEC_PTXAS").value_or("").empty();
  // Unless somebody asked for this one, or for numbers that only it has, PTX will do.
  if (options.ptxasPath.empty() && !(isWanted && (isChosen || options.resourceUsage)))
    return true;
  source.diagnostics().error(SMRange(), reason);
  return false;
}

bool ArtifactBuilder::readTuned(Compilation &source) {
  if (tuned || options.tunedPath.empty())
    return true;
  // To the reader, a file that is not there is one without measurements.
  if (!llvm::sys::fs::exists(options.tunedPath)) {
    source.diagnostics().error(SMRange(), "cannot read '" + options.tunedPath + "': no such file");
    return false;
  }
  llvm::Expected<TunedFile> file = TunedFile::read(options.tunedPath);
  if (file) {
    tuned = std::move(*file);
    return true;
  }
  source.diagnostics().error(SMRange(), llvm::toString(file.takeError()));
  return false;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Two signatures must not make the same C++ function, and no kernel one of the header's own.
static bool checkOverloads(llvm::ArrayRef<ArtifactKernel> overloads,
                           DiagnosticEngine &diagnostics) {
  llvm::StringSet<> seen;
  for (const ArtifactKernel &kernel : overloads) {
    std::string types;
    for (const ArtifactParam &param : kernel.params)
      types += (types.empty() ? "" : ", ") + cppTypeOf(param.type);
    if (seen.insert(types).second)
      continue;
    diagnostics.error(SMRange(), "two signatures of kernel '" + kernel.name +
                                     "' have the same C++ types: (" + types + ")");
    return false;
  }
  return true;
}

/// Whether the header's declarations for one kernel may have the name of the other one.
static bool declares(StringRef kernel, StringRef name) {
  return name.consume_front(kernel) &&
         (name == "_options" || name == "_config" || name == "_constexprs" ||
          name == "_occupancy" || name == "_table");
}

static bool checkKernelName(const Artifact &artifact, const ast::FunctionDef &function,
                            StringRef name, DiagnosticEngine &diagnostics) {
  auto clashes = [&](const ArtifactKernel &kernel) {
    return kernel.name == name || declares(kernel.name, name) || declares(name, kernel.name);
  };
  if (name != "prepare_all" && name != "unload_all" && llvm::none_of(artifact.kernels, clashes))
    return true;
  diagnostics.error(function.nameRange,
                    "the name '" + name + "' is taken already in the generated header");
  return false;
}

static std::optional<std::vector<Requirement>>
readRequirements(const KernelSpec &spec, const ast::FunctionDef &function, Compilation &source) {
  std::vector<Requirement> result;
  for (const std::string &text : spec.requirements) {
    std::optional<Requirement> requirement =
        parseRequirement(text, "--require", function, source.sources(), source.diagnostics());
    if (!requirement)
      return std::nullopt;
    result.push_back(std::move(*requirement));
  }
  return result;
}

/// Notes the compilations for each signature under the name of its C function.
void ArtifactBuilder::keepCompilations(llvm::ArrayRef<ArtifactKernel> overloads,
                                       std::vector<std::vector<CompileReport>> taken,
                                       std::vector<std::vector<CompiledVariant>> kept) {
  for (auto [kernel, list, variants] : llvm::zip_equal(overloads, taken, kept)) {
    for (CompileReport &report : list) {
      report.name = artifact.functionName(kernel) + report.name;
      compileReports.push_back(std::move(report));
    }
    for (CompiledVariant &variant : variants) {
      variant.function = artifact.functionName(kernel);
      compiledVariants.push_back(std::move(variant));
    }
  }
}

bool ArtifactBuilder::addKernel(Compilation &source, const KernelSpec &spec) {
  DiagnosticEngine &diagnostics = source.diagnostics();
  const ast::FunctionDef *function = source.tree()->findFunction(spec.name);
  if (!function) {
    diagnostics.error(SMRange(), "no @triton.jit function is called '" + spec.name + "'");
    return false;
  }
  if (!checkKernelName(artifact, *function, spec.name, diagnostics))
    return false;
  std::optional<KernelDecorators> decorators = readDecorators(
      *source.tree(), *function, source.sources(), diagnostics,
      [&](llvm::StringRef name) {
        return llvm::any_of(spec.definitions,
                            [&](const Definitions &definition) { return definition.name == name; });
      },
      &source.imports());
  if (!decorators || !findPtxas(source) || !readTuned(source))
    return false;
  std::optional<std::vector<ConfigPlan>> plans = planConfigs(spec, *decorators, diagnostics);
  std::optional<std::vector<HostExpr::Ref>> grid = std::vector<HostExpr::Ref>();
  if (!spec.grid.empty())
    grid = parseGrid(spec.grid, "--grid", *function, source.sources(), diagnostics);
  std::optional<std::vector<Requirement>> requirements = readRequirements(spec, *function, source);
  if (!plans || !grid || !requirements)
    return false;
  std::vector<Signature> signatures = spec.signatures;
  if (signatures.empty())
    signatures.push_back({});
  std::vector<ArtifactKernel> overloads;
  std::vector<std::vector<CompileReport>> taken;
  std::vector<std::vector<CompiledVariant>> kept;
  llvm::SourceMgr &sources = source.sources();
  for (const Signature &signature : signatures) {
    ArtifactKernel kernel;
    kernel.name = spec.name;
    kernel.doc = docOf(*function);
    kernel.source = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier().str();
    kernel.grid = *grid;
    kernel.heuristics = decorators->heuristics;
    SignatureBuilder builder(source, options, os, *plans, *requirements,
                             decorators->autotune ? &*decorators->autotune : nullptr,
                             tuned ? &*tuned : nullptr);
    if (!checkOnes(signature, diagnostics) ||
        !builder.build(spec, signature, assembler.has_value(), kernel))
      return false;
    taken.push_back(builder.takeReports());
    kept.push_back(builder.takeVariants());
    overloads.push_back(std::move(kernel));
  }
  nameOverloads(overloads, spec.cNames);
  if (!checkOverloads(overloads, diagnostics) || !checkNames(artifact, overloads, diagnostics))
    return false;
  keepCompilations(overloads, std::move(taken), std::move(kept));
  llvm::append_range(artifact.kernels, std::move(overloads));
  return true;
}
