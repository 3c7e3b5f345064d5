//===- Checks.cpp - accesses that ask before they happen -------*- C++ -*-===//
//
// In a kernel that is checked each element of a load, store or atomic operation calls a function of
// the process with its address, and happens only where that allows it. The call names the place in
// the source by a constant record, HostSite in tilec/Target/Host.h.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Texts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

/// The numbers of tilec::HostAccess::Kind.
enum AccessKind { kLoad, kStore, kAtomic };

namespace {
/// What is the same in all elements of an access.
struct Site {
  FileLineColLoc position;
  std::string calls; // As HostSite has them.
  std::string shape; // Empty for a scalar.
  AccessKind kind;
  int64_t bytes;
  bool synchronizes;
};
} // namespace

static LLVM::LLVMFuncOp getFunction(ModuleOp module, StringRef name, LLVM::LLVMFunctionType type) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

/// The places of the calls that `loc` was inlined by, as HostSite has them.
static std::string callsTo(Location loc) {
  std::string text;
  while (auto call = loc->findInstanceOf<CallSiteLoc>()) {
    loc = call.getCaller();
    FileLineColLoc place = sourcePosition(loc);
    text += (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" +
             Twine(place.getColumn()) + "\n")
                .str();
  }
  return text;
}

static Site siteOf(Operation *op, Type pointer) {
  Type element = cast<PtrType>(elementOf(pointer)).getPointee();
  Site site{sourcePosition(op->getLoc()), callsTo(op->getLoc()), "", kLoad, 0, false};
  site.bytes = llvm::divideCeil(isa<PtrType>(element) ? 64 : element.getIntOrFloatBitWidth(), 8);
  if (auto tile = dyn_cast<RankedTensorType>(pointer))
    site.shape = llvm::join(
        llvm::map_range(tile.getShape(), [](int64_t size) { return std::to_string(size); }), ", ");
  if (auto load = dyn_cast<LoadOp>(op)) {
    site.synchronizes = load.getIsVolatile();
  } else if (isa<StoreOp>(op)) {
    site.kind = kStore;
  } else {
    site.kind = kAtomic;
    auto atomic = dyn_cast<AtomicRMWOp>(op);
    site.synchronizes =
        (atomic ? atomic.getSem() : cast<AtomicCASOp>(op).getSem()) != MemSemantic::Relaxed;
  }
  return site;
}

/// The global HostSite of `site`.
static LLVM::GlobalOp globalOfSite(ModuleOp module, Location loc, const Site &site) {
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  LLVM::GlobalOp file = globalOfText(module, loc, site.position.getFilename());
  LLVM::GlobalOp shape = globalOfText(module, loc, site.shape);
  LLVM::GlobalOp calls = globalOfText(module, loc, site.calls);
  Type pointer = LLVM::LLVMPointerType::get(module.getContext()), i32 = top.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      module.getContext(), {pointer, pointer, i32, i32, i32, i32, i32, pointer});
  auto global = LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                       freshName(module, "tile_site_"), Attribute());
  OpBuilder body(module.getContext());
  body.createBlock(&global.getInitializerRegion());
  Value record = LLVM::UndefOp::create(body, loc, type);
  int64_t field = 0;
  auto put = [&](Value value) {
    record = LLVM::InsertValueOp::create(body, loc, record, value, field++);
  };
  put(LLVM::AddressOfOp::create(body, loc, file));
  put(LLVM::AddressOfOp::create(body, loc, shape));
  for (int64_t number : {int64_t(site.position.getLine()), int64_t(site.position.getColumn()),
                         int64_t(site.kind), site.bytes, int64_t(site.synchronizes)})
    put(LLVM::ConstantOp::create(body, loc, i32, body.getI32IntegerAttr(int32_t(number))));
  put(LLVM::AddressOfOp::create(body, loc, calls));
  LLVM::ReturnOp::create(body, loc, record);
  return global;
}

/// The bits of a number or pointer, as 64.
static Value bitsOf(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  value = toStorage(builder, loc, value);
  if (auto type = dyn_cast<FloatType>(value.getType()))
    value = arith::BitcastOp::create(builder, loc, builder.getIntegerType(type.getWidth()), value);
  return value.getType() == i64 ? value : arith::ExtUIOp::create(builder, loc, i64, value);
}

Value cpu::emitCheck(const KernelState &state, OpBuilder &builder, Operation *op, Value pointer,
                     Value stored, Value mask, Value index) {
  if (!state.checksMemory)
    return mask;
  Location loc = op->getLoc();
  auto module = op->getParentOfType<ModuleOp>();
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext()), i32 = builder.getI32Type(),
       i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(i32, {ptr, ptr, ptr, i64, i64, i32, i32, i32});
  LLVM::LLVMFuncOp function = getFunction(module, "tilec_check_access", type);
  Value address = op->getOperand(0);
  LLVM::GlobalOp site = globalOfSite(module, loc, siteOf(op, address.getType()));
  auto ask = [&](OpBuilder &b) -> Value {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    Value number = index ? arith::IndexCastOp::create(b, loc, i64, index) : constant(-1);
    SmallVector<Value> arguments = {state.record, LLVM::AddressOfOp::create(b, loc, site), pointer,
                                    number, stored ? bitsOf(b, loc, stored) : constant(0)};
    llvm::append_range(arguments, state.grid.take_front(3));
    Value answer = LLVM::CallOp::create(b, loc, function, arguments).getResult();
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, answer, zero);
  };
  if (!mask)
    return ask(builder);
  auto branch = scf::IfOp::create(
      builder, loc, mask, [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, ask(b)); },
      [&](OpBuilder &b, Location) {
        Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
        scf::YieldOp::create(b, loc, no);
      });
  return branch.getResult(0);
}

void cpu::emitBarrier(KernelState &state, BarrierOp op) {
  if (!state.checksMemory)
    return; // One thread runs a program.
  OpBuilder &builder = state.builder;
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          LLVM::LLVMPointerType::get(builder.getContext()));
  auto module = op->getParentOfType<ModuleOp>();
  LLVM::CallOp::create(builder, op.getLoc(), getFunction(module, "tilec_check_barrier", type),
                       ValueRange(state.record));
}
