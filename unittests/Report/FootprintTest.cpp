//===- FootprintTest.cpp - lines that a warp touches ------------*- C++ -*-===//

#include "Facts.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::report;
using namespace tilec::layout;

static LinearLayout layoutOf(const Shape &shape, const LinearLayout::BasisLists &bases) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(shape, bases, error);
  EXPECT_TRUE(layout) << error;
  return *layout;
}

/// 128 elements, four neighbours a thread.
static LinearLayout rowOfFours() {
  return layoutOf({128}, {{{{1}, {2}}, {{4}, {8}, {16}, {32}, {64}}, {}, {}}});
}

/// 32 rows of 4, a row a lane.
static LinearLayout rowsByLane() {
  return layoutOf({32, 4}, {{{{0, 1}, {0, 2}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, {}}});
}

static tile::AxisInfo infoOf(std::initializer_list<tile::AxisInfo::Dim> dims) {
  tile::AxisInfo info;
  info.dims.assign(dims.begin(), dims.end());
  info.unit = 4;
  return info;
}

static void expectFootprint(const Footprint &footprint, unsigned least, unsigned most,
                            unsigned needed) {
  EXPECT_EQ(footprint.least, least);
  EXPECT_EQ(footprint.most, most);
  EXPECT_EQ(footprint.needed, needed);
}

TEST(Footprint, NeighboursShareLines) {
  // Four floats of each of 32 lanes are four lines.
  tile::AxisInfo aligned = infoOf({{128, 128, 1}});
  expectFootprint(footprintOf(rowOfFours(), aligned, 4, 4, 128), 4, 4, 4);
  expectFootprint(footprintOf(rowOfFours(), aligned, 4, 4, 32), 16, 16, 16);
}

TEST(Footprint, RunsThatBeginInsideALineTouchOneMore) {
  tile::AxisInfo unaligned = infoOf({{128, 16, 1}});
  expectFootprint(footprintOf(rowOfFours(), unaligned, 4, 4, 128), 4, 5, 4);
}

TEST(Footprint, ShortRunsMayFollowEachOther) {
  tile::AxisInfo short8 = infoOf({{8, 32, 1}});
  expectFootprint(footprintOf(rowOfFours(), short8, 4, 4, 32), 16, 16, 16);
  expectFootprint(footprintOf(rowOfFours(), short8, 4, 4, 128), 4, 32, 4);
}

TEST(Footprint, StridesTakeALineForEachLane) {
  // One element of each row: 128 bytes would do, but rows lie apart.
  tile::AxisInfo rows = infoOf({{1, 1, 1}, {4, 16, 1}});
  expectFootprint(footprintOf(rowsByLane(), rows, 4, 1, 128), 32, 32, 1);
  expectFootprint(footprintOf(rowsByLane(), rows, 4, 4, 32), 32, 64, 16);
}

TEST(Footprint, EqualAddressesAreOneElement) {
  tile::AxisInfo equal = infoOf({{1, 4, 128}});
  expectFootprint(footprintOf(rowOfFours(), equal, 4, 1, 32), 1, 1, 1);
}

TEST(Footprint, UnknownAddressesMayBeAnywhere) {
  tile::AxisInfo unknown = infoOf({{1, 4, 1}});
  expectFootprint(footprintOf(rowOfFours(), unknown, 4, 1, 32), 4, 32, 4);
}
