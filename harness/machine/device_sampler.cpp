// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/device_sampler.h"

#include <algorithm>
#include <limits>

#include "harness/os/text_file.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::machine {
namespace {

constexpr std::int64_t kDevicePeriodNs = 1'000'000'000;
constexpr std::int64_t kFirstDeviceSampleNs = 200'000'000;  // so that short launches get a sample
constexpr std::int64_t kDeviceRest = 100;             // sampling costs at most 1/100 of the time
constexpr std::int64_t kCounterJumpNs = 100'000'000;  // longest update interval of energy
constexpr std::int64_t kJumpsInWindow = 20;

template <typename Number>
void add_growth(const std::optional<std::uint64_t>& from, const std::optional<std::uint64_t>& to,
                bool first, double unit, std::optional<Number>& sum) {
  if (!from || !to || *to < *from || (!first && !sum)) {
    sum.reset();
    return;
  }
  sum = sum.value_or(0) + static_cast<Number>(static_cast<double>(*to - *from) * unit);
}

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

std::optional<double> WindowCounters::power_w() const {
  if (!energy_j || windows == 0 || span_ns < kJumpsInWindow * kCounterJumpNs * windows) {
    return std::nullopt;
  }
  return *energy_j * 1e9 / static_cast<double>(span_ns);
}

DeviceSampler::DeviceSampler(const NvmlSession* session, std::optional<int> device,
                             const Clock& clock, OwnerOf owner_of)
    : session_(session),
      device_(session == nullptr || !device ? std::nullopt : session->device(*device)),
      clock_(clock),
      owner_of_(std::move(owner_of)),
      next_ns_(device_ ? clock.now_ns() + kFirstDeviceSampleNs
                       : std::numeric_limits<std::int64_t>::max()),
      last_ns_(clock.now_ns()) {}

void DeviceSampler::device_is(const std::string& pci) {
  const auto found_device = session_ == nullptr ? std::nullopt : session_->device_of_pci(pci);
  if (!found_device || found_device == device_) return;
  device_ = found_device;
  seen_ = {};
  throttled_.clear();
  last_ns_ = clock_.now_ns();
  next_ns_ = last_ns_ + kFirstDeviceSampleNs;
}

void DeviceSampler::sample() {
  const std::int64_t begin_ns = clock_.now_ns();
  if (begin_ns < next_ns_) return;
  if (seen_.samples == 0) session_->read_facts(*device_, seen_.state);
  session_->read_changing(*device_, seen_.state);
  const std::int64_t end_ns = clock_.now_ns();
  next_ns_ = end_ns + std::max(kDevicePeriodNs, (end_ns - begin_ns) * kDeviceRest);
  const DeviceState& state = seen_.state;
  if (state.lost) {  // permanently: keeps the earlier readings
    next_ns_ = std::numeric_limits<std::int64_t>::max();
    return;
  }
  ++seen_.samples;
  seen_.sm_mhz.add(state.sm_mhz);
  if (state.sm_mhz && state.utilisation_percent.value_or(1) > 0) {
    seen_.sm_clocks_mhz.push_back(static_cast<double>(*state.sm_mhz));
    if (in_window_) seen_.window_clocks_mhz.push_back(seen_.sm_clocks_mhz.back());
  }
  seen_.power_mw.add(state.power_mw);
  seen_.temperature_c.add(state.temperature_c);
  seen_.utilisation.add(state.utilisation_percent);
  seen_.memory_bytes.add(state.memory_used_bytes);
  if (state.clock_reasons) add_throttling(*state.clock_reasons, end_ns);
  if (state.memory_errors && !seen_.errors_before) seen_.errors_before = state.memory_errors;
  if (state.processes) seen_.others = std::max(seen_.others, others_among(*state.processes));
  last_ns_ = end_ns;
}

// Reads early, so that a short window gets a sample.
void DeviceSampler::window_begins() {
  in_window_ = true;
  if (!device_ || seen_.state.lost) return;
  border_ns_ = clock_.now_ns();
  at_border_ = session_->read_counters(*device_);
  next_ns_ = std::min(next_ns_, clock_.now_ns() + kFirstDeviceSampleNs);
}

void DeviceSampler::window_ends() {
  in_window_ = false;
  if (!device_ || seen_.state.lost) return;
  const std::int64_t end_ns = clock_.now_ns();
  const DeviceCounters now = session_->read_counters(*device_);
  const bool first = seen_.counters.windows++ == 0;
  seen_.counters.span_ns += end_ns - border_ns_;
  if (!shared()) {
    add_growth(at_border_.energy_mj, now.energy_mj, first, 1e-3, seen_.counters.energy_j);
  }
  for (std::size_t i = 0; i < kCountedReasons.size(); ++i) {
    add_growth(at_border_.throttled_ns[i], now.throttled_ns[i], first, 1,
               seen_.counters.throttled_ns[i]);
  }
}

// In a container the driver may report pids of the host's namespace. Our own process is then among
// the unknown ones, so one of them does not count as foreign.
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

// The reason may have begun right after the previous sample.
void DeviceSampler::add_throttling(std::uint64_t reasons, std::int64_t now_ns) {
  seen_.reasons_known = true;
  seen_.reasons |= reasons;
  if (is_power_capped(reasons)) ++seen_.capped;
  if (!throttle_text(reasons).empty()) throttled_.push_back({last_ns_, now_ns});
}

// Counters cover the whole card: the share of a MIG slice is unknown.
bool DeviceSampler::shared() const { return seen_.state.mig.value_or(false); }

std::string DeviceSampler::energy_source() const {
  const WindowCounters& counters = seen_.counters;
  if (shared()) return "none: the device is divided (MIG), and its counters are those of the whole";
  if (!counters.energy_j) return "none: this device counts no energy";
  if (!counters.power_w()) {
    return "none: windows under 2 s are too short for a counter that moves every 0.1 s "
           "(schedule.active)";
  }
  return "nvmlDeviceGetTotalEnergyConsumption";
}

Fields DeviceSampler::summary() const {
  Fields fields;
  if (seen_.state.lost) fields.emplace("gpu.lost", true);
  if (seen_.counters.windows > 0) fields.emplace("gpu.energy_source", energy_source());
  if (seen_.samples == 0) return fields;
  const auto whole = [&](const char* name, const Range& range, std::int64_t value) {
    if (range.known) fields.emplace(name, value);
  };
  whole("gpu.sm_mhz_min", seen_.sm_mhz, seen_.sm_mhz.low);
  whole("gpu.sm_mhz_max", seen_.sm_mhz, seen_.sm_mhz.high);
  const auto& clocks =
      seen_.window_clocks_mhz.empty() ? seen_.sm_clocks_mhz : seen_.window_clocks_mhz;
  if (!clocks.empty()) fields.emplace("gpu.sm_mhz_median", stats::median(clocks));
  if (seen_.power_mw.known) {
    fields.emplace("gpu.power_w_max", static_cast<double>(seen_.power_mw.high) / 1000);
  }
  whole("gpu.temperature_c_max", seen_.temperature_c, seen_.temperature_c.high);
  whole("gpu.utilisation_max", seen_.utilisation, seen_.utilisation.high);
  whole("gpu.memory_used_bytes_max", seen_.memory_bytes, seen_.memory_bytes.high);
  if (seen_.reasons_known) {
    const std::string text = throttle_text(seen_.reasons);
    fields.emplace("gpu.throttled", text.empty() ? std::string("no") : text);
    fields.emplace("gpu.power_capped_share",
                   static_cast<double>(seen_.capped) / static_cast<double>(seen_.samples));
  }
  const DeviceState& state = seen_.state;
  if (state.persistence) fields.emplace("gpu.persistence", *state.persistence);
  if (state.ecc) fields.emplace("gpu.ecc", *state.ecc);
  if (state.mig) fields.emplace("gpu.mig", *state.mig);
  if (const auto before = seen_.errors_before; before && state.memory_errors > before) {
    fields.emplace("gpu.memory_errors", *state.memory_errors - *before);
  }
  if (seen_.others >= 0) fields.emplace("gpu.other_processes", seen_.others);
  fields.emplace("gpu.samples", seen_.samples);
  return fields;
}

}  // namespace stepbench::machine
