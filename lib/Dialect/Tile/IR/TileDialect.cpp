//===- TileDialect.cpp - registration and shared type helpers --*- C++ -*-===//
//
// Registers the dialect, checks the attributes it puts on kernels and their parameters, and holds
// the small functions over types that verifiers, folds and passes share.
//
//===----------------------------------------------------------------------===//

#include "tilec/Arch/TensorMaps.h"
#include "tilec/Arch/WarpRoles.h"
#include "tilec/Dialect/Tile/IR/Packing.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

#include "tilec/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilec/Dialect/Tile/IR/TileEnums.cpp.inc"
#include "tilec/Dialect/Tile/IR/TileInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/Dialect/Tile/IR/TileTypes.cpp.inc"

namespace {
/// Layouts are long; print each once, as #layout, #layout1, ..., and maps of buffers as #shared.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr, SharedAttr>(attr))
      return AliasResult::NoAlias;
    os << (isa<LayoutAttr>(attr) ? "layout" : "shared");
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<LayoutAliases>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilec/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilec/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Attributes on kernels
//===----------------------------------------------------------------------===//

static LogicalResult verifyPowerOfTwo(Operation *op, NamedAttribute attr, int64_t max) {
  auto value = dyn_cast<IntegerAttr>(attr.getValue());
  if (!value || !value.getType().isSignlessInteger(32))
    return op->emitOpError() << "expects '" << attr.getName().getValue() << "' to be an i32";
  int64_t number = value.getInt();
  if (number < 1 || number > max || !llvm::isPowerOf2_64(number))
    return op->emitOpError() << "expects '" << attr.getName().getValue()
                             << "' to be a power of two from 1 to " << max << ", found " << number;
  return success();
}

static LogicalResult verifyPositive(Operation *op, NamedAttribute attr) {
  auto value = dyn_cast<IntegerAttr>(attr.getValue());
  if (!value || !value.getType().isSignlessInteger(32) || value.getInt() < 1)
    return op->emitOpError() << "expects '" << attr.getName().getValue()
                             << "' to be a positive i32, found " << attr.getValue();
  return success();
}

/// A size in shared memory.
static LogicalResult verifyBytes(Operation *op, NamedAttribute attr) {
  auto value = dyn_cast<IntegerAttr>(attr.getValue());
  if (!value || !value.getType().isSignlessInteger(32) || value.getInt() < 0)
    return op->emitOpError() << "expects '" << attr.getName().getValue()
                             << "' to be an i32 that is not negative, found " << attr.getValue();
  return success();
}

static LogicalResult verifyUnit(Operation *op, NamedAttribute attr) {
  if (!isa<UnitAttr>(attr.getValue()))
    return op->emitOpError() << "expects '" << attr.getName().getValue()
                             << "' to be a unit attribute";
  return success();
}

/// Warps that have roles come in groups of four.
static LogicalResult verifyWarps(Operation *op, NamedAttribute attr) {
  constexpr int64_t most = 32;
  auto value = dyn_cast<IntegerAttr>(attr.getValue());
  int64_t number = value && value.getType().isSignlessInteger(32) ? value.getInt() : 0;
  if (number > 0 && number <= most && number % tilec::kWarpsPerGroup == 0)
    return success();
  return verifyPowerOfTwo(op, attr, most);
}

static LogicalResult verifyRoles(Operation *op, NamedAttribute attr) {
  auto text = dyn_cast<StringAttr>(attr.getValue());
  if (!text || !tilec::warpRolesByName(text.getValue()))
    return op->emitOpError() << "expects '" << attr.getName().getValue()
                             << "' to be \"never\", \"asked\", \"auto\" or \"always\", found "
                             << attr.getValue();
  return success();
}

static LogicalResult verifyMakers(Operation *op, NamedAttribute attr) {
  auto text = dyn_cast<StringAttr>(attr.getValue());
  if (!text || !tilec::tensorMapsByName(text.getValue()))
    return op->emitOpError() << "expects '" << attr.getName().getValue()
                             << "' to be \"kernel\" or \"launcher\", found " << attr.getValue();
  return success();
}

/// An address, sizes, and strides of all axes but the last. Behind the lowering the parameter has a
/// type of LLVM.
static LogicalResult verifyMapOf(Operation *op, NamedAttribute attr, Type type) {
  auto map = dyn_cast<TensorMapType>(type);
  auto list = dyn_cast<ArrayAttr>(attr.getValue());
  if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>) ||
      (map && list.size() != 2 * map.getShape().size()))
    return op->emitOpError() << "expects '" << kMapOfAttr
                             << "' to be two strings for each axis of the map, found "
                             << attr.getValue();
  return success();
}

static LogicalResult verifyGridAxis(Operation *op, NamedAttribute attr) {
  auto axis = dyn_cast<IntegerAttr>(attr.getValue());
  if (axis && axis.getType().isInteger(32) && axis.getInt() >= 0 && axis.getInt() <= 2)
    return success();
  return op->emitOpError() << "expects '" << kGridAxisAttr << "' to be an i32 from 0 to 2, found "
                           << attr.getValue();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == kNumStagesAttr) {
    if (!isa<scf::ForOp, FunctionOpInterface>(op))
      return op->emitOpError() << "cannot carry '" << name << "', it is no loop and no function";
    return verifyPositive(op, attr);
  }
  if (name == kWarpSpecializeAttr || name == kCopiesInPlaceAttr || name == kFlattenAttr) {
    if (!isa<scf::ForOp>(op))
      return op->emitOpError() << "cannot carry '" << name << "', it is no loop";
    return verifyUnit(op, attr);
  }
  if (name == kInOrderAttr) {
    if (!isa<StoreOp>(op))
      return op->emitOpError() << "cannot carry '" << name << "', it is no store";
    return verifyUnit(op, attr);
  }
  if (name == kTargetAttr || name == kDisabledHeuristicsAttr)
    return verifyModuleAttribute(op, attr);
  if (!isa<FunctionOpInterface>(op) && !isa<ModuleOp>(op))
    return op->emitOpError() << "cannot carry '" << name << "', which belongs on a function";
  if (name == kNumWarpsAttr)
    return verifyWarps(op, attr);
  if (name == kWarpRolesAttr)
    return verifyRoles(op, attr);
  if (name == kTensorMapsAttr)
    return verifyMakers(op, attr);
  if (name == kNumCTAsAttr)
    return verifyPowerOfTwo(op, attr, 16);
  if (name == kPackingAttr || name == kPackedFormAttr || name == kPersistentAttr)
    return verifyPacking(op, attr);
  if (name == kSharedBytesAttr)
    return verifyBytes(op, attr);
  if (name == kKernelAttr || name == kStreamAttr || name == kLoadsAheadAttr)
    return verifyUnit(op, attr);
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == kMapOfAttr)
    return verifyMapOf(op, attr, cast<FunctionOpInterface>(op).getArgumentTypes()[argument]);
  if (name == kDivisibilityAttr)
    return verifyPowerOfTwo(op, attr, int64_t(1) << 30);
  if (name == kGridAxisAttr)
    return verifyGridAxis(op, attr);
  if ((name == kNameAttr || name == kMapWhenAttr) && !isa<StringAttr>(attr.getValue()))
    return op->emitOpError() << "expects '" << name << "' to be a string";
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (isa<PtrType>(pointee) || pointee.isF16() || pointee.isBF16() || pointee.isF32() ||
      pointee.isF64())
    return success();
  if (auto integer = dyn_cast<IntegerType>(pointee))
    if (integer.isSignless() && llvm::is_contained({8, 16, 32, 64}, int(integer.getWidth())))
      return success();
  return emitError()
         << "pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found "
         << pointee;
}

LaunchShape tilec::tile::getLaunchShape(Operation *kernel) {
  LaunchShape launch;
  if (auto numWarps = kernel->getAttrOfType<IntegerAttr>(kNumWarpsAttr))
    launch.numWarps = numWarps.getInt();
  if (auto numCTAs = kernel->getAttrOfType<IntegerAttr>(kNumCTAsAttr))
    launch.numCTAs = numCTAs.getInt();
  return launch;
}

bool tilec::tile::isTileShape(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size) || size < 1 || !llvm::isPowerOf2_64(size) ||
        size > kMaxTileElements / count)
      return false;
    count *= size;
  }
  return !shape.empty();
}

bool tilec::tile::haveSameShape(Type a, Type b) {
  auto tileA = dyn_cast<RankedTensorType>(a), tileB = dyn_cast<RankedTensorType>(b);
  if (!tileA || !tileB)
    return !tileA && !tileB;
  return tileA.getShape() == tileB.getShape() && tileA.getEncoding() == tileB.getEncoding();
}

Type tilec::tile::cloneWithElement(Type type, Type element) {
  if (auto tileType = dyn_cast<RankedTensorType>(type))
    return tileType.clone(element);
  return element;
}

Type tilec::tile::elementOf(Type type) { return getElementTypeOrSelf(type); }

Type tilec::tile::pointeeLike(Type ptr) {
  auto pointer = dyn_cast<PtrType>(elementOf(ptr));
  return pointer ? cloneWithElement(ptr, pointer.getPointee()) : Type();
}

Type tilec::tile::boolLike(Type type) {
  return cloneWithElement(type, IntegerType::get(type.getContext(), 1));
}

unsigned tilec::tile::byteSize(Type element) {
  if (isa<PtrType>(element))
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

LayoutAttr tilec::tile::getLayout(Type type) {
  auto tileType = dyn_cast<RankedTensorType>(type);
  return tileType ? dyn_cast_or_null<LayoutAttr>(tileType.getEncoding()) : LayoutAttr();
}
