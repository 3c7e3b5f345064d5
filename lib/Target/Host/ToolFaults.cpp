//===- ToolFaults.cpp - Code that LLVM compiles wrongly for the host -*- C++ -*-===//
//
// Rewrites correct code, after optimisation, that LLVM's back end would compile to something else.
// The table in Support/Workarounds.def says which fault each part avoids.
//
// - masked-truncation: where AVX-512 can truncate the elements of a vector as it stores them, LLVM
//   first makes one masked store of a truncation and the store. If the mask is known to leave one
//   element on, an ordinary store of that element follows, but of the element before truncation.
//   Truncations also come from what LLVM computes in wider elements, and from minima and maxima, so
//   every masked store of one integer is rewritten that may become such a store.
// - signaling-minimum: where one operand of a scalar minimum cannot be NaN, LLVM only looks whether
//   the other is a quiet NaN. A fence, which is no instruction, hides what is known of the
//   operands. Vectors have one too, as LLVM takes apart those that it has no instruction for.
//
//===----------------------------------------------------------------------===//

#include "HostInternals.h"

#include "tilec/Support/Workarounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"
#include <optional>

using namespace llvm;
using namespace tilec;

/// The one element that `mask` leaves on; nothing if that is not known, or there is none or more.
static std::optional<unsigned> getOnlyElement(const Value *mask) {
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  auto *constant = dyn_cast<Constant>(mask);
  if (!type || !constant)
    return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned i = 0; i != type->getNumElements(); ++i) {
    const Constant *isOn = constant->getAggregateElement(i);
    if (isOn && (isOn->isNullValue() || isa<UndefValue>(isOn)))
      continue;
    if (only || !isOn || !isOn->isOneValue())
      return std::nullopt;
    only = i;
  }
  return only;
}

/// Stores element `index` of what the masked store `store` has, in its place.
static void storeElement(IntrinsicInst &store, unsigned index) {
  IRBuilder<> builder(&store);
  Value *vector = store.getArgOperand(0);
  Type *type = vector->getType()->getScalarType();
  uint64_t offset = index * store.getDataLayout().getTypeStoreSize(type).getFixedValue();
  Align alignment = commonAlignment(store.getParamAlign(1).valueOrOne(), offset);
  Value *address = builder.CreateConstGEP1_64(type, store.getArgOperand(1), index);
  Value *element = builder.CreateExtractElement(vector, index);
  builder.CreateAlignedStore(element, address, alignment)->setAAMetadata(store.getAAMetadata());
  store.eraseFromParent();
}

static bool storeOnlyElements(Function &function) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *store = dyn_cast<IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
      continue;
    const Type *type = store->getArgOperand(0)->getType()->getScalarType();
    if (!type->isIntegerTy(8) && !type->isIntegerTy(16) && !type->isIntegerTy(32))
      continue;
    std::optional<unsigned> element = getOnlyElement(store->getArgOperand(2));
    if (!element)
      continue;
    storeElement(*store, *element);
    changed = true;
  }
  return changed;
}

static bool fenceMinima(Function &function) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || (call->getIntrinsicID() != Intrinsic::minimum &&
                  call->getIntrinsicID() != Intrinsic::maximum))
      continue;
    const SimplifyQuery query(function.getDataLayout(), call);
    if (call->hasNoNaNs() ||
        all_of(call->args(), [&](const Use &use) { return isKnownNeverNaN(use, query); }))
      continue;
    IRBuilder<> builder(call);
    for (Use &use : call->args())
      use.set(builder.CreateIntrinsic(Intrinsic::arithmetic_fence, use->getType(), use.get()));
    changed = true;
  }
  return changed;
}

bool host::avoidBackEndFaults(Module &module, const TargetMachine &machine) {
  auto has = [&](const char *feature) {
    return machine.getTargetTriple().isX86() &&
           machine.getMCSubtargetInfo()->checkFeatures(feature);
  };
  const bool isStored = isEnabled(Workaround::MaskedTruncation) && has("+avx512f");
  const bool isFenced = isEnabled(Workaround::SignalingMinimum) && has("+avx512dq");
  bool changed = false;
  for (Function &function : module) {
    changed |= isStored && storeOnlyElements(function);
    changed |= isFenced && fenceMinima(function);
  }
  return changed;
}
