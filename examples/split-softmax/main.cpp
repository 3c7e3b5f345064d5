//===- main.cpp - Softmax over columns split across GPUs -----------*- C++ -*-===//
//
// Each rank holds some columns of a matrix. Maximum and sum of each row are reduced over all ranks
// with NCCL; the result is compared with the softmax that each rank computes alone from the whole
// matrix.
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/split-softmax [--ranks=N] [--device=auto|cuda|cpu] [--rows=N] [--cols=N]
//
// One process drives all GPUs, each by a thread. Or each process drives one, on one or several
// machines:
//
//   mpirun -n 4 build/split-softmax --id-file=$HOME/split-softmax.$$
//   NCCL_COMM_ID=host1:5555 srun -N 2 --ntasks-per-node=8 build/split-softmax
//
// The ranks' numbers come from the environment; no MPI is linked. Without a GPU, ranks are threads
// on the processor.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "SplitSoftmax.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

struct Options {
  std::string device = "auto", idFile;
  int ranks = 0, rows = 256, cols = 32000;
};

bool readNumber(const std::string &text, int &number) {
  char *end;
  long value = std::strtol(text.c_str(), &end, 10);
  number = int(value);
  return !text.empty() && !*end && value > 0 && value <= 1 << 24;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    if (equals == std::string::npos)
      return false;
    std::string name = argument.substr(0, equals), value = argument.substr(equals + 1);
    bool fits = name == "--device"    ? (value == "auto" || value == "cuda" || value == "cpu")
                : name == "--id-file" ? !value.empty()
                : name == "--ranks"   ? readNumber(value, options.ranks) && options.ranks <= 1024
                : name == "--rows"    ? readNumber(value, options.rows)
                : name == "--cols"    ? readNumber(value, options.cols)
                                      : false;
    if (!fits)
      return false;
    if (name == "--device")
      options.device = value;
    if (name == "--id-file")
      options.idFile = value;
  }
  // The whole matrix is in memory.
  return int64_t(options.rows) * options.cols <= int64_t(1) << 28;
}

/// Numbers from -8 to 8, the same in all ranks.
std::vector<float> makeInput(const Options &options) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(-8, 8);
  std::vector<float> values(size_t(options.rows) * size_t(options.cols));
  for (float &value : values)
    value = distribution(generator);
  return values;
}

/// Columns `first` to `last` of all rows, row after row.
std::vector<float> takeColumns(const std::vector<float> &matrix, const Options &options, int first,
                               int last) {
  std::vector<float> slice;
  for (auto row = matrix.begin(); row != matrix.end(); row += options.cols)
    slice.insert(slice.end(), row + first, row + last);
  return slice;
}

/// Microseconds of one softmax: the mean of some after a first one, from start to end of the
/// stream.
std::string measure(Rank &rank, const Slice &slice, bool isWhole, double &microseconds) {
  constexpr int repeats = 20;
  std::chrono::steady_clock::time_point start;
  for (int i = 0; i <= repeats; ++i) {
    if (std::string error = softmax(rank, slice, isWhole); !error.empty())
      return error;
    if (i == 0) {
      if (std::string error = rank.wait(); !error.empty())
        return error;
      start = std::chrono::steady_clock::now();
    }
  }
  std::string error = rank.wait();
  std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  microseconds = elapsed.count() / repeats;
  return error;
}

/// The largest relative difference of two positive results; NaN counts as infinite.
float largestDifference(const std::vector<float> &a, const std::vector<float> &b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double difference = std::fabs(double(a[i]) - double(b[i])) / double(b[i]);
    largest = difference >= 0 ? std::max(largest, difference) : HUGE_VAL;
  }
  return float(largest);
}

/// What rank number `number` does. Sets `isFine`.
std::string runRank(Group &group, int number, int ranks, int device, const Options &options,
                    bool &isFine) {
  std::unique_ptr<Rank> rank;
  if (std::string error = group.join(number, device, rank); !error.empty())
    return error;
  const std::vector<float> input = makeInput(options);
  auto columnOf = [&](int which) { return int(int64_t(options.cols) * which / ranks); };
  int first = columnOf(number), last = columnOf(number + 1);

  std::vector<float> part = takeColumns(input, options, first, last), whole(input.size());
  Slice mine, all;
  std::string error = makeSlice(*rank, options.rows, last - first, part.data(), mine);
  if (error.empty())
    error = makeSlice(*rank, options.rows, options.cols, input.data(), all);
  double splitTime = 0, aloneTime = 0;
  if (error.empty())
    error = measure(*rank, mine, /*isWhole=*/false, splitTime);
  if (error.empty())
    error = measure(*rank, all, /*isWhole=*/true, aloneTime);
  if (error.empty())
    error = rank->copyOut(part.data(), mine.out, part.size());
  if (error.empty())
    error = rank->copyOut(whole.data(), all.out, whole.size());

  // The worst rank counts.
  float largest = largestDifference(part, takeColumns(whole, options, first, last));
  if (error.empty())
    error = rank->copyIn(mine.top, &largest, 1);
  if (error.empty())
    error = rank->allReduce(mine.top, 1, Reduction::Max);
  if (error.empty())
    error = rank->copyOut(&largest, mine.top, 1);
  if (!error.empty())
    return error;
  double bound = differenceBound(options.cols, ranks);
  isFine = double(largest) <= bound;
  if (number == 0)
    std::printf("softmax of %d x %d over %d rank%s (%s): %.1f us, alone %.1f us; largest relative "
                "difference %.2e, bound %.2e%s\n",
                options.rows, options.cols, ranks, ranks == 1 ? "" : "s", rank->name().c_str(),
                splitTime, aloneTime, double(largest), bound, isFine ? "" : "  TOO LARGE");
  return "";
}

/// Ends the process: ranks that wait for a failed one would wait for ever.
[[noreturn]] void fail(int rank, const std::string &error) {
  std::fprintf(stderr, "error: rank %d: %s\n", rank, error.c_str());
  std::fflush(nullptr);
  std::_Exit(1);
}

std::string makeGroup(Options &options, const Placement &placement, std::unique_ptr<Group> &group) {
  if (!placement.starter.empty()) {
    if (options.ranks && options.ranks != placement.size)
      return "--ranks=" + std::to_string(options.ranks) + ", but " + placement.starter +
             " has started " + std::to_string(placement.size);
    if (options.device == "cpu")
      return "on the processor the ranks are threads of one process, but " + placement.starter +
             " has started several";
    options.ranks = placement.size;
    return makeNcclGroup(options.ranks, /*isOneProcess=*/false, options.idFile, group);
  }
  int gpus = options.device == "cpu" ? 0 : countGpus();
  if (gpus == 0 && options.device != "cuda") {
    options.ranks = options.ranks ? options.ranks : 2;
    group = makeCpuGroup(options.ranks);
    return "";
  }
  options.ranks = options.ranks ? options.ranks : gpus;
  return makeNcclGroup(options.ranks, /*isOneProcess=*/true, "", group);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [--ranks=N] [--device=auto|cuda|cpu] [--rows=N] [--cols=N] "
                 "[--id-file=PATH]\nrows * cols is at most 2^28\n",
                 argv[0]);
    return 2;
  }
  Placement placement;
  std::string error = readPlacement(placement);
  std::unique_ptr<Group> group;
  if (error.empty())
    error = makeGroup(options, placement, group);
  if (!error.empty())
    fail(placement.rank, error);

  bool isOneProcess = placement.starter.empty();
  std::vector<std::thread> threads;
  std::vector<char> isFine(size_t(isOneProcess ? options.ranks : 1));
  for (size_t i = 0; i < isFine.size(); ++i)
    threads.emplace_back([&, i] {
      int rank = isOneProcess ? int(i) : placement.rank;
      int device = isOneProcess ? rank : placement.localRank;
      bool fine = false;
      std::string problem = runRank(*group, rank, options.ranks, device, options, fine);
      if (!problem.empty())
        fail(rank, problem);
      isFine[i] = fine;
    });
  for (std::thread &thread : threads)
    thread.join();
  return std::all_of(isFine.begin(), isFine.end(), [](char fine) { return fine; }) ? 0 : 1;
}
