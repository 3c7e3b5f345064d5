//===- Buffers.cpp - memory for the tiles that are kept --------*- C++ -*-===//
//
// Places buffers first-fit in order of their first use. A buffer made outside a loop and used
// inside lives until the loop ends, since the next iteration may use it again. A tile that is
// computed from the last use of another takes that one's place: half the memory to go through.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

/// One cache line, and the widest vector register.
static constexpr int64_t kAlignment = 64;

/// Larger accumulators would not fit in registers, and the stack of a thread may be small.
static constexpr int64_t kMaxStackBytes = 2048;

Type cpu::storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isF16() || element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  return element;
}

Value cpu::toStorage(OpBuilder &builder, Location loc, Value value) {
  Type storage = storageType(value.getType());
  if (storage == value.getType())
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, storage, value);
  return arith::BitcastOp::create(builder, loc, storage, value);
}

Value cpu::fromStorage(OpBuilder &builder, Location loc, Value value, Type element) {
  if (value.getType() == element)
    return value;
  if (element.isInteger(1))
    return arith::TruncIOp::create(builder, loc, element, value);
  return arith::BitcastOp::create(builder, loc, element, value);
}

static int64_t byteCount(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = isa<IntegerType, FloatType>(element)
                      ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8u)
                      : 8; // a pointer
  for (int64_t size : shape)
    bytes *= size;
  return bytes;
}

BufferPool::BufferPool(BlockArgument scratch)
    : scratch(scratch), builder(OpBuilder::atBlockBegin(scratch.getOwner())) {
  mark = arith::ConstantOp::create(builder, scratch.getLoc(), builder.getIndexAttr(0));
  builder.setInsertionPoint(mark);
}

Buffer *BufferPool::create(Location loc, ArrayRef<int64_t> shape, Type element) {
  auto buffer = std::make_unique<Buffer>();
  buffer->element = element;
  buffer->bytes = byteCount(shape, element);
  buffer->first = buffer->last = now;
  buffer->depth = loops.size();
  buffer->offset = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(0));
  buffer->memory =
      memref::ViewOp::create(builder, loc, MemRefType::get(shape, storageType(element)), scratch,
                             buffer->offset, ValueRange());
  buffers.push_back(std::move(buffer));
  return buffers.back().get();
}

Buffer *BufferPool::createAccumulator(Location loc, ArrayRef<int64_t> shape, Type element) {
  if (byteCount(shape, element) > kMaxStackBytes)
    return create(loc, shape, element);
  auto buffer = std::make_unique<Buffer>();
  buffer->element = element;
  auto type = MemRefType::get(shape, storageType(element));
  buffer->memory =
      memref::AllocaOp::create(builder, loc, type, builder.getI64IntegerAttr(kAlignment));
  buffers.push_back(std::move(buffer));
  return buffers.back().get();
}

void BufferPool::touch(Buffer *buffer, AffineMap map) {
  if (buffer->last < now)
    buffer->lastMap = map;
  else if (buffer->lastMap != map)
    buffer->lastMap = {};
  buffer->last = now;
  if (buffer->depth < loops.size())
    loops[buffer->depth].push_back(buffer);
}

void BufferPool::leaveLoop() {
  nextEvent();
  for (Buffer *buffer : loops.pop_back_val()) {
    buffer->last = now;
    buffer->lastMap = {};
  }
}

/// Puts `buffer` in the place of one that dies in the very loop that writes `buffer`, when each
/// iteration reads from the one the element that it writes to the other.
bool BufferPool::placeOver(Buffer *buffer, ArrayRef<std::pair<int64_t, Buffer *>> placed) {
  for (auto &[offset, other] : placed) {
    bool fits = other->last == buffer->first && other->lastMap &&
                other->lastMap == buffer->firstMap && !other->isReused &&
                other->memory.getType() == buffer->memory.getType();
    if (!fits)
      continue;
    other->isReused = true;
    buffer->offset.setValueAttr(other->offset.getValue());
    return true;
  }
  return false;
}

int64_t BufferPool::finish() {
  SmallVector<std::pair<int64_t, Buffer *>> placed; // offset and buffer, live ones only
  int64_t total = 0;
  for (std::unique_ptr<Buffer> &owned : buffers) {
    Buffer *buffer = owned.get();
    if (!buffer->offset)
      continue; // on the stack
    llvm::erase_if(placed, [&](auto &entry) { return entry.second->last < buffer->first; });
    if (placeOver(buffer, placed)) {
      placed.push_back({cast<IntegerAttr>(buffer->offset.getValue()).getInt(), buffer});
      llvm::sort(placed, llvm::less_first());
      continue;
    }
    int64_t offset = 0;
    for (auto &[start, other] : placed) { // sorted by offset
      if (offset + buffer->bytes <= start)
        break;
      offset = std::max(offset, int64_t(llvm::alignTo(start + other->bytes, kAlignment)));
    }
    placed.push_back({offset, buffer});
    llvm::sort(placed, llvm::less_first());
    buffer->offset.setValueAttr(builder.getIndexAttr(offset));
    total = std::max(total, int64_t(llvm::alignTo(offset + buffer->bytes, kAlignment)));
  }
  mark.erase();
  scratch.setType(MemRefType::get({total}, builder.getI8Type()));
  return total;
}
