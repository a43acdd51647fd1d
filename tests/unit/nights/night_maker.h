// SPDX-License-Identifier: Apache-2.0
// Nights of made-up values, judged as `nightly` judges them: the first night's program is the
// reference, and each night 28 pairs say how far its values lie from those of the first.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/report/night_document.h"

namespace stepbench::test {

// What one series measured, night after night: nothing is a night without a point.
using Nightly = std::vector<std::optional<double>>;

class NightMaker {
 public:
  NightMaker();

  // In nanoseconds, in an experiment of that name; the id is the name of the case.
  track::TrackedSeries& add_series(const std::string& case_id, const Nightly& values,
                                   const std::string& experiment = "train");
  // `count` values around `level` that vary by about a tenth of a percent, the same every time.
  static Nightly steady(std::size_t count, double level = 76e6);
  // `factor` times as much from that night on.
  static Nightly moved_from(std::size_t night, double factor, double level, std::size_t count = 26);

  track::TrackedRun& run(std::size_t night, const std::string& experiment = "train");
  static std::string run_id(std::size_t night, const std::string& experiment = "train");
  void set_cohort_from(std::size_t night, const std::string& driver);
  void tell(track::TrackEvent event);

  // Judges the nights up to that one, which were not judged yet; returns that one.
  nights::Night live(std::size_t night);
  // The night that was judged last, with what is drawn of it.
  [[nodiscard]] report::ShownNight shown() const;
  [[nodiscard]] nights::Alert alert(const std::string& id) const;
  // How the nights of a series were judged.
  [[nodiscard]] const std::vector<track::JudgedRow>& judged(const std::string& series) const;

  std::vector<track::TrackEvent> events = {};
  track::History history = {};
  std::string cause = {};  // of what looks odd, from here on

 private:
  [[nodiscard]] nights::NightPairs pairs_of(const track::TrackedRun& run) const;
  [[nodiscard]] std::size_t run_index(std::size_t night, const std::string& experiment);
  [[nodiscard]] track::History known_at(std::size_t night) const;

  std::size_t next_ = 0;  // night to judge
  nights::Night last_ = {};
  std::map<std::string, nights::SeriesState> states_ = {};
  std::map<std::string, std::vector<track::JudgedRow>, std::less<>> judged_ = {};
};

}  // namespace stepbench::test
