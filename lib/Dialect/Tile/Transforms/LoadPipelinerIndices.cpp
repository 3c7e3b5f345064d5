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

static int64_t numElements(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

/// Adds the loads that say where `ahead` is to those of indices. Fails, and changes nothing, if a
/// thread would carry too many bytes, or if they look up so little that a table in L1 is likely.
bool LoadPipeliner::addIndices(AheadLoad &ahead) {
  SmallVector<IndexLoad> all = indices;
  tilec::GpuArch target = getTarget(loop);
  auto type = cast<RankedTensorType>(ahead.load.getType());
  int64_t bytesOfElement = byteSize(type.getElementType());
  bool bypassesL1 = isEnabled(loop, tilec::GpuHeuristic::KeepTables) &&
                    ahead.width * bytesOfElement == tilec::kMaxAccessBytes;
  for (Operation *op : ahead.slice) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    if (bypassesL1 && type.getNumElements() * bytesOfElement <
                          numElements(load.getType()) * target.tuning().loads.leastBytesOfIndex)
      return false;
    if (llvm::any_of(all, [&](IndexLoad &known) { return known.load == load; }))
      continue;
    IndexLoad index{load, {}};
    for (Value operand : load->getOperands())
      if (!slices.add(operand, index.slice, LoopSlices::Loads::Any))
        return false;
    all.push_back(std::move(index));
  }
  llvm::sort(all, [](const IndexLoad &a, const IndexLoad &b) {
    return LoadOp(a.load)->isBeforeInBlock(LoadOp(b.load));
  });
  int64_t bytes = 0;
  for (IndexLoad &index : all)
    bytes += bytesOfThread(index.load.getType());
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
