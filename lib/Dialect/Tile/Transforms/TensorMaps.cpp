//===- TensorMaps.cpp - maps that launches make ----------------*- C++ -*-===//
//
// The pass `tile-pass-tensor-maps`. Where the address, the sizes and the strides of a tensor follow
// from arguments alone, and so do the branches on the way to where its map is made, whoever
// launches the kernel can make it beforehand. What it has to compute is written on the new
// parameter, as text in postfix form.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ArgumentExpression.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPASSTENSORMAPS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// What PTX guarantees for the parameters of a kernel.
static constexpr int64_t kMostParameterBytes = 4096;
/// Of a map among them.
static constexpr int64_t kMapAlignment = 64;

namespace {

struct PassTensorMaps : tilec::tile::impl::TilePassTensorMapsBase<PassTensorMaps> {
  using TilePassTensorMapsBase::TilePassTensorMapsBase;

  void runOnOperation() override {
    if (!launcherMakesMaps(getOperation()))
      return markAllAnalysesPreserved();
    SmallVector<MakeTensorMapsOp> all;
    getOperation().walk([&](MakeTensorMapsOp op) { all.push_back(op); });
    unsigned numArguments = getOperation().getNumArguments();
    for (MakeTensorMapsOp op : all)
      if (StringAttr condition = conditionOf(op))
        pass(op, condition);
    OpBuilder start = OpBuilder::atBlockBegin(&getOperation().front());
    for (BlockArgument map : getOperation().getArguments().drop_front(numArguments))
      if (!getOperation().getArgAttr(map.getArgNumber(), kMapWhenAttr))
        PrefetchTensorMapOp::create(start, map.getLoc(), map);
  }

private:
  StringAttr conditionOf(Operation *op);
  ArrayAttr sourceOf(MakeTensorMapsOp op, unsigned map);
  BlockArgument parameterFor(MakeTensorMapsOp op, Type type, ArrayAttr source,
                             StringAttr condition);
  bool hasRoomFor(int64_t numMaps);
  void pass(MakeTensorMapsOp op, StringAttr condition);
};

} // namespace

/// Which launches have programs that come to `op`, empty for all; null if arguments alone do not
/// say it. A map that only some need may be one that nobody can make for the others.
StringAttr PassTensorMaps::conditionOf(Operation *op) {
  std::string text;
  ArgumentExpression expression(getOperation().front(), &text);
  bool hasBranch = false;
  for (; op != getOperation(); op = op->getParentOp()) {
    Operation *around = op->getParentOp();
    if (isa<FunctionOpInterface, WarpRolesOp>(around))
      continue;
    auto branch = dyn_cast<scf::IfOp>(around);
    if (!branch || !expression.append(branch.getCondition()))
      return {};
    if (op->getBlock() != branch.thenBlock() && !(expression.step("1") && expression.step("xor")))
      return {};
    if (hasBranch && !expression.step("and"))
      return {};
    hasBranch = true;
  }
  return StringAttr::get(&getContext(), text);
}

/// What the map is of; null if arguments alone do not say it.
ArrayAttr PassTensorMaps::sourceOf(MakeTensorMapsOp op, unsigned map) {
  unsigned first = op.firstAxisOf(map), rank = op.firstAxisOf(map + 1) - first;
  SmallVector<Value> values = {op.getBases()[map]};
  llvm::append_range(values, op.getSizes().slice(first, rank));
  llvm::append_range(values, op.getStrides().slice(first, rank - 1));
  SmallVector<Attribute> texts;
  for (Value value : values) {
    std::string text;
    if (!ArgumentExpression(getOperation().front(), &text).append(value))
      return {};
    texts.push_back(StringAttr::get(&getContext(), text));
  }
  return ArrayAttr::get(&getContext(), texts);
}

/// The parameter for such a map, of those that there are or a new one.
BlockArgument PassTensorMaps::parameterFor(MakeTensorMapsOp op, Type type, ArrayAttr source,
                                           StringAttr condition) {
  func::FuncOp kernel = getOperation();
  Builder builder(&getContext());
  SmallVector<NamedAttribute> list = {builder.getNamedAttr(kMapOfAttr, source)};
  if (!condition.empty())
    list.push_back(builder.getNamedAttr(kMapWhenAttr, condition));
  DictionaryAttr attrs = builder.getDictionaryAttr(list);
  unsigned number = 0;
  for (; number < kernel.getNumArguments(); ++number)
    if (kernel.getArgument(number).getType() == type && kernel.getArgAttrDict(number) == attrs)
      return kernel.getArgument(number);
  (void)kernel.insertArgument(number, type, attrs, op.getLoc());
  ++numMaps;
  return kernel.getArgument(number);
}

bool PassTensorMaps::hasRoomFor(int64_t numMaps) {
  int64_t bytes = 0;
  for (Type type : getOperation().getArgumentTypes()) {
    bool isMap = isa<TensorMapType>(type);
    int64_t size = isMap ? MakeTensorMapsOp::kMapBytes : byteSize(type);
    bytes = llvm::alignTo(bytes, isMap ? kMapAlignment : size) + size;
  }
  return int64_t(llvm::alignTo(bytes, kMapAlignment)) + numMaps * MakeTensorMapsOp::kMapBytes <=
         kMostParameterBytes;
}

/// Makes parameters of all of the maps, or leaves them all.
void PassTensorMaps::pass(MakeTensorMapsOp op, StringAttr condition) {
  SmallVector<ArrayAttr> sources;
  for (unsigned map = 0; map < op.getMaps().size(); ++map) {
    sources.push_back(sourceOf(op, map));
    if (!sources.back())
      return;
  }
  if (!hasRoomFor(int64_t(sources.size())))
    return;
  for (auto [map, source] : llvm::zip_equal(op.getMaps(), sources))
    map.replaceAllUsesWith(parameterFor(op, map.getType(), source, condition));
  auto scratch = op.getScratch().getDefiningOp<AllocBufferOp>();
  for (Operation *user : llvm::make_early_inc_range(op.getPlace().getUsers()))
    user->erase();
  op.erase();
  if (scratch && scratch->use_empty())
    scratch->erase();
}
