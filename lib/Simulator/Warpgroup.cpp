//===- Warpgroup.cpp - Products of a warpgroup in flight --------*- C++ -*-===//
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions": what wgmma.fence, commit_group and
// wait_group order.
//
//===----------------------------------------------------------------------===//

#include "Warpgroup.h"

#include "Warp.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

bool WarpgroupState::fault(Warp &warp, const Instruction &instruction, Slot slot,
                           const char *verb) {
  return warp.fault(instruction, 0,
                    verb + (" register " + warp.cta.launch.program.names[slot]) +
                        " while the wgmma of line " + Twine(uses[slot].productLine) +
                        " is in flight");
}

//===----------------------------------------------------------------------===//
// Other instructions
//===----------------------------------------------------------------------===//

/// A register's copy is the same value to ptxas, which may give both one register: what is known of
/// the value goes with it. Loops copy their accumulators at the back edge.
bool WarpgroupState::copy(Warp &warp, const Instruction &instruction) {
  Slot to = instruction.slot(0), from = instruction.slot(1);
  bool areResults = uses[to].shape != 0 && uses[from].shape != 0;
  if (isInFlight(uses[to]) && !(areResults && isInFlight(uses[from])))
    return fault(warp, instruction, to, "writes");
  uses[to] = uses[from];
  return true;
}

bool WarpgroupState::access(Warp &warp, const Instruction &instruction) {
  if (instruction.effect == Effect::Products)
    return true;
  // A constant has no name: its copy is a register that is written.
  if (instruction.effect == Effect::Copies &&
      !warp.cta.launch.program.names[instruction.slot(1)].empty())
    return copy(warp, instruction);
  size_t results = instruction.effect == Effect::Reads ? 0 : 1;
  if (anyInFlight())
    for (size_t operand = 0; operand < instruction.operands.size(); ++operand)
      for (Slot slot : instruction.operands[operand].slots)
        if (isInFlight(uses[slot]))
          return fault(warp, instruction, slot, operand < results ? "writes" : "reads");
  if (results)
    for (Slot slot : instruction.operands[0].slots) {
      uses[slot].fence = fences;
      uses[slot].shape = 0;
      uses[slot].writeLine = instruction.line;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Products in a row that accumulate in registers of one shape need no fence in between.
bool WarpgroupState::checkFence(Warp &warp, const Instruction &instruction, Slot slot,
                                uint32_t shape) {
  const Use &use = uses[slot];
  if (use.fence < fences || (use.shape != 0 && use.shape == shape))
    return true;
  if (fences == 0)
    return warp.fault(instruction, 0, "multiplies before the first wgmma.fence");
  return warp.fault(instruction, 0,
                    "multiplies with register " + Twine(warp.cta.launch.program.names[slot]) +
                        ", written at line " + Twine(use.writeLine) +
                        ", without wgmma.fence in between");
}

/// The operand of a product with registers of its left factor, if that is not in shared memory.
static ArrayRef<Slot> leftRegisters(const Instruction &instruction) {
  ArrayRef<Slot> slots = instruction.operands[1].slots;
  return slots.size() > 1 ? slots : ArrayRef<Slot>();
}

bool WarpgroupState::checkProduct(Warp &warp, const Instruction &instruction) {
  for (Slot slot : leftRegisters(instruction)) {
    if (uses[slot].shape != 0 && isInFlight(uses[slot]))
      return fault(warp, instruction, slot, "reads");
    if (!checkFence(warp, instruction, slot, /*shape=*/0))
      return false;
  }
  for (Slot slot : instruction.operands[0].slots) {
    // A product in flight that has this register as a factor, or as a result of another shape.
    if (isInFlight(uses[slot]) && uses[slot].shape != instruction.detail)
      return fault(warp, instruction, slot, "writes");
    if (!checkFence(warp, instruction, slot, instruction.detail))
      return false;
  }
  for (size_t operand = 2; operand < instruction.operands.size(); ++operand)
    for (Slot slot : instruction.operands[operand].slots)
      if (isInFlight(uses[slot]))
        return fault(warp, instruction, slot, "reads");
  return true;
}

void WarpgroupState::issue(const Instruction &instruction, PendingProduct product) {
  auto use = [&](Slot slot) {
    uses[slot].group = openGroup();
    uses[slot].productLine = instruction.line;
  };
  for (Slot slot : leftRegisters(instruction)) {
    use(slot);
    uses[slot].shape = 0; // Maybe a result before; from now on a factor.
  }
  for (Slot slot : instruction.operands[0].slots) {
    use(slot);
    uses[slot].fence = fences;
    uses[slot].shape = instruction.detail;
    uses[slot].writeLine = instruction.line;
  }
  open.push_back(std::move(product));
  ++products;
}

bool ProductLog::add(uint64_t number, const Entry &entry) {
  if (number == size())
    entries.push_back(entry);
  Entry &known = entries[number - dropped];
  if (known.instruction != entry.instruction || known.left != entry.left ||
      known.right != entry.right || known.accumulates != entry.accumulates)
    return false;
  if (++known.warps == kWarpsOfGroup) {
    // Warps execute products in order, so this is the oldest one.
    entries.pop_front();
    ++dropped;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void WarpgroupState::commit() {
  groups.push_back(std::move(open));
  open.clear();
}

void WarpgroupState::wait(Warp &warp, const Instruction &instruction, uint64_t pending) {
  Accessor who = warp.accessor(kNoLane, instruction.line);
  for (; groups.size() > pending; groups.pop_front(), ++retired)
    for (const PendingProduct &product : groups.front())
      for (uint32_t chunk : product.chunks)
        warp.cta.shared.endAsyncRead(who, chunk, kChunk);
}

bool WarpgroupState::checkEnd(Warp &warp, const Instruction &instruction, unsigned lane) {
  const ProductLog &log = warp.cta.products[warp.index / kWarpsOfGroup];
  if (products < log.size())
    return warp.fault(instruction, lane,
                      "ends without the wgmma of line " + Twine(log[products].instruction->line) +
                          ", which others of its group executed");
  const PendingProduct *first = open.empty() ? nullptr : &open.front();
  for (const std::vector<PendingProduct> &group : reverse(groups))
    if (!group.empty())
      first = &group.front();
  if (!first)
    return true;
  return warp.fault(instruction, lane,
                    "ends while the wgmma of line " + Twine(first->line) + " is in flight");
}
