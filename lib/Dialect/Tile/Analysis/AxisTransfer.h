//===- AxisTransfer.h - facts about a result from its operands -*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_ANALYSIS_AXISTRANSFER_H
#define TILEC_LIB_DIALECT_TILE_ANALYSIS_AXISTRANSFER_H

#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"

namespace mlir::tile {

/// What holds of `result`, a result of `op`, when `operands` holds of its operands.
AxisInfo transferAxisInfo(Operation *op, OpResult result, ArrayRef<AxisInfo> operands);

/// Whether the results of `op` are never below zero as signed numbers, when `operands` holds of its operands.
bool isNeverNegative(Operation *op, ArrayRef<AxisInfo> operands);

} // namespace mlir::tile

#endif // TILEC_LIB_DIALECT_TILE_ANALYSIS_AXISTRANSFER_H
