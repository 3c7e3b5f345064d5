//===- ProfileOutput.cpp - Profiles as a trace and as a table ------------*- C++ -*-===//
//
// The trace is JSON as Chrome defines it: a process for each device, a track for each stream or
// thread, a slice for each launch. What the table shows stands beside the events under "tilec", for
// programs that read it. Numbers are written without the C library's help where they have
// fractions, since that asks the program's locale.
//
//===-------------------------------------------------------------------------------===//

#include "Profile.h"

#include <cstdlib>
#include <cstring>

namespace tilec {

using Wide = unsigned long long;

static constexpr double perThousand = 1000;

//===-------------------------------------------------------------------------------===//
// Figures
//===-------------------------------------------------------------------------------===//

namespace {

/// What the launches of one variant took.
struct Figures {
  uint64_t timed = 0, failed = 0;
  uint64_t fastest = 0, median = 0, total = 0; ///< nanoseconds
  uint64_t bytes = 0;                          ///< of a launch, on average; 0: not known
  double bandwidth = 0;                        ///< bytes a nanosecond, the median; 0: not known
};

/// The launches of one entry.
class Samples {
public:
  Samples(const Profile &profile, const ProfileEntry &entry);
  ~Samples() {
    free(durations);
    free(bandwidths);
  }
  Samples(const Samples &) = delete;
  Samples &operator=(const Samples &) = delete;
  Figures figures;

private:
  void add(const ProfileLaunch &launch);
  uint64_t *durations;
  double *bandwidths;
  uint64_t numDescribed = 0, describedBytes = 0, numBandwidths = 0;
};

} // namespace

template <typename T> static int compare(const void *left, const void *right) {
  T a = *static_cast<const T *>(left), b = *static_cast<const T *>(right);
  return a < b ? -1 : a > b;
}

template <typename T> static T findMedian(T *values, uint64_t count) {
  qsort(values, count, sizeof(T), compare<T>);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void Samples::add(const ProfileLaunch &launch) {
  if (launch.state != ProfileLaunch::Timed) {
    ++figures.failed;
    return;
  }
  if (figures.timed == 0 || launch.duration < figures.fastest)
    figures.fastest = launch.duration;
  durations[figures.timed++] = launch.duration;
  figures.total += launch.duration;
  if (launch.bytes == 0)
    return;
  ++numDescribed;
  describedBytes += launch.bytes;
  if (launch.duration != 0)
    bandwidths[numBandwidths++] = double(launch.bytes) / double(launch.duration);
}

template <typename Use> static void forEachLaunch(const Profile &profile, Use use) {
  for (const ProfileChunk *chunk = profile.chunks; chunk; chunk = chunk->next)
    for (uint32_t i = 0; i < chunk->count; ++i)
      use(chunk->launches[i]);
}

Samples::Samples(const Profile &profile, const ProfileEntry &entry)
    : durations(static_cast<uint64_t *>(calloc(entry.launches + 1, sizeof(uint64_t)))),
      bandwidths(static_cast<double *>(calloc(entry.launches + 1, sizeof(double)))) {
  if (!durations || !bandwidths)
    return;
  forEachLaunch(profile, [&](const ProfileLaunch &launch) {
    if (launch.entry == &entry)
      add(launch);
  });
  if (figures.timed)
    figures.median = findMedian(durations, figures.timed);
  if (numDescribed)
    figures.bytes = describedBytes / numDescribed;
  if (numBandwidths)
    figures.bandwidth = findMedian(bandwidths, numBandwidths);
}

/// Of the memory's peak, in thousandths; 0 where it is not known.
static uint64_t shareOfPeak(const ProfileEntry &entry, const Figures &figures) {
  uint64_t peak = entry.device->peakMegabytes; // 1 MB/s is 0.001 bytes a nanosecond
  return peak ? uint64_t(figures.bandwidth * perThousand * perThousand / double(peak) + 0.5) : 0;
}

//===-------------------------------------------------------------------------------===//
// Trace
//===-------------------------------------------------------------------------------===//

/// A number of thousandths, always with a point.
static void writeFraction(FILE *file, uint64_t thousandths) {
  fprintf(file, "%llu.%03u", Wide(thousandths / 1000), unsigned(thousandths % 1000));
}

/// The characters of a JSON string. Bytes from 128 on go as they are: names are UTF-8.
static void writeCharacters(FILE *file, const char *text) {
  for (; *text; ++text) {
    auto c = static_cast<unsigned char>(*text);
    if (c == '"' || c == '\\')
      fprintf(file, "\\%c", c);
    else if (c < ' ')
      fprintf(file, "\\u%04x", c);
    else
      fputc(c, file);
  }
}

static void writeText(FILE *file, const char *text) {
  fputc('"', file);
  writeCharacters(file, text);
  fputc('"', file);
}

/// "scale (BLOCK=64)".
static void writeName(FILE *file, const ProfileEntry &entry) {
  fputc('"', file);
  writeCharacters(file, entry.kernel);
  if (*entry.constants) {
    fputs(" (", file);
    writeCharacters(file, entry.constants);
    fputc(')', file);
  }
  fputc('"', file);
}

/// Names of processes and threads, as Chrome calls devices and tracks.
static void writeTracks(const Profile &profile, FILE *file) {
  const char *separator = "\n";
  for (const ProfileDevice *device = profile.devices; device; device = device->next) {
    fprintf(file,
            "%s{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %u, \"args\": {\"name\": ",
            separator, device->number);
    writeText(file, device->name);
    fputs("}}", file);
    separator = ",\n";
  }
  for (const ProfileTrack *track = profile.tracks; track; track = track->next) {
    fprintf(file,
            ",\n{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %u, \"tid\": %u, \"args\": "
            "{\"name\": \"",
            track->device->number, track->number);
    if (!track->device->clock)
      fprintf(file, "thread %llu", Wide(track->id));
    else if (track->id == 0)
      fputs("default stream", file);
    else
      fprintf(file, "stream 0x%llx", Wide(track->id));
    fputs("\"}}", file);
  }
}

static void writeSlice(const ProfileLaunch &launch, uint64_t origin, FILE *file) {
  const ProfileEntry &entry = *launch.entry;
  fputs(",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": ", file);
  writeName(file, entry);
  fprintf(file, ", \"pid\": %u, \"tid\": %u, \"ts\": ", launch.track->device->number,
          launch.track->number);
  writeFraction(file, launch.begin - origin);
  fputs(", \"dur\": ", file);
  writeFraction(file, launch.duration);
  fprintf(file, ", \"args\": {\"grid\": \"%lld x %lld x %lld\"",
          static_cast<long long>(launch.grid[0]), static_cast<long long>(launch.grid[1]),
          static_cast<long long>(launch.grid[2]));
  if (*entry.signature) {
    fputs(", \"signature\": ", file);
    writeText(file, entry.signature);
  }
  if (launch.bytes)
    fprintf(file, ", \"bytes\": %llu", Wide(launch.bytes));
  if (launch.bytes && launch.duration) {
    fputs(", \"gb_per_s\": ", file);
    writeFraction(file, uint64_t(double(launch.bytes) * perThousand / double(launch.duration)));
  }
  if (entry.registers)
    fprintf(file, ", \"registers\": %u", entry.registers);
  fputs("}}", file);
}

static void writeFigures(const ProfileEntry &entry, const Figures &figures, FILE *file) {
  fprintf(file, ", \"launches\": %llu, \"timed\": %llu", Wide(entry.launches), Wide(figures.timed));
  if (entry.captured)
    fprintf(file, ", \"captured\": %llu", Wide(entry.captured));
  if (entry.dropped + figures.failed)
    fprintf(file, ", \"lost\": %llu", Wide(entry.dropped + figures.failed));
  if (figures.timed) {
    const struct {
      const char *name;
      uint64_t value;
    } times[] = {
        {"min_us", figures.fastest}, {"median_us", figures.median}, {"total_us", figures.total}};
    for (const auto &time : times) {
      fprintf(file, ", \"%s\": ", time.name);
      writeFraction(file, time.value);
    }
  }
  if (figures.bytes)
    fprintf(file, ", \"bytes\": %llu", Wide(figures.bytes));
  if (figures.bandwidth > 0) {
    fputs(", \"gb_per_s\": ", file);
    writeFraction(file, uint64_t(figures.bandwidth * perThousand + 0.5));
  }
  if (uint64_t share = shareOfPeak(entry, figures)) {
    fputs(", \"share_of_peak\": ", file);
    writeFraction(file, share);
  }
  if (entry.registers)
    fprintf(file, ", \"registers\": %u", entry.registers);
  if (entry.mostWarps)
    fprintf(file,
            ", \"blocks_per_multiprocessor\": %u, \"warps_per_multiprocessor\": %u, "
            "\"max_warps_per_multiprocessor\": %u",
            entry.blocks, entry.warps, entry.mostWarps);
}

static void writeEntry(const Profile &profile, const ProfileEntry &entry, FILE *file) {
  Samples samples(profile, entry);
  fprintf(file, "{\"device\": %u, \"kernel\": ", entry.device->number);
  writeText(file, entry.kernel);
  fputs(", \"constants\": ", file);
  writeText(file, entry.constants);
  fputs(", \"signature\": ", file);
  writeText(file, entry.signature);
  writeFigures(entry, samples.figures, file);
  fputc('}', file);
}

static void writeDevice(const ProfileDevice &device, FILE *file) {
  fprintf(file, "{\"number\": %u, \"kind\": \"%s\", \"name\": ", device.number,
          device.clock ? "cuda" : "cpu");
  writeText(file, device.name);
  if (device.peakMegabytes) {
    fputs(", \"peak_gb_per_s\": ", file);
    writeFraction(file, device.peakMegabytes);
    fputs(", \"peak_from\": \"the driver's clock and width of the memory\"", file);
  }
  fputc('}', file);
}

void writeTrace(const Profile &profile, FILE *file) {
  uint64_t origin = UINT64_MAX;
  forEachLaunch(profile, [&](const ProfileLaunch &launch) {
    if (launch.state == ProfileLaunch::Timed && launch.begin < origin)
      origin = launch.begin;
  });
  fputs("{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [", file);
  writeTracks(profile, file);
  forEachLaunch(profile, [&](const ProfileLaunch &launch) {
    if (launch.state == ProfileLaunch::Timed)
      writeSlice(launch, origin, file);
  });
  fputs("\n],\n\"tilec\": {\"version\": 1, \"devices\": [", file);
  for (const ProfileDevice *device = profile.devices; device; device = device->next) {
    fputs(device == profile.devices ? "\n" : ",\n", file);
    writeDevice(*device, file);
  }
  fputs("],\n\"kernels\": [", file);
  for (const ProfileEntry *entry = profile.entries; entry; entry = entry->next) {
    fputs(entry == profile.entries ? "\n" : ",\n", file);
    writeEntry(profile, *entry, file);
  }
  fputs("]}}\n", file);
}

//===-------------------------------------------------------------------------------===//
// Table
//===-------------------------------------------------------------------------------===//

/// A number of thousandths in a column, with two digits behind the point; "-" for 0.
static void writeColumn(FILE *file, int width, uint64_t thousandths) {
  constexpr uint64_t perDigit = 10;
  char text[32] = "-";
  uint64_t hundredths = (thousandths + perDigit / 2) / perDigit;
  if (thousandths)
    snprintf(text, sizeof(text), "%llu.%02u", Wide(hundredths / 100), unsigned(hundredths % 100));
  fprintf(file, " %*s", width, text);
}

/// A whole number in a column; "-" for 0.
static void writeCount(FILE *file, int width, uint64_t number, const char *unit = "") {
  char text[32] = "-";
  if (number)
    snprintf(text, sizeof(text), "%llu%s", Wide(number), unit);
  fprintf(file, " %*s", width, text);
}

static constexpr struct {
  const char *title;
  int width;
} columns[] = {{"launches", 8}, {"min us", 10}, {"median us", 10}, {"total us", 12}, {"MB", 9},
               {"GB/s", 9},     {"of peak", 7}, {"registers", 9},  {"warps", 7}};

static void writeRow(const Profile &profile, const ProfileEntry &entry, FILE *file) {
  constexpr uint64_t bytesPerKilobyte = 1000, perPercent = 10;
  Samples samples(profile, entry);
  const Figures &figures = samples.figures;
  writeCount(file, columns[0].width, entry.launches);
  writeColumn(file, columns[1].width, figures.fastest);
  writeColumn(file, columns[2].width, figures.median);
  writeColumn(file, columns[3].width, figures.total);
  writeColumn(file, columns[4].width, figures.bytes / bytesPerKilobyte);
  writeColumn(file, columns[5].width, uint64_t(figures.bandwidth * perThousand + 0.5));
  writeCount(file, columns[6].width, (shareOfPeak(entry, figures) + perPercent / 2) / perPercent,
             "%");
  writeCount(file, columns[7].width, entry.registers);
  char warps[32] = "-";
  if (entry.mostWarps)
    snprintf(warps, sizeof(warps), "%u/%u", entry.warps, entry.mostWarps);
  fprintf(file, " %*s  %s", columns[8].width, warps, entry.kernel);
  if (*entry.constants)
    fprintf(file, " (%s)", entry.constants);
  if (*entry.signature)
    fprintf(file, "; %s", entry.signature);
  fputc('\n', file);
  if (entry.captured)
    fprintf(file, "%10llu of them into graphs, without times\n", Wide(entry.captured));
  if (entry.dropped + figures.failed)
    fprintf(file, "%10llu of them without times: too many, or the GPU failed\n",
            Wide(entry.dropped + figures.failed));
}

void writeTable(const Profile &profile, FILE *file) {
  for (const ProfileDevice *device = profile.devices; device; device = device->next) {
    fprintf(file, "%s", device->name);
    if (device->peakMegabytes)
      fprintf(file, ", memory up to %llu GB/s by clock and width",
              Wide(device->peakMegabytes / 1000));
    fputs(":\n", file);
    for (const auto &column : columns)
      fprintf(file, " %*s", column.width, column.title);
    fputs("  kernel\n", file);
    for (const ProfileEntry *entry = profile.entries; entry; entry = entry->next)
      if (entry->device == device)
        writeRow(profile, *entry, file);
  }
  if (!profile.devices)
    fputs("no launch was recorded\n", file);
}

} // namespace tilec
