// SPDX-License-Identifier: Apache-2.0
// What events and ranges cost a step, and what they leave behind.
#include <gmock/gmock.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "harness/machine/device_state.h"
#include "harness/stats/random.h"
#include "tests/gpu/device_scene.h"
#include "tests/gpu/overhead_verdict.h"
#include "tests/gpu/products.h"

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
    set_ = measure::InstrumentSet(std::move(made));
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
  measure::InstrumentSet set_;
  StepRecorder recorder_{clock_};
  std::int64_t index_ = 0;
};

template <typename Part>
double seconds_of(const Part& part) {
  const auto begin = std::chrono::steady_clock::now();
  part();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// As many products to each of eight phases as make a step of about 5 ms.
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

TEST(Gpu, AStepUnderEventsAndRangesTakesAsLongAsABareLoop) {
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

// What a mark adds to the two cudaEventRecord in it: those cost as much as this machine's driver
// and sandbox take.
TEST(Gpu, APhaseMarkAddsAtMostOneAndAHalfMicrosecondsToItsEvents) {
  STEPBENCH_NEED_GPU(api);
  constexpr int kWindows = 50;
  constexpr int kSteps = 100;
  constexpr double kAddedNs = 1500;
  MarkedSteps marked(api, kSteps);
  cuda::CudaEvent event = nullptr;
  ASSERT_EQ(api.event_create(&event), cuda::kCudaSuccess);
  std::vector<double> ns;
  std::vector<double> events_ns;
  const auto phases = static_cast<double>(kEightPhases.size());
  for (int window = 0; window < kWindows; ++window) {
    marked.open_window();
    for (int step = 0; step < kSteps; ++step) {
      ns.push_back(1e9 * seconds_of([&] { marked.step([] {}); }) / phases);
      // Two for each phase and two for the step.
      events_ns.push_back(1e9 / phases * seconds_of([&] {
                            for (std::size_t i = 0; i < 2 * (kEightPhases.size() + 1); ++i) {
                              (void)api.event_record(event, nullptr);
                            }
                          }));
    }
    (void)api.device_synchronize();
    marked.close_window();
  }
  (void)api.event_destroy(event);
  const double mark_ns = stats::median(ns);
  const double bare_ns = stats::median(events_ns);
  EXPECT_LE(mark_ns, bare_ns + kAddedNs);
  number("host time of a phase mark, events and NVTX", "<= its two cudaEventRecord + 1.5 us",
         std::to_string(mark_ns * 1e-3) + " us, its events " + std::to_string(bare_ns * 1e-3) +
             " us (medians of " + std::to_string(ns.size()) + " steps of eight)",
         passed(mark_ns <= bare_ns + kAddedNs));
}

std::int64_t resident_bytes() {
  (void)::malloc_trim(0);  // what was given back is not held
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

struct Held {
  std::int64_t reserved = 0;  // by torch's allocator
  std::int64_t device = 0;    // used on the device, as NVML tells; 0: it does not
  std::int64_t resident = 0;
};

Held held() {
  Held now{.resident = resident_bytes()};
  const auto reserved = step::device_memory(tested_device());
  if (reserved) now.reserved = reserved->reserved_bytes;
  if (const auto nvml = machine::NvmlSession::open(machine::load_nvml_api())) {
    if (const auto state = nvml->read(0)) now.device = state->memory_used_bytes.value_or(0);
  }
  return now;
}

TEST(Gpu, AHundredThousandStepsMakeNoNewEventAndTakeNoMoreMemory) {
  STEPBENCH_NEED_GPU(api);
  constexpr std::int64_t kSteps = 100'000;
  constexpr std::int64_t kLittle = std::int64_t{16} << 20;
  Products products(16, 1, 1);
  double grown = 0;
  const auto run = [&] {
    const Measured measured = measure_with(api, products, kSteps, {.nvtx = true});
    EXPECT_EQ(measured.cycle.column("step_device_ns").size(), static_cast<std::size_t>(kSteps));
    grown = measured.metrics.at("event_ring_grown");
  };
  run();
  const Held before = held();
  run();
  const Held after = held();
  EXPECT_EQ(before.reserved, after.reserved);
  EXPECT_LE(after.device - before.device, kLittle);
  EXPECT_LE(after.resident - before.resident, kLittle);
  EXPECT_LE(grown, 1024) << "no more events than launches that a device keeps waiting";
  number("100,000 steps after 100,000: device memory, host memory, events beyond the ring", "flat",
         std::to_string((after.device - before.device) >> 10) + " KiB, " +
             std::to_string((after.resident - before.resident) >> 10) + " KiB, " +
             std::to_string(static_cast<std::int64_t>(grown)),
         passed(!HasFailure()));
}

}  // namespace
}  // namespace stepbench::gpu
