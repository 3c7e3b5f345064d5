//===- Build.cpp - From kernel files to an artifact ------------*- C++ -*-===//
//
// For each signature: the front end runs once for each configuration, to learn the parameters and
// to report errors in order; then the code of every variant is compiled.
//
//===----------------------------------------------------------------------===//

#include "tilec/Artifact/Build.h"

#include "BuildInternals.h"
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

/// Parameters that the signature promises to be 1 stay parameters here: the host passes them.
static Signature keepParameters(Signature signature) {
  for (SignatureItem &item : signature.items)
    item.forEachLeaf([](SignatureItem &leaf) {
      if (leaf.type && leaf.type->equalsOne)
        leaf.value.reset();
    });
  return signature;
}

static void forgetPlaces(SignatureItem &item) {
  item.range = SMRange();
  if (item.descriptor)
    for (DescriptorType::Size &size : item.descriptor->block)
      size.range = SMRange();
  for (SignatureItem &element : item.elements)
    forgetPlaces(element);
}

/// Takes back promises of parameters to be 1; whether there were any.
static bool forgetOnes(Signature &signature) {
  bool found = false;
  for (SignatureItem &item : signature.items)
    item.forEachLeaf([&](SignatureItem &leaf) {
      if (!leaf.type || !leaf.type->equalsOne)
        return;
      leaf.type->equalsOne = false;
      found = true;
    });
  return found;
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
// One signature
//===----------------------------------------------------------------------===//

namespace {

/// A configuration, and what the front end makes of the parameters in it.
struct Candidate {
  ConfigPlan plan;
  KernelInfo info;
  std::vector<bool> readOnly;
  std::string messages;
  std::vector<std::pair<std::string, double>> times;
  bool failed = false;
};

/// Builds the ArtifactKernel of one signature. Configurations that do not compile are left out
/// where measurements prefer others.
class SignatureBuilder {
public:
  /// `autotune` and `tuned`: what the measurements are of, and the measurements; may be null.
  SignatureBuilder(Compilation &source, const ArtifactOptions &options, llvm::raw_ostream &os,
                   llvm::ArrayRef<ConfigPlan> plans, llvm::ArrayRef<Requirement> requirements,
                   const Autotune *autotune, const TunedFile *tuned)
      : source(source), options(options), os(os), requirements(requirements), autotune(autotune),
        tuned(tuned) {
    for (const ConfigPlan &plan : plans)
      candidates.emplace_back().plan = plan;
  }

  bool build(const KernelSpec &spec, const Signature &signature, bool hasPtxas,
             ArtifactKernel &kernel);
  /// Of each compilation, with names that start behind the C function's.
  std::vector<CompileReport> takeReports() { return std::move(reports); }

private:
  KernelRequest requestFor(const ConfigPlan &plan) const;
  void probe(const KernelSpec &spec, const Signature &signature, Candidate &candidate);
  void findLimits(const KernelRequest &request, KernelInfo &info) const;
  bool probeAll(const KernelSpec &spec, const Signature &signature, ArtifactKernel &kernel);
  bool describe(const KernelInfo &info, ArtifactKernel &kernel);
  bool addConfigs(bool hasPtxas, ArtifactKernel &kernel);
  bool addConfig(const Candidate &candidate, const ArtifactKernel &kernel, ArtifactConfig &config);
  void addJobs(unsigned index, ArtifactConfig &config, llvm::ArrayRef<GpuTarget> targets);
  bool collect(ArtifactKernel &kernel);
  void makeReports(const ArtifactKernel &kernel);
  bool isSpare(const ConfigPlan &plan, const ArtifactKernel &kernel) const;
  void warnOfFailed(const ConfigPlan &plan, const ArtifactKernel &kernel, StringRef messages);
  void warnOfNoChoice(const ArtifactKernel &kernel) const;
  void say(StringRef messages) {
    if (written.insert(messages).second)
      os << messages;
  }

  Compilation &source;
  const ArtifactOptions &options;
  llvm::raw_ostream &os;
  llvm::ArrayRef<Requirement> requirements;
  const Autotune *autotune;
  const TunedFile *tuned;
  std::vector<Candidate> candidates;
  std::vector<Job> jobs;
  std::vector<CompileReport> reports;
  llvm::StringSet<> written; // Configurations and variants have mostly the same to say.
};

} // namespace

/// What does not depend on the variant.
KernelRequest SignatureBuilder::requestFor(const ConfigPlan &plan) const {
  KernelRequest request;
  request.numWarps = options.numWarps;
  request.numCTAs = options.numCTAs;
  request.numStages = options.numStages;
  request.warpRoles = options.warpRoles;
  plan.addTo(request);
  request.debug = options.debug;
  request.enableFpFusion = options.fpFusion;
  return request;
}

/// Runs the front end to learn what becomes of the parameters.
void SignatureBuilder::probe(const KernelSpec &spec, const Signature &signature,
                             Candidate &candidate) {
  llvm::raw_string_ostream messages(candidate.messages);
  Compilation compilation(messages, source.diagnostics().options());
  KernelRequest request = requestFor(candidate.plan);
  request.kernel = spec.name;
  request.signature = keepParameters(signature);
  // Places in the signature are places in the other compilation's buffers.
  for (SignatureItem &item : request.signature.items)
    forgetPlaces(item);
  for (const NamedConst &value : candidate.plan.values)
    request.constexprs.push_back({value.name, value.value, SMRange()});
  if (!options.gpus.empty())
    request.arch = options.gpus.front();
  candidate.failed = !compilation.loadSame(source) || !compilation.addKernel(request);
  candidate.times = compilation.times();
  if (candidate.failed) {
    std::string note = noteFor(candidate.plan, "");
    if (!note.empty())
      compilation.diagnostics().report(Severity::Note, SMRange(), note);
    return;
  }
  candidate.info = compilation.records().front().kernel;
  candidate.readOnly = findReadOnly(compilation.getModule(), candidate.info.symbol);
  if (forgetOnes(request.signature))
    findLimits(request, candidate.info);
}

/// Whether launches do without the configuration: others of the autotuner were measured to be
/// faster wherever anything was measured.
bool SignatureBuilder::isSpare(const ConfigPlan &plan, const ArtifactKernel &kernel) const {
  return plan.tune != 0 && !kernel.tuned.empty() &&
         llvm::none_of(kernel.tuned,
                       [&](const ArtifactTuned &choice) { return choice.tune == plan.tune; });
}

void SignatureBuilder::warnOfFailed(const ConfigPlan &plan, const ArtifactKernel &kernel,
                                    StringRef messages) {
  DiagnosticBuilder warning = source.diagnostics().warning(
      plan.range, "configuration " + plan.str() + " of kernel '" + kernel.name +
                      "' does not compile and is left out; no measurement prefers it");
  std::string error = findError(messages, source.diagnostics().options());
  if (!error.empty())
    warning.note(SMRange(), "the first error is: " + error);
}

/// Whether configurations compare the size with ranges of different length, and none knows whether
/// its own is long enough.
static bool isLeftOpen(llvm::ArrayRef<Candidate> candidates, size_t param) {
  std::optional<int64_t> length;
  bool differ = false;
  for (const Candidate &candidate : candidates) {
    const KernelParam &known = candidate.info.params[param];
    if (known.atMost)
      return false;
    // Without one it compares a range that starts elsewhere, or nothing.
    differ |= known.comparedRange && length && *length != *known.comparedRange;
    if (known.comparedRange)
      length = known.comparedRange;
  }
  return differ;
}

/// A launch takes the first configuration that suits. If nothing says which do, it is the first,
/// and a tile that is too small for a size leaves work undone in silence.
void SignatureBuilder::warnOfNoChoice(const ArtifactKernel &kernel) const {
  bool isTuned =
      llvm::any_of(candidates, [](const Candidate &each) { return each.plan.tune != 0; });
  if (candidates.size() < 2 || isTuned || !requirements.empty() || !kernel.heuristics.empty())
    return;
  const KernelInfo &info = candidates.front().info;
  for (size_t param = 0; param < info.params.size(); ++param) {
    if (!isLeftOpen(candidates, param))
      continue;
    const std::string &name = info.params[param].path;
    const ast::FunctionDef *function = source.tree()->findFunction(kernel.name);
    SMRange place = function ? function->nameRange : SMRange();
    source.diagnostics()
        .warning(place, "launches of kernel '" + kernel.name + "' take configuration " +
                            candidates.front().plan.str() + " whatever '" + name +
                            "' is: nothing says which configurations suit")
        .note(SMRange(), "masks compare '" + name +
                             "' with ranges of different length; say how large it may be, for "
                             "example --require='" +
                             name + " <= BLOCK', or --require=True if all suit");
    return;
  }
}

/// Probes all candidates, fills in what is the same in every configuration, and drops the
/// candidates that fail and may. False after reporting errors.
bool SignatureBuilder::probeAll(const KernelSpec &spec, const Signature &signature,
                                ArtifactKernel &kernel) {
  const Candidate *sound = nullptr;
  for (Candidate &candidate : candidates) {
    probe(spec, signature, candidate);
    if (!candidate.failed && !sound)
      sound = &candidate;
    if (candidate.failed && (!tuned || !autotune))
      break; // It is an error, which the loop below reports.
  }
  if (sound && !describe(sound->info, kernel))
    return false;
  if (sound && tuned && autotune)
    addTuned(kernel, *autotune, *tuned, source);
  for (const Candidate &candidate : candidates) {
    if (candidate.failed && isSpare(candidate.plan, kernel)) {
      warnOfFailed(candidate.plan, kernel, candidate.messages);
      continue;
    }
    say(candidate.messages);
    if (candidate.failed)
      return false;
  }
  llvm::erase_if(candidates, [](const Candidate &candidate) { return candidate.failed; });
  warnOfNoChoice(kernel);
  for (size_t i = 0; i < kernel.params.size(); ++i)
    kernel.params[i].isReadOnly = llvm::all_of(candidates, [&](const Candidate &candidate) {
      return i < candidate.readOnly.size() && candidate.readOnly[i];
    });
  return true;
}

/// A parameter that is promised to be 1 is a constant in the code of `info`, but may be anything in
/// that of the variant which assumes nothing: its limits come from there. If there are errors, they
/// are reported when that variant is compiled.
void SignatureBuilder::findLimits(const KernelRequest &request, KernelInfo &info) const {
  Compilation general(llvm::nulls());
  if (!general.loadSame(source) || !general.addKernel(request))
    return;
  for (auto [param, known] :
       llvm::zip_equal(info.params, general.records().front().kernel.params)) {
    param.atMost = known.atMost;
    param.comparedRange = known.comparedRange;
  }
}

/// Fills in parameters and constexprs, which are the same in every configuration.
bool SignatureBuilder::describe(const KernelInfo &info, ArtifactKernel &kernel) {
  for (const KernelParam &param : info.params) {
    if (!hasHostType(param.type)) {
      source.diagnostics().error(
          SMRange(), "parameter '" + param.name + "' of kernel '" + kernel.name + "' has type " +
                         param.type.signatureStr() + ", for which C++ has no type");
      return false;
    }
    static_cast<KernelParam &>(kernel.params.emplace_back()) = param;
  }
  kernel.descriptors = findDescriptors(info);
  for (const KernelInfo::Constexpr &constant : info.constexprs)
    if (constant.read())
      kernel.constexprs.push_back(constant.name);
  return true;
}

bool SignatureBuilder::addConfig(const Candidate &candidate, const ArtifactKernel &kernel,
                                 ArtifactConfig &config) {
  const ConfigPlan &plan = candidate.plan;
  const KernelInfo &info = candidate.info;
  auto sameParam = [](const KernelParam &left, const ArtifactParam &right) {
    return left.name == right.name && left.type == right.type;
  };
  if (!llvm::equal(info.params, kernel.params, sameParam)) {
    source.diagnostics().error(SMRange(), "the configurations of kernel '" + kernel.name +
                                              "' do not have the same run-time parameters");
    return false;
  }
  llvm::raw_string_ostream text(config.text);
  llvm::ListSeparator separator;
  for (const std::string &name : kernel.constexprs)
    for (const KernelInfo::Constexpr &constant : info.constexprs) {
      if (constant.name != name)
        continue;
      std::optional<ConstValue> value = constant.read();
      config.values.push_back(value ? *value : ConstValue::none());
      text << separator << name << '=' << constant.value;
    }
  const std::pair<StringRef, unsigned> launch[] = {{"num_warps", plan.numWarps},
                                                   {"num_stages", plan.numStages},
                                                   {"num_ctas", plan.numCTAs},
                                                   {"maxnreg", plan.maxRegisters}};
  for (auto [name, value] : launch)
    if (value && !llvm::is_contained(kernel.constexprs, name))
      text << separator << name << '=' << value;
  config.name = nameOf(plan);
  config.tune = plan.tune;
  config.requirements = requirements.vec();
  llvm::append_range(config.requirements, deriveRequirements(info, requirements));
  llvm::append_range(config.requirements, descriptorRules(info));
  return true;
}

/// One job for each variant and architecture. The variants must not move from now on.
void SignatureBuilder::addJobs(unsigned index, ArtifactConfig &config,
                               llvm::ArrayRef<GpuTarget> targets) {
  const ConfigPlan &plan = candidates[index].plan;
  const KernelInfo &info = candidates[index].info;
  for (ArtifactVariant &variant : config.variants) {
    Job job;
    job.config = index;
    job.request = requestFor(plan);
    job.request.kernel = info.symbol;
    job.maxRegisters = options.maxRegisters ? options.maxRegisters : plan.maxRegisters;
    job.variant = &variant;
    job.assumed = variant;
    job.request.signature.items = info.arguments;
    unsigned param = 0;
    auto assume = [&](SignatureItem &item) {
      if (!item.type)
        return;
      item.type = ParamType::of(item.type->type, variant.classOf(param++));
    };
    for (SignatureItem &item : job.request.signature.items)
      item.forEachLeaf(assume);
    for (const KernelInfo::Constexpr &constant : info.constexprs)
      if (std::optional<ConstValue> value = constant.read())
        job.request.constexprs.push_back({constant.name, *value, SMRange()});
    for (const GpuTarget &target : targets) {
      job.gpu = target;
      job.request.arch = target.arch;
      job.note = noteFor(plan, job.target());
      jobs.push_back(job);
    }
    job.gpu.reset();
    job.request.arch.reset();
    for (unsigned level : options.cpuLevels) {
      job.cpuLevel = level;
      job.note = noteFor(plan, job.target());
      jobs.push_back(job);
    }
  }
}

bool SignatureBuilder::addConfigs(bool hasPtxas, ArtifactKernel &kernel) {
  std::optional<std::vector<ArtifactVariant>> variants =
      planVariants(candidates.front().info, *source.tree()->findFunction(kernel.name), options.spec,
                   source.diagnostics());
  if (!variants)
    return false;
  std::vector<GpuTarget> targets = planTargets(options.gpus, hasPtxas);
  kernel.configs.resize(candidates.size());
  llvm::StringSet<> names = {"any"};
  for (auto [index, config] : llvm::enumerate(kernel.configs)) {
    if (!addConfig(candidates[index], kernel, config))
      return false;
    // Values that differ only in what no identifier holds.
    for (std::string base = config.name; !names.insert(config.name).second;)
      config.name = base + "_" + std::to_string(names.size());
    config.variants = *variants;
    addJobs(index, config, targets);
  }
  return true;
}

/// Reports what the jobs have to say, moves their images into the variants, and marks the
/// candidates that fail and may. False if another one failed, whose messages come last.
bool SignatureBuilder::collect(ArtifactKernel &kernel) {
  std::vector<const Job *> failures(kernel.configs.size());
  for (const Job &job : jobs)
    if (job.failed && !failures[job.config])
      failures[job.config] = &job;
  bool anyWorks = llvm::is_contained(failures, nullptr);
  for (Job &job : jobs) {
    Candidate &candidate = candidates[job.config];
    const Job *failure = failures[job.config];
    if (failure && anyWorks && isSpare(candidate.plan, kernel)) {
      if (failure == &job)
        warnOfFailed(candidate.plan, kernel, job.messages);
      candidate.failed = true;
      continue;
    }
    say(job.messages);
    if (job.failed)
      return false;
    llvm::append_range(job.variant->images, std::move(job.images));
  }
  return true;
}

/// In the order of the configurations: the front end's run for the parameters, then the code.
void SignatureBuilder::makeReports(const ArtifactKernel &kernel) {
  auto job = jobs.begin();
  for (auto [index, config] : llvm::enumerate(kernel.configs)) {
    std::string values = config.text.empty() ? "" : ", " + config.text;
    reports.push_back({values + "; parameters", "", candidates[index].times});
    for (; job != jobs.end() && job->config == index; ++job) {
      bool isKept =
          !candidates[index].failed &&
          llvm::any_of(config.variants, [&](const ArtifactVariant &variant) {
            return variant.aligned == job->assumed.aligned && variant.ones == job->assumed.ones;
          });
      reports.push_back({" on " + job->target() + values + "; " +
                             describeAssumptions(job->assumed, kernel.params),
                         isKept ? std::move(job->resources) : "", std::move(job->times)});
    }
  }
}

bool SignatureBuilder::build(const KernelSpec &spec, const Signature &signature, bool hasPtxas,
                             ArtifactKernel &kernel) {
  if (!probeAll(spec, signature, kernel) || !addConfigs(hasPtxas, kernel))
    return false;
  runJobs(jobs, source, options);
  if (!collect(kernel))
    return false;
  for (ArtifactConfig &config : kernel.configs)
    dropEqualVariants(config.variants);
  makeReports(kernel);
  std::vector<ArtifactConfig> working;
  for (auto [config, candidate] : llvm::zip_equal(kernel.configs, candidates))
    if (!candidate.failed)
      working.push_back(std::move(config));
  kernel.configs = std::move(working);
  return true;
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
    overloads.push_back(std::move(kernel));
  }
  nameOverloads(overloads, spec.cNames);
  if (!checkOverloads(overloads, diagnostics) || !checkNames(artifact, overloads, diagnostics))
    return false;
  for (auto [kernel, list] : llvm::zip_equal(overloads, taken))
    for (CompileReport &report : list) {
      report.name = artifact.functionName(kernel) + report.name;
      compileReports.push_back(std::move(report));
    }
  llvm::append_range(artifact.kernels, std::move(overloads));
  return true;
}
