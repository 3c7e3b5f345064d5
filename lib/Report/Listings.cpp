//===- Listings.cpp - assembly as panes of the page -------------*- C++ -*-===//
//
// What only debuggers and linkers need is left out: `.loc` and `.file`, whose lines are those of
// the page, labels for ranges of code, sections of debug information.
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "Panes.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace tilec::report;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// PTX and assembly of processors
//===----------------------------------------------------------------------===//

/// The text in the next pair of quotes of `text`, which goes on behind it.
static std::optional<StringRef> takeQuoted(StringRef &text) {
  size_t start = text.find('"');
  size_t end = start == StringRef::npos ? start : text.find('"', start + 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef result = text.slice(start + 1, end);
  text = text.drop_front(end + 1);
  return result;
}

namespace {

class ListingReader {
public:
  ListingReader(Pane &pane, PlaceTable &places) : pane(pane), places(places) {}

  void read(StringRef text);

private:
  void readFile(StringRef operands);
  void readPlace(StringRef operands);
  bool isForDebuggers(StringRef line);

  Pane &pane;
  PlaceTable &places;
  /// `.file` of PTX comes at the end.
  std::map<unsigned, unsigned> files;
  unsigned chain = 0;
  bool inDebugSection = false;
};

} // namespace

/// `1 "path"`, or `1 "folder" "name"`.
void ListingReader::readFile(StringRef operands) {
  unsigned number;
  operands = operands.ltrim();
  if (operands.consumeInteger(10, number))
    return;
  std::optional<StringRef> first = takeQuoted(operands);
  if (!first)
    return;
  llvm::SmallString<128> path(*first);
  if (std::optional<StringRef> name = takeQuoted(operands)) {
    if (llvm::sys::path::is_absolute(*name))
      path.clear();
    llvm::sys::path::append(path, *name);
  }
  files[number] = places.fileOf(path);
}

/// `1 26 5`: file, line, column.
void ListingReader::readPlace(StringRef operands) {
  unsigned file, line, column = 0;
  operands = operands.ltrim();
  chain = 0;
  if (operands.consumeInteger(10, file))
    return;
  operands = operands.ltrim();
  if (operands.consumeInteger(10, line) || line == 0)
    return;
  operands = operands.ltrim();
  operands.consumeInteger(10, column);
  auto known = files.find(file);
  if (known != files.end())
    chain = places.chainOf(Place{known->second, line, column});
}

bool ListingReader::isForDebuggers(StringRef line) {
  StringRef words = line.trim();
  if (words.starts_with(".section") || words == ".text")
    inDebugSection = words.contains(".debug");
  if (inDebugSection || words.starts_with(".file") || words.starts_with(".cfi_") ||
      words.starts_with(".addrsig"))
    return true;
  if (words.consume_front("$L__") || words.consume_front(".L"))
    return words.starts_with("tmp") || words.starts_with("func_begin") ||
           words.starts_with("func_end");
  return false;
}

void ListingReader::read(StringRef text) {
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    if (line.consume_front(".file"))
      readFile(line);
  }
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    StringRef words = line.trim();
    if (words.consume_front(".loc")) {
      readPlace(words);
      continue;
    }
    if (isForDebuggers(line))
      continue;
    // A function begins anew; labels and directives are nobody's.
    bool isCode = line.starts_with("\t") && !words.starts_with(".");
    if (words.starts_with(".globl") || words.starts_with(".visible") || words.starts_with(".type"))
      chain = 0;
    pane.add(line, isCode ? chain : 0);
  }
}

Pane tilec::report::makeAssemblyPane(StringRef id, StringRef title, StringRef text,
                                     PlaceTable &places) {
  Pane pane(id, title);
  ListingReader(pane, places).read(text);
  return pane;
}

//===----------------------------------------------------------------------===//
// SASS
//===----------------------------------------------------------------------===//

/// `//## File "path", line 26 inlined at ..`: the innermost place.
static Place readSASSPlace(StringRef line, PlaceTable &places) {
  Place place;
  std::optional<StringRef> path = takeQuoted(line);
  line = line.ltrim(", ");
  if (!path || !line.consume_front("line ") || line.consumeInteger(10, place.line))
    return {};
  place.file = places.fileOf(*path);
  return place;
}

/// Takes the comment with the encoding, which cuobjdump prints, off the end.
static StringRef withoutEncoding(StringRef line) {
  line = line.rtrim();
  if (line.ends_with("*/"))
    line = line.take_front(line.rfind("/*")).rtrim();
  return line;
}

/// `/*0010*/  @P0 BRA ..;` as `0010  @P0  BRA ..`; anything else is nothing.
static std::optional<std::string> readInstruction(StringRef line) {
  StringRef rest = withoutEncoding(line).trim();
  if (!rest.consume_front("/*"))
    return std::nullopt;
  auto [address, code] = rest.split("*/");
  code = code.trim();
  if (!code.consume_back(";") || code.empty())
    return std::nullopt;
  StringRef predicate;
  if (code.starts_with("@")) {
    std::tie(predicate, code) = code.split(' ');
    code = code.ltrim();
  }
  std::string text = address.str() + "  " + predicate.str();
  text.resize(std::max<size_t>(text.size() + 1, address.size() + 8), ' ');
  return text + code.rtrim().str();
}

Pane tilec::report::makeSASSPane(StringRef text, PlaceTable &places) {
  Pane pane("sass", "SASS");
  unsigned chain = 0;
  bool isNewPlace = true, hasPlaces = false;
  for (StringRef line : llvm::split(text, '\n')) {
    StringRef words = line.trim();
    if (words.starts_with("nvdisasm warning")) {
      pane.note += (pane.note.empty() ? "" : "\n") + words.str();
    } else if (words.consume_front("//## File ")) {
      // Of several lines the first one is the innermost.
      if (isNewPlace)
        chain = places.chainOf(readSASSPlace(words, places));
      isNewPlace = false;
      hasPlaces = true;
    } else if (std::optional<std::string> instruction = readInstruction(line)) {
      pane.add(*instruction, chain);
      isNewPlace = true;
    } else if (words.ends_with(":") && !words.starts_with(".text")) {
      pane.add(words, 0);
      isNewPlace = true;
    } else if (words.consume_front("Function : ")) {
      pane.add((words + ":").str(), 0);
      chain = 0;
    }
  }
  if (!hasPlaces && !pane.text.empty())
    pane.note += "The disassembler that was found prints no source lines; nvdisasm does.";
  if (std::optional<std::vector<unsigned>> live = countLiveRegisters(pane.text)) {
    pane.counts = std::move(*live);
    pane.countName = "registers in use at the instruction, by an estimate of this page";
  }
  return pane;
}
