// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/device_sampler.h"

#include <algorithm>
#include <limits>

#include "harness/os/text_file.h"
#include "harness/stats/order.h"

namespace stepbench::machine {
namespace {

constexpr std::int64_t kDevicePeriodNs = 1'000'000'000;
constexpr std::int64_t kFirstDeviceSampleNs = 200'000'000;  // short launches have a reading too
constexpr std::int64_t kDeviceRest = 1000;  // watching costs at most a thousandth of the time

}  // namespace

std::optional<int> watched_device(std::string_view device, const Variables& worker,
                                  const NvmlSession* session) {
  if (!device.starts_with("cuda")) return std::nullopt;
  std::size_t ordinal = 0;
  if (const std::size_t colon = device.find(':'); colon != std::string_view::npos) {
    ordinal = static_cast<std::size_t>(os::parse_integer(device.substr(colon + 1)).value_or(0));
  }
  const auto visible = find_variable(worker, "CUDA_VISIBLE_DEVICES");
  if (!visible) return static_cast<int>(ordinal);
  std::size_t at = 0;
  for (std::size_t skipped = 0; skipped < ordinal && at < visible->size(); ++skipped) {
    at = std::min(visible->find(',', at), visible->size() - 1) + 1;
  }
  const std::string_view entry =
      visible->substr(at, std::min(visible->find(',', at), visible->size()) - at);
  if (const auto number = os::parse_integer(entry)) return static_cast<int>(*number);
  if (session == nullptr || entry.empty()) return std::nullopt;
  return session->index_of(std::string(entry));
}

void DeviceSampler::Range::add(const std::optional<std::int64_t>& value) {
  if (!value) return;
  low = known ? std::min(low, *value) : *value;
  high = known ? std::max(high, *value) : *value;
  known = true;
}

DeviceSampler::DeviceSampler(const NvmlSession* session, std::optional<int> device,
                             const Clock& clock, OwnerOf owner_of)
    : session_(session),
      device_(device),
      clock_(clock),
      owner_of_(std::move(owner_of)),
      next_ns_(session == nullptr || !device ? std::numeric_limits<std::int64_t>::max()
                                             : clock.now_ns() + kFirstDeviceSampleNs),
      last_ns_(clock.now_ns()) {}

void DeviceSampler::sample() {
  const std::int64_t begin_ns = clock_.now_ns();
  if (begin_ns < next_ns_) return;
  const std::optional<DeviceState> state = session_->read(*device_);
  const std::int64_t end_ns = clock_.now_ns();
  next_ns_ = end_ns + std::max(kDevicePeriodNs, (end_ns - begin_ns) * kDeviceRest);
  if (!state) return;
  ++samples_;
  sm_mhz_.add(state->sm_mhz);
  if (state->sm_mhz && state->utilisation_percent.value_or(1) > 0) {
    sm_clocks_mhz_.push_back(static_cast<double>(*state->sm_mhz));
    if (in_window_) window_clocks_mhz_.push_back(sm_clocks_mhz_.back());
  }
  power_mw_.add(state->power_mw);
  temperature_c_.add(state->temperature_c);
  utilisation_.add(state->utilisation_percent);
  memory_bytes_.add(state->memory_used_bytes);
  if (state->clock_reasons) add_throttling(*state->clock_reasons, end_ns);
  if (state->processes) others_ = std::max(others_, others_among(*state->processes));
  last_ = *state;
  last_ns_ = end_ns;
}

// A short window has a reading too.
void DeviceSampler::window_begins() {
  in_window_ = true;
  if (session_ == nullptr || !device_) return;
  next_ns_ = std::min(next_ns_, clock_.now_ns() + kFirstDeviceSampleNs);
}

// In a container the driver may tell the numbers that the machine outside gives to processes: then
// our own is among those that are unknown here, and one of them is no stranger.
std::int64_t DeviceSampler::others_among(const std::vector<int>& processes) const {
  std::int64_t ours = 0;
  std::int64_t unknown = 0;
  for (const int pid : processes) {
    const Owner owner = owner_of_(pid);
    ours += owner == Owner::kOurs ? 1 : 0;
    unknown += owner == Owner::kUnknown ? 1 : 0;
  }
  const std::int64_t may_be_ours = ours == 0 && unknown > 0 ? 1 : 0;
  return static_cast<std::int64_t>(processes.size()) - ours - may_be_ours;
}

// Seen at a sample, it may have begun right after the one before.
void DeviceSampler::add_throttling(std::uint64_t reasons, std::int64_t now_ns) {
  reasons_known_ = true;
  reasons_ |= reasons;
  if (is_power_capped(reasons)) ++capped_;
  if (!throttle_text(reasons).empty()) throttled_.push_back({last_ns_, now_ns});
}

Fields DeviceSampler::summary() const {
  Fields fields;
  if (samples_ == 0) return fields;
  const auto whole = [&](const char* name, const Range& range, std::int64_t value) {
    if (range.known) fields.emplace(name, value);
  };
  whole("gpu.sm_mhz_min", sm_mhz_, sm_mhz_.low);
  whole("gpu.sm_mhz_max", sm_mhz_, sm_mhz_.high);
  const auto& clocks = window_clocks_mhz_.empty() ? sm_clocks_mhz_ : window_clocks_mhz_;
  if (!clocks.empty()) fields.emplace("gpu.sm_mhz_median", stats::median(clocks));
  if (power_mw_.known) {
    fields.emplace("gpu.power_w_max", static_cast<double>(power_mw_.high) / 1000);
  }
  whole("gpu.temperature_c_max", temperature_c_, temperature_c_.high);
  whole("gpu.utilisation_max", utilisation_, utilisation_.high);
  whole("gpu.memory_used_bytes_max", memory_bytes_, memory_bytes_.high);
  if (reasons_known_) {
    const std::string text = throttle_text(reasons_);
    fields.emplace("gpu.throttled", text.empty() ? std::string("no") : text);
    fields.emplace("gpu.power_capped_share",
                   static_cast<double>(capped_) / static_cast<double>(samples_));
  }
  if (last_.persistence) fields.emplace("gpu.persistence", *last_.persistence);
  if (last_.ecc) fields.emplace("gpu.ecc", *last_.ecc);
  if (last_.mig) fields.emplace("gpu.mig", *last_.mig);
  if (others_ >= 0) fields.emplace("gpu.other_processes", others_);
  fields.emplace("gpu.samples", samples_);
  return fields;
}

}  // namespace stepbench::machine
