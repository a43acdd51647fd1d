// SPDX-License-Identifier: Apache-2.0
// How people know the series of a history: by experiment, by the options in which its cases differ,
// by metric. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/track/history.h"

namespace stepbench::report {

// "step" for "step_ns", "data_wait" for "phase.data_wait".
[[nodiscard]] std::string metric_label(std::string_view metric);
// "76.0 ms", "1.50 GiB".
[[nodiscard]] std::string amount_text(double value, std::string_view unit);

class SeriesNames {
 public:
  // `history` outlives this.
  explicit SeriesNames(const track::History& history);

  // "train num_workers=2": the case among all that the history has. Where another series of the
  // same metric has these words too, what tells them apart stands behind them, as the machine:
  // "train num_workers=2 (cpu_capability=AVX2)"; the id where nothing else does.
  [[nodiscard]] std::string case_name(const track::TrackedSeries& series) const;
  // The same without the experiment; what is measured where its cases differ in
  // nothing.
  [[nodiscard]] std::string case_words(const track::TrackedSeries& series) const;
  // With its metric: "train num_workers=2, step".
  [[nodiscard]] std::string name(const track::TrackedSeries& series) const;
  // The beginning of its id that tells it from all others, six digits or more.
  [[nodiscard]] std::string short_id(std::string_view id) const;
  // Also of series that the history has no more: their id.
  [[nodiscard]] const track::TrackedSeries* find(std::string_view id) const;

  // The series that are meant by words of the command line: the beginning of an id, or words each
  // of which is an experiment, a metric, an option's value or OPTION=VALUE. In the order of the
  // history; none where a word fits nothing.
  [[nodiscard]] std::vector<const track::SeriesHistory*> meant(std::span<const std::string> words,
                                                               std::string_view metric) const;

 private:
  [[nodiscard]] std::string label(const track::TrackedSeries& series) const;
  void tell_apart(std::span<const track::TrackedSeries* const> alike);
  // What is meant where no metric is named.
  [[nodiscard]] bool is_headline(const track::TrackedSeries& series) const;

  const track::History& history_;
  std::map<std::string, std::vector<std::string>, std::less<>> varying_;  // by experiment
  std::set<std::string_view> with_step_;                                  // ids of cases
  std::size_t digits_ = 6;
  std::map<std::string, std::string, std::less<>> apart_;  // by id: " (cpu_capability=AVX2)"
};

// The one series that is meant; throws ConfigError that lists those among which to choose, or the
// nearest ones. Without `metric`: its step, or what its case has in its place.
[[nodiscard]] const track::SeriesHistory& resolve_series(const SeriesNames& names,
                                                         const track::History& history,
                                                         std::span<const std::string> words,
                                                         std::string_view metric);

}  // namespace stepbench::report
