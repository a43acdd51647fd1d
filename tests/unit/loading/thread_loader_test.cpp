// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/thread_loader.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "tests/unit/loading/test_data.h"
#include "workloads/data/philox.h"
#include "workloads/data/synthetic.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kClock;

// Lets samples through in a given order, whoever reads them.
class Gate {
 public:
  void open(std::int64_t sample) {
    {
      const std::lock_guard lock(mutex_);
      open_.insert(sample);
    }
    changed_.notify_all();
  }
  void wait_for(std::int64_t sample) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_.contains(sample); });
  }
  void wait_until_waiting(int readers) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= readers; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::int64_t> open_;
  int waiting_ = 0;
};

std::vector<std::byte> bytes(const Batch& batch) {
  std::vector<std::byte> all;
  for (const BatchField& field : batch.fields) {
    const std::size_t size = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    all.insert(all.end(), field.data, field.data + size);
  }
  return all;
}

TEST(ThreadLoader, GivesTheSamplesOfTheInlineLoaderBitForBitWhateverItsOptions) {
  const Synthetic data({.samples = 23, .shape = {2, 3, 5}});
  for (const bool drop_last : {false, true}) {
    const LoaderOptions base{.batch_size = 4, .seed = 11, .drop_last = drop_last};
    InlineLoader reference(data, base, shuffled_order(23, 11), kClock);
    std::vector<std::vector<std::byte>> expected;
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      reference.begin_epoch(epoch);
      while (const auto batch = reference.next()) expected.push_back(bytes(*batch));
    }
    for (const std::int64_t workers : {1, 2, 4}) {
      for (const std::int64_t prefetch : {1, 3}) {
        for (const bool persistent : {false, true}) {
          for (const bool reuse : {false, true}) {
            LoaderOptions options = base;
            options.num_workers = workers;
            options.prefetch_factor = prefetch;
            options.persistent_workers = persistent;
            options.reuse_buffers = reuse;
            const auto loader = make_thread_loader(data, options, shuffled_order(23, 11), kClock);
            std::vector<std::vector<std::byte>> got;
            for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
              loader->begin_epoch(epoch);
              while (const auto batch = loader->next()) got.push_back(bytes(*batch));
            }
            ASSERT_EQ(got, expected) << workers << " workers, prefetch " << prefetch;
          }
        }
      }
    }
  }
}

TEST(ThreadLoader, AnErrorComesInItsBatchsPlaceAndNamesWorkerAndCause) {
  const test::IndexDataset data(6, [](const SampleKey& key) {
    if (key.index == 3) throw Error("cat/3.jpg: corrupt");
  });
  const auto loader =
      make_thread_loader(data, {.batch_size = 1, .num_workers = 2}, sequential_order(6), kClock);
  loader->begin_epoch(0);
  for (const std::int64_t index : {0, 1, 2})
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(index));
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("loader worker 1: cat/3.jpg: corrupt"));
  for (const std::int64_t index : {4, 5})
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(index));
  EXPECT_FALSE(loader->next().has_value());
}

TEST(ThreadLoader, EveryBatchMayFailAndTheEpochStillEnds) {
  const test::IndexDataset data(9, [](const SampleKey&) { throw 42; });
  const auto loader =
      make_thread_loader(data, {.batch_size = 1, .num_workers = 3}, sequential_order(9), kClock);
  loader->begin_epoch(0);
  for (int i = 0; i < 9; ++i) {
    EXPECT_THAT([&] { (void)loader->next(); },
                ThrowsMessage<Error>(HasSubstr("no std::exception")));
  }
  EXPECT_FALSE(loader->next().has_value());
}

TEST(ThreadLoader, AStragglerStallsInOrderAndNotOutOfOrder) {
  Gate gate;
  const test::IndexDataset data(5, [&](const SampleKey& key) {
    if (key.index == 0) gate.wait_for(0);
  });
  const LoaderOptions options{
      .batch_size = 1, .num_workers = 2, .prefetch_factor = 1, .in_order = false};
  const auto loader = make_thread_loader(data, options, sequential_order(5), kClock);
  loader->begin_epoch(0);
  for (const std::int64_t index : {1, 2, 3, 4})
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(index));
  gate.open(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0));
  EXPECT_FALSE(loader->next().has_value());
}

TEST(ThreadLoader, NeverReadsAheadFurtherThanItMay) {
  std::atomic<std::int64_t> begun = 0;
  std::int64_t yielded = 0;
  const test::IndexDataset data(60, [&](const SampleKey&) { ++begun; });
  const auto loader =
      make_thread_loader(data, {.batch_size = 1, .num_workers = 3, .prefetch_factor = 2},
                         sequential_order(60), kClock);
  loader->begin_epoch(0);
  while (loader->next()) {
    ++yielded;
    EXPECT_LE(begun, yielded + 6);
  }
  EXPECT_EQ(yielded, 60);
}

TEST(ThreadLoader, TimesOutNamingTheOptionAndStaysUsable) {
  Gate gate;
  const test::IndexDataset data(2, [&](const SampleKey& key) {
    if (key.index == 0) gate.wait_for(0);
  });
  const auto loader = make_thread_loader(
      data, {.batch_size = 1, .num_workers = 1, .timeout_s = 0.01}, sequential_order(2), kClock);
  loader->begin_epoch(0);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("the loader timed out after 0.01 seconds (loader.timeout_s)"));
  gate.open(0);
  std::optional<Batch> batch;
  while (!batch) {
    try {
      batch = loader->next();
    } catch (const Error&) {  // a slow machine may time out once more
    }
  }
  EXPECT_THAT(test::indices(*batch), ElementsAre(0));
}

TEST(ThreadLoader, StopsInMidEpochWhileEveryWorkerIsReading) {
  for (const bool persistent : {false, true}) {
    Gate gate;
    const test::IndexDataset data(100, [&](const SampleKey& key) { gate.wait_for(key.index); });
    auto loader = make_thread_loader(data,
                                     {.batch_size = 10,
                                      .num_workers = 2,
                                      .prefetch_factor = 2,
                                      .persistent_workers = persistent},
                                     sequential_order(100), kClock);
    loader->begin_epoch(0);
    gate.wait_until_waiting(2);
    std::thread opener([&] {
      for (std::int64_t i = 0; i < 100; ++i) gate.open(i);
    });
    loader.reset();
    opener.join();
  }
}

TEST(ThreadLoader, AnAbandonedEpochLeavesNothingBehindInTheNext) {
  for (const bool persistent : {false, true}) {
    const test::IndexDataset data(8);
    const auto loader = make_thread_loader(
        data, {.batch_size = 2, .num_workers = 2, .persistent_workers = persistent},
        sequential_order(8), kClock);
    loader->begin_epoch(0);
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
    EXPECT_EQ(test::epoch(*loader, 1), (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  }
}

TEST(ThreadLoader, PersistentWorkersAreTheSameThreadsInEveryEpoch) {
  for (const bool persistent : {false, true}) {
    std::mutex mutex;
    std::set<std::thread::id> readers;
    const test::IndexDataset data(8, [&](const SampleKey&) {
      const std::lock_guard lock(mutex);
      readers.insert(std::this_thread::get_id());
    });
    const auto loader = make_thread_loader(
        data, {.batch_size = 2, .num_workers = 2, .persistent_workers = persistent},
        sequential_order(8), kClock);
    (void)test::epoch(*loader, 0);
    if (!persistent) continue;  // a new thread may get an old one's id
    (void)test::epoch(*loader, 1);
    EXPECT_EQ(readers.size(), 2U);
  }
}

TEST(ThreadLoader, BatchesOutliveTheLoader) {
  std::optional<Batch> kept;
  {
    const test::IndexDataset data(4);
    const auto loader =
        make_thread_loader(data, {.batch_size = 2, .num_workers = 1, .reuse_buffers = true},
                           sequential_order(4), kClock);
    loader->begin_epoch(0);
    kept = loader->next();
  }
  EXPECT_THAT(test::indices(*kept), ElementsAre(0, 1));
}

TEST(ThreadLoader, PartsSumToTheTimeOfNextAndOfTheWorkersExactly) {
  const test::IndexDataset data(50);
  const test::TickClock clock;
  const auto loader =
      make_thread_loader(data, {.batch_size = 2, .num_workers = 2}, sequential_order(50), clock);
  (void)test::epoch(*loader, 0);
  const LoaderMetrics& m = loader->metrics();
  EXPECT_EQ(m.wait_ns.size(), 25U);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
  const std::int64_t busy = m.workers.at(0).busy_ns + m.workers.at(1).busy_ns;
  EXPECT_EQ(busy, m.fetch_ns + m.decode_ns + m.collate_ns);
  EXPECT_EQ(m.samples, 50);
}

// ThreadSanitizer sees all of them; 10,000 elsewhere would only take time.
constexpr std::uint64_t kSchedulesPerTest = 500;
#ifdef __SANITIZE_THREAD__
constexpr int kScheduleTests = 20;
#else
constexpr int kScheduleTests = 1;
#endif

class RandomSchedules : public testing::TestWithParam<int> {};

// Options, failing samples and the place where the consumer stops are drawn at random.
TEST_P(RandomSchedules, KeepEveryPromiseOfTheLoader) {
  const auto first = static_cast<std::uint64_t>(GetParam()) * kSchedulesPerTest;
  for (std::uint64_t seed = first; seed < first + kSchedulesPerTest; ++seed) {
    Philox random(seed, 2);
    const auto upto = [&](std::uint64_t last) {
      return static_cast<std::int64_t>(random.below(last + 1));
    };
    const std::int64_t samples = upto(30);
    const std::int64_t bad = upto(40);
    const LoaderOptions options{.batch_size = 1 + upto(3),
                                .num_workers = 1 + upto(3),
                                .prefetch_factor = 1 + upto(2),
                                .persistent_workers = upto(1) == 0,
                                .drop_last = upto(1) == 0,
                                .in_order = upto(1) == 0,
                                .reuse_buffers = upto(1) == 0};
    const test::IndexDataset data(samples, [bad](const SampleKey& key) {
      if (key.index == bad) throw Error("bad");
      if (key.index % 7 == 3) std::this_thread::yield();
    });
    const auto loader = make_thread_loader(data, options, shuffled_order(samples, seed), kClock);
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      const std::int64_t stop_after = upto(2) == 0 ? upto(10) : samples + 1;
      loader->begin_epoch(epoch);
      const std::vector<std::int64_t> order = shuffled_order(samples, seed)(epoch);
      const BatchCut cut(order, options.batch_size, options.drop_last);
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

TEST(ThreadLoader, AnEpochWithoutBatchesEndsAtOnce) {
  const test::IndexDataset data(3);
  const auto loader = make_thread_loader(
      data, {.batch_size = 4, .num_workers = 2, .drop_last = true}, sequential_order(3), kClock);
  EXPECT_EQ(loader->batches_per_epoch(), 0);
  EXPECT_EQ(test::epoch(*loader, 0), Batches{});
}

}  // namespace
}  // namespace stepbench
