//===- MarkStreams.cpp - what is read once leaves caches first --*- C++ -*-===//
//
// The pass `tile-mark-streams`. Whether programs and iterations read different elements follows
// from the address as a sum of products (AffineForms.h): each program id and each counter must be
// in one. The values of arguments are not known; a stride is taken for as long as a row.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "AffineForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEMARKSTREAMS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// A line of the caches.
static constexpr int64_t kLineBytes = 128;
/// A product of so few rows has one block of them, and reads its right factor once.
static constexpr int64_t kMostRows = 16;
/// How many times as many columns it has at least.
static constexpr int64_t kLeastRatio = 4;
/// How many times as many bytes as a kernel stores its streams have at least: what is written
/// takes the place of other lines all the same.
static constexpr double kLeastReads = 4;
/// What a loop is taken to repeat.
static constexpr double kIterations = 8;

namespace {

/// What a value follows from.
struct Origin {
  llvm::SmallSetVector<Operation *, 4> loops; ///< Those whose iterations it may differ in.
  uint8_t axes = 0;                           ///< Of the grid: whose programs may.
  bool isKnown = true; ///< Nothing that was loaded, and no result of control flow.
};

/// Finds the origin of values, together.
class OriginReader {
public:
  void read(Value value);
  const Origin &get() const { return origin; }

private:
  void visit(Value value);
  void visitArgument(BlockArgument argument);

  Origin origin;
  llvm::DenseSet<Value> seen;
  /// A list instead of recursion: chains of operations may be as long as a program.
  SmallVector<Value> open;
};

} // namespace

void OriginReader::visitArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop) {
    origin.isKnown &= isa<func::FuncOp>(argument.getOwner()->getParentOp());
    return;
  }
  origin.loops.insert(loop);
  if (argument != loop.getInductionVar()) {
    open.push_back(loop.getTiedLoopInit(argument)->get());
    open.push_back(loop.getTiedLoopYieldedValue(argument)->get());
    return;
  }
  // Programs may start elsewhere. Where that is may have been loaded: iterations differ all the
  // same.
  OriginReader start;
  start.seen = seen;
  start.read(loop.getLowerBound());
  origin.axes |= start.origin.axes;
  origin.loops.insert_range(start.origin.loops);
}

void OriginReader::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return visitArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast<ProgramIdOp>(op))
    origin.axes |= uint8_t(1 << unsigned(id.getAxis()));
  else if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    origin.isKnown = false;
  else
    llvm::append_range(open, op->getOperands());
}

void OriginReader::read(Value value) {
  open.push_back(value);
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (seen.insert(next).second)
      visit(next);
  }
}

static Origin originOf(Value value) {
  OriginReader reader;
  reader.read(value);
  return reader.get();
}

/// Whether all programs, and the iterations of all loops around `op`, may differ in such a value.
static bool mayDiffer(const Origin &origin, Operation *op, uint8_t gridAxes) {
  if (!origin.isKnown || origin.axes != gridAxes)
    return false;
  for (op = op->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp())
    if (!isa<scf::IfOp>(op) && !origin.loops.contains(op))
      return false;
  return true;
}

/// By how much a program id, or a counter of a loop, grows; nothing if that is not known.
static std::optional<int64_t> stepOf(Value position) {
  auto argument = dyn_cast<BlockArgument>(position);
  APInt step;
  if (!argument)
    return 1;
  if (matchPattern(cast<scf::ForOp>(argument.getOwner()->getParentOp()).getStep(),
                   m_ConstantInt(&step)))
    return step.getSExtValue();
  return std::nullopt;
}

static bool isPosition(Value scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  return argument ? isa<scf::ForOp>(argument.getOwner()->getParentOp())
                  : isa<ProgramIdOp>(scalar.getDefiningOp());
}

/// The pointer that `ptr` is computed from; null if it is none of the function's arguments.
static Value baseOf(Value ptr) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(ptr)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument == loop.getInductionVar())
        return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? ptr : Value();
      ptr = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    Operation *op = ptr.getDefiningOp();
    if (!isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, PermuteOp, PtrCastOp,
             PromiseOp>(op))
      return {};
    ptr = op->getOperand(0);
  }
}

namespace {

struct MarkStreams : tilec::tile::impl::TileMarkStreamsBase<MarkStreams> {
  void runOnOperation() override;

private:
  void collect(func::FuncOp kernel);
  bool mayMark(LoadOp load);
  bool isReadOnce(LoadOp load, AffineForms &forms, int64_t neighbours);
  bool isReadByOthers(LoadOp load, const AffineSum &sum, AffineForms &forms, int64_t neighbours);
  void markReadOnce();
  void markFactors();
  void mark(LoadOp load);

  /// The accesses of each array, but for loads of scalars.
  llvm::MapVector<Value, SmallVector<Operation *>> accesses;
  uint8_t gridAxes;
  double storedBytes;
  bool hasProducts;
};

} // namespace

static double bytesOf(Operation *op, Type pointer, Operation *kernel) {
  auto tile = dyn_cast<RankedTensorType>(pointer);
  double bytes = double(byteSize(cast<PtrType>(elementOf(pointer)).getPointee()));
  if (tile)
    bytes *= double(tile.getNumElements());
  for (Operation *parent = op->getParentOp(); parent != kernel; parent = parent->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(parent))
      bytes *= kIterations;
  return bytes;
}

void MarkStreams::collect(func::FuncOp kernel) {
  accesses.clear();
  gridAxes = 0;
  storedBytes = 0;
  hasProducts = false;
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<ProgramIdOp>(op))
      gridAxes |= uint8_t(1 << unsigned(id.getAxis()));
    hasProducts |= isa<DotOp>(op);
    if (!isa<LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp>(op))
      return;
    bool isTile = isa<RankedTensorType>(op->getOperand(0).getType());
    if (isTile || !isa<LoadOp>(op))
      accesses[baseOf(op->getOperand(0))].push_back(op);
    if (!isa<LoadOp>(op))
      storedBytes += bytesOf(op, op->getOperand(0).getType(), kernel);
  });
}

/// Whether nothing else speaks of the caches, and nobody writes the array.
bool MarkStreams::mayMark(LoadOp load) {
  Value base = baseOf(load.getPtr());
  return isa<RankedTensorType>(load.getPtr().getType()) && !load.getIsVolatile() &&
         !load.hasHints() && base && llvm::all_of(accesses[base], llvm::IsaPred<LoadOp>);
}

/// Whether other loads may read elements of `load`, whose address is `sum`: those that are not a
/// constant distance away.
bool MarkStreams::isReadByOthers(LoadOp load, const AffineSum &sum, AffineForms &forms,
                                 int64_t neighbours) {
  return llvm::any_of(accesses[baseOf(load.getPtr())], [&](Operation *other) {
    if (other == load)
      return false;
    std::optional<AffineForm> form = forms.read(other->getOperand(0));
    if (!form || !form->remainders.empty())
      return true;
    form->sum.add(sum, -1);
    return form->sum.get().size() != 1 || std::abs(form->sum.factorOf(Term())) < neighbours;
  });
}

bool MarkStreams::isReadOnce(LoadOp load, AffineForms &forms, int64_t neighbours) {
  std::optional<AffineForm> form = forms.read(load.getPtr());
  if (!form || form->base != baseOf(load.getPtr()) || !form->remainders.empty() ||
      isReadByOthers(load, form->sum, forms, neighbours))
    return false;
  OriginReader all;
  for (const auto &[term, factor] : form->sum.get())
    for (unsigned number : term.scalars) {
      Value scalar = forms.scalar(number);
      all.read(scalar);
      Origin origin = originOf(scalar);
      // What follows from a position in another way may be the same at two of them.
      if (!isPosition(scalar) && (origin.axes != 0 || !origin.loops.empty()))
        return false;
      std::optional<int64_t> step = isPosition(scalar) ? stepOf(scalar) : std::nullopt;
      // Windows that overlap.
      if (step && term.axis < 0 && term.scalars.size() == 1 &&
          std::abs(factor * *step) < neighbours)
        return false;
    }
  return mayDiffer(all.get(), load, gridAxes);
}

void MarkStreams::markReadOnce() {
  func::FuncOp kernel = getOperation();
  AxisInfoAnalysis axes(kernel);
  AffineForms forms(axes);
  kernel.walk([&](LoadOp load) {
    if (!mayMark(load) ||
        bytesOf(load, load.getPtr().getType(), kernel) < kLeastReads * storedBytes)
      return;
    int64_t neighbours = 1;
    for (const AxisInfo::Dim &dim : axes.get(load.getPtr()).dims)
      neighbours = std::max(neighbours, dim.contiguity);
    // Whole lines, or another access reads the rest of one.
    if (neighbours * byteSize(elementOf(load.getType())) >= kLineBytes &&
        isReadOnce(load, forms, neighbours))
      mark(load);
  });
}

void MarkStreams::mark(LoadOp load) {
  load.setEvict(EvictionPolicy::First);
  ++numMarked;
}

/// Adds the loads in the block of `dot` that `factor` follows from. True if there are some, and no
/// product.
static bool addLoads(Value factor, DotOp dot, llvm::SmallSetVector<LoadOp, 4> &loads) {
  SmallVector<Value> open = {factor};
  llvm::DenseSet<Value> seen;
  bool anyLoad = false, anyProduct = false;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != dot->getBlock())
      continue;
    anyLoad |= isa<LoadOp>(op);
    anyProduct |= isa<DotOp>(op);
    if (auto load = dyn_cast<LoadOp>(op))
      loads.insert(load);
    else if (isMemoryEffectFree(op) && op->getNumRegions() == 0 && !isa<DotOp>(op))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()) && seen.insert(operand).second)
          open.push_back(operand);
  }
  return anyLoad && !anyProduct;
}

/// Marks the loads of large factors in products of few rows, or few columns, and of no others. The
/// small factor is loaded in the loop, too: in an attention, where it is not, programs of several
/// heads may share the large ones.
void MarkStreams::markFactors() {
  llvm::SmallSetVector<LoadOp, 4> once, again;
  getOperation().walk([&](DotOp dot) {
    ArrayRef<int64_t> shape = dot.getType().getShape();
    int64_t rows = shape[shape.size() - 2], columns = shape.back();
    auto [few, many] = std::minmax(rows, columns);
    Value small = dot.getLhs(), large = dot.getRhs();
    if (rows > columns)
      std::swap(small, large);
    bool isLoaded = addLoads(small, dot, again);
    bool isThin = few <= kMostRows && many >= kLeastRatio * few && isLoaded;
    addLoads(large, dot, isThin ? once : again);
  });
  for (LoadOp load : once)
    if (!again.contains(load) && load->getParentOfType<scf::ForOp>() && mayMark(load) &&
        accesses[baseOf(load.getPtr())].size() == 1 &&
        mayDiffer(originOf(load.getPtr()), load, gridAxes))
      mark(load);
}

void MarkStreams::runOnOperation() {
  func::FuncOp kernel = getOperation();
  if (!isEnabled(kernel, tilec::GpuHeuristic::MarkStreams) ||
      !getTarget(kernel).has(tilec::GpuFeature::L2CachePolicy))
    return;
  collect(kernel);
  if (hasProducts)
    markFactors();
  else
    markReadOnce();
}
