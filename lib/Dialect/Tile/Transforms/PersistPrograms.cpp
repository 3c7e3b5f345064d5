//===- PersistPrograms.cpp - CTAs that go on to the next program -*- C++ -*-===//
//
// The pass `tile-persist-programs`. A program of a matrix product begins with the wait for its
// first blocks and ends with stores, and tensor cores are idle meanwhile. Where launches know about
// it, a kernel whose copies are all made by hardware becomes a loop over its programs: with warps
// that only copy (tile-specialize-warps) the blocks of the next program are on their way while this
// one is stored.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ArgumentExpression.h"
#include "LiveRegisters.h"
#include "LoopIterations.h"
#include "WarpRoles.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPERSISTPROGRAMS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

/// The only loop of `kernel`, which all programs come to and run for as many iterations; null if
/// there is none. Programs of different lengths are better left to the hardware, which has the next
/// one run where the first one ends.
static scf::ForOp findLoop(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return {};
  scf::ForOp found;
  WalkResult walked = kernel.walk([&](LoopLikeOpInterface loop) {
    if (found || loop->getParentOp() != kernel)
      return WalkResult::interrupt();
    found = dyn_cast<scf::ForOp>(*loop);
    return found ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (walked.wasInterrupted() || !found)
    return {};
  Value bounds[] = {found.getLowerBound(), found.getUpperBound(), found.getStep()};
  return llvm::all_of(bounds, [&](Value bound) { return isOfArguments(bound, kernel); })
             ? found
             : scf::ForOp();
}

/// Whether programs could wait for each other, or say in which order they run.
static bool dependsOnOrder(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto assembly = dyn_cast<InlineAsmOp>(op);
        bool isOrdered = FlattenedLoop::ordersMemory(op) || isa<PrintOp, AssertOp>(op) ||
                         (assembly && !isMemoryEffectFree(op));
        return isOrdered ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Rows of a product that two groups of warps add up at a time.
static constexpr int64_t kRows = 2 * kGroupRows;
/// Slots with which copies keep ahead of products, and of products that are waited for.
static constexpr int64_t kLeastSlots = 3, kLeastSlotsOfWaiting = 2;

static int64_t rowsOf(DotOp dot) { return dot.getType().getDimSize(dot.getType().getRank() - 2); }

/// Whether groups of warps multiply one block of rows each, with columns enough that shared memory
/// keeps up.
static bool hasLargeTiles(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->getOps<DotOp>(), [&](DotOp dot) {
    return rowsOf(dot) <= kRows && dot.getType().getNumElements() >= kLargeSum;
  });
}

/// Whether an iteration waits for a product, as that of an attention for its scores.
static bool waitsForProducts(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<DotOp>(),
                      [&](DotOp dot) { return loopThatCarries(dot.getResult()) != loop; });
}

/// Whether all tiles that are loaded outside of `loop` are blocks, which warps that copy bring.
static bool onlyCopiesOutside(func::FuncOp kernel, scf::ForOp loop) {
  return !kernel
              .walk([&](LoadOp load) {
                bool isTile = isa<RankedTensorType>(load.getType());
                return isTile && !load.getBlock() && !loop->isProperAncestor(load)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The registers for the tiles that `loop` carries and no product gives, and for the pieces of
/// products that are added one by one.
static int64_t registersBesideSums(scf::ForOp loop) {
  int64_t registers = 0;
  for (Value carried : loop.getYieldedValues())
    if (!carried.getDefiningOp<DotOp>())
      registers += registersOfTile(carried);
  for (auto dot : loop.getBody()->getOps<DotOp>())
    if (dot.getPiece())
      registers += registersOfTile(dot.getResult());
  return registers;
}

/// Whether a program has registers for its sums and what its loop carries beside them, and its end
/// for the tiles that it loads, but for those that it multiplies only: as they are in memory or, if
/// it reduces anything, of which all must be there at once, as floats.
static bool hasRegisters(func::FuncOp kernel, scf::ForOp loop) {
  constexpr int64_t most = 192, bytesOfRegister = 4;
  bool reduces = kernel.walk([](ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
  int64_t registers = registersBesideSums(loop);
  kernel.walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    if (!isa<DotOp>(op) && (!load || load.getBlock() || loop->isProperAncestor(op)))
      return;
    auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (tile && reduces)
      tile = tile.clone(Float32Type::get(kernel.getContext()));
    if (tile)
      registers += bytesOfThread(tile) / bytesOfRegister;
  });
  return registers <= most;
}

/// Whether there is room for slots enough, beside what the end of a program exchanges: that is
/// under way while they are filled for the next one.
static bool fits(LoadPipeliner &pipeliner, func::FuncOp kernel) {
  constexpr int64_t bytesOfBarriers = 1024;
  int64_t exchanged = 0;
  for (Operation &op : kernel.front())
    if (&op != pipeliner.getLoop())
      exchanged = std::max(exchanged, bytesOfExchange(&op));
  bool waits = waitsForProducts(pipeliner.getLoop());
  int64_t slots = (waits ? kLeastSlotsOfWaiting : kLeastSlots) * pipeliner.slotBytes();
  return pipeliner.otherBytes() + exchanged + bytesOfBarriers + slots <=
         getTarget(kernel).maxSharedPerBlock();
}

/// Groups that share rows keep the tensor cores less busy than two CTAs that do not wait for each
/// other, if a multiprocessor has memory for their slots.
static bool beatsTwoCTAs(LoadPipeliner &pipeliner, func::FuncOp kernel) {
  scf::ForOp loop = pipeliner.getLoop();
  if (llvm::all_of(loop.getBody()->getOps<DotOp>(), [](DotOp dot) { return rowsOf(dot) == kRows; }))
    return true;
  tilec::GpuArch arch = getTarget(kernel);
  int64_t each = kLeastSlots * pipeliner.slotBytes() + arch.reservedSharedPerBlock();
  return 2 * each > arch.sharedPerSM();
}

static bool isWanted(func::FuncOp kernel, scf::ForOp loop) {
  LaunchShape launch = getLaunchShape(kernel);
  // One group of warps leaves room for a second CTA, whose products run while this one stores.
  if (launch.numWarps != 2 * tilec::kWarpsPerGroup || launch.numCTAs != 1 ||
      wantedWarpRoles(kernel) == tilec::WarpRoles::Never || !hasLargeTiles(loop) ||
      !hasRegisters(kernel, loop) || dependsOnOrder(kernel))
    return false;
  AxisInfoAnalysis axes(kernel);
  std::vector<LoadPipeliner> loops;
  loops.emplace_back(loop, axes);
  LoadPipeliner &pipeliner = loops.front();
  return pipeliner.collect(/*onlyFactors=*/!loop->hasAttr(kNumStagesAttr)) &&
         (waitsForProducts(loop) ? onlyCopiesOutside(kernel, loop) : pipeliner.onlyMultiplies()) &&
         !pipeliner.anyByThreads() && whyNoWarpRoles(kernel, loops).empty() &&
         fits(pipeliner, kernel) && beatsTwoCTAs(pipeliner, kernel);
}

//===----------------------------------------------------------------------===//
// The loop over programs
//===----------------------------------------------------------------------===//

namespace {

struct PersistPrograms : tilec::tile::impl::TilePersistProgramsBase<PersistPrograms> {
  using TilePersistProgramsBase::TilePersistProgramsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kKernelAttr) || !launcherMakesMaps(kernel) ||
        !getTarget(kernel).has(tilec::GpuFeature::WarpGroupMma) ||
        !isEnabled(kernel, tilec::GpuHeuristic::PersistPrograms))
      return markAllAnalysesPreserved();
    scf::ForOp loop = findLoop(kernel);
    if (!loop || !isWanted(kernel, loop))
      return markAllAnalysesPreserved();
    rewrite(loop);
    if (remarks)
      kernel.emitRemark() << "kernel '" << kernel.getName()
                          << "' is persistent: a CTA goes on to the next program";
  }

private:
  void addParameters();
  llvm::SmallPtrSet<Operation *, 32> findInvariant(scf::ForOp loop);
  void replacePlaces(scf::ForOp programs);
  void rewrite(scf::ForOp loop);

  SmallVector<Value, 3> sizes; // Of the grid, along each axis.
};

} // namespace

void PersistPrograms::addParameters() {
  func::FuncOp kernel = getOperation();
  Builder b(&getContext());
  sizes.clear(); // Of another kernel.
  for (int32_t axis = 0; axis < 3; ++axis) {
    unsigned number = kernel.getNumArguments();
    NamedAttribute attr = b.getNamedAttr(kGridAxisAttr, b.getI32IntegerAttr(axis));
    (void)kernel.insertArgument(number, b.getI32Type(), b.getDictionaryAttr(attr), kernel.getLoc());
    sizes.push_back(kernel.getArgument(number));
  }
}

/// What is the same for all programs and stays before the loop over them: scalars, and tiles that
/// `loop` reads in each iteration, so that they take registers of it in any case.
llvm::SmallPtrSet<Operation *, 32> PersistPrograms::findInvariant(scf::ForOp loop) {
  Block &body = getOperation().front();
  llvm::SmallPtrSet<Operation *, 32> varying, invariant;
  for (Operation &op : body) {
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && varying.contains(operand.getDefiningOp());
    });
    if (follows || op.getNumRegions() != 0 || isa<ProgramIdOp>(op) || !isMemoryEffectFree(&op))
      varying.insert(&op);
  }
  for (Operation &op : llvm::reverse(body)) {
    if (varying.contains(&op))
      continue;
    bool isScalar = llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (isScalar || op.hasTrait<OpTrait::ConstantLike>() ||
        llvm::any_of(op.getUsers(), [&](Operation *user) {
          return invariant.contains(user) || loop->isProperAncestor(user);
        }))
      invariant.insert(&op);
  }
  return invariant;
}

/// Has the program's place in the grid follow from its number.
void PersistPrograms::replacePlaces(scf::ForOp programs) {
  OpBuilder b = OpBuilder::atBlockBegin(programs.getBody());
  Location loc = programs.getLoc();
  Value rest = programs.getInductionVar();
  std::array<Value, 3> places;
  for (unsigned axis = 0; axis < 3; ++axis) {
    bool isLast = axis == 2;
    places[axis] = isLast ? rest : arith::RemSIOp::create(b, loc, rest, sizes[axis]);
    if (!isLast)
      rest = arith::DivSIOp::create(b, loc, rest, sizes[axis]);
  }
  getOperation().walk([&](Operation *op) {
    Value known;
    if (auto place = dyn_cast<ProgramIdOp>(op))
      known = places[unsigned(place.getAxis())];
    else if (auto count = dyn_cast<NumProgramsOp>(op))
      known = sizes[unsigned(count.getAxis())];
    if (!known)
      return;
    op->getResult(0).replaceAllUsesWith(known);
    op->erase();
  });
  // Of axes that nobody asks for.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*programs.getBody())))
    if (isa<arith::RemSIOp, arith::DivSIOp>(op) && op.use_empty())
      op.erase();
}

void PersistPrograms::rewrite(scf::ForOp loop) {
  func::FuncOp kernel = getOperation();
  Block &body = kernel.front();
  addParameters();
  llvm::SmallPtrSet<Operation *, 32> invariant = findInvariant(loop);
  OpBuilder b(body.getTerminator());
  Location loc = loop.getLoc();
  Value all = arith::MulIOp::create(b, loc, sizes[0], sizes[1]);
  all = arith::MulIOp::create(b, loc, all, sizes[2]);
  // Its bounds are set when the program's places have been replaced, which look like them.
  auto programs = scf::ForOp::create(b, loc, all, all, all);
  programs->setAttr(kFlattenAttr, b.getUnitAttr());
  programs->setAttr(kWarpSpecializeAttr, b.getUnitAttr());
  Operation *end = programs.getBody()->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (&op == all.getDefiningOp() || &op == all.getDefiningOp()->getPrevNode())
      break;
    if (!invariant.contains(&op))
      op.moveBefore(end);
  }
  replacePlaces(programs);
  b.setInsertionPoint(programs);
  programs.setLowerBound(ProgramIdOp::create(b, loc, Axis::X));
  programs.setStep(NumProgramsOp::create(b, loc, Axis::X));
  kernel->setAttr(kPersistentAttr, b.getI32IntegerAttr(1));
}
