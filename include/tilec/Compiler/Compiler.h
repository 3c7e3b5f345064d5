//===- Compiler.h - from a kernel file to PTX and machine code -*- C++ -*-===//
//
// The library's entry point. A Compilation holds one source file and takes kernels of it through
// the stages; each stage can be printed. It knows nothing of command lines.
//
// Different Compilations may be used in different threads at once; one may not be shared.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_COMPILER_COMPILER_H
#define TILEC_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilec/Arch/Heuristics.h"
#include "tilec/Compiler/KernelRecord.h"
#include "tilec/Language/Diagnostics.h"
#include "tilec/Language/Parser.h"
#include "tilec/Target/Ptxas.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <memory>
#include <optional>

namespace mlir {
class PassManager;
} // namespace mlir

namespace tilec {

/// The forms that a kernel takes on the GPU path, in order.
enum class Stage { Tile, Layout, GPU, NVVM, LLVM, PTX };

/// How to compile; the kernel itself is described by KernelRequest.
struct TargetOptions {
  explicit TargetOptions(GpuArch arch) : arch(arch) {}

  GpuArch arch;
  /// LLVM's and ptxas's optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Contract multiplications and additions.
  bool fpFusion = true;
  /// Map PTX and machine code to the kernel's lines.
  bool lineInfo = false;
  /// Report as remarks what was chosen for each kernel.
  bool remarks = false;
  /// Registers that a thread may have: 1 to 256, or 0 for no limit but the hardware's.
  unsigned maxRegisters = 0;
  /// Which ptxas; empty: looked for.
  std::string ptxasPath;
  /// What measurements do without.
  HeuristicSet disabledHeuristics;
};

/// Registers, spills, memory, threads and occupancy of a kernel whose machine code is known, as
/// lines for people. The kernel is told from others of its name by its constexpr values.
std::string describeResources(const KernelRecord &record, const GpuArch &arch);

/// One source file on its way.
class Compilation {
public:
  /// Diagnostics are written to `os`, which must outlive this object. `importFolders` are those of
  /// -I.
  Compilation(llvm::raw_ostream &os, const DiagnosticOptions &options = {},
              std::vector<std::string> importFolders = {});
  ~Compilation();

  DiagnosticEngine &diagnostics() { return engine; }
  llvm::SourceMgr &sources() { return sourceMgr; }
  mlir::MLIRContext &context() { return *mlirContext; }

  /// Reads and parses a file ("-" is standard input). False after reporting an error. A syntax
  /// error inside a kernel is reported, but only costs that kernel.
  bool load(llvm::StringRef path);
  /// The same for text; `name` appears in messages. The text is no file, so it imports only from
  /// the folders given.
  bool loadText(llvm::StringRef text, llvm::StringRef name);
  /// The same for the text of the file `search.mainFile`.
  bool loadText(llvm::StringRef text, llvm::StringRef name, ImportSearch search);
  /// Loads the text of another compilation, whose imported files are shared. `other` is only read,
  /// so several threads may load from one.
  bool loadSame(const Compilation &other);
  /// The tree; null before a successful load.
  const ast::Module *tree() const { return module; }
  /// Finds what the file imports, and knows what was read.
  Imports &imports() { return *fileImports; }
  /// The file's @triton.jit functions; see tilec::listJitFunctions.
  std::vector<const ast::FunctionDef *> listJitFunctions() {
    return tilec::listJitFunctions(*module, fileImports.get());
  }

  /// Specialises a kernel and adds it to the module being compiled. False after reporting errors.
  bool addKernel(const KernelRequest &request);

  /// Brings what was added to Stage::Tile, which is the same for every target and where the CPU
  /// target starts. False after reporting errors.
  bool simplify();

  /// Lowers what was added up to and including `stage`; later calls go on from there. False after
  /// reporting errors.
  bool lower(Stage stage, const TargetOptions &options);

  /// The module in its present form (Tile to NVVM), printed as MLIR.
  std::string printModule(bool withLocations) const;
  /// LLVM IR after optimisation, and PTX; filled when lowering reached LLVM or PTX.
  const std::string &llvmIR() const { return llvmText; }
  const std::string &ptx() const { return ptxText; }

  /// Machine code of the PTX, whose resources become part of the records. A kernel that spills
  /// registers is a warning. Nothing after reporting errors.
  std::optional<Cubin> assemble(const TargetOptions &options);

  /// What launches need to know; complete once lowering reached Stage::Layout.
  llvm::ArrayRef<KernelRecord> records() const { return kernelRecords; }
  mlir::ModuleOp getModule() const { return ir.get(); }

  /// Wall time of each step so far, in milliseconds, in order.
  const std::vector<std::pair<std::string, double>> &times() const { return stepTimes; }

private:
  class Step;

  bool parseBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer);
  bool runPasses(mlir::PassManager &passes, Stage stage);
  bool lowerOnce(Stage stage, const TargetOptions &options);
  bool lowerToLayouts(const TargetOptions &options);
  const KernelRecord *findTooMuchShared(const TargetOptions &options) const;
  bool emitPTX(Stage stage, const TargetOptions &options);
  void recordLaunch(const TargetOptions &options);
  bool recordResources(const Cubin &cubin);
  void warnOfSpills(const KernelRecord &record);
  mlir::LogicalResult report(mlir::Diagnostic &diagnostic);

  llvm::SourceMgr sourceMgr;
  DiagnosticEngine engine;
  std::unique_ptr<Imports> fileImports;
  ast::Context treeContext;
  const ast::Module *module = nullptr;
  std::unique_ptr<mlir::MLIRContext> mlirContext;
  mlir::OwningOpRef<mlir::ModuleOp> ir;
  std::optional<Stage> reached;
  std::vector<KernelRecord> kernelRecords;
  std::string llvmText, ptxText;
  std::vector<std::pair<std::string, double>> stepTimes;
};

} // namespace tilec

#endif // TILEC_COMPILER_COMPILER_H
