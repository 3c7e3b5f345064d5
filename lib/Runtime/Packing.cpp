//===- Packing.cpp - Launches whose blocks run several programs ----------*- C++ -*-===//
//
// How the grid is divided. Blocks of persistent kernels are as many as the device holds. Programs
// of one block are neighbours along x, where x has many, so that few places of the last block stay
// empty; else along an axis that a number of them divides.
//
//===-------------------------------------------------------------------------------===//

#include "Kernel.h"

namespace tilec {

/// The largest number up to `most` that divides `size`.
static uint32_t divisorUpTo(uint32_t most, uint32_t size) {
  while (size % most != 0)
    --most;
  return most;
}

LaunchShape packPrograms(const tilec_packing &packing, const LaunchShape &plain) {
  const auto [x, y, z] = plain.grid;
  // From here on at most a sixteenth of the places is empty.
  constexpr uint32_t manyBlocks = 16;
  const uint32_t most = packing.programs;
  if (x >= manyBlocks * most) {
    uint32_t blocks = x / most + (x % most != 0);
    return {{blocks, y, z}, {packing.threads, most, 1}, blocks * most - x};
  }
  uint32_t along = divisorUpTo(most, x);
  if (along > 1)
    return {{x / along, y, z}, {packing.threads, along, 1}, 0};
  along = divisorUpTo(most, y);
  if (along > 1)
    return {{x, y / along, z}, {packing.threads, 1, along}, 0};
  return plain;
}

tilec_status makeCountError(const char *kernel, int64_t x, int64_t y, int64_t z) {
  return makeKernelError(TILEC_ERROR_INVALID_GRID, kernel,
                         "the grid %lld x %lld x %lld is not possible: a persistent kernel counts "
                         "its programs in 31 bits",
                         static_cast<long long>(x), static_cast<long long>(y),
                         static_cast<long long>(z));
}

tilec_status checkPacking(const tilec_launch_record &record) {
  constexpr uint32_t warpThreads = 32, mostThreads = 1024;
  const tilec_packing &packing = record.packing;
  if (packing.programs == 0 && packing.threads == 0 && packing.least == 0)
    return nullptr;
  if (isPersistent(packing)) {
    if (packing.least == 0 && record.num_ctas <= 1 && record.params)
      return nullptr;
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "a persistent kernel has known parameters, no clusters, and no least "
                           "number of programs");
  }
  if (packing.programs < 2 || packing.threads == 0 || packing.threads % warpThreads != 0 ||
      uint32_t(packing.threads) * packing.programs > mostThreads)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "%u programs of %u threads cannot share a block", packing.programs,
                           packing.threads);
  if (record.num_ctas > 1 || record.dynamic_shared_bytes != 0 || record.num_maps != 0)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "programs with clusters, dynamic shared memory or tensor maps cannot "
                           "share a block");
  return nullptr;
}

} // namespace tilec

tilec_status tilec_launch_shape_evaluate(const tilec_launch_record *record,
                                         uint32_t multiprocessors, int64_t x, int64_t y, int64_t z,
                                         tilec_launch_shape *shape) {
  using namespace tilec;
  if (!record || !shape)
    return makeNullError("tilec_launch_shape_evaluate", !record ? "record" : "shape");
  tilec_launch_record known;
  if (tilec_status status = readRecord(*record, known))
    return status;
  if (tilec_status status = checkPacking(known))
    return status;
  constexpr int64_t mostX = INT32_MAX, mostYZ = UINT16_MAX; // of CUDA
  if (x < 0 || x > mostX / known.num_ctas || y < 0 || y > mostYZ || z < 0 || z > mostYZ)
    return makeKernelError(TILEC_ERROR_INVALID_GRID, known.symbol ? known.symbol : "?",
                           "the grid %lld x %lld x %lld is not possible", static_cast<long long>(x),
                           static_cast<long long>(y), static_cast<long long>(z));
  LaunchShape found = {{uint32_t(x) * known.num_ctas, uint32_t(y), uint32_t(z)},
                       {known.threads, 1, 1},
                       known.dynamic_shared_bytes};
  bool isAny = x > 0 && y > 0 && z > 0;
  if (isAny && isPersistent(known.packing)) {
    uint32_t most = mostPersistentBlocks(known.packing, multiprocessors);
    if (!canCountPrograms(most, x, y, z))
      return makeCountError(known.symbol ? known.symbol : "?", x, y, z);
    found = persistentShape(most, found);
    isAny = false;
  }
  if (isAny && known.packing.programs != 0 &&
      uint64_t(x) * uint64_t(y) * uint64_t(z) >= uint64_t(known.packing.least) * multiprocessors)
    found = packPrograms(known.packing, found);
  for (int axis = 0; axis < 3; ++axis) {
    shape->grid[axis] = found.grid[axis];
    shape->block[axis] = found.block[axis];
  }
  shape->dynamic_shared_bytes = found.dynamicSharedBytes;
  return nullptr;
}
