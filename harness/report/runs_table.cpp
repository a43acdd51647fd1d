// SPDX-License-Identifier: Apache-2.0
#include "harness/report/runs_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <vector>

#include "harness/json/json_text.h"
#include "harness/text/age.h"
#include "harness/text/csv.h"
#include "harness/text/grid.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

std::string labels_text(const RunSummary& run, std::string_view separator) {
  return join(run.labels, separator,
              [](const auto& label) { return label.first + '=' + to_text(label.second); });
}

std::string commit_of_run(const RunSummary& run) {
  constexpr std::size_t kShort = 7;
  return run.git_sha.substr(0, kShort) + (run.git_dirty ? "*" : "");
}

std::string begun_text(const RunSummary& run) {
  constexpr std::size_t kMinute = 16;
  if (!begun(run)) return run.started_utc;
  std::string text = run.started_utc.substr(0, kMinute);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string age_of(const RunSummary& run, Moment now) {
  const auto time = begun(run);
  if (!time) return "?";
  if (*time > now + std::chrono::minutes{1}) return "ahead";
  return age_text(std::chrono::duration_cast<std::chrono::seconds>(now - *time));
}

std::string folder_name(const RunSummary& run) {
  const std::string name = run.folder.filename().string();
  return name.empty() || name == "." ? run.folder.string() : name;
}

// Fields for programs. Numbers stay numbers in JSON.
struct Field {
  const char* name;
  std::function<Value(const RunSummary&)> value;
};

const std::vector<Field>& fields_of_a_run() {
  static const std::vector<Field> kFields = {
      {"run_id", [](const RunSummary& run) { return Value{run.run_id}; }},
      {"folder", [](const RunSummary& run) { return Value{run.folder.string()}; }},
      {"started_utc", [](const RunSummary& run) { return Value{run.started_utc}; }},
      {"name", [](const RunSummary& run) { return Value{run.name}; }},
      {"kind",
       [](const RunSummary& run) {
         return Value{std::string(!run.broken.empty() ? "" : run.ab ? "ab" : "run")};
       }},
      {"verdict", [](const RunSummary& run) { return Value{run.verdict}; }},
      {"smoke", [](const RunSummary& run) { return Value{run.smoke}; }},
      {"host", [](const RunSummary& run) { return Value{run.host}; }},
      {"git_sha", [](const RunSummary& run) { return Value{run.git_sha}; }},
      {"git_dirty", [](const RunSummary& run) { return Value{run.git_dirty}; }},
      {"git_branch", [](const RunSummary& run) { return Value{run.git_branch}; }},
      {"cases", [](const RunSummary& run) { return Value{run.cases}; }},
      {"ok", [](const RunSummary& run) { return Value{run.ok}; }},
      {"failed", [](const RunSummary& run) { return Value{run.failed}; }},
      {"skipped", [](const RunSummary& run) { return Value{run.skipped}; }},
      {"launches", [](const RunSummary& run) { return Value{run.launches}; }},
      {"profiled", [](const RunSummary& run) { return Value{run.profiled}; }},
      {"wrapped", [](const RunSummary& run) { return Value{run.wrapped}; }},
      {"bytes", [](const RunSummary& run) { return Value{static_cast<std::int64_t>(run.bytes)}; }},
      {"state",
       [](const RunSummary& run) {
         return Value{std::string(run.broken.empty() ? name_of(run.state) : "broken")};
       }},
      {"broken", [](const RunSummary& run) { return Value{run.broken}; }}};
  return kFields;
}

std::string runs_csv(std::span<const RunSummary> runs) {
  std::string text =
      join(fields_of_a_run(), ",", [](const Field& field) { return std::string(field.name); }) +
      ",labels\n";
  for (const RunSummary& run : runs) {
    text += join(fields_of_a_run(), ",",
                 [&](const Field& field) { return csv_cell(to_text(field.value(run))); });
    text += ',' + csv_cell(labels_text(run, ";")) + '\n';
  }
  return text;
}

std::string runs_json(std::span<const RunSummary> runs) {
  JsonText json;
  json.open_object().text("schema", kRunsSchema).text("version", kRunsVersion);
  json.open_array("runs");
  for (const RunSummary& run : runs) {
    json.open_object();
    for (const Field& field : fields_of_a_run()) json.value(field.name, field.value(run));
    json.values("labels", run.labels).close_object();
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

struct Cell {
  GridColumn column;
  std::function<std::string(const RunSummary&)> text;
  bool shown = true;
};

// Columns that say something of these runs: an experiment's name where the folder's does not hold
// it, failures where there are some.
std::vector<Cell> cells_for(std::span<const RunSummary> runs, Moment now) {
  const auto any = [&](const std::function<bool(const RunSummary&)>& holds) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const RunSummary& run) { return run.broken.empty() && holds(run); });
  };
  const auto count = [](std::int64_t number) { return with_separators(number); };
  constexpr Align kLeft = Align::kLeft;
  return {{{.head = "run", .align = kLeft, .shrink_at = 60, .shrink_to = 24, .shrink_inside = true},
           folder_name},
          {{.head = "age"}, [now](const RunSummary& run) { return age_of(run, now); }},
          {{.head = "begun (UTC)", .align = kLeft, .drop_at = 10}, begun_text},
          {{.head = "name", .align = kLeft, .drop_at = 40},
           [](const RunSummary& run) { return run.name; },
           any([](const RunSummary& run) { return !folder_name(run).ends_with("-" + run.name); })},
          {{.head = "kind", .align = kLeft}, kind_words},
          {{.head = "labels", .align = kLeft, .shrink_at = 30, .shrink_to = 16},
           [](const RunSummary& run) { return labels_text(run, " "); },
           any([](const RunSummary& run) { return !run.labels.empty(); })},
          {{.head = "commit", .align = kLeft, .drop_at = 50},
           commit_of_run,
           any([](const RunSummary& run) { return !run.git_sha.empty(); })},
          {{.head = "branch", .align = kLeft, .drop_at = 15, .shrink_at = 5, .shrink_to = 12},
           [](const RunSummary& run) { return run.git_branch; },
           any([](const RunSummary& run) { return !run.git_branch.empty(); })},
          {{.head = "cases"}, [=](const RunSummary& run) { return count(run.cases); }},
          {{.head = "ok"}, [=](const RunSummary& run) { return count(run.ok); }},
          {{.head = "failed"},
           [=](const RunSummary& run) { return count(run.failed); },
           any([](const RunSummary& run) { return run.failed > 0; })},
          {{.head = "skipped"},
           [=](const RunSummary& run) { return count(run.skipped); },
           any([](const RunSummary& run) { return run.skipped > 0; })},
          {{.head = "launches", .drop_at = 20},
           [=](const RunSummary& run) { return count(run.launches); }},
          {{.head = "size", .drop_at = 25},
           [](const RunSummary& run) { return byte_text(static_cast<double>(run.bytes)); }},
          {{.head = "state", .align = kLeft},
           [](const RunSummary& run) { return std::string(name_of(run.state)); }}};
}

Tint tint_of_run(const RunSummary& run) {
  if (run.failed > 0 || run.verdict == "regression") return Tint::kFailed;
  return run.smoke ? Tint::kDim : Tint::kNone;
}

Grid runs_grid(std::span<const RunSummary> runs, Moment now) {
  std::vector<Cell> cells = cells_for(runs, now);
  std::erase_if(cells, [](const Cell& cell) { return !cell.shown; });
  Grid grid;
  for (const Cell& cell : cells) grid.columns.push_back(cell.column);
  for (const RunSummary& run : runs) {
    GridRow row{.cells = {}, .tint = tint_of_run(run)};
    if (run.broken.empty()) {
      for (const Cell& cell : cells) row.cells.push_back(cell.text(run));
    } else {
      row = {.cells = {folder_name(run)}, .tint = Tint::kFailed, .instead = run.broken};
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

// "12 of 40 runs, 3.40 GiB; 1 running, 2 unfinished, 1 unreadable"
std::string totals_text(std::span<const RunSummary> runs, std::size_t all) {
  std::uintmax_t bytes = 0;
  std::array<std::size_t, 4> states{};
  std::size_t broken = 0;
  bool dirty = false;
  for (const RunSummary& run : runs) {
    bytes += run.bytes;
    dirty = dirty || run.git_dirty;
    ++(run.broken.empty() ? states.at(static_cast<std::size_t>(run.state)) : broken);
  }
  std::string text = runs.size() == all ? "" : with_separators(std::ssize(runs)) + " of ";
  text +=
      counted(static_cast<std::int64_t>(all), "run") + ", " + byte_text(static_cast<double>(bytes));
  std::vector<std::string> parts;
  for (const RunState state : {RunState::kRunning, RunState::kInterrupted, RunState::kUnfinished}) {
    const std::size_t count = states.at(static_cast<std::size_t>(state));
    if (count > 0) parts.push_back(std::to_string(count) + ' ' + std::string(name_of(state)));
  }
  if (broken > 0) parts.push_back(std::to_string(broken) + " unreadable");
  if (!parts.empty()) text += "; " + join(parts);
  return text + (dirty ? "\n* behind a commit: with changes that were not committed\n" : "\n");
}

std::string dropped_text(const std::vector<std::string>& dropped) {
  if (dropped.empty()) return {};
  return "No room for: " + join(dropped) + " (a wider terminal or --format csv has it).\n";
}

}  // namespace

std::string kind_words(const RunSummary& run) {
  std::string text = run.smoke ? "smoke " : "";
  text += run.ab ? "ab" : "run";
  if (!run.verdict.empty()) text += ": " + run.verdict;
  if (run.profiled > 0) text += " + profile";
  if (run.wrapped > 0) text += " + wrapped";
  return text;
}

std::string render_runs(std::span<const RunSummary> runs, std::size_t all, Format format,
                        const TableStyle& style, Moment now) {
  if (format == Format::kCsv) return runs_csv(runs);
  if (format == Format::kJson) return runs_json(runs);
  if (runs.empty()) return {};
  const Grid grid = runs_grid(runs, now);
  if (format == Format::kMarkdown) return draw_markdown(grid) + '\n' + totals_text(runs, all);
  const DrawnGrid drawn = draw(grid, static_cast<std::size_t>(style.columns), style.colour);
  return drawn.text + '\n' + totals_text(runs, all) + dropped_text(drawn.dropped);
}

}  // namespace stepbench
