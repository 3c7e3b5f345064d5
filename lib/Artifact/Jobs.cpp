//===- Jobs.cpp - Compiles all code of an artifact -------------*- C++ -*-===//
//
// Each variant for each architecture is a Compilation of its own, the same that `tilec` runs for a
// single PTX file, so the code is the same too. They share nothing but the text, and run on as many
// threads as the machine has.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"

#include <mutex>

using namespace tilec;
using namespace tilec::artifact;

std::vector<GpuTarget> artifact::planTargets(llvm::ArrayRef<GpuArch> archs, bool hasPtxas) {
  std::vector<GpuTarget> targets;
  const GpuArch *newest = nullptr;
  bool hasFallback = false;
  for (const GpuArch &arch : archs) {
    bool cubin = hasPtxas && !arch.isVirtual();
    targets.push_back({arch, cubin, !cubin});
    if (!newest || newest->number() < arch.number())
      newest = &arch;
  }
  // Only PTX for a generic architecture runs on every later one.
  for (const GpuTarget &target : targets)
    hasFallback |= target.ptx && target.arch.form() == GpuArch::Form::Generic &&
                   target.arch.number() == newest->number();
  if (!newest || hasFallback)
    return targets;
  llvm::Expected<GpuArch> generic = GpuArch::parse("compute_" + std::to_string(newest->number()));
  if (!generic) {
    llvm::consumeError(generic.takeError());
    return targets;
  }
  for (GpuTarget &target : targets)
    if (target.arch.form() == GpuArch::Form::Generic && target.arch.number() == newest->number()) {
      target.ptx = true; // of the same lowering as the cubin
      return targets;
    }
  targets.push_back({*generic, false, true});
  return targets;
}

static ArtifactImage imageOf(ArtifactImage::Kind kind, const GpuArch &arch,
                             const KernelRecord &record, std::string data) {
  ArtifactImage image;
  static_cast<LaunchNeeds &>(image) = record;
  image.kind = kind;
  image.level = arch.number();
  image.suffix = arch.form() == GpuArch::Form::Specific ? 'a'
                 : arch.form() == GpuArch::Form::Family ? 'f'
                                                        : 0;
  image.data = std::move(data);
  return image;
}

std::string Job::target() const { return gpu ? gpu->arch.name() : processorName(host, cpuLevel); }

static void registerAArch64() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

HostOptions artifact::hostOptionsOf(HostArch host, unsigned level) {
  HostOptions options;
  if (host == HostArch::AArch64) {
    static std::once_flag once;
    std::call_once(once, registerAArch64);
    options.triple = "aarch64-unknown-linux-gnu";
    options.cpu = "generic";
  } else {
    options.cpu = level == 1 ? "x86-64" : processorName(host, level);
  }
  return options;
}

static bool compileForGpu(Job &job, Compilation &compilation, const ArtifactOptions &options) {
  TargetOptions target(job.gpu->arch);
  target.optLevel = options.optLevel;
  target.fpFusion = options.fpFusion;
  target.lineInfo = options.lineInfo;
  target.remarks = options.remarks;
  target.maxRegisters = job.maxRegisters;
  target.ptxasPath = options.ptxasPath;
  target.disabledHeuristics = options.disabledHeuristics;
  if (!compilation.lower(Stage::PTX, target))
    return false;
  if (options.resourceUsage)
    job.resources = "  machine code   made by the driver, from PTX\n";
  if (job.gpu->cubin) {
    std::optional<Cubin> cubin = compilation.assemble(target);
    if (!cubin)
      return false;
    if (options.resourceUsage) // Without the first line, which names the kernel.
      job.resources = llvm::StringRef(describeResources(compilation.records().front(), target.arch))
                          .split('\n')
                          .second.str();
    job.images.push_back(imageOf(ArtifactImage::Kind::Cubin, target.arch,
                                 compilation.records().front(), std::move(cubin->image)));
  }
  if (job.gpu->ptx)
    job.images.push_back(imageOf(ArtifactImage::Kind::PTX, target.arch,
                                 compilation.records().front(), compilation.ptx()));
  return true;
}

static bool compileForCpu(Job &job, Compilation &compilation, const ArtifactOptions &options) {
  mlir::DialectRegistry registry;
  registerHostTarget(registry);
  compilation.context().appendDialectRegistry(registry);
  if (!compilation.simplify())
    return false;
  HostOptions host = hostOptionsOf(job.host, job.cpuLevel);
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<HostBitcode> code = emitHostBitcode(
      compilation.getModule(), compilation.records().front().kernel.symbol, "entry", host);
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  job.times.push_back({"compile for the CPU", time.count()});
  if (!code) {
    compilation.diagnostics().error(llvm::SMRange(), llvm::toString(code.takeError()));
    return false;
  }
  if (options.resourceUsage)
    job.resources = llvm::formatv("  scratch        {0} bytes a thread\n", code->scratchBytes);
  ArtifactImage image;
  image.kind = ArtifactImage::Kind::CPU;
  image.host = job.host;
  image.level = job.cpuLevel;
  image.scratchBytes = code->scratchBytes;
  image.data = std::move(code->bitcode);
  job.images.push_back(std::move(image));
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// Puts what jobs that run at the same time have to say into their order.
class MessageOrder {
public:
  MessageOrder(llvm::MutableArrayRef<Job> jobs, llvm::function_ref<void(llvm::StringRef)> say)
      : jobs(jobs), say(say), waiting(jobs.size()), isDone(jobs.size()) {
    advance();
  }

  void add(size_t index, llvm::StringRef message);
  void finish(size_t index);

private:
  void advance();

  llvm::MutableArrayRef<Job> jobs;
  llvm::function_ref<void(llvm::StringRef)> say;
  std::mutex lock;
  std::vector<std::vector<std::string>> waiting; // For each job.
  std::vector<bool> isDone;
  size_t first = 0; // The first job that is not done, or has failed.
};

/// The stream of one job. Diagnostics flush behind each message, so each is written as a whole.
class MessageStream : public llvm::raw_ostream {
public:
  MessageStream(MessageOrder &order, size_t index) : order(order), index(index) {
    SetBufferSize(1 << 16);
  }
  ~MessageStream() override { flush(); }

private:
  void write_impl(const char *text, size_t size) override {
    order.add(index, llvm::StringRef(text, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  MessageOrder &order;
  size_t index;
  uint64_t written = 0;
};

} // namespace

void MessageOrder::add(size_t index, llvm::StringRef message) {
  std::lock_guard<std::mutex> guard(lock);
  if (jobs[index].keepsMessages)
    jobs[index].messages += message;
  else if (index == first)
    say(message);
  else
    waiting[index].push_back(message.str());
}

void MessageOrder::finish(size_t index) {
  std::lock_guard<std::mutex> guard(lock);
  isDone[index] = true;
  if (index == first)
    advance();
}

/// Goes on to the next job that may still have something to say.
void MessageOrder::advance() {
  for (; first < jobs.size(); ++first) {
    for (const std::string &message : waiting[first])
      say(message);
    waiting[first].clear();
    if (!jobs[first].keepsMessages && (!isDone[first] || jobs[first].failed))
      return;
  }
}

static void run(Job &job, Compilation &compilation, const Compilation &source,
                const ArtifactOptions &options) {
  bool fine = compilation.loadSame(source) && compilation.addKernel(job.request) &&
              (job.gpu ? compileForGpu(job, compilation, options)
                       : compileForCpu(job, compilation, options));
  job.times.insert(job.times.begin(), compilation.times().begin(), compilation.times().end());
  job.failed = !fine || compilation.diagnostics().hasErrors();
  if (job.failed && !job.note.empty())
    compilation.diagnostics().report(Severity::Note, llvm::SMRange(), job.note);
}

void artifact::runJobs(llvm::MutableArrayRef<Job> jobs, Compilation &source,
                       const ArtifactOptions &options,
                       llvm::function_ref<void(llvm::StringRef)> say) {
  const DiagnosticOptions &diagnostics = source.diagnostics().options();
  MessageOrder order(jobs, say);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.jobs));
  for (size_t index = 0; index < jobs.size(); ++index)
    pool.async([&, index] {
      {
        MessageStream os(order, index);
        Compilation compilation(os, diagnostics);
        run(jobs[index], compilation, source, options);
      }
      order.finish(index);
    });
  pool.wait();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string findErrorInJSON(llvm::StringRef messages) {
  llvm::SmallVector<llvm::StringRef> lines;
  messages.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    const llvm::json::Object *object = value->getAsObject();
    if (!object || object->getString("severity") != "error")
      continue;
    std::string text;
    if (std::optional<llvm::StringRef> file = object->getString("file"))
      text = llvm::formatv("{0}:{1}:{2}: ", *file, object->getInteger("line").value_or(0),
                           object->getInteger("column").value_or(0));
    return text + object->getString("message").value_or("").str();
  }
  return "";
}

/// Text without the escapes that colour it.
static std::string withoutColor(llvm::StringRef text) {
  std::string plain;
  for (size_t escape; (escape = text.find("\x1b[")) != llvm::StringRef::npos;) {
    plain += text.take_front(escape);
    text = text.drop_front(escape).split('m').second;
  }
  return plain + text.str();
}

std::string artifact::findError(llvm::StringRef messages, const DiagnosticOptions &options) {
  if (options.format == DiagnosticFormat::JSON)
    return findErrorInJSON(messages);
  constexpr llvm::StringLiteral severity = "error: ";
  std::string plain = withoutColor(messages);
  size_t start = plain.find(severity.str());
  if (start == std::string::npos)
    return "";
  llvm::StringRef line = plain;
  line = line.drop_front(line.rfind('\n', start) + 1).split('\n').first;
  auto [place, message] = line.split(severity);
  return (place + message).str();
}
