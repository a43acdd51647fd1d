// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/kineto_collector.h"

#include <ATen/record_function.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/ApproximateClock.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <functional>
#include <optional>

#include "workloads/profile/internal/kineto_op_log.h"
#include "workloads/profile/internal/op_modules.h"

namespace stepbench::profile {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

// Records the host's waits: without them, a step would appear to have none.
torch::profiler::impl::ExperimentalConfig with_synchronisations() {
  torch::profiler::impl::ExperimentalConfig config;
  config.enable_cuda_sync_events = true;
  return config;
}

// Bytes on torch's current device. Events only have the changes.
AllocatedBytes allocated_now() {
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto device = c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getDevice();
  const auto stats = at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return {{static_cast<std::int16_t>(device.index()), stats.allocated_bytes[kAll].current}};
}

std::uint64_t approximate_now() { return static_cast<std::uint64_t>(c10::getApproximateTime()); }

}  // namespace

struct KinetoState {
  explicit KinetoState(const OpCollectorOptions& given)
      : options(given),
        config(ProfilerState::KINETO, given.shapes, given.memory, /*with_stack=*/false,
               /*with_flops=*/false, /*with_modules=*/false, with_synchronisations()) {
    activities.insert(ActivityType::CPU);
    if (given.cuda) activities.insert(ActivityType::CUDA);
  }
  ~KinetoState() { stop(); }

  // libtorch terminates the process if a profiler is enabled or disabled twice.
  void stop() {
    if (options.modules && started) module_listener = nullptr;
    if (enabled) result = profiler::disableProfiler();
    enabled = false;
    started = false;
  }

  const OpCollectorOptions options;
  const ProfilerConfig config;
  std::set<ActivityType> activities;
  bool started = false;
  bool enabled = false;
  ModuleTrack modules{approximate_now};
  std::optional<c10::ApproximateClockToUnixTimeConverter> clock;
  std::function<c10::time_t(c10::approx_time_t)> unix_ns;
  std::unique_ptr<profiler::ProfilerResult> result;
  AllocatedBytes allocated_before;
};

KinetoCollector::KinetoCollector(const OpCollectorOptions& options)
    : state_(std::make_unique<KinetoState>(options)) {}

KinetoCollector::~KinetoCollector() = default;

// Enables device tracing, as in the warm-up of torch.profiler's schedule.
void KinetoCollector::start() {
  profiler::prepareProfiler(state_->config, state_->activities);
  state_->started = true;
  if (state_->options.modules) module_listener = &state_->modules;
}

void KinetoCollector::begin_window(double) {
  state_->clock.emplace();
  if (state_->options.cuda && state_->options.memory) state_->allocated_before = allocated_now();
  profiler::enableProfiler(
      state_->config, state_->activities,
      {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE});
  state_->enabled = true;
}

void KinetoCollector::end_window() {
  state_->stop();
  state_->unix_ns = state_->clock->makeConverter();
}

std::uint64_t KinetoCollector::now() const { return approximate_now(); }

std::int64_t KinetoCollector::ns_of(std::uint64_t stamp) const {
  return state_->unix_ns(static_cast<c10::approx_time_t>(stamp));
}

ops::OpLog KinetoCollector::take() {
  if (state_->result == nullptr) return {};
  ops::OpLog log = make_op_log(*state_->result, state_->options.shapes, state_->allocated_before);
  state_->result.reset();
  missing_ = missing_work(log);
  if (state_->options.modules) {
    state_->modules.assign(log, log.step_thread, [&](std::uint64_t stamp) { return ns_of(stamp); });
    spread_modules(log);
  }
  return log;
}

}  // namespace stepbench::profile
