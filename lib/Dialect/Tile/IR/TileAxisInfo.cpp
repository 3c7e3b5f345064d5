//===- TileAxisInfo.cpp - how results vary along a tile --------*- C++ -*-===//
//
// The lattice of facts along the axes of tiles, and what each operation says of its result. Facts
// join at control-flow merges by the greatest common divisor, so they only ever shrink.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include <limits>

using namespace mlir;
using namespace tilec::tile;
using Dim = AxisInfo::Dim;

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

static unsigned rankOf(Type type) {
  auto tileType = dyn_cast<RankedTensorType>(type);
  return tileType ? tileType.getRank() : 1;
}

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  info.dims.resize(std::max(1u, rankOf(type)));
  if (auto pointer = dyn_cast<PtrType>(elementOf(type)))
    info.unit = byteSize(pointer.getPointee());
  return info;
}

AxisInfo AxisInfo::splat(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  info.constant = value;
  info.nonNegative = value >= 0;
  auto tileType = dyn_cast<RankedTensorType>(type);
  // The sign bit alone is divisible by more than is tracked.
  int64_t lowestBit =
      value == std::numeric_limits<int64_t>::min() ? kMaxDivisibility : value & -value;
  for (auto [axis, dim] : llvm::enumerate(info.dims)) {
    dim.divisibility = value == 0 ? kMaxDivisibility : std::min(kMaxDivisibility, lowestBit);
    dim.constancy = tileType ? tileType.getDimSize(axis) : 1;
  }
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  if (a.isUninitialized() || b.isUninitialized())
    return a.isUninitialized() ? b : a;
  AxisInfo info;
  info.unit = a.unit;
  for (unsigned axis = 0; axis < a.dims.size(); ++axis) {
    Dim dim;
    dim.contiguity = std::min(a.dims[axis].contiguity, b.dims[axis].contiguity);
    dim.divisibility =
        std::min(a.divisibilityAt(axis, dim.contiguity), b.divisibilityAt(axis, dim.contiguity));
    dim.constancy = std::min(a.dims[axis].constancy, b.dims[axis].constancy);
    info.dims.push_back(dim);
  }
  if (a.constant == b.constant)
    info.constant = a.constant;
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

int64_t AxisInfo::divisibilityAt(unsigned axis, int64_t group) const {
  const Dim &dim = dims[axis];
  // A smaller group may start in the middle of a larger one, at any multiple of its own size.
  return group >= dim.contiguity ? dim.divisibility : std::min(dim.divisibility, group * unit);
}

void AxisInfo::print(raw_ostream &os) const {
  llvm::interleave(
      dims, os,
      [&](const Dim &dim) {
        os << "contiguity " << dim.contiguity << " divisibility " << dim.divisibility
           << " constancy " << dim.constancy;
      },
      "; ");
  if (constant)
    os << " value " << *constant;
  else if (nonNegative)
    os << " not negative";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A place in the grid.
static AxisInfo ofPlace(Value place) {
  AxisInfo info = AxisInfo::unknown(place.getType());
  info.nonNegative = true;
  return info;
}

AxisInfo ProgramIdOp::inferAxisInfo(ArrayRef<AxisInfo>) { return ofPlace(getResult()); }

AxisInfo NumProgramsOp::inferAxisInfo(ArrayRef<AxisInfo>) { return ofPlace(getResult()); }

AxisInfo MakeRangeOp::inferAxisInfo(ArrayRef<AxisInfo>) {
  AxisInfo info = AxisInfo::splat(getType(), getStart());
  info.constant.reset();
  info.dims[0].contiguity = getType().getDimSize(0);
  info.dims[0].constancy = 1;
  info.nonNegative = int32_t(getStart()) >= 0 && int32_t(getEnd() - 1) >= 0;
  return info;
}

AxisInfo SplatOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  const AxisInfo &source = operands[0];
  auto type = cast<RankedTensorType>(getType());
  AxisInfo info = alongEachAxis(type, [&](unsigned axis) {
    return Dim{1, source.dims[0].divisibility, type.getDimSize(axis)};
  });
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  return info;
}

AxisInfo BroadcastOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  const AxisInfo &source = operands[0];
  auto from = cast<RankedTensorType>(getSrc().getType());
  auto to = cast<RankedTensorType>(getType());
  AxisInfo info = alongEachAxis(to, [&](unsigned axis) {
    if (from.getDimSize(axis) == to.getDimSize(axis))
      return source.dims[axis];
    return Dim{1, source.divisibilityAt(axis, 1), to.getDimSize(axis)};
  });
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  return info;
}

AxisInfo ExpandDimsOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  const AxisInfo &source = operands[0];
  AxisInfo info = source;
  // Along the new axis every element is a group of its own, so what is known must hold of each.
  int64_t divisibility = AxisInfo::kMaxDivisibility;
  for (unsigned axis = 0; axis < source.dims.size(); ++axis)
    divisibility = std::min(divisibility, source.divisibilityAt(axis, 1));
  info.dims.insert(info.dims.begin() + getAxis(), Dim{1, divisibility, 1});
  return info;
}

AxisInfo PermuteOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  const AxisInfo &source = operands[0];
  AxisInfo info = source;
  for (auto [position, axis] : llvm::enumerate(getOrder()))
    info.dims[position] = source.dims[axis];
  return info;
}

/// The order of the elements stays, so groups along the last dimension do, as far as they fit into
/// the new one.
AxisInfo ReshapeOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  const AxisInfo &source = operands[0];
  auto type = cast<RankedTensorType>(getType());
  AxisInfo info = AxisInfo::unknown(type);
  info.nonNegative = source.nonNegative;
  if (type.getRank() == 0 || source.dims.empty())
    return info;
  int64_t size = type.getShape().back();
  unsigned last = source.dims.size() - 1;
  Dim &dim = info.dims.back();
  dim.contiguity = std::min(source.dims[last].contiguity, size);
  dim.divisibility = source.divisibilityAt(last, dim.contiguity);
  dim.constancy = std::min(source.dims[last].constancy, size);
  return info;
}

/// What is promised, where it says more than what is known.
AxisInfo PromiseOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  const AxisInfo &source = operands[0];
  auto type = dyn_cast<RankedTensorType>(getType());
  AxisInfo info = source;
  for (auto [axis, dim] : llvm::enumerate(info.dims)) {
    int64_t size = type ? type.getDimSize(axis) : 1;
    int64_t contiguity = std::min(getContiguity()[axis], size);
    dim.contiguity = std::max(dim.contiguity, contiguity);
    dim.constancy = std::max(dim.constancy, std::min(getConstancy()[axis], size));
    dim.divisibility = source.divisibilityAt(axis, dim.contiguity);
    // Of a tile whose groups are not known it holds for one element in so many.
    bool isGroup = dim.contiguity > 1 || size == 1 || dim.constancy == size;
    if (isGroup)
      dim.divisibility = std::max(dim.divisibility, capDivisibility(getDivisibility()[axis]));
  }
  return info;
}

AxisInfo ConvertLayoutOp::inferAxisInfo(ArrayRef<AxisInfo> operands) { return operands[0]; }

AxisInfo tilec::tile::axisInfoOfSum(Type type, const AxisInfo &base, const AxisInfo &offset,
                                    int64_t scale) {
  return alongEachAxis(type, [&](unsigned axis) {
    const Dim &a = base.dims[axis], &b = offset.dims[axis];
    Dim dim;
    dim.contiguity =
        std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
    dim.constancy = std::min(a.constancy, b.constancy);
    dim.divisibility = capDivisibility(
        std::min(base.divisibilityAt(axis, dim.contiguity),
                 capDivisibility(offset.divisibilityAt(axis, dim.contiguity) * scale)));
    return dim;
  });
}

AxisInfo AddPtrOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return axisInfoOfSum(getType(), operands[0], operands[1],
                       byteSize(cast<PtrType>(elementOf(getType())).getPointee()));
}

/// The same bits as a pointer to another type or as an integer: what counts by elements is lost.
static AxisInfo ofReinterpret(Type type, const AxisInfo &source) {
  return alongEachAxis(type, [&](unsigned axis) {
    return Dim{1, source.divisibilityAt(axis, 1), source.dims[axis].constancy};
  });
}

AxisInfo PtrCastOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return ofReinterpret(getType(), operands[0]);
}

AxisInfo PtrToIntOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return ofReinterpret(getType(), operands[0]);
}

AxisInfo IntToPtrOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return ofReinterpret(getType(), operands[0]);
}
