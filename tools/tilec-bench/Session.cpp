//===- Session.cpp - one run of the benchmark ------------------*- C++ -*-===//
//
// One run of the benchmark: opens the GPU and the providers, measures each case of the chosen
// suites, prints a table for each suite and type, and writes the results. Providers of one case are
// measured right after each other on the same data. Files are written after each table, so that
// little is lost when a run is stopped.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "GpuFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <ctime>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

bool Session::error(const llvm::Twine &message) {
  if (progress)
    progress->clear();
  llvm::errs() << "tilec-bench: error: " << message << "\n";
  hasFailed = true;
  return false;
}

void Session::note(const llvm::Twine &message) {
  if (progress)
    progress->clear();
  llvm::errs() << "tilec-bench: note: " << message << "\n";
}

void Session::print(StringRef text) {
  if (progress)
    progress->clear();
  llvm::outs() << text;
  llvm::outs().flush();
  tables += text;
}

//===----------------------------------------------------------------------===//
// What there is to measure with
//===----------------------------------------------------------------------===//

bool Session::openGpu() {
  auto opened = Device::open(0);
  if (!opened)
    return error(opened.error().message());
  device = std::move(*opened);
  gpu = readFacts(device);
  llvm::Expected<DeviceTimer> made = DeviceTimer::create(device);
  if (!made)
    return error(llvm::toString(made.takeError()));
  timer = std::move(*made);
  return true;
}

std::vector<std::string> Session::wanted(llvm::function_ref<bool(StringRef)> test) const {
  std::vector<std::string> names;
  for (const std::string &name : providers)
    if (test(name) && llvm::any_of(line.suites, [&](const Suite *suite) {
          return llvm::is_contained(suite->providers, name);
        }))
      names.push_back(name);
  return names;
}

std::vector<std::string> Session::providersOf(const Suite &suite) const {
  std::vector<std::string> names;
  for (StringRef name : suite.providers)
    if (llvm::is_contained(providers, name))
      names.push_back(name.str());
  return names;
}

/// Leaves out the providers that pass `test`: an error if they were asked for.
bool Session::drop(llvm::function_ref<bool(StringRef)> test, const llvm::Twine &reason) {
  std::vector<std::string> names = wanted(test);
  llvm::erase_if(providers, test);
  if (names.empty())
    return true;
  std::string text = llvm::join(names, ", ");
  if (line.providersGiven)
    return error("cannot measure " + text + ": " + reason);
  note(text + (names.size() == 1 ? " is" : " are") + " left out: " + reason);
  return true;
}

static bool isCudaProvider(StringRef name) { return name.starts_with("cuda-"); }

bool Session::openCuda() {
  if (wanted(isCudaProvider).empty())
    return true;
  cuda.emplace(device, folder);
  if (llvm::Error failure = cuda->findCompiler())
    return drop(isCudaProvider, llvm::toString(std::move(failure)));
  return true;
}

bool Session::openPython() {
  if (wanted(isPythonProvider).empty())
    return true;
  llvm::SmallString<128> script(folder);
  llvm::sys::path::append(script, "bench", "providers.py");
  llvm::Expected<PythonProviders> started = PythonProviders::start(line.python, script);
  if (!started)
    return drop(isPythonProvider, llvm::toString(started.takeError()));
  python = std::move(*started);
  for (const auto &[name, reason] : python->missing())
    if (!drop([&name = name](StringRef other) { return other == name; }, reason))
      return false;
  return true;
}

bool Session::open() {
  if (line.quick) {
    plan.warmupMs = 5;
    plan.budgetMs = 20;
    plan.mostRuns = 100;
  } else {
    plan.warmupMs = 20;
    plan.budgetMs = 80;
    plan.mostRuns = 300;
  }
  providers = line.providers;
  if (std::error_code code = llvm::sys::fs::create_directories(line.out))
    return error("cannot create '" + line.out + "': " + code.message());
  return openGpu() && openCuda() && openPython();
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

llvm::Expected<Prepared> Session::prepare(const Case &what, const Config &config,
                                          StringRef provider) {
  if (provider == "copy")
    return prepareCopy(what);
  if (provider == "tilec")
    return prepareTilec(device, what, config, folder);
  return cuda->prepare(provider, what);
}

Measurement Session::measureConfig(const Case &what, const Config &config, DeviceData &data,
                                   StringRef provider) {
  Measurement entry(what, provider.str());
  entry.config = config.text();
  auto fail = [&](llvm::Error failure) {
    entry.message = llvm::toString(std::move(failure));
    return entry;
  };
  llvm::Expected<Prepared> prepared = prepare(what, config, provider);
  if (!prepared)
    return fail(prepared.takeError());
  entry.warps = prepared->warps;
  if (provider != "copy") {
    llvm::Expected<Verdict> verdict = data.check(prepared->run, *checker);
    if (!verdict)
      return fail(verdict.takeError());
    entry.error = verdict->largestError;
    if (verdict->mismatches != 0) {
      entry.outcome = Outcome::Wrong;
      entry.message = verdict->text(what);
      return entry;
    }
  }
  llvm::Expected<Timing> timing =
      timer->measure([&](unsigned number) { return data.enqueue(prepared->run, number); }, plan);
  if (!timing)
    return fail(timing.takeError());
  entry.timing = *timing;
  entry.outcome = Outcome::Measured;
  return entry;
}

/// The fastest configuration; one that fails is told of, and does not hide the others.
Measurement Session::measureHere(const Case &what, DeviceData &data, StringRef provider) {
  std::vector<Config> configs = {Config()};
  if (provider == "tilec")
    configs = configsOf(what, line.numWarps);
  std::optional<Measurement> best;
  Results lost;
  for (const Config &config : configs) {
    Measurement entry = measureConfig(what, config, data, provider);
    if (!entry.isMeasured())
      lost.push_back(std::move(entry));
    else if (!best || entry.timing.medianMs < best->timing.medianMs)
      best = std::move(entry);
  }
  // Of those that all failed the first is recorded.
  for (const Measurement &entry : llvm::drop_begin(lost, best ? 0 : 1))
    complain(entry, entry.outcome == Outcome::Wrong);
  return best ? std::move(*best) : std::move(lost.front());
}

Measurement Session::measureInPython(const Case &what, StringRef provider, unsigned inputs) {
  unsigned warps = line.numWarps;
  if (!warps && !what.suite->isProduct())
    warps = chooseWarps(what.suite->kind, what.block(), what.elementBytes());
  llvm::Expected<Measurement> answer =
      python->measure(provider, what, configsOf(what, warps), folder, plan, inputs);
  if (answer)
    return std::move(*answer);
  Measurement entry(what, provider.str());
  entry.message = llvm::toString(answer.takeError());
  python.reset();
  llvm::erase_if(providers, isPythonProvider);
  error(entry.message + "; torch and Triton are left out from here on");
  return entry;
}

void Session::complain(const Measurement &entry, bool isFatal) {
  std::string config = entry.config.empty() ? "" : " " + entry.config;
  std::string message = entry.what.text() + ", " + entry.provider + config + ": " + entry.message;
  if (isFatal)
    error(message);
  else if (said.insert(entry.provider + config + entry.message).second)
    note(message);
}

void Session::record(Measurement entry) {
  // Others may be unable to do a size; tilec may not.
  if (!entry.isMeasured())
    complain(entry, entry.outcome == Outcome::Wrong || entry.provider == "tilec");
  ceilings.add(entry);
  results.push_back(std::move(entry));
}

/// A copy that is large enough to show what memory can do.
void Session::measureCopyCeiling() {
  Case what{findSuite("gelu"), ScalarKind::FP32, {1, uint64_t(1) << 27}};
  llvm::Expected<Pattern> numbers = Pattern::create(what.type);
  if (!numbers)
    return note("no copy was measured: " + llvm::toString(numbers.takeError()));
  llvm::Expected<DeviceData> data = DeviceData::create(device, what, *numbers);
  if (!data)
    return note("no copy was measured: " + llvm::toString(data.takeError()));
  Measurement entry = measureConfig(what, Config(), *data, "copy");
  if (!entry.isMeasured())
    return note("no copy was measured: " + entry.message);
  ceilings.add(entry);
}

/// What products in a type are compared with: a large copy, and large products by the library. What
/// the run measures later can raise both.
void Session::measureCeilings(ScalarKind type) {
  if (!probed.insert(type).second)
    return;
  if (probed.size() == 1)
    measureCopyCeiling();
  for (uint64_t size : {4096, 8192})
    if (python && llvm::is_contained(providers, "torch"))
      ceilings.add(measureInPython({findSuite("matmul"), type, {size, size, size}}, "torch", 1));
}

void Session::runCase(const Case &what) {
  unsigned inputs = DeviceData::mostInputs;
  {
    llvm::Expected<DeviceData> data = DeviceData::create(device, what, *pattern);
    if (!data) {
      note(what.text() + " is left out: " + llvm::toString(data.takeError()));
      for (size_t count = providersOf(*what.suite).size(); count > 0; --count)
        progress->step(what.text());
      return;
    }
    inputs = data->numInputs();
    for (const std::string &provider : providersOf(*what.suite)) {
      if (isPythonProvider(provider))
        continue;
      progress->step(what.text() + " " + provider);
      record(measureHere(what, *data, provider));
    }
  } // The arrays are freed: Python needs the room.
  for (const std::string &provider : providersOf(*what.suite)) {
    if (!python || !isPythonProvider(provider))
      continue;
    progress->step(what.text() + " " + provider);
    record(measureInPython(what, provider, inputs));
  }
}

bool Session::prepareType(const Suite &suite, ScalarKind type) {
  if (patternType != type) {
    llvm::Expected<Pattern> made = Pattern::create(type);
    if (!made)
      return error(llvm::toString(made.takeError()));
    pattern = std::move(*made);
    patternType = type;
    checker.reset();
  }
  if (!checker || checker->kind() != suite.kind)
    checker.emplace(suite.kind, *pattern);
  return true;
}

bool Session::runTable(const Suite &suite, ScalarKind type, llvm::ArrayRef<Size> sizes) {
  if (!prepareType(suite, type))
    return false;
  if (suite.isProduct())
    measureCeilings(type);
  for (const Size &size : sizes)
    runCase({&suite, type, size});
  std::string text = reportSuite(suite, type, results, gpu, ceilings);
  if (!text.empty())
    print("\n" + text);
  // So that an end by force costs one table only.
  return writeFiles();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

std::string Session::banner() const {
  std::time_t now = std::time(nullptr);
  char date[32] = "";
  if (std::tm local{}; localtime_r(&now, &local))
    std::strftime(date, sizeof(date), "%Y-%m-%d", &local);
  std::string text = gpu.name + ", " + std::to_string(gpu.multiprocessors) + " multiprocessors";
  if (gpu.cacheBytes)
    text += ", " + std::to_string(gpu.cacheBytes >> 20) + " MiB L2";
  if (auto version = driverVersion())
    text += ", driver for CUDA " + std::to_string(*version / 1000) + "." +
            std::to_string(*version % 1000 / 10);
  text += ", tilec " TILEC_VERSION;
  if (python)
    text += ", " + python->versions().str();
  return text + ", " + date + "\n";
}

bool Session::writeFile(StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::SmallString<128> path(line.out);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    write(os);
    os.close();
    code = os.error();
    os.clear_error();
  }
  return code ? error("cannot write '" + path + "': " + code.message()) : true;
}

bool Session::writeFiles() {
  return writeFile("results.csv",
                   [&](llvm::raw_ostream &os) { writeCsv(results, ceilings, os); }) &&
         writeFile("table.txt", [&](llvm::raw_ostream &os) { os << tables; });
}

void Session::plot() {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(line.python);
  if (!program)
    return note("no plots: there is no '" + line.python + "'");
  llvm::SmallString<128> script(folder), csv(line.out);
  llvm::sys::path::append(script, "bench", "plot.py");
  llvm::sys::path::append(csv, "results.csv");
  StringRef arguments[] = {*program, script, csv, "--out", line.out, "--title", gpu.name};
  std::string message;
  // It says itself why it made no plots.
  if (llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, {}, 0, 0, &message) != 0)
    note("no plots" + (message.empty() ? "" : ": " + message) + "; the figures are in " + csv);
}

int Session::run() {
  if (!open())
    return 1;
  unsigned steps = 0;
  for (size_t index = 0; index < line.suites.size(); ++index)
    steps += unsigned(line.sizes[index].size() * line.types[index].size() *
                      providersOf(*line.suites[index]).size());
  progress.emplace(steps);
  print(banner());
  for (size_t index = 0; index < line.suites.size(); ++index)
    for (ScalarKind type : line.types[index])
      if (!runTable(*line.suites[index], type, line.sizes[index]))
        return 1;
  progress->clear();
  python.reset(); // plot.py is another process.
  plot();
  return hasFailed ? 1 : 0;
}
