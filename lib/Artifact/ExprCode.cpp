//===- ExprCode.cpp - Host expressions as code -----------------*- C++ -*-===//
//
// Values are 64-bit integers, doubles, booleans and addresses; mixed operands are promoted as
// Python does. Where Python would raise an error, or compute a number that 64 bits do not hold, the
// function returns a code at once; parts that Python would not evaluate are behind branches, so
// `n // k if k else 0` divides only when it may.
//
//===----------------------------------------------------------------------===//

#include "ExprCode.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace tilec;
using llvm::Value;

ExprCode::ExprCode(llvm::Module &module, const ArtifactKernel &kernel, const ArtifactConfig &config,
                   DiagnosticEngine &diagnostics)
    : module(module), b(module.getContext()), kernel(kernel), config(config),
      diagnostics(diagnostics) {}

std::nullopt_t ExprCode::error(const HostExpr &place, const llvm::Twine &message) {
  diagnostics.error(place.range(), message);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

llvm::Function *ExprCode::begin(const llvm::Twine &name, unsigned numParams) {
  llvm::SmallVector<llvm::Type *> params(numParams, b.getPtrTy());
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), params, /*isVarArg=*/false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  slots = function->getArg(0);
  auto *entry = llvm::BasicBlock::Create(module.getContext(), "", function);
  failBlock = llvm::BasicBlock::Create(module.getContext(), "fail", function);
  b.SetInsertPoint(failBlock);
  failCode = b.CreatePHI(b.getInt32Ty(), 2);
  b.CreateRet(failCode);
  b.SetInsertPoint(entry);
  return function;
}

bool ExprCode::finish(llvm::Function *function, Value *result) {
  if (!result) {
    function->eraseFromParent();
    return false;
  }
  b.CreateRet(result);
  if (failCode->getNumIncomingValues() == 0)
    failBlock->eraseFromParent();
  return true;
}

/// Returns `code` from the function if `condition` holds.
void ExprCode::failIf(Value *condition, int code) {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isZero())
    return;
  auto *next = llvm::BasicBlock::Create(module.getContext(), "", b.GetInsertBlock()->getParent());
  failCode->addIncoming(b.getInt32(code), b.GetInsertBlock());
  b.CreateCondBr(condition, failBlock, next);
  b.SetInsertPoint(next);
}

llvm::Function *ExprCode::emitGrid(const llvm::Twine &name) {
  llvm::Function *function = begin(name, 2);
  bool sound = true;
  for (unsigned axis = 0; axis < 3 && sound; ++axis) {
    Value *size = b.getInt64(1);
    if (axis < kernel.grid.size()) {
      MaybeOperand operand = emit(*kernel.grid[axis]);
      size = operand ? toInt(*kernel.grid[axis], *operand) : nullptr;
      sound = size != nullptr;
    }
    if (sound)
      b.CreateStore(size, b.CreateConstGEP1_32(b.getInt64Ty(), function->getArg(1), axis));
  }
  return finish(function, sound ? b.getInt32(0) : nullptr) ? function : nullptr;
}

llvm::Function *ExprCode::emitAccepts(const llvm::Twine &name) {
  llvm::Function *function = begin(name, 1);
  // Each heuristic sees what those before it set, so it must not be computed when one of them
  // already gives another value.
  auto *refused = llvm::BasicBlock::Create(module.getContext(), "refused", function);
  bool sound = true;
  auto refuseUnless = [&](Value *condition) {
    sound = condition != nullptr;
    if (!sound)
      return;
    auto *next = llvm::BasicBlock::Create(module.getContext(), "", function);
    b.CreateCondBr(condition, next, refused);
    b.SetInsertPoint(next);
  };
  for (const Heuristic &heuristic : kernel.heuristics)
    if (sound && !heuristic.isNumber)
      refuseUnless(emitEquals(*heuristic.value, *constexprNamed(heuristic.name)));
  for (const Requirement &requirement : config.requirements)
    if (sound)
      refuseUnless(emitTruth(*requirement.condition));
  if (!finish(function, sound ? b.getInt32(1) : nullptr))
    return nullptr;
  b.SetInsertPoint(refused);
  b.CreateRet(b.getInt32(0));
  return function;
}

Value *ExprCode::emitTruth(const HostExpr &expr) {
  MaybeOperand operand = emit(expr);
  return operand ? toBool(expr, *operand) : nullptr;
}

/// Whether `expr` gives `wanted`. A choice is compared branch by branch, so that it may be between
/// values of which no variable could hold either.
Value *ExprCode::emitEquals(const HostExpr &expr, const ConstValue &wanted) {
  MaybeOperand known = foldConstant(expr);
  if (known || expr.kind() != HostExpr::Kind::Conditional) {
    MaybeOperand operand = known ? known : emit(expr);
    MaybeOperand equal =
        operand ? compare(expr, ast::CompareOp::Eq, *operand, {Type::Constant, nullptr, wanted})
                : std::nullopt;
    return equal ? toBool(expr, *equal) : nullptr;
  }
  MaybeOperand test = emit(*expr.operands()[0]);
  Value *condition = test ? toBool(*expr.operands()[0], *test) : nullptr;
  if (!condition)
    return nullptr;
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *starts[2], *ends[2];
  Value *results[2];
  for (auto &start : starts)
    start = llvm::BasicBlock::Create(module.getContext(), "", function);
  auto *join = llvm::BasicBlock::Create(module.getContext(), "", function);
  b.CreateCondBr(condition, starts[0], starts[1]);
  for (int i = 0; i < 2; ++i) {
    b.SetInsertPoint(starts[i]);
    if (!(results[i] = emitEquals(*expr.operands()[1 + i], wanted)))
      return nullptr;
    ends[i] = b.GetInsertBlock();
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
  llvm::PHINode *result = b.CreatePHI(b.getInt1Ty(), 2);
  for (int i = 0; i < 2; ++i)
    result->addIncoming(results[i], ends[i]);
  return result;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const ConstValue *ExprCode::constexprNamed(llvm::StringRef name) const {
  for (auto [index, constant] : llvm::enumerate(kernel.constexprs))
    if (constant == name)
      return &config.values[index];
  return nullptr;
}

/// The value of an expression that does not depend on run-time parameters.
ExprCode::MaybeOperand ExprCode::foldConstant(const HostExpr &expr) {
  llvm::Expected<ConstValue> value =
      expr.evaluate([&](llvm::StringRef name) { return constexprNamed(name); });
  if (value)
    return Operand{Type::Constant, nullptr, std::move(*value)};
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

Value *ExprCode::toInt(const HostExpr &place, const Operand &operand) {
  switch (operand.type) {
  case Type::Int:
  case Type::Pointer:
    return operand.value;
  case Type::Bool:
    return b.CreateZExt(operand.value, b.getInt64Ty());
  case Type::Float:
    error(place, "expected an integer, found a float");
    return nullptr;
  case Type::Constant:
    break;
  }
  const ConstValue &constant = operand.constant;
  if (constant.kind() == ConstValue::Kind::Bool)
    return b.getInt64(constant.asBool());
  if (constant.kind() == ConstValue::Kind::Int && constant.asInt().getSignificantBits() <= 64)
    return b.getInt64(constant.asInt().getSExtValue());
  error(place, "expected an integer of at most 64 bits, found " + constant.str());
  return nullptr;
}

Value *ExprCode::toFloat(const HostExpr &place, const Operand &operand) {
  if (operand.type == Type::Float)
    return operand.value;
  if (isFloat(operand))
    return llvm::ConstantFP::get(b.getDoubleTy(), operand.constant.asFloat());
  Value *integer = toInt(place, operand);
  if (!integer)
    return nullptr;
  // Beyond, a double would be another number.
  constexpr int64_t exact = int64_t(1) << 53;
  Value *offset = b.CreateAdd(integer, b.getInt64(exact));
  failIf(b.CreateICmpUGT(offset, b.getInt64(2 * exact)), kOverflow);
  return b.CreateSIToFP(integer, b.getDoubleTy());
}

Value *ExprCode::toBool(const HostExpr &place, const Operand &operand) {
  if (operand.type == Type::Bool)
    return operand.value;
  if (operand.type == Type::Float)
    return b.CreateFCmpUNE(operand.value, llvm::ConstantFP::get(b.getDoubleTy(), 0.0));
  if (operand.type == Type::Constant) {
    switch (operand.constant.kind()) {
    case ConstValue::Kind::None:
      return b.getInt1(false);
    case ConstValue::Kind::String:
      return b.getInt1(!operand.constant.asString().empty());
    case ConstValue::Kind::Float:
      return b.getInt1(operand.constant.asFloat() != 0);
    case ConstValue::Kind::Type:
    case ConstValue::Kind::Function:
      return b.getInt1(true);
    case ConstValue::Kind::Tuple:
      return b.getInt1(!operand.constant.elements().empty());
    default:
      break;
    }
  }
  Value *integer = toInt(place, operand);
  return integer ? b.CreateICmpNE(integer, b.getInt64(0)) : nullptr;
}

/// "shape.0" for an element of an argument, "x.shape.0" for one of a part of a descriptor; empty
/// for anything else.
static std::string pathOf(const HostExpr &expr) {
  if (expr.kind() == HostExpr::Kind::Argument)
    return expr.name().str();
  bool isPart = expr.kind() == HostExpr::Kind::Part;
  bool isInside = isPart || expr.kind() == HostExpr::Kind::Element;
  std::string whole = isInside ? pathOf(*expr.operands()[0]) : "";
  return whole.empty() ? whole
                       : whole + "." + (isPart ? expr.name().str() : std::to_string(expr.index()));
}

/// An argument, or an element of one that is a tuple or a descriptor.
ExprCode::MaybeOperand ExprCode::emitArgument(const HostExpr &expr) {
  std::string path = pathOf(expr);
  // Parts of descriptors have names, elements of tuples are numbered where they have names, too.
  auto found = llvm::find_if(kernel.params, [&](const ArtifactParam &param) {
    return param.path == path || param.name == path;
  });
  if (found == kernel.params.end() && expr.kind() != HostExpr::Kind::Argument)
    return error(expr, "this element is no run-time argument of kernel '" + kernel.name + "'");
  if (found == kernel.params.end())
    return error(expr, "'" + expr.name() + "' is no parameter of kernel '" + kernel.name + "'");
  Value *slot =
      b.CreateConstGEP1_32(b.getInt64Ty(), slots, unsigned(found - kernel.params.begin()));
  DType type = found->type;
  if (type.isPointer())
    return Operand{Type::Pointer, b.CreateLoad(b.getInt64Ty(), slot), {}};
  if (type.isBool())
    return makeBool(b.CreateTrunc(b.CreateLoad(b.getInt8Ty(), slot), b.getInt1Ty()));
  if (type.isInt()) {
    Value *value = b.CreateLoad(b.getIntNTy(type.bits()), slot);
    if (type.isScalar(ScalarKind::UInt64))
      failIf(b.CreateICmpSLT(value, b.getInt64(0)), kOverflow);
    return makeInt(b.CreateIntCast(value, b.getInt64Ty(), type.isSignedInt()));
  }
  if (type.isFP32())
    return makeFloat(b.CreateFPExt(b.CreateLoad(b.getFloatTy(), slot), b.getDoubleTy()));
  if (type.isFP64())
    return makeFloat(b.CreateLoad(b.getDoubleTy(), slot));
  return error(expr, "the value of '" + found->name + "', of type " + type.signatureStr() +
                         ", cannot be used on the host");
}

ExprCode::MaybeOperand ExprCode::emit(const HostExpr &expr) {
  if (MaybeOperand known = foldConstant(expr))
    return known;
  switch (expr.kind()) {
  case HostExpr::Kind::Constant:
    return Operand{Type::Constant, nullptr, expr.value()};
  case HostExpr::Kind::Argument:
  case HostExpr::Kind::Element:
  case HostExpr::Kind::Part:
    return emitArgument(expr);
  case HostExpr::Kind::Unary:
    return emitUnary(expr);
  case HostExpr::Kind::Binary:
    return emitBinary(expr);
  case HostExpr::Kind::Boolean:
    return emitBoolean(expr);
  case HostExpr::Kind::Compare:
    return emitCompare(expr);
  case HostExpr::Kind::Conditional:
    return emitConditional(expr);
  case HostExpr::Kind::Call:
    return emitCall(expr);
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Joins values that come from `blocks` in `join`, where code goes on.
ExprCode::MaybeOperand ExprCode::merge(const HostExpr &place, llvm::ArrayRef<Operand> operands,
                                       llvm::ArrayRef<llvm::BasicBlock *> blocks,
                                       llvm::BasicBlock *join) {
  auto isBool = [](const Operand &operand) {
    return operand.type == Type::Bool ||
           (operand.type == Type::Constant && operand.constant.kind() == ConstValue::Kind::Bool);
  };
  bool anyFloat = llvm::any_of(operands, isFloat), allBool = llvm::all_of(operands, isBool);
  Type type = anyFloat ? Type::Float : allBool ? Type::Bool : Type::Int;
  llvm::SmallVector<std::pair<Value *, llvm::BasicBlock *>> incoming;
  for (auto [operand, block] : llvm::zip_equal(operands, blocks)) {
    b.SetInsertPoint(block);
    Value *value = anyFloat  ? toFloat(place, operand)
                   : allBool ? toBool(place, operand)
                             : toInt(place, operand);
    if (!value)
      return std::nullopt;
    incoming.push_back({value, b.GetInsertBlock()});
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
  llvm::PHINode *result = b.CreatePHI(incoming.front().first->getType(), incoming.size());
  for (auto [value, block] : incoming)
    result->addIncoming(value, block);
  return Operand{type, result, {}};
}

ExprCode::MaybeOperand ExprCode::emitConditional(const HostExpr &expr) {
  MaybeOperand test = emit(*expr.operands()[0]);
  Value *condition = test ? toBool(*expr.operands()[0], *test) : nullptr;
  if (!condition)
    return std::nullopt;
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto makeBlock = [&] { return llvm::BasicBlock::Create(module.getContext(), "", function); };
  llvm::BasicBlock *starts[] = {makeBlock(), makeBlock()}, *join = makeBlock();
  b.CreateCondBr(condition, starts[0], starts[1]);
  Operand results[2];
  llvm::BasicBlock *ends[2];
  for (int i = 0; i < 2; ++i) {
    b.SetInsertPoint(starts[i]);
    MaybeOperand result = emit(*expr.operands()[1 + i]);
    if (!result)
      return std::nullopt;
    results[i] = *result;
    ends[i] = b.GetInsertBlock();
  }
  return merge(expr, results, ends, join);
}

/// `a and b`: the first operand that decides, or the last one.
ExprCode::MaybeOperand ExprCode::emitBoolean(const HostExpr &expr) {
  bool isAnd = expr.boolOp() == ast::BoolOpKind::And;
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto makeBlock = [&] { return llvm::BasicBlock::Create(module.getContext(), "", function); };
  llvm::BasicBlock *join = makeBlock();
  llvm::SmallVector<Operand> results;
  llvm::SmallVector<llvm::BasicBlock *> ends;
  for (auto [index, operand] : llvm::enumerate(expr.operands())) {
    MaybeOperand result = emit(*operand);
    Value *truth = result ? toBool(*operand, *result) : nullptr;
    if (!truth)
      return std::nullopt;
    results.push_back(*result);
    if (index + 1 == expr.operands().size()) {
      ends.push_back(b.GetInsertBlock());
      break;
    }
    llvm::BasicBlock *decided = makeBlock(), *next = makeBlock();
    b.CreateCondBr(truth, isAnd ? next : decided, isAnd ? decided : next);
    ends.push_back(decided);
    b.SetInsertPoint(next);
  }
  return merge(expr, results, ends, join);
}
