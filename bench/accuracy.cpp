//===- accuracy.cpp - how far functions of float32 are from the truth ----===//
//
// Runs each function over the bit patterns of float32, on the GPU over all of them in a fraction of
// a second. No host could say what is right for so many: the same kernel computes the function in
// float64, compares, and keeps the largest error and its argument. The host checks that judge, at
// the worst argument and at a sample, with its library's 80-bit functions.
//
//   accuracy [--target=cpu|cuda] [--stride=N] [--only=NAME] ..
//
// prints a table in Markdown. The exit status is 1 if an error is above the bound that docs/math.md
// states or the judge is wrong, 2 if something failed.
//
//===-------------------------------------------------------------------------------===//

#include "accuracy_functions.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/JIT/Arguments.h"
#include "tilec/JIT/Machine.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tilec;

namespace {

constexpr int64_t block = 512;
constexpr uint64_t sampleSize = 4096;

/// Functions of x in the places of FLOAT32 and FLOAT64. With `given`, the arguments are those in
/// the array `x_ptr`, and both results are stored.
const char *const kernelText = R"(
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def narrow(x):
    return FLOAT32


@triton.jit
def wide(x):
    return FLOAT64


@triton.jit
def ulps(found, exact):
    # The distance in units of the last place of a float32 that is as large as the exact result.
    exponent = tl.maximum(((exact.to(tl.int64, bitcast=True) >> 52) & 2047) - 1023, -126)
    scale = ((1046 - exponent) << 52).to(tl.float64, bitcast=True)
    error = (tl.abs(found.to(tl.float64) - exact) * scale).to(tl.float32)
    # Infinite where it should be.
    error = tl.where((tl.abs(found) == float("inf")) & (found == exact.to(tl.float32)), 0.0, error)
    found_nan = found != found
    exact_nan = exact != exact
    error = tl.where(found_nan | exact_nan, tl.where(found_nan & exact_nan, 0.0, float("inf")), error)
    # A zero of the wrong sign.
    signs = (found.to(tl.int32, bitcast=True) < 0) != (exact.to(tl.int64, bitcast=True) < 0)
    error = tl.where((found == 0.0) & (exact == 0.0) & signs, float("inf"), error)
    return tl.where(error != error, float("inf"), error)


@triton.jit
def kernel(worst, above_one, x_ptr, found_ptr, exact_ptr, stride, count, rounds, given, BLOCK: tl.constexpr):
    largest = tl.zeros([BLOCK], tl.int64)
    above = tl.zeros([BLOCK], tl.int64)
    first = tl.program_id(0).to(tl.int64) * rounds * BLOCK
    for turn in range(rounds):
        i = first + turn * BLOCK + tl.arange(0, BLOCK)
        inside = i < count
        listed = inside & (given != 0)
        bits = (i * stride).to(tl.int32)
        bits = tl.where(listed, tl.load(x_ptr + i, mask=listed, other=0), bits)
        x = bits.to(tl.float32, bitcast=True)
        found = narrow(x)
        exact = wide(x.to(tl.float64))
        error = ulps(found, exact)
        tl.store(found_ptr + i, found, mask=listed)
        tl.store(exact_ptr + i, exact, mask=listed)
        key = (error.to(tl.int32, bitcast=True).to(tl.int64) << 32) | bits.to(tl.uint32).to(tl.int64)
        largest = tl.maximum(largest, tl.where(inside, key, 0))
        above += (inside & (error > 1.0)).to(tl.int64)
    tl.atomic_max(worst, tl.max(largest, 0))
    tl.atomic_add(above_one, tl.sum(above, 0))
)";

struct Options {
  bool isGPU = false;
  int64_t stride = 0; ///< 0: 1 on a GPU, 1021 on a processor
  std::vector<std::string> only;
};

struct Result {
  double ulp = 0, hostUlp = 0; ///< the largest error, and what the host says of it; <0: it cannot
  float argument = 0;
  double shareAboveOne = 0;
  double judge = 0; ///< largest error of the float64 result, in ulp of float32; <0: not checked
  double seconds = 0;
};

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The distance from the exact result in ulp of a float32 of its size.
double ulps(double found, long double exact) {
  if (std::isnan(found) && std::isnan(exact))
    return 0;
  if (std::isinf(found) && float(exact) == found)
    return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  double error = double(std::fabs(found - exact) / std::ldexp(1.0L, std::max(exponent, -125) - 24));
  return std::isnan(error) ? HUGE_VAL : error;
}

std::string replaced(std::string text, const std::string &word, const std::string &by) {
  text.replace(text.find(word), word.size(), by);
  return text;
}

/// The kernel for one function, compiled, with its arguments.
class Run {
public:
  explicit Run(Machine &machine) : machine(machine), compilation(llvm::errs()) {}

  /// False after reporting errors.
  bool compile(const bench::Function &function);
  /// Goes over `count` patterns, `stride` apart; or, with a stride of 0, over those in `x`.
  bool go(int64_t stride, int64_t count);

  HostArray worst = make(ScalarKind::Int64, 1), aboveOne = make(ScalarKind::Int64, 1);
  HostArray x = make(ScalarKind::Int32, sampleSize), found = make(ScalarKind::FP32, sampleSize),
            exact = make(ScalarKind::FP64, sampleSize);

private:
  static HostArray make(ScalarKind type, uint64_t size) {
    return llvm::cantFail(HostArray::create(type, {size}));
  }
  std::vector<NamedArgument> arguments(int64_t stride, int64_t count, int64_t rounds);

  Machine &machine;
  Compilation compilation;
  std::unique_ptr<LoadedKernel> kernel;
};

std::vector<NamedArgument> Run::arguments(int64_t stride, int64_t count, int64_t rounds) {
  auto integer = [](const char *name, int64_t value) {
    return NamedArgument{name, nullptr, ConstValue::integer(value)};
  };
  return {{"worst", &worst, ConstValue()},
          {"above_one", &aboveOne, ConstValue()},
          {"x_ptr", &x, ConstValue()},
          {"found_ptr", &found, ConstValue()},
          {"exact_ptr", &exact, ConstValue()},
          integer("stride", stride),
          integer("count", count),
          integer("rounds", rounds),
          integer("given", stride == 0),
          integer("BLOCK", block)};
}

bool Run::compile(const bench::Function &function) {
  std::string text = replaced(kernelText, "FLOAT32", function.narrow);
  text = replaced(text, "FLOAT64", function.wide);
  if (!compilation.loadText(text, std::string(function.name) + ".py"))
    return false;
  KernelRequest request;
  request.kernel = "kernel";
  request.numWarps = 4;
  request.numCTAs = 1;
  request.arch = machine.arch(CodeOptions());
  DiagnosticEngine &diagnostics = compilation.diagnostics();
  auto types = parseSignature("stride=i64,count=i64,rounds=i32,given=i32", "types",
                              compilation.sources(), diagnostics);
  if (!types ||
      !describeArguments(*compilation.tree()->findFunction("kernel"), arguments(3, 3, 3), *types,
                         diagnostics, request) ||
      !compilation.addKernel(request))
    return false;
  kernel = machine.load(compilation, CodeOptions());
  return kernel != nullptr;
}

bool Run::go(int64_t stride, int64_t count) {
  int64_t programs = machine.isGPU() ? 65536 : 64;
  int64_t rounds = (count + programs * block - 1) / (programs * block);
  worst.setInteger(0, 0);
  aboveOne.setInteger(0, 0);
  std::vector<LaunchValue> values;
  DiagnosticEngine &diagnostics = compilation.diagnostics();
  if (!bindArguments(compilation.records().front().kernel, arguments(stride, count, rounds),
                     diagnostics, values))
    return false;
  LaunchGrid grid;
  grid.x = programs;
  if (llvm::Error error = kernel->run(grid, values)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return false;
  }
  return true;
}

bool measure(Machine &machine, const bench::Function &function, int64_t stride, Result &result) {
  auto start = std::chrono::steady_clock::now();
  Run run(machine);
  int64_t count = ((int64_t(1) << 32) + stride - 1) / stride;
  if (!run.compile(function) || !run.go(stride, count))
    return false;
  uint64_t key = uint64_t(run.worst.integer(0));
  result.ulp = floatOf(uint32_t(key >> 32));
  result.argument = floatOf(uint32_t(key));
  result.shareAboveOne = double(run.aboveOne.integer(0)) / double(count);
  // Once more at the worst argument and a sample, for the host to look at.
  run.x.setInteger(0, int64_t(int32_t(key)));
  for (uint64_t i = 1; i < sampleSize; ++i)
    run.x.setInteger(i, int64_t(int32_t(uint32_t(i * 0x100401u))));
  if (!run.go(0, sampleSize))
    return false;
  result.hostUlp = result.judge = -1;
  if (function.host) {
    result.hostUlp = ulps(run.found.real(0), function.host(result.argument));
    for (uint64_t i = 0; i < sampleSize; ++i) {
      long double right = function.host(floatOf(uint32_t(run.x.integer(i))));
      result.judge = std::max(result.judge, ulps(run.exact.real(i), right));
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return true;
}

bool parseOptions(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--target=cpu" || argument == "--target=cuda")
      options.isGPU = argument == "--target=cuda";
    else if (argument.rfind("--stride=", 0) == 0)
      options.stride = std::atoll(argument.c_str() + 9);
    else if (argument.rfind("--only=", 0) == 0)
      options.only.push_back(argument.substr(7));
    else
      return false;
    if (argument.rfind("--stride=", 0) == 0 && options.stride <= 0)
      return false;
  }
  if (options.stride == 0)
    options.stride = options.isGPU ? 1 : 1021;
  return true;
}

bool isChosen(const Options &options, const char *name) {
  if (options.only.empty())
    return true;
  for (const std::string &only : options.only)
    if (only == name)
      return true;
  return false;
}

/// Prints a row; false if it shows a fault.
bool report(const Options &options, const bench::Function &function, const Result &result) {
  double bound = options.isGPU ? function.gpuBound : function.cpuBound;
  bool isFine = result.ulp <= bound && result.judge < 0.01;
  auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 1e4 ? "%.2f" : "%.3g", value);
    return std::string(value < 0 ? "" : text);
  };
  std::printf("| `%s` | %s | %a | %s | %.3g %% | %g | %s |%s\n", function.name,
              number(result.ulp).c_str(), double(result.argument), number(result.hostUlp).c_str(),
              100 * result.shareAboveOne, bound, function.cuda, isFine ? "" : " <- fault");
  if (result.judge >= 0.01)
    std::printf("error: the float64 result is %g ulp of float32 off\n", result.judge);
  std::fflush(stdout);
  return isFine;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(argc, argv, options)) {
    std::fprintf(stderr, "usage: accuracy [--target=cpu|cuda] [--stride=N] [--only=NAME]..\n");
    return 2;
  }
  std::unique_ptr<Machine> machine;
  if (options.isGPU) {
    auto opened = Machine::cuda();
    if (!opened) {
      llvm::errs() << "error: " << llvm::toString(opened.takeError()) << "\n";
      return 2;
    }
    machine = std::move(*opened);
  } else {
    machine = Machine::cpu();
  }
  std::printf("%s, every %lldth float32\n\n", machine->name().c_str(),
              static_cast<long long>(options.stride));
  std::printf("| function | largest error, ulp | at | by the host | above 1 ulp | bound | CUDA "
              "|\n|---|---|---|---|---|---|---|\n");
  bool isFine = true, isKnown = false;
  double seconds = 0;
  for (const bench::Function &function : bench::functions) {
    if (!isChosen(options, function.name))
      continue;
    isKnown = true;
    Result result;
    if (!measure(*machine, function, options.stride, result))
      return 2;
    isFine &= report(options, function, result);
    seconds += result.seconds;
  }
  if (!isKnown) {
    std::fprintf(stderr, "error: there is no function of that name\n");
    return 2;
  }
  std::printf("\n%.1f s\n", seconds);
  return isFine ? 0 : 1;
}
