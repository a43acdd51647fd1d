// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/inline_loader.h"

#include "tests/testing.h"
#include "tests/unit/loading/counters.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/batches.h"

namespace stepbench {
namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

TEST(InlineLoader, Epoch_YieldsBatchesInOrderThenEnds) {
  const test::IndexDataset data(5);
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 2}, loader::sequential_order(5), clock);
  EXPECT_EQ(loader.batches_per_epoch(), 3);
  EXPECT_EQ(test::epoch(loader, 0), (Batches{{0, 1}, {2, 3}, {4}}));
  EXPECT_FALSE(loader.next().has_value());
  loader.begin_epoch(1);
  for (const bool partial : {false, false, true}) EXPECT_EQ(loader.next()->partial, partial);
}

TEST(InlineLoader, JoinedEpochs_GiveFullBatches) {
  const test::EpochDataset data(5);
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 3, .joined = true}, loader::shuffled_order(5, 2),
                              clock);
  EXPECT_LT(loader.batches_per_epoch(), 0);
  EXPECT_EQ(loader.ready(), std::nullopt) << "nothing is read before it is asked for";
  loader.begin_epoch(0);
  for (const auto& expected : test::joined_batches(loader::shuffled_order(5, 2), 3, 20)) {
    EXPECT_EQ(test::indices(*loader.next()), expected);
  }
}

TEST(InlineLoader, Error_TakesItsBatchOnly) {
  const test::IndexDataset data(6, [](const data::SampleKey& key) {
    if (key.index == 3) throw Error("sample 3 is bad");
  });
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 2}, loader::sequential_order(6), clock);
  loader.begin_epoch(0);
  EXPECT_THAT(test::indices(*loader.next()), ElementsAre(0, 1));
  EXPECT_THROW((void)loader.next(), Error);
  EXPECT_THAT(test::indices(*loader.next()), ElementsAre(4, 5));
}

TEST(InlineLoader, Listener_GetsTheCostOfEachBatch) {
  struct Listener final : loader::WorkerSpanListener {
    void batch(std::int64_t pid, int worker, const loader::BatchCost& cost) override {
      EXPECT_EQ(pid, 0);
      EXPECT_EQ(worker, kConsumer);
      EXPECT_GE(cost.ended_ns, cost.began_ns);
      ++batches;
    }
    int batches = 0;
  } listener;
  const test::IndexDataset data(6);
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 2}, loader::sequential_order(6), clock);
  loader.begin_epoch(0);
  (void)loader.next();
  loader::worker_span_listener = &listener;
  (void)loader.next();
  (void)loader.next();
  loader::worker_span_listener = nullptr;
  EXPECT_EQ(listener.batches, 2);
}

TEST(InlineLoader, PartsOfNext_SumToItsDuration) {
  const test::IndexDataset data(8);
  const TickClock clock;
  loader::InlineLoader loader(data, {.batch_size = 3}, loader::sequential_order(8), clock);
  (void)test::epoch(loader, 0);
  const loader::LoaderMetrics& m = loader.metrics();
  EXPECT_EQ(m.wait_ns.size(), 3U);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
  EXPECT_EQ(m.read_ns, m.fetch_ns + m.decode_ns + m.collate_ns);
  EXPECT_EQ(m.samples, 8);
}

TEST(InlineLoader, Batch_OutlivesItsLoader) {
  const test::IndexDataset data(4);
  const HostClock clock;
  std::optional<Batch> kept;
  {
    loader::InlineLoader loader(data, {.batch_size = 2, .reuse_buffers = true},
                                loader::sequential_order(4), clock);
    loader.begin_epoch(0);
    kept = loader.next();
    const std::byte* second = loader.next()->fields[0].data;
    loader.begin_epoch(1);
    EXPECT_EQ(loader.next()->fields[0].data, second);
  }
  EXPECT_THAT(test::indices(*kept), ElementsAre(0, 1));
}

TEST(IterableInline, EachEpoch_ReadsAnotherStream) {
  const test::Counters data({5});
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 2}, {}, clock);
  const Batches all = {{0, 1}, {2, 3}, {4}};
  EXPECT_EQ(test::epoch(loader, 0), all);
  EXPECT_EQ(test::epoch(loader, 0), all);
  EXPECT_EQ(test::epoch(loader, 1), all);
  EXPECT_EQ(loader.batches_per_epoch(), -1);
  const test::Counters none({0, 0});
  loader::InlineLoader empty(none, {}, {}, clock);
  EXPECT_EQ(test::epoch(empty, 0), Batches{});
}

TEST(IterableInline, JoinedPasses_GiveFullBatches) {
  const test::Counters data({5}, -1, 1000);
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 3, .joined = true}, {}, clock);
  loader.begin_epoch(0);
  for (const auto& expected :
       Batches{{0, 1, 2}, {3, 4, 1000}, {1001, 1002, 1003}, {1004, 2000, 2001}}) {
    EXPECT_EQ(test::indices(*loader.next()), expected);
  }
}

TEST(IterableDataset, SampleByIndex_IsAnError) {
  const test::Counters data({1});
  const auto scratch = data.make_scratch();
  data::ReadCost cost;
  EXPECT_THAT([&] { data.read({}, {}, *scratch, cost); },
              ThrowsMessage<Error>(HasSubstr("no sample by index")));
}

}  // namespace
}  // namespace stepbench
