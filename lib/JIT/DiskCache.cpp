//===- DiskCache.cpp - Bytes that outlive the process -----------*- C++ -*-===//
//
// An entry is a file: magic, checksum of key and bytes, the bytes. A reader sees a whole file or
// none, since files appear by rename; the checksum finds what a crash of the machine or a full disk
// left behind. Reading an entry sets its time, by which the least recently used are found.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/DiskCache.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace tilec;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static constexpr StringRef kMagic = "tilecKC1";
static constexpr StringRef kSuffix = ".tilec";
static constexpr StringRef kTemporary = "writing-";
static constexpr size_t kHashBytes = 32;
/// A writer takes milliseconds; a file aside that is older was left by one that died.
static constexpr std::chrono::minutes kWriterLife(10);

DiskCache::DiskCache(std::string folder, uint64_t limitBytes, bool readOnly)
    : folder(std::move(folder)), limitBytes(limitBytes), readOnly(readOnly) {}

CacheCounts DiskCache::counts() const {
  CacheCounts counts;
  counts.hits = hits;
  counts.misses = misses;
  counts.damaged = damaged;
  counts.writes = writes;
  counts.failedWrites = failedWrites;
  counts.evicted = evicted;
  return counts;
}

std::string DiskCache::pathOf(StringRef key) const {
  return folder + "/" + key.str() + kSuffix.str();
}

static std::string checksum(StringRef key, StringRef bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(key);
  hasher.update(bytes);
  auto hash = hasher.final<kHashBytes>();
  return std::string(reinterpret_cast<const char *>(hash.data()), hash.size());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The whole file; nothing when it cannot be read or is not to be trusted.
static std::optional<std::string> readTrusted(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return std::nullopt;
  llvm::scope_exit closeFile([&] { close(file); });
  struct stat facts;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || (facts.st_mode & S_IWOTH))
    return std::nullopt;
  if (facts.st_uid != geteuid() && facts.st_uid != 0)
    return std::nullopt;
  std::string text(size_t(facts.st_size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    ssize_t count = read(file, &text[done], text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    done += size_t(count);
  }
  text.resize(done);
  futimens(file, nullptr); // Fails without harm where the folder is read-only.
  return text;
}

std::optional<std::string> DiskCache::find(StringRef key,
                                           llvm::function_ref<bool(StringRef)> accept) {
  std::optional<std::string> text = readTrusted(pathOf(key));
  if (!text) {
    ++misses;
    return std::nullopt;
  }
  StringRef rest = *text;
  bool sound = rest.consume_front(kMagic) && rest.size() >= kHashBytes &&
               rest.take_front(kHashBytes) == checksum(key, rest.drop_front(kHashBytes));
  if (sound) {
    rest = rest.drop_front(kHashBytes);
    bool isWanted = !accept || accept(rest);
    ++(isWanted ? hits : misses);
    return isWanted ? std::optional(rest.str()) : std::nullopt;
  }
  ++misses;
  ++damaged;
  if (!readOnly)
    unlink(pathOf(key).c_str());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.drop_front(size_t(count));
  }
  return true;
}

bool DiskCache::write(StringRef key, StringRef bytes) {
  if (fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all))
    return false;
  static std::atomic<uint64_t> number{0};
  std::string aside = folder + "/" + kTemporary.str() + std::to_string(getpid()) + "-" +
                      std::to_string(number++) + "-" + key.take_front(16).str();
  int file = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return false;
  bool done =
      writeAll(file, kMagic) && writeAll(file, checksum(key, bytes)) && writeAll(file, bytes);
  done &= close(file) == 0;
  if (done && rename(aside.c_str(), pathOf(key).c_str()) == 0)
    return true;
  unlink(aside.c_str());
  return false;
}

void DiskCache::store(StringRef key, StringRef bytes) {
  uint64_t size = bytes.size() + kMagic.size() + kHashBytes;
  if (readOnly || size > limitBytes)
    return;
  if (!write(key, bytes)) {
    ++failedWrites;
    return;
  }
  ++writes;
  makeRoom(size);
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

namespace {
struct Entry {
  std::string path;
  uint64_t bytes;
  llvm::sys::TimePoint<> used;
};
} // namespace

/// The entries of a folder; files that dead writers left aside are deleted.
static std::vector<Entry> listEntries(const std::string &folder) {
  std::vector<Entry> entries;
  std::error_code error;
  auto now = std::chrono::system_clock::now();
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    StringRef name = llvm::sys::path::filename(at->path());
    fs::file_status status;
    if (fs::status(at->path(), status))
      continue; // Another process has deleted it.
    if (name.ends_with(kSuffix))
      entries.push_back({at->path(), status.getSize(), status.getLastModificationTime()});
    else if (name.starts_with(kTemporary) && now - status.getLastModificationTime() > kWriterLife)
      unlink(at->path().c_str());
  }
  return entries;
}

/// Notes that `added` bytes were written, and deletes old entries when there are too many. The sum
/// is this process's view; others only make it look less full, and notice themselves.
void DiskCache::makeRoom(uint64_t added) {
  std::lock_guard<std::mutex> guard(lock);
  if (inUse && (*inUse += added) <= limitBytes)
    return;
  std::vector<Entry> entries = listEntries(folder);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.bytes;
  if (total > limitBytes) {
    llvm::sort(entries, [](const Entry &a, const Entry &b) { return a.used < b.used; });
    // Some room to spare, so that not every write has to look.
    uint64_t wanted = limitBytes - limitBytes / 8;
    for (const Entry &entry : entries) {
      if (total <= wanted)
        break;
      total -= entry.bytes;
      if (unlink(entry.path.c_str()) == 0)
        ++evicted;
    }
  }
  inUse = total;
}

std::string tilec::userCacheFolder() {
  auto variable = [](const char *name) {
    const char *value = getenv(name);
    return std::string(value ? value : "");
  };
  std::string folder = variable("TILEC_CACHE_DIR");
  if (folder.empty() && !(folder = variable("XDG_CACHE_HOME")).empty())
    folder += "/tilec";
  if (folder.empty() && !(folder = variable("HOME")).empty())
    folder += "/.cache/tilec";
  return folder;
}
