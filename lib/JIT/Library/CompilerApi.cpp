//===- CompilerApi.cpp - tilec_jit_compiler_* -------------------*- C++ -*-===//
//
// The functions tilec_jit_compiler_* of jit_c.h: creating a compiler from its options (where
// kernels run, where imports are looked for, the cache on disk, the tuned file), and what it tells
// about itself. Each function checks its arguments and turns a Failure into the interface's error.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>

using namespace tilec;
using namespace tilec::library;

static constexpr uint64_t kDefaultCacheBytes = uint64_t(256) << 20;

/// Opens the device and takes its architecture.
static Failure openDevice(const tilec_jit_options &options, std::unique_ptr<Place> &place) {
  auto device = Device::open(options.device);
  if (!device)
    return {int32_t(device.error().code()), device.error().message()};
  const tilec_device_info &info = device->info();
  std::optional<GpuArch> arch = GpuArch::forDevice(info.capability_major, info.capability_minor);
  if (!arch)
    return {TILEC_ERROR_WRONG_ARCHITECTURE,
            "tilec cannot compile for " + llvm::Twine(device->name()) +
                ", whose compute capability is " + llvm::Twine(info.capability_major) + "." +
                llvm::Twine(info.capability_minor)};
  place = std::make_unique<Place>(*arch, std::move(*device), options.device);
  return {};
}

/// Whether the environment asks for launches on the processor to be checked.
static Failure readCheckVariable(bool &isSet) {
  const char *value = getenv("TILEC_CHECK");
  llvm::StringRef text = value ? value : "";
  isSet = text == "1";
  if (text.empty() || text == "0" || isSet)
    return {};
  return {TILEC_ERROR_INVALID_ARGUMENT, "TILEC_CHECK: expected 0 or 1, found '" + text + "'"};
}

/// The processor. `checks` is what the options say of memory, and then whether it is checked.
static Failure chooseProcessor(const tilec_jit_options &options, std::unique_ptr<Place> &place,
                               bool &checks) {
  if (checks && options.threads > 1)
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "memory is checked with one program after the other, not by " +
                llvm::Twine(options.threads) + " threads"};
  bool isSet = false;
  if (Failure failure = readCheckVariable(isSet))
    return failure;
  checks |= isSet;
  place = std::make_unique<Place>(options.threads, checks);
  return {};
}

static Failure choosePlace(const tilec_jit_options &options, std::unique_ptr<Place> &place,
                           bool &checks) {
  checks = options.check_memory != 0;
  if (options.target > TILEC_JIT_CUDA)
    return {TILEC_ERROR_INVALID_ARGUMENT, "unknown target " + llvm::Twine(options.target)};
  if (options.threads > 4096)
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "expected at most 4096 threads, found " + llvm::Twine(options.threads)};
  if (checks && (options.target == TILEC_JIT_CUDA || options.arch))
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "memory is checked on the processor, not of kernels for GPUs"};
  if (options.arch) {
    if (options.target == TILEC_JIT_CPU)
      return {TILEC_ERROR_INVALID_ARGUMENT, "an architecture is for GPUs, the target is the CPU"};
    llvm::Expected<GpuArch> arch = GpuArch::parse(options.arch);
    if (!arch)
      return {TILEC_ERROR_INVALID_ARGUMENT, arch.takeError()};
    place = std::make_unique<Place>(*arch, std::nullopt, options.device);
    return {};
  }
  if (options.target != TILEC_JIT_CPU && !checks) {
    Failure failure = openDevice(options, place);
    if (!failure || options.target == TILEC_JIT_CUDA)
      return failure;
  }
  return chooseProcessor(options, place, checks);
}

static Failure readImportPaths(const tilec_jit_options &options,
                               std::vector<std::string> &folders) {
  for (const char *folder : llvm::ArrayRef(options.import_paths, options.num_import_paths)) {
    if (!folder)
      return {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_compiler_create: an import path is null"};
    if (!llvm::sys::fs::is_directory(folder))
      return {TILEC_JIT_ERROR_FILE,
              "the import path '" + llvm::Twine(folder) + "' is no folder that can be read"};
    folders.push_back(folder);
  }
  return {};
}

static Failure createCompiler(const tilec_jit_options *given, tilec_jit_compiler *&result) {
  tilec_jit_options options{};
  options.device = -1;
  if (given && given->struct_size != sizeof(options))
    return {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_compiler_create: options.struct_size is " +
                                              llvm::Twine(given->struct_size) + ", expected " +
                                              llvm::Twine(sizeof(options))};
  if (given)
    options = *given;
  if (options.num_import_paths != 0 && !options.import_paths)
    return {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_compiler_create: import_paths is null"};
  std::vector<std::string> importFolders;
  if (Failure failure = readImportPaths(options, importFolders))
    return failure;
  std::unique_ptr<Place> place;
  bool checks = false;
  if (Failure failure = choosePlace(options, place, checks))
    return failure;
  TunedFile tuned;
  if (options.tuned && *options.tuned) {
    llvm::Expected<TunedFile> file = TunedFile::read(options.tuned);
    if (!file)
      return {TILEC_JIT_ERROR_FILE, file.takeError()};
    tuned = std::move(*file);
  }
  std::unique_ptr<DiskCache> disk;
  if (options.cache_dir && *options.cache_dir)
    disk = std::make_unique<DiskCache>(
        options.cache_dir, options.cache_bytes ? options.cache_bytes : kDefaultCacheBytes,
        options.cache_read_only != 0);
  result = new tilec_jit_compiler(std::move(place), std::move(disk));
  result->fpFusion = !options.no_fp_fusion;
  result->debug = options.debug;
  result->tuning = !options.no_tuning && !checks;
  if (checks)
    result->memory = std::make_unique<CheckedMemory>();
  result->tuned = std::move(tuned);
  result->tunedPath = options.tuned ? options.tuned : "";
  result->importFolders = std::move(importFolders);
  return {};
}

tilec_jit_error tilec_jit_compiler_create(const tilec_jit_options *options,
                                          tilec_jit_compiler **compiler) {
  if (!compiler)
    return toC({TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_compiler_create: 'compiler' is null"});
  return toC(createCompiler(options, *compiler));
}

tilec_jit_compiler *tilec_jit_compiler_retain(tilec_jit_compiler *compiler) {
  return compiler ? compiler->retain() : nullptr;
}

void tilec_jit_compiler_release(tilec_jit_compiler *compiler) {
  if (compiler)
    compiler->release();
}

tilec_jit_error tilec_jit_memory_add(tilec_jit_compiler *compiler, const void *address,
                                     uint64_t bytes, uint32_t unwritten) {
  if (!compiler)
    return toC({TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_memory_add: 'compiler' is null"});
  return compiler->memory ? toC(compiler->memory->add(address, bytes, unwritten != 0)) : nullptr;
}

void tilec_jit_memory_remove(tilec_jit_compiler *compiler, const void *address) {
  if (compiler && compiler->memory)
    compiler->memory->remove(address);
}

const char *tilec_jit_compiler_target(const tilec_jit_compiler *compiler) {
  return compiler ? compiler->name.c_str() : "";
}

void tilec_jit_compiler_counts(const tilec_jit_compiler *compiler, tilec_jit_counts *counts) {
  if (!compiler || !counts || counts->struct_size < sizeof(tilec_jit_counts))
    return;
  *counts = {};
  counts->struct_size = sizeof(*counts);
  compiler->kernels.count(*counts);
  counts->measurements = compiler->measurements;
  counts->tuned_failures = compiler->tunedFailures;
}

tilec_jit_text tilec_jit_user_cache(void) { return copyText(userCacheFolder()); }
