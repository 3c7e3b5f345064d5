//===- BuiltinsInductor.cpp - Helpers of kernels by torch.compile -*- C++ -*-===//
//
// The rows of torch._inductor.runtime.triton_helpers, which Prelude/inductor.py implements. Kernels
// that torch.compile has written need them, and stand on their own with them.
//
//===----------------------------------------------------------------------===//

#include "Args.h"
#include "Builtins.h"

using namespace tilec;
using namespace tilec::front;

/// if_mask(mask, val): what a load may take for `other`, which needs a mask.
static Object ifMask(Interpreter &, Args &args) {
  return args[0].isNone() ? Object::none() : args[1];
}

llvm::ArrayRef<Builtin> front::inductorBuiltins() {
  static constexpr Builtin rows[] = {
      {"promote_to_tensor", "x", nullptr, 0, Space::Inductor},
      {"is_floating", "x", nullptr, 0, Space::Inductor},
      {"div_floor_integer", "a, b", nullptr, 0, Space::Inductor},
      {"remainder_integer", "a, b", nullptr, 0, Space::Inductor},
      {"minimum", "a, b", nullptr, 0, Space::Inductor},
      {"maximum", "a, b", nullptr, 0, Space::Inductor},
      {"min2", "a, dim", nullptr, 0, Space::Inductor},
      {"max2", "a, dim", nullptr, 0, Space::Inductor},
      {"exp", "x, use_fast_math", nullptr, 0, Space::Inductor},
      {"online_softmax_combine", "lhs_max, lhs_sum, rhs_max, use_fast_math", nullptr, 0,
       Space::Inductor},
      {"online_softmax_reduce", "lhs_max, lhs_sum, dim, use_fast_math", nullptr, 0,
       Space::Inductor},
      {"prod", "input, axis", nullptr, 0, Space::Inductor},
      {"any", "a, dim", nullptr, 0, Space::Inductor},
      {"minimum_with_index", "a_value, a_index, b_value, b_index", nullptr, 0, Space::Inductor},
      {"maximum_with_index", "a_value, a_index, b_value, b_index", nullptr, 0, Space::Inductor},
      {"min_with_index", "value, index, dim", nullptr, 0, Space::Inductor},
      {"max_with_index", "value, index, dim", nullptr, 0, Space::Inductor},
      {"welford_combine", "mean_1, m2_1, weight_1, mean_2, m2_2, weight_2", nullptr, 0,
       Space::Inductor},
      {"welford_reduce", "value, mean, m2, weight, first_iteration", nullptr, 0, Space::Inductor},
      {"welford", "mean, m2, weight, dim", nullptr, 0, Space::Inductor},
      {"if_mask", "mask, val", ifMask, 0, Space::Inductor},
      {"x_grid_barrier", "sem", nullptr, 0, Space::Inductor},
      {"device_assert_then", "cond, msg, r", nullptr, 0, Space::Inductor},
      {"randint64", "seed, offset, low, high", nullptr, 0, Space::Inductor},
      {"frexp", "x", nullptr, 0, Space::Inductor},
      {"select_one", "x, mask, dim, keep_dims=False", nullptr, 0, Space::Inductor},
      {"bucketize_binary_search",
       "values, boundaries_ptr, BOUNDARIES_SIZE, BOUNDARIES_UNDERLYING_NUMEL, BOUNDARIES_STRIDE, "
       "boundary_indices, indexing_dtype, right, sorter_ptr, SORTER_STRIDE, sorter_indices",
       nullptr, 0, Space::Inductor},
      {"sort_with_index", "x, idxs, rnumel, dim=None, stable=False, descending=False", nullptr, 0,
       Space::Inductor},
      {"pack_value_flag", "value, flag, DTYPE_VALUE_AS_UINT, DTYPE_PACK", nullptr, 0,
       Space::Inductor},
      {"unpack_value", "pack, DTYPE_VALUE, DTYPE_VALUE_AS_UINT", nullptr, 0, Space::Inductor},
      {"unpack_flag", "pack, DTYPE_FLAG", nullptr, 0, Space::Inductor},
      {"exclusive_scan_decoupled_lookback",
       "scratch_base, block_value, index, combine_fn, DTYPE_VALUE_AS_UINT, DTYPE_PACK", nullptr, 0,
       Space::Inductor},
      {"exclusive_scan_decoupled_lookback_64", "scratch_base, block_value, index, combine_fn",
       nullptr, 0, Space::Inductor},
  };
  return rows;
}
