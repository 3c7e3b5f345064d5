//===- TileTarget.cpp - what a module is compiled for ----------*- C++ -*-===//
//
// The attributes of a module that passes ask: the target, and the names of heuristics that are
// switched off. Both are looked up from any operation outwards, so that a pass on a function need
// not know the module. What a target can do is GpuArch's to say.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::GpuArch;
using tilec::HeuristicSet;

TargetAttr TargetAttr::get(MLIRContext *context, const GpuArch &arch) {
  return get(context, arch.name());
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef chip) {
  llvm::Expected<GpuArch> arch = GpuArch::parse(chip);
  if (!arch)
    return emitError() << llvm::toString(arch.takeError());
  // Other spellings would make two attributes of one target.
  if (arch->name() != chip)
    return emitError() << "expects the name in full, '" << arch->name() << "', found '" << chip
                       << "'";
  return success();
}

GpuArch TargetAttr::getArch() const { return llvm::cantFail(GpuArch::parse(getChip())); }

LogicalResult tilec::tile::verifyModuleAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (!isa<ModuleOp>(op))
    return op->emitOpError() << "cannot carry '" << name << "', which belongs on a module";
  if (name == kTargetAttr) {
    if (!isa<TargetAttr>(attr.getValue()))
      return op->emitOpError() << "expects '" << name << "' to be a #tile.target, found "
                               << attr.getValue();
    return success();
  }
  auto names = dyn_cast<ArrayAttr>(attr.getValue());
  if (!names)
    return op->emitOpError() << "expects '" << name << "' to be an array of names";
  HeuristicSet disabled;
  for (Attribute element : names) {
    auto text = dyn_cast<StringAttr>(element);
    if (!text)
      return op->emitOpError() << "expects '" << name << "' to be an array of names, found "
                               << element;
    if (llvm::Error error = disabled.add(text.getValue()))
      return op->emitOpError() << llvm::toString(std::move(error));
  }
  return success();
}

/// The attribute `name` of the nearest operation around `op`, itself included, that has it.
static Attribute findAttr(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (Attribute found = op->getAttr(name))
      return found;
  return {};
}

GpuArch tilec::tile::getTarget(Operation *op) {
  auto target = dyn_cast_or_null<TargetAttr>(findAttr(op, kTargetAttr));
  return target ? target.getArch() : GpuArch::oldest();
}

HeuristicSet tilec::tile::getDisabledHeuristics(Operation *op) {
  HeuristicSet disabled;
  if (auto names = dyn_cast_or_null<ArrayAttr>(findAttr(op, kDisabledHeuristicsAttr)))
    for (auto name : names.getAsRange<StringAttr>())
      llvm::cantFail(disabled.add(name.getValue()));
  return disabled;
}

bool tilec::tile::isEnabled(Operation *op, tilec::GpuHeuristic heuristic) {
  return !getDisabledHeuristics(op).contains(heuristic);
}

void tilec::tile::setTarget(ModuleOp module, const GpuArch &arch, HeuristicSet disabled) {
  Builder builder(module.getContext());
  module->setAttr(kTargetAttr, TargetAttr::get(module.getContext(), arch));
  if (disabled.empty())
    module->removeAttr(kDisabledHeuristicsAttr);
  else
    module->setAttr(kDisabledHeuristicsAttr, builder.getStrArrayAttr(disabled.names()));
}

void tilec::tile::removeTarget(ModuleOp module) {
  module->removeAttr(kTargetAttr);
  module->removeAttr(kDisabledHeuristicsAttr);
}
