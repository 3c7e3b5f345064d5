//===- Specialization.h - Classes of arguments ------------------*- C++ -*-===//
//
// What of a launch's arguments decides which variant runs, as a key of two bits an argument, and
// the table from keys to variants that launches read without a lock.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_SPECIALIZATION_H
#define TILEC_LIB_JIT_LIBRARY_SPECIALIZATION_H

#include "tilec/Language/ConstValue.h"
#include "tilec/Language/KernelParam.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tilec::library {

/// Arguments that a kernel can have at most.
constexpr unsigned maxArguments = 128;
using ClassKey = std::array<uint64_t, maxArguments / 32>;

inline ArgumentClass classOf(const ClassKey &key, unsigned index) {
  return ArgumentClass(key[index / 32] >> (index % 32 * 2) & 3);
}

/// The value of an integer argument of this tilec_type; a pointer is its address, a bool 0 or 1.
int64_t readInteger(uint8_t type, const void *address);

/// The value of an argument; a null pointer is None. Floats of 16 bits are read exactly.
ConstValue readValue(uint8_t type, const void *address);

/// How one argument is read.
struct ArgumentRule {
  uint8_t type = 0; // A tilec_type.
  ClassRule classes;

  /// The integer type with the bits of this one.
  uint8_t bitsType() const;
};

/// The classes of a launch's arguments, for each of which there is a rule.
ClassKey classify(llvm::ArrayRef<ArgumentRule> rules, void *const *arguments);

struct ReadyVariant;

/// From classes to variants. Any number of threads may find() while others add(); what was added
/// stays until the table is destroyed.
class VariantTable {
public:
  VariantTable() : current(nullptr) {}

  /// The variant for `key`, or null.
  const ReadyVariant *find(const ClassKey &key) const;
  /// Adds a variant unless one is there; returns the one that counts.
  const ReadyVariant *add(const ClassKey &key, std::unique_ptr<ReadyVariant> variant);
  ~VariantTable();

private:
  struct Slots {
    struct Slot {
      ClassKey key;
      const ReadyVariant *variant = nullptr;
    };
    explicit Slots(size_t count) : slots(count) {} // A power of two, never full.
    Slot &place(const ClassKey &key);
    std::vector<Slot> slots;
    size_t used = 0;
  };

  std::atomic<Slots *> current;
  std::mutex lock;
  // Old generations: a reader may still look at one.
  std::vector<std::unique_ptr<Slots>> generations;
  std::vector<std::unique_ptr<ReadyVariant>> variants;
};

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_SPECIALIZATION_H
