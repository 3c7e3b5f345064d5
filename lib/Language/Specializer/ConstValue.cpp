//===- ConstValue.cpp - Compile-time values given from outside --*- C++ -*-===//
//
// Construction, equality and Python's text forms of the public constant values. Reading text is in
// Specializer.cpp, because it evaluates an expression.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/ConstValue.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilec;
using llvm::StringRef;

ConstValue ConstValue::boolean(bool value) {
  ConstValue result;
  result.valueKind = Kind::Bool;
  result.flag = value;
  return result;
}

ConstValue ConstValue::integer(int64_t value) {
  return integer(llvm::APInt(64, value, /*isSigned=*/true));
}

ConstValue ConstValue::integer(llvm::APInt value) {
  ConstValue result;
  result.valueKind = Kind::Int;
  result.number = value.sextOrTrunc(std::max(64u, value.getSignificantBits()));
  return result;
}

ConstValue ConstValue::real(double value) {
  ConstValue result;
  result.valueKind = Kind::Float;
  result.floating = value;
  return result;
}

ConstValue ConstValue::string(std::string value) {
  ConstValue result;
  result.valueKind = Kind::String;
  result.text = std::move(value);
  return result;
}

ConstValue ConstValue::type(DType value) {
  ConstValue result;
  result.valueKind = Kind::Type;
  result.dtype = value;
  return result;
}

ConstValue ConstValue::tuple(std::vector<ConstValue> elements, std::string className) {
  ConstValue result = string(std::move(className));
  result.valueKind = Kind::Tuple;
  result.items = std::move(elements);
  return result;
}

ConstValue ConstValue::function(std::string name) {
  ConstValue result = string(std::move(name));
  result.valueKind = Kind::Function;
  return result;
}

bool ConstValue::operator==(const ConstValue &other) const {
  if (valueKind != other.valueKind)
    return false;
  switch (valueKind) {
  case Kind::None:
    return true;
  case Kind::Bool:
    return flag == other.flag;
  case Kind::Int:
    return number.getBitWidth() == other.number.getBitWidth() && number == other.number;
  case Kind::Float:
    return llvm::APFloat(floating).bitwiseIsEqual(llvm::APFloat(other.floating));
  case Kind::String:
  case Kind::Function:
    return text == other.text;
  case Kind::Type:
    return dtype == other.dtype;
  case Kind::Tuple:
    return items == other.items && text == other.text;
  }
  llvm_unreachable("unknown kind");
}

std::string ConstValue::str() const {
  switch (valueKind) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return flag ? "True" : "False";
  case Kind::Int: {
    llvm::SmallString<32> digits;
    number.toStringSigned(digits);
    return digits.str().str();
  }
  case Kind::Float:
    // Python prints these as names that no expression can use.
    if (!std::isfinite(floating))
      return "float('" + reprOfFloat(floating) + "')";
    return reprOfFloat(floating);
  case Kind::String:
    return reprOfString(text);
  case Kind::Type:
    if (dtype.isPointer())
      return "tl.pointer_type(" + type(dtype.pointee()).str() + ")";
    return "tl." + scalarInfo(dtype.kind).name.str();
  case Kind::Function:
    return text;
  case Kind::Tuple: {
    std::string result = text + "(";
    for (auto [index, item] : llvm::enumerate(items))
      result += (index ? ", " : "") + item.str();
    return result + (items.size() == 1 && text.empty() ? ",)" : ")");
  }
  }
  llvm_unreachable("unknown kind");
}

/// Python's layout of shortest digits: an exponent outside [-4, 16), else a plain decimal.
static std::string layoutDigits(StringRef digits, int pointAt) {
  if (pointAt > 16 || pointAt <= -4) {
    std::string text = digits.substr(0, 1).str();
    if (digits.size() > 1)
      text += "." + digits.drop_front().str();
    int exponent = pointAt - 1;
    std::string number = std::to_string(std::abs(exponent));
    return text + (exponent < 0 ? "e-" : "e+") + (number.size() < 2 ? "0" : "") + number;
  }
  if (pointAt <= 0)
    return "0." + std::string(-pointAt, '0') + digits.str();
  if (pointAt >= int(digits.size()))
    return digits.str() + std::string(pointAt - digits.size(), '0') + ".0";
  return digits.substr(0, pointAt).str() + "." + digits.substr(pointAt).str();
}

std::string tilec::reprOfFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  std::string sign = std::signbit(value) ? "-" : "";
  if (value == 0)
    return sign + "0.0";
  // The fewest digits that read back as the same double.
  char buffer[40];
  for (int precision = 1; precision <= 17; ++precision) {
    snprintf(buffer, sizeof(buffer), "%.*e", precision - 1, std::fabs(value));
    if (strtod(buffer, nullptr) == std::fabs(value))
      break;
  }
  auto [mantissa, exponent] = StringRef(buffer).split('e');
  std::string digits;
  for (char c : mantissa)
    if (c != '.')
      digits += c;
  while (digits.size() > 1 && digits.back() == '0')
    digits.pop_back();
  return sign + layoutDigits(digits, std::atoi(exponent.data()) + 1);
}

std::string tilec::reprOfString(StringRef text) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (unsigned char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\\' || c == quote)
      (result += '\\') += char(c);
    else if (c < 0x20 || c == 0x7f)
      result += "\\x" + llvm::toHex(StringRef(reinterpret_cast<char *>(&c), 1), /*LowerCase=*/true);
    else
      result += char(c);
  }
  return result + quote;
}
