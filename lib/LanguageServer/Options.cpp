//===- Options.cpp - How kernels of an open file are compiled ---*- C++ -*-===//
//
// Reads the options of `# tilec:` comments and of the settings.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "tilec/Language/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

Word Word::drop(size_t count) const {
  Word rest;
  rest.text = text.substr(std::min(count, text.size()));
  if (!places.empty())
    rest.places.assign(places.begin() + std::min(count, places.size()), places.end());
  return rest;
}

std::optional<std::pair<size_t, size_t>> Word::extent() const {
  if (places.empty())
    return std::nullopt;
  return std::make_pair(places.front(), places.back() + 1);
}

std::vector<Word> ls::splitOptions(StringRef text, std::optional<size_t> start) {
  std::vector<Word> words;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (!quote && llvm::isSpace(c)) {
      inWord = false;
      continue;
    }
    if (!inWord)
      words.emplace_back();
    inWord = true;
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      continue;
    }
    words.back().text += c;
    if (start)
      words.back().places.push_back(*start + i);
  }
  return words;
}

std::vector<Word> ls::optionsOf(const Text &text) {
  std::vector<Word> words;
  for (size_t number = 0; number < text.numLines(); ++number) {
    StringRef line = text.line(number), rest = line.ltrim();
    if (!rest.consume_front("#"))
      continue;
    rest = rest.ltrim();
    if (!rest.consume_front("tilec:"))
      continue;
    llvm::append_range(words,
                       splitOptions(rest, text.startOfLine(number) + (rest.data() - line.data())));
  }
  return words;
}

namespace {

/// Reads the words one after the other.
class Reader {
public:
  Reader(llvm::ArrayRef<Word> words, StringRef folder) : words(words), folder(folder) {}
  CheckOptions read();

private:
  void readWord(const Word &word);
  std::optional<Word> valueOf(const Word &word, StringRef name);
  void readDefinition(const Word &definition);
  void readKernels(StringRef list);
  void readArch(const Word &value);
  void readNumber(const Word &value, StringRef what, unsigned most, bool isPower, unsigned &number);
  void error(const Word &word, const llvm::Twine &message) {
    options.errors.push_back({word, message.str()});
  }

  llvm::ArrayRef<Word> words;
  StringRef folder;
  size_t next = 0;
  CheckOptions options;
};

} // namespace

/// The value of `--name=VALUE` or `--name VALUE` if `word` is that option.
std::optional<Word> Reader::valueOf(const Word &word, StringRef name) {
  StringRef text = word.text;
  if (!text.consume_front(name))
    return std::nullopt;
  if (text.consume_front("="))
    return word.drop(name.size() + 1);
  if (!text.empty())
    return std::nullopt;
  if (next < words.size())
    return words[next++];
  error(word, "missing value of '" + name + "'");
  return Word();
}

void Reader::readDefinition(const Word &definition) {
  auto [target, value] = StringRef(definition.text).split('=');
  if (target.empty() || target.size() == definition.text.size())
    return error(definition, "expected '-D NAME=VALUE', found '-D " + definition.text + "'");
  StringRef kernel, name = target;
  if (target.contains('.'))
    std::tie(kernel, name) = target.split('.');
  options.definitions.push_back(
      {kernel.trim().str(), name.trim().str(), definition.drop(target.size() + 1)});
}

void Reader::readKernels(StringRef list) {
  llvm::SmallVector<StringRef> names;
  list.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    options.kernels.push_back(name.trim().str());
}

void Reader::readArch(const Word &value) {
  llvm::Expected<GpuArch> arch = GpuArch::parse(value.text);
  if (arch)
    options.arch = *arch;
  else
    error(value, llvm::toString(arch.takeError()));
}

void Reader::readNumber(const Word &value, StringRef what, unsigned most, bool isPower,
                        unsigned &number) {
  unsigned read = 0;
  bool fits = !StringRef(value.text).getAsInteger(10, read) && read >= 1 && read <= most;
  if (!fits || (isPower && !llvm::isPowerOf2_32(read)))
    return error(value, "expected " + what + " to be " + (isPower ? "a power of two " : "") +
                            "from 1 to " + llvm::Twine(most) + ", found '" + value.text + "'");
  number = read;
}

void Reader::readWord(const Word &word) {
  StringRef text = word.text;
  if (std::optional<Word> value = valueOf(word, "--sig"))
    options.signatures.push_back(*value);
  else if (std::optional<Word> value = valueOf(word, "--kernel"))
    readKernels(value->text);
  else if (std::optional<Word> value = valueOf(word, "--arch"))
    readArch(*value);
  else if (std::optional<Word> value = valueOf(word, "--num-warps"))
    readNumber(*value, "--num-warps", 32, true, options.numWarps);
  else if (std::optional<Word> value = valueOf(word, "--num-ctas"))
    readNumber(*value, "--num-ctas", 16, true, options.numCTAs);
  else if (std::optional<Word> value = valueOf(word, "--num-stages"))
    readNumber(*value, "--num-stages", 64, false, options.numStages);
  else if (text == "--debug")
    options.debug = true;
  else if (text.starts_with("-D"))
    readDefinition(text.size() == 2 && next < words.size() ? words[next++] : word.drop(2));
  else if (text.starts_with("-I")) {
    Word value = text.size() == 2 && next < words.size() ? words[next++] : word.drop(2);
    llvm::SmallString<128> path(value.text);
    llvm::sys::path::make_absolute(folder, path);
    options.folders.push_back(path.str().str());
  } else {
    llvm::StringRef known[] = {"--sig",        "--kernel",   "--arch", "--num-warps",
                               "--num-stages", "--num-ctas", "--debug"};
    std::optional<StringRef> near = closestName(text.split('=').first, known);
    error(word, "unknown option '" + text + "'" +
                    (near ? "; did you mean '" + near->str() + "'?"
                          : "; expected --sig, -D, --kernel, --arch, --num-warps, --num-ctas, "
                            "--num-stages, --debug or -I"));
  }
}

CheckOptions Reader::read() {
  while (next < words.size())
    readWord(words[next++]);
  return std::move(options);
}

CheckOptions ls::readOptions(llvm::ArrayRef<Word> words, StringRef folder) {
  return Reader(words, folder).read();
}
