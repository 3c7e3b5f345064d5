//===- AtomicTest.cpp - atomic operations ------------------------*- C++ -*-===//
//
// Many programs change the same places at once; what comes out does not depend on their order.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"

using namespace tilec;
using namespace tilec::test;

namespace {

constexpr int64_t kPrograms = 37;

struct TypeRow {
  std::string name;
  ScalarKind kind;
};

void PrintTo(const TypeRow &row, std::ostream *os) { *os << row.name; }

std::vector<TypeRow> rowsOf(std::initializer_list<ScalarKind> kinds) {
  std::vector<TypeRow> rows;
  for (ScalarKind kind : kinds)
    rows.push_back({scalarInfo(kind).name.str(), kind});
  return rows;
}

HostArray zeros(ScalarKind kind, std::vector<uint64_t> shape) {
  return makeRandom(kind, std::move(shape), 0, 0);
}

class AtomicAdd : public OnEachTargetWith<TypeRow> {};

/// A block in which every place is named by four elements, one of them masked, and a scalar.
TEST_P(AtomicAdd, BlockAndScalar) {
  HostArray x = zeros(row().kind, {9});
  Launch launch(R"(
@triton.jit
def kernel(x):
    i = tl.arange(0, 32)
    tl.atomic_add(x + i % 8, 1, mask=i >= 8)
    tl.atomic_add(x + 8, 2, sem="relaxed")
)");
  runFine(launch.array("x", x).over(kPrograms));
  expectReals(x, [](uint64_t i) { return i < 8 ? 3.0 * kPrograms : 2.0 * kPrograms; });
}

INSTANTIATE_TEST_SUITE_P(
    Execution, AtomicAdd,
    ::testing::Combine(allTargets(),
                       ::testing::ValuesIn(rowsOf({ScalarKind::Int32, ScalarKind::Int64,
                                                   ScalarKind::UInt32, ScalarKind::UInt64,
                                                   ScalarKind::FP16, ScalarKind::BF16,
                                                   ScalarKind::FP32, ScalarKind::FP64}))),
    RowName<TypeRow>());

class AtomicExtreme : public OnEachTargetWith<TypeRow> {};

/// Values of both signs meet values of both signs.
TEST_P(AtomicExtreme, MaxAndMin) {
  HostArray x = zeros(row().kind, {4});
  Launch launch(R"(
@triton.jit
def kernel(x):
    n = tl.program_id(0)
    tl.atomic_max(x, n - 10)
    tl.atomic_min(x + 1, n - 10)
    tl.atomic_xchg(x + 2, -5)
    tl.atomic_max(x + 2, -7)
    tl.atomic_min(x + 3, -3 - n)
)");
  runFine(launch.array("x", x).over(kPrograms));
  double expected[] = {26, -10, -5, -3.0 - (kPrograms - 1)};
  expectReals(x, [&](uint64_t i) { return expected[i]; });
}

INSTANTIATE_TEST_SUITE_P(
    Execution, AtomicExtreme,
    ::testing::Combine(allTargets(),
                       ::testing::ValuesIn(rowsOf({ScalarKind::Int32, ScalarKind::Int64,
                                                   ScalarKind::FP32, ScalarKind::FP64}))),
    RowName<TypeRow>());

class Atomic : public OnEachTarget {};

TEST_P(Atomic, Bits) {
  HostArray x = zeros(ScalarKind::UInt32, {3}), y = zeros(ScalarKind::Int64, {3});
  Launch launch(R"(
@triton.jit
def kernel(x, y):
    n = tl.program_id(0)
    tl.atomic_or(x, n, sem="release", scope="sys")
    tl.atomic_xor(x + 1, n, sem="acquire")
    tl.atomic_max(x + 2, (-1 - n).to(tl.uint32), scope="gpu")
    tl.atomic_or(y, n)
    tl.atomic_add(y + 1, n.to(tl.int64) << 33)
    tl.atomic_and(y + 2, n)
)");
  runFine(launch.array("x", x).array("y", y).over(32));
  int64_t bits[] = {31, 0, 4294967295}, wide[] = {31, int64_t(496) << 33, 0};
  expectIntegers(x, [&](uint64_t i) { return bits[i]; });
  expectIntegers(y, [&](uint64_t i) { return wide[i]; });
}

/// Every element gets a ticket of its own; every thread sees it.
TEST_P(Atomic, OldValues) {
  for (unsigned warps : {1, 4}) {
    HostArray next = zeros(ScalarKind::Int32, {1}), seen = zeros(ScalarKind::Int32, {1024}),
              same = makeOutput(ScalarKind::Int32, {16, 64});
    Launch launch(R"(
@triton.jit
def kernel(next, seen, same):
    i = tl.arange(0, 64)
    first = tl.atomic_add(next, 64)
    tl.store(same + tl.program_id(0) * 64 + i, first)
    old = tl.atomic_add(seen + first + i, 1)
    tl.atomic_add(seen + first + i, old)
)");
    launch.array("next", next).array("seen", seen).array("same", same);
    runFine(launch.over(16).warps(warps));
    expectIntegers(seen, [](uint64_t) { return 1; });
    expectIntegers(same, [&](uint64_t i) { return same.integer(i / 64 * 64); });
  }
}

/// A block smaller than the threads: copies act once, and all of them get the old value.
TEST_P(Atomic, FewElements) {
  HostArray x = zeros(ScalarKind::Int32, {4}), out = makeOutput(ScalarKind::Int32, {256});
  Launch launch(R"(
@triton.jit
def kernel(x, out):
    i = tl.arange(0, 4)
    old = tl.atomic_add(x + i, i + 5)
    again = tl.atomic_add(x + i, old)
    wide = tl.broadcast_to(again[:, None], [4, 64])
    tl.store(out + i[:, None] * 64 + tl.arange(0, 64)[None, :], wide)
)");
  runFine(launch.array("x", x).array("out", out).warps(8));
  expectIntegers(x, [](uint64_t i) { return int64_t(i) + 5; });
  expectIntegers(out, [](uint64_t i) { return int64_t(i) / 64 + 5; });
}

/// A lock: what one program writes under it, the next one reads.
TEST_P(Atomic, Lock) {
  HostArray lock = zeros(ScalarKind::Int32, {1}), count = zeros(ScalarKind::Int32, {1}),
            sums = zeros(ScalarKind::FP32, {128});
  Launch launch(R"(
@triton.jit
def kernel(lock, count, sums):
    p = sums + tl.arange(0, 128)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    seen = tl.load(count)
    if seen == 0:
        tl.atomic_xchg(count, 1)
        tl.store(p, 1.0)
    else:
        tl.store(p, tl.load(p) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
)");
  runFine(launch.array("lock", lock).array("count", count).array("sums", sums).over(kPrograms));
  expectReals(sums, [](uint64_t) { return double(kPrograms); });
  expectIntegers(lock, [](uint64_t) { return 0; });
}

TEST_P(Atomic, CompareAndSwap) {
  HostArray x = zeros(ScalarKind::Int16, {64}), f = zeros(ScalarKind::FP32, {64}),
            out = makeOutput(ScalarKind::FP32, {64});
  Launch launch(R"(
@triton.jit
def kernel(x, f, out):
    i = tl.arange(0, 64)
    zero = tl.zeros([64], tl.int16)
    tl.atomic_cas(x + i, (i % 2).to(tl.int16), i.to(tl.int16))
    tl.atomic_cas(x + i, zero, zero - 1)
    tl.atomic_cas(f + i, tl.zeros([64], tl.float32), i * 0.5)
    tl.store(out + i, tl.atomic_cas(f + i, tl.zeros([64], tl.float32), i * 8.0))
)");
  runFine(launch.array("x", x).array("f", f).array("out", out));
  expectIntegers(x, [](uint64_t i) { return i % 2 || i == 0 ? -1 : int64_t(i); });
  expectReals(f, [](uint64_t i) { return double(i) * 0.5; });
  expectReals(out, [](uint64_t i) { return double(i) * 0.5; });
}

INSTANTIATE_TEST_SUITE_P(Execution, Atomic, allTargets(), TargetName());

} // namespace
