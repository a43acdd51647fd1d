// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/prefetching_loader.h"

#include "tests/scripted_clock.h"
#include "tests/testing.h"
#include "workloads/loader/batches.h"

namespace stepbench {
namespace {

using std::chrono::nanoseconds;

// Calls of a scripted pool, and its results. Outlives the pools of a loader.
struct Script {
  ScriptedClock clock{0};
  std::vector<loader::LoaderTask> sent = {};
  std::vector<int> workers = {};                             // of `sent`
  std::vector<loader::LoaderResult> there = {};              // immediately available
  std::function<std::vector<loader::LoaderResult>()> later;  // results that end a wait
  std::vector<nanoseconds> limits = {};                      // one per wait
  int pools = 0;
  int drained = 0;
};

class ScriptedPool final : public loader::WorkerPool {
 public:
  explicit ScriptedPool(Script& script) : script_(script) { ++script_.pools; }
  ~ScriptedPool() override { --script_.pools; }

  void send(int worker, const loader::LoaderTask& task) override {
    script_.sent.push_back(task);
    script_.workers.push_back(worker);
  }
  [[nodiscard]] std::optional<loader::LoaderResult> try_receive() override { return std::nullopt; }
  [[nodiscard]] std::optional<loader::LoaderResult> receive(nanoseconds) override {
    return std::nullopt;
  }
  void try_receive_all(std::vector<loader::LoaderResult>& into) override {
    EXPECT_THAT(into, IsEmpty());
    into = std::exchange(script_.there, {});
  }
  void receive_all(std::vector<loader::LoaderResult>& into, nanoseconds limit) override {
    EXPECT_THAT(into, IsEmpty());
    script_.limits.push_back(limit);
    into = script_.later();
  }
  [[nodiscard]] std::int64_t results() const override {
    return static_cast<std::int64_t>(script_.there.size());
  }
  [[nodiscard]] std::vector<int> cores(int worker) const override { return {worker, 7}; }
  void drain() override {
    ++script_.drained;
    script_.there.clear();
  }
  void interrupt() override {}

 private:
  Script& script_;
};

class Prefetching : public testing::Test {
 protected:
  std::unique_ptr<loader::PrefetchingLoader> loader(loader::LoaderOptions options,
                                                    std::int64_t samples = 8) {
    options.num_workers = 2;
    auto made = std::make_unique<loader::PrefetchingLoader>(
        samples, options, samples < 0 ? loader::EpochOrder() : loader::sequential_order(samples),
        [this] { return std::make_unique<ScriptedPool>(script); }, script.clock);
    made->begin_epoch(0);
    return made;
  }
  static loader::LoaderResult result(std::int64_t batch, std::int64_t ended_ns = 0) {
    loader::LoaderResult made;
    made.batch = batch;
    made.worker = static_cast<int>(batch % 2);
    made.data.size = 1;
    made.data.index = batch;
    made.cost.began_ns = made.cost.ended_ns = ended_ns;
    return made;
  }
  static std::vector<loader::LoaderResult> results(const std::vector<std::int64_t>& batches) {
    std::vector<loader::LoaderResult> all;
    for (const std::int64_t batch : batches) all.push_back(result(batch));
    return all;
  }
  void arrive(std::int64_t after_ns, std::vector<loader::LoaderResult> arriving) {
    script.later = [this, after_ns, arriving = std::move(arriving)] {
      script.clock.pass(after_ns);
      return arriving;
    };
  }
  [[nodiscard]] std::vector<std::int64_t> sent() const {
    std::vector<std::int64_t> batches;
    for (const loader::LoaderTask& task : script.sent) batches.push_back(task.batch);
    return batches;
  }

  Script script;
};

TEST_F(Prefetching, EachTask_GetsItsShareOfTheOrder) {
  const auto made = loader({.batch_size = 3, .drop_last = false});
  EXPECT_THAT(sent(), ElementsAre(0, 1, 2));
  EXPECT_THAT(script.workers, ElementsAre(0, 1, 0));
  EXPECT_THAT(script.sent[1].samples.indices, ElementsAre(3, 4, 5));
  EXPECT_THAT(script.sent[2].samples.indices, ElementsAre(6, 7));
  const auto ones = loader({});
  script.there = results({0});
  script.sent.clear();
  EXPECT_EQ(ones->next()->index, 0);
  EXPECT_THAT(sent(), ElementsAre(4));
}

TEST_F(Prefetching, FinishedAtEntry_IsCounted) {
  const auto made = loader({});
  script.there = results({0, 1});
  (void)made->next();
  (void)made->next();
  const loader::LoaderMetrics& m = made->metrics();
  EXPECT_THAT(m.queue_depth, ElementsAre(2, 1));
  EXPECT_EQ(m.ready, 2);
  EXPECT_EQ(m.waiting_batches, 0);
  EXPECT_EQ(m.blocked_ns, 0);
  EXPECT_THAT(m.workers.at(1).cores, ElementsAre(1, 7));
}

TEST_F(Prefetching, EarlyBatch_IsHeld) {
  const auto made = loader({});
  arrive(100, results({1, 0}));
  EXPECT_EQ(made->next()->index, 0);
  const loader::LoaderMetrics& m = made->metrics();
  EXPECT_EQ(m.blocked_ns, 100);
  EXPECT_EQ(m.stalled_ns, 0);
  EXPECT_EQ(m.ready, 0);
  EXPECT_EQ(made->next()->index, 1);
  EXPECT_EQ(m.waiting_batches, 1);
  EXPECT_THAT(m.queue_depth, ElementsAre(0, 1));
}

TEST_F(Prefetching, FinishedBatches_AreReadyAnywhere) {
  const auto made = loader({});
  EXPECT_EQ(made->ready(), 0);
  script.there = results({2, 0, 1});
  EXPECT_EQ(made->ready(), 3) << "in the pool";
  (void)made->next();
  EXPECT_EQ(made->ready(), 2) << "one held for its turn, one taken from the pool and not looked at";
}

TEST_F(Prefetching, WaitForTurn_IsAStall) {
  const auto made = loader({});
  script.there = results({1});
  arrive(100, {result(0, 90)});
  EXPECT_EQ(made->next()->index, 0);
  EXPECT_EQ(made->metrics().blocked_ns, 100);
  EXPECT_EQ(made->metrics().stalled_ns, 100);
}

TEST_F(Prefetching, OutOfOrder_YieldsAsItCame) {
  const auto made = loader({.in_order = false});
  arrive(5, results({3, 1, 0}));
  for (const std::int64_t index : {3, 1, 0}) EXPECT_EQ(made->next()->index, index);
  EXPECT_EQ(script.limits.size(), 1U);
  EXPECT_THAT(made->metrics().queue_depth, ElementsAre(0, 2, 1));
  EXPECT_EQ(made->metrics().stalled_ns, 0);
}

TEST_F(Prefetching, TimeLimit_RestartsOnArrival) {
  const auto made = loader({.timeout_s = 2});
  script.later = [this] { return results({script.limits.size() == 1 ? 1 : 0}); };
  EXPECT_EQ(made->next()->index, 0);
  EXPECT_THAT(script.limits, ElementsAre(nanoseconds(2'000'000'000), nanoseconds(2'000'000'000)));
}

TEST_F(Prefetching, TakingOver_IsNoWaiting) {
  const auto made = loader({});
  loader::LoaderResult mapped = result(0);
  mapped.take_over_ns = 30;
  mapped.blocked_ns = 4;
  arrive(100, {mapped});
  (void)made->next();
  const loader::LoaderMetrics& m = made->metrics();
  EXPECT_EQ(m.blocked_ns, 70);
  EXPECT_EQ(m.receive_ns, 30);
  EXPECT_EQ(m.transport_ns, 34);
}

TEST_F(Prefetching, NonPersistentWorkers_StopAtTheEnd) {
  for (const bool persistent : {false, true}) {
    const auto made = loader({.batch_size = 8, .persistent_workers = persistent});
    script.there = results({0});
    (void)made->next();
    EXPECT_EQ(script.pools, 1);
    EXPECT_FALSE(made->next().has_value());
    EXPECT_EQ(script.pools, persistent ? 1 : 0);
  }
}

// A stream's end comes as an empty batch, once for each remaining task of its worker.
TEST_F(Prefetching, StreamEnd_IsNoBatch) {
  const auto made = loader({}, -1);
  const auto end = [](std::int64_t batch) {
    loader::LoaderResult empty = result(batch, 1);
    empty.data.size = 0;
    return empty;
  };
  arrive(100, {end(0), result(1, 50), end(2)});
  EXPECT_EQ(made->next()->index, 1);
  EXPECT_THAT(std::vector(script.workers.begin() + 4, script.workers.end()), ElementsAre(1, 1));
  arrive(100, {end(3), end(4), end(5)});
  EXPECT_FALSE(made->next().has_value());
  EXPECT_EQ(script.sent.size(), 6U) << "only the first end of a worker is followed by a task";
  EXPECT_EQ(made->metrics().batches, 1);
}

}  // namespace
}  // namespace stepbench
