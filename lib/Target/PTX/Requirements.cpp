//===- Requirements.cpp - What a module needs of its target -----*- C++ -*-===//
//
// Finds the oldest PTX version that has everything a module uses, and what would not compile. The
// back end aborts the process on an intrinsic that it cannot select, so each one that is not for
// every target is looked up here first; and it does not look into inline assembly at all.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/PTX.h"

#include "MemoryAccess.h"
#include "PTXInternals.h"

#include "tilec/Target/PTXAssembly.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilec;

namespace {

/// An instruction by the start of its opcode and, unless empty, one of its dotted modifiers.
struct OpcodeRule {
  StringRef opcode, modifier;
  GpuFeature feature;
};

// All rules that match count, so a general rule may stand beside a narrower one.
constexpr OpcodeRule opcodeRules[] = {
    {"ldmatrix", "", GpuFeature::MatrixLoad},
    {"stmatrix", "", GpuFeature::MatrixStore},
    {"tanh", "approx", GpuFeature::FastTanh},
    {"ex2", "f16", GpuFeature::FastTanh},
    {"ex2", "f16x2", GpuFeature::FastTanh},
    {"ex2", "bf16", GpuFeature::Bf16Arith},
    {"ex2", "bf16x2", GpuFeature::Bf16Arith},
    {"redux", "", GpuFeature::ReduxSync},
    {"redux", "f32", GpuFeature::ReduxSyncF32},
    {"cp", "async", GpuFeature::AsyncCopy},
    {"mbarrier", "", GpuFeature::AsyncCopy},
    {"mbarrier", "try_wait", GpuFeature::BulkCopy},
    {"cp", "bulk", GpuFeature::BulkCopy},
    {"elect", "", GpuFeature::BulkCopy},
    {"tensormap", "", GpuFeature::TensorMaps},
    {"min", "NaN", GpuFeature::NaNMinMax},
    {"max", "NaN", GpuFeature::NaNMinMax},
    {"min", "f16", GpuFeature::NaNMinMax},
    {"max", "f16", GpuFeature::NaNMinMax},
    {"min", "f16x2", GpuFeature::NaNMinMax},
    {"max", "f16x2", GpuFeature::NaNMinMax},
    {"fma", "bf16", GpuFeature::Bf16Fma},
    {"fma", "bf16x2", GpuFeature::Bf16Fma},
    {"cvt", "bf16", GpuFeature::Bf16Fma},
    {"cvt", "bf16x2", GpuFeature::Bf16Fma},
    {"cvt", "f16x2", GpuFeature::Bf16Fma},
    {"add", "bf16", GpuFeature::Bf16Arith},
    {"add", "bf16x2", GpuFeature::Bf16Arith},
    {"mul", "bf16", GpuFeature::Bf16Arith},
    {"mul", "bf16x2", GpuFeature::Bf16Arith},
    {"sub", "bf16", GpuFeature::Bf16Arith},
    {"sub", "bf16x2", GpuFeature::Bf16Arith},
    {"ld", "L1::", GpuFeature::L1Eviction},
    {"st", "L1::", GpuFeature::L1Eviction},
    {"", "L2::cache_hint", GpuFeature::L2CachePolicy},
    {"ld", "L2::evict", GpuFeature::L2CachePolicy},
    {"createpolicy", "", GpuFeature::L2CachePolicy},
    {"discard", "", GpuFeature::L2CachePolicy},
    {"applypriority", "", GpuFeature::L2CachePolicy},
    {"prefetch", "L2::evict", GpuFeature::L2CachePolicy},
    {"cvt", "e4m3x2", GpuFeature::Fp8Convert},
    {"cvt", "e5m2x2", GpuFeature::Fp8Convert},
    {"mma", "e4m3", GpuFeature::Fp8Multiply},
    {"mma", "e5m2", GpuFeature::Fp8Multiply},
    {"mapa", "", GpuFeature::Cluster},
    {"barrier", "cluster", GpuFeature::Cluster},
    {"fence", "cluster", GpuFeature::Cluster},
    {"", "shared::cluster", GpuFeature::Cluster},
    {"griddepcontrol", "", GpuFeature::DependentLaunch},
    {"atom", "v2", GpuFeature::VectorAtomics},
    {"atom", "v4", GpuFeature::VectorAtomics},
    {"atom", "v8", GpuFeature::VectorAtomics},
    {"red", "v2", GpuFeature::VectorAtomics},
    {"red", "v4", GpuFeature::VectorAtomics},
    {"red", "v8", GpuFeature::VectorAtomics},
    {"atom", "bf16", GpuFeature::Bf16Arith},
    {"atom", "bf16x2", GpuFeature::Bf16Arith},
    {"red", "bf16", GpuFeature::Bf16Arith},
    {"red", "bf16x2", GpuFeature::Bf16Arith},
    {"setmaxnreg", "", GpuFeature::SetMaxRegisters},
    {"wgmma", "", GpuFeature::WarpGroupMma},
    {"", "f32x2", GpuFeature::PackedF32},
    {"tcgen05", "", GpuFeature::TensorCore5},
    {"ld", "v8", GpuFeature::WideVectors},
    {"st", "v8", GpuFeature::WideVectors},
};

/// An intrinsic by the start of its name after "llvm.nvvm.".
struct IntrinsicRule {
  StringRef prefix;
  GpuFeature feature;
};

constexpr IntrinsicRule intrinsicRules[] = {
    {"ldmatrix", GpuFeature::MatrixLoad},
    {"mma.", GpuFeature::MatrixMultiply},
    {"mma.m16n8k32.row.col.f32.e", GpuFeature::Fp8Multiply},
    {"stmatrix", GpuFeature::MatrixStore},
    {"tanh.approx", GpuFeature::FastTanh},
    {"redux.sync.", GpuFeature::ReduxSync},
    {"redux.sync.f", GpuFeature::ReduxSyncF32},
    {"cp.async.", GpuFeature::AsyncCopy},
    {"cp.async.bulk.", GpuFeature::BulkCopy},
    {"elect.sync", GpuFeature::BulkCopy},
    {"tensormap", GpuFeature::TensorMaps},
    {"fmin.nan", GpuFeature::NaNMinMax},
    {"fmax.nan", GpuFeature::NaNMinMax},
    {"fma.rn.bf16", GpuFeature::Bf16Fma},
    {"ff2bf16x2", GpuFeature::Bf16Fma},
    {"ff2f16x2", GpuFeature::Bf16Fma},
    {"f2bf16", GpuFeature::Bf16Fma},
    {"ff.to.e4m3x2", GpuFeature::Fp8Convert},
    {"ff.to.e5m2x2", GpuFeature::Fp8Convert},
    {"discard.", GpuFeature::L2CachePolicy},
    {"applypriority.", GpuFeature::L2CachePolicy},
    {"mapa", GpuFeature::Cluster},
    {"barrier.cluster", GpuFeature::Cluster},
    {"barrier.cluster.arrive.relaxed", GpuFeature::ClusterRelaxed},
    {"read.ptx.sreg.cluster", GpuFeature::Cluster},
    {"read.ptx.sreg.ncluster", GpuFeature::Cluster},
    {"is_explicit_cluster", GpuFeature::Cluster},
    {"griddepcontrol", GpuFeature::DependentLaunch},
    {"setmaxnreg", GpuFeature::SetMaxRegisters},
    {"wgmma", GpuFeature::WarpGroupMma},
    {"tcgen05", GpuFeature::TensorCore5},
};

/// Gathers the version and the first thing that is missing.
class Requirements {
public:
  explicit Requirements(const GpuArch &arch) : arch(arch), ptx(arch.minPTXVersion()) {}

  Error addModule(const Module &module);
  Version version() const { return ptx; }

private:
  Error add(GpuFeature feature, StringRef where);
  Error addInlineAsm(StringRef text);
  Error addAsmInstruction(StringRef instruction);
  Error addOpcode(StringRef opcode);
  Error addCall(const CallBase &call);
  Error addIntrinsic(const IntrinsicInst &call);
  void addMemoryAccess(Type *type, unsigned addressSpace, Align alignment,
                       const DataLayout &layout);
  Error addInstruction(const Instruction &instruction, const DataLayout &layout);

  GpuArch arch;
  Version ptx;
  SmallPtrSet<const InlineAsm *, 16> seen;
};

} // namespace

Error Requirements::add(GpuFeature feature, StringRef where) {
  if (!arch.has(feature))
    return makeError("'" + where + "' needs " + gpuFeatureName(feature) + ", which " + arch.name() +
                     " does not have");
  ptx = std::max(ptx, arch.ptxVersionFor(feature));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

/// True if \p opcode ("cp.async.bulk.shared::cluster") is an instruction of \p rule.
static bool matches(const OpcodeRule &rule, StringRef opcode) {
  auto [name, modifiers] = opcode.split('.');
  if (!rule.opcode.empty() && name != rule.opcode)
    return false;
  if (rule.modifier.empty())
    return true;
  bool isPrefix = rule.modifier.ends_with("::") || rule.modifier.contains("::evict");
  while (!modifiers.empty()) {
    auto [modifier, rest] = modifiers.split('.');
    if (isPrefix ? modifier.starts_with(rule.modifier) : modifier == rule.modifier)
      return true;
    modifiers = rest;
  }
  return false;
}

/// Eight-byte elements make four of them as wide as eight of four bytes.
static bool isWideVectorAccess(StringRef opcode) {
  if (!opcode.starts_with("ld.") && !opcode.starts_with("st."))
    return false;
  SmallVector<StringRef, 8> parts;
  opcode.split(parts, '.');
  StringRef type = parts.back();
  return is_contained(parts, "v4") && type.size() == 3 && type.ends_with("64");
}

Error Requirements::addAsmInstruction(StringRef instruction) {
  StringRef text = instruction.ltrim(" \t\r\n{}");
  if (text.starts_with("@")) // The predicate that guards it.
    text = text.drop_until([](char c) { return isSpace(c); }).ltrim();
  return addOpcode(text.take_until([](char c) { return isSpace(c) || c == '['; }));
}

Error Requirements::addOpcode(StringRef opcode) {
  if (isWideVectorAccess(opcode))
    if (Error error = add(GpuFeature::WideVectors, opcode))
      return error;
  for (const OpcodeRule &rule : opcodeRules)
    if (matches(rule, opcode))
      if (Error error = add(rule.feature, opcode))
        return error;
  return Error::success();
}

Error Requirements::addInlineAsm(StringRef text) {
  while (!text.empty()) {
    auto [instruction, rest] = text.split(';');
    if (Error error = addAsmInstruction(instruction))
      return error;
    text = rest;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Whether the back end makes instructions of an intrinsic. Of those like C's math library, it
/// makes some only approximately (\p approximate: the call carries `afn`), most not at all.
static bool hasInstruction(Intrinsic::ID id, Type *scalar, bool approximate) {
  switch (id) {
  case Intrinsic::exp2:
    return !scalar->isDoubleTy();
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::tanh:
    return approximate && !scalar->isDoubleTy();
  case Intrinsic::canonicalize:
    return !scalar->isBFloatTy();
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::tan:
  case Intrinsic::asin:
  case Intrinsic::acos:
  case Intrinsic::atan:
  case Intrinsic::atan2:
  case Intrinsic::sinh:
  case Intrinsic::cosh:
  case Intrinsic::sincos:
  case Intrinsic::sincospi:
  case Intrinsic::modf:
  case Intrinsic::frexp:
  case Intrinsic::ldexp:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::lround:
  case Intrinsic::llround:
  case Intrinsic::lrint:
  case Intrinsic::llrint:
  case Intrinsic::matrix_transpose:
  case Intrinsic::matrix_multiply:
  case Intrinsic::matrix_column_major_load:
  case Intrinsic::matrix_column_major_store:
    return false;
  default:
    return true;
  }
}

static std::string typeName(Type *type) {
  std::string name;
  raw_string_ostream stream(name);
  type->print(stream);
  return name;
}

/// Whether LLVM's NVPTX back end knows the type: it aborts on the other floating-point formats.
static bool isGpuType(Type *type) {
  Type *element = type->getScalarType();
  return !element->isFP128Ty() && !element->isX86_FP80Ty() && !element->isPPC_FP128Ty() &&
         !element->isX86_AMXTy() && !isa<ScalableVectorType>(type);
}

static StringRef intrinsicName(const CallBase &call) { return call.getCalledFunction()->getName(); }

Error Requirements::addIntrinsic(const IntrinsicInst &call) {
  StringRef name = intrinsicName(call);
  bool approximate = isa<FPMathOperator>(call) && call.hasApproxFunc();
  Intrinsic::ID id = call.getIntrinsicID();
  Type *scalar =
      (call.arg_size() ? call.getArgOperand(0)->getType() : call.getType())->getScalarType();
  if (!hasInstruction(id, scalar, approximate))
    return makeError("no instruction computes '" + name + "'" +
                     (hasInstruction(id, scalar, true) ? " without the flag 'afn'" : "") +
                     ": expand it before");
  if (id == Intrinsic::tanh)
    return add(GpuFeature::FastTanh, name);
  if (!name.consume_front("llvm.nvvm."))
    return Error::success();
  for (const IntrinsicRule &rule : intrinsicRules)
    if (name.starts_with(rule.prefix))
      if (Error error = add(rule.feature, intrinsicName(call)))
        return error;
  return Error::success();
}

/// What the driver defines for every program.
static bool isDriverFunction(StringRef name) {
  return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free";
}

Error Requirements::addCall(const CallBase &call) {
  // The same text is one object.
  if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return seen.insert(assembly).second ? addInlineAsm(assembly->getAsmString()) : Error::success();
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return addIntrinsic(*intrinsic);
  return Error::success();
}

/// 32-byte accesses are made only where PTX has them, so they never fail, but are worth a newer
/// version.
void Requirements::addMemoryAccess(Type *type, unsigned addressSpace, Align alignment,
                                   const DataLayout &layout) {
  if (addressSpace != NVPTXAS::ADDRESS_SPACE_GLOBAL || !type->isVectorTy() ||
      !arch.has(GpuFeature::WideVectors) || alignment.value() < 32)
    return;
  if (layout.getTypeStoreSize(type).getKnownMinValue() >= 32)
    ptx = std::max(ptx, arch.ptxVersionFor(GpuFeature::WideVectors));
}

Error Requirements::addInstruction(const Instruction &instruction, const DataLayout &layout) {
  for (const Value *operand : instruction.operands())
    if (!isGpuType(operand->getType()))
      return makeError("GPUs have no values of type " + typeName(operand->getType()));
  if (!isGpuType(instruction.getType()))
    return makeError("GPUs have no values of type " + typeName(instruction.getType()));
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    addMemoryAccess(load->getType(), load->getPointerAddressSpace(), load->getAlign(), layout);
  else if (const auto *store = dyn_cast<StoreInst>(&instruction))
    addMemoryAccess(store->getValueOperand()->getType(), store->getPointerAddressSpace(),
                    store->getAlign(), layout);
  else if (const auto *call = dyn_cast<CallBase>(&instruction))
    return addCall(*call);
  return Error::success();
}

/// Fails if something is called that no one will define: ptxas and the driver link nothing in.
static Error checkExternals(const Module &module) {
  SmallVector<StringRef> missing;
  for (const Function &function : module) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    bool known = function.isIntrinsic() ? function.getIntrinsicID() != Intrinsic::not_intrinsic
                                        : isDriverFunction(function.getName());
    known |= function.hasFnAttribute(kAssemblyTextAttr);
    if (!known && !MemoryAccess::kindOf(function))
      missing.push_back(function.getName());
  }
  if (missing.empty())
    return Error::success();
  return makeError("called but not defined: " + join(missing, ", "));
}

Error Requirements::addModule(const Module &module) {
  if (Error error = addInlineAsm(module.getModuleInlineAsm()))
    return error;
  for (const Function &function : module) {
    if (MemoryAccess::kindOf(function))
      if (Error error = addOpcode(MemoryAccess::opcodeOf(function)))
        return error;
    if (Attribute text = function.getFnAttribute(kAssemblyTextAttr); text.isValid())
      if (Error error = addInlineAsm(text.getValueAsString()))
        return error;
    if (function.hasFnAttribute("nvvm.cluster_dim") ||
        function.hasFnAttribute("nvvm.maxclusterrank"))
      if (Error error = add(GpuFeature::Cluster, function.getName()))
        return error;
    for (const Instruction &instruction : instructions(function))
      if (Error error = addInstruction(instruction, module.getDataLayout()))
        return error;
  }
  return Error::success();
}

Expected<Version> tilec::requiredPTXVersion(const Module &module, const GpuArch &arch) {
  if (Error error = checkExternals(module))
    return error;
  Requirements requirements(arch);
  if (Error error = requirements.addModule(module))
    return error;
  return requirements.version();
}
