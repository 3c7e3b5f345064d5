//===- Suites.h - what is measured, at which sizes -------------*- C++ -*-===//
//
// A suite is one kernel over a list of sizes. A case is one size of it in one element type; it says
// everything that a provider needs to know.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_SUITES_H
#define TILEC_TOOLS_TILEC_BENCH_SUITES_H

#include "tilec/JIT/Compare.h"
#include "tilec/Language/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilec::bench {

/// What is computed; the functions of examples/softmax and examples/gelu.
enum class KernelKind { SoftmaxRows, SoftmaxPersistent, Gelu };

/// A matrix; one row for kernels that know no rows.
struct Size {
  uint64_t rows = 1;
  uint64_t cols = 0;
  uint64_t elements() const { return rows * cols; }
  bool operator==(const Size &other) const { return rows == other.rows && cols == other.cols; }
};

/// Bytes and operations of one element: what a kernel that touches memory least would need.
struct Roofline {
  /// Bytes read and written.
  double bytes;
  /// Arithmetic operations; an exponential, a division or a comparison is one.
  double operations;
  /// Operations for each byte.
  double intensity() const { return operations / bytes; }
};

/// One kernel over some sizes.
struct Suite {
  llvm::StringRef name;
  llvm::StringRef description;
  KernelKind kind;
  /// Names from allProviders(), in the order of the table's columns.
  std::vector<llvm::StringRef> providers;
  std::vector<Size> sizes;
  std::vector<Size> quickSizes;

  bool hasRows() const { return kind != KernelKind::Gelu; }
};

/// One size of a suite in one element type.
struct Case {
  const Suite *suite;
  ScalarKind type;
  Size size;

  unsigned elementBytes() const { return type == ScalarKind::FP32 ? 4 : 2; }
  /// Bytes of the input, and of the output.
  uint64_t arrayBytes() const { return size.elements() * elementBytes(); }
  /// Each element read once and written once.
  uint64_t movedBytes() const { return 2 * arrayBytes(); }
  /// The kernel's BLOCK.
  uint64_t block() const;
  /// How far a right result may be from float64's.
  Tolerance tolerance() const;
  /// "4096x781", or "2^20".
  std::string sizeText() const;
  /// "softmax fp32 4096x781".
  std::string text() const;
};

/// All suites, in the order in which they run.
llvm::ArrayRef<Suite> allSuites();
/// The suite of that name, or null.
const Suite *findSuite(llvm::StringRef name);

/// All providers, in the order of a table's columns: copy first, tilec last.
llvm::ArrayRef<llvm::StringRef> allProviders();
/// True for those that the Python process measures.
bool isPythonProvider(llvm::StringRef name);

/// The names of the element types that are measured, and the name of one.
llvm::ArrayRef<ScalarKind> allTypes();
llvm::StringRef typeName(ScalarKind type);

/// The kernel's function, and its file in the source tree.
llvm::StringRef kernelName(KernelKind kind);
llvm::StringRef kernelFile(KernelKind kind);

/// What one element of a kernel in a type costs at least.
Roofline rooflineOf(KernelKind kind, ScalarKind type);

/// Reads "4096x781", "781" (with the suite's usual 4096 rows) or "2^20"; an error for sizes that
/// suit no kernel of the suite.
llvm::Expected<Size> parseSize(llvm::StringRef text, const Suite &suite);

/// How many warps a program gets under Triton where the user does not say, since Triton does not
/// choose: as tilec would without clusters, and 4 for GELU, Triton's own default.
unsigned chooseWarps(KernelKind kind, uint64_t block, unsigned elementBytes);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_SUITES_H
