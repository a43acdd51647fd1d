// SPDX-License-Identifier: Apache-2.0
#include "workloads/torch_loader/torch_cpp_loader.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/unit/loading/conductor.h"
#include "tests/unit/loading/loader_contract.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/order.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kTorchTestClock;

TEST(TorchCppLoader, AnErrorComesInItsBatchsPlaceAndTheEpochGoesOn) {
  const test::IndexDataset data(6, [](const data::SampleKey& key) {
    if (key.index == 0 || key.index == 3) throw Error("cat/3.jpg: corrupt");
  });
  const auto loader = torch_loader::make_torch_cpp_loader(
      data, {.batch_size = 1, .num_workers = 1}, loader::sequential_order(6), kTorchTestClock);
  loader->begin_epoch(0);
  const auto fails = ThrowsMessage<Error>("loader worker 0: cat/3.jpg: corrupt");
  EXPECT_THAT([&] { (void)loader->next(); }, fails);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(1));
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(2));
  EXPECT_THAT([&] { (void)loader->next(); }, fails);
}

TEST(TorchCppLoader, CountsTheSamplesThatItLosesByEndingAnEpochEarly) {
  const test::IndexDataset data(20, [](const data::SampleKey& key) {
    if (key.index < 4) throw Error("bad");
  });
  const auto loader = torch_loader::make_torch_cpp_loader(
      data, {.batch_size = 1, .num_workers = 2, .prefetch_factor = 2}, loader::sequential_order(20),
      kTorchTestClock);
  loader->begin_epoch(0);
  for (int i = 0; i < 4; ++i) EXPECT_THROW((void)loader->next(), Error);
  EXPECT_FALSE(loader->next().has_value()) << "four errors used up the four jobs in flight";
  EXPECT_EQ(loader->metrics().lost_samples, 16);
}

TEST(TorchCppLoader, AnAbandonedEpochLosesNothing) {
  const test::IndexDataset data(8);
  const auto loader = torch_loader::make_torch_cpp_loader(
      data, {.batch_size = 2, .num_workers = 2}, loader::sequential_order(8), kTorchTestClock);
  loader->begin_epoch(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
  EXPECT_EQ(test::epoch(*loader, 1), (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(loader->metrics().lost_samples, 0);
  loader->begin_epoch(2);
  EXPECT_EQ(test::epoch(*loader, 3).size(), 4U) << "not one batch of epoch 2 was taken";
  loader->begin_epoch(4);  // and stops in mid-epoch
}

TEST(TorchCppLoader, PartsSumToTheTimeOfNextExactly) {
  const test::IndexDataset data(50);
  const TickClock clock;
  const auto loader = torch_loader::make_torch_cpp_loader(data, {.batch_size = 2, .num_workers = 2},
                                                          loader::sequential_order(50), clock);
  (void)test::epoch(*loader, 0);
  const loader::LoaderMetrics& m = loader->metrics();
  EXPECT_EQ(m.wait_ns.size(), 25U);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.receive_ns + m.dispatch_ns);
  EXPECT_GE(m.dispatch_ns, 21) << "21 of the 25 calls sent another job";
  EXPECT_FALSE(m.tells_blocked);
  EXPECT_EQ(m.workers.at(0).busy_ns + m.workers.at(1).busy_ns,
            m.fetch_ns + m.decode_ns + m.collate_ns);
  EXPECT_EQ(m.samples, 50);
}

// Its threads read one sample per batch and wait for the conductor.
std::vector<std::int64_t> conducted(const test::Dispatch& dispatch, std::int64_t batches) {
  const std::int64_t samples = dispatch.epoch == 0 ? 50 : dispatch.epoch;
  test::Conductor conductor(dispatch, samples, [&](std::int64_t sent, const auto& finished) {
    return std::min(dispatch.workers, sent - std::ssize(finished));
  });
  const test::IndexDataset data(samples, [&](const data::SampleKey& key) { conductor.read(key); });
  const auto loader =
      torch_loader::make_torch_cpp_loader(data,
                                          {.joined = dispatch.epoch == 0,
                                           .num_workers = dispatch.workers,
                                           .prefetch_factor = dispatch.prefetch_factor},
                                          loader::sequential_order(samples), kTorchTestClock);
  return conductor.run(*loader, batches);
}

TEST(TorchCppLoader, EveryBatchComesWhenTheModelOfOneSharedQueueSays) {
  constexpr std::int64_t kBatches = 120;
  for (const std::int64_t workers : {1, 2, 3, 4, 8}) {
    for (const std::int64_t epoch : {0, 3, 25}) {
      const test::Dispatch dispatch{.workers = workers,
                                    .prefetch_factor = 2,
                                    .consumer_ns = test::kCost / 3,
                                    .epoch = epoch,
                                    .cost_ns = test::random_cost(8, 0.5)};
      EXPECT_EQ(conducted(dispatch, kBatches), test::shared_queue_times(dispatch, kBatches))
          << workers << " workers, epochs of " << epoch;
    }
  }
}

TEST(TorchCppLoader, AWindowOfWholeRoundsOfJoinedEpochsGivesTheRateOfTheWorkersExactly) {
  for (const std::int64_t workers : {1, 2, 3, 4, 8}) {
    const test::Dispatch dispatch{.workers = workers,
                                  .prefetch_factor = 2,
                                  .consumer_ns = 0,
                                  .epoch = 0,
                                  .cost_ns = test::constant_cost()};
    const std::int64_t warmup = 4 * workers + 2;
    const auto got = conducted(dispatch, warmup + 6 * workers);
    EXPECT_EQ(got.back() - got.at(static_cast<std::size_t>(warmup - 1)), 6 * test::kCost);
  }
}

}  // namespace

namespace test {

INSTANTIATE_TEST_SUITE_P(TorchCppLoader, LoaderContract,
                         testing::Values(Engine{.name = "torch_cpp",
                                                .make = torch_loader::make_torch_cpp_loader,
                                                .survives_errors = false}),
                         name_of_engine);

}  // namespace test
}  // namespace stepbench
