//===- Timeline.cpp - what is in flight, in program order -------*- C++ -*-===//
//
// The operations that start something, wait for it, or wait for other threads, as a tree of loops,
// branches and roles of warps. The page follows a few iterations of it to find what is in flight
// when.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;

namespace {

class TimelineReader {
public:
  explicit TimelineReader(FactContext &context) : context(context) {}

  json::Array read(mlir::Region &region);

private:
  std::optional<json::Object> describe(mlir::Operation *op);
  std::optional<json::Object> describeCopy(mlir::Operation *op);
  std::optional<json::Object> describeBarrier(mlir::Operation *op);
  json::Object nest(mlir::Operation *op, llvm::StringRef kind, mlir::Region &region);
  json::Object event(mlir::Operation *op, llvm::StringRef kind) {
    json::Object result = context.describe(op);
    result["kind"] = kind;
    return result;
  }
  /// A number for a buffer or a barrier.
  unsigned numberOf(mlir::Value value) {
    return numbers.try_emplace(value, unsigned(numbers.size())).first->second;
  }
  void setBuffer(json::Object &fact, mlir::TypedValue<tile::BufferType> buffer) {
    fact["buffer"] = numberOf(buffer);
    fact["slots"] = buffer.getType().getSlots();
    fact["bytes"] = buffer.getType().getMap() ? buffer.getType().getSlotBytes() : 0;
  }

  FactContext &context;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
};

} // namespace

std::optional<json::Object> TimelineReader::describeCopy(mlir::Operation *op) {
  if (auto copy = mlir::dyn_cast<tile::BufferCopyOp>(op)) {
    json::Object fact = event(op, "copy");
    setBuffer(fact, copy.getBuffer());
    return fact;
  }
  if (auto copy = mlir::dyn_cast<tile::BulkCopyOp>(op)) {
    json::Object fact = event(op, "bulkCopy");
    setBuffer(fact, copy.getBuffer());
    if (copy.getBarrier())
      fact["barrier"] = numberOf(copy.getBarrier());
    return fact;
  }
  if (auto store = mlir::dyn_cast<tile::BulkStoreOp>(op)) {
    json::Object fact = event(op, "bulkStore");
    setBuffer(fact, store.getBuffer());
    return fact;
  }
  if (mlir::isa<tile::BulkStoreWaitOp>(op))
    return event(op, "bulkStoreWait");
  if (mlir::isa<tile::AsyncCommitOp>(op))
    return event(op, "commit");
  if (auto wait = mlir::dyn_cast<tile::AsyncWaitOp>(op)) {
    json::Object fact = event(op, "copyWait");
    fact["pending"] = wait.getPending();
    return fact;
  }
  return std::nullopt;
}

std::optional<json::Object> TimelineReader::describeBarrier(mlir::Operation *op) {
  if (mlir::isa<tile::BarrierOp>(op))
    return event(op, "barrier");
  if (mlir::isa<tile::ClusterArriveOp>(op))
    return event(op, "clusterArrive");
  if (mlir::isa<tile::ClusterWaitOp>(op))
    return event(op, "clusterWait");
  if (auto arrive = mlir::dyn_cast<tile::MBarrierArriveOp>(op)) {
    json::Object fact = event(op, "arrive");
    fact["barrier"] = numberOf(arrive.getBarrier());
    fact["afterCopies"] = arrive.getAfterCopies();
    return fact;
  }
  if (auto wait = mlir::dyn_cast<tile::MBarrierWaitOp>(op)) {
    json::Object fact = event(op, "barrierWait");
    fact["barrier"] = numberOf(wait.getBarrier());
    return fact;
  }
  return std::nullopt;
}

std::optional<json::Object> TimelineReader::describe(mlir::Operation *op) {
  if (std::optional<json::Object> copy = describeCopy(op))
    return copy;
  if (std::optional<json::Object> barrier = describeBarrier(op))
    return barrier;
  if (mlir::isa<tile::GroupDotOp>(op))
    return event(op, "groupProduct");
  if (auto wait = mlir::dyn_cast<tile::GroupWaitOp>(op)) {
    json::Object fact = event(op, "productWait");
    fact["pending"] = wait.getPending();
    return fact;
  }
  if (mlir::isa<tile::DotOp>(op))
    return event(op, "product");
  if (auto load = mlir::dyn_cast<tile::BufferLoadOp>(op)) {
    json::Object fact = event(op, "sharedLoad");
    setBuffer(fact, load.getBuffer());
    return fact;
  }
  if (auto store = mlir::dyn_cast<tile::BufferStoreOp>(op)) {
    json::Object fact = event(op, "sharedStore");
    setBuffer(fact, store.getBuffer());
    return fact;
  }
  if (mlir::isa<tile::PrivateLoadOp>(op))
    return event(op, "privateLoad");
  if (mlir::isa<tile::PrivateStoreOp>(op))
    return event(op, "privateStore");
  if (mlir::isa<tile::LoadOp>(op))
    return event(op, "load");
  if (mlir::isa<tile::StoreOp>(op))
    return event(op, "store");
  if (mlir::isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return event(op, "atomic");
  return std::nullopt;
}

json::Object TimelineReader::nest(mlir::Operation *op, llvm::StringRef kind, mlir::Region &region) {
  json::Object result = event(op, kind);
  result["body"] = read(region);
  return result;
}

json::Array TimelineReader::read(mlir::Region &region) {
  json::Array result;
  for (mlir::Operation &op : region.getOps()) {
    if (std::optional<json::Object> fact = describe(&op)) {
      result.push_back(std::move(*fact));
      continue;
    }
    auto roles = mlir::dyn_cast<tile::WarpRolesOp>(op);
    bool isLoop = mlir::isa<mlir::LoopLikeOpInterface>(op);
    if (tile::isInScalarCode(&op) || op.hasTrait<tile::HasScalarCode>())
      continue;
    for (auto [index, inner] : llvm::enumerate(op.getRegions())) {
      json::Object nested = nest(&op, roles ? "role" : isLoop ? "loop" : "branch", inner);
      if (roles) {
        nested["warps"] = roles.getNumWarps()[index];
        nested["registers"] = roles.getRegisters()[index];
      } else if (!isLoop) {
        nested["alternative"] = index;
      }
      if (!nested.getArray("body")->empty())
        result.push_back(std::move(nested));
    }
  }
  return result;
}

json::Array tilec::report::collectTimeline(FactContext &context) {
  json::Array result;
  for (auto kernel : context.module.getOps<mlir::func::FuncOp>()) {
    if (!kernel->hasAttr(tile::kKernelAttr))
      continue;
    result.push_back(json::Object{{"kernel", kernel.getName()},
                                  {"events", TimelineReader(context).read(kernel.getBody())}});
  }
  return result;
}
