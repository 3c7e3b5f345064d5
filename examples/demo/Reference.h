//===- Reference.h - softmax and GELU in float64 ---------------*- C++ -*-===//

#ifndef TILEC_EXAMPLES_DEMO_REFERENCE_H
#define TILEC_EXAMPLES_DEMO_REFERENCE_H

#include "tilec/JIT/HostArray.h"

/// The largest relative error of `out` against the softmax of the rows of `x`; infinite for a NaN.
double softmaxError(const tilec::HostArray &x, const tilec::HostArray &out);

/// The largest absolute error of `out` against the GELU (tanh form) of the elements of `x`;
/// infinite for a NaN.
double geluError(const tilec::HostArray &x, const tilec::HostArray &out);

#endif // TILEC_EXAMPLES_DEMO_REFERENCE_H
