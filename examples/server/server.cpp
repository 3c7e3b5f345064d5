//===- server.cpp - Many threads that launch kernels ---------------*- C++ -*-===//
//
// Reads requests from standard input, one a line, and answers each with a line, in any order:
//
//   7 softmax 1 2 3              ->   7 0.0900306 0.244728 0.665241
//   8 gelu 1 x                   ->   8 error: 'x' is not a number
//
// All code is loaded before the first request. From then on nothing may be loaded, so no request
// waits for it: if one did need code that was not prepared, it would be answered with an error.
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/kernel-server [--device=auto|cuda|cpu] [--threads=N] < requests
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

namespace {

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Lines on their way from the thread that reads them to the workers.
class Queue {
public:
  /// Waits while the queue is full, so that a fast sender does not fill the memory.
  void push(std::string line) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return lines.size() < 1000; });
    lines.push_back(std::move(line));
    changed.notify_all();
  }
  /// No more lines will come.
  void close() {
    std::lock_guard<std::mutex> lock(mutex);
    isClosed = true;
    changed.notify_all();
  }
  /// Waits for a line; false when there will be none.
  bool pop(std::string &line) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return !lines.empty() || isClosed; });
    if (lines.empty())
      return false;
    line = std::move(lines.front());
    lines.pop_front();
    changed.notify_all();
    return true;
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> lines;
  bool isClosed = false;
};

tilec::Status runSoftmax(tilec::LaunchStream stream, float *out, const float *x, int n) {
  return kernels::softmax({stream}, out, x, n);
}
tilec::Status runGelu(tilec::LaunchStream stream, float *out, const float *x, int n) {
  return kernels::gelu({stream}, out, x, n);
}

/// Reads the numbers in the rest of a line; otherwise an error.
std::string readNumbers(std::istream &words, std::vector<float> &values) {
  for (std::string word; words >> word;) {
    char *end;
    values.push_back(std::strtof(word.c_str(), &end));
    if (*end)
      return "'" + word + "' is not a number";
    if (values.size() > Worker::maxSize)
      return "more than " + std::to_string(Worker::maxSize) + " numbers";
  }
  return values.empty() ? "there are no numbers" : "";
}

/// The answer to one line.
std::string answer(Worker &worker, const std::string &line) {
  std::istringstream words(line);
  std::string id, function;
  words >> id >> function;
  std::vector<float> values;
  std::string error = readNumbers(words, values);
  auto *run = function == "softmax" ? runSoftmax : function == "gelu" ? runGelu : nullptr;
  if (!run)
    error = "there is no function '" + function + "'; there are softmax and gelu";
  if (error.empty())
    if (tilec::Status status = worker.run(run, values); !status)
      error = status.message();
  if (!error.empty())
    return id + " error: " + error + "\n";
  std::string text = id;
  char number[32];
  for (float value : values) {
    std::snprintf(number, sizeof(number), " %g", double(value));
    text += number;
  }
  return text + "\n";
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

struct Options {
  std::string device = "auto";
  unsigned threads = 8;
};

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.compare(0, 9, "--device=") == 0) {
      options.device = argument.substr(9);
    } else if (argument.compare(0, 10, "--threads=") == 0) {
      char *end;
      options.threads = unsigned(std::strtoul(argv[i] + 10, &end, 10));
      if (*end || options.threads < 1 || options.threads > 256)
        return false;
    } else {
      return false;
    }
  }
  return options.device == "auto" || options.device == "cuda" || options.device == "cpu";
}

/// Opens the GPU unless the processor is wanted, or is all there is.
tilec::Status openGpu(const std::string &device, tilec::Device &gpu) {
  if (device == "cpu")
    return {};
  auto opened = tilec::Device::open(0);
  if (opened) {
    gpu = *opened;
    return {};
  }
  tilec::Code code = opened.error().code();
  bool isMissing = code == tilec::Code::NoDriver || code == tilec::Code::NoDevice;
  return device == "auto" && isMissing ? tilec::Status() : opened.error();
}

tilec::Status serve(const Options &options) {
  tilec::Device gpu;
  tilec::Status status = openGpu(options.device, gpu);
  if (!status)
    return status;
  std::vector<Worker> workers;
  for (unsigned i = 0; i < options.threads; ++i) {
    auto worker = Worker::create(gpu);
    if (!worker)
      return worker.error();
    workers.push_back(std::move(*worker));
  }
  status = gpu ? kernels::prepare_all(gpu) : kernels::prepare_all(tilec::cpuStream());
  if (!status)
    return status;
  tilec::Freeze nothingIsLoadedFromHere;
  std::fprintf(stderr, "ready: %u threads on %s\n", options.threads,
               gpu ? gpu.name() : "the processor");

  Queue queue;
  std::vector<std::thread> threads;
  for (Worker &worker : workers)
    threads.emplace_back([&] {
      // One call writes the whole line, so lines of several threads do not mix.
      for (std::string line; queue.pop(line);)
        std::fputs(answer(worker, line).c_str(), stdout);
    });
  for (std::string line; std::getline(std::cin, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      queue.push(line);
  queue.close();
  for (std::thread &thread : threads)
    thread.join();
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--device=auto|cuda|cpu] [--threads=N] < requests\n", argv[0]);
    return 2;
  }
  tilec::Status status = serve(options);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message());
  return status && std::fflush(stdout) == 0 ? 0 : 1;
}
