//===- BuiltinsText.cpp - Strings of compile time ---------------*- C++ -*-===//
//
// Methods of strings, and how values are formatted: by format specifications, `str.format` and the
// operator `%`.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"
#include "Interpreter.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

template <bool atEnd> static Object hasAffix(Interpreter &, Args &args) {
  std::optional<StringRef> text = args.string(0), affix = text ? args.string(1) : text;
  if (!affix)
    return Object::poison();
  return Object::boolean(atEnd ? text->ends_with(*affix) : text->starts_with(*affix));
}

/// ASCII letters only; others stay.
template <bool upper> static Object withCase(Interpreter &in, Args &args) {
  std::optional<StringRef> text = args.string(0);
  return text ? Object::string(in.strings().save(upper ? text->upper() : text->lower()))
              : Object::poison();
}

/// "a.b".split(".")
static Object split(Interpreter &in, Args &args) {
  if (!args[1].isString() || args[1].asString().empty())
    return args.wrong(1, "a separator");
  std::optional<int64_t> most = args.integer(2);
  if (!most)
    return Object::poison();
  llvm::SmallVector<StringRef, 8> parts;
  args[0].asString().split(parts, args[1].asString(), *most < 0 ? -1 : int(*most));
  if (parts.size() > maxConstElements)
    return in.error(args.callRange(), "the string has too many parts");
  Object::List items;
  for (StringRef part : parts)
    items.push_back(Object::string(part));
  return Object::listOf(std::move(items));
}

/// "sep".join(strings)
static Object join(Interpreter &in, Args &args) {
  Object parts = in.host().iterate(args[1], args.range(1));
  if (parts.isPoison())
    return parts;
  std::string text;
  for (auto [index, part] : llvm::enumerate(parts.elements())) {
    if (!part.isString())
      return in.error(args.range(1), "join takes strings, found " + part.typeStr());
    text += (index ? args[0].asString() : StringRef()).str() + part.asString().str();
    if (text.size() > maxConstElements)
      return in.error(args.callRange(), "the string is too long");
  }
  return Object::string(in.strings().save(text));
}

/// strip (3), lstrip (1), rstrip (2): blanks, or the characters given.
template <int sides> static Object strip(Interpreter &, Args &args) {
  if (!args[1].isNone() && !args[1].isString())
    return args.wrong(1, "a string");
  StringRef characters = args[1].isNone() ? " \t\n\r\f\v" : args[1].asString();
  StringRef text = args[0].asString();
  if (sides & 1)
    text = text.ltrim(characters);
  return Object::string(sides & 2 ? text.rtrim(characters) : text);
}

static Object replace(Interpreter &in, Args &args) {
  std::optional<StringRef> from = args.string(1), to = from ? args.string(2) : from;
  if (!to)
    return Object::poison();
  if (from->empty())
    return args.wrong(1, "a string that is not empty");
  std::string text;
  StringRef rest = args[0].asString();
  for (size_t at = rest.find(*from); at != StringRef::npos; at = rest.find(*from)) {
    text += (rest.take_front(at) + *to).str();
    rest = rest.drop_front(at + from->size());
    if (text.size() > maxConstElements)
      return in.error(args.callRange(), "the string is too long");
  }
  return Object::string(in.strings().save(text + rest.str()));
}

static Object find(Interpreter &, Args &args) {
  std::optional<StringRef> part = args.string(1);
  if (!part)
    return Object::poison();
  size_t at = args[0].asString().find(*part);
  return Object::integer(at == StringRef::npos ? -1 : int64_t(at));
}

static Object countText(Interpreter &, Args &args) {
  std::optional<StringRef> part = args.string(1);
  if (!part)
    return Object::poison();
  if (part->empty())
    return args.wrong(1, "a string that is not empty");
  return Object::integer(int64_t(args[0].asString().count(*part)));
}

static Object isDigits(Interpreter &, Args &args) {
  StringRef text = args[0].asString();
  return Object::boolean(!text.empty() && llvm::all_of(text, llvm::isDigit));
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Widest field and most digits that a format may ask for.
static constexpr unsigned maxFormatSize = 1000;

namespace {
/// [[fill]align][sign][#][0][width][grouping][.precision][type]
struct FormatSpec {
  char fill = ' ', align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false;
  unsigned width = 0;
  std::optional<unsigned> precision;
};
} // namespace

static bool takeNumber(StringRef &text, unsigned &number) {
  StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return !digits.getAsInteger(10, number) && number <= maxFormatSize;
}

static std::optional<FormatSpec> parseSpec(StringRef text) {
  FormatSpec spec;
  StringRef aligns = "<>=^";
  if (text.size() > 1 && aligns.contains(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    text = text.drop_front(2);
  } else if (!text.empty() && aligns.contains(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && StringRef("+- ").contains(text[0])) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.starts_with("0") && !spec.align) {
    spec.fill = '0';
    spec.align = '=';
  }
  if (!text.empty() && llvm::isDigit(text[0]) && !takeNumber(text, spec.width))
    return std::nullopt;
  if (!text.empty() && (text[0] == ',' || text[0] == '_')) {
    spec.grouping = text[0];
    text = text.drop_front();
  }
  if (text.consume_front(".")) {
    unsigned digits;
    if (!takeNumber(text, digits))
      return std::nullopt;
    spec.precision = digits;
  }
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  return text.empty() ? std::optional(spec) : std::nullopt;
}

/// Puts a separator between groups of digits in front of a point or an exponent.
static std::string grouped(std::string text, const FormatSpec &spec) {
  size_t size =
      spec.type == 'x' || spec.type == 'X' || spec.type == 'b' || spec.type == 'o' ? 4 : 3;
  size_t end = 0;
  while (end < text.size() && llvm::isHexDigit(text[end]) &&
         (size == 4 || llvm::isDigit(text[end])))
    ++end;
  for (size_t at = end; spec.grouping && at > size; at -= size)
    text.insert(at - size, 1, spec.grouping);
  return text;
}

/// The digits of the magnitude of a float; nothing for a type that is none of floats.
static std::optional<std::string> floatDigits(double value, const FormatSpec &spec) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "nan" : "inf";
  if (!spec.type && !spec.precision)
    return reprOfFloat(value);
  if (spec.type && !StringRef("eEfFgG%n").contains(spec.type))
    return std::nullopt;
  bool isPercent = spec.type == '%';
  char type = isPercent ? 'f' : spec.type == 'n' || !spec.type ? 'g' : spec.type;
  std::string format = std::string("%") + (spec.alternate ? "#" : "") + ".*" + type;
  char buffer[maxFormatSize + 400]; // The largest double has 309 digits in front of the point.
  std::snprintf(buffer, sizeof(buffer), format.c_str(), int(spec.precision.value_or(6)),
                isPercent ? value * 100 : value);
  std::string text = buffer;
  if (!spec.type && text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return isPercent ? text + "%" : text;
}

static std::optional<std::string> intDigits(const llvm::APInt &magnitude, const FormatSpec &spec) {
  unsigned radix = spec.type == 'x' || spec.type == 'X' ? 16
                   : spec.type == 'o'                   ? 8
                   : spec.type == 'b'                   ? 2
                                                        : 10;
  if (spec.precision || (spec.type && !StringRef("dnxXob").contains(spec.type)))
    return std::nullopt;
  llvm::SmallString<32> digits;
  magnitude.toString(digits, radix, /*Signed=*/false, /*formatAsCLiteral=*/false,
                     /*UpperCase=*/spec.type == 'X');
  return digits.str().str();
}

/// Fills up to the width. `sign` stays in front of zeros.
static std::string padded(const std::string &sign, const std::string &body, char align,
                          const FormatSpec &spec) {
  size_t size = sign.size() + llvm::count_if(body, [](char c) { return (c & 0xC0) != 0x80; });
  size_t missing = spec.width > size ? spec.width - size : 0;
  size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  std::string front(align == '=' ? 0 : before, spec.fill);
  std::string middle(align == '=' ? before : 0, spec.fill);
  return front + sign + middle + body + std::string(missing - before, spec.fill);
}

static std::optional<std::string> formatted(const Object &value, const FormatSpec &spec) {
  if (!value.isNumber()) {
    bool fits = value.isString() && (!spec.type || spec.type == 's') && spec.align != '=' &&
                spec.sign == '-' && !spec.grouping && !spec.alternate;
    if (!fits)
      return std::nullopt;
    std::string text = value.str();
    if (spec.precision && *spec.precision < text.size())
      text.resize(*spec.precision);
    return padded("", text, spec.align ? spec.align : '<', spec);
  }
  bool isInt = value.isIntLike() && !StringRef("eEfFgG%").contains(spec.type ? spec.type : '?');
  bool isNegative = isInt ? value.asInt().isNegative() : std::signbit(value.asDouble());
  std::optional<std::string> digits =
      isInt ? intDigits(value.asInt().abs(), spec) : floatDigits(std::fabs(value.asDouble()), spec);
  if (!digits)
    return std::nullopt;
  std::string sign = isNegative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
  if (isInt && spec.alternate && spec.type && spec.type != 'd' && spec.type != 'n')
    sign += std::string("0") + spec.type;
  return padded(sign, grouped(*digits, spec), spec.align ? spec.align : '>', spec);
}

std::optional<std::string> front::formatValue(const Object &value, StringRef text,
                                              std::string &problem) {
  if (text.empty())
    return value.str();
  std::optional<FormatSpec> spec = parseSpec(text);
  std::optional<std::string> result = spec ? formatted(value, *spec) : std::nullopt;
  if (!result)
    problem = "cannot format " + value.typeStr() + " with '" + text.str() + "'";
  return result;
}

/// One `%` conversion at the start of `rest`, past the sign; nothing where it is not supported.
static std::optional<FormatSpec> parsePercent(StringRef &rest) {
  FormatSpec spec;
  bool isLeft = false;
  for (; !rest.empty() && StringRef("-+ #0").contains(rest[0]); rest = rest.drop_front()) {
    isLeft |= rest[0] == '-';
    spec.alternate |= rest[0] == '#';
    if (rest[0] == '0')
      spec.fill = '0';
    if (rest[0] == '+' || (rest[0] == ' ' && spec.sign == '-'))
      spec.sign = rest[0];
  }
  unsigned digits = 0;
  if (!rest.empty() && llvm::isDigit(rest[0]) && !takeNumber(rest, spec.width))
    return std::nullopt;
  if (rest.consume_front(".")) {
    if (!takeNumber(rest, digits))
      return std::nullopt;
    spec.precision = digits;
  }
  if (rest.empty() || !StringRef("srdiufFeEgGxXo").contains(rest[0]))
    return std::nullopt;
  spec.type = rest[0] == 'i' || rest[0] == 'u' ? 'd' : rest[0];
  bool isText = spec.type == 's' || spec.type == 'r';
  if (isLeft || isText)
    spec.fill = ' ';
  spec.align = isLeft ? '<' : spec.fill == '0' ? '=' : '>';
  rest = rest.drop_front();
  return spec;
}

/// "%d of %s" % (1, "x")
Object front::formatPercent(Interpreter &in, StringRef format, const Object &values,
                            SMRange range) {
  llvm::ArrayRef<Object> rest =
      values.isTuple() && !values.isList() ? llvm::ArrayRef<Object>(values.elements()) : values;
  std::string text;
  while (!format.empty()) {
    size_t at = format.find('%');
    text += format.take_front(at).str();
    format = at == StringRef::npos ? StringRef() : format.drop_front(at + 1);
    if (at == StringRef::npos || format.consume_front("%")) {
      text += at == StringRef::npos ? "" : "%";
      continue;
    }
    std::optional<FormatSpec> spec = parsePercent(format);
    if (!spec || rest.empty())
      return in.error(range, spec ? "there are fewer values than the format has places"
                                  : "this conversion of a format is not supported");
    Object value = rest.front();
    rest = rest.drop_front();
    if (spec->type == 's' || spec->type == 'r') {
      value = Object::string(in.strings().save(spec->type == 's' ? value.str() : value.repr()));
      spec->type = 's';
    } else if (spec->type == 'd' && value.is(Object::Kind::Float)) {
      ConstResult whole = constToInt(value);
      if (!whole.error.empty())
        return in.error(range, whole.error);
      value = whole.object;
    }
    std::optional<std::string> part = formatted(value, *spec);
    if (!part)
      return in.error(range, "cannot format " + value.typeStr() + " as the format says");
    text += *part;
    if (text.size() > maxConstElements)
      return in.error(range, "the string is too long");
  }
  return rest.empty() ? Object::string(in.strings().save(text))
                      : in.error(range, "there are more values than the format has places");
}

/// "{} {name:>5}".format(..): fields are numbers or names, without attributes and indices.
Object front::formatFields(Interpreter &in, StringRef format, const CallInfo &info) {
  llvm::ArrayRef<Arg> values = info.positional;
  std::string text;
  unsigned next = 0;
  while (!format.empty()) {
    size_t at = format.find_first_of("{}");
    text += format.take_front(at).str();
    if (at == StringRef::npos)
      break;
    char brace = format[at];
    format = format.drop_front(at + 1);
    if (format.consume_front(StringRef(&brace, 1))) {
      text += brace;
      continue;
    }
    size_t end = format.find_first_of("{}");
    if (brace == '}' || end == StringRef::npos || format[end] == '{')
      return in.error(info.range, "the format has a brace without a match, or a field "
                                  "within a field, which is not supported");
    auto [field, spec] = format.take_front(end).split(':');
    bool asRepr = field.consume_back("!r");
    format = format.drop_front(end + 1);
    const auto *named = llvm::find_if(
        info.keywords, [field = field](const KeywordArg &arg) { return arg.name == field; });
    bool isNamed = named != info.keywords.end();
    unsigned index = next;
    if (field.empty())
      ++next;
    else if (!isNamed && field.getAsInteger(10, index))
      return in.error(info.range, "the field '" + field + "' of a format is not supported");
    if (!isNamed && index >= values.size())
      return in.error(info.range, "there are fewer values than the format has places");
    Object value = isNamed ? named->arg.value : values[index].value;
    if (asRepr)
      value = Object::string(in.strings().save(value.repr()));
    std::string problem;
    std::optional<std::string> part = formatValue(value, spec, problem);
    if (!part)
      return in.error(info.range, problem);
    text += *part;
    if (text.size() > maxConstElements)
      return in.error(info.range, "the string is too long");
  }
  return Object::string(in.strings().save(text));
}

const Builtin *front::findStringMethod(StringRef name) {
  static constexpr Builtin rows[] = {
      {"count", "self, sub", countText, Hidden, Space::Python},
      {"endswith", "self, suffix", hasAffix<true>, Hidden, Space::Python},
      {"find", "self, sub", find, Hidden, Space::Python},
      {"format", "self, *args", nullptr, Hidden, Space::Python}, // formatFields()
      {"isdigit", "self", isDigits, Hidden, Space::Python},
      {"join", "self, iterable", join, Hidden, Space::Python},
      {"lower", "self", withCase<false>, Hidden, Space::Python},
      {"lstrip", "self, chars=None", strip<1>, Hidden, Space::Python},
      {"replace", "self, old, new", replace, Hidden, Space::Python},
      {"rstrip", "self, chars=None", strip<2>, Hidden, Space::Python},
      {"strip", "self, chars=None", strip<3>, Hidden, Space::Python},
      {"split", "self, sep, maxsplit=-1", split, Hidden, Space::Python},
      {"startswith", "self, prefix", hasAffix<false>, Hidden, Space::Python},
      {"upper", "self", withCase<true>, Hidden, Space::Python},
  };
  for (const Builtin &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}
