//===- TileRoles.cpp - warps with different tasks --------------*- C++ -*-===//
//
// The operation whose regions are executed by warps of their own, and the launch shape inside it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult WarpRolesOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<int32_t> numWarps, registers;
  if (parser.parseKeyword("role"))
    return failure();
  do {
    Region *role = state.addRegion();
    if (parser.parseInteger(numWarps.emplace_back()) || parser.parseKeyword("registers") ||
        parser.parseInteger(registers.emplace_back()) || parser.parseRegion(*role))
      return failure();
    if (role->empty())
      role->emplaceBlock();
  } while (succeeded(parser.parseOptionalKeyword("role")));
  Builder &builder = parser.getBuilder();
  state.addAttribute(getNumWarpsAttrName(state.name), builder.getDenseI32ArrayAttr(numWarps));
  state.addAttribute(getRegistersAttrName(state.name), builder.getDenseI32ArrayAttr(registers));
  return parser.parseOptionalAttrDict(state.attributes);
}

void WarpRolesOp::print(OpAsmPrinter &printer) {
  for (auto [role, numWarps, registers] :
       llvm::zip_equal(getRoles(), getNumWarps(), getRegisters())) {
    printer << " role " << numWarps << " registers " << registers << " ";
    printer.printRegion(role, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getNumWarpsAttrName(), getRegistersAttrName()});
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// What a role is to have: whole groups of warps, and registers as setmaxnreg takes them.
static LogicalResult verifyRole(WarpRolesOp op, int32_t numWarps, int32_t registers) {
  constexpr int32_t least = 24, most = 256, unit = 8;
  if (numWarps < 1 || numWarps % tilec::kWarpsPerGroup != 0)
    return op.emitOpError() << "expects roles of whole groups of " << tilec::kWarpsPerGroup
                            << " warps, found " << numWarps << " warps";
  if (registers < least || registers > most || registers % unit != 0)
    return op.emitOpError() << "expects a multiple of " << unit << " registers from " << least
                            << " to " << most << ", found " << registers;
  return success();
}

LogicalResult WarpRolesOp::verify() {
  if (getRoles().size() < 2 || getNumWarps().size() != getRoles().size() ||
      getRegisters().size() != getRoles().size())
    return emitOpError() << "expects two roles or more, each with its warps and registers";
  for (auto [numWarps, registers] : llvm::zip_equal(getNumWarps(), getRegisters()))
    if (failed(verifyRole(*this, numWarps, registers)))
      return failure();
  auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
  if (!function)
    return emitOpError() << "expects to stand in the body of a function";
  Operation *next = (*this)->getNextNode();
  if (next && !next->hasTrait<OpTrait::IsTerminator>())
    return emitOpError() << "expects nothing but the return behind it";
  int64_t total = std::accumulate(getNumWarps().begin(), getNumWarps().end(), int64_t(0));
  if (function->hasAttr(kNumWarpsAttr) && getLaunchShape(function).numWarps != total)
    return emitOpError() << "expects roles for the function's " << getLaunchShape(function).numWarps
                         << " warps, found " << total;
  return success();
}

std::optional<WarpRole> tilec::tile::getWarpRole(Region *region) {
  for (; region; region = region->getParentRegion()) {
    auto roles = dyn_cast_or_null<WarpRolesOp>(region->getParentOp());
    if (!roles)
      continue;
    unsigned number = region->getRegionNumber();
    ArrayRef<int32_t> before = roles.getNumWarps().take_front(number);
    return WarpRole{number, std::accumulate(before.begin(), before.end(), int64_t(0)),
                    roles.getNumWarps()[number]};
  }
  return std::nullopt;
}

LaunchShape tilec::tile::getLaunchShapeAt(Region *region) {
  Operation *parent = region->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(parent);
  LaunchShape launch =
      getLaunchShape(function ? function : parent->getParentOfType<FunctionOpInterface>());
  if (std::optional<WarpRole> role = getWarpRole(region))
    launch.numWarps = role->numWarps;
  return launch;
}

LaunchShape tilec::tile::getLaunchShapeAt(Operation *op) {
  return getLaunchShapeAt(op->getParentRegion());
}
