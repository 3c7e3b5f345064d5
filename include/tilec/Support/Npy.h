//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Reads and writes .npy files of booleans, integers and floats. Whatever a file holds, reading ends
// in an array or in an error that says what is wrong with it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_SUPPORT_NPY_H
#define TILEC_SUPPORT_NPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// What an element is; the values are NumPy's letters.
enum class NpyKind : char { Bool = 'b', Int = 'i', UInt = 'u', Float = 'f' };

/// What the header of a file says, in C order and little endian.
struct NpyHeader {
  NpyKind kind = NpyKind::Float;
  /// 1 for Bool; 1, 2, 4 or 8 for integers; 2, 4 or 8 for Float.
  unsigned itemBytes = 4;
  std::vector<uint64_t> shape; // Empty: one element without axes.
};

/// An array as a file holds it.
struct NpyArray {
  NpyHeader header;
  std::vector<uint8_t> bytes; // The elements in C order, little endian.
};

/// The product of `shape`, or nothing when it is more than 64 bits hold.
std::optional<uint64_t> countElements(llvm::ArrayRef<uint64_t> shape);

/// Reads a whole file's contents: format versions 1.0 to 3.0. Fortran order and big endian are
/// converted. The number of bytes must be exactly what the header promises.
llvm::Expected<NpyArray> parseNpy(llvm::ArrayRef<uint8_t> file);

/// Reads the file at `path`; the error names it.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// The bytes of a file's header, which the elements follow: version 1.0, or 2.0 for a shape that is
/// too long for it; padded to a multiple of 64.
std::string formatNpyHeader(const NpyHeader &header);

/// Writes the file at `path`, or removes it after an error; `bytes` holds the elements.
llvm::Error writeNpy(llvm::StringRef path, const NpyHeader &header, llvm::ArrayRef<uint8_t> bytes);

} // namespace tilec

#endif // TILEC_SUPPORT_NPY_H
