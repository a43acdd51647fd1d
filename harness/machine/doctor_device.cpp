// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/doctor.h"
#include "harness/text/numbers.h"

namespace stepbench {
namespace {

constexpr double kUsedMemory = 0.1;
constexpr std::int64_t kHotCelsius = 83;
constexpr std::int64_t kClockStep = 15;  // MHz between the clocks that devices offer
constexpr double kSteadyClock = 0.75;    // of the highest: what cooling and power seldom limit

std::int64_t clock_to_lock(std::int64_t max_mhz) {
  return static_cast<std::int64_t>(kSteadyClock * static_cast<double>(max_mhz)) / kClockStep *
         kClockStep;
}

}  // namespace

std::vector<Finding> diagnose_device(std::size_t index, const DeviceState& state) {
  std::vector<Finding> findings;
  const std::string number = std::to_string(index);
  const std::string who = "GPU " + number;
  const std::string smi = "sudo nvidia-smi -i " + number;
  const auto add = [&](Severity severity, const char* id, std::string text, double value,
                       double threshold, const char* unit, std::string remedy) {
    findings.push_back({.id = id,
                        .severity = severity,
                        .text = std::move(text),
                        .value = value,
                        .threshold = threshold,
                        .unit = unit,
                        .remedy = std::move(remedy)});
  };
  if (state.clock_reasons && !throttle_text(*state.clock_reasons).empty()) {
    add(Severity::kProblem, "gpu.throttled",
        who + " is slowed down: " + throttle_text(*state.clock_reasons), 1, 0, "",
        "look at its cooling and power supply; wait until it is cool");
  }
  if (state.memory_errors.value_or(0) > 0) {
    add(Severity::kProblem, "gpu.memory_errors",
        who + " had " + std::to_string(*state.memory_errors) +
            " memory errors that could not be repaired since its driver was loaded",
        static_cast<double>(*state.memory_errors), 0, "errors",
        smi + " --gpu-reset, or have it replaced if they come back");
  }
  if (state.processes && !state.processes->empty()) {
    add(Severity::kWarning, "gpu.others",
        who + " is in use by " + std::to_string(state.processes->size()) + " other process(es)",
        static_cast<double>(state.processes->size()), 0, "processes",
        "end them, or choose another device (device: cuda:N)");
  }
  if (state.memory_used_bytes && state.memory_total_bytes && *state.memory_total_bytes > 0) {
    const double used = static_cast<double>(*state.memory_used_bytes) /
                        static_cast<double>(*state.memory_total_bytes);
    if (used > kUsedMemory) {
      add(Severity::kWarning, "gpu.memory",
          percent_text(used) + " of the memory of " + who + " is taken already", used, kUsedMemory,
          "", "end what holds it (nvidia-smi names the processes)");
    }
  }
  if (state.temperature_c && *state.temperature_c >= kHotCelsius) {
    add(Severity::kWarning, "gpu.hot",
        who + " has " + std::to_string(*state.temperature_c) + " degrees before it does anything",
        static_cast<double>(*state.temperature_c), static_cast<double>(kHotCelsius), "C",
        "let it cool down");
  }
  if (state.persistence && !*state.persistence) {
    add(Severity::kWarning, "gpu.persistence",
        who + " is initialised anew by every launch: persistence mode is off", 0, 1, "",
        smi + " -pm 1");
  }
  if (state.mig && *state.mig) {
    add(Severity::kInfo, "gpu.mig", who + " is divided (MIG): neighbours share its memory system",
        1, 0, "", "compare with results of the same division only");
  }
  if (state.max_sm_mhz && *state.max_sm_mhz > 0) {
    const std::string clock = std::to_string(clock_to_lock(*state.max_sm_mhz));
    add(Severity::kInfo, "gpu.clocks",
        who + " chooses its clock by load, power and temperature, up to " +
            std::to_string(*state.max_sm_mhz) + " MHz, unless it was locked, which cannot be asked",
        static_cast<double>(*state.max_sm_mhz), 0, "MHz",
        smi + " -lgc " + clock + "," + clock + " (and -rgc afterwards) for comparisons");
  }
  return findings;
}

}  // namespace stepbench
