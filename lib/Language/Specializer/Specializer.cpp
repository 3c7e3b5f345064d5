//===- Specializer.cpp - From the syntax tree to tile IR --------*- C++ -*-===//
//
// The entry points: decides for each parameter of the kernel whether it is a run-time argument or a
// compile-time value, builds the function around the interpreted body, and verifies the result.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Specializer.h"

#include "Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::front;
namespace tile = mlir::tile;
using llvm::SMRange;
using llvm::StringRef;

void tilec::loadSpecializerDialects(mlir::MLIRContext &context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, tile::TileDialect>();
}

namespace {

/// What an annotation says about a parameter.
struct Annotation {
  bool isConstexpr = false;
  bool isConstPointer = false;
  std::optional<DType> type;
};

/// A parameter with its fate.
struct Resolved {
  const ast::Param *param = nullptr;
  std::optional<ParamType> type; // Run-time argument.
  Object value;                  // Otherwise.
  std::string text;              // How a function was named; empty for other values.
};

class KernelBuilder {
public:
  KernelBuilder(mlir::MLIRContext &context, const ast::Module &module, llvm::SourceMgr &sources,
                const KernelRequest &request, DiagnosticEngine &diagnostics, Imports *imports,
                KernelInfo &info)
      : in(context, sources, diagnostics, request, imports), module(module),
        env(in, module, in.importer().mainPath()), request(request), diagnostics(diagnostics),
        info(info) {
    in.importer().setMain(env);
  }

  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  bool checkLaunch();
  bool checkSymbol(const JitFunction &kernel);
  const JitFunction *findKernel();
  bool checkNames(const ast::FunctionDef &def);
  bool unknownName(StringRef name, SMRange range, const ast::FunctionDef &def, StringRef what);
  bool resolveParams(const JitFunction &kernel);
  bool resolve(const JitFunction &kernel, unsigned index, Resolved &result);
  bool fromValue(const ConstValue &value, SMRange range, Resolved &result);
  bool fromItem(const SignatureItem &item, const Annotation &annotation, Resolved &result);
  bool fromSource(const JitFunction &kernel, const Annotation &annotation, Resolved &result);
  Annotation annotationOf(const JitFunction &kernel, const ast::Param &param);
  bool isDefined(const ast::Param &param) const;
  size_t numUndefined(const ast::FunctionDef &def) const;
  const SignatureItem *itemOf(const JitFunction &kernel, const ast::Param &param, unsigned index);
  mlir::func::FuncOp createFunction(const JitFunction &kernel);
  void bindParams(mlir::func::FuncOp func, Frame &frame);
  bool verify(mlir::ModuleOp module);

  Interpreter in;
  const ast::Module &module;
  ModuleEnv env;
  const KernelRequest &request;
  DiagnosticEngine &diagnostics;
  KernelInfo &info;
  std::vector<Resolved> params;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

const JitFunction *KernelBuilder::findKernel() {
  if (const JitFunction *function = env.findFunction(request.kernel); function && function->isJit) {
    if (!function->def->hasErrors)
      return function;
    return nullptr; // The parser has reported why.
  }
  llvm::SmallVector<StringRef> candidates;
  for (const JitFunction *function : env.functions())
    if (function->isJit)
      candidates.push_back(function->def->name);
  std::string message = "no @triton.jit function is called '" + request.kernel + "'";
  if (std::optional<StringRef> near = closestName(request.kernel, candidates))
    message += "; did you mean '" + near->str() + "'?";
  else if (std::string advice = adviceForImported(module, request.kernel); !advice.empty())
    message += advice;
  else if (!candidates.empty() && candidates.size() <= 8)
    message += "; the file has '" + llvm::join(candidates, "', '") + "'";
  diagnostics.error(SMRange(), message);
  return nullptr;
}

bool KernelBuilder::unknownName(StringRef name, SMRange range, const ast::FunctionDef &def,
                                StringRef what) {
  llvm::SmallVector<StringRef> names;
  for (const ast::Param &param : def.params)
    names.push_back(param.name);
  std::string message =
      "kernel '" + def.name.str() + "' has no parameter '" + name.str() + "'" + what.str();
  if (std::optional<StringRef> near = closestName(name, names))
    message += "; did you mean '" + near->str() + "'?";
  diagnostics.error(range, message).note(def.nameRange, "the kernel is defined here");
  return false;
}

/// Names in the request that the kernel does not have, and a positional form of the wrong length.
bool KernelBuilder::checkNames(const ast::FunctionDef &def) {
  bool sound = true;
  auto known = [&](StringRef name) {
    return llvm::any_of(def.params, [&](const ast::Param &param) { return param.name == name; });
  };
  for (const NamedConst &value : request.constexprs)
    if (!known(value.name))
      sound = unknownName(value.name, value.range, def, "");
  const Signature &signature = request.signature;
  if (!signature.positional) {
    for (const SignatureItem &item : signature.items)
      if (!known(item.name))
        sound = unknownName(item.name, item.range, def, ", which the signature names");
    return sound;
  }
  size_t count = signature.items.size();
  if (count == 0 || count == def.params.size() || count == numUndefined(def))
    return sound;
  diagnostics
      .error(signature.items[std::min(count - 1, def.params.size())].range,
             "the signature has " + llvm::Twine(count) + " items, but kernel '" + def.name +
                 "' has " + llvm::Twine(def.params.size()) + " parameters")
      .note(def.nameRange, "the kernel is defined here");
  return false;
}

bool KernelBuilder::isDefined(const ast::Param &param) const {
  return llvm::any_of(request.constexprs,
                      [&](const NamedConst &value) { return value.name == param.name; });
}

/// How many parameters are left to the signature when it passes over those with a value of their
/// own.
size_t KernelBuilder::numUndefined(const ast::FunctionDef &def) const {
  return llvm::count_if(def.params, [&](const ast::Param &param) { return !isDefined(param); });
}

const SignatureItem *KernelBuilder::itemOf(const JitFunction &kernel, const ast::Param &param,
                                           unsigned index) {
  const Signature &signature = request.signature;
  if (signature.positional) {
    if (signature.items.size() != kernel.def->params.size())
      index -= llvm::count_if(kernel.def->params.take_front(index),
                              [&](const ast::Param &before) { return isDefined(before); });
    return index < signature.items.size() ? &signature.items[index] : nullptr;
  }
  for (const SignatureItem &item : signature.items)
    if (item.name == param.name)
      return &item;
  return nullptr;
}

Annotation KernelBuilder::annotationOf(const JitFunction &kernel, const ast::Param &param) {
  Annotation result;
  if (!param.annotation)
    return result;
  Object object = in.tryEvalHost(*param.annotation, *kernel.env);
  // Names of Python that the host sees, but kernels do not.
  bool hidden = object.is(Object::Kind::Builtin) && object.asBuiltin()->space == Space::Python &&
                object.asBuiltin()->flags & Hidden;
  if (auto *name = llvm::dyn_cast<ast::Name>(param.annotation);
      name && (object.isPoison() || hidden)) {
    in.error(name->range(), "'" + name->id + "' is not defined");
  } else if (isConstexprType(object)) {
    result.isConstexpr = true;
  } else if (object.isString()) {
    result.isConstexpr = object.asString().contains("constexpr");
    result.type = parseTypeName(object.asString());
    result.isConstPointer = object.asString().contains("const");
  } else if (object.isType() && !object.isBlockType()) {
    result.type = object.dtype();
    result.type->isConst = false; // tl.pointer_type(.., const=True) loses it as an annotation.
  } else if (object.is(Object::Kind::Builtin)) {
    StringRef name = object.asBuiltin()->name;
    bool python = object.asBuiltin()->space == Space::Python;
    result.isConstPointer = name == "const";
    if (python && name == "int")
      result.type = ScalarKind::Int32;
    if (python && name == "float")
      result.type = ScalarKind::FP32;
  }
  return result;
}

/// A constant; a function is looked up in the kernel's file.
bool KernelBuilder::fromValue(const ConstValue &value, SMRange range, Resolved &result) {
  if (value.kind() != ConstValue::Kind::Function) {
    result.value = fromConst(value);
    return true;
  }
  StringRef name = value.functionName();
  std::optional<Object> known = env.lookup(name);
  if (known && known->is(Object::Kind::Function)) {
    result.value = *known;
    result.text = name.str();
    return true;
  }
  llvm::SmallVector<StringRef> candidates = {"True", "False", "None"};
  for (const JitFunction *function : env.functions())
    candidates.push_back(function->def->name);
  std::optional<StringRef> near = closestName(name, candidates);
  diagnostics
      .error(range, "'" + name + "' is not a value, a type or a jit function of the kernel's file" +
                        (near ? "; did you mean '" + near->str() + "'?" : ""))
      .note(result.param->nameRange, "for this parameter");
  return false;
}

bool KernelBuilder::fromItem(const SignatureItem &item, const Annotation &annotation,
                             Resolved &result) {
  if (item.value)
    return fromValue(*item.value, item.range, result);
  StringRef name = result.param->name;
  if (annotation.isConstexpr) {
    diagnostics
        .error(item.range, "parameter '" + name +
                               "' is tl.constexpr: expected a value, found the "
                               "type '" +
                               item.type->type.signatureStr() + "'")
        .note(result.param->nameRange, "the parameter is declared here");
    return false;
  }
  result.type = item.type;
  return true;
}

bool KernelBuilder::fromSource(const JitFunction &kernel, const Annotation &annotation,
                               Resolved &result) {
  const ast::Param &param = *result.param;
  if (annotation.type && !annotation.isConstexpr && !param.defaultValue) {
    result.type = ParamType{*annotation.type};
    return true;
  }
  if (param.defaultValue) {
    result.value = in.evalHost(*param.defaultValue, *kernel.env);
    return !result.value.hasPoison();
  }
  if (annotation.isConstexpr)
    diagnostics.error(param.nameRange, "the tl.constexpr parameter '" + param.name +
                                           "' has no value; -D" + param.name +
                                           "=VALUE gives it one");
  else
    diagnostics.error(param.nameRange, "parameter '" + param.name +
                                           "' has no type: it is not in the signature and has "
                                           "neither annotation nor default; " +
                                           param.name + "=TYPE in --sig gives it one, -D" +
                                           param.name + "=VALUE makes it a constant");
  return false;
}

bool KernelBuilder::resolve(const JitFunction &kernel, unsigned index, Resolved &result) {
  const ast::Param &param = kernel.def->params[index];
  result.param = &param;
  if (param.kind != ast::Param::Kind::Regular) {
    diagnostics.error(param.nameRange, "only plain parameters are supported in a kernel");
    return false;
  }
  for (const NamedConst &given : request.constexprs)
    if (given.name == param.name)
      return fromValue(given.value, given.range, result);
  Annotation annotation = annotationOf(kernel, param);
  const SignatureItem *item = itemOf(kernel, param, index);
  bool sound = item ? fromItem(*item, annotation, result) : fromSource(kernel, annotation, result);
  if (!sound || !result.type)
    return sound;
  DType &type = result.type->type;
  if (annotation.isConstPointer && type.isPointer())
    type.isConst = true;
  return in.tensors().checkType(type, param.nameRange);
}

bool KernelBuilder::resolveParams(const JitFunction &kernel) {
  bool sound = checkNames(*kernel.def);
  for (unsigned i = 0; i < kernel.def->params.size(); ++i) {
    params.emplace_back();
    sound &= resolve(kernel, i, params.back());
  }
  return sound;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

mlir::func::FuncOp KernelBuilder::createFunction(const JitFunction &kernel) {
  mlir::OpBuilder &b = in.ir();
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attrs;
  for (const Resolved &param : params) {
    if (!param.type)
      continue;
    types.push_back(in.tensors().irScalarType(param.type->type));
    llvm::SmallVector<mlir::NamedAttribute> list = {
        b.getNamedAttr(tile::kNameAttr, b.getStringAttr(param.param->name))};
    if (param.type->divisibility > 1)
      list.push_back(
          b.getNamedAttr(tile::kDivisibilityAttr, b.getI32IntegerAttr(param.type->divisibility)));
    attrs.push_back(b.getDictionaryAttr(list));
  }
  llvm::SmallVector<mlir::NamedAttribute> funcAttrs = {
      b.getNamedAttr(tile::kKernelAttr, b.getUnitAttr())};
  if (request.numWarps != 0)
    funcAttrs.push_back(b.getNamedAttr(tile::kNumWarpsAttr, b.getI32IntegerAttr(request.numWarps)));
  if (request.numCTAs != 0)
    funcAttrs.push_back(b.getNamedAttr(tile::kNumCTAsAttr, b.getI32IntegerAttr(request.numCTAs)));
  auto func = mlir::func::FuncOp::create(b, in.loc(), kernel.def->name,
                                         b.getFunctionType(types, {}), funcAttrs, attrs);
  func.addEntryBlock();
  return func;
}

void KernelBuilder::bindParams(mlir::func::FuncOp func, Frame &frame) {
  unsigned next = 0;
  for (const Resolved &param : params) {
    StringRef name = param.param->name;
    if (param.type) {
      mlir::BlockArgument arg = func.getArgument(next++);
      Interpreter::PlaceScope place(in, param.param->nameRange);
      arg.setLoc(in.loc());
      mlir::Value value = arg;
      if (param.type->equalsOne && param.type->type.isInt()) {
        mlir::Type type = arg.getType();
        value = mlir::arith::ConstantOp::create(in.ir(), in.loc(), in.ir().getIntegerAttr(type, 1));
      }
      frame.scope[name] = {Object::tensor(value, param.type->type), true};
      info.params.push_back({name.str(), param.type->type.signatureStr(), param.type->divisibility,
                             param.type->equalsOne});
      continue;
    }
    frame.scope[name] = {param.value, true};
    std::optional<ConstValue> value = toConst(param.value);
    std::string text = value ? value->str() : param.value.repr();
    info.constexprs.push_back({name.str(), param.text.empty() ? text : param.text});
  }
}

/// The interpreter must make valid IR of whatever it accepts; if it does not, that is reported
/// rather than passed on.
bool KernelBuilder::verify(mlir::ModuleOp module) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(module)))
    return true;
  diagnostics.error(SMRange(), "internal error: the kernel became invalid IR: " + message);
  return false;
}

bool KernelBuilder::checkLaunch() {
  if (request.numWarps > 32 || (request.numWarps & (request.numWarps - 1)) != 0) {
    diagnostics.error(SMRange(), "the number of warps must be a power of two from 1 to 32, found " +
                                     llvm::Twine(request.numWarps));
    return false;
  }
  if (request.numCTAs > 16 || (request.numCTAs & (request.numCTAs - 1)) != 0) {
    diagnostics.error(SMRange(), "the number of CTAs must be a power of two from 1 to 16, found " +
                                     llvm::Twine(request.numCTAs));
    return false;
  }
  if (request.numCTAs > 1 && request.capability != 0 && request.capability < 90) {
    diagnostics.error(SMRange(), "clusters of more than one CTA need compute capability 9.0 or "
                                 "higher, the target has " +
                                     llvm::Twine(request.capability / 10) + "." +
                                     llvm::Twine(request.capability % 10));
    return false;
  }
  return true;
}

/// A kernel is a symbol of PTX and of objects, under the name that it has.
bool KernelBuilder::checkSymbol(const JitFunction &kernel) {
  std::string name = kernel.def->name.str();
  bool isWord = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isWord && name != "_" && name != "WARP_SZ")
    return true;
  diagnostics.error(kernel.def->nameRange,
                    "'" + name +
                        "' cannot be the name of a kernel: PTX takes ASCII letters, "
                        "digits and '_', and neither '_' alone nor 'WARP_SZ'");
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp> KernelBuilder::build() {
  info = KernelInfo();
  if (!checkLaunch())
    return {};
  const JitFunction *kernel = findKernel();
  if (!kernel || !checkSymbol(*kernel) || !in.checkJitCall(*kernel) || !resolveParams(*kernel))
    return {};
  info.symbol = kernel->def->name.str();
  in.setKernelDebug(kernel->debug);
  Frame frame;
  frame.function = kernel;
  frame.env = kernel->env;
  frame.isKernel = true;
  Interpreter::FrameScope frameScope(in, frame);
  Interpreter::PlaceScope place(in, kernel->def->nameRange);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(in.loc());
  in.ir().setInsertionPointToEnd(module->getBody());
  mlir::func::FuncOp func = createFunction(*kernel);
  in.ir().setInsertionPointToEnd(&func.front());
  bindParams(func, frame);
  in.runKernel(frame);
  if (in.hadError())
    return {};
  mlir::func::ReturnOp::create(in.ir(), in.loc());
  return verify(*module) ? std::move(module) : mlir::OwningOpRef<mlir::ModuleOp>();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

mlir::OwningOpRef<mlir::ModuleOp>
tilec::specialize(mlir::MLIRContext &context, const ast::Module &module, llvm::SourceMgr &sourceMgr,
                  const KernelRequest &request, DiagnosticEngine &diagnostics, KernelInfo &info,
                  Imports *imports) {
  loadSpecializerDialects(context);
  return KernelBuilder(context, module, sourceMgr, request, diagnostics, imports, info).build();
}

std::vector<const ast::FunctionDef *> tilec::listJitFunctions(const ast::Module &module,
                                                              Imports *imports) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  DiagnosticEngine diagnostics(sources, llvm::nulls());
  KernelRequest request;
  Interpreter in(context, sources, diagnostics, request, imports, /*reportImports=*/false);
  ModuleEnv env(in, module, in.importer().mainPath());
  in.importer().setMain(env);
  std::vector<const ast::FunctionDef *> result;
  for (const JitFunction *function : env.functions())
    if (function->isJit)
      result.push_back(function->def);
  return result;
}
