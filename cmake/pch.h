// The headers that most files over MLIR include; precompiled once.
#ifndef TILEC_PCH_H
#define TILEC_PCH_H

// With assertions here but none in LLVM's libraries, llvm::Statistic, and so each pass that counts,
// would not be the class that they know.
#include "llvm/Config/abi-breaking.h"
#if !defined(NDEBUG) && !LLVM_ENABLE_ABI_BREAKING_CHECKS
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

#endif // TILEC_PCH_H
