//===- BuiltinsProgram.cpp - Programs, creation, casts ----------*- C++ -*-===//
//
// The program's place in the grid, functions that make blocks, conversions between types, and the
// names that stand for types and iterators.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

static std::optional<tilec::tile::Axis> gridAxis(Interpreter &in, Args &args) {
  std::optional<int64_t> axis = args.integer(0);
  if (axis && (*axis < 0 || *axis > 2)) {
    in.error(args.range(0), "the axis of a grid is 0, 1 or 2, found " + llvm::Twine(*axis));
    return std::nullopt;
  }
  if (!axis)
    return std::nullopt;
  return tilec::tile::Axis(*axis);
}

template <typename OpT> static Object gridOp(Interpreter &in, Args &args) {
  std::optional<tilec::tile::Axis> axis = gridAxis(in, args);
  if (!axis)
    return Object::poison();
  return Object::tensor(OpT::create(in.ir(), in.loc(), *axis), ScalarKind::Int32);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// arange(start, end)
static Object arange(Interpreter &in, Args &args) {
  std::optional<int64_t> start = args.integer(0), end = args.integer(1);
  if (!start || !end)
    return Object::poison();
  int64_t limit = int64_t(1) << 32;
  if (*start < 0 || *end >= limit)
    return in.error(args.range(*start < 0 ? 0 : 1),
                    "the bounds of tl.arange must be from 0 to 2^32 - 1");
  if (*end <= *start)
    return in.error(args.range(1), "the end of tl.arange must be greater than the start, found " +
                                       llvm::Twine(*start) + " and " + llvm::Twine(*end));
  int64_t size = *end - *start;
  if (!llvm::isPowerOf2_64(size))
    return in.error(args.callRange(),
                    "the length of tl.arange must be a power of two, found " + llvm::Twine(size));
  if (!in.tensors().checkShape({size}, args.callRange()))
    return Object::poison();
  auto type = mlir::RankedTensorType::get({size}, in.ir().getI32Type());
  return Object::tensor(tilec::tile::MakeRangeOp::create(in.ir(), in.loc(), type, *start, *end),
                        ScalarKind::Int32);
}

static Object fullOf(Interpreter &in, Args &args, llvm::ArrayRef<int64_t> shape, Object value,
                     llvm::SMRange valueRange, DType dtype) {
  if (!in.tensors().checkShape(shape, args.callRange()))
    return Object::poison();
  if (value.isBlock())
    return in.error(valueRange, "the value must be a scalar, found " + value.typeStr());
  value = value.isTensor() ? in.tensors().cast(value, dtype, valueRange)
                           : in.tensors().constant(value, dtype, valueRange);
  return value.isPoison() ? value : in.tensors().splat(value, shape);
}

/// full(shape, value, dtype)
static Object full(Interpreter &in, Args &args) {
  std::optional<llvm::SmallVector<int64_t>> shape = args.integers(0);
  Object value = args.operand(1);
  std::optional<DType> dtype = args.dtype(2);
  if (!shape || value.isPoison() || !dtype)
    return Object::poison();
  return fullOf(in, args, *shape, value, args.range(1), *dtype);
}

/// zeros(shape, dtype)
static Object zeros(Interpreter &in, Args &args) {
  std::optional<llvm::SmallVector<int64_t>> shape = args.integers(0);
  std::optional<DType> dtype = args.dtype(1);
  if (!shape || !dtype)
    return Object::poison();
  return fullOf(in, args, *shape, Object::integer(0), args.range(1), *dtype);
}

/// zeros_like(input)
static Object zerosLike(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  if (input.isPoison())
    return input;
  return fullOf(in, args, input.shape(), Object::integer(0), args.range(0), input.dtype());
}

/// to_tensor(x)
static Object toTensor(Interpreter &, Args &args) { return args.tensor(0); }

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static std::optional<Rounding> roundingOf(Interpreter &in, Args &args, DType from, DType to) {
  if (args[2].isNone() || from == to)
    return Rounding::NearestEven;
  std::optional<StringRef> text = args.string(2);
  if (!text)
    return std::nullopt;
  if (*text != "rtne" && *text != "rtz") {
    in.error(args.range(2), "unknown rounding '" + *text + "'; expected 'rtne' or 'rtz'");
    return std::nullopt;
  }
  if (!from.isFloat() || !to.isFloat() || to.bits() >= from.bits()) {
    in.error(args.range(2), "a rounding mode is for conversions to a narrower float, found " +
                                from.str() + " to " + to.str());
    return std::nullopt;
  }
  bool towardZero = *text == "rtz";
  if (towardZero && to.isFP8() && !from.isFP32()) {
    in.error(args.range(2),
             "'rtz' converts to " + to.str() + " from float32 only, found " + from.str());
    return std::nullopt;
  }
  return towardZero ? Rounding::TowardZero : Rounding::NearestEven;
}

/// cast(input, dtype, fp_downcast_rounding, bitcast); also the method `to`.
static Object cast(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<DType> to = args.dtype(1);
  std::optional<bool> bits = args.boolean(3);
  if (input.isPoison() || !to || !bits)
    return Object::poison();
  if (*bits)
    return in.tensors().bitcast(input, *to, args.callRange());
  std::optional<Rounding> rounding = roundingOf(in, args, input.dtype(), *to);
  if (!rounding)
    return Object::poison();
  return in.tensors().cast(input, *to, args.callRange(), *rounding);
}

//===----------------------------------------------------------------------===//
// Types and compile-time values
//===----------------------------------------------------------------------===//

/// constexpr(value). A run-time value stays one: the wrapper disappears wherever it is used.
static Object constexprOf(Interpreter &in, Args &args) {
  return in.rejectHost(args[0], args.range(0)) ? Object::poison() : args[0];
}

/// pointer_type(element_ty, address_space, const)
static Object pointerType(Interpreter &in, Args &args) {
  std::optional<DType> element = args.dtype(0);
  std::optional<bool> isConst = args.boolean(2);
  if (!element || !isConst)
    return Object::poison();
  if (element->pointerDepth > 7)
    return in.error(args.range(0), "too many levels of pointers");
  if (args[0].isBlockType())
    return Object::pointerToBlock(args[0], *isConst);
  return Object::type(DType::pointerTo(*element, *isConst));
}

/// block_type(element_ty, shape)
static Object blockType(Interpreter &in, Args &args) {
  std::optional<DType> element = args.dtype(0);
  std::optional<llvm::SmallVector<int64_t>> shape = args.integers(1);
  if (!element || !shape || !in.tensors().checkShape(*shape, args.range(1)))
    return Object::poison();
  if (shape->empty())
    return in.error(args.range(1), "a block has at least one dimension");
  return Object::blockType(*element, *shape);
}

static Object onlyInLoop(Interpreter &in, Args &args) {
  StringRef loop = isCondition(args.callee()) ? "while" : "for";
  return in.error(args.callRange(),
                  args.callee().fullName() + " can be used in the header of a '" + loop + "' only");
}

static Object onlyAsName(Interpreter &in, Args &args) {
  return in.error(args.callRange(), args.callee().fullName() + " is not callable in a kernel");
}

/// dtype(name): the type that calls itself so.
static Object dtypeOf(Interpreter &in, Args &args) {
  std::optional<StringRef> name = args.string(0);
  if (!name)
    return Object::poison();
  for (unsigned kind = 0; kind < numScalarKinds; ++kind) {
    const ScalarInfo &info = scalarInfo(ScalarKind(kind));
    DType type{info.kind};
    if (*name == (type.isInt() ? StringRef(info.name) : StringRef(info.shortName)))
      return Object::type(type);
  }
  return in.error(args.range(0), "there is no type '" + *name + "'");
}

/// tuple(elements)
static Object tupleOf(Interpreter &, Args &args) {
  return args[0].isTuple() ? args[0] : args.wrong(0, "a tuple");
}

/// _unwrap_if_constexpr(o): what is in a constexpr needs no taking out here.
static Object unwrapIfConstexpr(Interpreter &, Args &args) { return args[0]; }

/// get_int_dtype(bitwidth, signed)
Object front::intDtype(Interpreter &in, Args &args) {
  std::optional<int64_t> width = args.integer(0);
  std::optional<bool> isSigned = args.boolean(1);
  if (!width || !isSigned)
    return Object::poison();
  std::string name = (*isSigned || *width == 1 ? "int" : "uint") + std::to_string(*width);
  std::optional<ScalarKind> kind = scalarByName(name);
  return kind ? Object::type(*kind)
              : in.error(args.range(0),
                         "there is no integer of " + std::to_string(*width) + " bits");
}

llvm::ArrayRef<Builtin> front::programBuiltins() {
  static constexpr Builtin rows[] = {
      {"program_id", "axis", gridOp<tilec::tile::ProgramIdOp>},
      {"num_programs", "axis", gridOp<tilec::tile::NumProgramsOp>},
      {"arange", "start, end", arange},
      {"full", "shape, value, dtype", full},
      {"zeros", "shape, dtype", zeros},
      {"zeros_like", "input", zerosLike},
      {"to_tensor", "x", toTensor, Hidden},
      {"cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", cast, IsMethod},
      {"constexpr", "value", constexprOf},
      {"pointer_type", "element_ty, address_space=1, const=False", pointerType},
      {"block_type", "element_ty, shape", blockType},
      {"tuple", "args", tupleOf},
      {"const", "*args", onlyAsName},
      {"tensor", "*args", onlyAsName},
      {"dtype", "name", dtypeOf},
      {"PropagateNan", "*args", onlyAsName},
      {"tensor_descriptor", "*args", onlyAsName},
      {"tensor_descriptor_type", "*args", onlyAsName},
      {"tuple_type", "*args", onlyAsName},
      {"constexpr_type", "*args", onlyAsName},
      {"slice", "*args", onlyAsName},
      {"get_int_dtype", "bitwidth, signed", intDtype, Hidden},
      {"_aggregate", "*args", onlyAsName, Hidden},
      {"_unwrap_if_constexpr", "o", unwrapIfConstexpr, Hidden},
      {"range",
       "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
       "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
       onlyInLoop},
      {"static_range", "arg1, arg2=None, step=None", onlyInLoop},
      {"condition", "arg1, disable_licm=False", onlyInLoop},
  };
  return rows;
}

/// `to` is the one method whose name differs from its function's.
const Builtin &front::toMethod() {
  static constexpr Builtin row = {"to", "input, dtype, fp_downcast_rounding=None, bitcast=False",
                                  cast, IsMethod};
  return row;
}
