//===- HostTestSupport.h - compile and run tile IR in tests ----*- C++ -*-===//

#ifndef TILEC_UNITTESTS_TARGET_HOST_HOSTTESTSUPPORT_H
#define TILEC_UNITTESTS_TARGET_HOST_HOSTTESTSUPPORT_H

#include "tilec/Target/Host.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

namespace tilec {

/// Compiles the first kernel of `text`. Null, after a test failure, when that fails.
std::unique_ptr<HostKernel> compileText(llvm::StringRef text, const HostOptions &options = {});

/// The text of the error that compiling `text` must end with, diagnostics first, one a line.
std::string compileError(llvm::StringRef text, const HostOptions &options = {});

/// Threads that all tests share.
HostThreads &testThreads();

/// Runs and expects success.
void runKernel(const HostKernel &kernel, HostGrid grid, llvm::ArrayRef<HostArgument> arguments);

/// The processors that a test of arithmetic covers: this one, and where it is an x86 the oldest
/// 64-bit one, which has neither multiply-add nor conversions of f16.
std::vector<HostOptions> testedProcessors();

inline HostArgument arg(const void *address) { return HostArgument::pointer(address); }
inline HostArgument arg(int64_t value) { return HostArgument::integer(value); }
inline HostArgument arg(int value) { return HostArgument::integer(value); }
inline HostArgument arg(double value) { return HostArgument::floating(value); }

/// Text of a kernel (%x, %y: pointers, %n: i32) that maps blocks of 256 elements: `body` computes
/// %r from %a (and %b, where `second` is not empty: then it is (%x, %z, %y, %n)). "TA", "TB" and
/// "TR" in it stand for the tile types of %a, %b and %r.
std::string elementwiseText(const std::string &in, const std::string &out, const std::string &body,
                            const std::string &second = "");

/// `text` with every `from` replaced.
std::string replaceAll(std::string text, const std::string &from, const std::string &to);

/// The bits of `value` rounded to a 16-bit format, and back.
uint16_t toHalf(double value, const llvm::fltSemantics &format);
double fromHalf(uint16_t bits, const llvm::fltSemantics &format);

/// Distance of `found` from `expected` in units of the last place of `expected` as a float. 0 for
/// equal infinities and two NaN.
double ulpError(float found, double expected);

} // namespace tilec

#endif // TILEC_UNITTESTS_TARGET_HOST_HOSTTESTSUPPORT_H
