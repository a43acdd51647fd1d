// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batches.h"

#include "tests/testing.h"

namespace stepbench {
namespace {

using Indices = std::vector<std::int64_t>;
using testing::UnorderedElementsAreArray;

TEST(EpochOrder, Sequential_IsTheSameEachEpoch) {
  EXPECT_THAT(loader::sequential_order(4)(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(loader::sequential_order(4)(9), ElementsAre(0, 1, 2, 3));
}

TEST(EpochOrder, Shuffle_DependsOnSeedAndEpoch) {
  const loader::EpochOrder order = loader::shuffled_order(100, 3);
  EXPECT_THAT(order(0), UnorderedElementsAreArray(loader::sequential_order(100)(0)));
  EXPECT_EQ(order(5), loader::shuffled_order(100, 3)(5));
  EXPECT_NE(order(0), order(1));
  EXPECT_NE(order(0), loader::shuffled_order(100, 4)(0));
}

TEST(BatchCut, PartialBatch_IsKeptOrDropped) {
  const std::vector<std::int64_t> order = {4, 3, 2, 1, 0};
  const loader::BatchCut keep(order, 2, false);
  ASSERT_EQ(keep.count(), 3);
  EXPECT_THAT(keep[0], ElementsAre(4, 3));
  EXPECT_THAT(keep[2], ElementsAre(0));
  EXPECT_EQ(loader::BatchCut(order, 2, true).count(), 2);
  EXPECT_EQ(loader::BatchCut(order, 8, false).count(), 1);
  EXPECT_EQ(loader::BatchCut(order, 8, true).count(), 0);
  EXPECT_EQ(loader::BatchCut({}, 8, false).count(), 0);
}

TEST(Order, Replacement_RepeatsSomeSamples) {
  const loader::EpochOrder order = loader::drawn_order(1000, 1000, 3);
  const std::vector<std::int64_t> first = order(0);
  EXPECT_EQ(first.size(), 1000U);
  EXPECT_EQ(order(0), first);
  EXPECT_NE(order(1), first);
  const std::set<std::int64_t> seen(first.begin(), first.end());
  EXPECT_GE(*seen.begin(), 0);
  EXPECT_LT(*seen.rbegin(), 1000);
  EXPECT_NEAR(static_cast<double>(seen.size()), 632, 60);  // 1 - 1/e of them
}

TEST(Order, Weights_SetTheDraws) {
  const loader::EpochOrder order = loader::weighted_order({1, 0, 3}, 4000, true, 3);
  const std::vector<std::int64_t> first = order(0);
  ASSERT_EQ(first.size(), 4000U);
  EXPECT_EQ(order(0), first);
  EXPECT_NE(order(1), first);
  EXPECT_EQ(std::ranges::count(first, 1), 0);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(first, 2)), 3000, 150);  // five sigma
}

TEST(Order, WeightsWithoutReplacement_NeverRepeat) {
  const loader::EpochOrder order = loader::weighted_order({1, 1000, 1, 0, 1}, 4, false, 3);
  int first = 0;
  for (std::int64_t epoch = 0; epoch < 100; ++epoch) {
    const std::vector<std::int64_t> drawn = order(epoch);
    EXPECT_THAT(drawn, UnorderedElementsAreArray({0, 1, 2, 4}));
    first += drawn[0] == 1 ? 1 : 0;
  }
  EXPECT_GT(first, 95);
}

// DistributedSampler with ten samples: with four ranks, two of them come twice.
TEST(Order, Ranks_AlternateAndGetEqualCounts) {
  const loader::EpochOrder all = loader::sequential_order(10);
  EXPECT_THAT(loader::order_of_rank(all, 0, 4)(0), ElementsAre(0, 4, 8));
  EXPECT_THAT(loader::order_of_rank(all, 1, 4)(0), ElementsAre(1, 5, 9));
  EXPECT_THAT(loader::order_of_rank(all, 2, 4)(0), ElementsAre(2, 6, 0));
  EXPECT_THAT(loader::order_of_rank(all, 3, 4)(0), ElementsAre(3, 7, 1));
  EXPECT_THAT(loader::order_of_rank(loader::sequential_order(1), 2, 3)(0), ElementsAre(0));
  EXPECT_THAT(loader::order_of_rank(all, 0, 1)(0), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_FALSE(loader::order_of_rank({}, 1, 2)) << "of an iterable data set";
  EXPECT_EQ(loader::epoch_batches(10, {.batch_size = 2, .rank = 3, .world = 4}), 2);
  EXPECT_EQ(loader::epoch_batches(10, {.batch_size = 2, .drop_last = true, .world = 4}), 1);
}

TEST(Order, Epoch_HasAsManySamplesAsDrawn) {
  EXPECT_EQ(loader::epoch_batches(10, {.batch_size = 4}), 3);
  EXPECT_EQ(loader::epoch_batches(10, {.batch_size = 4, .num_samples = 5}), 2);
  EXPECT_EQ(loader::epoch_batches(-1, {.batch_size = 4}), -1);
}

std::vector<Indices> until_the_end(loader::BatchOrder& order) {
  std::vector<Indices> batches;
  while (const auto batch = order.next()) {
    batches.emplace_back(batch->indices.begin(), batch->indices.end());
  }
  return batches;
}

// Epoch and index of each sample.
std::vector<std::pair<std::int64_t, std::int64_t>> samples_of(const loader::BatchSamples& batch) {
  std::vector<std::pair<std::int64_t, std::int64_t>> samples;
  for (std::size_t i = 0; i < batch.indices.size(); ++i) {
    samples.emplace_back(batch.epoch_of(static_cast<std::int64_t>(i)), batch.indices[i]);
  }
  return samples;
}

TEST(BatchOrder, SeparateEpoch_MayEndPartially) {
  loader::BatchOrder keep(5, {.batch_size = 2}, loader::sequential_order(5));
  EXPECT_FALSE(keep.next().has_value()) << "no epoch has begun";
  for (const std::int64_t epoch : {0, 7}) {
    keep.begin(epoch);
    EXPECT_EQ(keep.batches(), 3);
    EXPECT_THAT(until_the_end(keep),
                ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
    EXPECT_FALSE(keep.next().has_value());
  }
  loader::BatchOrder drop(5, {.batch_size = 2, .drop_last = true}, loader::sequential_order(5));
  drop.begin(0);
  EXPECT_EQ(drop.batches(), 2);
  EXPECT_EQ(until_the_end(drop).size(), 2U);
}

TEST(BatchOrder, JoinedBatches_FollowTheEpochs) {
  for (const std::int64_t size : {1, 2, 3, 7, 10}) {
    for (const std::int64_t batch_size : {1, 2, 3, 4, 25}) {
      const loader::EpochOrder shuffled = loader::shuffled_order(size, 9);
      loader::BatchOrder order(size, {.batch_size = batch_size, .joined = true}, shuffled);
      order.begin(0);
      std::int64_t at = 0;
      for (int i = 0; i < 20; ++i) {
        for (const auto& [epoch, index] : samples_of(*order.next())) {
          ASSERT_EQ(epoch, at / size);
          ASSERT_EQ(index, shuffled(epoch).at(static_cast<std::size_t>(at % size)));
          ++at;
        }
      }
      EXPECT_EQ(at, 20 * batch_size);
    }
  }
}

TEST(BatchOrder, AppendedEpochs_KeepEarlierIndices) {
  loader::BatchOrder order(4, {.batch_size = 2, .joined = true}, loader::sequential_order(4));
  order.begin(0);
  std::vector<loader::BatchSamples> held;
  for (int i = 0; i < 9; ++i) held.push_back(*order.next());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(held[i].indices.front(), i % 2 == 0 ? 0 : 2);
    EXPECT_EQ(held[i].indices.back(), i % 2 == 0 ? 1 : 3);
  }
}

TEST(BatchOrder, NoSamples_EndJoinedEpochsToo) {
  loader::BatchOrder order(0, {.batch_size = 2, .joined = true}, loader::sequential_order(0));
  order.begin(0);
  EXPECT_EQ(order.batches(), 0);
  EXPECT_FALSE(order.next().has_value());
}

TEST(BatchOrder, IterableData_HasNoKnownEnd) {
  for (const bool joined : {false, true}) {
    loader::BatchOrder order(-1, {.batch_size = 3, .joined = joined}, {});
    order.begin(6);
    EXPECT_EQ(order.batches(), loader::kEndless);
    for (int i = 0; i < 3; ++i) {
      const auto batch = order.next();
      EXPECT_EQ(batch->indices.size(), 3U);
      EXPECT_EQ(batch->epoch, 6);
    }
  }
}

}  // namespace
}  // namespace stepbench
