//===- jit.h - The compiler in a process, for C++ ------------------------*- C++ -*-===//
//
// Compiles kernels of Triton's language in the process that launches them, for C++17. All of it is
// inline over the C interface in jit_c.h, so that no C++ type crosses a library boundary; no header
// of LLVM, MLIR or CUDA is needed. docs/jit.md has a complete program.
//
//   auto compiler = tilec::jit::Compiler::create();
//   auto module = compiler->compileFile("softmax.py");
//   auto kernel = module->kernel<void(float *, const float *, int)>("softmax", {{"BLOCK", 1024}});
//   auto status = kernel->launch({stream, {rows}}, out, in, cols);
//
// Nothing here throws (beyond std::bad_alloc from a std::string), prints or exits. What the top of
// jit_c.h says about threads and ownership holds here, where the destructors do the releasing.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_JIT_H
#define TILEC_JIT_H

#include "tilec/jit_c.h"
#include "tilec/runtime.h"

#include <cstdio>
#include <future>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilec::jit {
// Keeps the inline functions of different versions in one process apart.
inline namespace v1 {

namespace detail {

using tilec::detail::Handle;

inline std::string take(tilec_jit_text text) {
  std::string result(text.data ? text.data : "", text.size);
  tilec_jit_text_release(&text);
  return result;
}

} // namespace detail

//===-------------------------------------------------------------------------------===//
// Errors
//===-------------------------------------------------------------------------------===//

/// Errors are those of runtime.h; code() may also be Code::Compile, Code::File or Code::Run.
using tilec::Code;
using tilec::Expected;
using tilec::Status;

static_assert(int32_t(Code::Compile) == TILEC_JIT_ERROR_COMPILE &&
              int32_t(Code::File) == TILEC_JIT_ERROR_FILE &&
              int32_t(Code::Run) == TILEC_JIT_ERROR_RUN);

namespace detail {

struct Errors {
  static tilec_jit_error from(void *error) { return static_cast<tilec_jit_error>(error); }
  static void *retain(void *error) { return tilec_jit_error_retain(from(error)); }
  static void release(void *error) { tilec_jit_error_release(from(error)); }
  static int32_t code(void *error) { return tilec_jit_error_code(from(error)); }
  static const char *message(void *error) { return tilec_jit_error_message(from(error)); }
  static const char *noText(void *) { return ""; }
  static int32_t noCode(void *) { return 0; }
  static constexpr tilec::detail::ErrorFunctions functions{retain, release, code,  message,
                                                           noText, noText,  noCode};
};

} // namespace detail

/// Takes over the reference that a function of jit_c.h returned.
inline Status toStatus(tilec_jit_error error) { return Status(error, detail::Errors::functions); }

//===-------------------------------------------------------------------------------===//
// Kernels
//===-------------------------------------------------------------------------------===//

/// A value for a parameter of a kernel.
struct Constant {
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Constant(std::string parameter, T number) : name(std::move(parameter)), value(spell(number)) {}
  /// Text as the language writes it: "tl.float16", "(1, 2)", "'relu'". A name is that of a jit
  /// function of the kernel's file.
  Constant(std::string parameter, const char *text) : name(std::move(parameter)), value(text) {}
  Constant(std::string parameter, std::string text)
      : name(std::move(parameter)), value(std::move(text)) {}

  std::string name;
  std::string value;

private:
  static std::string spell(bool value) { return value ? "True" : "False"; }
  static std::string spell(double value) {
    char text[40];
    std::snprintf(text, sizeof(text), "float('%.17g')", value);
    return text;
  }
  template <typename T> static std::string spell(T value) {
    if constexpr (std::is_floating_point_v<T>)
      return spell(double(value));
    else
      return std::to_string(value);
  }
};

/// How a kernel is compiled, beyond its arguments. 0 leaves a choice to the compiler.
struct KernelOptions {
  KernelOptions() = default;
  KernelOptions(std::initializer_list<Constant> list) : constants(list) {}

  std::vector<Constant> constants;
  unsigned numWarps = 0;
  unsigned numCTAs = 0;
  unsigned numStages = 0;
  unsigned maxRegisters = 0;
  /// Programs along each axis as expressions of parameters and constants: "cdiv(n, BLOCK), 2".
  /// Needed where the grid depends on a tuned constant; empty: each launch gives numbers.
  std::string grid;
  /// A condition of each launch, "n <= BLOCK", beside what the kernel's masks show. Where it does
  /// not hold, another configuration is taken, or the launch fails with Code::NoConfig. "True":
  /// what the masks show counts for nothing.
  std::string require;
  /// The blocks of parameters that are tensor descriptors, as signatures spell them:
  /// "a=tensordesc<bf16[BLOCK_M, 64]>, b=..". The types of the elements are those of the arguments.
  std::string descriptors;
};

/// Where to launch, and how many programs.
struct LaunchOptions {
  LaunchOptions() = default;
  /// `where`, a stream of the compiler's device, must outlive the launches with this.
  LaunchOptions(const Stream &where, Grid programs = Grid())
      : stream(where.get()), grid(programs) {}
  /// A cudaStream_t or CUstream.
  LaunchOptions(CUstream_st *where, Grid programs = Grid()) : stream(where), grid(programs) {}
  LaunchOptions(Grid programs) : grid(programs) {}
  /// The CUstream; null is the legacy default stream. On the processor it must be null.
  void *stream = nullptr;
  /// Ignored for a kernel with a grid expression.
  Grid grid;
};

namespace detail {
/// std::tuple, std::pair, std::array, and whatever else has a size and std::get.
template <typename T, typename = void> struct IsTuple : std::false_type {};
template <typename T>
struct IsTuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {};

template <typename T> constexpr uint8_t typeOf() {
  constexpr uint8_t code =
      std::is_same_v<T, std::nullptr_t> ? uint8_t(TILEC_JIT_NONE) : ArgumentType<T>::code;
  static_assert(
      code != TILEC_TYPE_INVALID,
      "a kernel takes pointers, nullptr_t, integers, bool, floats, Half, BFloat16, tuples "
      "of these and TensorDescriptor; specialise tilec::ArgumentType for other types");
  return code;
}

/// Walks through an argument type and the elements of tuples in it.
template <typename T, bool isTuple = IsTuple<T>::value> struct Flat {
  static constexpr size_t numCodes = 1, numLeaves = 1;
  static constexpr void addCodes(uint8_t *&codes) { *codes++ = typeOf<T>(); }
  static void addAddresses(const T &argument, void **&addresses) {
    *addresses++ = const_cast<void *>(static_cast<const volatile void *>(&argument));
  }
};
template <typename T, typename Indices> struct FlatTuple;
template <typename T, size_t... I> struct FlatTuple<T, std::index_sequence<I...>> {
  template <size_t Index> using Element = Flat<std::decay_t<std::tuple_element_t<Index, T>>>;
  static constexpr size_t numCodes = 2 + (Element<I>::numCodes + ... + 0);
  static constexpr size_t numLeaves = (Element<I>::numLeaves + ... + 0);
  static constexpr void addCodes(uint8_t *&codes) {
    *codes++ = TILEC_JIT_TUPLE;
    (Element<I>::addCodes(codes), ...);
    *codes++ = TILEC_JIT_TUPLE_END;
  }
  static void addAddresses(const T &tuple, void **&addresses) {
    (Element<I>::addAddresses(std::get<I>(tuple), addresses), ...);
    static_cast<void>(tuple), static_cast<void>(addresses); // Used unless the tuple is empty.
  }
};
template <typename T>
struct Flat<T, true> : FlatTuple<T, std::make_index_sequence<std::tuple_size<T>::value>> {};
template <typename T, unsigned rank> struct Flat<TensorDescriptor<T, rank>, false> {
  using Parts = tilec::detail::Parts<TensorDescriptor<T, rank>>;
  static constexpr size_t numCodes = Parts::count + 2, numLeaves = Parts::count;
  static constexpr void addCodes(uint8_t *&codes) {
    static_assert(Parts::isSound, "the elements of a tensor descriptor are numbers");
    *codes++ = TILEC_JIT_DESCRIPTOR;
    Parts::addTypes(codes);
    *codes++ = TILEC_JIT_TUPLE_END;
  }
  static void addAddresses(const TensorDescriptor<T, rank> &tensor, void **&addresses) {
    Parts::addAddresses(tensor, addresses);
  }
};

/// The list of types in a tilec_jit_request, and a last byte so that it is never empty.
template <typename... Args> struct TypeCodes {
  static constexpr size_t size = (Flat<Args>::numCodes + ... + 0);
  uint8_t codes[size + 1] = {};
  constexpr TypeCodes() {
    uint8_t *next = codes;
    (Flat<Args>::addCodes(next), ...);
    *next = 0;
  }
};

/// What a launch passes: addresses of arguments that outlive this.
template <typename... Args> struct Addresses {
  void *values[(Flat<Args>::numLeaves + ... + 0) + 1];
  explicit Addresses(const Args &...args) {
    void **next = values;
    (Flat<Args>::addAddresses(args, next), ...);
    *next = nullptr;
  }
};
} // namespace detail

template <typename Function> class Kernel;

/// A kernel for arguments of these types, of which std::tuple, std::pair and std::array are tuples
/// in the kernel; where the parameter is annotated with a named tuple of as many fields, its fields
/// have those names. Copies refer to the same object; any number of threads may launch it at once.
template <typename... Args> class Kernel<void(Args...)> {
public:
  /// Launches the kernel, compiling it first for a class of arguments that is new. On a GPU it
  /// returns without waiting; on the processor, when all programs have run.
  Status launch(const LaunchOptions &options, Args... args) const {
    if (Status status = tilec::detail::checkParts(args...); !status)
      return status;
    tilec_jit_launch_options c{options.stream, {options.grid.x, options.grid.y, options.grid.z}};
    detail::Addresses<std::decay_t<Args>...> addresses(args...);
    return toStatus(tilec_jit_launch(handle.get(), &c, addresses.values));
  }
  /// Compiles and loads what a launch with such arguments runs. After it the launch does no work
  /// but its own, so it may be captured in a CUDA graph.
  Status prepare(Args... args) const {
    if (Status status = tilec::detail::checkParts(args...); !status)
      return status;
    detail::Addresses<std::decay_t<Args>...> addresses(args...);
    return toStatus(tilec_jit_prepare(handle.get(), addresses.values));
  }
  /// prepare() in a thread of its own, for instance one call for each class of arguments to come;
  /// if no thread can be started, it runs when the result is asked for. Keep the future: destroying
  /// it waits.
  [[nodiscard]] std::future<Status> prepareAsync(Args... args) const {
    return std::async(std::launch::async | std::launch::deferred,
                      [kernel = *this, args...] { return kernel.prepare(args...); });
  }
  /// The warnings so far, as the tools print them; "" without any.
  std::string warnings() const { return detail::take(tilec_jit_kernel_warnings(handle.get())); }
  /// The code that prepare() loads: PTX for a GPU, an object file for the processor.
  Expected<std::string> code(Args... args) const {
    if (Status status = tilec::detail::checkParts(args...); !status)
      return status;
    detail::Addresses<std::decay_t<Args>...> addresses(args...);
    tilec_jit_text text{};
    if (Status status = toStatus(tilec_jit_code(handle.get(), addresses.values, &text)); !status)
      return status;
    return detail::take(text);
  }

private:
  friend class Module;
  explicit Kernel(tilec_jit_kernel *kernel) : handle(kernel) {}
  detail::Handle<tilec_jit_kernel, tilec_jit_kernel_retain, tilec_jit_kernel_release> handle;
};

/// A source file. Copies refer to the same object.
class Module {
public:
  /// Finds the kernel `name` and matches the types of a launch with its parameters: those that
  /// neither `options` nor a decorator gives a value, in order. Compiles nothing yet.
  template <typename Function>
  Expected<Kernel<Function>> kernel(const char *name,
                                    const KernelOptions &options = KernelOptions()) const {
    return find(static_cast<Function *>(nullptr), name, options);
  }

private:
  friend class Compiler;
  explicit Module(tilec_jit_module *module) : handle(module) {}

  template <typename... Args>
  Expected<Kernel<void(Args...)>> find(void (*)(Args...), const char *name,
                                       const KernelOptions &options) const {
    static constexpr detail::TypeCodes<std::decay_t<Args>...> types;
    std::vector<tilec_jit_constant> constants;
    for (const Constant &constant : options.constants)
      constants.push_back({constant.name.c_str(), constant.value.c_str()});
    tilec_jit_request request{};
    request.struct_size = sizeof(request);
    request.num_types = uint32_t(types.size);
    request.num_constants = uint32_t(constants.size());
    request.num_warps = options.numWarps;
    request.num_ctas = options.numCTAs;
    request.num_stages = options.numStages;
    request.maxnreg = options.maxRegisters;
    request.name = name;
    request.types = types.codes;
    request.constants = constants.data();
    request.grid = options.grid.empty() ? nullptr : options.grid.c_str();
    request.require = options.require.empty() ? nullptr : options.require.c_str();
    request.descriptors = options.descriptors.empty() ? nullptr : options.descriptors.c_str();
    tilec_jit_kernel *kernel = nullptr;
    if (Status status = toStatus(tilec_jit_kernel_get(handle.get(), &request, &kernel)); !status)
      return status;
    return Kernel<void(Args...)>(kernel);
  }

  detail::Handle<tilec_jit_module, tilec_jit_module_retain, tilec_jit_module_release> handle;
};

//===-------------------------------------------------------------------------------===//
// The compiler
//===-------------------------------------------------------------------------------===//

/// While one of these lives, a launch of this library in any thread that would have to compile,
/// load or measure is an error. Prepare first. (Kernels of objects have a tilec::Freeze of their
/// own.)
class Freeze {
public:
  Freeze() { tilec_jit_freeze(); }
  ~Freeze() { tilec_jit_thaw(); }
  Freeze(const Freeze &) = delete;
  Freeze &operator=(const Freeze &) = delete;
};

/// The folder for this user's cache, from the environment; may be empty.
inline std::string userCache() { return detail::take(tilec_jit_user_cache()); }

/// How a compiler works; see tilec_jit_options for each field.
struct Options {
  tilec_jit_target target = TILEC_JIT_AUTO;
  int device = -1;
  unsigned threads = 0;
  std::string arch;
  /// For example userCache(); empty keeps nothing on disk.
  std::string cache;
  uint64_t cacheBytes = 0;
  bool cacheReadOnly = false;
  std::string tuned;
  bool tuning = true;
  bool fpFusion = true;
  bool debug = false;
  /// Launches look at each access to memory; see Compiler::addMemory().
  bool checkMemory = false;
  /// Further folders for what kernel files import.
  std::vector<std::string> importPaths;
};

/// Compiles and keeps kernels. Copies refer to the same object; threads may share it.
class Compiler {
public:
  static Expected<Compiler> create(const Options &options = Options()) {
    tilec_jit_options c{};
    c.struct_size = sizeof(c);
    c.target = options.target;
    c.device = options.device;
    c.threads = options.threads;
    c.arch = options.arch.empty() ? nullptr : options.arch.c_str();
    c.cache_dir = options.cache.c_str();
    c.cache_bytes = options.cacheBytes;
    c.tuned = options.tuned.empty() ? nullptr : options.tuned.c_str();
    c.cache_read_only = options.cacheReadOnly;
    c.no_fp_fusion = !options.fpFusion;
    c.debug = options.debug;
    c.no_tuning = !options.tuning;
    c.check_memory = options.checkMemory;
    std::vector<const char *> importPaths;
    for (const std::string &folder : options.importPaths)
      importPaths.push_back(folder.c_str());
    c.import_paths = importPaths.data();
    c.num_import_paths = importPaths.size();
    tilec_jit_compiler *compiler = nullptr;
    if (Status status = toStatus(tilec_jit_compiler_create(&c, &compiler)); !status)
      return status;
    return Compiler(compiler);
  }

  /// Reads a source text; `name` stands for the file in messages.
  Expected<Module> compileText(const std::string &source, const char *name = "kernel.py") const {
    tilec_jit_module *module = nullptr;
    if (Status status = toStatus(
            tilec_jit_module_create(handle.get(), source.data(), source.size(), name, &module));
        !status)
      return status;
    return Module(module);
  }
  Expected<Module> compileFile(const std::string &path) const {
    tilec_jit_module *module = nullptr;
    if (Status status = toStatus(tilec_jit_module_open(handle.get(), path.c_str(), &module));
        !status)
      return status;
    return Module(module);
  }

  /// With Options::checkMemory (or TILEC_CHECK=1 in the environment): kernels may access `count`
  /// elements from `array` on, until removeMemory(). `unwritten` ones are not to be read before a
  /// kernel has written them. Other compilers take no notice.
  template <typename T>
  Status addMemory(const T *array, size_t count, bool unwritten = false) const {
    return toStatus(
        tilec_jit_memory_add(handle.get(), array, uint64_t(count) * sizeof(T), unwritten));
  }
  /// Forgets what was added at `array`, before it is freed.
  void removeMemory(const void *array) const { tilec_jit_memory_remove(handle.get(), array); }

  /// For people: "NVIDIA H200", "CPU (8 threads)", "sm_90".
  const char *target() const { return tilec_jit_compiler_target(handle.get()); }
  /// What was compiled, found and measured so far.
  tilec_jit_counts counts() const {
    tilec_jit_counts counts{};
    counts.struct_size = sizeof(counts);
    tilec_jit_compiler_counts(handle.get(), &counts);
    return counts;
  }

private:
  explicit Compiler(tilec_jit_compiler *compiler) : handle(compiler) {}
  detail::Handle<tilec_jit_compiler, tilec_jit_compiler_retain, tilec_jit_compiler_release> handle;
};

} // namespace v1
} // namespace tilec::jit

#endif // TILEC_JIT_H
