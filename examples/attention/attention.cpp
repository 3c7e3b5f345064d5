//===- attention.cpp - Attention over whole sequences from C++ -----*- C++ -*-===//
//
// Softmax(Q K^T / sqrt(D)) V in bfloat16, as a model does it for all tokens of its prompts, causal
// or not, with fewer heads of keys and values than of queries if wanted. Compares with float64.
//
//   example-attention [--batch=N] [--length=N] [--heads=N] [--kv-heads=N] [--head-dim=64|128]
//                     [--causal=yes|no] [--device=auto|cuda|cpu]
//
//===----------------------------------------------------------------------===//

#include "array.h"
#include "embedded_attention.h"
#include "options.h"

namespace {

using tilec::BFloat16;

/// What the command line says; a length of 0 is open.
struct Problem {
  int batch = 2, length = 0, heads = 16, kvHeads = 4;
  std::string headDim = "128", causal = "yes", device = "auto";
  bool isCausal() const { return causal == "yes"; }
  int dim() const { return std::stoi(headDim); }
  double scale() const { return 1 / std::sqrt(double(dim())); }
  size_t tokens() const { return size_t(batch) * size_t(length); }
  /// Two products of length x length x dim; under the causal mask, half of each.
  double flops() const {
    return (isCausal() ? 2.0 : 4.0) * batch * heads * double(length) * length * dim();
  }
};

struct Arrays {
  Array<BFloat16> out, q, k, v;
};

/// One query of one head, and where it is.
struct Query {
  size_t batch, row, head;
};

/// What attention gives for one query, in float64.
class Reference {
public:
  Reference(const Problem &given, const std::vector<BFloat16> &q, const std::vector<BFloat16> &k,
            const std::vector<BFloat16> &v)
      : problem(given), dim(size_t(given.dim())), queries(toDouble(q)), keys(toDouble(k)),
        values(toDouble(v)) {}

  /// Where the query's elements are in an array like q.
  size_t offsetOf(const Query &at) const {
    return ((at.batch * size_t(problem.length) + at.row) * size_t(problem.heads) + at.head) * dim;
  }
  std::vector<double> attend(const Query &at) const {
    std::vector<double> weights = weightsOf(at), sums(dim);
    for (size_t key = 0; key < weights.size(); ++key)
      for (size_t d = 0; d < dim; ++d)
        sums[d] += weights[key] * values[keyOffset(at, key) + d];
    return sums;
  }

private:
  size_t keyOffset(const Query &at, size_t key) const {
    size_t kvHeads = size_t(problem.kvHeads), head = at.head / (size_t(problem.heads) / kvHeads);
    return ((at.batch * size_t(problem.length) + key) * kvHeads + head) * dim;
  }
  /// The softmax of the query's scores.
  std::vector<double> weightsOf(const Query &at) const {
    std::vector<double> scores(problem.isCausal() ? at.row + 1 : size_t(problem.length));
    for (size_t key = 0; key < scores.size(); ++key) {
      for (size_t d = 0; d < dim; ++d)
        scores[key] += queries[offsetOf(at) + d] * keys[keyOffset(at, key) + d];
      scores[key] *= problem.scale();
    }
    double top = *std::max_element(scores.begin(), scores.end()), total = 0;
    for (double &score : scores)
      total += score = std::exp(score - top);
    for (double &score : scores)
      score /= total;
    return scores;
  }

  const Problem &problem;
  size_t dim;
  std::vector<double> queries, keys, values;
};

/// The largest error of some queries: the last of each sequence, and others by chance.
double largestError(const Problem &problem, const Reference &reference,
                    const std::vector<BFloat16> &out) {
  std::mt19937 generator(4);
  auto below = [&](int bound) { return size_t(generator() % unsigned(bound)); };
  // So that it does not take long.
  size_t checks = size_t(std::max(64.0, 3e7 / problem.length / problem.dim()));
  double largest = 0;
  for (size_t i = 0; i < checks; ++i) {
    Query query{below(problem.batch), below(problem.length), below(problem.heads)};
    if (i < 16)
      query.row = size_t(problem.length - 1);
    std::vector<double> expected = reference.attend(query);
    for (size_t d = 0; d < expected.size(); ++d) {
      double found = double(float(out[reference.offsetOf(query) + d]));
      largest = largerOf(largest, std::fabs(found - expected[d]));
    }
  }
  return largest;
}

tilec::Expected<float> launch(const Place &place, const Problem &problem, const Arrays &arrays) {
  constexpr int queriesOfProgram = 128;
  kernels::attention_options options{place.stream()};
  options.HEAD_DIM = problem.dim();
  options.CAUSAL = problem.isCausal();
  options.grid = {(problem.length + queriesOfProgram - 1) / queriesOfProgram, problem.heads,
                  problem.batch};
  return timeAt(place, [&] {
    return kernels::attention(options, arrays.out.data(), arrays.q.data(), arrays.k.data(),
                              arrays.v.data(), problem.length, problem.heads, problem.kvHeads,
                              float(problem.scale()));
  });
}

tilec::Status run(const Place &place, Problem problem, bool &fine) {
  if (!problem.length)
    problem.length = place.isGpu() ? 4096 : 256;
  size_t row = size_t(problem.heads) * size_t(problem.dim());
  size_t kvRow = size_t(problem.kvHeads) * size_t(problem.dim());
  // Queries are larger than keys, so that some keys get most of the weight.
  std::vector<BFloat16> q = randomBFloat16(problem.tokens() * row, 1);
  for (BFloat16 &element : q)
    element = BFloat16(8 * float(element));
  const std::vector<BFloat16> k = randomBFloat16(problem.tokens() * kvRow, 2),
                              v = randomBFloat16(problem.tokens() * kvRow, 3);
  Arrays arrays;
  tilec::Status status = makeArray(place, q.size(), arrays.out);
  if (status)
    status = makeArray(place, q, arrays.q);
  if (status)
    status = makeArray(place, k, arrays.k);
  if (status)
    status = makeArray(place, v, arrays.v);
  if (!status)
    return status;
  auto time = launch(place, problem, arrays);
  if (!time)
    return time.error();
  std::vector<BFloat16> out;
  if (status = arrays.out.copyOut(out); !status)
    return status;

  // The values are from -1 to 1; weights and results are rounded to the 8 bits of bfloat16.
  constexpr double bound = 0x1p-7;
  double error = largestError(problem, Reference(problem, q, k, v), out);
  fine = error <= bound;
  std::printf("attention of %d x %d tokens, %d heads of %d, %d of keys, %s, %s: largest error "
              "%.1e, %.2f us, %.2f TFLOP/s%s\n",
              problem.batch, problem.length, problem.heads, problem.dim(), problem.kvHeads,
              problem.isCausal() ? "causal" : "not causal", place.name(), error,
              double(*time) * 1e3, problem.flops() / (double(*time) * 1e9),
              fine ? "" : "  TOO LARGE");
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Problem problem;
  Options options("example-attention");
  options.number("batch", problem.batch, 1, 1 << 12);
  options.number("length", problem.length, 1, 1 << 17);
  options.number("heads", problem.heads, 1, 1 << 10);
  options.number("kv-heads", problem.kvHeads, 1, 1 << 10);
  options.choice("head-dim", problem.headDim, {"64", "128"});
  options.choice("causal", problem.causal, {"yes", "no"});
  options.choice("device", problem.device, {"auto", "cuda", "cpu"});
  if (!options.parse(argc, argv))
    return 2;
  if (problem.heads % problem.kvHeads != 0) {
    std::fprintf(stderr, "error: --heads must be a multiple of --kv-heads\n");
    return 2;
  }
  // The kernel counts the elements of one sequence in 32 bits.
  if (int64_t(problem.length) * problem.heads * problem.dim() > INT32_MAX) {
    std::fprintf(stderr, "error: length * heads * dim must be below 2^31\n");
    return 2;
  }
  return runOn(problem.device,
               [&](const Place &place, bool &fine) { return run(place, problem, fine); });
}
