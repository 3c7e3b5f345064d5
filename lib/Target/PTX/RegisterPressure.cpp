//===- RegisterPressure.cpp - How many registers a kernel needs -*- C++ -*-===//
//
// Decides which kernels of known block size get `.minnctapersm`, the number of blocks that shall be
// resident on a multiprocessor. From it ptxas derives how many registers it may use. By an estimate
// of what a kernel needs, there are four cases:
//
// - It needs about as many registers as its block can have. There ptxas has a fault (the workaround
//   register-cliff in Support/Workarounds.def): it allocates 32 registers and spills thousands of
//   bytes, unless told that one block is enough. Kernels further from the limit are not told, since
//   ptxas then takes more registers than it needs, which costs occupancy.
// - Few threads would be resident, but more blocks would fit if ptxas needed little more than the
//   estimate: these blocks are asked for.
// - Its loops start loads early (tile-prefetch-loads, tile-hoist-loads), or load much in one
//   iteration. To save registers, ptxas would move these loads back, behind the work on earlier
//   ones, so it is told how many blocks the estimate leaves, unless that is one, or arithmetic is
//   most of what the loop does. On an H200, sums of 8 rows of bf16 at once by 128 threads take 37
//   us instead of 165.
// - Its block is so small that a multiprocessor has no more room for blocks before it has no more
//   for threads. ptxas then keeps to the registers with which all blocks fit (64 on sm_90 for a
//   block of one warp), and moves the loads of a loop to where their values are used to do so. It
//   is told of fewer blocks where the estimate is above that, unless all that the loop carries and
//   loads has room: the estimate follows the order of the IR, which ptxas changes. On an H200, a
//   delta rule that carries 128 x 8 numbers in one warp takes 1414 us instead of 3235, and
//   entropies of 32000 logits by one warp 83 instead of 99.
//
// The last three do not hold for products by matrix instructions. These take neighbouring
// registers, and those in flight nobody may move: told how many blocks fit, ptxas spilled in 14 of
// 32 kernels for which it needed no more than half of the registers otherwise. Such a kernel gets a
// limit of registers (`.maxnreg`) instead, where that brings a second or third block, shared memory
// has room for it, and the estimate says that loops will not spill.
//
// The estimate is the largest number of 32-bit registers that values live at one time fill, in the
// order of the IR. Addresses and what is computed cheaply for them are left out: the back end folds
// them into constant offsets from a few bases. Rows at distances that are known at run time only
// have addresses of their own, though, and these count where blocks are asked for: kernels that had
// one of 32 rows for each thread spilled up to a kilobyte without.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "PTXInternals.h"

#include "tilec/Support/Workarounds.h"
#include "tilec/Target/Occupancy.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace tilec;

namespace {

/// Liveness of the values of one function, from the uses backwards.
class Pressure {
public:
  /// Addresses that are no constant offsets from others count if \p hasAddresses.
  explicit Pressure(const Function &function, bool hasAddresses = false);
  /// The most registers at one time.
  unsigned largest();
  /// Those of values that are live from one iteration of a loop to the next, where these are most.
  unsigned carried();
  /// A number that largest() is not below for any order of the instructions in their blocks. Call
  /// largest() first.
  unsigned leastOfAnyOrder();

private:
  void use(const Value *value, BitVector &live);
  void leave(const BasicBlock &block, BitVector &live);
  void scan(const BasicBlock &block, BitVector &live, unsigned &peak);
  unsigned weightOf(const BitVector &live) const;

  const Function &function;
  DenseMap<const Value *, unsigned> numbers;
  SmallVector<unsigned, 0> weights;
  DenseMap<const BasicBlock *, BitVector> liveAtStart;
};

} // namespace

/// The 32-bit registers that hold a value of \p type; truth values have registers of their own.
static unsigned registersOf(Type *type, const DataLayout &layout) {
  if (!type->isSized() || type->getScalarType()->isIntegerTy(1))
    return 0;
  return divideCeil(layout.getTypeSizeInBits(type).getKnownMinValue(), 32);
}

/// A value that stays in no register for long, since it is part of an address or rematerialized.
static bool isFoldable(const Instruction &instruction) {
  constexpr unsigned leastBits = 32; // Narrower integers are data.
  if (instruction.getType()->isPointerTy())
    return true;
  auto *integer = dyn_cast<IntegerType>(instruction.getType());
  if (!integer || integer->getBitWidth() < leastBits)
    return false;
  return isa<SExtInst, ZExtInst>(instruction) ||
         (isa<BinaryOperator>(instruction) && isa<ConstantInt>(instruction.getOperand(1)));
}

/// An address that no other one leads to by a constant.
static bool isOwnAddress(const Instruction &instruction) {
  auto *address = dyn_cast<GetElementPtrInst>(&instruction);
  return address && !address->hasAllConstantIndices();
}

Pressure::Pressure(const Function &function, bool hasAddresses) : function(function) {
  const DataLayout &layout = function.getDataLayout();
  // Parameters are in constant memory until something reads them, so they do not count.
  for (const Instruction &instruction : instructions(function)) {
    bool isKept = !isFoldable(instruction) || (hasAddresses && isOwnAddress(instruction));
    if (instruction.getType()->isVoidTy() || !isKept)
      continue;
    numbers[&instruction] = weights.size();
    weights.push_back(registersOf(instruction.getType(), layout));
  }
}

void Pressure::use(const Value *value, BitVector &live) {
  if (auto found = numbers.find(value); found != numbers.end())
    live.set(found->second);
}

/// Adds what is live where \p block ends.
void Pressure::leave(const BasicBlock &block, BitVector &live) {
  for (const BasicBlock *successor : successors(&block)) {
    if (auto found = liveAtStart.find(successor); found != liveAtStart.end())
      live |= found->second;
    for (const PHINode &phi : successor->phis())
      use(phi.getIncomingValueForBlock(&block), live);
  }
}

/// Goes from the end of \p block to its start; a value is live from its definition on.
void Pressure::scan(const BasicBlock &block, BitVector &live, unsigned &peak) {
  unsigned now = weightOf(live);
  for (const Instruction &instruction : reverse(block)) {
    if (auto found = numbers.find(&instruction); found != numbers.end()) {
      if (live.test(found->second))
        now -= weights[found->second];
      live.reset(found->second);
    }
    if (isa<PHINode>(instruction))
      continue; // Its operands are used where its predecessors end.
    for (const Value *operand : instruction.operands())
      if (auto found = numbers.find(operand); found != numbers.end() && !live.test(found->second)) {
        live.set(found->second);
        now += weights[found->second];
      }
    peak = std::max(peak, now);
  }
}

unsigned Pressure::weightOf(const BitVector &live) const {
  unsigned sum = 0;
  for (unsigned index : live.set_bits())
    sum += weights[index];
  return sum;
}

unsigned Pressure::largest() {
  SmallVector<const BasicBlock *> blocks(post_order(&function));
  // Only what precedes a block whose start changed is scanned again, so code without loops is
  // scanned once. What is live only grows, and with it the peaks.
  SmallPtrSet<const BasicBlock *, 8> waiting(llvm::from_range, blocks);
  unsigned peak = 0;
  while (!waiting.empty())
    for (const BasicBlock *block : blocks) {
      if (!waiting.erase(block))
        continue;
      BitVector live(weights.size());
      leave(*block, live);
      scan(*block, live, peak);
      auto [start, isNew] = liveAtStart.try_emplace(block);
      if (!isNew && start->second == live)
        continue;
      start->second = std::move(live);
      for (const BasicBlock *predecessor : predecessors(block))
        if (liveAtStart.contains(predecessor))
          waiting.insert(predecessor);
    }
  return peak;
}

unsigned Pressure::carried() {
  (void)largest();
  DominatorTree dominators(const_cast<Function &>(function));
  LoopInfo loops(dominators);
  unsigned most = 0;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    BitVector live = liveAtStart.lookup(loop->getHeader());
    for (const PHINode &phi : loop->getHeader()->phis())
      use(&phi, live);
    most = std::max(most, weightOf(live));
  }
  return most;
}

/// What enters a block and leaves it lives all through it. A matrix instruction returns a structure
/// of which each part is extracted: before the last extraction, the structure is live, too, and the
/// other parts, if they leave the block.
unsigned Pressure::leastOfAnyOrder() {
  unsigned least = 0;
  for (const BasicBlock &block : function) {
    BitVector atEnd(weights.size()), through = liveAtStart.lookup(&block);
    if (through.empty())
      continue; // Not reachable.
    leave(block, atEnd);
    through &= atEnd;
    unsigned outside = weightOf(through);
    for (const Instruction &instruction : block) {
      if (!instruction.getType()->isStructTy())
        continue;
      unsigned parts = 0, last = 0;
      for (const User *user : instruction.users())
        if (auto part = numbers.find(user); part != numbers.end() && atEnd.test(part->second)) {
          parts += weights[part->second];
          last = std::max(last, weights[part->second]);
        }
      least = std::max(least, outside + weights[numbers.at(&instruction)] + parts - last);
    }
  }
  return least;
}

RegisterEstimate tilec::estimateRegisters(const Function &function) {
  if (function.isDeclaration())
    return {0, 0};
  Pressure pressure(function);
  unsigned registers = pressure.largest();
  return {registers, pressure.leastOfAnyOrder()};
}

/// The product of "128,1,1", an attribute's value; nothing if there is no such attribute.
static std::optional<uint64_t> blockSize(const Function &function, StringRef attribute) {
  if (!function.hasFnAttribute(attribute))
    return std::nullopt;
  StringRef rest = function.getFnAttribute(attribute).getValueAsString();
  uint64_t product = 1;
  while (!rest.empty()) {
    auto [number, tail] = rest.split(',');
    uint64_t factor;
    if (number.trim().getAsInteger(10, factor) || factor == 0 || factor > 1024)
      return std::nullopt;
    product *= factor;
    rest = tail;
  }
  return product <= 1024 ? std::optional(product) : std::nullopt;
}

static bool multipliesMatrices(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return false;
    if (auto *text = dyn_cast<InlineAsm>(call->getCalledOperand()))
      return text->getAsmString().contains("wgmma.mma_async");
    const Function *callee = call->getCalledFunction();
    return callee && callee->getName().starts_with("llvm.nvvm.mma.");
  });
}

/// Bytes of arrays that a thread reads by \p instruction.
static unsigned bytesRead(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    bool isArray = load->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL;
    return isArray ? load->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue() : 0;
  }
  auto access = MemoryAccess::get(instruction);
  if (!access || access->kind() != MemoryAccess::Kind::Load || !access->opcode().contains("global"))
    return 0;
  return access->resultCount() * access->registerBits() / 8;
}

namespace {
/// What a thread does in the block of a loop in which it reads most of arrays.
struct LoopReads {
  unsigned bytes = 0, instructions = 0;
};
} // namespace

static LoopReads readsInLoop(const Function &function) {
  DominatorTree dominators(const_cast<Function &>(function));
  LoopInfo loops(dominators);
  LoopReads most;
  for (const BasicBlock &block : function)
    if (loops.getLoopFor(&block)) {
      LoopReads reads;
      for (const Instruction &instruction : block)
        reads.bytes += bytesRead(instruction);
      reads.instructions = block.size();
      if (reads.bytes > most.bytes)
        most = reads;
    }
  return most;
}

/// Whether all blocks that a multiprocessor may hold have registers for what loops carry and load,
/// though not for all threads.
static bool fitsAllBlocks(const Function &function, const GpuArch &arch, uint64_t threads) {
  uint64_t blocks = arch.maxBlocksPerSM();
  if (blocks * threads >= arch.maxThreadsPerSM())
    return false;
  uint64_t kept = Pressure(function).carried() + readsInLoop(function).bytes / 4;
  return kept + arch.tuning().code.registersBesideLoops <=
         arch.registersPerSM() / (blocks * threads);
}

/// Bytes of shared memory of a block, as tile-allocate-shared has found them.
static constexpr StringLiteral kSharedBytes = "tile.shared_bytes";

/// Registers of a thread with which a multiprocessor holds one block more of a kernel with matrix
/// instructions than if each thread took all that it may; nothing if that is not worth a limit.
static std::optional<unsigned> limitForOneMore(const Function &function, const GpuArch &arch,
                                               unsigned threads, uint64_t estimate) {
  const CodeTuning &tuning = arch.tuning().code;
  auto registersFor = [&](unsigned blocks) {
    return unsigned(alignDown(arch.registersPerSM() / (blocks * threads), tuning.registerUnit));
  };
  unsigned most = std::min<unsigned>(arch.maxRegistersPerThread(), arch.registersPerSM() / threads);
  unsigned blocks = computeOccupancy(arch, {threads, most, 0}).blocksPerSM + 1;
  unsigned registers = registersFor(blocks), shared = 0;
  if (function.hasFnAttribute(kSharedBytes))
    (void)function.getFnAttribute(kSharedBytes).getValueAsString().getAsInteger(10, shared);
  // With little more than what the next block leaves, ptxas keeps below the limit by itself, and
  // would take more because of it.
  bool isWanted = blocks <= tuning.mostBlocksOfProducts &&
                  registers >= tuning.leastRegistersOfProducts &&
                  estimate > registersFor(blocks + 1) * tuning.estimateToNextLimit &&
                  estimate <= registers * tuning.estimateToLimit &&
                  computeOccupancy(arch, {threads, registers, shared}).blocksPerSM >= blocks;
  return isWanted ? std::optional(registers) : std::nullopt;
}

/// How many blocks of a kernel without matrix instructions ptxas is told shall be resident; nothing
/// if it decides better by itself.
static std::optional<uint64_t> wantedBlocks(const Function &function, const GpuArch &arch,
                                            uint64_t threads, uint64_t estimate) {
  const CodeTuning &tuning = arch.tuning().code;
  // Registers are allocated in units, and a warp's in one partition. With less than the smaller
  // margin there, the block more would spill; with more, the estimate is too coarse to say.
  uint64_t tightest = std::max<uint64_t>(1, divideCeil(estimate * tuning.eighthsOfEstimate, 8));
  uint64_t tight = computeOccupancy(arch, {unsigned(threads), unsigned(tightest), 0})
                       .blocksBy[unsigned(OccupancyLimit::Registers)];
  uint64_t wanted = std::max<uint64_t>(1, divideCeil(estimate * tuning.quartersOfEstimate, 4));
  uint64_t blocks =
      std::min(arch.registersPerSM() / (threads * alignTo(wanted, tuning.registerUnit)), tight);
  if (blocks * threads < tuning.fewThreads && tight > blocks)
    return tight;
  if (fitsAllBlocks(function, arch, threads))
    return std::nullopt;
  LoopReads reads = readsInLoop(function);
  bool startsEarly = function.hasFnAttribute(kLoadsAhead);
  // Arithmetic at length wants many threads more than it wants loads early; and one block is what
  // there is at least.
  bool readsMuch = reads.bytes >= tuning.bytesReadTogether && blocks > 1;
  bool isArithmetic = reads.instructions > reads.bytes * tuning.manyInstructionsForByte;
  if (((startsEarly && blocks * threads >= tuning.enoughThreads) || readsMuch) && !isArithmetic) {
    bool isSmall = threads <= 2 * arch.warpSize();
    uint64_t most = isSmall ? tuning.mostThreadsOfSmallBlocks : tuning.mostThreads;
    return std::min(blocks, most / threads);
  }
  bool areBlocksFew = arch.maxBlocksPerSM() * threads < arch.maxThreadsPerSM();
  if (areBlocksFew && blocks < arch.maxBlocksPerSM() && reads.bytes != 0)
    return blocks;
  return std::nullopt;
}

/// The same, fewer where addresses that no others lead to leave no room for so many: ptxas would
/// spill. As it moves addresses next to their accesses where it can, no more than half of the
/// blocks are given up, and none where all have room by the estimate without a margin.
static std::optional<uint64_t> wantedBesideAddresses(const Function &function, const GpuArch &arch,
                                                     uint64_t threads, uint64_t estimate) {
  std::optional<uint64_t> most = wantedBlocks(function, arch, threads, estimate);
  uint64_t withAddresses = Pressure(function, /*hasAddresses=*/true).largest();
  if (!most || withAddresses < alignDown(arch.registersPerSM() / (*most * threads),
                                         arch.tuning().code.registerUnit))
    return most;
  uint64_t least = divideCeil(*most, 2);
  std::optional<uint64_t> blocks = wantedBlocks(function, arch, threads, withAddresses);
  return std::clamp(blocks.value_or(least), least, *most);
}

/// Threads of a block of which the compiled code expects most, in a launch with one program for
/// each block; and how many the largest block has.
struct BlockThreads {
  uint64_t usual, most;
};

/// Warps of a program, where blocks may have several programs, as tile-mark-kernels writes it.
static constexpr StringLiteral kNumWarps = "tile.num_warps";

static std::optional<BlockThreads> findThreads(const Function &function, const GpuArch &arch) {
  std::optional<uint64_t> threads = blockSize(function, "nvvm.reqntid");
  if (!threads)
    threads = blockSize(function, "nvvm.maxntid");
  if (!threads)
    return std::nullopt;
  BlockThreads result = {*threads, *threads};
  uint64_t warps = 0;
  if (!function.getFnAttribute(kNumWarps).getValueAsString().getAsInteger(10, warps) && warps != 0)
    result.usual = warps * arch.warpSize();
  return result;
}

/// Asks ptxas for registers with which so many blocks of one program are resident.
static void setResidentBlocks(Function &function, uint64_t blocks, BlockThreads threads) {
  uint64_t least = std::max<uint64_t>(1, blocks * threads.usual / threads.most);
  function.addFnAttr("nvvm.minctasm", std::to_string(least));
}

void tilec::boundResidentBlocks(Module &module, const GpuArch &arch) {
  const CodeTuning &tuning = arch.tuning().code;
  for (Function &function : module) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel || function.isDeclaration() ||
        function.hasFnAttribute("nvvm.minctasm") || function.hasFnAttribute("nvvm.maxnreg"))
      continue;
    std::optional<BlockThreads> found = findThreads(function, arch);
    if (!found)
      continue;
    uint64_t threads = found->usual;
    uint64_t limit =
        std::min<uint64_t>(arch.maxRegistersPerThread(), arch.registersPerSM() / found->most);
    uint64_t estimate = estimateRegisters(function).registers;
    // Loads of straight code were brought together until they filled so many registers.
    if (function.getFnAttribute(kLoadsAhead).getValueAsString() == kInStraightCode)
      estimate = std::max<uint64_t>(estimate, tuning.fewRegisters);
    if (divideCeil(estimate * tuning.quartersOfEstimate, 4) >= limit) {
      if (isEnabled(Workaround::RegisterCliff))
        function.addFnAttr("nvvm.minctasm", "1");
    } else if (multipliesMatrices(function)) {
      if (auto most = limitForOneMore(function, arch, unsigned(threads), estimate))
        function.addFnAttr("nvvm.maxnreg", std::to_string(*most));
    } else if (auto blocks = wantedBesideAddresses(function, arch, threads, estimate)) {
      setResidentBlocks(function, *blocks, *found);
    } else if (found->most != threads && fitsAllBlocks(function, arch, threads)) {
      // ptxas would save registers for as many threads as it sees, of which half have no place.
      setResidentBlocks(function, arch.maxBlocksPerSM(), *found);
    }
    function.removeFnAttr(kLoadsAhead);
    function.removeFnAttr(kSharedBytes);
    function.removeFnAttr(kNumWarps);
  }
}
