//===- Resources.cpp - what a kernel takes, with how many fit ---*- C++ -*-===//
//
// The numbers are those of computeOccupancy; the texts repeat its calculation with the kernel's
// figures, so that a reader can change one and see what follows.
//
//===----------------------------------------------------------------------===//

#include "Resources.h"

#include "tilec/Target/Occupancy.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <climits>

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;

static std::string explainRegisters(const GpuArch &arch, unsigned registers, unsigned warps) {
  unsigned unit = arch.registerAllocationUnit(), partitions = arch.partitionsPerSM();
  uint64_t perWarp = llvm::alignTo(uint64_t(registers) * arch.warpSize(), unit);
  uint64_t share = arch.registersPerSM() / partitions;
  return llvm::formatv(
      "{0} a thread x {1} threads, rounded up to a multiple of {2}, are {3} a warp; "
      "each of {4} partitions has {5}, so {6} warps fit in one and {7} in all; a "
      "CTA has {8}",
      registers, arch.warpSize(), unit, perWarp, partitions, share, share / perWarp,
      share / perWarp * partitions, warps);
}

static std::string explainShared(const GpuArch &arch, unsigned bytes) {
  unsigned unit = arch.sharedAllocationUnit(), reserved = arch.reservedSharedPerBlock();
  return llvm::formatv("{0} bytes + {1} that the system reserves, rounded up to a multiple of {2}, "
                       "are {3} a CTA, of {4}",
                       bytes, reserved, unit, llvm::alignTo(uint64_t(bytes) + reserved, unit),
                       arch.sharedPerSM());
}

static json::Object limitRow(OccupancyLimit limit, const TheoreticalOccupancy &occupancy,
                             std::string text) {
  unsigned blocks = occupancy.blocksBy[static_cast<size_t>(limit)];
  json::Object row{{"limit", occupancyLimitName(limit)},
                   {"limits", occupancy.isLimitedBy(limit)},
                   {"how", std::move(text)}};
  if (blocks != UINT_MAX)
    row["ctas"] = blocks;
  return row;
}

static json::Object describeOccupancy(const KernelRecord &record, const ResourceUsage *usage,
                                      const GpuArch &arch) {
  // ptxas counts what the kernel declares; without it that is known, too.
  unsigned shared =
      (usage ? usage->sharedBytes : record.staticSharedBytes) + record.dynamicSharedBytes;
  unsigned registers = usage ? usage->registers : 0;
  unsigned warps = unsigned(llvm::divideCeil(std::max(record.threads, 1u), arch.warpSize()));
  TheoreticalOccupancy occupancy = computeOccupancy(arch, {record.threads, registers, shared});
  json::Array rows;
  rows.push_back(
      limitRow(OccupancyLimit::Threads, occupancy,
               llvm::formatv("{0} warps a CTA, of {1}", warps, occupancy.maxWarpsPerSM)));
  rows.push_back(limitRow(OccupancyLimit::Blocks, occupancy,
                          llvm::formatv("at most {0}, of any size", arch.maxBlocksPerSM())));
  rows.push_back(
      limitRow(OccupancyLimit::Registers, occupancy,
               registers ? explainRegisters(arch, registers, warps) : "not known without ptxas"));
  rows.push_back(limitRow(OccupancyLimit::SharedMemory, occupancy, explainShared(arch, shared)));
  return json::Object{{"ctas", occupancy.blocksPerSM},
                      {"warps", occupancy.warpsPerSM},
                      {"maxWarps", occupancy.maxWarpsPerSM},
                      {"limits", occupancy.limits()},
                      {"rows", std::move(rows)},
                      {"isComplete", usage != nullptr}};
}

/// The types of the parameters as --sig takes them.
static std::string signatureOf(const KernelInfo &kernel) {
  std::string text;
  for (const KernelParam &param : kernel.params) {
    text += (text.empty() ? "" : ",") + param.path + "=" + param.type.signatureStr();
    if (param.equalsOne)
      text += ":1";
    else if (param.divisibility > 1)
      text += ":" + std::to_string(param.divisibility);
  }
  return text;
}

json::Object tilec::report::describeKernel(const KernelRecord &record) {
  json::Array constants;
  for (const KernelInfo::Constexpr &constant : record.kernel.constexprs)
    constants.push_back(json::Object{{"name", json::fixUTF8(constant.name)},
                                     {"value", json::fixUTF8(constant.value)}});
  return json::Object{{"name", record.kernel.symbol},
                      {"constants", std::move(constants)},
                      {"signature", json::fixUTF8(signatureOf(record.kernel))}};
}

json::Object tilec::report::describeKernel(const KernelRecord &record, const ResourceUsage *usage,
                                           const GpuArch &arch) {
  json::Object result = describeKernel(record);
  result["threads"] = record.threads;
  result["ctas"] = record.numCTAs;
  result["staticShared"] = record.staticSharedBytes;
  result["dynamicShared"] = record.dynamicSharedBytes;
  result["registerLimit"] = record.maxRegisters;
  result["occupancy"] = describeOccupancy(record, usage, arch);
  if (usage)
    result["ptxas"] = json::Object{{"registers", usage->registers},
                                   {"stack", usage->stackBytes},
                                   {"spillStores", usage->spillStoreBytes},
                                   {"spillLoads", usage->spillLoadBytes},
                                   {"shared", usage->sharedBytes},
                                   {"constants", usage->constantBytes},
                                   {"barriers", usage->barriers}};
  return result;
}
