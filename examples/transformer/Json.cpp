//===- Json.cpp - Reading JSON without a tree of it ----------------*- C++ -*-===//

#include "Json.h"

#include <set>

bool JsonReader::failAt(size_t at, const std::string &message) {
  if (problem.empty())
    problem = message, where = at;
  return false;
}

bool JsonReader::expected(const char *wanted) {
  std::string found = "the end";
  if (next < text.size()) {
    char c = text[next];
    found = c > ' ' && c < 127 ? std::string("'") + c + "'"
                               : "the byte " + std::to_string(static_cast<unsigned char>(c));
  }
  return failAt(next, std::string("expected ") + wanted + ", found " + found);
}

void JsonReader::skipSpace() {
  while (next < text.size() &&
         (text[next] == ' ' || text[next] == '\t' || text[next] == '\n' || text[next] == '\r'))
    ++next;
}

bool JsonReader::take(char c) {
  skipSpace();
  if (next == text.size() || text[next] != c)
    return false;
  ++next;
  return true;
}

bool JsonReader::list(char close, const char *wanted, const std::function<bool()> &item) {
  if (take(close))
    return true;
  do {
    if (!item())
      return false;
    if (take(close))
      return true;
  } while (take(',') || expected(wanted));
  return false;
}

bool JsonReader::object(const std::function<bool(const std::string &key)> &member) {
  if (!take('{'))
    return expected("'{'");
  std::set<std::string> keys;
  return list('}', "',' or '}'", [&] {
    std::string key;
    if (!string(key))
      return false;
    if (!keys.insert(key).second)
      return fail("the key '" + key + "' occurs twice");
    return take(':') ? member(key) : expected("':'");
  });
}

bool JsonReader::array(const std::function<bool()> &element) {
  if (!take('['))
    return expected("'['");
  return list(']', "',' or ']'", element);
}

bool JsonReader::string(std::string &value) {
  value.clear();
  if (!take('"'))
    return expected("a string");
  start = next - 1;
  while (next < text.size() && text[next] != '"') {
    char c = text[next];
    if (static_cast<unsigned char>(c) < ' ')
      return expected("a character of a string");
    ++next;
    if (c != '\\')
      value += c;
    else if (!escape(value))
      return false;
  }
  return take('"') || failAt(start, "the string has no end");
}

/// Appends a character of Unicode as UTF-8.
static void append(std::string &text, unsigned code) {
  auto tail = [&](int shift) { text += char(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += char(code);
  } else if (code < 0x800) {
    text += char(0xc0 | code >> 6), tail(0);
  } else if (code < 0x10000) {
    text += char(0xe0 | code >> 12), tail(6), tail(0);
  } else {
    text += char(0xf0 | code >> 18), tail(12), tail(6), tail(0);
  }
}

bool JsonReader::escape(std::string &value) {
  static const std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  size_t which = next < text.size() ? letters.find(text[next]) : std::string_view::npos;
  if (which != std::string_view::npos) {
    value += meanings[which];
    ++next;
    return true;
  }
  unsigned code;
  if (!hexDigits(code))
    return false;
  if (code >= 0xdc00 && code < 0xe000)
    return failAt(next, "the second half of a character without the first");
  if (code >= 0xd800 && code < 0xdc00) {
    unsigned second;
    if (next == text.size() || text[next] != '\\')
      return expected("the second half of a character");
    ++next;
    if (!hexDigits(second))
      return false;
    if (second < 0xdc00 || second >= 0xe000)
      return failAt(next, "the first half of a character without the second");
    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  }
  append(value, code);
  return true;
}

bool JsonReader::hexDigits(unsigned &code) {
  static const std::string_view digits = "0123456789abcdefABCDEF";
  code = 0;
  if (next == text.size() || text[next] != 'u')
    return expected("an escape sequence");
  ++next;
  for (int i = 0; i < 4; ++i, ++next) {
    size_t digit = next < text.size() ? digits.find(text[next]) : digits.npos;
    if (digit == digits.npos)
      return expected("a hexadecimal digit");
    code = code << 4 | unsigned(digit < 16 ? digit : digit - 6);
  }
  return true;
}

bool JsonReader::integer(int64_t &value) {
  skipSpace();
  start = next;
  value = 0;
  auto isDigit = [&] { return next < text.size() && text[next] >= '0' && text[next] <= '9'; };
  if (!isDigit())
    return expected("an integer that is not negative");
  for (; isDigit(); ++next)
    if (__builtin_mul_overflow(value, int64_t(10), &value) ||
        __builtin_add_overflow(value, int64_t(text[next] - '0'), &value))
      return failAt(start, "the number is too large");
  if (next - start > 1 && text[start] == '0')
    return failAt(start, "the number begins with a 0");
  if (next < text.size() && std::string_view(".eE").find(text[next]) != std::string_view::npos)
    return failAt(start, "expected an integer");
  return true;
}

bool JsonReader::end() {
  skipSpace();
  return next == text.size() || expected("the end");
}
