//===- Places.cpp - source lines, as the page numbers them ------*- C++ -*-===//

#include "Places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tilec::report;
namespace json = llvm::json;
using llvm::StringRef;

/// A path without `./` and `../` in front, which tools resolve.
static StringRef withoutDots(StringRef path) {
  while (path.consume_front("./") || path.consume_front("../"))
    ;
  return path;
}

/// Whether both name one file, where one of them may lack folders in front.
static bool isSameFile(StringRef a, StringRef b) {
  a = withoutDots(a);
  b = withoutDots(b);
  if (a.size() < b.size())
    std::swap(a, b);
  if (!a.consume_back(b) || b.empty())
    return false;
  return a.empty() || llvm::sys::path::is_separator(a.back());
}

unsigned PlaceTable::addFile(StringRef name) {
  auto found = llvm::find(files, name);
  if (found == files.end())
    found = files.insert(files.end(), name.str());
  return unsigned(found - files.begin());
}

unsigned PlaceTable::fileOf(StringRef path) {
  // Of folder/kernel.py and kernel.py, the longer one says more.
  std::optional<StringRef> best;
  for (StringRef known : files)
    if (known == path)
      return addFile(path);
    else if (isSameFile(known, path) && (!best || known.size() > best->size()))
      best = known;
  return addFile(best.value_or(path));
}

void PlaceTable::note(const Place &place, unsigned chain) {
  auto [entry, isNew] = byPlace.try_emplace(place, chain);
  if (!isNew && entry->second != chain)
    entry->second = 0;
}

unsigned PlaceTable::chainOf(llvm::ArrayRef<Place> places) {
  if (places.empty())
    return 0;
  auto [entry, isNew] = numbers.try_emplace(places.vec(), unsigned(chains.size()));
  if (isNew) {
    chains.push_back(places.vec());
    note(places[0], entry->second);
  }
  return entry->second;
}

unsigned PlaceTable::chainOf(const Place &place) {
  if (place.line == 0)
    return 0;
  if (place.column != 0) {
    auto known = byPlace.find(place);
    return known != byPlace.end() && known->second != 0 ? known->second : chainOf({&place, 1});
  }
  // Of the places in the line, all must have come by the same calls.
  unsigned result = 0;
  for (auto known = byPlace.lower_bound(place);
       known != byPlace.end() && known->first.file == place.file && known->first.line == place.line;
       ++known) {
    bool isFirst = result == 0;
    if (known->second == 0 ||
        (!isFirst &&
         !llvm::equal(llvm::drop_begin(chains[result]), llvm::drop_begin(chains[known->second]),
                      [](const Place &a, const Place &b) { return !(a < b) && !(b < a); })))
      return chainOf({&place, 1});
    if (isFirst)
      result = known->second;
  }
  return result != 0 ? result : chainOf({&place, 1});
}

static void collect(mlir::Location location, PlaceTable &table, std::vector<Place> &places) {
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location)) {
    collect(call.getCallee(), table, places);
    collect(call.getCaller(), table, places);
  } else if (auto name = mlir::dyn_cast<mlir::NameLoc>(location)) {
    collect(name.getChildLoc(), table, places);
  } else if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location)) {
    if (!fused.getLocations().empty())
      collect(fused.getLocations().front(), table, places);
  } else if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(location)) {
    if (file.getLine() != 0)
      places.push_back({table.addFile(file.getFilename()), file.getLine(), file.getColumn()});
  }
}

unsigned PlaceTable::chainOf(mlir::Location location) {
  std::vector<Place> places;
  collect(location, *this, places);
  return chainOf(llvm::ArrayRef<Place>(places));
}

unsigned PlaceTable::chainOf(const llvm::DILocation *location) {
  std::vector<Place> places;
  for (; location; location = location->getInlinedAt()) {
    if (location->getLine() == 0)
      continue;
    llvm::SmallString<128> path(location->getFilename());
    if (!llvm::sys::path::is_absolute(path)) {
      path = location->getDirectory();
      llvm::sys::path::append(path, location->getFilename());
    }
    places.push_back({fileOf(path), location->getLine(), location->getColumn()});
  }
  return chainOf(llvm::ArrayRef<Place>(places));
}

json::Array PlaceTable::filesToJSON() const {
  json::Array result;
  for (const std::string &name : files) {
    std::string text;
    for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
      const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
      if (buffer->getBufferIdentifier() == name)
        text = buffer->getBuffer().str();
    }
    result.push_back(json::Object{{"name", json::fixUTF8(name)}, {"text", json::fixUTF8(text)}});
  }
  return result;
}

json::Array PlaceTable::chainsToJSON() const {
  json::Array result;
  for (const std::vector<Place> &chain : chains) {
    json::Array numbers;
    for (const Place &place : chain) {
      numbers.push_back(place.file);
      numbers.push_back(place.line);
      numbers.push_back(place.column);
    }
    result.push_back(std::move(numbers));
  }
  return result;
}
