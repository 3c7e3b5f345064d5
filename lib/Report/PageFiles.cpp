//===- PageFiles.cpp - the templates of the page ----------------*- C++ -*-===//
//
// The build makes an array of bytes of each file in Page/ (cmake/EmbedText.cmake), so that tilec
// needs no files when it runs.
//
//===----------------------------------------------------------------------===//

#include "PageFiles.h"

using namespace tilec::report;
using llvm::StringRef;

namespace {

constexpr char pageText[] = {
#include "page.html.inc"
};
constexpr char styleText[] = {
#include "page.css.inc"
};
constexpr char scriptText[] = {
#include "page.js.inc"
};
constexpr char variantsText[] = {
#include "variants.js.inc"
};

} // namespace

template <size_t size> static StringRef textOf(const char (&bytes)[size]) {
  return StringRef(bytes, size);
}

std::string tilec::report::fillPage(llvm::ArrayRef<std::pair<StringRef, StringRef>> values) {
  std::string result;
  StringRef rest = textOf(pageText);
  auto valueOf = [&](StringRef name) -> std::optional<StringRef> {
    if (name == "STYLE")
      return textOf(styleText);
    if (name == "SCRIPT")
      return textOf(scriptText);
    if (name == "VARIANTS")
      return textOf(variantsText);
    for (auto [known, value] : values)
      if (known == name)
        return value;
    return std::nullopt;
  };
  while (true) {
    auto [before, behind] = rest.split('@');
    result += before;
    if (before.size() == rest.size())
      return result;
    auto [name, after] = behind.split('@');
    if (std::optional<StringRef> value = valueOf(name)) {
      result += *value;
      rest = after;
    } else {
      result += '@';
      rest = behind;
    }
  }
}
