//===- Artifact.h - Compiled kernels on their way into an object -*- C++ -*-===//
//
// What an object file with kernels holds, before it is written: kernels by signature, the sets of
// constexpr values, variants by what they assume of the arguments, and their code for each
// architecture. Build.h makes it, Object.h and Header.h write it. The tables that come out are
// those of tilec/aot.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ARTIFACT_ARTIFACT_H
#define TILEC_ARTIFACT_ARTIFACT_H

#include "tilec/Compiler/LaunchNeeds.h"
#include "tilec/Language/Decorators.h"
#include "tilec/Language/KernelParam.h"
#include "tilec/Language/Requirement.h"

#include <string>
#include <vector>

namespace tilec {

/// The machines that objects are linked for.
enum class HostArch { X86_64, AArch64 };

/// A processor of such machines, as `tilec --arch` names it: "x86-64-v3", "aarch64". Levels begin
/// at 1, and only x86-64 has several.
std::string processorName(HostArch host, unsigned level);

/// Code of one variant for one architecture. What launches need counts for a GPU only.
struct ArtifactImage : LaunchNeeds {
  enum class Kind { PTX, Cubin, CPU };
  Kind kind = Kind::PTX;
  /// 90 for sm_90; 1 to 4 for x86-64-v1 to -v4; 1 for aarch64.
  unsigned level = 0;
  /// 'a' or 'f' as in sm_90a, or 0.
  char suffix = 0;
  /// Of the CPU: what a thread needs.
  uint64_t scratchBytes = 0;
  HostArch host = HostArch::X86_64;
  /// PTX text, a cubin, or the bitcode of a module with one external function.
  std::string data;

  /// "cubin sm_90a", "ptx sm_80", "cpu x86-64-v3".
  std::string name() const;
  bool operator==(const ArtifactImage &other) const;
};

/// Code that assumes something about the arguments; bit i stands for run-time parameter i.
struct ArtifactVariant {
  uint64_t aligned = 0; ///< multiples of 16
  uint64_t ones = 0;    ///< equal to 1
  std::vector<ArtifactImage> images;

  /// What is assumed of a parameter.
  ArgumentClass classOf(unsigned param) const;
};

/// One set of constexpr values and compile options.
struct ArtifactConfig {
  /// An identifier: "BLOCK1024_w4".
  std::string name;
  /// For people: "BLOCK=1024, num_warps=4".
  std::string text;
  /// Of the kernel's constexprs, in their order.
  std::vector<ConstValue> values;
  /// It may be used only where all of these hold.
  std::vector<Requirement> requirements;
  /// Which of the autotuner's configurations it comes from, counted from 1; 0: none.
  unsigned tune = 0;
  /// Most specific first; the last one assumes nothing.
  std::vector<ArtifactVariant> variants;

  /// "n <= BLOCK and n % 16 == 0"; empty without requirements.
  std::string requirementText() const;
};

struct ArtifactParam : KernelParam {
  /// A pointer through which the kernel writes nothing.
  bool isReadOnly = false;
};

/// Parameters that together are a tensor descriptor: the base, a size for each axis, and a stride
/// for each but the last.
struct ArtifactDescriptor {
  std::string name;   ///< "x"; of an element of a tuple "both.0"
  std::string type;   ///< as a signature spells it
  unsigned first = 0; ///< the number of the base
  unsigned rank = 0;
};

/// A measured choice for arguments of one key.
struct ArtifactTuned {
  std::string device; ///< its name
  unsigned level = 0; ///< 90 for sm_90; 0 is the CPU
  unsigned tune = 0;  ///< as in ArtifactConfig
  std::vector<int64_t> key;
};

/// A kernel for one set of parameter types.
struct ArtifactKernel {
  std::string name;
  /// The C function, without the prefix. Unless the user names it: that of the kernel for the first
  /// signature, and for each other one that with the types of its parameters, "scale_pfp16_i32", so
  /// that a further signature renames nothing.
  std::string cName;
  /// The kernel's docstring; may be empty and have several lines.
  std::string doc;
  /// The file that it comes from.
  std::string source;
  std::vector<ArtifactParam> params;
  /// In the order of the parameters.
  std::vector<ArtifactDescriptor> descriptors;
  std::vector<std::string> constexprs;
  std::vector<ArtifactConfig> configs;
  /// Sizes along x, y and z over parameters and constexprs; empty: the caller gives the grid.
  std::vector<HostExpr::Ref> grid;
  /// A configuration may be used only if these give its values.
  std::vector<Heuristic> heuristics;
  /// Integer parameters, by index, for whose values choices were measured; and the choices.
  std::vector<unsigned> key;
  std::vector<ArtifactTuned> tuned;

  /// Whether values of constexpr `index` are plain integers or booleans; otherwise they are
  /// numbered by `distinctValues`.
  bool isNumeric(unsigned index) const;
  /// The values of a constexpr, each once, in the order of the configurations.
  std::vector<ConstValue> distinctValues(unsigned index) const;
  /// The number by which tables and callers know the value of `config`.
  int64_t codeOf(const ArtifactConfig &config, unsigned index) const;
};

/// All that goes into one object.
struct Artifact {
  /// The C++ namespace, "a::b", and prefix of all symbols as "a_b".
  std::string nameSpace = "kernels";
  std::string version;
  HostArch host = HostArch::X86_64;
  std::vector<ArtifactKernel> kernels;

  /// "a_b_".
  std::string prefix() const;
  /// The C function that launches the kernel.
  std::string functionName(const ArtifactKernel &kernel) const;
  /// The tilec_aot_kernel of the kernel.
  std::string tableName(const ArtifactKernel &kernel) const;
};

} // namespace tilec

#endif // TILEC_ARTIFACT_ARTIFACT_H
