//===- Panes.cpp - IR as panes of the page ----------------------*- C++ -*-===//
//
// MLIR's printer says on which line each operation begins. LLVM IR is read from its text, so that
// it is the one that was made into machine code; its locations are noted by instruction before
// debug information is dropped, as what the page shows instead is the line itself.
//
//===----------------------------------------------------------------------===//

#include "Panes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/SourceMgr.h"

using namespace tilec::report;
namespace json = llvm::json;
using llvm::StringRef;

static json::Array runLengths(llvm::ArrayRef<unsigned> values) {
  json::Array result;
  for (size_t i = 0, end; i < values.size(); i = end) {
    end = i + 1;
    while (end < values.size() && values[end] == values[i])
      ++end;
    result.push_back(values[i]);
    result.push_back(end - i);
  }
  return result;
}

json::Object tilec::report::toJSON(const Pane &pane) {
  json::Object result{{"id", pane.id},
                      {"title", pane.title},
                      {"text", json::fixUTF8(pane.text)},
                      {"note", json::fixUTF8(pane.note)},
                      {"chains", runLengths(pane.chains)}};
  if (!pane.countName.empty()) {
    result["counts"] = runLengths(pane.counts);
    result["countName"] = pane.countName;
  }
  return result;
}

Pane tilec::report::makeMLIRPane(StringRef id, StringRef title, mlir::ModuleOp module,
                                 PlaceTable &places, OperationRows &rows) {
  Pane pane(id, title);
  mlir::AsmState::LocationMap lines;
  mlir::AsmState state(module, mlir::OpPrintingFlags(), &lines);
  llvm::raw_string_ostream stream(pane.text);
  module.print(stream, state);
  stream << '\n';
  pane.chains.assign(StringRef(pane.text).count('\n'), 0);
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    auto line = lines.find(op);
    if (line == lines.end() || line->second.first == 0 || line->second.first > pane.chains.size())
      return;
    unsigned row = line->second.first - 1;
    rows[op] = row;
    // The module's own location is the file, not a line of it.
    if (op != module)
      pane.chains[row] = places.chainOf(op->getLoc());
  });
  return pane;
}

namespace {

/// Notes where each instruction is printed.
class InstructionLines : public llvm::AssemblyAnnotationWriter {
public:
  void emitInstructionAnnot(const llvm::Instruction *instruction,
                            llvm::formatted_raw_ostream &stream) override {
    lines.emplace_back(instruction, stream.getLine());
  }

  std::vector<std::pair<const llvm::Instruction *, unsigned>> lines;
};

} // namespace

llvm::Expected<Pane> tilec::report::makeLLVMPane(StringRef text, PlaceTable &places) {
  Pane pane("llvm", "LLVM IR");
  llvm::LLVMContext context;
  llvm::SMDiagnostic failure;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, failure, context);
  if (!module)
    return llvm::createStringError("LLVM IR cannot be read back: " + failure.getMessage());
  llvm::DenseMap<const llvm::Instruction *, unsigned> chains;
  for (llvm::Function &function : *module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (const llvm::DILocation *location = instruction.getDebugLoc())
        chains[&instruction] = places.chainOf(location);
  llvm::StripDebugInfo(*module);
  InstructionLines printed;
  llvm::raw_string_ostream stream(pane.text);
  module->print(stream, &printed);
  pane.chains.assign(StringRef(pane.text).count('\n'), 0);
  for (auto [instruction, line] : printed.lines)
    if (line < pane.chains.size())
      pane.chains[line] = chains.lookup(instruction);
  return pane;
}
