//===- OrderRegistersTest.cpp - Tests of the order of arithmetic -*- C++ -*-===//
//
// Arithmetic moves to what needs it, groups stay small, effects keep their order, and a function
// that would need more registers stays as it was.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"
#include "ParseModule.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// The names of @f's values and its stores, in order, after the pass.
static std::string order(StringRef text) {
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule(text, context);
  if (!module)
    return "";
  Function &function = *module->getFunction("f");
  tilec::orderRegisters(function);
  std::string result;
  raw_string_ostream stream(result);
  if (verifyFunction(function, &stream))
    return "invalid: " + result;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (instruction.hasName())
        stream << instruction.getName() << " ";
      else
        stream << instruction.getOpcodeName() << " ";
  return StringRef(result).rtrim().str();
}

TEST(OrderRegistersTest, WorkMovesToItsStore) {
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q, float %a, float %b) {
      %x0 = fadd float %a, 1.0
      %x1 = fadd float %b, 1.0
      %y0 = fmul float %x0, 2.0
      %y1 = fmul float %x1, 2.0
      store float %y0, ptr %p
      store float %y1, ptr %q
      ret void
    })"),
            "x0 y0 store x1 y1 store ret");
}

TEST(OrderRegistersTest, LoadsComeTogether) {
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q, ptr %r) {
      %a = load float, ptr %p
      %x = fadd float %a, 1.0
      %b = load float, ptr %q
      %y = fadd float %b, %x
      store float %y, ptr %r
      ret void
    })"),
            "a b x y store ret");
}

TEST(OrderRegistersTest, WhatIsSharedIsUsedUp) {
  // Two halves take less room than the two floats that both stores need.
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q, float %a, float %b) {
      %x = fmul float %a, %b
      %y = fmul float %x, %a
      %xh = fptrunc float %x to half
      %t = fadd float %y, %x
      %th = fptrunc float %t to half
      store half %xh, ptr %p
      store half %xh, ptr %q
      store half %th, ptr %q
      ret void
    })"),
            "x xh store y t th store store ret");
  // What is as wide as what it uses up waits, and so does what needs a load that is still ahead.
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q, float %a, float %b) {
      %x = fmul float %a, %b
      %y = fmul float %x, %a
      %xh = fptrunc float %x to half
      store half %xh, ptr %p
      store half %xh, ptr %q
      store float %y, ptr %q
      ret void
    })"),
            "x xh store store y store ret");
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q, float %a, float %b) {
      %x = fmul float %a, %b
      %xh = fptrunc float %x to half
      store half %xh, ptr %p
      %c = load float, ptr %q
      %y = fmul float %x, %c
      %yh = fptrunc float %y to half
      store half %yh, ptr %q
      ret void
    })"),
            "x xh store c y yh store ret");
  // Nor is anything computed behind a load that could wait for the next one.
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q) {
      %a = load float, ptr %p
      %b = load float, ptr %q
      %x = fptrunc float %a to half
      %y = fptrunc float %b to half
      store half %x, ptr %p
      store half %y, ptr %q
      ret void
    })"),
            "a b x store y store ret");
}

TEST(OrderRegistersTest, ManyRegistersAreFilledOneAfterTheOther) {
  // Forty operands, each a sum of two: together they would take eighty registers before the first
  // sum is made.
  auto text = [](unsigned count) {
    std::string products, sums, operands, types;
    for (unsigned i = 0; i < count; ++i) {
      std::string n = std::to_string(i);
      products +=
          "%x" + n + " = fmul float %a, " + n + ".0\n%y" + n + " = fmul float %b, " + n + ".0\n";
      sums += "%s" + n + " = fadd float %x" + n + ", %y" + n + "\n";
      operands += (i ? ", float %s" : "float %s") + n;
      types += i ? ", float" : "float";
    }
    return "declare void @sink(" + types + ")\ndefine void @f(float %a, float %b) {\n" + products +
           sums + "call void @sink(" + operands + ")\nret void\n}";
  };
  EXPECT_EQ(order(text(40)).substr(0, 21), "x0 y0 s0 x1 y1 s1 x2 ");
  EXPECT_EQ(order(text(20)).substr(0, 15), "x0 y0 x1 y1 x2 ");
}

TEST(OrderRegistersTest, WhatOtherBlocksNeedStaysInItsBlock) {
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, float %a, i1 %c) {
    entry:
      %x = fadd float %a, 1.0
      %y = fadd float %a, 2.0
      store float %y, ptr %p
      br i1 %c, label %then, label %end
    then:
      store float %x, ptr %p
      br label %end
    end:
      ret void
    })"),
            "y store x br store br ret");
}

TEST(OrderRegistersTest, LoopsCarryTheirValues) {
  EXPECT_EQ(order(R"(
    define void @f(ptr %p, ptr %q, i32 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
      %a = load float, ptr %p
      %more = fadd float %sum, %a
      %b = load float, ptr %q
      %next = add i32 %i, 1
      %c = icmp slt i32 %next, %n
      store float %b, ptr %p
      br i1 %c, label %loop, label %end
    end:
      ret void
    })"),
            "br i sum a b store more next c br ret");
}

TEST(OrderRegistersTest, CallsThatSynchroniseKeepTheirOrder) {
  EXPECT_EQ(order(R"(
    declare void @barrier() convergent
    declare float @exchange(float) convergent memory(none) willreturn nounwind
    define void @f(ptr %p, float %a) {
      %x = fadd float %a, 1.0
      %y = call float @exchange(float %a)
      call void @barrier()
      %z = fadd float %x, %y
      store float %z, ptr %p
      ret void
    })"),
            "y call x z store ret");
}

/// Chains of `length` additions on each of `count` parameters, operation by operation, and their
/// sum.
static std::string chains(unsigned count, unsigned length) {
  std::string text;
  raw_string_ostream os(text);
  os << "define void @f(ptr %p, <" << count << " x float> %v) {\n";
  for (unsigned i = 0; i != count; ++i)
    os << "%x" << i << "_0 = extractelement <" << count << " x float> %v, i32 " << i << "\n";
  for (unsigned step = 1; step <= length; ++step)
    for (unsigned i = 0; i != count; ++i)
      os << "%x" << i << "_" << step << " = fmul float %x" << i << "_" << step - 1 << ", %x" << i
         << "_0\n";
  os << "%s0 = fadd float %x0_" << length << ", 0.0\n";
  for (unsigned i = 1; i != count; ++i)
    os << "%s" << i << " = fadd float %s" << i - 1 << ", %x" << i << "_" << length << "\n";
  os << "store float %s" << count - 1 << ", ptr %p\nret void\n}";
  return text;
}

TEST(OrderRegistersTest, AReductionWorksInGroups) {
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule(chains(64, 40), context);
  ASSERT_TRUE(module);
  Function &function = *module->getFunction("f");
  unsigned before = tilec::estimateRegisters(function).registers;
  EXPECT_TRUE(tilec::orderRegisters(function));
  EXPECT_FALSE(verifyFunction(function, &errs()));
  EXPECT_LT(tilec::estimateRegisters(function).registers, before * 7 / 10);
}

TEST(OrderRegistersTest, LoadsThatWouldNeedManyRegistersComeInGroups) {
  // 100 loads, each summed at once: together they would all be live. Two registers are live before,
  // so 46 of the 48 are for loads.
  std::string text;
  raw_string_ostream os(text);
  os << "define void @f(ptr %p) {\n%s0 = load float, ptr %p\n";
  for (int i = 1; i != 100; ++i)
    os << "%q" << i << " = getelementptr float, ptr %p, i32 " << i << "\n%x" << i
       << " = load float, ptr %q" << i << "\n%s" << i << " = fadd float %s" << i - 1 << ", %x" << i
       << "\n";
  os << "store float %s99, ptr %p\nret void\n}";
  std::string loads = "s0 ";
  for (int i = 1; i != 46; ++i)
    loads += "q" + std::to_string(i) + " x" + std::to_string(i) + " ";
  EXPECT_TRUE(StringRef(order(text)).starts_with(loads + "s1 s2 s3 ")) << order(text);
}

/// A loop of `count` sums, each of which takes `steps` instructions, all of one step before those
/// of the next.
static std::string sumsOfLoop(unsigned count, unsigned steps) {
  std::string phis, work, ends;
  for (unsigned i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    phis += "%s" + number + " = phi float [ 0.0, %entry ], [ %n" + number + ", %loop ]\n";
  }
  for (unsigned step = 0; step < steps; ++step)
    for (unsigned i = 0; i < count; ++i) {
      std::string number = std::to_string(i),
                  from = step ? "%x" + std::to_string(step - 1) + "." + number : "%s" + number;
      work += "%x" + std::to_string(step) + "." + number + " = fmul float " + from + ", %a\n";
    }
  for (unsigned i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    ends += "%n" + number + " = fadd float %x" + std::to_string(steps - 1) + "." + number + ", %s" +
            number + "\n";
  }
  return "define void @f(float %a, i1 %c) {\nentry:\nbr label %loop\nloop:\n" + phis + work + ends +
         "br i1 %c, label %loop, label %done\ndone:\nret void\n}";
}

// What only the next iteration needs comes in groups, too: with 200 instructions each, one sum
// after the other.
TEST(OrderRegistersTest, SumsOfLoopsComeOneAfterTheOther) {
  std::string text = order(sumsOfLoop(/*count=*/64, /*steps=*/200));
  EXPECT_LT(text.find(" n0 "), text.find(" x0.1 "));
  EXPECT_LT(text.find(" n1 "), text.find(" x0.2 "));
}

// Short sums keep their order as far as they fit into one group.
TEST(OrderRegistersTest, ShortSumsStayTogether) {
  EXPECT_EQ(order(sumsOfLoop(/*count=*/2, /*steps=*/2)),
            "br s0 s1 x0.0 x0.1 x1.0 x1.1 n0 n1 br ret");
}
