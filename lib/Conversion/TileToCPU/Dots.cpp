//===- Dots.cpp - products of matrices as loop nests -----------*- C++ -*-===//
//
// The factors are buffers, row by row. The result is written in blocks of a few rows of a few
// vectors each, which stay in registers while a loop adds up the products of their rows and
// columns: each element of a factor that is loaded takes part in as many products as the block has
// rows or columns.
//
// The factors have the type that products are added in, unless the processor does better: it may
// add up products of pairs of i16, or of matrices (DotTiles.cpp). Then groups of as many rows of
// the right factor lie packed, element by element, as one instruction adds up.
//
//===----------------------------------------------------------------------===//

#include "DotTiles.h"
#include "Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

/// Vectors in a row of a block, where it has as many rows as it may: an element of the left factor
/// that is loaded serves both, and loads stay fewer than multiplications.
static constexpr int64_t kRowVectors = 2;

/// The type that products of `dot` are computed and added in.
static Type computeType(DotOp dot) {
  Type element = elementOf(dot.getType());
  return element.isF16() ? Float32Type::get(dot.getContext()) : element;
}

/// `value` as an element of `type`, of the same kind.
static Value converted(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<IntegerType>(type))
    return arith::ExtSIOp::create(b, loc, type, value);
  if (type.getIntOrFloatBitWidth() < value.getType().getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, type, value);
  return arith::ExtFOp::create(b, loc, type, value);
}

namespace {
/// How a product is computed, and from what.
struct Form {
  Type factors, sums;
  int64_t group = 1; ///< Rows of the right factor that lie packed.
  bool byTiles = false;
};
} // namespace

static Form chooseForm(DotOp dot, const Processor &processor) {
  Type sums = computeType(dot), factors = elementOf(dot.getLhs().getType());
  int64_t depth = cast<RankedTensorType>(dot.getLhs().getType()).getShape().back();
  bool isBytes = factors.isInteger(8) && sums.isInteger(32);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(dot.getType()).getShape().take_back(2);
  if (processor.hasTiles && (isBytes || (factors.isBF16() && sums.isF32())) &&
      fillsTiles(shape[0], shape[1], depth * factors.getIntOrFloatBitWidth() / 8))
    return {factors, sums, kTileGroupBits / factors.getIntOrFloatBitWidth(), /*byTiles=*/true};
  if (processor.addsPairs && isBytes && depth % 2 == 0)
    return {IntegerType::get(dot.getContext(), 16), sums, /*group=*/2};
  return {sums, sums};
}

/// Writes the elements of `tile`, or of the buffer `from` that stands for it, into `buffer`, as
/// elements of its type. Where `group` is not 1, the buffer has so many rows of the tile packed.
static void fill(KernelState &state, Location loc, Value tile, Buffer *buffer,
                 Buffer *from = nullptr, int64_t group = 1) {
  SmallVector<int64_t> extents, shape(cast<RankedTensorType>(tile.getType()).getShape());
  SmallVector<AffineExpr> position;
  MLIRContext *context = tile.getContext();
  if (group != 1) {
    shape[shape.size() - 2] /= group;
    shape.push_back(group);
  }
  for (int64_t size : shape) {
    if (size == 1) {
      position.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    position.push_back(getAffineDimExpr(extents.size(), context));
    extents.push_back(size);
  }
  SmallVector<utils::IteratorType> kinds(extents.size(), utils::IteratorType::parallel);
  LoopBuilder loop(state, loc, extents, kinds);
  loop.addOutput(buffer, loop.map(position));
  if (group != 1) {
    AffineExpr inGroup = position.pop_back_val();
    AffineExpr &row = position[position.size() - 2];
    row = row * group + inGroup;
  }
  AffineMap read = loop.map(position);
  Value element = from ? loop.read(from, read) : loop.element(tile, read);
  loop.finish(converted(loop.ops(), loc, element, buffer->element));
  state.pool.nextEvent();
}

/// A buffer with the elements of `tile` as elements of `type`.
static Buffer *bufferOf(KernelState &state, Location loc, Value tile, Type type) {
  if (Buffer *kept = state.buffers.lookup(tile); kept && kept->element == type)
    return kept;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  Buffer *buffer = state.pool.create(loc, shape, type);
  fill(state, loc, tile, buffer);
  return buffer;
}

/// A buffer with the rows of `tile`, the right factor, packed by groups.
static Buffer *packedBufferOf(KernelState &state, Location loc, Value tile, const Form &form) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(tile.getType()).getShape());
  shape[shape.size() - 2] /= form.group;
  shape.push_back(form.group);
  Buffer *buffer = state.pool.create(loc, shape, form.factors);
  fill(state, loc, tile, buffer, state.buffers.lookup(tile), form.group);
  return buffer;
}

/// The memory of a packed factor, whose groups of rows are its rows.
static Value rowsOfGroups(KernelState &state, Location loc, Buffer *buffer) {
  auto type = cast<MemRefType>(buffer->memory.getType());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.back() *= type.getShape().back();
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size() - 1; axis-- > 0;)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  auto rows = MemRefType::get(shape, type.getElementType());
  return memref::ReinterpretCastOp::create(state.builder, loc, rows, buffer->memory, /*offset=*/0,
                                           shape, strides);
}

namespace {

/// Writes the loops of one product. Rows of `rhs` are groups of rows of the factor, packed.
class ProductWriter {
public:
  ProductWriter(OpBuilder &b, Location loc, Value lhs, Value rhs, Value acc, int64_t group)
      : b(b), loc(loc), lhs(lhs), rhs(rhs), acc(acc), group(group) {
    ArrayRef<int64_t> left = cast<MemRefType>(lhs.getType()).getShape();
    ArrayRef<int64_t> sums = cast<MemRefType>(acc.getType()).getShape();
    stack = sums.size() == 3 ? sums[0] : 0;
    rows = sums[sums.size() - 2];
    columns = sums.back();
    depth = left.back();
  }

  void write(const Processor &processor);

private:
  void chooseBlock(const Processor &processor);
  void writeMatrix();
  void writeBlock(Value row, Value column);
  SmallVector<Value> addProducts(Value row, Value column, Value at, ValueRange sums);
  Value multiplyAdd(Value left, Value right, Value sum);
  Value loadLeft(Value row, Value k);
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value plus(Value index, int64_t value) {
    return value == 0 ? index : arith::AddIOp::create(b, loc, index, number(value));
  }
  /// Where vector `j` of the vectors from `column` on starts.
  Value vectorAt(Value column, int64_t j) { return plus(column, j * vector.getNumElements()); }
  SmallVector<Value> at(Value row, Value column) {
    SmallVector<Value> indices = {row, column};
    if (matrix)
      indices.insert(indices.begin(), matrix);
    return indices;
  }
  /// A loop from 0 to `end`, whose body `fill` writes.
  void loop(int64_t end, int64_t step, llvm::function_ref<void(Value)> fill);

  OpBuilder &b;
  Location loc;
  Value lhs, rhs, acc;
  int64_t group;
  int64_t stack, rows, columns, depth;
  int64_t blockRows = 1, blockVectors = 1;
  VectorType vector;
  Value matrix; // Its number in the stack, if there is one.
};

} // namespace

/// Half of the registers hold sums, which do not wait for each other and so hide the latency of an
/// addition; the others are for the factors. A block of few rows has the more vectors. All sizes
/// are powers of two.
void ProductWriter::chooseBlock(const Processor &processor) {
  Type element = cast<MemRefType>(acc.getType()).getElementType();
  int64_t bits = processor.vectorBytes * 8;
  int64_t lanes = std::min<int64_t>(columns, bits / element.getIntOrFloatBitWidth());
  vector = VectorType::get({lanes}, element);
  int64_t sums = processor.vectorRegisters / 2, rowVectors = columns / lanes;
  blockRows = std::min(rows, sums / std::min(rowVectors, kRowVectors));
  blockVectors = std::min(rowVectors, sums / blockRows);
}

void ProductWriter::loop(int64_t end, int64_t step, llvm::function_ref<void(Value)> fill) {
  auto nest = scf::ForOp::create(b, loc, number(0), number(end), number(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(nest.getBody()->getTerminator());
  fill(nest.getInductionVar());
}

/// Contracted where the processor has an instruction for it. Of pairs this is the form in which
/// LLVM finds vpmaddwd and vpdpwssd.
Value ProductWriter::multiplyAdd(Value left, Value right, Value sum) {
  if (group != 1) {
    auto wide = VectorType::get({group * vector.getNumElements()}, vector.getElementType());
    Value product = arith::MulIOp::create(b, loc, arith::ExtSIOp::create(b, loc, wide, left),
                                          arith::ExtSIOp::create(b, loc, wide, right));
    SmallVector<int64_t> even, odd;
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      even.push_back(2 * lane);
      odd.push_back(2 * lane + 1);
    }
    Value pairs =
        arith::AddIOp::create(b, loc, vector::ShuffleOp::create(b, loc, product, product, even),
                              vector::ShuffleOp::create(b, loc, product, product, odd));
    return arith::AddIOp::create(b, loc, pairs, sum);
  }
  if (isa<IntegerType>(vector.getElementType())) {
    Value product = arith::MulIOp::create(b, loc, left, right);
    return arith::AddIOp::create(b, loc, product, sum);
  }
  auto contract = arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::contract);
  Value product = arith::MulFOp::create(b, loc, left, right, contract);
  return arith::AddFOp::create(b, loc, product, sum, contract);
}

/// An element of the left factor, or a group of them, in all lanes.
Value ProductWriter::loadLeft(Value row, Value k) {
  if (group == 1) {
    Value element = memref::LoadOp::create(b, loc, lhs, at(row, k));
    return vector::BroadcastOp::create(b, loc, vector, element);
  }
  Type element = cast<MemRefType>(lhs.getType()).getElementType();
  Value depth = arith::MulIOp::create(b, loc, k, number(group));
  Value pair =
      vector::LoadOp::create(b, loc, VectorType::get({group}, element), lhs, at(row, depth));
  Type word = vector.getElementType();
  Value asWord = vector::BitCastOp::create(b, loc, VectorType::get({1}, word), pair);
  Value words = vector::BroadcastOp::create(b, loc, vector, asWord);
  auto lanes = VectorType::get({group * vector.getNumElements()}, element);
  return vector::BitCastOp::create(b, loc, lanes, words);
}

SmallVector<Value> ProductWriter::addProducts(Value row, Value column, Value k, ValueRange sums) {
  SmallVector<Value> rights, results;
  Type element = cast<MemRefType>(rhs.getType()).getElementType();
  auto type = VectorType::get({group * vector.getNumElements()}, element);
  for (int64_t j = 0; j < blockVectors; ++j) {
    Value first = vectorAt(column, j);
    if (group != 1)
      first = arith::MulIOp::create(b, loc, first, number(group));
    rights.push_back(vector::LoadOp::create(b, loc, type, rhs, at(k, first)));
  }
  for (int64_t i = 0; i < blockRows; ++i) {
    Value left = loadLeft(plus(row, i), k);
    for (Value right : rights)
      results.push_back(multiplyAdd(left, right, sums[results.size()]));
  }
  return results;
}

void ProductWriter::writeBlock(Value row, Value column) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < blockRows; ++i)
    for (int64_t j = 0; j < blockVectors; ++j)
      sums.push_back(
          vector::LoadOp::create(b, loc, vector, acc, at(plus(row, i), vectorAt(column, j))));
  auto body = [&](OpBuilder &inner, Location, Value k, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(inner.getInsertionBlock());
    scf::YieldOp::create(b, loc, addProducts(row, column, k, carried));
  };
  auto nest = scf::ForOp::create(b, loc, number(0), number(depth / group), number(1), sums, body);
  auto sum = nest.result_begin();
  for (int64_t i = 0; i < blockRows; ++i)
    for (int64_t j = 0; j < blockVectors; ++j)
      vector::StoreOp::create(b, loc, *sum++, acc, at(plus(row, i), vectorAt(column, j)));
}

/// Columns outside: what a block needs of the right factor stays in the cache.
void ProductWriter::writeMatrix() {
  loop(columns, blockVectors * vector.getNumElements(),
       [&](Value column) { loop(rows, blockRows, [&](Value row) { writeBlock(row, column); }); });
}

void ProductWriter::write(const Processor &processor) {
  chooseBlock(processor);
  if (stack == 0)
    return writeMatrix();
  loop(stack, 1, [&](Value index) {
    matrix = index;
    writeMatrix();
  });
}

void cpu::emitDot(KernelState &state, DotOp op, Buffer *dest) {
  Location loc = op.getLoc();
  Form form = chooseForm(op, state.processor);
  bool isWide = form.sums == elementOf(op.getType());
  Buffer *lhs = bufferOf(state, loc, op.getLhs(), form.factors);
  Buffer *rhs = form.group == 1 ? bufferOf(state, loc, op.getRhs(), form.factors)
                                : packedBufferOf(state, loc, op.getRhs(), form);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  Buffer *sums = dest && isWide ? dest : state.pool.create(loc, shape, form.sums);
  if (state.buffers.lookup(op.getAcc()) != sums)
    fill(state, loc, op.getAcc(), sums);
  for (Buffer *buffer : {lhs, rhs, sums})
    state.pool.touch(buffer);
  Value right = form.group == 1 ? rhs->memory : rowsOfGroups(state, loc, rhs);
  if (form.byTiles)
    emitTileProduct(state.builder, loc, lhs->memory, right, sums->memory);
  else
    ProductWriter(state.builder, loc, lhs->memory, right, sums->memory, form.group)
        .write(state.processor);
  state.pool.nextEvent();
  ++state.numLoops;
  if (!isWide) {
    Buffer *wide = sums;
    sums = dest ? dest : state.pool.create(loc, shape, elementOf(op.getType()));
    fill(state, loc, op.getResult(), sums, wide);
  }
  state.buffers[op.getResult()] = sums;
}
