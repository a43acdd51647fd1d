// SPDX-License-Identifier: Apache-2.0
#include "harness/track/history.h"

#include <algorithm>

namespace stepbench::track {

const TrackedRun* find_run(std::span<const TrackedRun> runs, std::string_view run_id) {
  const auto found = std::ranges::find(runs, run_id, &TrackedRun::run_id);
  return found == runs.end() ? nullptr : &*found;
}

std::string commit_url(const TrackedRun& run, const std::string& sha) {
  constexpr std::string_view kSha = "{sha}";
  std::string url = text_of(run.context, kCommitUrlOption);
  if (url.empty() || sha.empty()) return {};
  const std::size_t at = url.find(kSha);
  return at == std::string::npos ? url + sha : url.replace(at, kSha.size(), sha);
}

bool is_imported(const TrackedRun& run) { return !text_of(run.context, "imported").empty(); }

const TrackedRun* History::find_run(std::string_view run_id) const {
  return track::find_run(runs, run_id);
}

const SeriesHistory* History::find_series(std::string_view id) const {
  const auto found = std::ranges::find(
      series, id, [](const SeriesHistory& each) -> const auto& { return each.series.id; });
  return found == series.end() ? nullptr : &*found;
}

}  // namespace stepbench::track
