//===- options.h - Options of an example's command line ----------*- C++ -*-===//
//
// Each option is a variable with its default: --name=value, where the value is a number, some
// numbers, or one of a few words.
//
//   Options options("example-matmul");
//   options.number("m", m, 1, 1 << 20);
//   options.choice("device", device, {"auto", "cuda", "cpu"});
//   if (!options.parse(argc, argv))
//     return 2;
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EXAMPLES_OPTIONS_H
#define TILEC_EXAMPLES_OPTIONS_H

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

class Options {
public:
  explicit Options(std::string programName) : program(std::move(programName)) {}

  /// A number from `least` to `most`.
  void number(const char *name, int &value, int least, int most) {
    add(name, rangeText("N", least, most),
        [=, &value](const std::string &text) { return readNumber(text, least, most, value); });
  }
  /// Numbers with commas between them.
  void numbers(const char *name, std::vector<int> &values, int least, int most) {
    add(name, rangeText("N,N,..", least, most),
        [=, &values](const std::string &text) { return readNumbers(text, least, most, values); });
  }
  /// A number with a fraction, from `least` to `most`.
  void real(const char *name, float &value, float least, float most) {
    add(name, "X", [=, &value](const std::string &text) {
      char *end;
      value = std::strtof(text.c_str(), &end);
      return !text.empty() && !*end && value >= least && value <= most;
    });
  }
  /// Any text but none.
  void text(const char *name, const char *what, std::string &value) {
    add(name, what, [&value](const std::string &given) { return !(value = given).empty(); });
  }
  /// One of `words`.
  void choice(const char *name, std::string &value, const std::vector<std::string> &words) {
    std::string shown;
    for (const std::string &word : words)
      shown += (shown.empty() ? "" : "|") + word;
    add(name, shown, [=, &value](const std::string &text) {
      value = text;
      for (const std::string &word : words)
        if (word == text)
          return true;
      return false;
    });
  }
  /// An option without a value.
  void flag(const char *name, bool &value) {
    known.push_back({name, "", [&value](const std::string &) { return value = true; }});
  }

  /// Reads the command line. If that fails, says why, and what there is, to standard error.
  bool parse(int argc, char **argv) const {
    for (int i = 1; i < argc; ++i) {
      if (parse(argv[i]))
        continue;
      std::fprintf(stderr, "error: '%s' is no option of this program\nusage: %s%s\n", argv[i],
                   program.c_str(), usage().c_str());
      return false;
    }
    return true;
  }

private:
  struct Option {
    std::string name, values;
    std::function<bool(const std::string &)> read;
  };

  void add(const char *name, std::string values, std::function<bool(const std::string &)> read) {
    known.push_back({name, std::move(values), std::move(read)});
  }
  bool parse(const std::string &argument) const {
    size_t equals = argument.find('=');
    bool hasValue = equals != std::string::npos;
    for (const Option &option : known)
      if (argument.substr(0, equals) == "--" + option.name && hasValue == !option.values.empty())
        return option.read(hasValue ? argument.substr(equals + 1) : "");
    return false;
  }
  std::string usage() const {
    std::string text;
    for (const Option &option : known)
      text += "\n  --" + option.name + (option.values.empty() ? "" : "=" + option.values);
    return text;
  }

  static std::string rangeText(const char *what, int least, int most) {
    return std::string(what) + "  (" + std::to_string(least) + " to " + std::to_string(most) + ")";
  }
  static bool readNumber(const std::string &text, int least, int most, int &value) {
    char *end;
    errno = 0;
    long number = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end || errno || number < least || number > most)
      return false;
    value = int(number);
    return true;
  }
  static bool readNumbers(const std::string &text, int least, int most, std::vector<int> &values) {
    values.clear();
    for (size_t start = 0, comma = 0; comma != std::string::npos; start = comma + 1) {
      comma = text.find(',', start);
      int value;
      if (!readNumber(text.substr(start, comma - start), least, most, value))
        return false;
      values.push_back(value);
    }
    return true;
  }

  std::string program;
  std::vector<Option> known;
};

#endif // TILEC_EXAMPLES_OPTIONS_H
