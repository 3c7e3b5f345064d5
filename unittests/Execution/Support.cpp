//===- Support.cpp - what the execution tests share -------------*- C++ -*-===//

#include "ExecutionTest.h"

#include "tilec/Compiler/Compiler.h"

#include <cstdlib>

using namespace tilec;
using namespace tilec::test;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static std::string runWith(Machine &machine, const Launch &launch, Compilation &compilation,
                           std::vector<LaunchValue> &values) {
  DiagnosticEngine &diagnostics = compilation.diagnostics();
  std::string text = "import triton\nimport triton.language as tl\n" + launch.functions;
  if (!compilation.loadText(text, "kernel.py"))
    return "";
  auto functions = compilation.listJitFunctions();
  KernelRequest request;
  request.kernel = launch.kernel.empty() ? functions.back()->name.str() : launch.kernel;
  request.numWarps = launch.numWarps;
  request.numCTAs = launch.numCTAs;
  request.debug = launch.debug;
  CodeOptions code;
  code.maxRegisters = launch.maxRegisters;
  request.arch = machine.arch(code);
  Signature given;
  if (!launch.signature.empty()) {
    auto signature =
        parseSignature(launch.signature, "signature", compilation.sources(), diagnostics);
    if (!signature)
      return "";
    given = *signature;
  }
  const ast::FunctionDef *function = compilation.tree()->findFunction(request.kernel);
  if (!describeArguments(*function, launch.arguments, given, diagnostics, request) ||
      !compilation.addKernel(request) ||
      !bindArguments(compilation.records().front().kernel, launch.arguments, diagnostics, values))
    return "";
  std::unique_ptr<LoadedKernel> kernel = machine.load(compilation, code);
  if (!kernel)
    return "";
  // Slow, so only on request: is the PTX what ptxas accepts? Warnings of spills are no failure.
  if (machine.isGPU() && std::getenv("TILEC_TEST_PTXAS")) {
    llvm::Expected<Cubin> cubin = assemble(compilation.ptx(), AssembleOptions(*request.arch));
    if (!cubin)
      return llvm::toString(cubin.takeError());
  }
  if (launch.description)
    *launch.description = kernel->describe();
  std::string errors = llvm::toString(kernel->run(launch.grid, values));
  for (const NamedArgument &argument : launch.arguments)
    if (argument.array && !argument.array->guardsIntact())
      errors += "the kernel wrote outside of '" + argument.name + "'\n";
  return errors;
}

std::string tilec::test::run(Machine &machine, const Launch &launch) {
  std::string reported;
  llvm::raw_string_ostream os(reported);
  std::vector<LaunchValue> values;
  bool failed;
  std::string errors;
  {
    Compilation compilation(os);
    errors = runWith(machine, launch, compilation, values);
    failed = compilation.diagnostics().hasErrors();
  }
  if (failed && reported.empty())
    reported = "an error without a message";
  return reported + errors;
}

HostArray tilec::test::makeArray(ScalarKind type, std::vector<uint64_t> shape, uint64_t offset) {
  return llvm::cantFail(HostArray::create(type, std::move(shape), offset));
}

HostArray tilec::test::makeRandom(ScalarKind type, std::vector<uint64_t> shape, double low,
                                  double high, uint64_t seed, uint64_t offset) {
  HostArray array = makeArray(type, std::move(shape), offset);
  fillUniform(array, seed, low, high);
  return array;
}

HostArray tilec::test::makeOutput(ScalarKind type, std::vector<uint64_t> shape, uint64_t offset) {
  HostArray array = makeArray(type, std::move(shape), offset);
  array.poison();
  return array;
}

static void expectArray(const HostArray &actual, const HostArray &expected, Tolerance tolerance) {
  if (::testing::Test::IsSkipped())
    return;
  Comparison result = compare(actual, expected, tolerance);
  if (result.numMismatches == 0)
    return;
  uint64_t first = result.firstMismatch;
  ADD_FAILURE() << result.numMismatches << " of " << actual.size()
                << " elements differ; the first is " << formatIndex(first, actual.shape())
                << ": expected " << formatElement(expected, first) << ", found "
                << formatElement(actual, first) << "; largest error " << result.largestAbsolute
                << " absolute, " << result.largestRelative << " relative; " << result.numUnwritten
                << " were never written";
}

void tilec::test::expectReals(const HostArray &actual,
                              const std::function<double(uint64_t)> &expected,
                              Tolerance tolerance) {
  HostArray reference = makeArray(actual.type(), actual.shape().vec());
  for (uint64_t index = 0; index < actual.size(); ++index)
    reference.setReal(index, expected(index));
  expectArray(actual, reference, tolerance);
}

void tilec::test::expectIntegers(const HostArray &actual,
                                 const std::function<int64_t(uint64_t)> &expected) {
  HostArray reference = makeArray(actual.type(), actual.shape().vec());
  for (uint64_t index = 0; index < actual.size(); ++index)
    reference.setInteger(index, expected(index));
  expectArray(actual, reference, {});
}

void tilec::test::expectUntouched(const HostArray &actual) {
  if (::testing::Test::IsSkipped())
    return;
  for (uint64_t index = 0; index < actual.size(); ++index)
    if (!actual.isPoison(index)) {
      ADD_FAILURE() << "element " << formatIndex(index, actual.shape()) << " was written";
      return;
    }
}

Machine &tilec::test::machineFor(Target target) {
  if (target == Target::CPU) {
    static std::unique_ptr<Machine> cpu = Machine::cpu();
    return *cpu;
  }
  static std::unique_ptr<Machine> gpu = []() -> std::unique_ptr<Machine> {
    llvm::Expected<std::unique_ptr<Machine>> opened = Machine::cuda();
    if (opened)
      return std::move(*opened);
    llvm::consumeError(opened.takeError());
    return Machine::simulator();
  }();
  return *gpu;
}

llvm::ArrayRef<ScalarKind> tilec::test::elementTypes() {
  static const ScalarKind types[] = {ScalarKind::Int1,   ScalarKind::Int8,   ScalarKind::Int16,
                                     ScalarKind::Int32,  ScalarKind::Int64,  ScalarKind::UInt8,
                                     ScalarKind::UInt16, ScalarKind::UInt32, ScalarKind::UInt64,
                                     ScalarKind::FP16,   ScalarKind::BF16,   ScalarKind::FP32,
                                     ScalarKind::FP64};
  return types;
}
