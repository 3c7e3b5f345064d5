//===- TunedFile.cpp - Measured configurations in a file --------*- C++ -*-===//
//
// Reads and writes the file of measured configurations, a JSON object. Writing merges with what is
// in the file by then and replaces the file at once, so that several processes may tune into one
// file. Errors say which field of the file is wrong.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/TunedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilec;
using llvm::StringRef;
namespace json = llvm::json;

/// Raised when older readers would misread the file.
static constexpr int64_t kVersion = 1;

bool TunedKey::operator==(const TunedKey &other) const {
  return kernel == other.kernel && source == other.source && device == other.device &&
         arch == other.arch && types == other.types && values == other.values;
}

const TunedEntry::Time *TunedEntry::find(StringRef config) const {
  for (const Time &time : times)
    if (time.config == config)
      return &time;
  return nullptr;
}

const TuneConfig *tilec::fastestConfig(const TunedEntry &entry,
                                       llvm::ArrayRef<TuneConfig> configs) {
  const TuneConfig *best = nullptr;
  double bestTime = HUGE_VAL;
  for (const TuneConfig &config : configs) {
    const TunedEntry::Time *time = entry.find(config.str());
    if (!time || !time->microseconds || *time->microseconds >= bestTime)
      continue;
    best = &config;
    bestTime = *time->microseconds;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

const TunedEntry *TunedFile::find(const TunedKey &key) const {
  for (const TunedEntry &entry : known)
    if (entry.key == key)
      return &entry;
  return nullptr;
}

void TunedFile::add(const TunedEntry &entry) {
  auto *mine = const_cast<TunedEntry *>(find(entry.key));
  if (!mine) {
    known.push_back(entry);
    return;
  }
  for (const TunedEntry::Time &time : entry.times) {
    if (auto *old = const_cast<TunedEntry::Time *>(mine->find(time.config)))
      *old = time;
    else
      mine->times.push_back(time);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static bool readTime(const json::Value &value, TunedEntry::Time &time, json::Path path) {
  const json::Object *object = value.getAsObject();
  std::optional<StringRef> config = object ? object->getString("config") : std::nullopt;
  const json::Value *number = object ? object->get("us") : nullptr;
  if (!config || !number || (!number->getAsNumber() && !number->getAsNull())) {
    path.report("expected {\"config\": text, \"us\": number or null}");
    return false;
  }
  time = {config->str(), number->getAsNumber()};
  return true;
}

static bool readEntry(const json::Value &value, TunedEntry &entry, json::Path path) {
  const json::Object *object = value.getAsObject();
  std::pair<StringRef, std::string *> fields[] = {{"kernel", &entry.key.kernel},
                                                  {"source", &entry.key.source},
                                                  {"device", &entry.key.device},
                                                  {"arch", &entry.key.arch},
                                                  {"types", &entry.key.types}};
  for (auto [name, field] : fields) {
    std::optional<StringRef> text = object ? object->getString(name) : std::nullopt;
    if (!text) {
      path.field(name).report("expected text");
      return false;
    }
    *field = text->str();
  }
  const json::Array *key = object->getArray("key"), *times = object->getArray("times");
  if (!key || !times) {
    path.field(key ? "times" : "key").report("expected a list");
    return false;
  }
  for (auto [index, item] : llvm::enumerate(*key)) {
    const json::Array *pair = item.getAsArray();
    bool isPair = pair && pair->size() == 2 && (*pair)[0].getAsString() && (*pair)[1].getAsString();
    if (!isPair) {
      path.field("key").index(index).report("expected [name, value]");
      return false;
    }
    entry.key.values.push_back({(*pair)[0].getAsString()->str(), (*pair)[1].getAsString()->str()});
  }
  for (auto [index, item] : llvm::enumerate(*times)) {
    entry.times.emplace_back();
    if (!readTime(item, entry.times.back(), path.field("times").index(index)))
      return false;
  }
  return true;
}

static bool readFile(const json::Value &value, TunedFile &file, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object || object->getInteger("tilec_tuned") != kVersion) {
    path.report("expected an object with \"tilec_tuned\": 1");
    return false;
  }
  const json::Array *entries = object->getArray("entries");
  if (!entries) {
    path.field("entries").report("expected a list");
    return false;
  }
  for (auto [index, item] : llvm::enumerate(*entries)) {
    TunedEntry entry;
    if (!readEntry(item, entry, path.field("entries").index(index)))
      return false;
    file.add(entry);
  }
  return true;
}

static llvm::Error inFile(StringRef path, llvm::Error error) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "tuned file '" + path + "': " + llvm::toString(std::move(error)));
}

llvm::Expected<TunedFile> TunedFile::read(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (std::error_code error = buffer.getError()) {
    if (error == std::errc::no_such_file_or_directory)
      return TunedFile();
    return inFile(path, llvm::errorCodeToError(error));
  }
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return inFile(path, value.takeError());
  TunedFile file;
  json::Path::Root root;
  if (!readFile(*value, file, root))
    return inFile(path, root.getError());
  return std::move(file);
}

static json::Value toJSON(const TunedEntry &entry) {
  json::Array key, times;
  for (const auto &[name, value] : entry.key.values)
    key.push_back(json::Array{name, value});
  for (const TunedEntry::Time &time : entry.times)
    times.push_back(json::Object{{"config", time.config}, {"us", time.microseconds}});
  return json::Object{{"kernel", entry.key.kernel}, {"source", entry.key.source},
                      {"device", entry.key.device}, {"arch", entry.key.arch},
                      {"types", entry.key.types},   {"key", std::move(key)},
                      {"times", std::move(times)}};
}

llvm::Error TunedFile::write(StringRef path) {
  llvm::Expected<TunedFile> present = read(path);
  if (!present)
    return present.takeError();
  for (const TunedEntry &entry : known)
    present->add(entry);
  known = std::move(present->known);
  json::Array entries;
  for (const TunedEntry &entry : known)
    entries.push_back(toJSON(entry));
  json::Value whole = json::Object{{"tilec_tuned", kVersion}, {"entries", std::move(entries)}};
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}\n", whole);
    return llvm::Error::success();
  });
  return error ? inFile(path, std::move(error)) : llvm::Error::success();
}
