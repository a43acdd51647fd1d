// SPDX-License-Identifier: Apache-2.0
#include "harness/text/names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/words.h"

namespace stepbench::text {
namespace {

bool ends_in(std::string_view name, std::string_view end) {
  return name.size() > end.size() && name.ends_with(end) &&
         name[name.size() - end.size() - 1] == '.';
}

// "Data wait [%]" -> "data wait"
std::string without_unit(std::string_view head) {
  head = head.substr(0, head.find('['));
  while (head.ends_with(' ')) head.remove_suffix(1);
  std::string folded(head);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folded;
}

std::string join_or(const std::vector<std::string>& texts) {
  const std::span<const std::string> all = texts;
  return join(all.first(all.size() - 1)) + " or " + texts.back();
}

}  // namespace

std::vector<std::string> matching_names(std::string_view given,
                                        std::span<const std::string> known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return {std::string(given)};
  std::vector<std::string> meant;
  for (const std::string& name : known) {
    const bool is_new = std::find(meant.begin(), meant.end(), name) == meant.end();
    if (!given.empty() && is_new && ends_in(name, given)) meant.push_back(name);
  }
  return meant;
}

std::string resolve_name(std::string_view given, std::span<const std::string> known,
                         std::string_view unknown, std::span<const std::string> more) {
  const std::vector<std::string> meant = matching_names(given, known);
  if (meant.size() == 1) return meant.front();
  const std::string quoted = "'" + std::string(given) + "'";
  if (!meant.empty()) {
    throw Error(formatted("{} may be {}; write one in full", quoted, join_or(meant)));
  }
  if (const std::string removal_note = removed(given); !removal_note.empty())
    throw Error(quoted + ": " + removal_note);
  std::string similar = nearest_name(given, known);
  if (similar.empty()) similar = nearest(given, more);
  throw Error(formatted("{} {}{}", unknown, quoted, did_you_mean(similar)));
}

bool is_same_head(std::string_view head, std::string_view given) {
  return without_unit(head) == without_unit(given);
}

std::string nearest_name(std::string_view given, std::span<const std::string> known) {
  std::string similar = nearest(given, known);
  if (!similar.empty()) return similar;
  std::vector<std::string> ends;
  for (const std::string& name : known) ends.push_back(name.substr(name.find('.') + 1));
  similar = nearest(given, ends);
  const auto found = std::find(ends.begin(), ends.end(), similar);
  return similar.empty() ? similar : known[static_cast<std::size_t>(found - ends.begin())];
}

namespace {

struct Removed {
  std::string_view instead;
  std::vector<std::string_view> names;
};

const std::vector<Removed>& removed_names() {
  static const std::vector<Removed> kRemoved = {
      {"`--png DIR`, which writes each picture as a file of its own", {"data show --png FILE.png"}},
      {"ui.perfetto.dev on the trace itself, beside `--report page.html`", {"analyze --augment"}},
      {"HolisticTraceAnalysis",
       {"analyze --critical-path", "analyze --kernel-sequences", "analyze --kernel-tree"}},
      {"TensorBoard's plug-in, HolisticTraceAnalysis or TraceLens", {"analyze --window"}},
      {"`--format json`, which has the loader, the step and the files of each case",
       {"--format dlio"}},
      {"`export --format json --no-text` of the run's folder", {"ab --bundle"}},
      {"`ab` with both programs on one machine", {"explain"}},
      {"`track note A17 --as accepted TEXT`", {"track acknowledge"}},
      {"`track note A17 --who NAME`", {"track assign"}},
      {"`track note RUN --as baseline TEXT`", {"track baseline"}},
      {"`track note SERIES --as ignored TEXT`, and `--as open` to take it back", {"track ignore"}},
      {"`nightly`, which measures every night in pairs with its reference program, and more pairs "
       "of suspects",
       {"track confirm", "nightly --screen", "nightly --confirm", "nightly --no-confirm",
        "nightly --confirmations", "nightly --relinked", "nightly --good", "track check --screen",
        "track check --confirm", "track check --no-confirm", "track check --confirmations",
        "track check --relinked", "track check --good", "track.reference"}},
      {"`nightly --no-keep-worker`: one program of each experiment is kept",
       {"track prune --limit-gib"}},
      {"Otava, bencher or asv for measurements of other tools",
       {"track screen", "track add --series", "track add --value-column", "track add --case-column",
        "track add --time-column", "track add --commit-column", "track add --unit",
        "track add --better", "track add --first-night", "track add --host"}},
      {"`nightly`, which keeps its reference program", {"track add --keep-worker"}},
      {"`export results/history.db --format csv`, or json", {"track export"}},
      {"`track merge CASE CASE --dry-run`, which shows how two differ; a night reports the changes "
       "of its environment",
       {"track why-split"}},
      {"`gzip` on the files, which are read as before", {"runs compress"}},
      {"`export --format json --no-text`", {"runs redact"}},
      {"`schedule.sync: step` for latencies, and a load generator such as GuideLLM for rates",
       {"arrival_wait_ns", "highest_rate", "highest_rate_high", "highest_rate_low", "overload",
        "queue_wait_ns", "queue_wait_p50_ns", "queue_wait_p999_ns", "queue_wait_p99_ns",
        "schedule.arrivals", "schedule.arrivals.p99_limit_ms", "schedule.arrivals.process",
        "schedule.arrivals.rate", "utilisation"}},
      {"`loader.engine: iterable` with webdataset, s3torchconnector or litdata, or a mounted "
       "bucket",
       {"http://", "https://", "s3://", "data.remote_timeout_s", "data.remote_retries",
        "data.s3_endpoint", "loader_retries"}},
      {"the storage itself, or `data.cost` of synthetic data",
       {"data.storage_latency_us", "data.storage_bandwidth_mb_s", "data.storage_cv"}},
      {"`run --headroom`, or measure them: `run --sweep num_workers=4,8`", {"show --what-if"}},
      {"`run --headroom`",
       {"run --record-arrivals", "loader.record_arrivals", "loader.replay", "loader.replay_batches",
        "loader.arrivals", "loader.arrivals_id", "loader.ahead", "loader_turn_ns", "loader_turn_cv",
        "loader_own_ns", "loader_cpu_ns", "loader_cores", "loader_machine_cores"}},
  };
  return kRemoved;
}

}  // namespace

std::string removed(std::string_view name) {
  // "arrivals" means schedule.arrivals; "rate" alone may mean something else.
  const auto is_meant = [&](std::string_view known) {
    return known == name || known.substr(known.find('.') + 1) == name;
  };
  for (const Removed& each : removed_names()) {
    if (std::ranges::any_of(each.names, is_meant)) {
      return "removed in 0.2: use " + std::string(each.instead);
    }
  }
  return {};
}

}  // namespace stepbench::text
