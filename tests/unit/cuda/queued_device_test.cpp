// SPDX-License-Identifier: Apache-2.0
// A device accepts about a thousand launches before the host has to wait. The script sets the time
// of a window of steps on such a device; the sum of the periods must equal it exactly.
#include <deque>

#include "tests/testing.h"
#include "tests/unit/cuda/event_scene.h"

namespace stepbench::cuda {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr double kFloatMs = 0x1p-24;  // cudaEventElapsedTime rounds to a float: 60 ms to 4 ns

double mean(const std::vector<std::int64_t>& column) {
  return static_cast<double>(std::accumulate(column.begin(), column.end(), std::int64_t{0})) /
         static_cast<double>(column.size());
}

struct QueuedScene : EventScene {
  QueuedScene(std::int64_t warmup, std::int64_t active) {
    cuda.queue_depth = 1024;
    options.window = static_cast<std::size_t>(active);
    schedule = {.wait = 1, .warmup = warmup, .active = active, .repeat = 2};
  }

  void forward(StepRecorder& step, int launches, std::int64_t launch_cost_ns,
               std::int64_t device_ns) {
    const auto phase = step.phase(PhaseId::kForward);
    cuda.launch_cost_ns = launch_cost_ns;
    for (int i = 0; i < launches; ++i) cuda.launch(nullptr, device_ns / launches);
  }
};

struct Expected {
  std::int64_t step_ns;
  bool host_is_right;  // once the queue is full
};

// In every window: the periods are the device's time, the host's are equal or far off, and the work
// on the compute stream sums to each period.
void expect_device_time(const QueuedScene& scene, Expected expected) {
  ASSERT_EQ(scene.cycles.size(), 2U);
  for (const Series& cycle : scene.cycles) {
    const auto step_ns = static_cast<double>(expected.step_ns);
    EXPECT_NEAR(mean(cycle.column("period_device_ns")), step_ns, 0.5 + step_ns * kFloatMs);
    const double host_bias = mean(cycle.column("step_ns")) / step_ns - 1;
    if (expected.host_is_right) {
      EXPECT_NEAR(host_bias, 0, 0.01);
    } else {
      EXPECT_LT(host_bias, -0.05) << "the host only launches";
    }
    for (std::size_t i = 0; i < cycle.column("period_device_ns").size(); ++i) {
      std::int64_t rest = cycle.column("period_device_ns")[i];
      for (std::size_t at = 0; at < cycle.names.size(); ++at) {
        const std::string& name = cycle.names[at];
        const bool on_stream = name == "h2d_device_ns" || name == "data_wait_device_ns" ||
                               name == "forward_device_ns" || name == "graph_replay_device_ns" ||
                               name == "other_device_ns";
        if (on_stream) rest -= cycle.columns[at][i];
      }
      EXPECT_EQ(rest, 0) << "step " << i;
      EXPECT_GE(cycle.column("other_device_ns")[i], 0) << "step " << i;
    }
  }
}

// Steps of `launches` after a copy that the host does not wait for.
struct Queued {
  int launches;
  std::int64_t launch_cost_us;
  std::int64_t device_ms;
  std::int64_t active;
  bool host_is_right;
};

// A graph of four launches, a small model of sixty; once the queue is full the host is right.
constexpr Queued kQueued[] = {{4, 10, 10, 8, false},  {4, 10, 10, 50, false},
                              {60, 6, 6, 4, false},   {60, 6, 6, 50, false},  // fills in the window
                              {450, 6, 18, 50, true}, {1300, 6, 65, 8, true}};

TEST(QueuedDevice, FullQueue_MeasuresDeviceTime) {
  for (const Queued& each : kQueued) {
    SCOPED_TRACE(std::to_string(each.launches) + " launches, " + std::to_string(each.active));
    QueuedScene scene(10, each.active);
    scene.run([&](StepRecorder& step) {
      {
        const auto h2d = step.phase(PhaseId::kH2d);
        scene.cuda.launch(nullptr, 200 * kUs);
      }
      scene.forward(step, each.launches, each.launch_cost_us * kUs, each.device_ms * kMs);
    });
    expect_device_time(scene, {each.device_ms * kMs + 200 * kUs, each.host_is_right});
  }
}

TEST(QueuedDevice, AwaitedCopy_IsInThePeriod) {
  QueuedScene scene(10, 8);
  scene.run([&](StepRecorder& step) {
    {
      const auto h2d = step.phase(PhaseId::kH2d);
      scene.cuda.launch_cost_ns = 0;
      scene.cuda.launch(nullptr, 200 * kUs);
      scene.cuda.wait_for(nullptr);
    }
    scene.forward(step, 450, 6 * kUs, 18 * kMs);
  });
  // The device idles from the copy's end to the first launch.
  expect_device_time(scene, {18 * kMs + 200 * kUs + 6 * kUs, true});
}

TEST(QueuedDevice, SlowSideStreamCopies_AreTimed) {
  QueuedScene scene(10, 8);
  int side = 0;
  std::deque<std::int64_t> copied;    // ends of copies without a computation yet
  std::deque<std::int64_t> computed;  // ends of the last two steps
  scene.run([&](StepRecorder& step) {
    scene.cuda.launch_cost_ns = 10 * kUs;
    {
      const auto h2d = step.phase(PhaseId::kH2d, DeviceStream{&side});
      if (computed.size() == 2) {  // two buffers
        scene.cuda.hold(&side, computed.front());
        computed.pop_front();
      }
      scene.cuda.launch(&side, 13 * kMs);
      copied.push_back(scene.cuda.end_of(&side));
    }
    scene.cuda.hold(nullptr, copied.front());
    copied.pop_front();
    scene.forward(step, 10, 10 * kUs, 10 * kMs);
    computed.push_back(scene.cuda.end_of(nullptr));
  });
  expect_device_time(scene, {13 * kMs, false});
  for (const Series& cycle : scene.cycles) {
    EXPECT_THAT(cycle.column("h2d_side_device_ns"),
                Each(AllOf(testing::Ge(13 * kMs - 1), testing::Le(13 * kMs + 1))));
    EXPECT_THAT(cycle.names, Not(Contains("h2d_device_ns")));
    EXPECT_NEAR(mean(cycle.column("other_device_ns")), 3 * kMs, 2)
        << "the stream waits for its copy";
  }
}

// A loader delivers a batch faster than the device computes on it.
TEST(QueuedDevice, HiddenLoader_DoesNotCount) {
  for (const auto& [loader_us, device_us] : {std::pair(18'000, 20'000), std::pair(9'400, 10'000)}) {
    SCOPED_TRACE(loader_us);
    QueuedScene scene(10, 8);
    scene.cuda.launch_cost_ns = 10 * kUs;
    std::vector<Part> step = {{PhaseId::kDataWait, 0, loader_us}};
    for (int i = 0; i < 4; ++i) step.push_back({PhaseId::kGraphReplay, device_us / 4});
    scene.run(parts(scene, step));
    expect_device_time(scene, {device_us * kUs, false});
  }
}

}  // namespace
}  // namespace stepbench::cuda
