// SPDX-License-Identifier: Apache-2.0
#include "harness/run/machine_labels.h"

#include <algorithm>
#include <map>

#include "harness/measure/step_recorder.h"
#include "harness/record/quality.h"

namespace stepbench::run {
std::int64_t label_throttled_steps(std::vector<record::CycleSamples>& samples,
                                   std::span<const std::int64_t> window_begins,
                                   std::span<const machine::DeviceSampler::Span> throttled) {
  if (throttled.empty()) return 0;
  std::int64_t labelled = 0;
  std::map<std::int64_t, std::int64_t> reached_ns;  // by cycle, which may arrive in parts
  for (record::CycleSamples& part : samples) {
    const auto cycle = static_cast<std::size_t>(part.cycle);
    const std::vector<std::int64_t>* step_ns = part.steps.find("step_ns");
    std::vector<std::int64_t>* flags = part.steps.find("flags");
    if (cycle >= window_begins.size() || step_ns == nullptr || flags == nullptr) continue;
    std::int64_t& now_ns = reached_ns.try_emplace(part.cycle, window_begins[cycle]).first->second;
    for (std::size_t i = 0; i < step_ns->size(); ++i) {
      const std::int64_t end_ns = now_ns + (*step_ns)[i];
      const bool slowed = std::any_of(throttled.begin(), throttled.end(),
                                      [&](const machine::DeviceSampler::Span& span) {
                                        return span.begin_ns < end_ns && now_ns < span.end_ns;
                                      });
      if (slowed) {
        (*flags)[i] |= kThrottled;
        ++labelled;
      }
      now_ns = end_ns;
    }
  }
  return labelled;
}

void label_memory(const JobMemory& memory, record::LaunchReport& report) {
  constexpr double kNoteShare = 0.1;
  const auto own_peak = report.metrics.find(record::kProcessPeak);
  std::optional<double> bytes;
  if (memory.pss_bytes) bytes = static_cast<double>(*memory.pss_bytes);
  if (!memory.had_children && own_peak != report.metrics.end()) bytes = own_peak->second;
  report.metrics[std::string(record::kJobPeak)] = bytes;
  if (static_cast<double>(memory.compilers_bytes) > kNoteShare * bytes.value_or(0)) {
    report.notes.emplace_back(
        "the processes that torch.compile started hold more than a tenth of the job's memory, "
        "compile_workers_bytes of tree_peak_pss_bytes: TORCHINDUCTOR_COMPILE_THREADS=1 starts "
        "none");
  }
}

void label_machine(const Fields& machine, std::int64_t wall_ns, record::LaunchReport& report) {
  const record::Quality quality(machine, report, wall_ns);
  for (const record::FactRow& row : record::facts()) {
    if (!row.flag.empty() && quality.reported(row.fact)) report.flags.emplace_back(row.flag);
  }
}

}  // namespace stepbench::run
