// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/fork/fork_loader.h"

#include "tests/testing.h"
#include "tests/unit/loading/leftovers.h"
#include "tests/unit/loading/loader_contract.h"
#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/batches.h"

namespace stepbench {
namespace {

const HostClock kClock;

class ForkLoader : public test::LeavesNothing {};

std::unique_ptr<loader::Loader> fork_loader(const data::Dataset& data,
                                            const loader::LoaderOptions& options) {
  return loader::make_fork_loader(data, options, loader::sequential_order(data.size()), kClock);
}

TEST_F(ForkLoader, PersistentWorkers_StayTheSame) {
  const test::Shared<pid_t> pids(16);
  const test::IndexDataset data(
      8, [&](const data::SampleKey& key) { pids[8 * key.epoch + key.index] = ::getpid(); });
  for (const bool persistent : {false, true}) {
    const auto loader =
        fork_loader(data, {.batch_size = 2, .num_workers = 2, .persistent_workers = persistent});
    (void)test::epoch(*loader, 0);
    (void)test::epoch(*loader, 1);
    const std::set<pid_t> all(&pids[0], &pids[0] + 16);
    EXPECT_EQ(all.size(), persistent ? 2U : 4U);
    EXPECT_FALSE(all.contains(::getpid()));
  }
}

TEST_F(ForkLoader, ConsumerHoldingAllSlots_GetsAnError) {
  const test::IndexDataset data(20);
  const auto loader = fork_loader(data, {.num_workers = 1, .prefetch_factor = 2});
  loader->begin_epoch(0);
  std::vector<Batch> kept;
  for (int i = 0; i < 4; ++i) kept.push_back(std::move(*loader->next()));
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>(HasSubstr("all 4 slots of the ring")));
  kept.erase(kept.begin(), kept.begin() + 2);
  for (std::int64_t i = 4; i < 20; ++i) EXPECT_THAT(test::indices(*loader->next()), ElementsAre(i));
  EXPECT_THAT(test::indices(kept[0]), ElementsAre(2));
}

TEST_F(ForkLoader, QueuedTasks_EndWithTheirEpoch) {
  const test::IndexDataset data(20);
  const auto loader =
      fork_loader(data, {.num_workers = 1, .prefetch_factor = 2, .persistent_workers = true});
  for (std::int64_t pass = 0; pass < 5; ++pass) {
    std::vector<Batch> every_slot;
    loader->begin_epoch(2 * pass);
    for (int i = 0; i < 4; ++i) every_slot.push_back(std::move(*loader->next()));
    loader->begin_epoch(2 * pass + 1);
    every_slot.clear();
    std::int64_t batches = 0;
    for (; loader->next(); ++batches) {
    }
    EXPECT_EQ(batches, 20);
  }
}

TEST_F(ForkLoader, AbandonedBatches_AreNotQueued) {
  const test::IndexDataset data(20);
  const auto loader =
      fork_loader(data, {.num_workers = 2, .prefetch_factor = 2, .persistent_workers = true});
  for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
    loader->begin_epoch(epoch);
    (void)loader->next();
  }
  (void)test::epoch(*loader, 10);
  EXPECT_THAT(loader->metrics().queue_depth, Each(testing::Le(4)));
}

TEST_F(ForkLoader, DeepQueue_NeverBlocksTheConsumer) {
  const test::SharedGate gate(1);
  const auto hold_the_first = [&](const data::SampleKey& key) {
    if (key.index == 0) gate.pass(0);
  };
  const test::IndexDataset data(200'000, hold_the_first);
  for (const auto& [batch, prefetch] : {std::pair{50'000, 4}, std::pair{100, 2000}}) {
    const auto loader =
        fork_loader(data, {.batch_size = batch, .num_workers = 1, .prefetch_factor = prefetch});
    loader->begin_epoch(0);  // the worker takes nothing from its queue
    gate.open(0);
    std::int64_t sum = 0;
    while (const auto got = loader->next()) {
      const auto values = test::indices(*got);
      sum = std::accumulate(values.begin(), values.end(), sum);
    }
    EXPECT_EQ(sum, 199'999LL * 100'000);
  }
}

}  // namespace

namespace test {

Engine fork_engine(const std::string& name, loader::Transport transport) {
  return {.name = name,
          .make = [transport](const data::Dataset& data, loader::LoaderOptions options,
                              loader::EpochOrder order, const Clock& clock) {
            options.transport = transport;
            return loader::make_fork_loader(data, options, std::move(order), clock);
          }};
}

const auto kForks = testing::Values(fork_engine("shm_ring", loader::Transport::kShmRing),
                                    fork_engine("torch_fd", loader::Transport::kTorchFd));
INSTANTIATE_TEST_SUITE_P(ForkLoader, LoaderContract, kForks, name_of_engine);
INSTANTIATE_TEST_SUITE_P(ForkLoader, IterableContract, kForks, name_of_engine);

}  // namespace test
}  // namespace stepbench
