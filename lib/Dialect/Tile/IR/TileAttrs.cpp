//===- TileAttrs.cpp - the layout attribute --------------------*- C++ -*-===//
//
// The layout attribute: its text form, its verification, and the conversion from and to
// LinearLayout. The algebra in lib/Layout knows nothing of MLIR, and the attribute does no algebra:
// it stores bases.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using tilec::layout::Coords;
using tilec::layout::InDim;
using tilec::layout::LinearLayout;

#define GET_ATTRDEF_CLASSES
#include "tilec/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilec/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

/// Parses `name = [[..], ..]` into `flat`. All bases have one length, `rank`; -1 is 'not known
/// yet'.
static ParseResult parseBases(AsmParser &parser, StringRef name, int &rank,
                              SmallVectorImpl<int32_t> &flat) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    int length = 0;
    SMLoc loc = parser.getCurrentLocation();
    auto parseCoordinate = [&]() -> ParseResult {
      ++length;
      return parser.parseInteger(flat.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseCoordinate))
      return failure();
    if (rank >= 0 && rank != length)
      return parser.emitError(loc)
             << "expected a basis with " << rank << " coordinates, found " << length;
    rank = length;
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  int rank = -1;
  SmallVector<int32_t> registers, lanes, warps, blocks;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", rank, registers) ||
      parser.parseComma() || parseBases(parser, "lane", rank, lanes) || parser.parseComma() ||
      parseBases(parser, "warp", rank, warps) || parser.parseComma() ||
      parseBases(parser, "block", rank, blocks) || parser.parseGreater())
    return {};
  if (rank <= 0 || lanes.size() != 5 * size_t(rank)) {
    parser.emitError(loc, "expected five lane bases with at least one coordinate each");
    return {};
  }
  return LayoutAttr::get(parser.getContext(), rank, registers, lanes, warps, blocks);
}

static void printBases(AsmPrinter &printer, StringRef name, unsigned rank, ArrayRef<int32_t> flat) {
  printer << name << " = [";
  for (size_t i = 0; i < flat.size(); i += rank) {
    printer << (i ? ", [" : "[");
    llvm::interleaveComma(flat.slice(i, rank), printer);
    printer << "]";
  }
  printer << "]";
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBases(printer, "register", getRank(), getRegisters());
  printer << ", ";
  printBases(printer, "lane", getRank(), getLanes());
  printer << ", ";
  printBases(printer, "warp", getRank(), getWarps());
  printer << ", ";
  printBases(printer, "block", getRank(), getBlocks());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Bridge to the algebra
//===----------------------------------------------------------------------===//

static std::vector<Coords> unflatten(unsigned rank, ArrayRef<int32_t> flat) {
  std::vector<Coords> bases;
  for (size_t i = 0; i < flat.size(); i += rank)
    bases.emplace_back(flat.begin() + i, flat.begin() + i + rank);
  return bases;
}

static std::optional<LinearLayout> create(LayoutAttr attr, ArrayRef<int64_t> shape,
                                          std::string &error) {
  unsigned rank = attr.getRank();
  LinearLayout::BasisLists bases = {
      unflatten(rank, attr.getRegisters()), unflatten(rank, attr.getLanes()),
      unflatten(rank, attr.getWarps()), unflatten(rank, attr.getBlocks())};
  return LinearLayout::create({shape.begin(), shape.end()}, bases, error);
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  assert(layout.rank() > 0 && "a scalar has no layout");
  std::array<SmallVector<int32_t>, tilec::layout::kNumInDims> flat;
  for (InDim dim : tilec::layout::kAllInDims)
    for (const Coords &basis : layout.bases(dim))
      llvm::append_range(flat[unsigned(dim)], basis);
  return get(context, layout.rank(), flat[0], flat[1], flat[2], flat[3]);
}

LinearLayout LayoutAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  std::string error;
  std::optional<LinearLayout> layout = create(*this, shape, error);
  assert(layout && "the type's verifier admits only layouts of its shape");
  return *layout;
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getRank() != shape.size())
    return emitError() << "layout has rank " << getRank() << ", the tile has rank " << shape.size();
  std::string error;
  if (!isTileShape(shape))
    return emitError() << "a layout needs dimensions that are powers of two";
  if (!create(*this, shape, error))
    return emitError() << "invalid layout: " << error;
  return success();
}
