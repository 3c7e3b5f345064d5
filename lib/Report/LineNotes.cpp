//===- LineNotes.cpp - what becomes of source lines, in words ---*- C++ -*-===//
//
// Facts.h has the facts; the page says them at more length (Page/Facts.js).
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/LineNotes.h"

#include "Facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;
using llvm::StringRef;

static int64_t numberIn(const json::Object &fact, StringRef name) {
  return fact.getInteger(name).value_or(0);
}

static std::string plural(int64_t count, StringRef word) {
  return llvm::formatv("{0} {1}{2}", count, word, count == 1 ? "" : "s");
}

/// "4 lines of 128 bytes", or how many there are at least and at most, and how few would do.
static std::string describeLinesTouched(const json::Object &lines) {
  int64_t least = numberIn(lines, "least"), most = numberIn(lines, "most"),
          needed = numberIn(lines, "needed");
  std::string text = plural(least, "line");
  if (least != most)
    text = llvm::formatv("{0} to {1} lines", least, most);
  text += " of 128 bytes";
  return most == needed ? text : text + llvm::formatv(", {0} needed", needed).str();
}

static std::string describeAccess(const json::Object &fact) {
  std::string text = fact.getString("kind").value_or("").str();
  if (fact.get("blockBytes"))
    return text + ": " + plural(numberIn(fact, "blockBytes"), "byte");
  text += ": " + plural(numberIn(fact, "bytes"), "byte");
  const json::Object *lines = fact.getObject("lines");
  if (!lines)
    return text;
  text += " a thread";
  if (int64_t count = numberIn(fact, "count"); count != 1)
    text += ", " + plural(count, "time");
  return text + "; a warp touches " + describeLinesTouched(*lines);
}

/// Empty where nothing moves between lanes.
static std::string describeExchange(const json::Object &fact) {
  int64_t shuffles = numberIn(fact, "shuffles");
  if (!shuffles)
    return "";
  return (fact.getString("how").value_or("") + ": " + llvm::Twine(shuffles) + " a thread").str();
}

/// The access to a buffer that has the most conflicts, if one has.
static std::string describeConflicts(const json::Object &buffer) {
  int64_t most = 0;
  std::string text;
  for (const json::Value &value : *buffer.getArray("accesses")) {
    const json::Object &access = *value.getAsObject();
    int64_t wavefronts = numberIn(access, "wavefronts"),
            least = numberIn(access, "leastWavefronts");
    if (wavefronts - least <= most)
      continue;
    most = wavefronts - least;
    text = llvm::formatv("; bank conflicts: a {0} takes {1} where {2} would do",
                         access.getString("kind").value_or(""), plural(wavefronts, "wavefront"),
                         least);
  }
  return text;
}

static std::string describeBuffer(const json::Object &fact) {
  return plural(numberIn(fact, "bytes"), "byte") + " of shared memory" + describeConflicts(fact);
}

static std::string describeKernel(mlir::func::FuncOp kernel) {
  tile::LaunchShape shape = tile::getLaunchShape(kernel);
  std::string text = plural(shape.numWarps, "warp");
  if (shape.numCTAs != 1)
    text += llvm::formatv(", cluster of {0} CTAs", shape.numCTAs);
  if (auto bytes = kernel->getAttrOfType<mlir::IntegerAttr>(tile::kSharedBytesAttr);
      bytes && bytes.getInt())
    text += ", " + plural(bytes.getInt(), "byte") + " of shared memory";
  return text;
}

namespace {

class NoteList {
public:
  explicit NoteList(const PlaceTable &places) : places(places) {}

  void add(unsigned chain, std::string text) {
    const Place *place = places.placeOf(chain);
    if (!place || text.empty())
      return;
    LineNote note{places.fileName(place->file).str(), place->line, std::move(text)};
    if (known.insert({note.file, note.line, note.text}).second)
      notes.push_back(std::move(note));
  }
  void add(const json::Array &facts, std::string (*describe)(const json::Object &)) {
    for (const json::Value &fact : facts)
      add(unsigned(numberIn(*fact.getAsObject(), "chain")), describe(*fact.getAsObject()));
  }

  std::vector<LineNote> notes;

private:
  const PlaceTable &places;
  std::set<std::tuple<std::string, unsigned, std::string>> known;
};

} // namespace

std::vector<LineNote> tilec::describeLines(mlir::ModuleOp module) {
  llvm::SourceMgr noTexts;
  PlaceTable places(noTexts);
  OperationRows noRows;
  FactContext context(module, places, noRows);
  NoteList list(places);
  for (auto kernel : module.getOps<mlir::func::FuncOp>())
    if (kernel->hasAttr(tile::kKernelAttr))
      list.add(places.chainOf(kernel.getLoc()), describeKernel(kernel));
  list.add(collectAccesses(context), describeAccess);
  json::Object exchanges = collectExchanges(context);
  list.add(*exchanges.getArray("inWarps"), describeExchange);
  list.add(*exchanges.getArray("buffers"), describeBuffer);
  return std::move(list.notes);
}
