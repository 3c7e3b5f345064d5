//===- Accesses.cpp - accesses to global memory -----------------*- C++ -*-===//
//
// How wide an access is follows from the axis analysis and the layout, as where it is lowered
// (MemoryToGPU.cpp, AsyncToGPU.cpp, AtomicToGPU.cpp). How many lines and sectors a warp touches
// follows from the layout's linear map: runs of neighbours have a power of two as their length, and
// rounding to one is linear, so that all accesses of a thread have the footprint of the first.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "tilec/Layout/Swizzle.h"

#include <set>

using namespace tilec;
using namespace tilec::report;
using namespace tilec::layout;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

/// The axis along which the longest runs of neighbours lie; the last one of several.
static unsigned fastestAxis(const tile::AxisInfo &info) {
  unsigned result = 0;
  for (unsigned axis = 1; axis < info.dims.size(); ++axis)
    if (info.dims[axis].contiguity >= info.dims[result].contiguity)
      result = axis;
  return result;
}

namespace {

/// Elements of a warp's access, by the runs of neighbours that they are in.
struct Touched {
  std::set<Coords> runs;
  std::set<std::pair<Coords, uint64_t>> elements;

  /// Pieces, where each run begins with one.
  size_t countPieces(unsigned elementBytes, unsigned pieceBytes) const {
    std::set<std::pair<Coords, uint64_t>> pieces;
    for (const auto &[run, element] : elements)
      pieces.insert({run, element * elementBytes / pieceBytes});
    return pieces.size();
  }
};

} // namespace

/// The elements of `width` registers of each lane, where runs along `fastest` have `run`
/// neighbours; 1 stands for none. Runs are told apart by their first element.
static Touched touchedBy(const LinearLayout &layout, const tile::AxisInfo &info, unsigned fastest,
                         int64_t run, unsigned width) {
  Touched result;
  for (uint32_t lane = 0; lane < layout.size(InDim::Lane); ++lane) {
    Coords coords = layout.apply(0, lane, 0, 0);
    for (unsigned axis = 0; axis < coords.size(); ++axis)
      if (axis != fastest || run == 1)
        coords[axis] -= coords[axis] % int32_t(info.dims[axis].constancy);
    uint64_t first = 0;
    if (run > 1) {
      first = uint64_t(coords[fastest] % run);
      coords[fastest] -= coords[fastest] % int32_t(run);
    }
    result.runs.insert(coords);
    for (unsigned i = 0; i < width; ++i)
      result.elements.insert({coords, first + i});
  }
  return result;
}

Footprint tilec::report::footprintOf(const LinearLayout &layout, const tile::AxisInfo &info,
                                     unsigned elementBytes, unsigned width, unsigned pieceBytes) {
  unsigned fastest = fastestAxis(info);
  int64_t run = info.dims[fastest].contiguity;
  Touched apart = touchedBy(layout, info, fastest, run, width);
  Footprint result;
  result.needed = unsigned(llvm::divideCeil(apart.elements.size() * elementBytes, pieceBytes));
  result.least = result.needed;
  if (run > 1)
    result.least = unsigned(touchedBy(layout, info, fastest, layout.shape()[fastest], width)
                                .countPieces(elementBytes, pieceBytes));
  // A run across a border has one piece more, but no more than it has elements.
  result.most = unsigned(apart.countPieces(elementBytes, pieceBytes));
  if (info.divisibilityAt(fastest, run) < int64_t(pieceBytes))
    result.most += unsigned(apart.runs.size());
  result.most = std::max(result.least, std::min(result.most, unsigned(apart.elements.size())));
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

/// One access as it is lowered.
struct AccessPlan {
  std::string kind;
  /// Registers that one instruction moves, and whether they are one element in memory.
  int64_t width = 1;
  bool isOneElement = false;
  /// Whether registers that repeat an element of the thread are left out.
  bool dropsCopies = false;
};

} // namespace

static AccessPlan planOf(tile::LoadOp op, FactContext &context) {
  AccessPlan plan{"load"};
  plan.width = context.axes.getRegisterWidth(op.getPtr(), op.getMask());
  bool mayShare =
      plan.width == 1 && !op.getIsVolatile() && tile::elementOf(op.getType()).isIntOrFloat();
  int64_t same = 1;
  if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(op.getPtr().getType()); type && mayShare)
    same = context.axes.getRegistersOfLoad(op.getPtr(),
                                           tile::getLayout(type).toLinearLayout(type.getShape()));
  if (same > 1) {
    plan.width = same;
    plan.isOneElement = true;
  }
  return plan;
}

static AccessPlan planOf(tile::BufferCopyOp op, FactContext &context) {
  AccessPlan plan{"copy to shared memory"};
  tile::BufferType buffer = op.getBuffer().getType();
  auto type = mlir::cast<mlir::RankedTensorType>(op.getPtr().getType());
  plan.width = neighboursIn(buffer.getMap().toSharedLayout(),
                            tile::getLayout(type).toLinearLayout(type.getShape()),
                            context.axes.getRegisterWidth(op.getPtr(), op.getMask()));
  plan.dropsCopies = true;
  if (plan.width * tile::byteSize(buffer.getElementType()) < tile::kLeastCopyBytes)
    plan.kind = "load, then store to shared memory";
  return plan;
}

/// Only additions of floats have vectors, and not everywhere.
static AccessPlan planOf(tile::AtomicRMWOp op, FactContext &context) {
  AccessPlan plan{"atomic"};
  plan.dropsCopies = true;
  mlir::Type element = tile::elementOf(op.getValue().getType());
  if (op.getKind() == tile::AtomicKind::Add &&
      (element.isF32() || element.isF16() || element.isBF16()) &&
      tile::getTarget(op).has(GpuFeature::VectorAtomics))
    plan.width = context.axes.getRegisterWidth(op.getPtr(), op.getMask());
  return plan;
}

static AccessPlan planOf(tile::AccessOpInterface access, FactContext &context) {
  mlir::Operation *op = access;
  if (auto load = mlir::dyn_cast<tile::LoadOp>(op))
    return planOf(load, context);
  if (auto copy = mlir::dyn_cast<tile::BufferCopyOp>(op))
    return planOf(copy, context);
  if (auto atomic = mlir::dyn_cast<tile::AtomicRMWOp>(op))
    return planOf(atomic, context);
  AccessPlan plan{mlir::isa<tile::StoreOp>(op) ? "store" : "atomic"};
  plan.dropsCopies = true;
  if (mlir::isa<tile::StoreOp>(op))
    plan.width = context.axes.getRegisterWidth(access.getPtr(), access.getMask());
  return plan;
}

static unsigned countAccesses(const LinearLayout &layout, const AccessPlan &plan) {
  uint32_t copies = plan.dropsCopies ? layout.freeBits(InDim::Register) : 0;
  unsigned count = 0;
  for (uint32_t reg = 0; reg < layout.numRegisters(); reg += uint32_t(plan.width))
    count += (reg & copies) == 0;
  return count;
}

static json::Object toJSON(const Footprint &footprint) {
  return json::Object{
      {"least", footprint.least}, {"most", footprint.most}, {"needed", footprint.needed}};
}

/// What is known of the addresses, for people.
static std::string describeAddresses(const tile::AxisInfo &info) {
  unsigned fastest = fastestAxis(info);
  int64_t run = info.dims[fastest].contiguity;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (run > 1)
    os << run << " neighbours along dimension " << fastest << ", which begin at multiples of "
       << std::min<int64_t>(info.divisibilityAt(fastest, run), 1024) << " bytes";
  else if (info.dims[fastest].constancy > 1)
    os << "groups of " << info.dims[fastest].constancy << " equal addresses along dimension "
       << fastest;
  else
    os << "nothing is known of the order of addresses";
  return text;
}

static void addTile(json::Object &fact, tile::AccessOpInterface access, const AccessPlan &plan,
                    unsigned elementBytes, FactContext &context) {
  auto type = mlir::cast<mlir::RankedTensorType>(access.getPtr().getType());
  LinearLayout layout = tile::getLayout(type).toLinearLayout(type.getShape());
  tile::AxisInfo info = context.axes.get(access.getPtr());
  unsigned moved = plan.isOneElement ? 1 : unsigned(plan.width);
  fact["layout"] = context.layouts.add(layout);
  fact["width"] = plan.width;
  fact["bytes"] = moved * elementBytes;
  fact["oneElement"] = plan.isOneElement;
  fact["count"] = countAccesses(layout, plan);
  fact["addresses"] = describeAddresses(info);
  fact["lines"] = toJSON(footprintOf(layout, info, elementBytes, moved, kLineBytes));
  fact["sectors"] = toJSON(footprintOf(layout, info, elementBytes, moved, kSectorBytes));
}

static json::Object describeAccess(tile::AccessOpInterface access, FactContext &context) {
  mlir::Type pointer = access.getPtr().getType();
  mlir::Type element = mlir::cast<tile::PtrType>(tile::elementOf(pointer)).getPointee();
  unsigned elementBytes = tile::byteSize(element);
  json::Object fact = context.describe(access);
  std::string name;
  llvm::raw_string_ostream(name) << element;
  fact["type"] = name;
  fact["elementBytes"] = elementBytes;
  fact["masked"] = access.getMask() != nullptr;
  if (tile::getLayout(pointer)) {
    AccessPlan plan = planOf(access, context);
    fact["kind"] = plan.kind;
    addTile(fact, access, plan, elementBytes, context);
    return fact;
  }
  fact["kind"] = mlir::isa<tile::LoadOp>(access.getOperation())    ? "load of a scalar"
                 : mlir::isa<tile::StoreOp>(access.getOperation()) ? "store of a scalar"
                                                                   : "atomic on a scalar";
  fact["bytes"] = elementBytes;
  return fact;
}

/// A block that hardware moves: no lane of the kernel has an address.
static json::Object describeBlock(mlir::Operation *op, llvm::StringRef kind, tile::BufferType type,
                                  FactContext &context) {
  json::Object fact = context.describe(op);
  std::string name;
  llvm::raw_string_ostream(name) << type.getElementType();
  fact["type"] = name;
  fact["kind"] = kind;
  fact["elementBytes"] = tile::byteSize(type.getElementType());
  fact["blockBytes"] = type.getSlotBytes();
  return fact;
}

json::Array tilec::report::collectAccesses(FactContext &context) {
  json::Array result;
  context.module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (auto access = mlir::dyn_cast<tile::AccessOpInterface>(op))
      result.push_back(describeAccess(access, context));
    else if (auto copy = mlir::dyn_cast<tile::BulkCopyOp>(op))
      result.push_back(
          describeBlock(op, "copy of a block by hardware", copy.getBuffer().getType(), context));
    else if (auto store = mlir::dyn_cast<tile::BulkStoreOp>(op))
      result.push_back(
          describeBlock(op, "store of a block by hardware", store.getBuffer().getType(), context));
  });
  return result;
}
