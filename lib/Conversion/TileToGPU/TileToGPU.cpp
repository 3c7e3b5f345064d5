//===- TileToGPU.cpp - the pass convert-tile-to-gpu ------------*- C++ -*-===//
//
// The type conversion is the whole idea: a tile becomes the vector of registers that one thread
// holds. The patterns, one file a family, say what each operation does to its vector.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToGPU/TileToGPU.h"

#include "Patterns.h"
#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilec::tile {
#define GEN_PASS_DEF_CONVERTTILETOGPU
#include "tilec/Conversion/TileToGPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::GpuFeature;

namespace {

class RegisterTypeConverter : public TypeConverter {
public:
  RegisterTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](PtrType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
    });
    addConversion([](BufferType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
    });
    addConversion(
        [](PrivateType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
    addConversion([](MBarrierType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
    });
    addConversion([](TensorMapType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext()); // A parameter, or in global memory.
    });
    addConversion([](MapPlaceType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
    });
    addConversion([this](RankedTensorType type) -> Type {
      Type element = convertType(type.getElementType());
      if (!tilec::tile::getLayout(type) || !element)
        return {};
      return VectorType::get({layoutOf(type).numRegisters()}, element);
    });
  }
};

struct ConvertTileToGPU : tilec::tile::impl::ConvertTileToGPUBase<ConvertTileToGPU> {
  LogicalResult checkClusters();

  void runOnOperation() override {
    if (failed(checkInput(getOperation())))
      return signalPassFailure();
    if (failed(checkClusters()))
      return signalPassFailure();
    AxisInfoAnalysis axes(getOperation());
    LoweringContext lowering = {axes, getTarget(getOperation()), {}};
    getOperation().walk([&](AllocBufferOp buffer) {
      if (isThreadPrivate(buffer))
        lowering.privateBuffers.insert(buffer);
    });
    RegisterTypeConverter converter;
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    populateElementwisePatterns(converter, lowering, patterns);
    populateShapePatterns(converter, patterns);
    populateMemoryPatterns(converter, lowering, patterns);
    populateReducePatterns(converter, lowering, patterns);
    populateScanPatterns(converter, patterns);
    populateDotPatterns(converter, lowering, patterns);
    populateGroupDotPatterns(converter, patterns);
    populateFlipPatterns(converter, patterns);
    populateBufferPatterns(converter, lowering, patterns);
    populateAtomicPatterns(converter, lowering, patterns);
    populatePrintPatterns(converter, patterns);
    populatePrivatePatterns(converter, patterns);
    populateScalarCodePatterns(converter, patterns);
    populateConvertLayoutPatterns(converter, patterns);
    populateAssertPatterns(converter, patterns);
    populateAsyncPatterns(converter, lowering, patterns);
    populateMBarrierPatterns(converter, patterns);
    populateBulkPatterns(converter, patterns);

    target.addIllegalDialect<TileDialect>();
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, vector::VectorDialect>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp op) { return converter.isSignatureLegal(op.getFunctionType()); });
    target.addLegalOp<ModuleOp, func::ReturnOp, YieldOp, WarpRolesOp>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    lowerWarpRoles(getOperation());
  }
};

LogicalResult ConvertTileToGPU::checkClusters() {
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (getLaunchShape(function).numCTAs == 1)
      continue;
    if (!getTarget(function).has(GpuFeature::Cluster))
      return function.emitOpError() << "needs clusters of CTAs, which GPUs have from compute "
                                       "capability "
                                    << tilec::firstCapability(GpuFeature::Cluster).str() << " on";
  }
  return success();
}

} // namespace
