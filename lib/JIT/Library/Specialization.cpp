//===- Specialization.cpp - Classes of arguments ----------------*- C++ -*-===//
//
// A generation of the table is never changed after it is published: adding copies it. Kernels have
// few variants, so this costs nothing worth saving, and readers need one atomic load.
//
//===----------------------------------------------------------------------===//

#include "Specialization.h"

#include "Objects.h"
#include "tilec/JIT/HostArray.h"
#include "tilec/float8.h"

using namespace tilec;
using namespace tilec::library;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

template <typename T> static T readAs(const void *address) {
  T value;
  memcpy(&value, address, sizeof(value));
  return value;
}

int64_t library::readInteger(uint8_t type, const void *address) {
  switch (type) {
  case TILEC_TYPE_I1:
    return readAs<uint8_t>(address) != 0;
  case TILEC_TYPE_I8:
    return readAs<int8_t>(address);
  case TILEC_TYPE_U8:
    return readAs<uint8_t>(address);
  case TILEC_TYPE_I16:
    return readAs<int16_t>(address);
  case TILEC_TYPE_U16:
    return readAs<uint16_t>(address);
  case TILEC_TYPE_I32:
    return readAs<int32_t>(address);
  case TILEC_TYPE_U32:
    return readAs<uint32_t>(address);
  default:
    return readAs<int64_t>(address);
  }
}

ConstValue library::readValue(uint8_t type, const void *address) {
  switch (type) {
  case TILEC_TYPE_I1:
    return ConstValue::boolean(readInteger(type, address) != 0);
  case TILEC_TYPE_U64:
    return ConstValue::integer(llvm::APInt(65, readAs<uint64_t>(address)));
  case TILEC_TYPE_FP8E5:
    return ConstValue::real(float(Float8E5::fromBits(readAs<uint8_t>(address))));
  case TILEC_TYPE_FP8E4NV:
    return ConstValue::real(float(Float8E4NV::fromBits(readAs<uint8_t>(address))));
  case TILEC_TYPE_FP8E4B15:
    return ConstValue::real(float(Float8E4B15::fromBits(readAs<uint8_t>(address))));
  case TILEC_TYPE_FP16:
    return ConstValue::real(decodeFloat(readAs<uint16_t>(address), ScalarKind::FP16));
  case TILEC_TYPE_BF16:
    return ConstValue::real(decodeFloat(readAs<uint16_t>(address), ScalarKind::BF16));
  case TILEC_TYPE_FP32:
    return ConstValue::real(readAs<float>(address));
  case TILEC_TYPE_FP64:
    return ConstValue::real(readAs<double>(address));
  default:
    break;
  }
  int64_t value = readInteger(type, address);
  if (type < TILEC_TYPE_POINTER)
    return ConstValue::integer(value);
  return value == 0 ? ConstValue::none() : ConstValue::integer(llvm::APInt(65, uint64_t(value)));
}

uint8_t ArgumentRule::bitsType() const {
  switch (type) {
  case TILEC_TYPE_FP8E5:
  case TILEC_TYPE_FP8E4NV:
  case TILEC_TYPE_FP8E4B15:
    return TILEC_TYPE_U8;
  case TILEC_TYPE_FP16:
  case TILEC_TYPE_BF16:
    return TILEC_TYPE_U16;
  case TILEC_TYPE_FP32:
    return TILEC_TYPE_U32;
  default:
    return type; // Of 64 bits, all of them are read.
  }
}

ClassKey library::classify(llvm::ArrayRef<ArgumentRule> rules, void *const *arguments) {
  ClassKey key{};
  for (size_t index = 0; index < rules.size(); ++index) {
    const ArgumentRule &rule = rules[index];
    if (rule.classes.isTrivial())
      continue;
    ArgumentClass kind = rule.classes.classify(readInteger(rule.type, arguments[index]));
    key[index / 32] |= uint64_t(kind) << (index % 32 * 2);
  }
  return key;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static size_t hashKey(const ClassKey &key) {
  uint64_t hash = 0;
  for (uint64_t word : key)
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return size_t(hash ^ hash >> 32);
}

/// The slot that holds `key`, or the empty one where it belongs.
VariantTable::Slots::Slot &VariantTable::Slots::place(const ClassKey &key) {
  size_t mask = slots.size() - 1;
  size_t at = hashKey(key) & mask;
  while (slots[at].variant && slots[at].key != key)
    at = (at + 1) & mask;
  return slots[at];
}

VariantTable::~VariantTable() = default;

const ReadyVariant *VariantTable::find(const ClassKey &key) const {
  Slots *slots = current.load(std::memory_order_acquire);
  return slots ? slots->place(key).variant : nullptr;
}

const ReadyVariant *VariantTable::add(const ClassKey &key, std::unique_ptr<ReadyVariant> variant) {
  std::lock_guard<std::mutex> guard(lock);
  if (const ReadyVariant *known = find(key))
    return known;
  Slots *old = current.load(std::memory_order_relaxed);
  size_t used = old ? old->used + 1 : 1;
  size_t count = 8;
  while (count < used * 2)
    count *= 2;
  auto next = std::make_unique<Slots>(count);
  next->used = used;
  if (old)
    for (const Slots::Slot &slot : old->slots)
      if (slot.variant)
        next->place(slot.key) = slot;
  next->place(key) = {key, variant.get()};
  variants.push_back(std::move(variant));
  generations.push_back(std::move(next));
  current.store(generations.back().get(), std::memory_order_release);
  return variants.back().get();
}
