//===- PlacesTest.cpp - source lines, as the page numbers them --*- C++ -*-===//

#include "Places.h"

#include "gtest/gtest.h"

using namespace tilec::report;

TEST(Places, FilesAreKnownWithAndWithoutFolders) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  unsigned file = places.fileOf("folder/kernel.py");
  EXPECT_EQ(places.fileOf("/home/me/folder/kernel.py"), file);
  EXPECT_EQ(places.fileOf("./folder/kernel.py"), file);
  EXPECT_EQ(places.fileOf("../folder/kernel.py"), file);
  unsigned above = places.addFile("../above.py");
  EXPECT_EQ(places.fileOf("/home/above.py"), above);
  EXPECT_NE(places.fileOf("folder/mykernel.py"), file);
  EXPECT_NE(places.fileOf("folder/other.py"), file);
}

TEST(Places, FilesOfOneNameInTwoFoldersAreTwo) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  unsigned outer = places.addFile("kernel.py"), inner = places.addFile("folder/kernel.py");
  EXPECT_NE(outer, inner);
  EXPECT_EQ(places.fileOf("/home/me/folder/kernel.py"), inner);
  EXPECT_EQ(places.fileOf("/home/me/kernel.py"), outer);
  EXPECT_EQ(places.fileOf("kernel.py"), outer);
}

TEST(Places, CallsAreAddedWhereTheyAreUnique) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  unsigned file = places.fileOf("kernel.py");
  Place inner{file, 3, 5}, caller{file, 20, 9}, other{file, 21, 9};
  unsigned called = places.chainOf({inner, caller});
  EXPECT_EQ(places.chainOf(inner), called);
  EXPECT_EQ(places.chainOf(Place{file, 3, 0}), called);

  // From two calls, nobody knows which.
  unsigned again = places.chainOf({inner, other});
  EXPECT_NE(again, called);
  unsigned alone = places.chainOf(inner);
  EXPECT_NE(alone, called);
  EXPECT_NE(alone, again);
  EXPECT_EQ(places.chainOf(Place{file, 3, 0}), places.chainOf(Place{file, 3, 0}));
}

TEST(Places, UnknownIsChainZero) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  EXPECT_EQ(places.chainOf(llvm::ArrayRef<Place>()), 0u);
  EXPECT_EQ(places.chainOf(Place{0, 0, 0}), 0u);
  EXPECT_EQ(places.chainOf(static_cast<const llvm::DILocation *>(nullptr)), 0u);
}
