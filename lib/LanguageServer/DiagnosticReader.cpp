//===- DiagnosticReader.cpp - Diagnostics for editors -----------*- C++ -*-===//
//
// Places in the open file become ranges. Of an error in another file, the range is where the open
// file comes to it, and the place itself is related information. Errors in the text of an option
// are at the comment that it is in.
//
//===----------------------------------------------------------------------===//

#include "DiagnosticReader.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr llvm::StringLiteral optionPrefix = "<option ";

std::string ls::optionBufferName(size_t number) {
  return (optionPrefix + llvm::Twine(number) + ">").str();
}

static unsigned numberIn(const json::Object &object, StringRef key) {
  return object.getInteger(key).value_or(0);
}

bool DiagnosticReader::isHere(const json::Object &message) const {
  std::optional<StringRef> file = message.getString("file");
  return file && *file == uri.file();
}

/// The range of a message in the open file, or in the comment of an option.
std::optional<lsp::Range> DiagnosticReader::rangeOf(const json::Object &message) const {
  StringRef file = message.getString("file").value_or("");
  unsigned column = numberIn(message, "column"), endColumn = numberIn(message, "endColumn");
  if (file.consume_front(optionPrefix)) {
    size_t number = 0;
    if (file.consumeInteger(10, number) || number >= options.size())
      return std::nullopt;
    llvm::ArrayRef<size_t> places = options[number].places;
    if (places.empty())
      return std::nullopt;
    size_t first = std::min<size_t>(column ? column - 1 : 0, places.size() - 1);
    size_t last = std::min<size_t>(std::max(endColumn, column + 1) - 1, places.size());
    return text.rangeOf(places[first], places[std::max(last, first + 1) - 1] + 1);
  }
  if (!isHere(message) || !numberIn(message, "line"))
    return std::nullopt;
  lsp::Range range(text.positionOf(numberIn(message, "line"), column),
                   text.positionOf(numberIn(message, "endLine"), endColumn));
  if (range.end <= range.start) { // Marks one character.
    range.end = range.start;
    ++range.end.character;
  }
  return range;
}

/// Where a message is, in whatever file.
std::optional<lsp::Location> DiagnosticReader::locationOf(const json::Object &message) const {
  if (std::optional<lsp::Range> range = rangeOf(message))
    return lsp::Location(uri, *range);
  StringRef file = message.getString("file").value_or("");
  if (file.empty() || file.front() == '<' || isHere(message))
    return std::nullopt;
  llvm::SmallString<128> path(file);
  llvm::sys::path::make_absolute("/", path);
  llvm::Expected<lsp::URIForFile> other = lsp::URIForFile::fromFile(path);
  if (!other) {
    llvm::consumeError(other.takeError());
    return std::nullopt;
  }
  // Columns of bytes: those of UTF-16 would need the text, and differ behind other letters only.
  auto place = [&](StringRef line, StringRef column) {
    return lsp::Position(std::max(numberIn(message, line), 1u) - 1,
                         std::max(numberIn(message, column), 1u) - 1);
  };
  return lsp::Location(*other, lsp::Range(place("line", "column"), place("endLine", "endColumn")));
}

static lsp::DiagnosticSeverity severityOf(StringRef name) {
  return llvm::StringSwitch<lsp::DiagnosticSeverity>(name)
      .Case("error", lsp::DiagnosticSeverity::Error)
      .Case("warning", lsp::DiagnosticSeverity::Warning)
      .Default(lsp::DiagnosticSeverity::Information);
}

lsp::Diagnostic DiagnosticReader::readOne(const json::Object &message) const {
  lsp::Diagnostic diagnostic;
  diagnostic.source = "tilec";
  diagnostic.severity = severityOf(message.getString("severity").value_or("error"));
  diagnostic.message = message.getString("message").value_or("").str();
  std::vector<lsp::DiagnosticRelatedInformation> related;
  std::optional<lsp::Range> range = rangeOf(message);
  if (!range && message.getString("file").value_or("").starts_with(optionPrefix))
    diagnostic.message = "in the settings: " + diagnostic.message;
  if (!range)
    if (std::optional<lsp::Location> elsewhere = locationOf(message))
      related.emplace_back(*elsewhere, diagnostic.message);
  if (const json::Array *notes = message.getArray("notes"))
    for (const json::Value &value : *notes) {
      const json::Object &note = *value.getAsObject();
      std::string words = note.getString("message").value_or("").str();
      std::optional<lsp::Location> location = locationOf(note);
      if (!location) {
        diagnostic.message += "\n" + words;
        continue;
      }
      if (!range && isHere(note))
        range = location->range;
      related.emplace_back(*location, words);
    }
  diagnostic.range = range.value_or(lsp::Range());
  if (!related.empty())
    diagnostic.relatedInformation = std::move(related);
  return diagnostic;
}

void DiagnosticReader::readFixIts(const json::Object &message, const lsp::Diagnostic &diagnostic,
                                  std::vector<Proposal> &proposals) const {
  const json::Array *fixIts = message.getArray("fixits");
  if (!fixIts || !isHere(message))
    return;
  for (const json::Value &value : *fixIts) {
    const json::Object &fixIt = *value.getAsObject();
    lsp::TextEdit edit;
    edit.range =
        lsp::Range(text.positionOf(numberIn(fixIt, "line"), numberIn(fixIt, "column")),
                   text.positionOf(numberIn(fixIt, "endLine"), numberIn(fixIt, "endColumn")));
    edit.newText = fixIt.getString("text").value_or("").str();
    proposals.push_back({diagnostic, std::move(edit)});
  }
}

void DiagnosticReader::read(StringRef lines, std::vector<lsp::Diagnostic> &diagnostics,
                            std::vector<Proposal> &proposals) const {
  while (!lines.empty()) {
    StringRef line;
    std::tie(line, lines) = lines.split('\n');
    llvm::Expected<json::Value> value = json::parse(line);
    if (!value) { // After the limit of errors the engine writes a line about it.
      llvm::consumeError(value.takeError());
      continue;
    }
    const json::Object *message = value->getAsObject();
    if (!message)
      continue;
    lsp::Diagnostic diagnostic = readOne(*message);
    readFixIts(*message, diagnostic, proposals);
    diagnostics.push_back(std::move(diagnostic));
  }
}
