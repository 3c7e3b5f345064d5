//===- ClassesTest.cpp - Classes of arguments are one notion ----*- C++ -*-===//
//
// The compiler classifies the values of arguments (ClassRule), and so do launches of objects, by
// bits of their slots: what one takes for a multiple of 16 the other must not call anything else.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/KernelParam.h"
#include "tilec/aot.h"
#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

using namespace tilec;

/// The class for which the code was that ran last.
static ArgumentClass ran;

template <ArgumentClass kind> static void code(const uint64_t *, const int32_t *, void *, void *) {
  ran = kind;
}

/// The class that a launch of an object takes a parameter's bits for.
static ArgumentClass classOfLaunch(uint32_t type, uint64_t slot) {
  tilec_aot_image images[3] = {};
  const tilec_aot_cpu_code codes[] = {code<ArgumentClass::One>, code<ArgumentClass::MultipleOf16>,
                                      code<ArgumentClass::Any>};
  void *states[3][2] = {};
  tilec_aot_variant variants[3] = {};
  for (int i = 0; i < 3; ++i) {
    images[i].kind = TILEC_AOT_CPU;
    images[i].level = 1;
    images[i].num_ctas = 1;
    images[i].image.code = codes[i];
    variants[i].num_images = 1;
    variants[i].images = &images[i];
    variants[i].state = states[i];
  }
  variants[0].ones = 1;
  variants[1].aligned = 1;
  const tilec_param param = {"x", type, 0};
  tilec_aot_config config = {};
  config.name = config.text = "";
  config.variants = variants;
  config.num_variants = 3;
  tilec_aot_kernel kernel = {};
  kernel.version = TILEC_AOT_VERSION;
  kernel.num_params = 1;
  kernel.name = "classified";
  kernel.params = &param;
  kernel.configs = &config;
  kernel.num_configs = 1;
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  options.flags = TILEC_LAUNCH_GRID | TILEC_LAUNCH_CPU;
  tilec_status status = tilec_aot_launch_v1(&kernel, &options, nullptr, &slot);
  EXPECT_EQ(status, nullptr) << tilec_status_message(status);
  tilec_status_release(status);
  return ran;
}

TEST(ClassesTest, LaunchesOfObjectsAndTheCompilerAgree) {
  struct Type {
    uint32_t code;
    unsigned bits;
    bool isSigned;
  };
  constexpr Type types[] = {{TILEC_TYPE_I8, 8, true},   {TILEC_TYPE_U8, 8, false},
                            {TILEC_TYPE_I16, 16, true}, {TILEC_TYPE_U16, 16, false},
                            {TILEC_TYPE_I32, 32, true}, {TILEC_TYPE_U32, 32, false},
                            {TILEC_TYPE_I64, 64, true}, {TILEC_TYPE_U64, 64, false}};
  ClassRule rule = {/*one=*/true, /*multipleOf16=*/true};
  for (const Type &type : types)
    for (int64_t value : {INT64_C(0), INT64_C(1), INT64_C(8), INT64_C(15), INT64_C(16), INT64_C(17),
                          INT64_C(64), INT64_C(-1), INT64_C(-16), INT64_C(-8), INT64_MIN,
                          INT64_MIN + 16, INT64_MAX, INT64_MAX - 15, INT64_C(8184)}) {
      uint64_t slot = uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(type.bits);
      int64_t known = type.isSigned ? llvm::SignExtend64(slot, type.bits) : int64_t(slot);
      EXPECT_EQ(int(classOfLaunch(type.code, slot)), int(rule.classify(known)))
          << "type " << type.code << ", value " << known;
    }
}

TEST(ClassesTest, AMultipleOfEightIsNone) {
  ClassRule rule = {/*one=*/true, /*multipleOf16=*/true};
  EXPECT_EQ(rule.classify(8184), ArgumentClass::Any) << "tile-version-kernels is for these";
}
