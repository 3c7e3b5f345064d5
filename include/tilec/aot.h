/*===- aot.h - Launching kernels that are compiled into the program ------*- C -*-===*\
|*
|* What the objects that `tilec -o kernels.o` writes and the runtime agree on, in C99. A program
|* uses the first half, through the generated header: launch options, preparing, freezing. The
|* second half is the tables in such an object and the functions that its code calls; they are
|* versioned, so that objects of several versions of tilec can be linked into one program.
|*
|* The rules at the top of runtime_c.h hold here too. docs/embedding.md is the guide.
|*
\*===----------------------------------------------------------------------------===*/

#ifndef TILEC_AOT_H
#define TILEC_AOT_H

#include "tilec/runtime_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Launching -------------------------------------------------------------------===*/

/* Shares the programs of a launch on the CPU out to the caller's own threads. */
typedef struct tilec_executor {
  uint32_t struct_size; /* sizeof(tilec_executor) */
  uint32_t reserved;    /* 0 */
  void *self;           /* passed on */
  /* Calls body(task, begin, end) for ranges that cover 0 .. count - 1, each number once, on any
   * threads and in any order, and returns after the last call has. A range may hold one number.
   * Must not throw. */
  void (*for_each)(void *self, uint64_t count,
                   void (*body)(void *task, uint64_t begin, uint64_t end), void *task);
} tilec_executor;

/* Bits of tilec_launch_options.flags. */
enum {
  TILEC_LAUNCH_GRID = 1,     /* `grid` is given; otherwise the kernel's own expression counts */
  TILEC_LAUNCH_CPU = 2,      /* run the kernel's CPU code here and wait for it */
  TILEC_LAUNCH_DEPENDENT = 4 /* may start while the launch before it in the stream still runs:
                                programmatic dependent launch, from compute capability 9.0 on */
};

/* How and where to launch. Start from TILEC_LAUNCH_OPTIONS; a null pointer to one means the
 * same. */
typedef struct tilec_launch_options {
  uint32_t struct_size; /* sizeof(tilec_launch_options) */
  uint32_t flags;       /* TILEC_LAUNCH_ bits */
  void *stream;         /* a cudaStream_t or CUstream; NULL is the legacy default stream */
  /* The device in whose context to launch, or NULL: then the calling thread's current context
   * counts, or without one the stream's, or without a stream the primary one of device 0. */
  tilec_device *device;
  int64_t grid[3];                /* programs, with TILEC_LAUNCH_GRID */
  const tilec_executor *executor; /* with TILEC_LAUNCH_CPU; NULL is the runtime's own threads */
  uint32_t config;                /* a compiled configuration, from 1, or 0: chosen by constexprs */
  uint32_t reserved;              /* 0 */
} tilec_launch_options;

#define TILEC_LAUNCH_OPTIONS {sizeof(tilec_launch_options), 0, NULL, NULL, {1, 1, 1}, NULL, 0, 0}

/* As the value of a constexpr in a launch: any, which takes the first configuration that suits. */
#define TILEC_ANY INT64_MIN

/* Between tilec_freeze and tilec_thaw a launch, in any thread of the process, that would have to
 * load code first fails with TILEC_ERROR_NOT_PREPARED instead. Calls count: each freeze needs its
 * thaw. */
void tilec_freeze(void);
void tilec_thaw(void);

/* Whether launches are marked as NVTX ranges, with the kernel's name and its constants ("scale
 * (BLOCK=64)"), which costs a microsecond; those of the runtime itself, too. Off unless the
 * environment variable TILEC_NVTX is 1. The ranges go to the profiler that the process runs under
 * (NVTX_INJECTION64_PATH, which profilers set, names its library), or without one to
 * libnvToolsExt.so.1 where CUDA up to 12 has installed it. Returns whether ranges are marked now: 0
 * also when nobody takes them. */
int32_t tilec_mark_launches(int32_t on);

/*===-- Tables in compiled objects --------------------------------------------------===*/

/* Version of everything below. */
#define TILEC_AOT_VERSION 2
/* The oldest version of tables that the runtime reads. In version 1 no code takes tensor maps. */
#define TILEC_AOT_OLDEST_VERSION 1

/* What an image is. */
enum {
  TILEC_AOT_PTX = 0,   /* text that ends in NUL, which `bytes` does not count */
  TILEC_AOT_CUBIN = 1, /* machine code of a GPU */
  TILEC_AOT_CPU = 2,   /* a function of type tilec_aot_cpu_code */
  /* A bit beside the first two: `data` is a tilec_aot_mapped_code. */
  TILEC_AOT_MAPPED = 16
};

/* Code of a GPU whose launches make tensor maps, or may give several programs to a block. */
typedef struct tilec_aot_mapped_code {
  const void *data;
  const tilec_tensor_map *maps; /* as in tilec_launch_record */
  uint32_t num_maps;
  tilec_packing packing; /* as in tilec_launch_record */
} tilec_aot_mapped_code;

/* One program on the CPU: arguments in slots of eight bytes, then the program's position and the
 * grid (six numbers), scratch memory aligned to 64, and where a failed assertion is written. */
typedef void (*tilec_aot_cpu_code)(const uint64_t *slots, const int32_t *position, void *scratch,
                                   void *failure);

/* Code of one variant for one architecture, with what a launch of it needs. */
typedef struct tilec_aot_image {
  uint32_t kind; /* TILEC_AOT_PTX and so on, and TILEC_AOT_MAPPED or not */
  /* Of a GPU: ten times the compute capability. Of the CPU: 1 to 4, as in x86-64-v1 to -v4; 1 for
   * aarch64. */
  uint32_t level;
  uint32_t suffix;  /* 'a' or 'f' as in sm_90a, or 0 */
  uint32_t threads; /* of a block */
  uint32_t dynamic_shared_bytes;
  uint32_t num_ctas; /* blocks of a program */
  uint64_t bytes;    /* of the image; on the CPU of the scratch memory that a thread needs */
  union {
    const void *data;
    tilec_aot_cpu_code code;
  } image;
} tilec_aot_image;

/* Code that makes certain assumptions about the arguments. Bit i stands for parameter i; only the
 * first 64 parameters take part. */
typedef struct tilec_aot_variant {
  uint64_t aligned; /* these are multiples of 16 */
  uint64_t ones;    /* these are 1 */
  uint32_t num_images;
  uint32_t reserved;
  const tilec_aot_image *images;
  void **state; /* 1 + num_images cells of the runtime, null at first */
} tilec_aot_variant;

/* One set of values for the constexpr parameters. */
typedef struct tilec_aot_config {
  const char *name;      /* as the generated header spells it: "BLOCK1024_w4" */
  const char *text;      /* for people: "BLOCK=1024, num_warps=4 if n <= BLOCK" */
  const int64_t *values; /* of the kernel's constexprs; see tilec_aot_constexpr */
  /* Whether this configuration may be used for these arguments: 1 or 0, or as for `grid` a negative
   * number. NULL: always. */
  int32_t (*accepts)(const uint64_t *slots);
  /* Sets the programs along x, y and z; 0 on success, -1 when a number does not fit 64 bits, -2
   * after a division by 0. NULL: no expression was compiled. */
  int32_t (*grid)(const uint64_t *slots, int64_t *grid);
  const tilec_aot_variant *variants; /* most specific first; the last one assumes nothing */
  uint32_t num_variants;
  uint32_t tune; /* which configuration of the autotuner, from 1; 0: none */
} tilec_aot_config;

/* A choice among the autotuner's configurations that was measured. */
typedef struct tilec_aot_tuned {
  uint64_t device;    /* the 64-bit FNV-1a hash of the GPU's name; any for the CPU */
  uint32_t level;     /* ten times its compute capability; 0 is the CPU */
  uint32_t tune;      /* as in tilec_aot_config */
  const int64_t *key; /* for these values of the kernel's key */
} tilec_aot_tuned;

/* A constexpr parameter. Its value is the number itself (booleans are 0 and 1), or, if a value of
 * another kind was compiled, the index in the list of compiled values. */
typedef struct tilec_aot_constexpr {
  const char *name;
  const char *const *values; /* texts of the compiled values, or NULL for numbers */
  uint32_t num_values;
  uint32_t reserved;
} tilec_aot_constexpr;

/* A kernel with one set of parameter types. */
typedef struct tilec_aot_kernel {
  uint32_t version; /* TILEC_AOT_VERSION */
  uint32_t num_params;
  const char *name; /* also the symbol in every GPU image */
  const tilec_param *params;
  const tilec_aot_constexpr *constexprs;
  const tilec_aot_config *configs;
  uint32_t num_constexprs;
  uint32_t num_configs;
  const uint32_t *key; /* integer parameters by which tuned choices differ */
  const tilec_aot_tuned *tuned;
  uint32_t num_keys;
  uint32_t num_tuned;
} tilec_aot_kernel;

/* All kernels of one object. */
typedef struct tilec_aot_library {
  uint32_t version; /* TILEC_AOT_VERSION */
  uint32_t num_kernels;
  const tilec_aot_kernel *const *kernels;
} tilec_aot_library;

/* Launches `kernel` with arguments in slots of eight bytes, each in the low bytes of its slot with
 * zeros above; the slots may go when it returns. `constexprs` has the values wanted, or TILEC_ANY;
 * NULL is any for all. On a GPU it returns without waiting, takes no lock and allocates nothing
 * once the code is loaded, unless it fails; on the CPU it returns when all programs have run. */
TILEC_NODISCARD tilec_status tilec_aot_launch_v1(const tilec_aot_kernel *kernel,
                                                 const tilec_launch_options *options,
                                                 const int64_t *constexprs, const uint64_t *slots);

/* Sets all of `occupancy`, of which `struct_size` must be set, for the code that such a launch
 * would run on its GPU; the grid is ignored. Code that is not loaded is loaded, as by a launch.
 * Asks the driver, which takes microseconds: keep the answer. An error on the CPU, and if the
 * device holds not even one program. */
TILEC_NODISCARD tilec_status tilec_aot_occupancy_v1(const tilec_aot_kernel *kernel,
                                                    const tilec_launch_options *options,
                                                    const int64_t *constexprs,
                                                    const uint64_t *slots,
                                                    tilec_occupancy *occupancy);

/* Loads all code that launches with these options (device, stream, CPU) may need. */
TILEC_NODISCARD tilec_status tilec_aot_prepare_v1(const tilec_aot_library *library,
                                                  const tilec_launch_options *options);

/* Unloads what was loaded for the library. No launch or preparation of it may run meanwhile, and
 * the GPUs must have finished what was launched. */
void tilec_aot_unload_v1(const tilec_aot_library *library);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILEC_AOT_H */
