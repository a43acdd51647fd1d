// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/torch_order.h"

#include "tests/testing.h"
#include "tests/workloads/python.h"
#include "workloads/loader/batches.h"

namespace stepbench {
namespace {

TEST(EpochOrder, EachOption_MatchesTorchsDataLoader) {
  std::istringstream lines(test::run_python("epoch_order.py", {}));
  int compared = 0;
  for (std::string line; std::getline(lines, line); ++compared) {
    std::istringstream words(line);
    transfer::OrderOptions options;
    std::int64_t epoch = 0;
    bool weighted = false;
    words >> options.size >> options.seed >> options.shuffle >> options.with_replacement >>
        options.one_iterator >> weighted >> options.num_samples >> epoch;
    for (std::int64_t i = 0; weighted && i < options.size; ++i)
      options.weights.push_back(static_cast<double>((i * 7919 + 1) % 13) * 0.37);
    const std::vector<std::int64_t> python{std::istream_iterator<std::int64_t>(words), {}};
    EXPECT_EQ(transfer::torch_epoch_order(options)(epoch), python)
        << "seed " << options.seed << ", epoch " << epoch << ", one iterator "
        << options.one_iterator << ", weighted " << weighted;
  }
  EXPECT_EQ(compared, 48 + 96 + 36 + 48);
}

TEST(EpochOrder, Shuffle_IsTheSameWithoutTorch) {
  for (const std::int64_t size : {1, 2, 10, 1000, 70'001}) {
    for (const std::uint64_t seed : {0ULL, 7ULL, (1ULL << 40U) + 3}) {
      for (const bool one_iterator : {false, true}) {
        const loader::EpochOrder here = loader::python_shuffle(size, seed, one_iterator);
        const loader::EpochOrder torch = transfer::torch_epoch_order(
            {.size = size, .shuffle = true, .seed = seed, .one_iterator = one_iterator});
        for (const std::int64_t epoch : {0, 1, 4}) EXPECT_EQ(here(epoch), torch(epoch)) << size;
      }
    }
  }
}

TEST(EpochOrder, EarlierEpochs_DoNotMatter) {
  for (const std::vector<double>& weights : {std::vector<double>{}, std::vector<double>(50, 1)}) {
    const loader::EpochOrder order = transfer::torch_epoch_order(
        {.size = 50, .shuffle = true, .with_replacement = false, .weights = weights, .seed = 1});
    const auto third = order(2);
    (void)order(0);
    (void)order(1);
    EXPECT_EQ(order(2), third);
    EXPECT_EQ(order(2), third);
    EXPECT_NE(order(3), third);
  }
}

}  // namespace
}  // namespace stepbench
