//===- DotPlan.cpp - how a product of matrices is computed -----*- C++ -*-===//
//
// The choice between the matrix instructions of a target and multiplication by each thread, and the
// layouts that follow. tile-assign-layouts gives the operands these layouts, and
// convert-tile-to-gpu finds the instruction's registers by them.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/DotPlan.h"

#include "tilec/Layout/Transforms.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;
using tilec::GpuFeature;

std::optional<MmaShape> tilec::tile::matrixInstruction(DotOp op, const tilec::GpuArch &arch) {
  if (!arch.has(GpuFeature::MatrixMultiply))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  Type element = type.getElementType();
  std::optional<MmaShape> shape;
  if (element.isF16() || element.isBF16())
    shape = MmaShape{16, 8, 16, 2};
  else if (element.isF32() && op.getPrecision() == DotPrecision::TF32)
    shape = MmaShape{16, 8, 8, 1};
  else if (element.isInteger(8))
    shape = MmaShape{16, 8, 32, 4};
  else if (element.isF64())
    shape = MmaShape{8, 8, 4, 1};
  if (op.getLhsFloat() && !arch.has(GpuFeature::Fp8Multiply))
    return std::nullopt;
  if (!shape || type.getShape().back() < shape->k)
    return std::nullopt;
  return shape;
}

/// Whether the result of `op` becomes, through elementwise work alone, a left factor: each warp
/// then has whole rows, so that nothing leaves it.
static bool feedsDot(DotOp op) {
  SmallVector<Value> open = {op.getResult()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < 64) {
    Value value = open.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto dot = dyn_cast<DotOp>(user)) {
        if (use.getOperandNumber() == 0 && dot != op)
          return true;
        continue;
      }
      if (!seen.insert(user).second || user->getNumRegions() != 0)
        continue;
      if (user->hasTrait<OpTrait::Elementwise>())
        open.append(user->result_begin(), user->result_end());
    }
  }
  return false;
}

/// Whether the left factor of `op` is computed from the result of another product.
static bool isFedByDot(DotOp op) {
  SmallVector<Value> open = {op.getLhs()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < 64) {
    Operation *source = open.pop_back_val().getDefiningOp();
    if (!source || !seen.insert(source).second)
      continue;
    if (isa<DotOp>(source))
      return true;
    if (source->hasTrait<OpTrait::Elementwise>())
      open.append(source->operand_begin(), source->operand_end());
  }
  return false;
}

/// A few neighbours a thread, so that each element of a factor takes part in several products.
static LinearLayout resultOfThreads(const Shape &shape, LaunchShape launch) {
  BlockedParams params;
  params.shape = shape;
  params.sizePerThread.assign(shape.size(), 1);
  int64_t threads = tilec::kWarpSize * launch.numWarps;
  int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  for (size_t axis : {shape.size() - 1, shape.size() - 2})
    while (params.sizePerThread[axis] < std::min<int64_t>(4, shape[axis]) && elements > threads) {
      params.sizePerThread[axis] *= 2;
      elements /= 2;
    }
  params.order.resize(shape.size());
  std::iota(params.order.rbegin(), params.order.rend(), 0);
  params.numWarps = launch.numWarps;
  params.numCTAs = launch.numCTAs;
  std::string error;
  std::optional<LinearLayout> layout = blocked(params, error);
  assert(layout && "the verifier admits only tiles");
  return *layout;
}

bool tilec::tile::fitsWarpGroups(DotOp op, LaunchShape launch, const tilec::GpuArch &arch,
                                 bool isTransposed) {
  constexpr int64_t leastColumns = 16, leastDepthBits = 256;
  auto type = cast<RankedTensorType>(op.getType());
  auto factor = cast<RankedTensorType>(op.getLhs().getType());
  Type element = factor.getElementType();
  bool hasInstruction = element.isF16() || element.isBF16() || element.isInteger(8) ||
                        (element.isF32() && op.getPrecision() == DotPrecision::TF32);
  return arch.has(GpuFeature::WarpGroupMma) && type.getRank() == 2 && hasInstruction &&
         launch.numWarps % tilec::kWarpsPerGroup == 0 &&
         type.getDimSize(isTransposed ? 1 : 0) >= kGroupRows &&
         type.getDimSize(isTransposed ? 0 : 1) >= leastColumns &&
         factor.getDimSize(1) * element.getIntOrFloatBitWidth() >= leastDepthBits;
}

bool tilec::tile::isFactor(Value value, llvm::function_ref<bool(DotOp, bool)> counts) {
  constexpr size_t mostValues = 64;
  SmallVector<Value> open = {value};
  llvm::SmallDenseSet<Value> seen;
  auto follow = [&](Value next) {
    if (seen.insert(next).second)
      open.push_back(next);
  };
  while (!open.empty() && seen.size() < mostValues)
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
      bool isStraight = user->getNumRegions() == 0 || user->hasTrait<HasScalarCode>();
      if (auto dot = dyn_cast<DotOp>(user); dot && use.getOperandNumber() < 2) {
        if (counts(dot, use.getOperandNumber() == 0))
          return true;
      } else if (branch && isa<scf::YieldOp>(user)) {
        follow(branch.getResult(use.getOperandNumber()));
      } else if (isStraight && isMemoryEffectFree(user)) {
        llvm::for_each(user->getResults(), follow);
      }
    }
  return false;
}

bool tilec::tile::isFactor(Value value) {
  return isFactor(value, [](DotOp, bool) { return true; });
}

/// Whether `user` is in a branch of this block, directly or in further ones.
static bool isInBranchOf(Block *block, Operation *user) {
  Operation *op = user->getParentOp();
  while (isa<scf::IfOp>(op) && op->getBlock() != block)
    op = op->getParentOp();
  return isa<scf::IfOp>(op);
}

scf::ForOp tilec::tile::loopThatCarries(Value sum) {
  auto loop = dyn_cast<scf::ForOp>(sum.getParentBlock()->getParentOp());
  if (!loop)
    return {};
  OpOperand *carried = nullptr;
  for (OpOperand &use : sum.getUses()) {
    bool isCarried = use.getOwner() == loop.getBody()->getTerminator();
    if (isCarried ? carried != nullptr : !isInBranchOf(loop.getBody(), use.getOwner()))
      return {};
    if (isCarried)
      carried = &use;
  }
  // ptxas gives the registers of a sum that no iteration reads to others, in flight or not.
  bool isRead = carried && !loop.getRegionIterArg(carried->getOperandNumber()).use_empty();
  return isRead ? loop : scf::ForOp();
}

int64_t tilec::tile::groupColumns(const LinearLayout &acc, int64_t parts) {
  // Where sums take all registers, ptxas finds no place for 128 of them in a row, or gives up.
  constexpr int64_t allRegisters = 256;
  int64_t mostColumns = acc.numRegisters() < allRegisters ? 256 : 128;
  int64_t columns = acc.shape()[1];
  for (const Coords &step : acc.bases(InDim::Warp))
    if (step[1] != 0)
      columns /= 2;
  return std::min({columns, mostColumns, kColumnsOfSum * acc.numRegisters() / parts});
}

/// Operations that compute an element of `factor` from what is loaded, in the block of the product;
/// none if it comes from another product or iteration, whose warps have it already.
static int64_t stepsOf(Value factor, Block *block) {
  constexpr size_t mostOperations = 64;
  int64_t elements = cast<RankedTensorType>(factor.getType()).getNumElements();
  SmallVector<Value> open = {factor};
  llvm::SmallPtrSet<Operation *, 16> seen;
  int64_t steps = 0;
  bool isLoaded = false;
  while (!open.empty() && seen.size() < mostOperations) {
    Value value = open.pop_back_val();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || value.getParentBlock() != block)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || isa<DotOp>(op))
      return 0;
    if (!seen.insert(op).second || op->getNumRegions() != 0)
      continue;
    isLoaded |= isa<LoadOp>(op);
    if (!isMemoryEffectFree(op))
      continue;
    steps += type.getNumElements() == elements && op->hasTrait<OpTrait::Elementwise>();
    open.append(op->operand_begin(), op->operand_end());
  }
  return isLoaded ? steps : 0;
}

/// Of warps that share rows and columns, several compute the same elements of a factor. One that
/// takes many steps in each iteration is divided among all of them rather, and the other one read
/// more often. A read brings eight halves.
static WarpOrder orderOfComputedFactors(DotOp op, LaunchShape launch, const tilec::GpuArch &arch) {
  constexpr int64_t elementsPerRead = 8, leastSteps = 4;
  if (!isa<scf::ForOp>(op->getParentOp()))
    return WarpOrder::Balanced;
  int64_t ofLeft = stepsOf(op.getLhs(), op->getBlock());
  int64_t ofRight = stepsOf(op.getRhs(), op->getBlock());
  if (!matrixInstruction(op, arch) || std::max(ofLeft, ofRight) < leastSteps)
    return WarpOrder::Balanced;
  auto workOf = [&](WarpOrder order) {
    DotLayouts layouts = dotLayouts(op, launch, arch, order);
    return (1 + elementsPerRead * ofLeft) * layouts.lhs.numRegisters() +
           (1 + elementsPerRead * ofRight) * layouts.rhs.numRegisters();
  };
  WarpOrder best = WarpOrder::Balanced;
  for (WarpOrder order : {WarpOrder::Rows, WarpOrder::Columns})
    if (workOf(order) < workOf(best))
      best = order;
  return best;
}

WarpOrder tilec::tile::chooseWarpOrder(DotOp op, LaunchShape launch, const tilec::GpuArch &arch) {
  if (fitsWarpGroups(op, launch, arch))
    return WarpOrder::Groups;
  return feedsDot(op) || isFedByDot(op) ? WarpOrder::Rows
                                        : orderOfComputedFactors(op, launch, arch);
}

DotLayouts tilec::tile::dotLayouts(DotOp op, LaunchShape launch, const tilec::GpuArch &arch,
                                   WarpOrder order) {
  ArrayRef<int64_t> result = cast<RankedTensorType>(op.getType()).getShape();
  Shape shape(result.begin(), result.end());
  int64_t depth = cast<RankedTensorType>(op.getLhs().getType()).getShape().back();
  if (std::optional<MmaShape> instruction = matrixInstruction(op, arch))
    return mmaLayouts(*instruction, shape, depth, launch.numWarps, launch.numCTAs, order,
                      order == WarpOrder::Groups ? op.getRowsTogether() : 1);
  return threadDotLayouts(resultOfThreads(shape, launch), depth);
}

/// Whether four warps or more hold each element.
static bool isHeldByManyWarps(const LinearLayout &layout) {
  return llvm::popcount(layout.freeBits(InDim::Warp)) >= 2;
}

/// Each operand is needed where the instructions take it. A factor that many warps need is computed
/// by one of them.
void DotOp::chooseLayouts(LayoutChoice &choice, WorkLayouts &work) {
  LaunchShape launch = choice.getLaunch();
  tilec::GpuArch arch = getTarget(*this);
  DotLayouts layouts = dotLayouts(*this, launch, arch, chooseWarpOrder(*this, launch, arch));
  if (matrixInstruction(*this, arch))
    for (auto [factor, layout] : {std::pair(getLhs(), layouts.lhs), {getRhs(), layouts.rhs}})
      if (isHeldByManyWarps(layout))
        choice.computeOnce(factor);
  const LinearLayout *ofOperands[] = {&layouts.lhs, &layouts.rhs, &layouts.acc};
  for (auto [attr, layout] : llvm::zip_equal(work.operands, ofOperands))
    attr = LayoutAttr::get(getContext(), *layout);
  work.results[0] = work.operands[2];
}
