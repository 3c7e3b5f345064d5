//===- SignatureBuilder.h - The code for one signature ---------*- C++ -*-===//
//
// For one signature of a kernel, the front end runs once for each configuration, to learn the
// parameters and to report errors in order; then the code of every variant is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ARTIFACT_SIGNATUREBUILDER_H
#define TILEC_LIB_ARTIFACT_SIGNATUREBUILDER_H

#include "BuildInternals.h"
#include "llvm/ADT/StringSet.h"

namespace tilec::artifact {

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
  /// Of each compilation whose code was kept; the C function is not known here.
  std::vector<CompiledVariant> takeVariants() { return std::move(variants); }

private:
  KernelRequest requestFor(const ConfigPlan &plan) const;
  void probe(const KernelSpec &spec, const Signature &signature, Candidate &candidate);
  void findLimits(const KernelRequest &request, KernelInfo &info) const;
  bool probeAll(const KernelSpec &spec, const Signature &signature, ArtifactKernel &kernel);
  void describe(const KernelInfo &info, ArtifactKernel &kernel);
  bool addConfigs(bool hasPtxas, ArtifactKernel &kernel);
  bool addConfig(const Candidate &candidate, const ArtifactKernel &kernel, ArtifactConfig &config);
  void addJobs(unsigned index, ArtifactConfig &config, llvm::ArrayRef<GpuTarget> targets);
  bool collect(ArtifactKernel &kernel);
  void makeReports(const ArtifactKernel &kernel);
  void keepVariant(const Job &job, std::string text);
  bool isSpare(const ConfigPlan &plan, const ArtifactKernel &kernel) const;
  void warnOfFailed(const ConfigPlan &plan, const ArtifactKernel &kernel, llvm::StringRef messages);
  void warnOfNoChoice(const ArtifactKernel &kernel) const;
  void say(llvm::StringRef messages) {
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
  std::vector<CompiledVariant> variants;
  llvm::StringSet<> written; // Configurations and variants have mostly the same to say.
};

} // namespace tilec::artifact

#endif // TILEC_LIB_ARTIFACT_SIGNATUREBUILDER_H
