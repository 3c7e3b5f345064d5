//===- ImportsTest.cpp - Finding and keeping imported files -----*- C++ -*-===//

#include "tilec/Language/Imports.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <fstream>
#include <sys/stat.h>

using namespace tilec;
namespace fs = llvm::sys::fs;

namespace {

/// A folder of its own for each test.
class ImportsTest : public testing::Test {
protected:
  ImportsTest() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(fs::createUniqueDirectory("tilec-imports", path));
    root = path.str().str();
  }
  ~ImportsTest() override { fs::remove_directories(root); }

  std::string at(const std::string &path) const { return root + "/" + path; }
  void write(const std::string &path, const std::string &text) {
    fs::create_directories(llvm::sys::path::parent_path(at(path)));
    std::ofstream(at(path)) << text;
  }
  ImportSearch searchFrom(const std::string &main) {
    ImportSearch search;
    search.mainFile = at(main);
    return search;
  }
  /// What the import finds, relative to the folder; "FOLDER/" for one without a file.
  std::string find(Imports &imports, const std::string &importer, unsigned level,
                   const std::string &module) {
    ImportResult result = imports.find(at(importer), level, module);
    if (!result.place)
      return "nothing: " + result.problem;
    std::string path = result.place->file ? result.place->file->path() : result.place->folder + "/";
    return llvm::StringRef(path).starts_with(root + "/") ? path.substr(root.size() + 1) : path;
  }

  std::string root;
  llvm::SourceMgr sources;
};

TEST_F(ImportsTest, RelativeImportsCountFolders) {
  write("a/b/main.py", "");
  write("a/b/near.py", "");
  write("a/up.py", "");
  write("a/b/package/__init__.py", "");
  write("a/b/package.py", "");
  Imports imports(sources, searchFrom("a/b/main.py"));
  EXPECT_EQ(find(imports, "a/b/main.py", 1, "near"), "a/b/near.py");
  EXPECT_EQ(find(imports, "a/b/main.py", 2, "up"), "a/up.py");
  EXPECT_EQ(find(imports, "a/b/main.py", 2, "b.near"), "a/b/near.py");
  EXPECT_EQ(find(imports, "a/b/main.py", 1, "package"), "a/b/package/__init__.py");
  EXPECT_EQ(find(imports, "a/b/main.py", 1, ""), "a/b/");
  EXPECT_EQ(find(imports, "a/b/package/__init__.py", 1, ""), "a/b/package/__init__.py");
  EXPECT_EQ(find(imports, "a/b/main.py", 1, "up"), "nothing: ");
  EXPECT_EQ(find(imports, "a/b/main.py", 1000000, "up"), "nothing: ");
}

TEST_F(ImportsTest, PackagesAreFoundFromInside) {
  write("flash/__init__.py", "");
  write("flash/ops/__init__.py", "");
  write("flash/ops/norm.py", "");
  write("flash/ops/flash.py", "");
  write("flash/utils.py", "");
  write("utils.py", "");
  write("flash/ops/utils.py", "");
  Imports imports(sources, searchFrom("flash/ops/norm.py"));
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "flash.utils"), "flash/utils.py");
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "flash"), "flash/__init__.py");
  // In a package, its root comes before the folder itself.
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "utils"), "utils.py");
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "norm"), "flash/ops/norm.py");
}

TEST_F(ImportsTest, FoldersNeedNoInit) {
  write("flash/ops/norm.py", "");
  write("flash/utils.py", "");
  write("flash/ops/utils.py", "");
  Imports imports(sources, searchFrom("flash/ops/norm.py"));
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "flash.utils"), "flash/utils.py");
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "utils"), "flash/ops/utils.py");
  EXPECT_EQ(find(imports, "flash/ops/norm.py", 0, "flash.ops"), "flash/ops/");
}

TEST_F(ImportsTest, FoldersOfTheUserComeLastAndFilesBeforeFolders) {
  write("work/main.py", "");
  write("work/lib/other.py", "");
  write("one/lib.py", "");
  write("one/first.py", "");
  write("two/first.py", "");
  write("two/main.py", "");
  ImportSearch search = searchFrom("work/main.py");
  search.folders = {at("one"), at("two")};
  Imports imports(sources, search);
  EXPECT_EQ(find(imports, "work/main.py", 0, "first"), "one/first.py");
  EXPECT_EQ(find(imports, "work/main.py", 0, "main"), "work/main.py");
  // work/lib has no __init__.py.
  EXPECT_EQ(find(imports, "work/main.py", 0, "lib"), "one/lib.py");
  EXPECT_EQ(find(imports, "work/main.py", 0, "lib.other"), "work/lib/other.py");
}

TEST_F(ImportsTest, TextHasNoFolder) {
  write("one/first.py", "");
  ImportSearch search;
  search.folders = {at("one")};
  Imports imports(sources, search);
  EXPECT_TRUE(imports.find("", 0, "first").place);
  EXPECT_FALSE(imports.find("", 1, "first").place);
  EXPECT_EQ(imports.find("", 0, "second").searched, search.folders);
}

TEST_F(ImportsTest, WhatIsNoFileIsSaid) {
  write("main.py", "");
  fs::create_directories(at("folder.py"));
  ASSERT_EQ(mkfifo(at("pipe.py").c_str(), 0600), 0);
  Imports imports(sources, searchFrom("main.py"));
  EXPECT_EQ(find(imports, "main.py", 0, "folder"),
            "nothing: '" + at("folder.py") + "' is a folder");
  EXPECT_EQ(find(imports, "main.py", 0, "pipe"),
            "nothing: cannot read '" + at("pipe.py") + "': it is no regular file");
  EXPECT_EQ(find(imports, "main.py", 0, std::string(10000, 'x')).substr(0, 21),
            "nothing: cannot read ");
}

TEST_F(ImportsTest, AStoreIsAPicture) {
  write("a.py", "x = 1\n");
  SourceStore store, later;
  const SourceFile *file = store.read(at("a.py")).file;
  ASSERT_TRUE(file);
  EXPECT_EQ(store.read(at("./a.py")).file, file) << "one file, however it is spelled";
  EXPECT_EQ(store.read(at("b.py")).kind, PathState::Kind::Absent);
  write("a.py", "x = 2\n");
  write("b.py", "");
  EXPECT_EQ(store.read(at("a.py")).file->text(), "x = 1\n");
  EXPECT_EQ(store.read(at("b.py")).kind, PathState::Kind::Absent);
  EXPECT_EQ(store.filesRead(), std::vector<std::string>{at("a.py")});
  EXPECT_EQ(later.read(at("a.py")).file->text(), "x = 2\n");
  EXPECT_EQ(later.read(at("b.py")).kind, PathState::Kind::File);
}

TEST_F(ImportsTest, FactsNoticeEveryChange) {
  write("main.py", "");
  write("lib.py", "x = 1\n");
  auto holdNow = [&](const Imports &imports) {
    SourceStore now;
    return holds(imports.facts(), now);
  };
  Imports imports(sources, searchFrom("main.py"));
  EXPECT_TRUE(holdNow(imports)) << "nothing was read";
  EXPECT_EQ(find(imports, "main.py", 0, "lib"), "lib.py");
  EXPECT_TRUE(holdNow(imports));
  write("lib.py", "x = 2\n");
  EXPECT_FALSE(holdNow(imports)) << "other contents";
  write("lib.py", "x = 1\n");
  EXPECT_TRUE(holdNow(imports));
  write("lib/__init__.py", "");
  EXPECT_FALSE(holdNow(imports)) << "another file would be found";
}

TEST_F(ImportsTest, ErrorsAreReportedOnceAndTreesShared) {
  write("main.py", "");
  write("bad.py", "import triton\n@triton.jit\ndef f(x):\n    x = = 1\n");
  ImportSearch search = searchFrom("main.py");
  const ast::Module *tree = nullptr;
  for (int round = 0; round < 2; ++round) {
    llvm::SourceMgr own;
    Imports imports(own, search);
    std::string text;
    llvm::raw_string_ostream os(text);
    DiagnosticEngine diagnostics(own, os);
    const SourceFile *file = imports.find(search.mainFile, 0, "bad").place->file;
    EXPECT_TRUE(file->hasErrors());
    const ast::Module *silent = imports.load(*file, llvm::SMLoc(), nullptr);
    EXPECT_EQ(diagnostics.errorCount(), 0u);
    EXPECT_EQ(imports.load(*file, llvm::SMLoc(), &diagnostics), silent);
    EXPECT_EQ(diagnostics.errorCount(), 1u);
    imports.load(*file, llvm::SMLoc(), &diagnostics);
    EXPECT_EQ(diagnostics.errorCount(), 1u);
    EXPECT_NE(text.find("bad.py:4:9: error:"), std::string::npos) << text;
    EXPECT_TRUE(round == 0 || tree == silent) << "parsed once";
    tree = silent;
  }
}

TEST_F(ImportsTest, TheMainFileIsRecognised) {
  write("pkg/main.py", "");
  write("pkg/other.py", "");
  Imports imports(sources, searchFrom("pkg/main.py"));
  EXPECT_TRUE(imports.isMain(*imports.find(at("pkg/other.py"), 2, "pkg.main").place->file));
  EXPECT_FALSE(imports.isMain(*imports.find(at("pkg/main.py"), 1, "other").place->file));
}

} // namespace
