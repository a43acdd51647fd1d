// SPDX-License-Identifier: Apache-2.0
// The loaders on a scripted clock: batches come when arithmetic says, and a window that fits the
// workers gives their rate.
#include <gmock/gmock.h>

#include <functional>
#include <memory>

#include "tests/scripted_clock.h"
#include "tests/unit/loading/conductor.h"
#include "tests/unit/loading/dispatch_model.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/prefetching_loader.h"
#include "workloads/loader/thread/thread_loader.h"

namespace stepbench {
namespace {

using std::chrono::nanoseconds;
using test::constant_cost;
using test::Dispatch;
using test::kCost;
using test::random_cost;
using Times = std::vector<std::int64_t>;

// Workers of a loader in virtual time: waiting for a result moves the clock to its end.
class VirtualPool final : public loader::WorkerPool {
 public:
  VirtualPool(ScriptedClock& clock, const Dispatch& dispatch, std::int64_t& number)
      : clock_(clock),
        dispatch_(dispatch),
        number_(number),
        free_ns_(static_cast<std::size_t>(dispatch.workers)) {}

  void send(int worker, const loader::LoaderTask& task) override {
    std::int64_t& free_ns = free_ns_[static_cast<std::size_t>(worker)];
    free_ns = std::max(free_ns, clock_.now_ns()) + dispatch_.cost_ns(number_++);
    loader::LoaderResult result{
        .batch = task.batch, .worker = worker, .data = {}, .error = {}, .cost = {}};
    result.data.size = 1;
    result.data.index = task.batch;
    result.cost.ended_ns = free_ns;
    under_way_.push_back(std::move(result));
  }
  [[nodiscard]] std::optional<loader::LoaderResult> try_receive() override { return std::nullopt; }
  [[nodiscard]] std::optional<loader::LoaderResult> receive(nanoseconds) override {
    return std::nullopt;
  }
  void try_receive_all(std::vector<loader::LoaderResult>& into) override {
    std::ranges::stable_sort(under_way_, {}, ended);
    const auto first_unfinished = std::ranges::upper_bound(under_way_, clock_.now_ns(), {}, ended);
    std::move(under_way_.begin(), first_unfinished, std::back_inserter(into));
    under_way_.erase(under_way_.begin(), first_unfinished);
  }
  void receive_all(std::vector<loader::LoaderResult>& into, nanoseconds) override {
    clock_.set(std::max(clock_.now_ns(), ended(*std::ranges::min_element(under_way_, {}, ended))));
    try_receive_all(into);
  }
  [[nodiscard]] std::int64_t results() const override {
    return std::ranges::count_if(under_way_, [&](const loader::LoaderResult& result) {
      return ended(result) <= clock_.now_ns();
    });
  }
  void drain() override { under_way_.clear(); }
  void interrupt() override {}

 private:
  static std::int64_t ended(const loader::LoaderResult& result) { return result.cost.ended_ns; }

  ScriptedClock& clock_;
  const Dispatch& dispatch_;
  std::int64_t& number_;  // of batches sent
  std::vector<std::int64_t> free_ns_;
  std::vector<loader::LoaderResult> under_way_;
};

Times consume(loader::Loader& loader, ScriptedClock& clock, const Dispatch& dispatch,
              std::int64_t batches) {
  Times got;
  std::int64_t epoch = 0;
  loader.begin_epoch(epoch);
  while (std::ssize(got) < batches) {
    if (!loader.next()) {
      loader.begin_epoch(++epoch);
      continue;
    }
    got.push_back(clock.now_ns());
    clock.pass(dispatch.consumer_ns);
  }
  return got;
}

loader::LoaderOptions options_of(const Dispatch& dispatch, bool in_order = true) {
  return {.joined = dispatch.epoch == 0,
          .num_workers = dispatch.workers,
          .prefetch_factor = dispatch.prefetch_factor,
          .persistent_workers = true,
          .in_order = in_order};
}

Times prefetching(const Dispatch& dispatch, std::int64_t batches, bool in_order = true) {
  ScriptedClock clock(0);
  std::int64_t number = 0;
  const std::int64_t samples = dispatch.epoch == 0 ? 7 : dispatch.epoch;
  loader::PrefetchingLoader loader(
      samples, options_of(dispatch, in_order), loader::sequential_order(samples),
      [&] { return std::make_unique<VirtualPool>(clock, dispatch, number); }, clock);
  return consume(loader, clock, dispatch, batches);
}

Times reading_inline(Dispatch dispatch, std::int64_t batches) {
  ScriptedClock clock(0);
  std::int64_t number = 0;
  const std::int64_t samples = dispatch.epoch == 0 ? 7 : dispatch.epoch;
  const test::IndexDataset data(
      samples, [&](const data::SampleKey&) { clock.pass(dispatch.cost_ns(number++)); });
  dispatch.workers = 0;
  loader::InlineLoader loader(data, options_of(dispatch), loader::sequential_order(samples), clock);
  return consume(loader, clock, dispatch, batches);
}

double step_ns(const Times& got, std::int64_t warmup, std::int64_t steps) {
  const auto at = [&](std::int64_t i) { return got[static_cast<std::size_t>(i)]; };
  return static_cast<double>(at(warmup + steps - 1) - at(warmup - 1)) / static_cast<double>(steps);
}

class KnownTimes : public testing::TestWithParam<std::int64_t> {};

TEST_P(KnownTimes, AWindowOfWholeRoundsOfJoinedEpochsGivesTheRateOfTheWorkersExactly) {
  for (const std::int64_t prefetch : {1, 2, 4}) {
    for (const std::int64_t tenths : {0, 2, 5}) {  // of the workers' time for a batch
      const Dispatch dispatch{.workers = GetParam(),
                              .prefetch_factor = prefetch,
                              .consumer_ns = kCost * tenths / 10 / GetParam(),
                              .epoch = 0,
                              .cost_ns = constant_cost()};
      const std::int64_t warmup = 2 * GetParam() * prefetch + 2;
      for (const std::int64_t rounds : {1, 6, 24}) {
        const std::int64_t steps = rounds * GetParam();
        const Times got = prefetching(dispatch, warmup + steps);
        const double truth = static_cast<double>(kCost) / static_cast<double>(GetParam());
        EXPECT_NEAR(step_ns(got, warmup, steps) / truth, 1, 1e-9)
            << "prefetch " << prefetch << ", consumer " << tenths << ", rounds " << rounds;
      }
    }
  }
}

TEST_P(KnownTimes, ALoaderThatIsFastEnoughCostsAStepNothing) {
  const Dispatch dispatch{.workers = GetParam(),
                          .prefetch_factor = 2,
                          .consumer_ns = 2 * kCost / GetParam(),
                          .epoch = 0,
                          .cost_ns = constant_cost()};
  const std::int64_t warmup = 4 * GetParam() + 2;
  const Times got = prefetching(dispatch, warmup + 24 * GetParam());
  EXPECT_DOUBLE_EQ(step_ns(got, warmup, 24 * GetParam()),
                   static_cast<double>(dispatch.consumer_ns));
}

TEST_P(KnownTimes, ASeparateEpochCostsAsManyRoundsAsItsBatchesTake) {
  for (const std::int64_t batches : {1, 3, 8, 10, 17}) {
    const Dispatch dispatch{.workers = GetParam(),
                            .prefetch_factor = 2,
                            .consumer_ns = 0,
                            .epoch = batches,
                            .cost_ns = constant_cost()};
    const std::int64_t rounds = (batches + GetParam() - 1) / GetParam();
    const Times got = prefetching(dispatch, 5 * batches);
    EXPECT_DOUBLE_EQ(step_ns(got, batches, 4 * batches),
                     static_cast<double>(rounds * kCost) / static_cast<double>(batches))
        << batches;
  }
}

TEST_P(KnownTimes, EveryBatchComesWhenTheModelOfTurnsSays) {
  for (const double sigma : {0.25, 1.0}) {
    for (const std::int64_t epoch : {0, 1, 5, 33}) {
      for (const std::int64_t prefetch : {1, 2, 5}) {
        for (const std::int64_t consumer_ns : {std::int64_t{0}, kCost / 3, 2 * kCost}) {
          const Dispatch dispatch{.workers = GetParam(),
                                  .prefetch_factor = prefetch,
                                  .consumer_ns = consumer_ns,
                                  .epoch = epoch,
                                  .cost_ns = random_cost(17, sigma)};
          ASSERT_EQ(prefetching(dispatch, 300), test::turn_times(dispatch, 300))
              << "sigma " << sigma << ", epoch " << epoch << ", prefetch " << prefetch
              << ", consumer " << consumer_ns;
        }
      }
    }
  }
}

TEST_P(KnownTimes, OutOfOrderEveryBatchComesWhenTheModelOfFirstFinishedSays) {
  for (const std::int64_t prefetch : {1, 3}) {
    for (const std::int64_t consumer_ns : {std::int64_t{0}, kCost / 3}) {
      const Dispatch dispatch{.workers = GetParam(),
                              .prefetch_factor = prefetch,
                              .consumer_ns = consumer_ns,
                              .epoch = 0,
                              .cost_ns = random_cost(4, 1)};
      ASSERT_EQ(prefetching(dispatch, 300, false), test::first_finished_times(dispatch, 300))
          << "prefetch " << prefetch << ", consumer " << consumer_ns;
    }
  }
}

// The engine itself, whose threads wait for the conductor.
TEST_P(KnownTimes, TheEngineOfThreadsKeepsTheModelOfTurns) {
  constexpr std::int64_t kBatches = 120;
  for (const std::int64_t epoch : {0, 3, 25}) {
    const std::int64_t samples = epoch == 0 ? 50 : epoch;
    const Dispatch dispatch{.workers = GetParam(),
                            .prefetch_factor = 2,
                            .consumer_ns = kCost / 3,
                            .epoch = epoch,
                            .cost_ns = random_cost(8, 0.5)};
    test::Conductor conductor(dispatch, samples, [&](std::int64_t sent, const auto& finished) {
      std::set<std::int64_t> busy;
      for (std::int64_t batch = 0; batch < sent; ++batch) {
        const std::int64_t turn = epoch == 0 ? batch : batch % epoch;
        if (!finished.contains(batch)) busy.insert(turn % GetParam());
      }
      return std::ssize(busy);
    });
    const test::IndexDataset data(samples,
                                  [&](const data::SampleKey& key) { conductor.read(key); });
    const HostClock clock;
    const auto loader = loader::make_thread_loader(data, options_of(dispatch),
                                                   loader::sequential_order(samples), clock);
    EXPECT_EQ(conductor.run(*loader, kBatches), test::turn_times(dispatch, kBatches));
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, KnownTimes, testing::Values(1, 2, 3, 4, 8));

TEST(KnownTimesInline, AStepIsReadingAndConsumingWhateverTheEpochs) {
  for (const std::int64_t epoch : {0, 5}) {
    Dispatch dispatch{.workers = 1,
                      .prefetch_factor = 2,
                      .consumer_ns = kCost / 3,
                      .epoch = epoch,
                      .cost_ns = constant_cost()};
    EXPECT_DOUBLE_EQ(step_ns(reading_inline(dispatch, 101), 1, 100),
                     static_cast<double>(kCost + kCost / 3));
    dispatch.cost_ns = random_cost(3, 1);
    EXPECT_EQ(reading_inline(dispatch, 300), test::inline_times(dispatch, 300));
  }
}

}  // namespace
}  // namespace stepbench
