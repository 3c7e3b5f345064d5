//===- KernelRecord.cpp - What is kept about a compiled kernel --*- C++ -*-===//
//
// The one writer and the one reader of the JSON form. Fields that say nothing are left out, so that
// what people read stays short; the reader gives them the value that they say nothing with.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/KernelRecord.h"

#include "ResourceReport.h"

using namespace tilec;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Object toJSON(const KernelParam &param) {
  json::Object object{{"name", param.name},
                      {"type", param.type.signatureStr()},
                      {"offset", param.offset},
                      {"size", param.size()},
                      {"divisibility", param.divisibility}};
  if (param.path != param.name)
    object["path"] = param.path;
  if (param.equalsOne)
    object["equals_one"] = true;
  if (param.atMost)
    object["at_most"] = *param.atMost;
  return object;
}

static json::Object toJSON(const TensorMapParam &map) {
  json::Object object{{"element_bytes", map.elementBytes}, {"swizzle_bytes", map.swizzleBytes},
                      {"box", json::Array(map.box)},       {"base", map.base},
                      {"sizes", json::Array(map.sizes)},   {"strides", json::Array(map.strides)}};
  if (!map.when.empty())
    object["when"] = map.when;
  return object;
}

void tilec::addTo(json::Object &object, const LaunchNeeds &needs) {
  object["threads"] = needs.threads;
  object["dynamic_shared_bytes"] = needs.dynamicSharedBytes;
  object["num_ctas"] = needs.numCTAs;
  if (needs.isPersistent())
    object["persistent"] = needs.packing.programs;
  else if (needs.packing.programs != 0)
    object["packing"] = json::Object{{"threads", needs.packing.threads},
                                     {"programs", needs.packing.programs},
                                     {"least", needs.packing.least}};
  json::Array maps;
  for (const TensorMapParam &map : needs.maps)
    maps.push_back(::toJSON(map));
  if (!maps.empty())
    object["tensor_maps"] = std::move(maps);
}

json::Object tilec::toJSON(const KernelRecord &record) {
  json::Array params;
  for (const KernelParam &param : record.kernel.params)
    params.push_back(::toJSON(param));
  json::Object constexprs;
  for (const KernelInfo::Constexpr &constant : record.kernel.constexprs)
    constexprs[constant.name] = constant.value;
  json::Object object{{"symbol", record.kernel.symbol},
                      {"params", std::move(params)},
                      {"constexprs", std::move(constexprs)},
                      {"static_shared_bytes", record.staticSharedBytes},
                      {"maxnreg", nullptr}};
  addTo(object, record);
  if (record.maxRegisters != 0)
    object["maxnreg"] = record.maxRegisters;
  return object;
}

json::Value tilec::toJSON(llvm::ArrayRef<KernelRecord> records, const GpuArch &arch,
                          llvm::StringRef source) {
  json::Array kernels;
  for (const KernelRecord &record : records) {
    json::Object object = toJSON(record);
    if (record.resources)
      object["resources"] = resourcesToJSON(record, arch);
    kernels.push_back(std::move(object));
  }
  return json::Object{{"source", source}, {"arch", arch.name()}, {"kernels", std::move(kernels)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace tilec {
// Found by ObjectMapper for the elements of arrays.
static bool fromJSON(const json::Value &value, KernelParam &param, json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::string type;
  if (!mapper || !mapper.map("name", param.name) || !mapper.map("type", type) ||
      !mapper.map("offset", param.offset) || !mapper.map("divisibility", param.divisibility) ||
      !mapper.mapOptional("equals_one", param.equalsOne) || !mapper.map("at_most", param.atMost))
    return false;
  param.path = param.name;
  std::optional<DType> known = parseTypeName(type);
  if (!known || !mapper.mapOptional("path", param.path))
    return false;
  param.type = *known;
  return true;
}

static bool fromJSON(const json::Value &value, TensorMapParam &map, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("element_bytes", map.elementBytes) &&
         mapper.map("swizzle_bytes", map.swizzleBytes) && mapper.map("box", map.box) &&
         mapper.map("base", map.base) && mapper.map("sizes", map.sizes) &&
         mapper.map("strides", map.strides) && mapper.mapOptional("when", map.when);
}
} // namespace tilec

// The same, for a type of the runtime, which is in no namespace.
static bool fromJSON(const json::Value &value, tilec_packing &packing, json::Path path) {
  json::ObjectMapper mapper(value, path);
  unsigned threads = 0, programs = 0, least = 0;
  if (!mapper || !mapper.map("threads", threads) || !mapper.map("programs", programs) ||
      !mapper.map("least", least) || threads > UINT16_MAX || programs > UINT8_MAX ||
      least > UINT8_MAX)
    return false;
  packing = {uint16_t(threads), uint8_t(programs), uint8_t(least)};
  return true;
}

static bool mapNeeds(json::ObjectMapper &mapper, LaunchNeeds &needs) {
  unsigned persistent = 0;
  bool isSound = mapper.map("threads", needs.threads) &&
                 mapper.map("dynamic_shared_bytes", needs.dynamicSharedBytes) &&
                 mapper.map("num_ctas", needs.numCTAs) &&
                 mapper.mapOptional("packing", needs.packing) &&
                 mapper.mapOptional("persistent", persistent) && persistent <= UINT8_MAX &&
                 mapper.mapOptional("tensor_maps", needs.maps);
  if (isSound && persistent != 0)
    needs.packing = {/*threads=*/0, uint8_t(persistent), /*least=*/0};
  return isSound;
}

std::optional<KernelRecord> tilec::readKernelRecord(const json::Value &value) {
  KernelRecord record;
  json::Path::Root root;
  json::ObjectMapper mapper(value, root);
  std::optional<unsigned> maxRegisters;
  if (!mapper || !mapper.map("symbol", record.kernel.symbol) ||
      !mapper.map("params", record.kernel.params) || !mapNeeds(mapper, record) ||
      !mapper.map("static_shared_bytes", record.staticSharedBytes) ||
      !mapper.map("maxnreg", maxRegisters))
    return std::nullopt;
  for (const TensorMapParam &map : record.maps)
    if (!isSound(map, record.kernel.params.size()))
      return std::nullopt;
  record.maxRegisters = maxRegisters.value_or(0);
  const json::Object *constexprs = value.getAsObject()->getObject("constexprs");
  if (!constexprs)
    return std::nullopt;
  for (const auto &[name, text] : *constexprs) {
    std::optional<llvm::StringRef> known = text.getAsString();
    if (!known)
      return std::nullopt;
    record.kernel.constexprs.push_back({name.str(), known->str()});
  }
  return record;
}
