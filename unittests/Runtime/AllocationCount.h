//===- AllocationCount.h - Counts calls of malloc ------------------------*- C++ -*-===//

#ifndef TILEC_UNITTESTS_RUNTIME_ALLOCATIONCOUNT_H
#define TILEC_UNITTESTS_RUNTIME_ALLOCATIONCOUNT_H

/// Calls of malloc and calloc in this process so far; stays 0 under a sanitizer, which has its own.
long allocationCount();

/// Whether allocations are counted.
bool countsAllocations();

#endif // TILEC_UNITTESTS_RUNTIME_ALLOCATIONCOUNT_H
