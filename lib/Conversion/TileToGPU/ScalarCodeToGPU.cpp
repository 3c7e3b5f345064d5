//===- ScalarCodeToGPU.cpp - code for each element ---------------*- C++ -*-===//
//
// A map's region is copied for each register. Inline assembly works on groups of registers: what is
// narrower than 32 bits shares words, which are in the registers that AssemblyForm reads from the
// constraints.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ScalarCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Dialect/Tile/Analysis/AssemblyForm.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

struct MapPattern : OpConversionPattern<MapOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    rewriter.replaceOp(op, runScalarCode(code, op.getBody(), Values(adaptor.getSrcs())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

struct InlineAsmPattern : OpConversionPattern<InlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(InlineAsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AssemblyForm form(op);
    if (failed(form.check()))
      return failure();
    for (AssemblyForm::Part &part : form.results)
      part.element = getTypeConverter()->convertType(part.element);
    ThreadCode code(rewriter, op.getLoc());
    SmallVector<Value> args;
    int64_t registers = 1;
    bool isTile = false;
    for (Type type : llvm::concat<const Type>(op.getArgs().getTypes(), op.getResultTypes()))
      if (isa<RankedTensorType>(type)) {
        registers = layoutOf(type).numRegisters();
        isTile = true;
      }
    for (Value arg : adaptor.getArgs())
      args.push_back(isTile ? arg : code.fromElements({arg}));
    SmallVector<SmallVector<Value>> pieces(op.getNumResults());
    int64_t pack = std::min<int64_t>(op.getPack(), registers);
    for (int64_t start = 0; start < registers; start += pack)
      for (auto [piece, value] : llvm::zip(pieces, emitGroup(code, op, form, args, start, pack)))
        piece.push_back(value);
    SmallVector<Value> results;
    for (auto &piece : pieces) {
      Value vector = code.concat(piece);
      results.push_back(isTile ? vector : code.extract(vector, 0));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// The same bits in a machine register, which may be wider.
  static Value toRegister(ThreadCode &code, Value word, Type type) {
    OpBuilder &b = code.builder();
    if (isa<FloatType>(type))
      return LLVM::BitcastOp::create(b, code.location(), type, word);
    if (word.getType() == type)
      return word;
    return arith::ExtUIOp::create(b, code.location(), type, word);
  }

  static Value fromRegister(ThreadCode &code, Value value, unsigned bits) {
    OpBuilder &b = code.builder();
    Type word = b.getIntegerType(bits);
    if (isa<FloatType>(value.getType()))
      return LLVM::BitcastOp::create(b, code.location(), word, value);
    if (value.getType() == word)
      return value;
    return arith::TruncIOp::create(b, code.location(), word, value);
  }

  /// One copy of the assembly, on the registers from `start` on; a vector of `pack` registers for
  /// each result. A group that has fewer elements than the assembly takes is filled with copies of
  /// them.
  static SmallVector<Value> emitGroup(ThreadCode &code, InlineAsmOp op, const AssemblyForm &form,
                                      ArrayRef<Value> args, int64_t start, int64_t pack) {
    OpBuilder &b = code.builder();
    SmallVector<int64_t> order;
    for (unsigned i = 0; i < op.getPack(); ++i)
      order.push_back(start + i % pack);
    SmallVector<Value> inputs;
    for (auto [arg, part] : llvm::zip(args, form.operands)) {
      Value words = code.toWords(code.permute(arg, order), part.words.bits);
      for (unsigned i = 0; i < part.words.count; ++i)
        inputs.push_back(toRegister(code, code.extract(words, i), form.types[part.first + i]));
    }
    ArrayRef<Type> outputs = ArrayRef(form.types).take_front(form.numOutputs);
    Type type = outputs.size() == 1
                    ? outputs[0]
                    : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), outputs));
    auto copy = LLVM::InlineAsmOp::create(
        b, code.location(), TypeRange(type), inputs, op.getAsmText(), form.constraintString(),
        /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
    SmallVector<Value> results;
    for (const auto &part : form.results) {
      SmallVector<Value> words;
      for (unsigned i = 0; i < part.words.count; ++i) {
        Value value = copy->getResult(0);
        if (outputs.size() > 1)
          value = LLVM::ExtractValueOp::create(b, code.location(), value, part.first + i);
        words.push_back(fromRegister(code, value, part.words.bits));
      }
      results.push_back(
          code.fromWords(code.fromElements(words), VectorType::get({pack}, part.element)));
    }
    return results;
  }
};

} // namespace

void tilec::tile::populateScalarCodePatterns(const TypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<MapPattern, InlineAsmPattern>(converter, patterns.getContext());
}
