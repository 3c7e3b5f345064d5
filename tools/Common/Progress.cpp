//===- Progress.cpp - how far the run is -----------------------*- C++ -*-===//

#include "Progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

std::string tilec::progressLine(unsigned done, unsigned total, double seconds,
                                llvm::StringRef text) {
  constexpr unsigned width = 24;
  unsigned filled = total ? width * done / total : width;
  std::string line = "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
                     std::to_string(done) + "/" + std::to_string(total);
  if (done != 0 && seconds > 2)
    line += ", " + std::to_string(unsigned(seconds / done * (total - done) + 0.5)) + " s left";
  return line + " " + text.str();
}

Progress::Progress(unsigned total)
    : total(total), isShown(llvm::sys::Process::StandardErrIsDisplayed()),
      start(std::chrono::steady_clock::now()) {}

void Progress::step(llvm::StringRef text) {
  if (isShown) {
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    // \033[K clears what a longer line left.
    llvm::errs() << '\r' << progressLine(done, total, passed.count(), text) << "\033[K";
    isDrawn = true;
  }
  ++done;
}

void Progress::clear() {
  if (isDrawn)
    llvm::errs() << "\r\033[K";
  isDrawn = false;
}
