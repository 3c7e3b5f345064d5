//===- Profile.h - Launches that are recorded ----------------------------*- C++ -*-===//
//
// What the parts of a profile share: Profile.cpp keeps what was recorded, ProfileEvents.cpp takes
// the times on GPUs, ProfileOutput.cpp writes. All of it is guarded by one lock, under which
// nothing waits for a GPU.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_PROFILE_H
#define TILEC_LIB_RUNTIME_PROFILE_H

#include "Watch.h"

#include "tilec/profile.h"

#include <cstdio>

namespace tilec {

/// What is known of one launch. The texts are never null.
struct LaunchFacts {
  const char *kernel, *constants, *signature;
  uint64_t bytes, operations; ///< 0: not known
  int64_t grid[3];
};

//===-------------------------------------------------------------------------------===//
// What is kept
//===-------------------------------------------------------------------------------===//

struct ProfileClock;

/// A GPU in one context, or the CPU under one name. Nodes of lists stay until the profile is
/// cleared.
struct ProfileDevice {
  ProfileDevice *next;
  char *name;
  uint32_t number;        ///< from 1
  uint64_t peakMegabytes; ///< a second, of the GPU's memory by clock and width; 0: not known
  ProfileClock *clock;    ///< null for the CPU
};

/// A stream, or a thread of the host.
struct ProfileTrack {
  ProfileTrack *next;
  ProfileDevice *device;
  uint64_t id;     ///< the stream's handle, or the thread's number
  uint32_t number; ///< from 1
};

/// One variant of a kernel on a device.
struct ProfileEntry {
  ProfileEntry *next;
  ProfileDevice *device;
  char *kernel, *constants, *signature;
  uint64_t launches;                            ///< all that worked, captured ones too
  uint64_t captured;                            ///< into graphs
  uint64_t dropped;                             ///< not kept, without memory or over the limit
  uint32_t registers, blocks, warps, mostWarps; ///< of a multiprocessor; 0 on the CPU
};

/// A launch on its track.
struct ProfileLaunch {
  enum State : uint8_t { Waiting, Timed, Failed };
  ProfileEntry *entry;
  ProfileTrack *track;
  uint64_t begin, duration; ///< nanoseconds of tilec_profile_clock
  uint64_t bytes, operations;
  int64_t grid[3];
  State state;
};

/// Launches in order; chunks stay where they are.
struct ProfileChunk {
  static constexpr uint32_t capacity = 1024;
  ProfileChunk *next;
  uint32_t count;
  ProfileLaunch launches[capacity];
};

struct Profile {
  ProfileDevice *devices;
  ProfileTrack *tracks;
  ProfileEntry *entries, *lastEntry;
  ProfileChunk *chunks, *lastChunk;
  uint64_t count; ///< of launches in chunks
};

/// Holds the lock; `data` may be used meanwhile.
class LockedProfile {
public:
  LockedProfile();
  ~LockedProfile();
  LockedProfile(const LockedProfile &) = delete;
  LockedProfile &operator=(const LockedProfile &) = delete;
  Profile *operator->() const { return &data; }
  Profile &operator*() const { return data; }

private:
  static Profile data;
};

/// Whether launches of this process are recorded.
bool isProfiling();

/// Opens the file of TILEC_PROFILE; false if it is not set, or cannot be opened, which was said.
bool startProfileOfEnvironment();

/// Has the environment's profile written at the end of the program, before what was there already
/// at the first call for this `kind`: 0 before, 1 after the driver was opened.
void writeProfileAtExit(int kind);

/// Finds or adds; null without memory.
ProfileDevice *findHostDevice(Profile &profile, const char *name);
ProfileTrack *findTrack(Profile &profile, ProfileDevice &device, uint64_t id);
ProfileEntry *findEntry(Profile &profile, ProfileDevice &device, const LaunchFacts &facts,
                        bool &isNew);
/// Adds a device at the end; null without memory.
ProfileDevice *addDevice(Profile &profile, const char *name);
/// Adds a launch; null, and counted, without memory or over the limit.
ProfileLaunch *addLaunch(Profile &profile, ProfileEntry &entry, ProfileTrack *track,
                         const LaunchFacts &facts);

/// Records a launch on the CPU; a null `device` is the CPU.
tilec_status recordOnHost(const LaunchFacts &facts, const char *device, uint64_t begin,
                          uint64_t end);

//===-------------------------------------------------------------------------------===//
// Times on GPUs
//===-------------------------------------------------------------------------------===//

struct ProfilePending;

/// Takes the time of one launch: made before it, and ended behind it.
class DeviceSpan {
public:
  /// The kernel's context must be current.
  DeviceSpan(const tilec_kernel &kernel, cu::Stream stream);
  void end(const LaunchFacts &facts, bool launched);

private:
  const tilec_kernel &kernel;
  cu::Stream stream;
  bool captured = false;
  ProfilePending *pending = nullptr; ///< null where no time is taken
};

/// Waits for the times of all launches. Call without the lock.
void finishTimes();
/// Whether all times are there, and nobody is about to record a launch.
bool areClocksIdle(const Profile &profile);
/// Releases all that belongs to GPUs; the clocks must be idle.
void releaseClocks(Profile &profile);

//===-------------------------------------------------------------------------------===//
// Output
//===-------------------------------------------------------------------------------===//

void writeTrace(const Profile &profile, FILE *file);
void writeTable(const Profile &profile, FILE *file);

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_PROFILE_H
