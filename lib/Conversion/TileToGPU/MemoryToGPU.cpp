//===- MemoryToGPU.cpp - loads and stores ----------------------*- C++ -*-===//
//
// A thread's registers are grouped into the widest accesses that the axis analysis proves: adjacent in
// memory, aligned, and under one mask. An access without mask or hints is an ordinary load or store of
// a vector, which LLVM may move and combine. Any other becomes inline PTX: one predicated instruction,
// without a branch, whose destination already holds `other`.
//
// Threads that hold copies of an element all load it, from one address, but only the first stores it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace tilec::layout;

static constexpr int64_t kMaxAccessBytes = 16;

namespace {

/// One access: how its bytes are split over PTX registers.
struct AccessShape {
  /// For an access of `bytes` (a power of two up to 16) to elements of `elementBytes`.
  AccessShape(int64_t bytes, int64_t elementBytes)
      : bits(bytes >= 8 && elementBytes == 8 ? 64 : std::min<int64_t>(32, 8 * bytes)),
        count(8 * bytes / bits) {}

  unsigned bits;
  unsigned count;

  std::string suffix() const {
    std::string type = ".b" + std::to_string(bits);
    return count == 1 ? type : ".v" + std::to_string(count) + type;
  }
  /// Bytes travel in 16-bit registers, the smallest that PTX has.
  unsigned registerBits() const { return std::max(bits, 16u); }
  StringRef constraint() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  /// `{$first, $first+1, ..}`, or the bare operand when there is one.
  std::string operands(unsigned first) const {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return count == 1 ? text : "{" + text + "}";
  }
};

StringRef evictionSuffix(EvictionPolicy policy) {
  switch (policy) {
  case EvictionPolicy::Normal:
    return "";
  case EvictionPolicy::First:
    return ".L1::evict_first";
  case EvictionPolicy::Last:
    return ".L1::evict_last";
  }
  llvm_unreachable("all policies are covered");
}

/// The qualifiers between `ld.global` or `st.global` and the type. An eviction priority and a cache
/// operator exclude each other in PTX; the priority says more.
std::string hintSuffix(CacheModifier cache, EvictionPolicy evict) {
  if (evict != EvictionPolicy::Normal)
    return evictionSuffix(evict).str();
  return cache == CacheModifier::None ? "" : ("." + stringifyCacheModifier(cache)).str();
}

/// What loads and stores share.
class AccessEmitter {
public:
  AccessEmitter(OpBuilder &builder, Location loc) : code(builder, loc), b(builder), loc(loc) {}

  Value load(Value ptr, Value predicate, Value other, VectorType type, LoadOp op);
  void store(Value ptr, Value predicate, Value vector, StoreOp op);

  ThreadCode code;

private:
  Value inlineAsm(Type result, ArrayRef<Value> operands, const Twine &text,
                  const Twine &constraints);
  SmallVector<Value> toRegisters(Value vector, const AccessShape &shape);
  Value fromRegisters(Value results, const AccessShape &shape, VectorType type);

  OpBuilder &b;
  Location loc;
};

} // namespace

static int64_t bytesOf(VectorType type) {
  Type element = type.getElementType();
  int64_t bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  return bytes;
}

Value AccessEmitter::inlineAsm(Type result, ArrayRef<Value> operands, const Twine &text,
                               const Twine &constraints) {
  auto op = LLVM::InlineAsmOp::create(
      b, loc, result ? TypeRange(result) : TypeRange(), operands, text.str(), constraints.str(),
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? op->getResult(0) : Value();
}

SmallVector<Value> AccessEmitter::toRegisters(Value vector, const AccessShape &shape) {
  Value words = code.toWords(vector, shape.bits);
  SmallVector<Value> registers;
  for (unsigned i = 0; i < shape.count; ++i) {
    Value word = code.extract(words, i);
    if (shape.bits < shape.registerBits())
      word = arith::ExtUIOp::create(b, loc, b.getIntegerType(shape.registerBits()), word);
    registers.push_back(word);
  }
  return registers;
}

Value AccessEmitter::fromRegisters(Value results, const AccessShape &shape, VectorType type) {
  SmallVector<Value> words;
  for (unsigned i = 0; i < shape.count; ++i) {
    Value word = shape.count == 1 ? results
                                  : LLVM::ExtractValueOp::create(b, loc, results, i).getResult();
    if (shape.bits < shape.registerBits())
      word = arith::TruncIOp::create(b, loc, b.getIntegerType(shape.bits), word);
    words.push_back(word);
  }
  return code.fromWords(code.fromElements(words), type);
}

Value AccessEmitter::load(Value ptr, Value predicate, Value other, VectorType type, LoadOp op) {
  int64_t elementBytes = bytesOf(type), bytes = elementBytes * type.getDimSize(0);
  std::string hints = hintSuffix(op.getCache(), op.getEvict());
  if (!predicate && hints.empty()) {
    return LLVM::LoadOp::create(b, loc, type, ptr, /*alignment=*/bytes, op.getIsVolatile());
  }
  AccessShape shape(bytes, elementBytes);
  SmallVector<Value> operands = {ptr};
  std::string text, outputs, inputs = ",l";
  for (unsigned i = 0; i < shape.count; ++i)
    outputs += (i ? ",=&" : "=&") + shape.constraint().str();
  if (predicate) {
    // Registers that the load leaves alone must hold something: `other`, or 0.
    unsigned next = shape.count + 2;
    inputs += ",b";
    operands.push_back(predicate);
    SmallVector<Value> others = other ? toRegisters(other, shape) : SmallVector<Value>();
    for (unsigned i = 0; i < shape.count; ++i) {
      std::string source = other ? "$" + std::to_string(next + i) : "0";
      text += "mov.b" + std::to_string(shape.registerBits()) + " $" + std::to_string(i) + ", " +
              source + "; ";
      if (other) {
        inputs += "," + shape.constraint().str();
        operands.push_back(others[i]);
      }
    }
    text += "@$" + std::to_string(shape.count + 1) + " ";
  }
  text += op.getIsVolatile() ? "ld.volatile.global" : "ld.global" + hints;
  text += shape.suffix() + " " + shape.operands(0) + ", [$" + std::to_string(shape.count) + "];";
  Type word = b.getIntegerType(shape.registerBits());
  Type result = shape.count == 1
                    ? word
                    : LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                       SmallVector<Type>(shape.count, word));
  return fromRegisters(inlineAsm(result, operands, text, outputs + inputs), shape, type);
}

void AccessEmitter::store(Value ptr, Value predicate, Value vector, StoreOp op) {
  auto type = cast<VectorType>(vector.getType());
  int64_t elementBytes = bytesOf(type), bytes = elementBytes * type.getDimSize(0);
  std::string hints = hintSuffix(op.getCache(), op.getEvict());
  if (!predicate && hints.empty()) {
    LLVM::StoreOp::create(b, loc, vector, ptr, /*alignment=*/bytes);
    return;
  }
  AccessShape shape(bytes, elementBytes);
  SmallVector<Value> operands = {ptr};
  std::string inputs = "l", text;
  for (Value value : toRegisters(vector, shape)) {
    inputs += "," + shape.constraint().str();
    operands.push_back(value);
  }
  if (predicate) {
    inputs += ",b";
    operands.push_back(predicate);
    text = "@$" + std::to_string(shape.count + 1) + " ";
  }
  text += "st.global" + hints + shape.suffix() + " [$0], " + shape.operands(1) + ";";
  inlineAsm({}, operands, text, inputs + ",~{memory}");
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// How many registers one access through `ptr` covers.
static int64_t accessWidth(const AxisInfoAnalysis &axes, Value ptr, Value mask) {
  LinearLayout layout = layoutOf(ptr.getType());
  int64_t best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    best = std::max(best, std::min<int64_t>(layout.contiguousRegisters(axis),
                                            axes.getAccessWidth(ptr, mask, axis, kMaxAccessBytes)));
  return best;
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// How a scalar is spread over the threads that run `op`: each holds a copy.
static LinearLayout scalarLayout(Operation *op) {
  LaunchShape launch = getLaunchShape(op->getParentOfType<func::FuncOp>());
  LinearLayout::FlatBasisLists bases;
  bases[unsigned(InDim::Lane)].assign(kWarpBits, 0);
  bases[unsigned(InDim::Warp)].assign(llvm::Log2_64(launch.numWarps), 0);
  bases[unsigned(InDim::Block)].assign(llvm::Log2_64(launch.numCTAs), 0);
  std::string error;
  return *LinearLayout::createFlat({1}, std::move(bases), error);
}

/// A scalar access is that of a tile with one register.
static Value asVector(ThreadCode &code, Value value) {
  return !value || isa<VectorType>(value.getType()) ? value : code.fromElements({value});
}

namespace {

struct LoadPattern : OpConversionPattern<LoadOp> {
  LoadPattern(const TypeConverter &converter, MLIRContext *context,
              const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter emitter(rewriter, op.getLoc());
    ThreadCode &code = emitter.code;
    Value pointers = asVector(code, adaptor.getPtr()), masks = asVector(code, adaptor.getMask()),
          others = asVector(code, adaptor.getOther());
    int64_t width = isTile(op.getPtr())
                        ? accessWidth(lowering.axes, op.getPtr(), op.getMask())
                        : 1;
    int64_t count = cast<VectorType>(pointers.getType()).getDimSize(0);
    Type element = getTypeConverter()->convertType(elementOf(op.getType()));
    SmallVector<Value> parts;
    for (int64_t start = 0; start < count; start += width)
      parts.push_back(emitter.load(code.extract(pointers, start),
                                   masks ? code.extract(masks, start) : Value(),
                                   others ? code.slice(others, start, width) : Value(),
                                   VectorType::get({width}, element), op));
    Value loaded = code.concat(parts);
    rewriter.replaceOp(op, isTile(op.getPtr()) ? loaded : code.extract(loaded, 0));
    return success();
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
      width = accessWidth(lowering.axes, op.getPtr(), op.getMask());
      copies = layout.freeBits(InDim::Register);
    }
    Value mine = code.isFirstCopy(layout);
    int64_t count = cast<VectorType>(pointers.getType()).getDimSize(0);
    for (int64_t start = 0; start < count; start += width) {
      if (start & copies)
        continue;
      Value predicate = masks ? code.extract(masks, start) : mine;
      if (masks && mine)
        predicate = arith::AndIOp::create(rewriter, op.getLoc(), predicate, mine);
      emitter.store(code.extract(pointers, start), predicate, code.slice(values, start, width), op);
    }
    rewriter.eraseOp(op);
    return success();
  }

  const LoweringContext &lowering;
};

} // namespace

void mlir::tile::populateMemoryPatterns(const TypeConverter &converter,
                                        const LoweringContext &context,
                                        RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern>(converter, patterns.getContext(), context);
}
