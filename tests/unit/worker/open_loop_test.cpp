// SPDX-License-Identifier: Apache-2.0
// Arrivals through the loop that measures, at servers of which theory knows how long one waits.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/highest_rate.h"
#include "harness/stats/order.h"
#include "harness/stats/random.h"
#include "harness/worker/loop.h"
#include "tests/scripted_clock.h"

namespace stepbench::worker {
namespace {

using schedule::ArrivalProcess;
using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kServiceNs = 1000 * kUs;

// Answers request i in so many ns, after loading its data.
class Server final : public Workload {
 public:
  explicit Server(ScriptedClock& clock) : clock_(clock) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override {
    if (load_ns > 0) {
      const auto wait = step.phase(PhaseId::kDataWait);
      clock_.pass(load_ns);
    }
    const auto forward = step.phase(PhaseId::kForward);
    clock_.pass(service_ns(step.index()));
  }
  void window(Edge) override { clock_.pass(50'000 * kUs); }  // the harness's own time
  void tear_down() override {}
  Fingerprint fingerprint() override { return {}; }

  std::function<std::int64_t(std::int64_t)> service_ns = [](std::int64_t) { return kServiceNs; };
  std::int64_t load_ns = 0;

 private:
  ScriptedClock& clock_;
};

struct QueueScene {
  QueueScene(double load, ArrivalProcess process, std::int64_t active, std::int64_t warmup = 0) {
    options.schedule = {.wait = 0, .warmup = warmup, .active = active, .repeat = 1};
    options.stop.cycles = 1;
    options.deadline_ns = std::numeric_limits<std::int64_t>::max();
    options.sync_each_step = true;
    options.arrivals = {.rate_per_s = load * 1e9 / kServiceNs, .process = process, .seed = 42};
  }

  Series run() {
    std::vector<std::string> phases;
    for (const Phase& phase : built_in_phases()) phases.push_back(phase.name);
    measure::InstrumentSet none{{}};
    Loop loop(options, clock, server, none, phases);
    loop.exercise();
    Series cycle;
    (void)loop.run([](const LoopStage&) {}, [&](const Series& columns) { cycle = columns; });
    return cycle;
  }

  ScriptedClock clock;
  Server server{clock};
  LoopOptions options;
};

struct Mean {
  double value = 0;
  double error = 0;  // standard error, of a hundred stretches
};
Mean mean_of(const std::vector<std::int64_t>& values) {
  constexpr std::size_t kStretches = 100;
  const std::size_t length = values.size() / kStretches;
  std::vector<double> means;
  for (std::size_t i = 0; i < kStretches; ++i) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(i * length);
    means.push_back(std::accumulate(from, from + static_cast<std::ptrdiff_t>(length), 0.0) /
                    static_cast<double>(length));
  }
  return {std::accumulate(means.begin(), means.end(), 0.0) / kStretches,
          stats::standard_deviation(means) / std::sqrt(static_cast<double>(kStretches))};
}

TEST(OpenLoop, AServerOfConstantTimeKeepsRequestsWaitingAsLongAsTheorySays) {
  for (const double load : {0.3, 0.6, 0.8}) {
    QueueScene scene(load, ArrivalProcess::kPoisson, 200'000, 2000);
    const Mean wait = mean_of(scene.run().column("queue_wait_ns"));
    const double theory = load * kServiceNs / (2 * (1 - load));  // M/D/1, Pollaczek and Khinchine
    EXPECT_LT(wait.error, 0.03 * theory) << load;
    EXPECT_NEAR(wait.value, theory, 3 * wait.error) << load;
  }
}

TEST(OpenLoop, AServerOfExponentialTimeKeepsThemWaitingTwiceAsLong) {
  const double load = 0.6;
  QueueScene scene(load, ArrivalProcess::kPoisson, 200'000, 2000);
  stats::Random random(7);
  scene.server.service_ns = [&](std::int64_t) {
    return std::llround(-std::log(1 - random.unit()) * kServiceNs);
  };
  const Mean wait = mean_of(scene.run().column("queue_wait_ns"));
  EXPECT_NEAR(wait.value, load * kServiceNs / (1 - load), 3 * wait.error);  // M/M/1
  EXPECT_LT(wait.error, 0.05 * wait.value);
}

TEST(OpenLoop, FixedArrivalsThatAServerCanAnswerNeverWait) {
  const Series cycle = QueueScene(0.8, ArrivalProcess::kFixed, 100).run();
  EXPECT_THAT(cycle.column("queue_wait_ns"), Each(0));
  EXPECT_THAT(cycle.column("request_latency_ns"), Each(kServiceNs));
  EXPECT_THAT(cycle.column("arrival_wait_ns"), testing::Contains(250 * kUs).Times(99));
}

TEST(OpenLoop, FixedArrivalsThatAreTooManyWaitLongerOneByOne) {
  const Series cycle = QueueScene(1.25, ArrivalProcess::kFixed, 5).run();
  EXPECT_THAT(cycle.column("queue_wait_ns"),
              ElementsAre(0, 200 * kUs, 400 * kUs, 600 * kUs, 800 * kUs));
}

// Coordinated omission: a loop that waits for each answer sees one slow request, where its users
// see all those that came meanwhile.
TEST(OpenLoop, OneStallKeepsAllThatArriveInItWaiting) {
  QueueScene scene(0.5, ArrivalProcess::kFixed, 400);
  scene.server.service_ns = [](std::int64_t step) {
    return step == 100 ? 100 * kServiceNs : kServiceNs;
  };
  const Series cycle = scene.run();
  const std::vector<std::int64_t>& wait = cycle.column("queue_wait_ns");
  EXPECT_EQ(*std::max_element(wait.begin(), wait.end()), 98 * kServiceNs);
  EXPECT_EQ(std::count_if(wait.begin(), wait.end(), [](std::int64_t ns) { return ns > 0; }), 98);
  EXPECT_EQ(wait[101] - wait[102], kServiceNs);
  const std::vector<std::int64_t>& latency = cycle.column("request_latency_ns");
  EXPECT_EQ(latency[101], 99 * kServiceNs);
}

double share_later_than(double limit_ns, const std::vector<std::int64_t>& latency) {
  const auto late = std::count_if(latency.begin(), latency.end(), [&](std::int64_t ns) {
    return static_cast<double>(ns) > limit_ns;
  });
  return static_cast<double>(late) / static_cast<double>(latency.size());
}

// One answer in twenty takes five times as long.
std::int64_t uneven_service(std::int64_t step) {
  return step * 7919 % 20 == 0 ? 5 * kServiceNs : kServiceNs;
}

// What is computed from a run without arrivals holds in runs that really have them, to 5 %.
TEST(OpenLoop, TheHighestRateUnderALimitIsTheOneAtWhichMeasuredRequestsReachIt) {
  std::vector<double> services;
  for (std::int64_t i = 0; i < 1000; ++i)
    services.push_back(static_cast<double>(uneven_service(i)));
  for (const double limit : {12.0 * kServiceNs, 30.0 * kServiceNs}) {
    const double rate = estimate::highest_rate_per_s(services, limit, false);
    const auto late_at = [&](double share) {
      QueueScene scene(share * rate * kServiceNs / 1e9, ArrivalProcess::kPoisson, 300'000, 5000);
      scene.server.service_ns = uneven_service;
      return share_later_than(limit, scene.run().column("request_latency_ns"));
    };
    EXPECT_LT(late_at(0.95), 0.01) << limit;
    EXPECT_GT(late_at(1.05), 0.01) << limit;
  }
}

TEST(OpenLoop, LoadingDataKeepsNobodyWaiting) {
  QueueScene without(0.6, ArrivalProcess::kPoisson, 500);
  QueueScene with(0.6, ArrivalProcess::kPoisson, 500);
  with.server.load_ns = 3 * kServiceNs;
  const Series loaded = with.run();
  EXPECT_EQ(loaded.column("queue_wait_ns"), without.run().column("queue_wait_ns"));
  EXPECT_THAT(loaded.column("data_wait_ns"), Each(3 * kServiceNs));
}

TEST(OpenLoop, PhasesAndTheWaitForArrivalsSumToTheStep) {
  const Series cycle = QueueScene(0.5, ArrivalProcess::kPoisson, 300).run();
  const auto& step = cycle.column("step_ns");
  for (std::size_t i = 0; i < step.size(); ++i) {
    EXPECT_EQ(step[i], cycle.column("arrival_wait_ns")[i] + cycle.column("forward_ns")[i] +
                           cycle.column("other_ns")[i]);
  }
}

// The first requests of a queue wait less than others: they belong to the warm-up.
TEST(OpenLoop, TheQueueRunsOnFromTheWarmUpIntoTheWindow) {
  const Series whole = QueueScene(0.9, ArrivalProcess::kPoisson, 300).run();
  const Series part = QueueScene(0.9, ArrivalProcess::kPoisson, 200, 100).run();
  const std::vector<std::int64_t>& all = whole.column("queue_wait_ns");
  EXPECT_EQ(part.column("queue_wait_ns"), std::vector<std::int64_t>(all.begin() + 100, all.end()));
}

TEST(OpenLoop, WithoutArrivalsNothingQueues) {
  QueueScene scene(0.5, ArrivalProcess::kPoisson, 5);
  scene.options.arrivals = {};
  const Series cycle = scene.run();
  EXPECT_EQ(cycle.find("queue_wait_ns"), nullptr);
  EXPECT_EQ(cycle.find("request_latency_ns"), nullptr);
  EXPECT_EQ(cycle.find("arrival_wait_ns"), nullptr);
}

}  // namespace
}  // namespace stepbench::worker
