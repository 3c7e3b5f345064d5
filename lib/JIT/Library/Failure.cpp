//===- Failure.cpp - Errors and texts of the C interface --------*- C++ -*-===//
//
// Objects of the C interface that hold an error or a text until their user releases them.
//
//===----------------------------------------------------------------------===//

#include "Failure.h"

#include <cstdlib>
#include <cstring>

using namespace tilec::library;

struct tilec_jit_error_object : Counted<tilec_jit_error_object> {
  explicit tilec_jit_error_object(const Failure &failure) : failure(failure) {}
  const Failure failure;
};

tilec_jit_error tilec::library::toC(const Failure &failure) {
  return failure ? new tilec_jit_error_object(failure) : nullptr;
}

tilec_jit_text tilec::library::copyText(llvm::StringRef text) {
  auto *memory = static_cast<char *>(malloc(text.size() + 1));
  if (!memory)
    return {nullptr, 0};
  memcpy(memory, text.data(), text.size());
  memory[text.size()] = '\0';
  return {memory, text.size()};
}

int32_t tilec_jit_error_code(tilec_jit_error error) {
  return error ? error->failure.code : int32_t(TILEC_OK);
}

const char *tilec_jit_error_message(tilec_jit_error error) {
  return error ? error->failure.text.c_str() : "success";
}

tilec_jit_error tilec_jit_error_retain(tilec_jit_error error) {
  return error ? error->retain() : nullptr;
}

void tilec_jit_error_release(tilec_jit_error error) {
  if (error)
    error->release();
}

void tilec_jit_text_release(tilec_jit_text *text) {
  if (!text)
    return;
  free(const_cast<char *>(text->data));
  *text = {nullptr, 0};
}
