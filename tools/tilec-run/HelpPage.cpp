//===- HelpPage.cpp - what tilec-run --help says ---------------*- C++ -*-===//
//
// The parts of tilec-run's --help that are not its options: how values and arrays are written, what
// the grid may contain, exit statuses and environment variables. Common/Help.cpp prints them.
//
//===----------------------------------------------------------------------===//

#include "HelpPage.h"

using namespace tilec;

static constexpr HelpEntry values[] = {
    {"12, -0.5, True, None, \"s\", tl.float16",
     "a constant of the kernel language; the parameter's type follows as in a launch from Python, "
     "where 1 and None become compile-time constants"},
    {"CONTENTS:TYPE[SHAPE]", "an array, e.g. randn:fp32[1823,781]"},
    {"@FILE.npy  @FILE.npy:TYPE",
     "the array in a file, converted to TYPE if it is given (16-bit unsigned integers become bits "
     "of bf16 or fp16)"},
    {"ARRAY+N", "x=randn:fp32[1000]+1 is a pointer that is not aligned: N elements behind a "
                "multiple of 64 bytes"},
    {"(VALUE, ...)  Name(VALUE, ...)",
     "a tuple, or a named tuple of a class in the file; an array in argument x is called x.0 where "
     "results are used"},
    {"desc(ARRAY, [SIZES], nan)",
     "a tensor descriptor of the array with blocks of these sizes, numbers or names of constexpr "
     "parameters; [SIZES] may be left to --sig, and without nan the padding is 0"},
};

static constexpr HelpEntry contents[] = {
    {"randn  randn(MEAN,DEVIATION)", "normally distributed numbers"},
    {"rand  rand(LOW,HIGH)", "evenly distributed numbers, 0 to 1 by default"},
    {"arange  arange(START,STEP)", "START, START+STEP, ..."},
    {"zeros  ones  full(X)", "one number everywhere"},
    {"values(A,B,...)", "these numbers"},
    {"empty", "a pattern that shows when an element was not written"},
};

static constexpr HelpEntry words[] = {
    {"TYPE", "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e5 fp8e4nv"},
    {"X, Y, Z of --grid", "integers, + - * // %, parentheses, cdiv(a, b), min(a, b), max(a, b), "
                          "and the names of integer arguments and constants"},
    {"--expect", "NaN equals NaN"},
};

static constexpr HelpEntry statuses[] = {
    {"0", "everything went well"},
    {"1", "errors in the input, or a result that is not as expected"},
    {"2", "wrong usage; nothing was run"},
};

static constexpr HelpEntry variables[] = {
    {"TILEC_CUDA_DRIVER", "the CUDA driver's library; default: libcuda.so.1"},
    {"TILEC_COMPUTE_SANITIZER",
     "the tool for --check on a GPU; default: looked for in CUDA_HOME, CUDA_PATH, PATH and "
     "/usr/local/cuda*"},
    {"COLUMNS", "width of this text, if it goes to a terminal"},
};

static constexpr HelpSection sections[] = {
    {"VALUES", "", values},
    {"CONTENTS", "", contents},
    {"WORDS", "", words},
    {"EXAMPLES",
     "  tilec-run add.py --grid='cdiv(n, BLOCK)' -DBLOCK=256 --arg n=1000 \\\n"
     "    --arg x=randn:fp32[1000] --arg out=empty:fp32[1000] --print=out\n"
     "  tilec-run add.py --target=cpu --grid=4 ... --expect out=@right.npy --rtol=1e-3\n"
     "  tilec-run add.py --grid=4 ... --tune --tuned=fastest.json --bench\n"
     "  tilec-run add.py --grid=4 ... --bench --profile=trace.json\n",
     {}},
    {"EXIT STATUS", "", statuses},
    {"ENVIRONMENT", "", variables},
};

HelpPage helpPage() {
  HelpPage page;
  page.usage = "tilec-run file.py --kernel=K --grid=E[,E,E] --arg NAME=VALUE ...";
  page.overview = "runs a kernel written in Triton's language on given inputs";
  page.sections = sections;
  return page;
}
