//===- NoNccl.cpp - When the program is built without NCCL ---------*- C++ -*-===//

#include "Rank.h"

int countGpus() { return 0; }

std::string makeNcclGroup(int, bool, const std::string &, std::unique_ptr<Group> &) {
  return "this program was built without NCCL; --device=cpu works";
}
