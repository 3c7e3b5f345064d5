//===- PythonProviders.cpp - what bench/providers.py measures --*- C++ -*-===//
//
// Runs bench/providers.py as a child, which measures Triton and torch, and talks to it by lines
// over a socket: a request names a case, the answer has the times. A child that dies or says
// nothing for minutes becomes an error of its cases and does not stop the benchmark.
//
//===----------------------------------------------------------------------===//

#include "PythonProviders.h"

#include "DeviceData.h"
#include "Launches.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

/// torch.compile and Triton may take this long for one size.
static constexpr int kPatienceMs = 300 * 1000;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

PythonProviders::PythonProviders(PythonProviders &&other) noexcept { swap(other); }

PythonProviders &PythonProviders::operator=(PythonProviders &&other) noexcept {
  swap(other);
  return *this;
}

void PythonProviders::swap(PythonProviders &other) {
  std::swap(connection, other.connection);
  std::swap(process, other.process);
  std::swap(received, other.received);
  std::swap(versionText, other.versionText);
  std::swap(reasons, other.reasons);
}

PythonProviders::~PythonProviders() {
  if (process < 0)
    return;
  close(connection); // It ends when its input does; a stuck one must not hold up this program.
  int status = 0;
  for (int tries = 0; tries < 50; ++tries) {
    if (waitpid(process, &status, WNOHANG) == process)
      return;
    usleep(100 * 1000);
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
}

llvm::Expected<PythonProviders> PythonProviders::start(StringRef python, StringRef script) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(python);
  if (!program)
    return makeError("there is no '" + python + "'");
  // A socket, since writing to a pipe whose reader died would end this program.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return makeError(llvm::Twine("cannot create a socket: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string scriptPath = script.str();
  char serve[] = "--serve";
  char *arguments[] = {program->data(), scriptPath.data(), serve, nullptr};
  PythonProviders providers;
  pid_t child = -1;
  int failure = posix_spawn(&child, program->c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    return makeError("cannot start '" + *program + "': " + std::strerror(failure));
  }
  providers.connection = ends[0];
  providers.process = child;
  if (llvm::Error error = providers.handshake())
    return std::move(error);
  return std::move(providers);
}

bool PythonProviders::send(StringRef text) {
  while (!text.empty()) {
    ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text = text.drop_front(size_t(count));
  }
  return true;
}

std::optional<std::string> PythonProviders::receive() {
  for (;;) {
    size_t end = received.find('\n');
    if (end != std::string::npos) {
      std::string line = received.substr(0, end);
      received.erase(0, end + 1);
      return line;
    }
    pollfd waiting{connection, POLLIN, 0};
    int ready = poll(&waiting, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR)
      continue;
    char buffer[4096];
    ssize_t count = ready > 0 ? recv(connection, buffer, sizeof(buffer), 0) : 0;
    if (count <= 0)
      return std::nullopt;
    received.append(buffer, size_t(count));
  }
}

llvm::Error PythonProviders::lost(StringRef when) {
  return makeError("bench/providers.py ended, or said nothing for " +
                   llvm::Twine(kPatienceMs / 1000) + " s, " + when);
}

/// "missing,PROVIDER,REASON" any number of times, then "ready,VERSIONS" or "none,REASON".
llvm::Error PythonProviders::handshake() {
  while (std::optional<std::string> line = receive()) {
    auto [word, rest] = StringRef(*line).split(',');
    if (word == "ready") {
      versionText = rest.str();
      return llvm::Error::success();
    }
    if (word == "none")
      return makeError(rest);
    if (word == "missing")
      reasons[rest.split(',').first.str()] = rest.split(',').second.str();
  }
  return lost("when it was started");
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

bool bench::parseAnswer(StringRef line, Measurement &entry) {
  llvm::SmallVector<StringRef, 8> fields;
  line.split(fields, ',', 7);
  if (fields.size() != 8)
    return false;
  auto outcome = llvm::StringSwitch<std::optional<Outcome>>(fields[0])
                     .Case("ok", Outcome::Measured)
                     .Case("wrong", Outcome::Wrong)
                     .Case("failed", Outcome::Failed)
                     .Default(std::nullopt);
  Timing &timing = entry.timing;
  double *const numbers[] = {&timing.medianMs, &timing.lowerMs, &timing.upperMs, &timing.fastestMs};
  for (int index = 0; index < 4; ++index)
    if (fields[index + 1].getAsDouble(*numbers[index]))
      return false;
  if (!outcome || fields[5].getAsInteger(10, timing.runs) || fields[6].getAsDouble(entry.error))
    return false;
  entry.outcome = *outcome;
  (entry.isMeasured() ? entry.config : entry.message) = fields[7].str();
  return true;
}

static llvm::json::Array configsToJSON(llvm::ArrayRef<Config> configs) {
  llvm::json::Array array;
  for (const Config &config : configs) {
    llvm::json::Object blocks;
    for (const auto &[name, number] : config.blocks)
      blocks[name] = number;
    array.push_back(llvm::json::Object{{"text", config.text()},
                                       {"blocks", std::move(blocks)},
                                       {"warps", int64_t(config.warps)},
                                       {"stages", int64_t(config.stages)}});
  }
  return array;
}

/// What the kernel works on.
static llvm::json::Object sizeToJSON(const Case &what) {
  llvm::json::Object deviations;
  for (const InputArray &array : inputsOf(what))
    deviations[array.name] = array.deviation;
  return llvm::json::Object{
      {"rows", int64_t(what.size.rows)},     {"cols", int64_t(what.size.cols)},
      {"depth", int64_t(what.size.depth)},   {"batch", int64_t(what.size.batch)},
      {"heads", int64_t(what.size.heads)},   {"causal", what.size.isCausal},
      {"deviations", std::move(deviations)}, {"launches", int64_t(launchesOf(what).size())}};
}

llvm::Expected<Measurement> PythonProviders::measure(StringRef provider, const Case &what,
                                                     llvm::ArrayRef<Config> configs,
                                                     StringRef sourceFolder, const TimingPlan &plan,
                                                     unsigned inputs) {
  llvm::SmallString<128> source(sourceFolder);
  llvm::sys::path::append(source, exampleOf(what.suite->kind).file);
  Tolerance tolerance = what.tolerance();
  llvm::json::Object request{
      {"provider", provider},
      {"kernel", exampleOf(what.suite->kind).name},
      {"source", source.str()},
      {"dtype", typeName(what.type)},
      {"size", sizeToJSON(what)},
      {"configs", configsToJSON(configs)},
      {"inputs", int64_t(inputs)},
      {"rtol", tolerance.relative},
      {"atol", tolerance.absolute},
      {"warmup_ms", plan.warmupMs},
      {"budget_ms", plan.budgetMs},
      {"most_warmups", int64_t(plan.mostWarmups)},
      {"least_runs", int64_t(plan.leastRuns)},
      {"most_runs", int64_t(plan.mostRuns)},
  };
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(request)) << '\n';
  Measurement entry(what, provider.str());
  std::optional<std::string> answer;
  if (send(text))
    answer = receive();
  if (!answer)
    return lost("measuring " + provider.str() + " on " + what.text());
  if (!parseAnswer(*answer, entry))
    return makeError("bench/providers.py gave an answer that is none: '" + *answer + "'");
  if (provider == "triton")
    for (const Config &config : configs)
      if (config.text() == entry.config || configs.size() == 1)
        entry.warps = config.warps;
  return entry;
}
