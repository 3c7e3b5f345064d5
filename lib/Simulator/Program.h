//===- Program.h - A kernel as the simulator executes it --------*- C++ -*-===//
//
// Instructions with their operands resolved: registers, constants and special registers are all
// slots of one array, 64 bits a lane, so an instruction reads its operands without asking what they
// are.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_PROGRAM_H
#define TILEC_LIB_SIMULATOR_PROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec::simulator {

class Warp;
struct Instruction;

/// What an instruction does in the lanes of `mask`. False after a fault, which the warp knows.
using Handler = bool (*)(Warp &warp, const Instruction &instruction, uint32_t mask);

/// How the scheduler treats an instruction.
enum class Kind : uint8_t {
  Ordinary,
  /// All lanes of its mask come first.
  WarpSync,
  Branch,
  Exit,
  /// Threads of the CTA wait for each other.
  Barrier,
  /// Threads of the cluster wait for each other.
  ClusterWait,
};

/// What an instruction does with the registers among its operands.
enum class Effect : uint8_t {
  Reads,
  /// Writes the first operand and reads the others.
  Writes,
  /// Writes one register with the value of another, or of a constant.
  Copies,
  /// Is of wgmma, whose handlers look after registers.
  Products,
};

/// The place of a value in each lane.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot(0);

inline constexpr uint8_t kAllLanes = 0xff;
/// Of a tensor map.
inline constexpr unsigned kMapBytes = 128;

/// One operand: a register or constant, several in braces, or an address, of a tensor map with
/// places behind it.
struct Operand {
  bool isAddress = false;
  int64_t offset = 0; // Of an address.
  llvm::SmallVector<Slot, 4> slots;
};

struct Instruction {
  Handler run = nullptr;
  Kind kind = Kind::Ordinary;
  Effect effect = Effect::Reads;
  Slot guard = kNoSlot;
  bool guardNegated = false;
  /// Of a WarpSync: the operand with its lanes; otherwise all that have not ended.
  uint8_t members = kAllLanes;
  uint32_t line = 0;
  /// Of a branch: indices into Program::code; several are a table.
  llvm::SmallVector<uint32_t, 1> targets;
  /// What the handler needs to know of its opcode: sizes, shapes, forms.
  uint32_t detail = 0;
  llvm::SmallVector<Operand, 3> operands;

  Slot slot(unsigned operand) const { return operands[operand].slots.front(); }
};

/// Values that differ by thread, with a slot each at the start of the array.
enum SpecialSlot : Slot {
  TidX,
  TidY,
  TidZ,
  LaneId,
  WarpId,
  CtaX,
  CtaY,
  CtaZ,
  GridX,
  GridY,
  GridZ,
  BlockX,
  BlockY,
  BlockZ,
  ClusterRank,
  ClusterSize,
  ClusterX,
  ClusterCountX,
  LocalBase,
  DynamicBytes,
  Zero,
  One,
  SpecialSlots
};

/// A tensor map is an address of 128 bytes that the launch holds; anything else a number.
struct Parameter {
  Slot slot;
  bool isMap;
  bool operator==(const Parameter &other) const {
    return slot == other.slot && isMap == other.isMap;
  }
};

/// Where the shared memory of a CTA begins, so that 0 is no address in it; and how far apart those
/// of a cluster's CTAs lie, as on GPUs: a CTA finds its own by addresses with its rank in them.
inline constexpr uint64_t kSharedBase = 1024;
inline constexpr uint64_t kSharedWindow = uint64_t(1) << 24;

class Program {
public:
  std::vector<Instruction> code;
  /// The text of each line, for messages.
  std::vector<std::string> lines;
  /// Slots of each lane, and those that hold a constant.
  Slot slots = SpecialSlots;
  /// Of each slot; constants have none.
  std::vector<std::string> names;
  std::vector<std::pair<Slot, uint64_t>> constants;
  /// The addresses of shared variables, in the first CTA of a cluster.
  std::vector<std::pair<Slot, uint64_t>> sharedAddresses;
  /// In order.
  std::vector<Parameter> parameters;
  /// How many of them are tensor maps.
  size_t numMaps() const {
    return size_t(llvm::count_if(parameters, [](const Parameter &each) { return each.isMap; }));
  }
  uint32_t sharedBytes = 0;
  uint32_t localBytes = 0;
  /// Whether some instruction is of wgmma.
  bool usesWarpgroups = false;
  /// Contents of constant data; addresses of it are constants.
  std::vector<std::vector<uint8_t>> data;
};

/// Reads the kernel `name`.
llvm::Expected<std::unique_ptr<Program>> readProgram(llvm::StringRef ptx, llvm::StringRef name);

/// Sets what `instruction` does from its opcode, "add.s32"; its operands are known. The error says
/// what is not simulated.
llvm::Error decode(llvm::StringRef opcode, Instruction &instruction);

/// The parts of decode(), each of which knows some opcodes: null for others.
Handler findArithmetic(llvm::StringRef opcode);
Handler findFloatArithmetic(llvm::StringRef opcode);
Handler findConversion(llvm::StringRef opcode, Instruction &instruction);
Handler findComparison(llvm::StringRef opcode);
Handler findMemory(llvm::StringRef opcode, Instruction &instruction);
Handler findAsyncCopy(llvm::StringRef opcode, Instruction &instruction);
Handler findBulkCopy(llvm::StringRef opcode, Instruction &instruction);
Handler findMBarrier(llvm::StringRef opcode, Instruction &instruction);
Handler findAtomic(llvm::StringRef opcode, Instruction &instruction);
Handler findWarp(llvm::StringRef opcode, Instruction &instruction);
Handler findMatrix(llvm::StringRef opcode, Instruction &instruction);
Handler findWarpgroup(llvm::StringRef opcode, Instruction &instruction);

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_PROGRAM_H
