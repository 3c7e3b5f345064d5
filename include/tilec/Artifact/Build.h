//===- Build.h - From kernel files to an artifact --------------*- C++ -*-===//
//
// Decides which code an object gets (signatures, sets of constexpr values, variants, architectures)
// and compiles all of it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ARTIFACT_BUILD_H
#define TILEC_ARTIFACT_BUILD_H

#include "tilec/Artifact/Artifact.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/Compiler/TunedFile.h"
#include "tilec/Target/Host.h"

namespace tilec {

/// Which variants are compiled beside the one that assumes nothing, and the one that a signature
/// promises.
enum class SpecPolicy {
  None, ///< no others
  Auto, ///< aligned pointers; also sizes and strides multiples of 16; also innermost strides 1
  Full, ///< each integer any, a multiple of 16 or 1; pointers any or aligned
};

/// How an artifact is made; applies to all of its kernels.
struct ArtifactOptions {
  std::vector<GpuArch> gpus;
  /// The machine that launches; processors are of it.
  HostArch host = HostArch::X86_64;
  /// 1 to 4, as in x86-64-v1 to -v4; 1 for aarch64.
  std::vector<unsigned> cpuLevels;
  SpecPolicy spec = SpecPolicy::Auto;
  unsigned numWarps = 0; // 0: a configuration's, or the compiler chooses.
  unsigned numCTAs = 0;
  unsigned numStages = 0;
  WarpRoles warpRoles = WarpRoles::Asked;
  TensorMaps tensorMaps = TensorMaps::Kernel;
  unsigned maxRegisters = 0;
  unsigned optLevel = 3;
  bool fpFusion = true;
  bool lineInfo = false;
  bool remarks = false;
  bool debug = false;
  /// Which ptxas; empty: looked for, and done without if there is none.
  std::string ptxasPath;
  /// What measurements do without, in code for GPUs.
  HeuristicSet disabledHeuristics;
  /// A file of measured configurations (docs/tuning.md), from which launches choose; may be empty.
  std::string tunedPath;
  /// Compilations at the same time; 0: as many as there are processors.
  unsigned jobs = 0;
  /// Fill in CompileReport::resources, for which GPUs that are no virtual architecture need a
  /// ptxas.
  bool resourceUsage = false;
};

/// What one compilation took, and what its code takes.
struct CompileReport {
  /// "a_b_scale on sm_80, BLOCK=256; multiples of 16: x, n", which starts with the C function.
  std::string name;
  /// Lines for people. Empty unless asked for, and for a variant that was dropped since another one
  /// has the same code.
  std::string resources;
  /// Wall time of each step in milliseconds, in order.
  std::vector<std::pair<std::string, double>> steps;
};

/// A compilation whose code the artifact has, so that it can be repeated.
struct CompiledVariant {
  std::string function; ///< the C function
  std::string variant;  ///< "BLOCK=256; multiples of 16: x, n"
  std::string target;   ///< "sm_80", "x86-64-v3"
  const Compilation *source = nullptr;
  KernelRequest request;
  std::optional<GpuArch> gpu;
  HostOptions host; ///< without a GPU
  unsigned maxRegisters = 0;
};

/// Values for one parameter; several make several configurations.
struct Definitions {
  std::string name;
  std::vector<ConstValue> values;
};

/// One kernel of a file.
struct KernelSpec {
  std::string name;
  /// One C++ overload each. Without any, the types come from annotations.
  std::vector<Signature> signatures;
  std::vector<Definitions> definitions;
  /// "cdiv(n, BLOCK)", up to three with commas; empty: the caller gives the grid.
  std::string grid;
  /// Conditions of a launch, "n <= BLOCK", beside those that the kernel's masks show
  /// (deriveRequirements).
  std::vector<std::string> requirements = {};
  /// What the C functions of each signature are called, without the namespace; for signatures
  /// beyond the list, or with an empty name, ArtifactKernel's rule holds.
  std::vector<std::string> cNames = {};
};

/// Adds kernels to an artifact.
class ArtifactBuilder {
public:
  /// `os` receives the diagnostics of compilations; both must outlive this object.
  ArtifactBuilder(Artifact &artifact, const ArtifactOptions &options, llvm::raw_ostream &os)
      : artifact(artifact), options(options), os(os) {}

  /// Compiles a kernel of `source`, which is loaded and keeps the expressions of the kernel alive:
  /// it must outlive the artifact. False after reporting errors.
  bool addKernel(Compilation &source, const KernelSpec &spec);

  /// The ptxas that makes the cubins; null without one, and before the first kernel.
  const Tool *ptxas() const { return assembler ? &*assembler : nullptr; }

  /// Of every compilation for the kernels that were added, in the artifact's order.
  llvm::ArrayRef<CompileReport> reports() const { return compileReports; }

  /// Of every compilation whose code is in the artifact, in that order.
  llvm::ArrayRef<CompiledVariant> variants() const { return compiledVariants; }

private:
  bool findPtxas(Compilation &source);
  bool readTuned(Compilation &source);
  void keepCompilations(llvm::ArrayRef<ArtifactKernel> overloads,
                        std::vector<std::vector<CompileReport>> taken,
                        std::vector<std::vector<CompiledVariant>> kept);

  Artifact &artifact;
  const ArtifactOptions &options;
  llvm::raw_ostream &os;
  std::optional<Tool> assembler;
  bool lookedForPtxas = false;
  std::optional<TunedFile> tuned;
  std::vector<CompileReport> compileReports;
  std::vector<CompiledVariant> compiledVariants;
};

} // namespace tilec

#endif // TILEC_ARTIFACT_BUILD_H
