//===- BuiltinsScan.cpp - Scans, gather, histogram, sorting -----*- C++ -*-===//
//
// Functions whose results depend on elements at other positions, but for reductions and changes of
// shape.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Scans blocks of one shape along the axis that argument `axisIndex` names.
static Object::List scanAxis(Interpreter &in, Args &args, llvm::ArrayRef<Object> inputs,
                             unsigned axisIndex, bool reverse, Combine combine) {
  if (!inputs.front().isBlock()) {
    in.error(args.range(0),
             args.callee().fullName() + " takes a block, found " + inputs.front().typeStr());
    return {};
  }
  std::optional<unsigned> axis = args.axis(axisIndex, inputs.front().shape().size());
  if (!axis)
    return {};
  llvm::SmallVector<mlir::Value> sources;
  for (const Object &input : inputs)
    sources.push_back(input.value());
  auto op = tilec::tile::ScanOp::create(in.ir(), in.loc(), mlir::ValueRange(sources).getTypes(),
                                        sources, *axis, reverse);
  if (!fillCombineRegion(in, op.getCombine(), inputs, combine))
    return {};
  Object::List results;
  for (auto [result, input] : llvm::zip(op.getResults(), inputs))
    results.push_back(Object::tensor(result, input.dtype()));
  return results;
}

/// associative_scan(input, axis, combine_fn, reverse)
static Object associativeScan(Interpreter &in, Args &args) {
  std::optional<bool> reverse = args.boolean(3);
  Object::List inputs = combineInputs(in, args, 2);
  if (!reverse || inputs.empty())
    return Object::poison();
  Object::List results = scanAxis(in, args, inputs, 1, *reverse,
                                  [&](auto a, auto b) { return callCombine(in, args, 2, a, b); });
  if (results.empty())
    return Object::poison();
  return args[0].isTuple() ? Object::tuple(std::move(results)) : results.front();
}

static Object scanBinary(Interpreter &in, Args &args, Object input, DType type, ast::BinaryOp op) {
  std::optional<bool> reverse = args.boolean(2);
  input = in.tensors().cast(input, type, args.range(0));
  if (!reverse || input.isPoison())
    return Object::poison();
  Object::List results = scanAxis(in, args, {input}, 1, *reverse, [&](auto a, auto b) {
    return Object::List{in.tensors().rawBinaryUnchecked(op, a[0], b[0])};
  });
  return results.empty() ? Object::poison() : results.front();
}

/// The block argument 0, which must hold numbers.
static Object numbers(Args &args) {
  Object input = args.tensor(0);
  return !input.isPoison() && input.dtype().isPointer() ? args.wrong(0, "a block of numbers")
                                                        : input;
}

/// cumsum(input, axis, reverse, dtype)
static Object cumsum(Interpreter &in, Args &args) {
  Object input = numbers(args);
  if (input.isPoison())
    return input;
  DType type = input.dtype();
  if (!args[3].isNone()) {
    std::optional<DType> given = args.dtype(3);
    if (!given)
      return Object::poison();
    type = *given;
  } else if (type.isBF16()) {
    type = ScalarKind::FP32;
  } else if (type.isInt() && type.bits() < 32) {
    type = type.isSignedInt() ? ScalarKind::Int32 : ScalarKind::UInt32;
  }
  return scanBinary(in, args, input, type, ast::BinaryOp::Add);
}

/// cumprod(input, axis, reverse)
static Object cumprod(Interpreter &in, Args &args) {
  Object input = numbers(args);
  if (input.isPoison())
    return input;
  DType type = input.dtype().isBF16() ? DType(ScalarKind::FP32) : input.dtype();
  return scanBinary(in, args, input, type, ast::BinaryOp::Mul);
}

//===----------------------------------------------------------------------===//
// gather, histogram
//===----------------------------------------------------------------------===//

/// gather(src, index, axis)
static Object gather(Interpreter &in, Args &args) {
  Object source = args.tensor(0), index = args.tensor(1);
  if (source.isPoison() || index.isPoison())
    return Object::poison();
  if (!source.isBlock())
    return args.wrong(0, "a block");
  if (!index.isBlock() || !index.dtype().isInt() || index.dtype().isBool())
    return args.wrong(1, "a block of integers");
  size_t rank = source.shape().size();
  std::optional<unsigned> axis = args.axis(2, rank);
  if (!axis)
    return Object::poison();
  bool fits = index.shape().size() == rank;
  for (size_t dim = 0; fits && dim < rank; ++dim)
    fits = dim == *axis || source.shape()[dim] == index.shape()[dim];
  if (!fits)
    return in.error(args.callRange(),
                    "tl.gather takes an index in the shape of the source but along "
                    "the axis, found " +
                        index.typeStr() + " and " + source.typeStr());
  // Indices of 8 and 16 bits without sign must not become negative.
  if (index.dtype().bits() < 32)
    index = in.tensors().cast(index, ScalarKind::Int32, args.range(1));
  mlir::Type type = in.tensors().irType(source.dtype(), index.shape());
  auto op =
      tilec::tile::GatherOp::create(in.ir(), in.loc(), type, source.value(), index.value(), *axis);
  return Object::tensor(op.getResult(), source.dtype());
}

/// histogram(input, num_bins, mask)
static Object histogram(Interpreter &in, Args &args) {
  Object input = args.tensor(0), mask = args[2];
  std::optional<int64_t> bins = args.integer(1);
  if (input.isPoison() || !bins || !in.tensors().checkShape({*bins}, args.range(1)))
    return Object::poison();
  if (!input.isBlock() || input.shape().size() != 1 || !input.dtype().isInt())
    return args.wrong(0, "a block of integers with one dimension");
  if (!mask.isNone()) {
    mask = args.tensor(2);
    if (mask.isPoison())
      return mask;
    if (!mask.dtype().isBool())
      return args.wrong(2, "a tensor of int1");
    std::array<Object, 2> both = {input, mask};
    if (!in.tensors().broadcastAll(both, args.callRange()))
      return Object::poison();
    input = both[0];
    mask = both[1];
  }
  if (input.dtype().bits() < 32)
    input = in.tensors().cast(input, ScalarKind::Int32, args.range(0));
  auto type = mlir::RankedTensorType::get({*bins}, in.ir().getI32Type());
  auto op = tilec::tile::HistogramOp::create(in.ir(), in.loc(), type, input.value(),
                                             mask.isTensor() ? mask.value() : mlir::Value());
  return Object::tensor(op.getResult(), ScalarKind::Int32);
}

llvm::ArrayRef<Builtin> front::scanBuiltins() {
  static constexpr Builtin rows[] = {
      {"associative_scan", "input, axis, combine_fn, reverse=False", associativeScan, IsMethod},
      {"cumsum", "input, axis=0, reverse=False, dtype=None", cumsum, IsMethod},
      {"cumprod", "input, axis=0, reverse=False", cumprod, IsMethod},
      {"gather", "src, index, axis", gather, IsMethod},
      {"histogram", "input, num_bins, mask=None", histogram, IsMethod},
      {"sort", "x, dim=None, descending=False", nullptr},
      {"bitonic_merge", "x, dim=None, descending=False", nullptr},
      {"topk", "x, k, dim=None", nullptr},
  };
  return rows;
}
