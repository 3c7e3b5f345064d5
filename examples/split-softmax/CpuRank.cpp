//===- CpuRank.cpp - Ranks that are threads ------------------------*- C++ -*-===//
//
// Stands in for NCCL where there is no GPU. In a reduction all ranks show their values, meet,
// compute the result (in the order of the ranks, so all get the same bits), meet again, and
// overwrite their values.
//
//===----------------------------------------------------------------------===//

#include "Rank.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

namespace {

class CpuGroup : public Group {
public:
  explicit CpuGroup(int size) : values(size_t(size)) {}
  std::string join(int rank, int device, std::unique_ptr<Rank> &result) override;

  /// Waits until all ranks are here.
  void meet() {
    std::unique_lock<std::mutex> lock(mutex);
    if (++waiting == values.size()) {
      waiting = 0;
      ++round;
      changed.notify_all();
      return;
    }
    changed.wait(lock, [this, mine = round] { return round != mine; });
  }

  /// What each rank reduces.
  std::vector<const float *> values;

private:
  std::mutex mutex;
  std::condition_variable changed;
  size_t waiting = 0;
  unsigned round = 0;
};

class CpuRank : public Rank {
public:
  CpuRank(CpuGroup &group, int rank) : group(group), rank(size_t(rank)) {}

  std::string name() const override { return "the processor"; }
  tilec::LaunchStream stream() override { return tilec::cpuStream(); }
  std::string allocate(size_t count, float *&memory) override {
    memory = blocks.emplace_back(new float[count]).get();
    return "";
  }
  std::string copyIn(float *to, const float *host, size_t count) override {
    std::memcpy(to, host, count * sizeof(float));
    return "";
  }
  std::string copyOut(float *host, const float *from, size_t count) override {
    std::memcpy(host, from, count * sizeof(float));
    return "";
  }
  std::string wait() override { return ""; }

  std::string allReduce(float *values, size_t count, Reduction reduction) override {
    group.values[rank] = values;
    group.meet();
    std::vector<float> result(group.values[0], group.values[0] + count);
    for (size_t other = 1; other < group.values.size(); ++other)
      for (size_t i = 0; i < count; ++i) {
        float value = group.values[other][i];
        result[i] = reduction == Reduction::Sum ? result[i] + value : std::max(result[i], value);
      }
    group.meet();
    std::copy(result.begin(), result.end(), values);
    return "";
  }

private:
  CpuGroup &group;
  size_t rank;
  std::vector<std::unique_ptr<float[]>> blocks;
};

} // namespace

std::string CpuGroup::join(int rank, int, std::unique_ptr<Rank> &result) {
  result = std::make_unique<CpuRank>(*this, rank);
  return "";
}

std::unique_ptr<Group> makeCpuGroup(int size) { return std::make_unique<CpuGroup>(size); }
