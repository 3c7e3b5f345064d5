//===- DiskCache.h - Bytes that outlive the process -------------*- C++ -*-===//
//
// A folder of entries found by a key that is a hash of everything the entry depends on. Entries are
// written aside and renamed into place, carry a checksum, and are checked when read, so processes
// may share a folder, be killed at any time, and lose at most an entry. The cache never fails: what
// cannot be read is absent, what cannot be written is not kept.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_DISKCACHE_H
#define TILEC_JIT_DISKCACHE_H

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace tilec {

/// What a cache did so far.
struct CacheCounts {
  uint64_t hits = 0;
  uint64_t misses = 0;
  /// Entries that were found damaged, each a miss too.
  uint64_t damaged = 0;
  uint64_t writes = 0;
  uint64_t failedWrites = 0;
  /// Entries that were deleted to keep within the limit.
  uint64_t evicted = 0;
};

/// A folder of entries. Thread-safe; several objects and processes may use one folder.
class DiskCache {
public:
  /// Uses `folder`, which is created at the first write. The entries are kept within `limitBytes`,
  /// those that were used least recently go first. With `readOnly` nothing is ever written.
  DiskCache(std::string folder, uint64_t limitBytes, bool readOnly = false);

  /// The bytes that were stored for `key` (letters and digits). An entry that belongs to another
  /// user, or that others may write, counts as absent: it may be machine code. So does one that
  /// `accept` (may be null) refuses; it stays until another is stored.
  std::optional<std::string> find(llvm::StringRef key,
                                  llvm::function_ref<bool(llvm::StringRef)> accept = nullptr);

  /// Keeps `bytes` for `key`.
  void store(llvm::StringRef key, llvm::StringRef bytes);

  CacheCounts counts() const;

private:
  std::string pathOf(llvm::StringRef key) const;
  bool write(llvm::StringRef key, llvm::StringRef bytes);
  void makeRoom(uint64_t added);

  const std::string folder;
  const uint64_t limitBytes;
  const bool readOnly;
  std::atomic<uint64_t> hits{0}, misses{0}, damaged{0}, writes{0}, failedWrites{0}, evicted{0};
  std::mutex lock;               // Of what follows.
  std::optional<uint64_t> inUse; // Bytes in the folder, about; unknown before the first write.
};

/// The folder for this user's cache: $TILEC_CACHE_DIR, $XDG_CACHE_HOME/tilec or ~/.cache/tilec.
/// Empty when none of the variables is set.
std::string userCacheFolder();

} // namespace tilec

#endif // TILEC_JIT_DISKCACHE_H
