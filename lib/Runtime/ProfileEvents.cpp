//===- ProfileEvents.cpp - When launches ran on a GPU --------------------*- C++ -*-===//
//
// Events around a launch tell how long it took. When it began follows from an anchor: an event
// in a stream of the profile's own, of which the host's time is known. Anchors are made anew now
// and then, since the driver gives times in 32 bits, which become coarse. Launches whose events
// have happened are read when later ones are recorded, so that events are used again; what is left
// is waited for before the profile is written.
//
//===-------------------------------------------------------------------------------===//

#include "Profile.h"

#include <cstdlib>
#include <ctime>
#include <new>

namespace tilec {

/// A moment that both clocks know.
struct ProfileAnchor {
  ProfileAnchor *next;
  cu::Event event;
  uint64_t hostTime;
};

/// Two events that a launch lies between.
struct ProfilePending {
  ProfilePending *next;
  ProfileClock *clock;
  ProfileAnchor *anchor;
  cu::Event start, stop;
  ProfileLaunch *launch;
};

/// What takes times in one context.
struct ProfileClock {
  tilec_device *device;         ///< retained, and with it its context
  cu::Stream stream;            ///< of anchors
  uint64_t key;                 ///< of the context
  ProfileAnchor *anchors;       ///< the latest first; all stay, since launches refer to them
  ProfilePending *unused;       ///< with events
  ProfilePending *first, *last; ///< launches without times, in order
  uint32_t numWaiting;
  uint32_t numUsers; ///< who works with this clock, or with its launches, without the lock
};

namespace {

/// Lets calls of the scope be made while some thread captures a stream: none of them is part of it.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (driver.cuThreadExchangeStreamCaptureMode)
      driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  const Driver &driver;
  cu::CaptureMode mode = cu::CaptureModeRelaxed;
};

} // namespace

//===-------------------------------------------------------------------------------===//
// Anchors
//===-------------------------------------------------------------------------------===//

/// Waits for an event that nothing should hold up, but not for ever.
static void waitShortly(const Driver &driver, cu::Event event) {
  constexpr uint64_t most = 100000000; // nanoseconds
  uint64_t begin = tilec_profile_clock();
  while (driver.cuEventQuery(event) == cu::ErrorNotReady && tilec_profile_clock() - begin < most)
    ;
}

static ProfileAnchor *makeAnchor(const Driver &driver, cu::Stream stream) {
  void *memory = calloc(1, sizeof(ProfileAnchor));
  if (!memory)
    return nullptr;
  auto *anchor = new (memory) ProfileAnchor{};
  if (driver.cuEventCreate(&anchor->event, cu::EventDefault) != cu::Success) {
    free(anchor);
    return nullptr;
  }
  if (driver.cuEventRecord(anchor->event, stream) != cu::Success) {
    driver.cuEventDestroy_v2(anchor->event);
    free(anchor);
    return nullptr;
  }
  waitShortly(driver, anchor->event);
  anchor->hostTime = tilec_profile_clock();
  return anchor;
}

/// The clock's anchor, not too old; null if none can be made.
static ProfileAnchor *findAnchor(const Driver &driver, ProfileClock &clock) {
  constexpr uint64_t mostAge = 4000000000; // nanoseconds, for which times are good to 0.3 us
  if (clock.anchors && tilec_profile_clock() - clock.anchors->hostTime < mostAge)
    return clock.anchors;
  if (ProfileAnchor *anchor = makeAnchor(driver, clock.stream)) {
    anchor->next = clock.anchors;
    clock.anchors = anchor;
  }
  return clock.anchors;
}

//===-------------------------------------------------------------------------------===//
// Clocks
//===-------------------------------------------------------------------------------===//

/// Two transfers a cycle of the memory's clock, over its whole width; megabytes a second.
static uint64_t findPeak(const tilec_device &device) {
  int kilohertz = 0, bits = 0;
  const Driver &driver = *device.driver;
  if (driver.cuDeviceGetAttribute(&kilohertz, cu::MemoryClockRate, device.handle) != cu::Success ||
      driver.cuDeviceGetAttribute(&bits, cu::GlobalMemoryBusWidth, device.handle) != cu::Success ||
      kilohertz <= 0 || bits <= 0)
    return 0;
  return 2 * uint64_t(kilohertz) * (uint64_t(bits) / 8) / 1000;
}

static uint64_t keyOf(const Driver &driver, cu::Context context) {
  unsigned long long id = 0;
  if (!driver.cuCtxGetId || driver.cuCtxGetId(context, &id) != cu::Success)
    return reinterpret_cast<uintptr_t>(context);
  return id;
}

/// The device of the kernel, whose context is current, with a clock; null if there is none.
static ProfileDevice *findDevice(Profile &profile, const tilec_kernel &kernel) {
  const Driver &driver = *kernel.driver;
  uint64_t key = keyOf(driver, kernel.context);
  for (ProfileDevice *device = profile.devices; device; device = device->next)
    if (device->clock && device->clock->key == key)
      return device;
  cu::Stream stream = nullptr;
  if (driver.cuStreamCreate(&stream, cu::StreamNonBlocking) != cu::Success)
    return nullptr;
  void *memory = calloc(1, sizeof(ProfileClock));
  ProfileDevice *device = memory ? addDevice(profile, kernel.module->device->name) : nullptr;
  if (!device) {
    free(memory);
    driver.cuStreamDestroy_v2(stream);
    return nullptr;
  }
  device->clock = new (memory) ProfileClock{};
  device->clock->device = tilec_device_retain(kernel.module->device);
  device->clock->stream = stream;
  device->clock->key = key;
  device->peakMegabytes = findPeak(*kernel.module->device);
  return device;
}

/// Two events that nobody uses; null if there are none.
static ProfilePending *takeEvents(const Driver &driver, ProfileClock &clock) {
  if (ProfilePending *known = clock.unused) {
    clock.unused = known->next;
    known->next = nullptr;
    return known;
  }
  void *memory = calloc(1, sizeof(ProfilePending));
  if (!memory)
    return nullptr;
  auto *made = new (memory) ProfilePending{};
  made->clock = &clock;
  if (driver.cuEventCreate(&made->start, cu::EventDefault) != cu::Success) {
    free(made);
    return nullptr;
  }
  if (driver.cuEventCreate(&made->stop, cu::EventDefault) != cu::Success) {
    driver.cuEventDestroy_v2(made->start);
    free(made);
    return nullptr;
  }
  return made;
}

static void giveBack(ProfilePending &pending) {
  pending.next = pending.clock->unused;
  pending.clock->unused = &pending;
}

//===-------------------------------------------------------------------------------===//
// Times
//===-------------------------------------------------------------------------------===//

/// Reads the times of a launch whose events have happened.
static void readTimes(const Driver &driver, const ProfilePending &pending) {
  constexpr float nanosecondsPerMillisecond = 1e6f;
  float since = 0, duration = 0;
  ProfileLaunch &launch = *pending.launch;
  launch.state = ProfileLaunch::Failed;
  if (driver.cuEventElapsedTime(&since, pending.anchor->event, pending.start) != cu::Success ||
      driver.cuEventElapsedTime(&duration, pending.start, pending.stop) != cu::Success)
    return;
  int64_t begin =
      int64_t(pending.anchor->hostTime) + int64_t(double(since) * nanosecondsPerMillisecond);
  launch.begin = begin > 0 ? uint64_t(begin) : 0;
  launch.duration = duration > 0 ? uint64_t(double(duration) * nanosecondsPerMillisecond) : 0;
  launch.state = ProfileLaunch::Timed;
}

/// Reads the times that are there, in order, if many launches wait for theirs.
static void readHappened(const Driver &driver, ProfileClock &clock) {
  constexpr uint32_t many = 64;
  while (clock.numWaiting > many && driver.cuEventQuery(clock.first->stop) == cu::Success) {
    ProfilePending &pending = *clock.first;
    clock.first = pending.next;
    --clock.numWaiting;
    readTimes(driver, pending);
    giveBack(pending);
  }
}

static bool isCapturing(const Driver &driver, cu::Stream stream) {
  cu::CaptureStatus capture = cu::CaptureNone;
  return driver.cuStreamIsCapturing &&
         (driver.cuStreamIsCapturing(stream, &capture) != cu::Success ||
          capture != cu::CaptureNone);
}

DeviceSpan::DeviceSpan(const tilec_kernel &kernel, cu::Stream stream)
    : kernel(kernel), stream(stream) {
  writeProfileAtExit(/*kind=*/1);
  const Driver &driver = *kernel.driver;
  captured = isCapturing(driver, stream);
  if (captured || !driver.cuEventQuery)
    return;
  RelaxedCapture relaxed(driver);
  LockedProfile profile;
  ProfileDevice *device = findDevice(*profile, kernel);
  if (!device)
    return;
  readHappened(driver, *device->clock);
  ProfileAnchor *anchor = findAnchor(driver, *device->clock);
  pending = anchor ? takeEvents(driver, *device->clock) : nullptr;
  if (!pending)
    return;
  pending->anchor = anchor;
  if (driver.cuEventRecord(pending->start, stream) != cu::Success) {
    giveBack(*pending);
    pending = nullptr;
    return;
  }
  ++device->clock->numUsers;
}

/// What the device holds of the kernel at once.
static void readOccupancy(const tilec_kernel &kernel, ProfileEntry &entry) {
  tilec_occupancy occupancy{};
  entry.registers = kernel.info.registers;
  if (tilec_status status = findResidentOccupancy(kernel, occupancy)) {
    tilec_status_release(status);
    return;
  }
  entry.blocks = occupancy.blocks_per_multiprocessor;
  entry.warps = occupancy.warps_per_multiprocessor;
  entry.mostWarps = occupancy.max_warps_per_multiprocessor;
}

void DeviceSpan::end(const LaunchFacts &facts, bool launched) {
  const Driver &driver = *kernel.driver;
  bool hasEnd = pending && launched && driver.cuEventRecord(pending->stop, stream) == cu::Success;
  RelaxedCapture relaxed(driver);
  LockedProfile profile;
  ProfileDevice *device = launched ? findDevice(*profile, kernel) : nullptr;
  bool isNew = false;
  ProfileEntry *entry = device ? findEntry(*profile, *device, facts, isNew) : nullptr;
  ProfileLaunch *launch = nullptr;
  if (isNew)
    readOccupancy(kernel, *entry);
  if (entry && captured) {
    ++entry->launches;
    ++entry->captured;
  } else if (entry) {
    ProfileTrack *track =
        hasEnd ? findTrack(*profile, *device, reinterpret_cast<uintptr_t>(stream)) : nullptr;
    launch = addLaunch(*profile, *entry, track, facts);
  }
  if (!pending)
    return;
  --pending->clock->numUsers;
  if (!launch) {
    giveBack(*pending);
    return;
  }
  ProfileClock &clock = *pending->clock;
  pending->launch = launch;
  pending->next = nullptr;
  (clock.first ? clock.last->next : clock.first) = pending;
  clock.last = pending;
  ++clock.numWaiting;
}

/// Takes the launches that wait for their times out of some clock; null when none are left.
static ProfilePending *takeWaiting() {
  LockedProfile profile;
  for (ProfileDevice *device = profile->devices; device; device = device->next)
    if (device->clock && device->clock->first) {
      ProfilePending *waiting = device->clock->first;
      device->clock->first = nullptr;
      device->clock->numWaiting = 0;
      ++device->clock->numUsers;
      return waiting;
    }
  return nullptr;
}

void finishTimes() {
  while (ProfilePending *waiting = takeWaiting()) {
    const tilec_device &device = *waiting->clock->device;
    ContextScope scope(device);
    RelaxedCapture relaxed(*device.driver);
    // Without the lock, or a program whose launches depend on other ones could not go on.
    for (ProfilePending *pending = waiting; pending; pending = pending->next)
      device.driver->cuEventSynchronize(pending->stop);
    LockedProfile profile;
    --waiting->clock->numUsers;
    while (waiting) {
      ProfilePending *next = waiting->next;
      readTimes(*device.driver, *waiting);
      giveBack(*waiting);
      waiting = next;
    }
  }
}

static void releaseClock(ProfileClock &clock) {
  tilec_device *device = clock.device;
  const Driver &driver = *device->driver;
  {
    ContextScope scope(*device);
    RelaxedCapture relaxed(driver);
    for (ProfilePending *pending = clock.unused; pending;) {
      ProfilePending *next = pending->next;
      driver.cuEventDestroy_v2(pending->start);
      driver.cuEventDestroy_v2(pending->stop);
      free(pending);
      pending = next;
    }
    for (ProfileAnchor *anchor = clock.anchors; anchor;) {
      ProfileAnchor *next = anchor->next;
      driver.cuEventDestroy_v2(anchor->event);
      free(anchor);
      anchor = next;
    }
    driver.cuStreamDestroy_v2(clock.stream);
  }
  tilec_device_release(device);
  free(&clock);
}

bool areClocksIdle(const Profile &profile) {
  for (const ProfileDevice *device = profile.devices; device; device = device->next)
    if (device->clock && (device->clock->first || device->clock->numUsers))
      return false;
  return true;
}

void releaseClocks(Profile &profile) {
  for (ProfileDevice *device = profile.devices; device; device = device->next)
    if (device->clock)
      releaseClock(*device->clock);
}

} // namespace tilec
