/*===- profile.h - What launches took -----------------------------------*- C -*-===*\
|*
|* Records each launch of the runtime, in C99: how long it took, by events on a GPU and by the clock
|* on the CPU, and what is known of it. What was recorded becomes a trace, which chrome://tracing
|* and Perfetto load, and a table by kernel.
|*
|* Off unless the environment variable TILEC_PROFILE names the trace's file, or "-": then launches
|* are recorded from the first one on, and the trace is written, or with "-" the table printed to
|* standard error, when the program ends. If another process, or another copy of the runtime in this
|* one, is at work on the file, its name gets a number: trace.2.json. Only then the library prints
|* something else, too: why the file could not be written, to standard error. The child of a fork
|* records nothing.
|*
|* The rules at the top of runtime_c.h hold here too. docs/embedding.md is the guide.
|*
\*===----------------------------------------------------------------------------===*/

#ifndef TILEC_PROFILE_H
#define TILEC_PROFILE_H

#include "tilec/runtime_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether launches are recorded from now on. A launch that is recorded costs the host some
 * microseconds, and on a GPU waits for the one before it in its stream, also where it is dependent.
 * Launches while a stream is captured into a graph are counted, but have no times; those of the
 * graph are not seen. A context in which launches were recorded is kept until tilec_profile_clear
 * where the runtime may keep it; one that the program destroys must be cleared before. */
void tilec_profile_record(int32_t on);

/* Whether launches are recorded now: 1 or 0. */
int32_t tilec_profile_is_recording(void);

/* Facts about a launch that the runtime does not see. */
typedef struct tilec_profile_facts {
  uint32_t struct_size;  /* sizeof(tilec_profile_facts) */
  uint32_t reserved;     /* 0 */
  const char *constants; /* "BLOCK=64, num_warps=4", which tells variants apart; or NULL */
  const char *signature; /* "x=*fp32:16, n=i32", likewise; or NULL */
  uint64_t bytes;        /* that the launch reads and writes; 0 is unknown */
  uint64_t operations;   /* of arithmetic; 0 is unknown */
} tilec_profile_facts;

/* What holds for the next launch of the calling thread, recorded or not; the texts must live until
 * it returns. Of a kernel in an object the runtime knows constants and signature itself, and what
 * is given here counts instead. A launch that fails uses the facts up as well. */
void tilec_profile_describe(const tilec_profile_facts *facts);

/* A clock for tilec_profile_add: nanoseconds since some moment, which never go back. */
uint64_t tilec_profile_clock(void);

/* Records work on the CPU that was not a launch of the runtime, by the calling thread: `device` is
 * where it ran, for people, or NULL. `facts` may be NULL. Does nothing while launches are not
 * recorded. */
TILEC_NODISCARD tilec_status tilec_profile_add(const char *kernel, const char *device,
                                               uint64_t begin, uint64_t end, const int64_t *grid,
                                               const tilec_profile_facts *facts);

/* Waits for the recorded launches and writes the trace to `path`, or with NULL to the file of
 * TILEC_PROFILE. What was recorded stays. */
TILEC_NODISCARD tilec_status tilec_profile_write(const char *path);

/* Waits likewise and prints the table, one line for each variant of a kernel, to a file that is
 * open: 1 is standard output. */
TILEC_NODISCARD tilec_status tilec_profile_print(int32_t file);

/* Waits likewise and forgets what was recorded, and releases all that belongs to it. */
void tilec_profile_clear(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILEC_PROFILE_H */
