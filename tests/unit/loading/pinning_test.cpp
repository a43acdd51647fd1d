// SPDX-License-Identifier: Apache-2.0
// loader.pin_memory with memory that is scripted. Engine fork: fork_pinning_test.cpp.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/unit/loading/scripted_pinned_memory.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/thread/thread_loader.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kClock;

loader::LoaderOptions pinning(test::ScriptedPinnedMemory& memory, std::int64_t workers) {
  return {.batch_size = 2, .num_workers = workers, .pin_memory = true, .pinned = &memory};
}

TEST(Pinning, WithoutWorkersTheCallersThreadPinsInsideNext) {
  const test::IndexDataset data(5);
  const TickClock clock;
  test::ScriptedPinnedMemory memory;
  loader::InlineLoader loader(data, pinning(memory, 0), loader::sequential_order(5), clock);
  EXPECT_EQ(test::pinned_epoch(loader, 0, memory), (Batches{{0, 1}, {2, 3}, {4}}));
  EXPECT_THAT(memory.threads(), ElementsAre(std::this_thread::get_id()));
  const loader::LoaderMetrics& m = loader.metrics();
  EXPECT_EQ(m.pin_ns, 3);  // one tick for each batch
  EXPECT_EQ(m.pinning_ns, 3);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
}

TEST(Pinning, TheMostThatBatchesHoldAtOnceIsCounted) {
  const test::IndexDataset data(5);
  test::ScriptedPinnedMemory memory;
  loader::InlineLoader loader(data, pinning(memory, 0), loader::sequential_order(5), kClock);
  EXPECT_EQ(memory.peak_bytes(), 0);
  std::int64_t sample = 0;
  for (const FieldSpec& field : data.fields()) sample += static_cast<std::int64_t>(field.bytes());
  loader.begin_epoch(0);
  const std::optional<Batch> first = loader.next();
  EXPECT_EQ(memory.peak_bytes(), 2 * sample);
  { const std::optional<Batch> second = loader.next(); }
  const std::optional<Batch> third = loader.next();
  EXPECT_EQ(memory.peak_bytes(), 4 * sample);
}

TEST(Pinning, WithWorkersOneThreadOfItsOwnPinsThemAll) {
  const test::IndexDataset data(8);
  for (const bool persistent : {false, true}) {
    test::ScriptedPinnedMemory memory;
    loader::LoaderOptions options = pinning(memory, 2);
    options.persistent_workers = persistent;
    const auto loader =
        loader::make_thread_loader(data, options, loader::sequential_order(8), kClock);
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      EXPECT_EQ(test::pinned_epoch(*loader, epoch, memory),
                (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    }
    EXPECT_FALSE(memory.threads().contains(std::this_thread::get_id()));
    EXPECT_EQ(memory.entered, 2);  // the thread is started anew for each epoch
    EXPECT_EQ(memory.out(), 0U);
    EXPECT_GT(loader->metrics().pin_ns, 0);
    EXPECT_EQ(loader->metrics().pinning_ns, 0);
  }
}

TEST(Pinning, ErrorsOfWorkersPassThroughInTheirPlace) {
  const test::IndexDataset data(4, [](const data::SampleKey& key) {
    if (key.index == 1) throw Error("corrupt");
  });
  test::ScriptedPinnedMemory memory;
  loader::LoaderOptions options = pinning(memory, 1);
  options.batch_size = 1;
  const auto loader =
      loader::make_thread_loader(data, options, loader::sequential_order(4), kClock);
  loader->begin_epoch(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0));
  EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("loader worker 0: corrupt"));
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(2));
}

TEST(Pinning, NoPinnedMemoryIsTheErrorOfThatBatch) {
  const test::IndexDataset data(4);
  test::ScriptedPinnedMemory memory;
  int asked = 0;
  memory.before = [&] {
    if (++asked == 2) throw Error("no page-locked memory left");
  };
  const auto loader =
      loader::make_thread_loader(data, pinning(memory, 1), loader::sequential_order(4), kClock);
  loader->begin_epoch(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
  EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("no page-locked memory left"));
}

TEST(Pinning, StopsAndStartsAnewInMidEpoch) {
  const test::IndexDataset data(40);
  for (const bool persistent : {false, true}) {
    test::ScriptedPinnedMemory memory;
    loader::LoaderOptions options = pinning(memory, 2);
    options.persistent_workers = persistent;
    const auto loader =
        loader::make_thread_loader(data, options, loader::sequential_order(40), kClock);
    loader->begin_epoch(0);
    EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
    EXPECT_EQ(test::pinned_epoch(*loader, 1, memory).size(), 20U);
    loader->begin_epoch(2);
  }
}

}  // namespace
}  // namespace stepbench
