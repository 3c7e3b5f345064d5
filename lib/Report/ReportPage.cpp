//===- ReportPage.cpp - all that was found, as one file ---------*- C++ -*-===//
//
// The page is made of templates in Page/, which the build embeds, and of the data as JSON. Variants
// of a kernel have much in common: files and texts that are equal are there once.
//
//===----------------------------------------------------------------------===//

#include "PageFiles.h"
#include "ReportedCode.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;
using llvm::StringRef;

/// What a browser opens at once.
static constexpr size_t kMostBytes = 5000000;

//===----------------------------------------------------------------------===//
// The data
//===----------------------------------------------------------------------===//

namespace {

/// Values of which equal ones are kept once; others refer to them by their number.
class Pool {
public:
  size_t add(json::Value value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    auto [entry, isNew] = numbers.try_emplace(text, values.size());
    if (isNew)
      values.push_back(std::move(value));
    return entry->second;
  }
  json::Array values;

private:
  llvm::StringMap<size_t> numbers;
};

} // namespace

/// One kernel's page has everything where its scripts look for it.
static json::Object dataOf(const ReportedCode &code) {
  json::Object result(code.facts);
  json::Array panes;
  for (const Pane &pane : code.panes)
    panes.push_back(toJSON(pane));
  result["panes"] = std::move(panes);
  result["files"] = json::Array(code.files);
  return result;
}

/// Numbers stand for files and for texts of panes.
static json::Object dataOf(llvm::ArrayRef<ReportedCode> codes) {
  Pool files, texts;
  json::Array variants;
  for (const ReportedCode &code : codes) {
    json::Object variant = dataOf(code);
    json::Array numbers;
    for (const json::Value &file : code.files)
      numbers.push_back(files.add(file));
    variant["files"] = std::move(numbers);
    for (json::Value &pane : *variant.getArray("panes"))
      (*pane.getAsObject())["text"] = texts.add((*pane.getAsObject())["text"]);
    variant["label"] = json::Object{{"kernel", json::fixUTF8(code.label.kernel)},
                                    {"variant", json::fixUTF8(code.label.variant)},
                                    {"target", json::fixUTF8(code.label.target)}};
    variants.push_back(std::move(variant));
  }
  return json::Object{{"variants", std::move(variants)},
                      {"files", std::move(files.values)},
                      {"texts", std::move(texts.values)}};
}

/// JSON for a script element: only strings have a '<', which could end the element.
static std::string escapeForScript(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

static std::string scriptText(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return escapeForScript(text);
}

static std::string makePage(llvm::ArrayRef<ReportedCode> codes, StringRef producer) {
  // Kernels by the names of their C functions where these are what tells codes apart.
  std::vector<StringRef> names;
  for (const ReportedCode &code : codes) {
    StringRef name = code.label.kernel.empty() ? StringRef(code.kernels) : code.label.kernel;
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  std::string title;
  llvm::raw_string_ostream stream(title);
  llvm::printHTMLEscaped(json::fixUTF8(llvm::join(names, ", ")), stream);
  json::Object data = codes.front().label.kernel.empty() ? dataOf(codes.front()) : dataOf(codes);
  data["producer"] = producer;
  return fillPage({{"TITLE", title}, {"DATA", scriptText(std::move(data))}});
}

//===----------------------------------------------------------------------===//
// Its size
//===----------------------------------------------------------------------===//

static bool hasText(const ReportedCode &code, StringRef id) {
  return llvm::any_of(code.panes,
                      [&](const Pane &pane) { return pane.id == id && !pane.text.empty(); });
}

/// Leaves a form out; how many bytes that spares, unless another variant has the same text.
static size_t leaveOut(ReportedCode &code, StringRef id) {
  for (Pane &pane : code.panes) {
    if (pane.id != id || pane.text.empty())
      continue;
    size_t before = scriptText(toJSON(pane)).size();
    pane = Pane(pane.id, pane.title);
    pane.note = code.label.kernel.empty()
                    ? "Left out, since the page would be too large; tilec --emit=" + id.str() +
                          " prints it."
                    : "Left out, since the page would be too large; a page of this variant alone "
                      "has it.";
    return before - std::min(before, scriptText(toJSON(pane)).size());
  }
  return 0;
}

/// The same for all figures but what the code takes.
static size_t leaveOutFigures(ReportedCode &code) {
  if (code.facts.get("isShort") || !code.facts.get("layouts"))
    return 0;
  size_t before = scriptText(json::Object(code.facts)).size();
  for (StringRef name : {"layouts", "exchanges", "accesses", "timeline"})
    code.facts.erase(name);
  code.facts["isShort"] = true;
  return before - std::min(before, scriptText(json::Object(code.facts)).size());
}

/// How many of the first variants keep their figures as long as anything else can be left out: as
/// many as take a part of the page, and one at least.
static size_t countKept(llvm::ArrayRef<ReportedCode> codes) {
  constexpr size_t part = kMostBytes / 4;
  size_t count = 0, size = 0;
  for (const ReportedCode &code : codes) {
    size += scriptText(json::Object(code.facts)).size();
    if (count && size > part)
      break;
    ++count;
  }
  return count;
}

/// Takes out at least `excess` bytes if possible: first what other forms contain almost whole, and
/// of many variants first the last ones', which assume least. The first `numKept` have their
/// figures longest. False if nothing is left to take.
static bool shrink(llvm::MutableArrayRef<ReportedCode> codes, size_t numKept, size_t excess) {
  size_t spared = 0;
  bool isAlone = codes.front().label.kernel.empty();
  struct Step {
    StringRef form;       // Empty: figures.
    StringRef needed;     // Another form without which it stays; empty: none.
    bool isOfAll = false; // Figures: also those of the first variants.
  };
  static constexpr Step steps[] = {{"nvvm", ""},    {"gpu", ""},      {"llvm", ""},  {"tile", ""},
                                   {"ptx", "sass"}, {"layout", ""},   {"", ""},      {"sass", ""},
                                   {"ptx", ""},     {"assembly", ""}, {"", "", true}};
  for (auto [form, needed, isOfAll] :
       llvm::ArrayRef(steps).take_front(isAlone ? 3 : std::size(steps)))
    for (ReportedCode &code :
         llvm::reverse(codes.drop_front(form.empty() && !isOfAll ? numKept : 0))) {
      if (!needed.empty() && !hasText(code, needed))
        continue;
      spared += form.empty() ? leaveOutFigures(code) : leaveOut(code, form);
      if (spared >= excess)
        return true;
    }
  return spared != 0;
}

std::string tilec::report::fillReport(llvm::MutableArrayRef<ReportedCode> codes,
                                      StringRef producer) {
  size_t numKept = countKept(codes);
  while (true) {
    std::string page = makePage(codes, producer);
    if (page.size() <= kMostBytes || !shrink(codes, numKept, page.size() - kMostBytes))
      return page;
  }
}
