// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/nights/night_store.h"
#include "harness/report/exports.h"
#include "harness/report/pages.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

namespace fs = std::filesystem;

// A page takes 20 KB of memory for a case, up to 20 KB for a launch, and a browser must sort its
// tables.
void refuse_large_page(const std::string& source, std::int64_t count, const std::string& what,
                       std::int64_t most) {
  if (count <= most) return;
  throw ConfigError(source,
                    formatted("has {}{}; a page holds {}. `stepbench export --format csv` writes "
                              "all, `stepbench show --filter KEY=VALUE` shows some",
                              text::with_separators(count), what, text::with_separators(most)));
}

ReportContent of_runs(const std::vector<std::string>& sources, const DrawOptions& draw) {
  std::int64_t launches = 0;
  for (const std::string& source : sources) launches += record::count_launches(source);
  refuse_large_page(sources.front(), launches, " launches", 50'000);
  const record::Results results =
      record::read_results(std::vector<fs::path>(sources.begin(), sources.end()));
  std::set<std::pair<std::size_t, std::string_view>> cases;  // of each run
  for (const record::Launch& launch : results.launches) {
    cases.emplace(launch.run, launch.row.key.case_id);
  }
  refuse_large_page(sources.front(), std::ssize(cases), " cases", 25'000);
  return run_content(results, sources, draw);
}

ReportContent of_verdicts(const std::vector<std::string>& sources, const DrawOptions& draw) {
  std::vector<verdict::Comparison> comparisons;
  for (const std::string& source : sources) {
    std::vector<verdict::Comparison> some = read_comparisons(stored_text(source));
    std::move(some.begin(), some.end(), std::back_inserter(comparisons));
  }
  return verdict_content(comparisons, draw);
}

ReportContent of_night(const std::string& source) {
  std::string text = stored_text(source);
  const ReadNight read = read_night(text);
  if (!read.error.empty()) {
    return error_content("stepbench track check", read.error, read.shown.night.exit_code);
  }
  return night_content(read.shown, read.view, std::move(text));
}

ReportContent of_history(const std::string& source) {
  nights::TrackStore store = nights::TrackStore::open(nights::history_url(source), {.make = false});
  const nights::History history = store.history();
  return history_content(history, store.events(), judged_nights(store));
}

}  // namespace

ReportContent stored_content(ExportSource kind, const std::vector<std::string>& sources,
                             const DrawOptions& draw) {
  switch (kind) {
    case ExportSource::kVerdict:
      return of_verdicts(sources, draw);
    case ExportSource::kNight:
      return of_night(sources.front());
    case ExportSource::kHistory:
      return of_history(sources.front());
    case ExportSource::kRun:
      break;
  }
  return of_runs(sources, draw);
}

}  // namespace stepbench::report
