//===- BuiltinDocsTest.cpp - Every builtin is described ---------*- C++ -*-===//

#include "BuiltinDocs.h"

#include "gtest/gtest.h"

using namespace tilec;
using builtins::Info;

/// All that a program can name without defining it.
static std::vector<Info> allBuiltins() {
  std::vector<Info> all = builtins::listPython(), modules;
  for (llvm::StringRef root : {"triton", "math", "torch._inductor.runtime.triton_helpers"}) {
    Info info;
    info.kind = Info::Kind::Module;
    info.fullName = root.str();
    modules.push_back(info);
  }
  while (!modules.empty()) {
    Info module = modules.back();
    modules.pop_back();
    for (Info &member : builtins::listMembers(module.fullName)) {
      // Modules name each other, `tl.standard.math`, so only those below are gone into.
      bool isBelow = llvm::StringRef(member.fullName).starts_with(module.fullName + ".");
      if (member.kind == Info::Kind::Module && isBelow)
        modules.push_back(member);
      all.push_back(std::move(member));
    }
  }
  for (const std::vector<Info> &list : {builtins::listMethods(), builtins::listDescriptorMethods()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

TEST(BuiltinDocsTest, DescribesEachFunction) {
  unsigned functions = 0;
  for (const Info &info : allBuiltins()) {
    if (info.kind != Info::Kind::Function)
      continue;
    ++functions;
    const ls::BuiltinDoc *doc = ls::findDoc(info);
    ASSERT_TRUE(doc) << info.fullName << " is not in a table of docs/language.md";
    EXPECT_FALSE(doc->summary.empty()) << info.fullName;
    EXPECT_FALSE(ls::describeBuiltin(info).empty()) << info.fullName;
    EXPECT_TRUE(doc->cpu == "yes" || doc->cpu == "no") << info.fullName;
    EXPECT_TRUE(doc->gpu == "yes" || doc->gpu == "no") << info.fullName;
  }
  EXPECT_GT(functions, 400u);
}

TEST(BuiltinDocsTest, PicksThePartOfAName) {
  Info load = *builtins::findMember("triton.language", "load");
  Info store = *builtins::findMember("triton.language", "store");
  EXPECT_TRUE(llvm::StringRef(ls::describeBuiltin(load)).starts_with("reads the elements"));
  EXPECT_TRUE(llvm::StringRef(ls::describeBuiltin(store)).starts_with("writes a value"));
}

TEST(BuiltinDocsTest, HasParameters) {
  Info sum = *builtins::findMember("triton.language", "sum");
  EXPECT_EQ(ls::signatureOf(sum), "tl.sum(input, axis=None, keep_dims=False, dtype=None)");
  EXPECT_EQ(ls::signatureOf(sum, /*asMethod=*/true), "sum(axis=None, keep_dims=False, dtype=None)");
  EXPECT_EQ(ls::signatureOf(*builtins::findMember("math", "pi")), "math.pi = 3.141592653589793");
  EXPECT_EQ(ls::signatureOf(*builtins::findMember("triton.language", "float16")),
            "type tl.float16");
}

TEST(BuiltinDocsTest, KnowsNothingElse) {
  EXPECT_FALSE(builtins::findMember("triton.language", "no_such_thing"));
  EXPECT_FALSE(builtins::findMember("torch", "load"));
  EXPECT_FALSE(builtins::findPython("open"));
  EXPECT_TRUE(builtins::listMembers("torch").empty());
}
