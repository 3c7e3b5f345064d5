//===- BuiltinsElement.cpp - Code for single elements -----------*- C++ -*-===//
//
// map_elementwise runs a jit function on scalars, with real branches for each element: one
// operation for each value that the function returns. Packs are split off and joined again as
// changes of shape. inline_asm_elementwise passes its text on.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;

//===----------------------------------------------------------------------===//
// map_elementwise
//===----------------------------------------------------------------------===//

/// The p neighbours of each pack of a block as p blocks, each with one axis.
static Object::List splitPacks(Interpreter &in, const Object &block, int64_t pack) {
  if (pack == 1)
    return {block};
  int64_t packs =
      mlir::cast<mlir::RankedTensorType>(block.value().getType()).getNumElements() / pack;
  Object rows = in.tensors().reshape(block, {packs, pack});
  mlir::Type type = in.tensors().irType(block.dtype(), {packs});
  Object::List parts;
  for (int32_t index = 0; index < pack; ++index)
    parts.push_back(Object::tensor(
        in.ir().createOrFold<tilec::tile::TakeOp>(in.loc(), type, rows.value(), 1, index),
        block.dtype()));
  return parts;
}

/// Back from p blocks to one in `shape`.
static Object joinPacks(Interpreter &in, llvm::ArrayRef<Object> parts,
                        llvm::ArrayRef<int64_t> shape) {
  TensorOps &ops = in.tensors();
  if (parts.size() == 1)
    return ops.reshape(parts.front(), shape);
  int64_t pack = parts.size();
  llvm::SmallVector<int64_t> rows = {parts.front().shape()[0], pack};
  auto indexType = mlir::RankedTensorType::get({pack}, in.ir().getI32Type());
  Object index = Object::tensor(
      tilec::tile::MakeRangeOp::create(in.ir(), in.loc(), indexType, 0, pack), ScalarKind::Int32);
  Object result = ops.broadcastTo(ops.expandDims(parts.front(), 1), rows);
  for (int64_t at = 1; at < pack; ++at) {
    Object number = ops.splat(ops.constantInt(at, ScalarKind::Int32), {pack});
    Object isHere = ops.broadcastTo(ops.rawCompare(ast::CompareOp::Eq, index, number), rows);
    result = ops.select(isHere, ops.broadcastTo(ops.expandDims(parts[at], 1), rows), result);
  }
  return ops.reshape(result, shape);
}

/// Calls the function on scalars that are arguments of a new block of `region`; its values, or
/// nothing after an error.
static Object::List callOnScalars(Interpreter &in, Args &args, llvm::ArrayRef<Object> inputs,
                                  mlir::Region &region) {
  mlir::OpBuilder::InsertionGuard guard(in.ir());
  llvm::SmallVector<mlir::Type> types;
  for (const Object &input : inputs)
    types.push_back(in.tensors().irScalarType(input.dtype()));
  llvm::SmallVector<mlir::Location> locs(types.size(), in.loc());
  mlir::Block *body = in.ir().createBlock(&region, {}, types, locs);
  Object::List scalars;
  for (auto [argument, input] : llvm::zip_equal(body->getArguments(), inputs))
    scalars.push_back(Object::tensor(argument, input.dtype()));
  Object result = in.callWith(args[0], scalars, args.callRange());
  if (result.hasPoison())
    return {};
  Object::List values = result.isTuple() ? result.elements() : Object::List{result};
  if (values.empty() ||
      !llvm::all_of(values, [](const Object &value) { return value.isScalarTensor(); })) {
    in.error(args.range(0), "the function must return scalars, found " + result.typeStr());
    return {};
  }
  return values;
}

/// One operation for each value that the function returns; empty after an error.
static Object::List mapEach(Interpreter &in, Args &args, llvm::ArrayRef<Object> inputs) {
  llvm::SmallVector<mlir::Value> sources;
  for (const Object &input : inputs)
    sources.push_back(input.value());
  Object::List results;
  for (size_t number = 0, count = 1; number < count; ++number) {
    mlir::Region region;
    Object::List values = callOnScalars(in, args, inputs, region);
    if (values.empty())
      return {};
    count = values.size();
    auto touches = region.walk([](mlir::Operation *op) {
      return mlir::isMemoryEffectFree(op) ? mlir::WalkResult::advance()
                                          : mlir::WalkResult::interrupt();
    });
    if (touches.wasInterrupted()) {
      in.error(args.range(0), "a function for tl.map_elementwise must not access memory");
      return {};
    }
    DType type = values[number].dtype();
    auto op = tilec::tile::MapOp::create(
        in.ir(), in.loc(), in.tensors().irType(type, inputs.front().shape()), sources);
    op.getBody().takeBody(region);
    mlir::OpBuilder::InsertionGuard guard(in.ir());
    in.ir().setInsertionPointToEnd(&op.getBody().front());
    tilec::tile::YieldOp::create(in.ir(), in.loc(), values[number].value());
    results.push_back(Object::tensor(op.getResult(), type));
  }
  return results;
}

/// map_elementwise(scalar_fn, *args, pack)
static Object mapElementwise(Interpreter &in, Args &args) {
  std::optional<int64_t> pack = args.integer(2);
  if (!args[0].is(Object::Kind::Function))
    return args.wrong(0, "a jit function");
  Object::List inputs;
  for (const Arg &arg : args.rest()) {
    if (!arg.value.isTensor())
      return in.error(arg.range, "tl.map_elementwise takes tensors, found " + arg.value.typeStr());
    inputs.push_back(arg.value);
  }
  if (!pack || inputs.empty())
    return pack ? in.error(args.callRange(), "tl.map_elementwise needs a tensor")
                : Object::poison();
  if (!in.tensors().broadcastAll(inputs, args.callRange()))
    return Object::poison();
  if (!inputs.front().isBlock())
    return in.callWith(args[0], inputs, args.callRange());
  llvm::SmallVector<int64_t> shape(inputs.front().shape());
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (*pack < 1 || !llvm::isPowerOf2_64(*pack) || *pack > elements)
    return args.wrong(2, "a power of two, at most the number of elements");
  Object::List parts;
  for (const Object &input : inputs)
    llvm::append_range(parts, splitPacks(in, input, *pack));
  Object::List values = mapEach(in, args, parts);
  if (values.empty())
    return Object::poison();
  if (values.size() % *pack != 0)
    return in.error(args.range(0), "the function must return " + llvm::Twine(*pack) +
                                       " values for each result, found " +
                                       llvm::Twine(values.size()));
  Object::List results;
  for (size_t first = 0; first < values.size(); first += *pack) {
    llvm::ArrayRef<Object> own = llvm::ArrayRef<Object>(values).slice(first, *pack);
    for (const Object &value : own)
      if (value.dtype() != own.front().dtype())
        return in.error(args.range(0), "the values of one result must have one type, found " +
                                           own.front().typeStr() + " and " + value.typeStr());
    results.push_back(joinPacks(in, own, shape));
  }
  // The values of a pack are a tuple, and so is what becomes of them.
  return results.size() == 1 && *pack == 1 ? results.front() : Object::tuple(std::move(results));
}

//===----------------------------------------------------------------------===//
// inline_asm_elementwise
//===----------------------------------------------------------------------===//

/// inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)
static Object inlineAsm(Interpreter &in, Args &args) {
  std::optional<llvm::StringRef> text = args.string(0), constraints = args.string(1);
  std::optional<bool> isPure = args.boolean(4);
  std::optional<int64_t> pack = args.integer(5);
  if (!text || !constraints || !isPure || !pack)
    return Object::poison();
  if (!args[2].isTuple())
    return args.wrong(2, "a tuple or list");
  if (*pack < 1 || *pack > 64 || !llvm::isPowerOf2_64(*pack))
    return args.wrong(5, "a power of two up to 64");
  Object::List operands;
  for (const Object &item : args[2].elements()) {
    operands.push_back(in.tensors().materialize(item, args.range(2)));
    if (operands.back().isPoison())
      return Object::poison();
  }
  if (!in.tensors().broadcastAll(operands, args.callRange()))
    return Object::poison();
  Object::List types = args[3].isTuple() ? args[3].elements() : Object::List{args[3]};
  llvm::ArrayRef<int64_t> shape;
  if (!operands.empty())
    shape = operands.front().shape();
  llvm::SmallVector<mlir::Type> resultTypes;
  for (const Object &type : types) {
    if (!type.isType() || type.isBlockType())
      return args.wrong(3, "a type or a tuple of types");
    if (!in.tensors().checkType(type.dtype(), args.range(3)))
      return Object::poison();
    resultTypes.push_back(in.tensors().irType(type.dtype(), shape));
  }
  llvm::SmallVector<mlir::Value> values;
  for (const Object &operand : operands)
    values.push_back(operand.value());
  auto op = tilec::tile::InlineAsmOp::create(in.ir(), in.loc(), resultTypes, *text, *constraints,
                                             int32_t(*pack), *isPure, values);
  Object::List results;
  for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
    results.push_back(Object::tensor(result, type.dtype()));
  return args[3].isTuple() ? Object::tuple(std::move(results)) : results.front();
}

llvm::ArrayRef<Builtin> front::elementBuiltins() {
  static constexpr Builtin rows[] = {
      {"map_elementwise", "scalar_fn, *args, pack=1", mapElementwise},
      {"inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", inlineAsm},
  };
  return rows;
}
