//===- DotToGPU.cpp - products of matrices ----------------------*- C++ -*-===//
//
// The operands are in the layouts of DotPlan.h, so each thread has what it needs: the fragments of
// its warp's matrix instructions, or the rows and columns of the elements that it computes itself.
// Which register holds an element follows from the layouts' register bits alone.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

/// The registers of a tile by what their number adds to a thread's coordinates.
class RegisterMap {
public:
  explicit RegisterMap(const LinearLayout &layout) : layout(layout) {
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
      registers.try_emplace(layout.applyFlat(InDim::Register, reg), reg);
  }

  /// The register with the element at `at`; coordinates beyond the tile are those of copies.
  int64_t find(Coords at) const {
    for (auto [axis, coordinate] : llvm::enumerate(at))
      coordinate &= layout.shape()[axis] - 1;
    return registers.at(layout.flatten(at));
  }

  /// Where each register lies, in order.
  SmallVector<Coords> positions() const {
    SmallVector<Coords> all;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
      all.push_back(layout.unflatten(layout.applyFlat(InDim::Register, reg)));
    return all;
  }

private:
  LinearLayout layout;
  llvm::DenseMap<uint64_t, uint32_t> registers;
};

/// Emits one product.
class DotEmitter {
public:
  DotEmitter(DotOp op, ValueRange operands, OpBuilder &builder, const tilec::GpuArch &arch)
      : op(op), lhs(operands[0]), rhs(operands[1]), b(builder), loc(op.getLoc()),
        code(builder, op.getLoc()), lhsMap(layoutOf(op.getLhs().getType())),
        rhsMap(layoutOf(op.getRhs().getType())), accMap(layoutOf(op.getType())),
        depth(cast<RankedTensorType>(op.getLhs().getType()).getShape().back()),
        secondHalf(op.getRowsTogether() == 1 ? 8 : 1),
        multipliesAsHalves(op.getLhsFloat() && !arch.hasFp8Matrices()) {
    auto type = cast<VectorType>(operands[2].getType());
    for (int64_t reg = 0; reg < type.getDimSize(0); ++reg)
      sums.push_back(code.extract(operands[2], reg));
  }

  /// By the warp's instructions of `shape`.
  Value multiplyInWarp(const MmaShape &shape);
  /// By each thread.
  Value multiplyInThread();

private:
  Coords at(const Coords &matrix, int64_t row, int64_t column) const {
    Coords position = matrix;
    position[position.size() - 2] = row;
    position.back() = column;
    return position;
  }
  SmallVector<Value> words(Value vector, ArrayRef<int64_t> registers);
  SmallVector<Value> asHalves(ArrayRef<Value> words, Type fp8);
  const SmallVector<Value> &fragment(bool isLeft, const MmaShape &shape, const Coords &corner,
                                     int64_t k);
  SmallVector<Value> multiplyAddMatrices(const MmaShape &shape, ValueRange left, ValueRange right,
                                         ValueRange before);
  void instruction(const MmaShape &shape, const Coords &corner, int64_t k);
  Value multiplyAdd(Value left, Value right, Value sum);
  Value extended(Value factor, Type type);

  DotOp op;
  Value lhs, rhs;
  OpBuilder &b;
  Location loc;
  ThreadCode code;
  RegisterMap lhsMap, rhsMap, accMap;
  int64_t depth;
  /// Of an instruction's rows, the first one of the second eight.
  int64_t secondHalf;
  /// Whether 32 fp8 numbers of a row are multiplied as two times 16 halves, which have all their
  /// values. It is what ptxas makes of the instruction, which then adds each pair's sum by itself.
  bool multipliesAsHalves;
  SmallVector<Value> sums;
  /// Fragments that several instructions use, by side and corner.
  std::map<std::tuple<bool, Coords, int64_t>, SmallVector<Value>> fragments;
};

} // namespace

/// The registers of `vector` with these numbers, as the operands of an instruction: words of 32
/// bits, pairs of halves, or doubles. Each is made by itself, so that LLVM finds those that were
/// one register all along.
SmallVector<Value> DotEmitter::words(Value vector, ArrayRef<int64_t> registers) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  SmallVector<Value> operands;
  size_t each = element.isF64() ? 1 : 32 / element.getIntOrFloatBitWidth();
  for (size_t first = 0; first < registers.size(); first += each) {
    Value word = code.permute(vector, registers.slice(first, each));
    if (each == 1)
      word = code.extract(word, 0);
    if (!element.isF16() && !element.isF64())
      word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
    operands.push_back(word);
  }
  return operands;
}

/// Words of four fp8 numbers as words of two halves: those of the lower pairs, then those of the
/// upper ones. Both factors have them in this order, so that it does not matter.
SmallVector<Value> DotEmitter::asHalves(ArrayRef<Value> words, Type fp8) {
  std::string name = llvm::formatv("llvm.nvvm.{0}x2.to.f16x2.rn", ptxNameOf(fp8));
  auto pairs = VectorType::get(2, b.getIntegerType(16));
  auto halves = VectorType::get(2, b.getF16Type());
  SmallVector<Value> result;
  for (int64_t pair = 0; pair < 2; ++pair)
    for (Value word : words) {
      Value both = LLVM::BitcastOp::create(b, loc, pairs, word);
      result.push_back(LLVM::CallIntrinsicOp::create(b, loc, halves, b.getStringAttr(name),
                                                     code.extract(both, pair))
                           .getResult(0));
    }
  return result;
}

/// What an instruction takes of a factor, whose corner is in the result at `corner`: elements in
/// the order of mmaLayouts().
const SmallVector<Value> &DotEmitter::fragment(bool isLeft, const MmaShape &shape,
                                               const Coords &corner, int64_t k) {
  Coords key = corner;
  (isLeft ? key.back() : key[key.size() - 2]) = 0;
  auto [entry, isNew] = fragments.try_emplace({isLeft, key, k});
  if (!isNew)
    return entry->second;
  unsigned packed = llvm::Log2_64(shape.packed);
  unsigned halves = isLeft && shape.m == 16 ? 1 : 0;
  SmallVector<int64_t> registers;
  int64_t count = (shape.k / 4) << halves;
  for (int64_t i = 0; i < count; ++i) {
    int64_t along = (i & (shape.packed - 1)) | (i >> (packed + halves) << (packed + 2));
    int64_t half = halves ? (i >> packed & 1) * secondHalf : 0;
    registers.push_back(isLeft
                            ? lhsMap.find(at(corner, corner[corner.size() - 2] + half, k + along))
                            : rhsMap.find(at(corner, k + along, corner.back())));
  }
  entry->second = words(isLeft ? lhs : rhs, registers);
  if (multipliesAsHalves)
    entry->second = asHalves(entry->second, *(isLeft ? op.getLhsFloat() : op.getRhsFloat()));
  return entry->second;
}

StringRef tilec::tile::ptxNameOf(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case<Float8E4M3FNType>([](Type) { return "e4m3"; })
      .Case<Float8E5M2Type>([](Type) { return "e5m2"; })
      .Case<Float16Type>([](Type) { return "f16"; })
      .Case<BFloat16Type>([](Type) { return "bf16"; })
      .Case<Float32Type>([](Type) { return "f32"; })
      .Case<IntegerType>([](Type type) { return type.isInteger(8) ? "s8" : "s32"; });
}

static NVVM::MMATypes typeOf(Type element) {
  if (element.isF16())
    return NVVM::MMATypes::f16;
  if (element.isBF16())
    return NVVM::MMATypes::bf16;
  if (element.isF64())
    return NVVM::MMATypes::f64;
  return element.isInteger(8) ? NVVM::MMATypes::s8 : NVVM::MMATypes::tf32;
}

/// The sums of one instruction.
SmallVector<Value> DotEmitter::multiplyAddMatrices(const MmaShape &shape, ValueRange left,
                                                   ValueRange right, ValueRange before) {
  SmallVector<Type> types(before.getTypes());
  auto type = LLVM::LLVMStructType::getLiteral(op.getContext(), types);
  Value result;
  if (op.getLhsFloat() && !multipliesAsHalves) {
    // NVVM's operation does not know these types.
    SmallVector<Value> operands(left);
    operands.append(right.begin(), right.end());
    operands.append(before.begin(), before.end());
    std::string name = llvm::formatv("llvm.nvvm.mma.m16n8k32.row.col.f32.{0}.{1}.f32",
                                     ptxNameOf(*op.getLhsFloat()), ptxNameOf(*op.getRhsFloat()));
    result =
        LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), operands).getResult(0);
  } else {
    NVVM::MMATypes factors =
        typeOf(multipliesAsHalves ? b.getF16Type() : elementOf(op.getLhs().getType()));
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (isa<IntegerType>(elementOf(op.getType())))
      overflow = NVVM::MMAIntOverflow::wrapped;
    result = NVVM::MmaOp::create(b, loc, type, left, right, before, {shape.m, shape.n, shape.k},
                                 /*b1Op=*/std::nullopt, overflow, std::array{factors, factors},
                                 std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  }
  SmallVector<Value> after;
  for (int64_t i = 0, count = types.size(); i < count; ++i)
    after.push_back(LLVM::ExtractValueOp::create(b, loc, result, i));
  return after;
}

void DotEmitter::instruction(const MmaShape &shape, const Coords &corner, int64_t k) {
  Type element = elementOf(op.getType());
  int64_t row = corner[corner.size() - 2], column = corner.back();
  SmallVector<int64_t> registers;
  for (int64_t half = 0; half < shape.m / 8; ++half)
    for (int64_t i = 0; i < 2; ++i)
      registers.push_back(accMap.find(at(corner, row + half * secondHalf, column + i)));
  SmallVector<Value> before;
  bool isPacked = element.isF16();
  for (size_t i = 0; i < registers.size(); i += isPacked ? 2 : 1)
    before.push_back(isPacked ? code.fromElements({sums[registers[i]], sums[registers[i + 1]]})
                              : sums[registers[i]]);
  ArrayRef<Value> left = fragment(/*isLeft=*/true, shape, corner, k);
  ArrayRef<Value> right = fragment(/*isLeft=*/false, shape, corner, k);
  MmaShape each = shape;
  if (multipliesAsHalves)
    each.k /= 2;
  size_t ofLeft = left.size() * each.k / shape.k, ofRight = right.size() * each.k / shape.k;
  SmallVector<Value> after = before;
  for (; !left.empty(); left = left.drop_front(ofLeft), right = right.drop_front(ofRight))
    after = multiplyAddMatrices(each, left.take_front(ofLeft), right.take_front(ofRight), after);
  for (size_t i = 0; i < registers.size(); ++i) {
    Value sum = after[isPacked ? i / 2 : i];
    sums[registers[i]] = isPacked ? code.extract(sum, i % 2) : sum;
  }
}

Value DotEmitter::multiplyInWarp(const MmaShape &shape) {
  SmallVector<Coords> corners;
  for (const Coords &position : accMap.positions())
    if ((shape.m == 8 || (position[position.size() - 2] & secondHalf) == 0) &&
        position.back() % shape.n == 0)
      corners.push_back(position);
  for (int64_t k = 0; k < depth; k += shape.k)
    for (const Coords &corner : corners)
      instruction(shape, corner, k);
  return code.fromElements(sums);
}

//===----------------------------------------------------------------------===//
// Without matrix instructions
//===----------------------------------------------------------------------===//

Value DotEmitter::extended(Value factor, Type type) {
  if (factor.getType() == type)
    return factor;
  if (isa<IntegerType>(type))
    return arith::ExtSIOp::create(b, loc, type, factor);
  return arith::ExtFOp::create(b, loc, type, factor);
}

Value DotEmitter::multiplyAdd(Value left, Value right, Value sum) {
  if (!isa<IntegerType>(sum.getType()))
    return math::FmaOp::create(b, loc, left, right, sum);
  Value product = arith::MulIOp::create(b, loc, left, right);
  return arith::AddIOp::create(b, loc, product, sum);
}

/// Sums of f16 are added up in f32, as they would be by an instruction.
Value DotEmitter::multiplyInThread() {
  Type element = elementOf(op.getType());
  Type type = element.isF16() ? b.getF32Type() : element;
  for (Value &sum : sums)
    sum = extended(sum, type);
  SmallVector<Coords> positions = accMap.positions();
  for (int64_t k = 0; k < depth; ++k)
    for (auto [position, sum] : llvm::zip_equal(positions, sums)) {
      Value left = code.extract(lhs, lhsMap.find(at(position, position[position.size() - 2], k)));
      Value right = code.extract(rhs, rhsMap.find(at(position, k, position.back())));
      sum = multiplyAdd(extended(left, type), extended(right, type), sum);
    }
  if (type != element)
    for (Value &sum : sums)
      sum = arith::TruncFOp::create(b, loc, element, sum);
  return code.fromElements(sums);
}

namespace {

struct DotPattern : OpConversionPattern<DotOp> {
  DotPattern(const TypeConverter &converter, MLIRContext *context, const tilec::GpuArch &arch)
      : OpConversionPattern(converter, context), arch(arch) {}

  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    DotEmitter emitter(op, adaptor.getOperands(), rewriter, arch);
    std::optional<MmaShape> shape = matrixInstruction(op, arch);
    rewriter.replaceOp(op, shape ? emitter.multiplyInWarp(*shape) : emitter.multiplyInThread());
    return success();
  }

private:
  tilec::GpuArch arch;
};

} // namespace

void tilec::tile::populateDotPatterns(const TypeConverter &converter,
                                      const LoweringContext &context, RewritePatternSet &patterns) {
  patterns.add<DotPattern>(converter, patterns.getContext(), context.target);
}
