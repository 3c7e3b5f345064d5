//===- HostTestSupport.cpp - compile and run tile IR in tests --*- C++ -*-===//
//
// Kernels in these tests are text in tile IR, so that the CPU path is tested without a front end.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace tilec;

namespace {

/// Parses and compiles in a context of its own.
llvm::Expected<std::unique_ptr<HostKernel>>
compile(llvm::StringRef text, const HostOptions &options, std::string &messages) {
  mlir::DialectRegistry registry;
  registerHostTarget(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("does not parse");
  auto functions = module->getOps<mlir::func::FuncOp>();
  std::string name = functions.empty() ? "" : (*functions.begin()).getName().str();
  return HostKernel::compile(*module, name, options);
}

} // namespace

std::unique_ptr<HostKernel> tilec::compileText(llvm::StringRef text, const HostOptions &options) {
  std::string messages;
  auto kernel = compile(text, options, messages);
  if (kernel)
    return std::move(*kernel);
  ADD_FAILURE() << messages << llvm::toString(kernel.takeError()) << "\nin\n" << text.str();
  return nullptr;
}

std::string tilec::compileError(llvm::StringRef text, const HostOptions &options) {
  std::string messages;
  auto kernel = compile(text, options, messages);
  if (!kernel)
    return messages + llvm::toString(kernel.takeError());
  ADD_FAILURE() << "compiled";
  return "";
}

HostThreads &tilec::testThreads() {
  static HostThreads threads(4);
  return threads;
}

void tilec::runKernel(const HostKernel &kernel, HostGrid grid,
                      llvm::ArrayRef<HostArgument> arguments) {
  if (llvm::Error error = kernel.run(testThreads(), grid, arguments))
    ADD_FAILURE() << llvm::toString(std::move(error));
}

std::vector<HostOptions> tilec::testedProcessors() {
#if defined(__x86_64__)
  return {HostOptions{}, HostOptions{"x86-64"}};
#else
  return {HostOptions{}};
#endif
}

std::string tilec::replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static std::string accessText(const std::string &name, const std::string &pointer) {
  return replaceAll(R"(
  %PTRb = tile.splat %PTR : !tile.ptr<TE> -> tensor<256x!tile.ptr<TE>>
  %PTRp = tile.addptr %PTRb, %o : tensor<256x!tile.ptr<TE>>, tensor<256xi32>)",
                    "PTR", pointer) +
         (name.empty() ? ""
                       : "\n  %" + name + " = tile.load %" + pointer +
                             "p mask %m : tensor<256x!tile.ptr<TE>>");
}

std::string tilec::elementwiseText(const std::string &in, const std::string &out,
                                   const std::string &body, const std::string &second) {
  bool hasTwo = !second.empty();
  std::string text = "func.func @k(%x: !tile.ptr<" + in + ">";
  if (hasTwo)
    text += ", %z: !tile.ptr<" + second + ">";
  text += ", %y: !tile.ptr<" + out + ">, %n: i32) attributes {tile.kernel} {" + R"(
  %pid = tile.program_id x
  %size = arith.constant 256 : i32
  %start = arith.muli %pid, %size : i32
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %o = arith.addi %starts, %range : tensor<256xi32>
  %ends = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %o, %ends : tensor<256xi32>)" +
          replaceAll(accessText("a", "x"), "TE", in);
  if (hasTwo)
    text += replaceAll(accessText("b", "z"), "TE", second);
  text += "\n  " + body + replaceAll(accessText("", "y"), "TE", out) +
          "\n  tile.store %yp, %r mask %m : tensor<256x!tile.ptr<" + out + ">>\n  return\n}\n";
  text = replaceAll(text, "TA", "tensor<256x" + in + ">");
  text = replaceAll(text, "TB", "tensor<256x" + second + ">");
  return replaceAll(text, "TR", "tensor<256x" + out + ">");
}

uint16_t tilec::toHalf(double value, const llvm::fltSemantics &format) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

double tilec::fromHalf(uint16_t bits, const llvm::fltSemantics &format) {
  llvm::APFloat number(format, llvm::APInt(16, bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

double tilec::ulpError(float found, double expected) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found) ? 0 : 1e30;
  float rounded = float(expected);
  if (found == rounded)
    return 0;
  if (std::isinf(found) || std::isinf(rounded))
    // The neighbour of infinity is the largest number: one unit away.
    return std::fabs(found) >= 3.4028234e38f && std::fabs(rounded) >= 3.4028234e38f ? 1 : 1e30;
  int exponent;
  std::frexp(expected, &exponent);
  double unit = std::ldexp(1.0, std::max(exponent, -125) - 24);
  return std::fabs(double(found) - expected) / unit;
}
