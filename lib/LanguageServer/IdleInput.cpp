//===- IdleInput.cpp - Messages, and when there are none --------*- C++ -*-===//

#include "IdleInput.h"

#include <poll.h>

using namespace tilec;
using namespace tilec::ls;

void IdleInput::beforeRead() {
  pollfd state{fileno(in), POLLIN, 0};
  // Whatever is wrong with the file, reading it will say.
  if (poll(&state, 1, /*timeout=*/0) == 0)
    onIdle();
}

llvm::LogicalResult IdleInput::readStandardMessage(std::string &json) {
  beforeRead();
  return messages.readStandardMessage(json);
}

llvm::LogicalResult IdleInput::readDelimitedMessage(std::string &json) {
  beforeRead();
  return messages.readDelimitedMessage(json);
}
