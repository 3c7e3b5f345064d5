//===- Ceilings.cpp - what bounds a product on this machine ----*- C++ -*-===//
//
// The roofline of products: the rate of the tensor cores, which is the best product that this run
// has seen, and the rate of memory, which is the fastest copy, times the operations of a case for
// each byte that it must move at least.
//
//===----------------------------------------------------------------------===//

#include "Ceilings.h"

using namespace tilec;
using namespace tilec::bench;

void Ceiling::raise(const Measurement &entry) {
  if (entry.rate() <= rate)
    return;
  rate = entry.rate();
  where = entry.provider + ", " + entry.what.suite->name.str() + " " + entry.what.sizeText();
}

void Ceilings::add(const Measurement &entry) {
  if (entry.what.suite->isProduct())
    perType[entry.what.type].raise(entry);
  else if (entry.provider == "copy")
    copies.raise(entry);
}

const Ceiling &Ceilings::products(ScalarKind type) const {
  static const Ceiling none;
  auto found = perType.find(type);
  return found == perType.end() ? none : found->second;
}

double Ceilings::roofOf(const Case &what) const {
  double operations = products(what.type).rate;
  double bytes = copies.rate * what.operations() / double(what.movedBytes()) * 1e-3;
  return std::min(operations, bytes);
}

double Ceilings::ridge(ScalarKind type) const {
  return copies.rate > 0 ? products(type).rate / copies.rate * 1e3 : 0;
}
