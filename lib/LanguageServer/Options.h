//===- Options.h - How kernels of an open file are compiled -----*- C++ -*-===//
//
// The types of a kernel's parameters are known from its launches, which an editor does not see. A
// file says them in comments, by the options of tilec's command line:
//
//   # tilec: --sig=add:x=*fp32,y=*fp32,out=*fp32,n=i32 -DBLOCK=128
//
// All such lines of a file are one command line. Options from the settings of the editor come
// before them. What is wrong with an option is reported where it is written.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_OPTIONS_H
#define TILEC_LIB_LANGUAGESERVER_OPTIONS_H

#include "Text.h"
#include "tilec/Arch/GpuArch.h"
#include "llvm/ADT/SmallVector.h"

namespace tilec::ls {

/// A word of a command line without its quotes, and the offset of each character in the file.
/// `places` is empty for a word of the settings.
struct Word {
  std::string text;
  llvm::SmallVector<size_t, 0> places;

  Word drop(size_t count) const;
  /// Where it is, as a pair of offsets; nothing for the settings.
  std::optional<std::pair<size_t, size_t>> extent() const;
};

/// `-D [KERNEL.]NAME=VALUE`
struct DefinitionOption {
  std::string kernel, name;
  Word value;
};

struct OptionError {
  Word word;
  std::string message;
};

/// What `tilec -fsyntax-only` would be told.
struct CheckOptions {
  std::vector<Word> signatures;
  std::vector<DefinitionOption> definitions;
  std::vector<std::string> kernels;
  std::vector<std::string> folders;
  GpuArch arch = *GpuArch::forDevice(8, 0); // tilec's default.
  unsigned numWarps = 0, numCTAs = 0, numStages = 0;
  bool debug = false;
  std::vector<OptionError> errors;

  bool isEmpty() const { return signatures.empty() && kernels.empty(); }
};

/// Splits a line of options at blanks that are in no quotes. `start` is the offset of the text in
/// its file, or nothing.
std::vector<Word> splitOptions(llvm::StringRef text, std::optional<size_t> start);

/// The options of the comments of a file.
std::vector<Word> optionsOf(const Text &text);

/// Reads options; `folder` is where relative folders of -I start.
CheckOptions readOptions(llvm::ArrayRef<Word> words, llvm::StringRef folder);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_OPTIONS_H
