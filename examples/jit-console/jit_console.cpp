//===- jit_console.cpp - Kernels that the user types in ------------*- C++ -*-===//
//
// Reads a kernel from standard input, compiles it, and runs it on arrays; then reads the next. The
// kernel is a function `kernel(out, x, y, n, BLOCK: tl.constexpr)` of float pointers, as in
// square.py; x is 0, 1, 2, .. and y is 1, 1/2, 1/3, .. . A line `run N` ends it and says how long
// the arrays are:
//
//   (cat square.py; echo run 5) | build/jit-console
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/jit-console [--device=auto|cuda|cpu]
//
// What is wrong with a kernel is printed, and the next one may be typed.
//
//===----------------------------------------------------------------------===//

#include "tilec/jit.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace {

using Kernel = tilec::jit::Kernel<void(float *, const float *, const float *, int)>;

struct Arrays {
  explicit Arrays(int n) : out(size_t(n)), x(size_t(n)), y(size_t(n)) {
    for (int i = 0; i < n; ++i) {
      x[size_t(i)] = float(i);
      y[size_t(i)] = 1 / float(i + 1);
    }
  }
  std::vector<float> out, x, y;
};

/// Launches on a GPU, over copies of the arrays.
tilec::Status runOnGpu(const Kernel &kernel, Arrays &arrays) {
  auto device = tilec::Device::open(0);
  if (!device)
    return device.error();
  size_t bytes = arrays.out.size() * sizeof(float);
  tilec::Buffer buffers[3];
  float *const hosts[] = {arrays.out.data(), arrays.x.data(), arrays.y.data()};
  for (int i = 0; i < 3; ++i) {
    auto buffer = tilec::Buffer::allocate(*device, bytes);
    if (!buffer)
      return buffer.error();
    buffers[i] = std::move(*buffer);
    if (tilec::Status status = buffers[i].copyIn(hosts[i], bytes); !status)
      return status;
  }
  tilec::Status launched = kernel.launch({}, buffers[0].as<float>(), buffers[1].as<float>(),
                                         buffers[2].as<float>(), int(arrays.out.size()));
  return launched ? buffers[0].copyOut(arrays.out.data(), bytes) : launched;
}

/// Compiles and runs one kernel; the result, or what is wrong.
std::string run(const tilec::jit::Compiler &compiler, const std::string &source, int n) {
  auto module = compiler.compileText(source, "stdin");
  if (!module)
    return module.error().message();
  tilec::jit::KernelOptions options{{"BLOCK", 128}};
  options.grid = "cdiv(n, BLOCK)";
  auto kernel = module->kernel<void(float *, const float *, const float *, int)>("kernel", options);
  if (!kernel)
    return kernel.error().message();

  Arrays arrays(n);
  bool isHost = std::string(compiler.target()).compare(0, 3, "CPU") == 0;
  tilec::Status status =
      isHost ? kernel->launch({}, arrays.out.data(), arrays.x.data(), arrays.y.data(), n)
             : runOnGpu(*kernel, arrays);
  if (!status)
    return status.message();
  std::string text = "out =";
  for (size_t i = 0; i < arrays.out.size() && i < 8; ++i) {
    char number[32];
    std::snprintf(number, sizeof(number), " %g", double(arrays.out[i]));
    text += number;
  }
  return text + (n > 8 ? " .." : "");
}

/// Whether the line is `run N`, and N.
bool isRun(const std::string &line, int &n) {
  if (line.compare(0, 4, "run ") != 0)
    return false;
  char *end;
  long value = std::strtol(line.c_str() + 4, &end, 10);
  n = !*end && value > 0 && value <= 1 << 26 ? int(value) : 0;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::string device = argc < 2 ? "--device=auto" : argv[1];
  tilec::jit::Options options;
  if (device == "--device=cuda")
    options.target = TILEC_JIT_CUDA;
  else if (device == "--device=cpu")
    options.target = TILEC_JIT_CPU;
  else if (device != "--device=auto" || argc > 2)
    return std::fprintf(stderr, "usage: %s [--device=auto|cuda|cpu]\n", argv[0]), 2;
  auto compiler = tilec::jit::Compiler::create(options);
  if (!compiler)
    return std::fprintf(stderr, "error: %s\n", compiler.error().message()), 1;
  std::fprintf(stderr, "on %s; a kernel, then a line 'run N'\n", compiler->target());

  std::string source;
  for (std::string line; std::getline(std::cin, line);) {
    int n;
    if (!isRun(line, n)) {
      source += line + "\n";
      continue;
    }
    std::string result = n ? run(*compiler, source, n) : "N is a number from 1 to 2^26";
    std::printf("%s\n", result.c_str());
    std::fflush(stdout);
    if (n)
      source.clear();
  }
  if (source.find_first_not_of(" \n") == std::string::npos)
    return 0;
  std::fprintf(stderr, "error: the last kernel has no line 'run N'\n");
  return 1;
}
