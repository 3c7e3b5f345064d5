//===- ArgumentsTest.cpp - Types and promises from arguments ----*- C++ -*-===//
//
// What a launch makes of each kind of argument, written as the signature that follows.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Arguments.h"
#include "tilec/Language/Parser.h"
#include "gtest/gtest.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Describes one argument `x` of a kernel, given its decorator and the annotation of `x`.
class Launch {
public:
  Launch(StringRef decorator, StringRef annotation)
      : text(("@" + decorator + "\ndef k(x" + annotation + "):\n    pass\n").str()) {}

  std::string describe(const NamedArgument &argument) {
    llvm::SourceMgr sources;
    std::string messages;
    llvm::raw_string_ostream os(messages);
    DiagnosticEngine diagnostics(sources, os);
    unsigned buffer =
        sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "k.py"), llvm::SMLoc());
    ast::Context context;
    ast::Module *module = parseModule(sources, buffer, diagnostics, context);
    KernelRequest request;
    if (!describeArguments(*module->findFunction("k"), argument, Signature(), diagnostics, request))
      return messages.substr(messages.find("error: "),
                             messages.find('\n') - messages.find("error: "));
    if (request.signature.items.empty())
      return "constexpr " + request.constexprs.front().value.str();
    return print(request.signature.items.front());
  }

  static std::string print(const SignatureItem &item) {
    if (item.isTuple) {
      std::string text = item.className + "(";
      for (const SignatureItem &element : item.elements)
        text += print(element) + ",";
      return text + ")";
    }
    bool isMultiple = item.type && item.type->divisibility == 16;
    return item.str() + (isMultiple ? ":16" : "");
  }

  std::string of(ConstValue value) {
    NamedArgument argument;
    argument.name = "x";
    argument.value = std::move(value);
    return describe(argument);
  }

  std::string of(int64_t number) { return of(ConstValue::integer(number)); }

  std::string ofArray(uint64_t offset) {
    HostArray array = llvm::cantFail(HostArray::create(ScalarKind::FP32, {8}, offset));
    NamedArgument argument;
    argument.name = "x";
    argument.array = &array;
    return describe(argument);
  }

private:
  std::string text;
};

const char *const plain = "triton.jit";

TEST(Arguments, Integers) {
  Launch launch(plain, "");
  EXPECT_EQ(launch.of(1), "1");
  EXPECT_EQ(launch.of(17), "i32");
  EXPECT_EQ(launch.of(32), "i32:16");
  EXPECT_EQ(launch.of(0), "i32:16");
  EXPECT_EQ(launch.of(-48), "i32:16");
  EXPECT_EQ(launch.of(INT32_MIN), "i32:16");
  EXPECT_EQ(launch.of(INT32_MAX), "i32");
  EXPECT_EQ(launch.of(INT32_MAX + int64_t(1)), "i64:16");
  EXPECT_EQ(launch.of(INT64_MIN), "i64:16");
  EXPECT_EQ(launch.of(INT64_MAX), "i64");
  EXPECT_EQ(launch.of(ConstValue::integer(llvm::APInt(65, UINT64_MAX))), "u64");
  EXPECT_EQ(launch.of(ConstValue::integer(llvm::APInt(80, 1).shl(63))), "u64:16");
  EXPECT_EQ(launch.of(ConstValue::integer(llvm::APInt(80, 1).shl(64))),
            "error: the argument 'x' needs more than 64 bits");
}

TEST(Arguments, OtherValues) {
  Launch launch(plain, "");
  EXPECT_EQ(launch.of(ConstValue::boolean(true)), "i1");
  EXPECT_EQ(launch.of(ConstValue::real(16)), "fp32");
  EXPECT_EQ(launch.of(ConstValue::none()), "None");
  EXPECT_EQ(launch.of(ConstValue::function("f")), "f");
  EXPECT_EQ(launch.of(ConstValue::string("s")),
            "error: parameter 'x' is not tl.constexpr: expected an array or a number, found 's'");
  EXPECT_EQ(launch.ofArray(0), "*fp32:16");
  EXPECT_EQ(launch.ofArray(4), "*fp32:16");
  EXPECT_EQ(launch.ofArray(1), "*fp32");
}

TEST(Arguments, ConstexprsTakeAnyValue) {
  Launch launch(plain, ": tl.constexpr");
  EXPECT_EQ(launch.of(1), "constexpr 1");
  EXPECT_EQ(launch.of(ConstValue::string("s")), "constexpr 's'");
  EXPECT_EQ(launch.of(ConstValue::function("f")), "constexpr f");
  EXPECT_EQ(launch.ofArray(0),
            "error: parameter 'x' is tl.constexpr: expected a value, found an array");
}

TEST(Arguments, DeclaredTypesKeepThePromise) {
  Launch wide(plain, ": tl.int64"), half(plain, ": 'fp16'"), flag(plain, ": 'u1'");
  EXPECT_EQ(wide.of(1), "i64");
  EXPECT_EQ(wide.of(32), "i64:16");
  EXPECT_EQ(half.of(32), "fp16");
  EXPECT_EQ(flag.of(ConstValue::boolean(true)), "i1");
  EXPECT_EQ(wide.of(ConstValue::boolean(true)), "i64");
  EXPECT_EQ(wide.of(ConstValue::integer(llvm::APInt(80, 1).shl(64) + 1)), "i64");
  EXPECT_EQ(wide.of(ConstValue::none()),
            "error: parameter 'x' is declared as i64, but the argument is None");
  EXPECT_EQ(Launch(plain, ": tl.const").ofArray(0), "*kfp32:16");
  EXPECT_EQ(Launch(plain, ": 'tl.const'").ofArray(0), "*kfp32:16");
  EXPECT_EQ(Launch(plain, ": torch.Tensor").ofArray(0), "*fp32:16");
}

TEST(Arguments, ElementsOfTuples) {
  auto tuple = [](std::vector<ConstValue> elements, std::string name = "") {
    return ConstValue::tuple(std::move(elements), std::move(name));
  };
  auto number = [](int64_t value) { return ConstValue::integer(value); };
  Launch launch(plain, ""), unspecialised("triton.jit(do_not_specialize=['x'])", ""),
      constant(plain, ": tl.const"), typed(plain, ": tl.int64"), fixed(plain, ": tl.constexpr");
  ConstValue nested = tuple({number(1), number(32), tuple({ConstValue::none()}, "Point")});
  EXPECT_EQ(launch.of(nested), "(1,i32:16,Point(None,),)");
  EXPECT_EQ(unspecialised.of(nested), "(1,i32:16,Point(None,),)");
  EXPECT_EQ(launch.of(tuple({})), "()");
  EXPECT_EQ(typed.of(tuple({number(1), number(2)})),
            "error: parameter 'x' is declared as i64, but the argument is the tuple (1, 2)");
  EXPECT_EQ(fixed.of(nested), "constexpr (1, 32, Point(None))");
  EXPECT_EQ(launch.of(tuple({ConstValue::string("s")})),
            "error: parameter 'x' is not tl.constexpr: expected an array or a number, found 's'");

  HostArray array = llvm::cantFail(HostArray::create(ScalarKind::FP32, {8}, 0));
  NamedArgument withArray;
  withArray.name = "x";
  withArray.isTuple = true;
  withArray.elements.resize(2);
  withArray.elements[0].array = &array;
  withArray.elements[1].value = number(7);
  EXPECT_EQ(launch.describe(withArray), "(*fp32:16,i32,)");
  EXPECT_EQ(constant.describe(withArray), "(*fp32:16,i32,)"); // Not *kfp32.
  EXPECT_EQ(fixed.describe(withArray), "error: parameter 'x' is tl.constexpr: expected a value, "
                                       "found (an array, 7)");
}

TEST(Arguments, ListsOfTheDecorator) {
  Launch none("triton.jit(do_not_specialize=['x'])", ""),
      byNumber("triton.jit(do_not_specialize=[0])", ""),
      unaligned("triton.jit(do_not_specialize_on_alignment=('x',))", "");
  EXPECT_EQ(none.of(1), "i32");
  EXPECT_EQ(none.of(32), "i32");
  EXPECT_EQ(none.ofArray(0), "*fp32");
  EXPECT_EQ(none.of(ConstValue::none()), "None");
  EXPECT_EQ(byNumber.of(1), "i32");
  EXPECT_EQ(unaligned.of(1), "1");
  EXPECT_EQ(unaligned.of(32), "i32");
  EXPECT_EQ(unaligned.ofArray(0), "*fp32");
}

} // namespace
