// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"
#include "harness/nights/history.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kListed = 12;
constexpr std::string_view kCaseId = "case_id";  // a field without meaning for people

bool is_hex(std::string_view text) {
  return text.size() >= 4 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Matches "num_workers=2", "loader.num_workers=2", or the value alone.
bool option_fits(const OptionValues& options, std::string_view word) {
  const std::size_t equals = word.find('=');
  return std::any_of(options.begin(), options.end(), [&](const auto& option) {
    const auto& [name, value] = option;
    if (equals == std::string_view::npos) return to_text(value) == word;
    const std::string_view wanted = word.substr(0, equals);
    const bool same_name = name == wanted || name.ends_with('.' + std::string(wanted));
    return same_name && to_text(value) == word.substr(equals + 1);
  });
}

bool word_fits(const nights::TrackedSeries& series, std::string_view word) {
  return series.experiment == word || series.workload == word ||
         (is_hex(word) && (series.id.starts_with(word) || series.case_id.starts_with(word))) ||
         option_fits(series.options, word);
}

bool metric_fits(const nights::TrackedSeries& series, std::string_view metric) {
  return series.metric == metric || metric_label(series.metric) == metric;
}

std::string listed(const SeriesNames& names,
                   const std::vector<const nights::SeriesHistory*>& series) {
  std::string text;
  for (std::size_t i = 0; i < std::min(series.size(), kListed); ++i) {
    const nights::TrackedSeries& each = series[i]->series;
    text += formatted("\n  {}  {}", names.short_id(each.id), names.name(each));
  }
  if (series.size() > kListed) {
    text += formatted("\n  and {} more: `stepbench track list` has all", series.size() - kListed);
  }
  return text;
}

}  // namespace

std::string metric_label(std::string_view metric) {
  if (metric == nights::kStepSeries) return "step";
  if (metric.starts_with(nights::kPhaseSeries))
    return std::string(metric.substr(nights::kPhaseSeries.size()));
  return std::string(metric);
}

std::string amount_text(double value, std::string_view unit) {
  if (unit == "ns") return text::duration(value);
  if (unit == "bytes") return text::byte_text(value);
  return text::significant(value) + (unit.empty() ? "" : ' ' + std::string(unit));
}

SeriesNames::SeriesNames(const nights::History& history) : history_(history) {
  std::map<std::string, std::vector<const OptionValues*>> cases;
  std::vector<std::string_view> ids;
  for (const nights::SeriesHistory& series : history.series) {
    cases[series.series.experiment].push_back(&series.series.options);
    ids.push_back(series.series.id);
    if (series.series.metric == nights::kStepSeries) with_step_.insert(series.series.case_id);
  }
  for (const auto& [experiment, options] : cases) {
    varying_[experiment] = estimate::varying_options(options, {});
  }
  std::sort(ids.begin(), ids.end());
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const auto differ =
        std::mismatch(ids[i - 1].begin(), ids[i - 1].end(), ids[i].begin(), ids[i].end());
    const auto same = static_cast<std::size_t>(differ.first - ids[i - 1].begin());
    if (ids[i - 1] != ids[i]) digits_ = std::max(digits_, same + 1);
  }
  std::map<std::array<std::string, 3>, std::vector<const nights::TrackedSeries*>> named;
  for (const nights::SeriesHistory& one : history.series) {
    const nights::TrackedSeries& series = one.series;
    named[{series.experiment, case_name(series), series.metric}].push_back(&series);
  }
  for (const auto& [name, alike] : named) disambiguate(alike);
}

// Distinguishes series by the fields in which they differ.
void SeriesNames::disambiguate(std::span<const nights::TrackedSeries* const> alike) {
  if (alike.size() < 2) return;
  const nights::TrackedSeries& first = *alike.front();
  std::map<std::string, std::string> of_first;  // by field
  for (const nights::TrackedSeries* each : alike.subspan(1)) {
    for (const nights::FieldSplit& split : nights::identity_splits(first, *each)) {
      if (split.field != kCaseId) of_first.emplace(split.field, split.a);
    }
  }
  std::set<std::string> different;
  for (const nights::TrackedSeries* each : alike) {
    std::map<std::string, std::string> fields = of_first;
    for (const nights::FieldSplit& split : nights::identity_splits(first, *each)) {
      if (split.field != kCaseId) fields[split.field] = split.b;
    }
    suffixes_[each->id] =
        " (" +
        text::join(fields, " ",
                   [](const auto& field) {
                     return field.first.substr(field.first.rfind('.') + 1) + '=' + field.second;
                   }) +
        ')';
    different.insert(suffixes_[each->id]);
  }
  if (different.size() == alike.size()) return;
  for (const nights::TrackedSeries* each : alike)
    suffixes_[each->id] = " (" + short_id(each->id) + ')';
}

std::string SeriesNames::case_name(const nights::TrackedSeries& series) const {
  const std::string words = estimate::case_name(series.options, {}, varying_of(series));
  return series.experiment + (words.empty() ? "" : ' ' + words) + suffix_of(series);
}

std::string SeriesNames::case_words(const nights::TrackedSeries& series) const {
  return estimate::case_name(series.options, series.workload, varying_of(series), series.case_id) +
         suffix_of(series);
}

// A case measured by another program has no step.
bool SeriesNames::is_headline(const nights::TrackedSeries& series) const {
  return series.metric == nights::kStepSeries ||
         (series.monitored && !with_step_.contains(series.case_id));
}

std::vector<std::string> SeriesNames::varying_of(const nights::TrackedSeries& series) const {
  const auto found = varying_.find(series.experiment);
  return found == varying_.end() ? std::vector<std::string>() : found->second;
}

std::string SeriesNames::suffix_of(const nights::TrackedSeries& series) const {
  const auto found = suffixes_.find(series.id);
  return found == suffixes_.end() ? std::string() : found->second;
}

std::string SeriesNames::name(const nights::TrackedSeries& series) const {
  return case_name(series) + ", " + metric_label(series.metric);
}

std::string SeriesNames::short_id(std::string_view id) const {
  return std::string(id.substr(0, digits_));
}

const nights::TrackedSeries* SeriesNames::find(std::string_view id) const {
  const nights::SeriesHistory* found = history_.find_series(id);
  return found == nullptr ? nullptr : &found->series;
}

std::vector<const nights::SeriesHistory*> SeriesNames::meant(std::span<const std::string> words,
                                                             std::string_view metric) const {
  std::vector<const nights::SeriesHistory*> found;
  for (const nights::SeriesHistory& series : history_.series) {
    const bool by_id =
        words.size() == 1 && is_hex(words.front()) && series.series.id.starts_with(words.front());
    const bool fits = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return word_fits(series.series, word) || metric_fits(series.series, word);
    });
    const bool metric_named =
        !metric.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
          return metric_fits(series.series, word);
        });
    if (!metric.empty() && !metric_fits(series.series, metric)) continue;
    if (by_id || (fits && (metric_named || is_headline(series.series)))) found.push_back(&series);
  }
  return found;
}

const nights::SeriesHistory& resolve_series(const SeriesNames& names,
                                            const nights::History& history,
                                            std::span<const std::string> words,
                                            std::string_view metric) {
  const std::vector<const nights::SeriesHistory*> found = names.meant(words, metric);
  if (found.size() == 1) return *found.front();
  const std::string given = text::join(words, " ");
  if (!found.empty()) {
    throw ConfigError("SERIES",
                      formatted("'{}' matches {}; give an id, or add words of its case:{}", given,
                                text::counted(std::ssize(found), "series"), listed(names, found)));
  }
  if (history.series.empty()) {
    throw ConfigError("SERIES", "the history is empty: `stepbench track add RUN` adds a run");
  }
  // Find the word that matches nothing.
  for (const std::string& word : words) {
    std::set<std::string> known;
    bool fits = false;
    for (const nights::SeriesHistory& each : history.series) {
      const nights::TrackedSeries& series = each.series;
      fits = fits || word_fits(series, word) || metric_fits(series, word);
      known.insert(series.experiment);
      known.insert(metric_label(series.metric));
      known.insert(series.id.substr(0, word.size()));
      for (const auto& [name, value] : series.options) {
        known.insert(name.substr(name.rfind('.') + 1) + '=' + to_text(value));
      }
    }
    if (fits) continue;
    const std::vector<std::string> candidates(known.begin(), known.end());
    throw ConfigError("SERIES",
                      formatted("no series matches '{}'{}; `stepbench track list` lists them", word,
                                text::did_you_mean(word, candidates)));
  }
  std::set<std::string> metrics;
  for (const nights::SeriesHistory& each : history.series)
    metrics.insert(metric_label(each.series.metric));
  if (!metric.empty() && !metrics.contains(std::string(metric)) &&
      names.meant({}, metric).empty()) {
    throw ConfigError("--metric",
                      formatted("unknown metric '{}'; metrics: {}", metric, text::join(metrics)));
  }
  throw ConfigError(
      "SERIES",
      formatted("no series matches all of '{}'; `stepbench track list` lists them", given));
}

namespace {

std::string nights_text(std::size_t nights, const std::string& first, const std::string& last) {
  std::string text = text::counted(static_cast<std::int64_t>(nights), "night");
  if (nights > 0) text += first == last ? ", " + first : formatted(", {} to {}", first, last);
  return text;
}

}  // namespace

std::string merge_text(const nights::CaseMerge& merge, const nights::History& history) {
  std::ostringstream out;
  constexpr std::size_t kDigits = 8;
  const auto from =
      std::ranges::find(history.series, merge.merged.from,
                        [](const nights::SeriesHistory& each) { return each.series.case_id; });
  if (from != history.series.end()) {
    out << text::printable(SeriesNames(history).case_name(from->series)) << ": ";
  }
  out << "case " << merge.merged.from.substr(0, kDigits) << " ("
      << nights_text(merge.from_nights, merge.from_first, merge.from_last) << ") goes into case "
      << merge.merged.into.substr(0, kDigits) << " ("
      << nights_text(merge.into_nights, merge.into_first, merge.into_last) << "), " << merge.series
      << " series\n";
  for (const nights::FieldSplit& split : merge.differ) {
    out << "  " << text::printable(formatted("{}: {} -> {}", split.field, split.a, split.b))
        << '\n';
  }
  if (merge.among > 0) {
    out << "  " << text::counted(static_cast<std::int64_t>(merge.among), "night")
        << " of one are between nights of the other: points are ordered by night\n";
  }
  return out.str();
}

}  // namespace stepbench::report
