//===- Check.h - Each layer beside float64 -------------------------*- C++ -*-===//

#ifndef TRANSFORMER_CHECK_H
#define TRANSFORMER_CHECK_H

#include "Model.h"

/// Runs the prompts, and `tokens` tokens after them. What each layer gives is compared with what
/// float64 makes of the same input; prints the largest errors, and clears `fine` if one is too
/// large. Also checks that the tokens chosen are among those that may be.
tilec::Status checkModel(const Place &place, const Settings &settings, const Weights &weights,
                         const std::vector<std::vector<int>> &prompts, bool &fine);

#endif // TRANSFORMER_CHECK_H
