//===- ops.cpp - Operators of torch with kernels that tilec compiled ----------------===//
//
// torch.ops.load_library("libtorch_ops.so") adds
//
//   torch.ops.tilec_examples.rms_norm(x, weight, eps=1e-6)
//   torch.ops.tilec_examples.gelu(x)                              in its tanh form
//   torch.ops.tilec_examples.attention(q, k, v, is_causal=False, scale=None)
//
// for float32, float16 and bfloat16 on the CPU and on CUDA, with gradients, in eager mode, under
// torch.compile and in CUDA graphs. Each is made of an operator that computes the result and what
// its gradients need, and one for the gradients. Those two have a function that computes and one
// that only tells sizes (Meta): it is all that torch.compile needs to keep them as they are. The
// first operator only ties the two together for autograd.
//
//===-------------------------------------------------------------------------------===//

#include "attention_exact_kernels.h"
#include "attention_gradient_kernels.h"
#include "attention_kernels.h"
#include "row_kernels.h"

#include "tilec/torch.h"

#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace {

using at::Tensor;
using tilec::TorchArguments;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;

constexpr auto packed = tilec::TensorLayout::Contiguous;

//===-- What operators share --------------------------------------------------------===//

/// The elements of `tensor` as kernels want them: without gaps, from a multiple of 16 bytes on.
Tensor pack(const Tensor &tensor) {
  Tensor packed = tensor.contiguous();
  bool isAligned = reinterpret_cast<uintptr_t>(packed.const_data_ptr()) % 16 == 0;
  return isAligned ? packed : packed.clone();
}

/// A new tensor like `tensor`, without gaps.
Tensor makeLike(const Tensor &tensor) {
  return at::empty_like(tensor, at::MemoryFormat::Contiguous);
}

/// A new tensor of float32 for a number of each row of `tensor`.
Tensor makeRowNumbers(const Tensor &tensor) {
  c10::SymIntArrayRef sizes = tensor.sym_sizes();
  return tensor.new_empty_symint(sizes.slice(0, sizes.size() - 1),
                                 tensor.options().dtype(at::kFloat));
}

/// Calls `call` with a zero of the type of the elements, and checks the launch that it returns.
template <typename... Elements, typename Call>
void launch(TorchArguments &arguments, const char *name, const Tensor &tensor, Call call) {
  arguments.withElement<Elements...>(name, tensor,
                                     [&](auto zero) { tilec::checkTorch(call(zero)); });
}

/// The operator of this name in the namespace of this library.
template <typename Function> auto findOperator(const char *name, Function *) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").template typed<Function>();
}

//===-- RMS norm --------------------------------------------------------------------===//

void checkNorm(const Tensor &x, const Tensor &weight) {
  TORCH_CHECK(x.dim() >= 1 && weight.dim() == 1 && weight.sym_size(0) == x.sym_size(-1),
              "rms_norm: weight must have one element for each of a row of x, found sizes ",
              weight.sym_sizes(), " for x of sizes ", x.sym_sizes());
  TORCH_CHECK(weight.scalar_type() == x.scalar_type(), "rms_norm: weight has elements of ",
              weight.scalar_type(), ", x of ", x.scalar_type());
}

int64_t countRows(const Tensor &x) { return x.numel() == 0 ? 0 : x.numel() / x.size(-1); }

Pair rmsNormForward(const Tensor &xGiven, const Tensor &weightGiven, double eps) {
  checkNorm(xGiven, weightGiven);
  Tensor x = pack(xGiven), weight = pack(weightGiven);
  Tensor out = makeLike(x), scales = makeRowNumbers(x);
  TorchArguments arguments;
  launch<float, tilec::half, tilec::bfloat16>(arguments, "x", x, [&](auto zero) {
    using T = decltype(zero);
    auto *to = arguments.pointer<T>("out", out);
    auto *scalesTo = arguments.pointer<float>("scales", scales);
    auto *from = arguments.pointer<const T>("x", x);
    auto *gain = arguments.pointer<const T>("weight", weight);
    auto n = arguments.size("x", x, -1);
    return kernels::rms_norm_forward({arguments.stream(), countRows(x)}, to, scalesTo, from, gain,
                                     n, float(eps));
  });
  return {out, scales};
}

Pair rmsNormForwardMeta(const Tensor &x, const Tensor &weight, double) {
  checkNorm(x, weight);
  return {makeLike(x), makeRowNumbers(x)};
}

Pair rmsNormBackward(const Tensor &doutGiven, const Tensor &xGiven, const Tensor &weightGiven,
                     const Tensor &scalesGiven) {
  Tensor dout = pack(doutGiven), x = pack(xGiven), weight = pack(weightGiven);
  Tensor scales = pack(scalesGiven), dx = makeLike(x);
  // Enough programs to fill a large GPU twice; each leaves one row of sums.
  int64_t programs = std::min<int64_t>(countRows(x), 264);
  Tensor parts = weight.new_empty({programs, weight.size(0)}, weight.options().dtype(at::kFloat));
  TorchArguments arguments;
  launch<float, tilec::half, tilec::bfloat16>(arguments, "x", x, [&](auto zero) {
    using T = decltype(zero);
    auto *to = arguments.pointer<T>("dx", dx);
    auto *partsTo = arguments.pointer<float>("dweight", parts);
    auto *upstream = arguments.pointer<const T>("dout", dout);
    auto *from = arguments.pointer<const T>("x", x);
    auto *gain = arguments.pointer<const T>("weight", weight);
    auto *scalesFrom = arguments.pointer<const float>("scales", scales);
    auto n = arguments.size("x", x, -1);
    TORCH_CHECK(countRows(x) <= INT32_MAX, "rms_norm: x has more than 2^31 - 1 rows");
    return kernels::rms_norm_backward({arguments.stream(), programs}, to, partsTo, upstream, from,
                                      gain, scalesFrom, int(countRows(x)), n);
  });
  return {dx, parts.sum(0).to(weight.scalar_type())};
}

Pair rmsNormBackwardMeta(const Tensor &, const Tensor &x, const Tensor &weight, const Tensor &) {
  return {makeLike(x), makeLike(weight)};
}

Pair callNormForward(const Tensor &x, const Tensor &weight, double eps) {
  static auto op = findOperator("tilec_examples::rms_norm_forward", rmsNormForward);
  return op.call(x, weight, eps);
}

struct RmsNorm : torch::autograd::Function<RmsNorm> {
  static Tensor forward(AutogradContext *context, const Tensor &x, const Tensor &weight,
                        double eps) {
    at::AutoDispatchBelowADInplaceOrView below;
    auto [out, scales] = callNormForward(x, weight, eps);
    context->save_for_backward({x, weight, scales});
    return out;
  }
  static variable_list backward(AutogradContext *context, variable_list grads) {
    static auto op = findOperator("tilec_examples::rms_norm_backward", rmsNormBackward);
    variable_list saved = context->get_saved_variables();
    auto [dx, dweight] = op.call(grads[0], saved[0], saved[1], saved[2]);
    return {dx, dweight, Tensor()};
  }
};

Tensor rmsNorm(const Tensor &x, const Tensor &weight, double eps) {
  return std::get<0>(callNormForward(x, weight, eps));
}

Tensor rmsNormAutograd(const Tensor &x, const Tensor &weight, double eps) {
  return RmsNorm::apply(x, weight, eps);
}

//===-- GELU ------------------------------------------------------------------------===//

Tensor geluForward(const Tensor &given) {
  Tensor x = pack(given), out = makeLike(x);
  TorchArguments arguments;
  launch<float, tilec::half, tilec::bfloat16>(arguments, "x", x, [&](auto zero) {
    using T = decltype(zero);
    auto *to = arguments.pointer<T>("out", out);
    auto *from = arguments.pointer<const T>("x", x);
    auto n = arguments.elements("x", x);
    return kernels::gelu_forward({arguments.stream()}, to, from, n);
  });
  return out;
}

Tensor geluBackward(const Tensor &doutGiven, const Tensor &xGiven) {
  Tensor dout = pack(doutGiven), x = pack(xGiven), dx = makeLike(x);
  TorchArguments arguments;
  launch<float, tilec::half, tilec::bfloat16>(arguments, "x", x, [&](auto zero) {
    using T = decltype(zero);
    auto *to = arguments.pointer<T>("dx", dx);
    auto *upstream = arguments.pointer<const T>("dout", dout);
    auto *from = arguments.pointer<const T>("x", x);
    auto n = arguments.elements("x", x);
    return kernels::gelu_backward({arguments.stream()}, to, upstream, from, n);
  });
  return dx;
}

Tensor geluForwardMeta(const Tensor &x) { return makeLike(x); }
Tensor geluBackwardMeta(const Tensor &, const Tensor &x) { return makeLike(x); }

Tensor callGeluForward(const Tensor &x) {
  static auto op = findOperator("tilec_examples::gelu_forward", geluForward);
  return op.call(x);
}

struct Gelu : torch::autograd::Function<Gelu> {
  static Tensor forward(AutogradContext *context, const Tensor &x) {
    at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({x});
    return callGeluForward(x);
  }
  static variable_list backward(AutogradContext *context, variable_list grads) {
    static auto op = findOperator("tilec_examples::gelu_backward", geluBackward);
    return {op.call(grads[0], context->get_saved_variables()[0])};
  }
};

Tensor geluAutograd(const Tensor &x) { return Gelu::apply(x); }

//===-- Attention -------------------------------------------------------------------===//

void checkAttention(const Tensor &q, const Tensor &k, const Tensor &v) {
  TORCH_CHECK(q.dim() == 4, "attention: q, k and v must be [batch, heads, length, dim], found ",
              q.sym_sizes());
  TORCH_CHECK(q.sym_sizes() == k.sym_sizes() && q.sym_sizes() == v.sym_sizes(),
              "attention: q, k and v must have the same sizes, found ", q.sym_sizes(), ", ",
              k.sym_sizes(), " and ", v.sym_sizes());
}

/// The kernels of one namespace, with the rows that a program of theirs takes.
#define ATTENTION_KERNELS(NAME, NAMESPACE, FORWARD_ROWS, BACKWARD_ROWS)                            \
  struct NAME {                                                                                    \
    static constexpr int64_t forwardRows = FORWARD_ROWS, backwardRows = BACKWARD_ROWS;             \
    using ForwardOptions = NAMESPACE::attention_forward_options;                                   \
    using DeltasOptions = NAMESPACE::attention_deltas_options;                                     \
    using KeysOptions = NAMESPACE::attention_dkeys_options;                                        \
    using QueriesOptions = NAMESPACE::attention_dqueries_options;                                  \
    template <typename... Arguments> static tilec::Status forward(const Arguments &...arguments) { \
      return NAMESPACE::attention_forward(arguments...);                                           \
    }                                                                                              \
    template <typename... Arguments> static tilec::Status deltas(const Arguments &...arguments) {  \
      return NAMESPACE::attention_deltas(arguments...);                                            \
    }                                                                                              \
    template <typename... Arguments> static tilec::Status dkeys(const Arguments &...arguments) {   \
      return NAMESPACE::attention_dkeys(arguments...);                                             \
    }                                                                                              \
    template <typename... Arguments>                                                               \
    static tilec::Status dqueries(const Arguments &...arguments) {                                 \
      return NAMESPACE::attention_dqueries(arguments...);                                          \
    }                                                                                              \
  }
ATTENTION_KERNELS(ExactKernels, exact, 16, 16);
ATTENTION_KERNELS(HalfKernels, kernels, 128, 64);
#undef ATTENTION_KERNELS
template <typename T>
using KernelsFor = std::conditional_t<std::is_same_v<T, float>, ExactKernels, HalfKernels>;

/// Options for a launch whose programs take `rows` rows each, of all heads.
template <typename Options>
Options makeOptions(TorchArguments &arguments, const Tensor &q, bool isCausal, int64_t rows) {
  Options options{arguments.stream(),
                  tilec::Grid((q.size(2) + rows - 1) / rows, q.size(0) * q.size(1))};
  options.HEAD_DIM = q.size(3);
  options.CAUSAL = isCausal;
  return options;
}

Pair attentionForward(const Tensor &qGiven, const Tensor &kGiven, const Tensor &vGiven,
                      bool isCausal, double scale) {
  checkAttention(qGiven, kGiven, vGiven);
  Tensor q = pack(qGiven), k = pack(kGiven), v = pack(vGiven);
  Tensor out = makeLike(q), logs = makeRowNumbers(q);
  TorchArguments arguments;
  launch<float, tilec::half, tilec::bfloat16>(arguments, "q", q, [&](auto zero) {
    using T = decltype(zero);
    using Kernels = KernelsFor<T>;
    auto *to = arguments.pointer<T>("out", out, packed, 16);
    auto *logsTo = arguments.pointer<float>("logs", logs);
    auto *queries = arguments.pointer<const T>("q", q, packed, 16);
    auto *keys = arguments.pointer<const T>("k", k, packed, 16);
    auto *values = arguments.pointer<const T>("v", v, packed, 16);
    auto length = arguments.size("q", q, 2);
    auto options =
        makeOptions<typename Kernels::ForwardOptions>(arguments, q, isCausal, Kernels::forwardRows);
    return Kernels::forward(options, to, logsTo, queries, keys, values, length, float(scale));
  });
  return {out, logs};
}

Pair attentionForwardMeta(const Tensor &q, const Tensor &k, const Tensor &v, bool, double) {
  checkAttention(q, k, v);
  return {makeLike(q), makeRowNumbers(q)};
}

Triple attentionBackward(const Tensor &doutGiven, const Tensor &qGiven, const Tensor &kGiven,
                         const Tensor &vGiven, const Tensor &outGiven, const Tensor &logsGiven,
                         bool isCausal, double scale) {
  checkAttention(qGiven, kGiven, vGiven);
  Tensor q = pack(qGiven), k = pack(kGiven), v = pack(vGiven), dout = pack(doutGiven);
  Tensor out = pack(outGiven), logs = pack(logsGiven), deltas = makeLike(logs);
  Tensor dq = makeLike(q), dk = makeLike(q), dv = makeLike(q);
  TorchArguments arguments;
  launch<float, tilec::half, tilec::bfloat16>(arguments, "q", q, [&](auto zero) {
    using T = decltype(zero);
    using Kernels = KernelsFor<T>;
    auto *queries = arguments.pointer<const T>("q", q, packed, 16);
    auto *keys = arguments.pointer<const T>("k", k, packed, 16);
    auto *values = arguments.pointer<const T>("v", v, packed, 16);
    auto *upstream = arguments.pointer<const T>("dout", dout, packed, 16);
    auto *result = arguments.pointer<const T>("out", out, packed, 16);
    auto *logsFrom = arguments.pointer<const float>("logs", logs);
    auto *sums = arguments.pointer<float>("deltas", deltas);
    auto *dqueries = arguments.pointer<T>("dq", dq, packed, 16);
    auto *dkeys = arguments.pointer<T>("dk", dk, packed, 16);
    auto *dvalues = arguments.pointer<T>("dv", dv, packed, 16);
    auto length = arguments.size("q", q, 2);
    auto count = arguments.elements("logs", logs);
    typename Kernels::DeltasOptions first{arguments.stream()};
    first.HEAD_DIM = q.size(3);
    tilec::checkTorch(Kernels::deltas(first, sums, result, upstream, count));
    auto second =
        makeOptions<typename Kernels::KeysOptions>(arguments, q, isCausal, Kernels::backwardRows);
    tilec::checkTorch(Kernels::dkeys(second, dkeys, dvalues, queries, keys, values, upstream,
                                     logsFrom, sums, length, float(scale)));
    auto third = makeOptions<typename Kernels::QueriesOptions>(arguments, q, isCausal,
                                                               Kernels::backwardRows);
    return Kernels::dqueries(third, dqueries, queries, keys, values, upstream, logsFrom, sums,
                             length, float(scale));
  });
  return {dq, dk, dv};
}

Triple attentionBackwardMeta(const Tensor &, const Tensor &q, const Tensor &, const Tensor &,
                             const Tensor &, const Tensor &, bool, double) {
  return {makeLike(q), makeLike(q), makeLike(q)};
}

Pair callAttentionForward(const Tensor &q, const Tensor &k, const Tensor &v, bool isCausal,
                          double scale) {
  static auto op = findOperator("tilec_examples::attention_forward", attentionForward);
  return op.call(q, k, v, isCausal, scale);
}

double getScale(const Tensor &q, std::optional<double> scale) {
  TORCH_CHECK(q.dim() == 4, "attention: q must be [batch, heads, length, dim], found ",
              q.sym_sizes());
  return scale ? *scale : 1 / std::sqrt(double(q.size(3)));
}

struct Attention : torch::autograd::Function<Attention> {
  static Tensor forward(AutogradContext *context, const Tensor &q, const Tensor &k, const Tensor &v,
                        bool isCausal, double scale) {
    at::AutoDispatchBelowADInplaceOrView below;
    auto [out, logs] = callAttentionForward(q, k, v, isCausal, scale);
    context->save_for_backward({q, k, v, out, logs});
    context->saved_data["is_causal"] = isCausal;
    context->saved_data["scale"] = scale;
    return out;
  }
  static variable_list backward(AutogradContext *context, variable_list grads) {
    static auto op = findOperator("tilec_examples::attention_backward", attentionBackward);
    variable_list saved = context->get_saved_variables();
    auto [dq, dk, dv] =
        op.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4],
                context->saved_data["is_causal"].toBool(), context->saved_data["scale"].toDouble());
    return {dq, dk, dv, Tensor(), Tensor()};
  }
};

Tensor attention(const Tensor &q, const Tensor &k, const Tensor &v, bool isCausal,
                 std::optional<double> scale) {
  return std::get<0>(callAttentionForward(q, k, v, isCausal, getScale(q, scale)));
}

Tensor attentionAutograd(const Tensor &q, const Tensor &k, const Tensor &v, bool isCausal,
                         std::optional<double> scale) {
  return Attention::apply(q, k, v, isCausal, getScale(q, scale));
}

//===-- Registration ----------------------------------------------------------------===//

/// The functions for memory of a CPU and of a CUDA GPU are the same.
void addKernels(torch::Library &library) {
  library.impl("rms_norm_forward", rmsNormForward);
  library.impl("rms_norm_backward", rmsNormBackward);
  library.impl("gelu_forward", geluForward);
  library.impl("gelu_backward", geluBackward);
  library.impl("attention_forward", attentionForward);
  library.impl("attention_backward", attentionBackward);
}

} // namespace

TORCH_LIBRARY(tilec_examples, library) {
  library.def("rms_norm(Tensor x, Tensor weight, float eps=1e-6) -> Tensor");
  library.def("rms_norm_forward(Tensor x, Tensor weight, float eps) -> (Tensor, Tensor)");
  library.def(
      "rms_norm_backward(Tensor dout, Tensor x, Tensor weight, Tensor scales) -> (Tensor, Tensor)");
  library.def("gelu(Tensor x) -> Tensor");
  library.def("gelu_forward(Tensor x) -> Tensor");
  library.def("gelu_backward(Tensor dout, Tensor x) -> Tensor");
  library.def("attention(Tensor q, Tensor k, Tensor v, bool is_causal=False, float? scale=None) "
              "-> Tensor");
  library.def("attention_forward(Tensor q, Tensor k, Tensor v, bool is_causal, float scale) "
              "-> (Tensor, Tensor)");
  library.def("attention_backward(Tensor dout, Tensor q, Tensor k, Tensor v, Tensor out, "
              "Tensor logs, bool is_causal, float scale) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(tilec_examples, CPU, library) { addKernels(library); }
TORCH_LIBRARY_IMPL(tilec_examples, CUDA, library) { addKernels(library); }

TORCH_LIBRARY_IMPL(tilec_examples, Meta, library) {
  library.impl("rms_norm_forward", rmsNormForwardMeta);
  library.impl("rms_norm_backward", rmsNormBackwardMeta);
  library.impl("gelu_forward", geluForwardMeta);
  library.impl("gelu_backward", geluBackwardMeta);
  library.impl("attention_forward", attentionForwardMeta);
  library.impl("attention_backward", attentionBackwardMeta);
}

// Without autograd (torch.inference_mode) only the first result counts.
TORCH_LIBRARY_IMPL(tilec_examples, CompositeExplicitAutograd, library) {
  library.impl("rms_norm", rmsNorm);
  library.impl("gelu", callGeluForward);
  library.impl("attention", attention);
}

TORCH_LIBRARY_IMPL(tilec_examples, Autograd, library) {
  library.impl("rms_norm", rmsNormAutograd);
  library.impl("gelu", geluAutograd);
  library.impl("attention", attentionAutograd);
  // Gradients of gradients are an error, not zero.
  for (const char *name : {"rms_norm_forward", "rms_norm_backward", "gelu_forward", "gelu_backward",
                           "attention_forward", "attention_backward"})
    library.impl(name, torch::autograd::autogradNotImplementedFallback());
}
