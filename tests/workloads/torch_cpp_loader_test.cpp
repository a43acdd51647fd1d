// SPDX-License-Identifier: Apache-2.0
#include "workloads/torch_loader/torch_cpp_loader.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <numeric>

#include "tests/unit/loading/test_data.h"
#include "workloads/data/synthetic.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kTorchTestClock;

std::vector<std::vector<std::byte>> two_epochs(Loader& loader) {
  std::vector<std::vector<std::byte>> all;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    loader.begin_epoch(epoch);
    while (const auto batch = loader.next()) {
      auto& bytes = all.emplace_back();
      for (const BatchField& field : batch->fields) {
        const std::size_t size = field.spec->bytes() * static_cast<std::size_t>(batch->size);
        bytes.insert(bytes.end(), field.data, field.data + size);
      }
    }
  }
  return all;
}

TEST(TorchCppLoader, GivesTheSamplesOfTheInlineLoaderBitForBitWhateverItsOptions) {
  const Synthetic data({.samples = 23, .shape = {2, 3, 5}});
  for (const bool drop_last : {false, true}) {
    LoaderOptions options{.batch_size = 4, .seed = 11, .drop_last = drop_last};
    InlineLoader reference(data, options, shuffled_order(23, 11), kTorchTestClock);
    const auto expected = two_epochs(reference);
    for (const std::int64_t workers : {1, 2, 4}) {
      for (const std::int64_t prefetch : {1, 3}) {
        for (const bool reuse : {false, true}) {
          options.num_workers = workers;
          options.prefetch_factor = prefetch;
          options.reuse_buffers = reuse;
          const auto loader =
              make_torch_cpp_loader(data, options, shuffled_order(23, 11), kTorchTestClock);
          ASSERT_EQ(two_epochs(*loader), expected) << workers << " workers, prefetch " << prefetch;
          EXPECT_EQ(loader->batches_per_epoch(), drop_last ? 5 : 6);
        }
      }
    }
  }
}

TEST(TorchCppLoader, OutOfOrderItGivesTheSameBatchesAndNoneTwice) {
  const test::IndexDataset data(40);
  const auto loader =
      make_torch_cpp_loader(data, {.batch_size = 2, .num_workers = 4, .in_order = false},
                            sequential_order(40), kTorchTestClock);
  Batches batches = test::epoch(*loader, 0);
  std::sort(batches.begin(), batches.end());
  ASSERT_EQ(batches.size(), 20U);
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_THAT(batches[i], ElementsAre(2 * i, 2 * i + 1));
}

TEST(TorchCppLoader, AnErrorComesInItsBatchsPlaceAndTheEpochGoesOn) {
  const test::IndexDataset data(6, [](const SampleKey& key) {
    if (key.index == 0 || key.index == 3) throw Error("cat/3.jpg: corrupt");
  });
  const auto loader = make_torch_cpp_loader(data, {.batch_size = 1, .num_workers = 1},
                                            sequential_order(6), kTorchTestClock);
  loader->begin_epoch(0);
  const auto fails = ThrowsMessage<Error>("loader worker 0: cat/3.jpg: corrupt");
  EXPECT_THAT([&] { (void)loader->next(); }, fails);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(1));
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(2));
  EXPECT_THAT([&] { (void)loader->next(); }, fails);
}

TEST(TorchCppLoader, CountsTheSamplesThatItLosesByEndingAnEpochEarly) {
  const test::IndexDataset data(20, [](const SampleKey& key) {
    if (key.index < 4) throw Error("bad");
  });
  const auto loader =
      make_torch_cpp_loader(data, {.batch_size = 1, .num_workers = 2, .prefetch_factor = 2},
                            sequential_order(20), kTorchTestClock);
  loader->begin_epoch(0);
  for (int i = 0; i < 4; ++i) EXPECT_THROW((void)loader->next(), Error);
  EXPECT_FALSE(loader->next().has_value()) << "four errors used up the four jobs in flight";
  EXPECT_EQ(loader->metrics().lost_samples, 16);
}

TEST(TorchCppLoader, AnAbandonedEpochLeavesNothingBehindInTheNext) {
  const test::IndexDataset data(8);
  const auto loader = make_torch_cpp_loader(data, {.batch_size = 2, .num_workers = 2},
                                            sequential_order(8), kTorchTestClock);
  loader->begin_epoch(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
  EXPECT_EQ(test::epoch(*loader, 1), (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(loader->metrics().lost_samples, 0);
  loader->begin_epoch(2);
  EXPECT_EQ(test::epoch(*loader, 3).size(), 4U) << "not one batch of epoch 2 was taken";
  loader->begin_epoch(4);  // and stops in mid-epoch
}

TEST(TorchCppLoader, TimesOutNamingTheOptionAndStaysUsable) {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;
  const test::IndexDataset data(2, [&](const SampleKey&) {
    std::unique_lock lock(mutex);
    opened.wait(lock, [&] { return open; });
  });
  const auto loader =
      make_torch_cpp_loader(data, {.batch_size = 1, .num_workers = 1, .timeout_s = 0.01},
                            sequential_order(2), kTorchTestClock);
  loader->begin_epoch(0);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("the loader timed out after 0.01 seconds (loader.timeout_s)"));
  {
    const std::lock_guard lock(mutex);
    open = true;
  }
  opened.notify_all();
  std::optional<Batch> batch;
  while (!batch) {
    try {
      batch = loader->next();
    } catch (const Error&) {  // a slow machine may time out once more
    }
  }
  EXPECT_THAT(test::indices(*batch), ElementsAre(0));
}

TEST(TorchCppLoader, PartsSumToTheTimeOfNextExactly) {
  const test::IndexDataset data(50);
  const test::TickClock clock;
  const auto loader =
      make_torch_cpp_loader(data, {.batch_size = 2, .num_workers = 2}, sequential_order(50), clock);
  (void)test::epoch(*loader, 0);
  const LoaderMetrics& m = loader->metrics();
  EXPECT_EQ(m.wait_ns.size(), 25U);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.receive_ns + m.dispatch_ns);
  EXPECT_GE(m.dispatch_ns, 21) << "21 of the 25 calls sent another job";
  EXPECT_FALSE(m.tells_blocked);
  EXPECT_EQ(m.workers.at(0).busy_ns + m.workers.at(1).busy_ns,
            m.fetch_ns + m.decode_ns + m.collate_ns);
  EXPECT_EQ(m.samples, 50);
}

TEST(TorchCppLoader, AnEpochWithoutBatchesEndsAtOnce) {
  const test::IndexDataset data(3);
  const auto loader =
      make_torch_cpp_loader(data, {.batch_size = 4, .num_workers = 2, .drop_last = true},
                            sequential_order(3), kTorchTestClock);
  EXPECT_EQ(test::epoch(*loader, 0), Batches{});
}

}  // namespace
}  // namespace stepbench
