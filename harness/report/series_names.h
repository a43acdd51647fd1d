// SPDX-License-Identifier: Apache-2.0
// Names of the series of a history: by experiment, varying options and metric. Pure; any thread.
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
  // `history` must outlive this.
  explicit SeriesNames(const track::History& history);

  // "train num_workers=2": the case among all cases of the history; if they do not differ, the
  // benchmark or script: "bench BM_Load". If another series of the same metric has this name, too,
  // differing fields such as those of the machine are appended: "train num_workers=2
  // (cpu_capability=AVX2)"; or else the id.
  [[nodiscard]] std::string case_name(const track::TrackedSeries& series) const;
  // The same without the experiment; at least what is measured: "train_step".
  [[nodiscard]] std::string case_words(const track::TrackedSeries& series) const;
  // With its metric: "train num_workers=2, step".
  [[nodiscard]] std::string name(const track::TrackedSeries& series) const;
  // The shortest prefix of at least six digits that identifies the id.
  [[nodiscard]] std::string short_id(std::string_view id) const;
  // Null if the history does not have the series (any more).
  [[nodiscard]] const track::TrackedSeries* find(std::string_view id) const;

  // Series that match words of a command line: the prefix of an id, or words each of which is an
  // experiment, a metric, an option's value or OPTION=VALUE. In history order; empty if a word
  // matches nothing.
  [[nodiscard]] std::vector<const track::SeriesHistory*> meant(std::span<const std::string> words,
                                                               std::string_view metric) const;

 private:
  [[nodiscard]] std::vector<std::string> varying_of(const track::TrackedSeries& series) const;
  [[nodiscard]] std::string suffix_of(const track::TrackedSeries& series) const;
  void disambiguate(std::span<const track::TrackedSeries* const> alike);
  // The default if no metric is given.
  [[nodiscard]] bool is_headline(const track::TrackedSeries& series) const;

  const track::History& history_;
  std::map<std::string, std::vector<std::string>, std::less<>> varying_;  // by experiment
  std::set<std::string_view> with_step_;                                  // case ids
  std::size_t digits_ = 6;
  std::map<std::string, std::string, std::less<>> suffixes_;  // by id: " (cpu_capability=AVX2)"
};

// Finds the only matching series; throws ConfigError with the candidates or the nearest ones.
// Without `metric`: its step, or what its case has instead.
[[nodiscard]] const track::SeriesHistory& resolve_series(const SeriesNames& names,
                                                         const track::History& history,
                                                         std::span<const std::string> words,
                                                         std::string_view metric);

}  // namespace stepbench::report
