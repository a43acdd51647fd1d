// SPDX-License-Identifier: Apache-2.0
#include "harness/text/removed.h"

#include <algorithm>
#include <iterator>

namespace stepbench::text {
namespace {

struct Removed {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view kOtherPrograms = "Otava, bencher or asv for what others measured";
constexpr std::string_view kByPairs =
    "`nightly`, which measures every night in pairs with its reference program, and more of what "
    "looks odd";
constexpr std::string_view kOpenLoop =
    "`schedule.sync: step` for latencies, and a load generator such as GuideLLM for rates";

// Over a network.
constexpr std::string_view kShards =
    "`loader.engine: iterable` with webdataset, s3torchconnector or litdata, or a mounted bucket";

constexpr std::string_view kSlowStorage = "the storage itself, or `data.cost` of synthetic data";

constexpr std::string_view kHeadroom = "`run --headroom`";

constexpr Removed kRemoved[] = {
    {"data show --png FILE.png", "`--png DIR`, which writes each picture as a file of its own"},
    {"analyze --augment", "ui.perfetto.dev on the trace itself, beside `--report page.html`"},
    {"analyze --critical-path", "HolisticTraceAnalysis"},
    {"analyze --kernel-sequences", "HolisticTraceAnalysis"},
    {"analyze --kernel-tree", "HolisticTraceAnalysis"},
    {"analyze --window", "TensorBoard's plug-in, HolisticTraceAnalysis or TraceLens"},
    {"--format dlio", "`--format json`, which has the loader, the step and the files of each case"},
    {"ab --bundle", "`export --format json --no-text` of the run's folder"},
    {"explain", "`ab` with both programs on one machine"},
    {"track acknowledge", "`track note A17 --as accepted TEXT`"},
    {"track assign", "`track note A17 --who NAME`"},
    {"track baseline", "`track note RUN --as baseline TEXT`"},
    {"track ignore", "`track note SERIES --as ignored TEXT`, and `--as open` to take it back"},
    {"track confirm", kByPairs},
    {"nightly --screen", kByPairs},
    {"nightly --confirm", kByPairs},
    {"nightly --no-confirm", kByPairs},
    {"nightly --confirmations", kByPairs},
    {"nightly --relinked", kByPairs},
    {"nightly --good", kByPairs},
    {"track check --screen", kByPairs},
    {"track check --confirm", kByPairs},
    {"track check --no-confirm", kByPairs},
    {"track check --confirmations", kByPairs},
    {"track check --relinked", kByPairs},
    {"track check --good", kByPairs},
    {"track.reference", kByPairs},
    {"track prune --limit-gib",
     "`nightly --no-keep-worker`: one program of each experiment is kept"},
    {"track screen", kOtherPrograms},
    {"track export", "`export results/history.db --format csv`, or json"},
    {"track why-split",
     "`track merge CASE CASE --dry-run`, which says in what two differ; a night says what changed "
     "of "
     "its environment"},
    {"track add --keep-worker", "`nightly`, which keeps its reference program"},
    {"track add --series", kOtherPrograms},
    {"track add --value-column", kOtherPrograms},
    {"track add --case-column", kOtherPrograms},
    {"track add --time-column", kOtherPrograms},
    {"track add --commit-column", kOtherPrograms},
    {"track add --unit", kOtherPrograms},
    {"track add --better", kOtherPrograms},
    {"track add --first-night", kOtherPrograms},
    {"track add --host", kOtherPrograms},
    {"runs compress", "`gzip` on the files, which are read as before"},
    {"runs redact", "`export --format json --no-text`"},
    {"arrival_wait_ns", kOpenLoop},
    {"highest_rate", kOpenLoop},
    {"highest_rate_high", kOpenLoop},
    {"highest_rate_low", kOpenLoop},
    {"overload", kOpenLoop},
    {"queue_wait_ns", kOpenLoop},
    {"queue_wait_p50_ns", kOpenLoop},
    {"queue_wait_p999_ns", kOpenLoop},
    {"queue_wait_p99_ns", kOpenLoop},
    {"schedule.arrivals", kOpenLoop},
    {"schedule.arrivals.p99_limit_ms", kOpenLoop},
    {"schedule.arrivals.process", kOpenLoop},
    {"schedule.arrivals.rate", kOpenLoop},
    {"utilisation", kOpenLoop},
    {"http://", kShards},
    {"https://", kShards},
    {"s3://", kShards},
    {"data.remote_timeout_s", kShards},
    {"data.remote_retries", kShards},
    {"data.s3_endpoint", kShards},
    {"loader_retries", kShards},
    {"data.storage_latency_us", kSlowStorage},
    {"data.storage_bandwidth_mb_s", kSlowStorage},
    {"data.storage_cv", kSlowStorage},
    {"show --what-if", "`run --headroom`, or measure them: `run --sweep num_workers=4,8`"},
    {"run --record-arrivals", kHeadroom},
    {"loader.record_arrivals", kHeadroom},
    {"loader.replay", kHeadroom},
    {"loader.replay_batches", kHeadroom},
    {"loader.arrivals", kHeadroom},
    {"loader.arrivals_id", kHeadroom},
    {"loader.ahead", kHeadroom},
    {"loader_turn_ns", kHeadroom},
    {"loader_turn_cv", kHeadroom},
    {"loader_own_ns", kHeadroom},
    {"loader_cpu_ns", kHeadroom},
    {"loader_cores", kHeadroom},
    {"loader_machine_cores", kHeadroom},
};

}  // namespace

std::string removed(std::string_view name) {
  // "arrivals" means schedule.arrivals; "rate" alone may be a word for something else.
  const auto is_meant = [&](const Removed& row) {
    return row.name == name || row.name.substr(row.name.find('.') + 1) == name;
  };
  const auto* const row = std::ranges::find_if(kRemoved, is_meant);
  return row == std::end(kRemoved) ? std::string()
                                   : "removed in 0.2: use " + std::string(row->instead);
}

}  // namespace stepbench::text
