//===- KernelParam.cpp - A run-time parameter of a kernel -------*- C++ -*-===//
//
// The parameter buffer is a C struct of the parameters, as the driver and generated code see it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/KernelParam.h"

#include "llvm/Support/MathExtras.h"

using namespace tilec;

unsigned ParamType::size() const { return llvm::divideCeil(type.bits(), 8u); }

void tilec::layOutParams(llvm::MutableArrayRef<KernelParam> params) {
  unsigned offset = 0;
  for (KernelParam &param : params) {
    param.offset = llvm::alignTo(offset, param.alignment());
    offset = param.offset + param.size();
  }
}
