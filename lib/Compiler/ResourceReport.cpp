//===- ResourceReport.cpp - what machine code takes ------------*- C++ -*-===//
//
// The numbers are those that `ptxas -v` prints. The cubin has registers and stack frames too, but
// nothing in it tells a spill from an array that lies on the stack, and its records' form belongs
// to NVIDIA; the text has kept its form from CUDA 11 to 13, and a report that lacks a kernel is an
// error.
//
//===----------------------------------------------------------------------===//

#include "ResourceReport.h"

#include "tilec/Target/Occupancy.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;

static TheoreticalOccupancy occupancyOf(const KernelRecord &record, const GpuArch &arch) {
  const ResourceUsage &usage = *record.resources;
  return computeOccupancy(
      arch, {record.threads, usage.registers, usage.sharedBytes + record.dynamicSharedBytes});
}

llvm::json::Value tilec::resourcesToJSON(const KernelRecord &record, const GpuArch &arch) {
  const ResourceUsage &usage = *record.resources;
  TheoreticalOccupancy occupancy = occupancyOf(record, arch);
  return llvm::json::Object{{"registers", usage.registers},
                            {"spill_store_bytes", usage.spillStoreBytes},
                            {"spill_load_bytes", usage.spillLoadBytes},
                            {"stack_bytes", usage.stackBytes},
                            {"ctas_per_sm", occupancy.blocksPerSM},
                            {"warps_per_sm", occupancy.warpsPerSM},
                            {"max_warps_per_sm", occupancy.maxWarpsPerSM},
                            {"limited_by", occupancy.limits()}};
}

static std::string describeSpills(const ResourceUsage &usage) {
  if (usage.spillStoreBytes == 0 && usage.spillLoadBytes == 0)
    return "no spills";
  return llvm::formatv("spills {0} bytes stored, {1} bytes loaded", usage.spillStoreBytes,
                       usage.spillLoadBytes);
}

std::string tilec::describeResources(const KernelRecord &record, const GpuArch &arch) {
  const ResourceUsage &usage = *record.resources;
  TheoreticalOccupancy occupancy = occupancyOf(record, arch);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "kernel '" << record.kernel.symbol << "' on " << arch.name();
  for (const KernelInfo::Constexpr &constant : record.kernel.constexprs)
    os << ", " << constant.name << "=" << constant.value;
  os << llvm::formatv("\n  registers      {0} a thread, {1}\n", usage.registers,
                      describeSpills(usage));
  if (record.maxRegisters != 0)
    os << llvm::formatv("  register limit {0} (--maxnreg)\n", record.maxRegisters);
  os << llvm::formatv("  local memory   {0} bytes a thread\n", usage.stackBytes);
  os << llvm::formatv("  shared memory  {0} bytes static, {1} bytes dynamic\n", usage.sharedBytes,
                      record.dynamicSharedBytes);
  os << llvm::formatv("  threads        {0} a CTA, {1} {2} a program\n", record.threads,
                      record.numCTAs, record.numCTAs == 1 ? "CTA" : "CTAs");
  os << llvm::formatv(
      "  occupancy      {0} {1} an SM, {2} of {3} warps ({4:F0}%), limited by {5}{6}\n",
      occupancy.blocksPerSM, occupancy.blocksPerSM == 1 ? "CTA" : "CTAs", occupancy.warpsPerSM,
      occupancy.maxWarpsPerSM, occupancy.percent(), occupancy.limits(),
      record.numCTAs > 1 ? "; clusters may not fill every SM" : "");
  return text;
}
