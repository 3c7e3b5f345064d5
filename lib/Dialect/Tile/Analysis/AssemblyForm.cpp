//===- AssemblyForm.cpp - the registers of inline assembly ------*- C++ -*-===//
//
// Reads the constraints of a tile.inline_asm, which say in what registers its operands and results
// are. Groups of elements that are narrower than 32 bits share registers.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Analysis/AssemblyForm.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilec::tile;

static constexpr unsigned kWordBits = 32;

AssemblyWords::AssemblyWords(Type element, unsigned pack) {
  unsigned elementBits = 8 * byteSize(element);
  bits = elementBits >= kWordBits ? elementBits : std::min(kWordBits, elementBits * pack);
  count = std::max(1u, elementBits * pack / bits);
}

std::optional<llvm::APInt> tilec::tile::knownNumber(Value arg) {
  while (Operation *op = arg.getDefiningOp()) {
    if (!isa<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, ConvertLayoutOp>(op))
      break;
    arg = op->getOperand(0);
  }
  Attribute value;
  if (!matchPattern(arg, m_Constant(&value)))
    return std::nullopt;
  if (auto number = dyn_cast<IntegerAttr>(value))
    return number.getValue();
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || !elements.isSplat() || !elements.getElementType().isInteger())
    return std::nullopt;
  return elements.getSplatValue<llvm::APInt>();
}

/// The type that the letter of a constraint takes; null where it is none of PTX's, or narrower than
/// `bits`. A number in the text (n, i) has the bits of the operand.
static Type registerType(StringRef letter, unsigned bits, Builder &b) {
  Type type = llvm::StringSwitch<Type>(letter)
                  .Cases({"n", "i"}, b.getIntegerType(bits))
                  .Case("h", b.getI16Type())
                  .Case("r", b.getI32Type())
                  .Case("l", b.getI64Type())
                  .Case("f", b.getF32Type())
                  .Case("d", b.getF64Type())
                  .Default(Type());
  if (!type || type.getIntOrFloatBitWidth() < bits ||
      (isa<FloatType>(type) && type.getIntOrFloatBitWidth() != bits))
    return {};
  return type;
}

/// "~{memory}"
static bool isClobber(StringRef constraint) {
  return constraint.consume_front("~{") && constraint.consume_back("}") && !constraint.empty() &&
         llvm::all_of(constraint, llvm::isAlnum);
}

AssemblyForm::AssemblyForm(InlineAsmOp op) : op(op), builder(op.getContext()) {
  op.getConstraints().split(constraints, ',');
  for (StringRef &constraint : constraints)
    constraint = constraint.trim();
  for (Type type : op.getResultTypes())
    addResult(elementOf(type));
  for (Value arg : op.getArgs())
    addOperand(elementOf(arg.getType()), knownNumber(arg).has_value());
}

StringRef AssemblyForm::nextLetter() const {
  return types.size() < constraints.size() ? constraints[types.size()] : "";
}

void AssemblyForm::addType(Type type) {
  types.push_back(type);
  isSound &= type != Type();
}

void AssemblyForm::addResult(Type element) {
  AssemblyWords words(element, op.getPack());
  results.push_back({element, words, unsigned(types.size())});
  for (unsigned i = 0; i < words.count; ++i) {
    StringRef letter = nextLetter();
    isSound &= letter.consume_front("=") && !isNumber(letter);
    letter.consume_front("&");
    addType(registerType(letter, words.bits, builder));
  }
  numOutputs = types.size();
}

void AssemblyForm::addOperand(Type element, bool isConstant) {
  AssemblyWords words(element, op.getPack());
  operands.push_back({element, words, unsigned(types.size())});
  for (unsigned i = 0; i < words.count; ++i) {
    StringRef letter = nextLetter();
    unsigned tied;
    hasNumbers &= isConstant || !isNumber(letter);
    // A digit asks for the register of that result.
    if (letter.getAsInteger(10, tied))
      addType(registerType(letter, words.bits, builder));
    else
      addType(tied < numOutputs && types[tied] && types[tied].getIntOrFloatBitWidth() >= words.bits
                  ? types[tied]
                  : Type());
  }
}

std::optional<unsigned> AssemblyForm::tiedTo(unsigned index) const {
  unsigned tied;
  if (index < numOutputs || constraints[index].getAsInteger(10, tied))
    return std::nullopt;
  return tied;
}

LogicalResult AssemblyForm::check() {
  for (StringRef rest : llvm::drop_begin(constraints, std::min(types.size(), constraints.size())))
    isSound &= isClobber(rest);
  if (isSound && !hasNumbers)
    return emitError(op.getLoc()) << "the constraint 'n' of inline assembly takes an operand "
                                     "that is known while compiling";
  if (isSound)
    return success();
  return emitError(op.getLoc())
         << "inline assembly needs a constraint (h, r, l, f, d or n) that holds each of its "
         << types.size() << " registers, results with '=' first, found '" << op.getConstraints()
         << "'";
}
