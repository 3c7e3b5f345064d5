//===- ImageTest.cpp - Looking into PTX and cubins -----------------------*- C++ -*-===//
//
// What is read from images, the compatibility rules, and images that are not whole.
//
//===-------------------------------------------------------------------------------===//

#include "Image.h"

#include "tilec/runtime.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>

using tilec::ImageInfo;

static tilec::Status inspect(const std::string &image, ImageInfo &info) {
  // A copy of its exact size, so that the address sanitizer sees a read past the end.
  char *copy = static_cast<char *>(malloc(image.size()));
  memcpy(copy, image.data(), image.size());
  tilec::Status status(tilec::inspectImage(copy, image.size(), info));
  free(copy);
  return status;
}

static std::string messageFor(const std::string &image) {
  ImageInfo info;
  tilec::Status status = inspect(image, info);
  EXPECT_EQ(status.code(), tilec::Code::InvalidImage);
  return status.message();
}

/// A cubin with one program header and one section of 8 bytes each, behind which it ends.
static std::string makeCubin(unsigned abiVersion, uint32_t flags) {
  std::string image(64 + 56 + 64 + 8, '\0');
  auto put = [&](size_t offset, uint64_t value, size_t bytes) {
    memcpy(&image[offset], &value, bytes);
  };
  image.replace(0, 4,
                "\x7f"
                "ELF");
  put(4, 2, 1);
  put(5, 1, 1);
  put(8, abiVersion, 1);
  put(18, 190, 2);
  put(32, 64, 8);
  put(40, 64 + 56, 8);
  put(48, flags, 4);
  put(54, 56, 2);
  put(56, 1, 2);
  put(58, 64, 2);
  put(60, 1, 2);
  put(64 + 8, 64 + 56 + 64, 8);
  put(64 + 32, 8, 8);
  put(64 + 56 + 4, 1, 4);
  put(64 + 56 + 24, 64 + 56 + 64, 8);
  put(64 + 56 + 32, 8, 8);
  return image;
}

TEST(ImageTest, readsPtx) {
  ImageInfo info;
  ASSERT_TRUE(inspect("/* a */ // b\n\t.version 8.7\n.target sm_100a, debug\n", info));
  EXPECT_FALSE(info.isCubin);
  EXPECT_EQ(info.ptxMajor, 8);
  EXPECT_EQ(info.ptxMinor, 7);
  EXPECT_EQ(info.capability, 100);
  EXPECT_EQ(info.suffix, 'a');
  ASSERT_TRUE(inspect(std::string(".version 7.0 .target sm_75\0", 27), info));
  EXPECT_EQ(info.capability, 75);
}

TEST(ImageTest, readsCubins) {
  ImageInfo info;
  ASSERT_TRUE(inspect(makeCubin(7, 0x005a055a), info));
  EXPECT_TRUE(info.isCubin);
  EXPECT_EQ(info.capability, 90);
  ASSERT_TRUE(inspect(makeCubin(8, 0x06007802), info));
  EXPECT_EQ(info.capability, 120);
}

TEST(ImageTest, compatibility) {
  auto ptx = [](int capability, char suffix) {
    ImageInfo info;
    info.capability = capability;
    info.suffix = suffix;
    return info;
  };
  EXPECT_TRUE(canRunOn(ptx(80, '\0'), 9, 0));
  EXPECT_FALSE(canRunOn(ptx(90, '\0'), 8, 9));
  EXPECT_TRUE(canRunOn(ptx(90, 'a'), 9, 0));
  EXPECT_FALSE(canRunOn(ptx(90, 'a'), 10, 0));
  EXPECT_TRUE(canRunOn(ptx(100, 'f'), 10, 3));
  EXPECT_FALSE(canRunOn(ptx(100, 'f'), 12, 0));
  EXPECT_FALSE(canRunOn(ptx(103, 'f'), 10, 0));
  ImageInfo cubin = ptx(80, '\0');
  cubin.isCubin = true;
  EXPECT_TRUE(canRunOn(cubin, 8, 6));
  EXPECT_FALSE(canRunOn(cubin, 9, 0));
  EXPECT_FALSE(canRunOn(cubin, 7, 5));
}

TEST(ImageTest, textThatIsNotPtx) {
  const std::string expected = "expected a cubin or PTX text, found ";
  EXPECT_EQ(messageFor(""), expected + "nothing");
  const std::string tail = " bytes that start with neither an ELF header nor '.version'";
  EXPECT_EQ(messageFor("hello"), expected + "5" + tail);
  EXPECT_EQ(messageFor("/"), expected + "1" + tail);
  EXPECT_EQ(messageFor("/* never closed"), expected + "15" + tail);
  EXPECT_EQ(messageFor("// only a comment"), expected + "17" + tail);
  EXPECT_EQ(messageFor(std::string(1, '\0')), expected + "0" + tail);
  EXPECT_EQ(messageFor(std::string("\x50\xed\x55\xba", 4)), expected + "4" + tail);
}

TEST(ImageTest, damagedPtx) {
  const char *version = "expected a version as in '.version 8.0' in the PTX";
  const char *target = "expected a target as in '.target sm_80' after '.version' in the PTX";
  EXPECT_EQ(messageFor(".version"), version);
  EXPECT_EQ(messageFor(".version 8"), version);
  EXPECT_EQ(messageFor(".version 8."), version);
  EXPECT_EQ(messageFor(".version x.y"), version);
  EXPECT_EQ(messageFor(".version 8.0"), target);
  EXPECT_EQ(messageFor(".version 8.0 .target compute_80"), target);
  EXPECT_EQ(messageFor(".version 8.0 .target sm_"), target);
  EXPECT_EQ(messageFor(std::string(".version 8.0\0.target sm_80", 26)),
            "the PTX text has a NUL at byte 12 of 26");
  ImageInfo info;
  EXPECT_TRUE(inspect(".version 99999999999999999999.0 .target sm_80", info));
}

TEST(ImageTest, damagedCubins) {
  std::string good = makeCubin(8, 0x06005a04);
  EXPECT_EQ(messageFor(good.substr(0, 40)), "the cubin is cut off: it has 40 bytes");
  const std::string cut = "the cubin is cut off or damaged: parts of it lie outside its ";
  for (size_t bytes = 64; bytes < good.size(); ++bytes)
    EXPECT_EQ(messageFor(good.substr(0, bytes)), cut + std::to_string(bytes) + " bytes");
  for (size_t offset : {32, 40, 54, 56, 58, 60, 64 + 8, 64 + 32, 120 + 24, 120 + 32}) {
    std::string bad = good;
    bad[offset] = bad[offset + 1] = '\xff';
    EXPECT_EQ(messageFor(bad), cut + std::to_string(bad.size()) + " bytes") << offset;
  }
  std::string host = good;
  host[18] = 62;
  EXPECT_EQ(messageFor(host),
            "expected a cubin (ELF machine 190), found an ELF file for machine 62");
  std::string small = good;
  small[4] = 1;
  EXPECT_EQ(messageFor(small),
            "expected a cubin, found an ELF file that is not 64-bit little-endian");
}
