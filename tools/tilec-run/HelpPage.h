//===- HelpPage.h - what tilec-run --help says -----------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_RUN_HELPPAGE_H
#define TILEC_TOOLS_TILEC_RUN_HELPPAGE_H

#include "Help.h"

/// The page without its groups of options.
tilec::HelpPage helpPage();

#endif // TILEC_TOOLS_TILEC_RUN_HELPPAGE_H
