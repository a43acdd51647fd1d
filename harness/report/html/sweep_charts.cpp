// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/sweep_charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "harness/estimate/ranking.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/run_sections.h"
#include "harness/report/internal/answer.h"
#include "harness/text/numbers.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxLines = 14;  // per panel
constexpr std::size_t kMaxPanels = 12;
constexpr std::size_t kMaxAllLines = 48;  // in all panels
constexpr std::size_t kMaxDots = 60;      // for all cases
constexpr std::size_t kBestDots = 30;     // in addition to another chart

// Dimensions with their roles in the chart: "x", "line"; in this order.
using Roles = std::vector<std::pair<const char*, std::size_t>>;

// Small multiples are arranged in up to three columns; four of them in two.
int height_of_panels(std::size_t count, int of_one) {
  const std::size_t columns = count == 4 ? 2 : std::min<std::size_t>(count, 3);
  const int rows = static_cast<int>((count + columns - 1) / columns);
  return rows == 1 ? of_one : rows * (of_one * 2 / 3) + of_one / 3;
}

// Figures of one measure, at the same positions as those of the other measures.
class SweepFigures {
 public:
  SweepFigures(const TableFacts& facts, const SweepSpace& space, std::span<const std::size_t> rows,
               std::span<const Measure> measures, std::size_t measure)
      : facts_(facts), space_(space), rows_(rows), measures_(measures), measure_(measure) {}

  // The figures, each with the text above it; the first has none.
  std::vector<std::pair<std::string, document::Figure>> make() const {
    const std::vector<Dimension>& all = space_.dimensions;
    std::vector<std::pair<std::string, document::Figure>> made;
    if (space_.options() == 0 || (space_.options() == 1 && !all[0].numbers)) {
      made.emplace_back("", dots(kMaxDots));
      return made;
    }
    const std::vector<std::size_t> order = by_size();
    const auto size = [&](std::size_t at) { return at < order.size() ? all[order[at]].size() : 1; };
    const bool fits =
        order.size() <= 3 && (order.size() < 2 || size(1) <= kMaxLines) && size(2) <= kMaxPanels;
    const bool one_option = space_.options() == 1 && fits;
    if (order.size() > 3 || (order.size() == 3 && !fits)) {
      made.emplace_back("", parallel());
    } else if (!one_option) {
      Roles roles = {{"y", order[1]}, {"x", order[0]}};
      if (order.size() > 2) roles.emplace_back("panel", order[2]);
      const int height = std::clamp(static_cast<int>(size(1)) * 44 + 140, 300, 900);
      made.emplace_back("", planes("heat", "Heat map", roles, height));
    }
    if (fits && (order.size() < 2 || size(1) * size(2) <= kMaxAllLines)) {
      Roles roles = {{"x", order[0]}};
      if (order.size() > 1) roles.emplace_back("line", order[1]);
      if (order.size() > 2) roles.emplace_back("panel", order[2]);
      made.emplace_back(one_option ? "" : "The same numbers with their intervals.",
                        planes("lines", "Lines with intervals", roles, 420));
    }
    if (order.size() > 2)
      made.emplace_back("The best cases with their intervals.", dots(kBestDots));
    return made;
  }

 private:
  // Dimension order: numbers before words, then by number of values; the first lies along x. The
  // series comes last.
  [[nodiscard]] std::vector<std::size_t> by_size() const {
    std::vector<std::size_t> order(space_.dimensions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.begin() + std::ptrdiff_t(space_.options()),
                     [&](std::size_t a, std::size_t b) {
                       const Dimension& left = space_.dimensions[a];
                       const Dimension& right = space_.dimensions[b];
                       return std::pair(left.numbers, left.size()) >
                              std::pair(right.numbers, right.size());
                     });
    return order;
  }

  [[nodiscard]] json::JsonText chart_of(std::string_view name) const {
    json::JsonText json = chart(name);
    json.integer("measure", static_cast<std::int64_t>(measure_));
    return json;
  }

  [[nodiscard]] document::Figure figure(std::string title, const std::string& kind,
                                        json::JsonText& json, int height) const {
    constexpr std::size_t kAltCells = 400;
    const std::string answer = text::shortened(answer_line(facts_.rows, facts_.results), kAltCells);
    document::Figure figure{
        .title = title,
        .alt = kind + ": " + title + (answer.empty() ? "." : ". " + answer + '.'),
        .json = json.close_object().take(),
        .height_px = height};
    if (measures_.size() > 1) figure.choice = measures_[measure_].name;
    return figure;
  }

  // "step [ms] by num_workers and batch_size"
  [[nodiscard]] std::string title_by(const Roles& roles) const {
    std::vector<std::string> names;
    for (const auto& [role, place] : roles) names.push_back(space_.dimensions[place].title);
    return measures_[measure_].head + " by " + text::join_and(names);
  }

  [[nodiscard]] document::Figure planes(std::string_view name, const std::string& kind,
                                        const Roles& roles, int height) const {
    json::JsonText json = chart_of(name);
    std::size_t panels = 1;
    for (const auto& [role, place] : roles) {
      json.integer(role, static_cast<std::int64_t>(place));
      if (role == std::string_view("panel")) panels = space_.dimensions[place].size();
    }
    document::Figure made = figure(title_by(roles), kind, json, height_of_panels(panels, height));
    if (const std::int64_t hidden = hidden_cases(roles); hidden > 0) {
      made.note = text::counted(hidden, "case") +
                  " with the same options as another one not drawn; the table has all.";
    }
    return made;
  }

  [[nodiscard]] std::int64_t hidden_cases(const Roles& roles) const {
    std::set<std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::vector<std::size_t> place;
      for (const auto& [role, at] : roles) place.push_back(space_.dimensions[at].of_row[i]);
      places.insert(std::move(place));
    }
    return std::ssize(rows_) - std::ssize(places);
  }

  [[nodiscard]] document::Figure parallel() const {
    Roles roles;
    for (std::size_t i = 0; i < space_.dimensions.size(); ++i) roles.emplace_back("", i);
    json::JsonText json = chart_of("parallel");
    document::Figure made =
        figure(title_by(roles), "Parallel coordinates, a line for each case", json, 520);
    const auto without = std::ranges::count_if(
        rows_, [&](std::size_t row) { return !has_number(facts_.rows[row], measures_[measure_]); });
    if (without > 0) {
      made.note = text::counted(without, "case") + " without a number (failed, skipped) not drawn.";
    }
    return made;
  }

  // All cases in table order, or the best ones, best first.
  [[nodiscard]] document::Figure dots(std::size_t most) const {
    constexpr int kDotPx = 24;
    const std::size_t all = facts_.rows.size();
    std::vector<std::size_t> rows = ranking_order(facts_, measures_[measure_]);
    if (all <= kMaxDots && most == kMaxDots) {
      std::ranges::sort(rows);
    } else {
      rows.resize(std::min(all, most));
    }
    json::JsonText json = chart_of("dots");
    add_places(json, "rows", rows);
    if (space_.series) json.integer("series", std::ssize(space_.dimensions) - 1);
    std::string title = measures_[measure_].head;
    title += rows.size() == all ? " of each case"
                                : " of the best " + std::to_string(rows.size()) + " of " +
                                      text::counted(static_cast<std::int64_t>(all), "case");
    document::Figure made = figure(std::move(title), "Dots with intervals", json,
                                   130 + kDotPx * static_cast<int>(rows.size()));
    made.note = "The axis begins near the smallest value, not at 0.";
    return made;
  }

  const TableFacts& facts_;
  const SweepSpace& space_;
  std::span<const std::size_t> rows_;
  std::span<const Measure> measures_;
  std::size_t measure_;
};

void add_space(json::JsonText& charts, const SweepSpace& space, std::span<const std::size_t> rows) {
  charts.open_object("sweep");
  add_places(charts, "rows", rows);
  charts.open_array("dimensions");
  for (const Dimension& each : space.dimensions) {
    std::vector<std::string> texts;
    for (const std::string& text : each.texts) texts.push_back(chart_text(text));
    charts.open_object().text("title", chart_text(each.title)).texts("texts", texts);
    add_numbers(charts, "places", each.places, std::numeric_limits<double>::max_digits10);
    charts.flag("numbers", each.numbers).text("kind", each.log ? "log" : "linear");
    add_places(charts, "of", each.of_row);
    charts.close_object();
  }
  charts.close_array().close_object();
}

}  // namespace

std::optional<document::Chapter> sweep_section(const TableFacts& facts, json::JsonText& charts) {
  const std::vector<Measure> measures = measures_of(facts);
  const std::vector<std::size_t> rows = best_rows(facts, measures.front(), kMaxDrawnCases);
  const bool any = std::ranges::any_of(
      rows, [&](std::size_t row) { return has_number(facts.rows[row], measures.front()); });
  if (facts.rows.size() < 2 || !any) return std::nullopt;
  const SweepSpace space = sweep_space(facts, rows);
  add_space(charts, space, rows);
  document::Chapter section{.id = "sweep", .title = "Sweep", .blocks = {}};
  if (std::string note = best_note(facts); !note.empty()) {
    section.blocks.emplace_back(document::Paragraph{.text = std::move(note)});
  }
  std::vector<std::vector<std::pair<std::string, document::Figure>>> by_measure;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    by_measure.push_back(SweepFigures(facts, space, rows, measures, i).make());
  }
  for (std::size_t i = 0; i < by_measure.front().size(); ++i) {
    if (const std::string& words = by_measure.front()[i].first; !words.empty()) {
      section.blocks.emplace_back(document::Paragraph{.text = words});
    }
    for (auto& figures : by_measure) {
      document::Figure& figure = figures[i].second;
      if (facts.rows.size() > rows.size()) {
        figure.note += std::string(figure.note.empty() ? "" : " ") + "Drawn are the " +
                       text::with_separators(std::ssize(rows)) + " best of " +
                       text::with_separators(std::ssize(facts.rows)) +
                       " cases; the data of this page has all.";
      }
      section.blocks.emplace_back(std::move(figure));
    }
  }
  return section;
}

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
