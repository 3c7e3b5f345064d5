/*===- glibc-2.28.c - Lets programs built on a newer glibc start on glibc 2.28 ------===*\
|*
|* A program asks for the newest version of each function of glibc that the machine it was
|* linked on has, and does not start where there is an older one. This file is linked into
|* tilec's programs and into libtilec.so (tilec_make_portable in TilecTargets.cmake), whose
|* code, LLVM's and the C++ library's then find here what is newer than 2.28:
|*
|*  - Functions that only moved between libraries, or whose errors changed, become a jump to
|*    their older version. Where it is in a library of its own, libpthread or libdl, that is
|*    linked as well.
|*  - What 2.28 lacks is written on top of what it has.
|*
|* All of it is hidden: nothing outside the binary sees it, and what is not used is dropped.
|* utils/check-glibc.sh names the functions that are missing here.
|*
\*===----------------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <features.h>

/* A binary that is linked with an older glibc than this does not ask for what is newer. */
#if __GLIBC_PREREQ(2, 36)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

/*===-- Older versions --------------------------------------------------------------===*/

/* Each in a section of its own, so that the linker keeps those that are used. */
#define USE_VERSION(name, version)                                                                 \
  __asm__(".pushsection .text." #name ",\"ax\",@progbits\n"                                        \
          ".globl " #name "\n"                                                                     \
          ".hidden " #name "\n"                                                                    \
          ".type " #name ",@function\n" #name ":\n"                                                \
          "  jmp *tilec_old_" #name "@GOTPCREL(%rip)\n"                                            \
          ".size " #name ", . - " #name "\n"                                                       \
          ".popsection\n"                                                                          \
          ".symver tilec_old_" #name ", " #name "@GLIBC_" version "\n")

/* In libm. They also set errno, as these names did before 2.29. */
USE_VERSION(exp, "2.2.5");
USE_VERSION(exp2, "2.2.5");
USE_VERSION(hypot, "2.2.5");
USE_VERSION(log, "2.2.5");
USE_VERSION(log2, "2.2.5");
USE_VERSION(pow, "2.2.5");

/* In libdl until 2.34. */
USE_VERSION(dladdr, "2.2.5");
USE_VERSION(dlclose, "2.2.5");
USE_VERSION(dlerror, "2.2.5");
USE_VERSION(dlopen, "2.2.5");
USE_VERSION(dlsym, "2.2.5");

/* In libpthread until 2.32 or 2.34. */
USE_VERSION(__pthread_key_create, "2.2.5");
USE_VERSION(pthread_attr_setstacksize, "2.2.5");
USE_VERSION(pthread_create, "2.2.5");
USE_VERSION(pthread_detach, "2.2.5");
USE_VERSION(pthread_getname_np, "2.12");
USE_VERSION(pthread_getspecific, "2.2.5");
USE_VERSION(pthread_join, "2.2.5");
USE_VERSION(pthread_key_create, "2.2.5");
USE_VERSION(pthread_key_delete, "2.2.5");
USE_VERSION(pthread_mutex_trylock, "2.2.5");
USE_VERSION(pthread_once, "2.2.5");
USE_VERSION(pthread_rwlock_rdlock, "2.2.5");
USE_VERSION(pthread_rwlock_unlock, "2.2.5");
USE_VERSION(pthread_rwlock_wrlock, "2.2.5");
USE_VERSION(pthread_setname_np, "2.12");
USE_VERSION(pthread_setspecific, "2.2.5");
USE_VERSION(pthread_sigmask, "2.2.5");

/*===-- Start of a program ----------------------------------------------------------===*/

typedef void Initialiser(int, char **, char **);

extern int startProgram(int (*program)(int, char **, char **), int argc, char **argv,
                        Initialiser *initialise, void (*finish)(void), void (*finishLoader)(void),
                        void *stackEnd);
__asm__(".symver startProgram, __libc_start_main@GLIBC_2.2.5");

extern HIDDEN void _init(void);
extern HIDDEN Initialiser *__init_array_start[];
extern HIDDEN Initialiser *__init_array_end[];

/* Since 2.34 glibc calls a program's constructors. Before, the program did, from here. */
static void initialise(int argc, char **argv, char **environment) {
  _init();
  for (Initialiser **next = __init_array_start; next != __init_array_end; ++next)
    (*next)(argc, argv, environment);
}

HIDDEN int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                             Initialiser *none, void (*finish)(void), void (*finishLoader)(void),
                             void *stackEnd);
HIDDEN int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                             Initialiser *none, void (*finish)(void), void (*finishLoader)(void),
                             void *stackEnd) {
  (void)none; /* what starts a program on a newer glibc passes NULL for both */
  return startProgram(program, argc, argv, initialise, finish, finishLoader, stackEnd);
}

/*===-- Files -----------------------------------------------------------------------===*/

/* Functions since 2.33; before, inline calls of functions with a version in their arguments. */
static int statAt(const char *path, void *result, int flags) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, flags);
}

HIDDEN int stat(const char *path, struct stat *result) { return statAt(path, result, 0); }
HIDDEN int stat64(const char *path, struct stat64 *result) { return statAt(path, result, 0); }
HIDDEN int lstat(const char *path, struct stat *result) {
  return statAt(path, result, AT_SYMLINK_NOFOLLOW);
}
HIDDEN int lstat64(const char *path, struct stat64 *result) {
  return statAt(path, result, AT_SYMLINK_NOFOLLOW);
}
HIDDEN int fstat(int file, struct stat *result) { return (int)syscall(SYS_fstat, file, result); }
HIDDEN int fstat64(int file, struct stat64 *result) {
  return (int)syscall(SYS_fstat, file, result);
}
HIDDEN int mknod(const char *path, mode_t mode, dev_t device) {
  return (int)syscall(SYS_mknodat, AT_FDCWD, path, mode, (unsigned)device);
}

/*===-- Memory and random numbers ---------------------------------------------------===*/

/* Since 2.33. The older one counts in int, so what is beyond 2 GiB is not told. */
HIDDEN struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo counts = mallinfo();
#pragma GCC diagnostic pop
  struct mallinfo2 result = {
      .arena = (unsigned)counts.arena,
      .ordblks = (unsigned)counts.ordblks,
      .smblks = (unsigned)counts.smblks,
      .hblks = (unsigned)counts.hblks,
      .hblkhd = (unsigned)counts.hblkhd,
      .usmblks = (unsigned)counts.usmblks,
      .fsmblks = (unsigned)counts.fsmblks,
      .uordblks = (unsigned)counts.uordblks,
      .fordblks = (unsigned)counts.fordblks,
      .keepcost = (unsigned)counts.keepcost,
  };
  return result;
}

/* Since 2.36. */
HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value)
    if (errno != EINTR)
      abort(); /* as glibc does: there is no random number to return */
  return value;
}

/*===-- Threads and exceptions ------------------------------------------------------===*/

/* Since 2.32. Whether the C++ library may count references without atomics: here never. */
HIDDEN char __libc_single_threaded = 0;

/* Since 2.30: std::condition_variable::wait_for waits by the steady clock. 2.28 waits by the clock
 * of the calendar, to which the time is carried over; if that is set meanwhile, the wait ends early
 * or late. The caller looks at its own clock then. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  clockid_t clock, const struct timespec *until) {
  const long second = 1000000000;
  struct timespec now, calendar;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &calendar);
  long nanoseconds = calendar.tv_nsec + until->tv_nsec - now.tv_nsec; /* from -1 s to 2 s */
  calendar.tv_sec += until->tv_sec - now.tv_sec;
  calendar.tv_sec += nanoseconds < 0 ? -1 : nanoseconds / second;
  calendar.tv_nsec = nanoseconds < 0 ? nanoseconds + second : nanoseconds % second;
  return pthread_cond_timedwait(condition, mutex, &calendar);
}

struct Search {
  uintptr_t address;
  struct dl_find_object *result;
};

/* Fills in the result and ends the search, if one of the object's segments holds the address. */
static int searchObject(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  const struct Search *search = data;
  uintptr_t start = UINTPTR_MAX, end = 0, frames = 0;
  int holds = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t first = info->dlpi_addr + header->p_vaddr;
    uintptr_t last = first + header->p_memsz;
    if (header->p_type == PT_GNU_EH_FRAME)
      frames = first;
    if (header->p_type != PT_LOAD)
      continue;
    start = first < start ? first : start;
    end = last > end ? last : end;
    holds |= search->address >= first && search->address < last;
  }
  if (!holds || !frames)
    return 0;
  search->result->dlfo_flags = 0;
  search->result->dlfo_map_start = (void *)start;
  search->result->dlfo_map_end = (void *)end;
  search->result->dlfo_link_map = NULL; /* libgcc does not ask for it */
  search->result->dlfo_eh_frame = (void *)frames;
  return 1;
}

/* Since 2.35: where libgcc finds how to unwind the code at an address. */
HIDDEN int _dl_find_object(void *address, struct dl_find_object *result) {
  struct Search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(searchObject, &search) == 1 ? 0 : -1;
}

#else
extern int tilecNothing; /* C wants a declaration */
#endif
