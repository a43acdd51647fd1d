// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/thread/thread_loader.h"

#include <mutex>
#include <thread>

#include "tests/testing.h"
#include "tests/unit/loading/loader_contract.h"
#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/random.h"
#include "workloads/loader/batches.h"

namespace stepbench {
namespace {

const HostClock kClock;

TEST(ThreadLoader, MidEpochStop_EndsBusyWorkers) {
  for (const bool persistent : {false, true}) {
    const test::SharedGate gate(100);
    const test::IndexDataset data(100, [&](const data::SampleKey& key) { gate.pass(key.index); });
    auto loader = loader::make_thread_loader(data,
                                             {.batch_size = 10,
                                              .num_workers = 2,
                                              .prefetch_factor = 2,
                                              .persistent_workers = persistent},
                                             loader::sequential_order(100), kClock);
    loader->begin_epoch(0);
    for (const std::int64_t sample : {0, 10}) gate.wait_until_begun(sample);
    std::thread opener([&] {
      for (std::int64_t i = 0; i < 100; ++i) gate.open(i);
    });
    loader.reset();
    opener.join();
  }
}

TEST(ThreadLoader, PersistentWorkers_StayTheSame) {
  for (const bool persistent : {false, true}) {
    std::mutex mutex;
    std::set<std::thread::id> readers;
    const test::IndexDataset data(8, [&](const data::SampleKey&) {
      const std::lock_guard lock(mutex);
      readers.insert(std::this_thread::get_id());
    });
    const auto loader = loader::make_thread_loader(
        data, {.batch_size = 2, .num_workers = 2, .persistent_workers = persistent},
        loader::sequential_order(8), kClock);
    (void)test::epoch(*loader, 0);
    if (!persistent) continue;  // a new thread may reuse an old one's id
    (void)test::epoch(*loader, 1);
    EXPECT_EQ(readers.size(), 2U);
  }
}

// With ThreadSanitizer all of them run; elsewhere 10,000 would only take time.
constexpr std::uint64_t kSchedulesPerTest = 500;
#ifdef __SANITIZE_THREAD__
constexpr int kScheduleTests = 20;
#else
constexpr int kScheduleTests = 1;
#endif

class RandomSchedules : public testing::TestWithParam<int> {};

// Options, failing samples and the consumer's stop are drawn at random.
TEST_P(RandomSchedules, Loader_KeepsItsContract) {
  const auto first = static_cast<std::uint64_t>(GetParam()) * kSchedulesPerTest;
  for (std::uint64_t seed = first; seed < first + kSchedulesPerTest; ++seed) {
    data::Philox random(seed, 2);
    const auto upto = [&](std::uint64_t last) {
      return static_cast<std::int64_t>(random.below(last + 1));
    };
    const std::int64_t samples = upto(30);
    const std::int64_t bad = upto(40);
    const loader::LoaderOptions options{.batch_size = 1 + upto(3),
                                        .num_workers = 1 + upto(3),
                                        .prefetch_factor = 1 + upto(2),
                                        .persistent_workers = upto(1) == 0,
                                        .drop_last = upto(1) == 0,
                                        .in_order = upto(1) == 0,
                                        .reuse_buffers = upto(1) == 0};
    const test::IndexDataset data(samples, [bad](const data::SampleKey& key) {
      if (key.index == bad) throw Error("bad");
      if (key.index % 7 == 3) std::this_thread::yield();
    });
    const auto loader =
        loader::make_thread_loader(data, options, loader::shuffled_order(samples, seed), kClock);
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      const std::int64_t stop_after = upto(2) == 0 ? upto(10) : samples + 1;
      loader->begin_epoch(epoch);
      const std::vector<std::int64_t> order = loader::shuffled_order(samples, seed)(epoch);
      const loader::BatchCut cut(order, options.batch_size, options.drop_last);
      std::vector<Batch> held;
      std::set<std::int64_t> arrived;
      std::int64_t calls = 0;
      for (; calls < stop_after; ++calls) {
        try {
          std::optional<Batch> batch = loader->next();
          if (!batch) break;
          ASSERT_TRUE(!options.in_order || batch->index == calls) << seed;
          ASSERT_TRUE(arrived.insert(batch->index).second) << seed;
          const auto expected = cut[batch->index];
          ASSERT_EQ(test::indices(*batch), std::vector(expected.begin(), expected.end())) << seed;
          held.push_back(std::move(*batch));
          if (held.size() > 2) held.erase(held.begin());
        } catch (const Error&) {
          ASSERT_LT(bad, samples) << seed;
        }
      }
      ASSERT_TRUE(stop_after <= samples || calls == cut.count()) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ThreadLoader, RandomSchedules, testing::Range(0, kScheduleTests));

}  // namespace

namespace test {

const auto kThreads = testing::Values(Engine{.name = "thread", .make = loader::make_thread_loader});
INSTANTIATE_TEST_SUITE_P(ThreadLoader, LoaderContract, kThreads, name_of_engine);
INSTANTIATE_TEST_SUITE_P(ThreadLoader, IterableContract, kThreads, name_of_engine);

}  // namespace test
}  // namespace stepbench
