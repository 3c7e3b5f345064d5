//===- TileToGPU.h - tile IR to the work of one thread ---------*- C++ -*-===//

#ifndef TILEC_CONVERSION_TILETOGPU_TILETOGPU_H
#define TILEC_CONVERSION_TILETOGPU_TILETOGPU_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tilec::tile {

#define GEN_PASS_DECL
#include "tilec/Conversion/TileToGPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/TileToGPU/Passes.h.inc"

} // namespace tilec::tile

#endif // TILEC_CONVERSION_TILETOGPU_TILETOGPU_H
