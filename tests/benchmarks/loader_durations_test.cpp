// SPDX-License-Identifier: Apache-2.0
// Checks the loader's real durations against clocks outside it and the steady-state model. Needs an
// idle machine; never in the default test run.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "workloads/data/synthetic/synthetic.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/sample_order.h"
#include "workloads/loader/thread/thread_loader.h"

namespace stepbench {
namespace {

const HostClock kClock;
constexpr double kMs = 1e6;

void sleep_ms(double ms) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

data::SyntheticOptions sleeping(std::int64_t samples, double cost_ms) {
  data::SyntheticOptions options;
  options.samples = samples;
  options.shape = {4};
  options.cost = data::SampleCost::kSleep;
  options.cost_us = 1000 * cost_ms;
  return options;
}

std::unique_ptr<loader::Loader> make(const data::Dataset& data, std::int64_t workers) {
  const loader::LoaderOptions options{
      .batch_size = 1, .num_workers = workers, .prefetch_factor = 2};
  if (workers == 0) {
    return std::make_unique<loader::InlineLoader>(data, options,
                                                  loader::sequential_order(data.size()), kClock);
  }
  return loader::make_thread_loader(data, options, loader::sequential_order(data.size()), kClock);
}

struct Seen {
  double elapsed_ns = 0;
  double outside_ns = 0;  // in next(), by a clock around it
  double inside_ns = 0;   // by the loader
  double parts_ns = 0;
};

Seen consume(loader::Loader& loader, double step_ms, int warm_up) {
  Seen seen;
  loader.begin_epoch(0);
  for (int i = 0; i < warm_up; ++i) {
    (void)loader.next();
    sleep_ms(step_ms);
  }
  loader.reset_metrics();
  const std::int64_t began = kClock.now_ns();
  std::int64_t last = began;
  for (;;) {
    const std::int64_t asked = kClock.now_ns();
    if (!loader.next()) break;
    last = kClock.now_ns();
    seen.outside_ns += static_cast<double>(last - asked);
    if (step_ms > 0) sleep_ms(step_ms);
    last = kClock.now_ns();
  }
  seen.elapsed_ns = static_cast<double>(last - began);
  const loader::LoaderMetrics& m = loader.metrics();
  seen.inside_ns =
      static_cast<double>(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}));
  seen.parts_ns =
      static_cast<double>(m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
  return seen;
}

TEST(LoaderDurations, PartsOfNext_SumToItsWallTime) {
  for (const std::int64_t workers : {0, 1, 2}) {
    const data::Synthetic data(sleeping(200, 2));
    const auto loader = make(data, workers);
    const Seen seen = consume(*loader, 0, 10);
    EXPECT_NEAR(seen.parts_ns / seen.outside_ns, 1, 0.02) << workers << " workers";
    EXPECT_EQ(seen.parts_ns, seen.inside_ns);
  }
}

// Uses the measured seconds per step and batch: a sleep lasts longer on a busy machine.
TEST(LoaderDurations, DataWait_FollowsTheModel) {
  struct Case {
    std::int64_t workers;
    double batch_ms;
    double step_ms;
  };
  for (const Case& c : {Case{0, 6, 6}, Case{2, 24, 6}, Case{2, 12, 12}, Case{4, 24, 4}}) {
    const data::Synthetic data(sleeping(200, c.batch_ms));
    const auto loader = make(data, c.workers);
    const Seen seen = consume(*loader, c.step_ms, 20);
    const loader::LoaderMetrics& m = loader->metrics();
    const auto batches = static_cast<double>(m.batches);
    const double batch_ns = static_cast<double>(m.fetch_ns + m.decode_ns + m.collate_ns) / batches;
    const double step_ns = (seen.elapsed_ns - seen.inside_ns) / batches;
    const double expected =
        c.workers == 0 ? batch_ns / (batch_ns + step_ns)
                       : std::max(0.0, 1 - step_ns * static_cast<double>(c.workers) / batch_ns);
    EXPECT_NEAR(seen.inside_ns / seen.elapsed_ns, expected, 0.02)
        << c.workers << " workers, " << c.batch_ms << " ms a batch, " << c.step_ms << " ms a step";
  }
}

// One batch of 100 ms among batches of 1 ms, each used for 4 ms: four batches are ready when the
// consumer starts to wait for it.
TEST(LoaderDurations, Straggler_LosesThePrefetchedTime) {
  class Straggling final : public data::Dataset {
   public:
    [[nodiscard]] std::int64_t size() const override { return 60; }
    [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
    [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
      return std::make_unique<Scratch>();
    }
    void read(const data::SampleKey& key, data::SampleSlots, Scratch&,
              data::ReadCost&) const override {
      sleep_ms(key.index == 30 ? 100 : 1);
    }
    [[nodiscard]] std::string digest() const override { return {}; }

   private:
    std::vector<FieldSpec> fields_ = {{.name = "x", .shape = {}, .dtype = DType::kInt64}};
  };
  const Straggling data;
  for (const bool in_order : {true, false}) {
    const auto loader = loader::make_thread_loader(
        data, {.batch_size = 1, .num_workers = 2, .prefetch_factor = 2, .in_order = in_order},
        loader::sequential_order(60), kClock);
    (void)consume(*loader, 4, 10);
    const loader::LoaderMetrics& m = loader->metrics();
    const auto longest = static_cast<double>(*std::max_element(m.wait_ns.begin(), m.wait_ns.end()));
    if (in_order) {
      EXPECT_NEAR(longest / kMs, 100 - 4 * 4, 5);
      EXPECT_GT(m.stalled_ns, 0);
    } else {
      EXPECT_LT(longest / kMs, 20);
    }
  }
}

double process_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(LoaderDurations, IdleWorker_UsesUnderOnePercent) {
  constexpr int kWorkers = 4;
  constexpr double kSeconds = 2;
  const data::Synthetic data(sleeping(1000, 0));
  const auto loader = make(data, kWorkers);
  loader->begin_epoch(0);
  (void)loader->next();
  sleep_ms(100);
  const double before = process_cpu_s();
  sleep_ms(1000 * kSeconds);
  const double used = process_cpu_s() - before;
  RecordProperty("share", std::to_string(used / kSeconds / kWorkers));
  EXPECT_LT(used / kSeconds / kWorkers, 0.01);
}

}  // namespace
}  // namespace stepbench
