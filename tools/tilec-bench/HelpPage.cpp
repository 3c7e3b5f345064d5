//===- HelpPage.cpp - what tilec-bench --help says -------------*- C++ -*-===//

#include "HelpPage.h"

using namespace tilec;

static constexpr HelpEntry results[] = {
    {"a table", "for each suite and type, after each result was checked against float64: GB/s, or "
                "TFLOP/s of the suites matmul, attention and mlp"},
    {"table.txt", "the tables, in the folder of --out"},
    {"results.csv", "all figures"},
    {"*.svg, *.png", "a plot for each table, where Python has matplotlib"},
};

static constexpr HelpEntry providers[] = {
    {"copy", "a device copy of the same bytes: the ceiling"},
    {"cuda-*", "the CUDA C++ kernels in bench/cuda, where there is nvcc"},
    {"torch, torch.compile", "measured by bench/providers.py, where Python has torch; in the "
                             "suites of products cuBLAS or cuDNN"},
    {"triton", "the same source file as tilec, where Python has Triton; in the suites of products "
               "both try the same few configurations"},
    {"tilec", "examples/softmax, gelu, matmul, attention and mlp"},
};

static constexpr HelpEntry statuses[] = {
    {"0", "everything went well"},
    {"1", "no GPU, a wrong result or a failure of tilec"},
    {"2", "wrong usage; nothing was measured"},
};

static constexpr HelpEntry variables[] = {
    {"TILEC_CUDA_DRIVER", "the CUDA driver's library; default: libcuda.so.1"},
    {"COLUMNS", "width of this text, if it goes to a terminal"},
};

static constexpr HelpSection sections[] = {
    {"RESULTS", "", results},
    {"PROVIDERS", "", providers},
    {"EXAMPLES",
     "  tilec-bench --quick\n"
     "  tilec-bench --suite=softmax --dtype=fp32,bf16 --out=results\n"
     "  tilec-bench --suite=softmax-odd --sizes=4096x781,1x12671 \\\n"
     "    --providers=copy,triton,tilec\n"
     "  tilec-bench --suite=attention \\\n"
     "    --sizes=4x16x4096x128,4x16x4096x128-causal\n",
     {}},
    {"EXIT STATUS", "", statuses},
    {"ENVIRONMENT", "", variables},
};

HelpPage bench::helpPage() {
  HelpPage page;
  page.usage = "tilec-bench [options]";
  page.overview = "measures kernels on this machine's GPU beside what else can do the work";
  page.sections = sections;
  return page;
}
