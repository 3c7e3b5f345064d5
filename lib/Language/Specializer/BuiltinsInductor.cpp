//===- BuiltinsInductor.cpp - Helpers of kernels by torch.compile -*- C++ -*-===//
//
// The rows of torch._inductor.runtime.triton_helpers, which Prelude/inductor.py implements. Kernels
// that torch.compile has written need them, and stand on their own with them.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"

using namespace tilec;
using namespace tilec::front;

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
      {"device_assert_then", "cond, msg, r", nullptr, 0, Space::Inductor},
      {"randint64", "seed, offset, low, high", nullptr, 0, Space::Inductor},
  };
  return rows;
}
