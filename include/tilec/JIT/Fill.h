//===- Fill.h - Contents for arrays -----------------------------*- C++ -*-===//
//
// Reproducible inputs: element i depends on the seed and on i only, so the same numbers come out on
// every machine and for every shape.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_FILL_H
#define TILEC_JIT_FILL_H

#include "tilec/JIT/HostArray.h"
#include "tilec/Support/Npy.h"

namespace tilec {

/// Normally distributed numbers; for integer types they are rounded towards zero and clamped.
void fillNormal(HostArray &array, uint64_t seed, double mean = 0, double deviation = 1);
/// Numbers from `low` up to, and without, `high`, evenly distributed; clamped for integer types.
void fillUniform(HostArray &array, uint64_t seed, double low = 0, double high = 1);
/// `start`, `start + step`, ...; integer types keep the low bits, and count exactly when both are
/// whole.
void fillRange(HostArray &array, double start = 0, double step = 1);
/// `value` everywhere; clamped for integer types.
void fillValue(HostArray &array, double value);
/// `values` in order; there must be as many as elements. Clamped for integer types.
void fillValues(HostArray &array, llvm::ArrayRef<double> values);

/// An array with the elements of `file`. Without `type` the file's own; otherwise the numbers are
/// converted, but 16-bit (and 8-bit) unsigned integers become the bits of bf16, fp16 (and fp8)
/// elements, since NumPy has no such types.
llvm::Expected<HostArray> arrayFromNpy(const NpyArray &file, std::optional<ScalarKind> type,
                                       uint64_t offset = 0);

/// Writes an array as a file; bf16 and fp8 elements are written as float32, which holds them
/// exactly.
llvm::Error saveNpy(const HostArray &array, llvm::StringRef path);

} // namespace tilec

#endif // TILEC_JIT_FILL_H
