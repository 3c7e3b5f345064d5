//===- DotTiles.cpp - products of matrices by AMX ---------------*- C++ -*-===//
//
// Eight registers hold a tile of up to 16 rows of 64 bytes each. Four of them are sums, a block of
// two by two tiles, to which a loop over the depth adds products of two tiles of each factor. All
// tiles are whole ones: a register has one shape in all of a function, so products of different
// shapes would need registers of their own, and LLVM ends with an error where there are none.
//
// These are LLVM's intrinsics on x86_amx values, not operations of the AMX dialect: its tiles know
// their element types, which bf16 does not survive here (CarryBF16.cpp), and upstream's conversion
// of control flow does not know its types, so that no loop could carry sums.
//
//===----------------------------------------------------------------------===//

#include "DotTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

/// A tile register's rows, the bytes of each, and how many of the 4 bytes of a sum these are.
static constexpr int64_t kTileRows = 16, kTileBytes = 64, kSumBytes = 4;
static constexpr int64_t kTileColumns = kTileBytes / kSumBytes;
/// Tiles of sums along a side of a block.
static constexpr int64_t kSideTiles = 2;

namespace {

/// A matrix in memory, row by row.
struct Matrix {
  Value address;    ///< Of its first element, an !llvm.ptr.
  int64_t rowBytes; ///< From one row to the next.
};

class TileProductWriter {
public:
  TileProductWriter(OpBuilder &b, Location loc, Value lhs, Value rhs, Value acc);

  void write();

private:
  using Tiles = SmallVector<Value, kSideTiles * kSideTiles>;

  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value plus(Value index, int64_t value) {
    return value == 0 ? index : arith::AddIOp::create(b, loc, index, number(value));
  }
  Value constant(unsigned bits, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, bits);
  }
  LLVM::CallIntrinsicOp call(StringRef name, TypeRange results, ValueRange operands);
  Matrix matrixAt(Value memory, Value index);
  Value addressOf(const Matrix &matrix, Value row, Value byte);
  Value load(const Matrix &matrix, Value row, Value byte);
  void store(const Matrix &matrix, Value row, Value byte, Value tile);
  Value multiplyAdd(Value left, Value right, Value sum);
  Tiles addProducts(Value row, Value column, Value k, ValueRange sums);
  void writeBlock(Value row, Value column);
  void writeMatrix(Value index);

  OpBuilder &b;
  Location loc;
  Value lhs, rhs, acc;
  Matrix left, right, sums;
  bool isBytes;
  int64_t stack, rows, columns, depthBytes;
  int64_t sideRows, sideColumns; ///< Tiles of a block.
};

} // namespace

TileProductWriter::TileProductWriter(OpBuilder &b, Location loc, Value lhs, Value rhs, Value acc)
    : b(b), loc(loc), lhs(lhs), rhs(rhs), acc(acc) {
  auto type = cast<MemRefType>(lhs.getType()), sumType = cast<MemRefType>(acc.getType());
  ArrayRef<int64_t> shape = sumType.getShape();
  isBytes = type.getElementType().isInteger(8);
  stack = shape.size() == 3 ? shape[0] : 0;
  rows = shape[shape.size() - 2];
  columns = shape.back();
  depthBytes = type.getShape().back() * (isBytes ? 1 : 2);
  sideRows = std::min(rows / kTileRows, kSideTiles);
  sideColumns = std::min(columns / kTileColumns, kSideTiles);
}

LLVM::CallIntrinsicOp TileProductWriter::call(StringRef name, TypeRange results,
                                              ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, results, b.getStringAttr(name), operands,
                                       LLVM::FastmathFlagsAttr());
}

/// The matrix of number `index` of a stack, or the only one if that is null.
Matrix TileProductWriter::matrixAt(Value memory, Value index) {
  auto type = cast<MemRefType>(memory.getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t rowBytes = type.getShape().back() * elementBytes;
  Value bits = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  if (index) {
    int64_t matrixBytes = type.getShape()[type.getRank() - 2] * rowBytes;
    Value first = arith::MulIOp::create(b, loc, index, number(matrixBytes));
    bits = arith::AddIOp::create(b, loc, bits, first);
  }
  bits = arith::IndexCastOp::create(b, loc, b.getI64Type(), bits);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return {LLVM::IntToPtrOp::create(b, loc, pointer, bits), rowBytes};
}

Value TileProductWriter::addressOf(const Matrix &matrix, Value row, Value byte) {
  Value offset = arith::MulIOp::create(b, loc, row, number(matrix.rowBytes));
  offset = arith::AddIOp::create(b, loc, offset, byte);
  offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), offset);
  return LLVM::GEPOp::create(b, loc, matrix.address.getType(), b.getI8Type(), matrix.address,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value TileProductWriter::load(const Matrix &matrix, Value row, Value byte) {
  auto type = LLVM::LLVMX86AMXType::get(b.getContext());
  Value operands[] = {constant(16, kTileRows), constant(16, kTileBytes),
                      addressOf(matrix, row, byte), constant(64, matrix.rowBytes)};
  return call("llvm.x86.tileloadd64.internal", type, operands).getResult(0);
}

void TileProductWriter::store(const Matrix &matrix, Value row, Value byte, Value tile) {
  Value operands[] = {constant(16, kTileRows), constant(16, kTileBytes),
                      addressOf(matrix, row, byte), constant(64, matrix.rowBytes), tile};
  call("llvm.x86.tilestored64.internal", TypeRange(), operands);
}

Value TileProductWriter::multiplyAdd(Value left, Value right, Value sum) {
  StringRef name = isBytes ? "llvm.x86.tdpbssd.internal" : "llvm.x86.tdpbf16ps.internal";
  Value operands[] = {constant(16, kTileRows),
                      constant(16, kTileBytes),
                      constant(16, kTileBytes),
                      sum,
                      left,
                      right};
  return call(name, sum.getType(), operands).getResult(0);
}

/// `k` counts steps of the depth.
TileProductWriter::Tiles TileProductWriter::addProducts(Value row, Value column, Value k,
                                                        ValueRange sums) {
  Tiles lefts, results;
  Value depth = arith::MulIOp::create(b, loc, k, number(kTileBytes));
  for (int64_t i = 0; i < sideRows; ++i)
    lefts.push_back(load(left, plus(row, i * kTileRows), depth));
  // A column's group of elements takes as many bytes as its sum, so tiles are as wide.
  Value group = arith::MulIOp::create(b, loc, k, number(kTileRows));
  Value byte = arith::MulIOp::create(b, loc, column, number(kSumBytes));
  results.resize(sums.size());
  for (int64_t j = 0; j < sideColumns; ++j) {
    Value factor = load(right, group, plus(byte, j * kTileBytes));
    for (int64_t i = 0; i < sideRows; ++i)
      results[i * sideColumns + j] = multiplyAdd(lefts[i], factor, sums[i * sideColumns + j]);
  }
  return results;
}

void TileProductWriter::writeBlock(Value row, Value column) {
  auto forTiles = [&](function_ref<void(Value, Value)> visit) {
    Value byte = arith::MulIOp::create(b, loc, column, number(kSumBytes));
    for (int64_t i = 0; i < sideRows; ++i)
      for (int64_t j = 0; j < sideColumns; ++j)
        visit(plus(row, i * kTileRows), plus(byte, j * kTileBytes));
  };
  Tiles tiles;
  forTiles([&](Value tileRow, Value byte) { tiles.push_back(load(sums, tileRow, byte)); });
  auto body = [&](OpBuilder &inner, Location, Value k, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(inner.getInsertionBlock());
    scf::YieldOp::create(b, loc, addProducts(row, column, k, carried));
  };
  auto nest = scf::ForOp::create(b, loc, number(0), number(depthBytes / kTileBytes), number(1),
                                 tiles, body);
  auto sum = nest.result_begin();
  forTiles([&](Value tileRow, Value byte) { store(sums, tileRow, byte, *sum++); });
}

/// Columns outside: what a block needs of the right factor stays in the cache.
void TileProductWriter::writeMatrix(Value index) {
  left = matrixAt(lhs, index);
  right = matrixAt(rhs, index);
  sums = matrixAt(acc, index);
  auto columnLoop =
      scf::ForOp::create(b, loc, number(0), number(columns), number(sideColumns * kTileColumns));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(columnLoop.getBody()->getTerminator());
  auto rowLoop = scf::ForOp::create(b, loc, number(0), number(rows), number(sideRows * kTileRows));
  b.setInsertionPoint(rowLoop.getBody()->getTerminator());
  writeBlock(rowLoop.getInductionVar(), columnLoop.getInductionVar());
}

void TileProductWriter::write() {
  if (stack == 0)
    return writeMatrix(Value());
  auto nest = scf::ForOp::create(b, loc, number(0), number(stack), number(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(nest.getBody()->getTerminator());
  writeMatrix(nest.getInductionVar());
}

bool cpu::fillsTiles(int64_t rows, int64_t columns, int64_t depthBytes) {
  return rows % kTileRows == 0 && columns % kTileColumns == 0 && depthBytes % kTileBytes == 0;
}

void cpu::emitTileProduct(OpBuilder &builder, Location loc, Value lhs, Value rhs, Value acc) {
  TileProductWriter(builder, loc, lhs, rhs, acc).write();
}
