//===- ExprTest.cpp - Host expressions as code ---------------------------*- C++ -*-===//
//
// Compiles expressions to machine code and runs them for many arguments; what comes out must be
// what the evaluator of the front end computes, or an error where that has one or more than 64
// bits.
//
//===-------------------------------------------------------------------------------===//

#include "BuildInternals.h"
#include "ExprCode.h"

#include "tilec/Language/Grid.h"
#include "tilec/Target/Host.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::artifact;

namespace {

constexpr const char *kernelText = R"(
import triton
import triton.language as tl


@triton.jit
def kernel(p, a, b, u, f, flag, t, BLOCK: tl.constexpr, NAME: tl.constexpr):
    tl.store(p, a)
)";

using Function = int32_t (*)(const uint64_t *slots, int64_t *grid);

class ExprTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(source.loadText(kernelText, "kernel.py"));
    kernel.name = "kernel";
    addParam("p", "p", DType::pointerTo(ScalarKind::FP32));
    addParam("a", "a", ScalarKind::Int32);
    addParam("b", "b", ScalarKind::Int64);
    addParam("u", "u", ScalarKind::UInt64);
    addParam("f", "f", ScalarKind::FP32);
    addParam("flag", "flag", ScalarKind::Int1);
    addParam("t.size", "t.1", ScalarKind::Int32);
    kernel.constexprs = {"BLOCK", "NAME"};
    config.values = {ConstValue::integer(64), ConstValue::string("x")};
  }

  void addParam(const char *name, const char *path, DType type) {
    ArtifactParam &param = kernel.params.emplace_back();
    param.name = name;
    param.path = path;
    param.type = type;
  }

  /// The expression's function, which lives as long as the test.
  Function compile(const std::string &text);

  std::string messages;
  llvm::raw_string_ostream os{messages};
  Compilation source{os};
  ArtifactKernel kernel;
  ArtifactConfig config;
  std::vector<std::unique_ptr<llvm::orc::LLJIT>> jits;
};

/// One set of arguments.
struct Arguments {
  uint64_t p;
  int32_t a;
  int64_t b;
  uint64_t u;
  float f;
  bool flag;
  int32_t size; // t[1]
};

} // namespace

Function ExprTest::compile(const std::string &text) {
  auto grid = parseGrid(text, "grid", *source.tree()->findFunction("kernel"), source.sources(),
                        source.diagnostics());
  if (!grid)
    return nullptr;
  kernel.grid = *grid;
  auto machine = cantFail(createHostMachine()); // also sets LLVM up
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("expr", *context);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::Function *function =
      ExprCode(*module, kernel, config, source.diagnostics()).emitGrid("grid");
  if (!function)
    return nullptr;
  function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  jits.push_back(cantFail(llvm::orc::LLJITBuilder().create()));
  cantFail(jits.back()->addIRModule({std::move(module), std::move(context)}));
  return cantFail(jits.back()->lookup("grid")).toPtr<Function>();
}

static std::vector<Arguments> makeArguments() {
  std::vector<Arguments> list;
  for (int32_t a : {0, 1, 2, -1, 7, -8, 64, 65, 1000, INT32_MAX, INT32_MIN})
    for (int64_t b : {int64_t(0), int64_t(1), int64_t(-3), int64_t(5), INT64_MAX, INT64_MIN})
      for (float f : {0.0f, -2.5f, 1e20f})
        list.push_back(
            {uint64_t(a % 2 ? 4096 : 0), a, b, b < 0 ? UINT64_MAX : uint64_t(b), f, a > 3, a ^ 5});
  return list;
}

/// The value that the front end's evaluator finds; nothing when it has an error or no 64-bit
/// integer.
static std::optional<int64_t> evaluate(const HostExpr &expr, const Arguments &arguments,
                                       const ArtifactConfig &config) {
  llvm::StringMap<ConstValue> values;
  values["p"] = arguments.p ? ConstValue::integer(int64_t(arguments.p)) : ConstValue::none();
  values["a"] = ConstValue::integer(arguments.a);
  values["b"] = ConstValue::integer(arguments.b);
  values["u"] = ConstValue::integer(llvm::APInt(65, arguments.u));
  values["f"] = ConstValue::real(arguments.f);
  values["flag"] = ConstValue::boolean(arguments.flag);
  values["t"] = ConstValue::tuple({ConstValue::none(), ConstValue::integer(arguments.size)});
  values["BLOCK"] = config.values[0];
  values["NAME"] = config.values[1];
  llvm::Expected<ConstValue> value = expr.evaluate([&](llvm::StringRef name) {
    auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  });
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  if (value->kind() == ConstValue::Kind::Bool)
    return value->asBool();
  if (value->kind() != ConstValue::Kind::Int || value->asInt().getSignificantBits() > 64)
    return std::nullopt;
  return value->asInt().getSExtValue();
}

static const char *const expressions[] = {
    "a",
    "a + b",
    "a - b * 2",
    "a * b",
    "b * b",
    "a // b",
    "a % b",
    "b // -1",
    "b % -7",
    "cdiv(a, BLOCK)",
    "triton.cdiv(b, a)",
    "t[1]",
    "cdiv(t[1], BLOCK) + a",
    "(3, 5)[-1] + a",
    "min(a, b, 3)",
    "max(a, -b)",
    "abs(b)",
    "triton.next_power_of_2(a)",
    "next_power_of_2(b)",
    "-a",
    "+a",
    "~b",
    "not a",
    "a & b | 5 ^ a",
    "a << 3",
    "b << 1",
    "1 << a",
    "b >> 2",
    "b >> a",
    "a < b",
    "a <= 7 < b",
    "a == b or b",
    "a and b",
    "a or flag",
    "1 if a > b else 2",
    "a // b if b else 0",
    "u",
    "u // 2",
    "int(f)",
    "int(f * 2)",
    "int(f / a)",
    "int(a / b)",
    "int(f - a + 0.5)",
    "1 if f < a else 0",
    "1 if f else 2",
    "int(-f)",
    "1 if p is None else 2",
    "1 if p is not None else 2",
    "1 if p == None else 2",
    "flag",
    "flag + 1",
    "1 if flag and not a else b",
    "a if NAME == 'x' else b",
    "a if NAME != 'x' else b",
    "1 if a in (1, 2, 64) else 0",
    "1 if a not in [7, 'x', None] else 0",
    "1 if a == 'x' else 0",
    "1 if a else 2 if b else 3",
    "min(BLOCK, 16) * a",
    "1 if a == 1.0 else 2",
    "1 if b == 0.5 else 2",
};

TEST_F(ExprTest, computesWhatTheEvaluatorComputes) {
  for (const char *text : expressions) {
    Function function = compile(text);
    ASSERT_TRUE(function) << text << ": " << messages;
    for (const Arguments &arguments : makeArguments()) {
      uint64_t slots[] = {arguments.p,
                          uint32_t(arguments.a),
                          uint64_t(arguments.b),
                          arguments.u,
                          llvm::bit_cast<uint32_t>(arguments.f),
                          arguments.flag,
                          uint32_t(arguments.size)};
      int64_t grid[3] = {-1, -1, -1};
      int32_t result = function(slots, grid);
      std::optional<int64_t> expected = evaluate(*kernel.grid[0], arguments, config);
      std::string what = std::string(text) + " with a=" + std::to_string(arguments.a) +
                         " b=" + std::to_string(arguments.b) + " f=" + std::to_string(arguments.f);
      // A number on the way may need more than 64 bits, or a double hold it inexactly, although the
      // result fits; giving up is allowed then, a wrong number never is.
      if (result == 0) {
        EXPECT_EQ(expected, grid[0]) << what;
        EXPECT_EQ(grid[1], 1);
      } else {
        EXPECT_TRUE(result == kOverflow || result == kDivisionByZero) << what;
        bool isLarge = std::abs(double(arguments.b)) > 0x1p53 || arguments.u > INT64_MAX ||
                       std::abs(arguments.f) > 1e18f;
        EXPECT_TRUE(!expected || isLarge) << what;
      }
    }
  }
}

TEST_F(ExprTest, threeSizes) {
  Function function = compile("lambda META: (cdiv(META['a'], META['BLOCK']), b, 3)");
  ASSERT_TRUE(function) << messages;
  uint64_t slots[] = {0, 65, 9, 0, 0, 0, 0};
  int64_t grid[3];
  EXPECT_EQ(function(slots, grid), 0);
  EXPECT_EQ(grid[0], 2);
  EXPECT_EQ(grid[1], 9);
  EXPECT_EQ(grid[2], 3);
}
