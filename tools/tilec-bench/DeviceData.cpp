//===- DeviceData.cpp - a case's arrays on the GPU -------------*- C++ -*-===//
//
// The arrays of one case on the GPU: several inputs, which runs take turns with so that no cache
// helps, and one output with a guard behind it. A check runs the kernel on each input with an
// output full of NaNs, so that elements that were not written show.
//
//===----------------------------------------------------------------------===//

#include "DeviceData.h"

#include "Launches.h"
#include "tilec/JIT/DeviceTimer.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::bench;

/// Behind the output; nobody may write there.
static constexpr uint64_t kGuardBytes = 4096;
/// Bytes of a NaN in every type.
static constexpr uint8_t kPoison = 0xff;

llvm::Expected<DeviceData> DeviceData::create(const Device &device, const Case &what,
                                              const Pattern &pattern) {
  auto free = device.freeMemory();
  if (!free)
    return toError(free.error());
  // What is left serves the kernels: code, stacks, the block of random numbers.
  uint64_t usable = *free / 10 * 9, staging = pattern.bytes().size();
  // Pages of their own for all: translating an address takes up to 0.6 us where the cache is cold,
  // and the driver puts some small buffers on one page.
  uint64_t perInput = inputBytes(what);
  uint64_t perOutput = llvm::alignTo(what.arrayBytes() + kGuardBytes, kPageBytes);
  if (usable < perInput + perOutput + staging) {
    InputArray last = inputsOf(what).back();
    uint64_t bytes = last.offset + last.elements * what.elementBytes() + what.arrayBytes();
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "it needs " + llvm::Twine((bytes >> 20) + 1) +
                                       " MiB of device memory, and " + llvm::Twine(*free >> 20) +
                                       " MiB are free");
  }
  uint64_t count = (usable - perOutput - staging) / perInput;
  DeviceData data(device, what);
  for (unsigned index = 0; index < std::min<uint64_t>(count, mostInputs); ++index) {
    auto buffer = Buffer::allocate(device, perInput);
    if (!buffer)
      return toError(buffer.error());
    data.inputs.push_back(std::move(*buffer));
  }
  auto buffer = Buffer::allocate(device, perOutput);
  if (!buffer)
    return toError(buffer.error());
  data.output = std::move(*buffer);
  if (Status status = data.fill(pattern); !status)
    return toError(status);
  return std::move(data);
}

Status DeviceData::fill(const Pattern &pattern) {
  std::vector<InputArray> arrays = inputsOf(what);
  for (unsigned array = 0; array < arrays.size(); ++array) {
    double deviation = arrays[array].deviation;
    Status status = deviation == 0 || deviation == 1 ? fillArray(pattern, array)
                                                     : fillArray(pattern.scaled(deviation), array);
    if (!status)
      return status;
  }
  return {};
}

Status DeviceData::fillArray(const Pattern &pattern, unsigned array) {
  InputArray filled = inputsOf(what)[array];
  uint64_t length = pattern.bytes().size(), end = filled.elements * what.elementBytes();
  auto staging = Buffer::allocate(device, length);
  if (!staging)
    return staging.error();
  if (Status status = staging->copyIn(pattern.bytes().data(), length); !status)
    return status;
  for (unsigned input = 0; input < inputs.size(); ++input) {
    if (filled.deviation == 0) {
      if (Status status = inputs[input].fill(Stream(), 0, end, filled.offset); !status)
        return status;
      continue;
    }
    uint64_t from = Pattern::arrayPhase(Pattern::phase(input), array) * what.elementBytes();
    for (uint64_t at = 0; at < end;) {
      uint64_t part = std::min(end - at, length - from);
      if (Status status =
              inputs[input].copyFrom(Stream(), *staging, part, from, filled.offset + at);
          !status)
        return status;
      at += part;
      from = 0;
    }
  }
  return device.synchronize();
}

llvm::Error DeviceData::runAlone(const Run &run, unsigned input) {
  Status status = output.fill(Stream(), kPoison);
  if (status)
    status = run(output, inputs[input]);
  if (status)
    status = device.synchronize();
  return toError(status);
}

llvm::Error DeviceData::checkGuard() const {
  uint8_t guard[kGuardBytes];
  if (Status status = output.copyOut(guard, kGuardBytes, what.arrayBytes()); !status)
    return toError(status);
  if (std::all_of(guard, guard + kGuardBytes, [](uint8_t byte) { return byte == kPoison; }))
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "it wrote behind the end of the output");
}

llvm::Expected<Verdict> DeviceData::check(const Run &run, Checker &checker) {
  constexpr uint64_t chunkBytes = uint64_t(64) << 20;
  uint64_t unitBytes = Checker::unit(what) * what.elementBytes();
  uint64_t chunk = std::max<uint64_t>(chunkBytes / unitBytes, 1) * unitBytes;
  std::vector<uint8_t> host(std::min(chunk, what.arrayBytes()));
  Verdict verdict;
  // Large results would take longer to check than to measure, and products have several
  // configurations; one input is then enough.
  bool isCheap = what.arrayBytes() <= chunkBytes && !what.suite->isProduct();
  unsigned checked = isCheap ? numInputs() : 1;
  for (unsigned input = 0; input < checked && verdict.mismatches == 0; ++input) {
    if (llvm::Error error = runAlone(run, input))
      return std::move(error);
    for (uint64_t at = 0; at < what.arrayBytes(); at += chunk) {
      uint64_t bytes = std::min(chunk, what.arrayBytes() - at);
      if (Status status = output.copyOut(host.data(), bytes, at); !status)
        return toError(status);
      verdict.merge(checker.check(what, Pattern::phase(input), at / what.elementBytes(),
                                  llvm::ArrayRef<uint8_t>(host.data(), bytes)));
    }
    if (llvm::Error error = checkGuard())
      return std::move(error);
  }
  return verdict;
}
