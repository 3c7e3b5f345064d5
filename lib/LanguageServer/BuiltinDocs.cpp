//===- BuiltinDocs.cpp - What builtins do, for readers ----------*- C++ -*-===//
//
// Reads the tables of docs/language.md. A table of builtins is under a heading that names its
// module in backquotes, and its first column is called builtin.
//
//===----------------------------------------------------------------------===//

#include "BuiltinDocs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

static constexpr char languagePage[] =
#include "LanguagePage.inc"
    ;

/// "[text](target)" becomes "text".
static std::string withoutLinks(StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t open = text.find('['), middle = text.find("](", open), close = text.find(')', middle);
    if (close == StringRef::npos)
      break;
    result += text.take_front(open).str() + text.slice(open + 1, middle).str();
    text = text.drop_front(close + 1);
  }
  return result + text.str();
}

static llvm::SmallVector<StringRef, 8> cellsOf(StringRef line) {
  llvm::SmallVector<StringRef, 8> cells;
  line.trim().trim('|').split(cells, '|');
  for (StringRef &cell : cells)
    cell = cell.trim();
  return cells;
}

namespace {

using Docs = llvm::StringMap<BuiltinDoc>; // By "module name".

/// Goes over the lines of the page.
class PageReader {
public:
  Docs read();

private:
  void readLine(StringRef line);
  StringRef cell(StringRef column) const;

  Docs docs;
  std::string module;
  llvm::SmallVector<StringRef, 8> header, cells;
};

} // namespace

StringRef PageReader::cell(StringRef column) const {
  for (size_t i = 0; i < header.size() && i < cells.size(); ++i)
    if (header[i] == column)
      return cells[i];
  return StringRef();
}

void PageReader::readLine(StringRef line) {
  if (line.starts_with("#")) {
    StringRef heading = line.ltrim('#').trim();
    module = heading.consume_front("`") ? heading.split('`').first.str() : "";
  }
  if (!line.starts_with("|")) {
    header.clear();
    return;
  }
  cells = cellsOf(line);
  if (header.empty()) {
    header = cells;
    return;
  }
  if (module.empty() || header.front() != "builtin" || cells.front().starts_with("-"))
    return;
  BuiltinDoc doc{withoutLinks(cell("what it does")), cell("CPU").str(), cell("GPU").str(),
                 withoutLinks(cell("differences from Triton, and why"))};
  llvm::SmallVector<StringRef, 8> names;
  cells.front().trim('`').split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    docs[module + " " + name.trim('`').str()] = doc;
}

Docs PageReader::read() {
  StringRef rest = languagePage;
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    readLine(line);
  }
  return std::move(docs);
}

const BuiltinDoc *ls::findDoc(const builtins::Info &info) {
  static const Docs docs = PageReader().read();
  auto found = docs.find(info.table + " " + info.entry);
  return found == docs.end() ? nullptr : &found->second;
}

std::string ls::signatureOf(const builtins::Info &info, bool asMethod) {
  switch (info.kind) {
  case builtins::Info::Kind::Module:
    return "module " + info.fullName;
  case builtins::Info::Kind::Type:
    return "type " + info.fullName;
  case builtins::Info::Kind::Constant:
    return info.fullName + " = " + info.value;
  case builtins::Info::Kind::Function:
    break;
  }
  if (!asMethod)
    return info.fullName + "(" + info.params + ")";
  return info.name + "(" + StringRef(info.params).split(',').second.trim().str() + ")";
}

/// Of a summary with parts for different names of its row, "`load`: reads ..; `store`: writes ..",
/// the part for this one; otherwise all of it.
static std::string partFor(StringRef summary, StringRef name) {
  StringRef rest = summary;
  while (!rest.empty()) {
    size_t end = rest.find("; `");
    StringRef part = rest.take_front(end);
    rest = end == StringRef::npos ? StringRef() : rest.drop_front(end + 2);
    auto [names, words] = part.split("`: ");
    llvm::SmallVector<StringRef, 8> list;
    names.ltrim('`').split(list, ' ');
    if (names.starts_with("`") && llvm::is_contained(list, name))
      return words.str();
  }
  return summary.str();
}

std::string ls::describeBuiltin(const builtins::Info &info) {
  const BuiltinDoc *doc = findDoc(info);
  if (!doc)
    return "";
  std::string text = partFor(doc->summary, info.entry);
  auto add = [&](const llvm::Twine &paragraph) {
    text += (text.empty() ? "" : "\n\n") + paragraph.str();
  };
  if (doc->cpu == "no" && doc->gpu == "no")
    add("Not supported yet.");
  else if (doc->cpu == "no" || doc->gpu == "no")
    add(doc->cpu == "no" ? "On GPUs only." : "On the CPU only.");
  if (!doc->differences.empty())
    add("Differences from Triton: " + doc->differences + ".");
  return text;
}
