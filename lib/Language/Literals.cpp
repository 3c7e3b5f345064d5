//===- Literals.cpp - Values of number and string literals ------*- C++ -*-===//
//
// Checks and converts number tokens and the bodies of string tokens by Python's rules. The number
// of digits is limited because conversion takes quadratic time.
//
//===----------------------------------------------------------------------===//

#include "Literals.h"

#include "LineInfo.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"

#include <cstring>

using namespace llvm;

namespace tilec {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

std::nullopt_t reject(LiteralProblem &problem, StringRef text, const Twine &message) {
  problem = {text.begin(), text.end(), message.str(), false};
  return std::nullopt;
}

/// Removes underscores; false if one does not stand between two digits. After a base prefix one may
/// also come first, as in `0x_ff`.
bool stripUnderscores(StringRef text, bool based, std::string &digits) {
  auto isADigit = [&](char c) { return based ? isHexDigit(c) : isDigit(c); };
  bool previousIsDigit = based;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '_') {
      bool nextIsDigit = i + 1 < text.size() && isADigit(text[i + 1]);
      if (!previousIsDigit || !nextIsDigit)
        return false;
    } else {
      digits += c;
    }
    previousIsDigit = isADigit(c);
  }
  return true;
}

APInt makeInteger(StringRef digits, unsigned radix) {
  unsigned bits = APInt::getSufficientBitsNeeded(digits, static_cast<uint8_t>(radix));
  APInt value(std::max(bits, 1u) + 1, digits, static_cast<uint8_t>(radix));
  return value.trunc(std::max(value.getActiveBits() + 1, 2u));
}

std::optional<NumberValue> decodeBased(StringRef token, LiteralProblem &problem) {
  char base = toLower(token[1]);
  unsigned radix = base == 'x' ? 16 : base == 'o' ? 8 : 2;
  StringRef name = base == 'x' ? "hexadecimal" : base == 'o' ? "octal" : "binary";
  StringRef body = token.drop_front(2);
  std::string digits;
  bool good = !body.empty() && stripUnderscores(body, /*based=*/true, digits);
  for (char c : digits)
    good &= hexDigitValue(c) < radix;
  if (!good)
    return reject(problem, token, "invalid " + name + " literal '" + token.take_front(40) + "'");
  if (digits.size() > maxNumberDigits)
    return reject(problem, token, "integer literal has more than 4300 digits");
  NumberValue value;
  value.intValue = makeInteger(digits, radix);
  return value;
}

std::optional<NumberValue> decodeFloat(StringRef token, StringRef digits, LiteralProblem &problem) {
  APFloat value(APFloat::IEEEdouble());
  Expected<APFloat::opStatus> status =
      value.convertFromString(digits, APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return reject(problem, token, "invalid decimal literal '" + token.take_front(40) + "'");
  }
  NumberValue result;
  result.floating = true;
  result.floatValue = value.convertToDouble();
  return result;
}

/// True if `digits`, free of underscores, has the form of a decimal integer or float.
bool isDecimal(StringRef digits, bool &floating) {
  floating = digits.find_first_of(".eE") != StringRef::npos;
  StringRef mantissa = digits.take_while([](char c) { return isDigit(c) || c == '.'; });
  StringRef exponent = digits.drop_front(mantissa.size());
  if (exponent.consume_front_insensitive("e")) {
    if (!exponent.consume_front("+"))
      exponent.consume_front("-");
    if (exponent.empty())
      return false;
  }
  return all_of(exponent, isDigit) && mantissa.count('.') <= 1;
}

} // namespace

std::optional<NumberValue> decodeNumber(StringRef token, LiteralProblem &problem) {
  if (token.size() > 1 && token[0] == '0' && StringRef("xXoObB").contains(token[1]))
    return decodeBased(token, problem);
  StringRef body = token;
  bool imaginary = body.consume_back("j") || body.consume_back("J");
  std::string digits;
  bool floating = false;
  if (!stripUnderscores(body, /*based=*/false, digits) || !isDecimal(digits, floating))
    return reject(problem, token, "invalid decimal literal '" + token.take_front(40) + "'");
  if (imaginary) {
    NumberValue value;
    value.imaginary = true;
    return value;
  }
  if (digits.size() > maxNumberDigits)
    return reject(problem, token,
                  floating ? "float literal has more than 4300 characters"
                           : "integer literal has more than 4300 digits");
  if (floating)
    return decodeFloat(token, digits, problem);
  StringRef significant = StringRef(digits).ltrim('0');
  if (digits.size() > 1 && digits[0] == '0' && !significant.empty())
    return reject(problem, token,
                  "leading zeros in an integer literal are not permitted; octal numbers start "
                  "with '0o'");
  NumberValue value;
  value.intValue = makeInteger(significant.empty() ? StringRef("0") : significant, 10);
  return value;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

namespace {

/// Decodes one string body from front to back.
class StringDecoder {
public:
  StringDecoder(StringRef body, SmallVectorImpl<char> &out,
                SmallVectorImpl<LiteralProblem> &problems)
      : p(body.begin()), end(body.end()), out(out), problems(problems) {}

  bool run(bool raw, bool format) {
    while (p != end) {
      char c = *p;
      if (c == '\r') {
        p = skipLineEnd(p, end);
        out.push_back('\n');
      } else if (c == '\\' && !raw) {
        if (!escape())
          return false;
      } else {
        bool doubled = format && (c == '{' || c == '}') && end - p > 1 && p[1] == c;
        out.push_back(c);
        p += doubled ? 2 : 1;
      }
    }
    return true;
  }

private:
  bool fail(const char *begin, const char *stop, const Twine &message) {
    problems.push_back({begin, stop, message.str(), false});
    return false;
  }

  bool append(uint32_t codePoint, const char *begin) {
    char buffer[4];
    char *stop = buffer;
    if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint <= 0xDFFF) ||
        !ConvertCodePointToUTF8(codePoint, stop))
      return fail(begin, p, "escape is no Unicode character: U+" + Twine(utohexstr(codePoint)));
    out.append(buffer, stop);
    return true;
  }

  /// `\xHH`, `\uHHHH`, `\UHHHHHHHH`; `p` points behind the letter.
  bool hex(unsigned count, const char *begin) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i, ++p) {
      if (p == end || !isHexDigit(*p))
        return fail(begin, p,
                    "expected " + Twine(count) + " hexadecimal digits after '" +
                        StringRef(begin, 2) + "'");
      value = value * 16 + hexDigitValue(*p);
    }
    return append(value, begin);
  }

  bool octal(const char *begin) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 3 && p != end && *p >= '0' && *p <= '7'; ++i, ++p)
      value = value * 8 + static_cast<uint32_t>(*p - '0');
    return append(value, begin);
  }

  bool named(const char *begin) {
    StringRef rest(p, end - p);
    size_t close = rest.find('}');
    if (!rest.consume_front("{") || close == StringRef::npos)
      return fail(begin, p, "expected '{name}' after '\\N'");
    StringRef name = rest.take_front(close - 1);
    p = rest.begin() + close;
    std::optional<char32_t> codePoint = sys::unicode::nameToCodepointStrict(name);
    if (!codePoint)
      return fail(begin, p, "unknown Unicode character name '" + name.take_front(80) + "'");
    return append(*codePoint, begin);
  }

  bool escape() {
    const char *begin = p++;
    if (p == end) { // Only before a brace of an f-string: a plain backslash.
      out.push_back('\\');
      return true;
    }
    char c = *p;
    if (c >= '0' && c <= '7')
      return octal(begin);
    static const char from[] = "\\'\"abfnrtv";
    static const char to[] = "\\'\"\a\b\f\n\r\t\v";
    if (const char *found = c ? strchr(from, c) : nullptr) {
      out.push_back(to[found - from]);
      ++p;
      return true;
    }
    if (c == '\n' || c == '\r') {
      p = skipLineEnd(p, end);
      return true;
    }
    if (c != 'x' && c != 'u' && c != 'U' && c != 'N') {
      // Python keeps the backslash; the character itself is handled by the caller's loop.
      out.push_back('\\');
      if (static_cast<unsigned char>(c) < 0x80)
        problems.push_back(
            {begin, p + 1, (Twine("unknown escape sequence '\\") + Twine(c) + "'").str(), true});
      return true;
    }
    ++p;
    if (c == 'N')
      return named(begin);
    return hex(c == 'x' ? 2 : c == 'u' ? 4 : 8, begin);
  }

  const char *p;
  const char *end;
  SmallVectorImpl<char> &out;
  SmallVectorImpl<LiteralProblem> &problems;
};

} // namespace

bool decodeString(StringRef body, bool raw, bool format, SmallVectorImpl<char> &out,
                  SmallVectorImpl<LiteralProblem> &problems) {
  return StringDecoder(body, out, problems).run(raw, format);
}

} // namespace tilec
