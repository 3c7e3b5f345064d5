//===- PrintFormat.h - the text of tile.print ------------------*- C++ -*-===//
//
// What both targets print is the same line, in the conversions that C's printf and the GPU's
// vprintf have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_PRINTFORMAT_H
#define TILEC_DIALECT_TILE_ANALYSIS_PRINTFORMAT_H

#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// The format of one line: three 32-bit numbers for the program, one for each dimension of the
/// value, and the value, if there is one. Ends with a newline.
std::string printFormat(PrintOp op);

/// `element`, one element of what `op` prints (pointers are integers already), in the type that
/// variadic arguments have: i32, i64 or f64.
mlir::Value printArgument(mlir::OpBuilder &builder, PrintOp op, mlir::Value element);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_PRINTFORMAT_H
