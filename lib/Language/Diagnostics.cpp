//===- Diagnostics.cpp - Located errors, warnings and notes -----*- C++ -*-===//
//
// The bookkeeping half of diagnostics: builders, counting, the error limit, and turning source
// ranges or plain file positions into printable locations. DiagnosticRender.cpp does the printing.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Diagnostics.h"

#include "LineInfo.h"

#include <utility>

using namespace llvm;

namespace tilec {

//===----------------------------------------------------------------------===//
// DiagnosticBuilder
//===----------------------------------------------------------------------===//

DiagnosticBuilder::DiagnosticBuilder(DiagnosticEngine &engine, DiagnosticMessage message)
    : engine(&engine), message(std::move(message)) {}

DiagnosticBuilder::DiagnosticBuilder(DiagnosticBuilder &&other)
    : engine(std::exchange(other.engine, nullptr)), message(std::move(other.message)),
      notes(std::move(other.notes)) {}

DiagnosticBuilder::~DiagnosticBuilder() { emit(); }

DiagnosticBuilder &DiagnosticBuilder::note(SMRange range, const Twine &text) {
  if (engine)
    notes.push_back({Severity::Note, engine->resolve(range), text.str(), {}});
  return *this;
}

DiagnosticBuilder &DiagnosticBuilder::note(const FileLoc &loc, const Twine &text) {
  if (engine)
    notes.push_back({Severity::Note, engine->resolve(loc), text.str(), {}});
  return *this;
}

DiagnosticBuilder &DiagnosticBuilder::fixIt(SMRange range, const Twine &text) {
  if (engine && range.isValid())
    message.fixIts.push_back({range, text.str()});
  return *this;
}

void DiagnosticBuilder::emit() {
  if (DiagnosticEngine *target = std::exchange(engine, nullptr))
    target->emit(message, notes);
}

//===----------------------------------------------------------------------===//
// DiagnosticEngine
//===----------------------------------------------------------------------===//

DiagnosticEngine::DiagnosticEngine(const SourceMgr &sourceMgr, raw_ostream &os,
                                   DiagnosticOptions options)
    : sources(sourceMgr), os(os), opts(options) {}

DiagnosticBuilder DiagnosticEngine::report(Severity severity, SMRange range, const Twine &text) {
  return DiagnosticBuilder(*this, {severity, resolve(range), text.str(), {}});
}

DiagnosticBuilder DiagnosticEngine::report(Severity severity, const FileLoc &loc,
                                           const Twine &text) {
  return DiagnosticBuilder(*this, {severity, resolve(loc), text.str(), {}});
}

DiagnosticBuilder DiagnosticEngine::error(SMRange range, const Twine &text) {
  return report(Severity::Error, range, text);
}

DiagnosticBuilder DiagnosticEngine::warning(SMRange range, const Twine &text) {
  return report(Severity::Warning, range, text);
}

DiagnosticBuilder DiagnosticEngine::remark(SMRange range, const Twine &text) {
  return report(Severity::Remark, range, text);
}

/// Notes for the imports that led to the message's file, unless its notes lead elsewhere already.
void DiagnosticEngine::noteImports(const DiagnosticMessage &message,
                                   SmallVectorImpl<DiagnosticMessage> &notes) const {
  unsigned file = message.place.bufferId;
  for (const DiagnosticMessage &note : notes)
    if (note.place.bufferId != file)
      return;
  // Each file is imported by one that was read before it, so this ends.
  while (file) {
    SMLoc import = sources.getParentIncludeLoc(file);
    if (!import.isValid())
      return;
    notes.push_back({Severity::Note, resolve(SMRange(import, import)), "imported from here", {}});
    file = notes.back().place.bufferId;
  }
}

void DiagnosticEngine::emit(DiagnosticMessage &message, SmallVectorImpl<DiagnosticMessage> &notes) {
  if (stopped)
    return;
  noteImports(message, notes);
  if (message.severity == Severity::Warning) {
    if (opts.ignoreWarnings)
      return;
    if (opts.warningsAsErrors)
      message.severity = Severity::Error;
    else
      ++numWarnings;
  }
  if (message.severity == Severity::Error) {
    // The line comes with the first error beyond the limit, so that a file with exactly as many
    // errors as the limit allows is not reported as cut short.
    if (opts.errorLimit && numErrors >= opts.errorLimit) {
      stopped = true;
      message = {Severity::Error, {}, "too many errors emitted, stopping now", {}};
      notes.clear();
    } else {
      ++numErrors;
    }
  }
  if (opts.format == DiagnosticFormat::JSON) {
    renderJSON(os, sources, message, notes);
  } else {
    renderText(os, sources, message, opts.color);
    for (const DiagnosticMessage &note : notes)
      renderText(os, sources, note, opts.color);
  }
  os.flush();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

DiagnosticPlace DiagnosticEngine::resolve(SMRange range) const {
  DiagnosticPlace place;
  if (!range.Start.isValid())
    return place;
  unsigned id = sources.FindBufferContainingLoc(range.Start);
  if (!id)
    return place;
  const MemoryBuffer *buffer = sources.getMemoryBuffer(id);
  const char *begin = range.Start.getPointer();
  const char *end = range.End.isValid() ? range.End.getPointer() : begin;
  // A range must not run out of its buffer or backwards, whoever made it.
  if (end < begin || end > buffer->getBufferEnd())
    end = begin;
  LineColumn first = lineAndColumn(buffer->getBuffer(), begin);
  LineColumn last = lineAndColumn(buffer->getBuffer(), end, first, begin);
  place.file = buffer->getBufferIdentifier().str();
  place.line = first.line;
  place.column = first.column;
  place.endLine = last.line;
  place.endColumn = last.column;
  place.range = SMRange(SMLoc::getFromPointer(begin), SMLoc::getFromPointer(end));
  place.bufferId = id;
  return place;
}

DiagnosticPlace DiagnosticEngine::resolve(const FileLoc &loc) const {
  for (unsigned id = 1, count = sources.getNumBuffers(); id <= count && loc.line; ++id) {
    const MemoryBuffer *buffer = sources.getMemoryBuffer(id);
    if (buffer->getBufferIdentifier() != loc.file)
      continue;
    std::optional<StringRef> line = lineText(buffer->getBuffer(), loc.line);
    if (!line)
      break; // The location was made from other text than this buffer's.
    size_t column = std::min<size_t>(loc.column ? loc.column - 1 : 0, line->size());
    size_t endColumn = std::min<size_t>(loc.endColumn ? loc.endColumn - 1 : 0, line->size());
    const char *begin = line->data() + column;
    const char *end = line->data() + std::max(column, endColumn);
    return resolve(SMRange(SMLoc::getFromPointer(begin), SMLoc::getFromPointer(end)));
  }
  DiagnosticPlace place;
  place.file = loc.file.str();
  place.line = place.endLine = loc.line;
  place.column = loc.column;
  place.endColumn = std::max(loc.column, loc.endColumn);
  return place;
}

} // namespace tilec
