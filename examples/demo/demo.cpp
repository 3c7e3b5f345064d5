//===- demo.cpp - softmax and GELU, from source to numbers -----*- C++ -*-===//
//
// Compiles the kernels of examples/softmax and examples/gelu to PTX, runs each on two sizes, on the
// GPU if there is one and on the processor otherwise, and prints how far the results are from
// float64 and how fast they came. Exit status: 0 fine, 1 something failed or an error was too
// large, 2 wrong usage.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/JIT/Fill.h"
#include "tilec/JIT/Machine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

namespace {

constexpr const char *softmaxSource =
#include "softmax.py.inc"
    ;
constexpr const char *geluSource =
#include "gelu.py.inc"
    ;

/// Results may be this far from float64: relative for softmax, absolute for GELU.
constexpr double kErrorLimit = 2e-6;

struct Matrix {
  uint64_t rows, cols;
};
constexpr Matrix kSizes[] = {{1823, 781}, {4096, 4096}};

/// One kernel of one file.
struct Example {
  const char *file;
  const char *source;
  const char *kernel;
  enum { Rows, Persistent, Elements } form;
};
constexpr Example kExamples[] = {
    {"examples/softmax/softmax.py", softmaxSource, "softmax_rows", Example::Rows},
    {"examples/softmax/softmax.py", softmaxSource, "softmax_persistent", Example::Persistent},
    {"examples/gelu/gelu.py", geluSource, "gelu", Example::Elements},
};

/// One kernel on one matrix: what it is given and how it is compiled.
class Job {
public:
  Job(const Example &example, Matrix size) : example(example), size(size) {}

  /// Allocates and fills the arrays; an error when memory is short.
  llvm::Error prepare();
  /// Adds the kernel to a new compilation, for this GPU or, without one, for the processor.
  bool specialize(Compilation &compilation, std::optional<GpuArch> arch) const;
  /// The values of the kernel's parameters.
  bool bind(Compilation &compilation, std::vector<LaunchValue> &values) const;
  LaunchGrid grid(unsigned residentPrograms) const;
  double largestError() const;
  uint64_t bytes() const { return x->bytes() + out->bytes(); }

private:
  uint64_t block() const {
    return example.form == Example::Elements ? 1024 : llvm::PowerOf2Ceil(size.cols);
  }

  const Example &example;
  Matrix size;
  std::optional<HostArray> x, out;
  std::vector<NamedArgument> arguments;
};

} // namespace

//===----------------------------------------------------------------------===//
// One job
//===----------------------------------------------------------------------===//

llvm::Error Job::prepare() {
  for (std::optional<HostArray> *array : {&x, &out}) {
    llvm::Expected<HostArray> made = HostArray::create(ScalarKind::FP32, {size.rows, size.cols});
    if (!made)
      return made.takeError();
    array->emplace(std::move(*made));
  }
  fillUniform(*x, /*seed=*/0, -8, 8);
  out->poison();
  auto add = [&](const char *name, uint64_t value) {
    arguments.push_back({name, nullptr, ConstValue::integer(int64_t(value))});
  };
  arguments.push_back({"out", &*out, ConstValue()});
  arguments.push_back({"x", &*x, ConstValue()});
  add("BLOCK", block());
  if (example.form == Example::Elements) {
    add("n", x->size());
    return llvm::Error::success();
  }
  add("out_stride", size.cols);
  add("x_stride", size.cols);
  add("n_cols", size.cols);
  if (example.form == Example::Persistent)
    add("n_rows", size.rows);
  return llvm::Error::success();
}

bool Job::specialize(Compilation &compilation, std::optional<GpuArch> arch) const {
  if (!compilation.loadText(example.source, example.file))
    return false;
  const ast::FunctionDef *function = compilation.tree()->findFunction(example.kernel);
  assert(function && "the example has the kernel");
  KernelRequest request;
  request.kernel = example.kernel;
  request.arch = arch;
  request.numWarps = block() > 2048 ? 8 : 4;
  return describeArguments(*function, arguments, {}, compilation.diagnostics(), request) &&
         compilation.addKernel(request);
}

bool Job::bind(Compilation &compilation, std::vector<LaunchValue> &values) const {
  return bindArguments(compilation.records().front().kernel, arguments, compilation.diagnostics(),
                       values);
}

LaunchGrid Job::grid(unsigned residentPrograms) const {
  LaunchGrid grid;
  if (example.form == Example::Elements)
    grid.x = int64_t(llvm::divideCeil(x->size(), block()));
  else if (example.form == Example::Rows)
    grid.x = int64_t(size.rows);
  else
    grid.x = int64_t(std::min<uint64_t>(size.rows, residentPrograms));
  return grid;
}

double Job::largestError() const {
  return example.form == Example::Elements ? geluError(*x, *out) : softmaxError(*x, *out);
}

//===----------------------------------------------------------------------===//
// The two parts of the demonstration
//===----------------------------------------------------------------------===//

static bool fail(llvm::Error error) {
  llvm::errs() << "tilec-demo: error: " << llvm::toString(std::move(error)) << "\n";
  return false;
}

/// Compiles every kernel to PTX, which needs no GPU, and says how long that took.
static bool showPTX() {
  GpuArch arch = llvm::cantFail(GpuArch::parse("sm_90"));
  llvm::outs() << "To PTX for " << arch.name() << ":\n";
  for (const Example &example : kExamples) {
    Compilation compilation(llvm::errs());
    Job job(example, kSizes[1]);
    if (llvm::Error error = job.prepare())
      return fail(std::move(error));
    auto start = std::chrono::steady_clock::now();
    if (!job.specialize(compilation, arch) || !compilation.lower(Stage::PTX, TargetOptions(arch)))
      return false;
    double milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    llvm::outs() << llvm::formatv("  {0,-28} {1,-20} {2,6} lines of PTX in {3:F1} ms\n",
                                  example.file, example.kernel,
                                  llvm::StringRef(compilation.ptx()).count('\n'), milliseconds);
  }
  return true;
}

static std::unique_ptr<Machine> openMachine() {
  llvm::Expected<std::unique_ptr<Machine>> gpu = Machine::cuda();
  if (gpu)
    return std::move(*gpu);
  llvm::outs() << "\nNo GPU (" << llvm::toString(gpu.takeError())
               << "); running on the CPU target.\n";
  return Machine::cpu();
}

/// Compiles and runs one kernel on one size, and prints its line. False when something failed.
static bool runJob(Machine &machine, const Example &example, Matrix size) {
  Compilation compilation(llvm::errs());
  Job job(example, size);
  CodeOptions code;
  std::vector<LaunchValue> values;
  if (llvm::Error error = job.prepare())
    return fail(std::move(error));
  if (!job.specialize(compilation, machine.arch(code)) || !job.bind(compilation, values))
    return false;
  std::unique_ptr<LoadedKernel> kernel = machine.load(compilation, code);
  if (!kernel)
    return false;
  LaunchGrid grid = job.grid(kernel->residentPrograms());
  if (llvm::Error error = kernel->run(grid, values))
    return fail(std::move(error));
  double error = job.largestError();
  llvm::Expected<Timing> timing = kernel->measure(grid, values);
  if (!timing)
    return fail(timing.takeError());
  llvm::outs() << llvm::formatv(
      "  {0,-20} {1,-11} {2,-22} {3}  {4,10:F1} us  {5,8:F1} GB/s{6}\n", example.kernel,
      llvm::formatv("{0}x{1}", size.rows, size.cols).str(), machine.name(),
      llvm::formatv("{0} {1}", llvm::format("%.2e", error),
                    example.form == Example::Elements ? "absolute" : "relative"),
      timing->medianMs * 1e3, double(job.bytes()) / (timing->medianMs * 1e6),
      error <= kErrorLimit ? "" : "  TOO LARGE");
  llvm::outs().flush();
  return error <= kErrorLimit;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc != 1) {
    bool help = llvm::StringRef(argv[1]) == "--help" || llvm::StringRef(argv[1]) == "-h";
    (help ? llvm::outs() : llvm::errs())
        << "usage: tilec-demo\n"
           "Compiles softmax and GELU to PTX, runs both on the GPU or else on the CPU, and prints\n"
           "sizes, target, largest error against float64, time and GB/s.\n";
    return help ? 0 : 2;
  }
  if (!showPTX())
    return 1;
  std::unique_ptr<Machine> machine = openMachine();
  llvm::outs() << llvm::formatv("\n  {0,-20} {1,-11} {2,-22} {3,-17} {4,13}  {5,13}\n", "float32",
                                "size", "target", "largest error", "time", "read + write");
  bool fine = true;
  for (const Example &example : kExamples)
    for (Matrix size : kSizes)
      fine &= runJob(*machine, example, size);
  if (!fine)
    llvm::errs() << "tilec-demo: error: not everything worked\n";
  return fine ? 0 : 1;
}
