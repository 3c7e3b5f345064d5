//===- Measurements.cpp - what a profile says of kernels --------*- C++ -*-===//
//
// The page is made without running anything; times are those of a run that was recorded. Of the
// trace only the figures of the compiled kernels are taken, field by field: the file may come from
// anywhere. The form is that of lib/Runtime/ProfileOutput.cpp.
//
//===----------------------------------------------------------------------===//

#include "Measurements.h"

#include "tilec/Compiler/ProfileNames.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace tilec;
using namespace tilec::report;
namespace json = llvm::json;
using llvm::StringRef;

static llvm::Error makeError(StringRef path, const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "cannot read the profile '" + path + "': " + text);
}

/// Copies numbers that are there and can be right.
static void copyNumbers(const json::Object &from, json::Object &to,
                        llvm::ArrayRef<std::pair<StringRef, StringRef>> names) {
  for (auto [name, newName] : names)
    if (std::optional<double> value = from.getNumber(name))
      if (std::isfinite(*value) && *value >= 0)
        to[newName] = *value;
}

static json::Object readDevice(const json::Object &device) {
  json::Object result{{"name", device.getString("name").value_or("?").str()}};
  copyNumbers(device, result, {{"peak_gb_per_s", "peak"}});
  if (std::optional<StringRef> from = device.getString("peak_from"))
    result["peakFrom"] = from->str();
  return result;
}

/// Whether the profile's constants are these, apart from numbers of warps and the like.
static bool areConstants(StringRef found, StringRef wanted) {
  if (!found.consume_front(wanted))
    return false;
  found.consume_front(", ");
  llvm::SmallVector<StringRef> rest;
  found.split(rest, ", ", -1, /*KeepEmpty=*/false);
  return llvm::all_of(rest, [](StringRef option) { return option.starts_with("num_"); });
}

static bool isSame(const json::Object &variant, const KernelRecord &record) {
  return variant.getString("signature").value_or("") == profileSignature(record.kernel) &&
         areConstants(variant.getString("constants").value_or(""), profileConstants(record.kernel));
}

static json::Object readVariant(const json::Object &variant, const KernelRecord &record) {
  json::Object result{{"kernel", record.kernel.symbol},
                      {"constants", variant.getString("constants").value_or("").str()},
                      {"signature", variant.getString("signature").value_or("").str()},
                      {"isSame", isSame(variant, record)}};
  copyNumbers(variant, result,
              {{"launches", "launches"},
               {"timed", "timed"},
               {"min_us", "fastest"},
               {"median_us", "median"},
               {"total_us", "total"},
               {"bytes", "bytes"},
               {"gb_per_s", "bandwidth"},
               {"operations", "operations"},
               {"gop_per_s", "rate"},
               {"registers", "registers"},
               {"warps_per_multiprocessor", "warps"},
               {"max_warps_per_multiprocessor", "maxWarps"}});
  return result;
}

static std::string namesOf(llvm::ArrayRef<KernelRecord> records) {
  return llvm::join(
      llvm::map_range(records,
                      [](const KernelRecord &record) { return "'" + record.kernel.symbol + "'"; }),
      ", ");
}

llvm::Expected<json::Object> tilec::report::readMeasurements(StringRef path,
                                                             llvm::ArrayRef<KernelRecord> records,
                                                             bool isGPU, bool mayLack) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path, buffer.getError().message());
  llvm::Expected<json::Value> trace = json::parse((*buffer)->getBuffer());
  if (!trace)
    return makeError(path, llvm::toString(trace.takeError()));
  const json::Object *top = trace->getAsObject();
  const json::Object *figures = top ? top->getObject("tilec") : nullptr;
  const json::Array *devices = figures ? figures->getArray("devices") : nullptr;
  const json::Array *kernels = figures ? figures->getArray("kernels") : nullptr;
  if (!devices || !kernels || figures->getInteger("version") != 1)
    return makeError(path, "it is no trace of tilec-run --profile or TILEC_PROFILE");
  json::Array deviceList, variants;
  llvm::DenseMap<int64_t, int64_t> places;
  llvm::DenseSet<int64_t> otherDevices; // Devices for which the page's code is not.
  for (const json::Value &device : *devices)
    if (const json::Object *object = device.getAsObject()) {
      places[object->getInteger("number").value_or(0)] = int64_t(deviceList.size());
      if (object->getString("kind") != StringRef(isGPU ? "cuda" : "cpu"))
        otherDevices.insert(int64_t(deviceList.size()));
      deviceList.push_back(readDevice(*object));
    }
  llvm::SetVector<StringRef> otherKernels;
  for (const json::Value &kernel : *kernels) {
    const json::Object *object = kernel.getAsObject();
    StringRef name = object ? object->getString("kernel").value_or("") : "";
    auto record = llvm::find_if(
        records, [&](const KernelRecord &known) { return known.kernel.symbol == name; });
    auto place = object ? places.find(object->getInteger("device").value_or(0)) : places.end();
    if (record == records.end() && !name.empty())
      otherKernels.insert(name);
    if (record == records.end() || place == places.end())
      continue;
    json::Object variant = readVariant(*object, *record);
    variant["device"] = place->second;
    if (otherDevices.contains(place->second) && *variant.getBoolean("isSame")) {
      variant["isSame"] = false;
      variant["isElsewhere"] = true;
    }
    variants.push_back(std::move(variant));
  }
  if (variants.empty() && mayLack)
    return json::Object();
  if (variants.empty()) {
    std::string names = llvm::join(otherKernels, "', '");
    return makeError(path, "it has no launch of " + namesOf(records) +
                               (names.empty() ? "" : ", but of '" + names + "'"));
  }
  return json::Object{{"file", json::fixUTF8(path)},
                      {"devices", std::move(deviceList)},
                      {"variants", std::move(variants)}};
}
