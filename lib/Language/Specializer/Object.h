//===- Object.h - What a name is bound to -----------------------*- C++ -*-===//
//
// The values of the abstract interpreter: compile-time values with Python's semantics, IR values
// with a front-end type, functions, modules, and tuples of any of these. Objects are immutable and
// cheap to copy.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_OBJECT_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_OBJECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "tilec/Language/AST.h"
#include "tilec/Language/ConstValue.h"

#include <memory>
#include <vector>

namespace tilec::front {

struct Builtin;
struct Namespace;
struct SourceModule;
class ModuleEnv;

struct Closure;

/// A function written in the language, with the module whose names it sees.
struct JitFunction {
  const ast::FunctionDef *def = nullptr;
  const ModuleEnv *env = nullptr;
  bool isJit = true;                  // False: a constexpr_function, evaluated at compile time.
  bool launchOnly = false;            // Wrapped by autotune or heuristics: kernels cannot call it.
  bool debug = false;                 // `@triton.jit(debug=True)`.
  bool noinline = false;              // `@triton.jit(noinline=True)`: takes no blocks.
  const ast::Call *jitCall = nullptr; // `@triton.jit(..)`; null without arguments.
  const Closure *closure = nullptr;   // Of a function within one of compile time.
};

/// A function of a class.
struct Method {
  const JitFunction *function = nullptr; // Null for one that kernels cannot call.
  const ast::FunctionDef *def = nullptr;
  bool isStatic = false;
};

/// A class whose values are their fields: derived from NamedTuple, made by `namedtuple`, or an
/// aggregate.
struct RecordClass {
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef, 4> fields;
  llvm::SmallVector<const ast::Expr *, 4> defaults; // One a field; null where there is none.
  const ModuleEnv *env = nullptr;
  llvm::SMRange definition;
  /// Of an aggregate: the annotation of each field, and the methods, __init__ among them.
  bool isAggregate = false;
  llvm::SmallVector<const ast::Expr *, 4> annotations;
  llvm::SmallVector<Method, 4> methods;
  /// Of an enumeration: "Enum", "IntEnum" or another. `fields` are its members, `defaults` what
  /// they are set to.
  llvm::StringRef enumBase;

  bool isEnum() const { return !enumBase.empty(); }
  const Method *findMethod(llvm::StringRef name) const;
  /// The index of the field, if there is one.
  std::optional<size_t> findField(llvm::StringRef name) const;
};

/// Why a name has no value, for instance because its file was not found: the end of a message, and
/// the note at the definition.
struct MissingValue {
  std::string why;
  std::string note;
};

class Object {
public:
  enum class Kind {
    Poison, // An error was reported; whatever comes of it stays silent.
    None,
    Bool,
    Int,
    Float,
    String,
    Type,         // A dtype, or the type of a block or of a pointer to one.
    Tuple,        // Elements of any kind. In code of compile time also a list.
    Dict,         // Of code of compile time: key, value, key, value, ..
    Aggregate,    // The fields of a class, in the order of its annotations.
    BlockPointer, // Its elements: block type, base, then sizes, strides and offsets of each axis.
    Descriptor,   // Its elements: block type, padding, base, then sizes and strides of each axis.
    Tensor,       // A run-time value: scalar or block.
    Function,     // JitFunction.
    Builtin,
    Method,      // A builtin bound to its first argument.
    BoundMethod, // A JitFunction bound to its first argument.
    Module,      // Of the language.
    File,        // A module that is a file or folder of the user.
    Class,       // RecordClass; calling it makes a value of it.
    Enum,        // A member of tl.PropagateNan, tl.dtype.KIND or of an Enum, or KIND itself.
    Host,        // Something of the host program whose value is not known.
  };
  using List = std::vector<Object>;

  Object() = default;
  static Object poison() { return Object(); }
  static Object none() { return Object(Kind::None); }
  static Object boolean(bool value);
  static Object integer(int64_t value);
  static Object integer(llvm::APInt value);
  static Object real(double value);
  /// The text must outlive the object (syntax tree or Interpreter::strings).
  static Object string(llvm::StringRef text);
  static Object type(DType element);
  static Object blockType(DType element, llvm::ArrayRef<int64_t> shape);
  /// What a block pointer has as its type: a pointer whose element is the type of a block.
  static Object pointerToBlock(const Object &block, bool isConst = false);
  /// `named` gives the elements names; null for a plain tuple.
  static Object tuple(List elements, const RecordClass *named = nullptr);
  /// A list of code of compile time: a tuple that its methods may change.
  static Object listOf(List elements);
  static Object dict(List keysAndValues);
  static Object recordClass(const RecordClass *named);
  static Object aggregate(List fields, const RecordClass *type);
  static Object blockPointer(List elements);
  static Object descriptor(List elements);
  /// A tuple, aggregate, block pointer or descriptor as this one, with other elements.
  Object withElements(List elements) const;
  static Object tensor(mlir::Value value, DType element);
  static Object function(const JitFunction *function);
  static Object builtin(const Builtin *builtin);
  static Object method(const Builtin *builtin, Object self);
  static Object method(const JitFunction *function, Object self);
  static Object module(const Namespace *space);
  static Object file(const SourceModule *module);
  static Object enumerator(llvm::StringRef name);
  /// The member `name` of an Enum of the program. `name` must outlive the object.
  static Object enumerator(llvm::StringRef name, const RecordClass *type, Object value);
  /// `what` describes it for a message, e.g. "the host function 'f'". `missing`, which must outlive
  /// the object, says why if it is not just host code.
  static Object host(llvm::StringRef what, llvm::SMRange definition,
                     const MissingValue *missing = nullptr);
  /// A module, whose members may be known; `dotted` is its full name.
  static Object hostModule(llvm::StringRef what, llvm::SMRange definition, llvm::StringRef dotted,
                           const MissingValue *missing = nullptr);
  /// Something that a kernel may call as `likely`, which has the same name; null for no such name.
  static Object hostMember(llvm::StringRef what, llvm::SMRange definition, const Builtin *likely);
  /// A function of the host program that code of compile time may call; null when it cannot.
  static Object hostFunction(llvm::StringRef what, const JitFunction *function,
                             llvm::SMRange definition);

  Kind kind() const { return objectKind; }
  bool is(Kind kind) const { return objectKind == kind; }
  bool isPoison() const { return is(Kind::Poison); }
  bool isNone() const { return is(Kind::None); }
  bool isTensor() const { return is(Kind::Tensor); }
  bool isTuple() const { return is(Kind::Tuple); }
  bool isList() const { return is(Kind::Tuple) && flag; }
  bool isDict() const { return is(Kind::Dict); }
  bool isAggregate() const { return is(Kind::Aggregate); }
  bool isBlockPointer() const { return is(Kind::BlockPointer); }
  bool isDescriptor() const { return is(Kind::Descriptor); }
  /// Made of elements, which may be run-time values.
  bool isCompound() const {
    return isTuple() || isAggregate() || isBlockPointer() || isDescriptor() || isDict();
  }
  bool isType() const { return is(Kind::Type); }
  bool isString() const { return is(Kind::String); }
  /// A compile-time bool, int or float: what operators treat as a literal.
  bool isNumber() const { return is(Kind::Bool) || is(Kind::Int) || is(Kind::Float); }
  /// A compile-time bool or int.
  bool isIntLike() const { return is(Kind::Bool) || is(Kind::Int); }
  /// Known while compiling, tuples included when all elements are.
  bool isConst() const;
  /// Contains a poisoned element.
  bool hasPoison() const;

  bool asBool() const { return flag; }
  /// Bool counts as 0 or 1.
  llvm::APInt asInt() const { return is(Kind::Bool) ? llvm::APInt(64, flag) : number; }
  /// The integer when it fits 64 bits.
  std::optional<int64_t> asInt64() const;
  /// Any number as a double, rounded to nearest.
  double asDouble() const;
  llvm::StringRef asString() const { return text; }
  const List &elements() const { return *list; }
  /// Whether another object has the same elements: a change of this one's would be seen there.
  bool isShared() const { return list.use_count() > 1; }
  /// The elements of a list or dictionary that is not shared, to be changed. Whoever does so tells
  /// this object and those that it is in by how much their leafCount() grew.
  List &mutableElements() { return *list; }
  void addLeaves(ptrdiff_t more) { leaves += more; }
  /// How many leaves `elements` have together.
  static size_t leavesOf(llvm::ArrayRef<Object> elements);
  /// How many objects are inside, at any depth, empty ones counted; 1 for all that is not made of
  /// elements.
  size_t leafCount() const { return isCompound() ? leaves : 1; }
  mlir::Value value() const { return irValue; }
  const JitFunction *asFunction() const { return static_cast<const JitFunction *>(pointer); }
  /// Builtin and Method.
  const Builtin *asBuiltin() const { return static_cast<const Builtin *>(pointer); }
  const Object &self() const { return list->front(); }
  /// Of a Class, an Aggregate and a Tuple with names; null for a plain tuple.
  const RecordClass *asClass() const { return static_cast<const RecordClass *>(pointer); }
  const Namespace *asModule() const { return static_cast<const Namespace *>(pointer); }
  const SourceModule *asFile() const { return static_cast<const SourceModule *>(pointer); }
  /// Of a Host: why it has no value; null for host code.
  const MissingValue *asMissing() const {
    return flag ? nullptr : static_cast<const MissingValue *>(pointer);
  }
  /// Of a Host that is a module; empty for others.
  llvm::StringRef dottedName() const { return dotted; }
  /// Of a Host; null where it is no function that can be evaluated.
  const JitFunction *asHostFunction() const {
    return flag ? static_cast<const JitFunction *>(pointer) : nullptr;
  }
  /// Of a Host: the function that calls in kernels are taken to be of; null for most.
  const Builtin *likelyBuiltin() const { return list ? list->front().asBuiltin() : nullptr; }
  llvm::SMRange definition() const { return place; }

  /// Element type of a tensor, or the type itself for Type.
  DType dtype() const { return element; }
  /// Shape of a tensor; empty for scalars.
  llvm::ArrayRef<int64_t> shape() const;
  bool isBlock() const {
    return isTensor() && llvm::isa<mlir::RankedTensorType>(irValue.getType());
  }
  bool isScalarTensor() const { return isTensor() && !isBlock(); }
  bool isBlockType() const { return isType() && list && !flag; }
  bool isPointerToBlock() const { return isType() && flag; }
  /// The type of a block that a pointer's type points to.
  Object pointedBlock() const;

  /// The type for messages: "int32", "block of int32[128]", "constexpr int", "a tuple".
  std::string typeStr() const;
  /// Python's repr of a compile-time value; a tensor gives its type.
  std::string repr() const;
  /// Python's str: strings without quotes.
  std::string str() const;

  /// The same object for `is`: values compare by kind and value, tensors by identity.
  bool identicalTo(const Object &other) const;

private:
  explicit Object(Kind kind) : objectKind(kind) {}

  Kind objectKind = Kind::Poison;
  bool flag = false; // Of a Bool; of a Host, that it is a function; of a Tuple, that it is a list;
                     // of a Type, that it is a pointer to a block.
  DType element;
  double floating = 0;
  llvm::APInt number{64, 0};
  llvm::StringRef text, dotted;
  const void *pointer = nullptr;
  mlir::Value irValue;
  size_t leaves = 0;
  std::shared_ptr<List>
      list; // Tuple; self of a Method; shape of a block type; value of an Enum; likely builtin.
  llvm::SMRange place;
};

/// A shape for messages: "[128, 64]".
std::string shapeStr(llvm::ArrayRef<int64_t> shape);

/// The front-end type of a tensor, for messages: "float32", "float32[128, 64]".
std::string typeStr(DType element, llvm::ArrayRef<int64_t> shape);

/// To and from the values of the public interface. `toConst` needs an object that `isConst` and is
/// no function or module; otherwise it gives nothing.
Object fromConst(const ConstValue &value);
std::optional<ConstValue> toConst(const Object &object);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_OBJECT_H
