//===- InitAll.h - registers dialects, interfaces and passes ---*- C++ -*-===//

#ifndef TILEC_INITALL_H
#define TILEC_INITALL_H

namespace mlir {
class DialectRegistry;
}

namespace tilec {

/// Adds to `registry` every dialect that a pipeline of this project reads or makes, with the
/// interfaces (bufferization, translation to LLVM IR) that its passes ask of them. Not thread-safe
/// for one registry.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers every pass and pipeline under its flag, for tools that take textual pipelines. Call
/// once a process, before any pipeline is parsed.
void registerAllPasses();

} // namespace tilec

#endif // TILEC_INITALL_H
