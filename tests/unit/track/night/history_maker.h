// SPDX-License-Identifier: Apache-2.0
// Nights of made-up values, judged as `track check` judges them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/track/due.h"
#include "harness/track/night.h"

namespace stepbench::test {

// What one series measured, night after night: nothing is a night without a point.
using Nightly = std::vector<std::optional<double>>;

class HistoryMaker {
 public:
  HistoryMaker();

  // In nanoseconds, in an experiment of that name; the id is the name of the case.
  track::TrackedSeries& add_series(const std::string& case_id, const Nightly& values,
                                   const std::string& experiment = "train");
  // `count` values around `level` that vary by about half a percent, the same every time.
  static Nightly steady(std::size_t count, double level = 76e6);

  // Of night `night`, counted from 0, of an experiment.
  track::TrackedRun& run(std::size_t night, const std::string& experiment = "train");
  track::TrackedPoint& point(const std::string& case_id, std::size_t night);
  static std::string run_id(std::size_t night, const std::string& experiment = "train");
  // The control case's step of each night, for all series.
  void set_control(const Nightly& values);
  void set_cohort_from(std::size_t night, const std::string& driver);

  // Judges that night by what was known then, and records its events.
  track::Night judge(std::size_t night);
  // The same without recording.
  track::Night look(std::size_t night, bool allow_inconclusive = false) const;
  // As if the suspects of this night had been measured again, with this outcome.
  void measure(const track::Night& night, track::AlertState outcome, double change = 0.03);
  void tell(track::TrackEvent event);

  // A series of programs: of each night's the true factor, which measurements find.
  track::TrackedSeries& add_programs(const std::string& case_id, const std::vector<double>& factors,
                                     const std::string& experiment = "train");
  // The whole night as `nightly` goes through it, measuring what is due with the programs' true
  // factors: every program runs, but for those in `gone`.
  track::Night live(std::size_t night);
  // Kept, and they do not start: run ids.
  std::set<std::string> broken = {};
  // Before it is judged: each night is measured beside its reference, as `track.reference: nightly`
  // does.
  bool nightly = false;
  std::set<std::string> gone = {};                       // run ids
  std::vector<track::DueMeasurement> measured_due = {};  // by live(), all nights
  // What a measurement answers besides the truth: the state with which it says nothing.
  std::optional<track::AlertState> answers = {};

  [[nodiscard]] track::Alert alert(const std::string& id) const;

  std::vector<track::TrackEvent> events = {};
  track::History history = {};
  std::string now_utc = {};  // empty: the morning after the night
  track::ScreenOptions screen = {};
  bool allow_known = false;

 private:
  [[nodiscard]] track::NightInput input_of(std::size_t night, const track::History& known,
                                           bool allow_inconclusive) const;
  void measure_beside_reference(const track::History& known, const std::string& run);
  [[nodiscard]] track::History known_at(std::size_t night) const;
  [[nodiscard]] std::size_t run_index(std::size_t night, const std::string& experiment);

  std::map<std::pair<std::string, std::string>, double> factors_;  // by series and run id
};

}  // namespace stepbench::test
