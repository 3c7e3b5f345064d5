//===- TensorMaps.cpp - maps that launches make ----------------*- C++ -*-===//
//
// The pass `tile-pass-tensor-maps`. Where the address, the sizes and the strides of a tensor follow
// from arguments alone, and so do the branches on the way to where its map is made, whoever
// launches the kernel can make it beforehand. What it has to compute is written on the new
// parameter, as text in postfix form.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Writes numbers of the kernel as an expression of its arguments. A number of fewer than 64 bits
/// is on the evaluator's stack as one of 64 with the same sign; of one bit it is 0 or 1.
class ArgumentExpression {
public:
  explicit ArgumentExpression(Block &entry) : entry(entry) {}

  /// False if it follows from something else, or by a long way.
  bool append(Value value);
  /// Adds a token; false if these are too many.
  bool step(const Twine &token) {
    constexpr unsigned mostSteps = 32;
    if (!text.empty())
      text += ' ';
    text += token.str();
    return ++numSteps <= mostSteps;
  }
  StringAttr get() const { return StringAttr::get(entry.getParentOp()->getContext(), text); }

private:
  bool appendOperation(Operation *op);
  /// Two operands, and what combines them.
  bool appendBoth(Value left, Value right, StringRef name) {
    return append(left) && append(right) && step(name);
  }
  bool appendBits(Operation *op, StringRef name) {
    return appendBoth(op->getOperand(0), op->getOperand(1), name);
  }
  bool appendArithmetic(Operation *op, StringRef name) {
    return appendBits(op, name) && extend("sext", op->getResult(0).getType());
  }
  bool appendAddress(AddPtrOp op);
  bool appendComparison(arith::CmpIOp op);
  /// Fills the bits above those of `type`.
  bool extend(StringRef how, Type type) {
    unsigned width = type.getIntOrFloatBitWidth();
    return width == 64 || (width > 1 && step((how + Twine(width)).str()));
  }

  Block &entry;
  std::string text;
  unsigned numSteps = 0;
};

} // namespace

/// Whether it is a number that the evaluator knows.
static bool isNumber(Type type) {
  return isa<PtrType>(type) || (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64);
}

bool ArgumentExpression::append(Value value) {
  if (!isNumber(value.getType()))
    return false;
  if (IntegerAttr known; matchPattern(value, m_Constant(&known)))
    return step(Twine(value.getType().isInteger(1) ? int64_t(known.getValue().getZExtValue())
                                                   : known.getValue().getSExtValue()));
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &entry && step("@" + Twine(argument.getArgNumber()));
  return appendOperation(value.getDefiningOp());
}

bool ArgumentExpression::appendAddress(AddPtrOp op) {
  int64_t bytes = byteSize(cast<PtrType>(op.getType()).getPointee());
  return append(op.getPtr()) && append(op.getOffset()) && step(Twine(bytes)) && step("mul") &&
         step("add");
}

bool ArgumentExpression::appendComparison(arith::CmpIOp op) {
  auto isNot = [&](bool known) { return known && step("1") && step("xor"); };
  bool isOrder =
      !llvm::is_contained({arith::CmpIPredicate::eq, arith::CmpIPredicate::ne}, op.getPredicate());
  if (isOrder && op.getLhs().getType().isInteger(1))
    return false;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return appendBits(op, "eq");
  case arith::CmpIPredicate::ne:
    return isNot(appendBits(op, "eq"));
  case arith::CmpIPredicate::slt:
    return appendBits(op, "lt");
  case arith::CmpIPredicate::sge:
    return isNot(appendBits(op, "lt"));
  case arith::CmpIPredicate::sgt:
    return appendBoth(op.getRhs(), op.getLhs(), "lt");
  case arith::CmpIPredicate::sle:
    return isNot(appendBoth(op.getRhs(), op.getLhs(), "lt"));
  default:
    return false;
  }
}

bool ArgumentExpression::appendOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AddPtrOp add) { return appendAddress(add); })
      .Case<PromiseOp, PtrCastOp, PtrToIntOp>(
          [&](auto same) { return append(same->getOperand(0)); })
      .Case([&](arith::ExtSIOp widen) {
        return !widen.getIn().getType().isInteger(1) && append(widen.getIn());
      })
      .Case([&](arith::ExtUIOp widen) {
        Type from = widen.getIn().getType();
        return append(widen.getIn()) && (from.isInteger(1) || extend("zext", from));
      })
      .Case([&](arith::TruncIOp narrow) {
        return append(narrow.getIn()) && extend("sext", narrow.getType());
      })
      .Case([&](arith::AddIOp) { return appendArithmetic(op, "add"); })
      .Case([&](arith::SubIOp) { return appendArithmetic(op, "sub"); })
      .Case([&](arith::MulIOp) { return appendArithmetic(op, "mul"); })
      .Case([&](arith::DivSIOp) { return appendArithmetic(op, "div"); })
      .Case([&](arith::MinSIOp) { return appendArithmetic(op, "min"); })
      .Case([&](arith::MaxSIOp) { return appendArithmetic(op, "max"); })
      .Case([&](arith::AndIOp) { return appendBits(op, "and"); })
      .Case([&](arith::OrIOp) { return appendBits(op, "or"); })
      .Case([&](arith::XOrIOp) { return appendBits(op, "xor"); })
      .Case([&](arith::CmpIOp compare) { return appendComparison(compare); })
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
  ArgumentExpression expression(getOperation().front());
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
  return expression.get();
}

/// What the map is of; null if arguments alone do not say it.
ArrayAttr PassTensorMaps::sourceOf(MakeTensorMapsOp op, unsigned map) {
  unsigned first = op.firstAxisOf(map), rank = op.firstAxisOf(map + 1) - first;
  SmallVector<Value> values = {op.getBases()[map]};
  llvm::append_range(values, op.getSizes().slice(first, rank));
  llvm::append_range(values, op.getStrides().slice(first, rank - 1));
  SmallVector<Attribute> texts;
  for (Value value : values) {
    ArgumentExpression expression(getOperation().front());
    if (!expression.append(value))
      return {};
    texts.push_back(expression.get());
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
