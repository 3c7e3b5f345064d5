//===- BulkToGPU.cpp - copies of whole blocks -------------------*- C++ -*-===//
//
// Tensor maps are composed in shared memory by tensormap.replace, and published in global memory
// (PTX, "Tensor Map Objects"). Where they lie there: each multiprocessor has as many places as CTAs
// of the kernel fit on it, and a CTA claims one of these, whichever launch it is of.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "BufferCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::BulkPart;
using tilec::layout::BulkPlan;

/// More multiprocessors than any GPU has; where there are more, two of them share places.
static constexpr int64_t kMultiprocessors = 256;
/// What maps are aligned to. A place begins with so many bytes, of which the first word says
/// whether the place is taken; the maps come behind.
static constexpr int64_t kMapBytes = MakeTensorMapsOp::kMapBytes;
/// Hardware copies so many bytes at a time.
static constexpr int64_t kGroupBytes = 16;

/// What atomic operations on places order: CTAs of one GPU.
static constexpr llvm::StringLiteral kDeviceScope = "device";

namespace {

/// Emits the code of maps and copies at one place.
class BulkCode {
public:
  BulkCode(OpBuilder &b, Location loc) : emitter(b, loc), code(emitter.code), b(b), loc(loc) {}

  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value add(Value a, Value c) { return b.createOrFold<arith::AddIOp>(loc, a, c); }
  Value offsetBy(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  Value isThread(int64_t number, arith::CmpIPredicate predicate = arith::CmpIPredicate::eq) {
    return arith::CmpIOp::create(b, loc, predicate, code.threadId(), code.i32(number));
  }
  /// The numbers of threads begin with those of the first warp.
  Value isInFirstWarp() { return isThread(tilec::kWarpSize, arith::CmpIPredicate::ult); }
  void syncWarp() { NVVM::SyncWarpOp::create(b, loc, code.i32(-1)); }

  AccessEmitter emitter;
  ThreadCode &code;
  OpBuilder &b;
  Location loc;
};

/// Makes the maps of `op`, with the threads of the first warp.
class MapMaker : BulkCode {
public:
  MapMaker(OpBuilder &b, MakeTensorMapsOp op, MakeTensorMapsOp::Adaptor adaptor)
      : BulkCode(b, op.getLoc()), op(op), adaptor(adaptor), numMaps(op.getMaps().size()) {}

  Value make();

private:
  /// An instruction that writes a field of a map, with the number that it takes, if any.
  struct Field {
    std::string text;
    Value number;
  };

  Value strideOf(unsigned map, unsigned axis);
  Value tryPlace(Value number);
  Value claimed(Value failed);
  void checkTensors();
  SmallVector<Field> fieldsOf(unsigned map);
  void compose();
  void composeAlike(ArrayRef<unsigned> maps, ArrayRef<SmallVector<Field>> fields);
  void publish(Value place);

  MakeTensorMapsOp op;
  MakeTensorMapsOp::Adaptor adaptor;
  int64_t numMaps;
  /// How many places a multiprocessor has, and where the first one is.
  int64_t numPlaces = 0;
  Value first;
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Zeroed global memory of the module, for this operation alone.
static LLVM::GlobalOp memoryForMaps(Operation *op, int64_t bytes) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string name;
  unsigned number = 0;
  do
    name = ("__tilec_maps_" + Twine(number++)).str();
  while (module.lookupSymbol(name));
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  Type byte = top.getI8Type();
  return LLVM::GlobalOp::create(
      top, op->getLoc(), LLVM::LLVMArrayType::get(byte, bytes), /*isConstant=*/false,
      LLVM::Linkage::Internal, name,
      DenseElementsAttr::get(RankedTensorType::get({bytes}, byte), top.getZeroAttr(byte)),
      kMapBytes, kGlobalSpace);
}

/// How many CTAs of the kernel around `op` run on a multiprocessor at most, by shared memory.
static int64_t placesOfMultiprocessor(Operation *op) {
  constexpr int64_t mostCTAs = 32;
  auto kernel = op->getParentOfType<func::FuncOp>();
  tilec::GpuArch arch = getTarget(op);
  int64_t bytes = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr).getInt();
  int64_t resident = arch.sharedPerSM() / (bytes + arch.reservedSharedPerBlock());
  return std::clamp<int64_t>(resident, 1, mostCTAs);
}

/// Takes the place with this number unless it is taken; then the result is not zero.
Value MapMaker::tryPlace(Value number) {
  Value place =
      offsetBy(first, arith::MulIOp::create(b, loc, number, code.i32((1 + numMaps) * kMapBytes)));
  return LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, place, code.i32(1),
                                   LLVM::AtomicOrdering::acquire, kDeviceScope);
}

/// The number of a place that is this CTA's, once the attempt to take the first one has `failed` or
/// not. As many CTAs as fit on a multiprocessor have places there, so one is free, or is about to
/// be given back by a CTA that is over.
Value MapMaker::claimed(Value failed) {
  Type i32 = b.getI32Type();
  auto loop = scf::WhileOp::create(b, loc, TypeRange(i32), ValueRange{failed, code.i32(0)});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, {i32, i32}, {loc, loc});
  Value goesOn =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, before->getArgument(0), code.i32(0));
  scf::ConditionOp::create(b, loc, goesOn, before->getArgument(1));
  Block *again = b.createBlock(&loop.getAfter(), {}, {i32}, {loc});
  Value next = add(again->getArgument(0), code.i32(1));
  Value isBehind =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, code.i32(numPlaces));
  next = arith::SelectOp::create(b, loc, isBehind, code.i32(0), next);
  scf::YieldOp::create(b, loc, ValueRange{tryPlace(next), next});
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The number of an element's type in a map: that of unsigned integers, since nothing is computed.
static int64_t elementTypeNumber(Type element) {
  switch (byteSize(element)) {
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 2;
  default:
    return 4;
  }
}

/// In bytes, of an axis by its number among those of all maps. Any will do where the axis has one
/// element at most.
Value MapMaker::strideOf(unsigned map, unsigned axis) {
  auto type = cast<TensorMapType>(op.getMaps()[map].getType());
  Type i64 = b.getI64Type();
  Value bytes = b.createOrFold<arith::MulIOp>(loc, adaptor.getStrides()[axis],
                                              integer(i64, byteSize(type.getElementType())));
  Value counts = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt,
                                               adaptor.getSizes()[axis], integer(i64, 1));
  return b.createOrFold<arith::SelectOp>(loc, counts, bytes, integer(i64, kGroupBytes));
}

/// Stops the kernel if hardware would read another tensor: it ignores the low bits of addresses and
/// strides, and the high ones of sizes and strides.
void MapMaker::checkTensors() {
  constexpr int64_t sizeBits = 32, strideBits = 40;
  Type i64 = b.getI64Type();
  Value wrong = integer(i64, 0);
  auto mark = [&](Value bits) { wrong = b.createOrFold<arith::OrIOp>(loc, wrong, bits); };
  auto markLow = [&](Value number) {
    mark(b.createOrFold<arith::AndIOp>(loc, number, integer(i64, kGroupBytes - 1)));
  };
  auto markHigh = [&](Value number, int64_t from) {
    mark(b.createOrFold<arith::ShRUIOp>(loc, number, integer(i64, from)));
  };
  for (unsigned map = 0; map < numMaps; ++map) {
    markLow(LLVM::PtrToIntOp::create(b, loc, i64, adaptor.getBases()[map]));
    unsigned first = op.firstAxisOf(map), last = op.firstAxisOf(map + 1) - 1;
    for (unsigned axis = first; axis <= last; ++axis)
      markHigh(adaptor.getSizes()[axis], sizeBits);
    for (unsigned axis = first; axis < last; ++axis) {
      Value stride = strideOf(map, axis);
      markLow(stride);
      markHigh(stride, strideBits);
    }
  }
  Value isWrong =
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, wrong, integer(i64, 0));
  code.emitIf(isWrong, [&] { LLVM::Trap::create(b, loc); });
}

/// In the instructions `$0` is the map, `$1` the number. Axes count from the innermost one.
SmallVector<MapMaker::Field> MapMaker::fieldsOf(unsigned map) {
  auto type = cast<TensorMapType>(op.getMaps()[map].getType());
  BulkPlan plan = planOf(type);
  unsigned rank = unsigned(type.getShape().size()), firstAxis = op.firstAxisOf(map);
  SmallVector<Field> fields;
  auto set = [&](const Twine &field, const Twine &bits, const Twine &axis, Value number) {
    std::string text =
        ("tensormap.replace.tile." + field + ".shared::cta.b1024." + bits + " [$0]" + axis).str();
    fields.push_back({text + (number ? ", $1;" : ";"), number});
  };
  auto setConstant = [&](const Twine &field, int64_t number) {
    set(field, "b32", ", " + Twine(number), Value());
  };
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  set("global_address", "b64", "", LLVM::PtrToIntOp::create(b, loc, i64, adaptor.getBases()[map]));
  setConstant("rank", rank - 1);
  for (unsigned number = 0; number < rank; ++number) {
    unsigned axis = rank - 1 - number;
    Twine at = ", " + Twine(number);
    set("box_dim", "b32", at, code.i32(plan.box[axis]));
    set("global_dim", "b32", at,
        arith::TruncIOp::create(b, loc, i32, adaptor.getSizes()[firstAxis + axis]));
    set("element_stride", "b32", at, code.i32(1));
    if (number > 0)
      set("global_stride", "b64", ", " + Twine(number - 1), strideOf(map, firstAxis + axis));
  }
  setConstant("elemtype", elementTypeNumber(type.getElementType()));
  setConstant("interleave_layout", 0);
  setConstant("swizzle_mode", plan.swizzleBits);
  setConstant("fill_mode", 0);
  return fields;
}

/// Composes maps that differ in numbers alone, each by the thread with its number.
void MapMaker::composeAlike(ArrayRef<unsigned> maps, ArrayRef<SmallVector<Field>> fields) {
  Value isOne;
  for (unsigned map : maps) {
    Value is = isThread(map);
    isOne = isOne ? b.createOrFold<arith::OrIOp>(loc, isOne, is) : is;
  }
  code.emitIf(isOne, [&] {
    Value bytes = arith::MulIOp::create(b, loc, code.threadId(), code.i32(kMapBytes));
    Value target = offsetBy(adaptor.getScratch(), bytes);
    for (auto [index, field] : llvm::enumerate(fields[maps.front()])) {
      Value number = field.number;
      for (unsigned map : maps.drop_front())
        if (number)
          number = b.createOrFold<arith::SelectOp>(loc, isThread(map), fields[map][index].number,
                                                   number);
      SmallVector<Value> operands = {target};
      if (number)
        operands.push_back(number);
      emitter.instruction(field.text, operands);
    }
  });
}

/// Composes the maps in shared memory.
void MapMaker::compose() {
  SmallVector<SmallVector<Field>> fields;
  for (int64_t map = 0; map < numMaps; ++map) {
    Value word = add(code.threadId(), code.i32(map * tilec::kWarpSize));
    LLVM::StoreOp::create(b, loc, code.i32(0), code.sharedAddress(adaptor.getScratch(), word, 4));
    fields.push_back(fieldsOf(unsigned(map)));
  }
  syncWarp();
  SmallVector<bool> isDone(size_t(numMaps), false);
  for (unsigned map = 0; map < numMaps; ++map) {
    if (isDone[map])
      continue;
    SmallVector<unsigned> alike;
    for (unsigned other = map; other < numMaps; ++other) {
      bool areAlike = llvm::equal(fields[map], fields[other],
                                  [](const Field &a, const Field &c) { return a.text == c.text; });
      if (!areAlike)
        continue;
      isDone[other] = true;
      alike.push_back(other);
    }
    composeAlike(alike, fields);
  }
  syncWarp();
}

/// Copies the maps to their place in global memory, for the path by which hardware reads them.
void MapMaker::publish(Value place) {
  SmallVector<Value> targets;
  for (int64_t map = 0; map < numMaps; ++map) {
    targets.push_back(offsetBy(place, code.i32((1 + map) * kMapBytes)));
    Value source = offsetBy(adaptor.getScratch(), code.i32(map * kMapBytes));
    emitter.instruction("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu."
                        "sync.aligned [$0], [$1], 128;",
                        {targets.back(), source});
  }
  for (Value target : targets)
    emitter.instruction("fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", {target});
}

/// The place with the maps. The first attempt to take one is on its way while they are composed.
Value MapMaker::make() {
  checkTensors();
  numPlaces = placesOfMultiprocessor(op);
  int64_t perSM = numPlaces * (1 + numMaps) * kMapBytes;
  LLVM::GlobalOp memory = memoryForMaps(op, kMultiprocessors * perSM);
  Value number = arith::AndIOp::create(b, loc, NVVM::SmIdOp::create(b, loc, b.getI32Type()),
                                       code.i32(kMultiprocessors - 1));
  first = offsetBy(LLVM::AddressOfOp::create(b, loc, memory),
                   arith::MulIOp::create(b, loc, number, code.i32(perSM)));
  auto attempt = scf::IfOp::create(b, loc, b.getI32Type(), isThread(0), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(attempt.thenBlock());
    scf::YieldOp::create(b, loc, tryPlace(code.i32(0)));
    b.setInsertionPointToStart(attempt.elseBlock());
    scf::YieldOp::create(b, loc, code.i32(0));
  }
  compose();
  Value taken = code.fromFirstLane(claimed(attempt.getResult(0)));
  Value place =
      offsetBy(first, arith::MulIOp::create(b, loc, taken, code.i32((1 + numMaps) * kMapBytes)));
  syncWarp(); // Behind the loop of one thread.
  publish(place);
  return place;
}

namespace {

struct MakeTensorMapsPattern : OpConversionPattern<MakeTensorMapsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeTensorMapsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BulkCode code(rewriter, loc);
    Type type = getTypeConverter()->convertType(op.getPlace().getType());
    auto branch = scf::IfOp::create(rewriter, loc, type, code.isInFirstWarp(),
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(rewriter, loc, MapMaker(rewriter, op, adaptor).make());
      rewriter.setInsertionPointToStart(branch.elseBlock());
      Value none = LLVM::UndefOp::create(rewriter, loc, type);
      scf::YieldOp::create(rewriter, loc, none);
    }
    SmallVector<Value> results = {branch.getResult(0)};
    for (Value map : op.getMaps()) {
      Value offset = code.code.i32(int64_t(results.size()) * kMapBytes);
      results.push_back(LLVM::AddrSpaceCastOp::create(
          rewriter, loc, getTypeConverter()->convertType(map.getType()),
          code.offsetBy(results.front(), offset)));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct ReleaseTensorMapsPattern : OpConversionPattern<ReleaseTensorMapsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReleaseTensorMapsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    BulkCode bulk(rewriter, op.getLoc());
    bulk.code.emitIf(bulk.isThread(0), [&] {
      LLVM::AtomicRMWOp::create(rewriter, op.getLoc(), LLVM::AtomicBinOp::xchg, adaptor.getPlace(),
                                bulk.code.i32(0), LLVM::AtomicOrdering::release, kDeviceScope);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

struct BulkCopyPattern : OpConversionPattern<BulkCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BulkCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarrier())
      return op.emitOpError() << "has no barrier yet; run tile-specialize-warps first";
    BulkCode bulk(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    BulkPlan plan = planOf(op.getMap().getType());
    Value slot = slotAddress(bulk.code, adaptor.getBuffer(), adaptor.getSlot(), buffer);
    Value barrier = objectAddress(bulk.code, adaptor.getBarrier(), adaptor.getBarrierSlot());
    bulk.code.emitIf(bulk.isThread(0), [&] {
      bulk.emitter.instruction("mbarrier.arrive.expect_tx.shared.b64 _, [$0], $1;",
                               {barrier, bulk.code.i32(buffer.getSlotBytes())});
      for (const BulkPart &part : plan.parts)
        start(bulk, part, slot, barrier, op, adaptor);
    });
    // Others do not go on to wait, or arrive for their warp, without the one that starts copies.
    bulk.syncWarp();
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void start(BulkCode &bulk, const BulkPart &part, Value slot, Value barrier, BulkCopyOp op,
                    OpAdaptor adaptor) {
    int64_t bytes = byteSize(op.getBuffer().getType().getElementType());
    unsigned rank = unsigned(part.first.size());
    SmallVector<Value> operands = {bulk.offsetBy(slot, bulk.code.i32(int64_t(part.offset) * bytes)),
                                   adaptor.getMap(), barrier};
    std::string places;
    for (unsigned axis = rank; axis-- > 0;) {
      places += (places.empty() ? "$" : ", $") + std::to_string(operands.size());
      operands.push_back(bulk.add(adaptor.getOffsets()[axis], bulk.code.i32(part.first[axis])));
    }
    std::string hint, last;
    if (Value policy = bulk.emitter.policyOf(op.getEvict())) {
      hint = ".L2::cache_hint";
      last = ", $" + std::to_string(operands.size());
      operands.push_back(policy);
    }
    bulk.emitter.instruction("cp.async.bulk.tensor." + std::to_string(rank) +
                                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
                                 hint + " [$0], [$1, {" + places + "}], [$2]" + last + ";",
                             operands);
  }
};

struct BulkStorePattern : OpConversionPattern<BulkStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BulkStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BulkCode bulk(rewriter, loc);
    int64_t bytes = byteSize(op.getBuffer().getType().getElementType());
    Value buffer =
        slotAddress(bulk.code, adaptor.getBuffer(), /*slot=*/Value(), op.getBuffer().getType());
    BulkPlan plan = planOf(op.getMap().getType());
    // All lanes of the first warp say the same, of which ptxas makes one instruction. Behind a
    // branch for one thread it takes the lanes of a warp as apart, and keeps slots and descriptors
    // in a loop around it out of uniform registers.
    Value isFirstWarp = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                              bulk.code.firstThreadOfWarp(), bulk.code.i32(0));
    bulk.code.emitIf(isFirstWarp, [&] {
      for (const BulkPart &part : plan.parts) {
        SmallVector<Value> places; // The innermost one first.
        for (auto [offset, first] : llvm::reverse(llvm::zip_equal(op.getOffsets(), part.first)))
          places.push_back(bulk.add(offset, bulk.code.i32(first)));
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            rewriter, loc, adaptor.getMap(),
            bulk.offsetBy(buffer, bulk.code.i32(int64_t(part.offset) * bytes)), places,
            /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
      }
      NVVM::CpAsyncBulkCommitGroupOp::create(rewriter, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Threads that have started nothing do not wait, so nobody needs to ask which one this is.
struct BulkStoreWaitPattern : OpConversionPattern<BulkStoreWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BulkStoreWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, rewriter.getI32IntegerAttr(0), op.getWritten() ? UnitAttr() : rewriter.getUnitAttr());
    return success();
  }
};

struct PrefetchTensorMapPattern : OpConversionPattern<PrefetchTensorMapOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PrefetchTensorMapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    BulkCode bulk(rewriter, op.getLoc());
    bulk.code.emitIf(bulk.isThread(0), [&] {
      bulk.emitter.instruction("prefetch.tensormap [$0];", {adaptor.getMap()});
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncFencePattern : OpConversionPattern<AsyncFenceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AsyncFenceOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessEmitter(rewriter, op.getLoc())
        .instruction(op.getArrays() ? "fence.proxy.async;" : "fence.proxy.async.shared::cta;");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilec::tile::populateBulkPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<MakeTensorMapsPattern, ReleaseTensorMapsPattern, BulkCopyPattern, BulkStorePattern,
               BulkStoreWaitPattern, PrefetchTensorMapPattern, AsyncFencePattern>(
      converter, patterns.getContext());
}
