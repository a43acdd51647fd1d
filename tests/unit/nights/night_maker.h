// SPDX-License-Identifier: Apache-2.0
// Nights of generated values, judged like those of `nightly`: the first night's program is the
// reference, and in each night 28 pairs give the distance of its values from those of the first.
#pragma once

#include "harness/nights/internal/judge_night.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/report/night.h"
#include "tests/testing.h"

namespace stepbench::test {

// Values of one series by night; nullopt is a night without a point.
using Nightly = std::vector<std::optional<double>>;

class NightMaker {
 public:
  NightMaker();

  // In nanoseconds, in the named experiment; the id is the name of the case.
  nights::TrackedSeries& add_series(const std::string& case_id, const Nightly& values,
                                    const std::string& experiment = "train");
  // `count` values around `level` that vary by about a tenth of a percent, always the same.
  static Nightly steady(std::size_t count, double level = 76e6);
  // Multiplied by `factor` from that night on.
  static Nightly moved_from(std::size_t night, double factor, double level, std::size_t count = 26);

  nights::TrackedRun& run(std::size_t night, const std::string& experiment = "train");
  static std::string run_id(std::size_t night, const std::string& experiment = "train");
  void set_cohort_from(std::size_t night, const std::string& driver);
  void tell(nights::TrackEvent event);

  // Judges all unjudged nights up to that one; returns that one.
  nights::Night live(std::size_t night);
  // The last judged night, as shown in charts.
  [[nodiscard]] report::ShownNight shown() const;
  [[nodiscard]] nights::Alert alert(const std::string& id) const;
  // The verdicts of a series by night.
  [[nodiscard]] const std::vector<nights::JudgedRow>& judged(const std::string& series) const;

  std::vector<nights::TrackEvent> events = {};
  nights::History history = {};
  std::string cause = {};  // of odd nights from here on

 private:
  [[nodiscard]] nights::NightPairs pairs_of(const nights::TrackedRun& run) const;
  [[nodiscard]] std::size_t run_index(std::size_t night, const std::string& experiment);
  [[nodiscard]] nights::History known_at(std::size_t night) const;

  std::size_t next_ = 0;  // night to judge
  nights::Night last_ = {};
  std::map<std::string, nights::SeriesState> states_ = {};
  std::map<std::string, std::vector<nights::JudgedRow>, std::less<>> judged_ = {};
};

}  // namespace stepbench::test
