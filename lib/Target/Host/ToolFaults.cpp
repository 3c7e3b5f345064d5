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
//
//===----------------------------------------------------------------------===//

#include "HostInternals.h"

#include "tilec/Support/Workarounds.h"
#include "llvm/ADT/STLExtras.h"
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

bool host::avoidBackEndFaults(Module &module, const TargetMachine &machine) {
  if (!isEnabled(Workaround::MaskedTruncation) || !machine.getTargetTriple().isX86() ||
      !machine.getMCSubtargetInfo()->checkFeatures("+avx512f"))
    return false;
  bool changed = false;
  for (Function &function : module)
    changed |= storeOnlyElements(function);
  return changed;
}
