//===- AxisInfo.cpp - the solver, access widths -----------------*- C++ -*-===//
//
// Facts join at control-flow merges by the greatest common divisor, so they only ever shrink and
// the solver ends. The transfer functions are in AxisTransfer.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"

#include "AxisTransfer.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// The solver
//===----------------------------------------------------------------------===//

/// The tile that every store into `buffer` writes; null if there are several, or other writes.
static Value onlyStored(Value buffer) {
  Value stored;
  for (Operation *user : buffer.getUsers()) {
    if (isa<BufferLoadOp, BufferGatherOp>(user))
      continue;
    auto store = dyn_cast<BufferStoreOp>(user);
    if (!store || !store.getPeers().empty() || store.getAxis() ||
        (stored && stored != store.getValue()))
      return {};
    stored = store.getValue();
  }
  return stored;
}

namespace {

using AxisLattice = dataflow::Lattice<AxisInfo>;

class Propagation : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    SmallVector<AxisInfo> infos;
    if (auto load = dyn_cast<BufferLoadOp>(op))
      return visitBufferLoad(load, results[0]);
    for (const AxisLattice *operand : operands) {
      if (operand->getValue().isUninitialized())
        return success(); // Visited again once it is known.
      infos.push_back(operand->getValue());
    }
    for (AxisLattice *result : results)
      propagateIfChanged(
          result, result->join(transferAxisInfo(op, cast<OpResult>(result->getAnchor()), infos)));
    return success();
  }

  /// A buffer brings back what the only store has put in.
  LogicalResult visitBufferLoad(BufferLoadOp load, AxisLattice *result) {
    AxisInfo info = AxisInfo::unknown(load.getType());
    if (Value stored = load.getReversed() ? Value() : onlyStored(load.getBuffer())) {
      info = getLatticeElementFor(getProgramPointAfter(load), stored)->getValue();
      if (info.isUninitialized())
        return success(); // Visited again once it is known.
    }
    propagateIfChanged(result, result->join(info));
    return success();
  }

  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisInfo info = AxisInfo::unknown(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
        if (auto divisibility = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                                       kDivisibilityAttr)) {
          info.dims[0].divisibility = divisibility.getInt();
          // Launches keep such promises for integers that are not negative.
          info.nonNegative = isa<IntegerType>(value.getType());
        }
    propagateIfChanged(lattice, lattice->join(info));
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    // A loop that carries nothing has no first carried argument: firstIndex is 0 then, not 1.
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || arguments.empty() || arguments[0]->getAnchor() != loop.getInductionVar())
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                         firstIndex);
    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    const AxisInfo &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue();
    const AxisInfo &step = getLatticeElementFor(point, loop.getStep())->getValue();
    if (lower.isUninitialized() || step.isUninitialized())
      return;
    // Every value of the induction variable is the lower bound plus a multiple of the step.
    AxisInfo info = AxisInfo::unknown(loop.getInductionVar().getType());
    info.dims[0].divisibility = std::min(lower.dims[0].divisibility, step.dims[0].divisibility);
    info.nonNegative = lower.nonNegative;
    propagateIfChanged(arguments[0], arguments[0]->join(info));
  }
};

} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<Propagation>();
  // A failure leaves values without facts, which get() reports as unknown.
  (void)solver.initializeAndRun(root);
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  const auto *lattice = solver.lookupState<AxisLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}

int64_t AxisInfoAnalysis::getAccessWidth(Value ptr, Value mask, unsigned axis,
                                         int64_t maxBytes) const {
  int64_t bytes = byteSize(cast<PtrType>(elementOf(ptr.getType())).getPointee());
  AxisInfo info = get(ptr);
  int64_t width = std::min(info.dims[axis].contiguity, std::max<int64_t>(1, maxBytes / bytes));
  while (width > 1 && info.divisibilityAt(axis, width) < width * bytes)
    width /= 2;
  if (mask)
    width = std::min(width, get(mask).dims[axis].constancy);
  return width;
}

/// Neighbouring elements along one axis that are equal and lie in neighbouring registers.
static int64_t equalNeighbours(const AxisInfo &info, const LinearLayout &layout) {
  int64_t most = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    most = std::max(most,
                    std::min<int64_t>(layout.contiguousRegisters(axis), info.dims[axis].constancy));
  return most;
}

int64_t AxisInfoAnalysis::getSameRegisters(Value tile) const {
  auto type = cast<RankedTensorType>(tile.getType());
  return equalNeighbours(get(tile), getLayout(type).toLinearLayout(type.getShape()));
}

int64_t AxisInfoAnalysis::getRegistersOfLoad(Value ptr, const LinearLayout &layout) const {
  AxisInfo info = get(ptr);
  if (layout.rank() != 1)
    return equalNeighbours(info, layout);
  // A group of equal elements is aligned, so xor with a place inside of it does not leave it.
  ArrayRef<uint64_t> bases = layout.flatBases(InDim::Register);
  auto isInside = [&](uint64_t basis) { return basis < uint64_t(info.dims[0].constancy); };
  return int64_t(1) << bases.take_while(isInside).size();
}

int64_t AxisInfoAnalysis::getRegisterWidth(Value ptr, Value mask) const {
  auto type = cast<RankedTensorType>(ptr.getType());
  tilec::layout::LinearLayout layout = getLayout(type).toLinearLayout(type.getShape());
  int64_t best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    best =
        std::max(best, std::min<int64_t>(layout.contiguousRegisters(axis),
                                         getAccessWidth(ptr, mask, axis, tilec::kMaxAccessBytes)));
  return best;
}
