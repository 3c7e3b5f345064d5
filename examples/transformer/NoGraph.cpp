//===- NoGraph.cpp - When the program is built without CUDA's toolkit -*- C++ -*-===//

#include "Graph.h"

static const char *const reason =
    "this program was built without the CUDA toolkit, and has no graphs";

Graph::~Graph() = default;

std::string Graph::record(const tilec::Stream &, const std::function<tilec::Status()> &) {
  return reason;
}

std::string Graph::replay(const tilec::Stream &) { return reason; }
