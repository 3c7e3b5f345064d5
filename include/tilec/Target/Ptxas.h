//===- Ptxas.h - CUDA's assembler and disassembler as children --*- C++ -*-===//
//
// Finds ptxas, nvdisasm and cuobjdump, runs them without a shell, and reads what they report. All
// of it is optional: PTX needs none of these tools, only cubins and SASS do.
//
// Every function may run in several threads at once. The environment is read at each call.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_PTXAS_H
#define TILEC_TARGET_PTXAS_H

#include "tilec/Arch/GpuArch.h"

#include <functional>
#include <string>
#include <vector>

namespace tilec {

/// A tool that was found, and what led to it.
struct Tool {
  std::string path;
  /// For messages: "--ptxas", "TILEC_PTXAS", "CUDA_HOME", "CUDA_PATH", "PATH" or the folder.
  std::string origin;
};

/// Where tools are looked for, beside explicit paths. The default is this process and this machine.
struct ToolPlaces {
  /// The value of an environment variable, or nothing.
  std::function<std::optional<std::string>(llvm::StringRef name)> environment;
  /// The folder that holds cuda and cuda-13.0.
  std::string toolkitParent = "/usr/local";

  ToolPlaces();
};

/// Finds the CUDA tool \p name ("ptxas", "nvdisasm", "cuobjdump", "compute-sanitizer"). Looked at
/// in this order: \p explicitPath (a path, or a name to look up in PATH); the variable TILEC_ and
/// the name in capitals, with a '_' for a '-'; CUDA_HOME/bin; CUDA_PATH/bin; PATH;
/// /usr/local/cuda/bin, which its owner chose; /usr/local/cuda-*/bin, newest first. The first two,
/// if they are given at all, must be right: a wrong one is an error, not passed over. The error
/// names every place.
llvm::Expected<Tool> findTool(llvm::StringRef name, llvm::StringRef explicitPath = "",
                              const ToolPlaces &places = ToolPlaces());

/// The CUDA release that the text of `ptxas --version` names, for instance 13.0.
std::optional<Version> parseToolVersion(llvm::StringRef text);

/// Runs `--version` of \p tool and reads the release.
llvm::Expected<Version> toolVersion(const Tool &tool);

/// Whether the ptxas of CUDA release \p cuda knows \p arch and PTX version \p ptx; the error says
/// which release is needed.
llvm::Error checkPtxasVersion(Version cuda, const GpuArch &arch, Version ptx);

/// What one kernel takes, as `ptxas -v` reports it. Bytes are bytes of one thread, except
/// sharedBytes (static, of one block) and constantBytes (all constant banks).
struct ResourceUsage {
  std::string kernel;
  unsigned registers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned sharedBytes = 0;
  unsigned constantBytes = 0;
  unsigned barriers = 0;
};

/// The kernels in the text that `ptxas -v` prints, in its order.
std::vector<ResourceUsage> parseResourceUsage(llvm::StringRef text);

/// How to assemble.
struct AssembleOptions {
  explicit AssembleOptions(GpuArch arch) : arch(arch) {}

  /// A real architecture; a virtual one is an error.
  GpuArch arch;
  /// Which ptxas; empty means that findTool() decides.
  std::string ptxasPath;
  /// 0 to 3.
  unsigned optLevel = 3;
  bool lineInfo = false;
  /// Further arguments, each passed on as it is.
  std::vector<std::string> extraArgs;
};

/// Machine code of one PTX text.
struct Cubin {
  std::string image; ///< The bytes of the ELF file.
  std::vector<ResourceUsage> kernels;
  std::string warnings; ///< What ptxas printed beside its -v report; usually empty.
  Tool ptxas;           ///< The one that ran.
};

/// Runs ptxas on \p ptx in a private temporary folder. When ptxas rejects the text, the error shows
/// the command, ptxas's words, its version if that is too old for the target, and the path of the
/// PTX file, which is kept; in all other cases the folder is removed.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, const AssembleOptions &options);

/// The command that assemble() would run, one string quoted for a shell, with \p input and
/// \p output as the files' names.
llvm::Expected<std::string> assembleCommand(const AssembleOptions &options, llvm::StringRef input,
                                            llvm::StringRef output);

/// The SASS of \p cubin, from nvdisasm or else cuobjdump. An error when neither is there.
llvm::Expected<std::string> disassemble(llvm::StringRef cubin,
                                        const ToolPlaces &places = ToolPlaces());

} // namespace tilec

#endif // TILEC_TARGET_PTXAS_H
