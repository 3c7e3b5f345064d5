//===- AxisTransfer.h - facts about a result from its operands -*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_ANALYSIS_AXISTRANSFER_H
#define TILEC_LIB_DIALECT_TILE_ANALYSIS_AXISTRANSFER_H

#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"

namespace tilec::tile {

/// What holds of `result`, a result of `op`, when `operands` holds of its operands.
AxisInfo transferAxisInfo(mlir::Operation *op, mlir::OpResult result,
                          llvm::ArrayRef<AxisInfo> operands);

/// Whether the results of `op` are never below zero as signed numbers, when `operands` holds of its
/// operands.
bool isNeverNegative(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_ANALYSIS_AXISTRANSFER_H
