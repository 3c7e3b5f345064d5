//===- LibraryTest.cpp - libtilec on the processor --------------*- C++ -*-===//
//
// Uses nothing but jit.h, as programs outside do.
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"

#include <cmath>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace tilec;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST(LibraryTest, RunsAKernel) {
  jit::Compiler compiler = hostCompiler();
  EXPECT_EQ(std::string(compiler.target()).rfind("CPU (", 0), 0u);
  auto kernel = getKernel<void(float *, const float *, float, int)>(compiler, scaleText, "scale",
                                                                    {{"BLOCK", 64}});
  std::vector<float> x(1000), y(1000, -1);
  for (int i = 0; i < 1000; ++i)
    x[i] = float(i);
  for (int n : {0, 1, 15, 16, 17, 999}) {
    y.assign(1000, -1);
    Status status = kernel.launch(Grid((n + 63) / 64), y.data(), x.data(), 0.5f, n);
    ASSERT_TRUE(status) << status.message();
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(y[i], i < n ? float(i) * 0.5f : -1) << "n = " << n << ", i = " << i;
  }
}

/// Every class of pointers and sizes gives the same results.
TEST(LibraryTest, SpecialisesWithoutChangingResults) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(float *, const float *, float, int)>(compiler, scaleText, "scale",
                                                                    {{"BLOCK", 16}});
  alignas(64) float x[80], y[80];
  for (int i = 0; i < 80; ++i)
    x[i] = float(i);
  for (int shiftX : {0, 1, 4})
    for (int shiftY : {0, 3, 4})
      for (int n : {1, 15, 16, 17, 32}) {
        std::fill(std::begin(y), std::end(y), -1.0f);
        ASSERT_TRUE(kernel.launch(Grid((n + 15) / 16), y + shiftY, x + shiftX, 2.0f, n));
        for (int i = 0; i < 80; ++i) {
          bool inside = i >= shiftY && i < shiftY + n;
          ASSERT_EQ(y[i], inside ? x[i - shiftY + shiftX] * 2 : -1);
        }
      }
  // Four classes of pointers, three of n; repeating them compiles nothing.
  EXPECT_EQ(compiler.counts().compilations, 12u);
  ASSERT_TRUE(kernel.launch(Grid(1), y, x, 2.0f, 5));
  EXPECT_EQ(compiler.counts().compilations, 12u);
}

TEST(LibraryTest, PassesEveryType) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(double *, bool, int8_t, uint8_t, int16_t, uint16_t, int, unsigned,
                               long, unsigned long, Half, BFloat16, float, double)>(compiler, R"(
@triton.jit
def all(out, a, b, c, d, e, f, g, h, i, j, k, l, m):
    tl.store(out, a.to(tl.float64))
    tl.store(out + 1, b.to(tl.float64))
    tl.store(out + 2, c.to(tl.float64))
    tl.store(out + 3, d.to(tl.float64))
    tl.store(out + 4, e.to(tl.float64))
    tl.store(out + 5, f.to(tl.float64))
    tl.store(out + 6, g.to(tl.float64))
    tl.store(out + 7, h.to(tl.float64))
    tl.store(out + 8, i.to(tl.float64))
    tl.store(out + 9, j.to(tl.float64))
    tl.store(out + 10, k.to(tl.float64))
    tl.store(out + 11, l.to(tl.float64))
    tl.store(out + 12, m)
)",
                                                                                    "all");
  double out[13];
  Status status = kernel.launch(Grid(1), out, true, int8_t(-5), uint8_t(200), int16_t(-300),
                                uint16_t(60000), -70000, 4000000000u, -5000000000L, (1ul << 63),
                                Half(1.5f), BFloat16(2.5f), 0.25f, 1e-300);
  ASSERT_TRUE(status) << status.message();
  const double expected[] = {1,    -5,     200, -300, 60000, -70000, 4e9,
                             -5e9, 0x1p63, 1.5, 2.5,  0.25,  1e-300};
  for (int i = 0; i < 13; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(LibraryTest, PassesFloat8) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(float *, const Float8E5 *, const Float8E4NV *, Float8E4B15 *,
                               Float8E5, Float8E4NV, Float8E4B15)>(compiler, R"(
@triton.jit
def small(out, a, b, c, d, e, f):
    tl.store(out, tl.load(a).to(tl.float32))
    tl.store(out + 1, tl.load(b).to(tl.float32))
    tl.store(c, tl.full([], 1.5, tl.float32).to(tl.float8e4b15))
    tl.store(out + 2, d.to(tl.float32))
    tl.store(out + 3, e.to(tl.float32))
    tl.store(out + 4, f.to(tl.float32))
)",
                                                                   "small");
  float out[5];
  Float8E5 a(-3.0f);
  Float8E4NV b(448.0f);
  Float8E4B15 c(0.0f);
  Status status = kernel.launch(Grid(1), out, &a, &b, &c, Float8E5(7.0f), Float8E4NV(-0.5f),
                                Float8E4B15(1.25f));
  ASSERT_TRUE(status) << status.message();
  const float expected[] = {-3, 448, 7, -0.5f, 1.25f};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
  EXPECT_EQ(float(c), 1.5f);
}

TEST(LibraryTest, NullptrIsNone) {
  const char *text = R"(
@triton.jit
def k(y, bias, n):
    value = n
    if bias is not None:
        value += tl.load(bias)
    tl.store(y, value)
)";
  jit::Compiler compiler = hostCompiler();
  int y = 0, bias = 30;
  auto without = getKernel<void(int *, std::nullptr_t, int)>(compiler, text, "k");
  ASSERT_TRUE(without.launch(Grid(1), &y, nullptr, 12));
  EXPECT_EQ(y, 12);
  auto with = getKernel<void(int *, int *, int)>(compiler, text, "k");
  ASSERT_TRUE(with.launch(Grid(1), &y, &bias, 12));
  EXPECT_EQ(y, 42);
}

TEST(LibraryTest, TuplesAreTuples) {
  const char *text = R"(
from typing import NamedTuple
class Matrix(NamedTuple):
    data: tl.tensor
    size: tl.tensor
@triton.jit
def k(y, shape, m: Matrix, extra, n):
    i = tl.arange(0, 8)
    tl.static_assert(len(extra) == 0)
    x = tl.load(m.data + i, i < m.size)
    tl.store(y + i, x * shape[0] + shape[1][0] + n, i < m.size)
)";
  jit::Compiler compiler = hostCompiler();
  int y[8] = {}, x[] = {1, 2, 3};
  using Shape = std::pair<int, std::array<short, 1>>;
  using Function = void(int *, Shape, std::tuple<const int *, int>, std::tuple<>, int);
  jit::KernelOptions options;
  options.grid = "shape[0] - shape[1][-1]";
  auto kernel = getKernel<Function>(compiler, text, "k", options);
  Status status = kernel.launch({}, y, {6, {5}}, {x, 3}, {}, 7);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(std::vector<int>(y, y + 4), std::vector<int>({18, 24, 30, 0}));
  // Elements are specialised as arguments are.
  EXPECT_EQ(compiler.counts().compilations, 1u);
  ASSERT_TRUE(kernel.launch({}, y, {2, {1}}, {x, 3}, {}, 7));
  EXPECT_EQ(compiler.counts().compilations, 2u);
  EXPECT_EQ(std::vector<int>(y, y + 4), std::vector<int>({10, 12, 14, 0}));
  ASSERT_TRUE(kernel.launch({}, y, {0, {-2}}, {x, 3}, {}, 7)) << "a multiple of 16";
  EXPECT_EQ(compiler.counts().compilations, 3u);

  auto module = compiler.compileText(kernelText(text));
  expectError(module->kernel<void(int *, int)>("k"), TILEC_JIT_ERROR_COMPILE,
              "there is no argument for the parameter 'm': kernel 'k' is asked for with 2");
  expectError(module->kernel<void(int *, std::tuple<int, int>, int, int, int, int)>("k"),
              TILEC_JIT_ERROR_COMPILE, "takes 5 arguments, but is asked for with 6");
  auto declared = compiler.compileText(kernelText("@triton.jit\ndef k(x: tl.int32):\n    pass\n"));
  expectError(declared->kernel<void(std::tuple<int>)>("k"), TILEC_JIT_ERROR_COMPILE,
              "parameter 'x' is declared as i32, but the argument is a tuple");
}

TEST(LibraryTest, ListsOfTypesMustBeSound) {
  jit::Compiler compiler = hostCompiler();
  tilec_jit_module *module = nullptr;
  const char text[] = "import triton\n@triton.jit\ndef k(x):\n    pass\n";
  tilec_jit_compiler *c = nullptr;
  tilec_jit_options options{};
  options.struct_size = sizeof(options);
  options.target = TILEC_JIT_CPU;
  ASSERT_EQ(tilec_jit_compiler_create(&options, &c), nullptr);
  ASSERT_EQ(tilec_jit_module_create(c, text, sizeof(text) - 1, "k.py", &module), nullptr);
  auto codeFor = [&](std::vector<uint8_t> types) {
    tilec_jit_request request{};
    request.struct_size = sizeof(request);
    request.name = "k";
    request.types = types.data();
    request.num_types = uint32_t(types.size());
    tilec_jit_kernel *kernel = nullptr;
    Status status = jit::toStatus(tilec_jit_kernel_get(module, &request, &kernel));
    tilec_jit_kernel_release(kernel);
    return int(status.code());
  };
  EXPECT_EQ(codeFor({TILEC_JIT_TUPLE, TILEC_TYPE_I32, TILEC_JIT_TUPLE_END}), TILEC_OK);
  EXPECT_EQ(codeFor({TILEC_JIT_TUPLE, TILEC_TYPE_I32}), TILEC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(codeFor({TILEC_JIT_TUPLE_END}), TILEC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(codeFor(std::vector<uint8_t>(40, TILEC_JIT_TUPLE)), TILEC_ERROR_INVALID_ARGUMENT);
  std::vector<uint8_t> many(130, TILEC_TYPE_I32);
  many.front() = TILEC_JIT_TUPLE;
  many.push_back(TILEC_JIT_TUPLE_END);
  EXPECT_EQ(codeFor(many), TILEC_ERROR_INVALID_ARGUMENT) << "more than 128 elements";
  tilec_jit_module_release(module);
  tilec_jit_compiler_release(c);
}

TEST(LibraryTest, AnnotationsDecideTypes) {
  const char *text = R"(
@triton.jit(do_not_specialize=["m"])
def k(y, n: tl.uint32, m, D: tl.constexpr = 7):
    tl.store(y, n // 2 + m + D)
)";
  jit::Compiler compiler = hostCompiler();
  long y = 0;
  auto kernel = getKernel<void(long *, int, int)>(compiler, text, "k");
  ASSERT_TRUE(kernel.launch(Grid(1), &y, -2, 1));
  EXPECT_EQ(y, 0x7fffffffL + 8);
  EXPECT_EQ(compiler.counts().compilations, 1u);
  ASSERT_TRUE(kernel.launch(Grid(1), &y, -2, 16));
  EXPECT_EQ(compiler.counts().compilations, 1u) << "m is not specialised";
  auto module = compiler.compileText(kernelText(text));
  expectError(module->kernel<void(long *, long, int)>("k"), TILEC_JIT_ERROR_COMPILE,
              "parameter 'n' is declared as u32, but the argument is i64");
}

TEST(LibraryTest, BooleansAreOneClass) {
  jit::Compiler compiler = hostCompiler();
  int y = 0;
  auto kernel = getKernel<void(int *, bool)>(
      compiler, "@triton.jit\ndef k(y, flag):\n    tl.store(y, flag.to(tl.int32) + 2)\n", "k");
  ASSERT_TRUE(kernel.launch(Grid(1), &y, true));
  EXPECT_EQ(y, 3);
  ASSERT_TRUE(kernel.launch(Grid(1), &y, false));
  EXPECT_EQ(y, 2);
  EXPECT_EQ(compiler.counts().compilations, 1u);
}

TEST(LibraryTest, GridsMayBeExpressions) {
  jit::Compiler compiler = hostCompiler();
  jit::KernelOptions options;
  options.constants = {{"BLOCK", 32}};
  options.grid = "cdiv(n, BLOCK)";
  auto kernel =
      getKernel<void(float *, const float *, float, int)>(compiler, scaleText, "scale", options);
  std::vector<float> x(100, 3), y(100, 0);
  ASSERT_TRUE(kernel.launch({}, y.data(), x.data(), 2.0f, 70));
  EXPECT_EQ(y[69], 6);
  EXPECT_EQ(y[70], 0);
  ASSERT_TRUE(kernel.launch({}, y.data(), x.data(), 2.0f, 0)) << "an empty grid is success";
  auto module = compiler.compileText(kernelText(scaleText));
  options.grid = "cdiv(m, BLOCK)";
  using Function = void(float *, const float *, float, int);
  expectError(module->kernel<Function>("scale", options), TILEC_JIT_ERROR_COMPILE,
              "kernel 'scale' has no parameter 'm'");
  options.grid = "1, 2, 3, 4";
  expectError(module->kernel<Function>("scale", options), TILEC_JIT_ERROR_COMPILE,
              "expected one to three sizes, found 4");
  options.grid = "n +";
  expectError(module->kernel<Function>("scale", options), TILEC_JIT_ERROR_COMPILE, "grid:1:4");
  options.grid = "n // (n - n)";
  auto divides = module->kernel<Function>("scale", options);
  ASSERT_TRUE(divides);
  expectError(divides->launch({}, y.data(), x.data(), 2.0f, 70), TILEC_ERROR_INVALID_GRID,
              "division by zero");
  options.grid = "n / 2";
  auto halves = module->kernel<Function>("scale", options);
  expectError(halves->launch({}, y.data(), x.data(), 2.0f, 70), TILEC_ERROR_INVALID_GRID,
              "the grid along x is no integer of 64 bits: 35.0");
}

/// The program of docs/jit.md.
TEST(LibraryTest, TheGuidesProgramRuns) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  std::string program(path, size_t(length));
  program = program.substr(0, program.rfind('/')) + "/JitDocProgram";
  FILE *output = popen(program.c_str(), "r");
  ASSERT_TRUE(output);
  char line[64] = "";
  EXPECT_TRUE(fgets(line, sizeof(line), output));
  EXPECT_EQ(pclose(output), 0);
  EXPECT_STREQ(line, "2.5 5 7.5 10\n");
}

//===----------------------------------------------------------------------===//
// Decorators
//===----------------------------------------------------------------------===//

TEST(LibraryTest, HeuristicsAreEvaluatedAtEachLaunch) {
  const char *text = R"(
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
                    "KIND": lambda args: 1 if args["x"] is None else 2 if args["EVEN"] else 3})
@triton.jit
def k(y, x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, KIND: tl.constexpr):
    tl.store(y, KIND)
)";
  jit::Compiler compiler = hostCompiler();
  int y = 0;
  auto kernel = getKernel<void(int *, int *, int)>(compiler, text, "k", {{"BLOCK", 8}});
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(kernel.launch(Grid(1), &y, &y, 24));
    EXPECT_EQ(y, 2);
    ASSERT_TRUE(kernel.launch(Grid(1), &y, &y, 25));
    EXPECT_EQ(y, 3);
    ASSERT_TRUE(kernel.launch(Grid(1), &y, nullptr, 25));
    EXPECT_EQ(y, 1);
  }
  auto none = getKernel<void(int *, std::nullptr_t, int)>(compiler, text, "k", {{"BLOCK", 8}});
  ASSERT_TRUE(none.launch(Grid(1), &y, nullptr, 24));
  EXPECT_EQ(y, 1);
  // A constant that is given wins.
  auto given = getKernel<void(int *, int *, int)>(compiler, text, "k", {{"BLOCK", 8}, {"KIND", 9}});
  ASSERT_TRUE(given.launch(Grid(1), &y, &y, 24));
  EXPECT_EQ(y, 9);
}

TEST(LibraryTest, HeuristicsWithoutAValueAreErrors) {
  const char *text = R"(
@triton.heuristics({"E": lambda args: 8 // args["n"]})
@triton.jit
def k(y, n, E: tl.constexpr):
    tl.store(y, E)
)";
  jit::Compiler compiler = hostCompiler();
  int y = 0;
  auto kernel = getKernel<void(int *, int)>(compiler, text, "k");
  expectError(kernel.launch(Grid(1), &y, 0), TILEC_JIT_ERROR_COMPILE,
              "kernel.py:4:39: error: the heuristic for 'E': integer division by zero");
  ASSERT_TRUE(kernel.launch(Grid(1), &y, 2));
  EXPECT_EQ(y, 4);
}

//===----------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------===//

/// Stores the size of its blocks; one configuration does not compile.
static const char *const tunedText = R"(
@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (1, 64, 100, 2048)], key=["n"])
@triton.jit
def k(y, n, BLOCK: tl.constexpr, REPEAT: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, i * 0 + BLOCK, mask=i < n)
)";

static jit::KernelOptions tunedOptions() {
  jit::KernelOptions options;
  options.grid = "cdiv(n, BLOCK)";
  return options;
}

TEST(LibraryTest, TheFastestConfigurationRuns) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(int *, int)>(compiler, tunedText, "k", tunedOptions());
  constexpr int size = 400000;
  std::vector<int> y(size + 1, 0);
  ASSERT_TRUE(kernel.prepare(y.data(), size));
  EXPECT_EQ(y[0], 0) << "preparing runs nothing";
  Status status = kernel.launch({}, y.data(), size);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(compiler.counts().measurements, 4u);
  // That many programs of one element take longer than some of 2048.
  EXPECT_GE(y[0], 64);
  EXPECT_EQ(y[0], y[size - 1]);
  ASSERT_TRUE(kernel.launch({}, y.data() + 1, size));
  EXPECT_EQ(compiler.counts().measurements, 4u) << "another class of pointers, the same key";
  ASSERT_TRUE(kernel.launch({}, y.data(), 15000));
  EXPECT_EQ(compiler.counts().measurements, 8u) << "another key";
  ASSERT_TRUE(kernel.launch({}, y.data(), 0)) << "an empty grid measures nothing";
  EXPECT_EQ(compiler.counts().measurements, 8u);
}

TEST(LibraryTest, AConstantOrAnOptionChoosesTheConfiguration) {
  jit::Compiler compiler = hostCompiler();
  jit::KernelOptions options = tunedOptions();
  options.constants = {{"BLOCK", 32}};
  int y[8] = {};
  auto given = getKernel<void(int *, int)>(compiler, tunedText, "k", options);
  ASSERT_TRUE(given.launch({}, y, 8));
  EXPECT_EQ(y[7], 32);
  EXPECT_EQ(compiler.counts().measurements, 0u);
  jit::Options without;
  without.tuning = false;
  jit::Compiler first = hostCompiler(without);
  auto kernel = getKernel<void(int *, int)>(first, tunedText, "k", tunedOptions());
  ASSERT_TRUE(kernel.launch({}, y, 8));
  EXPECT_EQ(y[7], 1);
  EXPECT_EQ(first.counts().measurements, 0u);
}

/// num_stages is about loops that feed a tl.dot: without any, it makes no variant.
TEST(LibraryTest, StagesThatNothingReadsAreNotCompiledFor) {
  jit::Compiler compiler = hostCompiler();
  auto module = compiler.compileText(kernelText(scaleText));
  ASSERT_TRUE(module) << module.error().message();
  float x = 3, y = 0;
  for (unsigned stages = 0; stages <= 4; ++stages) {
    jit::KernelOptions options{{"BLOCK", 16}};
    options.numStages = stages;
    auto kernel = module->kernel<void(float *, float *, float, int)>("scale", options);
    ASSERT_TRUE(kernel) << kernel.error().message();
    ASSERT_TRUE(kernel->launch(Grid(1), &y, &x, 2.0f, 1));
  }
  EXPECT_EQ(compiler.counts().compilations, 1u);
  auto tuned = getKernel<void(int *)>(compiler, R"(
@triton.autotune([triton.Config({"B": 2}, num_stages=s) for s in (2, 3, 4)], key=[])
@triton.heuristics({"num_stages": lambda args: 5})
@triton.jit
def k(y, B: tl.constexpr):
    tl.store(y, B)
)",
                                      "k");
  int z = 0;
  ASSERT_TRUE(tuned.launch(Grid(1), &z));
  EXPECT_EQ(z, 2);
  EXPECT_EQ(compiler.counts().compilations, 2u);
  EXPECT_EQ(compiler.counts().measurements, 0u); // There is one configuration.
  jit::KernelOptions tooMany{{"BLOCK", 16}};
  tooMany.numStages = 65;
  expectError(module->kernel<void(float *, float *, float, int)>("scale", tooMany),
              TILEC_ERROR_INVALID_ARGUMENT, "expected num_stages to be from 1 to 64, found 65");
}

TEST(LibraryTest, ChoicesAreKeptInAFile) {
  char name[] = "/tmp/tilec-tuned-XXXXXX";
  int file = mkstemp(name);
  ASSERT_GE(file, 0);
  close(file);
  unlink(name);
  jit::Options options;
  options.tuned = name;
  std::vector<int> y(20000, 0);
  {
    jit::Compiler compiler = hostCompiler(options);
    auto kernel = getKernel<void(int *, int)>(compiler, tunedText, "k", tunedOptions());
    ASSERT_TRUE(kernel.launch({}, y.data(), 20000));
    EXPECT_EQ(compiler.counts().measurements, 4u);
  }
  int chosen = y[0];
  jit::Compiler compiler = hostCompiler(options);
  auto kernel = getKernel<void(int *, int)>(compiler, tunedText, "k", tunedOptions());
  ASSERT_TRUE(kernel.launch({}, y.data(), 20000));
  EXPECT_EQ(compiler.counts().measurements, 0u);
  EXPECT_EQ(y[0], chosen);
  std::ofstream(name) << "{";
  expectError(jit::Compiler::create(options), TILEC_JIT_ERROR_FILE, "tuned file");
  unlink(name);
}

TEST(LibraryTest, TuningThatCannotWorkIsAnError) {
  jit::Compiler compiler = hostCompiler();
  int y = 0;
  auto inPlace = getKernel<void(int *)>(compiler, R"(
@triton.autotune([triton.Config({"B": b}) for b in (1, 2)], key=[], restore_value=["y"])
@triton.jit
def k(y, B: tl.constexpr):
    tl.store(y, tl.load(y) + B)
)",
                                        "k");
  expectError(inPlace.launch(Grid(1), &y), TILEC_ERROR_INVALID_ARGUMENT,
              "tune it with tilec-run --tune --tuned=FILE");
  EXPECT_EQ(y, 0);
  auto broken = getKernel<void(int *)>(compiler, R"(
@triton.autotune([triton.Config({"B": b}) for b in (3, 5)], key=[])
@triton.jit
def k(y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), 1)
)",
                                       "k");
  expectError(broken.launch(Grid(1), &y), TILEC_JIT_ERROR_COMPILE,
              "no configuration of 'k' runs; the first says:\nkernel.py:7:");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(LibraryTest, SourceErrorsComeInFull) {
  jit::Compiler compiler = hostCompiler();
  expectError(compiler.compileText(kernelText("@triton.jit\ndef k(x:\n    pass\n"), "bad.py"),
              TILEC_JIT_ERROR_COMPILE, "bad.py:");
  auto kernel = getKernel<void(float *)>(compiler, R"(
@triton.jit
def k(x):
    tl.store(x, tl.laod(x))
)",
                                         "k");
  float x = 0;
  Status status = kernel.launch(Grid(1), &x);
  expectError(status, TILEC_JIT_ERROR_COMPILE,
              "kernel.py:6:20: error: module 'triton.language' has no member 'laod'; did you mean "
              "'load'?\n    tl.store(x, tl.laod(x))\n                   ^~~~\n");
  // The second time the error is known.
  uint64_t before = compiler.counts().compilations;
  expectError(kernel.launch(Grid(1), &x), TILEC_JIT_ERROR_COMPILE, "'laod'");
  EXPECT_EQ(compiler.counts().compilations, before);
}

TEST(LibraryTest, KernelsMustSuit) {
  jit::Compiler compiler = hostCompiler();
  auto module = compiler.compileText(kernelText(scaleText), "scale.py");
  ASSERT_TRUE(module);
  using Function = void(float *, const float *, float, int);
  expectError(module->kernel<Function>("scael"), TILEC_JIT_ERROR_COMPILE,
              "no @triton.jit function is called 'scael'; did you mean 'scale'?");
  expectError(module->kernel<Function>("other"), TILEC_JIT_ERROR_COMPILE, "'scale.py' has 'scale'");
  expectError(
      module->kernel<Function>("scale"), TILEC_JIT_ERROR_COMPILE,
      "the tl.constexpr parameter 'BLOCK' has no value; it is not among the constants of the "
      "kernel that is asked for");
  expectError(module->kernel<Function>("scale", {{"BLOK", 1}}), TILEC_JIT_ERROR_COMPILE,
              "has no parameter 'BLOK'; did you mean 'BLOCK'?");
  expectError(module->kernel<Function>("scale", {{"BLOCK", 1}, {"BLOCK", 2}}),
              TILEC_JIT_ERROR_COMPILE, "the constant 'BLOCK' is given twice");
  expectError(module->kernel<Function>("scale", {{"BLOCK", "1 +"}}), TILEC_JIT_ERROR_COMPILE,
              "constant BLOCK:1:");
  expectError(module->kernel<void(float *, float *)>("scale", {{"BLOCK", 8}}),
              TILEC_JIT_ERROR_COMPILE, "there is no argument for the parameter 's'");
  expectError(module->kernel<void(float *, float *, int, int, int)>("scale", {{"BLOCK", 8}}),
              TILEC_JIT_ERROR_COMPILE, "takes 4 arguments, but is asked for with 5");
  expectError(module->kernel<void(float *, void *, float, int)>("scale", {{"BLOCK", 8}}),
              TILEC_JIT_ERROR_COMPILE,
              "parameter 'x' needs a pointer to a type of the language, found a "
              "pointer to anything");
  jit::KernelOptions options;
  options.constants = {{"BLOCK", 8}};
  options.maxRegisters = 300;
  expectError(module->kernel<Function>("scale", options), TILEC_ERROR_INVALID_ARGUMENT,
              "expected maxnreg to be from 1 to 256");
  expectError(compiler.compileFile("/nonexistent/k.py"), TILEC_JIT_ERROR_FILE, "cannot read");
}

TEST(LibraryTest, LaunchesMustSuit) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(float *, const float *, float, int)>(compiler, scaleText, "scale",
                                                                    {{"BLOCK", 64}});
  float x[4] = {};
  expectError(kernel.launch(Grid(-1), x, x, 1.0f, 4), TILEC_ERROR_INVALID_GRID, "-1 programs");
  expectError(kernel.launch(Grid(1, 70000), x, x, 1.0f, 4), TILEC_ERROR_INVALID_GRID,
              "70000 programs along y");
  expectError(kernel.launch(reinterpret_cast<CUstream_st *>(8), x, x, 1.0f, 4),
              TILEC_ERROR_INVALID_ARGUMENT, "has no stream");
  EXPECT_TRUE(kernel.launch(Grid(0), x, x, 1.0f, 4));
  expectError(jit::toStatus(tilec_jit_launch(nullptr, nullptr, nullptr)),
              TILEC_ERROR_INVALID_ARGUMENT, "is null");
}

TEST(LibraryTest, AssertionsAreErrors) {
  jit::Options options;
  options.debug = true;
  jit::Compiler compiler = hostCompiler(options);
  auto kernel = getKernel<void(int *, int)>(compiler, R"(
@triton.jit
def k(y, n):
    tl.device_assert(n < 5, "too many")
    tl.store(y, n)
)",
                                            "k");
  int y = 0;
  ASSERT_TRUE(kernel.launch(Grid(1), &y, 4));
  EXPECT_EQ(y, 4);
  expectError(kernel.launch(Grid(1), &y, 7), TILEC_JIT_ERROR_RUN, "too many");
}

TEST(LibraryTest, OptionsMustSuit) {
  jit::Options options;
  options.target = TILEC_JIT_CPU;
  options.arch = "sm_90";
  expectError(jit::Compiler::create(options), TILEC_ERROR_INVALID_ARGUMENT, "is for GPUs");
  options.target = TILEC_JIT_CUDA;
  options.arch = "sm_9";
  expectError(jit::Compiler::create(options), TILEC_ERROR_INVALID_ARGUMENT, "sm_9");
  tilec_jit_options c{};
  tilec_jit_compiler *compiler = nullptr;
  expectError(jit::toStatus(tilec_jit_compiler_create(&c, &compiler)), TILEC_ERROR_INVALID_ARGUMENT,
              "struct_size is 0");
  c.struct_size = sizeof(c);
  c.target = 7;
  expectError(jit::toStatus(tilec_jit_compiler_create(&c, &compiler)), TILEC_ERROR_INVALID_ARGUMENT,
              "unknown target 7");
}

//===----------------------------------------------------------------------===//
// Memory and threads
//===----------------------------------------------------------------------===//

TEST(LibraryTest, EqualKernelsAreCompiledOnce) {
  jit::Compiler compiler = hostCompiler();
  using Function = void(float *, const float *, float, int);
  alignas(16) float x[16] = {}, y[16] = {};
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(getKernel<Function>(compiler, scaleText, "scale", {{"BLOCK", 16}})
                    .launch(Grid(1), y, x, 1.0f, 16));
  EXPECT_EQ(compiler.counts().compilations, 1u);
  EXPECT_EQ(compiler.counts().memory_hits, 2u);
  ASSERT_TRUE(getKernel<Function>(compiler, scaleText, "scale", {{"BLOCK", 32}})
                  .launch(Grid(1), y, x, 1.0f, 16));
  EXPECT_EQ(compiler.counts().compilations, 2u);
}

/// Objects may be dropped in any order.
TEST(LibraryTest, KernelsKeepWhatTheyNeed) {
  std::optional<jit::Kernel<void(int *, int)>> kernel;
  {
    jit::Compiler compiler = hostCompiler();
    kernel = getKernel<void(int *, int)>(compiler,
                                         "@triton.jit\ndef k(y, n):\n    tl.store(y, n)\n", "k");
  }
  int y = 0;
  ASSERT_TRUE(kernel->prepare(&y, 5));
  ASSERT_TRUE(kernel->launch(Grid(1), &y, 5));
  EXPECT_EQ(y, 5);
}

TEST(LibraryTest, NothingIsCompiledWhileFrozen) {
  jit::Compiler compiler = hostCompiler();
  auto kernel =
      getKernel<void(int *, int)>(compiler, "@triton.jit\ndef k(y, n):\n    tl.store(y, n)\n", "k");
  auto tuned = getKernel<void(int *, int)>(compiler, tunedText, "k", tunedOptions());
  alignas(16) int y[4] = {};
  EXPECT_TRUE(kernel.prepareAsync(y, 7).get());
  {
    jit::Freeze frozen;
    ASSERT_TRUE(kernel.launch(Grid(1), y, 9)) << "the same class of arguments";
    EXPECT_EQ(y[0], 9);
    expectError(kernel.launch(Grid(1), y, 16), TILEC_ERROR_NOT_PREPARED,
                "kernel 'k' is not prepared for this class of arguments");
    expectError(tuned.launch({}, y, 4), TILEC_ERROR_NOT_PREPARED, "is not prepared");
    ASSERT_TRUE(kernel.prepare(y, 32)) << "preparing is what it asks for";
    ASSERT_TRUE(kernel.launch(Grid(1), y, 16));
  }
  ASSERT_TRUE(kernel.launch(Grid(1), y, 1));
  EXPECT_EQ(y[0], 1);
}

TEST(LibraryTest, WarningsAreKept) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(int *)>(compiler, R"(
@triton.autotune([triton.Config({"B": 4})], key=[], prune_configs_by={"top_k": 2})
@triton.jit
def k(y, B: tl.constexpr):
    tl.store(y, B)
)",
                                       "k");
  int y = 0;
  ASSERT_TRUE(kernel.launch(Grid(1), &y));
  EXPECT_NE(kernel.warnings().find("kernel.py:4:70: warning: 'prune_configs_by' is host code"),
            std::string::npos)
      << kernel.warnings();
  EXPECT_EQ(getKernel<void(int *)>(compiler, "@triton.jit\ndef k(y):\n    tl.store(y, 1)\n", "k")
                .warnings(),
            "");
}

/// 16 threads from cold, each with all kernels and all classes of arguments.
TEST(LibraryTest, ThreadsCompileAndLaunchTogether) {
  jit::Compiler compiler = hostCompiler();
  auto module = compiler.compileText(kernelText(R"(
@triton.heuristics({"TWICE": lambda args: args["n"] > 20})
@triton.jit
def decorated(y, n, TWICE: tl.constexpr):
    tl.store(y, n * 2 if TWICE else n)

@triton.jit
def plain(y, n, ADD: tl.constexpr):
    tl.store(y, n + ADD)
)"));
  ASSERT_TRUE(module);
  std::atomic<int> failures{0};
  auto work = [&](int seed) {
    for (int step = 0; step < 24; ++step) {
      int number = (seed + step) % 4, n = number == 0 ? 1 : number * 8 + seed % 2;
      int y = 0, z = 0;
      auto plain = module->kernel<void(int *, int)>("plain", {{"ADD", number}});
      auto decorated = module->kernel<void(int *, int)>("decorated");
      bool fine =
          plain && plain->launch(Grid(1), &y, n) && decorated && decorated->launch(Grid(1), &z, n);
      failures += !fine || y != n + number || z != (n > 20 ? 2 * n : n);
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 16; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

/// One kernel object launched from many threads while its table grows.
TEST(LibraryTest, ThreadsShareAKernel) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(long *, int, int, int, int)>(compiler, R"(
@triton.jit
def k(y, a, b, c, d):
    tl.store(y, ((a.to(tl.int64) * 100 + b) * 100 + c) * 100 + d)
)",
                                                            "k");
  const int values[] = {1, 16, 7};
  std::atomic<int> failures{0};
  auto work = [&](int seed) {
    for (int step = 0; step < 30; ++step) {
      int at = seed * 5 + step;
      int b = values[at % 3], c = values[at / 3 % 3], d = values[at / 9 % 3];
      long y = 0;
      failures +=
          !kernel.launch(Grid(1), &y, 48, b, c, d) || y != ((48L * 100 + b) * 100 + c) * 100 + d;
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 16; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(compiler.counts().compilations, 27u);
}

TEST(LibraryTest, LaunchesAreRecorded) {
  jit::Compiler compiler = hostCompiler();
  jit::KernelOptions options;
  options.constants = {{"BLOCK", 64}};
  options.grid = "cdiv(n, BLOCK)";
  auto kernel =
      getKernel<void(float *, const float *, float, int)>(compiler, scaleText, "scale", options);
  std::vector<float> x(80, 1), y(80);
  ASSERT_TRUE(kernel.launch(jit::LaunchOptions(), y.data(), x.data(), 2.0f, 80)); // Not recorded.
  tilec_jit_profile_record(1);
  tilec_jit_profile_describe(640, 0);
  ASSERT_TRUE(kernel.launch(jit::LaunchOptions(), y.data(), x.data(), 2.0f, 80));
  tilec_jit_profile_describe(1, 0);
  ASSERT_FALSE(kernel.launch(jit::LaunchOptions(), y.data(), x.data(), 2.0f,
                             -80)); // Nor this one, which uses the bytes up.
  ASSERT_TRUE(kernel.launch(jit::LaunchOptions(), y.data(), x.data(), 2.0f, 79));
  tilec_jit_profile_record(0);
  std::string path = ::testing::TempDir() + "tilec-jit-trace.json";
  ASSERT_EQ(tilec_jit_profile_write(path.c_str()), nullptr);
  std::ifstream file(path);
  std::string trace{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  tilec_jit_profile_clear();
  auto count = [&](const std::string &part) {
    int found = 0;
    for (size_t at = trace.find(part); at != std::string::npos; at = trace.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("\"ph\": \"X\""), 2) << trace;
  EXPECT_EQ(count("\"name\": \"scale (BLOCK=64)\""), 2) << trace;
  EXPECT_EQ(count("\"bytes\": "), 2) << trace; // Of a slice, and of its variant.
  EXPECT_EQ(count("n=i32:16"), 2) << trace;
  EXPECT_EQ(count(std::string("\"kind\": \"cpu\", \"name\": \"") + compiler.target() + "\""), 1)
      << trace;
  tilec_jit_error error = tilec_jit_profile_write("/nowhere/trace.json");
  EXPECT_EQ(tilec_jit_error_code(error), TILEC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_jit_error_message(error),
               "cannot write to '/nowhere/trace.json': No such file or directory");
  tilec_jit_error_release(error);
}
