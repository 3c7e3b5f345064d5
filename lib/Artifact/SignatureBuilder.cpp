//===- SignatureBuilder.cpp - The code for one signature -------*- C++ -*-===//
//
// Finds out which configurations compile, what selects among them, and which code each needs, and
// puts that together. What users hear of it comes in the order of configurations and variants.
//
//===----------------------------------------------------------------------===//

#include "SignatureBuilder.h"

#include "tilec/Artifact/Header.h"

using namespace tilec;
using namespace tilec::artifact;
using llvm::SMRange;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

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

/// What does not depend on the variant.
KernelRequest SignatureBuilder::requestFor(const ConfigPlan &plan) const {
  KernelRequest request;
  request.numWarps = options.numWarps;
  request.numCTAs = options.numCTAs;
  request.numStages = options.numStages;
  request.warpRoles = options.warpRoles;
  request.tensorMaps = options.tensorMaps;
  plan.addTo(request);
  request.debug = options.debug;
  request.enableFpFusion = options.fpFusion;
  return request;
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

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
  if (sound)
    describe(sound->info, kernel);
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
void SignatureBuilder::describe(const KernelInfo &info, ArtifactKernel &kernel) {
  for (const KernelParam &param : info.params)
    static_cast<KernelParam &>(kernel.params.emplace_back()) = param;
  kernel.descriptors = findDescriptors(info);
  for (const KernelInfo::Constexpr &constant : info.constexprs)
    if (constant.read())
      kernel.constexprs.push_back(constant.name);
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
      job.host = options.host;
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

/// Reports what jobs have kept of their messages, moves their images into the variants, and marks
/// the candidates that fail and may. False if another one failed.
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

void SignatureBuilder::keepVariant(const Job &job, std::string text) {
  CompiledVariant variant;
  variant.variant = std::move(text);
  variant.target = job.target();
  variant.source = &source;
  variant.request = job.request;
  variant.maxRegisters = job.maxRegisters;
  if (job.gpu)
    variant.gpu = job.gpu->arch;
  else
    variant.host = hostOptionsOf(job.host, job.cpuLevel);
  variants.push_back(std::move(variant));
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
      std::string assumptions = describeAssumptions(job->assumed, kernel.params);
      reports.push_back({" on " + job->target() + values + "; " + assumptions,
                         isKept ? std::move(job->resources) : "", std::move(job->times)});
      if (isKept)
        keepVariant(*job, (config.text.empty() ? "" : config.text + "; ") + assumptions);
    }
  }
}

bool SignatureBuilder::build(const KernelSpec &spec, const Signature &signature, bool hasPtxas,
                             ArtifactKernel &kernel) {
  if (!probeAll(spec, signature, kernel) || !addConfigs(hasPtxas, kernel))
    return false;
  for (Job &job : jobs)
    job.keepsMessages = isSpare(candidates[job.config].plan, kernel);
  runJobs(jobs, source, options, [this](StringRef message) { say(message); });
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
