//===- LineNotes.h - what becomes of source lines, in words -----*- C++ -*-===//
//
// The report's facts where there is room for a few words beside a line, as in an editor.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_LINENOTES_H
#define TILEC_REPORT_LINENOTES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tilec {

/// What is said of a line. Lines count from 1.
struct LineNote {
  std::string file;
  unsigned line = 0;
  std::string text;
};

/// The notes of kernels whose tiles have layouts, in the order of the program, equal ones of a line
/// once: what a kernel takes, how wide each access is and what a warp touches with it, shuffles,
/// shared memory and bank conflicts. Of what stands in a helper the line there counts.
std::vector<LineNote> describeLines(mlir::ModuleOp module);

} // namespace tilec

#endif // TILEC_REPORT_LINENOTES_H
