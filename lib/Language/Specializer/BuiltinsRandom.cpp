//===- BuiltinsRandom.cpp - Random numbers ----------------------*- C++ -*-===//
//
// The rows of the counter-based generators, which Prelude/random.py implements.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"

using namespace tilec;
using namespace tilec::front;

llvm::ArrayRef<Builtin> front::randomBuiltins() {
  static constexpr Builtin rows[] = {
      {"philox_impl", "c0, c1, c2, c3, k0, k1, n_rounds=10"},
      {"philox", "seed, c0, c1, c2, c3, n_rounds=10"},
      {"randint4x", "seed, offset, n_rounds=10"},
      {"randint", "seed, offset, n_rounds=10"},
      {"rand", "seed, offset, n_rounds=10"},
      {"rand4x", "seed, offset, n_rounds=10"},
      {"randn", "seed, offset, n_rounds=10"},
      {"randn4x", "seed, offset, n_rounds=10"},
      {"uint_to_uniform_float", "x"},
      {"pair_uniform_to_normal", "u1, u2"},
  };
  return rows;
}
