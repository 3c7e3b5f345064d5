//===- RequirementTest.cpp - What must hold for a launch -------*- C++ -*-===//

#include "tilec/Language/Requirement.h"
#include "SyntaxTestSupport.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Conditions of the kernel `k(x, n, shape, BLOCK)`.
class RequirementTest : public ::testing::Test {
protected:
  std::optional<Requirement> parse(StringRef text) {
    return parseRequirement(text, "require", *kernel, source.sourceMgr, source.engine);
  }
  /// What the check says of these values; "" if all is well.
  std::string check(const std::vector<Requirement> &requirements,
                    const llvm::StringMap<ConstValue> &values) {
    return llvm::toString(
        checkRequirements("k", requirements, [&](StringRef name) -> const ConstValue * {
          auto found = values.find(name);
          return found == values.end() ? nullptr : &found->second;
        }));
  }
  static ConstValue number(int64_t value) { return ConstValue::integer(value); }
  static KernelParam parameter(const char *name, const char *path, std::optional<int64_t> atMost) {
    KernelParam result;
    result.name = name;
    result.path = path;
    result.atMost = atMost;
    return result;
  }

  test::Source source{"import triton\nimport triton.language as tl\n"
                      "@triton.jit\ndef k(x, n, shape, BLOCK: tl.constexpr):\n    pass\n"};
  const ast::FunctionDef *kernel = source.parse()->findFunction("k");
};

} // namespace

TEST_F(RequirementTest, namesWhatDoesNotHold) {
  std::optional<Requirement> covers = parse("  n <= BLOCK\n"), even = parse("shape[1] % 2 == 0");
  ASSERT_TRUE(covers && even);
  EXPECT_EQ(covers->text, "n <= BLOCK");
  ConstValue shape = ConstValue::tuple({number(4), number(5)});
  EXPECT_EQ(check({*covers}, {{"n", number(64)}, {"BLOCK", number(64)}}), "");
  EXPECT_EQ(check({*covers}, {{"n", number(65)}, {"BLOCK", number(64)}}),
            "kernel 'k' requires n <= BLOCK, but is launched with n=65, BLOCK=64");
  EXPECT_EQ(check({*covers, *even}, {{"n", number(1)}, {"BLOCK", number(64)}, {"shape", shape}}),
            "kernel 'k' requires shape[1] % 2 == 0, but is launched with shape=(4, 5)");
}

TEST_F(RequirementTest, saysWhatCannotBeComputed) {
  std::optional<Requirement> ratio = parse("8 // n > 1");
  ASSERT_TRUE(ratio);
  EXPECT_EQ(check({*ratio}, {{"n", number(4)}}), "");
  EXPECT_EQ(check({*ratio}, {{"n", number(0)}})
                .find("kernel 'k' requires 8 // n > 1, which cannot be computed: "),
            0u);
}

TEST_F(RequirementTest, errorsHaveAPlace) {
  EXPECT_FALSE(parse("n <= SIZE"));
  EXPECT_FALSE(parse("n <="));
  EXPECT_FALSE(parse("lambda a, b: n"));
  EXPECT_FALSE(parse("n[x] < 3"));
  const std::string &output = source.output();
  for (const char *message :
       {"require:1:6: error: kernel 'k' has no parameter 'SIZE'", "require:1:5: error: ",
        "require:1:1: error: expected one parameter of a condition's lambda",
        "require:1:1: error: a condition may use a parameter of the kernel by its name"})
    EXPECT_NE(output.find(message), std::string::npos) << message << "\n" << output;
}

TEST_F(RequirementTest, derivedOnesNameTheConstant) {
  KernelInfo info;
  info.params = {parameter("n", "n", 64), parameter("s.rows", "shape.1", 32),
                 parameter("m", "m", std::nullopt)};
  info.constexprs = {{"BLOCK", "64"}, {"A", "32"}, {"B", "32"}};
  std::vector<Requirement> derived = deriveRequirements(info, {});
  ASSERT_EQ(derived.size(), 2u);
  EXPECT_EQ(derived[0].text, "n <= BLOCK");
  EXPECT_EQ(derived[1].text, "shape[1] <= 32") << "two constants have this value";
  EXPECT_EQ(check({derived[1]}, {{"shape", ConstValue::tuple({number(99), number(32)})}}), "");
  EXPECT_NE(check({derived[1]}, {{"shape", ConstValue::tuple({number(9), number(33)})}}), "");
}

TEST_F(RequirementTest, oneThatAlwaysHoldsTurnsDerivingOff) {
  KernelInfo info;
  info.params = {parameter("n", "n", 64)};
  EXPECT_EQ(deriveRequirements(info, {*parse("n > 0")}).size(), 1u);
  EXPECT_EQ(deriveRequirements(info, {*parse("n > 0"), *parse("True")}).size(), 0u);
  EXPECT_FALSE(parse("False")->isTrivial());
}
