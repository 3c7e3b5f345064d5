//===- GroupDotToGPU.cpp - products by warp groups -------------*- C++ -*-===//
//
// A product of a warp group is one piece of PTX: the fence that orders registers before wgmma, one
// instruction for each 64 rows, up to 256 columns and 32 bytes of the depth, and the commit that
// makes a group of them. LLVM has no intrinsics for these instructions. The sums are tied operands,
// here and at the wait, so that nobody copies or reads them while they are in flight.
//
// Instructions find a factor by a matrix descriptor: strides and swizzle mode, which follow from
// the buffer's map (MatrixAccess.h), and the address of the first element. Where a buffer's map has
// a plan, that address is the sum of what the instruction's row or column and its depth add.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "BufferCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"
#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Target/PTXAssembly.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::layout;

/// What asm takes and gives of a vector of sums: floats, or words of two halves.
static Value registersOf(ThreadCode &code, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (!type.getElementType().isF16())
    return vector;
  auto words = VectorType::get(type.getDimSize(0) / 2, code.builder().getI32Type());
  return LLVM::BitcastOp::create(code.builder(), code.location(), words, vector);
}

static Value vectorOf(ThreadCode &code, Value registers, VectorType type) {
  if (registers.getType() == type)
    return registers;
  return LLVM::BitcastOp::create(code.builder(), code.location(), type, registers);
}

/// For each register of a vector of sums: a result, and an operand in the same register.
static void addResults(SmallVectorImpl<std::string> &constraints, Value registers) {
  auto type = cast<VectorType>(registers.getType());
  constraints.append(size_t(type.getDimSize(0)), type.getElementType().isF32() ? "=f" : "=r");
}

static void addTies(SmallVectorImpl<std::string> &constraints, size_t count) {
  for (size_t number = 0; number < count; ++number)
    constraints.push_back(std::to_string(number));
}

/// The declaration that stands for assembly; PTXAssembly.h says what `isTakenUp` asks for.
static LLVM::LLVMFuncOp declareAssembly(ModuleOp module, StringRef text, StringRef constraints,
                                        LLVM::LLVMFunctionType type, bool isTakenUp) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto attribute = [&](StringRef name, StringRef value) -> Attribute {
    return b.getStrArrayAttr({name, value});
  };
  SmallVector<Attribute> all = {attribute(tilec::kAssemblyTextAttr, text),
                                attribute(tilec::kAssemblyConstraintsAttr, constraints)};
  if (isTakenUp)
    all.push_back(b.getStringAttr(tilec::kAssemblyTakeUpAttr));
  ArrayAttr attributes = b.getArrayAttr(all);
  for (unsigned number = 0;; ++number) {
    std::string name = (tilec::kAssemblyPrefix + llvm::Twine(number)).str();
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!function) {
      function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
      function.setNoUnwind(true);
      function.setPassthroughAttr(attributes);
      return function;
    }
    if (function.getPassthroughAttr() == attributes && function.getFunctionType() == type)
      return function;
  }
}

/// Emits `text`, whose results are vectors like `sums`.
static SmallVector<Value> emitAsm(ThreadCode &code, StringRef text, TypeRange sums,
                                  ArrayRef<Value> inputs, ArrayRef<std::string> constraints,
                                  bool isTakenUp = false) {
  OpBuilder &b = code.builder();
  if (sums.empty()) {
    LLVM::InlineAsmOp::create(b, code.location(), TypeRange(), inputs, text,
                              llvm::join(constraints, ",") + "~{memory}",
                              /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    return {};
  }
  Type result = sums[0];
  if (sums.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(sums));
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp function = declareAssembly(
      module, text, llvm::join(constraints, ",") + ",~{memory}",
      LLVM::LLVMFunctionType::get(result, SmallVector<Type>(ValueRange(inputs).getTypes())),
      isTakenUp);
  Value all = LLVM::CallOp::create(b, code.location(), function, inputs).getResult();
  if (sums.size() == 1)
    return {all};
  SmallVector<Value> values;
  for (size_t index = 0; index < sums.size(); ++index)
    values.push_back(LLVM::ExtractValueOp::create(b, code.location(), all, int64_t(index)));
  return values;
}

/// Waits until at most `pending` products are in flight. The sums come back in the registers that
/// they are in.
static SmallVector<Value> emitWait(ThreadCode &code, int64_t pending, ArrayRef<Value> sums,
                                   bool isTakenUp) {
  SmallVector<std::string> constraints;
  for (Value registers : sums)
    addResults(constraints, registers);
  addTies(constraints, constraints.size());
  return emitAsm(code, "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";",
                 ValueRange(sums).getTypes(), sums, constraints, isTakenUp);
}

namespace {

/// Registers of a thread that an instruction reads of a left factor.
constexpr int64_t kWordsOfStep = 4;
/// Of a warp's number, the bits that count those of a group.
constexpr unsigned kBitsInGroup = llvm::ConstantLog2<tilec::kWarpsPerGroup>();
/// Addresses in descriptors count groups of 16 bytes.
constexpr int64_t kDescriptorUnit = 16;
/// As many bytes of a CTA's shared memory as descriptors can name.
constexpr int64_t kDescribedBytes = 1 << 18;

/// One of the factors in a buffer.
struct GroupFactor {
  BufferType type;
  bool isLeft, isTransposed;

  SharedLayout map() const { return type.getMap().toSharedLayout(); }
  unsigned depthAxis() const { return isLeft != isTransposed ? 1 : 0; }
  std::optional<GroupFactorPlan> plan(int64_t columns) const {
    return planGroupFactor(map(), Shape(type.getShape().begin(), type.getShape().end()),
                           depthAxis(), isLeft ? kGroupRows : columns,
                           unsigned(8 * byteSize(type.getElementType())));
  }
  /// Bytes from the start to the element in row or column `across`, at `depth`.
  int64_t bytesTo(int64_t across, int64_t depth) const {
    int64_t flat = depthAxis() == 1 ? across * type.getShape()[1] + depth
                                    : depth * type.getShape()[1] + across;
    return int64_t(map().offset(uint64_t(flat))) * byteSize(type.getElementType());
  }
};

/// Writes the PTX of one product.
class GroupDotEmitter {
public:
  GroupDotEmitter(GroupDotOp op, GroupDotOp::Adaptor operands, OpBuilder &builder)
      : op(op), operands(operands), b(builder), loc(op.getLoc()), code(builder, op.getLoc()),
        acc(layoutOf(op.getType())), parts(op.getParts().value_or(1)),
        columns(groupColumns(acc, parts)) {}

  /// The sums; null after an error.
  Value emit();

private:
  bool findFactors();
  unsigned addOperand(Value value, StringRef constraint);
  Type addSums(int64_t part);
  Value descriptor(const GroupFactor &factor, Value buffer, Value slot);
  void addLeftRegisters();
  std::string text(int64_t part);
  std::string instruction(uint32_t index, int64_t step, uint32_t firstOfPart);
  Value emitPart(int64_t part, Value rightWord, Value leftWord, Value keepWord);

  uint32_t sumsOfInstruction() const { return uint32_t(columns / kColumnsOfSum); }
  uint32_t numInstructions() const { return acc.numRegisters() / sumsOfInstruction(); }
  uint32_t sumsOfPart() const { return uint32_t(acc.numRegisters() / parts); }
  int64_t elementsIn(int64_t bytes) const {
    return bytes / int64_t(byteSize(right.type.getElementType()));
  }
  /// Elements along the depth of an instruction.
  int64_t stepDepth() const { return elementsIn(kGroupDepthBytes); }
  /// Of the depth, in instructions.
  int64_t firstStep();
  int64_t numSteps();
  std::string typeNames();
  int64_t numRowParts() const;

  GroupDotOp op;
  GroupDotOp::Adaptor operands;
  OpBuilder &b;
  Location loc;
  ThreadCode code;
  LinearLayout acc;
  int64_t parts, columns;
  /// `left` only if it is in a buffer.
  std::optional<GroupFactor> left;
  GroupFactor right;
  /// The numbers of operands: the first word of the left factor or its descriptor; the right one's.
  unsigned leftOperand = 0, rightOperand = 0;
  /// The number of what says whether the sums count, if they do not always.
  std::optional<unsigned> keepOperand;
  SmallVector<Value> inputs;
  SmallVector<std::string> constraints;
};

} // namespace

bool GroupDotEmitter::findFactors() {
  right = {op.getRhs().getType(), /*isLeft=*/false, op.getRhsTransposed()};
  if (auto buffer = dyn_cast<BufferType>(op.getLhs().getType()))
    left = GroupFactor{buffer, /*isLeft=*/true, op.getLhsTransposed()};
  for (const GroupFactor *factor : {&right, left ? &*left : &right})
    if (!factor->type.getMap() || !factor->plan(columns)) {
      op.emitOpError() << "cannot read matrices from " << factor->type;
      return false;
    }
  return true;
}

int64_t GroupDotEmitter::firstStep() { return op.getDepthRange().first / stepDepth(); }

int64_t GroupDotEmitter::numSteps() { return op.getDepthRange().second / stepDepth(); }

/// Of 64 rows each, that a group has.
int64_t GroupDotEmitter::numRowParts() const {
  int64_t parts = acc.shape()[0] / kGroupRows;
  for (auto [bit, step] : llvm::enumerate(acc.bases(InDim::Warp)))
    if (bit >= kBitsInGroup && step[0] != 0)
      parts /= 2;
  return parts;
}

unsigned GroupDotEmitter::addOperand(Value value, StringRef constraint) {
  inputs.push_back(value);
  constraints.push_back(constraint.str());
  return unsigned(constraints.size()) - 1;
}

/// The sums are results, and operands in the same registers unless they start from zero.
Type GroupDotEmitter::addSums(int64_t part) {
  Value sums = operands.getAcc();
  if (parts > 1)
    sums = code.slice(sums, part * sumsOfPart(), sumsOfPart());
  sums = registersOf(code, sums);
  addResults(constraints, sums);
  if (!isZero(op.getAcc())) {
    inputs.push_back(sums);
    addTies(constraints, constraints.size());
  }
  return sums.getType();
}

/// The descriptor of what the first instruction of this thread's group takes.
Value GroupDotEmitter::descriptor(const GroupFactor &factor, Value buffer, Value slot) {
  // All warps of a group take part in each instruction; the bits that number groups follow.
  SmallVector<uint64_t> steps(kWarpBits, 0);
  for (auto [bit, step] : llvm::enumerate(acc.bases(InDim::Warp)))
    steps.push_back(bit < kBitsInGroup ? 0
                                       : uint64_t(factor.bytesTo(step[factor.isLeft ? 0 : 1], 0)));
  Value start = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                         slotAddress(code, buffer, slot, factor.type));
  if (llvm::any_of(steps, [](uint64_t step) { return step != 0; }))
    start = arith::AddIOp::create(b, loc, start, code.linear(code.firstThreadOfWarp(), steps));
  // In a cluster addresses have the rank of their CTA in high bits, which are others in
  // descriptors.
  start = arith::AndIOp::create(b, loc, start, code.i32(kDescribedBytes - 1));
  Value units = arith::ShRUIOp::create(b, loc, start, code.i32(llvm::Log2_64(kDescriptorUnit)));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), units);
  uint64_t fixed = factor.plan(columns)->descriptor;
  Value constant = arith::ConstantIntOp::create(b, loc, b.getI64Type(), int64_t(fixed));
  return arith::OrIOp::create(b, loc, wide, constant);
}

/// Words of neighbours, in the order of the layout: four of each instruction, by steps of the
/// depth, then by rows.
void GroupDotEmitter::addLeftRegisters() {
  leftOperand = unsigned(constraints.size());
  int64_t count = cast<VectorType>(operands.getLhs().getType()).getDimSize(0);
  int64_t each = elementsIn(/*bytes=*/4);
  int64_t inStep = kWordsOfStep * each, inRows = inStep * op.getFullDepth() / stepDepth();
  for (int64_t reg = 0; reg < count; reg += each) {
    int64_t step = reg % inRows / inStep - firstStep();
    if (step >= 0 && step < numSteps())
      addOperand(
          LLVM::BitcastOp::create(b, loc, b.getI32Type(), code.slice(operands.getLhs(), reg, each)),
          "r");
  }
}

/// Of the result and the factors: "f32.bf16.bf16".
std::string GroupDotEmitter::typeNames() {
  Type factor = right.type.getElementType();
  auto name = [&](std::optional<Type> asFloat) {
    return factor.isF32() ? StringRef("tf32") : ptxNameOf(asFloat.value_or(factor));
  };
  return (ptxNameOf(elementOf(op.getType())) + "." + name(op.getLhsFloat()) + "." +
          name(op.getRhsFloat()))
      .str();
}

/// The instruction number `index` of those of one step of the depth, counted from the first one
/// that is multiplied: by columns, then by rows. `firstOfPart` is the first sum among the operands.
std::string GroupDotEmitter::instruction(uint32_t index, int64_t step, uint32_t firstOfPart) {
  uint32_t firstSum = index * sumsOfInstruction();
  Coords corner = acc.unflatten(acc.applyFlat(InDim::Register, firstSum));
  std::string text, sums, lhs = "l";
  int64_t depth = (firstStep() + step) * stepDepth();
  llvm::raw_string_ostream out(text);
  if (left) {
    int64_t bytes = left->bytesTo(corner[0], depth);
    out << llvm::formatv("add.s64 l, ${0}, {1};\n", leftOperand, bytes / kDescriptorUnit);
  } else {
    int64_t rows = int64_t(index) * numRowParts() / numInstructions();
    int64_t word = leftOperand + kWordsOfStep * (rows * numSteps() + step);
    lhs = llvm::formatv("{{${0}, ${1}, ${2}, ${3}}", word, word + 1, word + 2, word + 3);
  }
  int64_t bytes = right.bytesTo(corner[1], depth);
  out << llvm::formatv("add.s64 r, ${0}, {1};\n", rightOperand, bytes / kDescriptorUnit);
  uint32_t perRegister = elementOf(op.getType()).isF16() ? 2 : 1;
  for (uint32_t sum = 0; sum < sumsOfInstruction(); sum += perRegister)
    sums += llvm::formatv("{0}${1}", sum ? ", " : "", (firstSum - firstOfPart + sum) / perRegister);
  out << llvm::formatv("wgmma.mma_async.sync.aligned.m{0}n{1}k{2}.{3} {{{4}}, {5}, r, {6}",
                       kGroupRows, columns, stepDepth(), typeNames(), sums, lhs,
                       step != 0             ? "p"
                       : isZero(op.getAcc()) ? "z"
                       : keepOperand         ? "k"
                                             : "p");
  // Signs of floats; of 16 bits, also which factors in buffers are transposed.
  if (!isa<IntegerType>(elementOf(op.getType())))
    out << ", 1, 1";
  if (byteSize(right.type.getElementType()) == 2) {
    if (left)
      out << (left->plan(columns)->isTransposed ? ", 1" : ", 0");
    out << (right.plan(columns)->isTransposed ? ", 1" : ", 0");
  }
  out << ";\n";
  return text;
}

/// One instruction's sums after the other's: where there are too few registers for all of them,
/// ptxas makes instructions wait for each other, and needs those of one at a time.
std::string GroupDotEmitter::text(int64_t part) {
  std::string text = "{\n.reg .b64 l, r;\n.reg .pred p, z;\n"
                     "setp.eq.b32 p, 0, 0;\nsetp.ne.b32 z, 0, 0;\n";
  if (keepOperand)
    text += llvm::formatv(".reg .pred k;\nsetp.ne.b32 k, ${0}, 0;\n", *keepOperand);
  text += "wgmma.fence.sync.aligned;\n";
  uint32_t ofPart = uint32_t(numInstructions() / parts), first = uint32_t(part) * ofPart;
  for (uint32_t index = first; index < first + ofPart; ++index)
    for (int64_t step = 0; step < numSteps(); ++step)
      text += instruction(index, step, uint32_t(part) * sumsOfPart());
  return text + "wgmma.commit_group.sync.aligned;\n}";
}

/// The sums of one part, from the descriptors of factors and the word that says whether what was
/// there counts; `leftWord` and `keepWord` are null if there is none.
Value GroupDotEmitter::emitPart(int64_t part, Value rightWord, Value leftWord, Value keepWord) {
  inputs.clear();
  constraints.clear();
  Type type = addSums(part);
  rightOperand = addOperand(rightWord, "l");
  if (leftWord)
    leftOperand = addOperand(leftWord, "l");
  else
    addLeftRegisters();
  if (keepWord)
    keepOperand = addOperand(keepWord, "r");
  return emitAsm(code, text(part), type, inputs, constraints)[0];
}

Value GroupDotEmitter::emit() {
  if (!findFactors())
    return {};
  Value rightWord = descriptor(right, operands.getRhs(), operands.getRhsSlot()), leftWord, keepWord;
  if (left)
    leftWord = descriptor(*left, operands.getLhs(), operands.getLhsSlot());
  if (op.getKeep())
    keepWord = arith::ExtUIOp::create(b, loc, b.getI32Type(), operands.getKeep());
  auto type = cast<VectorType>(operands.getAcc().getType());
  if (parts == 1)
    return vectorOf(code, emitPart(0, rightWord, leftWord, keepWord), type);
  auto typeOfPart = VectorType::get(sumsOfPart(), type.getElementType());
  SmallVector<Value> sums;
  for (int64_t part = 0; part < parts; ++part) {
    Value inFlight = emitPart(part, rightWord, leftWord, keepWord);
    sums.push_back(vectorOf(code, emitWait(code, 0, inFlight, /*isTakenUp=*/true)[0], typeOfPart));
  }
  return code.concat(sums);
}

namespace {

struct GroupDotPattern : OpConversionPattern<GroupDotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GroupDotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value sums = GroupDotEmitter(op, adaptor, rewriter).emit();
    if (!sums)
      return failure();
    rewriter.replaceOp(op, sums);
    return success();
  }
};

struct GroupWaitPattern : OpConversionPattern<GroupWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GroupWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op.getLoc());
    SmallVector<Value> sums;
    for (Value vector : adaptor.getValues())
      sums.push_back(registersOf(code, vector));
    SmallVector<Value> vectors = emitWait(code, op.getPending(), sums, /*isTakenUp=*/false);
    for (auto [done, before] : llvm::zip(vectors, adaptor.getValues()))
      done = vectorOf(code, done, cast<VectorType>(before.getType()));
    rewriter.replaceOp(op, vectors);
    return success();
  }
};

} // namespace

void tilec::tile::populateGroupDotPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<GroupDotPattern, GroupWaitPattern>(converter, patterns.getContext());
}
