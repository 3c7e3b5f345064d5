//===- Interpreter.cpp - The abstract interpreter ---------------*- C++ -*-===//
//
// What an interpreter is made of, the library that is written in the language, and the walk over
// values that tuples need.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "HostInterpreter.h"
#include "KernelInterpreter.h"
#include "PreludeSource.h"
#include "tilec/Language/Parser.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

Interpreter::Interpreter(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                         DiagnosticEngine &diagnostics, const KernelRequest &request,
                         Imports *imports, bool reportImports)
    : CallStack(context, sources, diagnostics), builder(&context), request(request), ops(*this),
      files(*this, imports, reportImports), hostPart(std::make_unique<HostInterpreter>(*this)),
      kernelPart(std::make_unique<KernelInterpreter>(*this)) {}

Interpreter::~Interpreter() = default;

//===----------------------------------------------------------------------===//
// The prelude
//===----------------------------------------------------------------------===//

/// The function \p name of the module among \p texts that defines it. The others are not read: a
/// kernel that divides has no need of the generators of random numbers.
const JitFunction *Interpreter::findIn(llvm::ArrayRef<const char *> texts, StringRef library,
                                       StringRef name) {
  std::string header = ("\ndef " + name + "(").str();
  for (const char *text : texts) {
    if (!StringRef(text).contains(header))
      continue;
    Prelude &prelude = preludes[text];
    if (!prelude.env) {
      unsigned buffer = sourceMgr().AddNewSourceBuffer(
          llvm::MemoryBuffer::getMemBuffer(text, library), llvm::SMLoc());
      prelude.context = std::make_unique<ast::Context>();
      ast::Module *module = parseModule(sourceMgr(), buffer, engine(), *prelude.context);
      assert(module && "the prelude is text");
      prelude.env = std::make_unique<ModuleEnv>(*this, *module, std::string(), /*isPrelude=*/true);
    }
    return prelude.env->findFunction(name);
  }
  return nullptr;
}

const JitFunction *Interpreter::preludeFunction(StringRef name) {
  return findIn(preludeSources, "<triton.language>", name);
}

const JitFunction *Interpreter::deviceFunction(StringRef name) {
  return findIn(devicePreludeSources, "<libdevice>", name);
}

const JitFunction *Interpreter::inductorFunction(StringRef name) {
  return findIn(inductorPreludeSources, "<triton_helpers>", name);
}

//===----------------------------------------------------------------------===//
// Values inside tuples
//===----------------------------------------------------------------------===//

void front::flatten(const Object &object, llvm::SmallVectorImpl<mlir::Value> &values) {
  if (object.isTensor())
    values.push_back(object.value());
  else if (object.isCompound())
    for (const Object &element : object.elements())
      flatten(element, values);
}

Object front::rebuild(const Object &object, llvm::ArrayRef<mlir::Value> &values) {
  if (object.isTensor()) {
    mlir::Value value = values.front();
    values = values.drop_front();
    return Object::tensor(value, object.dtype());
  }
  if (!object.isCompound())
    return object;
  Object::List elements;
  for (const Object &element : object.elements())
    elements.push_back(rebuild(element, values));
  return object.withElements(std::move(elements));
}

bool front::sameType(const Object &left, const Object &right) {
  if (left.isTensor() && right.isTensor())
    return left.dtype() == right.dtype() && left.value().getType() == right.value().getType();
  if (left.isCompound() && left.kind() == right.kind())
    return left.asClass() == right.asClass() && left.elements().size() == right.elements().size() &&
           std::equal(left.elements().begin(), left.elements().end(), right.elements().begin(),
                      sameType);
  return left.identicalTo(right);
}

Object Interpreter::materializeDeep(const Object &object, SMRange range) {
  if (object.isNumber())
    return ops.materialize(object, range);
  if (!object.isTuple())
    return object;
  Object::List elements;
  for (const Object &element : object.elements())
    elements.push_back(materializeDeep(element, range));
  return object.withElements(std::move(elements));
}
