//===- Json.h - Reading JSON without a tree of it ------------------*- C++ -*-===//
//
// The caller says what it expects, and gets it or an error that tells where. Nothing is kept but
// what the caller keeps. Reads objects, arrays, strings and integers.
//
//   JsonReader json(text);
//   bool isFine = json.object([&](const std::string &key) {
//     return key == "size" ? json.integer(size) : json.fail("unknown key");
//   }) && json.end();
//   if (!isFine) .. json.error(), json.position()
//
//===----------------------------------------------------------------------===//

#ifndef TRANSFORMER_JSON_H
#define TRANSFORMER_JSON_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

class JsonReader {
public:
  explicit JsonReader(std::string_view json) : text(json) {}

  // Each reads one value, and is false if there is another, or a callback is.

  /// Calls `member` for each key; it must read the value. No key may occur twice.
  bool object(const std::function<bool(const std::string &key)> &member);
  /// Calls `element`, which must read it, for each element.
  bool array(const std::function<bool()> &element);
  bool string(std::string &value);
  /// An integer from 0 to 2^63 - 1.
  bool integer(int64_t &value);
  /// Nothing but white space up to the end.
  bool end();

  /// Makes the first error one about the value that was read last; false.
  bool fail(const std::string &message) { return failAt(start, message); }
  const std::string &error() const { return problem; }
  /// Which byte of the text the error is about.
  size_t position() const { return where; }

private:
  bool failAt(size_t at, const std::string &message);
  /// What is wrong with the next character, instead of which `wanted` should be there.
  bool expected(const char *wanted);
  void skipSpace();
  /// Takes the character if it is next, behind white space.
  bool take(char c);
  /// Reads "a, b, .. close" by calls of `item`.
  bool list(char close, const char *wanted, const std::function<bool()> &item);
  bool escape(std::string &value);
  bool hexDigits(unsigned &code);

  std::string_view text;
  /// The next character, and where the string or number that was read last starts.
  size_t next = 0, start = 0;
  std::string problem;
  size_t where = 0;
};

#endif // TRANSFORMER_JSON_H
