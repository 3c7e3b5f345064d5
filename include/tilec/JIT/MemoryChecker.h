//===- MemoryChecker.h - Accesses against arrays and orders -----*- C++ -*-===//
//
// Finds what is wrong with the accesses of a kernel that runs on the processor: outside of its
// arrays, of elements that nobody has written, and of elements that another access may change at
// the same time. A race is found by what orders two accesses, not by luck: on a GPU they could
// happen in either order, although programs run one after the other here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_MEMORYCHECKER_H
#define TILEC_JIT_MEMORYCHECKER_H

#include "tilec/JIT/HostArray.h"
#include "tilec/Target/Host.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// One kind of mistake at one place in the source, however often it happened.
struct MemoryFinding {
  enum class Kind { Outside, Unwritten, Race };
  struct Place {
    std::string file; // Empty when unknown.
    int32_t line = 0, column = 0;
    std::string calls; // That led there, as HostSite has them.
    bool operator==(const Place &other) const;
  };

  Kind kind;
  Place place;
  std::string message;        // Of the first time.
  std::optional<Place> other; // The other access of a race.
  uint64_t count = 1;         // Elements and programs.
};

class DiagnosticEngine;

/// Memory that a launch may access, and what it is to the kernel.
struct CheckedArray {
  std::string name;
  ScalarKind type = ScalarKind::UInt8; // Of its elements.
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
  std::vector<uint64_t> shape;

  unsigned itemBytes() const;
};

/// Watches one launch. Not thread-safe.
///
/// Two accesses of one element, one of which changes its value, are a race unless both are atomic
/// or something orders them. Of two programs that is an atomic operation of one, after its access,
/// whose result the other has seen by an atomic operation on the same element, before its access,
/// directly or through other programs; relaxed operations do not count. Within a program, elements
/// of tiles at the same position are ordered, as are scalars, and a barrier orders all.
class MemoryChecker : public HostMonitor {
public:
  MemoryChecker();
  ~MemoryChecker() override;

  /// Adds an array of the launch, which must outlive this. With `unwritten`, elements that hold the
  /// pattern of HostArray::poison() are taken for such that nobody has written.
  void add(std::string name, const HostArray &array, bool unwritten);
  /// The same of any memory. `unwritten` says of each byte whether nobody has written it, and
  /// outlives this, which changes it as the kernel writes; null: somebody has written all.
  void add(CheckedArray array, std::vector<bool> *unwritten);
  /// Adds an array of which only the start is known. What lies outside of all others may then be
  /// part of it, so that accesses there are only checked for races.
  void addOpen(std::string name, ScalarKind type, const void *start);

  bool allow(const HostAccess &access) override;
  void passBarrier() override;

  /// In the order in which they were found.
  llvm::ArrayRef<MemoryFinding> findings() const { return found; }

private:
  struct Event;
  struct Cell;
  struct Array;
  struct Orders;

  Array &addArray(CheckedArray array);
  Array *arrayOf(const void *address);
  void reportOutside(const HostAccess &access);
  void checkWritten(Array &array, uint64_t byte, const HostAccess &access);
  void checkOrder(Array &array, uint64_t byte, const HostAccess &access);
  std::string describeElement(const Array &array, uint64_t byte) const;
  bool isUnordered(const Event &before, const Event &now);
  void report(MemoryFinding::Kind kind, const HostAccess &access, std::string message,
              std::optional<MemoryFinding::Place> other = std::nullopt);

  std::vector<std::unique_ptr<Array>> arrays;
  std::vector<CheckedArray> open;   // Of unknown sizes.
  std::unique_ptr<Array> elsewhere; // All that is in none of `arrays`; null if it belongs to none.
  std::unique_ptr<Orders> orders;
  std::vector<MemoryFinding> found;
};

/// Reports each finding as an error at its place in the source, of races with both places. True if
/// there is none.
bool reportFindings(const MemoryChecker &checker, DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_JIT_MEMORYCHECKER_H
