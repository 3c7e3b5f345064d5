//===- BuildTest.cpp - What goes into an artifact ------------------------*- C++ -*-===//
//
// Builds artifacts in memory and looks at what they hold.
//
//===-------------------------------------------------------------------------------===//

#include "tilec/Artifact/Build.h"
#include "tilec/Artifact/Header.h"

#include "BuildInternals.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::artifact;

namespace {

constexpr const char *kernelText = R"(
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=2)],
                 key=["n", "x"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, 1, mask=offsets < n)


@triton.jit
def matrix(a, b, m, stride_am, stride_ak, stride_bk, stride_bn, stride):
    tl.store(a, 1)


@triton.jit(do_not_specialize=["n", 4], do_not_specialize_on_alignment=("x", "m"))
def listed(x, y, n, m, stride_a, stride_b: tl.int64, flag):
    tl.store(x, n)
)";

class BuildTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(source.loadText(kernelText, "kernel.py")); }

  Signature signature(const std::string &text) {
    return *parseSignature(text, "--sig", source.sources(), source.diagnostics());
  }
  bool build(const KernelSpec &spec) {
    return ArtifactBuilder(artifact, options, os).addKernel(source, spec);
  }
  /// Reads the signature as the front end does, for planVariants.
  KernelInfo infoOf(const std::string &kernel, const std::string &text) {
    KernelRequest request;
    request.kernel = kernel;
    request.signature = signature(text);
    Compilation compilation(os);
    EXPECT_TRUE(compilation.loadText(kernelText, "kernel.py"));
    EXPECT_TRUE(compilation.addKernel(request)) << messages;
    return compilation.records().front().kernel;
  }
  std::optional<std::vector<ArtifactVariant>> plan(const KernelInfo &info, SpecPolicy policy) {
    return planVariants(info, *source.tree()->findFunction(info.symbol), policy,
                        source.diagnostics());
  }

  std::string messages;
  llvm::raw_string_ostream os{messages};
  Compilation source{os};
  Artifact artifact;
  ArtifactOptions options;
};

} // namespace

TEST_F(BuildTest, tunedChoicesBecomeTables) {
  std::string path = ::testing::TempDir() + "tuned-" + std::to_string(getpid()) + ".json";
  TunedFile file;
  TunedEntry entry{{"fill",
                    hashKernel(*source.tree(), *source.tree()->findFunction("fill"), {}),
                    "NVIDIA H200",
                    "sm_90",
                    "x=*fp32, n=i32",
                    {{"n", "1000"}, {"x", ""}}},
                   {{"BLOCK=64", 3.0}, {"BLOCK=128, num_warps=2", 2.0}}};
  file.add(entry);
  entry.key.device = "CPU (2 threads)";
  entry.key.arch = "cpu";
  entry.times[0].microseconds = 1.0;
  file.add(entry);
  entry.key.types = "x=*fp16, n=i32";
  file.add(entry);
  entry.key.types = "x=*fp32, n=i32";
  entry.key.values[0].second = "many";
  file.add(entry);
  ASSERT_FALSE(file.write(path));
  options.cpuLevels = {1};
  options.spec = SpecPolicy::None;
  options.tunedPath = path;
  ASSERT_TRUE(build({"fill", {signature("x=*fp32,n=i32")}, {}, ""})) << messages;
  const ArtifactKernel &kernel = artifact.kernels.front();
  ASSERT_EQ(kernel.key, std::vector<unsigned>{1});
  ASSERT_EQ(kernel.tuned.size(), 2u);
  EXPECT_EQ(kernel.tuned[0].device, "NVIDIA H200");
  EXPECT_EQ(kernel.tuned[0].level, 90u);
  EXPECT_EQ(kernel.tuned[0].tune, 2u);
  EXPECT_EQ(kernel.tuned[0].key, std::vector<int64_t>{1000});
  EXPECT_EQ(kernel.tuned[1].level, 0u);
  EXPECT_EQ(kernel.tuned[1].tune, 1u);
  EXPECT_EQ(kernel.configs[1].tune, 2u);
  EXPECT_NE(
      messages.find("1 measured choices for kernel 'fill' cannot be used in an object: a launcher "
                    "compares integers and arrays of the key only"),
      std::string::npos)
      << messages;
  // Nothing of this file is about halves.
  artifact.kernels.clear();
  ASSERT_TRUE(ArtifactBuilder(artifact, options, os)
                  .addKernel(source, {"fill", {signature("x=*bf16,n=i32")}, {}, ""}))
      << messages;
  EXPECT_TRUE(artifact.kernels.front().tuned.empty());
  EXPECT_NE(messages.find("the tuned file has no measurements of kernel 'fill' as it is now, with "
                          "(x=*bf16, n=i32)"),
            std::string::npos)
      << messages;
  remove(path.c_str());
}

TEST_F(BuildTest, stagesThatNothingReadsMakeNoConfiguration) {
  Compilation other(os);
  ASSERT_TRUE(other.loadText(R"(
import triton
import triton.language as tl

@triton.autotune([triton.Config({"B": b}, num_stages=s) for b in (64, 128) for s in (2, 3)], ["n"])
@triton.heuristics({"num_stages": lambda args: args["n"]})
@triton.jit
def fill(x, n, B: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + offsets, 1, mask=offsets < n)
)",
                             "staged.py"));
  options.cpuLevels = {1};
  options.spec = SpecPolicy::None;
  ASSERT_TRUE(ArtifactBuilder(artifact, options, os)
                  .addKernel(other, {"fill", {signature("x=*fp32,n=i32")}, {}, ""}))
      << messages;
  std::string names;
  for (const ArtifactConfig &config : artifact.kernels.front().configs)
    names += config.name + ": " + config.text + ";";
  EXPECT_EQ(names, "B64: B=64;B128: B=128;");
  EXPECT_EQ(messages, ""); // Nor that its heuristic needs a launch's arguments.
}

TEST_F(BuildTest, aFileThatIsNotOneIsAnError) {
  options.cpuLevels = {1};
  options.tunedPath = "/dev/null";
  EXPECT_FALSE(build({"fill", {signature("x=*fp32,n=i32")}, {}, ""}));
  EXPECT_NE(messages.find("/dev/null"), std::string::npos) << messages;
  options.tunedPath = "/nowhere/tuned.json";
  EXPECT_FALSE(build({"fill", {signature("x=*fp32,n=i32")}, {}, ""}));
  EXPECT_NE(messages.find("cannot read '/nowhere/tuned.json': no such file"), std::string::npos)
      << messages;
}

TEST_F(BuildTest, variantsOfStrides) {
  KernelInfo info = infoOf("matrix", "a=*fp32,b=*fp32,m=i32,stride_am=i32,stride_ak=i32,"
                                     "stride_bk=i32,stride_bn=i32,stride=i32");
  auto variants = plan(info, SpecPolicy::Auto);
  ASSERT_TRUE(variants);
  std::vector<std::pair<uint64_t, uint64_t>> masks;
  for (const ArtifactVariant &variant : *variants)
    masks.push_back({variant.aligned, variant.ones});
  constexpr uint64_t innermost = 1 << 4 | 1 << 6 | 1 << 7;
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {0xff & ~innermost, innermost}, {0xff, 0}, {3, innermost}, {3, 0}, {0, 0}};
  EXPECT_EQ(masks, expected);
}

/// What launches from Python would not tell apart is no variant either.
TEST_F(BuildTest, variantsObeyTheDecorator) {
  KernelInfo info =
      infoOf("listed", "x=*fp32,y=*fp32,n=i32,m=i32,stride_a=i32,stride_b=i64,flag=i1");
  auto variants = plan(info, SpecPolicy::Full);
  ASSERT_TRUE(variants);
  EXPECT_EQ(variants->size(), 2u * 2 * 3);
  uint64_t aligned = 0, ones = 0;
  for (const ArtifactVariant &variant : *variants) {
    aligned |= variant.aligned;
    ones |= variant.ones;
  }
  EXPECT_EQ(aligned, 1u << 1 | 1u << 5);
  EXPECT_EQ(ones, 1u << 3 | 1u << 5);
  EXPECT_EQ(variants->front().classOf(2), ArgumentClass::Any);
  EXPECT_EQ(variants->front().classOf(3), ArgumentClass::One);
  EXPECT_EQ(variants->front().classOf(64), ArgumentClass::Any);
  // What the signature says is asked for by name.
  info = infoOf("listed", "x=*fp32,y=*fp32,n=i32:16,m=i32,stride_a=i32,stride_b=i64,flag=i1");
  variants = plan(info, SpecPolicy::None);
  ASSERT_TRUE(variants);
  EXPECT_EQ(variants->front().classOf(2), ArgumentClass::MultipleOf16);
}

TEST_F(BuildTest, variantsOfASignature) {
  KernelInfo info = infoOf("fill", "x=*fp32:16,n=i32,BLOCK=64");
  auto variants = plan(info, SpecPolicy::None);
  ASSERT_TRUE(variants);
  ASSERT_EQ(variants->size(), 2u);
  EXPECT_EQ(variants->front().aligned, 1u);
  EXPECT_EQ(variants->back().aligned, 0u);
  variants = plan(info, SpecPolicy::Full);
  EXPECT_EQ(variants->size(), 6u);
}

TEST_F(BuildTest, variantsThatMakeNoDifferenceAreDropped) {
  auto image = [](const char *data) {
    ArtifactImage image;
    image.data = data;
    return image;
  };
  std::vector<ArtifactVariant> variants = {{7, 0, {image("a")}},
                                           {4, 2, {image("b")}},
                                           {3, 0, {image("a")}},
                                           {0, 2, {image("c")}},
                                           {0, 0, {image("c")}}};
  dropEqualVariants(variants);
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0].ones, 2u);
  EXPECT_EQ(variants[1].aligned, 3u);
  EXPECT_EQ(variants[2].aligned, 0u);
}

TEST_F(BuildTest, ptxForLaterGpus) {
  auto plan = [](std::vector<const char *> names, bool hasPtxas) {
    std::vector<GpuArch> archs;
    for (const char *name : names)
      archs.push_back(*GpuArch::parse(name));
    std::string text;
    for (const GpuTarget &target : planTargets(archs, hasPtxas))
      text +=
          target.arch.name() + (target.cubin ? " cubin" : "") + (target.ptx ? " ptx" : "") + ";";
    return text;
  };
  EXPECT_EQ(plan({"sm_80"}, true), "sm_80 cubin ptx;");
  EXPECT_EQ(plan({"sm_80"}, false), "sm_80 ptx;");
  EXPECT_EQ(plan({"sm_80", "sm_90a"}, true), "sm_80 cubin;sm_90a cubin;compute_90 ptx;");
  EXPECT_EQ(plan({"sm_80", "sm_90a"}, false), "sm_80 ptx;sm_90a ptx;compute_90 ptx;");
  EXPECT_EQ(plan({"sm_80", "compute_80"}, true), "sm_80 cubin;compute_80 ptx;");
  EXPECT_EQ(plan({"compute_75", "sm_90"}, true), "compute_75 ptx;sm_90 cubin ptx;");
  EXPECT_EQ(plan({}, true), "");
}

TEST_F(BuildTest, pointersThatAreOnlyReadAreConst) {
  constexpr const char *text = R"(
import triton
import triton.language as tl


@triton.jit
def copy(out, x, y, z, w, v, n, WRITE: tl.constexpr):
    offsets = tl.arange(0, 16)
    for i in range(n):
        x += 16
        tl.store(out + offsets, tl.load(x + offsets))
    p = y
    if n > 3:
        p = z
    tl.store(out, tl.load(p))
    if n > 4:
        p = w
    tl.store(p, 1.0)
    if WRITE:
        tl.store(v, 1.0)
)";
  Compilation compilation(os);
  ASSERT_TRUE(compilation.loadText(text, "copy.py"));
  KernelRequest request;
  request.kernel = "copy";
  request.signature =
      *parseSignature("out=*fp32,x=*fp32,y=*fp32,z=*fp32,w=*fp32,v=*fp32,n=i32,WRITE=False",
                      "--sig", compilation.sources(), compilation.diagnostics());
  ASSERT_TRUE(compilation.addKernel(request)) << messages;
  // y and z may be where the last store goes; without WRITE, nothing goes to v.
  EXPECT_EQ(findReadOnly(compilation.getModule(), "copy"),
            (std::vector<bool>{false, true, false, false, false, true, false}));
}

TEST_F(BuildTest, typesInTheHeader) {
  EXPECT_EQ(cppTypeOf(*parseTypeName("*kfp16")), "const tilec::half *");
  EXPECT_EQ(cppTypeOf(*parseTypeName("**fp32")), "float **");
  EXPECT_EQ(cppTypeOf(*parseTypeName("u64")), "uint64_t");
  EXPECT_EQ(cppTypeOf(*parseTypeName("*fp8e4nv")), "tilec::float8e4nv *");
  EXPECT_EQ(cppTypeOf(*parseTypeName("fp8e5")), "tilec::float8e5");
  EXPECT_EQ(cppTypeOf(*parseTypeName("*kfp8e4b15")), "const tilec::float8e4b15 *");
}
