// SPDX-License-Identifier: Apache-2.0
// Iterable data sets: what each worker gets, and how epochs of several workers end. The order of
// Python's own DataLoader is held against the Dispatcher in tests/workloads/dispatch_order.py.
#include <gmock/gmock.h>

#include "tests/unit/loading/counters.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/fork/fork_loader.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/thread/thread_loader.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kClock;

using test::Counters;

struct Engine {
  std::string name;
  std::unique_ptr<loader::Loader> (*make)(const data::Dataset&, const loader::LoaderOptions&);
};

template <loader::Transport kTransport>
std::unique_ptr<loader::Loader> forked(const data::Dataset& data,
                                       const loader::LoaderOptions& options) {
  loader::LoaderOptions changed = options;
  changed.transport = kTransport;
  return loader::make_fork_loader(data, changed, {}, kClock);
}

// Engines with workers: the same batches in the same order from each.
class IterableLoader : public testing::TestWithParam<Engine> {
 protected:
  static std::unique_ptr<loader::Loader> make(const data::Dataset& data,
                                              const loader::LoaderOptions& options) {
    return GetParam().make(data, options);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Engines, IterableLoader,
    testing::Values(Engine{"thread",
                           [](const data::Dataset& data, const loader::LoaderOptions& options) {
                             return loader::make_thread_loader(data, options, {}, kClock);
                           }},
                    Engine{"fork_torch_fd", forked<loader::Transport::kTorchFd>},
                    Engine{"fork_shm_ring", forked<loader::Transport::kShmRing>}),
    [](const auto& tested) { return tested.param.name; });

TEST(IterableInline, ReadsOneStreamInBatchesAndAnotherInEachEpoch) {
  const Counters data({5});
  loader::InlineLoader loader(data, {.batch_size = 2}, {}, kClock);
  const Batches all = {{0, 1}, {2, 3}, {4}};
  EXPECT_EQ(test::epoch(loader, 0), all);
  EXPECT_EQ(test::epoch(loader, 0), all);
  EXPECT_EQ(test::epoch(loader, 1), all);
  EXPECT_EQ(loader.batches_per_epoch(), -1);
}

TEST_P(IterableLoader, WorkersTakeTurnsUntilEachHasEnded) {
  const Counters data({5, 1, 0});
  for (const std::int64_t prefetch : {1, 2, 5}) {
    for (const bool persistent : {false, true}) {
      const auto loader = make(data, {.batch_size = 2,
                                      .num_workers = 3,
                                      .prefetch_factor = prefetch,
                                      .persistent_workers = persistent});
      const Batches expected = {{0, 1}, {100}, {2, 3}, {4}};
      for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        EXPECT_EQ(test::epoch(*loader, epoch), expected) << prefetch << persistent;
      }
    }
  }
}

TEST(IterableInline, JoinedPassesFollowEachOtherInFullBatches) {
  const Counters data({5}, -1, 1000);
  loader::InlineLoader loader(data, {.batch_size = 3, .joined = true}, {}, kClock);
  loader.begin_epoch(0);
  for (const auto& expected :
       Batches{{0, 1, 2}, {3, 4, 1000}, {1001, 1002, 1003}, {1004, 2000, 2001}}) {
    EXPECT_EQ(test::indices(*loader.next()), expected);
  }
}

// As Python's, where each worker has an endless stream of its own.
TEST_P(IterableLoader, JoinedEachWorkerRepeatsItsOwnShareAndOneWithoutLeaves) {
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
        EXPECT_EQ(test::indices(*batch), expected) << prefetch;
        EXPECT_FALSE(batch->partial);
      }
    }
  }
}

TEST_P(IterableLoader, JoinedSharesWithoutAnySampleEndAtOnce) {
  const Counters data({0, 0});
  const auto loader = make(data, {.joined = true, .num_workers = 2});
  EXPECT_THAT(test::epoch(*loader, 0), IsEmpty());
}

TEST_P(IterableLoader, EveryWorkerDropsItsOwnLastBatch) {
  const Counters data({5, 3});
  const auto loader = make(data, {.batch_size = 2, .num_workers = 2, .drop_last = true});
  EXPECT_THAT(test::epoch(*loader, 0),
              ElementsAre(ElementsAre(0, 1), ElementsAre(100, 101), ElementsAre(2, 3)));
}

TEST_P(IterableLoader, RanksReadDifferentShares) {
  const Counters data({2, 1, 3, 1});
  loader::LoaderOptions options{.batch_size = 1, .num_workers = 2, .rank = 1, .world = 2};
  EXPECT_EQ(test::epoch(*make(data, options), 0), (Batches{{200}, {300}, {201}, {202}}));
}

TEST_P(IterableLoader, AnEpochWithoutSamplesEndsAtOnce) {
  const Counters data({0, 0});
  const auto loader = make(data, {.num_workers = 2});
  EXPECT_THAT(test::epoch(*loader, 0), IsEmpty());
  loader::InlineLoader alone(data, {}, {}, kClock);
  EXPECT_THAT(test::epoch(alone, 0), IsEmpty());
}

TEST_P(IterableLoader, AnErrorComesInItsBatchsPlaceAndTheStreamGoesOn) {
  const Counters data({4, 1}, 1);
  const auto loader = make(data, {.num_workers = 2});
  loader->begin_epoch(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0));
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(100));
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("loader worker 0: a.tar: entry 7: damaged"));
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(2));
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(3));
  EXPECT_FALSE(loader->next().has_value());
}

TEST_P(IterableLoader, OutOfOrderNothingIsLostAndNothingComesTwice) {
  const Counters data({7, 0, 12, 1});
  const auto loader =
      make(data, {.batch_size = 1, .num_workers = 4, .prefetch_factor = 3, .in_order = false});
  std::vector<std::int64_t> seen;
  for (const auto& batch : test::epoch(*loader, 0)) seen.push_back(batch.at(0));
  std::ranges::sort(seen);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5, 6, 200, 201, 202, 203, 204, 205, 206, 207, 208,
                                209, 210, 211, 300));
}

TEST_P(IterableLoader, AnEpochMayBeAbandoned) {
  const Counters data({50, 50});
  const auto loader = make(
      data, {.batch_size = 1, .num_workers = 2, .prefetch_factor = 4, .persistent_workers = true});
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    loader->begin_epoch(0);
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0));
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(100));
  }
}

TEST(IterableDataset, HasNoSampleByIndex) {
  const Counters data({1});
  const auto scratch = data.make_scratch();
  data::ReadCost cost;
  EXPECT_THAT([&] { data.read({}, {}, *scratch, cost); },
              ThrowsMessage<Error>(HasSubstr("no sample by index")));
}

}  // namespace
}  // namespace stepbench
