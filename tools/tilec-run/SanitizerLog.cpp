//===- SanitizerLog.cpp - what compute-sanitizer prints --------*- C++ -*-===//
//
// The log is a list of records behind "=========": a line that says what was found, and lines that
// are set in, which say where.
//
//===----------------------------------------------------------------------===//

#include "SanitizerLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using llvm::StringRef;
using Finding = SanitizerFinding;

namespace {

struct Record {
  StringRef head;
  std::vector<StringRef> details;
};

} // namespace

static std::vector<Record> splitRecords(StringRef text) {
  std::vector<Record> records;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.rtrim();
    if (!line.consume_front("=========") || line.trim().empty())
      continue;
    if (!line.starts_with("  "))
      records.push_back({line.trim(), {}});
    else if (!records.empty())
      records.back().details.push_back(line.trim());
  }
  return records;
}

/// Takes "(1,2,3)" off the front.
static bool takeTriple(StringRef &text, unsigned (&numbers)[3]) {
  if (!text.consume_front("("))
    return false;
  for (unsigned &number : numbers) {
    text.consume_front(",");
    if (text.consumeInteger(10, number))
      return false;
  }
  return text.consume_front(")");
}

static std::optional<Finding::Access> accessOf(StringRef word) {
  if (word.equals_insensitive("read"))
    return Finding::Access::Read;
  if (word.equals_insensitive("write"))
    return Finding::Access::Write;
  if (word.equals_insensitive("atomic"))
    return Finding::Access::Atomic;
  return std::nullopt;
}

/// Of "kernel(int *)+0x140 in folder/k.py:8" the file and line; the name may have anything in it.
static Finding::Place placeOf(StringRef text) {
  StringRef rest = text.substr(text.rfind("+0x")).split(" in ").second;
  auto [file, line] = rest.rsplit(':');
  Finding::Place place;
  if (!line.consumeInteger(10, place.line))
    place.file = file.str();
  return place;
}

static uint64_t takeAddress(StringRef text) {
  uint64_t address = 0;
  text.consumeInteger(0, address);
  return address;
}

/// "Read access at kernel+0x100 in k.py:6 [512 hazards]".
static bool readRaceSide(StringRef text, Finding::Opponent &side) {
  auto [word, rest] = text.split(" access at ");
  std::optional<Finding::Access> access = accessOf(word);
  if (!access)
    return false;
  side.access = *access;
  auto [where, count] = rest.split(" [");
  side.place = placeOf(where);
  count.consumeInteger(10, side.count);
  return true;
}

static void readDetail(StringRef line, Finding &finding) {
  StringRef rest = line;
  Finding::Opponent opponent;
  if (rest.consume_front("at ") ||
      (finding.place.file.empty() && rest.consume_front("Device Frame: "))) {
    finding.place = placeOf(rest);
  } else if (rest.consume_front("by thread ")) {
    finding.hasThread = takeTriple(rest, finding.thread) && rest.consume_front(" in block ") &&
                        takeTriple(rest, finding.block);
  } else if (rest.consume_front("Access to ") || rest.consume_front("Address ")) {
    finding.address = takeAddress(rest);
    StringRef reason = rest.split(" is ").second;
    if (reason == "out of bounds")
      finding.kind = Finding::Kind::Outside;
    else if (reason == "misaligned")
      finding.kind = Finding::Kind::Misaligned;
    else if (!reason.empty())
      finding.text += " that is " + reason.str();
  } else if (rest.consume_front("and ") && readRaceSide(rest, opponent)) {
    finding.opponents.push_back(opponent);
  }
}

/// Reads "__global__ read of size 4 bytes" and the like.
static void readAccess(StringRef text, Finding &finding) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (auto [index, word] : llvm::enumerate(words)) {
    if (word.starts_with("__"))
      finding.space = word.trim('_').str();
    if (std::optional<Finding::Access> access = accessOf(word))
      finding.access = *access;
    if (index != 0 && words[index - 1] == "size")
      word.getAsInteger(10, finding.bytes);
  }
}

static std::optional<Finding> readFinding(const Record &record) {
  Finding finding;
  StringRef head = record.head;
  finding.text = head.str();
  if (head.consume_front("Uninitialized ")) {
    finding.kind = Finding::Kind::Unwritten;
    readAccess(head, finding);
  } else if (head.consume_front("Barrier error detected. ")) {
    finding.kind = Finding::Kind::Barrier;
    finding.text = head.rtrim(".").str();
  } else if (head.consume_front("Error: Race reported between ") ||
             head.consume_front("Warning: Race reported between ")) {
    finding.kind = Finding::Kind::Race;
    Finding::Opponent side;
    if (!readRaceSide(head, side))
      return std::nullopt;
    finding.access = side.access;
    finding.place = side.place;
  } else if (head.starts_with("Invalid ")) {
    readAccess(head, finding);
  } else if (llvm::none_of(record.details,
                           [](StringRef line) { return line.starts_with("by thread "); })) {
    return std::nullopt;
  }
  for (StringRef line : record.details)
    readDetail(line, finding);
  return finding;
}

static bool isFailure(StringRef head) {
  return head.starts_with("Error: ") || head.starts_with("Fatal") ||
         head.starts_with("Internal ") || head.starts_with("Target application doesn't exist");
}

SanitizerLog readSanitizerLog(StringRef text) {
  SanitizerLog log;
  for (const Record &record : splitRecords(text)) {
    StringRef head = record.head;
    if (head.consume_front("ERROR SUMMARY: ") || head.consume_front("RACECHECK SUMMARY: ")) {
      log.isComplete = true;
      head.consumeInteger(10, log.counted);
    } else if (std::optional<Finding> finding = readFinding(record)) {
      log.findings.push_back(std::move(*finding));
      ++log.listed;
    } else if (head.starts_with("Program hit ")) {
      ++log.listed; // The program says it, too.
    } else if (isFailure(head) && log.failure.empty()) {
      head.consume_front("Error: ");
      log.failure = head.str();
    }
  }
  return log;
}

/// "k.py:74: checked: block: [0,0,0], thread: [1,0,0] Assertion `too large` failed."
static bool readAssertion(StringRef line, Finding &finding) {
  auto [place, rest] = line.split(": block: [");
  auto [block, behind] = rest.split("], thread: [");
  auto [thread, message] = behind.split("] Assertion `");
  if (!message.consume_back("` failed."))
    return false;
  auto [file, number] = place.rsplit(": ").first.rsplit(':');
  std::string triples[] = {("(" + block + ")").str(), ("(" + thread + ")").str()};
  StringRef ofBlock = triples[0], ofThread = triples[1];
  if (number.getAsInteger(10, finding.place.line) || !takeTriple(ofBlock, finding.block) ||
      !takeTriple(ofThread, finding.thread))
    return false;
  finding.kind = Finding::Kind::Assertion;
  finding.place.file = file.str();
  finding.text = message.str();
  finding.hasThread = true;
  return true;
}

void takeAssertions(std::string &output, SanitizerLog &log) {
  std::string rest;
  std::vector<Finding> found;
  for (StringRef line : llvm::split(StringRef(output).rtrim('\n'), '\n')) {
    Finding finding;
    if (readAssertion(line, finding))
      found.push_back(std::move(finding));
    else if (!output.empty())
      rest += line.str() + "\n";
  }
  if (found.empty())
    return;
  output = std::move(rest);
  llvm::erase_if(log.findings,
                 [](const Finding &finding) { return finding.text == "Warp assert"; });
  llvm::append_range(log.findings, std::move(found));
}
