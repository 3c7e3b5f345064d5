/*===- runtime_c.h - The C interface of the host runtime ----------------*- C -*-===*\
|*
|* Devices, memory, streams, modules and kernel launches over the CUDA driver, in C99. It
|* includes no CUDA header and links no CUDA library: the driver is opened with dlopen at the
|* first call that needs it. runtime.h puts C++ classes on top; docs/runtime.md explains both.
|*
|* Rules that hold for every function here, unless its comment says otherwise:
|*  - Errors. A function that can fail returns a tilec_status; NULL is success. On failure no
|*    output is written. The library never prints, exits, aborts or throws.
|*  - Contexts. The calling thread's current CUDA context is the same on return as on entry.
|*  - Threads. Any function may be called from any thread at any time. Two threads must not
|*    write the same output, and no thread may use an object after its last release.
|*  - Ownership. Objects are counted. What a `create`, `open`, `load` or `get` function returns
|*    has one reference, which the caller gives up with `release`; objects keep what they depend
|*    on alive. Passing NULL to a `retain` or `release` function does nothing.
|*  - Strings are UTF-8 and end in NUL. Sizes and offsets are in bytes. Times are in milliseconds.
|*  - Streams are CUstream values as void *: a cudaStream_t is one too. NULL is the legacy
|*    default stream of the object's context.
|*
\*===----------------------------------------------------------------------------===*/

#ifndef TILEC_RUNTIME_C_H
#define TILEC_RUNTIME_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILEC_NODISCARD __attribute__((warn_unused_result))
#else
#define TILEC_NODISCARD
#endif

/*===-- Status ----------------------------------------------------------------------===*/

/* What kind of failure a status reports. Values are stable; new ones are added at the end. */
typedef enum tilec_code {
  TILEC_OK = 0,
  TILEC_ERROR_NO_DRIVER = 1,          /* the driver library is missing or is a stub */
  TILEC_ERROR_DRIVER_TOO_OLD = 2,     /* it lacks a function, or the PTX version of an image */
  TILEC_ERROR_NO_DEVICE = 3,          /* no CUDA device, or none with that number */
  TILEC_ERROR_INVALID_ARGUMENT = 4,   /* a call that could never work: sizes, ranges, NULL */
  TILEC_ERROR_INVALID_IMAGE = 5,      /* neither PTX nor a cubin, or one the driver rejects */
  TILEC_ERROR_WRONG_ARCHITECTURE = 6, /* the image is for another kind of device */
  TILEC_ERROR_NO_KERNEL = 7,          /* the module has no kernel of that name */
  TILEC_ERROR_ARGUMENT_MISMATCH = 8,  /* launch arguments differ from the kernel's parameters */
  TILEC_ERROR_INVALID_GRID = 9,       /* a grid dimension is negative or over the limit */
  TILEC_ERROR_OUT_OF_MEMORY = 10,     /* on the device */
  TILEC_ERROR_OUT_OF_HOST_MEMORY = 11,
  TILEC_ERROR_OUT_OF_RESOURCES = 12, /* threads, registers or shared memory do not fit */
  TILEC_ERROR_DEVICE_FAULT = 13,     /* a kernel faulted; its context is unusable from now on */
  TILEC_ERROR_DRIVER = 14,           /* any other error of the driver */
  TILEC_ERROR_NOT_PREPARED = 15,     /* code had to be loaded, while that was forbidden */
  TILEC_ERROR_NO_CONFIG = 16,        /* none that was compiled has these constexprs and suits */
  TILEC_ERROR_ASSERTION = 17         /* an assertion of the kernel failed, on the CPU */
} tilec_code;

/* An error, or NULL for success. Immutable, so threads may share one. */
typedef struct tilec_status_object *tilec_status;

/* The kind of failure; TILEC_OK for NULL. */
tilec_code tilec_status_code(tilec_status status);
/* The whole message: what failed, for which kernel and device, and the driver's words. Starts in
 * lower case, has no full stop; may hold several lines when the driver sent a log. "success" for
 * NULL. The text lives as long as the status. */
const char *tilec_status_message(tilec_status status);
/* The kernel concerned, or "". */
const char *tilec_status_kernel(tilec_status status);
/* The driver's own text ("CUDA_ERROR_X: description", then any log), or "". */
const char *tilec_status_driver_text(tilec_status status);
/* The driver's result (a CUresult), or 0 when the driver was not the one to complain. */
int32_t tilec_status_driver_code(tilec_status status);
/* Adds a reference and returns `status`. */
tilec_status tilec_status_retain(tilec_status status);
/* Gives a reference up. */
void tilec_status_release(tilec_status status);

/*===-- Driver and devices ----------------------------------------------------------===*/

/* A device together with the CUDA context through which it is used. */
typedef struct tilec_device tilec_device;

/* Facts about a device that do not change. Later versions may add fields at the end. */
typedef struct tilec_device_info {
  uint32_t struct_size; /* sizeof this structure as the library knows it */
  int32_t ordinal;      /* number of the device as the driver counts, from 0 */
  int32_t capability_major;
  int32_t capability_minor;
  int32_t multiprocessors;
  int32_t warp_size;
  int32_t max_threads_per_block;
  int32_t max_grid[3];            /* blocks along x, y and z */
  int32_t shared_per_block;       /* what a kernel gets without asking */
  int32_t shared_per_block_limit; /* what it can get by asking (done at tilec_kernel_get) */
  int32_t shared_per_multiprocessor;
  uint64_t total_memory;
  const char *name; /* for example "NVIDIA H200"; lives as long as the device object */
  int32_t max_threads_per_multiprocessor;
  int32_t cluster_launch; /* 1 if blocks can be launched in clusters, else 0 */
} tilec_device_info;

/* Opens the driver if need be and gives the CUDA version it supports: 1000 * major + 10 * minor.
 * The library opened is libcuda.so.1, or the one the environment variable TILEC_CUDA_DRIVER
 * names. That happens once a process; its outcome, failure included, is kept. */
TILEC_NODISCARD tilec_status tilec_driver_version(int32_t *version);

/* Number of CUDA devices. A driver without any is TILEC_ERROR_NO_DEVICE, never a count of 0. */
TILEC_NODISCARD tilec_status tilec_device_count(int32_t *count);

/* Opens device `ordinal`, or with -1 the device of the calling thread's current context (device 0
 * when there is none). Uses the current context if there is one on that device, as with the CUDA
 * runtime or torch in the process; otherwise retains the device's primary context, which is the
 * one they would use. A current context that is not the primary one must outlive the object. */
TILEC_NODISCARD tilec_status tilec_device_open(int32_t ordinal, tilec_device **device);
tilec_device *tilec_device_retain(tilec_device *device);
void tilec_device_release(tilec_device *device);

/* The facts about `device`; they live as long as it does. */
const tilec_device_info *tilec_device_get_info(const tilec_device *device);
/* The CUcontext in which this object works. */
void *tilec_device_context(const tilec_device *device);
/* Device memory free now, and in all. Either pointer may be NULL. */
TILEC_NODISCARD tilec_status tilec_device_memory(tilec_device *device, uint64_t *free_bytes,
                                                 uint64_t *total_bytes);
/* Waits until everything submitted to the device's context is done; reports faults of kernels. */
TILEC_NODISCARD tilec_status tilec_device_synchronize(tilec_device *device);

/*===-- Memory ----------------------------------------------------------------------===*/

/* A block of device memory. */
typedef struct tilec_buffer tilec_buffer;

/* Allocates `bytes` bytes; their contents are undefined. 0 gives an empty buffer at address 0. */
TILEC_NODISCARD tilec_status tilec_buffer_create(tilec_device *device, size_t bytes,
                                                 tilec_buffer **buffer);
tilec_buffer *tilec_buffer_retain(tilec_buffer *buffer);
/* The last release frees the memory, after the work that uses it, as cuMemFree does. */
void tilec_buffer_release(tilec_buffer *buffer);
/* The device address, at least 256-byte aligned (0 when empty), and the size asked for. */
uint64_t tilec_buffer_address(const tilec_buffer *buffer);
size_t tilec_buffer_bytes(const tilec_buffer *buffer);

/* Copies `bytes` bytes into the buffer at `offset` from host memory, or out of it, or between
 * two buffers of one context, in `stream`'s order and without waiting for it: host memory must
 * stay valid until the stream has been synchronised. A range outside the buffer is
 * TILEC_ERROR_INVALID_ARGUMENT; 0 bytes do nothing. */
TILEC_NODISCARD tilec_status tilec_buffer_copy_in(tilec_buffer *buffer, size_t offset,
                                                  const void *host, size_t bytes, void *stream);
TILEC_NODISCARD tilec_status tilec_buffer_copy_out(tilec_buffer *buffer, size_t offset, void *host,
                                                   size_t bytes, void *stream);
TILEC_NODISCARD tilec_status tilec_buffer_copy(tilec_buffer *to, size_t to_offset,
                                               tilec_buffer *from, size_t from_offset, size_t bytes,
                                               void *stream);
/* Sets `bytes` bytes at `offset` to `value`, in `stream`'s order. */
TILEC_NODISCARD tilec_status tilec_buffer_fill(tilec_buffer *buffer, size_t offset, size_t bytes,
                                               uint8_t value, void *stream);

/*===-- Streams and events ----------------------------------------------------------===*/

/* Creates a stream; it keeps order with the legacy default stream unless `non_blocking` is not 0.
 * The caller destroys it, with the same device, once. Destroying does not wait for its work. */
TILEC_NODISCARD tilec_status tilec_stream_create(tilec_device *device, int32_t non_blocking,
                                                 void **stream);
void tilec_stream_destroy(tilec_device *device, void *stream);
/* Waits for the work in `stream`. `device` is the stream's; with NULL the thread must have a
 * current context, and `stream` must belong to it. Reports faults of kernels. */
TILEC_NODISCARD tilec_status tilec_stream_synchronize(tilec_device *device, void *stream);

/* Creates an event that takes the time. The caller destroys it, with the same device, once. */
TILEC_NODISCARD tilec_status tilec_event_create(tilec_device *device, void **event);
void tilec_event_destroy(tilec_device *device, void *event);
/* Puts the event into `stream`, after what is there; recording again replaces the earlier time. */
TILEC_NODISCARD tilec_status tilec_event_record(tilec_device *device, void *event, void *stream);
/* Waits until the event has happened (at once if it was never recorded). */
TILEC_NODISCARD tilec_status tilec_event_synchronize(tilec_device *device, void *event);
/* Time between two events that have happened; the resolution is about half a microsecond. */
TILEC_NODISCARD tilec_status tilec_event_elapsed(tilec_device *device, void *start, void *end,
                                                 float *milliseconds);

/*===-- Modules and kernels ---------------------------------------------------------===*/

/* A loaded image: one or more kernels, bound to a device and its context. */
typedef struct tilec_module tilec_module;
/* One kernel of a module, ready to launch. */
typedef struct tilec_kernel tilec_kernel;

/* Type of a kernel parameter or of a launch argument: a scalar, or TILEC_TYPE_POINTER plus the
 * element's type (TILEC_TYPE_POINTER alone points to anything). */
typedef enum tilec_type {
  TILEC_TYPE_INVALID = 0,
  TILEC_TYPE_I1 = 1, /* one byte, 0 or 1 */
  TILEC_TYPE_I8 = 2,
  TILEC_TYPE_U8 = 3,
  TILEC_TYPE_I16 = 4,
  TILEC_TYPE_U16 = 5,
  TILEC_TYPE_I32 = 6,
  TILEC_TYPE_U32 = 7,
  TILEC_TYPE_I64 = 8,
  TILEC_TYPE_U64 = 9,
  TILEC_TYPE_FP16 = 10,
  TILEC_TYPE_BF16 = 11,
  TILEC_TYPE_FP32 = 12,
  TILEC_TYPE_FP64 = 13,
  TILEC_TYPE_FP8E5 = 14,
  TILEC_TYPE_FP8E4NV = 15,
  TILEC_TYPE_FP8E4B15 = 16,
  TILEC_TYPE_POINTER = 32
} tilec_type;

/* One parameter of a kernel. */
typedef struct tilec_param {
  const char *name; /* for messages; may be NULL */
  uint32_t type;    /* a tilec_type */
  uint32_t offset;  /* in the parameter block */
} tilec_param;

/* The most axes that a tensor descriptor, and a tensor map, has: hardware knows no more. */
#define TILEC_MAX_TENSOR_AXES 5

/* What a step of an expression does. All numbers are integers of 64 bits that wrap around; they lie
 * on a stack, from which a step takes its operands and on which it leaves its result. Values are
 * stable; new ones are added at the end. */
typedef enum tilec_map_op {
  TILEC_MAP_ARGUMENT =
      1, /* argument `value` of the launch: an address, or an integer and its sign */
  TILEC_MAP_CONSTANT = 2, /* `value` */
  TILEC_MAP_ADD = 3,
  TILEC_MAP_SUB = 4,
  TILEC_MAP_MUL = 5,
  TILEC_MAP_DIV = 6, /* toward zero; by zero it is zero */
  TILEC_MAP_MIN = 7,
  TILEC_MAP_MAX = 8,
  TILEC_MAP_AND = 9,
  TILEC_MAP_OR = 10,
  TILEC_MAP_XOR = 11,
  TILEC_MAP_EQ = 12,   /* 1 or 0 */
  TILEC_MAP_LT = 13,   /* likewise, with signs */
  TILEC_MAP_SEXT = 14, /* the low `value` bits (8, 16 or 32) and their sign */
  TILEC_MAP_ZEXT = 15  /* the same without a sign */
} tilec_map_op;

/* One step of an expression. */
typedef struct tilec_map_step {
  uint32_t op;       /* a tilec_map_op */
  uint32_t reserved; /* 0 */
  int64_t value;
} tilec_map_step;

/* A tensor map that a launch makes of its arguments, for a parameter of 128 bytes (CUtensorMap)
 * behind those of the source. It is what cuTensorMapEncodeTiled makes with an unsigned integer as
 * element, steps of one element, no interleaving, and zeros outside of the tensor. Axes count from
 * the outermost one here. */
typedef struct tilec_tensor_map {
  uint32_t rank;          /* 1 to TILEC_MAX_TENSOR_AXES */
  uint32_t element_bytes; /* 1, 2, 4 or 8 */
  uint32_t swizzle;       /* a CUtensorMapSwizzle: 1 to 3 for lines of 32, 64 and 128 bytes */
  /* The elements of a box along each axis, 1 to 256. */
  uint32_t box[TILEC_MAX_TENSOR_AXES];
  uint32_t num_steps;
  /* Leave 0 if the launch does without the map, the address in bytes, the elements along each axis,
   * and for each axis but the last how many elements lie between neighbours, in this order, and
   * nothing else. */
  const tilec_map_step *steps;
} tilec_tensor_map;

/* What a launch puts into a tensor map, as cuTensorMapEncodeTiled takes it: the innermost axis
 * first. */
typedef struct tilec_tensor_map_values {
  uint64_t address;
  uint64_t sizes[TILEC_MAX_TENSOR_AXES];       /* elements */
  uint64_t strides[TILEC_MAX_TENSOR_AXES - 1]; /* bytes, beginning with the second axis */
  uint32_t box[TILEC_MAX_TENSOR_AXES];
  uint32_t is_needed; /* 0: the launch does without the map, and all else is 0 */
} tilec_tensor_map_values;

/* Bits of tilec_launch_record.flags. */
enum {
  /* The record was made together with the image. That the image has no further parameters is then
   * taken for granted: the driver tells it by a call that fails, which compute-sanitizer
   * reports. */
  TILEC_RECORD_OF_IMAGE = 1
};

/* How launches give several programs to a block.
 *
 * Beside each other, in launches of many small ones: a GPU starts one to two blocks a nanosecond,
 * whatever these do. The kernel's code for such launches has no shared memory, and takes its
 * program from the block and the thread (tilec_launch_shape).
 *
 * One after the other, in a persistent kernel: `threads` and `least` are 0, and a launch has
 * `programs` blocks for each multiprocessor at most. Behind the kernel's own parameters, before its
 * maps, it has three more of type uint32_t, in which the launch passes the grid of programs. */
typedef struct tilec_packing {
  uint16_t threads; /* of a program, a multiple of 32; or 0 */
  uint8_t programs; /* of a block at most, 2 or more; 0: each program has a block of its own */
  uint8_t least;    /* programs for each multiprocessor, in the whole grid, to launch like this */
} tilec_packing;

/* What a launch of a kernel needs to know, as the compiler reports it (tilec --emit=json). */
typedef struct tilec_launch_record {
  uint32_t struct_size; /* sizeof(tilec_launch_record), for compatibility with later versions */
  uint32_t threads;     /* threads in a block, all along x */
  uint32_t dynamic_shared_bytes; /* shared memory beyond what the image declares */
  uint32_t num_params;           /* entries in `params` */
  const char *symbol;            /* the kernel's name in the image */
  const tilec_param *params;     /* in order; NULL when the parameters are not known */
  uint32_t num_ctas; /* blocks of a program: 1 (or 0), or a cluster of 2, 4, 8 or 16 along x */
  uint32_t flags;    /* TILEC_RECORD_ bits */
  const tilec_tensor_map *maps; /* in order of their offsets; with `params` only */
  uint32_t num_maps;            /* entries in `maps`, 32 at most */
  tilec_packing packing;        /* or zeros */
} tilec_launch_record;

/* The blocks of a launch. Those of a persistent kernel lie along x. Where blocks have several
 * programs beside each other, the threads of one lie along x of the
 * block, and the programs of a block along y or z: y of the block divides x of the grid, z of the
 * block divides y of the grid. Programs that the last block along x lacks are counted by
 * `dynamic_shared_bytes`, which the code reads. */
typedef struct tilec_launch_shape {
  uint32_t grid[3];  /* blocks */
  uint32_t block[3]; /* threads */
  uint32_t dynamic_shared_bytes;
} tilec_launch_shape;

/* Facts about a kernel. Later versions may add fields at the end. */
typedef struct tilec_kernel_info {
  uint32_t struct_size;
  uint32_t threads;
  uint32_t static_shared_bytes;
  uint32_t dynamic_shared_bytes;
  uint32_t registers;   /* per thread */
  uint32_t local_bytes; /* per thread: spills and stack */
  uint32_t max_threads; /* the largest block that the compiled code can run with */
  uint32_t num_params;  /* UINT32_MAX when neither record nor driver tells */
  const char *name;
  uint32_t num_ctas; /* blocks of a program; above 1 they are a cluster */
} tilec_kernel_info;

/* What a kernel takes, and how much of it the device holds at once. A block is a CTA; a program is
 * one block, or one cluster of them. */
typedef struct tilec_occupancy {
  uint32_t struct_size;         /* set by the caller: sizeof(tilec_occupancy) */
  uint32_t threads;             /* of a block */
  uint32_t num_ctas;            /* blocks of a program */
  uint32_t registers;           /* of a thread */
  uint32_t local_bytes;         /* of a thread: spills and stack */
  uint32_t static_shared_bytes; /* of a block */
  uint32_t dynamic_shared_bytes;
  uint32_t multiprocessors;           /* of the device */
  uint32_t blocks_per_multiprocessor; /* that are resident at once */
  uint32_t warps_per_multiprocessor;  /* of those blocks */
  uint32_t max_warps_per_multiprocessor;
  uint32_t resident_programs; /* on the whole device, if nothing else runs there */
} tilec_occupancy;

/* Loads `bytes` bytes of PTX text (a terminating NUL is not needed) or of a cubin, told apart by
 * their first bytes; the image may be freed afterwards. PTX is compiled by the driver, whose log is
 * in the message when that fails. */
TILEC_NODISCARD tilec_status tilec_module_load(tilec_device *device, const void *image,
                                               size_t bytes, tilec_module **module);
tilec_module *tilec_module_retain(tilec_module *module);
/* The last release, that of its kernels included, unloads the image. */
void tilec_module_release(tilec_module *module);

/* Finds the kernel `record->symbol` and prepares launches: checks threads, shared memory and
 * clusters against the device, allows the dynamic shared memory and clusters above 8 blocks, and
 * compares the parameters with those of the image where the driver can tell them (CUDA 12.4). The
 * record is copied; one of an earlier version of this header is understood. */
TILEC_NODISCARD tilec_status tilec_kernel_get(tilec_module *module,
                                              const tilec_launch_record *record,
                                              tilec_kernel **kernel);
tilec_kernel *tilec_kernel_retain(tilec_kernel *kernel);
void tilec_kernel_release(tilec_kernel *kernel);
/* The facts about `kernel`; they live as long as it does. */
const tilec_kernel_info *tilec_kernel_get_info(const tilec_kernel *kernel);
/* Blocks of this kernel that fit on one multiprocessor at a time. */
TILEC_NODISCARD tilec_status tilec_kernel_max_active_blocks(tilec_kernel *kernel, int32_t *blocks);
/* Fills `occupancy`, of which `struct_size` must be set. The driver is asked at each call, which
 * takes microseconds: keep the answer. */
TILEC_NODISCARD tilec_status tilec_kernel_get_occupancy(tilec_kernel *kernel,
                                                        tilec_occupancy *occupancy);
/* The programs of this kernel that the device holds at once, at least 1: the grid of a persistent
 * kernel. An error if not even one fits. */
TILEC_NODISCARD tilec_status tilec_kernel_resident_programs(tilec_kernel *kernel,
                                                            int32_t *programs);

/* Launches x * y * z programs in `stream` and returns without waiting: as many blocks, or as many
 * clusters of the record's `num_ctas` blocks, which lie along x. `args[i]` points to the value of
 * argument i and `types[i]` is its tilec_type. Types are checked against the record; without one,
 * the number and the sizes are checked where the driver can tell them, and otherwise both are the
 * caller's responsibility. Tensor maps of the record are made from the arguments, and are not among
 * these; TILEC_ERROR_INVALID_ARGUMENT if hardware has no map of such a tensor. A 0 in the grid is
 * success without a launch. Takes no lock and allocates nothing unless it fails. A fault inside the
 * kernel shows in a later call. */
TILEC_NODISCARD tilec_status tilec_launch(tilec_kernel *kernel, void *stream, int64_t x, int64_t y,
                                          int64_t z, void *const *args, const uint8_t *types,
                                          uint32_t num_args);

/* What launches put into map `number` of `record`, for who launches such a kernel without this
 * library. `args[i]` points to the value of argument i, as for tilec_launch. TILEC_ERROR_INVALID_
 * ARGUMENT if hardware has no map of such a tensor, with the broken rule and the name of the
 * tensor's parameter. Needs no driver. */
TILEC_NODISCARD tilec_status tilec_tensor_map_evaluate(const tilec_launch_record *record,
                                                       uint32_t number, void *const *args,
                                                       tilec_tensor_map_values *values);

/* The blocks that tilec_launch makes of x * y * z programs on a device with so many
 * multiprocessors, for who launches such a kernel without this library; one block (or cluster) for
 * each program is as correct. TILEC_ERROR_INVALID_GRID if CUDA has no such grid. Needs no driver.
 */
TILEC_NODISCARD tilec_status tilec_launch_shape_evaluate(const tilec_launch_record *record,
                                                         uint32_t multiprocessors, int64_t x,
                                                         int64_t y, int64_t z,
                                                         tilec_launch_shape *shape);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILEC_RUNTIME_C_H */
