//===- CheckedMemory.cpp - Memory that launches are checked against -*- C++ -*-===//
//
// A launch knows its arrays by the addresses among its arguments. Those within memory that the host
// has added have its extent, tensor descriptors have their own, and of others only the start is
// known. What else was added may be reached through pointers in memory.
//
//===----------------------------------------------------------------------===//

#include "CheckedMemory.h"

#include "Objects.h"
#include "tilec/Language/Diagnostics.h"

using namespace tilec;
using namespace tilec::library;

CheckedMemory::Blocks::iterator CheckedMemory::find(uintptr_t address) {
  auto behind = blocks.upper_bound(address);
  if (behind == blocks.begin())
    return blocks.end();
  auto found = std::prev(behind);
  return address - found->first < std::max<uint64_t>(1, found->second.bytes) ? found : blocks.end();
}

Failure CheckedMemory::add(const void *address, uint64_t bytes, bool unwritten) {
  auto start = reinterpret_cast<uintptr_t>(address);
  if (!address || bytes > UINTPTR_MAX - start)
    return {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_memory_add: there are no " +
                                              llvm::Twine(bytes) + " bytes at 0x" +
                                              llvm::Twine::utohexstr(start)};
  std::lock_guard<std::mutex> guard(lock);
  auto next = blocks.upper_bound(start);
  bool meetsNext = next != blocks.end() && next->first - start < bytes;
  auto found = find(start);
  if (meetsNext || (found != blocks.end() && found->first != start))
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "tilec_jit_memory_add: the " + llvm::Twine(bytes) + " bytes at 0x" +
                llvm::Twine::utohexstr(start) + " overlap memory that was added at 0x" +
                llvm::Twine::utohexstr(meetsNext ? next->first : found->first)};
  blocks[start] = {bytes, std::vector<bool>(unwritten ? bytes : 0, true)};
  return {};
}

void CheckedMemory::remove(const void *address) {
  std::lock_guard<std::mutex> guard(lock);
  blocks.erase(reinterpret_cast<uintptr_t>(address));
}

/// An array of these bytes.
static CheckedArray arrayOf(std::string name, ScalarKind type, uintptr_t start, uint64_t bytes) {
  CheckedArray array{std::move(name), type, reinterpret_cast<const uint8_t *>(start), bytes, {}};
  array.shape = {llvm::divideCeil(bytes, array.itemBytes())};
  return array;
}

/// What a pointer's elements are; pointers are words.
static ScalarKind elementOf(const DType &type) {
  DType element = type.pointee();
  return element.isPointer() || element.kind == ScalarKind::Void ? ScalarKind::UInt64
                                                                 : element.kind;
}

/// The bytes from a tensor descriptor's first element to its last.
static uint64_t extentOf(const tilec_jit_kernel &kernel, const DescriptorArguments &tensor,
                         void *const *arguments, unsigned itemBytes) {
  unsigned rank = tensor.type.rank();
  auto part = [&](unsigned index) {
    unsigned number = tensor.first + index;
    return uint64_t(readInteger(kernel.rules[number].type, arguments[number]));
  };
  uint64_t last = 0;
  for (unsigned axis = 0; axis < rank; ++axis)
    last += (part(1 + axis) - 1) * (axis + 1 < rank ? part(1 + rank + axis) : 1);
  return (last + 1) * itemBytes;
}

/// Tells the checker of all arrays.
void CheckedMemory::describe(const tilec_jit_kernel &kernel, void *const *arguments,
                             MemoryChecker &checker) {
  std::map<uintptr_t, CheckedArray> named;
  auto describeOne = [&](const Parameter &parameter) {
    if (!parameter.type.isPointer())
      return;
    unsigned number = parameter.argument;
    auto address = uintptr_t(readInteger(kernel.rules[number].type, arguments[number]));
    ScalarKind type = elementOf(parameter.type);
    auto block = find(address);
    auto tensor =
        llvm::find_if(kernel.descriptors, [&](const auto &each) { return each.first == number; });
    bool isTensor = tensor != kernel.descriptors.end();
    std::string name = isTensor ? tensor->name : parameter.name;
    if (block != blocks.end())
      named.try_emplace(block->first, arrayOf(name, type, block->first, block->second.bytes));
    else if (isTensor)
      checker.add(
          arrayOf(name, type, address,
                  extentOf(kernel, *tensor, arguments, arrayOf("", type, 0, 0).itemBytes())),
          nullptr);
    else if (address != 0)
      checker.addOpen(name, type, reinterpret_cast<const void *>(address));
  };
  for (const Parameter &parameter : kernel.parameters)
    parameter.forEachArgument(describeOne);
  for (auto &[start, block] : blocks) {
    auto known = named.find(start);
    checker.add(known != named.end()
                    ? std::move(known->second)
                    : arrayOf("other memory", ScalarKind::UInt8, start, block.bytes),
                block.unwritten.empty() ? nullptr : &block.unwritten);
  }
}

Failure CheckedMemory::run(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                           HostGrid grid, const uint64_t *slots, void *const *arguments) {
  std::lock_guard<std::mutex> guard(lock);
  MemoryChecker checker;
  describe(kernel, arguments, checker);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  llvm::Error error = variant.stored->host().runSlots(kernel.module->compiler->place->hostThreads(),
                                                      grid, slots, &checker);
  if (error)
    os << llvm::toString(std::move(error)) << '\n';
  {
    std::lock_guard<std::mutex> sources(kernel.module->lock);
    DiagnosticEngine diagnostics(kernel.module->sources, os);
    if (!checker.findings().empty())
      os << "kernel '" << kernel.base.kernel << "' accesses memory wrongly:\n";
    reportFindings(checker, diagnostics);
  }
  if (messages.empty())
    return {};
  return {TILEC_JIT_ERROR_RUN, llvm::StringRef(messages).rtrim()};
}
