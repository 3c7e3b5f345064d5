//===- TensorMapParam.cpp - Tensor maps that launches make ------*- C++ -*-===//

#include "tilec/Compiler/TensorMapParam.h"

#include "tilec/Arch/TensorMaps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace tilec;
using llvm::StringRef;

/// What swizzle mode 0 would permute.
static constexpr unsigned kGroupBytes = 16;

bool TensorMapParam::operator==(const TensorMapParam &other) const {
  auto all = [](const TensorMapParam &map) {
    return std::tie(map.elementBytes, map.swizzleBytes, map.box, map.when, map.base, map.sizes,
                    map.strides);
  };
  return all(*this) == all(other);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// What the token does; nothing for one that does not exist.
static std::optional<tilec_map_step> stepOf(StringRef token) {
  int64_t value = 0;
  unsigned argument = 0, bits = 0;
  if (!token.getAsInteger(10, value))
    return tilec_map_step{TILEC_MAP_CONSTANT, 0, value};
  if (token.consume_front("@")) {
    if (token.getAsInteger(10, argument))
      return std::nullopt;
    return tilec_map_step{TILEC_MAP_ARGUMENT, 0, argument};
  }
  for (auto [name, op] : {std::pair("sext", TILEC_MAP_SEXT), std::pair("zext", TILEC_MAP_ZEXT)})
    if (StringRef rest = token; rest.consume_front(name)) {
      if (rest.getAsInteger(10, bits) || !llvm::is_contained({8u, 16u, 32u}, bits))
        return std::nullopt;
      return tilec_map_step{uint32_t(op), 0, bits};
    }
  unsigned op = llvm::StringSwitch<unsigned>(token)
                    .Case("add", TILEC_MAP_ADD)
                    .Case("sub", TILEC_MAP_SUB)
                    .Case("mul", TILEC_MAP_MUL)
                    .Case("div", TILEC_MAP_DIV)
                    .Case("min", TILEC_MAP_MIN)
                    .Case("max", TILEC_MAP_MAX)
                    .Case("and", TILEC_MAP_AND)
                    .Case("or", TILEC_MAP_OR)
                    .Case("xor", TILEC_MAP_XOR)
                    .Case("eq", TILEC_MAP_EQ)
                    .Case("lt", TILEC_MAP_LT)
                    .Default(0);
  return op ? std::optional(tilec_map_step{op, 0, 0}) : std::nullopt;
}

/// Adds the steps of `text`, which leave one number. False if it is no such expression.
static bool addSteps(StringRef text, size_t numArguments, std::vector<tilec_map_step> &steps) {
  int64_t height = 0;
  llvm::SmallVector<StringRef> tokens;
  text.split(tokens, ' ');
  for (StringRef token : tokens) {
    std::optional<tilec_map_step> step = stepOf(token);
    if (!step)
      return false;
    bool pushes = step->op == TILEC_MAP_ARGUMENT || step->op == TILEC_MAP_CONSTANT;
    bool isUnary = step->op == TILEC_MAP_SEXT || step->op == TILEC_MAP_ZEXT;
    if (step->op == TILEC_MAP_ARGUMENT && uint64_t(step->value) >= numArguments)
      return false;
    int64_t taken = pushes ? 0 : isUnary ? 1 : 2;
    if (height < taken)
      return false;
    height += 1 - taken;
    steps.push_back(*step);
  }
  return height == 1;
}

/// The steps of all numbers of a map, in the runtime's order; empty if it is not sound.
static std::vector<tilec_map_step> stepsOf(const TensorMapParam &map, size_t numArguments) {
  std::vector<tilec_map_step> steps;
  bool isSound = addSteps(map.when.empty() ? "1" : StringRef(map.when), numArguments, steps) &&
                 addSteps(map.base, numArguments, steps);
  for (const std::vector<std::string> *list : {&map.sizes, &map.strides})
    for (const std::string &text : *list)
      isSound &= addSteps(text, numArguments, steps);
  return isSound ? steps : std::vector<tilec_map_step>();
}

bool tilec::isSound(const TensorMapParam &map, size_t numArguments) {
  size_t rank = map.box.size();
  return rank >= 1 && rank <= kMostTensorAxes && map.sizes.size() == rank &&
         map.strides.size() == rank - 1 && llvm::is_contained({32u, 64u, 128u}, map.swizzleBytes) &&
         llvm::is_contained({1u, 2u, 4u, 8u}, map.elementBytes) &&
         llvm::all_of(map.box, [](int64_t size) { return size >= 1 && size <= 256; }) &&
         !stepsOf(map, numArguments).empty();
}

RuntimeMaps::RuntimeMaps(llvm::ArrayRef<TensorMapParam> params) {
  for (const TensorMapParam &param : params) {
    steps.push_back(stepsOf(param, SIZE_MAX));
    tilec_tensor_map map = {};
    map.rank = uint32_t(param.box.size());
    map.element_bytes = param.elementBytes;
    map.swizzle = llvm::Log2_32(param.swizzleBytes / kGroupBytes);
    llvm::copy(param.box, map.box);
    map.num_steps = uint32_t(steps.back().size());
    map.steps = steps.back().data();
    maps.push_back(map);
  }
}

//===----------------------------------------------------------------------===//
// From the kernel
//===----------------------------------------------------------------------===//

static TensorMapParam paramOf(tile::TensorMapType type, mlir::ArrayAttr source) {
  TensorMapParam param;
  layout::BulkPlan plan = tile::planOf(type);
  param.elementBytes = tile::byteSize(type.getElementType());
  param.swizzleBytes = kGroupBytes << plan.swizzleBits;
  param.box.assign(plan.box.begin(), plan.box.end());
  size_t rank = param.box.size();
  for (auto [number, text] : llvm::enumerate(source.getAsRange<mlir::StringAttr>())) {
    if (number == 0)
      param.base = text.str();
    else
      (number <= rank ? param.sizes : param.strides).push_back(text.str());
  }
  return param;
}

std::vector<TensorMapParam> tilec::tensorMapsOf(mlir::func::FuncOp kernel) {
  std::vector<TensorMapParam> maps;
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number) {
    auto source = kernel.getArgAttrOfType<mlir::ArrayAttr>(number, tile::kMapOfAttr);
    if (!source)
      continue;
    maps.push_back(
        paramOf(llvm::cast<tile::TensorMapType>(kernel.getArgument(number).getType()), source));
    if (auto when = kernel.getArgAttrOfType<mlir::StringAttr>(number, tile::kMapWhenAttr))
      maps.back().when = when.str();
    assert(isSound(maps.back(), number) && "written by tile-pass-tensor-maps");
  }
  return maps;
}
