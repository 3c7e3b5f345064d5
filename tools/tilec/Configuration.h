//===- Configuration.h - what is left open of a kernel ---------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_CONFIGURATION_H
#define TILEC_TOOLS_TILEC_CONFIGURATION_H

#include "tilec/Compiler/Compiler.h"
#include "tilec/Language/Decorators.h"

/// The configurations of the kernel's @triton.autotune, if they set parameters that neither the
/// request nor a default gives a value; otherwise none. Reports nothing.
std::vector<tilec::TuneConfig> findOpenConfigs(tilec::Compilation &compilation,
                                               const tilec::ast::FunctionDef &kernel,
                                               const tilec::KernelRequest &request);

/// Adds to the request what `config` sets and the request leaves open.
void addConfig(const tilec::TuneConfig &config, tilec::KernelRequest &request);

/// The options of the command line that would choose `config` for such a request:
/// "-DBLOCK=64 --num-warps=4".
std::string optionsFor(const tilec::TuneConfig &config, const tilec::KernelRequest &request);

/// Whether each parameter of the kernel has a constant, a default or a type in the source.
bool describesItself(const tilec::ast::FunctionDef &kernel, const tilec::KernelRequest &request);

#endif // TILEC_TOOLS_TILEC_CONFIGURATION_H
