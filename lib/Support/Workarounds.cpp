//===- Workarounds.cpp - Which faults of other tools are avoided -*- C++ -*-===//
//
// The table of Workarounds.def as data, and which rows are switched off in this process. Code all
// over the compiler asks isEnabled() before it avoids a fault; tools read --disable-workaround into
// the variable here, and utils/check-workarounds.py reads the table as JSON.
//
//===----------------------------------------------------------------------===//

#include "tilec/Support/Workarounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <atomic>

using namespace tilec;
using llvm::StringRef;

static constexpr WorkaroundInfo kTable[] = {
#define WORKAROUND(ID, NAME, TOOL, VERSIONS, FAULT, REMEDY)                                        \
  {llvm::StringLiteral(NAME), llvm::StringLiteral(TOOL), llvm::StringLiteral(VERSIONS),            \
   llvm::StringLiteral(FAULT), llvm::StringLiteral(REMEDY)},
#include "tilec/Support/Workarounds.def"
};
static_assert(std::size(kTable) <= 32, "one bit a workaround");

/// One bit for each that is off. A variable of the process, like LLVM's own developer options: the
/// code that asks is in every part of the compiler.
static std::atomic<uint32_t> disabled{0};

llvm::ArrayRef<WorkaroundInfo> tilec::workarounds() { return kTable; }

std::string tilec::workaroundsAsJSON() {
  llvm::json::Array rows;
  for (const WorkaroundInfo &row : kTable)
    rows.push_back(llvm::json::Object{{"name", row.name},
                                      {"tool", row.tool},
                                      {"versions", row.versions},
                                      {"fault", row.fault},
                                      {"remedy", row.remedy}});
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(rows)));
}

bool tilec::isEnabled(Workaround workaround) {
  return !(disabled.load(std::memory_order_relaxed) >> unsigned(workaround) & 1);
}

llvm::Error tilec::disableWorkarounds(StringRef names) {
  uint32_t found = 0;
  llvm::SmallVector<StringRef> parts;
  names.split(parts, ',');
  for (StringRef part : parts) {
    const WorkaroundInfo *row =
        llvm::find_if(kTable, [&](const WorkaroundInfo &row) { return row.name == part.trim(); });
    if (row != std::end(kTable)) {
      found |= 1u << (row - kTable);
      continue;
    }
    auto allNames = llvm::map_range(kTable, [](const WorkaroundInfo &row) { return row.name; });
    return llvm::createStringError("there is no workaround '" + part.trim() + "'; there are " +
                                   llvm::join(allNames, ", "));
  }
  disabled |= found;
  return llvm::Error::success();
}
