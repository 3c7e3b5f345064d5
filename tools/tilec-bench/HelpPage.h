//===- HelpPage.h - what tilec-bench --help says ---------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_HELPPAGE_H
#define TILEC_TOOLS_TILEC_BENCH_HELPPAGE_H

#include "Help.h"

namespace tilec::bench {

/// The page without its groups of options.
HelpPage helpPage();

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_HELPPAGE_H
