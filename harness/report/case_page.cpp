// SPDX-License-Identifier: Apache-2.0
#include "harness/report/case_page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/record/encode.h"
#include "harness/report/estimate_text.h"
#include "harness/report/findings.h"
#include "harness/report/noise_text.h"
#include "harness/report/notes.h"
#include "harness/report/run_title.h"
#include "harness/report/worker_lines.h"
#include "harness/stats/order.h"
#include "harness/text/grid.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kOutputLines = 20;

class Page {
 public:
  Page(const estimate::CaseRow& row, const record::Results& results, const TableStyle& style)
      : row_(row), results_(results), style_(style) {}

  std::string first_lines() {
    title();
    return std::move(text_);
  }

  std::string write() {
    title();
    requests();
    highest_rate();
    phases("Phases of a step on the host, by its own clock", row_.phases);
    phases("Phases of a step on the stream that computes, by CUDA events", row_.device_phases);
    phases("Phases on other streams, beside the step", row_.side_phases);
    device();
    launches();
    noise();
    lines();
    findings();
    notes();
    output();
    metrics();
    fields("Fingerprint", first_report().fingerprint);
    fields("Schedule", first_report().schedule);
    environment();
    options();
    return std::move(text_);
  }

 private:
  void head(const std::string& name) {
    text_ += '\n' + (style_.colour ? "\x1b[1m" + name + "\x1b[0m" : name) + '\n';
  }

  void draw_grid(const text::Grid& grid) {
    text_ += text::draw(grid, static_cast<std::size_t>(std::max(style_.columns, 20)), style_.colour)
                 .text;
  }

  // The first launch of the case, for what all of them share; measured ones first.
  [[nodiscard]] const record::Launch* first() const {
    if (!row_.measured.empty()) return row_.measured.front().launch;
    if (!row_.failed.empty()) return row_.failed.front();
    return row_.skipped.empty() ? nullptr : row_.skipped.front();
  }
  [[nodiscard]] record::LaunchReport first_report() const {
    return first() == nullptr ? record::LaunchReport{} : first()->row.report;
  }

  void title() {
    text_ += "case " + text::printable(row_.case_id);
    if (!row_.arm.empty()) text_ += "  arm " + text::printable(row_.arm);
    if (row_.pass != Pass::kTiming) text_ += "  pass " + std::string(record::name_of(row_.pass));
    if (estimate::counts_instructions(row_)) text_ += " (instructions counted by valgrind)";
    if (!row_.workload.empty()) text_ += "  " + text::printable(row_.workload);
    text_ += "  " + text::counted(std::ssize(row_.measured), "launch") + " measured";
    const auto also = [&](std::size_t count, const char* what) {
      if (count > 0) text_ += ", " + std::to_string(count) + ' ' + what;
    };
    also(row_.failed.size(), "failed");
    also(row_.skipped.size(), "skipped");
    also(static_cast<std::size_t>(row_.unfinished), "unfinished");
    also(row_.running.size(), "running now");
    text_ += row_.smoke ? "  (smoke: not for comparison)\n" : "\n";
    run();
    if (!row_.step_ns) return;
    const double headline = row_.headline_ns().value_or(*row_.step_ns);
    if (row_.overloaded()) text_ += "overload  ";
    text_ += (row_.latency_ns ? "latency p50 " : "step ") + text::duration(headline);
    if (row_.spread != estimate::Spread::kNone) {
      const text::TimeUnit unit = text::unit_for({&headline, 1});
      text_ +=
          "  " +
          text::interval_text(row_.interval_ns.low / unit.ns, row_.interval_ns.high / unit.ns) +
          ' ' + std::string(unit.name) + ' ' + estimate::spread_name(row_);
    }
    if (row_.latency_ns) text_ += "  step " + text::duration(*row_.step_ns);
    if (row_.clock != estimate::StepClock::kHost) {
      text_ += "  clock: " + std::string(estimate::name_of(row_.clock));
    }
    numbers();
    text_ += '\n';
  }

  void run() {
    const std::string title = run_title(row_, results_);
    if (!title.empty()) text_ += title + '\n';
  }

  void numbers() {
    std::map<int, const estimate::EstimateColumn*> on_page;
    for (const estimate::EstimateColumn& column : estimate::estimate_columns()) {
      if (column.on_page > 0) on_page[column.on_page] = &column;
    }
    const double headline = row_.headline_ns().value_or(*row_.step_ns);
    const text::TimeUnit unit = text::unit_for({&headline, 1});
    for (const auto& [place, column] : on_page) {
      const std::string number = estimate_text(*column, row_, unit, {});
      if (number.empty()) continue;
      text_.append("  ").append(column->page_before).append(number).append(column->page_after);
    }
  }

  void options() {
    const Fields effective = first_report().effective;
    std::set<std::string> names;
    for (const auto& [name, value] : row_.options()) names.insert(name);
    for (const auto& [name, value] : effective) names.insert(name);
    std::int64_t left_out = 0;
    text::Grid grid{
        .columns =
            {{.head = "option", .align = text::Align::kLeft},
             {.head = "value", .align = text::Align::kLeft, .shrink_at = 10, .shrink_to = 20},
             {.head = "in force", .align = text::Align::kLeft, .shrink_at = 10, .shrink_to = 20}},
        .rows = {}};
    for (const std::string& name : names) {
      const auto asked = row_.options().find(name);
      const auto used = effective.find(name);
      if (asked != row_.options().end() && is_null(asked->second) && used == effective.end())
        continue;
      const std::string wanted = asked == row_.options().end() ? "" : to_text(asked->second);
      const std::string in_force = used == effective.end() ? wanted : to_text(used->second);
      if (asked != row_.options().end() && in_force == wanted &&
          has_its_default(name, asked->second)) {
        ++left_out;
        continue;
      }
      grid.rows.push_back({{name, wanted, in_force == wanted ? "" : in_force}});
    }
    const bool differs =
        std::any_of(grid.rows.begin(), grid.rows.end(),
                    [](const text::GridRow& line) { return !line.cells[2].empty(); });
    if (!differs) {
      grid.columns.pop_back();
      for (text::GridRow& line : grid.rows) line.cells.pop_back();
    }
    if (grid.rows.empty() && left_out == 0) return;
    head("Options");
    if (!grid.rows.empty()) draw_grid(grid);
    if (left_out == 0) return;
    text_ += std::string(grid.rows.empty() ? "" : "the other ") +
             text::counted(left_out, "option") + (left_out == 1 ? " has its" : " have their") +
             " default (--all-options shows them)\n";
  }

  [[nodiscard]] bool has_its_default(const std::string& name, const Value& value) const {
    const auto found = style_.defaults.find(name);
    return found != style_.defaults.end() && found->second == value;
  }

  // "2.35 [2.31, 2.40]"; ">= 7.8" where the requests do not carry it.
  static std::string quantile_text(const estimate::RequestQuantile& quantile,
                                   const text::TimeUnit& unit) {
    const auto in_unit = [&](double ns) { return ns / unit.ns; };
    if (quantile.ns) {
      return text::significant(in_unit(*quantile.ns)) + ' ' +
             text::interval_text(in_unit(quantile.low_ns.value_or(0)), in_unit(*quantile.high_ns));
    }
    return quantile.low_ns ? ">= " + text::significant(in_unit(*quantile.low_ns)) : "-";
  }

  void requests() {
    if (row_.requests.empty()) return;
    const double headline = *row_.headline_ns();
    const text::TimeUnit unit = text::unit_for({&headline, 1});
    text::Grid grid{.columns = {{.head = "what is waited for", .align = text::Align::kLeft}},
                    .rows = {}};
    for (const estimate::QuantileKind& quantile : estimate::kRequestQuantiles) {
      grid.columns.push_back(
          {.head = std::string(quantile.name) + " [" + std::string(unit.name) + ']'});
    }
    bool bounded = false;
    for (const estimate::RequestTimes& times : row_.requests) {
      text::GridRow& line = grid.rows.emplace_back();
      line.cells.emplace_back(times.kind.name);
      for (const estimate::RequestQuantile& quantile : times.quantiles) {
        line.cells.push_back(quantile_text(quantile, unit));
        bounded = bounded || !quantile.ns;
      }
    }
    std::int64_t count = 0;
    for (const estimate::MeasuredLaunch& each : row_.measured) count += each.estimate.steps;
    head("Requests: quantiles of " + text::with_separators(count) + " with their 95 % intervals");
    draw_grid(grid);
    if (bounded) {
      text_ +=
          "`>=`: these requests bound it from below only; more active steps or launches would "
          "carry "
          "it\n";
    }
  }

  void highest_rate() {
    if (!row_.highest_rate) return;
    const estimate::HighestRate& found = *row_.highest_rate;
    const std::string limit = "p99 below " + text::duration(found.limit_ns);
    if (found.per_s == 0) {
      text_ += "no rate keeps " + limit + ": of the answers alone one in a hundred takes longer\n";
      return;
    }
    text_ += limit + " up to " + text::significant(found.per_s) + " requests/s";
    if (found.interval) {
      text_ += ' ' + text::interval_text(found.interval->low, found.interval->high);
    }
    text_ +=
        ", computed from the measured answers (Lindley's recursion); measure it with "
        "schedule.arrivals.rate\n";
  }

  void launches() {
    if (row_.measured.empty()) return;
    const text::TimeUnit unit = text::unit_for({&*row_.step_ns, 1});
    const std::string in_unit = " [" + std::string(unit.name) + ']';
    text::Grid grid{.columns = {{.head = "launch", .drop_at = 90},
                                {.head = "step" + in_unit},
                                {.head = row_.latency_ns ? "latency p50" : "p50", .drop_at = 65},
                                {.head = "p90", .drop_at = 60},
                                {.head = "p99", .drop_at = 50},
                                {.head = "IQR", .drop_at = 40},
                                {.head = "data wait [%]", .drop_at = 70},
                                {.head = "samples/s", .drop_at = 80},
                                {.head = "steps", .drop_at = 30},
                                {.head = "wall [s]", .drop_at = 10}},
                    .rows = {}};
    for (const auto& [launch, estimate] : row_.measured) {
      const double step = estimate::step_ns(estimate, row_.clock);
      const auto in_table = [&](std::optional<double> ns) {
        return ns ? text::significant(*ns / unit.ns) : "-";
      };
      const auto quantile_in_table = [&](std::optional<double> ns) {
        return estimate.overloaded() ? "-" : in_table(ns);
      };
      const estimate::StepQuantiles& quantiles = estimate.quantiles;
      const bool rated = estimate.samples && !estimate.no_rates;
      grid.rows.push_back(
          {{std::to_string(launch->row.key.launch), in_table(step),
            quantile_in_table(quantiles.p50_ns), quantile_in_table(quantiles.p90_ns),
            quantile_in_table(quantiles.p99_ns), quantile_in_table(quantiles.iqr_ns),
            text::percent(data_wait_share(estimate)),
            rated ? text::significant(static_cast<double>(*estimate.samples) /
                                      (step * static_cast<double>(estimate.steps) * 1e-9))
                  : "-",
            std::to_string(estimate.steps),
            text::significant(static_cast<double>(launch->row.wall_ns) * 1e-9)}});
    }
    head("Launches");
    draw_grid(grid);
  }

  void noise() {
    const auto noise = estimate::noise_of(row_);
    if (!noise) return;
    std::vector<std::string> found = {NoiseAdvice::parts(*noise)};
    if (row_.arm.empty()) {
      const NoiseAdvice advice(question_of(estimate::case_rows(results_), kUsualChange));
      found.push_back(advice.design(*noise));
    }
    paragraph("Noise", found);
  }

  void lines() {
    const text::Grid grid = worker_lines(row_, results_);
    if (grid.rows.empty()) return;
    head("Lines of Python that the loader's time is spent in, sampled in profiled launches");
    draw_grid(grid);
  }

  static double data_wait_share(const estimate::LaunchEstimate& estimate) {
    for (const estimate::PhaseTime& phase : estimate.phases) {
      if (phase.name != "data_wait" || estimate.host_ns == 0) continue;
      return static_cast<double>(phase.ns) / static_cast<double>(estimate.host_ns);
    }
    return 0;
  }

  void phases(const char* title, const std::vector<estimate::PhaseEstimate>& list) {
    if (list.empty()) return;
    const text::TimeUnit unit = text::unit_for({&*row_.step_ns, 1});
    text::Grid grid{
        .columns = {{.head = "phase", .align = text::Align::kLeft},
                    {.head = "per step [" + std::string(unit.name) + ']'},
                    {.head = "share [%]"},
                    {.head = "of the step", .align = text::Align::kLeft, .drop_at = 10}},
        .rows = {}};
    for (const estimate::PhaseEstimate& phase : list) {
      grid.rows.push_back({{phase.name, text::significant(phase.ns / unit.ns),
                            text::percent(phase.share), text::bar(phase.share, 30)}});
    }
    head(title);
    draw_grid(grid);
  }

  void device() {
    if (!row_.device_span_ns) return;
    text_ += "a step spans " + text::duration(*row_.device_span_ns) + " on the device";
    if (row_.host_lead_ns) {
      text_ += ", host ahead by " + text::duration(*row_.host_lead_ns) + " (" +
               std::string(stepbench::name_of(Source::kEventsAndHost)) + ")";
    }
    text_ += '\n';
  }

  // What launches of the case counted under valgrind: of all that they say, this alone is of the
  // case.
  void add_counted(std::map<std::string, std::vector<double>>& values) const {
    constexpr const char* kInstructions = "instructions_per_step";
    for (const record::Launch& launch : results_.launches) {
      const record::LaunchKey& key = launch.row.key;
      if (key.pass != Pass::kWrapped || key.case_id != row_.case_id || key.arm != row_.arm)
        continue;
      const bool of_run =
          launch.run < results_.runs.size() && results_.runs[launch.run].run_id == row_.run_id;
      const auto found = launch.row.report.metrics.find(kInstructions);
      if (!of_run || found == launch.row.report.metrics.end() || !found->second) continue;
      values[kInstructions].push_back(*found->second);
    }
  }

  // Life-cycle times, memory, loader metrics: medians over the launches, in units of the file's own
  // columns.
  void metrics() {
    std::map<std::string, std::vector<double>> values;
    std::set<std::string> not_finite;
    for (const auto& [launch, estimate] : row_.measured) {
      for (const auto& [name, value] : launch->row.report.metrics) {
        if (value) {
          values[name].push_back(*value);
        } else {
          not_finite.insert(name);
        }
      }
      if (estimate.borders) values["epoch_gap_ns"].push_back(estimate.borders->gap_ns);
    }
    if (row_.pass == Pass::kTiming) add_counted(values);
    text::Grid grid{.columns = {{.head = "metric", .align = text::Align::kLeft},
                                {.head = "median"},
                                {.head = "smallest", .drop_at = 20},
                                {.head = "largest", .drop_at = 20},
                                {.head = "by", .align = text::Align::kLeft, .drop_at = 25},
                                {.head = "",
                                 .align = text::Align::kLeft,
                                 .drop_at = 15,
                                 .shrink_at = 10,
                                 .shrink_to = 24}},
                    .rows = {}};
    for (auto& [name, numbers] : values) {
      const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
      const Metric* metric = definition(name);
      const std::string unit = metric == nullptr ? std::string() : metric->unit;
      grid.rows.push_back(
          {{display_name(name), quantity_text(stats::median(numbers), name, unit),
            quantity_text(*low, name, unit), quantity_text(*high, name, unit),
            metric == nullptr ? std::string() : std::string(stepbench::name_of(metric->source)),
            metric == nullptr ? std::string() : metric->doc}});
    }
    for (const std::string& name : not_finite) {
      if (!values.contains(name)) grid.rows.push_back({{name, "not finite", "", "", "", ""}});
    }
    if (grid.rows.empty()) return;
    drop_empty_column(grid, 4);
    head("Life cycle and metrics, over launches");
    draw_grid(grid);
  }

  // Files of earlier versions do not say which clock gave a number.
  static void drop_empty_column(text::Grid& grid, std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    const bool used =
        std::any_of(grid.rows.begin(), grid.rows.end(),
                    [&](const text::GridRow& row) { return !row.cells[column].empty(); });
    if (used) return;
    grid.columns.erase(grid.columns.begin() + at);
    for (text::GridRow& row : grid.rows) row.cells.erase(row.cells.begin() + at);
  }

  [[nodiscard]] const Metric* definition(const std::string& name) const {
    const auto found = std::find_if(results_.columns.begin(), results_.columns.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    return found == results_.columns.end() ? nullptr : &*found;
  }

  static std::string display_name(const std::string& name) {
    for (const std::string_view unit : {"_ns", "_bytes"}) {
      if (name.ends_with(unit)) return name.substr(0, name.size() - unit.size());
    }
    return name;
  }

  void fields(const std::string& name, const Fields& values) {
    if (values.empty()) return;
    text::Grid grid{
        .columns = {{.head = "", .align = text::Align::kLeft},
                    {.head = "", .align = text::Align::kLeft, .shrink_at = 10, .shrink_to = 20}},
        .rows = {}};
    for (const auto& [key, value] : values) {
      const auto* number = std::get_if<double>(&value);
      const bool time = number != nullptr && key.ends_with("_ns");
      grid.rows.push_back(
          {{time ? display_name(key) : key, time ? text::duration(*number) : to_text(value)}});
    }
    head(name);
    const std::string drawn =
        text::draw(grid, static_cast<std::size_t>(std::max(style_.columns, 20)), false).text;
    text_ += drawn.substr(drawn.find('\n', drawn.find('\n') + 1) + 1);  // without its empty head
  }

  void environment() {
    if (first() == nullptr) return;
    const std::string& id = first()->row.worker_id;
    for (const record::WorkerRow& worker : results_.workers) {
      if (worker.worker_id != id) continue;
      Fields all = worker.environment;
      all["worker"] = worker.path;
      if (!worker.build_id.empty()) all["build_id"] = worker.build_id;
      fields("Environment", all);
    }
    fields("Machine during the first launch, seen from outside; gpu.* by NVML",
           first()->row.machine);
  }

  void findings() {
    const std::vector<estimate::CaseRow> rows = estimate::case_rows(results_);
    paragraph("Findings", finding_lines(row_, estimate::Proposals(rows, results_)));
  }

  void notes() {
    const record::Results only;
    std::vector<std::string> lines = notes_of({row_}, only);
    if (std::string unseen = unseen_warmup(row_); !unseen.empty()) {
      lines.push_back(std::move(unseen));
    }
    paragraph("Notes", lines);
  }

  void paragraph(const std::string& name, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    head(name);
    for (const std::string& line : lines) {
      text_ += wrapped(line, static_cast<std::size_t>(std::max(style_.columns, 20))) + '\n';
    }
  }

  void output() {
    std::map<std::string_view, std::vector<int>> launches;
    for (const record::Launch* launch : row_.failed) {
      if (!launch->row.output.empty())
        launches[launch->row.output].push_back(launch->row.key.launch);
    }
    for (const auto& [text, numbers] : launches) {
      const auto text_of_number = [](int number) { return std::to_string(number); };
      head("Output of failed launch " + text::join(numbers, ", ", text_of_number));
      text_ += indented(last_lines(text));
    }
  }

  static std::string last_lines(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    std::size_t at = text.size();
    for (std::size_t lines = 0; lines < kOutputLines && at > 0; ++lines) {
      const std::size_t newline = text.rfind('\n', at - 1);
      at = newline == std::string_view::npos ? 0 : newline;
    }
    if (at == 0) return std::string(text);
    return "… (its last " + std::to_string(kOutputLines) + " lines)" + std::string(text.substr(at));
  }

  static std::string indented(const std::string& text) {
    std::string lines = "  ";
    for (const char c : text::printable(text, text::LineEnds::kKeep)) {
      lines += c;
      if (c == '\n') lines += "  ";
    }
    return lines + '\n';
  }

  const estimate::CaseRow& row_;
  const record::Results& results_;
  const TableStyle& style_;
  std::string text_;
};

}  // namespace

std::string render_case(const estimate::CaseRow& row, const record::Results& results,
                        const TableStyle& style) {
  return Page(row, results, style).write();
}

std::string case_title(const estimate::CaseRow& row, const record::Results& results,
                       const TableStyle& style) {
  return Page(row, results, style).first_lines();
}

}  // namespace stepbench::report
