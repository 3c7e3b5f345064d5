//===- CallStack.cpp - Where interpretation stands --------------*- C++ -*-===//
//
// Source locations, diagnostics with their chain of calls, and limits.
//
//===----------------------------------------------------------------------===//

#include "CallStack.h"

#include "ModuleEnv.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

CallStack::CallStack(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                     DiagnosticEngine &diagnostics)
    : irContext(context), sources(sources), diagnostics(diagnostics),
      locatedLoc(mlir::UnknownLoc::get(&context)) {}

void CallStack::setName(StringRef name, Object value, bool plain) {
  frame().scope[name] = Binding{std::move(value), plain};
}

//===----------------------------------------------------------------------===//
// Source locations
//===----------------------------------------------------------------------===//

mlir::Location CallStack::locate(SMRange range) {
  if (!range.Start.isValid())
    return mlir::UnknownLoc::get(&irContext);
  if (range.Start.getPointer() == locatedAt)
    return locatedLoc;
  unsigned buffer = sources.FindBufferContainingLoc(range.Start);
  if (!buffer)
    return mlir::UnknownLoc::get(&irContext);
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  StringRef file = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  locatedAt = range.Start.getPointer();
  locatedLoc = mlir::FileLineColLoc::get(mlir::StringAttr::get(&irContext, file), line, column);
  return locatedLoc;
}

mlir::Location CallStack::frameLoc(Frame *of, SMRange range) {
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

mlir::Location CallStack::loc() { return frameLoc(top, current); }

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

Object CallStack::errorWithHint(SMRange range, const llvm::Twine &message,
                                std::optional<StringRef> suggestion, SMRange fix) {
  if (silent)
    return Object::poison();
  errors = true;
  Frame *at = top;
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

Object CallStack::error(SMRange range, const llvm::Twine &message) {
  return errorWithHint(range, message, std::nullopt, range);
}

Object CallStack::errorWithNote(SMRange range, const llvm::Twine &message, SMRange noteRange,
                                const llvm::Twine &note) {
  if (silent)
    return Object::poison();
  errors = true;
  Frame *at = top;
  for (; at && at->env && at->env->isPrelude() && at->caller; at = at->caller)
    range = at->callRange;
  if (!reported.insert({range.Start.getPointer(), message.str()}).second)
    return Object::poison();
  DiagnosticBuilder diagnostic = diagnostics.error(range, message);
  diagnostic.note(noteRange, note);
  noteCalls(diagnostic, at);
  return Object::poison();
}

Object CallStack::hostError(SMRange range, const llvm::Twine &message, const llvm::Twine &why,
                            const Object &object) {
  if (const MissingValue *missing = object.asMissing())
    return errorWithNote(range, message + ": " + missing->why, object.definition(), missing->note);
  return errorWithNote(range, message + why, object.definition(), "defined here");
}

void CallStack::warning(SMRange range, const llvm::Twine &message) {
  if (silent)
    return;
  Frame *at = top;
  for (; at && at->env && at->env->isPrelude() && at->caller; at = at->caller)
    range = at->callRange;
  if (!reported.insert({range.Start.getPointer(), message.str()}).second)
    return;
  DiagnosticBuilder diagnostic = diagnostics.warning(range, message);
  noteCalls(diagnostic, at);
}

void CallStack::remark(SMRange range, const llvm::Twine &message) {
  if (!silent)
    diagnostics.remark(range, message);
}

bool CallStack::rejectHost(const Object &object, SMRange range) {
  if (!object.is(Object::Kind::Host))
    return false;
  hostError(range, "cannot use " + object.typeStr() + " in a kernel", ": host code is not executed",
            object);
  return true;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Deepest nesting of evaluations over all inlined calls: keeps the native stack bounded.
static constexpr unsigned maxDepth = 1200;

/// Statements of one kernel, helpers and unrolled loops included.
static constexpr unsigned maxStatements = 250000;

bool CallStack::chargeStatement(SMRange range) {
  if (statements == maxStatements)
    error(range, "the kernel unrolls to more than " + llvm::Twine(maxStatements) + " statements");
  ++statements;
  return !stopped() && !diagnostics.limitReached();
}

void CallStack::stop() { statements = maxStatements + 1; }

bool CallStack::stopped() const { return statements > maxStatements; }

CallStack::DepthGuard::DepthGuard(CallStack &stack, SMRange range)
    : stack(stack), fits(++stack.depth <= maxDepth) {
  if (!fits)
    stack.error(range, "the code is nested too deeply");
}
