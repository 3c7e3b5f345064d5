//===- SplitVectorsTest.cpp - Tests of vectors to registers -----*- C++ -*-===//
//
// What the pass leaves for typical code, and, since it must not change what a function computes,
// random functions run on the host before and after it.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"
#include "ParseModule.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace llvm;

/// The text of @f after the pass and the removal of dead code.
static std::string split(StringRef text) {
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule(text, context);
  if (!module)
    return "";
  Function &function = *module->getFunction("f");
  tilec::splitVectors(function);
  std::string result;
  raw_string_ostream stream(result);
  if (verifyFunction(function, &stream))
    return "invalid: " + result;
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      changed |= RecursivelyDeleteTriviallyDeadInstructions(&instruction);
  }
  function.print(stream);
  return result;
}

static ::testing::AssertionResult has(StringRef text, StringRef what, size_t times) {
  if (text.count(what) == times)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text.count(what) << " of '" << what.str() << "' in:\n"
                                       << text.str();
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

TEST(SplitVectors, KeepsAccessesAndSplitsArithmetic) {
  std::string text = split("define void @f(ptr %p, <4 x float> %x) {\n"
                           "%a = load <4 x float>, ptr %p\n%b = fmul nnan <4 x float> %a, %x\n"
                           "store <4 x float> %b, ptr %p\nret void }");
  EXPECT_TRUE(has(text, "load <4 x float>", 1));
  EXPECT_TRUE(has(text, "fmul nnan float", 4));
  EXPECT_TRUE(has(text, "store <4 x float>", 1));
}

TEST(SplitVectors, KeepsPairsOfHalves) {
  std::string text = split("define void @f(ptr %p, <5 x half> %x) {\n"
                           "%a = load <5 x half>, ptr %p\n%b = fmul <5 x half> %a, %x\n"
                           "%c = fpext <5 x half> %b to <5 x float>\n"
                           "store <5 x float> %c, ptr %p\nret void }");
  EXPECT_TRUE(has(text, "fmul <2 x half>", 2));
  EXPECT_TRUE(has(text, "fmul half", 1));
  EXPECT_TRUE(has(text, "fpext <2 x half>", 2));
  EXPECT_TRUE(has(text, "fpext half", 1));
}

TEST(SplitVectors, DropsElementsThatNobodyReads) {
  std::string text = split("define ptr @f(ptr %p, <64 x i32> %i) {\n"
                           "%o = add nsw <64 x i32> %i, splat (i32 7)\n"
                           "%q = getelementptr inbounds float, ptr %p, <64 x i32> %o\n"
                           "%e = extractelement <64 x ptr> %q, i64 5\nret ptr %e }");
  EXPECT_TRUE(has(text, "add nsw i32", 1));
  EXPECT_TRUE(has(text, "getelementptr inbounds float, ptr %p, i32", 1));
  EXPECT_TRUE(has(text, "extractelement", 1));
}

TEST(SplitVectors, SplitsComparisonsAndSelections) {
  std::string text = split("define void @f(ptr %p, <4 x i32> %a, i1 %s) {\n"
                           "%m = icmp slt <4 x i32> %a, zeroinitializer\n"
                           "%b = select <4 x i1> %m, <4 x i32> %a, <4 x i32> splat (i32 9)\n"
                           "%c = select i1 %s, <4 x i32> %b, <4 x i32> %a\n"
                           "store <4 x i32> %c, ptr %p\nret void }");
  EXPECT_TRUE(has(text, "icmp slt i32", 4));
  EXPECT_TRUE(has(text, "select i1 ", 8));
  EXPECT_TRUE(has(text, "select i1 %s", 4));
}

TEST(SplitVectors, SplitsLoopsAndIntrinsics) {
  std::string text =
      split("define <2 x float> @f(ptr %p, i32 %n) {\nentry: br label %loop\n"
            "loop:\n%i = phi i32 [0, %entry], [%j, %loop]\n"
            "%s = phi <2 x float> [zeroinitializer, %entry], [%t, %loop]\n"
            "%x = load <2 x float>, ptr %p\n"
            "%t = call nsz <2 x float> @llvm.maxnum.v2f32(<2 x float> %s, <2 x float> %x)\n"
            "%j = add i32 %i, 1\n%c = icmp slt i32 %j, %n\n"
            "br i1 %c, label %loop, label %end\nend: ret <2 x float> %t }\n");
  EXPECT_TRUE(has(text, "phi float", 2));
  EXPECT_TRUE(has(text, "call nsz float @llvm.maxnum.f32", 2));
  EXPECT_TRUE(has(text, "phi <2", 0));
}

TEST(SplitVectors, CastsPairsFromWords) {
  std::string text = split("define void @f(ptr %p, <4 x i32> %a) {\n"
                           "%b = bitcast <4 x i32> %a to <8 x half>\n"
                           "%c = fadd <8 x half> %b, %b\n%d = bitcast <8 x half> %c to <4 x i32>\n"
                           "store <4 x i32> %d, ptr %p\nret void }");
  EXPECT_TRUE(has(text, "bitcast i32", 4));
  EXPECT_TRUE(has(text, "fadd <2 x half>", 4));
  EXPECT_TRUE(has(text, "bitcast <2 x half>", 4));
  EXPECT_TRUE(has(text, "<8 x half>", 0));
}

TEST(SplitVectors, LeavesWhatIsOutOfRange) {
  std::string text = split("define i32 @f(<4 x i32> %a, i32 %i) {\n"
                           "%b = add <4 x i32> %a, %a\n%c = extractelement <4 x i32> %b, i32 %i\n"
                           "%d = extractelement <4 x i32> %b, i64 99\n"
                           "%e = insertelement <4 x i32> %b, i32 %c, i32 %i\n"
                           "%g = insertelement <4 x i32> %e, i32 %d, i64 -1\n"
                           "%h = extractelement <4 x i32> %g, i32 0\nret i32 %h }");
  EXPECT_TRUE(has(text, "add i32", 4));
  EXPECT_TRUE(has(text, "i64 99", 1));
  EXPECT_TRUE(has(text, "i64 -1", 1));
}

TEST(SplitVectors, SurvivesUnreachableCode) {
  std::string text = split("define void @f(ptr %p) {\nret void\n"
                           "dead:\n%a = phi <4 x i32> [%b, %dead]\n"
                           "%b = add <4 x i32> %a, %b\nstore <4 x i32> %b, ptr %p\n"
                           "br label %dead }");
  EXPECT_TRUE(has(text, "add", 0));
}

// Analyses that are kept would still have its blocks.
TEST(SplitVectors, ReportsThatOnlyALoopWent) {
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule("define void @f(i1 %c) {\n"
                                               "br i1 false, label %loop, label %end\n"
                                               "loop:\nbr i1 %c, label %loop, label %end\n"
                                               "end:\nret void }",
                                               context);
  ASSERT_TRUE(module);
  Function &function = *module->getFunction("f");
  EXPECT_TRUE(tilec::splitVectors(function));
  EXPECT_EQ(function.size(), 2u);
  EXPECT_FALSE(tilec::splitVectors(function));
}

TEST(SplitVectors, TakesLinearTimeForChains) {
  // 4096 insertions; quadratic work would be 16 million instructions.
  LLVMContext context;
  Module module("m", context);
  IRBuilder<> builder(context);
  auto *type = FixedVectorType::get(builder.getInt32Ty(), 4096);
  Function *function = Function::Create(FunctionType::get(type, {builder.getInt32Ty()}, false),
                                        GlobalValue::ExternalLinkage, "f", module);
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  Value *vector = PoisonValue::get(type);
  for (unsigned i = 0; i != 4096; ++i)
    vector = builder.CreateInsertElement(vector, function->getArg(0), uint64_t(i));
  builder.CreateRet(builder.CreateAdd(vector, vector));
  tilec::splitVectors(*function);
  EXPECT_FALSE(verifyFunction(*function, &errs()));
  EXPECT_EQ(function->getInstructionCount(), 4096u * 2 + 1);
}

//===----------------------------------------------------------------------===//
// Random functions
//===----------------------------------------------------------------------===//

namespace {

/// Writes functions void(ptr in, ptr out) that compute on vectors and store every result.
class Generator {
public:
  Generator(Module &module, unsigned seed)
      : module(module), random(seed), builder(module.getContext()) {}

  /// Returns the function and how many bytes it writes.
  std::pair<Function *, unsigned> make(const Twine &name);

  static constexpr unsigned inputBytes = 512;

private:
  unsigned below(unsigned bound) {
    return std::uniform_int_distribution<unsigned>(0, bound - 1)(random);
  }
  Type *elementType();
  FixedVectorType *type();
  Value *any(Type *type);
  Value *load(FixedVectorType *type);
  void step();
  Value *binary(Value *a, Value *b);
  Value *chosen(Value *a, Value *b);
  Value *shuffled(Value *a, Value *b);
  Value *edited(Value *a, Value *b);
  Value *converted(Value *a);
  Value *called(Value *a, Value *b);
  void branch();
  void loop();

  Module &module;
  std::mt19937 random;
  IRBuilder<> builder;
  Function *function = nullptr;
  std::vector<Value *> values; // Vectors that are defined here.
};

} // namespace

Type *Generator::elementType() {
  switch (below(6)) {
  case 0:
    return builder.getInt8Ty();
  case 1:
    return builder.getInt16Ty();
  case 2:
    return builder.getInt32Ty();
  case 3:
    return builder.getHalfTy();
  case 4:
    return builder.getDoubleTy();
  default:
    return builder.getFloatTy();
  }
}

FixedVectorType *Generator::type() {
  constexpr unsigned counts[] = {1, 2, 3, 4, 5, 8, 16};
  return FixedVectorType::get(elementType(), counts[below(7)]);
}

Value *Generator::load(FixedVectorType *type) {
  Value *pointer = builder.CreateConstGEP1_32(builder.getInt8Ty(), function->getArg(0), below(300));
  return builder.CreateAlignedLoad(type, pointer, Align(1));
}

/// A value of \p wanted that is at hand, else a new one.
Value *Generator::any(Type *wanted) {
  for (unsigned tries = 0; tries != 8 && !values.empty(); ++tries)
    if (Value *value = values[below(values.size())]; value->getType() == wanted)
      return value;
  if (below(4) == 0)
    return wanted->isFPOrFPVectorTy() ? ConstantFP::get(wanted, below(9) - 4.0)
                                      : ConstantInt::get(wanted, below(100));
  return load(cast<FixedVectorType>(wanted));
}

Value *Generator::binary(Value *a, Value *b) {
  if (a->getType()->isFPOrFPVectorTy())
    switch (below(4)) {
    case 0:
      return builder.CreateFAdd(a, b);
    case 1:
      return builder.CreateFSub(a, b);
    case 2:
      return builder.CreateFNeg(a);
    default:
      return builder.CreateFMul(a, b);
    }
  switch (below(5)) {
  case 0:
    return builder.CreateAdd(a, b);
  case 1:
    return builder.CreateMul(a, b);
  case 2:
    return builder.CreateXor(a, b);
  case 3:
    return builder.CreateLShr(a, ConstantInt::get(a->getType(), below(8)));
  default:
    return builder.CreateSub(a, b);
  }
}

Value *Generator::chosen(Value *a, Value *b) {
  Value *mask =
      a->getType()->isFPOrFPVectorTy() ? builder.CreateFCmpOLT(a, b) : builder.CreateICmpSLT(a, b);
  if (below(3) == 0)
    mask = builder.CreateExtractElement(mask, uint64_t(0));
  return builder.CreateSelect(mask, a, b);
}

Value *Generator::shuffled(Value *a, Value *b) {
  unsigned count = cast<FixedVectorType>(a->getType())->getNumElements();
  constexpr unsigned counts[] = {1, 2, 4, 8};
  SmallVector<int, 8> mask(counts[below(4)]);
  for (int &index : mask)
    index = below(2 * count);
  if (below(2)) // Whole pairs.
    for (size_t i = 0; i + 1 < mask.size() && count > 1; i += 2) {
      mask[i] = below(count) / 2 * 2;
      mask[i + 1] = mask[i] + 1;
    }
  return builder.CreateShuffleVector(a, b, mask);
}

Value *Generator::edited(Value *a, Value *b) {
  unsigned count = cast<FixedVectorType>(a->getType())->getNumElements();
  Value *index = builder.getInt32(below(count));
  if (below(4) == 0) // An index that is not constant.
    index = builder.CreateURem(builder.CreateLoad(builder.getInt32Ty(), function->getArg(0)),
                               builder.getInt32(count));
  Value *element = builder.CreateExtractElement(b, index);
  for (unsigned i = 0, e = below(4) + 1; i != e; ++i)
    a = builder.CreateInsertElement(a, element, uint64_t(below(count)));
  return below(2) ? a : builder.CreateInsertElement(a, element, index);
}

Value *Generator::converted(Value *a) {
  auto *from = cast<FixedVectorType>(a->getType());
  unsigned bits = from->getPrimitiveSizeInBits().getFixedValue();
  if (below(3) == 0) // The same bits as other elements.
    for (Type *element : std::initializer_list<Type *>{builder.getHalfTy(), builder.getFloatTy(),
                                                       builder.getInt16Ty()})
      if (below(2) && bits % element->getPrimitiveSizeInBits() == 0)
        return builder.CreateBitCast(
            a, FixedVectorType::get(element, bits / element->getPrimitiveSizeInBits()));
  Type *to = FixedVectorType::get(elementType(), from->getNumElements());
  bool fromFloat = from->isFPOrFPVectorTy(), toFloat = to->isFPOrFPVectorTy();
  if (fromFloat && toFloat)
    return builder.CreateFPCast(a, to);
  if (fromFloat) // Saturating, since what does not fit is poison.
    return builder.CreateIntrinsic(Intrinsic::fptosi_sat, {to, from}, {a});
  return toFloat ? builder.CreateSIToFP(a, to) : builder.CreateIntCast(a, to, below(2));
}

Value *Generator::called(Value *a, Value *b) {
  if (a->getType()->isFPOrFPVectorTy())
    return below(2) ? builder.CreateUnaryIntrinsic(Intrinsic::fabs, a)
                    : builder.CreateIntrinsic(Intrinsic::copysign, {a->getType()}, {a, b});
  if (below(2))
    return builder.CreateIntrinsic(Intrinsic::ctlz, {a->getType()}, {a, builder.getFalse()});
  return builder.CreateBinaryIntrinsic(Intrinsic::umin, a, b);
}

/// Adds one value.
void Generator::step() {
  Value *a =
      any(values.empty() || below(4) == 0 ? type() : values[below(values.size())]->getType());
  Value *b = any(a->getType());
  Value *(Generator::*const makers[])(Value *, Value *) = {&Generator::binary, &Generator::chosen,
                                                           &Generator::shuffled, &Generator::edited,
                                                           &Generator::called};
  unsigned kind = below(7);
  values.push_back(kind < 5 ? (this->*makers[kind])(a, b) : converted(a));
}

/// Two sides that meet in a phi.
void Generator::branch() {
  Value *a = any(type()), *b = any(a->getType());
  Value *condition = builder.CreateICmpSLT(
      builder.CreateLoad(builder.getInt32Ty(), function->getArg(0)), builder.getInt32(below(2)));
  BasicBlock *from = builder.GetInsertBlock();
  auto *then = BasicBlock::Create(module.getContext(), "", function);
  auto *end = BasicBlock::Create(module.getContext(), "", function);
  builder.CreateCondBr(condition, then, end);
  builder.SetInsertPoint(then);
  Value *other = binary(a, b);
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  PHINode *phi = builder.CreatePHI(a->getType(), 2);
  phi->addIncoming(other, then);
  phi->addIncoming(b, from);
  values.push_back(phi);
}

/// Three iterations that carry two vectors, which are swapped.
void Generator::loop() {
  Value *a = any(type()), *b = any(a->getType());
  BasicBlock *from = builder.GetInsertBlock();
  auto *body = BasicBlock::Create(module.getContext(), "", function);
  auto *end = BasicBlock::Create(module.getContext(), "", function);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  PHINode *turn = builder.CreatePHI(builder.getInt32Ty(), 2);
  PHINode *left = builder.CreatePHI(a->getType(), 2), *right = builder.CreatePHI(a->getType(), 2);
  Value *next = builder.CreateAdd(turn, builder.getInt32(1));
  Value *sum = below(2) ? binary(left, right) : edited(left, right);
  turn->addIncoming(builder.getInt32(0), from);
  turn->addIncoming(next, body);
  left->addIncoming(a, from);
  left->addIncoming(right, body);
  right->addIncoming(b, from);
  right->addIncoming(sum, body);
  builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt32(3)), body, end);
  builder.SetInsertPoint(end);
  values.push_back(left);
  values.push_back(sum);
}

std::pair<Function *, unsigned> Generator::make(const Twine &name) {
  Type *pointer = builder.getPtrTy();
  function = Function::Create(FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false),
                              GlobalValue::ExternalLinkage, name, module);
  values.clear();
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  for (unsigned i = 0; i != 12; ++i) {
    unsigned kind = below(8);
    if (kind == 0)
      branch();
    else if (kind == 1)
      loop();
    else
      step();
  }
  unsigned offset = 0;
  for (Value *value : values) {
    builder.CreateAlignedStore(
        value, builder.CreateConstGEP1_32(builder.getInt8Ty(), function->getArg(1), offset),
        Align(1));
    offset += module.getDataLayout().getTypeStoreSize(value->getType());
  }
  builder.CreateRetVoid();
  return {function, offset};
}

/// Puts small numbers of every type into the input; no NaN, whose bits an operation may change.
static std::vector<char> makeInput(std::mt19937 &random) {
  std::vector<char> input(Generator::inputBytes);
  for (char &byte : input)
    byte = random() & 0x3b;
  return input;
}

TEST(SplitVectors, ComputesTheSame) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  auto context = std::make_unique<LLVMContext>();
  auto module = std::make_unique<Module>("random", *context);
  module->setDataLayout((*jit)->getDataLayout());
  constexpr unsigned count = 200;
  Generator generator(*module, /*seed=*/20260101);
  std::vector<unsigned> sizes;
  std::vector<std::string> texts;
  for (unsigned i = 0; i != count; ++i) {
    auto [function, size] = generator.make("whole" + Twine(i));
    ASSERT_FALSE(verifyFunction(*function, &errs()));
    sizes.push_back(size);
    ValueToValueMapTy map;
    Function *copy = CloneFunction(function, map);
    copy->setName("split" + Twine(i));
    tilec::splitVectors(*copy);
    std::string text;
    raw_string_ostream stream(text);
    function->print(stream);
    copy->print(stream);
    texts.push_back(text);
    ASSERT_FALSE(verifyFunction(*copy, &errs())) << text;
  }
  ASSERT_FALSE(bool((*jit)->addIRModule({std::move(module), std::move(context)})));
  std::mt19937 random(7);
  for (unsigned i = 0; i != count; ++i) {
    using Kernel = void(const void *, void *);
    auto whole = (*jit)->lookup("whole" + std::to_string(i));
    auto split = (*jit)->lookup("split" + std::to_string(i));
    ASSERT_TRUE(whole && split);
    for (unsigned run = 0; run != 4; ++run) {
      std::vector<char> input = makeInput(random), a(sizes[i], 1), b(sizes[i], 2);
      whole->toPtr<Kernel *>()(input.data(), a.data());
      split->toPtr<Kernel *>()(input.data(), b.data());
      ASSERT_EQ(a, b) << texts[i];
    }
  }
}
