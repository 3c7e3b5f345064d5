//===- GridExpr.cpp - the grid as the command line gives it ----*- C++ -*-===//

#include "GridExpr.h"

#include "tilec/Language/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Recursive descent over the text. After an error `message` is set and every function returns 0.
class GridReader {
public:
  GridReader(StringRef text, const llvm::StringMap<int64_t> &values)
      : whole(text), rest(text), values(values) {}

  llvm::Expected<LaunchGrid> read();

private:
  static constexpr unsigned kMaxDepth = 100;

  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  int64_t fail(const llvm::Twine &text) {
    if (message.empty())
      message = text.str();
    return 0;
  }
  int64_t expected(StringRef what) {
    StringRef found = rest.ltrim();
    return fail("expected " + what + ", found " +
                (found.empty() ? std::string("the end") : "'" + found.str() + "'"));
  }
  int64_t sum();
  int64_t product();
  int64_t unary();
  int64_t primary();
  int64_t call(StringRef name);
  int64_t divide(int64_t left, int64_t right, bool wantRemainder);
  int64_t checked(std::optional<int64_t> value) {
    return value ? *value : fail("the value does not fit 64 bits");
  }

  StringRef whole, rest;
  const llvm::StringMap<int64_t> &values;
  std::string message;
  unsigned depth = 0;
};

} // namespace

/// Rounds towards minus infinity, as Python does.
int64_t GridReader::divide(int64_t left, int64_t right, bool wantRemainder) {
  if (right == 0)
    return fail("division by 0");
  if (right == -1)
    return wantRemainder ? 0 : checked(llvm::checkedSub<int64_t>(0, left));
  int64_t quotient = left / right, remainder = left % right;
  bool adjust = remainder != 0 && (remainder < 0) != (right < 0);
  return wantRemainder ? (adjust ? remainder + right : remainder) : quotient - adjust;
}

int64_t GridReader::call(StringRef name) {
  int64_t left = sum();
  if (!take(","))
    return expected("','");
  int64_t right = sum();
  if (!take(")"))
    return expected("')'");
  if (name == "min")
    return std::min(left, right);
  if (name == "max")
    return std::max(left, right);
  int64_t quotient = divide(left, right, false);
  return quotient + (message.empty() && divide(left, right, true) != 0);
}

int64_t GridReader::primary() {
  rest = rest.ltrim();
  if (!message.empty())
    return 0;
  if (!rest.empty() && llvm::isDigit(rest.front())) {
    int64_t number;
    StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.getAsInteger(10, number))
      return fail("the number " + digits + " does not fit 64 bits");
    rest = rest.drop_front(digits.size());
    return number;
  }
  if (take("(")) {
    int64_t value = sum();
    return take(")") ? value : expected("')'");
  }
  StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (name.empty())
    return expected("a number, a name or '('");
  rest = rest.drop_front(name.size());
  if ((name == "cdiv" || name == "min" || name == "max") && take("("))
    return call(name);
  auto found = values.find(name);
  if (found != values.end())
    return found->second;
  llvm::SmallVector<StringRef> names = {"cdiv", "min", "max"};
  for (const auto &entry : values)
    names.push_back(entry.getKey());
  llvm::sort(names);
  std::optional<StringRef> near = closestName(name, names);
  return fail("'" + name + "' is no integer argument or constant" +
              (near ? "; did you mean '" + *near + "'?" : llvm::Twine("")));
}

int64_t GridReader::unary() {
  if (++depth > kMaxDepth)
    return fail("the expression is nested too deeply");
  int64_t value = take("-") ? checked(llvm::checkedSub<int64_t>(0, unary())) : primary();
  --depth;
  return value;
}

int64_t GridReader::product() {
  int64_t value = unary();
  while (message.empty()) {
    if (take("//"))
      value = divide(value, unary(), false);
    else if (take("%"))
      value = divide(value, unary(), true);
    else if (take("*"))
      value = checked(llvm::checkedMul(value, unary()));
    else
      break;
  }
  return value;
}

int64_t GridReader::sum() {
  int64_t value = product();
  while (message.empty()) {
    if (take("+"))
      value = checked(llvm::checkedAdd(value, product()));
    else if (take("-"))
      value = checked(llvm::checkedSub(value, product()));
    else
      break;
  }
  return value;
}

llvm::Expected<LaunchGrid> GridReader::read() {
  llvm::SmallVector<int64_t> sizes;
  do {
    sizes.push_back(sum());
  } while (message.empty() && take(","));
  if (message.empty() && !rest.trim().empty())
    expected("an operator or ','");
  if (message.empty() && sizes.size() > 3)
    fail("expected at most three sizes, found " + llvm::Twine(sizes.size()));
  sizes.resize(3, 1);
  for (int axis = 0; axis < 3; ++axis)
    if (message.empty() && sizes[axis] < 0)
      fail("the grid has " + llvm::Twine(sizes[axis]) + " programs along " +
           llvm::Twine("xyz"[axis]));
  if (!message.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--grid '" + whole + "': " + message);
  return LaunchGrid{sizes[0], sizes[1], sizes[2]};
}

llvm::Expected<LaunchGrid> evaluateGrid(StringRef text, const llvm::StringMap<int64_t> &values) {
  return GridReader(text, values).read();
}
