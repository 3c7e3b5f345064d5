//===- Panes.h - the forms of a kernel, line by line ------------*- C++ -*-===//
//
// A pane of the page is a text whose lines know where in the source they came from.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_PANES_H
#define TILEC_LIB_REPORT_PANES_H

#include "Places.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace tilec::report {

struct Pane {
  Pane(llvm::StringRef id, llvm::StringRef title) : id(id), title(title) {}

  /// A word by which the page knows the pane, and the name that people see.
  std::string id, title;
  /// Lines, each with its end.
  std::string text;
  /// The chain of each line; 0 for none.
  std::vector<unsigned> chains;
  /// Why there is no text, or what is to be said of it; may be empty.
  std::string note;
  /// A number for each line that is drawn beside it, or nothing; and what it is.
  std::vector<unsigned> counts;
  std::string countName;

  void add(llvm::StringRef line, unsigned chain) {
    text += line;
    text += '\n';
    chains.push_back(chain);
  }
  /// Lines of another pane, such as another kernel's.
  void append(const Pane &other) {
    text += other.text;
    chains.insert(chains.end(), other.chains.begin(), other.chains.end());
  }
};

/// {id, title, text, note, chains as [chain, lines, ..], counts, countName}.
llvm::json::Object toJSON(const Pane &pane);

/// Where operations are in a pane, counted from 0.
using OperationRows = llvm::DenseMap<mlir::Operation *, unsigned>;

/// \p module as it is; fills \p rows.
Pane makeMLIRPane(llvm::StringRef id, llvm::StringRef title, mlir::ModuleOp module,
                  PlaceTable &places, OperationRows &rows);

/// LLVM IR without what is only for debuggers. \p text has it.
llvm::Expected<Pane> makeLLVMPane(llvm::StringRef text, PlaceTable &places);

/// PTX, or assembly for a processor, without what is only for debuggers. \p text has `.loc`.
Pane makeAssemblyPane(llvm::StringRef id, llvm::StringRef title, llvm::StringRef text,
                      PlaceTable &places);

/// SASS as nvdisasm prints it, with or without lines of the source, or cuobjdump. Beside each
/// instruction is the number of registers in use, by an estimate (Liveness.h).
Pane makeSASSPane(llvm::StringRef text, PlaceTable &places);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_PANES_H
