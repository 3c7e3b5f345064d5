//===- Places.h - source lines, as the page numbers them --------*- C++ -*-===//
//
// Every line of every form of a kernel has the number of a chain: the place in the source that it
// came from, and the calls that led there. MLIR and LLVM know the calls; what PTX and SASS lack of
// them is looked up among the chains that are known.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_PLACES_H
#define TILEC_LIB_REPORT_PLACES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace llvm {
class DILocation;
} // namespace llvm

namespace tilec::report {

/// A point in a source file. Lines and columns count from 1; 0 is unknown.
struct Place {
  unsigned file = 0;
  unsigned line = 0;
  unsigned column = 0;

  bool operator<(const Place &o) const {
    return std::tie(file, line, column) < std::tie(o.file, o.line, o.column);
  }
};

class PlaceTable {
public:
  /// The texts of files are those of \p sources, which must outlive the table.
  explicit PlaceTable(const llvm::SourceMgr &sources) : sources(sources) {}

  /// The number of the file with this name, as messages have it.
  unsigned addFile(llvm::StringRef name);
  /// The number of a file by a path of debug information, which may have more or fewer folders in
  /// front than the name of a file that is known.
  unsigned fileOf(llvm::StringRef path);

  /// The number of a chain, innermost place first; 0 for an empty one.
  unsigned chainOf(llvm::ArrayRef<Place> places);
  unsigned chainOf(mlir::Location location);
  unsigned chainOf(const llvm::DILocation *location);
  /// The chain of \p place, with calls if all that is known of it came by the same ones. Without a
  /// column, those of the whole line count.
  unsigned chainOf(const Place &place);

  /// The innermost place of a chain; null for the empty one.
  const Place *placeOf(unsigned chain) const {
    return chains[chain].empty() ? nullptr : &chains[chain].front();
  }
  /// The name of a file by its number.
  llvm::StringRef fileName(unsigned file) const { return files[file]; }

  /// The files with their texts, and the chains; both without entry 0 being meant for use.
  llvm::json::Array filesToJSON() const;
  llvm::json::Array chainsToJSON() const;

private:
  void note(const Place &place, unsigned chain);

  const llvm::SourceMgr &sources;
  std::vector<std::string> files;
  std::vector<std::vector<Place>> chains = {{}};
  std::map<std::vector<Place>, unsigned> numbers;
  /// Chains by their first place; 0 where there are several.
  std::map<Place, unsigned> byPlace;
};

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_PLACES_H
