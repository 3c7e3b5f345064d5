/*===- jit_c.h - The C interface of the compiler in a process -----------*- C -*-===*\
|*
|* libtilec compiles kernels of Triton's language in the process that launches them, in C99. It
|* includes no header of LLVM, MLIR or CUDA. jit.h puts C++ classes on top; docs/jit.md explains
|* both.
|*
|* Rules that hold for every function here, unless its comment says otherwise:
|*  - Errors. A function that can fail returns a tilec_jit_error; NULL is success. On failure no
|*    output is written. The library never prints, exits, aborts or throws.
|*  - Threads. Any function may be called from any thread at any time; compilations run side by
|*    side. No thread may use an object after its last release.
|*  - Ownership. Objects are counted. What a `create` or `get` function returns has one reference,
|*    which the caller gives up with `release`; objects keep what they depend on alive. Passing
|*    NULL to a `retain` or `release` function does nothing.
|*  - Strings are UTF-8 and end in NUL; they are copied.
|*
\*===----------------------------------------------------------------------------===*/

#ifndef TILEC_JIT_C_H
#define TILEC_JIT_C_H

#include "tilec/runtime_c.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILEC_JIT_API __attribute__((visibility("default")))
#define TILEC_JIT_NODISCARD __attribute__((warn_unused_result, visibility("default")))
#else
#define TILEC_JIT_API
#define TILEC_JIT_NODISCARD
#endif

/*===-- Errors and texts ------------------------------------------------------------===*/

/* Kinds of errors beside those of tilec_code. Values are stable. */
enum {
  TILEC_JIT_ERROR_COMPILE = 100, /* the source has errors; the text is the diagnostics in full */
  TILEC_JIT_ERROR_FILE = 101,    /* a file cannot be read */
  TILEC_JIT_ERROR_RUN = 102      /* a kernel failed on the processor: an assertion, memory */
};

/* An error, or NULL for success. Immutable, so threads may share one. */
typedef struct tilec_jit_error_object *tilec_jit_error;

/* A tilec_code or one of the values above; TILEC_OK for NULL. */
TILEC_JIT_API int32_t tilec_jit_error_code(tilec_jit_error error);
/* The whole message, "success" for NULL. Lives as long as the error. */
TILEC_JIT_API const char *tilec_jit_error_message(tilec_jit_error error);
TILEC_JIT_API tilec_jit_error tilec_jit_error_retain(tilec_jit_error error);
TILEC_JIT_API void tilec_jit_error_release(tilec_jit_error error);

/* Bytes that a function returned, followed by a NUL; freed by tilec_jit_text_release. */
typedef struct tilec_jit_text {
  const char *data;
  size_t size;
} tilec_jit_text;
TILEC_JIT_API void tilec_jit_text_release(tilec_jit_text *text);

/*===-- The compiler ----------------------------------------------------------------===*/

/* Where kernels run. */
typedef enum tilec_jit_target {
  TILEC_JIT_AUTO = 0, /* on a GPU if there is one, else on the processor */
  TILEC_JIT_CPU = 1,
  TILEC_JIT_CUDA = 2
} tilec_jit_target;

/* How a compiler works. Fields that are 0 or NULL have the default that their comment says. */
typedef struct tilec_jit_options {
  uint32_t struct_size;  /* sizeof(tilec_jit_options) */
  uint32_t target;       /* a tilec_jit_target */
  int32_t device;        /* number of the CUDA device; -1 is that of the current context */
  uint32_t threads;      /* of the processor; 0 is all that the process may use */
  const char *arch;      /* "sm_90"; NULL is the device's own. With it, kernels are compiled where
                            there is no device. CUDA only */
  const char *cache_dir; /* NULL or "" keeps nothing on disk */
  uint64_t cache_bytes;  /* limit of that folder; 0 is 256 MiB */
  const char *tuned;     /* a file of tuned configurations to read and extend; NULL is none */
  uint32_t cache_read_only; /* 1: the folder is never written */
  uint32_t no_fp_fusion;    /* 1: no multiplication and addition become one operation */
  uint32_t debug;           /* 1: assert and tl.device_assert are kept */
  uint32_t no_tuning;       /* 1: kernels with @triton.autotune take a configuration that is known
                               (from the file), else their first, and never measure */
  const char *const *import_paths; /* further folders for what kernel files import, in order; each
                                      must exist */
  uint64_t num_import_paths;
  uint32_t check_memory; /* 1: launches look at each access to memory, one program after the other,
                            and fail with TILEC_JIT_ERROR_RUN if some are wrong. On the processor,
                            which TILEC_JIT_AUTO is then. The variable TILEC_CHECK=1 of the
                            environment does this to every compiler for the processor */
  uint32_t reserved;
} tilec_jit_options;

/* What a compiler did so far. Later versions may add fields at the end. */
typedef struct tilec_jit_counts {
  uint32_t struct_size; /* set by the caller: sizeof(tilec_jit_counts) */
  uint32_t reserved;
  uint64_t compilations;   /* that were run, those with errors included */
  uint64_t memory_hits;    /* kernels found in this compiler's memory */
  uint64_t disk_hits;      /* kernels found on disk */
  uint64_t disk_misses;    /* kernels looked for on disk and not found there, damaged ones too */
  uint64_t disk_damaged;   /* of those: files that were no sound entry */
  uint64_t disk_writes;    /* kernels written to disk */
  uint64_t disk_failures;  /* kernels that could not be written */
  uint64_t disk_evictions; /* kernels deleted on disk to keep within the limit */
  uint64_t measurements;   /* configurations that were timed, or failed when they were to be */
  uint64_t tuned_failures; /* times that the file of tuned configurations could not be written */
} tilec_jit_counts;

typedef struct tilec_jit_compiler tilec_jit_compiler;

/* Makes a compiler. With a CUDA device it works in that device's context, chosen as
 * tilec_device_open does. A cache folder that cannot be used is no error. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_compiler_create(const tilec_jit_options *options,
                                                              tilec_jit_compiler **compiler);
TILEC_JIT_API tilec_jit_compiler *tilec_jit_compiler_retain(tilec_jit_compiler *compiler);
TILEC_JIT_API void tilec_jit_compiler_release(tilec_jit_compiler *compiler);
/* For people: "NVIDIA H200", "CPU (8 threads)", "sm_90". Lives as long as the compiler. */
TILEC_JIT_API const char *tilec_jit_compiler_target(const tilec_jit_compiler *compiler);
TILEC_JIT_API void tilec_jit_compiler_counts(const tilec_jit_compiler *compiler,
                                             tilec_jit_counts *counts);
/* The folder for this user's cache, from $TILEC_CACHE_DIR, $XDG_CACHE_HOME or $HOME; may be "". */
TILEC_JIT_API tilec_jit_text tilec_jit_user_cache(void);

/* Says where kernels may access memory: `bytes` from `address` on, until they are removed or added
 * anew. A compiler that checks memory reports what a launch accesses outside of what was added, its
 * tensor descriptors, and arrays of which nothing is known but an argument that points to them:
 * while a launch has one of the last, accesses outside of the others may be meant for it. With
 * `unwritten` 1, it also reports what kernels read before one has written it. A compiler that
 * checks nothing takes no notice. Memory that overlaps, but does not start where other does, is an
 * error. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_memory_add(tilec_jit_compiler *compiler,
                                                         const void *address, uint64_t bytes,
                                                         uint32_t unwritten);
/* Forgets what was added at `address`, before it is freed. */
TILEC_JIT_API void tilec_jit_memory_remove(tilec_jit_compiler *compiler, const void *address);

/* Between a freeze and its thaw, in any thread, a launch that would have to compile, load or
 * measure fails with TILEC_ERROR_NOT_PREPARED instead: for stretches that must not stall, and for
 * the capture of CUDA graphs. Calls count: each freeze needs its thaw. */
TILEC_JIT_API void tilec_jit_freeze(void);
TILEC_JIT_API void tilec_jit_thaw(void);

/*===-- Profiles --------------------------------------------------------------------===*/

/* The functions of profile.h, which says what they do, for the launches of libtilec. It records
 * those that measure configurations, too. TILEC_PROFILE counts here as well. */
TILEC_JIT_API void tilec_jit_profile_record(int32_t on);
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_profile_write(const char *path);
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_profile_print(int32_t file);
TILEC_JIT_API void tilec_jit_profile_clear(void);
/* Says how many bytes the calling thread's next launch reads and writes, and how many operations of
 * arithmetic it takes; 0 is unknown. */
TILEC_JIT_API void tilec_jit_profile_describe(uint64_t bytes, uint64_t operations);

/*===-- Modules and kernels ---------------------------------------------------------===*/

/* A source file that was read. */
typedef struct tilec_jit_module tilec_jit_module;

/* Reads `bytes` bytes of source text; `name` stands for the file in messages. A syntax error inside
 * a kernel is an error here. The text imports only what is in the compiler's import_paths. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_module_create(tilec_jit_compiler *compiler,
                                                            const char *source, size_t bytes,
                                                            const char *name,
                                                            tilec_jit_module **module);
/* The same for a file, which is read now. What it imports is looked for around the file first, read
 * when a kernel first needs it, and then kept: to see changes on disk, open the file again. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_module_open(tilec_jit_compiler *compiler,
                                                          const char *path,
                                                          tilec_jit_module **module);
TILEC_JIT_API tilec_jit_module *tilec_jit_module_retain(tilec_jit_module *module);
TILEC_JIT_API void tilec_jit_module_release(tilec_jit_module *module);

/* A value for a parameter, as the language writes it: "1024", "True", "tl.float16". */
typedef struct tilec_jit_constant {
  const char *name;
  const char *value;
} tilec_jit_constant;

/* Among the types of the arguments: a C++ nullptr_t, which is the constant None, and the brackets
 * around the elements of a tuple. Tuples may be elements, up to a depth of 32. A tuple for a
 * parameter that is annotated with a named tuple of as many fields has their names.
 * A tensor descriptor is, between TILEC_JIT_DESCRIPTOR and TILEC_JIT_TUPLE_END, the type of a
 * pointer to its elements, TILEC_TYPE_I32 for the size of each axis, from 1 to
 * TILEC_MAX_TENSOR_AXES of them, and TILEC_TYPE_I64 for the stride, in elements, of each axis but
 * the last, whose stride is 1. A launch passes these like the elements of a tuple. It fails unless
 * the address and the strides are multiples of 16 bytes, and sizes above 0. */
enum {
  TILEC_JIT_DESCRIPTOR = 252,
  TILEC_JIT_TUPLE = 253,
  TILEC_JIT_TUPLE_END = 254,
  TILEC_JIT_NONE = 255
};

/* Which kernel, for which arguments. */
typedef struct tilec_jit_request {
  uint32_t struct_size; /* sizeof(tilec_jit_request) */
  uint32_t num_types;
  uint32_t num_constants;
  uint32_t num_warps;  /* 0: chosen, or said by a configuration */
  uint32_t num_ctas;   /* 0: likewise */
  uint32_t num_stages; /* 0: likewise; a kernel without tl.dot does not read it */
  uint32_t maxnreg;    /* 0: no limit but the hardware's */
  uint32_t reserved;
  const char *name;
  const uint8_t *types; /* a tilec_type, or one of the above, for each argument of a launch */
  const tilec_jit_constant *constants;
  const char *grid; /* "cdiv(n, BLOCK), 2" over parameters, or NULL: each launch gives numbers */
  /* "n <= BLOCK": what must hold for each launch, beside what the kernel's masks show; or "True":
   * they count for nothing; or NULL. A launch takes the configuration for which it holds. */
  const char *require;
  /* The blocks of parameters that are tensor descriptors, "a=tensordesc<bf16[BLOCK_M, 64]>, b=..",
   * as signatures spell them; or NULL. */
  const char *descriptors;
} tilec_jit_request;

/* A kernel with the C++ types of its arguments; launches specialise it as Triton's do. */
typedef struct tilec_jit_kernel tilec_jit_kernel;

/* Finds a kernel and matches the types with its parameters: those without a constant, in order.
 * Compiles nothing yet. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_kernel_get(tilec_jit_module *module,
                                                         const tilec_jit_request *request,
                                                         tilec_jit_kernel **kernel);
TILEC_JIT_API tilec_jit_kernel *tilec_jit_kernel_retain(tilec_jit_kernel *kernel);
TILEC_JIT_API void tilec_jit_kernel_release(tilec_jit_kernel *kernel);

/* The warnings so far, as the tools print them: of the decorators, and of each variant that was
 * compiled. */
TILEC_JIT_API tilec_jit_text tilec_jit_kernel_warnings(tilec_jit_kernel *kernel);

/* Programs along each axis, and where they are launched. */
typedef struct tilec_jit_launch_options {
  void *stream; /* a CUstream or cudaStream_t, NULL is the legacy default stream; NULL on a CPU */
  int64_t grid[3]; /* ignored for a kernel that has a grid expression */
} tilec_jit_launch_options;

/* Launches the kernel, or fails with TILEC_ERROR_NO_CONFIG where a condition does not hold: that of
 * the request, or one that the kernel's masks show. `arguments` holds the address of each argument,
 * and in place of a tuple those of its elements. On a GPU it returns without waiting, on the
 * processor when all programs have run. The first launch for a new class of arguments compiles:
 * integers are distinguished by whether they are 1 and whether they are multiples of 16, addresses
 * by whether they are multiples of 16. Later ones take no lock, except for kernels with
 * @triton.autotune or @triton.heuristics.
 * The first launch for a key of @triton.autotune measures the configurations with these
 * arguments, and waits for the device; a kernel with restore_value or reset_to_zero cannot be
 * measured so, which is an error unless its times are known. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_launch(tilec_jit_kernel *kernel,
                                                     const tilec_jit_launch_options *options,
                                                     void *const *arguments);
/* Compiles and loads what a launch with these arguments would run, and runs nothing: for a kernel
 * with @triton.autotune the known configuration, else the first that suits. Fails where the launch
 * would for a condition. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_prepare(tilec_jit_kernel *kernel,
                                                      void *const *arguments);
/* The code that prepare would load: PTX for a GPU, which may take tensor maps behind the parameters
 * of the source, or an object file for the processor. Needs no device. */
TILEC_JIT_NODISCARD tilec_jit_error tilec_jit_code(tilec_jit_kernel *kernel, void *const *arguments,
                                                   tilec_jit_text *code);

#ifdef __cplusplus
}
#endif

#endif /* TILEC_JIT_C_H */
