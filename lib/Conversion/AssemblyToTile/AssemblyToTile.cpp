//===- AssemblyToTile.cpp - inline assembly as tile operations --*- C++ -*-===//
//
// The pass `tile-translate-assembly`. The elements of a group become the registers that the text
// works on, one tile for each register; the results are put together again the other way round.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToCPU/Passes.h"

#include "Machine.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Dialect/Tile/Analysis/AssemblyForm.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILETRANSLATEASSEMBLY
#include "tilec/Conversion/TileToCPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

class Translator {
public:
  explicit Translator(InlineAsmOp op) : op(op), b(op), loc(op.getLoc()), form(op) {}

  LogicalResult run();

private:
  void findGroups();
  SmallVector<assembly::Argument> arguments() const;
  int64_t numberOf(const AssemblyForm::Part &part, Value arg) const;
  SmallVector<Value> wordsOf(const AssemblyForm::Part &part, Value arg);
  SmallVector<Value> elementsOf(Value arg);
  Value resultOf(const AssemblyForm::Part &part, ArrayRef<Value> words, Type type);
  Value unpacked(const AssemblyForm::Part &part, ArrayRef<Value> words);
  Value spread(Value line, Type rows, int32_t axis);
  Value toBits(Value value);
  Value fromBits(Value bits, Type type);

  InlineAsmOp op;
  OpBuilder b;
  Location loc;
  AssemblyForm form;
  Type shape;       // of operands and results
  Type groups;      // a tile, or scalar, with an element for each group
  int64_t size = 1; // elements of a group that differ
};

} // namespace

//===----------------------------------------------------------------------===//
// Elements and registers
//===----------------------------------------------------------------------===//

/// What registers hold has the shape of `groups`.
void Translator::findGroups() {
  for (Type type : llvm::concat<const Type>(op.getArgs().getTypes(), op.getResultTypes()))
    if (!shape)
      shape = type;
  groups = shape = shape ? cloneWithElement(shape, b.getI32Type()) : b.getI32Type();
  auto tileType = dyn_cast<RankedTensorType>(shape);
  if (!tileType || op.getPack() == 1)
    return;
  size = std::min<int64_t>(op.getPack(), tileType.getNumElements());
  groups = RankedTensorType::get({tileType.getNumElements() / size}, b.getI32Type());
}

/// The bits of elements: integers, of which a truth value has 8.
Value Translator::toBits(Value value) {
  Type element = elementOf(value.getType());
  Type bits = cloneWithElement(value.getType(), b.getIntegerType(8 * byteSize(element)));
  if (isa<PtrType>(element))
    return b.createOrFold<PtrToIntOp>(loc, bits, value);
  if (isa<FloatType>(element))
    return b.createOrFold<arith::BitcastOp>(loc, bits, value);
  return bits == value.getType() ? value : b.createOrFold<arith::ExtUIOp>(loc, bits, value);
}

Value Translator::fromBits(Value bits, Type type) {
  Type element = elementOf(type);
  if (isa<PtrType>(element))
    return b.createOrFold<IntToPtrOp>(loc, type, bits);
  if (isa<FloatType>(element))
    return b.createOrFold<arith::BitcastOp>(loc, type, bits);
  return bits.getType() == type ? bits : b.createOrFold<arith::TruncIOp>(loc, type, bits);
}

/// The elements of each group, one tile for each place in it.
SmallVector<Value> Translator::elementsOf(Value arg) {
  Value bits = toBits(arg);
  SmallVector<Value> elements(op.getPack(), bits);
  if (op.getPack() == 1 || !isa<RankedTensorType>(shape))
    return elements;
  int64_t count = cast<RankedTensorType>(groups).getDimSize(0);
  auto type = RankedTensorType::get({count, size}, elementOf(bits.getType()));
  Value rows = b.createOrFold<ReshapeOp>(loc, type, bits);
  Type line = RankedTensorType::get({count}, type.getElementType());
  for (auto [place, element] : llvm::enumerate(elements))
    element = int64_t(place) < size ? b.createOrFold<TakeOp>(loc, line, rows, 1, int32_t(place))
                                    : elements[place % size]; // Copies fill the group up.
  return elements;
}

/// The registers of an operand.
SmallVector<Value> Translator::wordsOf(const AssemblyForm::Part &part, Value arg) {
  SmallVector<Value> elements = elementsOf(arg);
  assembly::Code code(b, loc, groups);
  unsigned elementBits = assembly::Code::bitsOf(elements[0]);
  unsigned perWord = part.words.bits / elementBits;
  SmallVector<Value> words;
  for (unsigned i = 0; i < part.words.count; ++i) {
    Value word = code.resize(elements[i * perWord], part.words.bits);
    for (unsigned k = 1; k < perWord; ++k) {
      Value element = code.resize(elements[i * perWord + k], part.words.bits);
      word = code.bitOr(word, code.shiftLeft(element, k * elementBits));
    }
    unsigned bits = form.types[part.first + i].getIntOrFloatBitWidth();
    words.push_back(code.resize(word, bits));
  }
  return words;
}

/// Row `i` of the result has the elements of `line` at `i`, in all columns; or the other way round.
Value Translator::spread(Value line, Type rows, int32_t axis) {
  Type element = elementOf(line.getType());
  int64_t count = cast<RankedTensorType>(line.getType()).getDimSize(0);
  SmallVector<int64_t> thin = {count, count};
  thin[axis] = 1;
  Value expanded =
      b.createOrFold<ExpandDimsOp>(loc, RankedTensorType::get(thin, element), line, axis);
  return b.createOrFold<BroadcastOp>(loc, cloneWithElement(rows, element), expanded);
}

/// The elements of groups as rows: each takes its bits from one of the words.
Value Translator::unpacked(const AssemblyForm::Part &part, ArrayRef<Value> words) {
  unsigned elementBits = 8 * byteSize(part.element), perWord = part.words.bits / elementBits;
  auto rows =
      RankedTensorType::get({cast<RankedTensorType>(groups).getDimSize(0), size}, b.getI32Type());
  Value range =
      b.createOrFold<MakeRangeOp>(loc, RankedTensorType::get({size}, b.getI32Type()), 0, size);
  Value place = spread(range, rows, 0);
  assembly::Code code(b, loc, rows);
  Value result = spread(words[0], rows, 1);
  for (unsigned i = 1; i < words.size() && int64_t(i * perWord) < size; ++i) {
    Value isHere = code.compare(arith::CmpIPredicate::uge, place, i * perWord);
    result = code.select(isHere, spread(words[i], rows, 1), result);
  }
  if (perWord > 1) {
    Value by = code.mul(code.bitAnd(place, perWord - 1), code.number(32, elementBits));
    result = code.shiftRight(result, by, /*isSigned=*/false);
  }
  return code.resize(result, elementBits);
}

Value Translator::resultOf(const AssemblyForm::Part &part, ArrayRef<Value> registers, Type type) {
  assembly::Code code(b, loc, groups);
  auto words = llvm::map_to_vector(
      registers, [&](Value value) { return code.resize(value, part.words.bits); });
  unsigned elementBits = 8 * byteSize(part.element);
  if (op.getPack() == 1 || !isa<RankedTensorType>(type))
    return fromBits(code.resize(words[0], elementBits), type);
  Value bits = b.createOrFold<ReshapeOp>(loc, cloneWithElement(type, b.getIntegerType(elementBits)),
                                         unpacked(part, words));
  return fromBits(bits, type);
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// The number that the text has in place of an operand.
int64_t Translator::numberOf(const AssemblyForm::Part &part, Value arg) const {
  llvm::APInt element = knownNumber(arg)->zext(8 * byteSize(part.element));
  llvm::APInt word = llvm::APInt::getSplat(part.words.bits, element);
  return word.getSExtValue();
}

SmallVector<assembly::Argument> Translator::arguments() const {
  SmallVector<assembly::Argument> result;
  for (Type type : form.types)
    result.push_back({type.getIntOrFloatBitWidth(), {}, form.tiedTo(unsigned(result.size()))});
  for (auto [part, arg] : llvm::zip(form.operands, op->getOperands()))
    for (unsigned i = part.first; i < part.first + part.words.count; ++i)
      if (form.isNumber(i))
        result[i].number = numberOf(part, arg);
  return result;
}

LogicalResult Translator::run() {
  if (failed(form.check()))
    return failure();
  findGroups();
  SmallVector<assembly::Argument> arguments = this->arguments();
  auto read = assembly::readAssembly(op.getAsmText(), arguments);
  if (auto *problem = std::get_if<std::string>(&read))
    return emitError(loc) << "inline assembly: " << *problem;
  const auto &program = std::get<assembly::Program>(read);
  // Registers of operands are numbered in order, but for those that have a result's.
  SmallVector<unsigned> registerOf;
  unsigned numRegisters = 0;
  for (const assembly::Argument &argument : arguments)
    registerOf.push_back(argument.sameAs ? registerOf[*argument.sameAs] : numRegisters++);
  std::vector<Value> registers(program.registers.size());
  for (auto [part, arg] : llvm::zip(form.operands, op.getArgs()))
    for (auto [i, word] : llvm::enumerate(wordsOf(part, arg)))
      registers[registerOf[part.first + i]] = word;
  assembly::Machine machine(op, assembly::Code(b, loc, groups), program, std::move(registers));
  if (failed(machine.run()))
    return failure();
  SmallVector<Value> results;
  for (auto [part, type] : llvm::zip(form.results, op.getResultTypes())) {
    SmallVector<Value> words;
    for (unsigned i = 0; i < part.words.count; ++i)
      words.push_back(machine.valueOf(registerOf[part.first + i]));
    results.push_back(resultOf(part, words, type));
  }
  op->replaceAllUsesWith(results);
  op.erase();
  return success();
}

namespace {

struct TranslateAssembly : tilec::tile::impl::TileTranslateAssemblyBase<TranslateAssembly> {
  using TileTranslateAssemblyBase::TileTranslateAssemblyBase;

  void runOnOperation() override {
    SmallVector<InlineAsmOp> ops;
    getOperation().walk([&](InlineAsmOp op) { ops.push_back(op); });
    if (ops.empty())
      return markAllAnalysesPreserved();
    bool isGood = true;
    for (InlineAsmOp op : ops)
      isGood &= succeeded(Translator(op).run());
    numTranslated += ops.size();
    if (!isGood)
      signalPassFailure();
  }
};

} // namespace
