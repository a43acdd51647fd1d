// SPDX-License-Identifier: Apache-2.0
#include "harness/track/busy_nights.h"

#include <sstream>
#include <string>

namespace stepbench::track {
namespace {

constexpr std::string_view kBusyOfRun = "track.busy";  // in its context
constexpr double kNotKnown = -1;

}  // namespace

void set_busy(TrackedRun& run, std::string_view case_id, const estimate::BusyMachine& busy) {
  std::ostringstream line;
  line << case_id << ' ' << busy.waited << ' ' << busy.others.value_or(kNotKnown) << '\n';
  const std::string before = text_of(run.context, kBusyOfRun);
  run.context.insert_or_assign(std::string(kBusyOfRun), Value{before + line.str()});
}

std::optional<estimate::BusyMachine> busy_of(const TrackedRun& run, std::string_view case_id) {
  std::istringstream lines(text_of(run.context, kBusyOfRun));
  std::string of;
  double waited = 0;
  double others = 0;
  while (lines >> of >> waited >> others) {
    if (of != case_id) continue;
    return estimate::BusyMachine{
        .waited = waited, .others = others < 0 ? std::nullopt : std::optional<double>(others)};
  }
  return std::nullopt;
}

}  // namespace stepbench::track
