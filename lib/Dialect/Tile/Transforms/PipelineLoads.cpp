//===- PipelineLoads.cpp - load ahead of the loop --------------*- C++ -*-===//
//
// The pass `tile-pipeline-loads`. A loop of N stages has the loads of its next N-1 iterations under
// way:
//
//   for k in 0 .. N-2: start the loads of iteration k into slot k; commit
//   for each iteration: start the loads of the iteration N-1 ahead, if there is one; commit;
//                       wait until only N-1 groups are pending; read the slot; compute
//
// Every thread copies what it reads later itself, so the loop has no barrier for it. Where threads
// share elements, one copies for all, and the wait comes first: one barrier then stands between it
// and the copies. A load can go ahead when its pointers and mask follow from the loop's counter and
// from what the loop carries by operations without effects (LoopSlices.h), loads of indices among
// them. What is carried and changed by more than a constant is carried twice, the second time as it
// is N-1 iterations ahead. As in Triton, whoever asks for stages says that no iteration stores what
// one of the next N-1 loads.
//
// Loads of a product's factors are pipelined without being asked for, in loops that write nothing.
// What they bring is read in each layout that a user wants, those of fragments among them, by other
// threads than have copied it, from a placement that suits all (MatrixAccess.h).
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "LoadPipeliner.h"
#include "LoopIterations.h"
#include "WarpRoles.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Dialect/Tile/IR/Packing.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPIPELINELOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

namespace {

struct PipelineLoads : tilec::tile::impl::TilePipelineLoadsBase<PipelineLoads> {
  using TilePipelineLoadsBase::TilePipelineLoadsBase;

  void runOnOperation() override {
    placed.clear(); // Of another function.
    taken = 0;
    FlattenedLoop::dropOrdered(getOperation());
    pipelineAll();
    // From here on nobody copies whole blocks any more, or starts loads early.
    getOperation().walk([](LoadOp load) { load.getBlockMutable().clear(); });
    getOperation().walk([](BlockOp block) {
      if (block->use_empty())
        block.erase();
    });
  }

private:
  void pipelineAll() {
    func::FuncOp function = getOperation();
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    if (loops.empty() || !getTarget(function).has(tilec::GpuFeature::AsyncCopy))
      return;
    AxisInfoAnalysis axes(function);
    if (function->hasAttr(kKernelAttr) && prepareRoles(loops, axes))
      return;
    // Inner loops come first, and may have the one around them replaced.
    for (size_t index = 0; index < loops.size(); ++index) {
      Operation *before = loops[index]->getParentOp();
      scf::ForOp around = pipeline(loops[index], axes);
      if (!around)
        continue;
      for (scf::ForOp &other : loops)
        if (other == before)
          other = around;
      for (Slots &other : placed)
        if (other.loop == before)
          other.loop = around;
    }
  }

  /// What the loop asks for; for products what the kernel asks for.
  std::optional<int64_t> askedStages(scf::ForOp loop) {
    for (Operation *op : {loop.getOperation(), getOperation().getOperation()})
      if (auto stages = op->getAttrOfType<IntegerAttr>(kNumStagesAttr))
        return stages.getInt();
    return std::nullopt;
  }

  /// If nobody asks, no iteration may write what another one loads.
  int64_t stagesOf(scf::ForOp loop) {
    if (std::optional<int64_t> asked = askedStages(loop))
      return *asked == 1 && mayHaveTwo(loop) ? 2 : *asked;
    return onlyReads(loop) ? getTarget(loop).tuning().loads.stagesOfProducts : 1;
  }

  /// Whether copies may start an iteration ahead though the kernel asks for one stage, which saves
  /// memory and registers: tensor cores multiply, and registers are left.
  bool mayHaveTwo(scf::ForOp loop) {
    constexpr int64_t mostRegistersOfSecondStage = 176;
    tilec::GpuArch arch = getTarget(loop);
    if (loop->hasAttr(kNumStagesAttr) || !onlyReads(loop) ||
        !isEnabled(getOperation(), tilec::GpuHeuristic::BoundSlots))
      return false;
    return llvm::all_of(loop.getBody()->getOps<DotOp>(),
                        [&](DotOp dot) { return matrixInstruction(dot, arch).has_value(); }) &&
           registersOf(loop) <= mostRegistersOfSecondStage;
  }

  /// Whether the kernel asks for one stage, and a second slot would take the place of more than a
  /// quarter of the CTAs.
  bool hasOneStage(LoadPipeliner &pipeliner) {
    scf::ForOp loop = pipeliner.getLoop();
    if (askedStages(loop) != 1)
      return false;
    int64_t bytes = pipeliner.slotBytes(), mostCTAs = mostCTAsOf(loop);
    int64_t other = slotsBeside(loop) + pipeliner.leastOtherBytes();
    auto resident = [&](int64_t slots) { return residentCTAs(other + slots * bytes, mostCTAs); };
    return 4 * resident(2) < 3 * resident(1);
  }

  /// Says that the loop does not get the stages that it or its kernel asks for.
  void remarkFewerStages(scf::ForOp loop, std::optional<int64_t> asked, int64_t stages,
                         int64_t most, int64_t bytes) {
    if (!remarks || !asked || stages >= *asked)
      return;
    InFlightDiagnostic remark = loop.emitRemark();
    remark << "this loop has " << std::max<int64_t>(stages, 1) << " of the " << *asked
           << " stages that it shall have: ";
    if (most < *asked)
      remark << "shared memory has room for " << most << " of " << bytes << " bytes";
    else
      remark << "more would take the place of other CTAs";
  }

  /// Bytes of shared memory of slots that exist beside those of `loop`, of loops around it and in
  /// it.
  int64_t slotsBeside(scf::ForOp loop) {
    int64_t bytes = 0;
    for (const Slots &other : placed)
      if (other.loop->isAncestor(loop) || loop->isAncestor(other.loop))
        bytes += other.bytes;
    return bytes;
  }

  /// How many CTAs with so much shared memory run on a multiprocessor, whose registers have room
  /// for `mostCTAs`; 1 if nobody shall care.
  int64_t residentCTAs(int64_t bytes, int64_t mostCTAs) {
    tilec::GpuArch arch = getTarget(getOperation());
    if (bytes > arch.maxSharedPerBlock())
      return 0;
    if (!isEnabled(getOperation(), tilec::GpuHeuristic::BoundSlots))
      return 1;
    int64_t each = std::max(bytes, taken) + arch.reservedSharedPerBlock();
    return std::min(mostCTAs, arch.sharedPerSM() / each);
  }

  /// Registers of a thread, by the sums and left factors of the loop's products, and by sums beside
  /// them to which products are added.
  static int64_t registersOf(scf::ForOp loop) {
    int64_t registers = getTarget(loop).tuning().loads.registersBesideSlots;
    auto isCarried = [&](Value value) {
      return llvm::is_contained(loop.getRegionIterArgs(), value);
    };
    for (auto sum : loop.getBody()->getOps<arith::AddFOp>())
      if (isa<RankedTensorType>(sum.getType()) && llvm::any_of(sum->getOperands(), isCarried))
        registers += registersFor(sum);
    for (auto dot : loop.getBody()->getOps<DotOp>())
      registers += registersFor(dot.getResult()) +
                   (loop.isDefinedOutsideOfLoop(dot.getLhs()) ? 0 : registersFor(dot.getLhs()));
    return registers;
  }

  /// The same where ptxas is held to a number: beside a left factor that the only product's threads
  /// compute is what they compute it from.
  static int64_t registersWithRoles(scf::ForOp loop) {
    int64_t registers = registersOf(loop);
    auto dots = llvm::to_vector(loop.getBody()->getOps<DotOp>());
    bool isComputed = dots.size() == 1 && !loop.isDefinedOutsideOfLoop(dots[0].getLhs()) &&
                      !isLoaded(dots[0].getLhs());
    return registers + (isComputed ? registersFor(dots[0].getLhs()) : 0);
  }

  static int64_t registersFor(Value tile) { return bytesOfThread(tile.getType()) / 4; }

  /// For how many CTAs there are registers.
  int64_t mostCTAsOf(scf::ForOp loop) {
    constexpr int64_t mostRegisters = 255;
    int64_t threads = tilec::kWarpSize * getLaunchShape(getOperation()).numWarps;
    return getTarget(loop).registersPerSM() /
           (threads * std::min(registersOf(loop), mostRegisters));
  }

  bool multipliesElsewhere(scf::ForOp loop) {
    return getOperation()
        .walk([&](DotOp dot) {
          return loop->isAncestor(dot) ? WalkResult::advance() : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  struct Depth {
    int64_t stages, slots;
  };

  /// Of a loop that waits for a product in each iteration: tensor cores are idle meanwhile unless
  /// another CTA has work for them. So the stages are as many as leave room for as many CTAs as two
  /// do. One slot is read by products of the iteration before.
  Depth depthOfWaitingLoop(scf::ForOp loop, int64_t wanted, int64_t most, int64_t bytes,
                           int64_t other) {
    int64_t mostCTAs = mostCTAsOf(loop);
    auto resident = [&](int64_t slots) { return residentCTAs(other + slots * bytes, mostCTAs); };
    int64_t slots = std::min(wanted + 1, most);
    while (slots > 3 && resident(slots) < resident(3))
      --slots;
    if (slots < 3 || (resident(3) == 1 && resident(2) > 1))
      return {std::min<int64_t>(most, 2), std::min<int64_t>(most, 2)};
    return {slots - 1, slots};
  }

  /// A CTA of one warp waits alone: for products it has fewer stages where that leaves room for
  /// more CTAs.
  int64_t stagesOfWarp(int64_t stages, scf::ForOp loop, int64_t bytes, int64_t other) {
    if (getLaunchShape(getOperation()).numWarps > 1 || loop.getBody()->getOps<DotOp>().empty())
      return stages;
    int64_t wanted = std::min(mostCTAsOf(loop), getTarget(loop).tuning().loads.mostCTAsOfWarp);
    auto resident = [&](int64_t slots) { return residentCTAs(other + slots * bytes, wanted); };
    while (stages > 2 && resident(stages) < resident(2))
      --stages;
    return stages;
  }

  /// Where one group of warps computes a factor, tensor cores are idle meanwhile unless a second
  /// CTA has work for them, which counts more than a fourth stage.
  int64_t stagesBesideArithmetic(int64_t stages, int64_t bytes, int64_t other) {
    constexpr int64_t leastStages = 3, wanted = 2;
    if (getLaunchShape(getOperation()).numWarps > tilec::kWarpsPerGroup)
      return stages;
    auto resident = [&](int64_t slots) { return residentCTAs(other + slots * bytes, wanted); };
    while (stages > leastStages && resident(stages) < resident(leastStages))
      --stages;
    return stages;
  }

  /// Where factors go through registers, a loop with a second barrier in each iteration has as much
  /// on its way with one slot less. That is worth a second CTA, but not a third.
  int64_t stagesOfRegisters(int64_t stages, scf::ForOp loop, int64_t bytes, int64_t other) {
    int64_t mostCTAs = mostCTAsOf(loop);
    auto resident = [&](int64_t slots) { return residentCTAs(other + slots * bytes, mostCTAs); };
    return stages > 2 && resident(stages) == 1 && resident(stages - 1) > 1 ? stages - 1 : stages;
  }

  /// A CTA of few warps waits alone. A second one is worth more than copies ahead of time if an
  /// iteration loads for longer than memory takes to answer.
  int64_t stagesOfFewWarps(int64_t stages, LoadPipeliner &pipeliner, int64_t bytes, int64_t other) {
    constexpr int64_t leastBytes = 64 << 10;
    if (getLaunchShape(getOperation()).numWarps > tilec::kWarpsPerGroup ||
        pipeliner.distinctBytes() < leastBytes)
      return stages;
    int64_t mostCTAs = mostCTAsOf(pipeliner.getLoop());
    auto resident = [&](int64_t slots) { return residentCTAs(other + slots * bytes, mostCTAs); };
    while (stages > 1 && resident(stages) == 1 && resident(1) > 1)
      --stages;
    return stages;
  }

  /// Products in flight still read the slot of the iteration before: loads have one slot more, or
  /// start later, and all warps meet once more.
  Depth depthOf(LoadPipeliner &pipeliner, DotOp inFlight, int64_t wanted, int64_t most,
                int64_t bytes, int64_t other) {
    scf::ForOp loop = pipeliner.getLoop();
    int64_t stages = std::min(wanted, most);
    // Beyond two, CTAs count where tensor cores wait for threads or for indices in one of them.
    bool waits = computesFactors(loop) || multipliesElsewhere(loop) || pipeliner.followsIndices();
    int64_t mostCTAs = waits ? std::max<int64_t>(2, mostCTAsOf(loop)) : 2;
    if (inFlight && stages > 1 && !loopThatCarries(inFlight.getResult()))
      return depthOfWaitingLoop(loop, wanted, most, bytes, other);
    stages = stagesOfWarp(stages, loop, bytes, other);
    if (computesFactors(loop))
      stages = stagesBesideArithmetic(stages, bytes, other);
    else if (!inFlight)
      stages = stagesOfRegisters(stages, loop, bytes, other);
    if (!inFlight)
      stages = stagesOfFewWarps(stages, pipeliner, bytes, other);
    bool hasRoom = inFlight && stages < most &&
                   residentCTAs(other + (stages + 1) * bytes, mostCTAs) ==
                       residentCTAs(other + stages * bytes, mostCTAs);
    return {stages, hasRoom ? stages + 1 : stages};
  }

  /// A loop of few iterations has a slot for each: no load waits for a slot to be free.
  static Depth atMostIterations(Depth depth, std::optional<APInt> iterations) {
    if (depth.stages < 2 || !iterations || iterations->ult(2) ||
        iterations->ugt(uint64_t(depth.slots)))
      return depth;
    auto slots = int64_t(iterations->getZExtValue());
    return {slots + 1, slots};
  }

  /// Returns what the loop around it was replaced by; null if it was not.
  scf::ForOp pipeline(scf::ForOp loop, const AxisInfoAnalysis &axes) {
    LoadPipeliner pipeliner(loop, axes);
    std::optional<int64_t> asked = askedStages(loop);
    int64_t wanted = stagesOf(loop);
    bool onlyFactors = !loop->removeAttr(kNumStagesAttr);
    if (!pipeliner.collect(onlyFactors) || hasOneStage(pipeliner))
      return {};
    int64_t beside = slotsBeside(loop);
    int64_t bytes = pipeliner.slotBytes(), other = beside + pipeliner.leastOtherBytes();
    int64_t most = (getTarget(loop).maxSharedPerBlock() - beside - pipeliner.otherBytes()) / bytes;
    if (mostSlots > 0)
      most = std::min<int64_t>(most, mostSlots);
    DotOp inFlight = pipeliner.lastInFlight();
    Depth depth = depthOf(pipeliner, inFlight, wanted, most, bytes, other);
    if (!pipeliner.isFlattened())
      depth = atMostIterations(depth, loop.getStaticTripCount());
    auto [stages, slots] = depth;
    remarkFewerStages(loop, asked, stages, most, bytes);
    if (slots != stages)
      inFlight = {};
    if (stages < 2)
      return {};
    int64_t lineBytes = pipeliner.lineBytes();
    int64_t without = other + slots * bytes, mostCTAs = mostCTAsOf(loop);
    // A load of a vector in each iteration costs more than one of many resident CTAs.
    constexpr int64_t parts = 4;
    if (lineBytes != 0 && parts * residentCTAs(without + slots * lineBytes, mostCTAs) >=
                              (parts - 1) * residentCTAs(without, mostCTAs)) {
      pipeliner.takeLines();
      bytes += lineBytes;
    }
    Operation *replaced = loop;
    pipeliner.rewrite(stages, slots, inFlight);
    // Slots of a flattened loop are those of the loop around it, which may have its own.
    for (Slots &other : placed)
      if (other.loop == replaced)
        other.loop = pipeliner.getLoop();
    placed.push_back({pipeliner.getLoopOfSlots(), slots * bytes});
    taken = std::max(taken, beside + slots * bytes);
    ++numPipelined;
    scf::ForOp ofSlots = pipeliner.getLoopOfSlots();
    return ofSlots == pipeliner.getLoop() ? scf::ForOp() : ofSlots;
  }

  int64_t mostCTAsWithRoles(int64_t registers) {
    func::FuncOp kernel = getOperation();
    return tilec::tile::mostCTAsWithRoles(getTarget(kernel), getLaunchShape(kernel).numWarps,
                                          registers);
  }

  /// Slots that all of `loops` share, for warps that copy: one more than stages, so that as many
  /// are on their way while a product reads one, unless that costs a resident CTA. Of programs that
  /// go from tile to tile there is one for each multiprocessor; where launches see to that, it has
  /// all of the memory.
  int64_t slotsForRoles(MutableArrayRef<LoadPipeliner> loops) {
    constexpr int64_t bytesOfBarriers = 1024; // At most.
    constexpr int64_t slotsOfPersistent = 8;
    int64_t wanted = getPersistentCTAs(getOperation()) == 1 ? slotsOfPersistent : 0;
    int64_t other = 0, registers = 0, bytes = loops.front().slotBytes();
    for (LoadPipeliner &loop : loops) {
      registers = std::max(registers, registersWithRoles(loop.getLoop()));
      wanted = std::max(wanted, stagesOf(loop.getLoop()) + 1);
      other = std::max(other, loop.otherBytes() + bytesOfBarriers);
    }
    int64_t slots =
        std::min(wanted, (getTarget(getOperation()).maxSharedPerBlock() - other) / bytes);
    if (mostSlots > 0)
      slots = std::min<int64_t>(slots, mostSlots);
    bool isPersistent = llvm::any_of(loops, [](LoadPipeliner &loop) { return loop.isFlattened(); });
    int64_t mostCTAs = isPersistent ? 1 : mostCTAsWithRoles(registers);
    auto resident = [&](int64_t count) { return residentCTAs(other + count * bytes, mostCTAs); };
    while (slots > 2 && resident(slots) < resident(2))
      --slots;
    return slots;
  }

  /// Whether the threads of a loop are busy with something else than products while copies could
  /// start: with arithmetic between them, or with the end of a tile before the next one. Copies of
  /// threads are worth the time of all of them there.
  bool keepsCopiesWaiting(LoadPipeliner &pipeliner, DotOp inFlight) {
    if (pipeliner.isFlattened())
      return !pipeliner.anyByThreads();
    bool isBetween = !loopThatCarries(inFlight.getResult()) || pipeliner.computesLeft(inFlight);
    return isBetween && !overlapsWithoutRoles(pipeliner.getLoop());
  }

  /// Whether such a loop shares a multiprocessor with as many others if its CTA has warps that only
  /// copy: then these take nobody's place, and the others gain what copies cost.
  bool gainsByRoles(LoadPipeliner &pipeliner) {
    scf::ForOp loop = pipeliner.getLoop();
    DotOp inFlight = pipeliner.lastInFlight();
    if (!inFlight || !keepsCopiesWaiting(pipeliner, inFlight))
      return false;
    int64_t bytes = pipeliner.slotBytes(), other = pipeliner.otherBytes();
    int64_t most = (getTarget(loop).maxSharedPerBlock() - other) / bytes;
    Depth depth = depthOf(pipeliner, inFlight, std::min(stagesOf(loop), most), most, bytes, other);
    int64_t without = residentCTAs(other + depth.slots * bytes, mostCTAsOf(loop));
    return without <= residentCTAs(other + 2 * bytes, mostCTAsWithRoles(registersWithRoles(loop)));
  }

  /// Leaves the copies of all loops to warps of their own, if that is wanted. Returns whether it is
  /// possible.
  bool prepareRoles(ArrayRef<scf::ForOp> loops, const AxisInfoAnalysis &axes) {
    tilec::WarpRoles wanted = wantedWarpRoles(getOperation());
    if (wanted == tilec::WarpRoles::Never)
      return false;
    std::vector<LoadPipeliner> found;
    for (scf::ForOp loop : loops) {
      // What a loop over tiles loads itself goes with the copies of the loop in it, or stays.
      if (llvm::any_of(found, [&](LoadPipeliner &inner) {
            return inner.isFlattened() && inner.getLoop()->getParentOp() == loop;
          }))
        continue;
      LoadPipeliner pipeliner(loop, axes);
      if (stagesOf(loop) > 1 && pipeliner.collect(/*onlyFactors=*/!loop->hasAttr(kNumStagesAttr)) &&
          !hasOneStage(pipeliner))
        found.push_back(std::move(pipeliner));
    }
    auto gains = [&](LoadPipeliner &pipeliner) { return gainsByRoles(pipeliner); };
    if (wanted == tilec::WarpRoles::Auto && (found.empty() || !llvm::all_of(found, gains)))
      return false;
    std::string reason = whyNoWarpRoles(getOperation(), found);
    int64_t slots = reason.empty() ? slotsForRoles(found) : 0;
    if (reason.empty() && slots < 2)
      reason = "shared memory has no room for two slots";
    if (!reason.empty()) {
      if (remarks)
        getOperation().emitRemark() << "kernel '" << getOperation().getName()
                                    << "' has no warps that only copy: " << reason;
      return false;
    }
    OpBuilder allocs = OpBuilder::atBlockBegin(&getOperation().front());
    SmallVector<Value> buffers;
    for (LoadPipeliner &pipeliner : found) {
      scf::ForOp loop = pipeliner.getLoop();
      remarkFewerStages(loop, askedStages(loop), slots, slots, pipeliner.slotBytes());
      loop->removeAttr(kNumStagesAttr);
      pipeliner.collectBefore([&](Value value) { return canRepeatForCopies(found, value); });
      pipeliner.rewriteInPlace(slots, allocs, buffers);
      ++numPipelined;
    }
    return true;
  }

  struct Slots {
    scf::ForOp loop;
    int64_t bytes;
  };
  SmallVector<Slots> placed;
  int64_t taken = 0; // Bytes of shared memory of slots that exist at the same time.
};

} // namespace
