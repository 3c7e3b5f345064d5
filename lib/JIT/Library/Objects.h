//===- Objects.h - What the C interface's handles stand for -----*- C++ -*-===//
//
// The objects behind the handles of jit_c.h (compiler, module, kernel) and what they share. A
// kernel holds its module and a module its compiler, so handles may be released in any order.
// Comments say which lock guards what: any function of the interface may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_OBJECTS_H
#define TILEC_LIB_JIT_LIBRARY_OBJECTS_H

#include "CheckedMemory.h"
#include "KernelStore.h"
#include "Specialization.h"
#include "tilec/Compiler/ProfileNames.h"
#include "tilec/Compiler/TunedFile.h"
#include "tilec/Language/Decorators.h"
#include "tilec/Language/ParamRules.h"
#include "tilec/Language/Requirement.h"

#include <map>
#include <shared_mutex>

struct tilec_jit_compiler : tilec::library::Counted<tilec_jit_compiler> {
  tilec_jit_compiler(std::unique_ptr<tilec::library::Place> place,
                     std::unique_ptr<tilec::DiskCache> disk)
      : place(std::move(place)), name(this->place->name()), kernels(std::move(disk)) {}

  std::unique_ptr<tilec::library::Place> place;
  std::string name;
  tilec::library::KernelStore kernels;
  bool fpFusion = true;
  bool debug = false;
  bool tuning = true;
  std::mutex tuningLock; // Held while configurations are measured, and of the file.
  tilec::TunedFile tuned;
  std::string tunedPath; // Empty: not written.
  std::vector<std::string> importFolders;
  std::unique_ptr<tilec::library::CheckedMemory> memory; // Null: launches are not checked.
  std::atomic<uint64_t> measurements{0}, tunedFailures{0};
};

struct tilec_jit_module : tilec::library::Counted<tilec_jit_module> {
  tilec_jit_module(tilec_jit_compiler &compiler, tilec::ImportSearch search)
      : compiler(&compiler), imports(sources, std::move(search)) {}

  tilec::library::Reference<tilec_jit_compiler> compiler;
  std::shared_ptr<const std::string> source;
  std::string path;
  /// Held while the front end works: the buffers of `sources` grow, and lines are counted late.
  std::mutex lock;
  llvm::SourceMgr sources;
  tilec::Imports imports;
  tilec::ast::Context trees;
  const tilec::ast::Module *tree = nullptr;
};

namespace tilec::library {

/// One parameter of a kernel, or an element of one that is a tuple, and where its value comes from.
struct Parameter {
  enum class From {
    Constant,  // Given with the kernel, or None.
    Default,   // The source's default.
    Decorator, // A configuration or a heuristic.
    Argument,  // Each launch.
    Tuple,     // Its elements; also of a tensor descriptor.
  };
  std::string name; // Of an element "shape.0".
  From from = From::Constant;
  ConstValue value;                // Constant.
  unsigned argument = 0;           // Argument: its number.
  DType type;                      // Argument.
  std::vector<Parameter> elements; // Tuple.
  /// Of a tensor descriptor, a tuple of the base, the sizes and the strides.
  std::optional<DescriptorType> descriptor;

  /// Calls `visit` for each argument of a launch in here, in order.
  void forEachArgument(llvm::function_ref<void(const Parameter &)> visit) const {
    if (from == From::Argument)
      visit(*this);
    for (const Parameter &element : elements)
      element.forEachArgument(visit);
  }
};

/// Arguments that together are a tensor descriptor.
struct DescriptorArguments {
  std::string name; // Of the parameter.
  unsigned first;   // The base; the others follow.
  DescriptorType type;
};

/// An argument that must not be above a limit.
struct ArgumentLimit {
  uint16_t argument;
  uint8_t type; // A tilec_type.
  int64_t most;
};

/// A variant that is loaded, and how it takes a launch's arguments.
struct ReadyVariant {
  std::shared_ptr<StoredKernel> stored;
  llvm::SmallVector<uint16_t> arguments; // The launch's argument of each parameter that is left.
  llvm::SmallVector<uint8_t> types;      // A tilec_type for each.
  std::vector<NamedConst> constants;     // What expressions may name beside arguments.
  llvm::SmallVector<ArgumentLimit, 2> limits;
  ProfileNames names;
};

/// What was chosen for arguments that some configurations do not suit.
struct Decision {
  std::shared_ptr<const ReadyVariant> variant;
  /// The decision is for arguments that these do not suit: they would have been chosen before.
  std::vector<std::shared_ptr<const ReadyVariant>> refused;
};

} // namespace tilec::library

struct tilec_jit_kernel : tilec::library::Counted<tilec_jit_kernel> {
  explicit tilec_jit_kernel(tilec_jit_module &module) : module(&module) {}

  tilec::library::Reference<tilec_jit_module> module;
  tilec::KernelRequest base; // Without signature and constexprs.
  unsigned maxRegisters = 0;
  std::vector<tilec::library::Parameter> parameters;
  std::vector<tilec::library::ArgumentRule> rules; // One for each argument.
  std::vector<tilec::library::DescriptorArguments> descriptors;
  std::vector<unsigned> deciding; // Arguments whose values decorators look at.
  std::optional<tilec::Autotune> autotune;
  std::vector<tilec::Heuristic> heuristics;
  std::string sourceHash;                 // hashKernel; with `autotune` only.
  std::vector<tilec::HostExpr::Ref> grid; // Empty: launches give numbers.
  std::vector<tilec::Requirement> requirements;
  bool hasLimits = true; // The caller has not said that limits of the masks do not count.
  tilec::library::VariantTable table; // Without decorators.
  /// With decorators: by the class of the arguments and the values that decide. Where conditions
  /// depend on other arguments, there are several decisions.
  std::shared_mutex decidedLock;
  std::map<std::vector<uint64_t>, std::vector<tilec::library::Decision>> decided;

  std::mutex warningsLock;
  std::vector<std::string> warnings; // Each once.

  void warn(const std::string &text);
  bool isDecorated() const { return autotune || !heuristics.empty(); }
};

#endif // TILEC_LIB_JIT_LIBRARY_OBJECTS_H
