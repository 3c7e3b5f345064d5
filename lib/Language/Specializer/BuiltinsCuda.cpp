//===- BuiltinsCuda.cpp - tl.extra.cuda -------------------------*- C++ -*-===//
//
// What a kernel can ask of the GPU that runs it: its clock, its place, and the order with other
// kernels of the stream. All but the size of the launch is PTX.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

/// Assembly without operands that gives one scalar.
static Object readRegister(Interpreter &in, Args &args, DType type, StringRef text,
                           StringRef constraint) {
  if (!in.options().arch)
    return in.error(args.callRange(), args.callee().fullName() + " is for GPUs only");
  auto op = tilec::tile::InlineAsmOp::create(in.ir(), in.loc(), in.tensors().irScalarType(type),
                                             text, constraint, /*pack=*/1, /*isPure=*/false,
                                             mlir::ValueRange());
  return Object::tensor(op.getResult(0), type);
}

/// globaltimer()
static Object globalTimer(Interpreter &in, Args &args) {
  return readRegister(in, args, ScalarKind::Int64, "mov.u64 $0, %globaltimer;", "=l");
}

/// smid()
static Object multiprocessor(Interpreter &in, Args &args) {
  return readRegister(in, args, ScalarKind::Int32, "mov.u32 $0, %smid;", "=r");
}

/// num_warps(), num_threads(): known while compiling only if they were asked for.
template <int perWarp> static Object launchSize(Interpreter &in, Args &args) {
  if (in.options().numWarps == 0)
    return in.error(args.callRange(),
                    args.callee().fullName() + " needs a given number of warps (--num-warps)");
  return Object::integer(int64_t(in.options().numWarps) * perWarp);
}

/// gdc_wait(), gdc_launch_dependents(): order with the kernels before and after in the stream.
template <bool waits> static Object dependentLaunch(Interpreter &in, Args &args) {
  constexpr GpuFeature feature = GpuFeature::DependentLaunch;
  if (in.options().arch && !in.options().arch->has(feature))
    return in.error(args.callRange(), args.callee().fullName() + " needs compute capability " +
                                          firstCapability(feature).str() + " or higher");
  // The result is there because assembly has one.
  Object done = readRegister(in, args, ScalarKind::Int32,
                             waits ? "griddepcontrol.wait; mov.u32 $0, 0;"
                                   : "griddepcontrol.launch_dependents; mov.u32 $0, 0;",
                             "=r");
  return done.isPoison() ? done : Object::none();
}

/// convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2), which has a name for each
/// of two GPUs: between float8e4b15 and wider floats, as a cast does on every target.
static Object convertFloat8(Interpreter &in, Args &args) {
  Object value = args.tensor(0);
  std::optional<DType> to = args.dtype(1);
  if (value.isPoison() || !to)
    return Object::poison();
  DType from = value.dtype();
  auto isWide = [](DType type) {
    return type.isScalar(ScalarKind::FP16) || type.isScalar(ScalarKind::FP32);
  };
  if (from.isScalar(ScalarKind::FP8E4B15)) {
    if (!isWide(*to))
      return args.wrong(1, "float16 or float32");
  } else if (!isWide(from)) {
    return args.wrong(0, "float8e4b15, float16 or float32");
  } else if (!to->isScalar(ScalarKind::FP8E4B15)) {
    return args.wrong(1, "float8e4b15");
  }
  return in.tensors().cast(value, *to, args.range(0));
}

llvm::ArrayRef<Builtin> front::cudaBuiltins() {
  static constexpr Builtin rows[] = {
      {"globaltimer", "", globalTimer, 0, Space::Cuda},
      {"smid", "", multiprocessor, 0, Space::Cuda},
      {"num_warps", "", launchSize<1>, 0, Space::Cuda},
      {"num_threads", "", launchSize<32>, 0, Space::Cuda},
      {"convert_custom_float8", "arg, dst_ty, fp_downcast_rounding, has_minx2", convertFloat8,
       Hidden, Space::Cuda},
      {"convert_custom_float8_sm70", "arg, dst_ty, fp_downcast_rounding=None", convertFloat8, 0,
       Space::Cuda},
      {"convert_custom_float8_sm80", "arg, dst_ty, fp_downcast_rounding=None", convertFloat8, 0,
       Space::Cuda},
      {"gdc_wait", "", dependentLaunch<true>, 0, Space::Cuda},
      {"gdc_launch_dependents", "", dependentLaunch<false>, 0, Space::Cuda},
  };
  return rows;
}
