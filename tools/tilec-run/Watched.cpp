//===- Watched.cpp - Runs that a tool of CUDA watches ----------*- C++ -*-===//
//
// The tool names lines without columns, blocks and threads. Columns are found again by the PTX,
// which has them.
//
//===----------------------------------------------------------------------===//

#include "Watched.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <map>

using namespace tilec;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Places of accesses
//===----------------------------------------------------------------------===//

/// What an instruction of PTX does to memory of arrays or of the block.
static void readAccess(StringRef instruction, WatchedFacts::Site &site) {
  instruction = instruction.ltrim(" \t{");
  if (instruction.starts_with("@"))
    instruction = instruction.split(' ').second.ltrim();
  StringRef name = instruction.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  bool isParameter = name.starts_with("ld.param") || name.starts_with("st.param");
  site.loads = !isParameter && (name.starts_with("ld.") || name.starts_with("ldmatrix"));
  site.stores = !isParameter && (name.starts_with("st.") || name.starts_with("stmatrix"));
  if (name.starts_with("atom.") || name.starts_with("red."))
    site.loads = site.stores = true;
  site.loads |= name.starts_with("cp.async.ca.") || name.starts_with("cp.async.cg.");
}

static std::vector<WatchedFacts::Site> findSites(StringRef ptx) {
  std::map<unsigned, std::string> files; // Which come at the end.
  // Loops that are written out have many instructions of one place.
  std::map<std::array<unsigned, 4>, WatchedFacts::Site> found;
  unsigned file = 0, row = 0, column = 0;
  for (StringRef text : llvm::split(ptx, '\n')) {
    text = text.trim();
    unsigned number = 0;
    if (text.consume_front(".file")) {
      text = text.ltrim();
      if (!text.consumeInteger(10, number))
        files[number] = text.split('"').second.split('"').first.str();
      continue;
    }
    if (text.consume_front(".loc")) {
      for (unsigned *value : {&file, &row, &column}) {
        text = text.ltrim();
        text.consumeInteger(10, *value);
      }
      continue;
    }
    // The compiler's own inline assembly has several instructions in a line.
    for (StringRef instruction : llvm::split(text, ';')) {
      WatchedFacts::Site site;
      site.line = row;
      site.column = column;
      readAccess(instruction, site);
      if ((site.loads || site.stores) && row != 0)
        found[{file, row, column, unsigned(site.loads) + 2 * unsigned(site.stores)}] = site;
    }
  }
  std::vector<WatchedFacts::Site> sites;
  for (auto &[key, site] : found) {
    site.file = files[key[0]];
    sites.push_back(std::move(site));
  }
  return sites;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static json::Value toJSON(const WatchedFacts &facts) {
  json::Array arrays, sites;
  for (const WatchedFacts::Array &array : facts.arrays)
    arrays.push_back(json::Object{{"name", array.name},
                                  {"type", array.type},
                                  {"shape", json::Array(array.shape)},
                                  {"itemBytes", array.itemBytes},
                                  {"address", array.address},
                                  {"bytes", array.bytes}});
  for (const WatchedFacts::Site &site : facts.sites)
    sites.push_back(json::Object{{"file", site.file},
                                 {"line", site.line},
                                 {"column", site.column},
                                 {"loads", site.loads},
                                 {"stores", site.stores}});
  return json::Object{{"kernel", facts.kernel},
                      {"arrays", std::move(arrays)},
                      {"sites", std::move(sites)},
                      {"block", json::Array{facts.block[0], facts.block[1], facts.block[2]}},
                      {"numCTAs", facts.numCTAs}};
}

llvm::Error FactWriter::start(const WatchedLaunch &launch) {
  WatchedFacts facts;
  facts.kernel = kernel.str();
  for (const WatchedLaunch::Placed &placed : launch.arrays) {
    const HostArray &array = *placed.array;
    WatchedFacts::Array known{"",
                              scalarInfo(array.type()).shortName.str(),
                              array.shape().vec(),
                              array.itemBytes(),
                              placed.address,
                              array.bytes()};
    forEachArray(arguments, [&](const NamedArgument &argument) {
      if (argument.array == &array)
        known.name = argument.name;
    });
    facts.arrays.push_back(std::move(known));
  }
  facts.sites = findSites(launch.ptx);
  std::copy_n(launch.block, 3, facts.block);
  facts.numCTAs = launch.numCTAs;
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return llvm::createStringError(code, "cannot write '" + path + "': " + code.message());
  stream << toJSON(facts) << '\n';
  return llvm::Error::success();
}

static bool fromJSON(const json::Value &value, WatchedFacts::Array &array, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", array.name) && map.map("type", array.type) &&
         map.map("shape", array.shape) && map.map("itemBytes", array.itemBytes) &&
         map.map("address", array.address) && map.map("bytes", array.bytes);
}

static bool fromJSON(const json::Value &value, WatchedFacts::Site &site, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("file", site.file) && map.map("line", site.line) &&
         map.map("column", site.column) && map.map("loads", site.loads) &&
         map.map("stores", site.stores);
}

static bool fromJSON(const json::Value &value, WatchedFacts &facts, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<unsigned> block;
  if (!map || !map.map("kernel", facts.kernel) || !map.map("arrays", facts.arrays) ||
      !map.map("sites", facts.sites) || !map.map("block", block) ||
      !map.map("numCTAs", facts.numCTAs))
    return false;
  if (block.size() != 3 || facts.numCTAs == 0 || llvm::is_contained(block, 0u)) {
    path.report("expected three sizes of a block and a number of CTAs");
    return false;
  }
  std::copy_n(block.begin(), 3, facts.block);
  return true;
}

llvm::Expected<WatchedFacts> readWatchedFacts(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path + "': " + buffer.getError().message());
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return value.takeError();
  WatchedFacts facts;
  json::Path::Root root("the facts of the run");
  if (!fromJSON(*value, facts, root))
    return root.getError();
  return facts;
}
