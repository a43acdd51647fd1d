// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_instruments.h"

#include <unistd.h>
#include <algorithm>

#include "harness/base/format.h"
#include "harness/cuda/internal/event_clock.h"
#include "harness/cuda/internal/nvtx_ranges.h"
#include "harness/cuda/internal/unavailable.h"
#include "harness/machine/processes.h"
#include "harness/workload.h"

namespace stepbench {
namespace {

template <typename Type>
const Type* option(const ResolvedCase& resolved, std::string_view name) {
  const Value* value = resolved.options.get(name);
  return value == nullptr ? nullptr : std::get_if<Type>(value);
}

bool flag(const ResolvedCase& resolved, std::string_view name) {
  const bool* value = option<bool>(resolved, name);
  return value != nullptr && *value;
}

std::optional<int> device_of(const ResolvedCase& resolved) {
  const auto* device = option<std::string>(resolved, "device");
  return device == nullptr ? std::nullopt : cuda::cuda_ordinal(*device);
}

std::size_t window_of(const ResolvedCase& resolved) {
  constexpr std::size_t kUsual = 50;
  for (const char* name : {"schedule.active", "schedule.max_active"}) {
    if (const auto* steps = option<std::int64_t>(resolved, name)) {
      return static_cast<std::size_t>(std::max<std::int64_t>(*steps, 1));
    }
  }
  return kUsual;
}

std::int64_t queued_ns_of_this_thread() {
  const auto times = machine::thread_times("/", ::getpid(), ::gettid());
  return times ? times->waited_ns : 0;
}

std::unique_ptr<Instrument> make_event_clock(const ResolvedCase& resolved, WorkerContext& context) {
  const std::optional<int> ordinal = device_of(resolved);
  if (!ordinal) return nullptr;
  auto api = cuda::load_cuda_api();
  if (auto* reason = std::get_if<std::string>(&api)) {
    return std::make_unique<cuda::UnavailableInstrument>("CUDA events", *reason);
  }
  return std::make_unique<cuda::EventClock>(
      std::get<cuda::CudaApi>(std::move(api)), context.clock,
      cuda::EventClockOptions{.device = *ordinal,
                              .window = window_of(resolved),
                              .phase_names = context.phase_names,
                              .queued_ns = queued_ns_of_this_thread});
}

std::unique_ptr<Instrument> make_nvtx(const ResolvedCase& resolved, WorkerContext& context) {
  const bool capture = flag(resolved, "profile.capture_range");
  if (!capture && !flag(resolved, "profile.nvtx")) return nullptr;
  std::optional<cuda::CudaApi> runtime;
  auto api = cuda::load_cuda_api();
  if (auto* loaded = std::get_if<cuda::CudaApi>(&api)) runtime = std::move(*loaded);
  std::string rank;
  if (context.world > 1) {
    rank = formatted("rank {} of {}", context.rank, context.world);
  }
  return cuda::make_nvtx_ranges(std::move(runtime), {.phase_names = context.phase_names,
                                                     .capture_range = capture,
                                                     .device = device_of(resolved),
                                                     .thread_name = std::move(rank)});
}

}  // namespace

InstrumentType event_clock_type() {
  return {.name = "CUDA events", .passes = kUnprofiled, .make = make_event_clock};
}

InstrumentType nvtx_type() { return {.name = "NVTX", .passes = kAllPasses, .make = make_nvtx}; }

}  // namespace stepbench
