// SPDX-License-Identifier: Apache-2.0
// Observers of a worker's schedule, steps and phases: NVTX ranges, device events, collectors. The
// worker loop calls instruments in list order and unwinds in reverse; all calls come on the main
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/pass.h"
#include "harness/base/resolved_case.h"
#include "harness/measure/phase.h"
#include "harness/schedule/action.h"

namespace stepbench {

class ReportSink;
struct Series;
struct WorkerContext;

class Instrument {
 public:
  Instrument() = default;
  Instrument(const Instrument&) = delete;
  Instrument& operator=(const Instrument&) = delete;
  virtual ~Instrument() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // Runs everything once before sample 1; returns a reason if unavailable here.
  [[nodiscard]] virtual std::optional<std::string> exercise() = 0;
  // A change from kRecordAndSave to a recording action, even the same one, begins the next window.
  virtual void change(Action from, Action to) = 0;
  virtual void step_begin(std::int64_t index) = 0;
  virtual void step_end() noexcept = 0;
  virtual void phase_begin(PhaseId id, DeviceStream on) = 0;
  virtual void phase_end(PhaseId id, DeviceStream on) noexcept = 0;
  // Called as soon as a window's last step has returned, in reverse list order; the device may
  // still be busy.
  virtual void window_ends();
  // Around the host's wait until the device has finished a window's work.
  virtual void device_wait_begins();
  virtual void device_wait_ends();
  // True if it times windows on the device even if they begin with queued work.
  [[nodiscard]] virtual bool times_the_device() const { return false; }
  // After exercise(): PCI address of the device that the steps run on, "0000:17:00.0"; empty if
  // unknown.
  [[nodiscard]] virtual std::string device_pci() const { return {}; }
  // Called after each finished window, on an idle device: adds columns about the steps of `cycle`,
  // one value per step.
  virtual void add_columns(Series& cycle);
  virtual void report(ReportSink& sink) const = 0;
};

// The passes that use an instrument: timing and profiling never share a worker.
class Passes {
 public:
  constexpr Passes(std::initializer_list<Pass> passes) {
    for (const Pass pass : passes) bits_ |= bit(pass);
  }
  [[nodiscard]] constexpr bool contains(Pass pass) const { return (bits_ & bit(pass)) != 0; }

 private:
  static constexpr unsigned bit(Pass pass) { return 1U << static_cast<unsigned>(pass); }
  unsigned bits_ = 0;
};
inline constexpr Passes kAllPasses = {Pass::kTiming, Pass::kNative, Pass::kKineto, Pass::kWrapped};
inline constexpr Passes kUnprofiled = {Pass::kTiming, Pass::kWrapped};

// One row of the table passed to worker_main. `make` returns null if the case does not need it.
struct InstrumentType {
  std::string_view name;
  Passes passes = kAllPasses;
  std::function<std::unique_ptr<Instrument>(const ResolvedCase&, WorkerContext&)> make;
};

}  // namespace stepbench
