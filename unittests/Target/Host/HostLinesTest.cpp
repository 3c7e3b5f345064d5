//===- HostLinesTest.cpp - code for processors, by lines -------*- C++ -*-===//
//
// Line tables name the lines of the kernel, and the code is the one that is run without them.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;

static const char *const kText = R"(
func.func @scale(%y: !tile.ptr<f32>, %x: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %to = tile.addptr %ys, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %value = tile.load %from : tensor<64x!tile.ptr<f32>> loc("kernel.py":7:3)
  %sum = arith.addf %value, %value : tensor<64xf32> loc("kernel.py":8:3)
  tile.store %to, %sum : tensor<64x!tile.ptr<f32>> loc("kernel.py":9:3)
  return
})";

static std::string assemblyOf(bool lineInfo) {
  mlir::DialectRegistry registry;
  registerHostTarget(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kText, &context);
  if (!module) {
    ADD_FAILURE() << "does not parse";
    return "";
  }
  HostOptions options;
  options.lineInfo = lineInfo;
  llvm::Expected<std::string> text = HostKernel::emitAssembly(*module, "scale", options);
  if (text)
    return *text;
  ADD_FAILURE() << llvm::toString(text.takeError());
  return "";
}

/// The instructions, without labels, directives and comments.
static std::vector<std::string> instructionsOf(const std::string &assembly) {
  std::vector<std::string> result;
  for (llvm::StringRef line : llvm::split(assembly, '\n')) {
    line = line.split('#').first.trim();
    if (!line.empty() && !line.starts_with(".") && !line.ends_with(":"))
      result.push_back(line.str());
  }
  return result;
}

TEST(HostLines, LinesAreThoseOfTheKernel) {
  std::string text = assemblyOf(/*lineInfo=*/true);
  EXPECT_NE(text.find("\"kernel.py\""), std::string::npos);
  for (const char *place : {" 7 3", " 8 3", " 9 3"})
    EXPECT_NE(text.find(std::string("\t.loc\t1") + place), std::string::npos) << place;
}

TEST(HostLines, CodeIsTheSame) {
  std::string without = assemblyOf(/*lineInfo=*/false);
  EXPECT_EQ(without.find("\t.loc"), std::string::npos);
  std::vector<std::string> instructions = instructionsOf(without);
  EXPECT_GT(instructions.size(), 5u);
  EXPECT_EQ(instructions, instructionsOf(assemblyOf(/*lineInfo=*/true)));
}
