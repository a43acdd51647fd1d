// SPDX-License-Identifier: Apache-2.0
// Results, verdicts, nights and histories as gauges for Prometheus: times in seconds, sizes in
// bytes, shares as ratios. results/EXPORTS.md names them. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "harness/compare/comparison.h"
#include "harness/record/reader.h"
#include "harness/text/text_sink.h"
#include "harness/track/history.h"

namespace stepbench::report {

// More than a server should be given unasked.
inline constexpr std::size_t kMaxSeries = 10'000;

// Of several runs the last one. Throws ConfigError at --max-series for more series.
void write_openmetrics(const record::Results& results, std::size_t max_series,
                       const text::TextSink& sink);
[[nodiscard]] std::string openmetrics_page(std::span<const compare::Comparison> comparisons,
                                           std::size_t max_series = kMaxSeries);
// Points of the last run of each experiment on each host.
[[nodiscard]] std::string openmetrics_page(const track::History& history,
                                           std::size_t max_series = kMaxSeries);
// A night's verdict file. Throws LineError where it is none.
[[nodiscard]] std::string openmetrics_of_night(std::string_view night_json);
// Where there is no verdict: the exit status alone, so that a dashboard sees it.
[[nodiscard]] std::string openmetrics_of_error(int exit_code);

}  // namespace stepbench::report
