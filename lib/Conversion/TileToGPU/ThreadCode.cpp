//===- ThreadCode.cpp - building blocks of a thread's code -----*- C++ -*-===//
//
// Works on vectors of whole registers; LLVM splits them into scalars later, so a slice or a
// permutation costs nothing.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;

tilec::layout::LinearLayout tilec::tile::layoutOf(Type type) {
  return getLayout(type).toLinearLayout(cast<RankedTensorType>(type).getShape());
}

tilec::layout::LinearLayout tilec::tile::scalarLayout(Operation *op) {
  using namespace tilec::layout;
  LaunchShape launch = getLaunchShapeAt(op);
  LinearLayout::FlatBasisLists bases;
  bases[unsigned(InDim::Lane)].assign(kWarpBits, 0);
  bases[unsigned(InDim::Warp)].assign(llvm::Log2_64(launch.numWarps), 0);
  bases[unsigned(InDim::Block)].assign(llvm::Log2_64(launch.numCTAs), 0);
  std::string error;
  return *LinearLayout::createFlat({1}, std::move(bases), error);
}

//===----------------------------------------------------------------------===//
// Where the thread is
//===----------------------------------------------------------------------===//

Value ThreadCode::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), int32_t(value));
}

static LaunchShape launchOf(OpBuilder &builder) {
  return getLaunchShapeAt(builder.getInsertionBlock()->getParent());
}

static std::optional<WarpRole> roleOf(OpBuilder &builder) {
  return getWarpRole(builder.getInsertionBlock()->getParent());
}

Value ThreadCode::threadId() {
  std::optional<WarpRole> role = roleOf(b);
  int64_t first = role ? role->firstWarp << kWarpBits : 0;
  int64_t count = launchOf(b).numWarps << kWarpBits;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, uint64_t(first)),
                                            APInt(32, uint64_t(first + count)));
  Value inCTA = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type(), range);
  return first == 0 ? inCTA : arith::SubIOp::create(b, loc, inCTA, i32(first)).getResult();
}

template <typename X, typename Y, typename Z>
static Value readGridRegister(OpBuilder &builder, Location loc, Axis axis) {
  Type type = builder.getI32Type();
  switch (axis) {
  case Axis::X:
    return X::create(builder, loc, type);
  case Axis::Y:
    return Y::create(builder, loc, type);
  case Axis::Z:
    return Z::create(builder, loc, type);
  }
  llvm_unreachable("three axes");
}

// A cluster is `numCTAs` neighbours along x, so its number and the rank in it are parts of the
// CTA's.

/// The programs of this CTA along `axis`, and the number of this thread's among them.
static Value programsInCTA(OpBuilder &b, Location loc, Axis axis) {
  Type type = b.getI32Type();
  return axis == Axis::X ? NVVM::BlockDimYOp::create(b, loc, type).getResult()
                         : NVVM::BlockDimZOp::create(b, loc, type).getResult();
}
static Value programInCTA(OpBuilder &b, Location loc, Axis axis) {
  Type type = b.getI32Type();
  return axis == Axis::X ? NVVM::ThreadIdYOp::create(b, loc, type).getResult()
                         : NVVM::ThreadIdZOp::create(b, loc, type).getResult();
}

/// How many programs the last CTA along x lacks (Packing.h).
static Value missingPrograms(OpBuilder &b, Location loc) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getI32Type(),
                                       b.getStringAttr("llvm.nvvm.read.ptx.sreg.dynamic_smem_size"),
                                       ValueRange())
      .getResult(0);
}

/// Whether programs may share a CTA along `axis`.
static bool mayShare(OpBuilder &builder, Axis axis) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(parent);
  if (!function)
    function = parent->getParentOfType<FunctionOpInterface>();
  return axis != Axis::Z && isPackedCode(function);
}

Value ThreadCode::programId(Axis axis) {
  Value id = readGridRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(b, loc, axis);
  if (mayShare(b, axis)) {
    Value first = arith::MulIOp::create(b, loc, id, programsInCTA(b, loc, axis));
    return arith::AddIOp::create(b, loc, first, programInCTA(b, loc, axis));
  }
  int64_t numCTAs = launchOf(b).numCTAs;
  if (axis != Axis::X || numCTAs == 1)
    return id;
  return arith::ShRUIOp::create(b, loc, id, i32(llvm::Log2_64(numCTAs)));
}

Value ThreadCode::numPrograms(Axis axis) {
  Value count =
      readGridRegister<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(b, loc, axis);
  if (mayShare(b, axis)) {
    Value places = arith::MulIOp::create(b, loc, count, programsInCTA(b, loc, axis));
    return axis == Axis::X
               ? arith::SubIOp::create(b, loc, places, missingPrograms(b, loc)).getResult()
               : places;
  }
  int64_t numCTAs = launchOf(b).numCTAs;
  if (axis != Axis::X || numCTAs == 1)
    return count;
  return arith::ShRUIOp::create(b, loc, count, i32(llvm::Log2_64(numCTAs)));
}

Value ThreadCode::ctaRank() {
  Value id = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
  return arith::AndIOp::create(b, loc, id, i32(launchOf(b).numCTAs - 1));
}

Value ThreadCode::linear(Value bits, ArrayRef<uint64_t> bases, uint64_t constant) {
  // Runs of neighbouring bits that move by the same distance cost one mask and one shift together.
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? arith::XOrIOp::create(b, loc, sum, term).getResult() : term;
  };
  for (size_t i = 0; i < bases.size();) {
    if (bases[i] == 0) {
      ++i;
      continue;
    }
    if (!llvm::isPowerOf2_64(bases[i])) {
      Value bit =
          arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, i32(i)), i32(1));
      add(arith::MulIOp::create(b, loc, bit, i32(bases[i])));
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < bases.size() && bases[end] == bases[end - 1] << 1 && bases[end] != 0)
      ++end;
    uint32_t mask = ((uint64_t(1) << end) - 1) & ~((uint64_t(1) << i) - 1);
    Value term = arith::AndIOp::create(b, loc, bits, i32(mask));
    int64_t shift = int64_t(llvm::Log2_64(bases[i])) - int64_t(i);
    if (shift > 0)
      term = arith::ShLIOp::create(b, loc, term, i32(shift));
    else if (shift < 0)
      term = arith::ShRUIOp::create(b, loc, term, i32(-shift));
    add(term);
    i = end;
  }
  if (!sum)
    return i32(constant);
  return constant ? arith::XOrIOp::create(b, loc, sum, i32(constant)).getResult() : sum;
}

static bool allZero(ArrayRef<uint64_t> bases) {
  return llvm::all_of(bases, [](uint64_t basis) { return basis == 0; });
}

/// Whether code that is inserted at `builder` may use `value`. The code for an operation is
/// inserted front to back: what is in this block or in one around it is in front.
static bool isKnownAt(OpBuilder &builder, Value value) {
  for (Block *block = builder.getInsertionBlock(); block;
       block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
    if (block == value.getParentBlock())
      return true;
  return false;
}

Value ThreadCode::linearOfThread(ArrayRef<uint64_t> bases) {
  for (auto &[known, value] : ofThread)
    if (ArrayRef(known) == bases && isKnownAt(b, value))
      return value;
  ofThread.emplace_back(bases, linear(threadId(), bases));
  return ofThread.back().second;
}

Value ThreadCode::linearOfPlace(ArrayRef<uint64_t> laneBases, ArrayRef<uint64_t> warpBases,
                                ArrayRef<uint64_t> blockBases, uint64_t constant) {
  SmallVector<uint64_t> bases(laneBases);
  llvm::append_range(bases, warpBases);
  Value place = allZero(bases) ? i32(constant) : linearOfThread(bases);
  if (constant != 0 && !allZero(bases))
    place = arith::XOrIOp::create(b, loc, place, i32(constant));
  if (allZero(blockBases))
    return place;
  return arith::XOrIOp::create(b, loc, place, linear(ctaRank(), blockBases));
}

Value ThreadCode::isFirstCopyInCTA(const tilec::layout::LinearLayout &layout) {
  using tilec::layout::InDim;
  return threadBitsAre(layout.freeBits(InDim::Lane) | layout.freeBits(InDim::Warp) << kWarpBits);
}

Value ThreadCode::isFirstCopy(const tilec::layout::LinearLayout &layout) {
  using tilec::layout::InDim;
  Value first = isFirstCopyInCTA(layout);
  uint32_t blocks = layout.freeBits(InDim::Block);
  if (blocks == 0)
    return first;
  Value bits = arith::AndIOp::create(b, loc, ctaRank(), i32(blocks));
  Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, i32(0));
  return first ? arith::AndIOp::create(b, loc, first, isZero).getResult() : isZero;
}

Value ThreadCode::threadBitsAre(uint32_t mask, uint32_t wanted) {
  if (mask == 0)
    return {};
  Value bits = threadId();
  uint32_t used = (launchOf(b).numWarps << kWarpBits) - 1;
  if ((mask & used) != used)
    bits = arith::AndIOp::create(b, loc, bits, i32(mask));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, i32(wanted));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static VectorType vectorOf(int64_t size, Type element) { return VectorType::get({size}, element); }

static int64_t sizeOf(Value vector) { return cast<VectorType>(vector.getType()).getDimSize(0); }

static Type elementTypeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getElementType();
}

Value ThreadCode::extract(Value vector, int64_t index) {
  return vector::ExtractOp::create(b, loc, vector, index);
}

Value ThreadCode::permute(Value vector, ArrayRef<int64_t> order) {
  bool identity = int64_t(order.size()) == sizeOf(vector);
  for (auto [position, index] : llvm::enumerate(order))
    identity &= index == int64_t(position);
  return identity ? vector : vector::ShuffleOp::create(b, loc, vector, vector, order).getResult();
}

Value ThreadCode::slice(Value vector, int64_t start, int64_t size) {
  SmallVector<int64_t> order(size);
  std::iota(order.begin(), order.end(), start);
  return permute(vector, order);
}

Value ThreadCode::concat(ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts[0];
  // All parts have one size, a power of two; pairing them keeps the chain short.
  SmallVector<Value> level(parts);
  while (level.size() > 1) {
    SmallVector<Value> next;
    SmallVector<int64_t> order(2 * sizeOf(level[0]));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(vector::ShuffleOp::create(b, loc, level[i], level[i + 1], order));
    level = next;
  }
  return level[0];
}

Value ThreadCode::fromElements(ArrayRef<Value> elements) {
  return vector::FromElementsOp::create(b, loc, vectorOf(elements.size(), elements[0].getType()),
                                        elements);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value ThreadCode::toShared(Value vector) {
  Type element = elementTypeOf(vector);
  if (isa<LLVM::LLVMPointerType>(element))
    return LLVM::PtrToIntOp::create(b, loc, vectorOf(sizeOf(vector), b.getI64Type()), vector);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, vectorOf(sizeOf(vector), b.getI8Type()), vector);
  return vector;
}

Value ThreadCode::fromShared(Value vector, VectorType type) {
  if (isa<LLVM::LLVMPointerType>(type.getElementType()))
    return LLVM::IntToPtrOp::create(b, loc, type, vector);
  if (type.getElementType().isInteger(1))
    return arith::TruncIOp::create(b, loc, type, vector);
  return vector;
}

Value ThreadCode::toWords(Value vector, unsigned bits) {
  vector = toShared(vector);
  int64_t size = sizeOf(vector);
  unsigned elementBits = elementTypeOf(vector).getIntOrFloatBitWidth();
  if (size * elementBits < bits) {
    // Repeat the registers until they fill a word; the copies are never looked at.
    SmallVector<int64_t> order;
    for (unsigned i = 0; i < bits / elementBits; ++i)
      order.push_back(i % size);
    vector = permute(vector, order);
  }
  int64_t words = sizeOf(vector) * elementBits / bits;
  return LLVM::BitcastOp::create(b, loc, vectorOf(words, b.getIntegerType(bits)), vector);
}

Value ThreadCode::fromWords(Value words, VectorType type) {
  Type element = type.getElementType();
  Type stored = isa<LLVM::LLVMPointerType>(element) ? b.getI64Type()
                : element.isInteger(1)              ? b.getI8Type()
                                                    : element;
  int64_t bits = sizeOf(words) * elementTypeOf(words).getIntOrFloatBitWidth();
  Value vector = LLVM::BitcastOp::create(
      b, loc, vectorOf(bits / stored.getIntOrFloatBitWidth(), stored), words);
  vector = slice(vector, 0, type.getDimSize(0));
  return fromShared(vector, type);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

Value ThreadCode::shuffleWords(Value vector, NVVM::ShflKind kind, Value lane) {
  auto type = cast<VectorType>(vector.getType());
  Value words = toWords(vector, 32);
  SmallVector<Value> moved;
  for (int64_t i = 0; i < sizeOf(words); ++i)
    moved.push_back(NVVM::ShflOp::create(b, loc, b.getI32Type(), /*thread_mask=*/i32(-1),
                                         extract(words, i), lane, /*mask_and_clamp=*/i32(31), kind,
                                         /*return_value_and_is_valid=*/UnitAttr()));
  return fromWords(fromElements(moved), type);
}

Value ThreadCode::shuffleXor(Value vector, uint32_t mask) {
  return shuffleWords(vector, NVVM::ShflKind::bfly, i32(mask));
}

Value ThreadCode::shuffleFrom(Value vector, Value lane) {
  return shuffleWords(vector, NVVM::ShflKind::idx, lane);
}

Value ThreadCode::fromFirstLane(Value word) {
  return NVVM::ShflOp::create(b, loc, b.getI32Type(), /*thread_mask=*/i32(-1), word,
                              /*offset=*/i32(0), /*mask_and_clamp=*/i32(tilec::kWarpSize - 1),
                              NVVM::ShflKind::idx, /*return_value_and_is_valid=*/UnitAttr());
}

/// It is read once, where the kernel or the role begins, as nobody moves a shuffle out of a loop.
Value ThreadCode::firstThreadOfWarp() {
  Region *region = b.getInsertionBlock()->getParent();
  while (!isa<FunctionOpInterface, WarpRolesOp>(region->getParentOp()))
    region = region->getParentRegion();
  for (auto shuffle : region->front().getOps<NVVM::ShflOp>())
    if (shuffle.getKind() == NVVM::ShflKind::idx &&
        isa_and_nonnull<NVVM::ThreadIdXOp, arith::SubIOp>(shuffle.getVal().getDefiningOp()))
      return shuffle;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&region->front());
  return fromFirstLane(threadId());
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void ThreadCode::barrier() {
  std::optional<WarpRole> role = roleOf(b);
  if (!role && launchOf(b).numWarps == 1) {
    NVVM::SyncWarpOp::create(b, loc, i32(-1));
    return;
  }
  if (!role) {
    NVVM::Barrier0Op::create(b, loc);
    return;
  }
  // The hardware's barrier 0 is that of the whole CTA.
  NVVM::BarrierOp::create(b, loc, /*res=*/Type(), i32(role->number + 1),
                          i32(role->numWarps << kWarpBits), NVVM::BarrierReductionAttr(),
                          /*reductionPredicate=*/Value());
}

Value ThreadCode::inPeer(Value sharedAddress, Value rank) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kClusterSharedSpace);
  return NVVM::MapaOp::create(b, loc, type, sharedAddress, rank);
}

LLVM::GlobalOp tilec::tile::getSharedGlobal(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = ("__tilec_shared_" + function.getName()).str();
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(name))
    return global;
  int64_t bytes = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr).getInt();
  bool isSwizzled =
      function
          .walk([](Operation *op) {
            return usesAsyncProxy(op) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  bool isStatic = bytes <= tilec::kStaticSharedLimit;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), isStatic ? bytes : 0);
  return LLVM::GlobalOp::create(builder, function.getLoc(), type, /*isConstant=*/false,
                                isStatic ? LLVM::Linkage::Internal : LLVM::Linkage::External, name,
                                Attribute(), isSwizzled ? kGroupBufferAlignment : kBufferAlignment,
                                kSharedSpace);
}

Value ThreadCode::globalText(Operation *kernelOp, StringRef what, StringRef text) {
  auto module = kernelOp->getParentOfType<ModuleOp>();
  std::string name;
  unsigned number = 0;
  do
    name = ("__tilec_" + what + "_" + Twine(number++)).str();
  while (module.lookupSymbol(name));
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(top.getI8Type(), text.size() + 1);
  auto global = LLVM::GlobalOp::create(
      top, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
      top.getStringAttr(text.str() + '\0'), /*alignment=*/0, kGlobalSpace);
  Value address = LLVM::AddressOfOp::create(b, loc, global);
  return LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

Value ThreadCode::sharedBase(Operation *kernelOp, int64_t bytes) {
  Value base = LLVM::AddressOfOp::create(b, loc, getSharedGlobal(kernelOp));
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value ThreadCode::sharedAddress(Value base, Value index, int64_t elementBytes) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getIntegerType(8 * elementBytes), base,
                             ArrayRef<LLVM::GEPArg>{index});
}

void ThreadCode::emitIf(Value condition, llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  if (condition) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  emit();
}
