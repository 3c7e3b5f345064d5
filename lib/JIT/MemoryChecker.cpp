//===- MemoryChecker.cpp - Accesses against arrays and orders ---*- C++ -*-===//
//
// Beside each element its last write and last reads are kept, and beside each byte whether it was
// written. Synchronization is a graph: an atomic operation is a node that follows the one before it
// of its program and the one before it on its element. An access of another program is ordered
// before the present one if a later node of that program can be reached backwards from the last
// node of this one.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/MemoryChecker.h"

#include "tilec/JIT/Compare.h"
#include "tilec/Language/Diagnostics.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace tilec;
using llvm::StringRef;

/// One access of an element, as it is remembered. Programs are numbered in the order in which they
/// run.
struct MemoryChecker::Event {
  const HostSite *site = nullptr; // Null: there was none.
  uint32_t program = 0;
  int32_t index = 0;
  uint32_t phase = 0;               // Barriers that the program had passed.
  uint32_t time = 0;                // Nodes that there were.
  uint8_t firstByte = 0, bytes = 0; // Of the element.

  bool isAtomic() const {
    return site->kind == int32_t(HostAccess::Kind::Atomic) || site->synchronizes;
  }
  bool overlaps(const Event &other) const {
    return firstByte < other.firstByte + other.bytes && other.firstByte < firstByte + bytes;
  }
};

struct MemoryChecker::Cell {
  Event write, read, otherRead;
};

namespace {
/// An atomic operation that synchronizes. Numbers are positions in the list, 0 is none.
struct Node {
  uint32_t program;
  uint32_t beforeInProgram, beforeOnElement;
};
} // namespace

struct MemoryChecker::Array : CheckedArray {
  unsigned item = 1;                      // Bytes of an element.
  std::vector<bool> own;                  // What `unwritten` points to if nobody else has it.
  std::vector<bool> *unwritten = nullptr; // For each byte; null: all were written.
  /// For each element, in pieces that are made at the first access.
  llvm::DenseMap<uint64_t, std::unique_ptr<Cell[]>> cells;
  uint64_t lastPiece = ~uint64_t(0);
  Cell *lastCells = nullptr;

  const uint8_t *begin() const { return data; }
  const uint8_t *end() const { return data + bytes; }
  Cell &cellOf(uint64_t element) {
    constexpr uint64_t piece = 4096;
    if (element / piece != lastPiece) {
      lastPiece = element / piece;
      std::unique_ptr<Cell[]> &found = cells[lastPiece];
      if (!found)
        found = std::make_unique<Cell[]>(piece);
      lastCells = found.get();
    }
    return lastCells[element % piece];
  }
  std::string describe() const {
    return "'" + name + "' (" + scalarInfo(type).shortName.str() + formatShape(shape) + ")";
  }
};

/// What orders the accesses of the programs so far.
struct MemoryChecker::Orders {
  std::vector<std::array<int32_t, 3>> programs; // The last one runs.
  uint32_t phase = 0, lastNode = 0;
  std::vector<Node> nodes = {Node()};
  llvm::DenseMap<const void *, uint32_t> lastOnElement;
  /// Of programs, the last node that lastNode can be reached from; good for `knownFrom`.
  llvm::DenseMap<uint32_t, uint32_t> known;
  uint32_t knownFrom = 0;

  void enter(const int32_t *position) {
    std::array<int32_t, 3> next = {position[0], position[1], position[2]};
    if (!programs.empty() && next == programs.back())
      return;
    programs.push_back(next);
    phase = lastNode = 0;
  }

  uint32_t program() const { return uint32_t(programs.size() - 1); }

  void synchronize(const void *address) {
    uint32_t &onElement = lastOnElement[address];
    nodes.push_back({program(), lastNode, onElement});
    lastNode = onElement = uint32_t(nodes.size() - 1);
  }

  /// Whether an access of another program is ordered before what the present one does now.
  bool isOrdered(const Event &event) {
    if (knownFrom != lastNode || known.empty())
      findKnown();
    auto node = known.find(event.program);
    return node != known.end() && node->second >= event.time;
  }

private:
  void findKnown() {
    known.clear();
    knownFrom = lastNode;
    llvm::BitVector seen(unsigned(nodes.size()));
    llvm::SmallVector<uint32_t> open = {lastNode};
    while (!open.empty()) {
      uint32_t number = open.pop_back_val();
      if (number == 0 || seen.test(number))
        continue;
      seen.set(number);
      const Node &node = nodes[number];
      uint32_t &last = known[node.program];
      last = std::max(last, number);
      open.push_back(node.beforeInProgram);
      open.push_back(node.beforeOnElement);
    }
  }
};

MemoryChecker::MemoryChecker() : orders(std::make_unique<Orders>()) {}
MemoryChecker::~MemoryChecker() = default;

bool MemoryFinding::Place::operator==(const Place &other) const {
  return file == other.file && line == other.line && column == other.column && calls == other.calls;
}

unsigned CheckedArray::itemBytes() const { return std::max(1u, scalarInfo(type).bits / 8); }

MemoryChecker::Array &MemoryChecker::addArray(CheckedArray array) {
  arrays.push_back(std::make_unique<Array>());
  static_cast<CheckedArray &>(*arrays.back()) = std::move(array);
  arrays.back()->item = arrays.back()->itemBytes();
  return *arrays.back();
}

void MemoryChecker::add(std::string name, const HostArray &array, bool unwritten) {
  Array &added =
      addArray({std::move(name), array.type(), array.data(), array.bytes(), array.shape().vec()});
  if (!unwritten)
    return;
  added.unwritten = &added.own;
  added.own.resize(array.bytes());
  for (uint64_t index = 0; index < array.size(); ++index)
    if (array.isPoison(index))
      std::fill_n(added.own.begin() + ptrdiff_t(index * added.item), added.item, true);
}

void MemoryChecker::add(CheckedArray array, std::vector<bool> *unwritten) {
  addArray(std::move(array)).unwritten = unwritten;
}

void MemoryChecker::addOpen(std::string name, ScalarKind type, const void *start) {
  open.push_back({std::move(name), type, static_cast<const uint8_t *>(start), 0, {}});
  // The elements of the smallest type, by their addresses: those of others lie in several.
  if (!elsewhere) {
    elsewhere = std::make_unique<Array>();
    elsewhere->item = open.back().itemBytes();
  }
  elsewhere->item = std::min(elsewhere->item, open.back().itemBytes());
}

void MemoryChecker::passBarrier() { ++orders->phase; }

MemoryChecker::Array *MemoryChecker::arrayOf(const void *address) {
  for (const std::unique_ptr<Array> &array : arrays)
    if (address >= array->begin() && address < array->end())
      return array.get();
  // Null, and what lies behind it, is no array.
  constexpr uintptr_t firstPage = 4096;
  return reinterpret_cast<uintptr_t>(address) < firstPage ? nullptr : elsewhere.get();
}

bool MemoryChecker::allow(const HostAccess &access) {
  orders->enter(access.program);
  auto *address = static_cast<const uint8_t *>(access.address);
  Array *array = arrayOf(address);
  bool isKnown = array && array != elsewhere.get();
  if (!array || (isKnown && uint64_t(array->end() - address) < uint64_t(access.site.bytes))) {
    reportOutside(access);
    return false;
  }
  uint64_t byte =
      isKnown ? uint64_t(address - array->begin()) : reinterpret_cast<uintptr_t>(address);
  checkWritten(*array, byte, access);
  checkOrder(*array, byte, access);
  return true;
}

//===----------------------------------------------------------------------===//
// What is wrong with an access
//===----------------------------------------------------------------------===//

static const char *verbOf(const HostSite &site) {
  switch (HostAccess::Kind(site.kind)) {
  case HostAccess::Kind::Load:
    return "reads";
  case HostAccess::Kind::Store:
    return "writes";
  case HostAccess::Kind::Atomic:
    return "atomically changes";
  }
  llvm_unreachable("all kinds are covered");
}

std::string MemoryChecker::describeElement(const Array &array, uint64_t byte) const {
  if (&array != elsewhere.get())
    return formatIndex(byte / array.item, array.shape) + " of " + array.describe();
  // Of the array that starts last in front of it, or first behind it.
  const CheckedArray *nearest = nullptr;
  auto distanceOf = [&](const CheckedArray &candidate) {
    return int64_t(byte - reinterpret_cast<uintptr_t>(candidate.data));
  };
  for (const CheckedArray &candidate : open)
    if (!nearest || (distanceOf(candidate) >= 0) > (distanceOf(*nearest) >= 0) ||
        ((distanceOf(candidate) >= 0) == (distanceOf(*nearest) >= 0) &&
         std::abs(distanceOf(candidate)) < std::abs(distanceOf(*nearest))))
      nearest = &candidate;
  auto item = int64_t(nearest->itemBytes());
  return std::to_string(llvm::divideFloorSigned(distanceOf(*nearest), item)) + " of '" +
         nearest->name + "' (" + scalarInfo(nearest->type).shortName.str() + ", of unknown size)";
}

void MemoryChecker::checkWritten(Array &array, uint64_t byte, const HostAccess &access) {
  if (!array.unwritten)
    return;
  auto begin = array.unwritten->begin() + ptrdiff_t(byte), end = begin + access.site.bytes;
  if (access.kind() != HostAccess::Kind::Store && std::find(begin, end, true) != end)
    report(MemoryFinding::Kind::Unwritten, access,
           verbOf(access.site) + (" element " + describeElement(array, byte)) +
               ", which nothing has written");
  if (access.kind() != HostAccess::Kind::Load)
    std::fill(begin, end, false);
}

/// Whether nothing but luck decides which of the two, the later of which is `now`, is first.
bool MemoryChecker::isUnordered(const Event &before, const Event &now) {
  if (!before.site || !before.overlaps(now) || (before.isAtomic() && now.isAtomic()))
    return false;
  if (before.program != now.program)
    return !orders->isOrdered(before);
  return before.phase == now.phase && before.index != now.index && before.index >= 0 &&
         now.index >= 0;
}

static std::string formatProgram(const std::array<int32_t, 3> &program) {
  return ("(" + llvm::Twine(program[0]) + ", " + llvm::Twine(program[1]) + ", " +
          llvm::Twine(program[2]) + ")")
      .str();
}

/// " at [3, 5] of the tile", or nothing for a scalar.
static std::string formatPosition(const HostSite &site, int64_t index) {
  if (index < 0)
    return "";
  llvm::SmallVector<StringRef> sizes;
  StringRef(site.shape).split(sizes, ", ");
  std::vector<uint64_t> shape;
  for (StringRef size : sizes) {
    uint64_t number = 1;
    size.getAsInteger(10, number);
    shape.push_back(number);
  }
  return " at " + formatIndex(uint64_t(index), shape) + " of the tile";
}

static MemoryFinding::Place placeOf(const HostSite &site) {
  return {site.file, site.line, site.column, site.calls ? site.calls : ""};
}

void MemoryChecker::checkOrder(Array &array, uint64_t byte, const HostAccess &access) {
  const HostSite &site = access.site;
  auto bytes = unsigned(site.bytes), item = array.item;
  // What writes the value that is there changes nothing that others could see.
  if (access.kind() == HostAccess::Kind::Store &&
      std::memcmp(access.address, &access.value, std::min<size_t>(bytes, sizeof(uint64_t))) == 0)
    return;
  bool isRead = access.kind() == HostAccess::Kind::Load;
  if (site.synchronizes)
    orders->synchronize(access.address);
  for (uint64_t element = byte / item; element * item < byte + bytes; ++element) {
    uint64_t first = std::max(byte, element * item),
             last = std::min(byte + bytes, (element + 1) * item);
    Event now{&site,
              orders->program(),
              int32_t(access.index),
              orders->phase,
              uint32_t(orders->nodes.size()),
              uint8_t(first - element * item),
              uint8_t(last - first)};
    Cell &cell = array.cellOf(element);
    for (const Event *before : {&cell.write, &cell.read, &cell.otherRead}) {
      if ((isRead && before != &cell.write) || !isUnordered(*before, now))
        continue;
      bool inProgram = before->program == now.program;
      report(
          MemoryFinding::Kind::Race, access,
          verbOf(site) + (" element " + describeElement(array, byte)) + ", which " +
              (inProgram ? "the same program"
                         : "program " + formatProgram(orders->programs[before->program])) +
              " " + verbOf(*before->site) + formatPosition(*before->site, before->index) +
              (inProgram ? ", and no barrier is between the two" : ", and nothing orders the two"),
          placeOf(*before->site));
      break;
    }
    if (!isRead) {
      cell.write = now;
      continue;
    }
    // Two reads that differ, one of which any write has to be ordered with.
    if (cell.read.site && (cell.read.program != now.program ||
                           (cell.read.phase == now.phase && cell.read.index != now.index)))
      cell.otherRead = cell.read;
    cell.read = now;
  }
}

void MemoryChecker::reportOutside(const HostAccess &access) {
  auto address = reinterpret_cast<intptr_t>(access.address);
  const Array *nearest = nullptr;
  intptr_t distance = 0;
  auto number = [](const uint8_t *pointer) { return reinterpret_cast<intptr_t>(pointer); };
  for (const std::unique_ptr<Array> &array : arrays) {
    intptr_t away = address < number(array->begin())
                        ? number(array->begin()) - address
                        : address + access.site.bytes - number(array->end());
    if (nearest && away >= distance)
      continue;
    nearest = array.get();
    distance = away;
  }
  std::string text = verbOf(access.site) + (" " + llvm::Twine(access.site.bytes) + " bytes").str();
  constexpr intptr_t farthest = intptr_t(1) << 32;
  if (!nearest || distance > farthest)
    return report(MemoryFinding::Kind::Outside, access,
                  text + " at address 0x" + llvm::utohexstr(uint64_t(address)) +
                      ", far from all arrays");
  intptr_t item = nearest->item, offset = address - number(nearest->begin());
  intptr_t element = offset >= 0 ? offset / item : -((-offset + item - 1) / item);
  intptr_t behind = address - number(nearest->end());
  if (offset < 0)
    text += ", " + std::to_string(-offset) + " bytes before the start of ";
  else if (behind < 0)
    text += " over the end of ";
  else if (behind == 0)
    text += " right behind the end of ";
  else
    text += ", " + std::to_string(behind) + " bytes behind the end of ";
  report(MemoryFinding::Kind::Outside, access,
         text + nearest->describe() + ", where element " + std::to_string(element) + " would be");
}

void MemoryChecker::report(MemoryFinding::Kind kind, const HostAccess &access, std::string message,
                           std::optional<MemoryFinding::Place> other) {
  MemoryFinding::Place place = placeOf(access.site);
  for (MemoryFinding &known : found)
    if (known.kind == kind && known.place == place && known.other == other) {
      ++known.count;
      return;
    }
  message += "; in program " + formatProgram(orders->programs.back()) +
             formatPosition(access.site, access.index);
  found.push_back({kind, std::move(place), std::move(message), std::move(other), 1});
}

static FileLoc locationOf(const MemoryFinding::Place &place) {
  return {place.file, unsigned(place.line), unsigned(place.column), 0};
}

/// Of "FILE:LINE:COLUMN", where FILE may have colons.
static FileLoc locationOf(StringRef text) {
  FileLoc place;
  auto [rest, column] = text.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  place.file = file;
  line.getAsInteger(10, place.line);
  column.getAsInteger(10, place.column);
  return place;
}

/// Whoever reads of a line in a helper wants to know whose call of it goes wrong.
static void noteCalls(DiagnosticBuilder &error, const MemoryFinding::Place &place) {
  llvm::SmallVector<StringRef> calls;
  StringRef(place.calls).split(calls, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef call : calls)
    error.note(locationOf(call), "called from here");
}

bool tilec::reportFindings(const MemoryChecker &checker, DiagnosticEngine &diagnostics) {
  for (const MemoryFinding &finding : checker.findings()) {
    std::string message = finding.message;
    if (finding.count > 1)
      message += "; " + std::to_string(finding.count) + " times in all";
    DiagnosticBuilder error =
        diagnostics.report(Severity::Error, locationOf(finding.place), message);
    noteCalls(error, finding.place);
    if (!finding.other || *finding.other == finding.place)
      continue;
    error.note(locationOf(*finding.other), "the other access is here");
    noteCalls(error, *finding.other);
  }
  return checker.findings().empty();
}
