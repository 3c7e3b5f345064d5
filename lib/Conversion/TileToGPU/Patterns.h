//===- Patterns.h - the parts of convert-tile-to-gpu -----------*- C++ -*-===//
//
// One file a family of operations; each exports one populate function.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_PATTERNS_H
#define TILEC_LIB_CONVERSION_TILETOGPU_PATTERNS_H

#include "mlir/Transforms/DialectConversion.h"
#include "tilec/Arch/GpuArch.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"

namespace tilec::tile {

/// What the patterns know of the kernel's surroundings.
struct LoweringContext {
  const AxisInfoAnalysis &axes;
  tilec::GpuArch target;
  /// Buffers from which each thread reads what it has copied itself.
  llvm::SmallPtrSet<mlir::Operation *, 8> privateBuffers;
};

/// The name of a number's type in PTX: "f32", "s32", "e4m3".
llvm::StringRef ptxNameOf(mlir::Type type);

/// Checks what the patterns rely on: every tile has a layout for its function's number of warps,
/// and the layouts of a reduction agree. Reports each violation at its operation.
mlir::LogicalResult checkInput(mlir::ModuleOp module);

/// Makes branches of all tile.warp_roles in `module`, whose bodies have been converted.
void lowerWarpRoles(mlir::ModuleOp module);

void populateElementwisePatterns(const mlir::TypeConverter &converter,
                                 const LoweringContext &context, mlir::RewritePatternSet &patterns);
void populateShapePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMemoryPatterns(const mlir::TypeConverter &converter, const LoweringContext &context,
                            mlir::RewritePatternSet &patterns);
void populateReducePatterns(const mlir::TypeConverter &converter, const LoweringContext &context,
                            mlir::RewritePatternSet &patterns);
void populateScanPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateDotPatterns(const mlir::TypeConverter &converter, const LoweringContext &context,
                         mlir::RewritePatternSet &patterns);
void populateGroupDotPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateFlipPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateBufferPatterns(const mlir::TypeConverter &converter, const LoweringContext &context,
                            mlir::RewritePatternSet &patterns);
void populateAtomicPatterns(const mlir::TypeConverter &converter, const LoweringContext &context,
                            mlir::RewritePatternSet &patterns);
void populatePrivatePatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populatePrintPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateScalarCodePatterns(const mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns);
void populateConvertLayoutPatterns(const mlir::TypeConverter &converter,
                                   mlir::RewritePatternSet &patterns);
void populateBulkPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMBarrierPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateAsyncPatterns(const mlir::TypeConverter &converter, const LoweringContext &lowering,
                           mlir::RewritePatternSet &patterns);
void populateAssertPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_PATTERNS_H
