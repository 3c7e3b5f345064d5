//===- Diagnostics.h - Located errors, warnings and notes -------*- C++ -*-===//
//
// The one way in which tilec talks about a user's source. A diagnostic has a severity, a source
// range, a message, notes and fix-its, and is rendered either as text in clang's layout or as JSON,
// one object a line. Messages start in lower case, carry no full stop, and say what was expected
// and what was found.
//
// Lines and columns count from 1. A column counts bytes of UTF-8, as in clang and as in the
// locations that the IR carries; the caret line is aligned by display width, so it points at the
// right character after wide or accented ones too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_DIAGNOSTICS_H
#define TILEC_LANGUAGE_DIAGNOSTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace tilec {

/// How bad a diagnostic is. Only Error counts as one (and Warning under `warningsAsErrors`).
enum class Severity { Error, Warning, Remark, Note };

/// How diagnostics are written: clang's layout, or one JSON object a line.
enum class DiagnosticFormat { Text, JSON };

/// What the command line can say about diagnostics.
struct DiagnosticOptions {
  DiagnosticFormat format = DiagnosticFormat::Text;
  /// Paint severities and carets with ANSI escapes (text only).
  bool color = false;
  /// After this many errors, one line says so and everything later is dropped. 0 means no limit.
  unsigned errorLimit = 20;
  /// Report warnings as errors, and count them as such.
  bool warningsAsErrors = false;
  /// Drop warnings. Stronger than `warningsAsErrors`.
  bool ignoreWarnings = false;
};

/// A location given by plain values, as an MLIR FileLineColLoc holds it. Line and column count from
/// 1; 0 means unknown. `endColumn` (exclusive, same line) may be 0.
struct FileLoc {
  llvm::StringRef file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned endColumn = 0;
};

/// A suggested edit: replace the text of `range` (empty range: insert before it).
struct FixIt {
  llvm::SMRange range;
  std::string replacement;
};

/// A location resolved for printing. `range` is set when the source text is at hand; otherwise only
/// the plain values are.
struct DiagnosticPlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned endLine = 0;
  unsigned endColumn = 0; // Exclusive.
  llvm::SMRange range;    // Invalid when the file is not loaded.
  unsigned bufferId = 0;  // 0 when the file is not loaded.
};

/// One finished message with its location; notes are messages of severity Note.
struct DiagnosticMessage {
  Severity severity = Severity::Error;
  DiagnosticPlace place;
  std::string text;
  llvm::SmallVector<FixIt, 1> fixIts;
};

class DiagnosticEngine;

/// Collects the notes and fix-its of one diagnostic; the diagnostic is emitted when the builder
/// goes out of scope. Returned by DiagnosticEngine; use it in one expression or keep it on the
/// stack, never longer than the engine.
class DiagnosticBuilder {
public:
  DiagnosticBuilder(DiagnosticBuilder &&other);
  DiagnosticBuilder(const DiagnosticBuilder &) = delete;
  DiagnosticBuilder &operator=(const DiagnosticBuilder &) = delete;
  DiagnosticBuilder &operator=(DiagnosticBuilder &&) = delete;
  ~DiagnosticBuilder();

  /// Adds a note at `range`, printed after the diagnostic and the notes before it.
  DiagnosticBuilder &note(llvm::SMRange range, const llvm::Twine &message);
  /// Adds a note at a location given by plain values.
  DiagnosticBuilder &note(const FileLoc &loc, const llvm::Twine &message);
  /// Suggests replacing `range` with `text`; belongs to the diagnostic itself, not to a note.
  DiagnosticBuilder &fixIt(llvm::SMRange range, const llvm::Twine &text);
  /// Emits now; later calls on this builder do nothing.
  void emit();

private:
  friend class DiagnosticEngine;
  DiagnosticBuilder(DiagnosticEngine &engine, DiagnosticMessage message);

  DiagnosticEngine *engine; // Null once emitted or moved from.
  DiagnosticMessage message;
  llvm::SmallVector<DiagnosticMessage, 2> notes;
};

/// Renders diagnostics about the buffers of one SourceMgr to one stream and counts them. Keeps
/// references to both; they must outlive it. Not thread-safe: use one engine per thread.
class DiagnosticEngine {
public:
  DiagnosticEngine(const llvm::SourceMgr &sourceMgr, llvm::raw_ostream &os,
                   DiagnosticOptions options = {});

  /// Starts a diagnostic at `range`. An invalid range gives a message without a location. A range
  /// without extent marks one character.
  DiagnosticBuilder error(llvm::SMRange range, const llvm::Twine &message);
  DiagnosticBuilder warning(llvm::SMRange range, const llvm::Twine &message);
  DiagnosticBuilder remark(llvm::SMRange range, const llvm::Twine &message);
  DiagnosticBuilder report(Severity severity, llvm::SMRange range, const llvm::Twine &message);

  /// The same for a single point.
  DiagnosticBuilder error(llvm::SMLoc loc, const llvm::Twine &message) {
    return error(llvm::SMRange(loc, loc), message);
  }

  /// Starts a diagnostic at a location given by plain values. If SourceMgr holds a buffer of that
  /// name the source line is shown; otherwise only file, line and column are.
  DiagnosticBuilder report(Severity severity, const FileLoc &loc, const llvm::Twine &message);

  /// Errors counted so far, those beyond the limit not included.
  unsigned errorCount() const { return numErrors; }
  /// Warnings counted so far (not those turned into errors).
  unsigned warningCount() const { return numWarnings; }
  bool hasErrors() const { return numErrors != 0; }
  /// True once the error limit is reached: whoever can stop early should.
  bool limitReached() const { return stopped; }

  const llvm::SourceMgr &sourceMgr() const { return sources; }
  const DiagnosticOptions &options() const { return opts; }

private:
  friend class DiagnosticBuilder;
  void emit(DiagnosticMessage &message, llvm::SmallVectorImpl<DiagnosticMessage> &notes);
  void noteImports(const DiagnosticMessage &message,
                   llvm::SmallVectorImpl<DiagnosticMessage> &notes) const;
  DiagnosticPlace resolve(llvm::SMRange range) const;
  DiagnosticPlace resolve(const FileLoc &loc) const;

  const llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
  DiagnosticOptions opts;
  unsigned numErrors = 0;
  unsigned numWarnings = 0;
  bool stopped = false;
};

/// Writes one message in clang's layout: the location line, the source line (a window of it when it
/// is long) with tabs expanded, the caret line, and fix-its.
void renderText(llvm::raw_ostream &os, const llvm::SourceMgr &sourceMgr,
                const DiagnosticMessage &message, bool color);

/// Writes one diagnostic with its notes as a JSON object followed by a newline. Keys: file, line,
/// column, endLine, endColumn, severity, message, notes (same keys), fixits (line, column, endLine,
/// endColumn, text). Unknown locations leave the location keys out.
void renderJSON(llvm::raw_ostream &os, const llvm::SourceMgr &sourceMgr,
                const DiagnosticMessage &message, llvm::ArrayRef<DiagnosticMessage> notes);

/// The candidate nearest to `name` by edit distance (a letter in the wrong case counts half), if it
/// is near enough to be a plausible misspelling: at most a third of the longer name's length, at
/// least 1, or the same name in another case. On a tie the first candidate wins. For "did you mean
/// 'X'?" suggestions.
std::optional<llvm::StringRef> closestName(llvm::StringRef name,
                                           llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilec

#endif // TILEC_LANGUAGE_DIAGNOSTICS_H
