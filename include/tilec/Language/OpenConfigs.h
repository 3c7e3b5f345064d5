//===- OpenConfigs.h - What a request for a kernel leaves open --*- C++ -*-===//
//
// Tools that compile one kernel for one use complete what the user has given: by a configuration of
// @triton.autotune for constants that only it sets, and by types that the source declares.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_OPENCONFIGS_H
#define TILEC_LANGUAGE_OPENCONFIGS_H

#include "tilec/Language/Decorators.h"

namespace tilec {

/// The configurations of the kernel's @triton.autotune, if they set parameters that neither the
/// request nor a default gives a value; otherwise none. Reports nothing. `sourceMgr` holds the text
/// of `module`, whose function `kernel` is.
std::vector<TuneConfig> findOpenConfigs(const ast::Module &module, llvm::SourceMgr &sourceMgr,
                                        Imports *imports, const ast::FunctionDef &kernel,
                                        const KernelRequest &request);

/// Adds to the request what `config` sets and the request leaves open.
void addConfig(const TuneConfig &config, KernelRequest &request);

/// The options of the command line that would choose `config` for such a request:
/// "-DBLOCK=64 --num-warps=4".
std::string optionsFor(const TuneConfig &config, const KernelRequest &request);

/// Whether each parameter of the kernel has a constant, a default or a type in the source.
bool describesItself(const ast::FunctionDef &kernel, const KernelRequest &request);

} // namespace tilec

#endif // TILEC_LANGUAGE_OPENCONFIGS_H
