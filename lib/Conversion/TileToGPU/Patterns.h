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

namespace mlir::tile {

/// What the patterns know of the kernel's surroundings.
struct LoweringContext {
  const AxisInfoAnalysis &axes;
  tilec::GpuArch target;
};

/// Checks what the patterns rely on: every tile has a layout for its function's number of warps,
/// and the layouts of a reduction agree. Reports each violation at its operation.
LogicalResult checkInput(ModuleOp module);

void populateElementwisePatterns(const TypeConverter &converter, const LoweringContext &context,
                                 RewritePatternSet &patterns);
void populateShapePatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateMemoryPatterns(const TypeConverter &converter, const LoweringContext &context,
                            RewritePatternSet &patterns);
void populateReducePatterns(const TypeConverter &converter, const LoweringContext &context,
                            RewritePatternSet &patterns);
void populateScanPatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateFlipPatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateBufferPatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateAtomicPatterns(const TypeConverter &converter, const LoweringContext &context,
                            RewritePatternSet &patterns);
void populatePrintPatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateScalarCodePatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateConvertLayoutPatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateAsyncPatterns(const TypeConverter &converter, RewritePatternSet &patterns);
void populateAssertPatterns(const TypeConverter &converter, RewritePatternSet &patterns);

} // namespace mlir::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_PATTERNS_H
