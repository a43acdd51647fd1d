// SPDX-License-Identifier: Apache-2.0
#include "harness/track/busy_nights.h"

#include <string>

namespace stepbench::track {
namespace {

// Key in the context of the run.
std::string key_of(std::string_view case_id, std::string_view number) {
  return "track.busy." + std::string(case_id) + '.' + std::string(number);
}

}  // namespace

void set_busy(TrackedRun& run, std::string_view case_id, const estimate::BusyMachine& busy) {
  run.context[key_of(case_id, "waited_for_cpu")] = busy.waited;
  if (busy.others) run.context[key_of(case_id, "others_cpu_share")] = *busy.others;
}

std::optional<estimate::BusyMachine> busy_of(const TrackedRun& run, std::string_view case_id) {
  const auto waited = number_of(run.context, key_of(case_id, "waited_for_cpu"));
  if (!waited) return std::nullopt;
  return estimate::BusyMachine{
      .waited = *waited, .others = number_of(run.context, key_of(case_id, "others_cpu_share"))};
}

}  // namespace stepbench::track
