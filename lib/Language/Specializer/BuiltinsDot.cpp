//===- BuiltinsDot.cpp - Products of matrices -------------------*- C++ -*-===//
//
// tl.dot checks what the language allows and emits one tile.dot. Operands of 8-bit floats that no
// instruction multiplies are converted to fp16, which holds their values exactly; blocks of rank 4
// and more become stacks of matrices.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
using tilec::tile::DotPrecision;

namespace {

// The parameters of `dot`, in order.
enum Param : unsigned { Lhs, Rhs, Acc, Precision, AllowTF32, MaxImprecise, OutType };

/// One call of tl.dot on its way. Each step returns false after reporting an error.
class DotCall {
public:
  DotCall(Interpreter &in, Args &args) : in(in), args(args), name(args.callee().fullName()) {}

  Object run();

private:
  bool readOperands();
  bool checkShapes();
  bool checkTypes();
  bool readPrecision();
  bool checkImprecise();
  bool readAccumulator();
  mlir::TypeAttr floatType(DType type);
  bool keepsPieces(const GpuArch &arch);
  bool keepsBytes();
  bool convertBytes();
  Object asStack(const Object &block);
  bool fail(llvm::SMRange range, const llvm::Twine &message) {
    in.error(range, message);
    return false;
  }

  Interpreter &in;
  Args &args;
  std::string name;
  Object lhs, rhs, acc;
  DType inputType, outType;
  llvm::SmallVector<int64_t> shape; // Of the result.
  DotPrecision precision = DotPrecision::IEEE;
  std::optional<int64_t> piece; // Of the depth, that is summed with less precision.
};

} // namespace

bool DotCall::readOperands() {
  lhs = args.tensor(Lhs);
  rhs = args.tensor(Rhs);
  if (lhs.isPoison() || rhs.isPoison())
    return false;
  for (auto [index, operand] : {std::pair(Lhs, &lhs), std::pair(Rhs, &rhs)})
    if (!operand->isBlock() || operand->shape().size() < 2) {
      args.wrong(index, "a block with two axes or more");
      return false;
    }
  return true;
}

bool DotCall::checkShapes() {
  llvm::ArrayRef<int64_t> left = lhs.shape(), right = rhs.shape();
  size_t rank = left.size();
  std::string found = "found " + lhs.typeStr() + " and " + rhs.typeStr();
  if (right.size() != rank)
    return fail(args.callRange(), name + " takes blocks of one rank, " + found);
  if (left.drop_back(2) != right.drop_back(2))
    return fail(args.callRange(), name + " takes stacks of one size, " + found);
  if (left[rank - 1] != right[rank - 2])
    return fail(args.callRange(), name + " multiplies as many columns as rows, " + found);
  int64_t leastK = inputType.bits() == 8 ? 32 : 16;
  if (left[rank - 1] < leastK)
    return fail(args.callRange(), name + " of " + inputType.str() + " needs at least " +
                                      llvm::Twine(leastK) + " columns on the left, " + found);
  shape.assign(left.begin(), left.end());
  shape.back() = right.back();
  return in.tensors().checkShape(shape, args.callRange());
}

bool DotCall::checkTypes() {
  DType left = lhs.dtype(), right = rhs.dtype();
  for (auto [index, type] : {std::pair(Lhs, left), std::pair(Rhs, right)})
    if (!type.isFloat() && !type.isScalar(ScalarKind::Int8)) {
      args.wrong(index, "a block of int8 or of floats");
      return false;
    }
  if (left != right && !(left.isFP8() && right.isFP8()))
    return fail(args.callRange(), name +
                                      " takes operands of one type, or two of 8-bit floats, "
                                      "found " +
                                      left.str() + " and " + right.str());
  inputType = left;
  outType = ScalarKind::FP32;
  if (args.given(OutType)) {
    std::optional<DType> given = args.dtype(OutType);
    if (!given)
      return false;
    outType = *given;
  }
  if (left.isInt())
    outType = ScalarKind::Int32;
  else if (outType.isBF16())
    return fail(args.range(OutType), "'out_dtype' cannot be bfloat16; take float32 and convert the "
                                     "result: .to(tl.bfloat16)");
  else if (left.isFP64())
    outType = ScalarKind::FP64;
  else if (left.isFP32() || left.isBF16())
    outType = ScalarKind::FP32;
  else if (!outType.isFP16() && !outType.isFP32()) {
    args.wrong(OutType, "float16 or float32");
    return false;
  }
  return true;
}

/// The way to multiply float32, as `input_precision` or `allow_tf32` name it.
bool DotCall::readPrecision() {
  bool isNamed = !args[Precision].isNone(), isAllowed = !args[AllowTF32].isNone();
  if (isNamed && isAllowed)
    return fail(args.range(AllowTF32),
                "give one of 'input_precision' and 'allow_tf32', they say the same");
  precision = DotPrecision::TF32;
  if (isAllowed) {
    std::optional<bool> allowed = args.boolean(AllowTF32);
    if (!allowed)
      return false;
    precision = *allowed ? DotPrecision::TF32 : DotPrecision::IEEE;
  }
  if (isNamed) {
    std::optional<llvm::StringRef> text = args.string(Precision);
    if (!text)
      return false;
    std::optional<DotPrecision> named = tilec::tile::symbolizeDotPrecision(text->lower());
    if (!named) {
      args.wrong(Precision, "'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6'");
      return false;
    }
    precision = *named;
  }
  if (!inputType.isFP32())
    precision = DotPrecision::IEEE;
  return true;
}

/// How many products of 8-bit floats may be added with less precision.
bool DotCall::checkImprecise() {
  if (args[MaxImprecise].isNone())
    return true;
  std::optional<int64_t> most = args.integer(MaxImprecise);
  if (!most)
    return false;
  int64_t columns = lhs.shape().back();
  if (inputType.isFP8() && *most > columns)
    return fail(args.range(MaxImprecise), "'max_num_imprecise_acc' is " + llvm::Twine(*most) +
                                              ", but there are only " + llvm::Twine(columns) +
                                              " products to add");
  if (inputType.isFP8())
    piece = *most;
  return true;
}

bool DotCall::readAccumulator() {
  if (args[Acc].isNone()) {
    acc = in.tensors().zero(outType, shape);
    return true;
  }
  acc = args.tensor(Acc);
  if (acc.isPoison())
    return false;
  if (acc.shape() != llvm::ArrayRef<int64_t>(shape) || acc.dtype() != outType) {
    args.wrong(Acc, typeStr(outType, shape));
    return false;
  }
  // As the language has it: even where no other type is possible, an accumulator's type is named.
  DType named = args.given(OutType) ? args[OutType].dtype() : DType(ScalarKind::FP32);
  if (named != outType)
    return fail(args.callRange(), name + " with an accumulator of " + outType.str() +
                                      " needs out_dtype=tl." + outType.str());
  return true;
}

/// As a matrix or a stack of matrices.
Object DotCall::asStack(const Object &block) {
  llvm::ArrayRef<int64_t> axes = block.shape();
  if (axes.size() <= 3)
    return block;
  int64_t count = 1;
  for (int64_t size : axes.drop_back(2))
    count *= size;
  return in.tensors().reshape(block, {count, axes[axes.size() - 2], axes.back()});
}

/// The type whose products instructions add up; null for others.
mlir::TypeAttr DotCall::floatType(DType type) {
  mlir::MLIRContext *context = in.ir().getContext();
  if (type.isScalar(ScalarKind::FP8E4NV))
    return mlir::TypeAttr::get(mlir::Float8E4M3FNType::get(context));
  if (type.isScalar(ScalarKind::FP8E5))
    return mlir::TypeAttr::get(mlir::Float8E5M2Type::get(context));
  return {};
}

/// Whether instructions add no more products with less precision than they may, but for those of
/// one instruction. Elsewhere all are added in fp32, which is always right.
bool DotCall::keepsPieces(const GpuArch &arch) {
  return !piece || arch.has(GpuFeature::WarpGroupMma);
}

/// Whether instructions multiply the operands as they are, and as precisely as they should.
bool DotCall::keepsBytes() {
  const std::optional<GpuArch> &arch = in.options().arch;
  return arch && arch->has(GpuFeature::Fp8Multiply) && floatType(lhs.dtype()) &&
         floatType(rhs.dtype()) && outType.isFP32() && keepsPieces(*arch);
}

/// False after an error.
bool DotCall::convertBytes() {
  for (auto [index, operand] : {std::pair(Lhs, &lhs), std::pair(Rhs, &rhs)})
    if (operand->dtype().isFP8()) {
      *operand = in.tensors().cast(*operand, ScalarKind::FP16, args.range(index));
      if (operand->isPoison())
        return false;
    }
  return true;
}

Object DotCall::run() {
  if (!readOperands() || !checkTypes() || !checkShapes() || !readPrecision() || !checkImprecise() ||
      !readAccumulator())
    return Object::poison();
  if (!keepsBytes() && !convertBytes())
    return Object::poison();
  mlir::TypeAttr asFloat = floatType(lhs.dtype());
  mlir::IntegerAttr ofPiece;
  if (asFloat && piece)
    ofPiece = in.ir().getI32IntegerAttr(std::max(int32_t(*piece), 1));
  mlir::Value product = tilec::tile::DotOp::create(
      in.ir(), in.loc(), asStack(acc).value().getType(), asStack(lhs).value(), asStack(rhs).value(),
      asStack(acc).value(), precision, asFloat, floatType(rhs.dtype()), ofPiece);
  return in.tensors().reshape(Object::tensor(product, outType), shape);
}

/// dot(input, other, acc, input_precision, allow_tf32, max_num_imprecise_acc, out_dtype)
static Object dot(Interpreter &in, Args &args) { return DotCall(in, args).run(); }

llvm::ArrayRef<Builtin> front::dotBuiltins() {
  static constexpr Builtin rows[] = {
      {"dot",
       "input, other, acc=None, input_precision=None, allow_tf32=None, "
       "max_num_imprecise_acc=None, out_dtype=None",
       dot},
  };
  return rows;
}
