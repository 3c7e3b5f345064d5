//===- DeviceData.h - a case's arrays on the GPU ---------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_DEVICEDATA_H
#define TILEC_TOOLS_TILEC_BENCH_DEVICEDATA_H

#include "Check.h"
#include "tilec/runtime.h"

#include <functional>

namespace tilec::bench {

/// Puts one run into the default stream.
using Run = std::function<Status(Buffer &out, const Buffer &in)>;

/// Inputs that runs take turns with (each a buffer of all arrays, Launches.h), and one output.
class DeviceData {
public:
  /// Inputs that runs take turns with, if there is memory for them.
  static constexpr unsigned mostInputs = 4;

  /// Allocates and fills the arrays of `what`. An error when there is no room for one input.
  static llvm::Expected<DeviceData> create(const Device &device, const Case &what,
                                           const Pattern &pattern);

  unsigned numInputs() const { return unsigned(inputs.size()); }
  /// Puts run number `number` into the default stream.
  Status enqueue(const Run &run, unsigned number) {
    return run(output, inputs[number % numInputs()]);
  }
  /// Runs once on each input (on the first only, when arrays are large, or for products), and
  /// checks each result, up to the first that is wrong, and that nothing was written behind it.
  llvm::Expected<Verdict> check(const Run &run, Checker &checker);

private:
  DeviceData(const Device &device, const Case &what) : device(device), what(what) {}
  Status fill(const Pattern &pattern);
  Status fillArray(const Pattern &pattern, unsigned array);
  llvm::Error runAlone(const Run &run, unsigned input);
  llvm::Error checkGuard() const;

  Device device;
  Case what;
  std::vector<Buffer> inputs;
  Buffer output;
};

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_DEVICEDATA_H
