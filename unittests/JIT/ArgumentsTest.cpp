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
  // Nothing is promised of negative numbers.
  EXPECT_EQ(launch.of(-48), "i32");
  EXPECT_EQ(launch.of(INT32_MIN), "i32");
  EXPECT_EQ(launch.of(INT32_MAX), "i32");
  EXPECT_EQ(launch.of(INT32_MAX + int64_t(1)), "i64:16");
  EXPECT_EQ(launch.of(INT64_MIN), "i64");
  EXPECT_EQ(launch.of(INT64_MAX), "i64");
  EXPECT_EQ(launch.of(ConstValue::integer(llvm::APInt(65, UINT64_MAX))), "u64");
  EXPECT_EQ(launch.of(ConstValue::integer(llvm::APInt(80, 1).shl(63))), "u64");
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

TEST(Arguments, Descriptors) {
  auto describe = [](ScalarKind type, std::vector<uint64_t> shape, std::vector<std::string> block,
                     bool padsWithNaN = false, uint64_t offset = 0, StringRef annotation = "") {
    HostArray array = llvm::cantFail(HostArray::create(type, std::move(shape), offset));
    NamedArgument argument;
    argument.name = "x";
    argument.makeDescriptor(array, std::move(block), padsWithNaN);
    EXPECT_EQ(argument.str(), "a tensor descriptor");
    return Launch(plain, annotation).describe(argument);
  };
  auto bf16 = ScalarKind::BF16;
  // Whether the first size is a multiple of 16 changes nothing; none becomes a constant.
  EXPECT_EQ(describe(bf16, {32, 48}, {"16", "K"}), "(*bf16,(i32,i32:16,),(i64:16,1,),)");
  EXPECT_EQ(describe(bf16, {1, 1, 8}, {"1", "1", "8"}), "(*bf16,(i32,i32,i32,),(i64,i64,1,),)");
  EXPECT_EQ(describe(ScalarKind::FP32, {64}, {"4"}, true), "(*fp32,(i32:16,),(1,),)");
  EXPECT_EQ(describe(bf16, {32, 48}, {"16", "K"}, false, 0, ": tl.const"),
            "(*kbf16,(i32,i32:16,),(i64:16,1,),)");
  auto why = [&](auto... arguments) {
    std::string text = describe(arguments...);
    StringRef message = text;
    EXPECT_TRUE(message.consume_front("error: argument 'x': ")) << text;
    return message.str();
  };
  using Sizes = std::vector<uint64_t>;
  using Block = std::vector<std::string>;
  EXPECT_EQ(why(bf16, Sizes{4, 12}, Block{"4", "8"}),
            "strides of a tensor descriptor must be multiples of 16 bytes, which are 8 elements of "
            "bfloat16, found 12");
  EXPECT_EQ(why(bf16, Sizes{4, 16}, Block{"4", "8"}, false, 1),
            "the address of a tensor descriptor must be a multiple of 16 bytes");
  EXPECT_EQ(why(bf16, Sizes{0, 16}, Block{"4", "8"}),
            "sizes of a tensor descriptor are from 1 to 2**31 - 1, found 0");
  EXPECT_EQ(why(ScalarKind::Int8, Sizes{uint64_t(1) << 31}, Block{"16"}),
            "sizes of a tensor descriptor are from 1 to 2**31 - 1, found 2147483648");
  EXPECT_EQ(why(bf16, Sizes{}, Block{"8"}), "a tensor descriptor has 1 to 5 axes, found none");
  EXPECT_EQ(why(bf16, Sizes{1, 1, 1, 1, 1, 8}, Block{"8"}),
            "a tensor descriptor has 1 to 5 axes, found 6");
  EXPECT_EQ(why(bf16, Sizes{4, 16}, Block{"8"}), "the block has 1 axes, but the array 2");
  EXPECT_EQ(why(ScalarKind::Int32, Sizes{16}, Block{"8"}, true),
            "only floats can be padded with NaN, found int32");
  EXPECT_EQ(why(ScalarKind::Int1, Sizes{16}, Block{"16"}),
            "the elements of a tensor descriptor are numbers of whole bytes, found int1");
  EXPECT_EQ(describe(bf16, {32, 48}, {}),
            "error: the descriptor for 'x' has no block: 'x=desc(ARRAY, [64, 32])' or a type in "
            "--sig gives it one");
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
