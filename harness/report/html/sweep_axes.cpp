// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/sweep_axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr const char* kNotSet = "not set";
constexpr double kWideRange = 50;  // largest over smallest: a linear axis would hide the small ones

// The number 8 and the text "8" are different values.
std::string key_of(const Value& value) {
  return std::to_string(value.index()) + ':' + to_text(value);
}

bool is_log(std::span<const double> sorted) {
  if (sorted.size() < 3 || !(sorted.front() > 0)) return false;
  if (sorted.back() / sorted.front() >= kWideRange) return true;
  return std::all_of(sorted.begin(), sorted.end(), [&](double value) {
    const double twos = std::log2(value / sorted.front());
    return twos == std::round(twos);
  });
}

// Converts values, in order of appearance, to a dimension.
Dimension dimension_of(std::string title, const std::vector<Value>& of_row) {
  Dimension made{.title = std::move(title), .numbers = true};
  std::map<std::string, std::size_t> known;
  std::vector<std::optional<double>> numbers;
  for (const Value& value : of_row) {
    const auto [found, is_new] = known.try_emplace(key_of(value), made.texts.size());
    if (is_new) {
      made.texts.push_back(is_null(value) ? kNotSet : to_text(value));
      numbers.push_back(number_of(value));
      made.numbers = made.numbers && numbers.back() && std::isfinite(*numbers.back());
    }
    made.of_row.push_back(found->second);
  }
  std::vector<std::size_t> order(made.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  made.places.resize(made.size());
  if (!made.numbers) {
    std::iota(made.places.begin(), made.places.end(), 0.0);
    return made;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *numbers[a] < *numbers[b]; });
  std::vector<std::size_t> rank(order.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    texts.push_back(std::move(made.texts[order[i]]));
    made.places[i] = *numbers[order[i]];
  }
  made.texts = std::move(texts);
  for (std::size_t& value : made.of_row) value = rank[value];
  made.log = is_log(made.places);
  return made;
}

// True if the values of both correspond one to one.
bool change_together(const Dimension& a, const Dimension& b) {
  if (a.size() != b.size()) return false;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < a.of_row.size(); ++i) pairs.emplace(a.of_row[i], b.of_row[i]);
  return pairs.size() == a.size();
}

void merge_dimension(Dimension& into, const Dimension& other) {
  std::vector<std::size_t> partner(into.size());
  for (std::size_t i = 0; i < into.of_row.size(); ++i) partner[into.of_row[i]] = other.of_row[i];
  into.title += " / " + other.title;
  for (std::size_t i = 0; i < into.size(); ++i) into.texts[i] += " / " + other.texts[partner[i]];
}

std::string series_text(const estimate::CaseRow& row, const estimate::RowNames& names) {
  std::vector<std::string> parts;
  if (names.has_runs()) parts.push_back(names.run(row));
  if (!row.arm.empty()) parts.push_back("arm " + row.arm);
  if (row.pass != Pass::kTiming) parts.emplace_back(name_of(row.pass));
  return text::join(parts, " ");
}

}  // namespace

SweepSpace sweep_space(const TableFacts& facts, std::span<const std::size_t> rows) {
  SweepSpace space;
  const std::vector<std::string>& varying = facts.names.varying();
  std::vector<Value> values;
  for (const std::string& option : varying) {
    values.clear();
    for (const std::size_t row : rows) {
      const OptionValues& options = facts.rows[row].options();
      const auto found = options.find(option);
      values.push_back(found == options.end() ? Value() : found->second);
    }
    Dimension made = dimension_of(estimate::short_name(option, varying), values);
    if (made.size() < 2) continue;
    const auto partner =
        std::find_if(space.dimensions.begin(), space.dimensions.end(),
                     [&](const Dimension& other) { return change_together(other, made); });
    if (partner == space.dimensions.end()) {
      space.dimensions.push_back(std::move(made));
    } else {
      merge_dimension(*partner, made);
    }
  }
  values.clear();
  for (const std::size_t row : rows) values.emplace_back(series_text(facts.rows[row], facts.names));
  Dimension series = dimension_of("run", values);
  if (series.size() < 2) return space;
  const bool arms = std::any_of(facts.rows.begin(), facts.rows.end(),
                                [](const estimate::CaseRow& row) { return !row.arm.empty(); });
  if (!facts.names.has_runs()) series.title = arms ? "arm" : "pass";
  space.dimensions.push_back(std::move(series));
  space.series = true;
  return space;
}

}  // namespace stepbench::report
