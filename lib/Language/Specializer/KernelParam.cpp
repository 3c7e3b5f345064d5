//===- KernelParam.cpp - A run-time parameter of a kernel -------*- C++ -*-===//
//
// The parameter buffer is a C struct of the parameters, as the driver and generated code see it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/KernelParam.h"

#include "llvm/Support/MathExtras.h"

using namespace tilec;

ParamType ParamType::of(DType type, ArgumentClass promised) {
  return {type, promised == ArgumentClass::MultipleOf16 ? 16u : 1u, promised == ArgumentClass::One};
}

ArgumentClass ParamType::promised() const {
  return equalsOne          ? ArgumentClass::One
         : divisibility > 1 ? ArgumentClass::MultipleOf16
                            : ArgumentClass::Any;
}

unsigned ParamType::size() const { return llvm::divideCeil(type.bits(), 8u); }

void tilec::layOutParams(llvm::MutableArrayRef<KernelParam> params) {
  unsigned offset = 0;
  for (KernelParam &param : params) {
    param.offset = llvm::alignTo(offset, param.alignment());
    offset = param.offset + param.size();
  }
}
