// SPDX-License-Identifier: Apache-2.0
// `track check` of a night that was checked before: 1,000 series over 365 nights in a SQLite file,
// read, judged and told. Once with quiet nights, once with a regression that began 200 nights ago.
// And what `track show` and `track export` read of such a year.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

#include "harness/campaign/check_night.h"
#include "harness/document/render.h"
#include "harness/report/night_json.h"
#include "harness/stats/random.h"
#include "harness/text/utc.h"
#include "tests/temporary_folder.h"
#include "tests/unit/track/history/made_night.h"

namespace stepbench {
namespace {

using testing_history::MadeNight;

constexpr int kSeries = 1000;
constexpr int kNights = 365;

std::string utc_of(int night) {
  return text::utc_text(*text::parse_utc("2026-01-01T02:00:00Z") + std::chrono::hours(24 * night));
}

class YearOfNights {
 public:
  explicit YearOfNights(int regression_from) {
    MadeNight made{.launches = 1, .steps = 1};
    made.cases.clear();
    for (int i = 0; i < kSeries; ++i) made.cases.push_back("case" + std::to_string(10'000 + i));
    for (int night = 0; night < kNights; ++night) {
      made.started_utc = utc_of(night);
      made.run_id = made.started_utc.substr(0, 10) + "-nightly";
      made.build_id = "build" + std::to_string(night);
      stats::Random random(static_cast<std::uint64_t>(night) + 1);
      made.step_ns = [&](const std::string& case_id, int) {
        const double noise = random.unit() + random.unit() + random.unit() - 1.5;
        const bool moved = case_id == "case10000" && night >= regression_from;
        // Less than any screen sees, but for the planted one.
        return static_cast<std::int64_t>(1e7 * (1 + 0.0005 * noise) * (moved ? 1.05 : 1));
      };
      (void)store_.add(testing_history::make(made), "results/" + made.run_id);
      if (night == regression_from) (void)check(night);
    }
  }

  campaign::CheckedNight check(int night) {
    return campaign::check_night(
        {.host = "bench1", .who = "bench@bench1", .now_utc = utc_of(night)}, store_, {});
  }

  track::TrackStore& store() { return store_; }

 private:
  test::TemporaryFolder folder_;
  track::TrackStore store_ = track::TrackStore::open("sqlite:" + (folder_ / "history.db").string());
};

void check_unchanged(benchmark::State& state, int regression_from) {
  YearOfNights year(regression_from);
  (void)year.check(kNights - 1);
  for (auto _ : state) {
    const campaign::CheckedNight checked = year.check(kNights - 1);
    benchmark::DoNotOptimize(document::render(report::night_document(checked, {}), {}));
    benchmark::DoNotOptimize(report::night_json(checked, {}));
  }
}

void BM_CheckAnUnchangedNight(benchmark::State& state) { check_unchanged(state, kNights); }
BENCHMARK(BM_CheckAnUnchangedNight)->Unit(benchmark::kMillisecond);

void BM_CheckWithAnOldAlert(benchmark::State& state) { check_unchanged(state, kNights - 200); }
BENCHMARK(BM_CheckWithAnOldAlert)->Unit(benchmark::kMillisecond);

// What `track show` reads: the newest point of each series, to know them by their words, and then
// one of them.
void BM_ReadOneSeries(benchmark::State& state) {
  YearOfNights year(kNights);
  for (auto _ : state) {
    const track::History newest = year.store().history({.last = 1});
    benchmark::DoNotOptimize(year.store().history({.series = {newest.series.front().series.id}}));
  }
}
BENCHMARK(BM_ReadOneSeries)->Unit(benchmark::kMillisecond);

// What `track export` reads.
void BM_ReadEachSeries(benchmark::State& state) {
  YearOfNights year(kNights);
  for (auto _ : state) {
    std::size_t points = 0;
    (void)year.store().each_series([&](const track::History&, const track::SeriesHistory& one) {
      points += one.points.size();
    });
    benchmark::DoNotOptimize(points);
  }
}
BENCHMARK(BM_ReadEachSeries)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepbench

BENCHMARK_MAIN();
