//===- OptionsTest.cpp - Options in comments --------------------*- C++ -*-===//

#include "Options.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::ls;

static CheckOptions read(const std::string &text) {
  Text file(text);
  return readOptions(optionsOf(file), "/folder");
}

TEST(OptionsTest, JoinsTheCommentsOfAFile) {
  CheckOptions options = read("# tilec: --sig='f:x=*fp32, n=i32' -D BLOCK=64\n"
                              "x = '# tilec: --nothing'\n"
                              "    #tilec: --arch sm_90a -DK.N=2 --num-warps=8 -I lib --debug\n");
  EXPECT_TRUE(options.errors.empty());
  ASSERT_EQ(options.signatures.size(), 1u);
  EXPECT_EQ(options.signatures[0].text, "f:x=*fp32, n=i32");
  EXPECT_EQ(options.arch.name(), "sm_90a");
  ASSERT_EQ(options.definitions.size(), 2u);
  EXPECT_EQ(options.definitions[0].name, "BLOCK");
  EXPECT_EQ(options.definitions[1].kernel, "K");
  EXPECT_EQ(options.definitions[1].value.text, "2");
  EXPECT_EQ(options.numWarps, 8u);
  EXPECT_TRUE(options.debug);
  EXPECT_EQ(options.folders, std::vector<std::string>{"/folder/lib"});
}

TEST(OptionsTest, KnowsWhereWordsAre) {
  std::string text = "# tilec: '--sig=f'";
  std::vector<Word> words = optionsOf(Text(text));
  ASSERT_EQ(words.size(), 1u);
  Word value = words[0].drop(6);
  EXPECT_EQ(value.text, "f");
  EXPECT_EQ(value.extent(), std::make_pair(text.find("f'"), text.find("f'") + 1));
  EXPECT_EQ(splitOptions("a b", std::nullopt)[1].extent(), std::nullopt);
}

TEST(OptionsTest, ReportsWhatIsWrong) {
  CheckOptions options =
      read("# tilec: --sgi=x -DBLOCK --num-warps=3 --num-stages=0 --arch=sm_1 what --sig\n");
  std::vector<std::string> expected = {
      "unknown option '--sgi=x'; did you mean '--sig'?",
      "expected '-D NAME=VALUE', found '-D BLOCK'",
      "expected --num-warps to be a power of two from 1 to 32, found '3'",
      "expected --num-stages to be from 1 to 64, found '0'"};
  ASSERT_EQ(options.errors.size(), 7u);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(options.errors[i].message, expected[i]);
  EXPECT_EQ(options.errors[5].message.find("unknown option 'what'; expected --sig, -D"), 0u);
  EXPECT_EQ(options.errors[6].message, "missing value of '--sig'");
}
