//===- SanitizerReport.cpp - findings in the kernel's terms ----*- C++ -*-===//
//
// The tool knows addresses, blocks and threads. The run that it has watched has left where arrays
// were, how programs lie in blocks, and which accesses a line has.
//
//===----------------------------------------------------------------------===//

#include "SanitizerReport.h"

#include "tilec/JIT/Compare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace tilec;
using llvm::StringRef;
using Finding = SanitizerFinding;
using Array = WatchedFacts::Array;
using Site = WatchedFacts::Site;

namespace {

class Reporter {
public:
  Reporter(const WatchedFacts &facts, Compilation &compilation)
      : facts(facts), compilation(compilation) {}

  void report(const Finding &first, uint64_t count);
  /// What findings have in common that are reported as one.
  std::string keyOf(const Finding &finding) const;

private:
  /// A line, and columns in it.
  struct Range {
    std::string file;
    unsigned line = 0, column = 0, endColumn = 0;
    operator FileLoc() const { return {file, line, column, endColumn}; }
  };

  std::vector<const Site *> sitesOf(const Finding::Place &place) const;
  Finding::Access accessOf(const Finding &finding) const;
  Range rangeOf(const Finding::Place &place, Finding::Access access);
  StringRef lineOf(const Finding::Place &place);
  std::pair<const Array *, int64_t> nearestArray(const Finding &finding) const;
  std::string textOf(const Finding &finding) const;
  std::string outside(const Finding &finding) const;
  std::string inside(const Finding &finding) const;
  std::string whereOf(const Finding &finding) const;

  const WatchedFacts &facts;
  Compilation &compilation;
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::vector<const Site *> Reporter::sitesOf(const Finding::Place &place) const {
  std::vector<const Site *> found;
  for (const Site &site : facts.sites)
    if (site.line == place.line && site.file == place.file)
      found.push_back(&site);
  return found;
}

/// To initcheck, an atomic operation is a read.
Finding::Access Reporter::accessOf(const Finding &finding) const {
  std::vector<const Site *> sites = sitesOf(finding.place);
  bool isAtomic = !sites.empty() && finding.kind == Finding::Kind::Unwritten &&
                  llvm::all_of(sites, [](const Site *site) { return site->loads && site->stores; });
  return isAtomic ? Finding::Access::Atomic : finding.access;
}

StringRef Reporter::lineOf(const Finding::Place &place) {
  llvm::SourceMgr &sources = compilation.sources();
  const llvm::MemoryBuffer *text = nullptr;
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == place.file)
      text = sources.getMemoryBuffer(id);
  // What the kernel imports was not read in this process.
  if (!text)
    if (auto read = llvm::MemoryBuffer::getFile(place.file))
      text = sources.getMemoryBuffer(sources.AddNewSourceBuffer(std::move(*read), llvm::SMLoc()));
  StringRef rest = text ? text->getBuffer() : StringRef();
  for (unsigned line = 1; line < place.line; ++line)
    rest = rest.split('\n').second;
  return rest.split('\n').first;
}

/// Where one access of the line can be meant, it; otherwise all that stands there.
Reporter::Range Reporter::rangeOf(const Finding::Place &place, Finding::Access access) {
  StringRef text = lineOf(place);
  Range range{place.file, place.line, unsigned(text.size() - text.ltrim().size() + 1),
              unsigned(text.rtrim().size() + 1)};
  llvm::SmallVector<unsigned> columns;
  for (const Site *site : sitesOf(place)) {
    bool isMeant = access == Finding::Access::Atomic ? site->loads && site->stores
                   : access == Finding::Access::Read ? site->loads
                                                     : site->stores;
    if (isMeant && !llvm::is_contained(columns, site->column))
      columns.push_back(site->column);
  }
  if (columns.size() == 1 && columns.front() != 0)
    range.column = range.endColumn = columns.front();
  return range;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static StringRef verbOf(Finding::Access access) {
  switch (access) {
  case Finding::Access::Read:
    return "reads";
  case Finding::Access::Write:
    return "writes";
  case Finding::Access::Atomic:
    return "atomically changes";
  }
  llvm_unreachable("all accesses are covered");
}

static std::string bytesText(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// The array whose elements are nearest to the access, and how far away they are; null without any.
std::pair<const Array *, int64_t> Reporter::nearestArray(const Finding &finding) const {
  const Array *nearest = nullptr;
  int64_t distance = 0;
  for (const Array &array : facts.arrays) {
    int64_t before = int64_t(array.address - finding.address);
    int64_t behind = int64_t(finding.address + finding.bytes - (array.address + array.bytes));
    int64_t away = std::max({before, behind, int64_t(0)});
    if (!nearest || away < distance)
      std::tie(nearest, distance) = std::pair(&array, away);
  }
  return {nearest, distance};
}

static std::string nameOf(const Array &array) {
  return "'" + array.name + "' (" + array.type + formatShape(array.shape) + ")";
}

std::string Reporter::outside(const Finding &finding) const {
  std::string text = (verbOf(finding.access) + " " + bytesText(finding.bytes)).str();
  if (finding.space != "global")
    return text + " of " + finding.space + " memory at 0x" +
           llvm::utohexstr(finding.address, /*LowerCase=*/true) + ", where there is none";
  auto [array, distance] = nearestArray(finding);
  constexpr int64_t farthest = int64_t(1) << 32, firstPage = 4096;
  if (!array || distance > farthest || finding.address < firstPage)
    return text + " at address 0x" + llvm::utohexstr(finding.address, /*LowerCase=*/true) +
           ", far from all arrays";
  auto offset = int64_t(finding.address - array->address);
  int64_t behind = offset - int64_t(array->bytes);
  if (offset < 0)
    text += ", " + bytesText(uint64_t(-offset)) + " before the start of ";
  else if (behind < 0)
    text += " over the end of ";
  else if (behind == 0)
    text += " right behind the end of ";
  else
    text += ", " + bytesText(uint64_t(behind)) + " behind the end of ";
  return text + nameOf(*array) + ", where element " +
         std::to_string(llvm::divideFloorSigned(offset, int64_t(array->itemBytes))) + " would be";
}

/// The element that an address belongs to.
std::string Reporter::inside(const Finding &finding) const {
  auto [array, distance] = nearestArray(finding);
  if (!array || distance != 0)
    return bytesText(finding.bytes) + " at address 0x" +
           llvm::utohexstr(finding.address, /*LowerCase=*/true);
  return "element " +
         formatIndex((finding.address - array->address) / array->itemBytes, array->shape) + " of " +
         nameOf(*array);
}

std::string Reporter::textOf(const Finding &finding) const {
  std::string verb = verbOf(accessOf(finding)).str();
  switch (finding.kind) {
  case Finding::Kind::Outside:
    return outside(finding);
  case Finding::Kind::Misaligned: {
    std::string text = verb + " " + bytesText(finding.bytes) + " at an address that is not aligned";
    auto [array, distance] = nearestArray(finding);
    if (finding.space == "global" && array && distance == 0)
      return text + ", " + bytesText(finding.address - array->address) + " behind the start of " +
             nameOf(*array);
    return text + ", 0x" + llvm::utohexstr(finding.address, /*LowerCase=*/true) +
           (finding.space == "global" ? "" : " of " + finding.space + " memory");
  }
  case Finding::Kind::Unwritten:
    return verb + " " + inside(finding) + ", which nothing has written";
  case Finding::Kind::Race:
    return verb + " shared memory that another thread accesses, and no barrier is between the two";
  case Finding::Kind::Barrier:
    return "a barrier is not reached as it must be: " + finding.text;
  case Finding::Kind::Assertion:
    return "assertion failed: " + finding.text;
  case Finding::Kind::Other:
    return "compute-sanitizer says: " + finding.text;
  }
  llvm_unreachable("all kinds are covered");
}

/// "; in program (3, 0, 0), warp 0, lane 14". Programs of a block lie along y or z.
std::string Reporter::whereOf(const Finding &finding) const {
  if (!finding.hasThread)
    return "";
  const unsigned *block = finding.block, *thread = finding.thread;
  constexpr unsigned warpSize = 32;
  std::string cta =
      facts.numCTAs > 1 ? ", CTA " + std::to_string(block[0] % facts.numCTAs) : std::string();
  return llvm::formatv("; in program ({0}, {1}, {2}){3}, warp {4}, lane {5}",
                       block[0] / facts.numCTAs * facts.block[1] + thread[1],
                       block[1] * facts.block[2] + thread[2], block[2], cta, thread[0] / warpSize,
                       thread[0] % warpSize);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::string Reporter::keyOf(const Finding &finding) const {
  const Array *array = finding.space == "global" ? nearestArray(finding).first : nullptr;
  return llvm::formatv("{0} {1} {2} {3} {4} {5} {6}", int(finding.kind), int(finding.access),
                       finding.space, array ? array->name : "",
                       finding.kind >= Finding::Kind::Barrier ? finding.text : "",
                       finding.place.line, finding.place.file);
}

static std::string timesText(uint64_t count) {
  return count > 1 ? "; " + std::to_string(count) + " times in all" : "";
}

void Reporter::report(const Finding &first, uint64_t count) {
  std::string text = textOf(first) + whereOf(first);
  DiagnosticEngine &diagnostics = compilation.diagnostics();
  if (first.place.file.empty()) {
    diagnostics.error(llvm::SMRange(), text + timesText(count));
    return;
  }
  Range range = rangeOf(first.place, accessOf(first));
  if (first.kind != Finding::Kind::Race) {
    diagnostics.report(Severity::Error, range, text + timesText(count));
    return;
  }
  uint64_t hazards = 0;
  std::vector<Range> others;
  for (const Finding::Opponent &opponent : first.opponents) {
    hazards += opponent.count;
    others.push_back(rangeOf(opponent.place, opponent.access));
  }
  DiagnosticBuilder error = diagnostics.report(Severity::Error, range, text + timesText(hazards));
  for (auto [opponent, other] : llvm::zip_equal(first.opponents, others))
    error.note(other, "the other access is here; it " + verbOf(opponent.access).split(' ').first);
}

void reportFindings(llvm::ArrayRef<Finding> findings, const WatchedFacts &facts,
                    Compilation &compilation) {
  Reporter reporter(facts, compilation);
  std::vector<std::pair<const Finding *, uint64_t>> kinds;
  std::map<std::string, size_t> numbers;
  for (const Finding &finding : findings) {
    auto [known, isNew] = numbers.try_emplace(reporter.keyOf(finding), kinds.size());
    if (isNew || finding.kind == Finding::Kind::Race)
      kinds.push_back({&finding, 1});
    else
      ++kinds[known->second].second;
  }
  for (auto [finding, count] : kinds)
    reporter.report(*finding, count);
}
