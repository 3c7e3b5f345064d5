//===- ScalarCode.cpp - regions of scalar code on registers ----*- C++ -*-===//

#include "ScalarCode.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec::tile;

Values tilec::tile::runScalarCode(ThreadCode &code, Region &region, const Values &arguments) {
  Block &body = region.front();
  SmallVector<SmallVector<Value>> results(body.getTerminator()->getNumOperands());
  for (int64_t reg = 0; reg < registersOf(arguments); ++reg) {
    IRMapping mapping;
    for (auto [argument, vector] : llvm::zip_equal(body.getArguments(), arguments))
      mapping.map(argument, code.extract(vector, reg));
    for (Operation &inner : body.without_terminator())
      code.builder().clone(inner, mapping);
    for (auto [result, yielded] : llvm::zip(results, body.getTerminator()->getOperands()))
      result.push_back(mapping.lookupOrDefault(yielded));
  }
  Values vectors;
  for (auto &elements : results)
    vectors.push_back(code.fromElements(elements));
  return vectors;
}

Values tilec::tile::combineVectors(ThreadCode &code, Region &combine, const Values &first,
                                   const Values &second) {
  Operation *single = getSingleCombiner(combine);
  if (!single || !single->hasTrait<OpTrait::Elementwise>() ||
      single->getResult(0).getType() != single->getOperand(0).getType()) {
    Values arguments(first);
    arguments.append(second.begin(), second.end());
    return runScalarCode(code, combine, arguments);
  }
  // What is associative but not commutative keeps its order.
  bool isSwapped = single->getOperand(0) != combine.front().getArgument(0);
  Value left = isSwapped ? second[0] : first[0], right = isSwapped ? first[0] : second[0];
  OperationState state(code.location(), single->getName(), {left, right}, {left.getType()},
                       single->getAttrDictionary().getValue());
  return {code.builder().create(state)->getResult(0)};
}
