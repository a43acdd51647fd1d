// SPDX-License-Identifier: Apache-2.0
// The worker's loop and its instruments over a hundred cycles of a thousand steps, on scripted
// devices: their resources do not grow, and a step of the window allocates nothing.
#include "harness/cuda/device_activity.h"
#include "harness/cuda/internal/nvtx_ranges.h"
#include "harness/schedule/schedule.h"
#include "harness/worker/internal/loop.h"
#include "tests/testing.h"
#include "tests/unit/cuda/composed_records.h"
#include "tests/unit/cuda/counted_heap.h"
#include "tests/unit/cuda/event_scene.h"
#include "tests/unit/cuda/scripted_cupti.h"

namespace stepbench::cuda {
namespace {

constexpr std::int64_t kCycles = 100;
constexpr std::int64_t kSteps = 1000;

// A collector of activities, driven as in a profiled launch.
class Collecting final : public Instrument {
 public:
  Collecting(ScriptedCupti& cupti, ScriptedCuda& cuda)
      : collector_(make_cupti_collector(cupti.api(), cuda.api(),
                                        {.buffer_bytes = 1 << 16, .most_bytes = 32 << 16})) {}
  [[nodiscard]] std::string_view name() const override { return "collector"; }
  [[nodiscard]] std::optional<std::string> exercise() override { return std::nullopt; }
  void change(Action from, Action to) override {
    if (to == Action::kWarmup) on = !collector_->start();
    if (schedule::is_active(to) && !schedule::is_active(from)) collector_->discard();
    if (schedule::is_active(from) && !schedule::is_active(to)) {
      ops::OpLog log;
      collector_->collect(log);
      activities += static_cast<std::int64_t>(log.activities.size());
      dropped += log.dropped;
      if (auto why = collector_->incomplete()) incomplete = *why;
      collector_->stop();
      on = false;
    }
  }
  void step_begin(std::int64_t index) override { step_ = index; }
  void step_end() noexcept override {}
  void phase_begin(PhaseId, DeviceStream) override {
    collector_->push(static_cast<std::uint64_t>(step_) + 1);
  }
  void phase_end(PhaseId, DeviceStream) noexcept override { collector_->pop(); }
  void report(ReportSink&) const override {}

  bool on = false;  // CUPTI records only while set
  std::int64_t activities = 0;
  std::int64_t dropped = 0;
  std::string incomplete = {};

 private:
  std::unique_ptr<ActivityCollector> collector_;
  std::int64_t step_ = 0;
};

// Resources held at the end of a cycle.
struct Census {
  std::int64_t events, heap_bytes;
  std::size_t buffers;
};

struct Campaign {
  explicit Campaign(std::size_t ring, bool profiled) {
    censuses.reserve(kCycles);
    cuda.keep_log = false;
    cuda.calls["query"] = 0;  // created now, or the script would allocate it later
    cupti.keep_log = false;
    std::vector<std::string> names;
    for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
    std::vector<std::unique_ptr<Instrument>> instruments;
    instruments.push_back(make_nvtx_ranges(api, {.phase_names = names, .capture_range = true}));
    instruments.push_back(std::make_unique<EventClock>(
        api, clock, EventClockOptions{.window = kSteps, .ring = ring, .phase_names = names}));
    if (profiled) {
      auto made = std::make_unique<Collecting>(cupti, cuda);
      collecting = made.get();
      instruments.push_back(std::move(made));
    }
    for (const auto& each : instruments) EXPECT_EQ(each->exercise(), std::nullopt);
    worker::InstrumentSet set(std::move(instruments));
    DeviceWork workload(api, [&](StepRecorder& step) { one_step(step); });
    worker::LoopOptions options;
    options.schedule = {.wait = 1, .warmup = 2, .active = kSteps, .repeat = kCycles};
    options.stop.cycles = kCycles;
    options.deadline_ns = std::numeric_limits<std::int64_t>::max();
    worker::Loop loop(options, clock, workload, set, names);
    loop.exercise();
    (void)loop.run(
        [&](const worker::LoopStage& stage) {
          window_ = stage.active ? Window::kOpens : Window::kClosed;
        },
        [&](const Series& cycle) {
          EXPECT_EQ(cycle.column("step_device_ns").size(), static_cast<std::size_t>(kSteps));
          censuses.push_back({cuda.events, heap_bytes(), cupti.buffers.size()});
        });
    for (Instrument* each : set.all()) each->report(said);
    if (collecting == nullptr) return;
    activities = collecting->activities;
    dropped = collecting->dropped;
    incomplete = collecting->incomplete;
  }

  void one_step(StepRecorder& step) {
    count_allocations();
    {
      const auto copy = step.phase(PhaseId::kH2d, DeviceStream{&side});
      cuda.launch(&side, 2 * kUs);
      clock.pass(1 * kUs);
    }
    const auto forward = step.phase(PhaseId::kForward);
    cuda.launch(nullptr, 3 * kUs);
    clock.pass(10 * kUs);
    if (collecting == nullptr || !collecting->on) return;
    const auto correlation = static_cast<std::uint32_t>(step.index()) + 1;
    const auto now = static_cast<std::uint64_t>(clock.now_ns());
    cupti.emit(external(correlation, correlation));
    cupti.emit(launch(correlation, now));
    cupti.emit(kernel(correlation, now + 10, now + 2000));
  }

  // From inside one step to inside the next: the step's end, the loop, the step's begin.
  void count_allocations() {
    const std::int64_t allocations = heap_allocations();
    if (window_ == Window::kOpen) in_windows += allocations - before_;
    if (window_ == Window::kOpens) window_ = Window::kOpen;
    before_ = heap_allocations();
  }

  ScriptedClock clock;
  ScriptedCuda cuda{clock};
  ScriptedCupti cupti;
  CudaApi api = cuda.api();
  Collecting* collecting = nullptr;  // while the loop runs
  std::int64_t activities = 0;
  std::int64_t dropped = 0;
  std::string incomplete = {};
  std::vector<Census> censuses;
  std::int64_t in_windows = 0;  // allocations
  NoteSink said;

 private:
  enum class Window : std::uint8_t { kClosed, kOpens, kOpen };
  Window window_ = Window::kClosed;
  std::int64_t before_ = 0;
  int side = 0;
};

void expect_flat(const Campaign& campaign) {
  ASSERT_EQ(campaign.censuses.size(), static_cast<std::size_t>(kCycles));
  const Census& early = campaign.censuses[1];
  const Census& last = campaign.censuses.back();
  EXPECT_EQ(last.events, early.events);
  EXPECT_EQ(last.buffers, early.buffers);
  EXPECT_LE(last.heap_bytes - early.heap_bytes, 16 << 10) << "ten batch means of each window stay";
  EXPECT_EQ(campaign.cuda.events, 0) << "destroyed with the instruments";
  EXPECT_EQ(campaign.said.metrics.at("event_ring_grown"), 0);
  EXPECT_EQ(campaign.said.metrics.at("event_ring_lagging"), 0);
  EXPECT_THAT(campaign.said.notes, IsEmpty());
}

TEST(HundredThousandSteps, Timing_AllocatesNothing) {
  for (const std::size_t ring : {std::size_t{64}, std::size_t{2048}}) {
    const Campaign campaign(ring, false);
    expect_flat(campaign);
    EXPECT_EQ(campaign.in_windows, 0) << "with a ring of " << ring;
  }
}

TEST(HundredThousandSteps, Profiling_ReturnsEachBuffer) {
  const Campaign campaign(64, true);
  expect_flat(campaign);
  EXPECT_EQ(campaign.activities, 2 * kCycles * kSteps);
  EXPECT_EQ(campaign.dropped, 0);
  EXPECT_EQ(campaign.incomplete, "");
  EXPECT_GT(campaign.cupti.buffers_taken, 3 * kCycles);
  EXPECT_EQ(campaign.cupti.buffers_returned, campaign.cupti.buffers_taken);
  EXPECT_LE(campaign.cupti.buffers.size(), 16U);
  for (const auto& [kind, open] : campaign.cupti.external) EXPECT_THAT(open, IsEmpty());
}

}  // namespace
}  // namespace stepbench::cuda
