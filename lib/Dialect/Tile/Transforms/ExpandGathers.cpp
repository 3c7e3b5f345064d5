//===- ExpandGathers.cpp - elements at computed places of a tile -*- C++ -*-===//
//
// A part of tile-expand-exchanges. The tile goes into a buffer, of which each thread reads what its
// indices say, in whichever layout: a conversion of the result is none if indices can be made in
// that layout.
//
// A loop may take one row after the other of the same tile. Then the tile is stored before the
// loop, and an iteration only reads, without a barrier.
//
//===----------------------------------------------------------------------===//

#include "ExpandExchanges.h"
#include "SharedLifetimes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Layouts of results
//===----------------------------------------------------------------------===//

/// The operations that make `value` from scalars in any layout, last first; nothing if there are
/// others.
static std::optional<SmallVector<Operation *>> madeFromScalars(Value value) {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    chain.push_back(op);
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (isa<SplatOp>(op) || (constant && isa<SplatElementsAttr>(constant.getValue())))
      return chain;
    if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

void tilec::tile::gatherAs(ConvertLayoutOp convert, RewriterBase &rewriter) {
  auto gather = convert.getSrc().getDefiningOp<GatherOp>();
  if (!gather || !gather->hasOneUse())
    return;
  auto chain = madeFromScalars(gather.getIndices());
  if (!chain)
    return;
  auto wanted = cast<RankedTensorType>(convert.getType());
  rewriter.setInsertionPoint(gather);
  Value indices;
  for (Operation *op : llvm::reverse(*chain)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto inLayout =
        RankedTensorType::get(type.getShape(), type.getElementType(), wanted.getEncoding());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      indices = arith::ConstantOp::create(rewriter, op->getLoc(),
                                          cast<TypedAttr>(elements.reshape(inLayout)));
      continue;
    }
    IRMapping mapping;
    if (indices)
      mapping.map(op->getOperand(0), indices);
    Operation *again = rewriter.clone(*op, mapping);
    again->getResult(0).setType(inLayout);
    indices = again->getResult(0);
  }
  rewriter.replaceOpWithNewOp<GatherOp>(convert, wanted, gather.getSrc(), indices,
                                        gather.getAxis());
  rewriter.eraseOp(gather);
  for (Operation *op : *chain)
    if (op->use_empty())
      rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The outermost of the loops around `op` that do not change `tile`; null if there is none.
static Operation *loopWithout(Value tile, Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); isa<scf::ForOp, scf::WhileOp, scf::IfOp>(parent);
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (loop && !loop.isDefinedOutsideOfLoop(tile))
      break;
    outermost = loop ? parent : outermost;
  }
  return outermost;
}

/// What stores `tile` in a buffer of this type before `loop`, in the same block, and is the only
/// one to write there; null if there is nothing.
static BufferStoreOp storeBefore(Operation *loop, Value tile, BufferType type) {
  for (Operation *user : tile.getUsers()) {
    auto store = dyn_cast<BufferStoreOp>(user);
    if (store && store->getBlock() == loop->getBlock() && store->isBeforeInBlock(loop) &&
        store.getBuffer().getType() == type &&
        llvm::all_of(store.getBuffer().getUsers(), [&](Operation *other) {
          return other == store || isa<BufferGatherOp>(other);
        }))
      return store;
  }
  return {};
}

/// A buffer with all of `tile` that `loop`, which does not change it, may read in each iteration;
/// null if keeping it costs a resident CTA.
static Value bufferBefore(Operation *loop, Value tile, BufferType type, RewriterBase &rewriter) {
  if (BufferStoreOp store = storeBefore(loop, tile, type))
    return store.getBuffer();
  auto kernel = loop->getParentOfType<func::FuncOp>();
  int64_t taken = SharedLifetimes(kernel).mostBytes();
  if (taken + type.getBytes() > sharedBesideRegisters(kernel, taken))
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Value buffer = AllocBufferOp::create(rewriter, loop->getLoc(), type);
  storeInto(rewriter, loop->getLoc(), tile, buffer);
  return buffer;
}

void tilec::tile::expandGather(GatherOp op, RewriterBase &rewriter) {
  Value tile = op.getSrc();
  SmallVector<int32_t> peers = holdersOf(layoutOf(tile));
  BufferType type = wholeBufferType(op->getParentOp(), tile);
  auto gatherFrom = [&](Value buffer, Value previous, uint32_t round) -> Value {
    return BufferGatherOp::create(rewriter, op.getLoc(), op.getType(), buffer, op.getIndices(),
                                  op.getAxis(), previous, round);
  };
  if (Operation *loop = loopWithout(tile, op); loop && peers.empty() && type.getRounds() == 1)
    if (Value buffer = bufferBefore(loop, tile, type, rewriter))
      return rewriter.replaceOp(op, gatherFrom(buffer, /*previous=*/Value(), /*round=*/0));
  Value buffer = AllocBufferOp::create(rewriter, op.getLoc(), type);
  Value result;
  for (uint32_t round = 0; round < type.getRounds(); ++round) {
    storeInto(rewriter, op.getLoc(), tile, buffer, round, peers);
    result = gatherFrom(buffer, result, round);
  }
  rewriter.replaceOp(op, result);
}
