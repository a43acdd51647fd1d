// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork_loader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <numeric>
#include <set>

#include "tests/unit/loading/counters.h"
#include "tests/unit/loading/leftovers.h"
#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/synthetic.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/thread_loader.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kClock;

class ForkLoader : public test::LeavesNothing {};

std::vector<std::byte> bytes(const Batch& batch) {
  std::vector<std::byte> all;
  for (const BatchField& field : batch.fields) {
    const std::size_t size = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    all.insert(all.end(), field.data, field.data + size);
  }
  return all;
}

std::vector<std::vector<std::byte>> two_epochs(Loader& loader) {
  std::vector<std::vector<std::byte>> batches;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    loader.begin_epoch(epoch);
    while (const auto batch = loader.next()) batches.push_back(bytes(*batch));
    batches.emplace_back();
  }
  return batches;
}

std::unique_ptr<Loader> fork_loader(const Dataset& data, const LoaderOptions& options) {
  return make_fork_loader(data, options, sequential_order(data.size()), kClock);
}

struct Point {
  std::int64_t workers, prefetch, batch;
  bool drop_last, shuffle, persistent;
};

std::vector<Point> grid() {
  std::vector<Point> points;
  for (const std::int64_t workers : {1, 2, 4})
    for (const std::int64_t prefetch : {1, 3})
      for (const std::int64_t batch : {1, 4, 32})
        for (const bool drop_last : {false, true})
          for (const bool shuffle : {false, true})
            for (const bool persistent : {false, true})
              points.push_back({workers, prefetch, batch, drop_last, shuffle, persistent});
  return points;
}

TEST_F(ForkLoader, GivesTheSamplesOfInlineAndThreadBitForBitWhateverTheOptions) {
  const Synthetic data({.samples = 23, .shape = {2, 3, 5}});
  for (const Point& p : grid()) {
    LoaderOptions options{.batch_size = p.batch,
                          .seed = 11,
                          .num_workers = p.workers,
                          .prefetch_factor = p.prefetch,
                          .persistent_workers = p.persistent,
                          .drop_last = p.drop_last};
    const EpochOrder order = p.shuffle ? shuffled_order(23, 11) : sequential_order(23);
    InlineLoader reference(data, options, order, kClock);
    const auto expected = two_epochs(reference);
    const auto said = [&] {
      return testing::Message() << p.workers << " workers, prefetch " << p.prefetch << ", batch "
                                << p.batch << (p.persistent ? ", persistent" : "");
    };
    ASSERT_EQ(two_epochs(*make_thread_loader(data, options, order, kClock)), expected) << said();
    for (const Transport transport : {Transport::kShmRing, Transport::kTorchFd}) {
      options.transport = transport;
      ASSERT_EQ(two_epochs(*make_fork_loader(data, options, order, kClock)), expected) << said();
    }
  }
}

TEST_F(ForkLoader, AnErrorComesInItsBatchsPlaceAndNamesWorkerAndCause) {
  const test::IndexDataset data(6, [](const SampleKey& key) {
    if (key.index == 3) throw Error("cat/3.jpg: corrupt");
  });
  for (const Transport transport : {Transport::kShmRing, Transport::kTorchFd}) {
    const auto loader = fork_loader(data, {.num_workers = 2, .transport = transport});
    loader->begin_epoch(0);
    for (const std::int64_t index : {0, 1, 2})
      EXPECT_THAT(test::indices(*loader->next()), ElementsAre(index));
    EXPECT_THAT([&] { (void)loader->next(); },
                ThrowsMessage<Error>("loader worker 1: cat/3.jpg: corrupt"));
    for (const std::int64_t index : {4, 5})
      EXPECT_THAT(test::indices(*loader->next()), ElementsAre(index));
    EXPECT_FALSE(loader->next().has_value());
  }
}

TEST_F(ForkLoader, EveryBatchMayFailAndTheEpochStillEnds) {
  const test::IndexDataset data(9, [](const SampleKey&) { throw 42; });
  const auto loader = fork_loader(data, {.num_workers = 3});
  loader->begin_epoch(0);
  for (int i = 0; i < 9; ++i) {
    EXPECT_THAT([&] { (void)loader->next(); },
                ThrowsMessage<Error>(HasSubstr("no std::exception")));
  }
  EXPECT_FALSE(loader->next().has_value());
}

TEST_F(ForkLoader, AStragglerHoldsUpTheBatchesBehindItInOrder) {
  const test::SharedGate gate(4);
  const test::IndexDataset data(4, [&](const SampleKey& key) {
    if (key.index == 0) gate.pass(0);
  });
  const auto loader = fork_loader(data, {.num_workers = 2, .timeout_s = 0.001});
  loader->begin_epoch(0);
  gate.wait_until_begun(0);
  EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>(HasSubstr("timed out")));
  gate.open(0);
  std::vector<std::int64_t> order;
  while (order.size() < 4) {
    try {
      order.push_back(loader->next()->index);
    } catch (const Error&) {  // a slow machine may time out once more
    }
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST_F(ForkLoader, AStragglerDoesNotStallOutOfOrder) {
  const test::SharedGate gate(5);
  const test::IndexDataset data(5, [&](const SampleKey& key) {
    if (key.index == 0) gate.pass(0);
  });
  const auto loader =
      fork_loader(data, {.num_workers = 2, .prefetch_factor = 1, .in_order = false});
  loader->begin_epoch(0);
  for (const std::int64_t index : {1, 2, 3, 4})
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(index));
  gate.open(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0));
  EXPECT_FALSE(loader->next().has_value());
}

TEST_F(ForkLoader, OutOfOrderTheFirstFinishedIsTheFirstReturned) {
  const test::SharedGate gate(3);
  const test::SharedSemaphores done(3);
  const test::IndexDataset data(6, [&](const SampleKey& key) {
    if (key.index >= 3) return done.post(key.index - 3);  // its worker has handed over the last one
    gate.pass(key.index);
  });
  const auto loader = fork_loader(data, {.num_workers = 3, .in_order = false});
  loader->begin_epoch(0);
  for (const std::int64_t sample : {2, 0, 1}) {
    gate.open(sample);
    done.wait(sample);
  }
  std::set<std::int64_t> rest;
  std::vector<std::int64_t> first;
  while (const auto batch = loader->next()) {
    if (batch->index < 3) first.push_back(batch->index);
  }
  EXPECT_THAT(first, ElementsAre(2, 0, 1));
}

TEST_F(ForkLoader, NeverReadsAheadFurtherThanItMay) {
  const test::Shared<std::atomic<std::int64_t>> begun(1);
  const test::IndexDataset data(60, [&](const SampleKey&) { ++begun[0]; });
  const auto loader = fork_loader(data, {.num_workers = 3, .prefetch_factor = 2});
  loader->begin_epoch(0);
  std::int64_t yielded = 0;
  while (loader->next()) {
    ++yielded;
    EXPECT_LE(begun[0], yielded + 6);
  }
  EXPECT_EQ(yielded, 60);
}

// Waits for the next sample to be begun while nobody is in next(): it hangs unless next() itself
// sent the task.
TEST_F(ForkLoader, RefillsInsideNext) {
  const test::SharedSemaphores begun(12);
  const test::IndexDataset data(12, [&](const SampleKey& key) { begun.post(key.index); });
  const auto loader = fork_loader(data, {.num_workers = 2, .prefetch_factor = 2});
  loader->begin_epoch(0);
  for (std::int64_t yielded = 0; yielded < 12; ++yielded) {
    for (std::int64_t i = yielded == 0 ? 0 : yielded + 3;
         i < std::min<std::int64_t>(yielded + 4, 12); ++i)
      begun.wait(i);
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(yielded));
  }
}

TEST_F(ForkLoader, WorkersThatStayAreTheSameProcessesInEveryEpoch) {
  const test::Shared<pid_t> pids(16);
  const test::IndexDataset data(
      8, [&](const SampleKey& key) { pids[8 * key.epoch + key.index] = ::getpid(); });
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

TEST_F(ForkLoader, AnAbandonedEpochLeavesNothingBehindInTheNext) {
  for (const bool persistent : {false, true}) {
    const test::IndexDataset data(8);
    const auto loader =
        fork_loader(data, {.batch_size = 2, .num_workers = 2, .persistent_workers = persistent});
    loader->begin_epoch(0);
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
    EXPECT_EQ(test::epoch(*loader, 1), (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  }
}

TEST_F(ForkLoader, BatchesOutliveTheLoader) {
  for (const Transport transport : {Transport::kShmRing, Transport::kTorchFd}) {
    std::optional<Batch> kept;
    {
      const test::IndexDataset data(4);
      const auto loader =
          fork_loader(data, {.batch_size = 2, .num_workers = 1, .transport = transport});
      loader->begin_epoch(0);
      kept = loader->next();
    }
    EXPECT_THAT(test::indices(*kept), ElementsAre(0, 1));
  }
}

TEST_F(ForkLoader, AConsumerThatKeepsEverySlotIsToldSoAndMayGoOn) {
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

TEST_F(ForkLoader, LongIndexListsAndDeepQueuesNeverHoldUpTheConsumer) {
  const test::SharedGate gate(1);
  const auto hold_the_first = [&](const SampleKey& key) {
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

TEST_F(ForkLoader, PartsSumToTheTimeOfNextAndOfTheWorkersExactly) {
  const test::IndexDataset data(50);
  const test::TickClock clock;
  for (const Transport transport : {Transport::kShmRing, Transport::kTorchFd}) {
    const auto loader =
        make_fork_loader(data, {.batch_size = 2, .num_workers = 2, .transport = transport},
                         sequential_order(50), clock);
    (void)test::epoch(*loader, 0);
    const LoaderMetrics& m = loader->metrics();
    EXPECT_EQ(m.wait_ns.size(), 25U);
    EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
              m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
    const std::int64_t busy = m.workers.at(0).busy_ns + m.workers.at(1).busy_ns;
    EXPECT_GT(busy, 0);
    EXPECT_EQ(busy, m.fetch_ns + m.decode_ns + m.collate_ns);
    EXPECT_EQ(m.samples, 50);
  }
}

TEST_F(ForkLoader, StreamsOfAnIterableDataSetAreThoseOfTheThreads) {
  const test::Counters data({7, 2, 0, 5});
  for (const bool persistent : {false, true}) {
    for (const Transport transport : {Transport::kShmRing, Transport::kTorchFd}) {
      const LoaderOptions options{.batch_size = 2,
                                  .num_workers = 4,
                                  .persistent_workers = persistent,
                                  .transport = transport};
      const auto threads = make_thread_loader(data, options, {}, kClock);
      const auto processes = make_fork_loader(data, options, {}, kClock);
      for (int pass = 0; pass < 2; ++pass) {  // the same epoch twice begins the streams anew
        const Batches expected = test::epoch(*threads, 0);
        EXPECT_EQ(expected.size(), 8U);
        EXPECT_EQ(test::epoch(*processes, 0), expected);
      }
    }
  }
}

TEST_F(ForkLoader, AnEpochWithoutBatchesEndsAtOnce) {
  const test::IndexDataset data(3);
  const auto loader = fork_loader(data, {.batch_size = 4, .num_workers = 2, .drop_last = true});
  EXPECT_EQ(test::epoch(*loader, 0), Batches{});
}

}  // namespace
}  // namespace stepbench
