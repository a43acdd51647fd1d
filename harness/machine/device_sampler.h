// SPDX-License-Identifier: Apache-2.0
// Samples one NVIDIA device from outside while a worker uses it, at most once a second. The owner
// calls sample() at next_ns(); one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/machine/device_state.h"
#include "harness/machine/devices.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// The device's index in NVML, which CUDA_VISIBLE_DEVICES does not renumber; nullopt for a case on
// the CPU. Identifiers in that variable are only resolved with a session.
[[nodiscard]] std::optional<int> watched_device(std::string_view device, const Variables& worker,
                                                const NvmlSession* session = nullptr);

// Sums over all windows of a launch; a counter that is missing at any border is absent.
struct WindowCounters {
  int windows = 0;
  std::int64_t span_ns = 0;  // between the readings, by the sampler's clock
  std::optional<double> energy_j = {};
  std::array<std::optional<std::int64_t>, kCountedReasons.size()> throttled_ns = {};

  // The energy counter moves in jumps: nullopt if the windows are so short that two jumps would be
  // a tenth of the total.
  [[nodiscard]] std::optional<double> power_w() const;
};

class DeviceSampler {
 public:
  struct Span {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  enum class Owner : std::uint8_t {
    kOurs,     // in the worker's process tree
    kOther,    // another process on this machine
    kUnknown,  // no such pid here: the driver reports another namespace
  };
  using OwnerOf = std::function<Owner(int pid)>;

  // `session` and `clock` must outlive it; without a session or a device it never reports anything.
  DeviceSampler(const NvmlSession* session, std::optional<int> device, const Clock& clock,
                OwnerOf owner_of);

  // Sets the device as reported by the worker ("0000:17:00.0"), which is right even if CUDA and
  // NVML number devices differently; discards readings of another device.
  void device_is(const std::string& pci);

  void sample();
  // The median clock covers the windows if any of them was sampled, else the launch. Counters are
  // read at both borders.
  void window_begins();
  void window_ends();
  [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }
  // gpu.sm_mhz_min, _max, _median, gpu.power_w_max, gpu.temperature_c_max, gpu.utilisation_max,
  // gpu.memory_used_bytes_max, gpu.throttled (reasons), gpu.power_capped_share, gpu.persistence,
  // gpu.mig, gpu.ecc, gpu.other_processes, gpu.energy_source (or why there is none), gpu.lost,
  // gpu.memory_errors (uncorrectable, during the launch), gpu.samples.
  [[nodiscard]] Fields summary() const;
  // Growth of the counters between the windows' borders.
  [[nodiscard]] const WindowCounters& counters() const { return seen_.counters; }
  [[nodiscard]] const std::vector<Span>& throttled() const { return throttled_; }

 private:
  struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool known = false;
    void add(const std::optional<std::int64_t>& value);
  };
  [[nodiscard]] std::int64_t others_among(const std::vector<int>& processes) const;
  void add_throttling(std::uint64_t reasons, std::int64_t now_ns);
  [[nodiscard]] bool shared() const;
  [[nodiscard]] std::string energy_source() const;

  const NvmlSession* session_;
  std::optional<NvmlDevice> device_;
  const Clock& clock_;
  OwnerOf owner_of_;
  std::int64_t next_ns_;
  std::int64_t last_ns_;
  bool in_window_ = false;
  DeviceCounters at_border_;
  std::int64_t border_ns_ = 0;
  struct Seen {
    DeviceState state;  // the latest
    std::int64_t samples = 0;
    std::int64_t capped = 0;
    std::uint64_t reasons = 0;
    bool reasons_known = false;
    std::int64_t others = -1;
    std::optional<std::int64_t> errors_before;  // first reading
    std::vector<double> sm_clocks_mhz;          // only samples with a busy device
    std::vector<double> window_clocks_mhz;
    Range sm_mhz, power_mw, temperature_c, utilisation, memory_bytes;
    WindowCounters counters;
  } seen_;
  std::vector<Span> throttled_;
};

}  // namespace stepbench::machine
