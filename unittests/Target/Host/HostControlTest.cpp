//===- HostControlTest.cpp - loops and branches over tiles -----*- C++ -*-===//
//
// Tiles that loops carry and branches yield live in buffers that are overwritten; these tests are
// about writing them neither too early nor too late.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <numeric>

using namespace tilec;

namespace {

/// A kernel (%x, %y, %n) around `body`, which has %xp and %yp, pointers to 128 i32 each, constants
/// %c0 and %c1, and must define %result, a tile that is stored.
std::string kernelText(const std::string &body) {
  std::string text = R"(
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.make_range 0 to 128 : T
  %xb = tile.splat %x : !tile.ptr<i32> -> P
  %xp = tile.addptr %xb, %r : P, T
  %yb = tile.splat %y : !tile.ptr<i32> -> P
  %yp = tile.addptr %yb, %r : P, T
  )" + body + R"(
  tile.store %yp, %result : P
  return
})";
  text = replaceAll(text, ": P", ": tensor<128x!tile.ptr<i32>>");
  text = replaceAll(text, "-> P", "-> tensor<128x!tile.ptr<i32>>");
  text = replaceAll(text, "(P", "(tensor<128x!tile.ptr<i32>>");
  text = replaceAll(text, ", T", ", tensor<128xi32>");
  text = replaceAll(text, ": T", ": tensor<128xi32>");
  text = replaceAll(text, "-> T", "-> tensor<128xi32>");
  return replaceAll(text, "(T", "(tensor<128xi32>");
}

/// Runs over x[i] = i and returns y.
std::vector<int32_t> runBody(const std::string &body, int n) {
  std::vector<int32_t> x(4096), y(128, -1);
  std::iota(x.begin(), x.end(), 0);
  if (auto kernel = compileText(kernelText(body)))
    runKernel(*kernel, {1}, {arg(x.data()), arg(y.data()), arg(n)});
  return y;
}

} // namespace

TEST(HostControl, LoopAccumulatesTiles) {
  const char *body = R"(%v = tile.load %xp : P
  %zero = arith.constant dense<1> : T
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (T) : i32 {
    %ib = tile.splat %i : i32 -> T
    %p = arith.muli %ib, %v : T
    %s = arith.addi %acc, %p : T
    scf.yield %s : T
  })";
  for (int n : {0, 1, 5}) {
    std::vector<int32_t> y = runBody(body, n);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y[i], 1 + i * n * (n - 1) / 2) << n;
  }
}

TEST(HostControl, LoopMovesPointers) {
  // Once by the same amount in every element (the loop carries a scalar), once not.
  const char *bodies[] = {R"(%start = arith.constant dense<0> : T
  %by = arith.constant dense<128> : T
  %end, %result = scf.for %i = %c0 to %n step %c1 iter_args(%p = %xp, %acc = %start) -> (tensor<128x!tile.ptr<i32>>, T) : i32 {
    %v = tile.load %p : P
    %s = arith.addi %acc, %v : T
    %q = tile.addptr %p, %by : P, T
    scf.yield %q, %s : tensor<128x!tile.ptr<i32>>, T
  })",
                          R"(%start = arith.constant dense<0> : T
  %two = arith.constant dense<2> : T
  %odd = arith.remsi %r, %two : T
  %size = arith.constant dense<128> : T
  %zero = arith.muli %odd, %start : T
  %by = arith.addi %zero, %size : T
  %end, %result = scf.for %i = %c0 to %n step %c1 iter_args(%p = %xp, %acc = %start) -> (tensor<128x!tile.ptr<i32>>, T) : i32 {
    %v = tile.load %p : P
    %s = arith.addi %acc, %v : T
    %q = tile.addptr %p, %by : P, T
    scf.yield %q, %s : tensor<128x!tile.ptr<i32>>, T
  })"};
  for (const char *body : bodies)
    for (int n : {0, 1, 7}) {
      std::vector<int32_t> y = runBody(body, n);
      for (int i = 0; i < 128; ++i)
        ASSERT_EQ(y[i], n * i + 128 * n * (n - 1) / 2);
    }
}

TEST(HostControl, InductionsAreUsedAfterTheLoop) {
  std::vector<int32_t> y = runBody(R"(%down = arith.constant dense<3> : T
  %a, %p = scf.for %i = %c0 to %n step %c1 iter_args(%b = %r, %q = %xp) -> (T, tensor<128x!tile.ptr<i32>>) : i32 {
    %c = arith.subi %b, %down : T
    %is = tile.splat %i : i32 -> T
    %s = tile.addptr %q, %is : P, T
    scf.yield %c, %s : T, tensor<128x!tile.ptr<i32>>
  }
  %v = tile.load %p : P
  %k = arith.constant dense<1000> : T
  %w = arith.muli %v, %k : T
  %result = arith.addi %w, %a : T)",
                                   5);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(y[i], 1000 * (i + 10) + i - 15);
}

TEST(HostControl, CarriedTilesSwap) {
  const char *body = R"(%a0 = tile.load %xp : P
  %k = arith.constant dense<1000> : T
  %b0 = arith.addi %a0, %k : T
  %result, %other = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (T, T) : i32 {
    scf.yield %b, %a : T, T
  })";
  for (int n : {0, 1, 2, 3}) {
    std::vector<int32_t> y = runBody(body, n);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y[i], i + (n % 2 ? 1000 : 0));
  }
}

TEST(HostControl, CarriedTilesReadEachOtherElsewhere) {
  // Each iteration replaces both tiles by something that needs all of the other.
  const char *body = R"(%a0 = tile.load %xp : P
  %one = arith.constant dense<1> : T
  %result, %other = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %one) -> (T, T) : i32 {
    %am = tile.reshape %a : T -> tensor<2x64xi32>
    %as = tile.reduce(%am) axis 0 : (tensor<2x64xi32>) -> tensor<64xi32> {
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tile.yield %w : i32
    }
    %ae = tile.expand_dims %as axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %ab = tile.broadcast %ae : tensor<1x64xi32> -> tensor<2x64xi32>
    %ax = tile.reshape %ab : tensor<2x64xi32> -> T
    %bm = tile.reshape %b : T -> tensor<128x1xi32>
    %bs = tile.reduce(%bm) axis 0 : (tensor<128x1xi32>) -> tensor<1xi32> {
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tile.yield %w : i32
    }
    %bx = tile.broadcast %bs : tensor<1xi32> -> T
    scf.yield %bx, %ax : T, T
  })";
  std::vector<int32_t> a(128), b(128, 1);
  std::iota(a.begin(), a.end(), 0);
  for (int n = 0; n <= 4; ++n) {
    EXPECT_EQ(runBody(body, n), a) << n;
    std::vector<int32_t> nextA(128, std::accumulate(b.begin(), b.end(), 0)), nextB(128);
    for (int i = 0; i < 128; ++i)
      nextB[i] = a[i % 64] + a[i % 64 + 64];
    a = nextA;
    b = nextB;
  }
}

TEST(HostControl, ReversedReadOfACarriedTile) {
  // The new value reads the old one at another position, and a store sees the old one.
  const char *body = R"(%a0 = tile.load %xp : P
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0) -> (T) : i32 {
    %m = tile.reshape %a : T -> tensor<8x16xi32>
    %e = tile.reduce(%m) axis 1 : (tensor<8x16xi32>) -> tensor<8xi32> {
    ^bb0(%u: i32, %v: i32):
      %w = arith.maxsi %u, %v : i32
      tile.yield %w : i32
    }
    %x2 = tile.expand_dims %e axis 0 : tensor<8xi32> -> tensor<1x8xi32>
    %x3 = tile.broadcast %x2 : tensor<1x8xi32> -> tensor<16x8xi32>
    %t = tile.reshape %x3 : tensor<16x8xi32> -> T
    %s = arith.addi %t, %a : T
    scf.yield %s : T
  })";
  std::vector<int32_t> a(128);
  std::iota(a.begin(), a.end(), 0);
  for (int n = 0; n <= 3; ++n) {
    EXPECT_EQ(runBody(body, n), a) << n;
    std::vector<int32_t> next(128);
    for (int i = 0; i < 128; ++i)
      next[i] = a[i] + *std::max_element(a.begin() + i % 8 * 16, a.begin() + i % 8 * 16 + 16);
    a = next;
  }
}

TEST(HostControl, CarriedTileIsBroadcastIntoAnother) {
  // The small tile's new value must not be there before the large one's has been computed.
  const char *body = R"(%s0 = tile.make_range 0 to 8 : tensor<8xi32>
  %l0 = arith.constant dense<0> : tensor<16x8xi32>
  %one = arith.constant dense<1> : tensor<8xi32>
  %s, %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s0, %b = %l0) -> (tensor<8xi32>, tensor<16x8xi32>) : i32 {
    %e = tile.expand_dims %a axis 0 : tensor<8xi32> -> tensor<1x8xi32>
    %w = tile.broadcast %e : tensor<1x8xi32> -> tensor<16x8xi32>
    %nb = arith.addi %b, %w : tensor<16x8xi32>
    %na = arith.muli %a, %a : tensor<8xi32>
    %nc = arith.addi %na, %one : tensor<8xi32>
    scf.yield %nc, %nb : tensor<8xi32>, tensor<16x8xi32>
  }
  %result = tile.reshape %l : tensor<16x8xi32> -> T)";
  std::vector<int32_t> small(8), large(128, 0);
  std::iota(small.begin(), small.end(), 0);
  for (int n = 0; n <= 3; ++n) {
    EXPECT_EQ(runBody(body, n), large) << n;
    for (int i = 0; i < 128; ++i)
      large[i] += small[i % 8];
    for (int32_t &value : small)
      value = int32_t(uint32_t(value) * uint32_t(value) + 1);
  }
}

TEST(HostControl, OuterTilesSurviveALoopThatNeedsScratch) {
  // The loop reads an outer tile first and keeps tiles of its own later.
  const char *body = R"(%v = tile.load %xp : P
  %zero = arith.constant dense<0> : T
  tile.store %xp, %zero : P
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (T) : i32 {
    %a = arith.addi %acc, %v : T
    tile.store %yp, %a : P
    %b = tile.load %xp : P
    tile.store %yp, %b : P
    %c = arith.addi %a, %b : T
    scf.yield %c : T
  })";
  for (int n : {0, 1, 4}) {
    std::vector<int32_t> y = runBody(body, n);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y[i], i * n);
  }
}

TEST(HostControl, BranchesYieldTiles) {
  const char *body = R"(%v = tile.load %xp : P
  %five = arith.constant 5 : i32
  %big = arith.cmpi sgt, %n, %five : i32
  %result, %scalar = scf.if %big -> (T, i32) {
    %d = arith.addi %v, %v : T
    scf.yield %d, %n : T, i32
  } else {
    scf.yield %v, %c0 : T, i32
  }
  tile.store %x, %scalar : !tile.ptr<i32>)";
  for (int n : {3, 9}) {
    std::vector<int32_t> y = runBody(body, n);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y[i], n > 5 ? 2 * i : i);
  }
}

TEST(HostControl, BranchInsideALoop) {
  std::vector<int32_t> y = runBody(R"(%v = tile.load %xp : P
  %two = arith.constant 2 : i32
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v) -> (T) : i32 {
    %m = arith.remsi %i, %two : i32
    %even = arith.cmpi eq, %m, %c0 : i32
    %next = scf.if %even -> (T) {
      %d = arith.addi %acc, %v : T
      scf.yield %d : T
    } else {
      scf.yield %acc : T
    }
    scf.yield %next : T
  })",
                                   7);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(y[i], 5 * i);
}

TEST(HostControl, WhileCarriesTiles) {
  // Doubles until the largest element passes n.
  const char *body = R"(%v = tile.load %xp : P
  %result, %count = scf.while (%a = %v, %k = %c0) : (T, i32) -> (T, i32) {
    %max = tile.reduce(%a) axis 0 : (T) -> i32 {
    ^bb0(%u: i32, %w: i32):
      %m = arith.maxsi %u, %w : i32
      tile.yield %m : i32
    }
    %more = arith.cmpi slt, %max, %n : i32
    %ks = tile.splat %k : i32 -> T
    %b = arith.addi %a, %ks : T
    scf.condition(%more) %b, %k : T, i32
  } do {
  ^bb0(%a: tensor<128xi32>, %k: i32):
    %d = arith.addi %a, %a : T
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %d, %k1 : T, i32
  })";
  for (int limit : {0, 127, 128, 1000}) {
    std::vector<int32_t> y = runBody(body, limit), a(128);
    std::iota(a.begin(), a.end(), 0);
    for (int k = 0;; ++k) {
      bool more = a[127] < limit;
      for (int32_t &value : a)
        value += k;
      if (!more)
        break;
      for (int32_t &value : a)
        value *= 2;
    }
    EXPECT_EQ(y, a) << limit;
  }
}

TEST(HostControl, NestedLoopsReuseScratch) {
  const char *body = R"(%v = tile.load %xp : P
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v) -> (T) : i32 {
    %inner = scf.for %j = %c0 to %i step %c1 iter_args(%t = %acc) -> (T) : i32 {
      %js = tile.splat %j : i32 -> T
      %u = arith.addi %t, %js : T
      scf.yield %u : T
    }
    %again = tile.load %xp : P
    %s = arith.addi %inner, %again : T
    scf.yield %s : T
  })";
  std::vector<int32_t> y = runBody(body, 6);
  int extra = 0;
  for (int i = 0; i < 6; ++i)
    extra += i * (i - 1) / 2;
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(y[i], 7 * i + extra);
}

TEST(HostControl, LoopsEndWhateverTheirStep) {
  auto kernel = compileText(R"(
func.func @k(%y: !tile.ptr<i32>, %from: i32, %to: i32, %by: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = scf.for %i = %from to %to step %by iter_args(%k = %c0) -> (i32) : i32 {
    %n = arith.addi %k, %c1 : i32
    scf.yield %n : i32
  }
  tile.store %y, %count : !tile.ptr<i32>
  return
})");
  ASSERT_TRUE(kernel);
  auto count = [&](int from, int to, int by) {
    int32_t y = -1;
    runKernel(*kernel, {1}, {arg(&y), arg(from), arg(to), arg(by)});
    return y;
  };
  EXPECT_EQ(count(0, 10, 3), 4);
  EXPECT_EQ(count(10, 0, 3), 0);
  EXPECT_EQ(count(0, 10, 0), 0);
  EXPECT_EQ(count(10, 0, -1), 0);
  // The step after the last would wrap around.
  EXPECT_EQ(count(0, INT32_MAX, 1 << 30), 2);
  EXPECT_EQ(count(INT32_MIN, INT32_MAX, INT32_MAX), 3);
}

TEST(HostControl, CallsAreInlined) {
  auto kernel = compileText(R"(
func.func @k(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %c = arith.constant 20 : i32
  %t = func.call @twice(%c) : (i32) -> i32
  tile.store %y, %t : !tile.ptr<i32>
  return
}
func.func private @twice(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
})");
  ASSERT_TRUE(kernel);
  int32_t y = 0;
  runKernel(*kernel, {1}, {arg(&y)});
  EXPECT_EQ(y, 40);
}
