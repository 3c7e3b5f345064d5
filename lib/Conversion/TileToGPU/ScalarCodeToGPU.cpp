//===- ScalarCodeToGPU.cpp - code for each element ---------------*- C++ -*-===//
//
// A map's region is copied for each register. Inline assembly works on groups of registers: what is
// narrower than 32 bits shares words, and the constraint of an operand says what register its word
// is in.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ScalarCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;

static constexpr unsigned kWordBits = 32;

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

/// The machine registers of one group of elements of one operand or result.
struct Words {
  unsigned bits;  // of one machine register that is filled
  unsigned count; // of machine registers

  Words(Type element, unsigned pack) {
    unsigned elementBits = isa<LLVM::LLVMPointerType>(element) ? 64
                           : element.isInteger(1)              ? 8
                                                               : element.getIntOrFloatBitWidth();
    bits = elementBits >= kWordBits ? elementBits : std::min(kWordBits, elementBits * pack);
    count = std::max(1u, elementBits * pack / bits);
  }
};

/// The type that the letter of a constraint takes; null where it is none of PTX's, or narrower than
/// `bits`. A number in the text (n, i) has the bits of the operand.
Type registerType(StringRef letter, unsigned bits, Builder &b) {
  Type type = llvm::StringSwitch<Type>(letter)
                  .Cases({"n", "i"}, b.getIntegerType(bits))
                  .Case("h", b.getI16Type())
                  .Case("r", b.getI32Type())
                  .Case("l", b.getI64Type())
                  .Case("f", b.getF32Type())
                  .Case("d", b.getF64Type())
                  .Default(Type());
  if (!type || type.getIntOrFloatBitWidth() < bits ||
      (isa<FloatType>(type) && type.getIntOrFloatBitWidth() != bits))
    return {};
  return type;
}

struct InlineAsmPattern : OpConversionPattern<InlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(InlineAsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Form form(op, rewriter);
    for (Type type : op.getResultTypes())
      form.addResult(getTypeConverter()->convertType(elementOf(type)));
    for (Value arg : op.getArgs())
      form.addOperand(getTypeConverter()->convertType(elementOf(arg.getType())), isConstant(arg));
    if (failed(form.check()))
      return failure();
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
  /// The machine registers of one copy of the assembly.
  struct Form {
    Form(InlineAsmOp op, Builder &builder) : op(op), builder(builder) {
      op.getConstraints().split(constraints, ',');
      for (StringRef &constraint : constraints)
        constraint = constraint.trim();
    }

    void addResult(Type element) {
      Words words(element, op.getPack());
      results.push_back({element, words, unsigned(types.size())});
      for (unsigned i = 0; i < words.count; ++i) {
        StringRef letter = nextLetter();
        isSound &= letter.consume_front("=") && !isNumber(letter);
        letter.consume_front("&");
        addType(registerType(letter, words.bits, builder));
      }
      numOutputs = types.size();
    }

    void addOperand(Type element, bool isConstant) {
      Words words(element, op.getPack());
      operands.push_back({element, words, unsigned(types.size())});
      for (unsigned i = 0; i < words.count; ++i) {
        StringRef letter = nextLetter();
        unsigned tied;
        hasNumbers &= isConstant || !isNumber(letter);
        // A digit asks for the register of that result.
        if (letter.getAsInteger(10, tied))
          addType(registerType(letter, words.bits, builder));
        else
          addType(tied < numOutputs && types[tied].getIntOrFloatBitWidth() >= words.bits
                      ? types[tied]
                      : Type());
      }
    }

    LogicalResult check() {
      for (StringRef rest :
           llvm::drop_begin(constraints, std::min(types.size(), constraints.size())))
        isSound &= isClobber(rest);
      if (isSound && !hasNumbers)
        return emitError(op.getLoc()) << "the constraint 'n' of inline assembly takes an operand "
                                         "that is known while compiling";
      if (isSound)
        return success();
      return emitError(op.getLoc())
             << "inline assembly needs a constraint (h, r, l, f, d or n) that holds each of its "
             << types.size() << " registers, results with '=' first, found '" << op.getConstraints()
             << "'";
    }

    /// As LLVM reads them: without the spaces that people put behind commas.
    std::string constraintString() const { return llvm::join(constraints, ","); }

    /// "~{memory}"
    static bool isClobber(StringRef constraint) {
      return constraint.consume_front("~{") && constraint.consume_back("}") &&
             !constraint.empty() && llvm::all_of(constraint, llvm::isAlnum);
    }

    static bool isNumber(StringRef letter) { return letter == "n" || letter == "i"; }

    StringRef nextLetter() const {
      return types.size() < constraints.size() ? constraints[types.size()] : "";
    }

    void addType(Type type) {
      types.push_back(type);
      isSound &= type != Type();
    }

    struct Part {
      Type element;
      Words words;
      unsigned first;
    };
    InlineAsmOp op;
    Builder &builder;
    SmallVector<StringRef> constraints;
    SmallVector<Type> types;
    SmallVector<Part> results, operands;
    unsigned numOutputs = 0;
    bool isSound = true;
    bool hasNumbers = true; // Whether all operands that must be numbers are.
  };

  /// An integer that is the same for all elements and known here; LLVM then makes it a number.
  static bool isConstant(Value arg) {
    while (Operation *op = arg.getDefiningOp()) {
      if (!isa<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, ConvertLayoutOp>(op))
        break;
      arg = op->getOperand(0);
    }
    Attribute value;
    if (!matchPattern(arg, m_Constant(&value)))
      return false;
    auto elements = dyn_cast<DenseElementsAttr>(value);
    return isa<IntegerAttr>(value) ||
           (elements && elements.isSplat() && elements.getElementType().isInteger());
  }

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
  static SmallVector<Value> emitGroup(ThreadCode &code, InlineAsmOp op, const Form &form,
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
