// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_order.h"

#include <gmock/gmock.h>

#include "workloads/loader/order.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Indices = std::vector<std::int64_t>;

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

TEST(BatchOrder, ASeparateEpochEndsWithAPartialBatchUnlessThatIsDropped) {
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

TEST(BatchOrder, ABatchOfJoinedEpochsHoldsTheEndOfOneAndTheBeginningOfTheNext) {
  const loader::EpochOrder shuffled = loader::shuffled_order(3, 5);
  loader::BatchOrder order(3, {.batch_size = 2, .joined = true}, shuffled);
  order.begin(4);
  EXPECT_EQ(order.batches(), loader::kEndless);
  const Indices fourth = shuffled(4);
  const Indices fifth = shuffled(5);
  EXPECT_THAT(samples_of(*order.next()), ElementsAre(Pair(4, fourth[0]), Pair(4, fourth[1])));
  EXPECT_THAT(samples_of(*order.next()), ElementsAre(Pair(4, fourth[2]), Pair(5, fifth[0])));
  EXPECT_THAT(samples_of(*order.next()), ElementsAre(Pair(5, fifth[1]), Pair(5, fifth[2])));
}

TEST(BatchOrder, ABatchLargerThanTheDataSetHoldsSeveralEpochs) {
  loader::BatchOrder order(2, {.batch_size = 5, .joined = true}, loader::sequential_order(2));
  order.begin(0);
  EXPECT_THAT(samples_of(*order.next()),
              ElementsAre(Pair(0, 0), Pair(0, 1), Pair(1, 0), Pair(1, 1), Pair(2, 0)));
  EXPECT_THAT(samples_of(*order.next()),
              ElementsAre(Pair(2, 1), Pair(3, 0), Pair(3, 1), Pair(4, 0), Pair(4, 1)));
}

TEST(BatchOrder, JoinedBatchesAreTheEpochsInARowWhateverTheSizes) {
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

TEST(BatchOrder, BatchesUnderWayKeepTheirIndicesWhenEpochsAreAppended) {
  loader::BatchOrder order(4, {.batch_size = 2, .joined = true}, loader::sequential_order(4));
  order.begin(0);
  std::vector<loader::BatchSamples> held;
  for (int i = 0; i < 9; ++i) held.push_back(*order.next());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(held[i].indices.front(), i % 2 == 0 ? 0 : 2);
    EXPECT_EQ(held[i].indices.back(), i % 2 == 0 ? 1 : 3);
  }
}

TEST(BatchOrder, WithoutSamplesEvenJoinedEpochsEnd) {
  loader::BatchOrder order(0, {.batch_size = 2, .joined = true}, loader::sequential_order(0));
  order.begin(0);
  EXPECT_EQ(order.batches(), 0);
  EXPECT_FALSE(order.next().has_value());
}

TEST(BatchOrder, OnlyItsReadersKnowWhereAnIterableDataSetEnds) {
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
