//===- ListingsTest.cpp - assembly as panes of the page ---------*- C++ -*-===//

#include "Panes.h"

#include "gtest/gtest.h"

using namespace tilec::report;
using Chains = std::vector<unsigned>;

TEST(Listings, PTXLosesWhatIsForDebuggers) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  unsigned file = places.fileOf("k.py");
  Pane pane = makeAssemblyPane("ptx", "PTX",
                               ".visible .entry k(\n)\n{\n"
                               "$L__func_begin0:\n"
                               "\t.loc\t1 7 3\n"
                               "\tadd.s32 %r1, %r2, %r3;\n"
                               "$L__tmp0:\n"
                               "$L__BB0_1:\n"
                               "\t.loc\t1 8 5\n"
                               "\tret;\n}\n"
                               "\t.file\t1 \"/somewhere/k.py\"\n"
                               "\t.section\t.debug_abbrev\n\t{\n.b8 1\n\t}\n",
                               places);
  EXPECT_EQ(pane.text, ".visible .entry k(\n)\n{\n"
                       "\tadd.s32 %r1, %r2, %r3;\n"
                       "$L__BB0_1:\n"
                       "\tret;\n}\n");
  unsigned seventh = places.chainOf(Place{file, 7, 3}), eighth = places.chainOf(Place{file, 8, 5});
  EXPECT_EQ(pane.chains, (Chains{0, 0, 0, seventh, 0, eighth, 0}));
}

TEST(Listings, SASSOfNvdisasm) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  unsigned file = places.fileOf("k.py");
  Pane pane =
      makeSASSPane("nvdisasm warning : old\n"
                   "\t.section\t.text.k,\"ax\",@progbits\n"
                   "k:\n.text.k:\n"
                   "\t//## File \"/somewhere/k.py\", line 7 inlined at \"/x/k.py\", line 9\n"
                   "\t//## File \"/somewhere/k.py\", line 9\n"
                   "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
                   "        /*0010*/              @!P0 BRA `(.L_x_0) ;\n"
                   "\t//## File \"/somewhere/k.py\", line 8\n"
                   ".L_x_0:\n"
                   "        /*0020*/                   EXIT ;\n",
                   places);
  EXPECT_EQ(pane.text, "k:\n"
                       "0000        MOV R1, c[0x0][0x28]\n"
                       "0010  @!P0  BRA `(.L_x_0)\n"
                       ".L_x_0:\n"
                       "0020        EXIT\n");
  unsigned seventh = places.chainOf(Place{file, 7, 0}), eighth = places.chainOf(Place{file, 8, 0});
  EXPECT_EQ(pane.chains, (Chains{0, seventh, seventh, 0, eighth}));
  EXPECT_EQ(pane.note, "nvdisasm warning : old");
  EXPECT_EQ(pane.counts.size(), 5u);
}

TEST(Listings, SASSOfCuobjdumpHasNoLines) {
  llvm::SourceMgr sources;
  PlaceTable places(sources);
  Pane pane =
      makeSASSPane("\t\tFunction : k\n"
                   "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
                   "        /*0000*/                   EXIT ;       /* 0x000000000000794d */\n"
                   "                                                /* 0x000fea0003800000 */\n",
                   places);
  EXPECT_EQ(pane.text, "k:\n0000        EXIT\n");
  EXPECT_EQ(pane.note, "The disassembler that was found prints no source lines; nvdisasm does.");
}

TEST(Listings, NumbersAreRuns) {
  Pane pane("ptx", "PTX");
  for (unsigned chain : {1, 1, 2, 0, 0, 0})
    pane.add("line", chain);
  llvm::json::Object json = toJSON(pane);
  EXPECT_EQ(*json.getArray("chains"), (llvm::json::Array{1, 2, 2, 1, 0, 3}));
  EXPECT_FALSE(json.get("counts"));
}
