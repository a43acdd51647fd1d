// SPDX-License-Identifier: Apache-2.0
// Watches one NVIDIA device from outside while a worker uses it, at most once a second. The owner
// calls sample() when due; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/machine/device_state.h"
#include "harness/machine/devices.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// The device's number for the management library, which CUDA_VISIBLE_DEVICES does not renumber;
// nullopt for a case on the CPU. With a session an identifier in that variable is followed too.
[[nodiscard]] std::optional<int> watched_device(std::string_view device, const Variables& worker,
                                                const NvmlSession* session = nullptr);

class DeviceSampler {
 public:
  struct Span {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  enum class Owner : std::uint8_t {
    kOurs,     // of the worker's tree
    kOther,    // another process that this machine shows
    kUnknown,  // no such process here: the driver counts in another namespace
  };
  using OwnerOf = std::function<Owner(int pid)>;

  // `session` and `clock` outlive it; without a session or a device it never has anything to say.
  DeviceSampler(const NvmlSession* session, std::optional<int> device, const Clock& clock,
                OwnerOf owner_of);

  void sample();
  // The median clock is that of the windows when one of them was sampled, else of the launch.
  void window_begins();
  void window_ends() { in_window_ = false; }
  [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }
  // gpu.sm_mhz_min, _max, _median, gpu.power_w_max, gpu.temperature_c_max, gpu.utilisation_max,
  // gpu.memory_used_bytes_max, gpu.throttled (reasons), gpu.power_capped_share, gpu.persistence,
  // gpu.mig, gpu.ecc, gpu.other_processes, gpu.samples.
  [[nodiscard]] Fields summary() const;
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

  const NvmlSession* session_;
  std::optional<int> device_;
  const Clock& clock_;
  OwnerOf owner_of_;
  std::int64_t next_ns_;
  std::int64_t last_ns_;
  std::int64_t samples_ = 0;
  std::int64_t capped_ = 0;
  std::uint64_t reasons_ = 0;
  bool reasons_known_ = false;
  std::int64_t others_ = -1;
  bool in_window_ = false;
  std::vector<double> sm_clocks_mhz_;  // of samples that saw the device at work
  std::vector<double> window_clocks_mhz_;
  Range sm_mhz_, power_mw_, temperature_c_, utilisation_, memory_bytes_;
  DeviceState last_;
  std::vector<Span> throttled_;
};

}  // namespace stepbench::machine
