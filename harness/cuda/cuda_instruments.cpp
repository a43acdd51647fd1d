// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_instruments.h"

#include <charconv>

#include "harness/cuda/event_clock.h"
#include "harness/cuda/nvtx_ranges.h"
#include "harness/cuda/unavailable.h"
#include "harness/workload.h"

namespace stepbench {
namespace {

// Owns the interface that its instrument uses.
template <typename Inner>
class WithApi final : public Instrument {
 public:
  template <typename Make>
  WithApi(CudaApi api, const Make& make) : api_(std::move(api)), inner_(make(api_)) {}
  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] std::optional<std::string> exercise() override { return inner_->exercise(); }
  void change(Action from, Action to) override { inner_->change(from, to); }
  void step_begin(std::int64_t index) override { inner_->step_begin(index); }
  void step_end() noexcept override { inner_->step_end(); }
  void phase_begin(PhaseId id, DeviceStream on) override { inner_->phase_begin(id, on); }
  void phase_end(PhaseId id, DeviceStream on) noexcept override { inner_->phase_end(id, on); }
  [[nodiscard]] bool times_the_device() const override { return inner_->times_the_device(); }
  void add_columns(Series& cycle) override { inner_->add_columns(cycle); }
  void report(ReportSink& sink) const override { inner_->report(sink); }

 private:
  CudaApi api_;
  std::unique_ptr<Inner> inner_;
};

template <typename Type>
const Type* option(const ResolvedCase& resolved, std::string_view name) {
  const Value* value = resolved.options.get(name);
  return value == nullptr ? nullptr : std::get_if<Type>(value);
}

bool flag(const ResolvedCase& resolved, std::string_view name) {
  const bool* value = option<bool>(resolved, name);
  return value != nullptr && *value;
}

// "cuda" is 0; nothing for other devices.
std::optional<int> cuda_ordinal(const ResolvedCase& resolved) {
  const auto* device = option<std::string>(resolved, "device");
  if (device == nullptr || !device->starts_with("cuda")) return std::nullopt;
  int ordinal = 0;
  if (const std::size_t colon = device->find(':'); colon != std::string::npos) {
    (void)std::from_chars(device->data() + colon + 1, device->data() + device->size(), ordinal);
  }
  return ordinal;
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

}  // namespace

bool EventClockFactory::takes_part(Pass pass) const {
  return pass != Pass::kNative && pass != Pass::kKineto;
}

std::unique_ptr<Instrument> EventClockFactory::make(const ResolvedCase& resolved,
                                                    WorkerContext& context) const {
  const std::optional<int> ordinal = cuda_ordinal(resolved);
  if (!ordinal) return nullptr;
  auto api = load_cuda_api();
  if (auto* reason = std::get_if<std::string>(&api)) {
    return std::make_unique<Unavailable>("CUDA events", *reason);
  }
  EventClockOptions options{.device = *ordinal,
                            .window = window_of(resolved),
                            .phase_names = phase_names(catalogue_, resolved.workload)};
  return std::make_unique<WithApi<EventClock>>(
      std::get<CudaApi>(std::move(api)), [&](const CudaApi& owned) {
        return std::make_unique<EventClock>(owned, context.clock, std::move(options));
      });
}

std::unique_ptr<Instrument> NvtxFactory::make(const ResolvedCase& resolved, WorkerContext&) const {
  const bool capture = flag(resolved, "profile.capture_range");
  if (!capture && !flag(resolved, "profile.nvtx")) return nullptr;
  NvtxOptions options{.phase_names = phase_names(catalogue_, resolved.workload),
                      .capture_range = capture};
  auto api = load_cuda_api();
  if (std::holds_alternative<std::string>(api)) {
    return make_nvtx_ranges(nullptr, std::move(options));
  }
  return std::make_unique<WithApi<Instrument>>(
      std::get<CudaApi>(std::move(api)),
      [&](const CudaApi& owned) { return make_nvtx_ranges(&owned, std::move(options)); });
}

}  // namespace stepbench
