//===- ReadValues.cpp - operands of PTX instructions ------------*- C++ -*-===//
//
// Registers, special registers, constants and addresses become slots.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace llvm;
using namespace tilec::simulator;

Slot Reader::newSlot(StringRef name) {
  program->names.resize(program->slots);
  program->names.push_back(name.str());
  return program->slots++;
}

/// The register of that name in the innermost block that declares one.
std::optional<Slot> Reader::findInner(StringRef name) const {
  for (const StringMap<Slot> &block : reverse(blocks))
    if (auto entry = block.find(name); entry != block.end())
      return entry->second;
  return std::nullopt;
}

Slot Reader::slotOf(StringRef name) {
  if (std::optional<Slot> inner = findInner(name))
    return *inner;
  auto [entry, isNew] = slots.try_emplace(name, program->slots);
  return isNew ? newSlot(name) : entry->second;
}

/// The slot of a number that all lanes have when a warp starts.
Slot Reader::slotOf(uint64_t number, std::map<uint64_t, Slot> &known, Numbers &numbers) {
  auto [entry, isNew] = known.try_emplace(number, program->slots);
  if (isNew) {
    numbers.push_back({program->slots, number});
    ++program->slots;
  }
  return entry->second;
}

Slot Reader::constant(uint64_t value) { return slotOf(value, constantSlots, program->constants); }

static std::optional<Slot> findSpecial(StringRef name) {
  static const StringMap<Slot> names = {{"%tid.x", TidX},
                                        {"%tid.y", TidY},
                                        {"%tid.z", TidZ},
                                        {"%ntid.x", BlockX},
                                        {"%ntid.y", BlockY},
                                        {"%ntid.z", BlockZ},
                                        {"%laneid", LaneId},
                                        {"%warpid", WarpId},
                                        {"%ctaid.x", CtaX},
                                        {"%ctaid.y", CtaY},
                                        {"%ctaid.z", CtaZ},
                                        {"%nctaid.x", GridX},
                                        {"%nctaid.y", GridY},
                                        {"%nctaid.z", GridZ},
                                        {"%cluster_ctarank", ClusterRank},
                                        {"%cluster_nctarank", ClusterSize},
                                        {"%cluster_ctaid.x", ClusterRank},
                                        {"%clusterid.x", ClusterX},
                                        {"%nclusterid.x", ClusterCountX},
                                        {"%smid", Zero},
                                        {"%clock", One},
                                        {"%clock64", One},
                                        {"%globaltimer", One},
                                        {"%dynamic_smem_size", DynamicBytes}};
  auto entry = names.find(name);
  return entry == names.end() ? std::nullopt : std::optional<Slot>(entry->second);
}

Expected<Slot> Reader::readNumber(StringRef text) {
  uint64_t bits;
  if (text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") ||
      text.starts_with("0D")) {
    if (text.drop_front(2).getAsInteger(16, bits))
      return error("the simulator cannot read the number '" + text + "'");
    return constant(bits);
  }
  double real;
  if (text.contains('.') && !text.getAsDouble(real))
    return constant(readsDoubles ? llvm::bit_cast<uint64_t>(real)
                                 : llvm::bit_cast<uint32_t>(float(real)));
  bool negative = text.consume_front("-");
  text.consume_back("U");
  if (text.getAsInteger(0, bits))
    return error("the simulator cannot read the number '" + text + "'");
  return constant(negative ? 0 - bits : bits);
}

Expected<Slot> Reader::readNamed(StringRef name) {
  if (std::optional<Slot> special = findSpecial(name))
    return *special;
  if (slots.contains(name) || findInner(name))
    return slotOf(name);
  if (auto shared = sharedAddresses.find(name); shared != sharedAddresses.end())
    return slotOf(shared->second, sharedSlots, program->sharedAddresses);
  if (auto address = addresses.find(name); address != addresses.end())
    return constant(address->second);
  return slotOf(name);
}

Expected<Slot> Reader::readValue() {
  skipSpace();
  StringRef text = rest.take_while([](char c) { return isNameChar(c) || c == '.' || c == '-'; });
  rest = rest.drop_front(text.size());
  if (text.empty())
    return error("expected an operand");
  if (isDigit(text.front()) || text.front() == '-')
    return readNumber(text);
  return readNamed(text);
}

/// Adds the rest of a list to the operand.
Error Reader::readList(Operand &operand, char end) {
  do {
    Expected<Slot> slot = readValue();
    if (!slot)
      return slot.takeError();
    operand.slots.push_back(*slot);
  } while (take(','));
  return take(end) ? Error::success() : error("expected the end of the list");
}

Expected<Operand> Reader::readOperand() {
  Operand operand;
  bool isBraced = take('{');
  if (isBraced || take('(')) {
    if (Error failed = readList(operand, isBraced ? '}' : ')'))
      return failed;
    return operand;
  }
  operand.isAddress = take('[');
  Expected<Slot> slot = readValue();
  if (!slot)
    return slot.takeError();
  operand.slots.push_back(*slot);
  // Two predicates: "%p1|%p2".
  if (take('|')) {
    Expected<Slot> second = readValue();
    if (!second)
      return second.takeError();
    operand.slots.push_back(*second);
  }
  if (!operand.isAddress)
    return operand;
  if (take('+')) {
    skipSpace();
    if (rest.consumeInteger(10, operand.offset))
      return error("expected an offset");
  }
  // The address of a tensor map, with places: "[%rd1, {%r1, %r2}]".
  if (take(',')) {
    if (!take('{'))
      return error("expected '{'");
    if (Error failed = readList(operand, '}'))
      return failed;
  }
  if (!take(']'))
    return error("expected ']'");
  return operand;
}
