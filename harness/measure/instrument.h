// SPDX-License-Identifier: Apache-2.0
// What listens to a worker's schedule, steps and phases: NVTX ranges, device events, collectors.
// The worker loop drives instruments in list order and unwinds in reverse; all calls come on the
// main thread.
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
  // Runs everything once before sample 1; a reason when it is unavailable here.
  [[nodiscard]] virtual std::optional<std::string> exercise() = 0;
  // From kRecordAndSave to a recording action, which may be the same: the next window begins.
  virtual void change(Action from, Action to) = 0;
  virtual void step_begin(std::int64_t index) = 0;
  virtual void step_end() noexcept = 0;
  virtual void phase_begin(PhaseId id, DeviceStream on) = 0;
  virtual void phase_end(PhaseId id, DeviceStream on) noexcept = 0;
  // As soon as a window's last step has returned, the last instrument first; the device may work
  // on.
  virtual void window_ends();
  // It times windows on the device, whatever queue they begin with.
  [[nodiscard]] virtual bool times_the_device() const { return false; }
  // After exercise(): the place on the bus of the card that the steps run on, "0000:17:00.0", where
  // this one knows it.
  [[nodiscard]] virtual std::string device_pci() const { return {}; }
  // After each finished window, on an idle device: columns of its own about the steps of `cycle`,
  // one value for each.
  virtual void add_columns(Series& cycle);
  virtual void report(ReportSink& sink) const = 0;
};

// Which launches an instrument takes part in: timing and profiling never share a worker.
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

// One row of the table handed to worker_main. `make` gives null if the case does not ask for it.
struct InstrumentType {
  std::string_view name;
  Passes passes = kAllPasses;
  std::function<std::unique_ptr<Instrument>(const ResolvedCase&, WorkerContext&)> make;
};

}  // namespace stepbench
