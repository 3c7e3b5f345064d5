//===- Heuristics.h - Decisions that measuring can switch off ---*- C++ -*-===//
//
// The decisions of the compiler that a measurement on one GPU has taught it, by name, so that
// another measurement can ask what each is worth: code is as correct without any of them. Those
// without which compiling may take unreasonably long or much memory are not among them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ARCH_HEURISTICS_H
#define TILEC_ARCH_HEURISTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec {

/// What can be switched off.
enum class GpuHeuristic {
  FormDots,           ///< Sums of products as products of matrices.
  ChooseLaunch,       ///< Warps of a program by its work; without: 4 warps, 1 CTA.
  UseClusters,        ///< Several CTAs for a large tile.
  PackPrograms,       ///< Several small programs in a CTA.
  VersionKernels,     ///< A version for arguments that make accesses wide.
  MaskRows,           ///< Rows that would be loaded several times.
  FindBlocks,         ///< Tiles of pointers as blocks of tensors.
  SwapFactors,        ///< Transposed products, whose left factor comes from registers.
  ScaleMaxima,        ///< Maxima of scores before these are scaled and masked.
  MarkStreams,        ///< Loads of what is read once leave the caches first.
  StreamTiles,        ///< Large tiles in pieces.
  RollTiles,          ///< Loops over what a thread has of a large tile.
  GroupLoads,         ///< One layout for loads whose values meet.
  RematerializeLoads, ///< A load repeated in another layout, not an exchange.
  BoundSlots,         ///< Fewer loads ahead where that leaves room for another CTA.
  KeepTables,         ///< Rows of small tables when they are needed, not ahead.
  PrefetchLoads,      ///< Loads of the next iteration in this one.
  PersistPrograms,    ///< A CTA that goes on to the next program.
  HoistLoads,         ///< Loads before the first point where threads wait.
  StoreBlocks,        ///< Tiles that hardware stores as blocks.
  DelayProducts,      ///< Products in flight during the next iteration's work.
  SplitProducts,      ///< Products of which half is in flight while the rest is computed.
  PartProducts,       ///< Products in parts where not all sums have registers.
  DeferReductions,    ///< What threads combine in each iteration, behind the loop.
  ShareReductions,    ///< What many warps leave of a reduction, shared by all threads.
  SinkLoads,          ///< Loads from shared memory, and barriers, where registers are few.
  CopyLoads,          ///< Loads that shared memory gets without registers in between.
  SaveBarriers,       ///< Shared memory that is spent to save barriers.
  SplitBarriers,      ///< Barriers of loops with products in two halves.
  ChainProducts,      ///< Products that are added up in chains.
  UnrollLoops,        ///< Loops of a few iterations whole.
  OrderRegisters,     ///< Arithmetic next to what needs it.
  BoundBlocks,        ///< Resident blocks that ptxas is to leave registers for.
};

/// All of them, in the order of the enumeration.
llvm::ArrayRef<GpuHeuristic> allHeuristics();

/// The name on the command line and in IR: "prefetch-loads".
llvm::StringRef heuristicName(GpuHeuristic heuristic);

/// Some heuristics: those that are switched off. A small value; copy it freely.
class HeuristicSet {
public:
  /// Adds the heuristic of that name. The error lists the names that there are.
  llvm::Error add(llvm::StringRef name);
  void add(GpuHeuristic heuristic) { bits |= bitOf(heuristic); }

  bool contains(GpuHeuristic heuristic) const { return (bits & bitOf(heuristic)) != 0; }
  bool empty() const { return bits == 0; }
  /// The names, in the order of the enumeration.
  std::vector<llvm::StringRef> names() const;

  bool operator==(const HeuristicSet &other) const { return bits == other.bits; }
  bool operator!=(const HeuristicSet &other) const { return bits != other.bits; }

private:
  static uint64_t bitOf(GpuHeuristic heuristic) {
    return uint64_t(1) << static_cast<unsigned>(heuristic);
  }

  uint64_t bits = 0;
};
static_assert(static_cast<unsigned>(GpuHeuristic::BoundBlocks) < 64, "the last one has a bit");

} // namespace tilec

#endif // TILEC_ARCH_HEURISTICS_H
