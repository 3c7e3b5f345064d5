//===- Heuristics.cpp - Decisions that measuring can switch off -*- C++ -*-===//
//
// The names of the heuristics, which stand on the command line and in `tile.disabled_heuristics`,
// and sets of them. The table is in the order of the enumeration, which is the order in which
// errors list the names.
//
//===----------------------------------------------------------------------===//

#include "tilec/Arch/Heuristics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tilec;
using llvm::StringRef;

llvm::ArrayRef<GpuHeuristic> tilec::allHeuristics() {
  static constexpr GpuHeuristic all[] = {
      GpuHeuristic::FormDots,        GpuHeuristic::ChooseLaunch,
      GpuHeuristic::UseClusters,     GpuHeuristic::PackPrograms,
      GpuHeuristic::VersionKernels,  GpuHeuristic::MaskRows,
      GpuHeuristic::FindBlocks,      GpuHeuristic::SwapFactors,
      GpuHeuristic::ScaleMaxima,     GpuHeuristic::MarkStreams,
      GpuHeuristic::StreamTiles,     GpuHeuristic::RollTiles,
      GpuHeuristic::GroupLoads,      GpuHeuristic::RematerializeLoads,
      GpuHeuristic::BoundSlots,      GpuHeuristic::KeepTables,
      GpuHeuristic::PrefetchLoads,   GpuHeuristic::PersistPrograms,
      GpuHeuristic::HoistLoads,      GpuHeuristic::StoreBlocks,
      GpuHeuristic::DelayProducts,   GpuHeuristic::SplitProducts,
      GpuHeuristic::PartProducts,    GpuHeuristic::DeferReductions,
      GpuHeuristic::ShareReductions, GpuHeuristic::SinkLoads,
      GpuHeuristic::CopyLoads,       GpuHeuristic::SaveBarriers,
      GpuHeuristic::SplitBarriers,   GpuHeuristic::ChainProducts,
      GpuHeuristic::UnrollLoops,     GpuHeuristic::OrderRegisters,
      GpuHeuristic::BoundBlocks};
  return all;
}

StringRef tilec::heuristicName(GpuHeuristic heuristic) {
  switch (heuristic) {
  case GpuHeuristic::FormDots:
    return "form-dots";
  case GpuHeuristic::ChooseLaunch:
    return "choose-launch";
  case GpuHeuristic::UseClusters:
    return "use-clusters";
  case GpuHeuristic::PackPrograms:
    return "pack-programs";
  case GpuHeuristic::VersionKernels:
    return "version-kernels";
  case GpuHeuristic::MaskRows:
    return "mask-rows";
  case GpuHeuristic::FindBlocks:
    return "find-blocks";
  case GpuHeuristic::SwapFactors:
    return "swap-factors";
  case GpuHeuristic::ScaleMaxima:
    return "scale-maxima";
  case GpuHeuristic::MarkStreams:
    return "mark-streams";
  case GpuHeuristic::StreamTiles:
    return "stream-tiles";
  case GpuHeuristic::RollTiles:
    return "roll-tiles";
  case GpuHeuristic::GroupLoads:
    return "group-loads";
  case GpuHeuristic::RematerializeLoads:
    return "rematerialize-loads";
  case GpuHeuristic::BoundSlots:
    return "bound-slots";
  case GpuHeuristic::KeepTables:
    return "keep-tables";
  case GpuHeuristic::PrefetchLoads:
    return "prefetch-loads";
  case GpuHeuristic::PersistPrograms:
    return "persist-programs";
  case GpuHeuristic::HoistLoads:
    return "hoist-loads";
  case GpuHeuristic::StoreBlocks:
    return "store-blocks";
  case GpuHeuristic::DelayProducts:
    return "delay-products";
  case GpuHeuristic::SplitProducts:
    return "split-products";
  case GpuHeuristic::PartProducts:
    return "part-products";
  case GpuHeuristic::DeferReductions:
    return "defer-reductions";
  case GpuHeuristic::ShareReductions:
    return "share-reductions";
  case GpuHeuristic::SinkLoads:
    return "sink-loads";
  case GpuHeuristic::CopyLoads:
    return "copy-loads";
  case GpuHeuristic::SaveBarriers:
    return "save-barriers";
  case GpuHeuristic::SplitBarriers:
    return "split-barriers";
  case GpuHeuristic::ChainProducts:
    return "chain-products";
  case GpuHeuristic::UnrollLoops:
    return "unroll-loops";
  case GpuHeuristic::OrderRegisters:
    return "order-registers";
  case GpuHeuristic::BoundBlocks:
    return "bound-blocks";
  }
  llvm_unreachable("every heuristic has a name");
}

llvm::Error HeuristicSet::add(StringRef name) {
  for (GpuHeuristic heuristic : allHeuristics())
    if (heuristicName(heuristic) == name) {
      add(heuristic);
      return llvm::Error::success();
    }
  std::string known = llvm::join(llvm::map_range(allHeuristics(), heuristicName), ", ");
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "unknown heuristic '" +
                                                                     name.take_front(64) +
                                                                     "' (known: " + known + ")");
}

std::vector<StringRef> HeuristicSet::names() const {
  std::vector<StringRef> result;
  for (GpuHeuristic heuristic : allHeuristics())
    if (contains(heuristic))
      result.push_back(heuristicName(heuristic));
  return result;
}
