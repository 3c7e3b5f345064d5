//===- ProfileOutput.cpp - Profiles as a trace and as a table ------------*- C++ -*-===//
//
// The trace is JSON as Chrome defines it: a process for each device, a track for each stream or
// thread, a slice for each launch. What the table shows stands beside the events under "tilec", for
// programs that read it. Numbers are written without the C library's help where they have
// fractions, since that asks the program's locale.
//
//===-------------------------------------------------------------------------------===//

#include "Profile.h"

#include <cmath>
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
  // Of a launch, on average, and a nanosecond, the median; 0: not known.
  uint64_t bytes = 0, operations = 0;
  double bandwidth = 0, rate = 0;
};

/// What launches are said to do, in relation to their times.
class Rates {
public:
  explicit Rates(uint64_t most) : rates(static_cast<double *>(calloc(most, sizeof(double)))) {}
  ~Rates() { free(rates); }
  Rates(const Rates &) = delete;
  Rates &operator=(const Rates &) = delete;

  void add(uint64_t amount, uint64_t nanoseconds);
  uint64_t average() const;
  double median();

private:
  double *rates; // Null without memory.
  uint64_t numRates = 0, numAmounts = 0;
  double sum = 0;
};

/// The launches of one entry.
class Samples {
public:
  Samples(const Profile &profile, const ProfileEntry &entry);
  ~Samples() { free(durations); }
  Samples(const Samples &) = delete;
  Samples &operator=(const Samples &) = delete;
  Figures figures;

private:
  void add(const ProfileLaunch &launch);
  uint64_t *durations;
  Rates bytes, operations;
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

void Rates::add(uint64_t amount, uint64_t nanoseconds) {
  if (amount == 0)
    return;
  ++numAmounts;
  sum += double(amount);
  if (rates && nanoseconds != 0)
    rates[numRates++] = double(amount) / double(nanoseconds);
}

uint64_t Rates::average() const {
  constexpr double most = 1.8e19; // below 2^64
  double average = numAmounts ? sum / double(numAmounts) + 0.5 : 0;
  return uint64_t(average < most ? average : most);
}

double Rates::median() { return numRates ? findMedian(rates, numRates) : 0; }

void Samples::add(const ProfileLaunch &launch) {
  if (launch.state != ProfileLaunch::Timed) {
    ++figures.failed;
    return;
  }
  if (figures.timed == 0 || launch.duration < figures.fastest)
    figures.fastest = launch.duration;
  durations[figures.timed++] = launch.duration;
  figures.total += launch.duration;
  bytes.add(launch.bytes, launch.duration);
  operations.add(launch.operations, launch.duration);
}

template <typename Use> static void forEachLaunch(const Profile &profile, Use use) {
  for (const ProfileChunk *chunk = profile.chunks; chunk; chunk = chunk->next)
    for (uint32_t i = 0; i < chunk->count; ++i)
      use(chunk->launches[i]);
}

Samples::Samples(const Profile &profile, const ProfileEntry &entry)
    : durations(static_cast<uint64_t *>(calloc(entry.launches + 1, sizeof(uint64_t)))),
      bytes(entry.launches + 1), operations(entry.launches + 1) {
  if (!durations)
    return;
  forEachLaunch(profile, [&](const ProfileLaunch &launch) {
    if (launch.entry == &entry)
      add(launch);
  });
  if (figures.timed)
    figures.median = findMedian(durations, figures.timed);
  figures.bytes = bytes.average();
  figures.bandwidth = bytes.median();
  figures.operations = operations.average();
  figures.rate = operations.median();
}

/// A number in thousandths, as long as it has any.
static uint64_t toThousandths(double value) {
  constexpr double most = 1e18;
  double wide = value * perThousand + 0.5;
  return uint64_t(wide < most ? wide : most);
}

/// Of the memory's peak, in thousandths; 0 where it is not known.
static uint64_t shareOfPeak(const ProfileEntry &entry, const Figures &figures) {
  uint64_t peak = entry.device->peakMegabytes; // 1 MB/s is 0.001 bytes a nanosecond
  return peak ? toThousandths(figures.bandwidth * perThousand / double(peak)) : 0;
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

/// What launches are said to do, and as much a nanosecond, where these are known.
static void writeAmount(FILE *file, const char *name, uint64_t amount, const char *rateName,
                        double rate) {
  if (amount)
    fprintf(file, ", \"%s\": %llu", name, Wide(amount));
  if (rate > 0) {
    fprintf(file, ", \"%s\": ", rateName);
    writeFraction(file, toThousandths(rate));
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
  double duration = launch.duration ? double(launch.duration) : HUGE_VAL;
  writeAmount(file, "bytes", launch.bytes, "gb_per_s", double(launch.bytes) / duration);
  writeAmount(file, "operations", launch.operations, "gop_per_s",
              double(launch.operations) / duration);
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
  writeAmount(file, "bytes", figures.bytes, "gb_per_s", figures.bandwidth);
  writeAmount(file, "operations", figures.operations, "gop_per_s", figures.rate);
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

/// Three digits and a unit: "51.2 kB"; "-" for 0.
static void writeBytes(FILE *file, int width, uint64_t bytes) {
  constexpr double most = 999.5; // that is not written as 1000
  constexpr uint64_t threeDigits = 1000;
  static constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  char text[32] = "-";
  unsigned unit = 0;
  auto value = double(bytes);
  for (; value >= most; value /= perThousand)
    ++unit;
  auto tenths = uint64_t(value * 10 + 0.5);
  if (bytes && (unit == 0 || tenths >= threeDigits))
    snprintf(text, sizeof(text), "%u %s", unsigned(value + 0.5), units[unit]);
  else if (bytes)
    snprintf(text, sizeof(text), "%u.%u %s", unsigned(tenths / 10), unsigned(tenths % 10),
             units[unit]);
  fprintf(file, " %*s", width, text);
}

static constexpr struct {
  const char *title;
  int width;
} columns[] = {{"launches", 8}, {"min us", 10}, {"median us", 10}, {"total us", 12}, {"bytes", 9},
               {"GB/s", 9},     {"of peak", 7}, {"Gop/s", 9},      {"registers", 9}, {"warps", 7}};

static void writeRow(const Profile &profile, const ProfileEntry &entry, FILE *file) {
  constexpr uint64_t perPercent = 10;
  Samples samples(profile, entry);
  const Figures &figures = samples.figures;
  writeCount(file, columns[0].width, entry.launches);
  writeColumn(file, columns[1].width, figures.fastest);
  writeColumn(file, columns[2].width, figures.median);
  writeColumn(file, columns[3].width, figures.total);
  writeBytes(file, columns[4].width, figures.bytes);
  writeColumn(file, columns[5].width, toThousandths(figures.bandwidth));
  writeCount(file, columns[6].width, (shareOfPeak(entry, figures) + perPercent / 2) / perPercent,
             "%");
  writeColumn(file, columns[7].width, toThousandths(figures.rate));
  writeCount(file, columns[8].width, entry.registers);
  char warps[32] = "-";
  if (entry.mostWarps)
    snprintf(warps, sizeof(warps), "%u/%u", entry.warps, entry.mostWarps);
  fprintf(file, " %*s  %s", columns[9].width, warps, entry.kernel);
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
