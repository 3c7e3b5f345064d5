//===- Support.h - What tests of compiled objects share ------------------*- C++ -*-===//

#ifndef TILEC_UNITTESTS_ARTIFACT_SUPPORT_H
#define TILEC_UNITTESTS_ARTIFACT_SUPPORT_H

#include "tilec/launch.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

/// Success, or a failure with the message.
inline ::testing::AssertionResult isFine(const tilec::Status &status) {
  if (status)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.message();
}

#define EXPECT_FINE(STATUS) EXPECT_TRUE(isFine(STATUS))

#endif // TILEC_UNITTESTS_ARTIFACT_SUPPORT_H
