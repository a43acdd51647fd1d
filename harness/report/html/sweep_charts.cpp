// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/sweep_charts.h"

#include <algorithm>
#include <utility>

#include "harness/estimate/ranking.h"
#include "harness/report/answer.h"
#include "harness/report/html/panels.h"
#include "harness/report/html/sweep_figures.h"
#include "harness/text/numbers.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxLines = 14;     // of a panel
constexpr std::size_t kMaxAllLines = 48;  // of all panels
constexpr std::size_t kMaxDots = 60;      // of all cases
constexpr std::size_t kBestDots = 30;     // beside another chart

// Which direction of the sweep is drawn as what.
struct Roles {
  const Dimension* x = nullptr;
  const Dimension* y = nullptr;  // a line for each of its values, or a row of cells
  const Dimension* panel = nullptr;
};

struct Place {
  document::Figure figure;
  std::string words = {};  // above it
};

// The one with the most values lies along x; of equals numbers before words, then the first one.
Roles roles_of(std::vector<const Dimension*> dimensions, const Dimension* series) {
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [](const Dimension* a, const Dimension* b) {
                     return std::pair(a->numbers, a->size()) > std::pair(b->numbers, b->size());
                   });
  if (series != nullptr) dimensions.push_back(series);
  Roles roles;
  const auto take = [&](std::size_t at) {
    return at < dimensions.size() ? dimensions[at] : nullptr;
  };
  roles.x = take(0);
  roles.y = take(1);
  roles.panel = take(2);
  return roles;
}

class SweepSection {
 public:
  SweepSection(const TableFacts& facts, const DrawOptions& options)
      : facts_(facts), words_(facts, options) {}

  std::optional<document::Chapter> make() {
    const std::vector<Measure> measures = measures_of(facts_);
    rows_ = best_rows(facts_, measures.front(), kMaxDrawnCases);
    const bool any = std::any_of(rows_.begin(), rows_.end(), [&](std::size_t row) {
      return drawn_value(facts_.rows[row], measures.front()).has_value();
    });
    if (facts_.rows.size() < 2 || !any) return std::nullopt;
    space_ = sweep_space(facts_, rows_);
    section_ = {.id = "sweep", .title = "Sweep", .blocks = {}};
    if (const std::string note = best_note(facts_); !note.empty()) {
      section_.blocks.emplace_back(document::Paragraph{.text = note});
    }
    std::vector<std::vector<Place>> by_measure;
    for (const Measure& measure : measures) by_measure.push_back(figures_of(measure));
    for (std::size_t i = 0; i < by_measure.front().size(); ++i) {
      if (const std::string& words = by_measure.front()[i].words; !words.empty()) {
        section_.blocks.emplace_back(document::Paragraph{.text = words});
      }
      for (std::size_t m = 0; m < measures.size(); ++m) {
        document::Figure& figure = by_measure[m][i].figure;
        if (measures.size() > 1) figure.choice = measures[m].name;
        add_thinning(figure);
        section_.blocks.emplace_back(std::move(figure));
      }
    }
    return std::move(section_);
  }

 private:
  std::vector<Place> figures_of(const Measure& measure) {
    const SweepView view{facts_, words_, measure, rows_};
    const Dimension* series = space_.series ? &*space_.series : nullptr;
    std::vector<const Dimension*> options;
    for (const Dimension& each : space_.options) options.push_back(&each);
    const std::size_t directions = options.size() + (series == nullptr ? 0 : 1);
    std::vector<Place> places;
    if (options.empty() || (options.size() == 1 && !options[0]->numbers)) {
      places.push_back({dots_figure(view, dotted(measure, kMaxDots), series)});
      return places;
    }
    const Roles roles = roles_of(options, series);
    if (directions == 1) {
      places.push_back({lines_figure(view, *roles.x, nullptr, nullptr)});
      return places;
    }
    const bool fits = directions <= 3 && roles.y->size() <= kMaxLines &&
                      (roles.panel == nullptr || roles.panel->size() <= kMaxPanels);
    const bool one_option = options.size() == 1 && fits;
    if (directions > 3 || (directions == 3 && !fits)) {
      places.push_back({parallel_figure(view, space_.all())});
    } else if (!one_option) {
      places.push_back({heat_figure(view, *roles.x, *roles.y, roles.panel)});
    }
    const std::size_t lines =
        fits ? roles.y->size() * (roles.panel == nullptr ? 1 : roles.panel->size()) : 0;
    if (fits && lines <= kMaxAllLines) {
      places.push_back({lines_figure(view, *roles.x, roles.y, roles.panel),
                        one_option ? "" : "The same numbers with their intervals."});
    }
    if (directions > 2) {
      places.push_back({dots_figure(view, dotted(measure, kBestDots), series),
                        "The best cases with their intervals."});
    }
    return places;
  }

  // All cases in the order of the table, or the best first.
  std::vector<std::size_t> dotted(const Measure& measure, std::size_t most) const {
    std::vector<std::size_t> rows = ranking_order(facts_, measure);
    if (rows.size() <= kMaxDots && most == kMaxDots) {
      std::sort(rows.begin(), rows.end());
      return rows;
    }
    rows.resize(std::min(rows.size(), most));
    return rows;
  }

  void add_thinning(document::Figure& figure) const {
    if (facts_.rows.size() <= rows_.size()) return;
    const std::string all = text::with_separators(std::ssize(facts_.rows));
    const std::string some = text::with_separators(std::ssize(rows_));
    if (!figure.note.empty()) figure.note += ' ';
    figure.note +=
        "Drawn are the " + some + " best of " + all + " cases; the data of this page " + "has all.";
  }

  const TableFacts& facts_;
  CaseWords words_;
  std::vector<std::size_t> rows_;
  SweepSpace space_;
  document::Chapter section_;
};

}  // namespace

std::string sweep_title(const SweepView& view, std::span<const Dimension* const> dimensions) {
  std::vector<std::string> names;
  for (const Dimension* each : dimensions) names.push_back(each->title);
  return view.measure.head + " by " + text::join_and(names);
}

std::string sweep_alt(const SweepView& view, const std::string& kind, const std::string& title) {
  constexpr std::size_t kAltCells = 400;
  const std::string answer =
      text::shortened(answer_line(view.facts.rows, view.facts.results), kAltCells);
  return kind + ": " + title + (answer.empty() ? "." : ". " + answer + '.');
}

double colour_value(const SweepView& view, const estimate::CaseRow& row, double centre) {
  const auto& ranking = view.facts.ranking;
  if (!row.is_best || !ranking || !ranking->decided) return centre;
  const auto best = drawn_value(view.facts.rows[ranking->best], view.measure);
  return best ? best->centre : centre;
}

void add_cross_marker(json::JsonText& json) {
  json.open_object("marker").text("symbol", "x").integer("size", 9).text("color", kBadColour);
  json.close_object();
}

std::optional<document::Chapter> sweep_section(const TableFacts& facts,
                                               const DrawOptions& options) {
  return SweepSection(facts, options).make();
}

}  // namespace stepbench::report
