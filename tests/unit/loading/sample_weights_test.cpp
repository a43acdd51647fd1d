// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batches.h"

#include <unistd.h>

#include "tests/testing.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/internal/synthetic/synthetic.h"

namespace stepbench {
namespace {

class WeightsFile : public testing::Test {
 protected:
  ~WeightsFile() override { fs::remove(path_); }
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  static std::vector<double> weights(const std::string& file, std::int64_t samples,
                                     bool replacement = true, std::int64_t draws = 0) {
    return loader::sample_weights(
        test::IndexDataset(samples),
        {.with_replacement = replacement, .weights = file, .num_samples = draws});
  }

 private:
  std::string path_ = testing::TempDir() + "weights_" + std::to_string(::getpid()) + ".txt";
};

TEST(BalancedWeights, UnevenClasses_BecomeEquallyLikely) {
  EXPECT_THAT(loader::balanced_weights({0, 0, 7, 0, 0}), ElementsAre(.25, .25, 1, .25, .25));
  const data::Synthetic data({.samples = 500, .shape = {1}, .classes = 3});
  const loader::LoaderOptions options{.with_replacement = true, .weights = "balanced", .seed = 4};
  const std::vector<double> weights = loader::sample_weights(data, options);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 3, 1e-9);
}

TEST(BalancedWeights, NoClasses_IsRefused) {
  EXPECT_THAT([] { (void)loader::sample_weights(test::IndexDataset(3), {.weights = "balanced"}); },
              ThrowsMessage<ConfigError>(HasSubstr("loader.weights: balanced needs samples with")));
}

TEST_F(WeightsFile, AnySeparator_IsAccepted) {
  EXPECT_THAT(weights(write("1.5, 0\n2e-3\t7\r\n"), 4), ElementsAre(1.5, 0, 2e-3, 7));
}

TEST_F(WeightsFile, BadFile_NamesTheLine) {
  const auto says = [&](const std::string& text, const std::string& what) {
    const std::string file = write(text);
    EXPECT_THAT([&] { (void)weights(file, 3); },
                ThrowsMessage<ConfigError>(AllOf(StartsWith("loader.weights: "), HasSubstr(what))))
        << text;
  };
  says("1\n2\nthree\n", ".txt: line 3: expected a number, found 'three'");
  says("1 2 3x", "line 1: expected a number, found '3x'");
  says("1 2", "has 2 weights for 3 samples");
  says("1 2 3 4", "has 4 weights for 3 samples");
  says("", "has 0 weights for 3 samples");
  says("1 -2 3", "weight 1 is -2, expected a finite number that is not negative");
  says("1 2 nan", "weight 2 is nan");
  says("1 2 inf", "weight 2 is inf");
  says("0 0 0", "all weights are zero");
  EXPECT_THAT(
      [&] { (void)weights("/nowhere/w.txt", 3); },
      ThrowsMessage<ConfigError>(HasSubstr("cannot read /nowhere/w.txt; expected `balanced`")));
  EXPECT_THAT([&] { (void)weights("/dev/zero", 3); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read /dev/zero; expected `balanced`")));
}

TEST_F(WeightsFile, NoReplacement_LimitsTheDraws) {
  const std::string file = write("1 2 3");
  EXPECT_EQ(weights(file, 3, false, 3).size(), 3U);
  EXPECT_EQ(weights(file, 3, true, 9).size(), 3U);
  EXPECT_THAT([&] { (void)weights(file, 3, false, 4); },
              ThrowsMessage<ConfigError>(
                  "loader.num_samples: cannot draw 4 of 3 samples without replacement"));
}

}  // namespace
}  // namespace stepbench
