/*===- MockInjection.c - Stands in for a profiler's library ----------------*- C -*-===*\
|*
|* What NVTX_INJECTION64_PATH names: attaches to NVTX 3 as profilers do, and prints the ranges that
|* are marked. With MOCK_NVTX=refuse it declines.
|*
\*===----------------------------------------------------------------------------===*/

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef struct {
  size_t struct_size;
  int (*get_function_table)(int module, Function ***table, unsigned *size);
} Callbacks;
typedef struct {
  size_t struct_size;
  uint32_t version, reserved;
  void (*set_version)(uint32_t version);
} VersionInfo;

static int push(const char *name) { return printf("injected push %s\n", name); }
static int pop(void) { return printf("injected pop\n"); }

/* Each module of NVTX has a table of at least so many functions, the first of them unused. */
static int check_tables(const Callbacks *callbacks) {
  static const unsigned expected[] = {16, 9, 15, 7, 16, 7};
  unsigned i, j, size = 0;
  Function **table = NULL;
  for (i = 0; i < 6; ++i) {
    if (!callbacks->get_function_table((int)i + 1, &table, &size) || size != expected[i] ||
        table[0])
      return 0;
    for (j = 1; j < size; ++j)
      if (!table[j] || *table[j])
        return 0;
    if (table[size])
      return 0;
  }
  return !callbacks->get_function_table(0, &table, &size) &&
         !callbacks->get_function_table(7, &table, &size);
}

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id)) {
  const Callbacks *callbacks = (const Callbacks *)get_export_table(1);
  const VersionInfo *version = (const VersionInfo *)get_export_table(3);
  const char *wanted = getenv("MOCK_NVTX");
  Function **table = NULL;
  unsigned size = 0;
  if (get_export_table(2) || !callbacks || callbacks->struct_size != sizeof(*callbacks) ||
      !version || version->struct_size != sizeof(*version) || version->version != 3 ||
      !check_tables(callbacks)) {
    printf("the tables are wrong\n");
    return 0;
  }
  version->set_version(3);
  callbacks->get_function_table(1, &table, &size);
  *table[9] = (Function)push;
  *table[11] = (Function)pop;
  return !wanted || strcmp(wanted, "refuse") != 0;
}
