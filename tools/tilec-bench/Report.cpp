//===- Report.cpp - tables for people --------------------------*- C++ -*-===//
//
// Formats one suite's measurements in one type as a table: GB/s, or TFLOP/s of products, of each
// provider at each size, tilec's share of the others, and notes below the table that keep readers
// from misreading it (spread, means, roofline, configurations, sizes that fit into the L2 cache).
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

namespace {

/// Builds the report of one table.
class Reporter {
public:
  Reporter(const Suite &suite, ScalarKind type, const Results &all, const GpuFacts &gpu,
           const Ceilings &ceilings);

  std::string str() const;

private:
  std::string title() const;
  std::vector<std::string> header() const;
  std::vector<std::string> row(const Case &what) const;
  std::vector<StringRef> bases() const;
  std::vector<StringRef> configured() const;
  std::string table() const;
  std::string spreadNote() const;
  std::string meansNote() const;
  std::string rooflineNote() const;
  std::string productRooflineNote() const;
  std::string configNote() const;
  std::string cacheNote() const;
  std::string cell(const Case &what, StringRef provider) const;
  std::string share(const Case &what, StringRef base) const;
  std::string roofShare(const Case &what) const;
  bool has(StringRef provider) const { return llvm::is_contained(providers, provider); }

  const Suite &suite;
  ScalarKind type;
  const GpuFacts &gpu;
  const Ceilings &ceilings;
  Results results;
  std::vector<Case> cases;
  std::vector<StringRef> providers;
};

} // namespace

Reporter::Reporter(const Suite &suite, ScalarKind type, const Results &all, const GpuFacts &gpu,
                   const Ceilings &ceilings)
    : suite(suite), type(type), gpu(gpu), ceilings(ceilings) {
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
  // Products of few rows have little to multiply.
  int digits = suite.isProduct() && entry->rate() < 100 ? 1 : 0;
  return entry->isMeasured() ? formatFixed(entry->rate(), digits) : "failed";
}

std::string Reporter::share(const Case &what, StringRef base) const {
  const Measurement *entry = find(results, what, "tilec"), *other = find(results, what, base);
  bool both = entry && other && entry->rate() > 0 && other->rate() > 0;
  return both ? formatFixed(entry->rate() / other->rate(), 2) : "-";
}

std::string Reporter::roofShare(const Case &what) const {
  const Measurement *entry = find(results, what, "tilec");
  double roof = ceilings.roofOf(what);
  return entry && entry->rate() > 0 && roof > 0 ? formatFixed(entry->rate() / roof, 2) : "-";
}

/// Whom tilec is compared with in columns of their own.
std::vector<StringRef> Reporter::bases() const {
  std::vector<StringRef> names;
  for (StringRef base : {suite.isProduct() ? "torch" : "copy", "triton"})
    if (has("tilec") && has(base))
      names.push_back(base);
  return names;
}

/// Who chooses a configuration for each size.
std::vector<StringRef> Reporter::configured() const {
  std::vector<StringRef> names;
  for (StringRef name : {"triton", "tilec"})
    if (suite.isProduct() && has(name))
      names.push_back(name);
  return names;
}

std::vector<std::string> Reporter::header() const {
  std::vector<std::string> cells = {exampleOf(suite.kind).sizeName.str()};
  for (StringRef provider : providers)
    cells.push_back(provider.str());
  for (StringRef base : bases())
    cells.push_back(("tilec/" + base).str());
  if (has("tilec") && suite.isProduct())
    cells.push_back("of roof");
  if (has("tilec"))
    cells.push_back("error");
  for (StringRef name : configured())
    cells.push_back((name + " config").str());
  return cells;
}

std::vector<std::string> Reporter::row(const Case &what) const {
  std::vector<std::string> cells = {what.sizeText()};
  for (StringRef provider : providers)
    cells.push_back(cell(what, provider));
  for (StringRef base : bases())
    cells.push_back(share(what, base));
  if (has("tilec") && suite.isProduct())
    cells.push_back(roofShare(what));
  if (has("tilec")) {
    const Measurement *ours = find(results, what, "tilec");
    char text[32] = "-";
    if (ours && ours->isMeasured())
      std::snprintf(text, sizeof(text), "%.1e", ours->error);
    cells.push_back(text);
  }
  for (StringRef name : configured()) {
    const Measurement *entry = find(results, what, name);
    cells.push_back(entry && entry->isMeasured() ? entry->config : "-");
  }
  return cells;
}

std::string Reporter::table() const {
  Table table(header());
  for (const Case &what : cases)
    table.add(row(what));
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

std::string Reporter::productRooflineNote() const {
  const Ceiling &products = ceilings.products(type), &memory = ceilings.memory();
  if (products.rate <= 0)
    return "";
  std::string text = "roofline: the best product of this run so far has " +
                     formatFixed(products.rate, 0) + " TFLOP/s (" + products.where + ")";
  if (memory.rate <= 0)
    return text + "; no copy was measured\n";
  text += ", the fastest copy " + formatFixed(memory.rate, 0) + " GB/s (" + memory.where +
          "); the first bounds sizes of more than " + formatFixed(ceilings.ridge(type), 0) +
          " operations for each byte that must be moved at least, the second the others. " +
          "of roof: tilec's share of the bound of its size";
  double best = 0;
  const Measurement *where = nullptr;
  for (const Measurement &entry : results) {
    double roof = ceilings.roofOf(entry.what);
    if (entry.provider != "tilec" || roof <= 0 || entry.rate() / roof <= best)
      continue;
    best = entry.rate() / roof;
    where = &entry;
  }
  if (where)
    text += "; the highest is " + formatFixed(100 * best, 1) + "% at " + where->what.sizeText();
  return text + "\n";
}

/// What the columns of configurations mean, and which part of a library ran.
std::string Reporter::configNote() const {
  std::vector<StringRef> columns = configured();
  std::string text;
  if (!columns.empty())
    text = "config: sizes of blocks, warps (w) and stages (s) of the fastest of a few, the same "
           "few for " +
           llvm::join(columns, " and ") + "\n";
  std::set<std::string> parts;
  for (const Measurement &entry : results)
    if (entry.provider == "torch" && entry.isMeasured() && !entry.config.empty())
      parts.insert(entry.config);
  return parts.empty() ? text : text + "torch: " + llvm::join(parts, "; ") + "\n";
}

std::string Reporter::rooflineNote() const {
  if (suite.isProduct())
    return productRooflineNote();
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
  if (gpu.cacheBytes == 0 || suite.isProduct())
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

std::string Reporter::title() const {
  std::string text = (suite.name + ", " + typeName(type)).str();
  if (!suite.isProduct())
    return text + ", GB/s (each element read once and written once)\n";
  // So that nobody takes it for float32.
  if (type == ScalarKind::FP32)
    text += " (factors rounded to tf32)";
  return text + ", TFLOP/s\n";
}

std::string Reporter::str() const {
  if (cases.empty())
    return "";
  return title() + table() + configNote() + spreadNote() + meansNote() + rooflineNote() +
         cacheNote();
}

std::string bench::reportSuite(const Suite &suite, ScalarKind type, const Results &results,
                               const GpuFacts &gpu, const Ceilings &ceilings) {
  return Reporter(suite, type, results, gpu, ceilings).str();
}
