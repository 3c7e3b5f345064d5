//===- LibraryDescriptorTest.cpp - Tensor descriptors by libtilec -*- C++ -*-===//
//
// A program passes tensors for parameters that are tensor descriptors; what blocks they have is
// said with the kernel. Tensors that break a rule are errors of the launch.
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"

#include <cstring>
#include <numeric>

using namespace tilec;

namespace {

const char *const moveText = R"(
@triton.jit
def move(y, x, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = [tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS]
    y.store(at, x.load(at) * n)
)";

template <unsigned rank = 2> using Tensor = TensorDescriptor<float, rank>;
using Move = void(Tensor<>, TensorDescriptor<const float, 2>, int);

jit::KernelOptions moveOptions() {
  jit::KernelOptions options{{"ROWS", 4}, {"COLUMNS", 8}};
  options.descriptors = "x=tensordesc<fp32[ROWS, COLUMNS], nan>, y=tensordesc<fp32[4, 8]>";
  options.grid = "cdiv(x.shape[0], ROWS), cdiv(y.shape[-1], COLUMNS)";
  return options;
}

struct alignas(16) Matrix {
  float values[6 * 24];
  Matrix() { std::iota(values, values + 6 * 24, 0.0f); }
};

} // namespace

TEST(LibraryDescriptorTest, LaunchesTakeTensors) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<Move>(compiler, moveText, "move", moveOptions());
  Matrix x, y;
  Status status = kernel.launch({}, {y.values, {6, 24}}, {x.values, {6, 24}}, 3);
  ASSERT_TRUE(status) << status.message();
  for (int i = 0; i < 6 * 24; ++i)
    EXPECT_EQ(y.values[i], 3.0f * i);
  // A part of each row: other classes of sizes and strides.
  ASSERT_TRUE(kernel.launch({}, {y.values, {6, 16}, {24, 1}}, {x.values, {5, 13}, {16, 1}}, 1));
  EXPECT_EQ(y.values[24 + 12], 16 + 12);
  EXPECT_EQ(y.values[24 + 13] != y.values[24 + 13], true) << "beyond the columns of x is NaN";
  EXPECT_EQ(y.values[24 + 16], 3.0f * (24 + 16)) << "beyond the columns of y nothing is written";
  EXPECT_EQ(compiler.counts().compilations, 2u);
  ASSERT_TRUE(kernel.prepare({y.values, {6, 24}}, {x.values, {3, 24}}, 3));
  EXPECT_EQ(compiler.counts().compilations, 2u) << "how many rows there are changes nothing";
  EXPECT_TRUE(kernel.code({y.values, {6, 24}}, {x.values, {3, 24}}, 3));
}

TEST(LibraryDescriptorTest, RulesOfTensorsAreChecked) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<Move>(compiler, moveText, "move", moveOptions());
  Matrix x, y;
  auto fails = [&](Tensor<> wrong, const char *message) {
    expectError(kernel.launch({}, {y.values, {6, 24}}, wrong, 1), TILEC_ERROR_INVALID_ARGUMENT,
                message);
    expectError(kernel.prepare(wrong, {x.values, {6, 24}}, 1), TILEC_ERROR_INVALID_ARGUMENT,
                "tensor descriptor 'argument 1'");
    expectError(kernel.code(wrong, {x.values, {6, 24}}, 1), TILEC_ERROR_INVALID_ARGUMENT,
                "tensor descriptor 'argument 1'");
  };
  fails({x.values + 1, {4, 8}},
        "tensor descriptor 'argument 2': the address must be a multiple of 16 bytes, found ");
  fails({x.values, {6, 22}}, "'argument 2', axis 0: the stride must be a multiple of 16 bytes, in "
                             "elements, found 22");
  fails({x.values, {6, 24}, {24, 2}}, "'argument 2': the last stride must be 1, found 2");
  fails({x.values, {0, 24}},
        "'argument 2', axis 0: the size must be from 1 to 2147483647, found 0");
  fails({x.values, {1, int64_t(1) << 31}},
        "'argument 2', axis 1: the size must be from 1 to 2147483647, found 2147483648");
  EXPECT_EQ(compiler.counts().compilations, 0u);
}

TEST(LibraryDescriptorTest, RulesHoldForTheCInterfaceToo) {
  // The parts of two tensors as C passes them.
  Matrix x, y;
  float *base = y.values;
  const float *from = x.values;
  int32_t rows = 6, columns = 24;
  int64_t stride = 24;
  int n = 2;
  void *arguments[] = {&base, &rows, &columns, &stride, &from, &rows, &columns, &stride, &n};
  auto launch = [&] {
    tilec_jit_request request{};
    request.struct_size = sizeof(request);
    request.name = "move";
    const uint8_t types[] = {TILEC_JIT_DESCRIPTOR, TILEC_TYPE_POINTER + TILEC_TYPE_FP32,
                             TILEC_TYPE_I32,       TILEC_TYPE_I32,
                             TILEC_TYPE_I64,       TILEC_JIT_TUPLE_END,
                             TILEC_JIT_DESCRIPTOR, TILEC_TYPE_POINTER + TILEC_TYPE_FP32,
                             TILEC_TYPE_I32,       TILEC_TYPE_I32,
                             TILEC_TYPE_I64,       TILEC_JIT_TUPLE_END,
                             TILEC_TYPE_I32};
    const tilec_jit_constant constants[] = {{"ROWS", "4"}, {"COLUMNS", "8"}};
    request.types = types;
    request.num_types = sizeof(types);
    request.constants = constants;
    request.num_constants = 2;
    request.grid = "2, 3";
    request.descriptors = "x=tensordesc<fp32[4, 8]>, y=tensordesc<fp32[4, 8]>";
    tilec_jit_module *c = nullptr;
    std::string text = kernelText(moveText);
    tilec_jit_compiler *host = nullptr;
    tilec_jit_options options{};
    options.struct_size = sizeof(options);
    options.target = TILEC_JIT_CPU;
    if (Status status = jit::toStatus(tilec_jit_compiler_create(&options, &host)); !status)
      return status;
    Status status =
        jit::toStatus(tilec_jit_module_create(host, text.data(), text.size(), "k.py", &c));
    tilec_jit_kernel *found = nullptr;
    if (status)
      status = jit::toStatus(tilec_jit_kernel_get(c, &request, &found));
    tilec_jit_launch_options where{};
    if (status)
      status = jit::toStatus(tilec_jit_launch(found, &where, arguments));
    tilec_jit_kernel_release(found);
    tilec_jit_module_release(c);
    tilec_jit_compiler_release(host);
    return status;
  };
  Status status = launch();
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(y.values[30], 60);
  stride = 26;
  expectError(
      launch(), TILEC_ERROR_INVALID_ARGUMENT,
      "tensor descriptor 'y' of kernel 'move': the stride must be a multiple of 4 elements, "
      "found 26");
  stride = 24, rows = 0;
  expectError(launch(), TILEC_ERROR_INVALID_ARGUMENT,
              "'y' of kernel 'move': the size must be above 0");
  rows = 6, ++from;
  expectError(launch(), TILEC_ERROR_INVALID_ARGUMENT,
              "'x' of kernel 'move': the address must be a multiple of 16 bytes");
}

TEST(LibraryDescriptorTest, BlocksAreSaidWithTheKernel) {
  jit::Compiler compiler = hostCompiler();
  auto module = compiler.compileText(kernelText(moveText));
  ASSERT_TRUE(module);
  auto fails = [&](const std::string &descriptors, const char *message) {
    jit::KernelOptions options = moveOptions();
    options.descriptors = descriptors;
    expectError(module->kernel<Move>("move", options), TILEC_JIT_ERROR_COMPILE, message);
  };
  fails("", "parameter 'y' gets a tensor descriptor, but the request for the kernel does not say "
            "what its blocks are, as in descriptors = \"y=tensordesc<fp32[64, 32]>\"");
  fails("x=tensordesc<fp32[4, 8]>, y=tensordesc<fp16[4, 8]>",
        "parameter 'y' gets a tensor descriptor of fp32, but is said to be tensordesc<fp16[4, 8]>");
  fails(
      "x=tensordesc<fp32[4, 8]>, y=tensordesc<fp32[8]>",
      "parameter 'y' gets a tensor descriptor with 2 axes, but is said to be tensordesc<fp32[8]>");
  fails("z=tensordesc<fp32[4, 8]>", "descriptors:1:1: error: kernel 'move' has no parameter 'z'");
  fails("x=*fp32", "expected NAME=tensordesc<TYPE[SIZES]>, found *fp32");
  fails("x=tensordesc<fp32[4, 8]", "expected '>' at the end of the tensor descriptor's type");
  fails("n=tensordesc<fp32[4]>,x=tensordesc<fp32[4, 8]>,y=tensordesc<fp32[4, 8]>",
        "parameter 'n' gets no tensor descriptor: tensordesc<fp32[4]>");
  auto declared = compiler.compileText(kernelText("@triton.jit\ndef k(x: tl.int32):\n    pass\n"));
  jit::KernelOptions options;
  options.descriptors = "x=tensordesc<fp32[4]>";
  expectError(declared->kernel<void(Tensor<1>)>("k", options), TILEC_JIT_ERROR_COMPILE,
              "parameter 'x' is declared as i32, but the argument is a tensor descriptor");
}

TEST(LibraryDescriptorTest, RanksAndTypes) {
  jit::Compiler compiler = hostCompiler();
  jit::KernelOptions options;
  options.descriptors = "x=tensordesc<fp16[8]>, y=tensordesc<fp32[1, 1, 1, 2, 4]>";
  auto kernel = getKernel<void(TensorDescriptor<const Half, 1>, Tensor<5>)>(compiler, R"(
@triton.jit
def widen(x, y):
    y.store([0, 0, 1, 0, 0], x.load([0]).reshape(1, 1, 1, 2, 4).to(tl.float32) + y.strides[4])
)",
                                                                            "widen", options);
  alignas(16) Half x[8];
  alignas(16) float y[16] = {};
  for (int i = 0; i < 8; ++i)
    x[i] = Half(float(i));
  Status status = kernel.launch(Grid(1), {x, {7}}, {y, {1, 1, 2, 2, 4}});
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(y[7], 0);
  EXPECT_EQ(y[8 + 6], 7);
  EXPECT_EQ(y[8 + 7], 1);
}

TEST(LibraryDescriptorTest, HeuristicsSeeShapesAndNoAddresses) {
  jit::Compiler compiler = hostCompiler();
  jit::KernelOptions options;
  options.descriptors = "x=tensordesc<fp32[1, ROWS]>";
  auto kernel = getKernel<void(Tensor<>)>(compiler, R"(
@triton.heuristics({"ROWS": lambda args: triton.next_power_of_2(args["x"].shape[1])})
@triton.jit
def fill(x, ROWS: tl.constexpr):
    x.store([0, 0], tl.full([1, ROWS], ROWS, tl.float32))
)",
                                          "fill", options);
  alignas(16) float x[64] = {}, y[64] = {};
  ASSERT_TRUE(kernel.prepare({x, {1, 12}}));
  {
    jit::Freeze freeze; // Another tensor of that size is prepared.
    ASSERT_TRUE(kernel.launch(Grid(1), {y, {1, 12}}));
    EXPECT_FALSE(kernel.launch(Grid(1), {y, {1, 24}}));
  }
  EXPECT_EQ(y[11], 16);
  EXPECT_EQ(y[12], 0);
  ASSERT_TRUE(kernel.launch(Grid(1), {y, {1, 24}}));
  EXPECT_EQ(y[23], 32);
}
