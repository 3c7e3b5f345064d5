//===- Loops.cpp - one loop nest as a linalg.generic -----------*- C++ -*-===//
//
// A position is an affine map from the iteration to the coordinates of a tile. Asking for an
// element at a position asks for its operands' elements, at the same position for elementwise
// operations and at a changed one for shape changes. Each (tile, position) is computed once in a
// body.
//
// Buffers that are read at sums of loop numbers become inputs of the linalg.generic; a position
// with divisions (a reshape of something that is not kept) is read by a memref.load in the body,
// because linalg could not infer the extent of its loops from it.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

LoopBuilder::LoopBuilder(KernelState &state, Location loc, ArrayRef<int64_t> extents,
                         ArrayRef<utils::IteratorType> kinds)
    : state(state), loc(loc), extents(extents), kinds(kinds), block(new Block),
      body(state.builder.getContext()) {
  body.setInsertionPointToEnd(block);
}

AffineMap LoopBuilder::map(ArrayRef<AffineExpr> results) const {
  return AffineMap::get(extents.size(), 0, results, body.getContext());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Value LoopBuilder::index(unsigned dim) { return positionValue(body.getAffineDimExpr(dim)); }

Value LoopBuilder::positionValue(AffineExpr expr) {
  if (Value known = positions.lookup(expr))
    return known;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(body, loc, value);
  };
  Value value;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    value = linalg::IndexOp::create(body, loc, dim.getPosition());
  } else if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    value = constant(number.getValue());
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = positionValue(binary.getLHS());
    auto size = dyn_cast<AffineConstantExpr>(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      value = arith::AddIOp::create(body, loc, lhs, positionValue(binary.getRHS()));
      break;
    case AffineExprKind::Mul:
      value = arith::MulIOp::create(body, loc, lhs, positionValue(binary.getRHS()));
      break;
    case AffineExprKind::FloorDiv: // positions are not negative, sizes are powers of two
      value = arith::ShRUIOp::create(body, loc, lhs, constant(llvm::Log2_64(size.getValue())));
      break;
    case AffineExprKind::Mod:
      value = arith::AndIOp::create(body, loc, lhs, constant(size.getValue() - 1));
      break;
    default:
      llvm_unreachable("positions have no other kind of expression");
    }
  }
  return positions[expr] = value;
}

Value LoopBuilder::isFirst(ArrayRef<unsigned> dims) {
  Value all;
  for (unsigned dim : dims) {
    Value zero = arith::ConstantIndexOp::create(body, loc, 0);
    Value first = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::eq, index(dim), zero);
    all = all ? arith::AndIOp::create(body, loc, all, first) : first;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<LoopBuilder::Key> LoopBuilder::dependencies(Value tile, AffineMap at) {
  Operation *op = tile.getDefiningOp();
  if (state.identities.contains(tile))
    return {{op->getOperand(0), at}};
  if (state.buffers.count(tile))
    return {};
  if (auto moved = dyn_cast<PositionOpInterface>(op))
    return {{op->getOperand(0), map(moved.getOperandPosition(at.getResults()))}};
  if (auto gather = dyn_cast<GatherOp>(op))
    return {{gather.getIndices(), at}};
  SmallVector<Key> keys;
  for (Value operand : op->getOperands())
    if (isTile(operand))
      keys.push_back({operand, at});
  return keys;
}

Value LoopBuilder::element(Value tile, AffineMap at) {
  // A stack of our own: chains of operations may be as long as a program.
  SmallVector<Key> open = {{tile, at}};
  while (!open.empty()) {
    Key key = open.back();
    if (elements.count(key)) {
      open.pop_back();
      continue;
    }
    size_t before = open.size();
    for (Key &needed : dependencies(key.first, key.second))
      if (!elements.count(needed))
        open.push_back(needed);
    if (open.size() != before)
      continue;
    elements[key] = compute(key.first, key.second);
    open.pop_back();
  }
  return elements[{tile, at}];
}

Value LoopBuilder::compute(Value tile, AffineMap at) {
  Operation *op = tile.getDefiningOp();
  if (state.identities.contains(tile))
    return elements[{op->getOperand(0), at}];
  if (Buffer *buffer = state.buffers.lookup(tile))
    return read(buffer, at);
  if (changesPosition(op)) {
    Key source = dependencies(tile, at).front();
    return elements[source];
  }
  if (auto range = dyn_cast<MakeRangeOp>(op)) {
    Type i32 = body.getI32Type();
    Value position = positionValue(at.getResult(0));
    Value number = arith::IndexCastOp::create(body, op->getLoc(), i32, position);
    auto start = body.getI32IntegerAttr(int32_t(range.getStart()));
    if (start.getInt() == 0)
      return number;
    Value first = arith::ConstantOp::create(body, op->getLoc(), start);
    return arith::AddIOp::create(body, op->getLoc(), number, first);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto values = dyn_cast<DenseElementsAttr>(constant.getValue()); values && !values.isSplat())
      return readConstant(constant, at);
  auto operand = [&](Value value) -> Value {
    if (!value)
      return {};
    return isTile(value) ? elements[{value, at}] : scalar(value);
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return emitLoad(body, load, operand(load.getPtr()),
                    check(load, at, operand(load.getPtr()), {}, operand(load.getMask())),
                    operand(load.getOther()));
  if (auto gather = dyn_cast<GatherOp>(op))
    return computeGather(gather, operand(gather.getIndices()), at);
  if (auto atomic = dyn_cast<AtomicRMWOp>(op))
    return emitAtomic(body, atomic, operand(atomic.getPtr()), operand(atomic.getValue()),
                      check(atomic, at, operand(atomic.getPtr()), {}, operand(atomic.getMask())));
  if (auto atomic = dyn_cast<AtomicCASOp>(op))
    return emitAtomic(body, atomic, operand(atomic.getPtr()), operand(atomic.getExpected()),
                      operand(atomic.getValue()),
                      check(atomic, at, operand(atomic.getPtr()), {}, {}));
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), operand);
  if (auto mapped = dyn_cast<MapOp>(op))
    return emitScalarCode(body, mapped.getBody(), state.scalars, operands).front();
  return emitElement(body, op, operands);
}

Value LoopBuilder::check(Operation *op, AffineMap at, Value pointer, Value stored, Value mask) {
  if (!state.checksMemory)
    return mask;
  AffineExpr number = getAffineConstantExpr(0, body.getContext());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  for (auto [size, coordinate] : llvm::zip_equal(shape, at.getResults()))
    number = number * size + coordinate;
  return emitCheck(state, body, op, pointer, stored, mask, positionValue(number));
}

/// The source's element whose coordinate along the axis is `index`; any one where that is outside.
Value LoopBuilder::computeGather(GatherOp op, Value index, AffineMap at) {
  Buffer *buffer = state.buffers.lookup(op.getSrc());
  state.pool.touch(buffer);
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  Location place = op.getLoc();
  Type type = index.getType();
  int64_t last = source.getDimSize(op.getAxis()) - 1;
  Value most = arith::ConstantOp::create(body, place, body.getIntegerAttr(type, last));
  Value inside = arith::MinUIOp::create(body, place, index, most);
  SmallVector<Value> indices;
  for (auto [dim, expr] : llvm::enumerate(at.getResults()))
    indices.push_back(
        dim == op.getAxis()
            ? arith::IndexCastUIOp::create(body, place, body.getIndexType(), inside).getResult()
            : positionValue(expr));
  return fromStorage(body, place, memref::LoadOp::create(body, place, buffer->memory, indices),
                     buffer->element);
}

/// A constant whose elements differ lives in a global of the module.
Value LoopBuilder::readConstant(arith::ConstantOp op, AffineMap at) {
  auto values = cast<DenseElementsAttr>(op.getValue());
  auto tile = cast<RankedTensorType>(op.getType());
  Type element = tile.getElementType();
  if (element.isInteger(1))
    values = cast<DenseIntElementsAttr>(values).mapValues(
        body.getI8Type(), [](const APInt &value) { return value.zext(8); });
  else if (element != storageType(element))
    values = values.bitcast(storageType(element));
  auto type = MemRefType::get(tile.getShape(), storageType(element));
  auto module = state.builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
  std::string name;
  for (unsigned number = 0; name.empty() || module.lookupSymbol(name); ++number)
    name = ("tile_constant_" + Twine(number)).str();
  memref::GlobalOp::create(
      atModule, op.getLoc(), name, atModule.getStringAttr("private"), type,
      values.reshape(RankedTensorType::get(tile.getShape(), storageType(element))),
      /*constant=*/true, IntegerAttr());
  Value memory = memref::GetGlobalOp::create(body, op.getLoc(), type, name);
  SmallVector<Value> indices;
  for (AffineExpr expr : at.getResults())
    indices.push_back(positionValue(expr));
  return fromStorage(body, loc, memref::LoadOp::create(body, op.getLoc(), memory, indices),
                     element);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value LoopBuilder::addOutput(Buffer *buffer, AffineMap map) {
  state.pool.touch(buffer, map);
  outputs.push_back(buffer->memory);
  outputElements.push_back(buffer->element);
  outputMaps.push_back(map);
  return fromStorage(body, loc, block->addArgument(storageType(buffer->element), loc),
                     buffer->element);
}

static bool hasDivision(AffineMap map) {
  bool found = false;
  map.walkExprs([&](AffineExpr expr) {
    found |= expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod;
  });
  return found;
}

Value LoopBuilder::read(Buffer *buffer, AffineMap at) {
  Key key = {buffer->memory, at};
  if (Value known = stored.lookup(key))
    return known;
  state.pool.touch(buffer, at);
  Value value;
  if (hasDivision(at)) {
    SmallVector<Value> indices;
    for (AffineExpr expr : at.getResults())
      indices.push_back(positionValue(expr));
    value = memref::LoadOp::create(body, loc, buffer->memory, indices);
  } else {
    value = block->insertArgument(inputs.size(), storageType(buffer->element), loc);
    inputs.push_back(buffer->memory);
    inputMaps.push_back(at);
  }
  return stored[key] = fromStorage(body, loc, value, buffer->element);
}

/// linalg infers each loop's extent from an operand that is indexed by that loop alone. Where there
/// is none, an operand that nobody reads states the extents; and there must be one operand at
/// least.
void LoopBuilder::addSpaceOperand() {
  SmallVector<bool> known(extents.size(), false);
  for (ArrayRef<AffineMap> maps : {ArrayRef(inputMaps), ArrayRef(outputMaps)})
    for (AffineMap map : maps)
      for (AffineExpr expr : map.getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          known[dim.getPosition()] = true;
  bool hasOperands = !inputs.empty() || !outputs.empty();
  if (hasOperands && !llvm::is_contained(known, false))
    return;
  Type i1 = body.getI1Type();
  inputs.push_back(ub::PoisonOp::create(state.builder, loc, MemRefType::get(extents, i1)));
  block->insertArgument(inputs.size() - 1, i1, loc);
  inputMaps.push_back(AffineMap::getMultiDimIdentityMap(extents.size(), body.getContext()));
}

void LoopBuilder::finish(ValueRange values) {
  SmallVector<Value> yielded;
  for (auto [value, element] : llvm::zip_equal(values, outputElements))
    // A fold may have combined what is kept, without converting it.
    yielded.push_back(value.getType() == element ? toStorage(body, loc, value) : value);
  linalg::YieldOp::create(body, loc, yielded);
  addSpaceOperand();
  SmallVector<AffineMap> maps(inputMaps);
  maps.append(outputMaps);
  auto op = linalg::GenericOp::create(state.builder, loc, inputs, outputs, maps, kinds);
  op.getRegion().push_back(block);
  ++state.numLoops;
}
