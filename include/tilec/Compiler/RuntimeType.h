//===- RuntimeType.h - Parameter types as the runtime knows them -*- C++ -*-===//

#ifndef TILEC_COMPILER_RUNTIMETYPE_H
#define TILEC_COMPILER_RUNTIMETYPE_H

#include "tilec/Language/Types.h"

namespace tilec {

/// The tilec_type of a parameter; TILEC_TYPE_INVALID for types that host programs cannot pass. A
/// pointer to such a type, or to a pointer, is one to anything.
uint8_t runtimeType(DType type);

} // namespace tilec

#endif // TILEC_COMPILER_RUNTIMETYPE_H
