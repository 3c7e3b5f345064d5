//===- Exchanges.cpp - what moves between threads ---------------*- C++ -*-===//
//
// Inside a warp, planConversion and planReduction say how many shuffles there are. Through shared
// memory, the layout and the placement of the buffer say how wide accesses are and how often banks
// conflict, by planAccess and planIfCheaper, as where buffers are lowered (BufferToGPU.cpp).
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/Reduction.h"
#include "llvm/ADT/SetVector.h"

using namespace tilec;
using namespace tilec::report;
using namespace tilec::layout;
namespace json = llvm::json;

static LinearLayout layoutOf(mlir::Type type) {
  return tile::getLayout(type).toLinearLayout(mlir::cast<mlir::RankedTensorType>(type).getShape());
}

static json::Array toArray(llvm::ArrayRef<uint64_t> values) {
  json::Array result;
  for (uint64_t value : values)
    result.push_back(value);
  return result;
}

static std::string printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Why
//===----------------------------------------------------------------------===//

/// Whether the layout of what \p op makes is that of what it works on.
static bool isBetween(mlir::Operation *op) {
  return tile::isElementwise(op) && op->getNumResults() == 1;
}

/// Whether a tile is in one layout before \p op and may be in any other behind it.
static bool isExchange(mlir::Operation *op) {
  return mlir::isa<tile::ConvertLayoutOp, tile::BufferStoreOp, tile::BufferLoadOp>(op);
}

/// The operation that \p value is of: its own, or the one around its block.
static mlir::Operation *ownerOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op ? op : value.getParentBlock()->getParentOp();
}

/// What \p value is where a loop or a branch makes it: what is yielded as it. What a loop begins
/// with comes apart, since it takes the layout of what the loop makes of it.
static void collectSources(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &yielded,
                           llvm::SmallVectorImpl<mlir::Value> &initial) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  mlir::Operation *op = ownerOf(value);
  unsigned number = argument ? 0 : mlir::cast<mlir::OpResult>(value).getResultNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    if (argument == loop.getInductionVar())
      return;
    if (argument)
      number = argument.getArgNumber() - loop.getNumInductionVars();
    yielded.push_back(loop.getYieldedValues()[number]);
    initial.push_back(loop.getInitArgs()[number]);
  } else if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
    yielded.push_back(branch.elseYield().getOperand(number));
    yielded.push_back(branch.thenYield().getOperand(number));
  }
}

/// The operation from which \p value has its layout, through loops and branches. What an exchange
/// makes for a loop has its layout from the loop, and that from what else there is.
static mlir::Operation *originOf(mlir::Value value) {
  llvm::SmallVector<mlir::Value> open = {value}, initial;
  llvm::DenseSet<mlir::Value> seen;
  mlir::Operation *carrier = nullptr;
  while (!open.empty() || !initial.empty()) {
    mlir::Value next = open.empty() ? initial.pop_back_val() : open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    size_t before = open.size();
    collectSources(next, open, initial);
    mlir::Operation *op = ownerOf(next);
    if (open.size() != before)
      carrier = carrier ? carrier : op;
    if (open.size() != before || (carrier && isExchange(op)))
      continue;
    if (next.getDefiningOp() && isBetween(op))
      for (mlir::Value operand : llvm::reverse(op->getOperands()))
        if (tile::getLayout(operand.getType()) == tile::getLayout(next.getType()))
          open.push_back(operand);
    if (open.size() == before)
      return op;
  }
  return carrier;
}

/// The value by which a loop or a branch hands the operand on: inside, where something uses it
/// there, otherwise behind. Null if \p use is none of such.
static mlir::Value carriedBy(mlir::OpOperand &use) {
  mlir::Operation *user = use.getOwner(), *parent = user->getParentOp();
  auto follow = [](mlir::Value inside, mlir::Value behind) {
    return inside.use_empty() ? behind : inside;
  };
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(user))
    if (mlir::BlockArgument inside = loop.getTiedLoopRegionIterArg(&use))
      return follow(inside, loop.getTiedLoopResult(&use));
  if (!mlir::isa<mlir::scf::YieldOp>(user))
    return {};
  unsigned number = use.getOperandNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(parent))
    return follow(loop.getRegionIterArg(number), loop.getResult(number));
  return mlir::isa<mlir::scf::IfOp>(parent) ? parent->getResult(number) : mlir::Value();
}

namespace {

/// The operations that want a value in its layout, behind those that work on elements, and inside
/// of loops that carry it.
struct EndCollector {
  llvm::SetVector<mlir::Operation *> ends, carriers;
  llvm::DenseSet<mlir::Value> seen;

  void collect(mlir::Value value, bool isCarried = false);
  llvm::SmallVector<mlir::Operation *> take();
};

} // namespace

void EndCollector::collect(mlir::Value value, bool isCarried) {
  if (!seen.insert(value).second)
    return;
  for (mlir::OpOperand &use : value.getUses()) {
    mlir::Operation *user = use.getOwner();
    bool isSame = isBetween(user) &&
                  tile::getLayout(user->getResult(0).getType()) == tile::getLayout(value.getType());
    if (isSame) {
      collect(user->getResult(0), isCarried);
    } else if (mlir::Value carried = carriedBy(use)) {
      carriers.insert(ownerOf(carried));
      collect(carried, /*isCarried=*/true);
    } else if (!isCarried || !isExchange(user)) {
      ends.insert(user->hasTrait<mlir::OpTrait::IsTerminator>() ? user->getParentOp() : user);
    }
  }
}

/// What a loop hands to exchanges alone is in the loop's layout, for no other reason.
llvm::SmallVector<mlir::Operation *> EndCollector::take() {
  if (ends.empty() && !carriers.empty())
    ends.insert(carriers.front());
  return ends.takeVector();
}

static json::Object describeEnd(mlir::Operation *op, FactContext &context) {
  return json::Object{{"op", op->getName().getStringRef()},
                      {"chain", context.places.chainOf(op->getLoc())}};
}

/// The same operations at different places, in the order of the program.
static json::Array describeEnds(mlir::Value value, FactContext &context) {
  EndCollector collector;
  collector.collect(value);
  llvm::SmallVector<mlir::Operation *> inOrder = collector.take();
  llvm::sort(inOrder, [&](mlir::Operation *a, mlir::Operation *b) {
    return context.rows.lookup(a) < context.rows.lookup(b);
  });
  json::Array result;
  for (mlir::Operation *op : inOrder) {
    json::Value end = describeEnd(op, context);
    if (!llvm::is_contained(result, end))
      result.push_back(std::move(end));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Within warps
//===----------------------------------------------------------------------===//

/// Shuffles move words of 32 bits; two take the elements of 64.
static uint64_t wordsOf(mlir::Type element) {
  return llvm::divideCeil(tile::byteSize(element), unsigned(kRegisterBytes));
}

static std::optional<json::Object> describeConversion(tile::ConvertLayoutOp op,
                                                      FactContext &context) {
  LinearLayout from = layoutOf(op.getSrc().getType()), to = layoutOf(op.getType());
  std::string error;
  std::optional<ConversionPlan> plan = planConversion(from, to, error);
  if (!plan)
    return std::nullopt;
  json::Object fact = context.describe(op);
  uint64_t words = wordsOf(tile::elementOf(op.getType())), shuffles = 0;
  const char *how = "nothing moves";
  if (plan->kind == ConversionKind::Registers)
    how = "registers of each thread are renamed";
  if (plan->kind == ConversionKind::Shared)
    how = "through shared memory";
  if (plan->kind == ConversionKind::Shuffle) {
    how = "shuffles between lanes";
    shuffles = plan->shuffle.numShuffles() * words;
  }
  if (plan->kind == ConversionKind::Swaps) {
    how = "swaps between pairs of lanes";
    shuffles = plan->swaps.size() * from.numRegisters() / 2 * words;
  }
  fact["how"] = how;
  fact["shuffles"] = shuffles;
  fact["from"] = context.layouts.add(from);
  fact["to"] = context.layouts.add(to);
  fact["origin"] = describeEnd(originOf(op.getSrc()), context);
  fact["ends"] = describeEnds(op.getResult(), context);
  fact["type"] = printed(tile::elementOf(op.getType()));
  return fact;
}

template <typename Op>
static std::optional<json::Object> describeReduction(Op op, FactContext &context) {
  if (op.getSrcs().empty() || !tile::getLayout(op.getSrcs()[0].getType()))
    return std::nullopt;
  std::optional<ReductionPlan> plan =
      planReduction(layoutOf(op.getSrcs()[0].getType()), op.getAxis());
  if (!plan)
    return std::nullopt;
  json::Object fact = context.describe(op);
  uint64_t words = 0;
  for (mlir::Value source : op.getSrcs())
    words += wordsOf(tile::elementOf(source.getType()));
  fact["how"] = plan->laneMasks.empty() ? "reduction inside each thread"
                                        : "reduction between lanes, by butterfly shuffles";
  fact["shuffles"] = plan->laneMasks.size() * plan->registerGroups.size() * words;
  fact["from"] = context.layouts.add(op.getSrcs()[0].getType());
  fact["type"] = printed(tile::elementOf(op.getSrcs()[0].getType()));
  return fact;
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

namespace {

/// The accesses to one buffer.
class BufferReader {
public:
  BufferReader(tile::AllocBufferOp buffer, FactContext &context)
      : buffer(buffer), type(buffer.getType()), map(type.getMap().toSharedLayout()),
        elementBytes(tile::byteSize(type.getElementType())), context(context) {}

  json::Object read();

private:
  std::optional<json::Object> describe(mlir::Operation *user);
  json::Object describeStore(tile::BufferStoreOp op);
  json::Object describeLoad(tile::BufferLoadOp op);
  json::Object describeCopy(tile::BufferCopyOp op);
  void addAccess(json::Object &fact, const LinearLayout &layout, const SharedAccess &access);
  void addMatrices(json::Object &fact, const MatrixPlan &plan, const LinearLayout &layout,
                   llvm::StringRef name);

  tile::AllocBufferOp buffer;
  tile::BufferType type;
  SharedLayout map;
  unsigned elementBytes;
  FactContext &context;
};

} // namespace

/// The first access of the first warp goes along for the picture: offsets by lane, in elements.
void BufferReader::addAccess(json::Object &fact, const LinearLayout &layout,
                             const SharedAccess &access) {
  fact["layout"] = context.layouts.add(layout);
  fact["bytes"] = access.vecElems * elementBytes;
  fact["count"] = access.vectors.size();
  fact["wavefronts"] = access.wavefronts;
  fact["leastWavefronts"] = access.minWavefronts;
  uint64_t first = access.vectors.empty()
                       ? 0
                       : map.offset(layout.applyFlat(InDim::Register, access.vectors[0][0]));
  fact["firstOffset"] = first;
  fact["laneOffsets"] = toArray(map.offsetBases(layout, InDim::Lane));
}

/// Each lane gives the address of a row of 16 bytes, and eight rows are one wavefront where their
/// banks differ.
void BufferReader::addMatrices(json::Object &fact, const MatrixPlan &plan,
                               const LinearLayout &layout, llvm::StringRef name) {
  size_t matrices = plan.instructions.empty() ? 1 : plan.instructions[0].size();
  fact["layout"] = context.layouts.add(layout);
  fact["matrix"] = (name + ".x" + llvm::Twine(matrices) + (plan.transposed ? ".trans" : "")).str();
  fact["bytes"] = 4 * matrices;
  fact["rowBytes"] = 16;
  fact["rows"] = 8 * matrices;
  fact["count"] = plan.instructions.size();
  uint32_t reg = plan.instructions.empty() ? 0 : plan.instructions[0][0];
  fact["firstOffset"] = map.offset(layout.applyFlat(InDim::Register, reg));
  fact["laneOffsets"] = toArray(plan.laneOffsets);
}

json::Object BufferReader::describeStore(tile::BufferStoreOp op) {
  json::Object fact = context.describe(op);
  fact["kind"] = "store";
  fact["origin"] = describeEnd(originOf(op.getValue()), context);
  if (!tile::getLayout(op.getValue().getType()) || op.getAxis())
    return fact;
  LinearLayout layout = layoutOf(op.getValue().getType());
  bool mayUseMatrices = tile::getTarget(op).has(GpuFeature::MatrixStore) && type.getRounds() == 1 &&
                        op.getPeers().empty();
  if (mayUseMatrices)
    if (std::optional<MatrixPlan> plan =
            planIfCheaper(layout, map, 8 * elementBytes, /*isStore=*/true)) {
      addMatrices(fact, *plan, layout, "stmatrix");
      return fact;
    }
  addAccess(fact, layout, planAccess(layout, map, 8 * elementBytes, /*isStore=*/true));
  return fact;
}

json::Object BufferReader::describeLoad(tile::BufferLoadOp op) {
  json::Object fact = context.describe(op);
  fact["kind"] = "load";
  fact["ends"] = describeEnds(op.getResult(), context);
  if (!tile::getLayout(op.getType()))
    return fact;
  LinearLayout layout = layoutOf(op.getType());
  bool mayUseMatrices = !tile::isThreadPrivate(buffer) && type.getRounds() == 1 && !op.getMask() &&
                        !op.getPrevious() && !op.getReversed() &&
                        (type.getSlots() > 1 || elementBytes != 4);
  if (mayUseMatrices)
    if (std::optional<MatrixPlan> plan =
            planIfCheaper(layout, map, 8 * elementBytes, /*isStore=*/false)) {
      addMatrices(fact, *plan, layout, "ldmatrix");
      return fact;
    }
  addAccess(fact, layout, planAccess(layout, map, 8 * elementBytes, /*isStore=*/false));
  return fact;
}

json::Object BufferReader::describeCopy(tile::BufferCopyOp op) {
  json::Object fact = context.describe(op);
  fact["kind"] = "copy from global memory";
  LinearLayout layout = layoutOf(op.getPtr().getType());
  unsigned width =
      unsigned(neighboursIn(map, layout, context.axes.getRegisterWidth(op.getPtr(), op.getMask())));
  SharedAccess access;
  access.vecElems = width;
  for (uint32_t reg = 0; reg < layout.numRegisters(); reg += width)
    if ((reg & layout.freeBits(InDim::Register)) == 0)
      access.vectors.push_back({reg});
  access.wavefronts = bankConflicts(layout, map, 8 * elementBytes, width);
  access.minWavefronts = minWavefronts(8 * elementBytes, width);
  addAccess(fact, layout, access);
  return fact;
}

std::optional<json::Object> BufferReader::describe(mlir::Operation *user) {
  if (auto store = mlir::dyn_cast<tile::BufferStoreOp>(user))
    return describeStore(store);
  if (auto load = mlir::dyn_cast<tile::BufferLoadOp>(user))
    return describeLoad(load);
  if (auto copy = mlir::dyn_cast<tile::BufferCopyOp>(user))
    return describeCopy(copy);
  json::Object fact = context.describe(user);
  if (mlir::isa<tile::GroupDotOp>(user))
    fact["kind"] = "factor of a product of warp groups, which reads it itself";
  else if (mlir::isa<tile::BulkCopyOp>(user))
    fact["kind"] = "copy of a block by hardware";
  else if (mlir::isa<tile::BulkStoreOp>(user))
    fact["kind"] = "store of a block by hardware";
  else if (mlir::isa<tile::BufferGatherOp>(user))
    fact["kind"] = "loads at computed places";
  else if (mlir::isa<tile::BufferCountOp>(user))
    fact["kind"] = "atomic additions at computed places";
  else
    return std::nullopt;
  return fact;
}

json::Object BufferReader::read() {
  json::Object fact = context.describe(buffer);
  fact["bytes"] = type.getBytes();
  fact["slots"] = type.getSlots();
  fact["rounds"] = type.getRounds();
  if (buffer.getOffset())
    fact["offset"] = *buffer.getOffset();
  fact["type"] = printed(type.getElementType());
  fact["elementBytes"] = elementBytes;
  fact["shape"] = json::Array(type.getShape());
  json::Array offsets;
  for (unsigned bit = 0; bit < map.toOffset.numCols(); ++bit)
    offsets.push_back(map.toOffset.apply(uint64_t(1) << bit));
  fact["map"] = std::move(offsets);
  // Users are in no order; the rows of the pane are.
  llvm::SetVector<mlir::Operation *> users(buffer.getBuffer().user_begin(),
                                           buffer.getBuffer().user_end());
  llvm::SmallVector<mlir::Operation *> inOrder = users.takeVector();
  llvm::sort(inOrder, [&](mlir::Operation *a, mlir::Operation *b) {
    return context.rows.lookup(a) < context.rows.lookup(b);
  });
  json::Array list;
  for (mlir::Operation *user : inOrder)
    if (std::optional<json::Object> access = describe(user))
      list.push_back(std::move(*access));
  fact["accesses"] = std::move(list);
  return fact;
}

json::Object tilec::report::collectExchanges(FactContext &context) {
  json::Array inWarps, buffers;
  auto add = [&](std::optional<json::Object> fact) {
    if (fact)
      inWarps.push_back(std::move(*fact));
  };
  context.module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (auto conversion = mlir::dyn_cast<tile::ConvertLayoutOp>(op))
      add(describeConversion(conversion, context));
    else if (auto reduction = mlir::dyn_cast<tile::ReduceOp>(op))
      add(describeReduction(reduction, context));
    else if (auto partial = mlir::dyn_cast<tile::PartialReduceOp>(op))
      add(describeReduction(partial, context));
    else if (auto buffer = mlir::dyn_cast<tile::AllocBufferOp>(op))
      if (buffer.getType().getMap())
        buffers.push_back(BufferReader(buffer, context).read());
  });
  return json::Object{{"inWarps", std::move(inWarps)}, {"buffers", std::move(buffers)}};
}
