//===- TileBulk.cpp - copies of whole blocks -------------------*- C++ -*-===//
//
// The types that describe blocks of tensors and the hardware's maps of these, and the verifiers of
// the operations that make them.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static void printTile(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element) {
  for (int64_t size : shape)
    printer << size << "x";
  printer << element;
}

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type element) {
  if (!isTileShape(shape))
    return emitError() << "expects the shape of a tile";
  if (!element.isIntOrFloat())
    return emitError() << "expects elements that are integers or floats, found " << element;
  return success();
}

Type BlockType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  return parser.getChecked<BlockType>(loc, parser.getContext(), ArrayRef<int64_t>(shape), element);
}

void BlockType::print(AsmPrinter &printer) const {
  printer << "<";
  printTile(printer, getShape(), getElementType());
  printer << ">";
}

LogicalResult BlockType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type element) {
  return verifyTile(emitError, shape, element);
}

Type TensorMapType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SharedAttr map;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(map) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TensorMapType>(loc, parser.getContext(), ArrayRef<int64_t>(shape),
                                          element, map);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << "<";
  printTile(printer, getShape(), getElementType());
  printer << ", " << getMap() << ">";
}

static std::optional<tilec::layout::BulkPlan> findPlan(ArrayRef<int64_t> shape, Type element,
                                                       SharedAttr map) {
  return tilec::layout::planBulkCopy(map.toSharedLayout(),
                                     tilec::layout::Shape(shape.begin(), shape.end()),
                                     unsigned(8 * byteSize(element)));
}

tilec::layout::BulkPlan tilec::tile::planOf(TensorMapType map) {
  std::optional<tilec::layout::BulkPlan> plan =
      findPlan(map.getShape(), map.getElementType(), map.getMap());
  assert(plan && "the verifier has asked");
  return *plan;
}

LogicalResult TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                                    ArrayRef<int64_t> shape, Type element, SharedAttr map) {
  if (failed(verifyTile(emitError, shape, element)) ||
      failed(verifyMapOfTile(emitError, shape, map)))
    return failure();
  if (!findPlan(shape, element, map))
    return emitError() << "expects a map that boxes of the hardware fill, found " << map;
  return success();
}

Type tilec::tile::pointerTo(Type type) {
  auto block = dyn_cast<BlockType>(type);
  return PtrType::get(type.getContext(),
                      block ? block.getElementType() : cast<TensorMapType>(type).getElementType());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Checks that a tensor with so many axes has blocks of this shape.
static LogicalResult verifyTensor(Operation *op, OperandRange sizes, OperandRange strides,
                                  ArrayRef<int64_t> shape) {
  if (sizes.size() != shape.size() || strides.size() != shape.size())
    return op->emitOpError() << "expects a size and a stride for each of " << shape.size()
                             << " axes, found " << sizes.size() << " and " << strides.size();
  return success();
}

LogicalResult BlockOp::verify() {
  BlockType type = getType();
  if (getOffsets().size() != type.getShape().size())
    return emitOpError() << "expects an offset for each of " << type.getShape().size()
                         << " axes, found " << getOffsets().size();
  return verifyTensor(*this, getSizes(), getStrides(), type.getShape());
}

BufferType MakeTensorMapsOp::scratchOf(MLIRContext *context, int64_t numMaps) {
  auto bytes = int64_t(llvm::PowerOf2Ceil(uint64_t(numMaps * kMapBytes)));
  return BufferType::get(context, bytes, IntegerType::get(context, 8),
                         SharedAttr::get(context, layout::SharedLayout::rowMajor({bytes})),
                         /*rounds=*/1, /*slots=*/1);
}

unsigned MakeTensorMapsOp::firstAxisOf(unsigned map) {
  unsigned first = 0;
  for (Value before : getMaps().take_front(map))
    first += unsigned(cast<TensorMapType>(before.getType()).getShape().size());
  return first;
}

LogicalResult MakeTensorMapsOp::verify() {
  if (getMaps().empty() || getBases().size() != getMaps().size())
    return emitOpError() << "expects a base for each of " << getMaps().size() << " maps, found "
                         << getBases().size();
  if (int64_t(getMaps().size()) > kMostMaps)
    return emitOpError() << "expects at most " << kMostMaps << " maps, found " << getMaps().size();
  SmallVector<int64_t> axes;
  for (auto [base, map] : llvm::zip_equal(getBases(), getMaps())) {
    auto type = cast<TensorMapType>(map.getType());
    if (base.getType() != pointerTo(type))
      return emitOpError() << "expects a base of type " << pointerTo(type) << ", found "
                           << base.getType();
    llvm::append_range(axes, type.getShape());
  }
  int64_t bytes = int64_t(getMaps().size()) * kMapBytes;
  if (getScratch().getType().getSlotBytes() < bytes)
    return emitOpError() << "expects " << bytes << " bytes to compose in";
  return verifyTensor(*this, getSizes(), getStrides(), axes);
}
