//===- Tile.h - the tile dialect: types, attributes, operations -*- C++ -*-===//
//
// What code that works with the tile dialect includes: its types, attributes and operations, as
// TableGen makes them from the .td files beside, the names of the attributes that it puts on
// modules, kernels and loops, and small questions about types that passes and conversions have in
// common. docs/Dialects describes the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILE_H
#define TILEC_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Arch/GpuArch.h"
#include "tilec/Arch/Heuristics.h"
#include "tilec/Layout/BulkAccess.h"
#include "tilec/Layout/LinearLayout.h"
#include "tilec/Layout/Swizzle.h"

#include "tilec/Dialect/Tile/IR/TileDialect.h.inc"
#include "tilec/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/Dialect/Tile/IR/TileTypes.h.inc"

#include "tilec/Dialect/Tile/IR/TileInterfaces.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilec::tile {

/// The memory that buffers lie in, for the effects of operations on them.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "tile.shared"; }
};

/// The same memory by the path of hardware that works beside the threads: products of warp groups,
/// copies and stores of blocks (PTX, "Async proxy").
struct AsyncSharedMemory : mlir::SideEffects::Resource::Base<AsyncSharedMemory> {
  llvm::StringRef getName() final { return "tile.shared.async"; }
};

/// The memory of single threads.
struct PrivateMemory : mlir::SideEffects::Resource::Base<PrivateMemory> {
  llvm::StringRef getName() final { return "tile.private"; }
};

/// Whether all that `op` affects is shared memory, by either path.
bool onlyAffectsShared(mlir::Operation *op);

/// Whether hardware beside the threads accesses shared memory for `op`.
bool usesAsyncProxy(mlir::Operation *op);

/// Largest number of elements of one tile.
inline constexpr int64_t kMaxTileElements = int64_t(1) << 20;

/// Bytes that an asynchronous copy (cp.async) moves at least and at most; also those of the widest
/// access.
inline constexpr int64_t kLeastCopyBytes = 4;
inline constexpr int64_t kMaxCopyBytes = 16;

/// Alignment of buffers in shared memory, in bytes: that of the widest access.
inline constexpr int64_t kBufferAlignment = 16;
/// The same for one that warp groups multiply from: the largest atom of wgmma's swizzle modes.
inline constexpr int64_t kGroupBufferAlignment = 1024;

/// Names of the attributes that the dialect puts on functions and their arguments.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tile.num_warps";
inline constexpr llvm::StringLiteral kNumCTAsAttr = "tile.num_ctas";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tile.shared_bytes";
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";

/// On a kernel: its tiles are too large for registers and shall be worked through in pieces.
inline constexpr llvm::StringLiteral kStreamAttr = "tile.stream";

/// On a kernel: a loop of it starts loads early, which should not wait for registers. The LLVM
/// function gets an attribute of this name.
inline constexpr llvm::StringLiteral kLoadsAheadAttr = "tile.loads_ahead";

/// How many iterations may have loads in flight: on a loop in it, on a kernel in loops that feed a
/// tl.dot.
inline constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";

/// On a loop: its author asks for warps that only copy. On a kernel, "never" or "always": whether
/// it has such warps, whatever its loops ask for.
inline constexpr llvm::StringLiteral kWarpSpecializeAttr = "tile.warp_specialize";
inline constexpr llvm::StringLiteral kWarpRolesAttr = "tile.roles";

/// On a kernel, "launcher": launches pass tensor maps as further parameters. On such a parameter:
/// what its map is of, as postfix expressions of the other ones (TensorMapParam.h): the address, a
/// size for each axis, and a stride for each but the last; and, unless they all are, for which
/// launches the map is needed.
inline constexpr llvm::StringLiteral kTensorMapsAttr = "tile.tensor_maps";
inline constexpr llvm::StringLiteral kMapOfAttr = "tile.map_of";
inline constexpr llvm::StringLiteral kMapWhenAttr = "tile.map_when";

/// On a loop: no iteration loads what an earlier one writes, so loads of the next may start before
/// this one is over.
inline constexpr llvm::StringLiteral kFlattenAttr = "tile.flatten";

/// On a loop: the copies of an iteration stand in it, before what waits for them, for
/// tile-specialize-warps to take out.
inline constexpr llvm::StringLiteral kCopiesInPlaceAttr = "tile.copies_in_place";

/// On a store: one warp makes it, and earlier stores of that warp's lanes come first in memory.
inline constexpr llvm::StringLiteral kInOrderAttr = "tile.in_order";

/// On a module: the GPU that it is compiled for, and the names of heuristics that are switched off.
inline constexpr llvm::StringLiteral kTargetAttr = "tile.target";
inline constexpr llvm::StringLiteral kDisabledHeuristicsAttr = "tile.disabled_heuristics";

/// The target of the module around `op`. Without one it is the oldest architecture, whose code runs
/// on all others.
tilec::GpuArch getTarget(mlir::Operation *op);

/// The heuristics that are switched off for the module around `op`.
tilec::HeuristicSet getDisabledHeuristics(mlir::Operation *op);

/// Whether `heuristic` is in use for the module around `op`.
bool isEnabled(mlir::Operation *op, tilec::GpuHeuristic heuristic);

/// Says on `module` what it is compiled for, in place of what it said before.
void setTarget(mlir::ModuleOp module, const tilec::GpuArch &arch,
               tilec::HeuristicSet disabled = {});

/// Takes what setTarget() wrote from `module`.
void removeTarget(mlir::ModuleOp module);

/// Checks `attr`, one of the attributes that setTarget() writes, on `op`.
mlir::LogicalResult verifyModuleAttribute(mlir::Operation *op, mlir::NamedAttribute attr);

/// Whether `value` is a constant, the same in all elements, whose bits are all zero; -0.0 is not
/// that.
bool isZero(mlir::Value value);

/// What the tile `value` is made from by adding axes, repeating it and converting layouts, and
/// which axis of that `axis` is; null if `axis` is none of it.
mlir::Value rootAlong(mlir::Value value, unsigned &axis);

/// The tile `type` in a slot of `buffer` (null: its only one), as a load with this mask and these
/// other elements (null: unspecified) would have brought it. Copies leave zeros where the mask is
/// false.
mlir::Value readCopied(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                       mlir::Value buffer, mlir::Value slot, mlir::Value mask, mlir::Value other);

/// What works on one program: warps of a CTA, and CTAs of a cluster.
struct LaunchShape {
  int64_t numWarps = 1;
  int64_t numCTAs = 1;
};

/// The launch shape that the attributes of `kernel` name; what they leave open is 1.
LaunchShape getLaunchShape(mlir::Operation *kernel);

/// Warps of a CTA that execute one region of a tile.warp_roles.
struct WarpRole {
  unsigned number;
  int64_t firstWarp, numWarps;
};

/// The role that `region` belongs to; nothing where all warps of a CTA do the same.
std::optional<WarpRole> getWarpRole(mlir::Region *region);

/// The launch shape of the code in `region`, or around `op`: that of its role, where warps have
/// roles.
LaunchShape getLaunchShapeAt(mlir::Region *region);
LaunchShape getLaunchShapeAt(mlir::Operation *op);

/// True when `shape` is that of a tile: rank 1 or more, every dimension a power of two, and at most
/// kMaxTileElements elements.
bool isTileShape(llvm::ArrayRef<int64_t> shape);

/// Checks that `map` places the elements of tiles of this shape: it has an offset for each bit of
/// an index.
mlir::LogicalResult verifyMapOfTile(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                    llvm::ArrayRef<int64_t> shape, SharedAttr map);

/// True when both types are scalars, or tiles of one shape and encoding.
bool haveSameShape(mlir::Type a, mlir::Type b);

/// `type` with its (element) type replaced by `element`: a scalar stays a scalar, a tile keeps
/// shape and encoding.
mlir::Type cloneWithElement(mlir::Type type, mlir::Type element);

/// The element type of a tile; a scalar's own type.
mlir::Type elementOf(mlir::Type type);

/// The type that a load through the pointer type `ptr` has. Null when `ptr` holds no pointers.
mlir::Type pointeeLike(mlir::Type ptr);

/// The type of pointers to elements of `type`, a block or a tensor map.
mlir::Type pointerTo(mlir::Type type);

/// How hardware copies blocks of this map.
tilec::layout::BulkPlan planOf(TensorMapType map);

/// i1 in the shape of `type`.
mlir::Type boolLike(mlir::Type type);

/// Bytes that an element of this type takes in memory: pointers 8, i1 1.
unsigned byteSize(mlir::Type element);

/// The one operation that combines two elements, when `region`, which combines one element with one
/// other, is a single binary operation on its two arguments and nothing else; null otherwise.
mlir::Operation *getSingleCombiner(mlir::Region &region);

/// True inside a region of scalar code: that of a reduction, a scan or a map.
bool isInScalarCode(mlir::Operation *op);

/// Whether `op`, whose tiles have layouts, exchanges data between warps or CTAs through shared
/// memory, so that threads wait for each other. False for operations on buffers, which are the
/// parts of an exchange.
bool exchangesData(mlir::Operation *op);

/// The layout of a tile type, or null when it has none.
LayoutAttr getLayout(mlir::Type type);

} // namespace tilec::tile

#define GET_OP_CLASSES
#include "tilec/Dialect/Tile/IR/TileOps.h.inc"

namespace tilec::tile {

/// Whether each thread reads from `buffer` only what it has copied there itself, so that it waits
/// for nobody else as long as the buffer has its place for itself.
bool isThreadPrivate(AllocBufferOp buffer);

/// Whether `op` reads `buffer`, by either path.
bool readsBuffer(mlir::Operation *op, mlir::Value buffer);

/// The alignment of `buffer` in bytes. Hardware knows where it is in a swizzled atom by the
/// address.
int64_t alignmentOf(AllocBufferOp buffer);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_TILE_H
