//===- ValueSpec.h - arrays described on a command line --------*- C++ -*-===//
//
//   CONTENTS:TYPE[SHAPE][+OFFSET]      randn:fp32[1823,781]   arange(0,2):i32[16]+1
//   @FILE.npy[:TYPE][+OFFSET]
//   desc(ARRAY[, [SIZES]][, nan])      desc(randn:bf16[512,64], [BLOCK, 64])
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_RUN_VALUESPEC_H
#define TILEC_TOOLS_TILEC_RUN_VALUESPEC_H

#include "tilec/JIT/HostArray.h"

#include <optional>
#include <string>
#include <vector>

/// How an array comes about.
struct ArraySpec {
  enum class Contents { Normal, Uniform, Range, Full, Values, Empty, File };
  Contents contents = Contents::Empty;
  std::vector<double> numbers;           // Parameters of the contents, defaults filled in.
  std::vector<int64_t> integers;         // The same where all are integers, in their low 64 bits.
  std::string path;                      // Of a file.
  std::optional<tilec::ScalarKind> type; // Always there unless it is a file.
  std::vector<uint64_t> shape;
  uint64_t offset = 0; // In elements.
};

/// True when `text` has the form of an array rather than of a constant.
bool isArraySpec(llvm::StringRef text);

/// A tuple as text: `(a, b)` or `Name(a, b)`.
struct TupleText {
  llvm::StringRef className; // Empty for a plain one.
  llvm::SmallVector<llvm::StringRef> elements;
};

/// Takes a tuple apart; nothing for a text of another form.
std::optional<TupleText> splitTuple(llvm::StringRef text);

/// The blocks of a tensor descriptor.
struct DescriptorSpec {
  std::vector<std::string> block; // Numbers, or names of constexpr parameters; may be empty.
  bool padsWithNaN = false;
};

/// What stands behind the array in `desc(ARRAY, [64, 32], nan)`; the error says what was expected.
llvm::Expected<DescriptorSpec> parseDescriptorSpec(llvm::ArrayRef<llvm::StringRef> parts);

/// Reads the description of an array; the error says what was expected where.
llvm::Expected<ArraySpec> parseArraySpec(llvm::StringRef text);

/// Makes the array. Reads the file, if it is one.
llvm::Expected<tilec::HostArray> makeArray(const ArraySpec &spec, uint64_t seed);

#endif // TILEC_TOOLS_TILEC_RUN_VALUESPEC_H
