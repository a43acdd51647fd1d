// SPDX-License-Identifier: Apache-2.0
// `track check` of a night of 1,000 series after a year: a new night, judged from the state of the
// night before, and one that was judged already. Also what `track show` and `track report` read of
// such a year.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/nights/night_store.h"
#include "harness/stats/random.h"
#include "harness/text/time_text.h"
#include "tests/temporary_folder.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench {
namespace {

using testing_history::MadeNight;

constexpr int kSeries = 1000;
constexpr int kNights = 365;
constexpr int kJudged = 70;

std::string utc_of(int night) {
  return text::utc_text(*text::parse_utc("2026-01-01T02:00:00Z") + std::chrono::hours(24 * night));
}

class YearOfNights {
 public:
  YearOfNights() {
    for (int night = 0; night < kNights; ++night) {
      add(night);
      // Only the last nights are judged: the state of older ones is not used.
      if (night >= kNights - kJudged) (void)check(night);
    }
  }

  void add(int night) {
    MadeNight made{.launches = 1, .steps = 1};
    made.cases.clear();
    for (int i = 0; i < kSeries; ++i) made.cases.push_back("case" + std::to_string(10'000 + i));
    made.started_utc = utc_of(night);
    made.run_id = made.started_utc.substr(0, 10) + "-nightly";
    made.build_id = "build" + std::to_string(night);
    made.step_ns = [](const std::string&, int) { return std::int64_t{10'000'000}; };
    (void)store_.add(testing_history::make(made), "results/" + made.run_id);
  }

  nights::StoredNight check(int night) {
    return nights::judge_and_record({.runs = {utc_of(night).substr(0, 10) + "-nightly"},
                                     .pairs = {pairs(night)},
                                     .who = "bench@bench1",
                                     .now_utc = utc_of(night)},
                                    store_);
  }

  nights::TrackStore& store() { return store_; }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  nights::NightPairs pairs(int night) {
    const std::string run = utc_of(night).substr(0, 10) + "-nightly";
    nights::NightPairs pairs{
        .night = {.run = run, .utc = utc_of(night), .host = "bench1", .experiment = "nightly"},
        .build = "build" + std::to_string(night),
        .reference = "build",
        .reference_run = "reference",
        .judged = kSeries};
    if (series_.empty()) {
      for (const nights::SeriesHistory& one : store_.history({.last = 1}).series) {
        if (one.series.monitored) series_.push_back(one.series.id);
      }
    }
    stats::Random random(static_cast<std::uint64_t>(night) + 1);
    for (const std::string& id : series_) {
      nights::SeriesPairs& of = pairs.series.emplace_back();
      of = {.series = id, .first = nights::kPairs, .reference = 1e7};
      for (std::size_t i = 0; i < nights::kPairs; ++i)
        of.pairs.push_back(std::round(1e8 * .01 * (random.unit() + random.unit() - 1)) / 1e8);
    }
    return pairs;
  }

  test::TemporaryFolder folder_;
  std::string url_ = "sqlite:" + (folder_ / "history.db").string();
  nights::TrackStore store_ = nights::TrackStore::open(url_);
  std::vector<std::string> series_ = {};
};

// Made once: it takes longer than all that is measured.
YearOfNights& a_year() {
  static YearOfNights year;
  return year;
}
int next_night = kNights;

void BM_JudgeANight(benchmark::State& state) {
  YearOfNights& year = a_year();
  for (auto _ : state) {
    state.PauseTiming();
    year.add(next_night);
    state.ResumeTiming();
    benchmark::DoNotOptimize(year.check(next_night++));
  }
}
BENCHMARK(BM_JudgeANight)->Unit(benchmark::kMillisecond)->Iterations(5);

void BM_ShowANightAgain(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(a_year().check(next_night - 1));
}
// Each command opens the history first.
void BM_OpenTheHistory(benchmark::State& state) {
  const std::string url = a_year().url();
  for (auto _ : state) benchmark::DoNotOptimize(nights::TrackStore::open(url));
}
BENCHMARK(BM_OpenTheHistory)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ShowANightAgain)->Unit(benchmark::kMillisecond);

// The reads of `track show`: the newest point of each series to match its words, then one series.
void BM_ReadOneSeries(benchmark::State& state) {
  YearOfNights& year = a_year();
  for (auto _ : state) {
    const nights::History newest = year.store().history({.last = 1});
    benchmark::DoNotOptimize(year.store().history({.series = {newest.series.front().series.id}}));
  }
}
BENCHMARK(BM_ReadOneSeries)->Unit(benchmark::kMillisecond);

// The reads of `track report --site`.
void BM_ReadEachSeries(benchmark::State& state) {
  YearOfNights& year = a_year();
  for (auto _ : state) {
    std::size_t points = 0;
    (void)year.store().each_series([&](const nights::History&, const nights::SeriesHistory& one) {
      points += one.points.size();
    });
    benchmark::DoNotOptimize(points);
  }
}
BENCHMARK(BM_ReadEachSeries)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepbench

BENCHMARK_MAIN();
