//===- BulkCopies.cpp - Copies of blocks by hardware ------------*- C++ -*-===//
//
// PTX ISA, "Tensors" and "Tensor Map Objects": a thread composes a tensor map field by field, or
// the launch passes it as a parameter, and has hardware copy boxes of the tensor into shared
// memory. A box lands when the mbarrier's phase would be complete and somebody waits for it: as
// late as it may. A box that is stored is read at once, but until the thread waits for that nobody
// may write there, and it comes to global memory when the thread ends, unless that waits for it
// before. The 128 bytes of a map are opaque, so here they have a form of their own.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace tilec::simulator;
using tilec::kMostMapAxes;

/// Hardware copies and permutes groups of so many bytes.
static constexpr unsigned kGroup = 16;

namespace {

/// The fields of a map; of axes the innermost comes first.
struct TensorMap {
  uint64_t address;
  uint64_t strides[kMostMapAxes]; // Bytes; the first is that of the second axis.
  uint32_t sizes[kMostMapAxes];
  uint32_t box[kMostMapAxes];
  uint32_t steps[kMostMapAxes];
  uint8_t rank, type, interleave, swizzle, fill;
};
static_assert(sizeof(TensorMap) <= kMapBytes);

enum Field : uint32_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  SwizzleMode,
  FillMode,
  NoField
};

} // namespace

/// The number of a type of so many bytes; one that nobody knows for other sizes.
static uint8_t typeOf(unsigned bytes) {
  constexpr uint8_t types[] = {0, 1, 2, 4};
  return isPowerOf2_32(bytes) && bytes <= 8 ? types[Log2_32(bytes)] : UINT8_MAX;
}

static uint64_t addressOf(Warp &warp, const Instruction &i, unsigned operand, unsigned lane) {
  return warp.lanes(i.slot(operand))[lane] + uint64_t(i.operands[operand].offset);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

MapMemory::MapMemory(ArrayRef<SimulatedTensorMap> maps) : memory(maps.size()) {
  for (auto [given, place] : zip_equal(maps, memory)) {
    TensorMap map = {};
    map.address = given.address;
    map.rank = uint8_t(given.rank - 1);
    map.type = typeOf(given.elementBytes);
    map.swizzle = uint8_t(given.swizzle);
    llvm::copy(given.strides, map.strides);
    llvm::copy(given.box, map.box);
    std::fill_n(map.steps, kMostMapAxes, 1);
    for (auto [size, field] : zip_equal(given.sizes, map.sizes))
      field = uint32_t(std::min<uint64_t>(size, UINT32_MAX));
    std::memcpy(place.bytes, &map, sizeof map);
  }
}

static bool readMap(Warp &warp, const Instruction &i, unsigned lane, Space space, uint64_t address,
                    TensorMap &map) {
  const uint8_t *parameter = space == Space::Shared ? nullptr : warp.cta.launch.maps.find(address);
  if (parameter) {
    std::memcpy(&map, parameter, sizeof map);
    return true;
  }
  uint8_t bytes[kMapBytes];
  if (!readMemory(warp, i, lane, space, address, kMapBytes, bytes))
    return false;
  std::memcpy(&map, bytes, sizeof map);
  return true;
}

/// tensormap.replace: of an axis if there are three operands.
static bool replaceField(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    TensorMap map;
    uint64_t address = addressOf(warp, i, 0, l);
    if (!good || !readMap(warp, i, l, Space::Shared, address, map)) {
      good = false;
      return;
    }
    bool hasAxis = i.operands.size() == 3;
    uint64_t axis = hasAxis ? warp.lanes(i.slot(1))[l] : 0;
    uint64_t value = warp.lanes(i.slot(hasAxis ? 2 : 1))[l];
    if (axis >= kMostMapAxes) {
      good = warp.fault(i, l, "names an axis that a tensor map does not have");
      return;
    }
    switch (Field(i.detail)) {
    case GlobalAddress:
      map.address = value;
      break;
    case Rank:
      map.rank = uint8_t(value);
      break;
    case BoxDim:
      map.box[axis] = uint32_t(value);
      break;
    case GlobalDim:
      map.sizes[axis] = uint32_t(value);
      break;
    case GlobalStride:
      map.strides[axis] = value;
      break;
    case ElementStride:
      map.steps[axis] = uint32_t(value);
      break;
    case ElementType:
      map.type = uint8_t(value);
      break;
    case Interleave:
      map.interleave = uint8_t(value);
      break;
    case SwizzleMode:
      map.swizzle = uint8_t(value);
      break;
    case FillMode:
      map.fill = uint8_t(value);
      break;
    case NoField:
      break;
    }
    uint8_t bytes[kMapBytes] = {};
    std::memcpy(bytes, &map, sizeof map);
    good = writeMemory(warp, i, l, Space::Shared, address, kMapBytes, bytes, /*atomic=*/false);
  });
  return good;
}

/// tensormap.cp_fenceproxy: all lanes together copy a map from shared to global memory.
static bool publishMap(Warp &warp, const Instruction &i, uint32_t mask) {
  auto lane = unsigned(__builtin_ctz(mask));
  uint8_t bytes[kMapBytes];
  return readMemory(warp, i, lane, Space::Shared, addressOf(warp, i, 1, lane), kMapBytes, bytes) &&
         writeMemory(warp, i, lane, Space::Global, addressOf(warp, i, 0, lane), kMapBytes, bytes,
                     /*atomic=*/false);
}

/// prefetch.tensormap: has no effect that shows, but of what is no map.
static bool prefetchMap(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    TensorMap map;
    good = good && readMap(warp, i, l, Space::Global, addressOf(warp, i, 0, l), map);
  });
  return good;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The bytes of an element whose type has this number; 0 for types that nobody uses.
static unsigned elementBytes(const TensorMap &map) {
  constexpr unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};
  return map.type < std::size(bytes) ? bytes[map.type] : 0;
}

/// What is wrong with a map; "" if nothing is.
static std::string checkMap(const TensorMap &map, unsigned axes) {
  unsigned bytes = elementBytes(map);
  if (bytes == 0 || map.interleave != 0 || map.fill != 0)
    return "copies by a tensor map of a form that the simulator does not know";
  if (map.rank + 1u != axes)
    return "copies by a tensor map of " + std::to_string(map.rank + 1) + " axes";
  if (map.address % kGroup != 0)
    return "copies by a tensor map whose address is not aligned";
  for (unsigned axis = 0; axis < axes; ++axis) {
    if (map.box[axis] < 1 || map.box[axis] > 256 || map.sizes[axis] == 0 || map.steps[axis] != 1)
      return "copies by a tensor map whose sizes are out of range";
    if (axis > 0 && (map.strides[axis - 1] % kGroup != 0 || map.strides[axis - 1] >> 40 != 0))
      return "copies by a tensor map whose strides are out of range";
  }
  uint64_t line = uint64_t(map.box[0]) * bytes;
  if (line % kGroup != 0 || map.swizzle < 1 || map.swizzle > 3 ||
      line != uint64_t(kGroup) << map.swizzle)
    return "copies by a tensor map whose lines are not those of its swizzle mode";
  return "";
}

/// The pieces of a box at `places`, whose first line lies at `target`.
static std::vector<BulkPiece> piecesOf(const TensorMap &map, ArrayRef<int32_t> places,
                                       uint64_t target) {
  unsigned bytes = elementBytes(map), groups = map.box[0] * bytes / kGroup;
  unsigned inGroup = kGroup / bytes;
  std::vector<BulkPiece> pieces;
  uint64_t lines = 1;
  for (unsigned axis = 1; axis < places.size(); ++axis)
    lines *= map.box[axis];
  for (uint64_t line = 0; line < lines; ++line) {
    uint64_t row = map.address, rest = line;
    bool isInside = true;
    for (unsigned axis = 1; axis < places.size(); ++axis) {
      int64_t place = places[axis] + int64_t(rest % map.box[axis]);
      rest /= map.box[axis];
      isInside &= place >= 0 && place < int64_t(map.sizes[axis]);
      row += uint64_t(place) * map.strides[axis - 1];
    }
    for (unsigned group = 0; group < groups; ++group) {
      int64_t first = places[0] + int64_t(group) * inGroup, size = map.sizes[0];
      BulkPiece piece = {};
      uint64_t at = target + (line * groups + group) * kGroup;
      piece.target = at ^ ((at >> 7 & maskTrailingOnes<uint64_t>(map.swizzle)) << 4);
      piece.source = row + uint64_t(first) * bytes;
      if (isInside && first < size && first + inGroup > 0) {
        piece.first = first < 0 ? unsigned(-first) * bytes : 0;
        piece.last = unsigned(std::min<int64_t>(inGroup, size - first)) * bytes;
      }
      pieces.push_back(piece);
    }
  }
  return pieces;
}

/// Starts to copy the pieces of one thread. False after a fault.
static bool startPieces(Warp &warp, const Instruction &i, unsigned lane, MBarrier &barrier,
                        std::vector<BulkPiece> pieces) {
  Clock known = warp.clock;
  for (const BulkPiece &piece : pieces) {
    uint64_t offset;
    SharedMemory *shared = findShared(warp, i, lane, piece.target, offset);
    if (!shared || !check(warp, i, lane,
                          shared->expectBlock(warp.accessor(lane, i.line), offset, kGroup), offset))
      return false;
    unsigned count = piece.last - piece.first;
    if (count != 0 && !warp.cta.launch.isValid(piece.source + piece.first, count))
      return warp.fault(i, lane,
                        "copies from memory that it was not given, at 0x" +
                            utohexstr(piece.source + piece.first));
  }
  barrier.announced -= int64_t(pieces.size() * kGroup);
  // Other lanes know of the bytes once they have landed, and until then nobody may read them.
  uint32_t syncs = warp.accessor(lane, i.line).syncs - 1;
  barrier.blocks.push_back({&warp, lane, known, syncs, i.line, std::move(pieces)});
  warp.publishOfSome(barrier.arriving);
  return true;
}

/// The pieces of the box that a thread names by the operand `named`, a map with places, with those
/// in shared memory from where the operand `shared` says. Nothing after a fault.
static std::vector<BulkPiece> findPieces(Warp &warp, const Instruction &i, unsigned lane,
                                         unsigned named, unsigned shared) {
  ArrayRef<Slot> slots = ArrayRef(i.operands[named].slots).drop_front();
  TensorMap map;
  if (!readMap(warp, i, lane, Space::Global, addressOf(warp, i, named, lane), map))
    return {};
  std::string problem = checkMap(map, unsigned(slots.size()));
  SmallVector<int32_t, kMostMapAxes> places;
  for (Slot slot : slots)
    places.push_back(int32_t(warp.lanes(slot)[lane]));
  uint64_t address = addressOf(warp, i, shared, lane), atom = uint64_t(128) << map.swizzle;
  if (problem.empty() && int64_t(places.front()) * elementBytes(map) % kGroup != 0)
    problem = "copies from a place in its lines that is not aligned";
  if (problem.empty() && address % atom != 0)
    problem = "copies to an address that is not aligned for its swizzle mode";
  if (problem.empty())
    return piecesOf(map, places, address);
  warp.fault(i, lane, problem);
  return {};
}

/// cp.async.bulk.tensor: [shared], [map, {places}], [mbarrier].
static bool startBlock(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    MBarrier *barrier = good ? findBarrier(warp, i, 2, uint32_t(1) << l) : nullptr;
    std::vector<BulkPiece> pieces;
    if (barrier)
      pieces = findPieces(warp, i, l, /*named=*/1, /*shared=*/0);
    good = !pieces.empty() && startPieces(warp, i, l, *barrier, std::move(pieces));
  });
  return good;
}

void Warp::land(const BulkCopy &copy) {
  for (const BulkPiece &piece : copy.pieces) {
    uint8_t bytes[kGroup] = {};
    if (piece.last > piece.first)
      std::memcpy(bytes + piece.first, reinterpret_cast<const void *>(piece.source + piece.first),
                  piece.last - piece.first);
    uint64_t offset;
    SharedMemory *shared = cta.cluster.findShared(piece.target, offset);
    shared->land({indexInCluster, copy.lane, &copy.clock, copy.syncs, copy.line}, offset, kGroup,
                 bytes);
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Begins to read what one thread stores. False after a fault.
static bool readPieces(Warp &warp, const Instruction &i, unsigned lane,
                       ArrayRef<BulkPiece> pieces) {
  BulkStore store = {i.line, {}};
  for (const BulkPiece &piece : pieces) {
    uint8_t bytes[kGroup];
    uint64_t offset;
    SharedMemory *shared = findShared(warp, i, lane, piece.target, offset);
    if (!shared || !check(warp, i, lane,
                          shared->beginAsyncRead(warp.accessor(lane, i.line), offset, kGroup, bytes,
                                                 "cp.async.bulk.tensor"),
                          offset))
      return false;
    // Of 16 bytes hardware writes all or none, also where a line of the tensor ends within them.
    unsigned count = piece.last > piece.first ? kGroup - piece.first : 0;
    StoredPiece stored = {piece.target, piece.source + piece.first, count, {}};
    if (stored.count != 0 && !warp.cta.launch.isValid(stored.target, stored.count))
      return warp.fault(i, lane,
                        "stores to memory that it was not given, at 0x" + utohexstr(stored.target));
    std::memcpy(stored.bytes, bytes + piece.first, stored.count);
    store.pieces.push_back(stored);
  }
  warp.stores[lane].open.push_back(std::move(store));
  return true;
}

/// cp.async.bulk.tensor: [map, {places}], [shared].
static bool storeBlock(Warp &warp, const Instruction &i, uint32_t mask) {
  bool good = true;
  forLanes(mask, [&](unsigned l) {
    if (!good)
      return;
    std::vector<BulkPiece> pieces = findPieces(warp, i, l, /*named=*/0, /*shared=*/1);
    good = !pieces.empty() && readPieces(warp, i, l, pieces);
  });
  return good;
}

static bool commitStores(Warp &warp, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    StoreQueue &queue = warp.stores[l];
    queue.groups.push_back(std::move(queue.open));
    queue.open.clear();
  });
  return true;
}

/// Waits until the groups have been read, or, without `.read`, until they are in memory.
static bool waitForStores(Warp &warp, const Instruction &i, uint32_t mask) {
  bool onlyRead = i.detail != 0;
  forLanes(mask, [&](unsigned l) {
    StoreQueue &queue = warp.stores[l];
    for (uint64_t pending = warp.lanes(i.slot(0))[l]; queue.groups.size() > pending;
         queue.groups.pop_front())
      for (BulkStore &store : queue.groups.front()) {
        for (const StoredPiece &piece : store.pieces) {
          uint64_t offset;
          SharedMemory *shared = warp.cta.cluster.findShared(piece.source, offset);
          shared->endAsyncRead(warp.accessor(l, i.line), offset, kGroup);
        }
        queue.leaving.push_back(std::move(store));
      }
    if (!onlyRead)
      warp.landStores(l);
  });
  return true;
}

void Warp::landStores(unsigned lane) {
  for (const BulkStore &store : stores[lane].leaving)
    for (const StoredPiece &piece : store.pieces)
      std::memcpy(reinterpret_cast<void *>(piece.target), piece.bytes, piece.count);
  stores[lane].leaving.clear();
}

bool Warp::endStores(const Instruction &instruction, unsigned lane) {
  const BulkStore *first = stores[lane].open.empty() ? nullptr : &stores[lane].open.front();
  for (const std::vector<BulkStore> &group : reverse(stores[lane].groups))
    if (!group.empty())
      first = &group.front();
  if (first)
    return fault(instruction, lane,
                 "ends while the cp.async.bulk.tensor of line " + Twine(first->line) +
                     " reads shared memory");
  landStores(lane);
  return true;
}

Handler tilec::simulator::findBulkCopy(StringRef opcode, Instruction &instruction) {
  if (opcode.starts_with("cp.async.bulk.tensor.") && opcode.contains(".tile.") &&
      instruction.operands.size() == 3)
    return startBlock;
  if (opcode.starts_with("cp.async.bulk.tensor.") &&
      opcode.contains(".global.shared::cta.tile.bulk_group") && instruction.operands.size() == 2)
    return storeBlock;
  if (opcode == "cp.async.bulk.commit_group")
    return commitStores;
  if (opcode.starts_with("cp.async.bulk.wait_group") && instruction.operands.size() == 1) {
    instruction.detail = opcode.ends_with(".read");
    return waitForStores;
  }
  if (opcode == "prefetch.tensormap" && instruction.operands.size() == 1)
    return prefetchMap;
  if (opcode.starts_with("tensormap.cp_fenceproxy.") && instruction.operands.size() == 3)
    return publishMap;
  if (!opcode.consume_front("tensormap.replace.tile."))
    return nullptr;
  instruction.detail = StringSwitch<Field>(opcode.take_until([](char c) { return c == '.'; }))
                           .Case("global_address", GlobalAddress)
                           .Case("rank", Rank)
                           .Case("box_dim", BoxDim)
                           .Case("global_dim", GlobalDim)
                           .Case("global_stride", GlobalStride)
                           .Case("element_stride", ElementStride)
                           .Case("elemtype", ElementType)
                           .Case("interleave_layout", Interleave)
                           .Case("swizzle_mode", SwizzleMode)
                           .Case("fill_mode", FillMode)
                           .Default(NoField);
  return instruction.detail == NoField ? nullptr : replaceField;
}
