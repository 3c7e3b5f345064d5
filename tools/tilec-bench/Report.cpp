//===- Report.cpp - tables for people --------------------------*- C++ -*-===//
//
// Formats one suite's measurements in one type as a table: GB/s of each provider at each size,
// tilec's share of the others, and notes below the table that keep readers from misreading it
// (spread, means, roofline, sizes that fit into the L2 cache).
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

namespace {

/// Builds the report of one table.
class Reporter {
public:
  Reporter(const Suite &suite, ScalarKind type, const Results &all, const GpuFacts &gpu);

  std::string str() const;

private:
  std::string table() const;
  std::string spreadNote() const;
  std::string meansNote() const;
  std::string rooflineNote() const;
  std::string cacheNote() const;
  std::string cell(const Case &what, StringRef provider) const;
  std::string share(const Case &what, StringRef provider, StringRef base) const;
  bool has(StringRef provider) const { return llvm::is_contained(providers, provider); }

  const Suite &suite;
  ScalarKind type;
  const GpuFacts &gpu;
  Results results;
  std::vector<Case> cases;
  std::vector<StringRef> providers;
};

} // namespace

Reporter::Reporter(const Suite &suite, ScalarKind type, const Results &all, const GpuFacts &gpu)
    : suite(suite), type(type), gpu(gpu) {
  for (const Measurement &entry : all) {
    if (entry.what.suite != &suite || entry.what.type != type)
      continue;
    results.push_back(entry);
    if (cases.empty() || !(cases.back().size == entry.what.size))
      cases.push_back(entry.what);
  }
  for (StringRef provider : suite.providers)
    if (llvm::any_of(results, [&](const Measurement &m) { return m.provider == provider; }))
      providers.push_back(provider);
}

std::string Reporter::cell(const Case &what, StringRef provider) const {
  const Measurement *entry = find(results, what, provider);
  if (!entry)
    return "-";
  if (entry->outcome == Outcome::Wrong)
    return "wrong";
  return entry->isMeasured() ? formatFixed(entry->rate(), 0) : "failed";
}

std::string Reporter::share(const Case &what, StringRef provider, StringRef base) const {
  const Measurement *entry = find(results, what, provider), *other = find(results, what, base);
  bool both = entry && other && entry->rate() > 0 && other->rate() > 0;
  return both ? formatFixed(entry->rate() / other->rate(), 2) : "-";
}

std::string Reporter::table() const {
  std::vector<std::string> header = {suite.hasRows() ? "rows x cols" : "elements"};
  for (StringRef provider : providers)
    header.push_back(provider.str());
  std::vector<StringRef> bases;
  for (StringRef base : {"copy", "triton"})
    if (has("tilec") && has(base))
      bases.push_back(base);
  for (StringRef base : bases)
    header.push_back(("tilec/" + base).str());
  if (has("tilec"))
    header.push_back("error");
  Table table(header);
  for (const Case &what : cases) {
    std::vector<std::string> row = {what.sizeText()};
    for (StringRef provider : providers)
      row.push_back(cell(what, provider));
    for (StringRef base : bases)
      row.push_back(share(what, "tilec", base));
    if (const Measurement *ours = find(results, what, "tilec")) {
      char text[32];
      std::snprintf(text, sizeof(text), "%.1e", ours->error);
      row.push_back(ours->isMeasured() ? text : "-");
    } else if (has("tilec")) {
      row.push_back("-");
    }
    table.add(std::move(row));
  }
  return table.str();
}

std::string Reporter::spreadNote() const {
  double worst = 0;
  const Measurement *where = nullptr;
  std::vector<double> spreads;
  for (const Measurement &entry : results) {
    if (!entry.isMeasured() || entry.timing.medianMs <= 0)
      continue;
    double spread = (entry.timing.upperMs - entry.timing.lowerMs) / entry.timing.medianMs;
    spreads.push_back(spread);
    if (!where || spread > worst) {
      worst = spread;
      where = &entry;
    }
  }
  if (!where)
    return "";
  std::sort(spreads.begin(), spreads.end());
  return "spread: the 20% and 80% quantiles are " + formatFixed(100 * quantile(spreads, 0.5), 1) +
         "% of the median apart at half of the entries, " + formatFixed(100 * worst, 1) +
         "% at the worst (" + where->provider + ", " + where->what.sizeText() + ")\n";
}

std::string Reporter::meansNote() const {
  std::string text;
  for (StringRef provider : providers) {
    std::vector<double> values = ratios(results, "tilec", provider);
    if (provider == "tilec" || values.empty())
      continue;
    auto ahead = llvm::count_if(values, [](double ratio) { return ratio >= 1; });
    text += (text.empty() ? "tilec / others: " : "; ") + provider.str() + " " +
            formatFixed(geometricMean(values), 3) + " (least " +
            formatFixed(*std::min_element(values.begin(), values.end()), 2) + ", " +
            std::to_string(ahead) + " of " + std::to_string(values.size()) + " at least level)";
  }
  return text.empty() ? "" : text + "; geometric means\n";
}

std::string Reporter::rooflineNote() const {
  Roofline cost = rooflineOf(suite.kind, type);
  std::string text = "roofline: " + formatFixed(cost.bytes, 0) + " bytes and " +
                     formatFixed(cost.operations, 0) + " operations an element, " +
                     formatFixed(cost.intensity(), 2) + " operations a byte";
  double ceiling = 0, ours = 0;
  const Measurement *best = nullptr;
  for (const Measurement &entry : results) {
    if (entry.provider == "copy")
      ceiling = std::max(ceiling, entry.rate());
    if (entry.provider == "tilec" && entry.rate() > ours) {
      ours = entry.rate();
      best = &entry;
    }
  }
  if (ceiling > 0 && gpu.peakGops > 0) {
    double ridge = gpu.peakGops / ceiling;
    text += cost.intensity() < ridge ? ", left of the ridge at " : ", right of the ridge at ";
    text += formatFixed(ridge, 1) + ": " +
            (cost.intensity() < ridge ? "memory is the bound" : "arithmetic is the bound");
  }
  if (best && ceiling > 0)
    text += "; tilec's best, " + formatFixed(ours * cost.intensity(), 0) + " Gop/s at " +
            best->what.sizeText() + ", is " + formatFixed(100 * ours / ceiling, 1) +
            "% of what the fastest copy (" + formatFixed(ceiling, 0) + " GB/s) allows";
  return text + "\n";
}

std::string Reporter::cacheNote() const {
  if (gpu.cacheBytes == 0)
    return "";
  auto isSmall = [&](const Case &what) { return what.arrayBytes() <= gpu.cacheBytes; };
  auto count = llvm::count_if(cases, isSmall);
  if (count == 0)
    return "";
  const Case &largest =
      *std::max_element(cases.begin(), cases.end(), [&](const Case &left, const Case &right) {
        return (isSmall(left) ? left.arrayBytes() : 0) < (isSmall(right) ? right.arrayBytes() : 0);
      });
  return "L2: the cache is cleared before each run, so that every input comes from memory; but up "
         "to " +
         largest.sizeText() + " the output fits into its " +
         formatFixed(double(gpu.cacheBytes) / (1 << 20), 0) +
         " MiB and can still be there when the run ends, copy's as well as the others'. " +
         "The smaller the size, the more the fixed cost of a launch counts: compare with copy, not "
         "with the memory's bandwidth\n";
}

std::string Reporter::str() const {
  if (cases.empty())
    return "";
  return (suite.name + ", " + typeName(type) + ", GB/s (each element read once and written once)\n")
             .str() +
         table() + spreadNote() + meansNote() + rooflineNote() + cacheNote();
}

std::string bench::reportSuite(const Suite &suite, ScalarKind type, const Results &results,
                               const GpuFacts &gpu) {
  return Reporter(suite, type, results, gpu).str();
}
