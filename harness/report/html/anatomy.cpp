// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/anatomy.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/findings.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/figure.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr const char* kDataWait = "data_wait";
constexpr const char* kOther = "other";
constexpr std::size_t kNamedFindings = 3;  // in a hover
constexpr int kBarPx = 30;

using Phases = std::vector<estimate::PhaseEstimate> estimate::CaseRow::*;

struct PhaseLook {
  std::string_view colour;
  std::string_view pattern;  // "": plain
};

struct Mark {
  const char* symbol;
  std::string_view colour;
};
constexpr Mark kTick = {"line-ns-open", kDimColour};

// The same in all figures of a page.
class PhaseLooks {
 public:
  explicit PhaseLooks(std::span<const estimate::CaseRow* const> rows) {
    looks_[kDataWait] = {kBadColour, "/"};
    looks_[kOther] = {kDimColour, ""};
    std::size_t place = 0;
    for (const Phases phases : {&estimate::CaseRow::phases, &estimate::CaseRow::device_phases,
                                &estimate::CaseRow::side_phases}) {
      for (const estimate::CaseRow* row : rows) {
        for (const estimate::PhaseEstimate& phase : row->*phases) {
          if (looks_.contains(phase.name)) continue;
          constexpr std::size_t kColours = std::size(kSeriesColours) - 1;  // grey is `other`
          looks_[phase.name] = {kSeriesColours[place % kColours], place < kColours ? "" : "x"};
          ++place;
        }
      }
    }
  }
  [[nodiscard]] PhaseLook of(const std::string& name) const { return looks_.at(name); }

 private:
  std::map<std::string, PhaseLook> looks_;
};

const estimate::PhaseEstimate* phase_named(const std::vector<estimate::PhaseEstimate>& phases,
                                           const std::string& name) {
  const auto found =
      std::find_if(phases.begin(), phases.end(),
                   [&](const estimate::PhaseEstimate& each) { return each.name == name; });
  return found == phases.end() ? nullptr : &*found;
}

// What the wait for data holds stands first, the rest last, others as they follow each other.
std::vector<std::string> phase_order(std::span<const estimate::CaseRow* const> rows,
                                     Phases phases) {
  std::vector<std::string> names;
  for (const estimate::CaseRow* row : rows) {
    for (const estimate::PhaseEstimate& phase : row->*phases) {
      if (std::find(names.begin(), names.end(), phase.name) == names.end()) {
        names.push_back(phase.name);
      }
    }
  }
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == kDataWait; });
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name != kOther; });
  return names;
}

class AnatomySection {
 public:
  AnatomySection(const TableFacts& facts, const DrawOptions& options)
      : facts_(facts), words_(facts, options) {
    const estimate::Proposals proposals(facts.rows, facts.results);
    for (const std::size_t at : best_rows(facts, measures_of(facts).front(), kMaxAnatomyCases)) {
      const estimate::CaseRow& row = facts.rows[at];
      if (row.phases.empty()) continue;
      rows_.push_back(&row);
      findings_.push_back(findings_of(row, proposals));
    }
    for (const estimate::CaseRow& row : facts.rows) with_phases_ += row.phases.empty() ? 0 : 1;
  }

  std::optional<document::Chapter> make() {
    if (rows_.empty()) return std::nullopt;
    document::Chapter section{.id = "anatomy", .title = "Anatomy of a step", .blocks = {}};
    const PhaseLooks looks(rows_);
    const auto add = [&](Phases phases, const std::string& title, bool is_step) {
      const bool any = std::any_of(rows_.begin(), rows_.end(), [&](const estimate::CaseRow* row) {
        return !(row->*phases).empty();
      });
      if (!any) return;
      for (const bool shares : {false, true}) {
        section.blocks.emplace_back(figure(phases, title, looks, is_step, shares));
      }
    };
    const bool device = std::any_of(rows_.begin(), rows_.end(), [](const estimate::CaseRow* row) {
      return !row->device_phases.empty();
    });
    add(&estimate::CaseRow::phases, "Phases of a step on the host, by its own clock", !device);
    if (device) {
      section.blocks.emplace_back(document::Paragraph{
          "On the stream that computes, by CUDA events: what a step costs where the "
          "device sets the "
          "pace."});
    }
    add(&estimate::CaseRow::device_phases, "Phases of a step on the stream that computes", true);
    const bool side = std::any_of(rows_.begin(), rows_.end(), [](const estimate::CaseRow* row) {
      return !row->side_phases.empty();
    });
    if (side)
      section.blocks.emplace_back(
          document::Paragraph{"Work of other streams is no part of the step."});
    add(&estimate::CaseRow::side_phases, "Phases on other streams, beside the step", false);
    section.blocks.emplace_back(phases_table());
    return section;
  }

 private:
  document::Figure figure(Phases phases, const std::string& title, const PhaseLooks& looks,
                          bool is_step, bool shares) const {
    FigureJson json;
    for (const std::string& name : phase_order(rows_, phases)) {
      add_phase(json, phases, name, looks.of(name), shares);
    }
    if (!shares) add_epoch_gaps(json, phases);
    if (!shares && is_step) add_steps(json);
    if (!shares) add_findings(json, phases);
    json::JsonText& layout = json.layout();
    layout.text("barmode", "stack");
    add_axis(layout, "xaxis",
             {.title = shares ? "share of the step [%]"
                              : "per step [" + std::string(facts_.unit.name) + ']',
              .from_zero = true});
    std::vector<std::string> labels;
    for (const estimate::CaseRow* row : rows_) labels.push_back(words_.tick(*row));
    add_axis(layout, "yaxis", {.tick_texts = labels, .downwards = true, .grid = false});
    std::string note;
    if (rows_.size() < with_phases_) {
      note = "Drawn are the " + std::to_string(rows_.size()) + " best of " +
             text::with_separators(static_cast<std::int64_t>(with_phases_)) + " cases.";
    }
    return {.title = title,
            .alt = "Stacked bars: " + title + ", of " + text::counted(std::ssize(rows_), "case") +
                   ". " + longest_phases(phases),
            .json = json.take(),
            .note = note,
            .height_px = std::max(340, 170 + kBarPx * static_cast<int>(rows_.size())),
            .choice = shares ? "shares" : "times"};
  }

  // "forward takes 24.0 % to 31.2 % …": the longest phase of most cases, in words.
  std::string longest_phases(Phases phases) const {
    std::map<std::string, std::size_t> longest;
    for (const estimate::CaseRow* row : rows_) {
      const auto& all = row->*phases;
      const auto most = std::max_element(all.begin(), all.end(),
                                         [](const auto& a, const auto& b) { return a.ns < b.ns; });
      if (most != all.end()) ++longest[most->name];
    }
    const auto most =
        std::max_element(longest.begin(), longest.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == longest.end()) return {};
    return most->first + " is the longest phase of " +
           (most->second == rows_.size() ? std::string("each")
                                         : std::to_string(most->second) + " of them") +
           '.';
  }

  void add_phase(FigureJson& json, Phases phases, const std::string& name, PhaseLook look,
                 bool shares) const {
    std::vector<double> lengths;
    std::vector<double> places;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const estimate::PhaseEstimate* phase = phase_named(rows_[i]->*phases, name);
      if (phase == nullptr) continue;
      lengths.push_back(shares ? phase->share * 100 : phase->ns / facts_.unit.ns);
      places.push_back(static_cast<double>(i));
      const std::string lines[] = {name + ' ' + text::significant(phase->ns / facts_.unit.ns) +
                                       ' ' + std::string(facts_.unit.name) + ", " +
                                       text::percent_text(phase->share) + " of the step",
                                   words_.label(*rows_[i]), "case " + words_.id(*rows_[i]),
                                   words_.show_command(*rows_[i])};
      texts.push_back(hover_text(lines));
    }
    json::JsonText& trace = json.open_trace("bar", name);
    trace.text("orientation", "h");
    add_numbers(trace, "x", lengths);
    add_numbers(trace, "y", places);
    add_hovers(trace, texts);
    trace.open_object("marker").text("color", look.colour);
    if (!look.pattern.empty()) {
      trace.open_object("pattern").text("shape", look.pattern).close_object();
    }
    trace.close_object();
    json.close_trace();
  }

  // A part of the wait, which begins at 0: so its mark stands where that part ends.
  void add_epoch_gaps(FigureJson& json, Phases phases) const {
    if (phases != &estimate::CaseRow::phases) return;
    std::vector<double> ends;
    std::vector<double> places;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const estimate::CaseRow& row = *rows_[i];
      if (!row.epoch_gap_per_step_ns || !(*row.epoch_gap_per_step_ns > 0)) continue;
      ends.push_back(*row.epoch_gap_per_step_ns / facts_.unit.ns);
      places.push_back(static_cast<double>(i));
      const std::string lines[] = {"epoch gap: " + text::duration(*row.epoch_gap_ns) +
                                       " at each border, " +
                                       text::duration(*row.epoch_gap_per_step_ns) +
                                       " spread over the steps; part of data_wait",
                                   words_.label(row)};
      texts.push_back(hover_text(lines));
    }
    add_marks(json, "epoch gap, part of data_wait", ends, places, texts, kTick, {});
  }

  // The number of the table: the bar's length, with the interval that the bar cannot show.
  void add_steps(FigureJson& json) const {
    std::vector<double> ends;
    std::vector<double> places;
    std::vector<stats::Interval> intervals;
    std::vector<std::string> texts;
    const Measure step{
        .by = estimate::Judged::kStep, .name = "step", .head = {}, .unit = facts_.unit.ns};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i]->latency_ns) continue;  // its interval is of the latency
      const auto value = drawn_value(*rows_[i], step);
      if (!value) continue;
      ends.push_back(value->centre);
      places.push_back(static_cast<double>(i));
      intervals.push_back(value->interval);
      texts.push_back(words_.hover(*rows_[i]));
    }
    add_marks(json, headline_head(facts_), ends, places, texts, kTick, intervals);
  }

  void add_findings(FigureJson& json, Phases phases) const {
    if (phases == &estimate::CaseRow::side_phases) return;
    add_findings(json, phases, "problem or warning", true);
    add_findings(json, phases, "info", false);
  }

  // At the end of the bars of cases whose worst finding is one of these.
  void add_findings(FigureJson& json, Phases phases, const char* name, bool serious) const {
    std::vector<double> ends;
    std::vector<double> places;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (findings_[i].empty() || (rows_[i]->*phases).empty()) continue;
      // They come ordered by how serious they are.
      if ((findings_[i].front().finding.severity != Severity::kInfo) != serious) continue;
      double end = 0;
      for (const estimate::PhaseEstimate& phase : rows_[i]->*phases) end += phase.ns;
      ends.push_back(end / facts_.unit.ns);
      places.push_back(static_cast<double>(i));
      texts.push_back(findings_hover(i));
    }
    add_marks(json, name, ends, places, texts,
              {"triangle-left", serious ? kBadColour : kPlainColour}, {});
  }

  [[nodiscard]] std::string findings_hover(std::size_t i) const {
    std::vector<std::string> lines;
    for (const CaseFinding& found : findings_[i]) {
      if (lines.size() == kNamedFindings) {
        lines.push_back("and " + std::to_string(findings_[i].size() - kNamedFindings) + " more");
        break;
      }
      lines.push_back(finding_text(found));
    }
    lines.push_back(words_.label(*rows_[i]));
    return hover_text(lines);
  }

  static std::string finding_text(const CaseFinding& found) {
    return std::string(name_of(found.finding.severity)) + ": " +
           (found.finding.text.empty() ? found.finding.id : found.finding.text);
  }

  static void add_marks(FigureJson& json, const std::string& name, std::span<const double> ends,
                        std::span<const double> places, std::span<const std::string> texts,
                        Mark mark, std::span<const stats::Interval> intervals) {
    if (ends.empty()) return;
    json::JsonText& trace = json.open_trace("scatter", name);
    trace.text("mode", "markers");
    add_numbers(trace, "x", ends);
    add_numbers(trace, "y", places);
    add_intervals(trace, "error_x", ends, intervals);
    add_hovers(trace, texts);
    trace.open_object("marker").text("symbol", mark.symbol).integer("size", 12);
    trace.text("color", mark.colour).close_object();
    json.close_trace();
  }

  // The bars in numbers.
  document::Table phases_table() const {
    const std::pair<Phases, const char*> all[] = {
        {&estimate::CaseRow::phases, ""},
        {&estimate::CaseRow::device_phases, ", device"},
        {&estimate::CaseRow::side_phases, ", beside the step"}};
    const std::string unit = " [" + std::string(facts_.unit.name) + ']';
    document::Table table{.title = "Phases of a step by case",
                          .columns = {document::words("case"), document::words("options")},
                          .rows = {}};
    for (const estimate::CaseRow* row : rows_)
      table.rows.push_back({.cells = {{words_.id(*row)}, {words_.label(*row)}}});
    for (const auto& [phases, where] : all) {
      for (const std::string& name : phase_order(rows_, phases)) {
        table.columns.push_back({.head = name + where + unit});
        for (std::size_t i = 0; i < rows_.size(); ++i) {
          const estimate::PhaseEstimate* phase = phase_named(rows_[i]->*phases, name);
          if (phase == nullptr) {
            table.rows[i].cells.emplace_back("-");
            continue;
          }
          table.rows[i].cells.push_back(document::number(phase->ns / facts_.unit.ns));
        }
      }
    }
    return table;
  }

  const TableFacts& facts_;
  CaseWords words_;
  std::vector<const estimate::CaseRow*> rows_;
  std::vector<std::vector<CaseFinding>> findings_;  // of rows_
  std::size_t with_phases_ = 0;
};

}  // namespace

std::optional<document::Chapter> anatomy_section(const TableFacts& facts,
                                                 const DrawOptions& options) {
  return AnatomySection(facts, options).make();
}

}  // namespace stepbench::report
