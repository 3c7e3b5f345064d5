//===- MarkKernels.cpp - kernel attributes in NVVM's terms ------*- C++ -*-===//
//
// The pass `tile-mark-kernels`, the last of the GPU path. It replaces the attributes that the tile
// dialect puts on kernels by those of the NVVM dialect (kernel, threads of a CTA, CTAs of a
// cluster) and removes all others, so that nothing of the tile dialect reaches the translation to
// LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToGPU/TileToGPU.h"

#include "ThreadCode.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilec/Dialect/Tile/IR/Packing.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEMARKKERNELS
#include "tilec/Conversion/TileToGPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

struct MarkKernels : tilec::tile::impl::TileMarkKernelsBase<MarkKernels> {
  using TileMarkKernelsBase::TileMarkKernelsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      markKernel(function);
    removeTarget(getOperation());
  }

private:
  void markKernel(LLVM::LLVMFuncOp function) {
    auto numWarps = function->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
    if (!function->hasAttr(kKernelAttr) || !numWarps)
      return;
    Builder builder(&getContext());
    int32_t threads = numWarps.getInt() << kWarpBits;
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    if (std::optional<Packing> packing = getPacking(function))
      function->setAttr(
          NVVM::NVVMDialect::getMaxntidAttrName(),
          builder.getDenseI32ArrayAttr({std::max(threads, packing->threads * packing->programs)}));
    else
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                        builder.getDenseI32ArrayAttr({threads}));
    if (int32_t numCTAs = getLaunchShape(function).numCTAs; numCTAs > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        builder.getDenseI32ArrayAttr({numCTAs, 1, 1}));
    passOn(function);
    for (StringLiteral name :
         {kLoadsAheadAttr, kKernelAttr, kNumWarpsAttr, kNumCTAsAttr, kNumStagesAttr, kPackingAttr,
          kPersistentAttr, kSharedBytesAttr, kTensorMapsAttr, kWarpRolesAttr})
      function->removeAttr(name);
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (function.getArgAttr(i, kMapOfAttr))
        markMap(function, i);
      for (StringLiteral name :
           {kNameAttr, kDivisibilityAttr, kMapOfAttr, kMapWhenAttr, kGridAxisAttr})
        function.removeArgAttr(i, name);
    }
  }

  /// Leaves to the back end what decides how many blocks shall be resident.
  static void passOn(LLVM::LLVMFuncOp function) {
    Builder builder(function.getContext());
    SmallVector<Attribute> attrs;
    if (function->hasAttr(kLoadsAheadAttr))
      attrs.push_back(builder.getStringAttr(kLoadsAheadAttr));
    // Of CTAs with one program: the most threads, which packed launches have, are another number.
    if (getPacking(function))
      attrs.push_back(builder.getStrArrayAttr(
          {kNumWarpsAttr, std::to_string(getLaunchShape(function).numWarps)}));
    if (auto bytes = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
        bytes && bytes.getInt() != 0)
      attrs.push_back(builder.getStrArrayAttr({kSharedBytesAttr, std::to_string(bytes.getInt())}));
    if (!attrs.empty())
      function.setPassthroughAttr(builder.getArrayAttr(attrs));
  }

  /// The parameter is the map itself, where the launch has put it, and no copy of it.
  static void markMap(LLVM::LLVMFuncOp function, unsigned number) {
    constexpr int64_t alignment = 64;
    Builder builder(function.getContext());
    Type bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), MakeTensorMapsOp::kMapBytes);
    function.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
    function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(alignment));
    function.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
};

} // namespace
