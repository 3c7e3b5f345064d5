//===- BuildInternals.h - Pieces of the artifact builder -------*- C++ -*-===//
//
// What the files behind Build.h offer one another. Build.cpp drives, with SignatureBuilder.cpp for
// each signature: Configs.cpp plans the configurations, Variants.cpp what variants assume, Jobs.cpp
// compiles them, ReadOnly.cpp and Names.cpp add what the header needs, Descriptors.cpp what tensor
// descriptors do, and Tuned.cpp the choices that were measured.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ARTIFACT_BUILDINTERNALS_H
#define TILEC_LIB_ARTIFACT_BUILDINTERNALS_H

#include "tilec/Artifact/Build.h"
#include "tilec/Compiler/TunedFile.h"
#include "tilec/Target/Host.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec::artifact {

/// Values for constexpr parameters, with the compile options that belong to them.
struct ConfigPlan : TuneConfig {
  /// The autotuner's configuration that it comes from, from 1; 0: none.
  unsigned tune = 0;
  /// The parameters that not all plans set alike, for the configuration's name.
  std::vector<std::string> varying;
};

/// Every combination of the definitions' values, the autotuner's configurations, and the values
/// that the heuristics may give. Nothing after reporting errors.
std::optional<std::vector<ConfigPlan>> planConfigs(const KernelSpec &spec,
                                                   const KernelDecorators &decorators,
                                                   DiagnosticEngine &diagnostics);

/// An identifier for the configuration: "BLOCK1024_w4", or "only" if nothing varies.
std::string nameOf(const ConfigPlan &plan);

/// What variants assume, most specific first and the empty one last: beside what the signature
/// itself promises, nothing that annotations and decorators of `kernel` forbid. Nothing after
/// reporting errors.
std::optional<std::vector<ArtifactVariant>> planVariants(const KernelInfo &info,
                                                         const ast::FunctionDef &kernel,
                                                         SpecPolicy policy,
                                                         DiagnosticEngine &diagnostics);

/// "multiples of 16: x, n; equal to 1: stride", or "any arguments".
std::string describeAssumptions(const ArtifactVariant &variant,
                                llvm::ArrayRef<ArtifactParam> params);

/// Drops variants whose code is no other than that of one that assumes less.
void dropEqualVariants(std::vector<ArtifactVariant> &variants);

/// For each parameter of the kernel whether it is a pointer through which nothing is written.
/// `module` is tile IR as the front end makes it.
std::vector<bool> findReadOnly(mlir::ModuleOp module, llvm::StringRef kernel);

/// The tensor descriptors among the parameters of a kernel.
std::vector<ArtifactDescriptor> findDescriptors(const KernelInfo &info);
/// The classes of values that make a difference for their parts, by number of the parameter.
llvm::DenseMap<unsigned, ClassRule> findDescriptorClasses(const KernelInfo &info);
/// What code relies on of them: multiples of 16 bytes, sizes above 0.
std::vector<Requirement> descriptorRules(const KernelInfo &info);

/// Names the C functions of a kernel's signatures by the rule of ArtifactKernel::cName. `given` has
/// names for some of them and may be shorter.
void nameOverloads(llvm::MutableArrayRef<ArtifactKernel> overloads,
                   llvm::ArrayRef<std::string> given);

/// Whether the header can have the C names of one kernel's signatures beside those that it has for
/// the artifact. False after reporting an error.
bool checkNames(const Artifact &artifact, llvm::ArrayRef<ArtifactKernel> overloads,
                DiagnosticEngine &diagnostics);

/// Adds to `kernel` the choices that `file` has for it, which `source` is the file of. Choices that
/// a launcher could not make are a warning.
void addTuned(ArtifactKernel &kernel, const Autotune &autotune, const TunedFile &file,
              Compilation &source);

/// A GPU architecture and the forms of code wanted for it.
struct GpuTarget {
  GpuArch arch;
  bool cubin = false;
  bool ptx = false;
};

/// What the architectures asked for become: cubins where there is a ptxas, and PTX for later GPUs.
std::vector<GpuTarget> planTargets(llvm::ArrayRef<GpuArch> archs, bool hasPtxas);

/// The configuration that compilations are for, as a note behind their errors: "in configuration
/// BLOCK=1024, num_warps=4, for sm_90". Empty for one that sets nothing. `target` may be empty.
std::string noteFor(const ConfigPlan &plan, llvm::StringRef target);

/// The first error of diagnostics that were written with `options`, in one line with its location;
/// empty without one.
std::string findError(llvm::StringRef messages, const DiagnosticOptions &options);

/// How code for a processor of other programs than this one is made. The back end is registered.
HostOptions hostOptionsOf(HostArch host, unsigned level);

/// One compilation: a variant of a configuration for one architecture.
struct Job {
  KernelRequest request;
  /// Which configuration of the kernel it is of.
  unsigned config = 0;
  std::string note;             // Follows errors.
  std::optional<GpuTarget> gpu; // Otherwise the CPU.
  HostArch host = HostArch::X86_64;
  unsigned cpuLevel = 0;
  unsigned maxRegisters = 0;
  ArtifactVariant *variant = nullptr;
  ArtifactVariant assumed; // What it is for; no images.
  /// Whether `messages` keeps what the job has to say. Otherwise it is written at once.
  bool keepsMessages = false;
  // Results.
  std::vector<ArtifactImage> images;
  std::string messages;
  std::string resources; // Lines, if they are asked for.
  std::vector<std::pair<std::string, double>> times;
  bool failed = false;

  /// "sm_80", "x86-64-v3".
  std::string target() const;
};

/// Runs the jobs, several at a time, on the text of `source`. `say` gets each message as soon as
/// those of all jobs before are known, so that a warning of long work comes before it; nothing
/// behind those of a job that failed. Of jobs that keep their messages it gets none.
void runJobs(llvm::MutableArrayRef<Job> jobs, Compilation &source, const ArtifactOptions &options,
             llvm::function_ref<void(llvm::StringRef)> say);

} // namespace tilec::artifact

#endif // TILEC_LIB_ARTIFACT_BUILDINTERNALS_H
