//===- PTXTest.cpp - Tests of PTX emission ----------------------*- C++ -*-===//
//
// Small kernels in LLVM IR to PTX: what must appear in the text, what must be refused, and that
// ptxas, where it is present, accepts the text for every architecture it knows.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/PTX.h"
#include "tilec/Target/Ptxas.h"

#include "PTXInternals.h"
#include "ParseModule.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"

#include <thread>

using namespace tilec;
using llvm::StringRef;

static GpuArch arch(StringRef name) { return llvm::cantFail(GpuArch::parse(name)); }

/// Parses \p text and emits it; the error's text, after "error: ", if that fails.
static std::string emit(StringRef text, PTXOptions options) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parseModule(text, context);
  if (!module)
    return "";
  llvm::Expected<std::string> ptx = emitPTX(*module, options);
  return ptx ? *ptx : "error: " + llvm::toString(ptx.takeError());
}

static std::string emit(StringRef text, StringRef archName = "sm_90") {
  return emit(text, PTXOptions(arch(archName)));
}

/// A kernel over x, y (f32), p (global pointer) with \p body before its return.
static std::string kernel(StringRef body, StringRef attributes = "") {
  return ("define ptx_kernel void @k(ptr addrspace(1) align 32 %p, float %x, float %y) " +
          attributes + " {\n" + body + "\nret void\n}\n")
      .str();
}

static size_t count(StringRef text, StringRef what) { return text.count(what); }

static ::testing::AssertionResult has(StringRef text, StringRef what) {
  if (text.contains(what))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << what.str() << "' in:\n" << text.str();
}

#define EXPECT_HAS(text, what) EXPECT_TRUE(has(text, what))

static const char *const fusable = "%m = fmul contract float %x, %y\n"
                                   "%a = fadd contract float %m, %x\n"
                                   "store float %a, ptr addrspace(1) %p";

//===----------------------------------------------------------------------===//
// Targets and versions
//===----------------------------------------------------------------------===//

TEST(PTX, EmitsEveryArchitecture) {
  for (const GpuArch &each : GpuArch::all()) {
    std::string ptx = emit(kernel(fusable), PTXOptions(each));
    EXPECT_HAS(ptx, ".version " + each.minPTXVersion().str() + "\n");
    EXPECT_HAS(ptx, ".target " + each.smName() + "\n");
    EXPECT_HAS(ptx, ".visible .entry k(");
  }
  EXPECT_HAS(emit(kernel(fusable), "compute_90"), ".target sm_90\n");
}

TEST(PTX, PtxasAcceptsEveryArchitecture) {
  llvm::Expected<Tool> tool = findTool("ptxas");
  if (!tool)
    GTEST_SKIP() << llvm::toString(tool.takeError());
  Version cuda = llvm::cantFail(toolVersion(*tool));
  unsigned assembled = 0;
  for (const GpuArch &each : GpuArch::all()) {
    if (llvm::Error error = checkPtxasVersion(cuda, each, each.minPTXVersion())) {
      llvm::consumeError(std::move(error));
      continue;
    }
    llvm::Expected<Cubin> cubin =
        assemble(emit(kernel(fusable), PTXOptions(each)), AssembleOptions(each));
    ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
    EXPECT_EQ(cubin->kernels.size(), 1u);
    ++assembled;
  }
  EXPECT_GT(assembled, 0u);
}

TEST(PTX, RaisesTheVersionForWhatIsUsed) {
  std::string tanh = kernel("%t = call afn float @llvm.tanh.f32(float %x)\n"
                            "store float %t, ptr addrspace(1) %p");
  EXPECT_HAS(emit(tanh, "sm_75"), ".version 7.0\n");
  std::string evict = kernel("call void asm sideeffect \"@$1 ld.global.L1::evict_last.b32 $0, "
                             "[$0];\", \"l,b\"(ptr addrspace(1) %p, i1 true)");
  EXPECT_HAS(emit(evict, "sm_80"), ".version 7.4\n");
  EXPECT_HAS(emit(evict, "sm_90"), ".version 7.8\n");
  std::string map = kernel("call void asm sideeffect \"tensormap.replace.tile.rank.shared::cta."
                           "b1024.b32 [$0], 1;\", \"l\"(ptr addrspace(3) null)");
  EXPECT_HAS(emit(map, "sm_90a"), ".version 8.5\n");
  EXPECT_HAS(emit(map, "sm_100a"), ".version 8.6\n");
  std::string wide = kernel("%v = load <8 x float>, ptr addrspace(1) %p, align 32\n"
                            "%w = fadd <8 x float> %v, %v\n"
                            "store <8 x float> %w, ptr addrspace(1) %p, align 32");
  EXPECT_HAS(emit(wide, "sm_100"), ".version 8.8\n");
  EXPECT_HAS(emit(wide, "sm_100"), "ld.global.v8.b32");
  EXPECT_HAS(emit(wide, "sm_90"), ".version 7.8\n");
  EXPECT_HAS(emit(wide, "sm_90"), "ld.global.v4.b32");
}

TEST(PTX, MakesInstructionsOfAccesses) {
  std::string last =
      R"(declare i32 @"tilec.ld.global.L1::evict_last.b32"(ptr addrspace(1), i32, i1))"
      "\n" +
      kernel(R"(%v = call i32 @"tilec.ld.global.L1::evict_last.b32"()"
             "ptr addrspace(1) %p, i32 0, i1 true)\n"
             "store i32 %v, ptr addrspace(1) %p");
  for (unsigned level : {0, 1, 2, 3}) {
    PTXOptions options(arch("sm_80"));
    options.optLevel = level;
    std::string ptx = emit(last, options);
    EXPECT_HAS(ptx, ".version 7.4\n");
    EXPECT_HAS(ptx, "ld.global.L1::evict_last.b32");
    EXPECT_EQ(count(ptx, ".extern"), 0u);
  }
  std::string wide =
      "declare void @tilec.st.global.v4.b64(ptr addrspace(1), i64, i64, i64, i64, i1)\n" +
      kernel("call void @tilec.st.global.v4.b64(ptr addrspace(1) %p, "
             "i64 0, i64 1, i64 2, i64 3, i1 true)");
  EXPECT_EQ(emit(wide, "sm_90"), "error: 'st.global.v4.b64' needs 32-byte vector access, "
                                 "which sm_90 does not have");
}

TEST(PTX, RefusesWhatTheArchitectureLacks) {
  std::string redux = kernel("%r = call i32 @llvm.nvvm.redux.sync.umax(i32 1, i32 -1)\n"
                             "store i32 %r, ptr addrspace(1) %p");
  EXPECT_EQ(emit(redux, "sm_75"), "error: 'llvm.nvvm.redux.sync.umax' needs redux.sync, which "
                                  "sm_75 does not have");
  EXPECT_HAS(emit(redux, "sm_80"), "redux.sync.max.u32");
  std::string reduxF32 = kernel("%r = call float @llvm.nvvm.redux.sync.fmax(float %x, i32 -1)\n"
                                "store float %r, ptr addrspace(1) %p");
  EXPECT_EQ(emit(reduxF32, "sm_100"), "error: 'llvm.nvvm.redux.sync.fmax' needs redux.sync on "
                                      "f32, which sm_100 does not have");
  EXPECT_HAS(emit(reduxF32, "sm_100a"), "redux.sync.max.f32");
  std::string assembly = kernel("call void asm sideeffect \"{\\0A .reg .b32 t;\\0A@$1 "
                                "ld.global.v4.b64 {t,t,t,t}, [$0]; }\", \"l,b\"(ptr addrspace(1) "
                                "%p, i1 true)");
  EXPECT_EQ(emit(assembly, "sm_90"), "error: 'ld.global.v4.b64' needs 32-byte vector access, "
                                     "which sm_90 does not have");
  std::string map = kernel("call void asm sideeffect \"tensormap.replace.tile.rank.shared::cta."
                           "b1024.b32 [$0], 1;\", \"l\"(ptr addrspace(3) null)");
  EXPECT_EQ(emit(map, "sm_90"), "error: 'tensormap.replace.tile.rank.shared::cta.b1024.b32' needs "
                                "tensormap.replace, which sm_90 does not have");
  std::string cluster = kernel("", "\"nvvm.cluster_dim\"=\"2\"");
  EXPECT_EQ(emit(cluster, "sm_80"), "error: 'k' needs cluster, which sm_80 does not have");
  EXPECT_HAS(emit(cluster, "sm_90"), ".reqnctapercluster 2");
}

TEST(PTX, WritesTheVersionAskedFor) {
  PTXOptions options(arch("sm_80"));
  options.ptxVersion = Version{8, 4};
  EXPECT_HAS(emit(kernel(""), options), ".version 8.4\n");
  options.ptxVersion = Version{6, 5};
  EXPECT_EQ(emit(kernel(""), options), "error: PTX 6.5 was asked for, but sm_80 and the module's "
                                       "instructions need PTX 7.0");
  options.ptxVersion = Version{7, 9};
  EXPECT_EQ(emit(kernel(""), options), "error: there is no PTX version 7.9");
}

//===----------------------------------------------------------------------===//
// Broken and unsupported modules
//===----------------------------------------------------------------------===//

TEST(PTX, NamesUndefinedFunctions) {
  std::string text = "declare float @__nv_expf(float)\ndeclare void @other()\n"
                     "declare void @unused()\ndeclare i32 @vprintf(ptr, ptr)\n"
                     "declare i32 @tilec.ld.global.b32(ptr addrspace(1))\n" +
                     kernel("%e = call float @__nv_expf(float %x)\ncall void @other()\n"
                            "%n = call i32 @vprintf(ptr null, ptr null)\n"
                            "%l = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p)");
  EXPECT_EQ(emit(text), "error: called but not defined: __nv_expf, other, tilec.ld.global.b32");
}

TEST(PTX, RefusesMathThatHasNoInstruction) {
  EXPECT_EQ(emit(kernel("%e = call float @llvm.exp.f32(float %x)\n"
                        "store float %e, ptr addrspace(1) %p")),
            "error: no instruction computes 'llvm.exp.f32': expand it before");
  EXPECT_EQ(emit(kernel("%e = call <2 x float> @llvm.sin.v2f32(<2 x float> zeroinitializer)\n"
                        "store <2 x float> %e, ptr addrspace(1) %p")),
            "error: no instruction computes 'llvm.sin.v2f32' without the flag 'afn': expand it "
            "before");
  EXPECT_EQ(emit(kernel("%e = call afn double @llvm.exp2.f64(double 1.5)\n"
                        "store double %e, ptr addrspace(1) %p")),
            "error: no instruction computes 'llvm.exp2.f64': expand it before");
}

TEST(PTX, RefusesTypesThatGPUsLack) {
  EXPECT_EQ(emit("define ptx_kernel void @k(fp128 %x, ptr %p) {\n%a = fadd fp128 %x, %x\n"
                 "store fp128 %a, ptr %p\nret void }"),
            "error: GPUs have no values of type fp128");
  EXPECT_EQ(emit("define ptx_kernel void @k(ptr %p) {\n%a = load <vscale x 4 x i32>, ptr %p\n"
                 "store <vscale x 4 x i32> %a, ptr %p\nret void }"),
            "error: GPUs have no values of type <vscale x 4 x i32>");
  EXPECT_EQ(emit(kernel("%m = call <4 x float> @llvm.matrix.transpose.v4f32(<4 x float> "
                        "zeroinitializer, i32 2, i32 2)\n"
                        "store <4 x float> %m, ptr addrspace(1) %p")),
            "error: no instruction computes 'llvm.matrix.transpose.v4f32': expand it before");
}

TEST(PTX, RefusesInvalidIR) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                         llvm::GlobalValue::ExternalLinkage, "f", module);
  llvm::BasicBlock::Create(context, "entry", module.getFunction("f")); // No terminator.
  llvm::Expected<std::string> ptx = emitPTX(module, PTXOptions(arch("sm_90")));
  ASSERT_FALSE(ptx);
  EXPECT_HAS(llvm::toString(ptx.takeError()), "the LLVM IR is not valid: Basic Block in function "
                                              "'f' does not have terminator!");
}

TEST(PTX, RefusesOtherLevels) {
  PTXOptions options(arch("sm_90"));
  options.optLevel = 4;
  EXPECT_EQ(emit(kernel(""), options), "error: optimisation levels are 0 to 3, not 4");
}

TEST(PTX, RestoresTheDiagnosticHandler) {
  struct Handler : llvm::DiagnosticHandler {};
  llvm::LLVMContext context;
  auto handler = std::make_unique<Handler>();
  llvm::DiagnosticHandler *before = handler.get();
  context.setDiagnosticHandler(std::move(handler));
  llvm::Module module("m", context);
  llvm::cantFail(emitPTX(module, PTXOptions(arch("sm_90"))));
  EXPECT_EQ(context.getDiagHandlerPtr(), before);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

// Only what may become one operation does: the flag `contract` says so.
TEST(PTX, FusesUnlessToldNotTo) {
  PTXOptions options(arch("sm_90"));
  std::string apart =
      "%m = fmul float %x, %y\n%a = fadd float %m, %x\nstore float %a, ptr addrspace(1) %p";
  EXPECT_FALSE(has(emit(kernel(apart), options), "fma.rn.f32"));
  EXPECT_HAS(emit(kernel(fusable), options), "fma.rn.f32");
  options.fpFusion = false;
  std::string ptx = emit(kernel(fusable), options);
  // With .rn, since ptxas would fuse a plain mul and add.
  EXPECT_HAS(ptx, "mul.rn.f32");
  EXPECT_HAS(ptx, "add.rn.f32");
  std::string contract = "%m = fmul contract float %x, %y\n%a = fadd contract float %m, %x\n"
                         "store float %a, ptr addrspace(1) %p";
  EXPECT_EQ(count(emit(kernel(contract), options), "fma"), 0u);
}

/// A kernel that holds \p values loaded floats at once, before it stores the last of them first.
static std::string holding(unsigned values, StringRef attributes) {
  std::string body;
  for (unsigned i = 0; i != values; ++i)
    body += "%v" + std::to_string(i) + " = load volatile float, ptr addrspace(1) %p\n";
  for (unsigned i = values; i != 0; --i)
    body += "store volatile float %v" + std::to_string(i - 1) + ", ptr addrspace(1) %p\n";
  return kernel(body, attributes);
}

TEST(PTX, BoundsResidentBlocksOfLargeKernels) {
  const char *bound = ".minnctapersm 1";
  EXPECT_HAS(emit(holding(250, "\"nvvm.reqntid\"=\"128\"")), bound);
  EXPECT_HAS(emit(holding(250, "\"nvvm.maxntid\"=\"64,2,1\"")), bound);
  EXPECT_HAS(emit(holding(120, "\"nvvm.reqntid\"=\"512\"")), bound);
  EXPECT_EQ(count(emit(holding(150, "\"nvvm.reqntid\"=\"128\"")), bound), 0u);
  EXPECT_EQ(count(emit(holding(250, "")), bound), 0u);
  EXPECT_EQ(count(emit(holding(250, "\"nvvm.reqntid\"=\"128\" \"nvvm.maxnreg\"=\"64\"")), bound),
            0u);
  EXPECT_HAS(emit(holding(250, "\"nvvm.reqntid\"=\"128\" \"nvvm.minctasm\"=\"2\"")),
             ".minnctapersm 2");
}

/// As holding(), in a loop.
static std::string looping(unsigned values, StringRef attributes) {
  std::string text = holding(values, attributes);
  text.insert(text.find("%v0"), "%again = fcmp olt float %x, %y\nbr label %loop\nloop:\n");
  return text.insert(text.rfind("ret void"), "br i1 %again, label %loop, label %end\nend:\n");
}

/// looping(), with all but a few values loaded before the loop.
static std::string loopingOver(unsigned values, StringRef attributes) {
  constexpr unsigned inLoop = 8;
  std::string text = looping(values, attributes);
  size_t start = text.find("%again"), end = text.find("%v0");
  std::string entry = text.substr(start, end - start);
  text.erase(start, end - start);
  return text.insert(text.find("%v" + std::to_string(values - inLoop) + " "), entry);
}

TEST(PTX, GivesLoopsOfOneWarpTheirRegisters) {
  std::string oneWarp = "\"nvvm.reqntid\"=\"32\"", bound = ".minnctapersm";
  // 72 values and a quarter more are 90 registers, allocated as 96: a partition has them for 5
  // warps.
  EXPECT_HAS(emit(loopingOver(72, oneWarp), "sm_90a"), ".minnctapersm 20");
  // With 60 registers all blocks fit; two warps fill the threads first; without a loop nothing is
  // moved.
  EXPECT_EQ(count(emit(loopingOver(48, oneWarp), "sm_90a"), bound), 0u);
  EXPECT_EQ(count(emit(loopingOver(72, "\"nvvm.reqntid\"=\"64\""), "sm_90a"), bound), 0u);
  EXPECT_EQ(count(emit(holding(72, oneWarp), "sm_90a"), bound), 0u);
  // What a loop computes from few loads, ptxas can compute when it is needed.
  std::string text = looping(72, oneWarp);
  for (unsigned i = 16; i != 72; ++i) {
    std::string load = "%v" + std::to_string(i) + " = load volatile float, ptr addrspace(1) %p";
    text.replace(text.find(load), load.size(),
                 "%v" + std::to_string(i) + " = fmul float %v" + std::to_string(i - 16) + ", %x");
  }
  EXPECT_EQ(count(emit(text, "sm_90a"), bound), 0u);
}

TEST(PTX, KeepsLoadsOfLoopsTogether) {
  // 64 bytes in each iteration, by as many threads as there may be.
  EXPECT_HAS(emit(looping(16, "\"nvvm.reqntid\"=\"128\""), "sm_90a"), ".minnctapersm 12");
  EXPECT_HAS(emit(looping(72, "\"nvvm.reqntid\"=\"128\""), "sm_90a"), ".minnctapersm 5");
  EXPECT_HAS(emit(looping(72, "\"nvvm.reqntid\"=\"32\""), "sm_90a"), ".minnctapersm 20");
  EXPECT_HAS(emit(looping(16, "\"nvvm.reqntid\"=\"64\""), "sm_90a"), ".minnctapersm 16");
  EXPECT_EQ(count(emit(looping(15, "\"nvvm.reqntid\"=\"128\""), "sm_90a"), ".minnctapersm"), 0u);
}

/// looping(), in which so many values are loaded from rows at a distance that is known at run time.
static std::string loopingOverRows(unsigned values, unsigned rows, StringRef attributes) {
  std::string text = looping(values, attributes), addresses = "%stride = fptosi float %x to i64\n";
  for (unsigned i = 0; i != rows; ++i) {
    std::string row = std::to_string(i), load = "%v" + row + " = load volatile float, ";
    addresses += "%at" + row + " = mul i64 %stride, " + std::to_string(i + 3) + "\n%row" + row +
                 " = getelementptr float, ptr addrspace(1) %p, i64 %at" + row + "\n";
    text.replace(text.find(load + "ptr addrspace(1) %p"), load.size() + 19,
                 load + "ptr addrspace(1) %row" + row);
  }
  return text.insert(text.find("%again"), addresses);
}

TEST(PTX, CountsAddressesOfRowsWhereBlocksAreAskedFor) {
  const char *attributes = "\"nvvm.reqntid\"=\"128\"";
  // 72 values and 8 registers of addresses have room in the 96 that five blocks leave, with 32 not.
  EXPECT_HAS(emit(loopingOverRows(72, 4, attributes), "sm_90a"), ".minnctapersm 5");
  EXPECT_HAS(emit(loopingOverRows(72, 16, attributes), "sm_90a"), ".minnctapersm 4");
  // No more than half of the blocks are given up.
  EXPECT_HAS(emit(loopingOverRows(72, 70, attributes), "sm_90a"), ".minnctapersm 3");
}

TEST(PTX, LeavesProductsTheirRegisters) {
  std::string attributes = "\"nvvm.reqntid\"=\"64\" \"tile.loads_ahead\"";
  auto multiplying = [&](StringRef product) {
    std::string text = holding(48, attributes);
    return text.insert(text.find("store"), product.str());
  };
  std::string bound = ".minnctapersm";
  EXPECT_HAS(emit(holding(48, attributes), "sm_90a"), bound);
  EXPECT_EQ(count(emit(multiplying("%d = call {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64("
                                   "double 1.0, double 2.0, double 3.0, double 4.0)\n"),
                       "sm_90a"),
                  bound),
            0u);
  EXPECT_EQ(count(emit(multiplying("call void asm sideeffect \"wgmma.mma_async.sync;\", \"\"()\n"),
                       "sm_90a"),
                  bound),
            0u);
}

TEST(PTX, KeepsRegistersForLoadsAhead) {
  auto ahead = [](unsigned values, StringRef threads) {
    return emit(
        holding(values, ("\"nvvm.reqntid\"=\"" + threads + "\" \"tile.loads_ahead\"").str()));
  };
  // 48 values and a quarter more are 60 registers: of 65536, 17 blocks of 64 threads can have them.
  EXPECT_HAS(ahead(48, "64"), ".minnctapersm 16");
  EXPECT_HAS(ahead(48, "256"), ".minnctapersm 4");
  EXPECT_HAS(ahead(0, "64"), ".minnctapersm 16");
  // Three blocks of 128 threads could not fill the time, and nobody else asks.
  EXPECT_EQ(count(ahead(130, "128"), ".minnctapersm"), 0u);
  EXPECT_EQ(count(emit(holding(48, "\"nvvm.reqntid\"=\"64\"")), ".minnctapersm"), 0u);
}

TEST(PTX, LimitsRegistersOfKernels) {
  PTXOptions options(arch("sm_90"));
  EXPECT_FALSE(has(emit(kernel(""), options), ".maxnreg"));
  options.maxRegisters = 255;
  EXPECT_HAS(emit(kernel(""), options), ".maxnreg 255");
  options.maxRegisters = 1;
  std::string two = kernel("") + "define ptx_kernel void @other() { ret void }\n"
                                 "define void @helper() noinline { ret void }\n";
  EXPECT_EQ(count(emit(two, options), ".maxnreg 1\n"), 2u) << emit(two, options);
  options.maxRegisters = 257;
  EXPECT_EQ(emit(kernel(""), options), "error: a thread has at most 255 registers, not 257");
}

TEST(PTX, EstimatesRegisters) {
  llvm::LLVMContext context;
  // In the loop the sum and x, of 8 bytes each, and i. What is computed from i is rematerialized.
  std::unique_ptr<llvm::Module> module =
      parseModule("define double @f(ptr %p, i32 %n) {\nentry: br label %loop\n"
                  "loop:\n%i = phi i32 [0, %entry], [%j, %loop]\n"
                  "%s = phi double [0.0, %entry], [%t, %loop]\n%x = load double, ptr %p\n"
                  "%t = fadd double %s, %x\n%j = add i32 %i, 1\n%c = icmp slt i32 %j, %n\n"
                  "br i1 %c, label %loop, label %end\nend: ret double %t }\n",
                  context);
  ASSERT_TRUE(module);
  EXPECT_EQ(estimateRegisters(*module->getFunction("f")).registers, 5u);
}

TEST(PTX, HonoursEveryLevel) {
  // A load repeated in a later block: one is left from level 1 on.
  std::string text = kernel("%a = load float, ptr addrspace(1) %p\n"
                            "%positive = fcmp ogt float %a, 0.0\n"
                            "br i1 %positive, label %then, label %end\n"
                            "then:\n%b = load float, ptr addrspace(1) %p\n"
                            "%c = fadd float %b, %x\nstore float %c, ptr addrspace(1) %p\n"
                            "br label %end\nend:");
  for (unsigned level : {0, 1, 2, 3}) {
    PTXOptions options(arch("sm_90"));
    options.optLevel = level;
    EXPECT_EQ(count(emit(text, options), "ld.global"), level ? 1u : 2u) << level;
  }
}

TEST(PTX, ShowsTheOptimisedModuleAndTimes) {
  PTXOptions options(arch("sm_90"));
  PTXTimes times;
  unsigned calls = 0;
  options.times = &times;
  options.onOptimized = [&](const llvm::Module &module) {
    ++calls;
    EXPECT_EQ(module.getTargetTriple().str(), "nvptx64-nvidia-cuda");
    EXPECT_TRUE(module.getFunction("k"));
  };
  emit(kernel(fusable), options);
  EXPECT_EQ(calls, 1u);
  EXPECT_GT(times.optimize, 0);
  EXPECT_GT(times.codegen, 0);
}

//===----------------------------------------------------------------------===//
// Line information
//===----------------------------------------------------------------------===//

static std::string withLines(StringRef emissionKind) {
  return ("define ptx_kernel void @k(ptr addrspace(1) %p) !dbg !5 {\n"
          "  %x = load float, ptr addrspace(1) %p, !dbg !8\n"
          "  %m = fmul float %x, 3.0, !dbg !11\n"
          "  store float %m, ptr addrspace(1) %p, !dbg !9\n"
          "  ret void, !dbg !9\n}\n"
          "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
          "!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, emissionKind: " +
          emissionKind +
          ")\n!1 = !DIFile(filename: \"kernel.py\", directory: \"/home/u\")\n"
          "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n!4 = !DISubroutineType(types: !{})\n"
          "!5 = distinct !DISubprogram(name: \"k\", file: !1, line: 3, type: !4, unit: !0)\n"
          "!8 = !DILocation(line: 5, column: 9, scope: !5)\n"
          "!9 = !DILocation(line: 7, column: 4, scope: !5)\n"
          "!10 = distinct !DISubprogram(name: \"h\", file: !1, line: 20, type: !4, unit: !0)\n"
          "!11 = !DILocation(line: 22, column: 2, scope: !10, inlinedAt: !12)\n"
          "!12 = !DILocation(line: 6, column: 8, scope: !5)\n")
      .str();
}

TEST(PTX, MapsInstructionsToLines) {
  PTXOptions options(arch("sm_90"));
  options.lineInfo = true;
  for (StringRef kind : {"FullDebug", "LineTablesOnly", "DebugDirectivesOnly"}) {
    std::string ptx = emit(withLines(kind), options);
    EXPECT_HAS(ptx, "\t.file\t1 \"/home/u/kernel.py\"");
    size_t load = StringRef(ptx).find(".loc\t1 5 9\n");
    size_t product = StringRef(ptx).find(".loc\t1 22 2\n");
    size_t store = StringRef(ptx).find(".loc\t1 7 4\n");
    EXPECT_TRUE(load < ptx.find("ld.global") && ptx.find("ld.global") < product &&
                product < ptx.find("mul.f32") && store < ptx.find("st.global"))
        << ptx;
    EXPECT_EQ(count(ptx, ", debug"), 0u);
    EXPECT_EQ(count(ptx, ".debug_info"), 0u);
  }
}

TEST(PTX, PtxasAcceptsLines) {
  llvm::Expected<Tool> tool = findTool("ptxas");
  if (!tool)
    GTEST_SKIP() << llvm::toString(tool.takeError());
  PTXOptions options(arch("sm_90"));
  options.lineInfo = true;
  AssembleOptions assembly(options.arch);
  assembly.lineInfo = true;
  llvm::Expected<Cubin> cubin = assemble(emit(withLines("FullDebug"), options), assembly);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_HAS(cubin->image, "kernel.py");
}

TEST(PTX, DropsLinesUnlessAsked) {
  std::string ptx = emit(withLines("FullDebug"));
  EXPECT_EQ(count(ptx, ".loc"), 0u);
  EXPECT_EQ(count(ptx, ".file"), 0u);
  EXPECT_EQ(count(ptx, ", debug"), 0u);
}

TEST(PTX, RefusesLinesThatAreNotThere) {
  PTXOptions options(arch("sm_90"));
  options.lineInfo = true;
  EXPECT_EQ(emit(kernel(""), options), "error: line information was asked for, but no function of "
                                       "the module has any");
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

TEST(PTX, KeepsTheAccessWidthAndUsesHardwareMath) {
  // Four elements of a thread: load, scale, exponential, fast division, store.
  std::string ptx = emit(
      kernel("%a = load <4 x float>, ptr addrspace(1) %p, align 16\n"
             "%i = insertelement <4 x float> poison, float %x, i64 0\n"
             "%s = shufflevector <4 x float> %i, <4 x float> poison, <4 x i32> zeroinitializer\n"
             "%b = fmul <4 x float> %a, %s\n"
             "%e = call afn <4 x float> @llvm.exp2.v4f32(<4 x float> %b)\n"
             "%e0 = extractelement <4 x float> %e, i64 0\n"
             "%q0 = call float @llvm.nvvm.div.full(float %e0, float %y)\n"
             "%q = insertelement <4 x float> %e, float %q0, i64 0\n"
             "store <4 x float> %q, ptr addrspace(1) %p, align 16"));
  EXPECT_EQ(count(ptx, "ld.global.v4.b32"), 1u);
  EXPECT_EQ(count(ptx, "st.global.v4.b32"), 1u);
  EXPECT_EQ(count(ptx, "ex2.approx.f32"), 4u);
  EXPECT_EQ(count(ptx, "div.full.f32"), 1u);
  EXPECT_EQ(count(ptx, ".local"), 0u);
  EXPECT_EQ(count(ptx, "call"), 0u);
}

TEST(PTX, KeepsPackedHalves) {
  std::string ptx = emit(kernel("%a = load <8 x half>, ptr addrspace(1) %p, align 16\n"
                                "%b = fmul contract <8 x half> %a, %a\n"
                                "%c = fadd contract <8 x half> %b, %a\n"
                                "store <8 x half> %c, ptr addrspace(1) %p, align 16"));
  EXPECT_EQ(count(ptx, "fma.rn.f16x2"), 4u);
  EXPECT_EQ(count(ptx, "ld.global.v4.b32"), 1u);
  EXPECT_EQ(count(ptx, "st.global.v4.b32"), 1u);
}

/// A loop of \p turns iterations over <8 x float>, of which only the first four elements are read
/// after it.
static std::string loop(unsigned turns) {
  return kernel("br label %loop\nloop:\n%i = phi i32 [0, %0], [%j, %loop]\n"
                "%s = phi <8 x float> [zeroinitializer, %0], [%t, %loop]\n"
                "%v = load volatile <8 x float>, ptr addrspace(1) %p, align 16\n"
                "%t = fadd <8 x float> %s, %v\n%j = add i32 %i, 1\n"
                "%c = icmp ult i32 %j, " +
                std::to_string(turns) +
                "\nbr i1 %c, label %loop, label %end\nend:\n"
                "%r = shufflevector <8 x float> %t, <8 x float> poison, <4 x i32> <i32 0, i32 1, "
                "i32 2, i32 3>\nstore <4 x float> %r, ptr addrspace(1) %p, align 16");
}

TEST(PTX, DropsUnreadElementsOfLoops) {
  std::string ptx = emit(loop(100));
  EXPECT_EQ(count(ptx, "ld.volatile.global.v4.b32"), 2u);
  EXPECT_EQ(count(ptx, "add.f32") + count(ptx, "add.rn.f32"), 4u) << ptx;
  EXPECT_EQ(count(ptx, "bra"), 1u);
}

TEST(PTX, UnrollsShortLoops) {
  EXPECT_EQ(count(emit(loop(3)), "bra"), 0u);
  PTXOptions options(arch("sm_90"));
  options.optLevel = 2;
  EXPECT_EQ(count(emit(loop(3), options), "bra"), 1u);
}

/// The parts of a softmax as distribution writes them, four elements a thread: a guarded 16-byte
/// load, a tree in the thread, a shuffle, shared memory across warps.
static std::string softmaxOfFourElements() {
  return "@smem = internal addrspace(3) global [4 x float] undef, align 16\n" +
         kernel("%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%col = shl i32 %tid, 2\n"
                "%m = icmp slt i32 %col, 2000\n"
                "%a = getelementptr float, ptr addrspace(1) %p, i32 %col\n"
                "%l = call {float, float, float, float} asm sideeffect \"@$5 ld.global.v4.b32 "
                "{$0, $1, $2, $3}, [$4];\", \"=f,=f,=f,=f,l,b,0,1,2,3\"(ptr addrspace(1) %a, i1 "
                "%m, float 0xFFF0000000000000, float 0xFFF0000000000000, float "
                "0xFFF0000000000000, float 0xFFF0000000000000)\n"
                "%e0 = extractvalue {float, float, float, float} %l, 0\n"
                "%e1 = extractvalue {float, float, float, float} %l, 1\n"
                "%e2 = extractvalue {float, float, float, float} %l, 2\n"
                "%e3 = extractvalue {float, float, float, float} %l, 3\n"
                "%v0 = insertelement <4 x float> poison, float %e0, i64 0\n"
                "%v1 = insertelement <4 x float> %v0, float %e1, i64 1\n"
                "%v2 = insertelement <4 x float> %v1, float %e2, i64 2\n"
                "%v = insertelement <4 x float> %v2, float %e3, i64 3\n"
                "%exp = call afn <4 x float> @llvm.exp2.v4f32(<4 x float> %v)\n"
                "%part = call reassoc float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x "
                "float> %exp)\n"
                "%o = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %part, i32 16, i32 "
                "31)\n%warp = fadd float %part, %o\n%w = lshr i32 %tid, 5\n"
                "%slot = getelementptr float, ptr addrspace(3) @smem, i32 %w\n"
                "store float %warp, ptr addrspace(3) %slot\n"
                "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                "%sum = load float, ptr addrspace(3) @smem\n"
                "%d = insertelement <4 x float> poison, float %sum, i64 0\n"
                "%ds = shufflevector <4 x float> %d, <4 x float> poison, <4 x i32> "
                "zeroinitializer\n%q = fdiv afn <4 x float> %exp, %ds\n"
                "store <4 x float> %q, ptr addrspace(1) %a, align 16",
                "\"nvvm.reqntid\"=\"128\"");
}

TEST(PTX, MakesGoodCodeOfSoftmax) {
  std::string ptx = emit(softmaxOfFourElements());
  EXPECT_EQ(count(ptx, "ld.global"), 1u);
  EXPECT_HAS(ptx, "ld.global.v4.b32 {");
  EXPECT_EQ(count(ptx, "st.global.v4.b32"), 1u);
  EXPECT_EQ(count(ptx, "ex2.approx.f32"), 4u);
  EXPECT_EQ(count(ptx, "shfl.sync.bfly"), 1u);
  EXPECT_EQ(count(ptx, "bar.sync") + count(ptx, "barrier.sync"), 1u);
  EXPECT_EQ(count(ptx, ".local"), 0u);
  EXPECT_EQ(count(ptx, ".extern"), 0u);
  EXPECT_EQ(count(ptx, "bra"), 0u);
  llvm::Expected<Tool> tool = findTool("ptxas");
  if (!tool) {
    llvm::consumeError(tool.takeError());
    return;
  }
  llvm::Expected<Cubin> cubin = assemble(ptx, AssembleOptions(arch("sm_90")));
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_EQ(cubin->kernels[0].sharedBytes, 16u);
  EXPECT_EQ(cubin->kernels[0].barriers, 1u);
  EXPECT_EQ(cubin->kernels[0].stackBytes, 0u);
}

TEST(PTX, RunsInManyThreads) {
  std::vector<GpuArch> archs = GpuArch::all();
  std::vector<std::string> alone, together(archs.size());
  for (const GpuArch &each : archs)
    alone.push_back(emit(kernel(fusable), PTXOptions(each)));
  std::vector<std::thread> threads;
  for (size_t i = 0; i != archs.size(); ++i)
    threads.emplace_back([&, i] { together[i] = emit(kernel(fusable), PTXOptions(archs[i])); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(alone, together);
}
