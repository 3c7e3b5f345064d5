//===- RolesToGPU.cpp - warps with different tasks --------------*- C++ -*-===//
//
// Behind all patterns, which look at the roles around them, a tile.warp_roles becomes branches by
// the number of the warp. Each begins with setmaxnreg: those who need few registers give them up,
// and those who need many wait until they have got them. ptxas follows these instructions only if
// it knows the registers at entry, so the kernel says how many.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

/// Registers of each thread at entry: what all have together, in equal parts.
static int64_t registersAtEntry(WarpRolesOp op) {
  constexpr int64_t unit = 8;
  int64_t registers = 0, warps = 0;
  for (auto [numWarps, each] : llvm::zip_equal(op.getNumWarps(), op.getRegisters())) {
    registers += int64_t(numWarps) * each;
    warps += numWarps;
  }
  return llvm::alignTo(llvm::divideCeil(registers, warps), unit);
}

/// The number of this warp.
static Value warpNumber(ThreadCode &code) {
  OpBuilder &b = code.builder();
  Value warp = arith::ShRUIOp::create(b, code.location(), code.threadId(), code.i32(kWarpBits));
  return code.fromFirstLane(warp);
}

/// Moves the body of a role to `block`.
static void takeRole(WarpRolesOp op, unsigned number, Block *block) {
  OpBuilder b = OpBuilder::atBlockBegin(block);
  auto registers = uint32_t(op.getRegisters()[number]);
  NVVM::SetMaxRegisterOp::create(b, op.getLoc(), registers,
                                 registers > registersAtEntry(op)
                                     ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
  Block &role = op.getRoles()[number].front();
  block->getOperations().splice(std::prev(block->end()), role.getOperations());
}

static void lowerRoles(WarpRolesOp op) {
  OpBuilder b(op);
  op->getParentOp()->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                             b.getI32IntegerAttr(int32_t(registersAtEntry(op))));
  ThreadCode code(b, op.getLoc());
  Value warp = warpNumber(code);
  int64_t end = 0;
  unsigned last = op.getRoles().size() - 1;
  for (unsigned number = 0; number < last; ++number) {
    end += op.getNumWarps()[number];
    Value isIn =
        arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::ult, warp, code.i32(end));
    auto branch = scf::IfOp::create(b, op.getLoc(), isIn, /*withElseRegion=*/true);
    takeRole(op, number, branch.thenBlock());
    if (number + 1 == last)
      takeRole(op, last, branch.elseBlock());
    b.setInsertionPointToStart(branch.elseBlock());
  }
  op.erase();
}

void tilec::tile::lowerWarpRoles(ModuleOp module) {
  SmallVector<WarpRolesOp> all;
  module.walk([&](WarpRolesOp op) { all.push_back(op); });
  for (WarpRolesOp op : all)
    lowerRoles(op);
}
