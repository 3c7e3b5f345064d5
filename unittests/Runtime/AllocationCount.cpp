//===- AllocationCount.cpp - Counts calls of malloc ----------------------*- C++ -*-===//
//
// Replaces malloc and calloc of the test program by ones that count and hand on to glibc's.
//
//===-------------------------------------------------------------------------------===//

#include "AllocationCount.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TILEC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define TILEC_SANITIZED 1
#endif
#endif

static std::atomic<long> allocations{0};

long allocationCount() { return allocations; }

#if defined(__GLIBC__) && !defined(TILEC_SANITIZED)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);

__attribute__((visibility("default"))) void *malloc(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
}

bool countsAllocations() { return true; }
#else
bool countsAllocations() { return false; }
#endif
