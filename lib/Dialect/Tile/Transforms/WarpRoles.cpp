//===- WarpRoles.cpp - which kernels get warps that only copy --*- C++ -*-===//
//
// A kernel qualifies if all loops that copy ahead multiply by warp groups what they copy, run once,
// and if warps that know nothing of the loop's work can find out what to copy: pointers, masks and
// bounds follow from arguments, counters and steps by operations that can be repeated. They run
// ahead of the others, so nothing that loads may see has been written before.
//
//===----------------------------------------------------------------------===//

#include "WarpRoles.h"
#include "ArrayWrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"

using namespace mlir;
using namespace tilec::tile;

tilec::WarpRoles tilec::tile::wantedWarpRoles(func::FuncOp kernel) {
  auto said = kernel->getAttrOfType<StringAttr>(kWarpRolesAttr);
  auto wanted = tilec::WarpRoles::Asked;
  if (said)
    wanted = *tilec::warpRolesByName(said.getValue());
  if (wanted == tilec::WarpRoles::Never || wanted == tilec::WarpRoles::Always)
    return wanted;
  bool isAsked = kernel
                     .walk([](scf::ForOp loop) {
                       return loop->hasAttr(kWarpSpecializeAttr) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (isAsked)
    return tilec::WarpRoles::Always;
  return wanted == tilec::WarpRoles::Auto ? wanted : tilec::WarpRoles::Never;
}

int64_t tilec::tile::registersOfProducts(const tilec::GpuArch &arch, int64_t numWarps,
                                         int64_t numCTAs, int64_t ofCopies) {
  constexpr int64_t unit = 8, most = 248;
  int64_t groups = numWarps / tilec::kWarpsPerGroup;
  int64_t threads = (groups + 1) * tilec::kWarpsPerGroup * tilec::kWarpSize;
  int64_t each = arch.registersPerSM() / numCTAs / threads;
  int64_t all = (groups + 1) * std::min<int64_t>(llvm::alignDown(each, unit), most);
  return std::min<int64_t>(llvm::alignDown((all - ofCopies) / groups, unit),
                           arch.tuning().roles.mostRegisters);
}

int64_t tilec::tile::mostCTAsWithRoles(const tilec::GpuArch &arch, int64_t numWarps,
                                       int64_t registers) {
  int64_t copying = arch.tuning().roles.registersOfCopies;
  bool areTwo = numWarps <= tilec::kWarpsPerGroup &&
                registersOfProducts(arch, numWarps, /*numCTAs=*/2, copying) >= registers;
  return areTwo ? 2 : 1;
}

/// Whether warps that copy can repeat `op`, in another number than those that it was laid out for.
static bool canBeRepeated(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  bool hasTiles = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (auto load = dyn_cast<LoadOp>(op))
    return !hasTiles && load.isPlain();
  if (!isMemoryEffectFree(op))
    return false;
  return !hasTiles || (isRepeatable(op) && !exchangesData(op));
}

namespace {

/// What the copies of some loops need.
class CopyNeeds {
public:
  explicit CopyNeeds(MutableArrayRef<LoadPipeliner> loops) {
    for (LoadPipeliner &pipeliner : loops)
      for (scf::ForOp loop = pipeliner.getLoop(); loop; loop = loop->getParentOfType<scf::ForOp>())
        bodies.insert(loop.getBody());
  }

  bool canRepeat(Value value);

private:
  bool canRepeat(BlockArgument argument);

  llvm::SmallPtrSet<Block *, 4> bodies;
  llvm::DenseSet<Value> seen;
};

} // namespace

bool CopyNeeds::canRepeat(BlockArgument argument) {
  Block *block = argument.getOwner();
  if (isa<FunctionOpInterface>(block->getParentOp()))
    return true;
  if (!bodies.contains(block))
    return false;
  auto loop = cast<scf::ForOp>(block->getParentOp());
  if (argument == loop.getInductionVar())
    return true;
  return canRepeat(loop.getTiedLoopInit(argument)->get()) &&
         canRepeat(loop.getTiedLoopYieldedValue(argument)->get());
}

bool CopyNeeds::canRepeat(Value value) {
  if (!seen.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return canRepeat(argument);
  Operation *op = value.getDefiningOp();
  return canBeRepeated(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return canRepeat(operand); });
}

bool tilec::tile::canRepeatForCopies(MutableArrayRef<LoadPipeliner> loops, Value value) {
  return CopyNeeds(loops).canRepeat(value);
}

/// Whether bounds of the loop and of those around it, conditions around it, and what its copies
/// need can be repeated.
static bool canRepeatCopies(LoadPipeliner &pipeliner, CopyNeeds &needs) {
  for (Operation *op = pipeliner.getLoop(); !isa<func::FuncOp>(op); op = op->getParentOp()) {
    SmallVector<Value, 3> values;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      values = {branch.getCondition()};
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      values = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    if (!llvm::all_of(values, [&](Value value) { return needs.canRepeat(value); }))
      return false;
  }
  return llvm::all_of(pipeliner.getLoads(), [&](const AheadLoad &ahead) {
    LoadOp load = ahead.load;
    if (BlockOp block = ahead.block)
      return llvm::all_of(block->getOperands(),
                          [&](Value operand) { return needs.canRepeat(operand); });
    return needs.canRepeat(load.getPtr()) && (!load.getMask() || needs.canRepeat(load.getMask()));
  });
}

/// What a loop must have by itself; a reason if it has not.
static StringRef whyNotLoop(LoadPipeliner &pipeliner) {
  scf::ForOp loop = pipeliner.getLoop();
  for (const AheadLoad &ahead : pipeliner.getLoads())
    if (!ahead.isMatrix)
      return "a loop loads ahead what no product can read from slots";
  Operation *parent = loop->getParentOp();
  if (pipeliner.isFlattened()) {
    if (pipeliner.makesMapsInside())
      return "tensors that are copied change in the loop over tiles";
    parent = parent->getParentOp();
  }
  while (isa<scf::IfOp>(parent))
    parent = parent->getParentOp();
  if (!isa<func::FuncOp>(parent))
    return "a loop that copies is inside another one";
  func::FuncOp kernel = cast<func::FuncOp>(parent);
  bool multiplies = llvm::any_of(loop.getBody()->getOps<DotOp>(), [&](DotOp dot) {
    return fitsWarpGroups(dot, getLaunchShape(kernel), getTarget(kernel));
  });
  return multiplies ? "" : "a loop that copies has no product by warp groups";
}

/// Whether `op` might write what copies bring, or orders accesses to memory.
static bool mayWrite(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return mayWriteArrays(inner) || inner->hasTrait<WritesNoArrays>() ? WalkResult::interrupt()
                                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The same for what is executed before `loop`, and in it.
static bool writesBeforeEnd(scf::ForOp loop) {
  if (mayWrite(loop))
    return true;
  for (Operation *op = loop; !isa<func::FuncOp>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (mayWrite(before))
        return true;
  return false;
}

/// Whether the loops fill slots of the same types, so that they can share them.
static bool shareSlots(MutableArrayRef<LoadPipeliner> loops) {
  SmallVector<Type> first = loops.front().slotTypes();
  return llvm::all_of(loops.drop_front(),
                      [&](LoadPipeliner &loop) { return loop.slotTypes() == first; });
}

bool tilec::tile::overlapsWithoutRoles(scf::ForOp loop) {
  int64_t numGroups =
      getLaunchShape(loop->getParentOfType<func::FuncOp>()).numWarps / tilec::kWarpsPerGroup;
  // In 1/128 cycles of a multiprocessor: 16 exponentials, or 2048 products of 16 bits, take one.
  int64_t ofProducts = 0, ofExponentials = 0, numProducts = 0;
  bool hasSeveralBlocks = false;
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    RankedTensorType left = dot.getLhs().getType(), sum = dot.getType();
    int64_t rows = sum.getDimSize(sum.getRank() - 2);
    ofProducts +=
        sum.getNumElements() * left.getShape().back() * left.getElementTypeBitWidth() / 256;
    hasSeveralBlocks |= rows > numGroups * kGroupRows;
    ++numProducts;
  }
  loop.getBody()->walk([&](Operation *op) {
    auto tile = isa<math::ExpOp, math::Exp2Op>(op)
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
    if (tile)
      ofExponentials += 8 * tile.getNumElements();
  });
  return (numProducts > 1 && hasSeveralBlocks) ||
         (numProducts > 2 && 2 * ofExponentials < ofProducts);
}

std::string tilec::tile::whyNoWarpRoles(func::FuncOp kernel, MutableArrayRef<LoadPipeliner> loops) {
  LaunchShape launch = getLaunchShape(kernel);
  if (!getTarget(kernel).has(tilec::GpuFeature::WarpGroupMma))
    return "the target has no warp groups";
  if (launch.numCTAs != 1 ||
      (launch.numWarps != tilec::kWarpsPerGroup && launch.numWarps != 2 * tilec::kWarpsPerGroup))
    return "programs have other than 4 or 8 warps";
  if (!kernel.getBody().hasOneBlock())
    return "the kernel has several blocks";
  if (loops.empty())
    return "no loop loads factors of products ahead";
  for (LoadPipeliner &loop : loops)
    if (StringRef reason = whyNotLoop(loop); !reason.empty())
      return reason.str();
  for (LoadPipeliner &loop : loops)
    if (writesBeforeEnd(loop.getLoop()))
      return "memory is written before or in a loop that copies";
  if (!shareSlots(loops))
    return "loops copy tiles of different kinds";
  if (loops.size() > 1 && llvm::any_of(loops, [](auto &loop) { return loop.isFlattened(); }))
    return "a loop over tiles has several loops that copy";
  CopyNeeds needs(loops);
  for (LoadPipeliner &loop : loops)
    if (!canRepeatCopies(loop, needs))
      return "what is copied depends on results that only the warps that multiply have";
  return "";
}
