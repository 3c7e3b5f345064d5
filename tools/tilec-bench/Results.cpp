//===- Results.cpp - what was measured -------------------------*- C++ -*-===//
//
// What a benchmark measured: the rates that follow from times, ratios and means over cases, and the
// CSV file with one line for each measurement, failures included, which bench/plot.py reads.
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "Ceilings.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

double Measurement::rateAt(double milliseconds) const {
  if (!isMeasured() || milliseconds <= 0)
    return 0;
  return what.suite->isProduct() ? what.operations() / (milliseconds * 1e9)
                                 : double(what.movedBytes()) / (milliseconds * 1e6);
}

static bool isSame(const Case &left, const Case &right) {
  return left.suite == right.suite && left.type == right.type && left.size == right.size;
}

const Measurement *bench::find(const Results &results, const Case &what, StringRef provider) {
  for (const Measurement &measurement : results)
    if (measurement.provider == provider && isSame(measurement.what, what))
      return &measurement;
  return nullptr;
}

/// A field of RFC 4180: in quotes where it needs them. Line breaks become spaces.
static std::string csvField(StringRef text) {
  std::string field;
  for (char c : text) {
    if (c == '"')
      field += '"';
    field += c == '\n' || c == '\r' ? ' ' : c;
  }
  return text.find_first_of(",\"\n\r") == StringRef::npos ? field : '"' + field + '"';
}

static StringRef outcomeName(Outcome outcome) {
  switch (outcome) {
  case Outcome::Measured:
    return "ok";
  case Outcome::Wrong:
    return "wrong";
  case Outcome::Failed:
    break;
  }
  return "failed";
}

/// "gbps,of_copy,tflops,roof", of which suites have the first or the last two.
static void writeRates(const Measurement &entry, const Results &results, const Ceilings &ceilings,
                       llvm::raw_ostream &os) {
  if (entry.what.suite->isProduct()) {
    os << llvm::format(",,%.6g,", entry.rate());
    if (double roof = ceilings.roofOf(entry.what))
      os << llvm::format("%.6g", roof);
    os << ',';
    return;
  }
  os << llvm::format("%.2f,", entry.rate());
  const Measurement *copy = find(results, entry.what, "copy");
  if (copy && copy->rate() > 0)
    os << llvm::format("%.4f", entry.rate() / copy->rate());
  os << ",,,";
}

void bench::writeCsv(const Results &results, const Ceilings &ceilings, llvm::raw_ostream &os) {
  os << "suite,kernel,provider,dtype,size,series,bytes,operations,warps,config,status,median_ms,"
        "q20_ms,q80_ms,fastest_ms,runs,gbps,of_copy,tflops,roof,max_error,message\n";
  for (const Measurement &entry : results) {
    const Case &what = entry.what;
    os << what.suite->name << ',' << exampleOf(what.suite->kind).name << ',' << entry.provider
       << ',' << typeName(what.type) << ',' << what.sizeText() << ',' << csvField(what.series())
       << ',' << what.movedBytes() << ',' << llvm::format("%.0f", what.operations()) << ','
       << entry.warps << ',' << csvField(entry.config) << ',' << outcomeName(entry.outcome) << ',';
    if (entry.isMeasured()) {
      const Timing &timing = entry.timing;
      os << llvm::format("%.6f,%.6f,%.6f,%.6f,%u,", timing.medianMs, timing.lowerMs, timing.upperMs,
                         timing.fastestMs, timing.runs);
      writeRates(entry, results, ceilings, os);
      os << llvm::format("%.3e,", entry.error);
    } else {
      os << ",,,,,,,,,,";
    }
    os << csvField(entry.message) << '\n';
  }
}

std::vector<double> bench::ratios(const Results &results, StringRef provider, StringRef base) {
  std::vector<double> values;
  for (const Measurement &entry : results) {
    if (entry.provider != provider || entry.rate() <= 0)
      continue;
    const Measurement *other = find(results, entry.what, base);
    if (other && other->rate() > 0)
      values.push_back(entry.rate() / other->rate());
  }
  return values;
}

double bench::geometricMean(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / double(values.size()));
}
