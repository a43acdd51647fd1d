// SPDX-License-Identifier: Apache-2.0
// How fast nights go into a history, and whether a long history makes it slower:
//   track_import [sqlite:FILE | postgresql://...] [NIGHTS] [CASES] [POINTS/S]
// Makes nights of CASES cases with 8 launches and 6 series each, adds them and prints what ten
// parts of the time bring; exit status 1 if the last of them is below POINTS/S. Files are not read:
// it is the store that is measured.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/store/database.h"
#include "harness/store/transaction.h"
#include "harness/text/utc.h"
#include "harness/track/store_run.h"
#include "harness/track/track_store.h"

namespace stepbench {
namespace {

using Clock = std::chrono::steady_clock;

track::ImportedRun night_of(int number, int cases) {
  const std::chrono::system_clock::time_point day(std::chrono::hours(24) * (18'000 + number));
  track::ImportedRun night;
  night.run.started_utc = text::utc_text(day);
  night.run.run_id = night.run.started_utc + "-nightly";
  night.run.experiment = "nightly";
  night.run.host = "bench1";
  night.run.build_id = "build" + std::to_string(number);
  for (int one = 0; one < cases; ++one) {
    track::ImportedCase made{.case_id = "case0000000" + std::to_string(10'000 + one),
                             .workload = "train_step",
                             .options = {{"loader.num_workers", Value{std::int64_t{one}}}},
                             .machine = {{"cpu.model", Value{std::string("EPYC")}}}};
    for (int launch = 0; launch < 8; ++launch) {
      const double step = 1e7 + 1000.0 * ((launch * 7 + number) % 9);
      track::ImportedLaunch measured{.values = {.launch = launch, .steps = 50},
                                     .cohort = "0123456789abcdef",
                                     .digest = std::to_string(number * 10 + launch)};
      measured.values.values = {{"peak_bytes", 1e9},           {"phase.backward", step / 2},
                                {"phase.data_wait", step / 8}, {"phase.forward", step / 4},
                                {"phase.other", step / 8},     {"step_ns", step}};
      made.launches.push_back(std::move(measured));
    }
    night.cases.push_back(std::move(made));
  }
  return night;
}

int measure(const std::string& url, int nights, int cases, double expected) {
  (void)track::TrackStore::open(url);
  const auto database = store::Database::open(url);
  const std::vector<track::Cohort> cohorts = {{.id = "0123456789abcdef"}};
  const int part = nights / 10 > 0 ? nights / 10 : 1;
  std::printf("%8s %12s %12s %14s %14s\n", "nights", "points", "seconds", "points/s",
              "launch values/s");
  double seconds = 0;
  double last_rate = 0;
  std::size_t points = 0;
  track::KnownSeries known;
  for (int number = 0; number < nights; ++number) {
    const track::ImportedRun night = night_of(number, cases);
    const auto begin = Clock::now();
    store::Transaction transaction(*database);
    points += track::store_run(*database, night, cohorts, {}, known).points;
    transaction.commit();
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    if ((number + 1) % part != 0) continue;
    const double rate = static_cast<double>(points) / seconds;
    std::printf("%8d %12zu %12.2f %14.0f %14.0f\n", number + 1, points, seconds, rate, rate * 8);
    std::fflush(stdout);
    last_rate = rate;
    seconds = 0;
    points = 0;
  }
  const auto begin = Clock::now();
  const track::History history = track::TrackStore::open(url).history();
  std::printf("read back: %zu series in %.2f s\n", history.series.size(),
              std::chrono::duration<double>(Clock::now() - begin).count());
  return last_rate < expected ? 1 : 0;
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  const std::string url = argc > 1 ? argv[1] : "sqlite:track_import.db";
  return stepbench::measure(url, argc > 2 ? std::atoi(argv[2]) : 365,
                            argc > 3 ? std::atoi(argv[3]) : 167, argc > 4 ? std::atof(argv[4]) : 0);
}
