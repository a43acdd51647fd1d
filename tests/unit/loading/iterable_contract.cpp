// SPDX-License-Identifier: Apache-2.0
// Iterable data sets: each worker's share, and the end of epochs of several workers.
// tests/workloads/dispatch_order.py compares the Dispatcher with Python's own DataLoader.
#include "tests/unit/loading/counters.h"
#include "tests/unit/loading/loader_contract.h"
#include "tests/unit/loading/test_data.h"

namespace stepbench::test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

TEST_P(IterableContract, Workers_AlternateUntilAllEnd) {
  const Counters data({5, 1, 0});
  for (const std::int64_t prefetch : {1, 2, 5}) {
    for (const bool persistent : {false, true}) {
      const auto loader = make(data, {.batch_size = 2,
                                      .num_workers = 3,
                                      .prefetch_factor = prefetch,
                                      .persistent_workers = persistent});
      const Batches expected = {{0, 1}, {100}, {2, 3}, {4}};
      for (std::int64_t number = 0; number < 3; ++number) {
        EXPECT_EQ(epoch(*loader, number), expected) << prefetch << persistent;
      }
    }
  }
}

// Like Python's, where each worker has its own endless stream.
TEST_P(IterableContract, JoinedEpochs_RepeatEachShare) {
  const Counters data({5, 1, 0}, -1, 1000);
  for (const std::int64_t prefetch : {1, 2, 5}) {
    const auto loader = make(
        data, {.batch_size = 2, .joined = true, .num_workers = 3, .prefetch_factor = prefetch});
    for (int time = 0; time < 2; ++time) {
      loader->begin_epoch(0);
      for (const auto& expected : Batches{{0, 1},
                                          {100, 1100},
                                          {2, 3},
                                          {2100, 3100},
                                          {4, 1000},
                                          {4100, 5100},
                                          {1001, 1002},
                                          {6100, 7100}}) {
        const auto batch = loader->next();
        EXPECT_EQ(indices(*batch), expected) << prefetch;
        EXPECT_FALSE(batch->partial);
      }
    }
  }
}

TEST_P(IterableContract, EachWorker_DropsItsLastBatch) {
  const Counters data({5, 3});
  const auto loader = make(data, {.batch_size = 2, .num_workers = 2, .drop_last = true});
  EXPECT_THAT(epoch(*loader, 0),
              ElementsAre(ElementsAre(0, 1), ElementsAre(100, 101), ElementsAre(2, 3)));
}

TEST_P(IterableContract, Ranks_ReadDifferentShares) {
  const Counters data({2, 1, 3, 1});
  loader::LoaderOptions options{.batch_size = 1, .num_workers = 2, .rank = 1, .world = 2};
  EXPECT_EQ(epoch(*make(data, options), 0), (Batches{{200}, {300}, {201}, {202}}));
}

TEST_P(IterableContract, EmptyShares_EndAtOnce) {
  const Counters data({0, 0});
  for (const bool joined : {false, true}) {
    const auto loader = make(data, {.joined = joined, .num_workers = 2});
    EXPECT_THAT(epoch(*loader, 0), IsEmpty());
  }
}

TEST_P(IterableContract, Error_TakesItsBatchOnly) {
  const Counters data({4, 1}, 1);
  const auto loader = make(data, {.num_workers = 2});
  loader->begin_epoch(0);
  EXPECT_THAT(indices(*loader->next()), ElementsAre(0));
  EXPECT_THAT(indices(*loader->next()), ElementsAre(100));
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("loader worker 0: a.tar: entry 7: damaged"));
  EXPECT_THAT(indices(*loader->next()), ElementsAre(2));
  EXPECT_THAT(indices(*loader->next()), ElementsAre(3));
  EXPECT_FALSE(loader->next().has_value());
}

TEST_P(IterableContract, OutOfOrder_EachSampleComesOnce) {
  const Counters data({7, 0, 12, 1});
  const auto loader =
      make(data, {.batch_size = 1, .num_workers = 4, .prefetch_factor = 3, .in_order = false});
  std::vector<std::int64_t> seen;
  for (const auto& batch : epoch(*loader, 0)) seen.push_back(batch.at(0));
  std::ranges::sort(seen);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5, 6, 200, 201, 202, 203, 204, 205, 206, 207, 208,
                                209, 210, 211, 300));
}

TEST_P(IterableContract, Epoch_MayBeAbandoned) {
  const Counters data({50, 50});
  const auto loader = make(
      data, {.batch_size = 1, .num_workers = 2, .prefetch_factor = 4, .persistent_workers = true});
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    loader->begin_epoch(0);
    EXPECT_THAT(indices(*loader->next()), ElementsAre(0));
    EXPECT_THAT(indices(*loader->next()), ElementsAre(100));
  }
}

}  // namespace stepbench::test
