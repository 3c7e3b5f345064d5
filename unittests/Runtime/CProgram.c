/*===- CProgram.c - The runtime from C ----------------------------------*- C -*-===*\
|*
|* A program in C99, linked by the C compiler without the C++ library: opens a device, loads PTX,
|* launches and copies. ProgramTest runs it over the mock driver. Exits with
|* 0 if all went well, and prints what did not.
|*
\*===----------------------------------------------------------------------------===*/

#include "tilec/runtime_c.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expectSuccess(tilec_status status, const char *what) {
  if (status) {
    printf("%s: %s\n", what, tilec_status_message(status));
    ++failures;
  }
  tilec_status_release(status);
}

static void expectError(tilec_status status, tilec_code code, const char *kernel) {
  if (tilec_status_code(status) != code || strcmp(tilec_status_kernel(status), kernel) != 0) {
    printf("expected error %d of '%s', found: %s\n", (int)code, kernel,
           tilec_status_message(status));
    ++failures;
  }
  tilec_status_release(status);
}

static void launch(tilec_kernel *kernel, tilec_buffer *buffer) {
  uint64_t address = tilec_buffer_address(buffer);
  int32_t n = 4;
  void *args[2];
  const uint8_t types[2] = {TILEC_TYPE_POINTER + TILEC_TYPE_I32, TILEC_TYPE_I32};
  args[0] = &address;
  args[1] = &n;
  expectSuccess(tilec_launch(kernel, NULL, 1, 1, 1, args, types, 2), "launch");
  expectError(tilec_launch(kernel, NULL, 1, 1, 1, args, types, 1), TILEC_ERROR_ARGUMENT_MISMATCH,
              "k");
}

int main(void) {
  static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry k(.param .u64 p, .param .u32 n) { ret; }\n";
  const tilec_param params[2] = {{"p", TILEC_TYPE_POINTER + TILEC_TYPE_I32, 0},
                                 {"n", TILEC_TYPE_I32, 8}};
  tilec_launch_record record = {sizeof(record), 32, 0, 2, "k", NULL, 1, 0, NULL, 0, {0, 0, 0}};
  tilec_device *device = NULL;
  tilec_module *module = NULL;
  tilec_kernel *kernel = NULL;
  tilec_buffer *buffer = NULL;
  int32_t values[4] = {1, 2, 3, 4}, read[4] = {0, 0, 0, 0};
  record.params = params;

  expectSuccess(tilec_device_open(0, &device), "open");
  expectSuccess(tilec_module_load(device, ptx, sizeof(ptx) - 1, &module), "load");
  expectSuccess(tilec_kernel_get(module, &record, &kernel), "kernel");
  expectSuccess(tilec_buffer_create(device, sizeof(values), &buffer), "buffer");
  expectSuccess(tilec_buffer_copy_in(buffer, 0, values, sizeof(values), NULL), "copy in");
  if (kernel && buffer)
    launch(kernel, buffer);
  if (kernel) {
    tilec_occupancy occupancy;
    int32_t programs = 0;
    occupancy.struct_size = sizeof(occupancy);
    expectSuccess(tilec_kernel_get_occupancy(kernel, &occupancy), "occupancy");
    expectSuccess(tilec_kernel_resident_programs(kernel, &programs), "resident programs");
    if (programs < 1 || (uint32_t)programs != occupancy.resident_programs) {
      printf("%d programs are resident, and %u\n", (int)programs,
             (unsigned)occupancy.resident_programs);
      ++failures;
    }
  }
  expectSuccess(tilec_buffer_copy_out(buffer, 0, read, sizeof(read), NULL), "copy out");
  expectSuccess(tilec_device_synchronize(device), "synchronize");
  if (memcmp(values, read, sizeof(values)) != 0) {
    printf("copied back other values\n");
    ++failures;
  }
  tilec_buffer_release(buffer);
  tilec_kernel_release(kernel);
  tilec_module_release(module);
  tilec_device_release(device);
  return failures != 0;
}
