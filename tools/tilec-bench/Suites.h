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

/// What is computed; the functions of the examples of these names.
enum class KernelKind { SoftmaxRows, SoftmaxPersistent, Gelu, Matmul, Attention, Mlp };

/// The example that has a kernel, and what it is called with.
struct Example {
  /// Its function, and its file in the source tree.
  llvm::StringRef name, file;
  /// What the numbers of a size are ("rows x cols"), and sizes as a user writes them.
  llvm::StringRef sizeName, sizeExample;
};
const Example &exampleOf(KernelKind kind);

/// True where products of matrices take the time, so that rates are in TFLOP/s.
bool isProduct(KernelKind kind);

/// The result of a kernel, a matrix (one row for kernels that know no rows), and what it is made
/// of.
struct Size {
  /// Of attention: tokens of a sequence.
  uint64_t rows = 1;
  /// Of attention: elements of a head; of mlp: inputs and outputs of a layer.
  uint64_t cols = 0;
  /// Of matmul: the numbers that an element sums up; of mlp: the layers.
  uint64_t depth = 1;
  /// Of attention alone: there are so many matrices.
  uint64_t batch = 1, heads = 1;
  bool isCausal = false;

  uint64_t elements() const { return batch * heads * rows * cols; }
  bool operator==(const Size &other) const {
    return rows == other.rows && cols == other.cols && depth == other.depth &&
           batch == other.batch && heads == other.heads && isCausal == other.isCausal;
  }
};

/// Rows of a sweep over columns, and of a size that is given without rows.
inline constexpr uint64_t kUsualRows = 4096;

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
  /// In the order of allTypes().
  std::vector<ScalarKind> types;
  std::vector<Size> sizes;
  std::vector<Size> quickSizes;

  bool hasRows() const { return kind != KernelKind::Gelu; }
  bool isProduct() const { return bench::isProduct(kind); }
};

/// One size of a suite in one element type.
struct Case {
  const Suite *suite;
  ScalarKind type;
  Size size;

  unsigned elementBytes() const { return type == ScalarKind::FP32 ? 4 : 2; }
  /// Bytes of the output.
  uint64_t arrayBytes() const { return size.elements() * elementBytes(); }
  /// What must be read and written at least: each element of inputs and outputs once.
  uint64_t movedBytes() const;
  /// Multiplications and additions of products; 0 where there are none. Under a causal mask, half.
  double operations() const;
  /// BLOCK of the kernels that have no products.
  uint64_t block() const;
  /// How far a right result may be from float64's. Of products the absolute part counts in root
  /// mean squares of the row.
  Tolerance tolerance() const;
  /// "4096x781", "2^20", or "4x16x4096x128-causal".
  std::string sizeText() const;
  /// Sizes of one name belong into one plot: "squares", "head size 64, causal"; "" where there is
  /// one plot only.
  std::string series() const;
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

/// What one element of a kernel without products costs at least in a type.
Roofline rooflineOf(KernelKind kind, ScalarKind type);

/// Reads "4096x781", "781" (with the suite's usual 4096 rows), "2^20", or what sizeText() gives for
/// products ("4096" is a square of matmul); an error for sizes that suit no kernel of the suite.
llvm::Expected<Size> parseSize(llvm::StringRef text, const Suite &suite);

/// How many warps a program gets under Triton where the user does not say, since Triton does not
/// choose: as tilec would without clusters, and 4 for GELU, Triton's own default. Products have
/// configurations (Configs.h).
unsigned chooseWarps(KernelKind kind, uint64_t block, unsigned elementBytes);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_SUITES_H
