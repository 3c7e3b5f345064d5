//===- GpuArch.h - What each NVIDIA architecture can do ---------*- C++ -*-===//
//
// One table of the architectures that tilec compiles for, sm_75 to sm_121, with the forms `a`
// (this architecture only) and `f` (this architecture and later ones of its family), the oldest PTX
// ISA version that names each, the sizes that a kernel must fit, and the instructions that not all
// of them have. Plain values: everything here is immutable and safe to use from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ARCH_GPUARCH_H
#define TILEC_ARCH_GPUARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tilec {

struct GpuTuning;

/// Threads of a warp, on every architecture.
inline constexpr int64_t kWarpSize = 32;
/// Warps that share the instructions of wgmma.
inline constexpr int64_t kWarpsPerGroup = 4;
/// Bytes that every architecture moves for one thread in one access. What later ones have beyond it
/// (GpuArch::maxVectorAccessBytes) no layout is made for.
inline constexpr int64_t kMaxAccessBytes = 16;
/// Bytes of a sector, the part of a cache line that a memory transaction moves.
inline constexpr int64_t kSectorBytes = 32;

/// Bytes of a line, for each of which an access of a warp takes a turn.
inline constexpr int64_t kLineBytes = 128;
/// Bytes of a register.
inline constexpr int64_t kRegisterBytes = 4;
/// Bytes of shared memory that a CTA has without opting in to more, and that code may name when it
/// is compiled.
inline constexpr int64_t kStaticSharedLimit = 48 * 1024;
/// CTAs of the largest cluster that every device with clusters can launch (CUDA programming guide,
/// "Thread Block Clusters").
inline constexpr int64_t kPortableClusterSize = 8;

/// A version of two numbers: of the PTX ISA (7.8) or of a CUDA release (11.8).
struct Version {
  unsigned major = 0;
  unsigned minor = 0;

  /// "7.8".
  std::string str() const { return std::to_string(major) + "." + std::to_string(minor); }
  bool operator<(const Version &other) const {
    return std::tie(major, minor) < std::tie(other.major, other.minor);
  }
  bool operator==(const Version &other) const {
    return major == other.major && minor == other.minor;
  }
  bool operator!=(const Version &other) const { return !(*this == other); }
  bool operator<=(const Version &other) const { return !(other < *this); }
};

/// The oldest CUDA release whose driver and ptxas accept PTX of version \p ptx; nothing for a
/// version of PTX that does not exist or is newer than 9.0.
std::optional<Version> cudaReleaseForPTX(Version ptx);

/// The newest PTX version known here that the ptxas of CUDA release \p cuda accepts; nothing for
/// releases before 10.0.
std::optional<Version> newestPTXOfCuda(Version cuda);

/// Instructions that not every architecture in the table has.
enum class GpuFeature {
  MatrixLoad,       ///< ldmatrix
  MatrixStore,      ///< stmatrix
  MatrixMultiply,   ///< mma.sync on f16, bf16, tf32, i8 and f64, in the sizes of sm_80
  FastTanh,         ///< tanh.approx.f32 and the half-precision ex2.approx
  ReduxSync,        ///< redux.sync on 32-bit integers
  ReduxSyncF32,     ///< redux.sync min and max on f32
  AsyncCopy,        ///< cp.async
  NaNMinMax,        ///< min.NaN, max.NaN, and min/max on f16
  Bf16Fma,          ///< fma, min, max, and conversion of f32 to bf16
  L1Eviction,       ///< ld and st with .L1::evict_first and so on
  L2CachePolicy,    ///< createpolicy, .L2::cache_hint, discard, prefetch with eviction priority
  Fp8Convert,       ///< cvt to and from e4m3x2 and e5m2x2
  Fp8Multiply,      ///< mma.sync on e4m3 and e5m2
  Bf16Arith,        ///< add, sub, mul, ex2 on bf16
  Cluster,          ///< clusters, mapa, distributed shared memory
  ClusterRelaxed,   ///< barrier.cluster.arrive.relaxed
  DependentLaunch,  ///< griddepcontrol
  BulkCopy,         ///< cp.async.bulk, also by tensor maps of the host, elect.sync
  TensorMaps,       ///< tensormap.replace: tensor maps that kernels make
  VectorAtomics,    ///< atom and red on .v2 and .v4 vectors
  SetMaxRegisters,  ///< setmaxnreg
  WarpGroupMma,     ///< wgmma
  PackedF32,        ///< add, mul, fma on f32x2
  TensorCore5,      ///< tcgen05
  WideVectors,      ///< 32-byte vector loads and stores (.v8.b32, .v4.b64)
  ThreeInputMinMax, ///< min and max of three f32
};

/// The name of the feature as its PTX instruction, for messages: "redux.sync".
llvm::StringRef gpuFeatureName(GpuFeature feature);

/// The compute capability from which on GPUs have \p feature, for messages: 9.0.
Version firstCapability(GpuFeature feature);

/// One architecture, one of its forms, as a real (sm_) or virtual (compute_) target. A small
/// value; copy it freely.
class GpuArch {
public:
  /// Which later architectures may run the code. PTX for a generic one runs on every later GPU.
  enum class Form { Generic, Specific /* a */, Family /* f */ };

  /// Reads `sm_90a`, `compute_90` or `90`. The error names what was found, the nearest spelling
  /// and all that is known.
  static llvm::Expected<GpuArch> parse(llvm::StringRef text);

  /// The best target for a device of compute capability \p major.\p minor: the specific form
  /// where there is one. For a device that is not in the table, the newest generic architecture
  /// that is not newer than it; nothing below 7.5.
  static std::optional<GpuArch> forDevice(unsigned major, unsigned minor);

  /// Every architecture and form as a real target, ascending.
  static std::vector<GpuArch> all();

  /// The first of them, sm_75, whose PTX runs on each of the others.
  static GpuArch oldest();

  /// "sm_90a" or "compute_90a": as it was asked for.
  std::string name() const;
  /// "sm_90a", also for a virtual target: what `.target`, LLVM and ptxas are told.
  std::string smName() const;
  /// 90 for sm_90a.
  unsigned number() const;
  /// 9.0 for sm_90a.
  Version capability() const { return {number() / 10, number() % 10}; }
  Form form() const { return whichForm; }
  /// True for compute_NN: PTX is wanted, a cubin is not.
  bool isVirtual() const { return isVirtualTarget; }

  /// The oldest PTX version that has this target; the driver may be as old as that.
  Version minPTXVersion() const;
  /// The CUDA release whose ptxas no longer has this target, if there is one (sm_101: 13.0).
  std::optional<Version> removedInCuda() const;

  /// Whether code for this target may use \p feature, given a PTX version that is new enough.
  bool has(GpuFeature feature) const;
  /// The oldest PTX version in which this target has \p feature, which it must have.
  Version ptxVersionFor(GpuFeature feature) const;
  /// Whether mma.sync on fp8 is one instruction of the GPU. The others that have it convert to
  /// halves, as ptxas 13.0 shows: those of 9.x and 10.x, whose tensor cores take fp8 from memory.
  bool hasFp8Matrices() const;

  /// The numbers that heuristics use for this target, with where they are from: Tuning.h. They live
  /// as long as the program.
  const GpuTuning &tuning() const;

  /// Threads of a warp.
  unsigned warpSize() const { return kWarpSize; }
  /// Threads of a block, at most.
  unsigned maxThreadsPerBlock() const { return 1024; }
  /// Threads and blocks that a multiprocessor holds at once.
  unsigned maxThreadsPerSM() const;
  unsigned maxBlocksPerSM() const;
  /// 32-bit registers of a multiprocessor, and of a thread at most.
  unsigned registersPerSM() const { return 64 * 1024; }
  unsigned maxRegistersPerThread() const { return 255; }
  /// A warp's registers come in multiples of this, from one of the multiprocessor's partitions,
  /// which have equal shares of the registers.
  unsigned registerAllocationUnit() const { return 256; }
  unsigned partitionsPerSM() const { return 4; }
  /// Bytes of shared memory that a block has without opting in to more.
  unsigned defaultSharedPerBlock() const { return kStaticSharedLimit; }
  /// Bytes of shared memory that a block may have after opting in.
  unsigned maxSharedPerBlock() const;
  /// Bytes of shared memory of a block that copies in flight (cp.async) may fill: what it has after
  /// opting in beyond the default, which is for exchanges between threads. 0 without such copies.
  unsigned sharedForCopies() const {
    return has(GpuFeature::AsyncCopy) ? maxSharedPerBlock() - defaultSharedPerBlock() : 0;
  }
  /// Bytes of shared memory of a multiprocessor. A resident block takes a multiple of the unit, in
  /// which the system's reserve is included.
  unsigned sharedPerSM() const;
  unsigned sharedAllocationUnit() const { return number() < 80 ? 256 : 128; }
  unsigned reservedSharedPerBlock() const { return number() < 80 ? 0 : 1024; }
  /// The widest vector load or store of one thread, in bytes: 32 or 16.
  unsigned maxVectorAccessBytes() const { return has(GpuFeature::WideVectors) ? 32 : 16; }

  bool operator==(const GpuArch &other) const {
    return index == other.index && whichForm == other.whichForm &&
           isVirtualTarget == other.isVirtualTarget;
  }
  bool operator!=(const GpuArch &other) const { return !(*this == other); }

private:
  GpuArch(unsigned index, Form form, bool isVirtual)
      : index(index), whichForm(form), isVirtualTarget(isVirtual) {}

  unsigned index; // Of the row in the table.
  Form whichForm;
  bool isVirtualTarget;
};

} // namespace tilec

#endif // TILEC_ARCH_GPUARCH_H
