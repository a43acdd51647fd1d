// SPDX-License-Identifier: Apache-2.0
// What listens to a worker's schedule, steps and phases: NVTX ranges, device events, collectors.
// The worker loop drives instruments in list order and unwinds in reverse; all calls come on the
// main thread.
#pragma once

#include <cstdint>
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
  // It times windows on the device, whatever queue they begin with.
  [[nodiscard]] virtual bool times_the_device() const { return false; }
  // After each finished window, on an idle device: columns of its own about the steps of `cycle`,
  // one value for each.
  virtual void add_columns(Series& cycle);
  virtual void report(ReportSink& sink) const = 0;
};

// One row of the table handed to worker_main; makes an instrument when the case asks for it, else
// null.
class InstrumentFactory {
 public:
  InstrumentFactory() = default;
  InstrumentFactory(const InstrumentFactory&) = delete;
  InstrumentFactory& operator=(const InstrumentFactory&) = delete;
  virtual ~InstrumentFactory() = default;
  // Timing and profiling never share a worker: a factory of collectors takes part in theirs alone.
  [[nodiscard]] virtual bool takes_part(Pass) const { return true; }
  [[nodiscard]] virtual std::unique_ptr<Instrument> make(const ResolvedCase&,
                                                         WorkerContext&) const = 0;
};

}  // namespace stepbench
