//===- Comparisons.cpp - comparisons and choices ----------------*- C++ -*-===//
//
// setp, set, selp, slct and testp: PTX ISA, "Comparison and Selection Instructions".
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

using Order = arith::CmpIPredicate;
using FloatOrder = arith::CmpFPredicate;

namespace {

struct Comparison {
  const char *name;
  std::optional<Order> asSigned, asUnsigned;
  std::optional<FloatOrder> asFloat;
};

} // namespace

static const Comparison *findComparison(StringRef name) {
  static const Comparison comparisons[] = {
      {"eq", Order::eq, Order::eq, FloatOrder::OEQ},
      {"ne", Order::ne, Order::ne, FloatOrder::ONE},
      {"lt", Order::slt, Order::ult, FloatOrder::OLT},
      {"le", Order::sle, Order::ule, FloatOrder::OLE},
      {"gt", Order::sgt, Order::ugt, FloatOrder::OGT},
      {"ge", Order::sge, Order::uge, FloatOrder::OGE},
      {"lo", {}, Order::ult, {}},
      {"ls", {}, Order::ule, {}},
      {"hi", {}, Order::ugt, {}},
      {"hs", {}, Order::uge, {}},
      {"equ", {}, {}, FloatOrder::UEQ},
      {"neu", {}, {}, FloatOrder::UNE},
      {"ltu", {}, {}, FloatOrder::ULT},
      {"leu", {}, {}, FloatOrder::ULE},
      {"gtu", {}, {}, FloatOrder::UGT},
      {"geu", {}, {}, FloatOrder::UGE},
      {"num", {}, {}, FloatOrder::ORD},
      {"nan", {}, {}, FloatOrder::UNO},
  };
  for (const Comparison &each : comparisons)
    if (name == each.name)
      return &each;
  return nullptr;
}

/// Compares one lane; null if the type has no such comparison.
static Value compareLane(Code &code, const Comparison &how, NumberType type, bool flushes, Value x,
                         Value y) {
  if (type.isFloat()) {
    if (!how.asFloat)
      return {};
    x = code.fromBits(x, code.floatType(type));
    y = code.fromBits(y, code.floatType(type));
    return flushes ? code.compare(*how.asFloat, code.flush(x), code.flush(y))
                   : code.compare(*how.asFloat, x, y);
  }
  std::optional<Order> order = type.isSigned() ? how.asSigned : how.asUnsigned;
  bool isOrder = order && *order != Order::eq && *order != Order::ne;
  if (!order || (type.kind == Kind::Bits && isOrder))
    return {};
  return code.compare(*order, x, y);
}

/// The comparison of an opcode on its operands from `first` on, one value for each lane; empty
/// after an error. `.and`, `.or` and `.xor` combine it with one predicate more.
static SmallVector<Value> compareOperands(Machine &machine, Opcode &opcode, NumberType type,
                                          Value *other) {
  Code &code = machine.code;
  auto unsupported = [&]() -> SmallVector<Value> {
    (void)machine.failUnsupported();
    return {};
  };
  const Comparison *how = opcode.words.empty() ? nullptr : findComparison(opcode.words.front());
  if (!how)
    return unsupported();
  opcode.words.erase(opcode.words.begin());
  StringRef combine =
      !opcode.words.empty() && isIn("and or xor", opcode.words.front()) ? opcode.words.front() : "";
  opcode.take(combine);
  bool flushes = isIn("f16 f32", type.format) && opcode.take("ftz");
  if (failed(machine.finish(opcode)) || failed(machine.expectOperands(combine.empty() ? 3 : 4)))
    return {};
  Value x = machine.read(machine.operands()[1], type);
  Value y = x ? machine.read(machine.operands()[2], type) : Value();
  if (!y)
    return {};
  if (!combine.empty() && !(*other = machine.readPredicate(machine.operands()[3])))
    return {};
  SmallVector<Value> results;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    auto part = [&](Value v) {
      return code.resize(code.shiftRight(v, lane * type.bits), type.bits);
    };
    Value holds = compareLane(code, *how, type.lane(), flushes, part(x), part(y));
    if (!holds)
      return unsupported();
    results.push_back(holds);
  }
  // The second predicate of scalars is the opposite.
  if (type.lanes == 1)
    results.push_back(code.bitNot(results[0]));
  for (Value &result : results)
    result = combine == "and"  ? code.bitAnd(result, *other)
             : combine == "or" ? code.bitOr(result, *other)
             : combine.empty() ? result
                               : code.bitXor(result, *other);
  return results;
}

/// What can be compared.
static bool isComparable(StringRef type) {
  return isIn("b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", type);
}

/// "setp.lt.and.s32 p|q, a, b, !c;"
static LogicalResult setp(Machine &machine, Opcode &opcode) {
  if (opcode.types.size() != 1 || machine.operands().empty() || !isComparable(opcode.typeNames[0]))
    return machine.failUnsupported();
  if (opcode.types[0].lanes == 2 && machine.operands()[0].form != Operand::Pair)
    return machine.fail("the comparison of pairs has two results");
  Value other;
  SmallVector<Value> results = compareOperands(machine, opcode, opcode.types[0], &other);
  if (results.empty())
    return failure();
  const Operand &to = machine.operands()[0];
  NumberType predicate{Kind::Predicate, "", 1};
  if (to.form != Operand::Pair)
    return machine.write(to, results[0], predicate);
  return success(succeeded(machine.write(to.parts[0], results[0], predicate)) &&
                 succeeded(machine.write(to.parts[1], results[1], predicate)));
}

/// Whether a comparison of the second type may have a result of the first.
static bool isResultOf(StringRef to, StringRef from) {
  if (isIn("f16x2 bf16x2", from))
    return to == from;
  if (isIn("f16 bf16", from))
    return to == from || isIn("u16 s16 u32 s32", to);
  return isIn("u32 s32 f32", to);
}

/// "set.lt.u32.f32 d, a, b;": all ones, or the float 1, where it holds.
static LogicalResult set(Machine &machine, Opcode &opcode) {
  if (opcode.types.size() != 2 || machine.operands().empty() ||
      !isComparable(opcode.typeNames[1]) || !isResultOf(opcode.typeNames[0], opcode.typeNames[1]))
    return machine.failUnsupported();
  Code &code = machine.code;
  NumberType to = opcode.types[0], from = opcode.types[1];
  bool isFloat = to.isFloat();
  Value other;
  SmallVector<Value> results = compareOperands(machine, opcode, from, &other);
  if (results.empty())
    return failure();
  Value value;
  for (unsigned lane = 0; lane < to.lanes; ++lane) {
    Value yes = isFloat ? code.toBits(code.real(code.floatType(to), 1))
                        : code.number(to.bits, ~uint64_t(0));
    Value part = code.select(results[lane], yes, code.number(to.bits, 0));
    part = code.shiftLeft(code.resize(part, to.width()), lane * to.bits);
    value = value ? code.bitOr(value, part) : part;
  }
  return machine.write(machine.operands()[0], value, to);
}

/// "selp.b32 d, a, b, p;"
static LogicalResult selp(Machine &machine, Opcode &opcode) {
  static constexpr char types[] = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
  if (opcode.types.size() != 1 || !isIn(types, opcode.typeNames[0]))
    return machine.failUnsupported();
  if (failed(machine.finish(opcode)) || failed(machine.expectOperands(4)))
    return failure();
  NumberType type = opcode.types[0];
  ArrayRef<Operand> operands = machine.operands();
  Value x = machine.read(operands[1], type);
  Value y = x ? machine.read(operands[2], type) : Value();
  Value which = y ? machine.readPredicate(operands[3]) : Value();
  if (!which)
    return failure();
  return machine.write(operands[0], machine.code.select(which, x, y), type);
}

/// "slct.f32.s32 d, a, b, c;": a where c is not negative.
static LogicalResult slct(Machine &machine, Opcode &opcode) {
  static constexpr char types[] = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
  if (opcode.types.size() != 2 || !isIn(types, opcode.typeNames[0]) ||
      !isIn("s32 f32", opcode.typeNames[1]))
    return machine.failUnsupported();
  Code &code = machine.code;
  NumberType type = opcode.types[0], which = opcode.types[1];
  bool flushes = which.isFloat() && opcode.take("ftz");
  if (failed(machine.finish(opcode)) || failed(machine.expectOperands(4)))
    return failure();
  ArrayRef<Operand> operands = machine.operands();
  Value x = machine.read(operands[1], type);
  Value y = x ? machine.read(operands[2], type) : Value();
  Value c = y ? machine.read(operands[3], which) : Value();
  if (!c)
    return failure();
  Value holds;
  if (which.isFloat()) {
    c = code.fromBits(c, code.floatType(which));
    holds = code.compare(FloatOrder::OGE, flushes ? code.flush(c) : c,
                         code.real(code.floatType(which), 0));
  } else {
    holds = code.compare(Order::sge, c, uint64_t(0));
  }
  return machine.write(operands[0], code.select(holds, x, y), type);
}

/// What kind of number a float is.
static Value test(Code &code, StringRef what, NumberType type, Value bits) {
  unsigned digits = type.bits == 32 ? 23 : 52;
  uint64_t infinity = ((uint64_t(1) << (type.bits - 1 - digits)) - 1) << digits;
  Value size = code.bitAnd(bits, (uint64_t(1) << (type.bits - 1)) - 1);
  auto is = [&](Order order, uint64_t limit) { return code.compare(order, size, limit); };
  if (what == "finite")
    return is(Order::ult, infinity);
  if (what == "infinite")
    return is(Order::eq, infinity);
  if (what == "number")
    return is(Order::ule, infinity);
  if (what == "notanumber")
    return is(Order::ugt, infinity);
  if (what == "normal") // Zero is.
    return code.bitOr(is(Order::eq, 0),
                      code.bitAnd(is(Order::ult, infinity), is(Order::uge, uint64_t(1) << digits)));
  if (what == "subnormal")
    return code.bitAnd(is(Order::ne, 0), is(Order::ult, uint64_t(1) << digits));
  return {};
}

/// "testp.finite.f32 p, a;"
static LogicalResult testp(Machine &machine, Opcode &opcode) {
  if (opcode.types.size() != 1 || opcode.words.size() != 1 || !isIn("f32 f64", opcode.typeNames[0]))
    return machine.failUnsupported();
  if (failed(machine.expectOperands(2)))
    return failure();
  Value bits = machine.read(machine.operands()[1], opcode.types[0]);
  if (!bits)
    return failure();
  Value holds = test(machine.code, opcode.words[0], opcode.types[0], bits);
  if (!holds)
    return machine.failUnsupported();
  return machine.write(machine.operands()[0], holds, {Kind::Predicate, "", 1});
}

ArrayRef<Special> tilec::assembly::comparisonSpecials() {
  static constexpr Special rows[] = {
      {"setp", setp}, {"set", set}, {"selp", selp}, {"slct", slct}, {"testp", testp},
  };
  return rows;
}
