//===- PTXInternals.h - Shared by the files of this folder ------*- C++ -*-===//
//
// The passes of the PTX back end, each in a file of its own, as functions that Passes.def makes
// classes of and Optimize.cpp puts in order.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_TARGET_PTX_PTXINTERNALS_H
#define TILEC_LIB_TARGET_PTX_PTXINTERNALS_H

#include "tilec/Arch/Tuning.h"
#include "tilec/Target/PTX.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace tilec {

struct PTXOptions;

/// An error that consists of a message.
inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Replaces calls that stand for assembly on vectors by inline assembly on registers. True if
/// anything changed. The file's comment has the details.
bool expandAssembly(llvm::Function &function);

/// Splits arithmetic on vectors into arithmetic on registers. True if anything changed. The file's
/// comment has the details.
bool splitVectors(llvm::Function &function);

/// Makes the code that splitVectors leaves for the registers of one tile cheaper. True if anything
/// changed. The file's comment has the details.
bool simplifyRegisters(llvm::Function &function, const CodeTuning &tuning = CodeTuning());

/// Adds exponentials as soon as they are there. Runs after orderRegisters. True if anything
/// changed. The file's comment has the details.
bool addEarly(llvm::Function &function);

/// Converts integers of few bits to floats by the bits of these. Runs after splitVectors. True if
/// anything changed. The file's comment has the details.
bool convertIntegers(llvm::Function &function);

/// Writes addresses as earlier ones plus constants. True if anything changed. The file's comment
/// has the details.
bool shareSums(llvm::Function &function);

/// Has products of two words computed by instructions for them. Runs after orderRegisters, whose
/// order depends on how many instructions there are. True if anything changed. The file's comment
/// has the details.
bool narrowProducts(llvm::Function &function);

/// Moves arithmetic next to what needs it. Runs after splitVectors. True if anything changed. The
/// file's comment has the details.
bool orderRegisters(llvm::Function &function, const CodeTuning &tuning = CodeTuning());

/// Rewrite correct code that would be miscompiled: by LLVM's optimizer, before which the first
/// runs; by LLVM's back end or ptxas, before which the second runs. True if anything changed. The
/// file's comment has the details.
bool avoidOptimizerFaults(llvm::Function &function);
bool avoidBackEndFaults(llvm::Function &function);
/// The part of the second that is about matrix instructions.
bool avoidProductFaults(llvm::Function &function);

/// Marks kernels that start loads early: tile-prefetch-loads and tile-hoist-loads set it for loops,
/// with kInStraightCode the order of registers for other code.
inline constexpr llvm::StringLiteral kLoadsAhead = "tile.loads_ahead";
inline constexpr llvm::StringLiteral kInStraightCode = "straight";

/// An estimate of the 32-bit registers that a thread of \p function takes, and a number that it is
/// not below for any order of the instructions in their blocks.
struct RegisterEstimate {
  unsigned registers;
  unsigned leastOfAnyOrder;
};
RegisterEstimate estimateRegisters(const llvm::Function &function);

/// Gives kernels whose registers ptxas would choose badly the number of blocks that shall be
/// resident (`nvvm.minctasm`). The file's comment has the details.
void boundResidentBlocks(llvm::Module &module, const GpuArch &arch);

/// Replaces calls that stand for stores to shared memory by stores in branches. True if anything
/// changed. The file's comment has the details.
bool branchAroundStores(llvm::Function &function);

/// Replaces calls that stand for memory accesses by inline PTX. True if anything changed. The
/// file's comment has the details.
bool lowerAccesses(llvm::Module &module);

/// Runs the IR passes on \p module: those of the level, for the architecture and without the
/// heuristics that \p options name, and those without which the tools behind would make wrong code.
void optimizeForPTX(llvm::Module &module, llvm::TargetMachine &machine, const PTXOptions &options);

} // namespace tilec

#endif // TILEC_LIB_TARGET_PTX_PTXINTERNALS_H
