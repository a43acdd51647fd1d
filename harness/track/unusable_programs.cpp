// SPDX-License-Identifier: Apache-2.0
#include "harness/track/unusable_programs.h"

#include <chrono>
#include <map>

#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kDayDigits = 10;

const std::string& program_of(const TrackedRun& run) {
  return run.build_id.empty() ? run.run_id : run.build_id;
}

bool has_passed(std::string_view said_utc, std::string_view now_utc) {
  const auto said = text::parse_utc(said_utc.substr(0, kDayDigits));
  const auto now = text::parse_utc(now_utc.substr(0, kDayDigits));
  return !said || !now || *now - *said >= std::chrono::days(kUnusableDays);
}

}  // namespace

UnusablePrograms::UnusablePrograms(std::span<const TrackEvent> events,
                                   std::span<const TrackedRun> runs, std::string_view now_utc) {
  for (const TrackEvent& event : events) {
    if (event.what != kUnusableEvent) continue;
    const std::string said_utc = night_of(event).utc;
    if (said_utc > now_utc || has_passed(said_utc, now_utc)) continue;
    UnusableProgram one = unusable_program(event);
    const TrackedRun* run = find_run(runs, one.good);
    builds_.emplace(std::move(one.series), run == nullptr ? one.good : program_of(*run));
  }
}

bool UnusablePrograms::contain(std::string_view series, const TrackedRun& program) const {
  return builds_.contains({std::string(series), program_of(program)});
}

std::vector<std::string> unusable_texts(std::span<const TrackEvent> events,
                                        std::span<const TrackedRun> runs,
                                        const TrackedRun& tonight) {
  constexpr std::size_t kBuildDigits = 8;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> series;  // by program, why
  for (const TrackEvent& event : events) {
    if (event.what != kUnusableEvent || night_of(event).run != tonight.run_id) continue;
    const UnusableProgram one = unusable_program(event);
    series[{one.good, event.reason}].insert(one.series);
  }
  std::vector<std::string> texts;
  for (const auto& [program, ids] : series) {
    const TrackedRun* run = find_run(runs, program.first);
    const std::string name = run == nullptr ? program.first
                                            : run->started_utc.substr(0, kDayDigits) + " (build " +
                                                  run->build_id.substr(0, kBuildDigits) + ')';
    texts.push_back("the program of " + name + " could not be measured beside tonight's, for " +
                    text::counted(std::ssize(ids), "series") + ": " + program.second +
                    "; another one is taken where there is one, and this one is left alone for " +
                    std::to_string(kUnusableDays) + " days");
  }
  return texts;
}

}  // namespace stepbench::track
