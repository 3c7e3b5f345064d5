//===- mlp.cpp - A perceptron of Linear-GELU layers in C++ ---------*- C++ -*-===//
//
// Runs `depth` layers gelu(x W^T + bias) of `width` inputs and outputs, in bfloat16, for every
// combination of the values given, and prints a table of times and TFLOP/s. Some rows of each are
// compared with float64.
//
//   example-mlp [--batch=N,..] [--width=N,..] [--depth=N,..] [--steps=N,..]
//               [--device=auto|cuda|cpu]
//
// A step is one pass through all layers; its time is the mean of `steps`. Widths are multiples of
// 16.
//
//===----------------------------------------------------------------------===//

#include "array.h"
#include "embedded_mlp.h"
#include "options.h"

namespace {

using tilec::BFloat16;

/// One line of the table.
struct Shape {
  int batch, width, depth, steps;
  double flops() const { return 2.0 * batch * width * width * depth; }
};

/// What the command line says; empty lists get the place's defaults.
struct Sweep {
  std::vector<int> batch, width, depth, steps;
  std::string device = "auto";
};

struct Layer {
  std::vector<BFloat16> weight, bias;
  Array<BFloat16> weightThere, biasThere;
};

using Network = std::vector<Layer>;

struct Activations {
  std::vector<BFloat16> x;
  Array<BFloat16> in;
  /// Layers write these in turn.
  Array<BFloat16> out[2];
};

double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

/// Weights with which the activations of all layers are about as large as the input.
tilec::Status makeLayer(const Place &place, int width, unsigned seed, Layer &layer) {
  constexpr double meanSquareOfGelu = 0.425; // of normally distributed numbers
  float factor = float(std::sqrt(3 / (meanSquareOfGelu * width)));
  layer.weight = randomBFloat16(size_t(width) * size_t(width), seed);
  for (BFloat16 &weight : layer.weight)
    weight = BFloat16(factor * float(weight));
  layer.bias = randomBFloat16(size_t(width), seed + 1);
  tilec::Status status = makeArray(place, layer.weight, layer.weightThere);
  return status ? makeArray(place, layer.bias, layer.biasThere) : status;
}

tilec::Status makeNetwork(const Place &place, int width, int depth, Network &network) {
  tilec::Status status;
  network.resize(size_t(depth));
  for (size_t i = 0; status && i < network.size(); ++i)
    status = makeLayer(place, width, unsigned(2 + 2 * i), network[i]);
  return status;
}

tilec::Status makeActivations(const Place &place, const Shape &shape, Activations &batch) {
  size_t size = size_t(shape.batch) * size_t(shape.width);
  batch.x = randomBFloat16(size, 1);
  tilec::Status status = makeArray(place, batch.x, batch.in);
  for (Array<BFloat16> &out : batch.out)
    if (status)
      status = makeArray(place, size, out);
  return status;
}

/// The compiled condition chooses the tile. Only the largest, three stages of it, may be more than
/// the shared memory of a GPU.
kernels::linear_gelu_options optionsFor(const Place &place, int rows) {
  constexpr int bytesOfLargest = 3 * (128 + 256) * 64 * sizeof(BFloat16);
  kernels::linear_gelu_options options{place.stream()};
  if (rows > 256 && place.isGpu() && place.device().sharedPerBlockLimit() < bytesOfLargest)
    options.BLOCK_N = 128;
  return options;
}

/// One pass through all layers; where the result is.
tilec::Status step(const Place &place, const Shape &shape, const Network &network,
                   const Activations &batch, const Array<BFloat16> *&result) {
  result = &batch.in;
  for (size_t i = 0; i < network.size(); ++i) {
    const Layer &layer = network[i];
    const Array<BFloat16> &out = batch.out[i % 2];
    tilec::Status status = kernels::linear_gelu(
        optionsFor(place, shape.batch), out.data(), result->data(), layer.weightThere.data(),
        layer.biasThere.data(), shape.batch, shape.width, shape.width);
    if (!status)
      return status;
    result = &out;
  }
  return {};
}

/// Milliseconds of one step: the mean of `steps`, after one that is not counted.
tilec::Expected<float> timeSteps(const Place &place, const Shape &shape, const Network &network,
                                 const Activations &batch) {
  const Array<BFloat16> *result;
  auto run = [&](int steps) {
    tilec::Status status;
    for (int i = 0; status && i < steps; ++i)
      status = step(place, shape, network, batch, result);
    return status && place.isGpu() ? place.device().synchronize() : status;
  };
  if (tilec::Status status = run(1); !status)
    return status;
  auto start = std::chrono::steady_clock::now();
  if (tilec::Status status = run(shape.steps); !status)
    return status;
  std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count() / float(shape.steps);
}

/// One row through all layers, in float64.
std::vector<double> referenceRow(const Network &network, std::vector<double> row) {
  for (const Layer &layer : network) {
    std::vector<double> next = toDouble(layer.bias);
    const BFloat16 *weight = layer.weight.data();
    for (double &sum : next) {
      for (double x : row)
        sum += x * double(float(*weight++));
      sum = gelu(sum);
    }
    row = std::move(next);
  }
  return row;
}

/// The error of some rows, first and last among them: its length over that of the result.
double relativeError(const Shape &shape, const Network &network, const std::vector<BFloat16> &x,
                     const std::vector<BFloat16> &out) {
  constexpr double affordable = 1 << 28;
  size_t rows = size_t(std::min(double(shape.batch), 2 + affordable / shape.flops() * shape.batch));
  size_t width = size_t(shape.width);
  double errors = 0, results = 0;
  for (size_t i = 0; i < rows; ++i) {
    size_t row = rows == 1 ? 0 : size_t(shape.batch - 1) * i / (rows - 1);
    auto first = x.begin() + std::ptrdiff_t(row * width);
    std::vector<double> expected =
        referenceRow(network, toDouble({first, first + std::ptrdiff_t(width)}));
    for (size_t col = 0; col < width; ++col) {
      double error = double(float(out[row * width + col])) - expected[col];
      errors += error * error;
      results += expected[col] * expected[col];
    }
  }
  return largerOf(0, std::sqrt(errors / results));
}

/// Measures and checks one line of the table.
tilec::Status run(const Place &place, const Shape &shape, const Network &network, bool &fine) {
  Activations batch;
  tilec::Status status = makeActivations(place, shape, batch);
  if (!status)
    return status;
  auto time = timeSteps(place, shape, network, batch);
  if (!time)
    return time.error();
  const Array<BFloat16> *result;
  status = step(place, shape, network, batch, result);
  std::vector<BFloat16> out;
  if (status)
    status = result->copyOut(out);
  if (!status)
    return status;

  // Each layer's result is rounded to 8 bits, by 2^-9 at most; roundings of layers add up like
  // steps in random directions, and some layers make an error larger.
  double bound = 0x1.8p-9 * std::sqrt(shape.depth),
         error = relativeError(shape, network, batch.x, out);
  bool isFine = error <= bound;
  fine &= isFine;
  std::printf("%7d %7d %7d %7d %10.3f %10.3f %9.1e%s\n", shape.batch, shape.width, shape.depth,
              shape.steps, double(*time), shape.flops() / (double(*time) * 1e9), error,
              isFine ? "" : "  TOO LARGE");
  return {};
}

/// The values given, or the place's.
std::vector<int> valuesOr(const std::vector<int> &given, const Place &place, std::vector<int> gpu,
                          std::vector<int> cpu) {
  return !given.empty() ? given : place.isGpu() ? std::move(gpu) : std::move(cpu);
}

tilec::Status runAll(const Place &place, const Sweep &sweep, bool &fine) {
  std::printf("layers of gelu(x W^T + bias) on %s\n  batch   width   depth   steps    ms/step    "
              "TFLOP/s     error\n",
              place.name());
  for (int width : valuesOr(sweep.width, place, {2048, 8192}, {256}))
    for (int depth : valuesOr(sweep.depth, place, {8}, {4})) {
      Network network;
      tilec::Status status = makeNetwork(place, width, depth, network);
      for (int batch : valuesOr(sweep.batch, place, {1, 16, 256, 4096}, {1, 16, 256, 300}))
        for (int steps : valuesOr(sweep.steps, place, {20}, {2}))
          if (status)
            status = run(place, {batch, width, depth, steps}, network, fine);
      if (!status)
        return status;
    }
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Sweep sweep;
  Options options("example-mlp");
  options.numbers("batch", sweep.batch, 1, 1 << 16);
  options.numbers("width", sweep.width, 16, 1 << 14);
  options.numbers("depth", sweep.depth, 1, 1 << 10);
  options.numbers("steps", sweep.steps, 1, 1 << 20);
  options.choice("device", sweep.device, {"auto", "cuda", "cpu"});
  if (!options.parse(argc, argv))
    return 2;
  for (int width : sweep.width)
    if (width % 16 != 0) {
      std::fprintf(stderr, "error: --width: %d is no multiple of 16\n", width);
      return 2;
    }
  return runOn(sweep.device,
               [&](const Place &place, bool &fine) { return runAll(place, sweep, fine); });
}
