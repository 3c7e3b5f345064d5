//===- Stages.h - Whether a kernel reads num_stages -------------*- C++ -*-===//
//
// The number of stages that a launch, a configuration or a heuristic gives a whole kernel is about
// loops that load the operands of a tl.dot; tl.range has a number of its own. Whoever compiles one
// kernel for several numbers asks here first whether they would give the same code.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_STAGES_H
#define TILEC_LANGUAGE_STAGES_H

#include "tilec/Language/AST.h"

namespace tilec {

class Imports;

/// False when nothing in `kernel`, a function of `module`, can read the kernel's num_stages:
/// neither it nor anything that it names, in this file or in imported ones, names `dot` or
/// `dot_scaled`, and it has no parameter of that name. Names alone decide, so the answer may be
/// true for a kernel that has a variable called `dot`. Without `imports` other files are not looked
/// at. Reports nothing.
bool readsNumStages(const ast::Module &module, const ast::FunctionDef &kernel, Imports *imports);

} // namespace tilec

#endif // TILEC_LANGUAGE_STAGES_H
