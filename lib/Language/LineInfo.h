//===- LineInfo.h - Lines and columns of a text buffer ----------*- C++ -*-===//
//
// Python ends a line at LF, CR LF or CR, and a byte order mark is no part of the first line;
// llvm::SourceMgr knows neither, so positions are computed here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_LINEINFO_H
#define TILEC_LIB_LANGUAGE_LINEINFO_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec {

/// A position; both count from 1, the column in bytes.
struct LineColumn {
  unsigned line = 1;
  unsigned column = 1;
};

/// The text with a leading UTF-8 byte order mark removed.
llvm::StringRef withoutBOM(llvm::StringRef text);

/// The position of `at`, which points into `text` or to its end. Linear in the distance from the
/// start, or from `knownAt` (at or before `at`) if its position `known` is given.
LineColumn lineAndColumn(llvm::StringRef text, const char *at, LineColumn known = {},
                         const char *knownAt = nullptr);

/// The text of line number `line` without its line end, or nothing if there is no such line.
std::optional<llvm::StringRef> lineText(llvm::StringRef text, unsigned line);

/// The line that contains `at`, without its line end.
llvm::StringRef lineAround(llvm::StringRef text, const char *at);

/// The end of the line that `at` is on: a pointer to its line end, or `end`.
const char *endOfLine(const char *at, const char *end);

/// `at` points to a line end or to `end`; the start of the next line.
const char *skipLineEnd(const char *at, const char *end);

} // namespace tilec

#endif // TILEC_LIB_LANGUAGE_LINEINFO_H
