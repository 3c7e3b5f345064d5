//===- ScalarCode.h - regions of scalar code on registers ------*- C++ -*-===//
//
// A region that combines or computes single elements, carried out for every register of a thread.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_SCALARCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_SCALARCODE_H

#include "ThreadCode.h"

namespace tilec::tile {

/// One vector for each of several tiles; all have the same number of registers.
using Values = llvm::SmallVector<mlir::Value>;

inline int64_t registersOf(const Values &values) {
  return llvm::cast<mlir::VectorType>(values[0].getType()).getDimSize(0);
}

/// Copies the region for each register of `arguments`, one vector for each argument of the region;
/// returns one vector for each value that it yields.
Values runScalarCode(ThreadCode &code, mlir::Region &region, const Values &arguments);

/// Combines register by register by the combine region; a single operation works on whole vectors.
Values combineVectors(ThreadCode &code, mlir::Region &combine, const Values &first,
                      const Values &second);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_SCALARCODE_H
