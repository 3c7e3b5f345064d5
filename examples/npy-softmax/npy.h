//===- npy.h - Arrays in NumPy's files ----------------------------*- C++ -*-===//
//
// Reads and writes .npy files: little-endian, in C order, of the types that a caller understands.
//
//===----------------------------------------------------------------------===//

#ifndef NPY_H
#define NPY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct NpyArray {
  /// As NumPy spells it: "<f4" is float32.
  std::string type;
  std::vector<int64_t> shape;
  /// The elements in C order; aligned for any of them.
  std::vector<char> bytes;
};

/// Reads `path` into `array`. Returns why that is not possible, or an empty text. Types other than
/// numbers and booleans of up to 8 bytes, other byte orders and Fortran order are errors.
std::string readNpy(const std::string &path, NpyArray &array);

/// Writes `array` to `path`; returns why that failed, or an empty text.
std::string writeNpy(const std::string &path, const NpyArray &array);

#endif // NPY_H
