//===- Passes.h - the passes of the CPU path --------------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_TILETOCPU_PASSES_H
#define TILEC_CONVERSION_TILETOCPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilec::tile {

#define GEN_PASS_DECL
#include "tilec/Conversion/TileToCPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/TileToCPU/Passes.h.inc"

/// Number of parameters that convert-tile-to-cpu appends to a kernel's own: the program's
/// position (x, y, z) and the size of the grid (x, y, z) as i32, the scratch memory, the failure
/// record.
inline constexpr unsigned kHostExtraArguments = 8;

/// Name of the i64 attribute on a converted kernel: bytes of scratch memory that one running
/// program needs (aligned to 64).
inline constexpr llvm::StringLiteral kScratchBytesAttr = "tile.scratch_bytes";

} // namespace tilec::tile

#endif // TILEC_CONVERSION_TILETOCPU_PASSES_H
