//===- BuiltinsDebug.cpp - Assertions, printing, hints ----------*- C++ -*-===//
//
// Checks at compile time and at run time, output of the compiler, promises to it, and questions
// about the target.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

/// static_assert(cond, msg)
static Object staticAssert(Interpreter &in, Args &args) {
  const Object &condition = args[0];
  if (!condition.is(Object::Kind::Bool))
    return args.wrong(0, "a constexpr bool");
  if (condition.asBool())
    return Object::none();
  std::string message = args[1].isConst() ? args[1].str() : "";
  return in.error(args.callRange(),
                  "static assertion failed" + (message.empty() ? "" : ": " + message));
}

/// static_print(*values, sep, end, file, flush)
static Object staticPrint(Interpreter &in, Args &args) {
  std::string separator = args[1].isString() ? args[1].asString().str() : " ", text;
  for (const Arg &arg : args.rest())
    text += (&arg == args.rest().begin() ? "" : separator) + arg.value.str();
  in.remark(args.callRange(), text);
  return Object::none();
}

/// device_assert(cond, msg, mask): kept in debug builds only.
static Object deviceAssert(Interpreter &in, Args &args) {
  Object condition = args.tensor(0);
  std::optional<StringRef> message = args.string(1);
  if (condition.isPoison() || !message)
    return Object::poison();
  TensorOps &ops = in.tensors();
  std::array<Object, 2> operands = {condition, condition};
  if (!args[2].isNone()) {
    operands[1] = args.tensor(2);
    if (operands[1].isPoison())
      return operands[1];
  }
  // The language checks the arguments also where it drops the check.
  if (!in.debug())
    return Object::none();
  for (Object &operand : operands)
    operand = ops.toBool(operand, args.callRange());
  Object check = operands[0];
  if (!args[2].isNone()) {
    if (!ops.broadcastAll(operands, args.callRange()))
      return Object::poison();
    Object off = ops.unary(ast::UnaryOpKind::Invert, operands[1], args.callRange());
    check = ops.rawBinaryUnchecked(ast::BinaryOp::Or, operands[0], off);
  }
  tilec::tile::AssertOp::create(in.ir(), in.loc(), check.value(), *message);
  return Object::none();
}

/// The prefix as it is printed before a value: it ends in ": ", in place of a blank at its end.
static std::string printPrefix(StringRef prefix, bool hasValue) {
  std::string text = prefix.str();
  if (!hasValue)
    return text;
  if (!prefix.ends_with(": "))
    text = (prefix.ends_with(" ") ? prefix.drop_back() : prefix).str() + ": ";
  if (prefix.ends_with(":"))
    text = prefix.str() + " ";
  return text.size() > 2 && text.front() != ' ' ? " " + text : text;
}

/// device_print(prefix, *args, hex): one line for each element of each argument.
Object front::devicePrint(Interpreter &in, Args &args) {
  std::optional<StringRef> prefix = args.string(0);
  std::optional<bool> hex = args.boolean(2);
  if (!prefix || !hex)
    return Object::poison();
  if (!llvm::all_of(*prefix, [](char c) { return llvm::isPrint(c) || llvm::isSpace(c); }))
    return args.wrong(0, "a string of printable ASCII characters");
  std::string text = printPrefix(*prefix, !args.rest().empty());
  if (args.rest().empty())
    tilec::tile::PrintOp::create(in.ir(), in.loc(), text, *hex, /*isUnsigned=*/false,
                                 mlir::Value());
  for (const Arg &arg : args.rest()) {
    Object value = in.tensors().materialize(arg.value, arg.range);
    if (value.isPoison())
      return value;
    tilec::tile::PrintOp::create(in.ir(), in.loc(), text, *hex, value.dtype().isUnsignedInt(),
                                 value.value());
  }
  return Object::none();
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

namespace {
enum class Fact { Divisibility, Contiguity, Constancy };
} // namespace

/// `input` with one more fact, in one operation with those that are promised of it already: a
/// divisor of a tile is that of the first element of each group, whose size comes by another
/// promise.
static mlir::Value withFact(Interpreter &in, mlir::Value input, Fact fact,
                            llvm::ArrayRef<int64_t> values) {
  std::array<llvm::SmallVector<int64_t>, 3> facts;
  facts.fill(llvm::SmallVector<int64_t>(values.size(), 1));
  if (auto known = input.getDefiningOp<tilec::tile::PromiseOp>()) {
    llvm::append_range(facts[0] = {}, known.getDivisibility());
    llvm::append_range(facts[1] = {}, known.getContiguity());
    llvm::append_range(facts[2] = {}, known.getConstancy());
    input = known.getSrc();
  }
  for (auto [old, value] : llvm::zip_equal(facts[unsigned(fact)], values)) {
    // Of a number that is no power of two, the largest that divides it.
    int64_t power = value & -value;
    old = std::max(old, std::min(power, int64_t(1) << 30));
  }
  return tilec::tile::PromiseOp::create(in.ir(), in.loc(), input.getType(), input, facts[0],
                                        facts[1], facts[2]);
}

/// multiple_of(x, values), max_contiguous, max_constancy
template <Fact fact> static Object promise(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> values = args.integers(1);
  if (input.isPoison() || !values)
    return Object::poison();
  if (fact != Fact::Divisibility && !input.isBlock())
    return args.wrong(0, "a block");
  size_t expected = std::max<size_t>(1, input.shape().size());
  if (values->size() != expected)
    return in.error(args.range(1),
                    args.callee().fullName() + " takes one value an axis, expected " +
                        llvm::Twine(expected) + ", found " + llvm::Twine(values->size()));
  for (int64_t value : *values)
    if (value < 1)
      return in.error(args.range(1), args.callee().fullName() + " takes positive numbers, found " +
                                         llvm::Twine(value));
  // Nothing else asks: the CPU's vectoriser finds out by itself.
  bool isCounted = input.dtype().isInt() || input.dtype().isPointer();
  if (!isCounted || !in.options().arch)
    return input;
  return Object::tensor(withFact(in, input.value(), fact, *values), input.dtype());
}

/// Makes an attribute of each parameter that the condition says is a multiple of something.
static void learnDivisibility(Interpreter &in, mlir::Value condition) {
  if (auto both = condition.getDefiningOp<mlir::arith::AndIOp>()) {
    learnDivisibility(in, both.getLhs());
    return learnDivisibility(in, both.getRhs());
  }
  // x % c == 0 or x & (c - 1) == 0
  auto compare = condition.getDefiningOp<mlir::arith::CmpIOp>();
  mlir::Operation *rest = compare ? compare.getLhs().getDefiningOp() : nullptr;
  llvm::APInt divisor;
  if (!rest || compare.getPredicate() != mlir::arith::CmpIPredicate::eq ||
      !mlir::matchPattern(compare.getRhs(), mlir::m_Zero()) || rest->getNumOperands() != 2 ||
      !mlir::matchPattern(rest->getOperand(1), mlir::m_ConstantInt(&divisor)))
    return;
  if (mlir::isa<mlir::arith::AndIOp>(rest))
    divisor += 1;
  else if (!mlir::isa<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(rest))
    return;
  mlir::Value x = rest->getOperand(0);
  while (x.getDefiningOp<mlir::arith::ExtSIOp>() || x.getDefiningOp<mlir::arith::ExtUIOp>() ||
         x.getDefiningOp<tilec::tile::PtrToIntOp>())
    x = x.getDefiningOp()->getOperand(0);
  auto parameter = mlir::dyn_cast<mlir::BlockArgument>(x);
  mlir::Block *block = in.ir().getInsertionBlock();
  auto function = mlir::dyn_cast_if_present<mlir::FunctionOpInterface>(block->getParentOp());
  // Of a condition that not every program comes by, nothing follows for all.
  if (!parameter || !function || parameter.getOwner() != block || !divisor.isStrictlyPositive())
    return;
  int64_t power = int64_t(1) << std::min(divisor.countr_zero(), 30u);
  auto known = function.getArgAttrOfType<mlir::IntegerAttr>(parameter.getArgNumber(),
                                                            tilec::tile::kDivisibilityAttr);
  if (!known || known.getInt() < power)
    function.setArgAttr(parameter.getArgNumber(), tilec::tile::kDivisibilityAttr,
                        in.ir().getI32IntegerAttr(int32_t(power)));
}

/// assume(cond)
static Object assume(Interpreter &in, Args &args) {
  Object condition = args.tensor(0);
  if (!condition.isPoison() && (condition.isBlock() || !condition.dtype().isBool()))
    return in.error(args.range(0),
                    "tl.assume takes a scalar of type int1, found " + condition.typeStr());
  if (!condition.isPoison())
    learnDivisibility(in, condition.value());
  return condition.isPoison() ? condition : Object::none();
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

static Object isCuda(Interpreter &in, Args &) {
  return Object::boolean(in.options().arch.has_value());
}

/// A processor is no target of Triton's; its threads are programs.
static Object currentTarget(Interpreter &in, Args &) {
  const std::optional<GpuArch> &arch = in.options().arch;
  return arch ? gpuTarget("cuda", arch->number(), kWarpSize) : gpuTarget("cpu", 0, 1);
}

static Object isOther(Interpreter &, Args &) { return Object::boolean(false); }

static Object capabilityAtLeast(Interpreter &in, Args &args) {
  std::optional<int64_t> major = args.integer(0), minor = args.integer(1);
  if (!major || !minor)
    return Object::poison();
  if (!in.options().arch)
    return Object::boolean(false);
  Version have = in.options().arch->capability();
  return Object::boolean(std::pair<int64_t, int64_t>(have.major, have.minor) >=
                         std::pair(*major, *minor));
}

llvm::ArrayRef<Builtin> front::targetBuiltins() {
  static constexpr Builtin rows[] = {
      {"is_cuda", "", isCuda, 0, Space::Target},
      {"is_hip", "", isOther, 0, Space::Target},
      {"is_hip_cdna3", "", isOther, 0, Space::Target},
      {"is_hip_cdna4", "", isOther, 0, Space::Target},
      {"cuda_capability_geq", "major, minor=0", capabilityAtLeast, 0, Space::Target},
      {"current_target", "", currentTarget, 0, Space::Target},
  };
  return rows;
}

llvm::ArrayRef<Builtin> front::debugBuiltins() {
  static constexpr Builtin rows[] = {
      {"static_assert", "cond, msg=''", staticAssert},
      {"static_print", "*values, sep=' ', end=None, file=None, flush=False", staticPrint},
      {"device_assert", "cond, msg='', mask=None", deviceAssert},
      {"device_print", "prefix, *args, hex=False", devicePrint},
      {"multiple_of", "input, values", promise<Fact::Divisibility>},
      {"max_contiguous", "input, values", promise<Fact::Contiguity>},
      {"max_constancy", "input, values", promise<Fact::Constancy>},
      {"assume", "cond", assume},
  };
  return rows;
}
