//===- BufferToGPU.cpp - buffers in shared memory --------------*- C++ -*-===//
//
// A buffer becomes its address. Layout and map are linear, so is their composition: the offset that
// a register of a thread belongs to is the xor of a constant and a linear function of the thread's
// place, and registers whose offsets are neighbours in every thread are one access (planAccess).
//
// Of a buffer with rounds, the high bits of an offset say in which round an element moves. Where
// those bits depend on the thread, a thread stores only in the round that is its own, and loads in
// every round but keeps what its own round brought.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "AccessCode.h"
#include "BufferCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/MatrixAccess.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;
using tilec::GpuFeature;

namespace {

/// The accesses of the threads of one layout to a buffer.
class BufferAccess {
public:
  BufferAccess(ThreadCode &code, BufferType type, Value base, const LinearLayout &layout,
               uint32_t round)
      : code(code), b(code.builder()), loc(code.location()), layout(layout),
        map(type.getMap().toSharedLayout()), base(base), round(round),
        elementBytes(byteSize(type.getElementType())), roundElements(type.getRoundElements()) {}

  /// Of threads that hold copies, that one stores whose bits among those that tell copies apart are
  /// `holder`.
  void store(Value vector, ArrayRef<int32_t> peers, uint32_t holder = 0);
  /// `mask` and `previous` may be null, and `sameMasks` neighbouring registers have the same mask;
  /// `reversed` is the mask of flat index bits that count backwards.
  Value load(VectorType type, Value mask, int64_t sameMasks, Value previous, uint64_t reversed);
  /// By instructions that read or write matrices.
  Value load(VectorType type, const MatrixPlan &plan);
  void store(Value vector, const MatrixPlan &plan);

private:
  /// Where one access goes in this round; `isMine` is null when every thread takes part.
  struct Place {
    Value address, isMine;
  };
  std::optional<Place> placeOf(uint64_t constant);
  Value rowAddress(const MatrixPlan &plan, uint32_t reg);
  Value loadMasked(Value address, ArrayRef<int64_t> registers, Value mask, int64_t sameMasks,
                   Value kept);
  void storeTo(Value peer, const SharedAccess &access, Value words, Value first);
  void storeToPeers(const SharedAccess &access, Value words, ArrayRef<int32_t> masks);
  void storeCopiesToPeers(const SharedAccess &access, Value words, ArrayRef<int32_t> masks);

  ThreadCode &code;
  OpBuilder &b;
  Location loc;
  const LinearLayout &layout;
  SharedLayout map;
  Value base;
  uint64_t round;
  int64_t elementBytes;
  uint64_t roundElements;
};

} // namespace

/// The place of the access whose first element lies at `constant` in the thread with number 0;
/// nothing if it is another round's in every thread.
std::optional<BufferAccess::Place> BufferAccess::placeOf(uint64_t constant) {
  std::array<SmallVector<uint64_t>, kNumInDims> inside, rounds;
  bool sameRound = true;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t basis : map.offsetBases(layout, dim)) {
      inside[unsigned(dim)].push_back(basis % roundElements);
      rounds[unsigned(dim)].push_back(basis / roundElements);
      sameRound &= basis < roundElements;
    }
  auto of = [](ArrayRef<SmallVector<uint64_t>> bases, InDim dim) -> ArrayRef<uint64_t> {
    return bases[unsigned(dim)];
  };
  Place place;
  if (sameRound && constant / roundElements != round)
    return std::nullopt;
  if (!sameRound)
    place.isMine = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq,
        code.linearOfPlace(of(rounds, InDim::Lane), of(rounds, InDim::Warp),
                           of(rounds, InDim::Block), constant / roundElements),
        code.i32(round));
  place.address = PlaceAddress(code, base, elementBytes, of(inside, InDim::Lane),
                               of(inside, InDim::Warp), of(inside, InDim::Block))
                      .get(constant % roundElements);
  return place;
}

/// Stores into the CTA with rank `peer`, or into this one if that is null, where `first` holds (or
/// is null).
void BufferAccess::storeTo(Value peer, const SharedAccess &access, Value words, Value first) {
  SmallVector<std::pair<Place, Value>> stores;
  for (const std::vector<uint32_t> &registers : access.vectors)
    if (std::optional<Place> place =
            placeOf(map.offset(layout.applyFlat(InDim::Register, registers[0]))))
      stores.emplace_back(
          *place, code.permute(words, SmallVector<int64_t>(registers.begin(), registers.end())));
  for (auto &[place, piece] : stores) {
    Value address = peer ? code.inPeer(place.address, peer) : place.address;
    Value predicate = first ? first : place.isMine;
    if (first && place.isMine)
      predicate = arith::AndIOp::create(b, loc, first, place.isMine);
    if (predicate)
      AccessEmitter(b, loc).storeShared(address, predicate, piece);
    else
      LLVM::StoreOp::create(b, loc, piece, address, elementBytes * access.vecElems);
  }
}

/// Threads that hold copies share the work: each writes to another peer.
void BufferAccess::storeToPeers(const SharedAccess &access, Value words, ArrayRef<int32_t> masks) {
  uint32_t copies = layout.freeBits(InDim::Lane) | layout.freeBits(InDim::Warp) << kWarpBits;
  SmallVector<uint64_t> toMask(32, 0);
  SmallVector<uint32_t> remaining;
  for (uint32_t mask : masks) {
    if (copies == 0) {
      remaining.push_back(mask);
      continue;
    }
    toMask[llvm::countr_zero(copies)] = mask;
    copies &= copies - 1;
  }
  Value mine = code.threadBitsAre(copies);
  Value nearest =
      arith::XOrIOp::create(b, loc, code.ctaRank(), code.linear(code.threadId(), toMask));
  for (uint32_t choice = 0; choice < uint32_t(1) << remaining.size(); ++choice) {
    uint32_t flip = 0;
    for (auto [bit, mask] : llvm::enumerate(remaining))
      flip ^= (choice >> bit & 1) * mask;
    storeTo(arith::XOrIOp::create(b, loc, nearest, code.i32(flip)), access, words, mine);
  }
}

/// The first of the CTAs that differ in the bits of the masks has copies for all of them: of its
/// threads, too, only the first need have them.
void BufferAccess::storeCopiesToPeers(const SharedAccess &access, Value words,
                                      ArrayRef<int32_t> masks) {
  Value mine = code.isFirstCopy(layout);
  for (uint32_t choice = 0; choice < uint32_t(1) << masks.size(); ++choice) {
    uint32_t flip = 0;
    for (auto [bit, mask] : llvm::enumerate(masks))
      flip ^= (choice >> bit & 1) * mask;
    storeTo(arith::XOrIOp::create(b, loc, code.ctaRank(), code.i32(flip)), access, words, mine);
  }
}

void BufferAccess::store(Value vector, ArrayRef<int32_t> peers, uint32_t holder) {
  SharedAccess access = planAccess(layout, map, 8 * elementBytes, /*isStore=*/true);
  Value words = code.toWords(vector, 8 * elementBytes);
  uint32_t ofCopies = layout.freeBits(InDim::Block);
  if (llvm::any_of(peers, [&](int32_t mask) { return (ofCopies & mask) != 0; }))
    return storeCopiesToPeers(access, words, peers);
  if (!peers.empty())
    return storeToPeers(access, words, peers);
  uint32_t copies = layout.freeBits(InDim::Lane) | layout.freeBits(InDim::Warp) << kWarpBits;
  storeTo(/*peer=*/Value(), access, words, code.threadBitsAre(copies, holder));
}

/// Loads `registers`, which lie side by side at `address`, where their masks are true.
Value BufferAccess::loadMasked(Value address, ArrayRef<int64_t> registers, Value mask,
                               int64_t sameMasks, Value kept) {
  auto type = cast<VectorType>(kept.getType());
  bool isOneMask = type.getDimSize(0) <= sameMasks;
  for (auto [i, reg] : llvm::enumerate(registers))
    isOneMask &= reg == registers[0] + int64_t(i);
  if (isOneMask)
    return AccessEmitter(b, loc).loadShared(
        {address, code.extract(mask, registers[0]), kept, type});
  Value loaded = LLVM::LoadOp::create(b, loc, type, address, elementBytes * registers.size());
  return arith::SelectOp::create(b, loc, code.permute(mask, registers), loaded, kept);
}

Value BufferAccess::load(VectorType type, Value mask, int64_t sameMasks, Value previous,
                         uint64_t reversed) {
  SharedAccess access = planAccess(layout, map, 8 * elementBytes, /*isStore=*/false);
  // Counting backwards flips bits of the offset: those inside an access exchange its elements.
  uint64_t flip = map.offset(reversed), inAccess = flip & (access.vecElems - 1);
  auto wordType = VectorType::get({int64_t(access.vecElems)}, b.getIntegerType(8 * elementBytes));
  Value words = previous ? code.toWords(previous, 8 * elementBytes) : Value();
  SmallVector<Value> pieces;
  SmallVector<int64_t> order(type.getDimSize(0));
  for (const std::vector<uint32_t> &registers : access.vectors) {
    uint64_t offset = map.offset(layout.applyFlat(InDim::Register, registers[0]));
    std::optional<Place> place = placeOf(offset ^ flip ^ inAccess);
    SmallVector<int64_t> own(registers.begin(), registers.end());
    for (auto [i, reg] : llvm::enumerate(registers))
      order[reg] = int64_t(pieces.size() * access.vecElems + (i ^ inAccess));
    SmallVector<int64_t> asStored(own.size());
    for (size_t i = 0; i < own.size(); ++i)
      asStored[i ^ inAccess] = own[i];
    Value kept = words ? code.permute(words, asStored) : Value();
    if (!place) {
      pieces.push_back(kept ? kept : LLVM::PoisonOp::create(b, loc, wordType).getResult());
      continue;
    }
    if (mask) {
      pieces.push_back(loadMasked(place->address, asStored, mask, sameMasks, kept));
      continue;
    }
    Value loaded =
        LLVM::LoadOp::create(b, loc, wordType, place->address, elementBytes * access.vecElems);
    // The first round may bring every thread something; later ones replace what is not its own.
    pieces.push_back(kept && place->isMine
                         ? arith::SelectOp::create(b, loc, place->isMine, loaded, kept).getResult()
                         : loaded);
  }
  return code.fromWords(code.permute(code.concat(pieces), order), type);
}

/// The address of the row that this lane gives for the matrices from register `reg` on.
Value BufferAccess::rowAddress(const MatrixPlan &plan, uint32_t reg) {
  return PlaceAddress(code, base, elementBytes, plan.laneOffsets,
                      map.offsetBases(layout, InDim::Warp), map.offsetBases(layout, InDim::Block))
      .get(map.offset(layout.applyFlat(InDim::Register, reg)));
}

void BufferAccess::store(Value vector, const MatrixPlan &plan) {
  unsigned each = plan.elementsPerWord;
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value elements = code.toWords(vector, 8 * elementBytes);
  for (const std::vector<uint32_t> &matrices : plan.instructions) {
    SmallVector<Value> words;
    for (uint32_t reg : matrices)
      words.push_back(
          LLVM::BitcastOp::create(b, loc, b.getI32Type(), code.slice(elements, reg, each)));
    NVVM::StMatrixOp::create(b, loc, rowAddress(plan, matrices[0]), words,
                             plan.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
}

Value BufferAccess::load(VectorType type, const MatrixPlan &plan) {
  unsigned each = plan.elementsPerWord;
  auto wordType = VectorType::get({each}, b.getIntegerType(8 * elementBytes));
  SmallVector<Value> pieces;
  SmallVector<int64_t> order(type.getDimSize(0));
  for (const std::vector<uint32_t> &matrices : plan.instructions) {
    Value row = rowAddress(plan, matrices[0]);
    Type i32 = b.getI32Type();
    Type result = matrices.size() == 1
                      ? i32
                      : LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                         SmallVector<Type>(matrices.size(), i32));
    auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
    Value words =
        NVVM::LdMatrixOp::create(b, loc, result, row, matrices.size(),
                                 plan.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                 shape, NVVM::LdStMatrixEltType::B16);
    for (auto [index, reg] : llvm::enumerate(matrices)) {
      Value word = matrices.size() == 1
                       ? words
                       : LLVM::ExtractValueOp::create(b, loc, words, int64_t(index)).getResult();
      for (unsigned i = 0; i < each; ++i)
        order[reg + i] = int64_t(pieces.size() * each + i);
      pieces.push_back(LLVM::BitcastOp::create(b, loc, wordType, word));
    }
  }
  return code.fromWords(code.permute(code.concat(pieces), order), type);
}

//===----------------------------------------------------------------------===//
// The patterns
//===----------------------------------------------------------------------===//

PlaceAddress::PlaceAddress(ThreadCode &code, Value base, int64_t elementBytes,
                           ArrayRef<uint64_t> lanes, ArrayRef<uint64_t> warps,
                           ArrayRef<uint64_t> blocks)
    : code(code), base(base), elementBytes(elementBytes), lanes(lanes), warps(warps),
      blocks(blocks) {
  for (ArrayRef<uint64_t> bases : {lanes, warps, blocks})
    for (uint64_t basis : bases)
      ofThreads |= basis;
}

Value PlaceAddress::get(uint64_t constant) const {
  Value own = code.linearOfPlace(lanes, warps, blocks, constant & ofThreads);
  Value address = code.sharedAddress(base, own, elementBytes);
  uint64_t offset = constant & ~ofThreads;
  return offset != 0 ? code.sharedAddress(address, code.i32(offset), elementBytes) : address;
}

Value tilec::tile::slotAddress(ThreadCode &code, Value buffer, Value slot, BufferType type) {
  if (!slot)
    return buffer;
  Value bytes =
      arith::MulIOp::create(code.builder(), code.location(), slot, code.i32(type.getSlotBytes()));
  return code.sharedAddress(buffer, bytes, /*elementBytes=*/1);
}

/// The layout of a tile, or of a scalar at `op`.
static LinearLayout layoutAt(Operation *op, Type type) {
  return isa<RankedTensorType>(type) ? layoutOf(type) : scalarLayout(op);
}

namespace {

struct AllocBufferPattern : OpConversionPattern<AllocBufferOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocBufferOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError() << "has no place yet; run tile-allocate-shared first";
    if (!op.getType().getMap())
      return op.emitOpError() << "has no map yet; run tile-assign-layouts first";
    rewriter.replaceOp(op, ThreadCode(rewriter, op.getLoc()).sharedBase(op, *op.getOffset()));
    return success();
  }
};

struct BufferStorePattern : OpConversionPattern<BufferStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BufferStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    LinearLayout layout = layoutAt(op, op.getValue().getType());
    Value vector = adaptor.getValue();
    if (!isa<VectorType>(vector.getType()))
      vector = code.fromElements(vector);
    uint32_t holder = 0;
    if (op.getAxis()) {
      std::optional<TakenIndex> taken = takeIndex(layout, *op.getAxis(), *op.getIndex());
      if (!taken)
        return op.emitOpError() << "cannot store an index of a dimension in this layout: each bit "
                                   "of the dimension must be one bit of a register, lane or warp";
      layout = taken->layout;
      vector = code.permute(vector,
                            SmallVector<int64_t>(taken->registers.begin(), taken->registers.end()));
      holder = taken->lane | taken->warp << kWarpBits;
    }
    BufferAccess access(code, op.getBuffer().getType(), adaptor.getBuffer(), layout, op.getRound());
    if (std::optional<MatrixPlan> plan = planMatrices(op, layout))
      access.store(vector, *plan);
    else
      access.store(vector, op.getPeers(), holder);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Where layout and placement agree, and the warp writes all of its elements, each once.
  static std::optional<MatrixPlan> planMatrices(BufferStoreOp op, const LinearLayout &layout) {
    BufferType buffer = op.getBuffer().getType();
    if (!getTarget(op).has(GpuFeature::MatrixStore) || buffer.getRounds() > 1 ||
        !op.getPeers().empty() || op.getAxis())
      return std::nullopt;
    return planIfCheaper(layout, buffer.getMap().toSharedLayout(),
                         unsigned(8 * byteSize(buffer.getElementType())), /*isStore=*/true);
  }
};

struct BufferLoadPattern : OpConversionPattern<BufferLoadOp> {
  BufferLoadPattern(const TypeConverter &converter, const LoweringContext &lowering,
                    MLIRContext *context)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult matchAndRewrite(BufferLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    LinearLayout layout = layoutAt(op, op.getType());
    Type type = getTypeConverter()->convertType(op.getType());
    bool isScalar = !isa<VectorType>(type);
    uint64_t reversed = op.getReversed() ? layout.axisMask(*op.getReversed()) : 0;
    Value previous = adaptor.getPrevious();
    if (previous && isScalar)
      previous = code.fromElements(previous);
    Value base =
        slotAddress(code, adaptor.getBuffer(), adaptor.getSlot(), op.getBuffer().getType());
    BufferAccess access(code, op.getBuffer().getType(), base, layout, op.getRound());
    if (std::optional<MatrixPlan> plan = planMatrices(op, layout)) {
      rewriter.replaceOp(op, access.load(cast<VectorType>(type), *plan));
      return success();
    }
    Value loaded = access.load(
        isScalar ? VectorType::get({1}, type) : cast<VectorType>(type), adaptor.getMask(),
        op.getMask() ? lowering.axes.getSameRegisters(op.getMask()) : 1, previous, reversed);
    rewriter.replaceOp(op, isScalar ? code.extract(loaded, 0) : loaded);
    return success();
  }

private:
  /// Lanes that wait for their own copies alone must not read for others.
  std::optional<MatrixPlan> planMatrices(BufferLoadOp op, const LinearLayout &layout) const {
    BufferType buffer = op.getBuffer().getType();
    if (lowering.privateBuffers.contains(op.getBuffer().getDefiningOp()) ||
        buffer.getRounds() > 1 || op.getMask() || op.getPrevious() || op.getReversed())
      return std::nullopt;
    unsigned elementBits = unsigned(8 * byteSize(buffer.getElementType()));
    // In loops, which read slots, instructions count; elsewhere words come sooner by loads of their
    // own: a sum over rows was 5 % slower by matrices, on an H200.
    if (buffer.getSlots() < 2 && elementBits == 32)
      return std::nullopt;
    return planIfCheaper(layout, buffer.getMap().toSharedLayout(), elementBits, /*isStore=*/false);
  }

  const LoweringContext &lowering;
};

struct BufferGatherPattern : OpConversionPattern<BufferGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BufferGatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    SharedLayout map = buffer.getMap().toSharedLayout();
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    Type stored = rewriter.getIntegerType(8 * byteSize(buffer.getElementType()));
    Value previous = adaptor.getPrevious();
    if (previous)
      previous = code.toWords(previous, stored.getIntOrFloatBitWidth());
    SmallVector<Value> results;
    for (auto [reg, offset] : llvm::enumerate(offsetsOf(code, op, adaptor.getIndices(), map))) {
      Value inside = arith::AndIOp::create(rewriter, op.getLoc(), offset,
                                           code.i32(buffer.getRoundElements() - 1));
      Value address =
          code.sharedAddress(adaptor.getBuffer(), inside, stored.getIntOrFloatBitWidth() / 8);
      Value loaded = LLVM::LoadOp::create(rewriter, op.getLoc(), stored, address);
      if (previous)
        loaded = arith::SelectOp::create(rewriter, op.getLoc(), isIn(code, offset, op), loaded,
                                         code.extract(previous, reg));
      results.push_back(loaded);
    }
    rewriter.replaceOp(op, code.fromWords(code.fromElements(results), type));
    return success();
  }

private:
  /// Whether the element at `offset` belongs to the round.
  static Value isIn(ThreadCode &code, Value offset, BufferGatherOp op) {
    int64_t perRound = op.getBuffer().getType().getRoundElements();
    Value own = arith::ShRUIOp::create(code.builder(), code.location(), offset,
                                       code.i32(llvm::Log2_64(perRound)));
    return arith::CmpIOp::create(code.builder(), code.location(), arith::CmpIPredicate::eq, own,
                                 code.i32(op.getRound()));
  }

  /// For each register of the result, the offset of the buffer's element.
  static SmallVector<Value> offsetsOf(ThreadCode &code, BufferGatherOp op, Value indices,
                                      const SharedLayout &map) {
    OpBuilder &b = code.builder();
    Location loc = code.location();
    LinearLayout layout = layoutOf(op.getType());
    ArrayRef<int64_t> shape = op.getBuffer().getType().getShape();
    unsigned axis = op.getAxis(), shift = 0;
    for (int64_t size : shape.drop_front(axis + 1))
      shift += llvm::Log2_64(size);
    // The element at a position of the result, index 0 along the axis.
    auto offsetOf = [&](uint64_t flat) {
      Coords coords = layout.unflatten(flat);
      coords[axis] = 0;
      uint64_t inBuffer = 0;
      for (auto [size, coordinate] : llvm::zip_equal(shape, coords))
        inBuffer = inBuffer * size + coordinate;
      return map.offset(inBuffer);
    };
    auto basesOf = [&](InDim dim) {
      SmallVector<uint64_t> bases;
      for (uint64_t basis : layout.flatBases(dim))
        bases.push_back(offsetOf(basis));
      return bases;
    };
    SmallVector<uint64_t> lanes = basesOf(InDim::Lane), warps = basesOf(InDim::Warp),
                          blocks = basesOf(InDim::Block), along;
    for (unsigned bit = 0; bit < llvm::Log2_64(shape[axis]); ++bit)
      along.push_back(map.offset(uint64_t(1) << (shift + bit)));
    Type type = cast<VectorType>(indices.getType()).getElementType();
    Value most = arith::ConstantIntOp::create(b, loc, type, shape[axis] - 1);
    SmallVector<Value> offsets;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
      // An index outside must not lead outside of the buffer.
      Value index = arith::MinUIOp::create(b, loc, code.extract(indices, reg), most);
      if (type != b.getI32Type())
        index = arith::TruncIOp::create(b, loc, b.getI32Type(), index);
      Value rest = code.linearOfPlace(lanes, warps, blocks,
                                      offsetOf(layout.applyFlat(InDim::Register, reg)));
      offsets.push_back(arith::XOrIOp::create(b, loc, rest, code.linear(index, along)));
    }
    return offsets;
  }
};

struct BufferCountPattern : OpConversionPattern<BufferCountOp> {
  using OpConversionPattern::OpConversionPattern;

  /// Of places that hold copies of an element, the first counts it.
  LogicalResult matchAndRewrite(BufferCountOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t countBytes = 4;
    ThreadCode code(rewriter, op.getLoc());
    OpBuilder &b = rewriter;
    Location loc = op.getLoc();
    BufferType buffer = op.getBuffer().getType();
    SharedLayout map = buffer.getMap().toSharedLayout();
    SmallVector<uint64_t> bins(map.toOffset.columns().begin(), map.toOffset.columns().end());
    LinearLayout layout = layoutOf(op.getValues().getType());
    Value first = code.isFirstCopy(layout);
    Type type = cast<VectorType>(adaptor.getValues().getType()).getElementType();
    Value limit = arith::ConstantIntOp::create(b, loc, type, buffer.getShape()[0]);
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
      if (reg & layout.freeBits(InDim::Register))
        continue;
      Value value = code.extract(adaptor.getValues(), reg);
      Value counted = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, limit);
      for (Value also : {op.getMask() ? code.extract(adaptor.getMask(), reg) : Value(), first})
        if (also)
          counted = arith::AndIOp::create(b, loc, counted, also);
      code.emitIf(counted, [&] {
        Value bin = value;
        if (bin.getType() != b.getI32Type())
          bin = arith::TruncIOp::create(b, loc, b.getI32Type(), bin);
        Value address = code.sharedAddress(adaptor.getBuffer(), code.linear(bin, bins), countBytes);
        LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, address, code.i32(1),
                                  LLVM::AtomicOrdering::monotonic);
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

struct BarrierPattern : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode(rewriter, op.getLoc()).barrier();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ClusterArrivePattern : OpConversionPattern<ClusterArriveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ClusterArriveOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    UnitAttr aligned = rewriter.getUnitAttr();
    if (op.getRelaxed())
      rewriter.replaceOpWithNewOp<NVVM::ClusterArriveRelaxedOp>(op, aligned);
    else
      rewriter.replaceOpWithNewOp<NVVM::ClusterArriveOp>(op, aligned);
    return success();
  }
};

struct ClusterWaitPattern : OpConversionPattern<ClusterWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ClusterWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, rewriter.getUnitAttr());
    return success();
  }
};

} // namespace

void tilec::tile::populateBufferPatterns(const TypeConverter &converter,
                                         const LoweringContext &lowering,
                                         RewritePatternSet &patterns) {
  patterns.add<BufferLoadPattern>(converter, lowering, patterns.getContext());
  patterns.add<AllocBufferPattern, BufferStorePattern, BufferGatherPattern, BufferCountPattern,
               BarrierPattern, ClusterArrivePattern, ClusterWaitPattern>(converter,
                                                                         patterns.getContext());
}
