//===- Dots.cpp - products of matrices as loop nests -----------*- C++ -*-===//
//
// The factors are buffers of the type that products are added in, row by row. The result is written
// in blocks of a few rows of a few vectors each, which stay in registers while a loop adds up the
// products of their rows and columns: each element of a factor that is loaded takes part in as many
// products as the block has rows or columns.
//
//===----------------------------------------------------------------------===//

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

/// Writes the elements of `tile`, or of the buffer `from` that stands for it, into `buffer`, as
/// elements of its type.
static void fill(KernelState &state, Location loc, Value tile, Buffer *buffer,
                 Buffer *from = nullptr) {
  SmallVector<int64_t> extents;
  SmallVector<AffineExpr> position;
  MLIRContext *context = tile.getContext();
  for (int64_t size : cast<RankedTensorType>(tile.getType()).getShape()) {
    if (size == 1) {
      position.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    position.push_back(getAffineDimExpr(extents.size(), context));
    extents.push_back(size);
  }
  SmallVector<utils::IteratorType> kinds(extents.size(), utils::IteratorType::parallel);
  LoopBuilder loop(state, loc, extents, kinds);
  AffineMap own = loop.map(position);
  loop.addOutput(buffer, own);
  Value element = from ? loop.read(from, own) : loop.element(tile, own);
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

namespace {

/// Writes the loops of one product.
class ProductWriter {
public:
  ProductWriter(OpBuilder &b, Location loc, Value lhs, Value rhs, Value acc)
      : b(b), loc(loc), lhs(lhs), rhs(rhs), acc(acc) {
    ArrayRef<int64_t> left = cast<MemRefType>(lhs.getType()).getShape();
    ArrayRef<int64_t> sums = cast<MemRefType>(acc.getType()).getShape();
    stack = sums.size() == 3 ? sums[0] : 0;
    rows = sums[sums.size() - 2];
    columns = sums.back();
    depth = left.back();
  }

  void write(VectorRegisters registers);

private:
  void chooseBlock(VectorRegisters registers);
  void writeMatrix();
  void writeBlock(Value row, Value column);
  SmallVector<Value> addProducts(Value row, Value column, Value at, ValueRange sums);
  Value multiplyAdd(Value left, Value right, Value sum);
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
  int64_t stack, rows, columns, depth;
  int64_t blockRows = 1, blockVectors = 1;
  VectorType vector;
  Value matrix; // Its number in the stack, if there is one.
};

} // namespace

/// Half of the registers hold sums, which do not wait for each other and so hide the latency of an
/// addition; the others are for the factors. A block of few rows has the more vectors. All sizes
/// are powers of two.
void ProductWriter::chooseBlock(VectorRegisters registers) {
  Type element = cast<MemRefType>(acc.getType()).getElementType();
  int64_t lanes = std::min<int64_t>(columns, registers.bytes * 8 / element.getIntOrFloatBitWidth());
  vector = VectorType::get({lanes}, element);
  int64_t sums = registers.count / 2, rowVectors = columns / lanes;
  blockRows = std::min(rows, sums / std::min(rowVectors, kRowVectors));
  blockVectors = std::min(rowVectors, sums / blockRows);
}

void ProductWriter::loop(int64_t end, int64_t step, llvm::function_ref<void(Value)> fill) {
  auto nest = scf::ForOp::create(b, loc, number(0), number(end), number(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(nest.getBody()->getTerminator());
  fill(nest.getInductionVar());
}

/// Contracted where the processor has an instruction for it.
Value ProductWriter::multiplyAdd(Value left, Value right, Value sum) {
  if (isa<IntegerType>(vector.getElementType())) {
    Value product = arith::MulIOp::create(b, loc, left, right);
    return arith::AddIOp::create(b, loc, product, sum);
  }
  auto contract = arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::contract);
  Value product = arith::MulFOp::create(b, loc, left, right, contract);
  return arith::AddFOp::create(b, loc, product, sum, contract);
}

SmallVector<Value> ProductWriter::addProducts(Value row, Value column, Value k, ValueRange sums) {
  SmallVector<Value> rights, results;
  for (int64_t j = 0; j < blockVectors; ++j)
    rights.push_back(vector::LoadOp::create(b, loc, vector, rhs, at(k, vectorAt(column, j))));
  for (int64_t i = 0; i < blockRows; ++i) {
    Value left = memref::LoadOp::create(b, loc, lhs, at(plus(row, i), k));
    left = vector::BroadcastOp::create(b, loc, vector, left);
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
  auto nest = scf::ForOp::create(b, loc, number(0), number(depth), number(1), sums, body);
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

void ProductWriter::write(VectorRegisters registers) {
  chooseBlock(registers);
  if (stack == 0)
    return writeMatrix();
  loop(stack, 1, [&](Value index) {
    matrix = index;
    writeMatrix();
  });
}

void cpu::emitDot(KernelState &state, DotOp op, Buffer *dest) {
  Location loc = op.getLoc();
  Type type = computeType(op);
  bool isWide = type == elementOf(op.getType());
  Buffer *lhs = bufferOf(state, loc, op.getLhs(), type);
  Buffer *rhs = bufferOf(state, loc, op.getRhs(), type);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  Buffer *sums = dest && isWide ? dest : state.pool.create(loc, shape, type);
  if (state.buffers.lookup(op.getAcc()) != sums)
    fill(state, loc, op.getAcc(), sums);
  for (Buffer *buffer : {lhs, rhs, sums})
    state.pool.touch(buffer);
  ProductWriter(state.builder, loc, lhs->memory, rhs->memory, sums->memory).write(state.registers);
  state.pool.nextEvent();
  ++state.numLoops;
  if (!isWide) {
    Buffer *wide = sums;
    sums = dest ? dest : state.pool.create(loc, shape, elementOf(op.getType()));
    fill(state, loc, op.getResult(), sums, wide);
  }
  state.buffers[op.getResult()] = sums;
}
