//===- Facts.h - what the layout stage says of a kernel ---------*- C++ -*-===//
//
// What can be read off tile IR that has layouts, shared memory and barriers: accesses to global
// memory, exchanges between threads, the layouts themselves, and what is in flight. Everything is
// computed as the conversion to the work of one thread does it, by the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_FACTS_H
#define TILEC_LIB_REPORT_FACTS_H

#include "Panes.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::report {

/// The layouts of a kernel, numbered.
class LayoutTable {
public:
  /// The number of the layout of tiles of \p shape.
  unsigned add(const layout::LinearLayout &layout);
  /// The number of the layout of \p type, or nothing for scalars and for tiles without a layout.
  std::optional<unsigned> add(mlir::Type type);
  /// The same, and that \p op has a tile of it at \p chain.
  void addUse(mlir::Type type, unsigned chain, unsigned row);

  /// [{shape, register, lane, warp, block: images of the bits as row-major indices, uses}].
  llvm::json::Array toJSON() const;

private:
  struct Use {
    unsigned chain, row;
    std::string type;
  };
  std::vector<layout::LinearLayout> layouts;
  std::vector<std::vector<Use>> uses;
};

/// What the readers of facts share.
struct FactContext {
  FactContext(mlir::ModuleOp module, PlaceTable &places, const OperationRows &rows)
      : module(module), axes(module), places(places), rows(rows) {}

  mlir::ModuleOp module;
  tile::AxisInfoAnalysis axes;
  PlaceTable &places;
  const OperationRows &rows;
  LayoutTable layouts;

  /// A fact begins with where it stands: {op, chain, row, kernel}.
  llvm::json::Object describe(mlir::Operation *op);
};

/// How many pieces of memory the lanes of a warp touch with one access.
struct Footprint {
  /// Pieces, where what is not known of the addresses is as it would be best, and worst.
  unsigned least = 0, most = 0;
  /// Pieces that would do for as many different bytes.
  unsigned needed = 0;
};

/// The footprint, in pieces of \p pieceBytes, of an access of \p width registers of a thread to
/// elements of \p elementBytes, of which \p info is known. At best, runs of neighbours follow each
/// other along their axis and begin where pieces do; at worst, each lies for itself, across a
/// border. Where there are no runs, nothing is known but which addresses are equal.
Footprint footprintOf(const layout::LinearLayout &layout, const tile::AxisInfo &info,
                      unsigned elementBytes, unsigned width, unsigned pieceBytes);

/// Accesses to global memory.
llvm::json::Array collectAccesses(FactContext &context);

/// Conversions of layouts within warps, and what goes through shared memory: buffers with the
/// stores and loads of each.
llvm::json::Object collectExchanges(FactContext &context);

/// Copies, waits, barriers and products in the order of the program, with the loops they stand in.
llvm::json::Array collectTimeline(FactContext &context);

/// Notes all layouts of tiles that operations make.
void collectLayouts(FactContext &context);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_FACTS_H
