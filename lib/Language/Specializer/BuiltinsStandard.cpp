//===- BuiltinsStandard.cpp - What triton.language.standard keeps to itself -*- C++ -*-===//
//
// Kernels that sort keys together with indices, or reduce in a way of their own, import names with
// a leading underscore from the language's library: the logarithm of a size, the functions that
// its reductions combine with, which Prelude/combine.py implements, and the steps of its sorting
// networks, in Prelude/networks.py.
//
//===----------------------------------------------------------------------===//

#include "Args.h"
#include "Interpreter.h"
#include "llvm/Support/MathExtras.h"

using namespace tilec;
using namespace tilec::front;

/// _log2(i): for a power of two. Python's loop gives 0 for 0 and below.
static Object log2OfSize(Interpreter &, Args &args) {
  std::optional<int64_t> size = args.integer(0);
  if (!size)
    return Object::poison();
  return Object::integer(*size <= 1 ? 0 : int64_t(llvm::Log2_64(uint64_t(*size))));
}

llvm::ArrayRef<Builtin> front::standardBuiltins() {
  static constexpr Space space = Space::Standard;
  static constexpr Builtin rows[] = {
      {"_log2", "i", log2OfSize, 0, space},
      {"_is_power_of_two", "i", nullptr, 0, space},
      {"_get_int_dtype", "bitwidth, signed", intDtype, 0, space},
      {"_pick_sum_dtype", "in_dtype, dtype", nullptr, 0, space},
      {"_get_flip_dim", "dim, shape", nullptr, 0, space},
      {"_indicator", "n_dims, j", nullptr, 0, space},
      {"_compare_and_swap", "x, flip, i", nullptr, 0, space},
      {"_bitonic_merge_hypercube", "x, stage, order", nullptr, 0, space},
      {"_bitonic_merge", "x, stage, order, n_dims", nullptr, 0, space},
      {"sort_impl", "x, k=None, dim=None, descending=False", nullptr, 0, space},
      {"_sum_combine", "a, b", nullptr, 0, space},
      {"_prod_combine", "a, b", nullptr, 0, space},
      {"_xor_combine", "a, b", nullptr, 0, space},
      {"_or_combine", "x, y", nullptr, 0, space},
      {"_elementwise_max", "a, b", nullptr, 0, space},
      {"_elementwise_min", "a, b", nullptr, 0, space},
      {"_argmax_combine", "value1, index1, value2, index2, tie_break_left", nullptr, 0, space},
      {"_argmax_combine_tie_break_left", "value1, index1, value2, index2", nullptr, 0, space},
      {"_argmax_combine_tie_break_fast", "value1, index1, value2, index2", nullptr, 0, space},
      {"_argmin_combine", "value1, index1, value2, index2, tie_break_left", nullptr, 0, space},
      {"_argmin_combine_tie_break_left", "value1, index1, value2, index2", nullptr, 0, space},
      {"_argmin_combine_tie_break_fast", "value1, index1, value2, index2", nullptr, 0, space},
  };
  return rows;
}
