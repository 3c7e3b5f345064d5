//===- RuntimeType.cpp - Parameter types as the runtime knows them -*- C++ -*-===//

#include "tilec/Compiler/RuntimeType.h"

#include "tilec/runtime_c.h"

using namespace tilec;

static uint8_t scalarType(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Int1:
    return TILEC_TYPE_I1;
  case ScalarKind::Int8:
    return TILEC_TYPE_I8;
  case ScalarKind::UInt8:
    return TILEC_TYPE_U8;
  case ScalarKind::Int16:
    return TILEC_TYPE_I16;
  case ScalarKind::UInt16:
    return TILEC_TYPE_U16;
  case ScalarKind::Int32:
    return TILEC_TYPE_I32;
  case ScalarKind::UInt32:
    return TILEC_TYPE_U32;
  case ScalarKind::Int64:
    return TILEC_TYPE_I64;
  case ScalarKind::UInt64:
    return TILEC_TYPE_U64;
  case ScalarKind::FP8E5:
    return TILEC_TYPE_FP8E5;
  case ScalarKind::FP8E4NV:
    return TILEC_TYPE_FP8E4NV;
  case ScalarKind::FP8E4B15:
    return TILEC_TYPE_FP8E4B15;
  case ScalarKind::FP16:
    return TILEC_TYPE_FP16;
  case ScalarKind::BF16:
    return TILEC_TYPE_BF16;
  case ScalarKind::FP32:
    return TILEC_TYPE_FP32;
  case ScalarKind::FP64:
    return TILEC_TYPE_FP64;
  default:
    return TILEC_TYPE_INVALID;
  }
}

uint8_t tilec::runtimeType(DType type) {
  if (!type.isPointer())
    return scalarType(type.kind);
  DType element = type.pointee();
  uint8_t code = element.isPointer() ? uint8_t(TILEC_TYPE_INVALID) : scalarType(element.kind);
  return uint8_t(TILEC_TYPE_POINTER + code);
}
