//===- TilePacking.cpp - Several programs in a CTA --------------*- C++ -*-===//

#include "tilec/Dialect/Tile/IR/Packing.h"

#include "mlir/IR/Builders.h"
#include "tilec/Arch/GpuArch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

std::optional<Packing> tilec::tile::getPacking(Operation *kernel) {
  auto numbers = kernel->getAttrOfType<DenseI32ArrayAttr>(kPackingAttr);
  if (!numbers)
    return std::nullopt;
  return Packing{numbers[0], numbers[1], numbers[2]};
}

void tilec::tile::setPacking(Operation *kernel, const Packing &packing) {
  kernel->setAttr(kPackingAttr,
                  DenseI32ArrayAttr::get(kernel->getContext(),
                                         {packing.threads, packing.programs, packing.least}));
}

bool tilec::tile::isPackedCode(Operation *function) {
  if (function->hasAttr(kPackedFormAttr))
    return true;
  std::optional<Packing> packing = getPacking(function);
  return packing && packing->threads == tilec::kWarpSize * getLaunchShape(function).numWarps;
}

int32_t tilec::tile::getPersistentCTAs(Operation *kernel) {
  auto number = kernel->getAttrOfType<IntegerAttr>(kPersistentAttr);
  return number ? int32_t(number.getInt()) : 0;
}

LogicalResult tilec::tile::verifyPacking(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kPersistentAttr) {
    constexpr int64_t most = 32; // CTAs that a multiprocessor holds.
    auto number = dyn_cast<IntegerAttr>(attr.getValue());
    if (number && number.getType().isInteger(32) && number.getInt() >= 1 && number.getInt() <= most)
      return success();
    return op->emitOpError() << "expects '" << kPersistentAttr
                             << "' to be an i32, the CTAs of a multiprocessor, 1 to 32, found "
                             << attr.getValue();
  }
  if (attr.getName() == kPackedFormAttr) {
    if (!isa<FlatSymbolRefAttr>(attr.getValue()))
      return op->emitOpError() << "expects '" << kPackedFormAttr << "' to be a symbol, found "
                               << attr.getValue();
    return success();
  }
  // What CUDA has at most, and what fits a launch record.
  constexpr int32_t mostThreads = 1024, mostLeast = 255;
  auto numbers = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
  if (numbers && numbers.size() == 3 && numbers[0] > 0 && numbers[0] % tilec::kWarpSize == 0 &&
      numbers[1] >= 2 && numbers[0] <= mostThreads / numbers[1] && numbers[2] >= 0 &&
      numbers[2] <= mostLeast)
    return success();
  return op->emitOpError()
         << "expects '" << kPackingAttr
         << "' to be the threads of a program, whole warps, the programs of a CTA, "
            "2 or more with at most 1024 threads, and from how many for each "
            "multiprocessor on, 0 to 255, found "
         << attr.getValue();
}
