//===- LinearLayout.cpp - How a tile is spread over the hardware -*- C++ -*-===//
//
// Construction with full validation, so that an attribute verifier can report any mistake, and the
// queries that need no second layout. Bases are kept as flat row-major indices: all dimensions are
// powers of two, so XOR of indices is XOR of coordinates and the algebra works on plain integers.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/LinearLayout.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tilec::layout {

const char *inDimName(InDim dim) {
  switch (dim) {
  case InDim::Register:
    return "register";
  case InDim::Lane:
    return "lane";
  case InDim::Warp:
    return "warp";
  case InDim::Block:
    return "block";
  }
  return "unknown";
}

static std::string coordsToString(const Coords &coords) {
  std::string text = "[";
  for (std::size_t i = 0; i < coords.size(); ++i)
    text += (i ? ", " : "") + std::to_string(coords[i]);
  return text + "]";
}

static std::string shapeToString(const Shape &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

bool LinearLayout::verifyShape(const Shape &shape, std::string &error) {
  unsigned bits = 0;
  for (int64_t size : shape) {
    if (size <= 0 || !isPowerOf2(static_cast<uint64_t>(size))) {
      error = "expected tile sizes to be powers of two, found " + shapeToString(shape);
      return false;
    }
    bits += log2Floor(static_cast<uint64_t>(size));
    if (bits > kMaxTileBits) {
      error = "expected at most " + std::to_string(uint64_t(1) << kMaxTileBits) +
              " tile elements, found shape " + shapeToString(shape);
      return false;
    }
  }
  return true;
}

/// Row-major index of \p coords in \p shape.
static uint64_t flattenIn(const Shape &shape, const Coords &coords) {
  uint64_t flat = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    flat = flat * static_cast<uint64_t>(shape[i]) + static_cast<uint64_t>(coords[i]);
  return flat;
}

/// Checks the form of one basis; returns whether it is fine, else sets \p error.
static bool verifyBasis(const Shape &shape, InDim dim, const Coords &basis, std::string &error) {
  if (basis.size() != shape.size()) {
    error = "expected each " + std::string(inDimName(dim)) + " basis to have " +
            std::to_string(shape.size()) + " coordinates, found " + coordsToString(basis);
    return false;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (basis[i] < 0 || basis[i] >= shape[i]) {
      error = "expected each " + std::string(inDimName(dim)) + " basis to lie inside the tile " +
              shapeToString(shape) + ", found " + coordsToString(basis);
      return false;
    }
  }
  return true;
}

std::optional<LinearLayout> LinearLayout::create(const Shape &shape, const BasisLists &bases,
                                                 std::string &error) {
  if (!verifyShape(shape, error))
    return std::nullopt;
  FlatBasisLists flat;
  for (InDim dim : kAllInDims) {
    for (const Coords &basis : bases[static_cast<unsigned>(dim)]) {
      if (!verifyBasis(shape, dim, basis, error))
        return std::nullopt;
      flat[static_cast<unsigned>(dim)].push_back(flattenIn(shape, basis));
    }
  }
  return createFlat(shape, std::move(flat), error);
}

std::optional<LinearLayout> LinearLayout::createFlat(const Shape &shape, FlatBasisLists bases,
                                                     std::string &error) {
  if (!verifyShape(shape, error))
    return std::nullopt;
  LinearLayout layout;
  layout.tileShape = shape;
  for (int64_t size : shape)
    layout.totalTileBits += log2Floor(static_cast<uint64_t>(size));

  F2Basis covered;
  unsigned numInBits = 0;
  for (InDim dim : kAllInDims) {
    const std::vector<uint64_t> &list = bases[static_cast<unsigned>(dim)];
    numInBits += static_cast<unsigned>(list.size() <= kMaxInBits ? list.size() : kMaxInBits + 1);
    if (list.size() > kMaxInBits || numInBits > F2Matrix::kMaxDim) {
      error = "expected at most " + std::to_string(kMaxInBits) + " bases in a dimension and " +
              std::to_string(F2Matrix::kMaxDim) + " in all, found " + std::to_string(list.size()) +
              " " + inDimName(dim) + " bases";
      return std::nullopt;
    }
    for (uint64_t basis : list) {
      if (basis >= layout.numElements()) {
        error = "expected each " + std::string(inDimName(dim)) + " basis to lie inside the " +
                std::to_string(layout.numElements()) + " tile elements, found " +
                std::to_string(basis);
        return std::nullopt;
      }
      covered.insert(basis);
    }
  }
  if (covered.dim() != layout.totalTileBits) {
    error = "expected the bases to reach all " + std::to_string(layout.numElements()) +
            " elements of the tile " + shapeToString(shape) + ", found that they reach only " +
            std::to_string(uint64_t(1) << covered.dim());
    return std::nullopt;
  }
  layout.inBases = std::move(bases);
  return layout;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

std::vector<Coords> LinearLayout::bases(InDim dim) const {
  std::vector<Coords> result;
  for (uint64_t flat : flatBases(dim))
    result.push_back(unflatten(flat));
  return result;
}

uint64_t LinearLayout::applyFlat(InDim dim, uint32_t value) const {
  uint64_t flat = 0;
  for (uint64_t basis : flatBases(dim)) {
    if (value & 1)
      flat ^= basis;
    value >>= 1;
  }
  return flat;
}

uint64_t LinearLayout::applyFlat(const HwPoint &point) const {
  return applyFlat(InDim::Register, point.reg) ^ applyFlat(InDim::Lane, point.lane) ^
         applyFlat(InDim::Warp, point.warp) ^ applyFlat(InDim::Block, point.block);
}

uint64_t LinearLayout::flatten(const Coords &coords) const {
  assert(coords.size() == tileShape.size() && "one coordinate for each dimension");
  return flattenIn(tileShape, coords);
}

Coords LinearLayout::unflatten(uint64_t flat) const {
  Coords coords(tileShape.size(), 0);
  for (std::size_t i = tileShape.size(); i-- > 0;) {
    coords[i] = static_cast<int32_t>(flat & static_cast<uint64_t>(tileShape[i] - 1));
    flat >>= axisBits(static_cast<unsigned>(i));
  }
  return coords;
}

unsigned LinearLayout::axisBits(unsigned axis) const {
  return log2Floor(static_cast<uint64_t>(tileShape[axis]));
}

unsigned LinearLayout::axisShift(unsigned axis) const {
  unsigned shift = 0;
  for (unsigned i = axis + 1; i < rank(); ++i)
    shift += axisBits(i);
  return shift;
}

F2Matrix LinearLayout::matrix(InDim dim) const { return F2Matrix(tileBits(), flatBases(dim)); }

F2Matrix LinearLayout::matrix() const {
  std::vector<uint64_t> columns;
  for (InDim dim : kAllInDims)
    columns.insert(columns.end(), flatBases(dim).begin(), flatBases(dim).end());
  return F2Matrix(tileBits(), std::move(columns));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

uint32_t LinearLayout::freeBits(InDim wanted) const {
  F2Basis seen;
  for (InDim dim : kAllInDims) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < numBases(dim); ++i)
      if (!seen.insert(flatBases(dim)[i]))
        mask |= uint32_t(1) << i;
    if (dim == wanted)
      return mask;
  }
  return 0;
}

bool LinearLayout::hasReplication() const {
  unsigned numInBits = 0;
  for (InDim dim : kAllInDims)
    numInBits += numBases(dim);
  return numInBits > tileBits();
}

uint32_t LinearLayout::contiguousRegisters(unsigned axis) const {
  const std::vector<uint64_t> &regs = flatBases(InDim::Register);
  unsigned k = 0;
  while (k < regs.size() && k < axisBits(axis) && regs[k] == uint64_t(1) << (axisShift(axis) + k))
    ++k;
  // A basis of another bit that reaches into the run would permute it by xor where that bit is set.
  auto disturbs = [&](unsigned length) {
    uint64_t run = ((uint64_t(1) << length) - 1) << axisShift(axis);
    auto reaches = [&](uint64_t basis) { return (basis & run) != 0; };
    bool found = std::any_of(regs.begin() + length, regs.end(), reaches);
    for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
      found |= std::any_of(flatBases(dim).begin(), flatBases(dim).end(), reaches);
    return found;
  };
  while (k > 0 && disturbs(k))
    --k;
  return uint32_t(1) << k;
}

std::size_t LinearLayout::hash() const {
  uint64_t h = 0x9e3779b97f4a7c15u;
  auto mix = [&h](uint64_t value) {
    h ^= value + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
  };
  mix(tileShape.size());
  for (int64_t size : tileShape)
    mix(static_cast<uint64_t>(size));
  for (const std::vector<uint64_t> &list : inBases) {
    mix(list.size());
    for (uint64_t basis : list)
      mix(basis);
  }
  return static_cast<std::size_t>(h);
}

std::string LinearLayout::toString() const {
  std::string text = "shape = " + shapeToString(tileShape);
  for (InDim dim : kAllInDims) {
    text += std::string(", ") + inDimName(dim) + " = [";
    for (unsigned i = 0; i < numBases(dim); ++i)
      text += (i ? ", " : "") + coordsToString(basis(dim, i));
    text += "]";
  }
  return text;
}

} // namespace tilec::layout
