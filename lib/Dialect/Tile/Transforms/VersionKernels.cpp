//===- VersionKernels.cpp - a version for arguments that divide -*- C++ -*-===//
//
// The pass `tile-version-kernels`. A row stride of which nothing is promised makes each element of
// a factor an access of its own: no copies, and matrix instructions that wait. Promises are for
// multiples of 16, yet rows of 8 halves start at 16 bytes. So the kernel looks: one comparison
// decides between a version for arguments that make accesses 16 bytes wide, and one for all others.
//
// The smallest set of arguments is found by analysis: all that have no promise are taken for
// multiples, then those that widen nothing are left out, by halves.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEVERSIONKERNELS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using tilec::kMaxAccessBytes;

namespace {

/// Bytes that one access moves for each of a list of accesses.
using Widths = SmallVector<int64_t>;

class KernelVersions {
public:
  explicit KernelVersions(func::FuncOp kernel) : kernel(kernel) {}

  /// Finds the arguments whose being multiples widens the loads of factors. Returns whether there
  /// are any.
  bool plan();
  void rewrite();
  ArrayRef<BlockArgument> getAssumed() const { return assumed; }

private:
  bool collectAccesses();
  int64_t multipleOf(BlockArgument argument) const;
  Widths measure(ArrayRef<BlockArgument> multiples);
  void drop(ArrayRef<BlockArgument> group);
  Value createCondition(OpBuilder &builder);

  func::FuncOp kernel;
  SmallVector<AccessOpInterface> accesses;
  unsigned numFactors = 0; // The first accesses load factors; the others store tiles.
  int64_t leastElementBytes = kMaxAccessBytes;
  SmallVector<BlockArgument> assumed;
  Widths best;
};

} // namespace

/// Loads of factors of products by matrix instructions, and stores of tiles.
bool KernelVersions::collectAccesses() {
  bool multiplies = false;
  SmallVector<AccessOpInterface> stores;
  kernel.walk([&](Operation *op) {
    auto isTile = [](Value ptr) {
      auto type = dyn_cast<RankedTensorType>(ptr.getType());
      return type && type.getRank() > 1;
    };
    if (auto dot = dyn_cast<DotOp>(op))
      multiplies |= matrixInstruction(dot, getTarget(kernel)).has_value();
    if (auto load = dyn_cast<LoadOp>(op); load && isTile(load.getPtr()) && isFactor(load))
      accesses.push_back(load);
    if (auto store = dyn_cast<StoreOp>(op); store && isTile(store.getPtr()))
      stores.push_back(store);
  });
  numFactors = accesses.size();
  accesses.append(stores);
  for (AccessOpInterface access : accesses)
    leastElementBytes = std::min<int64_t>(
        leastElementBytes, byteSize(elementOf(pointeeLike(access.getPtr().getType()))));
  return multiplies && numFactors > 0;
}

/// What makes a row of the narrowest elements start at a multiple of 16 bytes; for pointers these.
int64_t KernelVersions::multipleOf(BlockArgument argument) const {
  return isa<PtrType>(argument.getType()) ? kMaxAccessBytes : kMaxAccessBytes / leastElementBytes;
}

/// The widths of all accesses if `multiples` were promised.
Widths KernelVersions::measure(ArrayRef<BlockArgument> multiples) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> before;
  for (BlockArgument argument : multiples) {
    before.push_back(kernel.getArgAttr(argument.getArgNumber(), kDivisibilityAttr));
    kernel.setArgAttr(argument.getArgNumber(), kDivisibilityAttr,
                      builder.getI32IntegerAttr(multipleOf(argument)));
  }
  AxisInfoAnalysis axes(kernel);
  Widths widths;
  for (AccessOpInterface access : accesses) {
    auto tile = cast<RankedTensorType>(access.getPtr().getType());
    int64_t widest = 1;
    for (unsigned axis = 0; axis < tile.getRank(); ++axis)
      widest = std::max(
          widest, axes.getAccessWidth(access.getPtr(), access.getMask(), axis, kMaxAccessBytes));
    widths.push_back(widest);
  }
  for (auto [argument, attribute] : llvm::zip_equal(multiples, before)) {
    if (attribute)
      kernel.setArgAttr(argument.getArgNumber(), kDivisibilityAttr, attribute);
    else
      kernel.removeArgAttr(argument.getArgNumber(), kDivisibilityAttr);
  }
  return widths;
}

/// Takes those of `group` out of the assumed ones that widen nothing.
void KernelVersions::drop(ArrayRef<BlockArgument> group) {
  if (group.empty())
    return;
  SmallVector<BlockArgument> others;
  for (BlockArgument argument : assumed)
    if (!llvm::is_contained(group, argument))
      others.push_back(argument);
  if (measure(others) == best) {
    assumed = std::move(others);
    return;
  }
  if (group.size() == 1)
    return;
  drop(group.take_front(group.size() / 2));
  drop(group.drop_front(group.size() / 2));
}

bool KernelVersions::plan() {
  if (!collectAccesses())
    return false;
  for (BlockArgument argument : kernel.getArguments()) {
    auto promised =
        kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kDivisibilityAttr);
    bool isNumber = argument.getType().isInteger(32) || argument.getType().isInteger(64);
    if ((isNumber || isa<PtrType>(argument.getType())) &&
        (!promised || promised.getInt() < multipleOf(argument)))
      assumed.push_back(argument);
  }
  if (assumed.empty())
    return false;
  Widths found = measure({});
  best = measure(assumed);
  auto factorsOf = [&](const Widths &widths) { return ArrayRef(widths).take_front(numFactors); };
  if (factorsOf(found) == factorsOf(best))
    return false;
  drop(SmallVector<BlockArgument>(assumed));
  return true;
}

/// Whether all assumed arguments are multiples, and no integer is negative: so are strides of the
/// tensors that hardware copies blocks of.
Value KernelVersions::createCondition(OpBuilder &builder) {
  Location loc = kernel.getLoc();
  Type i64 = builder.getI64Type();
  Value bits;
  for (BlockArgument argument : assumed) {
    Value number = argument;
    uint64_t none = uint64_t(multipleOf(argument)) - 1; // Of these bits.
    if (isa<PtrType>(argument.getType()))
      number = PtrToIntOp::create(builder, loc, i64, argument);
    else
      none |= uint64_t(1) << (argument.getType().getIntOrFloatBitWidth() - 1);
    if (argument.getType().isInteger(32))
      number = arith::ExtUIOp::create(builder, loc, i64, argument);
    Value mask = arith::ConstantIntOp::create(builder, loc, i64, int64_t(none));
    Value rest = arith::AndIOp::create(builder, loc, number, mask);
    bits = bits ? arith::OrIOp::create(builder, loc, bits, rest) : rest;
  }
  Value zero = arith::ConstantIntOp::create(builder, loc, i64, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits, zero);
}

void KernelVersions::rewrite() {
  Block &body = kernel.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Operation *> all;
  for (Operation &op : body.without_terminator())
    all.push_back(&op);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Value condition = createCondition(builder);
  auto branch = scf::IfOp::create(builder, kernel.getLoc(), condition, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  IRMapping known;
  for (BlockArgument argument : assumed)
    known.map(argument, PromiseOp::create(builder, kernel.getLoc(), argument.getType(), argument,
                                          ArrayRef<int64_t>{multipleOf(argument)},
                                          ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1}));
  for (Operation *op : all)
    builder.clone(*op, known);
  for (Operation *op : all)
    op->moveBefore(branch.elseBlock()->getTerminator());
  branch->moveBefore(terminator);
}

namespace {

struct VersionKernels : tilec::tile::impl::TileVersionKernelsBase<VersionKernels> {
  using TileVersionKernelsBase::TileVersionKernelsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kKernelAttr) || !kernel.getBody().hasOneBlock() ||
        !isEnabled(kernel, tilec::GpuHeuristic::VersionKernels))
      return;
    KernelVersions versions(kernel);
    if (!versions.plan())
      return;
    versions.rewrite();
    ++numVersioned;
    if (remarks)
      explain(versions.getAssumed());
  }

private:
  void explain(ArrayRef<BlockArgument> assumed) {
    func::FuncOp kernel = getOperation();
    InFlightDiagnostic remark = kernel.emitRemark()
                                << "kernel '" << kernel.getName()
                                << "' has a version with wider accesses, for launches where ";
    llvm::interleave(
        assumed,
        [&](BlockArgument argument) {
          auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
          remark << (name ? name.getValue() : "an argument");
        },
        [&] { remark << " and "; });
    remark << (assumed.size() == 1 ? " divides" : " divide")
           << " into accesses of 16 bytes; a promise in the signature leaves the other version out";
  }
};

} // namespace
