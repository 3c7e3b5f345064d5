//===- TensorMapParam.h - Tensor maps that launches make --------*- C++ -*-===//
//
// What a launch must know to make the tensor maps that a kernel takes as parameters behind its own
// (tile-pass-tensor-maps). The numbers of a map are expressions of the kernel's arguments, as text
// in postfix form: tokens with a space between, which work on a stack of integers of 64 bits that
// wrap around.
//
//   @2                    argument 2, an address or an integer with its sign
//   16                    itself
//   add sub mul min max   of the last two, with their signs
//   div                   toward zero; by zero it is zero
//   and or xor            of the bits of the last two
//   eq lt                 whether the last two are equal, or in order: 1 or 0
//   sext32 zext32         the low 8, 16 or 32 bits with their sign, or as they are
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_COMPILER_TENSORMAPPARAM_H
#define TILEC_COMPILER_TENSORMAPPARAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Language/KernelParam.h"
#include "tilec/runtime_c.h"

#include <string>
#include <vector>

namespace tilec {

/// A parameter of 128 bytes that is a tensor map. Axes count from the outermost one.
struct TensorMapParam {
  unsigned elementBytes = 1;
  /// The bytes of a line of a box, within which groups of 16 are permuted: 32, 64 or 128.
  unsigned swizzleBytes = 128;
  /// The elements of a box along each axis.
  std::vector<int64_t> box;
  /// Not 0 where a launch needs the map, which may be one that nobody can make for others; empty if
  /// all do.
  std::string when;
  /// The address of the tensor in bytes.
  std::string base;
  /// The elements along each axis, at least 1.
  std::vector<std::string> sizes;
  /// How many elements lie between neighbours, for each axis but the last. Where the size is 1,
  /// any number does.
  std::vector<std::string> strides;

  bool operator==(const TensorMapParam &other) const;
};

/// The tensor maps among the parameters of a lowered kernel, in their order.
std::vector<TensorMapParam> tensorMapsOf(mlir::func::FuncOp kernel);

/// Whether the map is one that a launch of a kernel with so many arguments can make.
bool isSound(const TensorMapParam &map, size_t numArguments);

/// Sound maps as the runtime knows them. They refer to steps that lie here, so they stay with it.
class RuntimeMaps {
public:
  explicit RuntimeMaps(llvm::ArrayRef<TensorMapParam> maps);
  RuntimeMaps(const RuntimeMaps &) = delete;
  RuntimeMaps &operator=(const RuntimeMaps &) = delete;
  llvm::ArrayRef<tilec_tensor_map> get() const { return maps; }

private:
  std::vector<std::vector<tilec_map_step>> steps;
  std::vector<tilec_tensor_map> maps;
};

} // namespace tilec

#endif // TILEC_COMPILER_TENSORMAPPARAM_H
