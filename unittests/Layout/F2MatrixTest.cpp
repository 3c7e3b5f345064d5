//===- F2MatrixTest.cpp - Linear maps over the two-element field -*- C++ -*-===//
//
// Small random matrices, each answer compared with enumeration of all vectors.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/F2Matrix.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace tilec::layout;

static F2Matrix randomMatrix(std::mt19937 &rng, unsigned rows, unsigned cols) {
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < cols; ++i)
    columns.push_back(rng() & ((uint64_t(1) << rows) - 1));
  return F2Matrix(rows, columns);
}

static std::set<uint64_t> imageOf(const F2Matrix &m) {
  std::set<uint64_t> image;
  for (uint64_t x = 0; x < (uint64_t(1) << m.numCols()); ++x)
    image.insert(m.apply(x));
  return image;
}

static std::set<uint64_t> spanOf(const std::vector<uint64_t> &vectors) {
  std::set<uint64_t> span = {0};
  for (uint64_t v : vectors) {
    std::set<uint64_t> next = span;
    for (uint64_t s : span)
      next.insert(s ^ v);
    span = next;
  }
  return span;
}

/// Calls \p check with 40 random matrices of each size up to 5 x 5.
template <typename Check> static void forRandomMatrices(Check check) {
  std::mt19937 rng(7);
  for (unsigned rows = 0; rows <= 5; ++rows)
    for (unsigned cols = 0; cols <= 5; ++cols)
      for (unsigned i = 0; i < 40; ++i)
        check(randomMatrix(rng, rows, cols));
}

TEST(F2MatrixTest, SmallHelpers) {
  EXPECT_EQ(popCount(0), 0u);
  EXPECT_EQ(popCount(~uint64_t(0)), 64u);
  EXPECT_TRUE(parity(7));
  EXPECT_FALSE(parity(5));
  EXPECT_FALSE(isPowerOf2(0));
  EXPECT_TRUE(isPowerOf2(uint64_t(1) << 63));
  EXPECT_FALSE(isPowerOf2(12));
  EXPECT_EQ(log2Floor(1), 0u);
  EXPECT_EQ(log2Floor(1023), 9u);
  EXPECT_EQ(log2Floor(1024), 10u);
}

TEST(F2MatrixTest, ApplyIgnoresBitsBeyondTheColumns) {
  F2Matrix m(3, {0b011, 0b110});
  EXPECT_EQ(m.apply(0b00), 0u);
  EXPECT_EQ(m.apply(0b11), 0b101u);
  EXPECT_EQ(m.apply(0b111), 0b101u);
  EXPECT_EQ(m.toString(), "10\n11\n01\n");
}

TEST(F2MatrixTest, RankAndPropertiesMatchEnumeration) {
  forRandomMatrices([](const F2Matrix &m) {
    std::set<uint64_t> image = imageOf(m);
    EXPECT_EQ(uint64_t(1) << m.rank(), image.size());
    EXPECT_EQ(m.isInjective(), image.size() == uint64_t(1) << m.numCols());
    EXPECT_EQ(m.isSurjective(), image.size() == uint64_t(1) << m.numRows());
    EXPECT_EQ(m.isInvertible(), m.isInjective() && m.isSurjective());
    EXPECT_EQ(m.isZero(), image.size() == 1);
    EXPECT_EQ(spanOf(m.imageBasis()), image);
    EXPECT_EQ(m.imageBasis().size(), m.rank());
  });
}

TEST(F2MatrixTest, KernelMatchesEnumeration) {
  forRandomMatrices([](const F2Matrix &m) {
    std::set<uint64_t> kernel;
    for (uint64_t x = 0; x < (uint64_t(1) << m.numCols()); ++x)
      if (m.apply(x) == 0)
        kernel.insert(x);
    EXPECT_EQ(spanOf(m.kernelBasis()), kernel);
    EXPECT_EQ(m.kernelBasis().size() + m.rank(), m.numCols());
  });
}

TEST(F2MatrixTest, SolveFindsExactlyTheImage) {
  forRandomMatrices([](const F2Matrix &m) {
    std::set<uint64_t> image = imageOf(m);
    for (uint64_t b = 0; b < (uint64_t(1) << m.numRows()); ++b) {
      std::optional<uint64_t> x = m.solve(b);
      ASSERT_EQ(x.has_value(), image.count(b) == 1);
      if (!x)
        continue;
      EXPECT_LT(*x, uint64_t(1) << m.numCols());
      EXPECT_EQ(m.apply(*x), b);
    }
  });
}

TEST(F2MatrixTest, PseudoInverseAgreesWithSolve) {
  forRandomMatrices([](const F2Matrix &m) {
    F2Matrix p = m.pseudoInverse();
    ASSERT_EQ(p.numRows(), m.numCols());
    ASSERT_EQ(p.numCols(), m.numRows());
    EXPECT_EQ(m.compose(p).compose(m), m);
    for (uint64_t b : imageOf(m))
      EXPECT_EQ(p.apply(b), *m.solve(b));
    EXPECT_EQ(m.leftInverse().has_value(), m.isInjective());
    EXPECT_EQ(m.rightInverse().has_value(), m.isSurjective());
    if (m.isInjective()) {
      EXPECT_EQ(m.leftInverse()->compose(m), F2Matrix::identity(m.numCols()));
    }
    if (m.isSurjective()) {
      EXPECT_EQ(m.compose(*m.rightInverse()), F2Matrix::identity(m.numRows()));
    }
  });
}

TEST(F2MatrixTest, Composition) {
  std::mt19937 rng(3);
  for (unsigned i = 0; i < 50; ++i) {
    F2Matrix a = randomMatrix(rng, 4, 3), b = randomMatrix(rng, 3, 5), c = randomMatrix(rng, 4, 2);
    F2Matrix ab = a.compose(b), sum = F2Matrix::directSum(b, c),
             both = F2Matrix::concatColumns(a, c);
    for (uint64_t x = 0; x < 32; ++x) {
      EXPECT_EQ(ab.apply(x), a.apply(b.apply(x)));
      for (uint64_t y = 0; y < 4; ++y) {
        EXPECT_EQ(sum.apply(x | y << 5), b.apply(x) | c.apply(y) << 3);
        EXPECT_EQ(both.apply((x & 7) | y << 3), a.apply(x & 7) ^ c.apply(y));
      }
    }
    EXPECT_EQ(b.transpose().transpose(), b);
    for (unsigned r = 0; r < 3; ++r)
      for (unsigned col = 0; col < 5; ++col)
        EXPECT_EQ((b.column(col) >> r) & 1, (b.transpose().column(r) >> col) & 1);
  }
  EXPECT_TRUE(F2Matrix::zero(3, 2).isZero());
  EXPECT_TRUE(F2Matrix::identity(63).isInvertible());
}

TEST(F2MatrixTest, LargestSize) {
  std::mt19937_64 rng(5);
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < 63; ++i)
    columns.push_back((uint64_t(1) << i) | (rng() & ((uint64_t(1) << i) - 1)));
  F2Matrix m(63, columns);
  ASSERT_TRUE(m.isInvertible());
  EXPECT_EQ(m.compose(m.pseudoInverse()), F2Matrix::identity(63));
}

TEST(F2BasisTest, ExpressNamesTheInsertedVectors) {
  F2Basis basis;
  EXPECT_TRUE(basis.insert(0b0110));
  EXPECT_FALSE(basis.insert(0));
  EXPECT_TRUE(basis.insert(0b0011));
  EXPECT_FALSE(basis.insert(0b0101));
  EXPECT_EQ(basis.dim(), 2u);
  EXPECT_EQ(basis.express(0b0101), std::optional<uint64_t>(0b101));
  EXPECT_EQ(basis.express(0), std::optional<uint64_t>(0));
  EXPECT_EQ(basis.express(0b1000), std::nullopt);
  EXPECT_TRUE(basis.contains(0b0110));
  EXPECT_FALSE(basis.contains(0b0100));
}

TEST(F2BasisTest, IntersectionMatchesEnumeration) {
  std::mt19937 rng(11);
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<uint64_t> a = randomMatrix(rng, 6, rng() % 6).columns();
    std::vector<uint64_t> b = randomMatrix(rng, 6, rng() % 6).columns();
    std::set<uint64_t> expected, spanB = spanOf(b);
    for (uint64_t v : spanOf(a))
      if (spanB.count(v))
        expected.insert(v);
    std::vector<uint64_t> both = intersectSpans(a, b);
    EXPECT_EQ(spanOf(both), expected);
    EXPECT_EQ(uint64_t(1) << both.size(), expected.size());
  }
}
