//===- Profile.cpp - What was recorded of launches -----------------------*- C++ -*-===//
//
// Keeps launches in order, and the kernels, devices and streams that they belong to, each once. All
// of it copies its texts: objects with kernels may be unloaded before the profile is written. The
// file of the environment is opened at the first launch and locked for as long as the process
// lives, so that two that share the variable do not share the file.
//
//===-------------------------------------------------------------------------------===//

#include "Profile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tilec {

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Profile LockedProfile::data;

LockedProfile::LockedProfile() { pthread_mutex_lock(&lock); }
LockedProfile::~LockedProfile() { pthread_mutex_unlock(&lock); }

/// More would take too much memory: 100 MB.
static constexpr uint64_t mostLaunches = uint64_t(1) << 20;

/// The process that began to record. In its children the lock may be held for ever.
static std::atomic<pid_t> owner{0};

bool isProfiling() {
  return (watch::state.load(std::memory_order_relaxed) & watch::profile) != 0 &&
         owner.load(std::memory_order_relaxed) == getpid();
}

//===-------------------------------------------------------------------------------===//
// Lists
//===-------------------------------------------------------------------------------===//

template <typename T> static T *make() {
  void *memory = calloc(1, sizeof(T));
  return memory ? new (memory) T{} : nullptr;
}

template <typename T> static void freeList(T *&head) {
  while (head) {
    T *next = head->next;
    free(head);
    head = next;
  }
}

ProfileDevice *addDevice(Profile &profile, const char *name) {
  auto *device = make<ProfileDevice>();
  char *copy = strdup(name);
  if (!device || !copy) {
    free(device);
    free(copy);
    return nullptr;
  }
  device->name = copy;
  device->number = 1;
  ProfileDevice **end = &profile.devices;
  for (; *end; end = &(*end)->next)
    ++device->number;
  return *end = device;
}

ProfileDevice *findHostDevice(Profile &profile, const char *name) {
  for (ProfileDevice *device = profile.devices; device; device = device->next)
    if (!device->clock && !strcmp(device->name, name))
      return device;
  return addDevice(profile, name);
}

ProfileTrack *findTrack(Profile &profile, ProfileDevice &device, uint64_t id) {
  uint32_t number = 1;
  ProfileTrack **end = &profile.tracks;
  for (; *end; end = &(*end)->next, ++number)
    if ((*end)->device == &device && (*end)->id == id)
      return *end;
  auto *track = make<ProfileTrack>();
  if (track)
    *track = {nullptr, &device, id, number};
  return *end = track;
}

ProfileEntry *findEntry(Profile &profile, ProfileDevice &device, const LaunchFacts &facts,
                        bool &isNew) {
  isNew = false;
  for (ProfileEntry *entry = profile.entries; entry; entry = entry->next)
    if (entry->device == &device && !strcmp(entry->kernel, facts.kernel) &&
        !strcmp(entry->constants, facts.constants) && !strcmp(entry->signature, facts.signature))
      return entry;
  auto *entry = make<ProfileEntry>();
  size_t sizes[] = {strlen(facts.kernel) + 1, strlen(facts.constants) + 1,
                    strlen(facts.signature) + 1};
  auto *texts = static_cast<char *>(malloc(sizes[0] + sizes[1] + sizes[2]));
  if (!entry || !texts) {
    free(entry);
    free(texts);
    return nullptr;
  }
  entry->device = &device;
  entry->kernel = texts; // the block that the others lie in, too
  entry->constants = texts + sizes[0];
  entry->signature = entry->constants + sizes[1];
  memcpy(entry->kernel, facts.kernel, sizes[0]);
  memcpy(entry->constants, facts.constants, sizes[1]);
  memcpy(entry->signature, facts.signature, sizes[2]);
  (profile.lastEntry ? profile.lastEntry->next : profile.entries) = entry;
  profile.lastEntry = entry;
  isNew = true;
  return entry;
}

/// A chunk with room, or null.
static ProfileChunk *chunkWithRoom(Profile &profile) {
  ProfileChunk *last = profile.lastChunk;
  if (last && last->count < ProfileChunk::capacity)
    return last;
  if (profile.count >= mostLaunches)
    return nullptr;
  auto *chunk = make<ProfileChunk>();
  if (!chunk)
    return nullptr;
  (last ? last->next : profile.chunks) = chunk;
  return profile.lastChunk = chunk;
}

ProfileLaunch *addLaunch(Profile &profile, ProfileEntry &entry, ProfileTrack *track,
                         const LaunchFacts &facts) {
  ++entry.launches;
  ProfileChunk *chunk = track ? chunkWithRoom(profile) : nullptr;
  if (!chunk) {
    ++entry.dropped;
    return nullptr;
  }
  ProfileLaunch &launch = chunk->launches[chunk->count++];
  ++profile.count;
  launch.entry = &entry;
  launch.track = track;
  launch.bytes = facts.bytes;
  launch.operations = facts.operations;
  memcpy(launch.grid, facts.grid, sizeof(launch.grid));
  return &launch;
}

tilec_status recordOnHost(const LaunchFacts &facts, const char *device, uint64_t begin,
                          uint64_t end) {
  writeProfileAtExit(/*kind=*/0);
  LockedProfile profile;
  ProfileDevice *where = findHostDevice(*profile, device ? device : "CPU");
  bool isNew = false;
  ProfileEntry *entry = where ? findEntry(*profile, *where, facts, isNew) : nullptr;
  if (!entry)
    return makeKernelError(TILEC_ERROR_OUT_OF_HOST_MEMORY, facts.kernel,
                           "no host memory to record a launch");
  ProfileTrack *track = findTrack(*profile, *where, uint64_t(syscall(SYS_gettid)));
  if (ProfileLaunch *launch = addLaunch(*profile, *entry, track, facts)) {
    launch->begin = begin;
    launch->duration = end > begin ? end - begin : 0;
    launch->state = ProfileLaunch::Timed;
  }
  return nullptr;
}

static void clear(Profile &profile) {
  releaseClocks(profile);
  for (ProfileDevice *device = profile.devices; device; device = device->next)
    free(device->name);
  for (ProfileEntry *entry = profile.entries; entry; entry = entry->next)
    free(entry->kernel);
  freeList(profile.devices);
  freeList(profile.tracks);
  freeList(profile.entries);
  freeList(profile.chunks);
  profile = {};
}

//===-------------------------------------------------------------------------------===//
// The file of the environment
//===-------------------------------------------------------------------------------===//

namespace {

/// Written when the profile starts only.
struct EnvironmentFile {
  char *path;     ///< null without one
  int descriptor; ///< of the file, or standard error for the table
  bool isTable;
};

EnvironmentFile environmentFile{nullptr, -1, false};

} // namespace

/// Opens `path` for this process alone; -1 with errno set, to EWOULDBLOCK if it is another's.
static int openLocked(const char *path) {
  constexpr mode_t readableByAll = 0666;
  int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, readableByAll);
  if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return descriptor; // File systems without locks are no reason to write nothing.
  close(descriptor);
  errno = EWOULDBLOCK;
  return -1;
}

/// "trace.json" with a number, "trace.2.json"; null without memory.
static char *numberedPath(const char *path, unsigned number) {
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t stem = dot && dot != name ? size_t(dot - path) : strlen(path);
  constexpr size_t digits = 12;
  size_t size = strlen(path) + digits;
  auto *text = static_cast<char *>(malloc(size));
  if (text)
    snprintf(text, size, "%.*s.%u%s", int(stem), path, number, path + stem);
  return text;
}

static void complain(const char *path, const char *reason) {
  fprintf(stderr, "tilec: cannot write the profile '%s': %s\n", path, reason);
}

/// Opens the first of "trace.json", "trace.2.json" and so on that nobody else is writing.
static bool openEnvironmentFile(const char *path) {
  constexpr unsigned most = 1000;
  char *name = strdup(path);
  int descriptor = -1;
  for (unsigned number = 2; name && number <= most; ++number) {
    descriptor = openLocked(name);
    if (descriptor >= 0 || errno != EWOULDBLOCK)
      break;
    free(name);
    name = numberedPath(path, number);
  }
  if (descriptor < 0) {
    complain(path, name ? strerror(errno) : strerror(ENOMEM));
    free(name);
    return false;
  }
  environmentFile = {name, descriptor, false};
  return true;
}

bool startProfileOfEnvironment() {
  const char *path = secure_getenv("TILEC_PROFILE");
  if (!path || !*path)
    return false;
  if (!strcmp(path, "-"))
    environmentFile = {strdup("standard error"), STDERR_FILENO, true};
  else if (!openEnvironmentFile(path))
    return false;
  owner.store(getpid(), std::memory_order_relaxed);
  return true;
}

/// Calls `write(profile, file)` with a file of its own for `descriptor`.
static tilec_status writeTo(int descriptor, const char *name,
                            void (*write)(const Profile &, FILE *)) {
  int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  FILE *file = own < 0 ? nullptr : fdopen(own, "w");
  if (!file) {
    int error = errno;
    if (own >= 0)
      close(own);
    return makeError(TILEC_ERROR_INVALID_ARGUMENT, "cannot write to '%s': %s", name,
                     strerror(error));
  }
  LockedProfile profile;
  write(*profile, file);
  bool failed = ferror(file) != 0;
  failed = fclose(file) != 0 || failed;
  return failed ? makeError(TILEC_ERROR_INVALID_ARGUMENT, "cannot write all of '%s': %s", name,
                            strerror(errno))
                : nullptr;
}

static tilec_status writeEnvironmentFile() {
  const EnvironmentFile &file = environmentFile;
  if (file.isTable)
    return writeTo(file.descriptor, file.path, writeTable);
  if (lseek(file.descriptor, 0, SEEK_SET) < 0 || ftruncate(file.descriptor, 0) < 0)
    if (errno != ESPIPE && errno != EINVAL) // Of a pipe or a device.
      return makeError(TILEC_ERROR_INVALID_ARGUMENT, "cannot write to '%s': %s", file.path,
                       strerror(errno));
  return writeTo(file.descriptor, file.path, writeTrace);
}

static void writeAtExit() {
  if (owner.load(std::memory_order_relaxed) != getpid())
    return;
  finishTimes();
  if (tilec_status status = writeEnvironmentFile()) {
    complain(environmentFile.path, tilec_status_message(status));
    tilec_status_release(status);
  }
}

void writeProfileAtExit(int kind) {
  static std::atomic<bool> registered[2];
  if (environmentFile.path && !registered[kind].exchange(true, std::memory_order_relaxed))
    atexit(writeAtExit);
}

} // namespace tilec

//===-------------------------------------------------------------------------------===//
// The interface
//===-------------------------------------------------------------------------------===//

void tilec_profile_record(int32_t on) {
  using namespace tilec;
  watch::find();
  if (on)
    owner.store(getpid(), std::memory_order_relaxed);
  watch::turn(watch::profile, on != 0);
}

int32_t tilec_profile_is_recording(void) {
  return tilec::isWatched() && tilec::isProfiling() ? 1 : 0;
}

uint64_t tilec_profile_clock(void) {
  constexpr uint64_t nanosecondsPerSecond = 1000000000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * nanosecondsPerSecond + uint64_t(now.tv_nsec);
}

tilec_status tilec_profile_add(const char *kernel, const char *device, uint64_t begin, uint64_t end,
                               const int64_t *grid, const tilec_profile_facts *facts) {
  using namespace tilec;
  if (!kernel || !grid)
    return makeNullError("tilec_profile_add", kernel ? "grid" : "kernel");
  if (facts && facts->struct_size != sizeof(*facts))
    return makeError(TILEC_ERROR_INVALID_ARGUMENT,
                     "tilec_profile_add: 'struct_size' is %u, expected %zu", facts->struct_size,
                     sizeof(*facts));
  if (!tilec_profile_is_recording())
    return nullptr;
  LaunchFacts known{kernel,
                    facts && facts->constants ? facts->constants : "",
                    facts && facts->signature ? facts->signature : "",
                    facts ? facts->bytes : 0,
                    facts ? facts->operations : 0,
                    {grid[0], grid[1], grid[2]}};
  return recordOnHost(known, device, begin, end);
}

tilec_status tilec_profile_write(const char *path) {
  using namespace tilec;
  watch::find();
  if (!path && (!environmentFile.path || environmentFile.isTable))
    return makeError(TILEC_ERROR_INVALID_ARGUMENT,
                     "tilec_profile_write: no path is given, and TILEC_PROFILE names no file");
  finishTimes();
  if (!path)
    return writeEnvironmentFile();
  constexpr mode_t readableByAll = 0666;
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, readableByAll);
  if (descriptor < 0)
    return makeError(TILEC_ERROR_INVALID_ARGUMENT, "cannot write to '%s': %s", path,
                     strerror(errno));
  tilec_status status = writeTo(descriptor, path, writeTrace);
  close(descriptor);
  return status;
}

tilec_status tilec_profile_print(int32_t file) {
  tilec::finishTimes();
  return tilec::writeTo(file, "the given file", tilec::writeTable);
}

void tilec_profile_clear(void) {
  while (true) {
    tilec::finishTimes();
    {
      tilec::LockedProfile profile;
      if (tilec::areClocksIdle(*profile))
        return tilec::clear(*profile);
    }
    sched_yield();
  }
}
