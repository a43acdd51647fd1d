// SPDX-License-Identifier: Apache-2.0
// Cost of events and ranges per step.
#include <chrono>

#include "harness/stats/random.h"
#include "tests/gpu/device_scene.h"
#include "tests/gpu/overhead_verdict.h"
#include "tests/gpu/products.h"
#include "tests/testing.h"

namespace stepbench::gpu {
namespace {

constexpr std::array kEightPhases = {PhaseId::kDataWait, PhaseId::kH2d,      PhaseId::kZeroGrad,
                                     PhaseId::kForward,  PhaseId::kLoss,     PhaseId::kBackward,
                                     PhaseId::kGradSync, PhaseId::kOptimizer};

// A recorder under the event clock and NVTX, as in a timing worker.
class MarkedSteps {
 public:
  MarkedSteps(const cuda::CudaApi& api, std::size_t window) {
    std::vector<std::unique_ptr<Instrument>> made;
    made.push_back(std::make_unique<cuda::EventClock>(
        api, clock_, cuda::EventClockOptions{.window = window, .phase_names = phase_names()}));
    made.push_back(cuda::make_nvtx_ranges(api, {.phase_names = phase_names()}));
    for (const auto& instrument : made) EXPECT_EQ(instrument->exercise(), std::nullopt);
    set_ = worker::InstrumentSet(std::move(made));
  }
  void open_window() {
    set_.change(Action::kRecord);
    recorder_.listeners(set_.listening());
  }
  void close_window() { set_.change(Action::kNone); }
  template <typename Work>
  void step(const Work& work) {
    recorder_.start_step(index_++);
    for (const PhaseId id : kEightPhases) {
      const auto phase = recorder_.phase(id);
      work();
    }
    (void)recorder_.finish_step();
  }

 private:
  HostClock clock_;
  worker::InstrumentSet set_;
  StepRecorder recorder_{clock_};
  std::int64_t index_ = 0;
};

template <typename Part>
double seconds_of(const Part& part) {
  const auto begin = std::chrono::steady_clock::now();
  part();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Returns the number of products per phase for a step of about 5 ms in eight phases.
int products_per_phase(Products& products) {
  constexpr int kTried = 64;
  constexpr double kPhaseSeconds = 5e-3 / 8;
  const auto run = [&] {
    products.multiply(kTried);
    products.synchronize();
  };
  run();
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) shortest = std::min(shortest, seconds_of(run));
  return std::max(1, static_cast<int>(std::lround(kPhaseSeconds * kTried / shortest)));
}

TEST(Gpu, Instruments_DoNotSlowTheStep) {
  STEPBENCH_NEED_GPU(api);
  constexpr int kSteps = 20;
  const int blocks = rehearsing() ? 8 : 60;  // at least 40
  Products products(1024, 0, 0);
  const int times = products_per_phase(products);
  MarkedSteps marked(api, kSteps);
  const auto bare_block = [&] {
    return seconds_of([&] {
      for (int step = 0; step < kSteps; ++step) {
        for (std::size_t phase = 0; phase < kEightPhases.size(); ++phase) products.multiply(times);
      }
      products.synchronize();
    });
  };
  const auto marked_block = [&] {
    marked.open_window();
    const double seconds = seconds_of([&] {
      for (int step = 0; step < kSteps; ++step) marked.step([&] { products.multiply(times); });
      products.synchronize();
    });
    marked.close_window();
    return seconds;
  };
  (void)bare_block();
  (void)marked_block();
  stats::Random order(5);
  std::vector<double> ratios;
  std::vector<double> bare_ms;
  for (int block = 0; block < blocks; ++block) {
    const bool marked_first = order.below(2) == 1;
    double with = marked_first ? marked_block() : 0;
    const double without = bare_block();
    if (!marked_first) with = marked_block();
    ratios.push_back(with / without);
    bare_ms.push_back(1e3 * without / kSteps);
  }
  const Overhead overhead = judge_overhead(ratios);
  const auto [low, high] = *overhead.interval;
  number("step of " + std::to_string(stats::median(bare_ms)) +
             " ms under events and NVTX over a bare one",
         "95 % interval includes or lies below 1.01 and is narrower than 0.01",
         std::to_string(overhead.ratio) + " [" + std::to_string(low) + ", " + std::to_string(high) +
             "], " + std::to_string(blocks) + " pairs of blocks",
         overhead.verdict);
  EXPECT_NE(overhead.verdict, "failed");
}

}  // namespace
}  // namespace stepbench::gpu
