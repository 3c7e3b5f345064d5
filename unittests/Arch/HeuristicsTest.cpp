//===- HeuristicsTest.cpp - Tests of the names of heuristics ----*- C++ -*-===//

#include "tilec/Arch/Heuristics.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilec;

TEST(HeuristicSet, FindsEachByItsName) {
  std::set<llvm::StringRef> names;
  for (GpuHeuristic heuristic : allHeuristics()) {
    HeuristicSet set;
    EXPECT_FALSE(set.contains(heuristic));
    ASSERT_FALSE(bool(set.add(heuristicName(heuristic))));
    for (GpuHeuristic other : allHeuristics())
      EXPECT_EQ(set.contains(other), other == heuristic);
    EXPECT_EQ(set.names(), std::vector<llvm::StringRef>({heuristicName(heuristic)}));
    names.insert(heuristicName(heuristic));
  }
  EXPECT_EQ(names.size(), allHeuristics().size());
}

TEST(HeuristicSet, ListsNamesInOneOrder) {
  HeuristicSet set, same;
  EXPECT_TRUE(set.empty());
  set.add(GpuHeuristic::HoistLoads);
  set.add(GpuHeuristic::ChooseLaunch);
  set.add(GpuHeuristic::HoistLoads);
  same.add(GpuHeuristic::ChooseLaunch);
  EXPECT_NE(set, same);
  same.add(GpuHeuristic::HoistLoads);
  EXPECT_EQ(set, same);
  EXPECT_FALSE(set.empty());
  EXPECT_EQ(set.names(), std::vector<llvm::StringRef>({"choose-launch", "hoist-loads"}));
}

TEST(HeuristicSet, RejectsOtherNames) {
  HeuristicSet set;
  for (llvm::StringRef name : {"", "hoist", "hoist-loads ", "HOIST-LOADS"}) {
    std::string message = llvm::toString(set.add(name));
    EXPECT_EQ(message.find("unknown heuristic '" + name.str() + "' (known: form-dots, "), 0u)
        << message;
    EXPECT_NE(message.find(", bound-blocks)"), std::string::npos) << message;
  }
  EXPECT_TRUE(set.empty());
}
