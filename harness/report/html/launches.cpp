// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/launches.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "harness/base/launch_flags.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/thin_out.h"
#include "harness/text/numbers.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kOwnColour = 12;       // cases with a line of their own
constexpr std::size_t kMostLaunches = 2000;  // in a figure: each has words of its own
constexpr std::size_t kMostOfMachine = 500;

// One launch of any outcome, in the order of time.
struct RanLaunch {
  const estimate::CaseRow* row = nullptr;
  const record::Launch* launch = nullptr;
  std::optional<double> ns = {};  // its headline; nothing where it has no numbers
};

struct MachineNumber {
  const char* field;
  const char* name;
  const char* title;  // of the axis
  double scale = 1;
};
constexpr MachineNumber kMachineNumbers[] = {
    {"others_cpu_share", "other programs", "CPU time of other programs [%]", 100},
    {"steal_share", "steal", "CPU time taken by the hypervisor [%]", 100},
    {"load_1m_max", "load", "load average of 1 minute", 1},
    {"gpu.temperature_c_max", "GPU temperature", "GPU temperature [°C]", 1},
    {"gpu.sm_mhz_median", "GPU clock", "GPU clock, median [MHz]", 1},
    {"gpu.power_w_max", "GPU power", "GPU power, most [W]", 1},
    {"gpu.power_capped_share", "power limit", "time at the power limit [%]", 100}};

// Of doubts, in words for a legend; the hover has the whole sentence.
struct DoubtKind {
  const char* name;
  const char* symbol;
  std::span<const std::string_view> flags;
};
constexpr std::array<std::string_view, 3> kBusyFlags = {
    launch_flag::kWaitedForCpu, launch_flag::kSteal, launch_flag::kCpuQuota};
constexpr std::array<std::string_view, 1> kThrottledFlags = {launch_flag::kThrottled};
constexpr std::array<std::string_view, 2> kWarmupFlags = {launch_flag::kWarmupTooShort,
                                                          launch_flag::kDrifting};
constexpr DoubtKind kDoubts[] = {{"machine busy", "square-open", kBusyFlags},
                                 {"GPU slowed down", "diamond-open", kThrottledFlags},
                                 {"warm-up or drift", "circle-open", kWarmupFlags},
                                 {"other doubt", "hexagon-open", {}}};

std::size_t doubt_of(std::string_view flag) {
  for (std::size_t kind = 0; kind + 1 < std::size(kDoubts); ++kind) {
    const auto& flags = kDoubts[kind].flags;
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) return kind;
  }
  return std::size(kDoubts) - 1;
}

class LaunchesSection {
 public:
  LaunchesSection(const TableFacts& facts, const DrawOptions& options)
      : facts_(facts), words_(facts, options), options_(options), measures_(measures_of(facts)) {
    gather();
  }

  std::optional<document::Chapter> make() {
    if (ran_.size() < 2) return std::nullopt;
    document::Chapter section{
        .id = "launches", .title = "Launches in the order they ran", .blocks = {}};
    // Of many cases only the distance from their own number shows what time did.
    const bool relative_first = coloured_.size() > 4;
    for (const bool relative : {relative_first, !relative_first}) {
      section.blocks.emplace_back(steps_figure(relative));
    }
    std::vector<document::Figure> machine;
    for (const MachineNumber& number : kMachineNumbers) {
      if (auto figure = machine_figure(number)) machine.push_back(*std::move(figure));
    }
    if (!machine.empty()) {
      section.blocks.emplace_back(
          document::Paragraph{"What the machine did meanwhile, seen from outside."});
    }
    for (document::Figure& figure : machine) {
      if (machine.size() == 1) figure.choice.clear();
      section.blocks.emplace_back(std::move(figure));
    }
    return section;
  }

 private:
  void gather() {
    for (const estimate::CaseRow& row : facts_.rows) {
      for (const auto& [launch, estimate] : row.measured) {
        const double ns = estimate::headline_ns(estimate, row.clock);
        if (ns > 0) ran_.push_back({&row, launch, ns});
      }
      for (const record::Launch* launch : row.failed) ran_.push_back({&row, launch, {}});
      for (const record::Launch* launch : row.skipped) ran_.push_back({&row, launch, {}});
    }
    std::stable_sort(ran_.begin(), ran_.end(), [](const RanLaunch& a, const RanLaunch& b) {
      const auto key = [](const RanLaunch& each) {
        const record::LaunchRow& row = each.launch->row;
        return std::tuple(std::string_view(row.started_utc), each.launch->run, row.block,
                          row.position);
      };
      return key(a) < key(b);
    });
    // Runs on different days would leave an axis of time empty between them.
    by_time_ = facts_.results.runs.size() < 2 &&
               std::all_of(ran_.begin(), ran_.end(), [](const RanLaunch& each) {
                 return text::parse_utc(each.launch->row.started_utc).has_value();
               });
    for (const std::size_t row : best_rows(facts_, measures_.front(), kOwnColour)) {
      coloured_.push_back(&facts_.rows[row]);
    }
  }

  void add_place(json::JsonText& json, std::span<const std::size_t> launches) const {
    if (!by_time_) {
      std::vector<double> places;
      for (const std::size_t at : launches) places.push_back(static_cast<double>(at + 1));
      add_numbers(json, "x", places, 9);
      return;
    }
    json.open_array("x");
    for (const std::size_t at : launches) {
      // As Plotly reads a date; it shows no zone, which the axis names.
      std::string time = ran_[at].launch->row.started_utc;
      if (time.ends_with('Z')) time.pop_back();
      json.text({}, time);
    }
    json.close_array();
  }

  Axis time_axis() const {
    if (by_time_) return {.title = "start of the launch (UTC)", .kind = AxisKind::kDate};
    return {.title = "launch, in the order they ran"};
  }

  [[nodiscard]] std::string hover(const RanLaunch& ran) const {
    const record::LaunchRow& row = ran.launch->row;
    std::vector<std::string> lines = {
        words_.label(*ran.row),
        "case " + words_.id(*ran.row) + ", launch " + std::to_string(row.key.launch)};
    if (ran.ns) {
      lines.push_back(headline_head(facts_) + ' ' + text::significant(*ran.ns / facts_.unit.ns) +
                      ", " + text::signed_percent(*ran.ns / *ran.row->headline_ns() - 1) +
                      " % from its case");
    } else {
      lines.push_back((row.outcome.kind == Outcome::Kind::kSkipped ? "skipped: " : "failed: ") +
                      estimate::reason_of(*ran.launch));
    }
    if (!row.started_utc.empty()) lines.push_back("started " + row.started_utc);
    for (const std::string& flag : row.report.flags) {
      lines.emplace_back(launch_flag::meaning(flag));
    }
    lines.push_back(words_.show_command(*ran.row));
    return hover_text(lines);
  }

  [[nodiscard]] double height(const RanLaunch& ran, bool relative) const {
    if (!relative) return *ran.ns / facts_.unit.ns;
    return (*ran.ns / *ran.row->headline_ns() - 1) * 100;
  }

  document::Figure steps_figure(bool relative) const {
    FigureJson json;
    std::map<const estimate::CaseRow*, std::vector<std::size_t>> of_case;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      if (!ran_[i].ns) continue;
      const bool own =
          std::find(coloured_.begin(), coloured_.end(), ran_[i].row) != coloured_.end();
      (own ? of_case[ran_[i].row] : others).push_back(i);
    }
    std::size_t drawn = 0;
    std::size_t budget = std::min(options_.points, kMostLaunches);
    if (!others.empty()) {
      drawn += add_launches(json, "other cases", others, relative, budget / 2, nullptr);
      budget /= 2;
    }
    for (std::size_t i = 0; i < coloured_.size(); ++i) {
      const auto found = of_case.find(coloured_[i]);
      if (found == of_case.end()) continue;
      const std::size_t place = i;
      drawn += add_launches(json, words_.tick(*coloured_[i]), found->second, relative,
                            budget / coloured_.size(), &place);
    }
    std::size_t doubts = 0;
    for (std::size_t kind = 0; kind < std::size(kDoubts); ++kind) {
      doubts += add_doubts(json, kind, relative);
    }
    const std::size_t crosses =
        add_crosses(json, Outcome::Kind::kFailed) + add_crosses(json, Outcome::Kind::kSkipped);
    json::JsonText& layout = json.layout();
    add_axis(layout, "xaxis", time_axis());
    add_axis(layout, "yaxis", {.title = relative ? "from its case [%]" : headline_head(facts_)});
    if (crosses > 0) {
      layout.json("yaxis2", R"({"overlaying":"y","range":[0,1],"visible":false,)"
                            R"("fixedrange":true})");
    }
    const std::size_t measured = ran_.size() - without_numbers();
    std::string note = relative ? "" : "The axis begins near the smallest value, not at 0.";
    if (drawn < measured) {
      note += (note.empty() ? "" : " ") + text::with_separators(static_cast<std::int64_t>(drawn)) +
              " of " + text::with_separators(static_cast<std::int64_t>(measured)) +
              " launches are drawn: of each stretch the smallest and the largest, and all with a "
              "doubt.";
    }
    const std::string what =
        relative ? "how far each launch is from its case" : "the number of each launch";
    return {.title = relative ? "Each launch against its case"
                              : headline_head(facts_) + " of each launch",
            .alt = "Dots over time: " + what + ", " +
                   text::counted(static_cast<std::int64_t>(measured), "launch") + ", " +
                   std::to_string(doubts) + " marked with a doubt, " + std::to_string(crosses) +
                   " failed or skipped.",
            .json = json.take(),
            .note = note,
            .height_px = 460,
            .choice = relative ? "from its case" : measures_by_time()};
  }

  std::string measures_by_time() const {
    for (const Measure& each : measures_) {
      if (!estimate::is_rate(each.by)) return each.name;
    }
    return "step";
  }

  std::size_t without_numbers() const {
    return static_cast<std::size_t>(
        std::count_if(ran_.begin(), ran_.end(), [](const RanLaunch& each) { return !each.ns; }));
  }

  // `place`: of its colour; null: in grey. How many are drawn.
  std::size_t add_launches(FigureJson& json, const std::string& name,
                           std::span<const std::size_t> launches, bool relative, std::size_t points,
                           const std::size_t* place) const {
    std::vector<double> all;
    for (const std::size_t at : launches) all.push_back(height(ran_[at], relative));
    std::vector<std::size_t> kept;
    std::vector<double> values;
    std::vector<std::string> texts;
    for (const std::size_t i : thin_out(all, points)) {
      kept.push_back(launches[i]);
      values.push_back(all[i]);
      texts.push_back(hover(ran_[launches[i]]));
    }
    json::JsonText& trace = json.open_trace("scatter", name);
    trace.text("mode", place == nullptr ? "markers" : "lines+markers");
    add_place(trace, kept);
    add_numbers(trace, "y", values);
    add_hovers(trace, texts);
    trace.flag("showlegend", true);
    const std::string_view colour = place == nullptr ? kDimColour : series_colour(*place);
    trace.open_object("marker").text("color", colour).integer("size", 7);
    trace.text("symbol", place == nullptr ? "circle" : series_symbol(*place)).close_object();
    if (place != nullptr) {
      trace.open_object("line").text("color", colour).text("dash", "dot").integer("width", 1);
      trace.close_object();
    }
    json.close_trace();
    return kept.size();
  }

  // A ring round the point. How many there are.
  std::size_t add_doubts(FigureJson& json, std::size_t kind, bool relative) const {
    std::vector<std::size_t> doubted;
    std::vector<double> values;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      const auto& flags = ran_[i].launch->row.report.flags;
      const bool is_kind = std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) {
        return doubt_of(flag) == kind;
      });
      if (!ran_[i].ns || !is_kind) continue;
      doubted.push_back(i);
      values.push_back(height(ran_[i], relative));
      texts.push_back(hover(ran_[i]));
    }
    if (doubted.empty()) return 0;
    json::JsonText& trace = json.open_trace("scatter", kDoubts[kind].name);
    trace.text("mode", "markers");
    add_place(trace, doubted);
    add_numbers(trace, "y", values);
    add_hovers(trace, texts);
    trace.flag("showlegend", true);
    trace.open_object("marker").text("symbol", kDoubts[kind].symbol).integer("size", 14);
    trace.text("color", kBadColour).close_object();
    json.close_trace();
    return doubted.size();
  }

  // On an axis of their own: no number is meant.
  std::size_t add_crosses(FigureJson& json, Outcome::Kind kind) const {
    std::vector<std::size_t> without;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      const bool skipped = ran_[i].launch->row.outcome.kind == Outcome::Kind::kSkipped;
      if (ran_[i].ns || skipped != (kind == Outcome::Kind::kSkipped)) continue;
      without.push_back(i);
      texts.push_back(hover(ran_[i]));
    }
    if (without.empty()) return 0;
    const bool failed = kind == Outcome::Kind::kFailed;
    json::JsonText& trace =
        json.open_trace("scatter", failed ? "failed: no number" : "skipped: no number");
    trace.text("mode", "markers");
    add_place(trace, without);
    add_numbers(trace, "y", std::vector<double>(without.size(), 0.02));
    trace.text("yaxis", "y2");
    add_hovers(trace, texts);
    trace.flag("showlegend", true)
        .open_object("marker")
        .text("symbol", failed ? "x" : "line-ew-open");
    trace.integer("size", 10).text("color", failed ? kBadColour : kDimColour).close_object();
    json.close_trace();
    return without.size();
  }

  std::optional<document::Figure> machine_figure(const MachineNumber& number) const {
    std::vector<std::size_t> launches;
    std::vector<double> all;
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      const auto value = number_of(ran_[i].launch->row.machine, number.field);
      if (!value) continue;
      launches.push_back(i);
      all.push_back(*value * number.scale);
    }
    if (launches.empty() || std::all_of(all.begin(), all.end(), [](double v) { return v == 0; })) {
      return std::nullopt;
    }
    std::vector<std::size_t> kept;
    std::vector<double> values;
    std::vector<std::string> texts;
    for (const std::size_t i : thin_out(all, std::min(options_.points, kMostOfMachine))) {
      kept.push_back(launches[i]);
      values.push_back(all[i]);
      texts.push_back(plotly_text(std::string(number.title) + ' ' + text::significant(all[i])) +
                      "<br>" + hover(ran_[launches[i]]));
    }
    FigureJson json;
    json::JsonText& trace = json.open_trace("scatter", number.name);
    trace.text("mode", "lines+markers");
    add_place(trace, kept);
    add_numbers(trace, "y", values);
    add_hovers(trace, texts);
    trace.flag("showlegend", false);
    trace.open_object("line").text("color", kPlainColour).integer("width", 1).close_object();
    json.close_trace();
    json::JsonText& layout = json.layout();
    add_axis(layout, "xaxis", time_axis());
    add_axis(layout, "yaxis", {.title = number.title, .from_zero = true});
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    std::string note;
    if (kept.size() < all.size()) {
      note = text::with_separators(std::ssize(kept)) + " of " +
             text::with_separators(std::ssize(all)) +
             " launches are drawn: of each stretch the smallest and the largest.";
    }
    return document::Figure{.title = std::string(number.title) + " during each launch",
                            .alt = std::string(number.title) +
                                   " over time: " + text::significant(*low) + " to " +
                                   text::significant(*high) + '.',
                            .json = json.take(),
                            .note = note,
                            .height_px = 300,
                            .choice = number.name};
  }

  const TableFacts& facts_;
  CaseWords words_;
  const DrawOptions& options_;
  std::vector<Measure> measures_;
  std::vector<RanLaunch> ran_;
  std::vector<const estimate::CaseRow*> coloured_;
  bool by_time_ = false;
};

}  // namespace

std::optional<document::Chapter> launches_section(const TableFacts& facts,
                                                  const DrawOptions& options) {
  return LaunchesSection(facts, options).make();
}

}  // namespace stepbench::report
