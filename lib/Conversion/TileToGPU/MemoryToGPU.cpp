//===- MemoryToGPU.cpp - loads and stores ----------------------*- C++ -*-===//
//
// A thread's registers are grouped into the widest accesses that the axis analysis proves: adjacent
// in memory, aligned, and under one mask. Those that are proven to be one element, such as a scale
// for a group, are loaded once.
//
// Threads that hold copies of an element all load it, from one address, but only the first stores
// it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// A scalar access is that of a tile with one register.
static Value asVector(ThreadCode &code, Value value) {
  return !value || isa<VectorType>(value.getType()) ? value : code.fromElements({value});
}

namespace {

struct LoadPattern : OpConversionPattern<LoadOp> {
  LoadPattern(const TypeConverter &converter, MLIRContext *context, const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    Value pointers = asVector(code, adaptor.getPtr()), masks = asVector(code, adaptor.getMask()),
          others = asVector(code, adaptor.getOther());
    int64_t width =
        isTile(op.getPtr()) ? lowering.axes.getRegisterWidth(op.getPtr(), op.getMask()) : 1;
    int64_t count = cast<VectorType>(pointers.getType()).getDimSize(0);
    Type element = getTypeConverter()->convertType(elementOf(op.getType()));
    int64_t same =
        width == 1 && isTile(op.getPtr()) && element.isIntOrFloat() && !op.getIsVolatile()
            ? lowering.axes.getRegistersOfLoad(op.getPtr(), layoutOf(op.getPtr().getType()))
            : 1;
    SmallVector<Value> parts;
    for (int64_t start = 0; same > 1 && start < count; start += same)
      parts.push_back(loadOnce(emitter, op, code.extract(pointers, start),
                               masks ? code.slice(masks, start, same) : Value(),
                               others ? code.slice(others, start, same) : Value(),
                               VectorType::get({same}, element)));
    for (int64_t start = 0; same == 1 && start < count; start += width)
      parts.push_back(emitter.loadGlobal(
          {code.extract(pointers, start), masks ? code.extract(masks, start) : Value(),
           others ? code.slice(others, start, width) : Value(), VectorType::get({width}, element)},
          {op.getCache(), op.getEvict(), op.getIsVolatile()}));
    Value loaded = code.concat(parts);
    rewriter.replaceOp(op, isTile(op.getPtr()) ? loaded : code.extract(loaded, 0));
    return success();
  }

private:
  /// One element for several registers: loaded if any of them wants it. `masks` and `others` may be
  /// null.
  Value loadOnce(AccessEmitter &emitter, LoadOp op, Value pointer, Value masks, Value others,
                 VectorType type) const {
    ThreadCode &code = emitter.code;
    OpBuilder &b = code.builder();
    Location loc = op.getLoc();
    bool isOneMask = masks && lowering.axes.getSameRegisters(op.getMask()) >= type.getDimSize(0);
    Value predicate = masks ? code.extract(masks, 0) : Value();
    for (int64_t i = 1; masks && !isOneMask && i < type.getDimSize(0); ++i)
      predicate = arith::OrIOp::create(b, loc, predicate, code.extract(masks, i));
    Value loaded = emitter.loadGlobal(
        {pointer, predicate, Value(), VectorType::get({1}, type.getElementType())},
        {op.getCache(), op.getEvict(), op.getIsVolatile()});
    Value all = vector::BroadcastOp::create(b, loc, type, code.extract(loaded, 0));
    if (!masks || (isOneMask && !others))
      return all;
    if (!others)
      others = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return arith::SelectOp::create(b, loc, masks, all, others);
  }

  const LoweringContext &lowering;
};

struct StorePattern : OpConversionPattern<StoreOp> {
  StorePattern(const TypeConverter &converter, MLIRContext *context,
               const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    Value pointers = asVector(code, adaptor.getPtr()), masks = asVector(code, adaptor.getMask()),
          values = asVector(code, adaptor.getValue());
    int64_t width = 1;
    uint32_t copies = 0;
    // Of threads that hold copies, the first stores; of a scalar, all hold copies.
    LinearLayout layout = scalarLayout(op);
    if (isTile(op.getPtr())) {
      layout = layoutOf(op.getPtr().getType());
      width = lowering.axes.getRegisterWidth(op.getPtr(), op.getMask());
      copies = layout.freeBits(InDim::Register);
    }
    Value mine = code.isFirstCopy(layout);
    // One warp makes this store and those before it, which other lanes may have made.
    if (op->hasAttr(kInOrderAttr))
      emitter.instruction("bar.warp.sync 0xffffffff;");
    int64_t count = cast<VectorType>(pointers.getType()).getDimSize(0);
    for (int64_t start = 0; start < count; start += width) {
      if (start & copies)
        continue;
      Value predicate = masks ? code.extract(masks, start) : mine;
      if (masks && mine)
        predicate = arith::AndIOp::create(rewriter, op.getLoc(), predicate, mine);
      emitter.storeGlobal(code.extract(pointers, start), predicate,
                          code.slice(values, start, width), {op.getCache(), op.getEvict()});
    }
    rewriter.eraseOp(op);
    return success();
  }

  const LoweringContext &lowering;
};

} // namespace

void tilec::tile::populateMemoryPatterns(const TypeConverter &converter,
                                         const LoweringContext &context,
                                         RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern>(converter, patterns.getContext(), context);
}
