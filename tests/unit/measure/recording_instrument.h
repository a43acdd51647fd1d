// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/instrument.h"
#include "tests/testing.h"

namespace stepbench::measure {

// The actions of all instruments of one test, in order; throws at the n-th action that may throw.
struct InstrumentLog {
  std::vector<std::string> lines;
  int throw_at = -1;
  int throwing_actions = 0;
  bool times_the_device = false;

  void may_throw(std::string line) {
    if (throwing_actions++ == throw_at) {
      lines.push_back(line + " throws");
      throw std::runtime_error("scripted");
    }
    lines.push_back(std::move(line));
  }
};

[[nodiscard]] inline std::string name_of(Action action) {
  switch (action) {
    case Action::kNone:
      return "none";
    case Action::kWarmup:
      return "warmup";
    case Action::kRecord:
      return "record";
    case Action::kRecordAndSave:
      return "save";
  }
  return "?";
}

class RecordingInstrument final : public Instrument {
 public:
  RecordingInstrument(std::string name, InstrumentLog& log) : name_(std::move(name)), log_(log) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::optional<std::string> exercise() override {
    log_.may_throw(name_ + " exercise");
    return std::nullopt;
  }
  void change(Action from, Action to) override {
    log_.may_throw(name_ + " " + stepbench::measure::name_of(from) + ">" +
                   stepbench::measure::name_of(to));
  }
  [[nodiscard]] bool times_the_device() const override { return log_.times_the_device; }
  void step_begin(std::int64_t index) override {
    log_.may_throw(name_ + " step " + std::to_string(index));
  }
  void step_end() noexcept override { log_.lines.push_back(name_ + " step end"); }
  void phase_begin(PhaseId id, DeviceStream) override {
    log_.may_throw(name_ + " phase " + std::to_string(static_cast<int>(id)));
  }
  void phase_end(PhaseId id, DeviceStream) noexcept override {
    log_.lines.push_back(name_ + " phase end " + std::to_string(static_cast<int>(id)));
  }
  void report(ReportSink&) const override { log_.may_throw(name_ + " report"); }

 private:
  std::string name_;
  InstrumentLog& log_;
};

[[nodiscard]] inline std::vector<std::unique_ptr<Instrument>> two_instruments(InstrumentLog& log) {
  std::vector<std::unique_ptr<Instrument>> out;
  out.push_back(std::make_unique<RecordingInstrument>("A", log));
  out.push_back(std::make_unique<RecordingInstrument>("B", log));
  return out;
}

}  // namespace stepbench::measure
