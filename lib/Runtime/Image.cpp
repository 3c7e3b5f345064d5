//===- Image.cpp - Looks into PTX and cubins -----------------------------*- C++ -*-===//
//
// A cubin is a 64-bit ELF file of machine 190 whose flags hold the architecture. PTX is text that
// begins, after comments, with .version and .target. Only so much is read as messages and a safe
// hand-over to the driver need; whether the code is valid is the driver's business.
//
//===-------------------------------------------------------------------------------===//

#include "Image.h"

#include "Status.h"

#include <cstring>

namespace tilec {
namespace {

// The parts of an ELF file that are read here, by the offsets of the 64-bit format.
namespace elf {
constexpr size_t headerBytes = 64;
constexpr size_t classOffset = 4, dataOffset = 5, abiVersionOffset = 8, machineOffset = 18;
constexpr size_t programTableOffset = 32, sectionTableOffset = 40, flagsOffset = 48;
constexpr size_t programEntryOffset = 54, sectionEntryOffset = 58;
constexpr size_t programBytes = 56, sectionBytes = 64;
constexpr uint32_t noBits = 8;
constexpr uint16_t machineCuda = 190;
} // namespace elf

/// Reads text token by token: words separated by white space, with comments skipped.
class PtxReader {
public:
  PtxReader(const char *text, size_t bytes) : cursor(text), end(text + bytes) {}

  /// Skips white space and comments, then `word` if the text goes on with it.
  bool accept(const char *word) {
    skipSpace();
    size_t length = strlen(word);
    if (size_t(end - cursor) < length || memcmp(cursor, word, length) != 0)
      return false;
    cursor += length;
    return true;
  }

  /// Reads digits right here; -1 if there are none. Saturates, as a version is a small number.
  int number() {
    if (cursor == end || !isDigit(*cursor))
      return -1;
    int value = 0;
    for (; cursor != end && isDigit(*cursor); ++cursor)
      value = value > 100000 ? value : value * 10 + (*cursor - '0');
    return value;
  }

  /// The next character, or NUL at the end.
  char peek() const { return cursor == end ? '\0' : *cursor; }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  void skipSpace() {
    while (cursor != end) {
      if (*cursor == ' ' || (*cursor >= '\t' && *cursor <= '\r')) {
        ++cursor;
      } else if (end - cursor >= 2 && cursor[0] == '/' && cursor[1] == '/') {
        while (cursor != end && *cursor != '\n')
          ++cursor;
      } else if (end - cursor >= 2 && cursor[0] == '/' && cursor[1] == '*') {
        const void *close = memmem(cursor + 2, size_t(end - cursor) - 2, "*/", 2);
        cursor = close ? static_cast<const char *>(close) + 2 : end;
      } else {
        return;
      }
    }
  }

  const char *cursor;
  const char *end;
};

} // namespace

template <typename T> static T readAt(const char *image, size_t offset) {
  T value;
  memcpy(&value, image + offset, sizeof(value));
  return value;
}

static bool fits(uint64_t offset, uint64_t size, uint64_t bytes) {
  return offset <= bytes && size <= bytes - offset;
}

/// Whether every table, section and segment of the ELF file lies inside `bytes`.
static bool isComplete(const char *image, size_t bytes) {
  uint64_t programs = readAt<uint64_t>(image, elf::programTableOffset);
  uint64_t sections = readAt<uint64_t>(image, elf::sectionTableOffset);
  auto programBytes = readAt<uint16_t>(image, elf::programEntryOffset);
  auto programCount = readAt<uint16_t>(image, elf::programEntryOffset + 2);
  auto sectionBytes = readAt<uint16_t>(image, elf::sectionEntryOffset);
  auto sectionCount = readAt<uint16_t>(image, elf::sectionEntryOffset + 2);
  if ((programCount && programBytes != elf::programBytes) ||
      (sectionCount && sectionBytes != elf::sectionBytes))
    return false;
  if (!fits(programs, uint64_t(programCount) * elf::programBytes, bytes) ||
      !fits(sections, uint64_t(sectionCount) * elf::sectionBytes, bytes))
    return false;
  for (unsigned i = 0; i < programCount; ++i) {
    size_t entry = programs + i * elf::programBytes;
    if (!fits(readAt<uint64_t>(image, entry + 8), readAt<uint64_t>(image, entry + 32), bytes))
      return false;
  }
  for (unsigned i = 0; i < sectionCount; ++i) {
    size_t entry = sections + i * elf::sectionBytes;
    if (readAt<uint32_t>(image, entry + 4) != elf::noBits &&
        !fits(readAt<uint64_t>(image, entry + 24), readAt<uint64_t>(image, entry + 32), bytes))
      return false;
  }
  return true;
}

static tilec_status inspectCubin(const char *image, size_t bytes, ImageInfo &info) {
  constexpr char is64Bit = 2, littleEndian = 1;
  if (bytes < elf::headerBytes)
    return makeError(TILEC_ERROR_INVALID_IMAGE, "the cubin is cut off: it has %zu bytes", bytes);
  if (image[elf::classOffset] != is64Bit || image[elf::dataOffset] != littleEndian)
    return makeError(TILEC_ERROR_INVALID_IMAGE,
                     "expected a cubin, found an ELF file that is not 64-bit little-endian");
  auto machine = readAt<uint16_t>(image, elf::machineOffset);
  if (machine != elf::machineCuda)
    return makeError(TILEC_ERROR_INVALID_IMAGE,
                     "expected a cubin (ELF machine %d), found an ELF file for machine %d",
                     elf::machineCuda, machine);
  if (!isComplete(image, bytes))
    return makeError(TILEC_ERROR_INVALID_IMAGE,
                     "the cubin is cut off or damaged: parts of it lie outside its %zu bytes",
                     bytes);
  info.isCubin = true;
  // From version 8 of this ABI on, the architecture sits one byte higher.
  auto flags = readAt<uint32_t>(image, elf::flagsOffset);
  info.capability = image[elf::abiVersionOffset] >= 8 ? (flags >> 8) & 0xff : flags & 0xff;
  return nullptr;
}

static tilec_status inspectPtx(const char *text, size_t bytes, ImageInfo &info) {
  PtxReader reader(text, bytes);
  if (!reader.accept(".version"))
    return makeError(TILEC_ERROR_INVALID_IMAGE,
                     "expected a cubin or PTX text, found %zu bytes that start with neither an ELF "
                     "header nor '.version'",
                     bytes);
  if (const void *nul = memchr(text, '\0', bytes))
    return makeError(TILEC_ERROR_INVALID_IMAGE, "the PTX text has a NUL at byte %zu of %zu",
                     size_t(static_cast<const char *>(nul) - text), bytes);
  reader.accept("");
  info.ptxMajor = reader.number();
  info.ptxMinor = reader.accept(".") ? reader.number() : -1;
  if (info.ptxMajor < 0 || info.ptxMinor < 0)
    return makeError(TILEC_ERROR_INVALID_IMAGE,
                     "expected a version as in '.version 8.0' in the PTX");
  if (!reader.accept(".target") || !reader.accept("sm_") || (info.capability = reader.number()) < 0)
    return makeError(TILEC_ERROR_INVALID_IMAGE,
                     "expected a target as in '.target sm_80' after '.version' in the PTX");
  if (reader.peek() == 'a' || reader.peek() == 'f')
    info.suffix = reader.peek();
  constexpr const char *line = "\n\t.loc\t"; // as LLVM prints it
  info.hasLines = memmem(text, bytes, line, strlen(line)) != nullptr;
  return nullptr;
}

tilec_status inspectImage(const void *image, size_t bytes, ImageInfo &info) {
  auto *start = static_cast<const char *>(image);
  if (bytes == 0)
    return makeError(TILEC_ERROR_INVALID_IMAGE, "expected a cubin or PTX text, found nothing");
  if (bytes >= 4 && memcmp(start,
                           "\x7f"
                           "ELF",
                           4) == 0)
    return inspectCubin(start, bytes, info);
  // A NUL that ends the text, and is counted, is no part of it.
  return inspectPtx(start, start[bytes - 1] == '\0' ? bytes - 1 : bytes, info);
}

bool canRunOn(const ImageInfo &info, int major, int minor) {
  int device = 10 * major + minor;
  if (info.isCubin)
    return info.capability / 10 == major && info.capability <= device;
  if (info.suffix == 'a')
    return info.capability == device;
  if (info.suffix == 'f')
    return info.capability / 10 == major && info.capability <= device;
  return info.capability <= device;
}

} // namespace tilec
