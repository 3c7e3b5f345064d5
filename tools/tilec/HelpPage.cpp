//===- HelpPage.cpp - what tilec --help says -------------------*- C++ -*-===//

#include "HelpPage.h"

using namespace tilec;

static constexpr HelpEntry types[] = {
    {"i1 i8 i16 i32 i64", "signed integers; i1 is a boolean"},
    {"u8 u16 u32 u64", "unsigned integers"},
    {"fp16 bf16 fp32 fp64", "floating-point numbers"},
    {"fp8e5 fp8e4nv", "floating-point numbers of 8 bits; fp8e4nv needs sm_89 or a processor"},
    {"*fp32", "a pointer"},
    {"fp32:16, i32:1",
     "hints: a pointer or integer that is a multiple of 16; an integer that is 1"},
    {"64, True, None", "a value: the parameter becomes a compile-time constant"},
    {"(i32, *fp32)", "a tuple"},
    {"tensordesc<bf16[64, BK], nan>",
     "a tensor descriptor with the shape of its blocks, of numbers or names of constexpr "
     "parameters; nan pads with NaN; :16 behind it promises that the last size and the strides are "
     "multiples of 16"},
};

static constexpr HelpEntry statuses[] = {
    {"0", "everything went well"},
    {"1", "errors in the input"},
    {"2", "wrong usage; nothing was read"},
};

static constexpr HelpEntry variables[] = {
    {"TILEC_PTXAS", "which ptxas makes cubins, unless --ptxas says so"},
    {"CUDA_HOME, CUDA_PATH", "the CUDA toolkit whose tools are used; then PATH and /usr/local"},
    {"TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1: kernels may read plain numbers of their module"},
    {"COLUMNS", "width of this text, if it goes to a terminal"},
};

static constexpr HelpSection sections[] = {
    {"TYPES", "", types},
    {"EXAMPLES",
     "  tilec add.py --sig='x=*fp32:16,out=*fp32:16,n=i32' -DBLOCK=256 --arch=sm_90\n"
     "  tilec add.py --sig='x=*fp32,out=*fp32,n=i32' -DBLOCK=256 --emit=tile\n"
     "  tilec add.py -fsyntax-only\n"
     "  tilec add.py --sig='x=*fp32,out=*fp32,n=i32' -DBLOCK=128,256 \\\n"
     "    --grid='cdiv(n, BLOCK)' --arch=sm_90,x86-64-v3 -o add.o --header=add.h\n",
     {}},
    {"EXIT STATUS", "", statuses},
    {"ENVIRONMENT", "", variables},
};

HelpPage helpPage() {
  HelpPage page;
  page.usage = "tilec [options] file.py";
  page.overview = "compiles GPU kernels written in Triton's language";
  page.sections = sections;
  return page;
}
