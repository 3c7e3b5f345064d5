//===- BuiltinsDotScaled.cpp - Products with scales -------------*- C++ -*-===//
//
// tl.dot_scaled checks what the language allows; the prelude converts the factors (dot_scaled.py)
// and multiplies with tl.dot. They become bf16, which holds the scaled values of all narrow types.
// Where one is fp16, both become fp16 without scales, and otherwise fp32, multiplied as tf32, which
// has the mantissa of the one and the exponent of the other.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;
using llvm::Twine;

namespace {

// The parameters of `dot_scaled`, in order.
enum Param : unsigned {
  Lhs,
  LhsScale,
  LhsFormat,
  Rhs,
  RhsScale,
  RhsFormat,
  Acc,
  FastMath,
  LhsKPack,
  RhsKPack,
  OutType
};

/// What the name of a format stands for.
struct Format {
  StringRef name;
  ScalarKind type;    // Of its values in memory.
  ScalarKind storage; // Unsigned integers that hold them.

  bool isE2M1() const { return type == ScalarKind::UInt8; }
};

constexpr Format formats[] = {{"e2m1", ScalarKind::UInt8, ScalarKind::UInt8},
                              {"e4m3", ScalarKind::FP8E4NV, ScalarKind::UInt8},
                              {"e5m2", ScalarKind::FP8E5, ScalarKind::UInt8},
                              {"bf16", ScalarKind::BF16, ScalarKind::UInt16},
                              {"fp16", ScalarKind::FP16, ScalarKind::UInt16}};

/// One of the two factors.
struct Factor {
  unsigned value, scaleIndex, format, kPack; // Its parameters.
  bool isLeft;
  Object block, scale;
  const Format *kind = nullptr;
  bool packedAlongSum = true;
  /// Of what it stands for: rows of the left or columns of the right, and the products to add.
  int64_t outer = 0, inner = 0;
};

/// One call of tl.dot_scaled on its way. Each step returns false after reporting an error.
class DotScaledCall {
public:
  DotScaledCall(Interpreter &in, Args &args) : in(in), args(args) {}

  Object run();

private:
  bool read(Factor &factor);
  bool readFormat(Factor &factor);
  bool readBlock(Factor &factor);
  bool readScale(Factor &factor);
  bool checkShapes();
  bool checkResult();
  ScalarKind computeType() const;
  bool fail(llvm::SMRange range, const Twine &message) {
    in.error(range, message);
    return false;
  }

  Interpreter &in;
  Args &args;
  Factor lhs{Lhs, LhsScale, LhsFormat, LhsKPack, /*isLeft=*/true, {}, {}};
  Factor rhs{Rhs, RhsScale, RhsFormat, RhsKPack, /*isLeft=*/false, {}, {}};
};

} // namespace

bool DotScaledCall::readFormat(Factor &factor) {
  std::optional<StringRef> text = args.string(factor.format);
  std::optional<bool> kPack = args.boolean(factor.kPack);
  if (!text || !kPack)
    return false;
  auto *known = llvm::find_if(formats, [&](const Format &format) { return format.name == *text; });
  if (known == std::end(formats))
    return fail(args.range(factor.format), "unknown format '" + *text +
                                               "'; expected 'e2m1', 'e4m3', 'e5m2', 'bf16' or "
                                               "'fp16'");
  factor.kind = known;
  factor.packedAlongSum = *kPack;
  if (!*kPack && !known->isE2M1())
    return fail(args.range(factor.kPack), "only e2m1 is packed along another axis than that of the "
                                          "sum, found '" +
                                              *text + "'");
  return true;
}

/// The block in the type of its format, and the sizes of what it stands for.
bool DotScaledCall::readBlock(Factor &factor) {
  const Format &format = *factor.kind;
  const Object &block = args[factor.value];
  if (!block.isBlock() || block.shape().size() < 2 || block.shape().size() > 3) {
    args.wrong(factor.value, "a block with two or three axes");
    return false;
  }
  bool isStorage = block.dtype().isScalar(format.storage);
  if (!isStorage && !block.dtype().isScalar(format.type)) {
    std::string expected = DType(format.type).str();
    if (!format.isE2M1())
      expected += " or " + DType(format.storage).str();
    args.wrong(factor.value, "of type " + Twine(expected) + " to be '" + format.name + "'");
    return false;
  }
  factor.block = isStorage && !format.isE2M1()
                     ? in.tensors().bitcast(block, format.type, args.range(factor.value))
                     : block;
  if (factor.block.isPoison())
    return false;
  llvm::ArrayRef<int64_t> axes = block.shape().take_back(2);
  factor.outer = axes[factor.isLeft ? 0 : 1];
  factor.inner = axes[factor.isLeft ? 1 : 0];
  if (format.isE2M1())
    (factor.packedAlongSum ? factor.inner : factor.outer) *= 2;
  return true;
}

bool DotScaledCall::readScale(Factor &factor) {
  const Object &scale = args[factor.scaleIndex];
  factor.scale = scale;
  if (scale.isNone())
    return true;
  bool isSmall = scale.isTensor() && scale.dtype().isScalar(ScalarKind::FP8E4NV);
  if (!scale.isBlock() || (!isSmall && !scale.dtype().isScalar(ScalarKind::UInt8))) {
    args.wrong(factor.scaleIndex, "None or a block of uint8 or float8e4nv");
    return false;
  }
  if (factor.block.shape().size() != 2)
    return fail(args.range(factor.scaleIndex),
                "a scale needs operands with two axes, found " + factor.block.typeStr());
  int64_t group = isSmall ? 16 : 32;
  if (factor.inner < group)
    return fail(args.range(factor.scaleIndex), "a scale is for " + Twine(group) +
                                                   " values, but there are only " +
                                                   Twine(factor.inner) + " to add");
  if (scale.shape() != llvm::ArrayRef<int64_t>({factor.outer, factor.inner / group})) {
    args.wrong(factor.scaleIndex,
               "a block of shape " + shapeStr({factor.outer, factor.inner / group}));
    return false;
  }
  return true;
}

bool DotScaledCall::read(Factor &factor) {
  return readFormat(factor) && readBlock(factor) && readScale(factor);
}

bool DotScaledCall::checkShapes() {
  llvm::ArrayRef<int64_t> left = lhs.block.shape(), right = rhs.block.shape();
  std::string found = "found " + lhs.block.typeStr() + " and " + rhs.block.typeStr();
  if (left.size() != right.size() || left.drop_back(2) != right.drop_back(2))
    return fail(args.callRange(),
                "tl.dot_scaled takes two matrices, or stacks of one size, " + found);
  if (lhs.inner != rhs.inner)
    return fail(args.callRange(), "tl.dot_scaled adds " + Twine(lhs.inner) +
                                      " products by its left operand and " + Twine(rhs.inner) +
                                      " by its right one, " + found);
  if (lhs.inner < 16)
    return fail(args.callRange(), "tl.dot_scaled needs at least 16 products to add, " + found);
  return true;
}

/// Accumulator and type of the result.
bool DotScaledCall::checkResult() {
  if (args.given(OutType)) {
    std::optional<DType> type = args.dtype(OutType);
    if (!type)
      return false;
    if (!type->isFP32())
      return fail(args.range(OutType),
                  "tl.dot_scaled gives float32 only, found out_dtype=tl." + type->str());
  }
  llvm::SmallVector<int64_t> shape(lhs.block.shape().drop_back(2));
  shape.append({lhs.outer, rhs.outer});
  const Object &acc = args[Acc];
  if (acc.isNone())
    return in.tensors().checkShape(shape, args.callRange());
  if (acc.isBlock() && acc.dtype().isFP32() && acc.shape() == llvm::ArrayRef<int64_t>(shape))
    return true;
  args.wrong(Acc, typeStr(ScalarKind::FP32, shape));
  return false;
}

ScalarKind DotScaledCall::computeType() const {
  auto has = [&](ScalarKind type) { return lhs.kind->type == type || rhs.kind->type == type; };
  if (!has(ScalarKind::FP16))
    return ScalarKind::BF16;
  bool isScaled = !lhs.scale.isNone() || !rhs.scale.isNone();
  return isScaled || has(ScalarKind::BF16) ? ScalarKind::FP32 : ScalarKind::FP16;
}

Object DotScaledCall::run() {
  bool isSound = read(lhs);
  isSound &= read(rhs);
  std::optional<bool> fastMath = args.boolean(FastMath);
  if (!isSound || !fastMath || !checkShapes() || !checkResult())
    return Object::poison();
  const JitFunction *function = in.preludeFunction("_dot_scaled");
  assert(function && "the prelude has it");
  return in.callWith(Object::function(function),
                     {lhs.block, lhs.scale, Object::boolean(lhs.kind->isE2M1()),
                      Object::boolean(lhs.packedAlongSum), rhs.block, rhs.scale,
                      Object::boolean(rhs.kind->isE2M1()), Object::boolean(rhs.packedAlongSum),
                      args[Acc], Object::boolean(*fastMath), Object::type(computeType())},
                     args.callRange());
}

/// dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, fast_math, lhs_k_pack,
/// rhs_k_pack, out_dtype)
static Object dotScaled(Interpreter &in, Args &args) { return DotScaledCall(in, args).run(); }

llvm::ArrayRef<Builtin> front::dotScaledBuiltins() {
  static constexpr Builtin rows[] = {
      {"dot_scaled",
       "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, "
       "lhs_k_pack=True, rhs_k_pack=True, out_dtype=None",
       dotScaled},
  };
  return rows;
}
