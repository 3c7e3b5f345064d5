//===- TensorMaps.cpp - maps that launches make ----------------*- C++ -*-===//
//
// The pass `tile-pass-tensor-maps`. Where the address, the sizes and the strides of a tensor follow
// from arguments alone, whoever launches the kernel can make its map beforehand. What it has to
// compute is written on the new parameter, as text in postfix form.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Arch/TensorMaps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
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

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

/// Writes a number of the kernel as an expression of its arguments. A number of fewer than 64 bits
/// is on the evaluator's stack as one of 64 with the same sign.
class ArgumentExpression {
public:
  explicit ArgumentExpression(Block &entry) : entry(entry) {}

  /// Null if it follows from something else, or by a long way.
  StringAttr write(Value value) {
    text.clear();
    numSteps = 0;
    return append(value) ? StringAttr::get(value.getContext(), text) : StringAttr();
  }

private:
  bool append(Value value);
  bool appendOperation(Operation *op);
  /// `op`'s two operands, and what combines them.
  bool appendBinary(Operation *op, StringRef name) {
    return append(op->getOperand(0)) && append(op->getOperand(1)) && step(name) &&
           extend("sext", op->getResult(0).getType());
  }
  bool appendAddress(AddPtrOp op);
  /// Fills the bits above those of `type`.
  bool extend(StringRef how, Type type) {
    unsigned width = type.getIntOrFloatBitWidth();
    return width == 64 || step((how + Twine(width)).str());
  }
  bool step(const Twine &token) {
    constexpr unsigned mostSteps = 32;
    if (!text.empty())
      text += ' ';
    text += token.str();
    return ++numSteps <= mostSteps;
  }

  Block &entry;
  std::string text;
  unsigned numSteps = 0;
};

} // namespace

/// Whether it is a number that the evaluator knows.
static bool isNumber(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return isa<PtrType>(type) || (integer && integer.getWidth() >= 8 && integer.getWidth() <= 64);
}

bool ArgumentExpression::append(Value value) {
  if (!isNumber(value.getType()))
    return false;
  if (IntegerAttr known; matchPattern(value, m_Constant(&known)))
    return step(Twine(known.getValue().getSExtValue()));
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &entry && step("@" + Twine(argument.getArgNumber()));
  return appendOperation(value.getDefiningOp());
}

bool ArgumentExpression::appendAddress(AddPtrOp op) {
  int64_t bytes = byteSize(cast<PtrType>(op.getType()).getPointee());
  return append(op.getPtr()) && append(op.getOffset()) && step(Twine(bytes)) && step("mul") &&
         step("add");
}

bool ArgumentExpression::appendOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AddPtrOp add) { return appendAddress(add); })
      .Case<PromiseOp, PtrCastOp, arith::ExtSIOp>(
          [&](auto same) { return append(same->getOperand(0)); })
      .Case([&](arith::ExtUIOp widen) {
        return append(widen.getIn()) && extend("zext", widen.getIn().getType());
      })
      .Case([&](arith::TruncIOp narrow) {
        return append(narrow.getIn()) && extend("sext", narrow.getType());
      })
      .Case([&](arith::AddIOp) { return appendBinary(op, "add"); })
      .Case([&](arith::SubIOp) { return appendBinary(op, "sub"); })
      .Case([&](arith::MulIOp) { return appendBinary(op, "mul"); })
      .Case([&](arith::DivSIOp) { return appendBinary(op, "div"); })
      .Case([&](arith::MinSIOp) { return appendBinary(op, "min"); })
      .Case([&](arith::MaxSIOp) { return appendBinary(op, "max"); })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

namespace {

struct PassTensorMaps : tilec::tile::impl::TilePassTensorMapsBase<PassTensorMaps> {
  using TilePassTensorMapsBase::TilePassTensorMapsBase;

  void runOnOperation() override {
    auto who = getOperation()->getAttrOfType<StringAttr>(kTensorMapsAttr);
    if (!who || who.getValue() != tilec::tensorMapsName(tilec::TensorMaps::Launcher))
      return markAllAnalysesPreserved();
    SmallVector<MakeTensorMapsOp> all;
    getOperation().walk([&](MakeTensorMapsOp op) { all.push_back(op); });
    unsigned numArguments = getOperation().getNumArguments();
    for (MakeTensorMapsOp op : all)
      if (isAlwaysReached(op))
        pass(op);
    OpBuilder start = OpBuilder::atBlockBegin(&getOperation().front());
    for (BlockArgument map : getOperation().getArguments().drop_front(numArguments))
      PrefetchTensorMapOp::create(start, map.getLoc(), map);
  }

private:
  /// A map that only some launches need may be one that none can make for the others.
  static bool isAlwaysReached(MakeTensorMapsOp op) {
    return isa<FunctionOpInterface, WarpRolesOp>(op->getParentOp());
  }

  ArrayAttr sourceOf(MakeTensorMapsOp op, unsigned map);
  BlockArgument find(Type type, ArrayAttr source);
  bool hasRoomFor(int64_t numMaps);
  void pass(MakeTensorMapsOp op);
};

} // namespace

/// What the map is of; null if arguments alone do not say it.
ArrayAttr PassTensorMaps::sourceOf(MakeTensorMapsOp op, unsigned map) {
  unsigned first = op.firstAxisOf(map), rank = op.firstAxisOf(map + 1) - first;
  SmallVector<Value> values = {op.getBases()[map]};
  llvm::append_range(values, op.getSizes().slice(first, rank));
  llvm::append_range(values, op.getStrides().slice(first, rank - 1));
  ArgumentExpression expression(getOperation().front());
  SmallVector<Attribute> texts;
  for (Value value : values) {
    StringAttr text = expression.write(value);
    if (!text)
      return {};
    texts.push_back(text);
  }
  return ArrayAttr::get(&getContext(), texts);
}

/// The parameter that is this map; null if there is none yet.
BlockArgument PassTensorMaps::find(Type type, ArrayAttr source) {
  for (BlockArgument argument : getOperation().getArguments())
    if (argument.getType() == type &&
        getOperation().getArgAttr(argument.getArgNumber(), kMapOfAttr) == source)
      return argument;
  return {};
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
void PassTensorMaps::pass(MakeTensorMapsOp op) {
  func::FuncOp kernel = getOperation();
  SmallVector<ArrayAttr> sources;
  for (unsigned map = 0; map < op.getMaps().size(); ++map) {
    sources.push_back(sourceOf(op, map));
    if (!sources.back())
      return;
  }
  if (!hasRoomFor(int64_t(sources.size())))
    return;
  for (auto [map, source] : llvm::zip_equal(op.getMaps(), sources)) {
    BlockArgument argument = find(map.getType(), source);
    if (!argument) {
      unsigned number = kernel.getNumArguments();
      NamedAttribute attr(StringAttr::get(&getContext(), kMapOfAttr), source);
      (void)kernel.insertArgument(number, map.getType(), DictionaryAttr::get(&getContext(), {attr}),
                                  op.getLoc());
      argument = kernel.getArgument(number);
      ++numMaps;
    }
    map.replaceAllUsesWith(argument);
  }
  auto scratch = op.getScratch().getDefiningOp<AllocBufferOp>();
  for (Operation *user : llvm::make_early_inc_range(op.getPlace().getUsers()))
    user->erase();
  op.erase();
  if (scratch && scratch->use_empty())
    scratch->erase();
}
