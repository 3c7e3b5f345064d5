//===- cpu_softmax.cpp - softmax as a plain C++ loop -----------*- C++ -*-===//
//
// What the CPU target is compared with: the loop that anyone would write, its rows split over
// threads.
//
//   g++ -O3 -march=native -pthread bench/cpu_softmax.cpp -o cpu_softmax
//   ./cpu_softmax 4096 4096 2
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

static void softmaxRows(const float *x, float *y, int begin, int end, int cols) {
  for (int row = begin; row < end; ++row) {
    const float *in = x + size_t(row) * cols;
    float *out = y + size_t(row) * cols;
    float top = in[0];
    for (int i = 1; i < cols; ++i)
      top = std::max(top, in[i]);
    float sum = 0;
    for (int i = 0; i < cols; ++i) {
      out[i] = std::exp(in[i] - top);
      sum += out[i];
    }
    for (int i = 0; i < cols; ++i)
      out[i] /= sum;
  }
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? std::atoi(argv[1]) : 4096, cols = argc > 2 ? std::atoi(argv[2]) : 4096;
  int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  std::vector<float> x(size_t(rows) * cols), y(x.size());
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float &value : x)
    value = normal(random);
  std::vector<double> times;
  for (int run = 0; run < 11; ++run) {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back(softmaxRows, x.data(), y.data(), int(int64_t(rows) * t / threads),
                           int(int64_t(rows) * (t + 1) / threads), cols);
    for (std::thread &worker : workers)
      worker.join();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(times.begin(), times.end());
  std::printf("plain loop %d x %d on %d threads: %.1f ms\n", rows, cols, threads,
              times[times.size() / 2]);
}
