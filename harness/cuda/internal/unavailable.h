// SPDX-License-Identifier: Apache-2.0
// Placeholder for an instrument that cannot work here. Main thread, as all instruments.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "harness/measure/instrument.h"

namespace stepbench::cuda {

// exercise() returns the reason.
class UnavailableInstrument final : public Instrument {
 public:
  UnavailableInstrument(const char* name, std::string reason)
      : name_(name), reason_(std::move(reason)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::optional<std::string> exercise() override { return reason_; }
  void change(Action, Action) override {}
  void step_begin(std::int64_t) override {}
  void step_end() noexcept override {}
  void phase_begin(PhaseId, DeviceStream) override {}
  void phase_end(PhaseId, DeviceStream) noexcept override {}
  void report(ReportSink&) const override {}

 private:
  const char* name_;
  std::string reason_;
};

}  // namespace stepbench::cuda
