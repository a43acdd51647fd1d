// SPDX-License-Identifier: Apache-2.0
#include "harness/track/one_sided.h"

#include <gtest/gtest.h>

#include <string>

namespace stepbench::track {
namespace {

// '+' worse, '-' better; 'n' worse and not reproduced; 'o' worse and not measured.
AlertLog alerts_of(const std::string& kinds) {
  AlertLog log;
  for (const char kind : kinds) {
    Alert alert;
    alert.worse = kind != '-';
    AlertSeries series;
    if (kind != 'o') series.measured.push_back({.reproduced = kind != 'n'});
    alert.series.push_back(series);
    log.alerts.push_back(alert);
  }
  return log;
}

TEST(OneSided, WarnsOfThirtyConfirmedChangesThatAllGoOneWay) {
  EXPECT_TRUE(one_sided_warning(alerts_of("")).empty());
  EXPECT_TRUE(one_sided_warning(alerts_of(std::string(29, '+'))).empty());
  EXPECT_NE(one_sided_warning(alerts_of(std::string(30, '+'))).find("for the worse"),
            std::string::npos);
  EXPECT_NE(one_sided_warning(alerts_of(std::string(30, '-'))).find("for the better"),
            std::string::npos);
}

TEST(OneSided, OneAmongTheNewestThirtyThatGoesTheOtherWayIsEnough) {
  EXPECT_TRUE(one_sided_warning(alerts_of("-" + std::string(29, '+'))).empty());
  EXPECT_FALSE(one_sided_warning(alerts_of("-" + std::string(30, '+'))).empty());
}

TEST(OneSided, WhatWasNotReproducedDoesNotCount) {
  EXPECT_TRUE(one_sided_warning(alerts_of(std::string(29, '+') + "no")).empty());
  EXPECT_FALSE(one_sided_warning(alerts_of(std::string(30, '+') + "no")).empty());
}

}  // namespace
}  // namespace stepbench::track
