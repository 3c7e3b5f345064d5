//===- LaunchNeeds.cpp - What launching a kernel's code takes ---*- C++ -*-===//

#include "tilec/Compiler/LaunchNeeds.h"

#include "tilec/Compiler/RuntimeType.h"
#include "tilec/Language/Specializer.h"

using namespace tilec;

bool LaunchNeeds::operator==(const LaunchNeeds &other) const {
  return threads == other.threads && dynamicSharedBytes == other.dynamicSharedBytes &&
         numCTAs == other.numCTAs && packing.threads == other.packing.threads &&
         packing.programs == other.packing.programs && packing.least == other.packing.least &&
         maps == other.maps;
}

tilec_param tilec::toRuntime(const KernelParam &param) {
  return {param.name.c_str(), runtimeType(param.type), param.offset};
}

RuntimeRecord::RuntimeRecord(const KernelInfo &kernel, const LaunchNeeds &needs)
    : maps(needs.maps), record() {
  for (const KernelParam &param : kernel.params)
    params.push_back(toRuntime(param));
  params.push_back({}); // Null would mean that the parameters are not known.
  record.struct_size = sizeof(record);
  record.threads = needs.threads;
  record.dynamic_shared_bytes = needs.dynamicSharedBytes;
  record.num_params = uint32_t(kernel.params.size());
  record.symbol = kernel.symbol.c_str();
  record.params = params.data();
  record.num_ctas = needs.numCTAs;
  record.flags = TILEC_RECORD_OF_IMAGE;
  record.maps = maps.get().data();
  record.num_maps = uint32_t(maps.get().size());
  record.packing = needs.packing;
}
