//===- BuiltinsReduce.cpp - Reductions --------------------------*- C++ -*-===//
//
// sum, max and their relatives, and tl.reduce with a jit function. Each emits one tile.reduce whose
// region combines scalars; the known ones combine with a single operation, which later passes
// recognise.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
namespace arith = mlir::arith;

bool front::fillCombineRegion(Interpreter &in, mlir::Region &region, llvm::ArrayRef<Object> inputs,
                              Combine combine) {
  mlir::OpBuilder &b = in.ir();
  mlir::Location loc = in.loc();
  llvm::SmallVector<mlir::Type> types;
  for (const Object &input : inputs)
    types.push_back(in.tensors().irScalarType(input.dtype()));
  types.append(types.begin(), types.end());
  mlir::OpBuilder::InsertionGuard guard(b);
  llvm::SmallVector<mlir::Location> locs(types.size(), loc);
  mlir::Block *body = b.createBlock(&region, {}, types, locs);
  Object::List groups[2];
  for (unsigned i = 0; i < types.size(); ++i)
    groups[i / inputs.size()].push_back(
        Object::tensor(body->getArgument(i), inputs[i % inputs.size()].dtype()));
  Object::List combined = combine(groups[0], groups[1]);
  if (combined.empty() || llvm::any_of(combined, [](const Object &x) { return x.isPoison(); }))
    return false;
  llvm::SmallVector<mlir::Value> yields;
  for (const Object &value : combined)
    yields.push_back(value.value());
  tilec::tile::YieldOp::create(b, loc, yields);
  // What a function computes for its type alone may be a tensor; the region takes numbers only.
  mlir::IRRewriter rewriter(b);
  (void)mlir::runRegionDCE(rewriter, region); // It fails where nothing is dead.
  return true;
}

/// Emits the operation on blocks of one shape, along `axis`.
static Object::List emitReduce(Interpreter &in, llvm::ArrayRef<Object> inputs, unsigned axis,
                               Combine combine) {
  mlir::OpBuilder &b = in.ir();
  mlir::Location loc = in.loc();
  llvm::SmallVector<int64_t> shape(inputs.front().shape());
  shape.erase(shape.begin() + axis);
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<mlir::Value> sources;
  for (const Object &input : inputs) {
    resultTypes.push_back(in.tensors().irType(input.dtype(), shape));
    sources.push_back(input.value());
  }
  auto op = tilec::tile::ReduceOp::create(b, loc, resultTypes, sources, axis);
  if (!fillCombineRegion(in, op.getCombine(), inputs, combine))
    return {};
  Object::List results;
  for (auto [result, input] : llvm::zip(op.getResults(), inputs))
    results.push_back(Object::tensor(result, input.dtype()));
  return results;
}

/// Reduces along the axis that argument `axisIndex` names, or all of them when it is None.
static Object::List reduceAxis(Interpreter &in, Args &args, Object::List inputs, unsigned axisIndex,
                               bool keepDims, Combine combine) {
  TensorOps &ops = in.tensors();
  llvm::SmallVector<int64_t> shape(inputs.front().shape());
  if (shape.empty()) {
    in.error(args.range(0),
             args.callee().fullName() + " takes a block, found " + inputs.front().typeStr());
    return {};
  }
  unsigned axis = 0;
  if (args[axisIndex].isNone()) {
    int64_t count = 1;
    for (int64_t &size : shape)
      count *= size;
    for (Object &input : inputs)
      input = ops.reshape(input, {count});
    shape.assign(shape.size(), 1);
  } else {
    std::optional<unsigned> given = args.axis(axisIndex, shape.size());
    if (!given)
      return {};
    axis = *given;
    shape[axis] = 1;
  }
  Object::List results = emitReduce(in, inputs, axis, combine);
  if (keepDims)
    for (Object &result : results)
      result = ops.reshape(result, shape);
  return results;
}

static Object firstOf(const Object::List &results) {
  return results.empty() ? Object::poison() : results.front();
}

//===----------------------------------------------------------------------===//
// sum, xor_sum, reduce_or
//===----------------------------------------------------------------------===//

static Object reduceBinary(Interpreter &in, Args &args, const Object &input, unsigned keepIndex,
                           ast::BinaryOp op) {
  std::optional<bool> keep = args.boolean(keepIndex);
  if (!keep)
    return Object::poison();
  return firstOf(reduceAxis(in, args, {input}, 1, *keep, [&](auto a, auto b) {
    return Object::List{in.tensors().rawBinaryUnchecked(op, a[0], b[0])};
  }));
}

/// sum(input, axis, keep_dims, dtype)
static Object sum(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  if (input.isPoison())
    return input;
  DType type = input.dtype();
  if (type.isPointer())
    return args.wrong(0, "a block of numbers");
  if (!args[3].isNone()) {
    std::optional<DType> given = args.dtype(3);
    if (!given)
      return Object::poison();
    type = *given;
  } else if (type.isInt() && type.bits() < 32) {
    type = type.isSignedInt() ? ScalarKind::Int32 : ScalarKind::UInt32;
  }
  input = in.tensors().cast(input, type, args.range(0));
  return input.isPoison() ? input : reduceBinary(in, args, input, 2, ast::BinaryOp::Add);
}

/// xor_sum(input, axis, keep_dims), reduce_or(input, axis, keep_dims)
template <ast::BinaryOp op> static Object bitReduce(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  if (!input.isPoison() && !input.dtype().isInt())
    return args.wrong(0, "a block of integers");
  return input.isPoison() ? input : reduceBinary(in, args, input, 2, op);
}

//===----------------------------------------------------------------------===//
// max, min, argmax, argmin
//===----------------------------------------------------------------------===//

/// The types that max and min compute in: 16-bit floats in fp32, small integers in int32.
static DType widened(DType type, bool withIndices) {
  if (type.isBF16() || (!withIndices && type.isFloat() && type.bits() < 32))
    return ScalarKind::FP32;
  if (!withIndices && type.isInt() && type.bits() < 32)
    return ScalarKind::Int32;
  return type;
}

/// The position along `axis`, in the shape of `like`.
static Object indicesLike(Interpreter &in, const Object &like, unsigned axis) {
  int64_t size = like.shape()[axis];
  auto type = mlir::RankedTensorType::get({size}, in.ir().getI32Type());
  Object index = Object::tensor(tilec::tile::MakeRangeOp::create(in.ir(), in.loc(), type, 0, size),
                                ScalarKind::Int32);
  while (index.shape().size() < like.shape().size() - axis)
    index = in.tensors().expandDims(index, index.shape().size());
  return in.tensors().broadcastTo(index, like.shape());
}

/// (value, index) of the extreme element; of equal ones the first when `tieLeft`.
static Object::List extremeWithIndex(Interpreter &in, Args &args, Object input, bool isMax,
                                     bool tieLeft, bool keepDims) {
  if (!input.isBlock() || args[1].isNone()) {
    in.error(args.range(input.isBlock() ? 1 : 0),
             args.callee().fullName() + (input.isBlock()
                                             ? " needs an axis to find the index along"
                                             : " takes a block, found " + input.typeStr()));
    return {};
  }
  std::optional<unsigned> axis = args.axis(1, input.shape().size());
  if (!axis)
    return {};
  TensorOps &ops = in.tensors();
  input = ops.cast(input, widened(input.dtype(), /*withIndices=*/true), args.range(0));
  Object index = indicesLike(in, input, *axis);
  ast::CompareOp better = isMax ? ast::CompareOp::Gt : ast::CompareOp::Lt;
  return reduceAxis(in, args, {input, index}, 1, keepDims, [&](auto a, auto b) {
    Object takeLeft = ops.rawCompare(better, a[0], b[0]);
    if (tieLeft) {
      Object equal = ops.rawCompare(ast::CompareOp::Eq, a[0], b[0]);
      Object earlier = ops.rawCompare(ast::CompareOp::Lt, a[1], b[1]);
      Object tie = ops.rawBinaryUnchecked(ast::BinaryOp::And, equal, earlier);
      takeLeft = ops.rawBinaryUnchecked(ast::BinaryOp::Or, takeLeft, tie);
    }
    return Object::List{ops.select(takeLeft, a[0], b[0]), ops.select(takeLeft, a[1], b[1])};
  });
}

/// max(input, axis, return_indices, return_indices_tie_break_left, keep_dims), min
template <bool isMax> static Object extreme(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<bool> indices = args.boolean(2), tieLeft = args.boolean(3), keep = args.boolean(4);
  if (input.isPoison() || !indices || !tieLeft || !keep)
    return Object::poison();
  if (input.dtype().isPointer())
    return args.wrong(0, "a block of numbers");
  if (*indices) {
    Object::List results = extremeWithIndex(in, args, input, isMax, *tieLeft, *keep);
    return results.empty() ? Object::poison() : Object::tuple(std::move(results));
  }
  TensorOps &ops = in.tensors();
  input = ops.cast(input, widened(input.dtype(), false), args.range(0));
  return firstOf(reduceAxis(in, args, {input}, 1, *keep, [&](auto a, auto b) {
    return Object::List{ops.minMax(isMax, a[0], b[0], /*propagateNan=*/false)};
  }));
}

/// argmax(input, axis, tie_break_left, keep_dims), argmin
template <bool isMax> static Object argExtreme(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<bool> tieLeft = args.boolean(2), keep = args.boolean(3);
  if (input.isPoison() || !tieLeft || !keep)
    return Object::poison();
  if (input.dtype().isPointer())
    return args.wrong(0, "a block of numbers");
  Object::List results = extremeWithIndex(in, args, input, isMax, *tieLeft, *keep);
  return results.empty() ? Object::poison() : results[1];
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

Object::List front::callCombine(Interpreter &in, Args &args, unsigned index,
                                llvm::ArrayRef<Object> a, llvm::ArrayRef<Object> b) {
  Object::List operands(a.begin(), a.end());
  llvm::append_range(operands, b);
  Object result = in.callWith(args[index], operands, args.callRange());
  if (result.isPoison())
    return {};
  Object::List values = result.isTuple() ? result.elements() : Object::List{result};
  bool sound = values.size() == a.size();
  for (size_t i = 0; sound && i < a.size(); ++i)
    sound = sameType(values[i], a[i]);
  if (sound)
    return values;
  in.error(args.range(index), "the combine function must return " +
                                  Object::tuple(Object::List(a.begin(), a.end())).typeStr() +
                                  ", found " + Object::tuple(values).typeStr());
  return {};
}

Object::List front::combineInputs(Interpreter &in, Args &args, unsigned function) {
  Object::List inputs = args[0].isTuple() ? args[0].elements() : Object::List{args[0]};
  bool isPrelude = args[function].is(Object::Kind::Builtin) && !args[function].asBuiltin()->call;
  if (!isPrelude && !args[function].is(Object::Kind::Function)) {
    args.wrong(function, "a jit function");
    return {};
  }
  if (inputs.empty() || !llvm::all_of(inputs, [](const Object &x) { return x.isBlock(); })) {
    args.wrong(0, "a block or a tuple of blocks");
    return {};
  }
  for (const Object &input : inputs)
    if (input.shape() != inputs.front().shape()) {
      in.error(args.range(0),
               args.callee().fullName() + " takes blocks of one shape, found " + args[0].typeStr());
      return {};
    }
  return inputs;
}

/// reduce(input, axis, combine_fn, keep_dims)
static Object reduce(Interpreter &in, Args &args) {
  std::optional<bool> keep = args.boolean(3);
  Object::List inputs = combineInputs(in, args, 2);
  if (!keep || inputs.empty())
    return Object::poison();
  Object::List results = reduceAxis(in, args, std::move(inputs), 1, *keep,
                                    [&](auto a, auto b) { return callCombine(in, args, 2, a, b); });
  if (results.empty())
    return Object::poison();
  return args[0].isTuple() ? Object::tuple(std::move(results)) : results.front();
}

llvm::ArrayRef<Builtin> front::reduceBuiltins() {
  static constexpr Builtin rows[] = {
      {"sum", "input, axis=None, keep_dims=False, dtype=None", sum, IsMethod},
      {"max",
       "input, axis=None, return_indices=False, return_indices_tie_break_left=True, "
       "keep_dims=False",
       extreme<true>, IsMethod},
      {"min",
       "input, axis=None, return_indices=False, return_indices_tie_break_left=True, "
       "keep_dims=False",
       extreme<false>, IsMethod},
      {"argmax", "input, axis, tie_break_left=True, keep_dims=False", argExtreme<true>, IsMethod},
      {"argmin", "input, axis, tie_break_left=True, keep_dims=False", argExtreme<false>, IsMethod},
      {"xor_sum", "input, axis=None, keep_dims=False", bitReduce<ast::BinaryOp::Xor>, IsMethod},
      {"reduce_or", "input, axis, keep_dims=False", bitReduce<ast::BinaryOp::Or>, IsMethod},
      {"reduce", "input, axis, combine_fn, keep_dims=False", reduce, IsMethod},
      {"_reduce_with_indices", "input, axis, combine_fn, keep_dims=False", nullptr, Hidden},
      {"_promote_bfloat16_to_float32", "t", nullptr, Hidden},
  };
  return rows;
}
