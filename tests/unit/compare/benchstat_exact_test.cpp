// SPDX-License-Identifier: Apache-2.0
// Counts that are compared exactly, against what benchstat says of the same files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/compare/judge.h"
#include "tests/unit/stats/go_benchmarks.h"

namespace stepbench::compare {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class BenchstatExact : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(testing_stats::public_series())) {
      GTEST_SKIP() << "the published series are not on this machine";
    }
  }
  static TestResult judged(const std::string& file, const std::string& name) {
    const auto path = testing_stats::public_series() / "golang_benchstat" / file;
    const PairedSamples samples{.base = testing_stats::read_go(path, "before").at(name),
                                .candidate = testing_stats::read_go(path, "after").at(name),
                                .exact = true};
    return judge({&samples, 1}, {}).tests.front();
  }
};

TEST_F(BenchstatExact, OneValueEachIsEnough) {
  const TestResult size = judged("units.txt", "Size text-bytes");
  EXPECT_EQ(size.verdict, Verdict::kRegression);
  EXPECT_NEAR(size.change.value(), 0.05, 1e-12);
  EXPECT_THAT(size.notes, IsEmpty());
}

TEST_F(BenchstatExact, VaryingValuesAreWarnedOf) {
  const TestResult varying = judged("units.txt", "NonExact text-bytes");
  EXPECT_THAT(varying.notes,
              Contains(HasSubstr("exact distribution expected, but values range from 100 to 101")));
}

TEST_F(BenchstatExact, ImperceptibleChangesAreSeenToTheByte) {
  EXPECT_EQ(judged("zero.txt", "Imperceptible a-bytes").verdict, Verdict::kOk);
  EXPECT_EQ(judged("zero.txt", "Imperceptible b-bytes").verdict, Verdict::kRegression);
  EXPECT_EQ(judged("zero.txt", "Imperceptible c-bytes").verdict, Verdict::kImprovement);
}

TEST_F(BenchstatExact, ZeroToZeroIsEqualAndZeroToSomethingHasNoPercentage) {
  EXPECT_EQ(judged("zero.txt", "ZeroOverZero x").verdict, Verdict::kOk);
  const TestResult from_zero = judged("zero.txt", "NonZeroOverZero y");
  EXPECT_EQ(from_zero.verdict, Verdict::kRegression);
  EXPECT_FALSE(from_zero.change.has_value());
}

}  // namespace
}  // namespace stepbench::compare
