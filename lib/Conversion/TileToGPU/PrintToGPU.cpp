//===- PrintToGPU.cpp - output while a kernel runs ---------------*- C++ -*-===//
//
// The driver provides vprintf, which takes a format and the address of the arguments side by side.
// Each element is printed by the first thread that holds it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/PrintFormat.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

static constexpr StringLiteral kPrintFunction = "vprintf";

static LLVM::LLVMFuncOp getPrintFunction(ModuleOp module) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kPrintFunction))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, pointer});
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), kPrintFunction, type);
}

namespace {

class PrintEmitter {
public:
  PrintEmitter(PrintOp op, OpBuilder &builder)
      : code(builder, op.getLoc()), op(op), b(builder), loc(op.getLoc()),
        format(code.globalText(op, "format", printFormat(op))) {
    for (Axis axis : {Axis::X, Axis::Y, Axis::Z})
      program.push_back(code.programId(axis));
  }

  /// One line where `condition` holds.
  void line(Value condition, ArrayRef<Value> index, Value element);
  /// The coordinates of the element in register `reg`.
  SmallVector<Value> indexOf(const LinearLayout &layout, uint32_t reg);

  ThreadCode code;

private:
  PrintOp op;
  OpBuilder &b;
  Location loc;
  Value format;
  SmallVector<Value> program;
};

} // namespace

SmallVector<Value> PrintEmitter::indexOf(const LinearLayout &layout, uint32_t reg) {
  SmallVector<Value> index;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    auto along = [&](InDim dim) {
      SmallVector<uint64_t> bases;
      for (unsigned bit = 0; bit < layout.numBases(dim); ++bit)
        bases.push_back(layout.basis(dim, bit)[axis]);
      return bases;
    };
    uint64_t own = layout.unflatten(layout.applyFlat(InDim::Register, reg))[axis];
    index.push_back(
        code.linearOfPlace(along(InDim::Lane), along(InDim::Warp), along(InDim::Block), own));
  }
  return index;
}

void PrintEmitter::line(Value condition, ArrayRef<Value> index, Value element) {
  OpBuilder::InsertionGuard guard(b);
  if (condition) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  SmallVector<Value> arguments(program);
  llvm::append_range(arguments, index);
  if (element) {
    if (isa<LLVM::LLVMPointerType>(element.getType()))
      element = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), element);
    arguments.push_back(printArgument(b, op, element));
  }
  SmallVector<Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  auto record = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value buffer;
  {
    // One place for the whole call of the kernel, also inside a loop.
    OpBuilder::InsertionGuard atStart(b);
    auto function = op->getParentOfType<func::FuncOp>();
    b.setInsertionPointToStart(&function.front());
    Value one = code.i32(1);
    buffer =
        LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), record, one);
  }
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    Value place = LLVM::GEPOp::create(b, loc, buffer.getType(), record, buffer,
                                      ArrayRef<LLVM::GEPArg>{0, int32_t(number)});
    LLVM::StoreOp::create(b, loc, argument, place);
  }
  LLVM::CallOp::create(b, loc, getPrintFunction(op->getParentOfType<ModuleOp>()),
                       ValueRange{format, buffer});
}

namespace {

struct PrintPattern : OpConversionPattern<PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    PrintEmitter emitter(op, rewriter);
    bool isTile = op.getValue() && isa<RankedTensorType>(op.getValue().getType());
    LinearLayout layout = isTile ? layoutOf(op.getValue().getType()) : scalarLayout(op);
    Value first = emitter.code.isFirstCopy(layout);
    if (!isTile)
      emitter.line(first, {}, adaptor.getValue());
    for (uint32_t reg = 0; isTile && reg < layout.numRegisters(); ++reg)
      if ((reg & layout.freeBits(InDim::Register)) == 0)
        emitter.line(first, emitter.indexOf(layout, reg),
                     emitter.code.extract(adaptor.getValue(), reg));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilec::tile::populatePrintPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<PrintPattern>(converter, patterns.getContext());
}
