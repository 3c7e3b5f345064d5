//===- Specializer.cpp - From the syntax tree to tile IR --------*- C++ -*-===//
//
// The entry points: builds the function around the interpreted body of a kernel, whose parameters
// Parameters.cpp has resolved, and verifies the result.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Specializer.h"

#include "KernelInterpreter.h"
#include "MemoryArgs.h"
#include "Parameters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Language/Decorators.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

void tilec::loadSpecializerDialects(mlir::MLIRContext &context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, tilec::tile::TileDialect>();
}

namespace {

class KernelBuilder {
public:
  KernelBuilder(mlir::MLIRContext &context, const ast::Module &module, llvm::SourceMgr &sources,
                const KernelRequest &request, DiagnosticEngine &diagnostics, Imports *imports,
                KernelInfo &info)
      : request(request), in(context, sources, diagnostics, this->request, imports), module(module),
        env(in, module, in.importer().mainPath()), diagnostics(diagnostics), info(info) {
    in.importer().setMain(env);
  }

  mlir::OwningOpRef<mlir::ModuleOp> build();
  void setObserver(ValueObserver &observer) { in.kernel().setObserver(&observer); }

private:
  bool checkLaunch();
  bool checkSymbol(const JitFunction &kernel);
  bool isAmbiguous();
  const JitFunction *findKernel();
  mlir::func::FuncOp createFunction(const JitFunction &kernel);
  Object bindArgument(const ParamValue &param, mlir::BlockArgument arg);
  Object bindParam(const ParamValue &param, mlir::func::FuncOp func, unsigned &next);
  Object bindDescriptor(const ParamValue &param, llvm::ArrayRef<Object> parts);
  void bindParams(mlir::func::FuncOp func, Frame &frame);
  bool verify(mlir::ModuleOp module);

  KernelRequest request; // With what parameters add to it.
  Interpreter in;
  const ast::Module &module;
  ModuleEnv env;
  DiagnosticEngine &diagnostics;
  KernelInfo &info;
  std::vector<ParamValue> params;
};

} // namespace

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Reports a name that several kernels within functions and classes have; false if none does.
bool KernelBuilder::isAmbiguous() {
  llvm::SmallVector<ast::FunctionDef *, 2> inside = module.findNested(request.kernel);
  const ast::FunctionDef *function = module.findFunction(request.kernel);
  if (inside.size() < 2 || function != inside.back())
    return false;
  diagnostics
      .error(inside.back()->nameRange, "several functions or classes have a kernel '" +
                                           request.kernel +
                                           "' inside; only a name of its own "
                                           "says which one is meant")
      .note(inside.front()->nameRange, "another one is here");
  return true;
}

const JitFunction *KernelBuilder::findKernel() {
  if (isAmbiguous())
    return nullptr;
  // Inside of a function a kernel may have the name of a host function of the module.
  const JitFunction *found = env.findFunction(request.kernel);
  llvm::SmallVector<StringRef> candidates;
  for (const JitFunction *function : env.functions()) {
    if (!function->isJit)
      continue;
    candidates.push_back(function->def->name);
    if ((!found || !found->isJit) && function->def->name == request.kernel)
      found = function;
  }
  if (found && found->isJit)
    return found->def->hasErrors ? nullptr : found; // Of errors the parser has reported why.
  diagnostics.error(SMRange(), describeMissing(module, request.kernel, candidates));
  return nullptr;
}

mlir::func::FuncOp KernelBuilder::createFunction(const JitFunction &kernel) {
  mlir::OpBuilder &b = in.ir();
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attrs;
  auto addArgument = [&](const ParamValue &param) {
    types.push_back(in.tensors().irScalarType(param.type->type));
    llvm::SmallVector<mlir::NamedAttribute> list = {
        b.getNamedAttr(tilec::tile::kNameAttr, b.getStringAttr(param.name))};
    if (param.type->divisibility > 1)
      list.push_back(b.getNamedAttr(tilec::tile::kDivisibilityAttr,
                                    b.getI32IntegerAttr(param.type->divisibility)));
    attrs.push_back(b.getDictionaryAttr(list));
  };
  for (const ParamValue &param : params)
    param.forEachArgument(addArgument);
  llvm::SmallVector<mlir::NamedAttribute> funcAttrs = {
      b.getNamedAttr(tilec::tile::kKernelAttr, b.getUnitAttr())};
  if (request.numWarps != 0)
    funcAttrs.push_back(
        b.getNamedAttr(tilec::tile::kNumWarpsAttr, b.getI32IntegerAttr(request.numWarps)));
  if (request.numCTAs != 0)
    funcAttrs.push_back(
        b.getNamedAttr(tilec::tile::kNumCTAsAttr, b.getI32IntegerAttr(request.numCTAs)));
  if (request.numStages != 0)
    funcAttrs.push_back(
        b.getNamedAttr(tilec::tile::kNumStagesAttr, b.getI32IntegerAttr(request.numStages)));
  if (request.warpRoles != WarpRoles::Asked)
    funcAttrs.push_back(b.getNamedAttr(tilec::tile::kWarpRolesAttr,
                                       b.getStringAttr(warpRolesName(request.warpRoles))));
  if (request.tensorMaps != TensorMaps::Kernel)
    funcAttrs.push_back(b.getNamedAttr(tilec::tile::kTensorMapsAttr,
                                       b.getStringAttr(tensorMapsName(request.tensorMaps))));
  auto func = mlir::func::FuncOp::create(b, in.loc(), kernel.def->name,
                                         b.getFunctionType(types, {}), funcAttrs, attrs);
  func.addEntryBlock();
  return func;
}

Object KernelBuilder::bindArgument(const ParamValue &param, mlir::BlockArgument arg) {
  Interpreter::PlaceScope place(in, param.param->nameRange);
  arg.setLoc(in.loc());
  const ParamType &type = *param.type;
  KernelParam &known = info.params.emplace_back();
  static_cast<ParamType &>(known) = type;
  known.name = param.name;
  known.path = param.path;
  if (!type.equalsOne || !type.type.isInt())
    return Object::tensor(arg, type.type);
  mlir::Value one =
      mlir::arith::ConstantOp::create(in.ir(), in.loc(), in.ir().getIntegerAttr(arg.getType(), 1));
  return Object::tensor(one, type.type);
}

/// `next` is the number of the function's next argument.
Object KernelBuilder::bindParam(const ParamValue &param, mlir::func::FuncOp func, unsigned &next) {
  if (param.type)
    return bindArgument(param, func.getArgument(next++));
  if (!param.isTuple)
    return param.value;
  Object::List elements;
  for (const ParamValue &element : param.elements)
    elements.push_back(bindParam(element, func, next));
  return param.descriptor ? bindDescriptor(param, elements)
                          : Object::tuple(std::move(elements), param.named);
}

/// The same object that make_tensor_descriptor gives, of the base, the sizes and the strides.
Object KernelBuilder::bindDescriptor(const ParamValue &param, llvm::ArrayRef<Object> parts) {
  Interpreter::PlaceScope place(in, param.param->nameRange);
  auto scalars = [&](const Object &list, ScalarKind kind) {
    Object::List result;
    for (const Object &item : list.elements())
      result.push_back(
          in.tensors().cast(in.tensors().materialize(item, in.here()), kind, in.here()));
    return result;
  };
  return descriptorOf(in, param.blockType, param.descriptor->padsWithNaN, parts[0],
                      scalars(parts[1], ScalarKind::Int32), scalars(parts[2], ScalarKind::Int64));
}

void KernelBuilder::bindParams(mlir::func::FuncOp func, Frame &frame) {
  unsigned next = 0;
  for (const ParamValue &param : params) {
    frame.scope[param.param->name] = {bindParam(param, func, next), true};
    if (param.type || param.isTuple) {
      info.arguments.push_back(param.toItem());
      info.arguments.back().name = param.name;
      continue;
    }
    // A function may have been named by an alias, which its object does not know.
    std::optional<ConstValue> value = param.given ? param.given : toConst(param.value);
    info.constexprs.push_back({param.name, value ? value->str() : param.value.repr()});
  }
  layOutParams(info.params);
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
  if (request.numStages > kMaxStages) {
    diagnostics.error(SMRange(), "the number of stages must be from 1 to 64, found " +
                                     llvm::Twine(request.numStages));
    return false;
  }
  if (request.numCTAs > 1 && request.arch && !request.arch->has(GpuFeature::Cluster)) {
    diagnostics.error(SMRange(), "clusters of more than one CTA need compute capability " +
                                     firstCapability(GpuFeature::Cluster).str() +
                                     " or higher, the target has " +
                                     request.arch->capability().str());
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
  const JitFunction *kernel = findKernel();
  if (!kernel || !checkSymbol(*kernel) || !in.checkJitCall(*kernel) ||
      !shareNumbers(*kernel->def, request, diagnostics) || !checkLaunch() ||
      !ParamResolver(in, env, *kernel, request, diagnostics).resolve(params))
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
  in.kernel().run(*kernel);
  if (in.hadError() || in.stopped())
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

mlir::OwningOpRef<mlir::ModuleOp>
tilec::specializeObserved(mlir::MLIRContext &context, const ast::Module &module,
                          llvm::SourceMgr &sourceMgr, const KernelRequest &request,
                          DiagnosticEngine &diagnostics, KernelInfo &info, Imports *imports,
                          ValueObserver &observer) {
  loadSpecializerDialects(context);
  KernelBuilder builder(context, module, sourceMgr, request, diagnostics, imports, info);
  builder.setObserver(observer);
  return builder.build();
}

std::vector<const ast::FunctionDef *> tilec::listJitFunctions(const ast::Module &module,
                                                              Imports *imports) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  DiagnosticEngine diagnostics(sources, llvm::nulls());
  KernelRequest request;
  // What a file defines is read as for a GPU, whatever its kernels are compiled for.
  request.arch = GpuArch::forDevice(9, 0);
  Interpreter in(context, sources, diagnostics, request, imports, /*reportImports=*/false);
  ModuleEnv env(in, module, in.importer().mainPath());
  in.importer().setMain(env);
  std::vector<const ast::FunctionDef *> result;
  for (const JitFunction *function : env.functions())
    if (function->isJit)
      result.push_back(function->def);
  return result;
}
