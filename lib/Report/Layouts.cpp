//===- Layouts.cpp - the layouts of a kernel --------------------*- C++ -*-===//
//
// A layout goes to the page as what each bit of its hardware dimensions adds to the row-major index
// of an element. By that the page finds which thread holds what, without a table of all elements.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace tilec;
using namespace tilec::report;
using namespace tilec::layout;
namespace json = llvm::json;

unsigned LayoutTable::add(const LinearLayout &layout) {
  auto found = llvm::find(layouts, layout);
  if (found == layouts.end()) {
    found = layouts.insert(layouts.end(), layout);
    uses.emplace_back();
  }
  return unsigned(found - layouts.begin());
}

std::optional<unsigned> LayoutTable::add(mlir::Type type) {
  auto attr = tile::getLayout(type);
  if (!attr)
    return std::nullopt;
  return add(attr.toLinearLayout(mlir::cast<mlir::RankedTensorType>(type).getShape()));
}

static std::string printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << tile::elementOf(type);
  return text;
}

void LayoutTable::addUse(mlir::Type type, unsigned chain, unsigned row) {
  if (std::optional<unsigned> index = add(type))
    uses[*index].push_back({chain, row, printed(type)});
}

static json::Array toArray(const std::vector<uint64_t> &values) {
  json::Array result;
  for (uint64_t value : values)
    result.push_back(value);
  return result;
}

json::Array LayoutTable::toJSON() const {
  json::Array result;
  for (auto [layout, usesOfIt] : llvm::zip_equal(layouts, uses)) {
    json::Array shape, places;
    for (int64_t size : layout.shape())
      shape.push_back(size);
    for (const Use &use : usesOfIt)
      places.push_back(json::Array{use.chain, use.row, use.type});
    result.push_back(json::Object{{"shape", std::move(shape)},
                                  {"register", toArray(layout.flatBases(InDim::Register))},
                                  {"lane", toArray(layout.flatBases(InDim::Lane))},
                                  {"warp", toArray(layout.flatBases(InDim::Warp))},
                                  {"block", toArray(layout.flatBases(InDim::Block))},
                                  {"uses", std::move(places)}});
  }
  return result;
}

json::Object FactContext::describe(mlir::Operation *op) {
  json::Object result{{"op", op->getName().getStringRef()},
                      {"chain", places.chainOf(op->getLoc())}};
  auto row = rows.find(op);
  if (row != rows.end())
    result["row"] = row->second;
  if (auto kernel = op->getParentOfType<mlir::func::FuncOp>())
    result["kernel"] = kernel.getName();
  return result;
}

void tilec::report::collectLayouts(FactContext &context) {
  context.module.walk([&](mlir::Operation *op) {
    auto row = context.rows.find(op);
    if (row == context.rows.end() || tile::isInScalarCode(op))
      return;
    for (mlir::Type type : op->getResultTypes())
      if (tile::getLayout(type))
        context.layouts.addUse(type, context.places.chainOf(op->getLoc()), row->second);
  });
}
