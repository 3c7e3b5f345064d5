//===- LoadPipelinerIndices.cpp - loads that others depend on --*- C++ -*-===//
//
// The part of LoadPipeliner that deals with pages, lists and tables: where a load that goes ahead
// finds its elements, another load says. That one is made an iteration further ahead, and the loop
// carries what it brings.
//
//===----------------------------------------------------------------------===//

#include "LoadPipeliner.h"
#include "LoopIterations.h"
#include "tilec/Arch/Tuning.h"

using namespace mlir;
using namespace tilec::tile;

/// Adds the loads in `slice` to those of indices. Fails, and changes nothing, if a thread would
/// carry too many bytes.
bool LoadPipeliner::addIndices(const LoopSlices::Slice &slice) {
  SmallVector<IndexLoad> all = indices;
  for (Operation *op : slice) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || llvm::any_of(all, [&](IndexLoad &known) { return known.load == load; }))
      continue;
    IndexLoad index{load, {}};
    for (Value operand : load->getOperands())
      if (!slices.add(operand, index.slice, /*mayLoad=*/true))
        return false;
    all.push_back(std::move(index));
  }
  llvm::sort(all, [](const IndexLoad &a, const IndexLoad &b) {
    return LoadOp(a.load)->isBeforeInBlock(LoadOp(b.load));
  });
  int64_t bytes = 0;
  for (IndexLoad &index : all)
    bytes += bytesOfThread(index.load.getType());
  tilec::GpuArch target = getTarget(loop);
  if (bytes > target.tuning().loads.mostBytesCarried)
    return false;
  indices = std::move(all);
  return true;
}

/// Makes the loads of indices of an iteration, if there is one.
SmallVector<Value> LoadPipeliner::loadIndices(const Iteration &iteration) {
  SmallVector<Value> loaded;
  if (indices.empty())
    return loaded;
  Value exists = hasIterationAhead(builder, loop, iteration.counter, iteration.ahead);
  IRMapping mapping = valuesOf(iteration);
  for (IndexLoad &index : indices) {
    LoopSlices::clone(builder, index.slice, mapping);
    loaded.push_back(loadIf(builder, index.load, exists,
                            [&](Value value) { return mapping.lookupOrDefault(value); }));
    mapping.map(index.load.getResult(), loaded.back());
  }
  return loaded;
}
