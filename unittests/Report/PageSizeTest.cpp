//===- PageSizeTest.cpp - what a large page leaves out ----------*- C++ -*-===//

#include "ReportedCode.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;

/// Variants of one kernel with as many bytes of figures and of PTX each, no two alike.
static std::vector<ReportedCode> makeVariants(unsigned count, size_t figures, size_t code) {
  std::vector<ReportedCode> variants(count);
  for (unsigned i = 0; i < count; ++i) {
    ReportedCode &variant = variants[i];
    variant.label = {"k", "SIZE=" + std::to_string(i), "sm_80"};
    for (const char *name : {"layouts", "exchanges", "accesses", "timeline"})
      variant.facts[name] = std::string(figures / 4, 'f');
    for (const char *form : {"layout", "ptx"}) {
      Pane pane(form, form);
      pane.text = form + std::to_string(i) + std::string(code, 'c');
      variant.panes.push_back(std::move(pane));
    }
  }
  return variants;
}

static unsigned countWithFigures(llvm::ArrayRef<ReportedCode> variants) {
  return llvm::count_if(variants,
                        [](const ReportedCode &code) { return code.facts.get("layouts"); });
}

TEST(PageSize, FirstVariantsKeepFigures) {
  // Code alone is too much, be it without all figures.
  std::vector<ReportedCode> variants = makeVariants(100, 60000, 80000);
  EXPECT_LE(fillReport(variants, "test").size(), 5000000u);
  EXPECT_EQ(countWithFigures(variants), 20u);
  EXPECT_TRUE(variants.front().facts.get("layouts"));
  EXPECT_FALSE(variants.front().panes[1].text.empty());
  EXPECT_TRUE(variants.back().facts.get("isShort"));
  EXPECT_TRUE(variants.back().panes[1].text.empty());
}

TEST(PageSize, FiguresStayWhileFormsGo) {
  std::vector<ReportedCode> variants = makeVariants(50, 60000, 30000);
  EXPECT_LE(fillReport(variants, "test").size(), 5000000u);
  EXPECT_EQ(countWithFigures(variants), 50u);
}

TEST(PageSize, FiguresGoAtLast) {
  // Those of the first variant alone are more than a page.
  std::vector<ReportedCode> variants = makeVariants(3, 6000000, 1000);
  EXPECT_LE(fillReport(variants, "test").size(), 5000000u);
  EXPECT_EQ(countWithFigures(variants), 0u);
}
