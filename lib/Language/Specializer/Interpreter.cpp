//===- Interpreter.cpp - The abstract interpreter ---------------*- C++ -*-===//
//
// What all parts of the interpreter share: source locations, diagnostics with their chain of calls,
// and the walk over values that tuples need.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "PreludeSource.h"
#include "mlir/IR/Location.h"
#include "tilec/Language/Parser.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

Interpreter::Interpreter(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                         DiagnosticEngine &diagnostics, const KernelRequest &request,
                         Imports *imports, bool reportImports)
    : builder(&context), sources(sources), diagnostics(diagnostics), request(request), ops(*this),
      files(*this, imports, reportImports), locatedLoc(mlir::UnknownLoc::get(&context)) {}

//===----------------------------------------------------------------------===//
// Source locations
//===----------------------------------------------------------------------===//

mlir::Location Interpreter::locate(SMRange range) {
  if (!range.Start.isValid())
    return mlir::UnknownLoc::get(&context());
  if (range.Start.getPointer() == locatedAt)
    return locatedLoc;
  unsigned buffer = sources.FindBufferContainingLoc(range.Start);
  if (!buffer)
    return mlir::UnknownLoc::get(&context());
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  StringRef file = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  locatedAt = range.Start.getPointer();
  locatedLoc = mlir::FileLineColLoc::get(builder.getStringAttr(file), line, column);
  return locatedLoc;
}

mlir::Location Interpreter::frameLoc(Frame *of, SMRange range) {
  // Operations of the prelude belong to the line of the program that called it.
  while (of && of->env && of->env->isPrelude() && of->caller) {
    range = of->callRange;
    of = of->caller;
  }
  mlir::Location loc = locate(range);
  if (!of || !of->caller)
    return loc;
  if (!of->callerLoc)
    of->callerLoc = frameLoc(of->caller, of->callRange);
  return mlir::CallSiteLoc::get(loc, *of->callerLoc);
}

mlir::Location Interpreter::loc() { return frameLoc(frame, current); }

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Adds a note for each call between the kernel and `frame`, but for the middle of a long chain.
static void noteCalls(DiagnosticBuilder &diagnostic, const Frame *frame) {
  llvm::SmallVector<const Frame *> calls;
  for (; frame && frame->caller && frame->function; frame = frame->caller)
    if (!frame->caller->env || !frame->caller->env->isPrelude())
      calls.push_back(frame);
  constexpr size_t atEachEnd = 5;
  size_t skipped = calls.size() > 2 * atEachEnd ? calls.size() - 2 * atEachEnd : 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    StringRef name = calls[i]->function->def->name;
    if (i != atEachEnd || skipped < 2) {
      diagnostic.note(calls[i]->callRange, "in call to '" + name + "' from here");
      continue;
    }
    diagnostic.note(calls[i]->callRange, "in call to '" + name + "' from here, and in " +
                                             llvm::Twine(skipped) + " calls more");
    i += skipped;
  }
}

Object Interpreter::errorWithHint(SMRange range, const llvm::Twine &message,
                                  std::optional<StringRef> suggestion, SMRange fix) {
  if (silent)
    return Object::poison();
  errors = true;
  Frame *at = frame;
  bool moved = false;
  for (; at && at->env && at->env->isPrelude() && at->caller; at = at->caller) {
    range = at->callRange;
    moved = true;
  }
  std::string text = message.str();
  if (suggestion)
    text += "; did you mean '" + suggestion->str() + "'?";
  // A helper that is instantiated twice has the same error twice; once is enough. Of a call to the
  // prelude the first error says what is wrong; others follow from it.
  if (!reported.insert({range.Start.getPointer(), moved ? "" : text}).second)
    return Object::poison();
  DiagnosticBuilder diagnostic = diagnostics.error(range, text);
  if (suggestion && !moved)
    diagnostic.fixIt(fix, *suggestion);
  noteCalls(diagnostic, at);
  return Object::poison();
}

Object Interpreter::error(SMRange range, const llvm::Twine &message) {
  return errorWithHint(range, message, std::nullopt, range);
}

Object Interpreter::errorWithNote(SMRange range, const llvm::Twine &message, SMRange noteRange,
                                  const llvm::Twine &note) {
  if (silent)
    return Object::poison();
  errors = true;
  Frame *at = frame;
  for (; at && at->env && at->env->isPrelude() && at->caller; at = at->caller)
    range = at->callRange;
  if (!reported.insert({range.Start.getPointer(), message.str()}).second)
    return Object::poison();
  DiagnosticBuilder diagnostic = diagnostics.error(range, message);
  diagnostic.note(noteRange, note);
  noteCalls(diagnostic, at);
  return Object::poison();
}

Object Interpreter::hostError(SMRange range, const llvm::Twine &message, const llvm::Twine &why,
                              const Object &object) {
  if (const MissingValue *missing = object.asMissing())
    return errorWithNote(range, message + ": " + missing->why, object.definition(), missing->note);
  return errorWithNote(range, message + why, object.definition(), "defined here");
}

void Interpreter::warning(SMRange range, const llvm::Twine &message) {
  if (silent)
    return;
  Frame *at = frame;
  for (; at && at->env && at->env->isPrelude() && at->caller; at = at->caller)
    range = at->callRange;
  if (!reported.insert({range.Start.getPointer(), message.str()}).second)
    return;
  DiagnosticBuilder diagnostic = diagnostics.warning(range, message);
  noteCalls(diagnostic, at);
}

void Interpreter::remark(SMRange range, const llvm::Twine &message) {
  if (!silent)
    diagnostics.remark(range, message);
}

//===----------------------------------------------------------------------===//
// The prelude
//===----------------------------------------------------------------------===//

const ModuleEnv &Interpreter::load(Prelude &prelude, const char *text, StringRef name) {
  if (prelude.env)
    return *prelude.env;
  unsigned buffer =
      sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, name), llvm::SMLoc());
  prelude.context = std::make_unique<ast::Context>();
  ast::Module *module = parseModule(sources, buffer, diagnostics, *prelude.context);
  assert(module && "the prelude is text");
  prelude.env = std::make_unique<ModuleEnv>(*this, *module, std::string(), /*isPrelude=*/true);
  return *prelude.env;
}

const ModuleEnv &Interpreter::prelude() {
  return load(languagePrelude, preludeSource, "<triton.language>");
}

const ModuleEnv &Interpreter::devicePrelude() {
  return load(libdevicePrelude, devicePreludeSource, "<libdevice>");
}

const ModuleEnv &Interpreter::inductorPrelude() {
  return load(torchPrelude, inductorPreludeSource, "<triton_helpers>");
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

void Interpreter::setName(StringRef name, Object value, bool plain) {
  frame->scope[name] = Binding{std::move(value), plain};
}
