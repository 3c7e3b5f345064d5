//===- NpyTest.cpp - reading and writing .npy files -------------*- C++ -*-===//
//
// Round trips, the conversions, and files that are broken in every way a header can be: each must
// end in an error with the right text.
//
//===----------------------------------------------------------------------===//

#include "tilec/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// A file of version 1.0 with this dictionary, followed by `data`.
std::string file(StringRef dictionary, StringRef data = "", char version = 1) {
  std::string text("\x93NUMPY", 6);
  text += version;
  text += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    text += char(dictionary.size() >> (8 * byte));
  return text + dictionary.str() + data.str();
}

llvm::Expected<NpyArray> parse(StringRef text) {
  return parseNpy(llvm::arrayRefFromStringRef(text));
}

std::string errorOf(StringRef text) {
  llvm::Expected<NpyArray> array = parse(text);
  return array ? "no error" : llvm::toString(array.takeError());
}

StringRef bytesOf(const NpyArray &array) {
  return llvm::toStringRef(llvm::ArrayRef<uint8_t>(array.bytes));
}

const char *const vectorOfTwo = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";

TEST(Npy, ReadsWhatNumPyWrites) {
  llvm::Expected<NpyArray> array = parse(file(vectorOfTwo, StringRef("\1\0\2\0", 4)));
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(array->header.kind, NpyKind::Int);
  EXPECT_EQ(array->header.itemBytes, 2u);
  EXPECT_EQ(array->header.shape, std::vector<uint64_t>{2});
  EXPECT_EQ(bytesOf(*array), StringRef("\1\0\2\0", 4));
}

TEST(Npy, ReadsLaterVersionsAndOtherSpellings) {
  for (char version : {1, 2, 3})
    for (StringRef dictionary :
         {"{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<i2\"}",
          "{ 'shape' : ( 2L , ) , 'descr' : '=i2' , 'fortran_order' : True }   \n"}) {
      llvm::Expected<NpyArray> array = parse(file(dictionary, "abcd", version));
      ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
      EXPECT_EQ(bytesOf(*array), "abcd");
    }
}

TEST(Npy, ReadsEveryElementType) {
  for (StringRef descr :
       {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8"}) {
    std::string data(descr[2] - '0', 'x');
    llvm::Expected<NpyArray> array =
        parse(file("{'descr': '" + descr.str() + "', 'fortran_order': False, 'shape': ()}", data));
    ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
    EXPECT_EQ(char(array->header.kind), descr[1]);
    EXPECT_EQ(array->header.itemBytes, data.size());
    EXPECT_TRUE(array->header.shape.empty());
  }
}

TEST(Npy, TurnsBigEndianAround) {
  llvm::Expected<NpyArray> array =
      parse(file("{'descr': '>u4', 'fortran_order': False, 'shape': (2,)}", "abcdefgh"));
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(bytesOf(*array), "dcbahgfe");
}

TEST(Npy, TurnsFortranOrderIntoCOrder) {
  // As a[i][j][k] with i fastest: 000 100 010 110 020 120 001 ...
  llvm::Expected<NpyArray> array =
      parse(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2)}", "abcdefghijkl"));
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(bytesOf(*array), "agciekbhdjfl");
}

TEST(Npy, ReadsEmptyArrays) {
  llvm::Expected<NpyArray> array =
      parse(file("{'descr': '<f8', 'fortran_order': True, 'shape': (18446744073709551615, 0, "
                 "18446744073709551615)}"));
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(array->header.shape.size(), 3u);
  EXPECT_TRUE(array->bytes.empty());
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  for (StringRef text :
       {StringRef(""), StringRef("\x93NUMP"), StringRef("PK\3\4zip"), StringRef("NUMPY\x93")})
    EXPECT_EQ(errorOf(text), "not a .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(errorOf("\x93NUMPY\1"), "truncated: the file ends before its format version");
  EXPECT_EQ(errorOf(file(vectorOfTwo, "", 4)),
            "unknown format version 4.0; expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(errorOf(StringRef("\x93NUMPY\1\0\1", 9)),
            "truncated: the file ends before the length of its header");
  EXPECT_EQ(errorOf(StringRef("\x93NUMPY\2\0\xff\xff\xff\xff{", 13)),
            "truncated: the header should have 4294967295 bytes, found 1");
}

TEST(Npy, RefusesWrongAmountsOfData) {
  EXPECT_EQ(errorOf(file(vectorOfTwo, "abc")), "the header promises 4 bytes of elements, found 3");
  EXPECT_EQ(errorOf(file(vectorOfTwo, "abcde")),
            "the header promises 4 bytes of elements, found 5");
  EXPECT_EQ(
      errorOf(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}")),
      "the shape has more elements than 64 bits can count");
  EXPECT_EQ(errorOf(file("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, "
                         "4294967296)}")),
            "the shape has more elements than 64 bits can count");
  EXPECT_EQ(errorOf(file("{'descr': '<f8', 'fortran_order': True, 'shape': (1099511627776,)}")),
            "the header promises 8796093022208 bytes of elements, found 0");
}

TEST(Npy, RefusesOtherElementTypes) {
  for (StringRef descr : {"", "f4", "<f", "<f16", "<f1", "<c8", "|O8", "|S3", "<U4", "<M8[ns]",
                          "?f4", "<i3", "<b2", "<f99999999999", "<f-4"})
    EXPECT_EQ(
        errorOf(file("{'descr': '" + descr.str() + "', 'fortran_order': False, 'shape': (1,)}")),
        "element type '" + descr.str() +
            "' is not supported; expected booleans, integers, or floats of 2, 4 or 8 bytes");
  EXPECT_EQ(errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")),
            "structured arrays are not supported");
}

TEST(Npy, RefusesBrokenDictionaries) {
  auto malformed = [](StringRef dictionary) {
    StringRef message = "malformed header: ";
    std::string text = errorOf(file(dictionary, "abcd"));
    EXPECT_TRUE(StringRef(text).starts_with(message)) << text;
    return text.substr(std::min(text.size(), message.size()));
  };
  EXPECT_EQ(malformed(""), "expected a dictionary, found the end of the header");
  EXPECT_EQ(malformed("\x01\xff"), "expected a dictionary, found '\\01\\FF'");
  EXPECT_EQ(malformed("{}"), "no key 'descr'");
  EXPECT_EQ(malformed("{'descr': '<i2'}"), "no key 'fortran_order'");
  EXPECT_EQ(malformed("{'descr': '<i2', 'fortran_order': False}"), "no key 'shape'");
  EXPECT_EQ(malformed("{'descr': '<i2', 'descr': '<i2'}"), "key 'descr' is given twice");
  std::string axes;
  for (int i = 0; i < 65; ++i)
    axes += "1,";
  EXPECT_EQ(errorOf(file("{'shape': (" + axes + ")}")),
            "malformed header: the shape has more than 64 axes");
  EXPECT_EQ(errorOf(file("{'x': 1}")), "malformed header: unknown key 'x'");
  EXPECT_EQ(malformed("{descr: 1}"), "expected a string, found 'descr: 1}'");
  EXPECT_EQ(malformed("{'descr"), "expected a string that ends, found ''descr'");
  EXPECT_EQ(malformed("{'descr' '<i2'}"), "expected ':', found ''<i2'}'");
  EXPECT_EQ(malformed("{'descr': '<i2'"), "expected ',' or '}', found the end of the header");
  EXPECT_EQ(malformed("{'fortran_order': 1}"), "expected True or False, found '1}'");
  EXPECT_EQ(malformed("{'shape': 3}"), "expected a tuple of sizes, found '3}'");
  EXPECT_EQ(malformed("{'shape': (-1,)}"), "expected a size of at most 64 bits, found '-1,)}'");
  EXPECT_EQ(malformed("{'shape': (,)}"), "expected a size of at most 64 bits, found ',)}'");
  EXPECT_EQ(malformed("{'shape': (18446744073709551616,)}"),
            "expected a size of at most 64 bits, found '18446744073709551616'");
  EXPECT_EQ(malformed("{'shape': (1 2)}"), "expected ',' or ')', found '2)}'");
  EXPECT_EQ(malformed("{'shape': (1"), "expected ',' or ')', found the end of the header");
  EXPECT_EQ(malformed(std::string(vectorOfTwo) + "x"),
            "expected nothing after the dictionary, found 'x'");
  std::string many;
  for (int axis = 0; axis < 65; ++axis)
    many += "1,";
  EXPECT_EQ(malformed("{'shape': (" + many + ")}"), "the shape has more than 64 axes");
}

TEST(Npy, NoPrefixOfAFileIsAccepted) {
  std::string whole = file(vectorOfTwo, "abcd");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(errorOf(StringRef(whole).take_front(size)), "no error") << size;
}

TEST(Npy, WritesWhatItReads) {
  std::vector<std::vector<uint64_t>> shapes = {{}, {3}, {2, 3}, {0, 4}, {1, 1, 1}};
  for (const auto &shape : shapes) {
    NpyHeader header{NpyKind::UInt, 4, shape};
    std::string data(*countElements(shape) * 4, 'z');
    std::string text = formatNpyHeader(header);
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
    llvm::Expected<NpyArray> array = parse(text + data);
    ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
    EXPECT_EQ(array->header.kind, NpyKind::UInt);
    EXPECT_EQ(array->header.shape, shape);
    EXPECT_EQ(bytesOf(*array), data);
  }
  EXPECT_NE(formatNpyHeader({NpyKind::Float, 8, {3}})
                .find("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"),
            std::string::npos);
  EXPECT_NE(formatNpyHeader({NpyKind::Bool, 1, {3, 4}})
                .find("{'descr': '|b1', 'fortran_order': False, 'shape': (3, 4), }"),
            std::string::npos);
}

TEST(Npy, ReadsAndWritesFiles) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("array", "npy", path));
  const uint8_t data[] = {1, 2, 3, 4};
  EXPECT_EQ(llvm::toString(writeNpy(path, {NpyKind::Float, 4, {1}}, data)), "");
  llvm::Expected<NpyArray> array = readNpy(path);
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(array->bytes, std::vector<uint8_t>(std::begin(data), std::end(data)));
  llvm::sys::fs::remove(path);
  EXPECT_EQ(llvm::toString(readNpy(path).takeError()),
            "cannot read '" + path.str().str() + "': No such file or directory");
  std::string missing = path.str().str() + "/x.npy";
  EXPECT_EQ(llvm::toString(writeNpy(missing, {NpyKind::Float, 4, {1}}, data)),
            "cannot write '" + missing + "': No such file or directory");
}

TEST(Npy, CountsElements) {
  EXPECT_EQ(countElements({}), 1u);
  EXPECT_EQ(countElements({3, 4}), 12u);
  EXPECT_EQ(countElements({UINT64_MAX, 2, 0}), 0u);
  EXPECT_EQ(countElements({UINT64_MAX, 2}), std::nullopt);
}

} // namespace
