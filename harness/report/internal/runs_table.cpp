// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <vector>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/csv.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string labels_text(const campaign::RunSummary& run, std::string_view separator) {
  return text::join(run.labels, separator,
                    [](const auto& label) { return label.first + '=' + to_text(label.second); });
}

std::string commit_of_run(const campaign::RunSummary& run) {
  constexpr std::size_t kShort = 7;
  return run.git_sha.substr(0, kShort) + (run.git_dirty ? "*" : "");
}

std::string begun_text(const campaign::RunSummary& run) {
  constexpr std::size_t kMinute = 16;
  if (!campaign::begun(run)) return run.started_utc;
  std::string text = run.started_utc.substr(0, kMinute);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string age_of(const campaign::RunSummary& run, campaign::Moment now) {
  const auto time = campaign::begun(run);
  if (!time) return "?";
  if (*time > now + std::chrono::minutes{1}) return "ahead";
  return text::age_text(std::chrono::duration_cast<std::chrono::seconds>(now - *time));
}

std::string folder_name(const campaign::RunSummary& run) {
  const std::string name = run.folder.filename().string();
  return name.empty() || name == "." ? run.folder.string() : name;
}

// Fields for programs. Numbers stay numbers in JSON.
const std::vector<CsvColumn<campaign::RunSummary>>& fields_of_a_run() {
  using Run = const campaign::RunSummary&;
  static const std::vector<CsvColumn<campaign::RunSummary>> kFields = {
      {"run_id", [](Run run) { return run.run_id; }},
      {"folder", [](Run run) { return run.folder.string(); }},
      {"started_utc", [](Run run) { return run.started_utc; }},
      {"name", [](Run run) { return run.name; }},
      {"kind", [](Run run) { return run.broken.empty() ? run.kind : std::string(); }},
      {"verdict", [](Run run) { return run.verdict; }},
      {"smoke", [](Run run) { return run.smoke; }},
      {"host", [](Run run) { return run.host; }},
      {"git_sha", [](Run run) { return run.git_sha; }},
      {"git_dirty", [](Run run) { return run.git_dirty; }},
      {"git_branch", [](Run run) { return run.git_branch; }},
      {"cases", [](Run run) { return run.cases; }},
      {"ok", [](Run run) { return run.ok; }},
      {"failed", [](Run run) { return run.failed; }},
      {"skipped", [](Run run) { return run.skipped; }},
      {"launches", [](Run run) { return run.launches; }},
      {"profiled", [](Run run) { return run.profiled; }},
      {"wrapped", [](Run run) { return run.wrapped; }},
      {"bytes", [](Run run) { return static_cast<std::int64_t>(run.bytes); }},
      {"state",
       [](Run run) { return std::string(run.broken.empty() ? name_of(run.state) : "broken"); }},
      {"broken", [](Run run) { return run.broken; }}};
  return kFields;
}

std::string runs_csv(std::span<const campaign::RunSummary> runs) {
  std::vector<CsvColumn<campaign::RunSummary>> columns = fields_of_a_run();
  columns.push_back({"labels", [](const auto& run) { return labels_text(run, ";"); }});
  std::string text = csv_heads(columns);
  for (const campaign::RunSummary& run : runs) text += csv_line(columns, run);
  return text;
}

std::string runs_json(std::span<const campaign::RunSummary> runs) {
  json::JsonText json;
  json.open_object().text("schema", kRunsSchema).text("version", kRunsVersion);
  json.open_array("runs");
  for (const campaign::RunSummary& run : runs) {
    json.open_object();
    for (const auto& [name, value] : fields_of_a_run()) json.value(name, value(run));
    json.values("labels", run.labels).close_object();
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

using RunColumn = document::Projected<campaign::RunSummary>;

// Columns with information about these runs: the experiment's name if the folder's name lacks it,
// failures if there are any.
std::vector<RunColumn> columns_for(std::span<const campaign::RunSummary> runs,
                                   campaign::Moment now) {
  const auto any = [&](const std::function<bool(const campaign::RunSummary&)>& holds) {
    return std::ranges::any_of(
        runs, [&](const campaign::RunSummary& run) { return run.broken.empty() && holds(run); });
  };
  const auto count = [](std::int64_t number) { return text::with_separators(number); };
  return {{{.head = "run", .left = true, .shrink_at = 60, .shrink_to = 24, .shrink_inside = true},
           folder_name},
          {{.head = "age"}, [now](const campaign::RunSummary& run) { return age_of(run, now); }},
          {{.head = "begun (UTC)", .left = true, .drop_at = 10}, begun_text},
          {{.head = "name", .left = true, .drop_at = 40},
           [](const campaign::RunSummary& run) { return run.name; },
           any([](const campaign::RunSummary& run) {
             return !folder_name(run).ends_with("-" + run.name);
           })},
          {{.head = "kind", .left = true}, kind_words},
          {{.head = "labels", .left = true, .shrink_at = 30, .shrink_to = 16},
           [](const campaign::RunSummary& run) { return labels_text(run, " "); },
           any([](const campaign::RunSummary& run) { return !run.labels.empty(); })},
          {{.head = "commit", .left = true, .drop_at = 50},
           commit_of_run,
           any([](const campaign::RunSummary& run) { return !run.git_sha.empty(); })},
          {{.head = "branch", .left = true, .drop_at = 15, .shrink_at = 5, .shrink_to = 12},
           [](const campaign::RunSummary& run) { return run.git_branch; },
           any([](const campaign::RunSummary& run) { return !run.git_branch.empty(); })},
          {{.head = "cases"}, [=](const campaign::RunSummary& run) { return count(run.cases); }},
          {{.head = "ok"}, [=](const campaign::RunSummary& run) { return count(run.ok); }},
          {{.head = "failed"},
           [=](const campaign::RunSummary& run) { return count(run.failed); },
           any([](const campaign::RunSummary& run) { return run.failed > 0; })},
          {{.head = "skipped"},
           [=](const campaign::RunSummary& run) { return count(run.skipped); },
           any([](const campaign::RunSummary& run) { return run.skipped > 0; })},
          {{.head = "launches", .drop_at = 20},
           [=](const campaign::RunSummary& run) { return count(run.launches); }},
          {{.head = "size", .drop_at = 25},
           [](const campaign::RunSummary& run) {
             return text::byte_text(static_cast<double>(run.bytes));
           }},
          {{.head = "state", .left = true},
           [](const campaign::RunSummary& run) { return std::string(name_of(run.state)); }}};
}

document::Tone tint_of_run(const campaign::RunSummary& run) {
  if (run.failed > 0 || run.verdict == "regression") return document::Tone::kBad;
  return run.smoke ? document::Tone::kDim : document::Tone::kPlain;
}

document::Table runs_grid(std::span<const campaign::RunSummary> runs, campaign::Moment now) {
  document::Table grid = document::project(runs, columns_for(runs, now), tint_of_run);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].broken.empty()) continue;
    grid.rows[i] = {
        .cells = {folder_name(runs[i])}, .tone = document::Tone::kBad, .instead = runs[i].broken};
  }
  return grid;
}

// "12 of 40 runs, 3.40 GiB; 1 running, 2 unfinished, 1 unreadable"
std::string totals_text(std::span<const campaign::RunSummary> runs, std::size_t all) {
  std::uintmax_t bytes = 0;
  std::array<std::size_t, 4> states{};
  std::size_t broken = 0;
  bool dirty = false;
  for (const campaign::RunSummary& run : runs) {
    bytes += run.bytes;
    dirty = dirty || run.git_dirty;
    ++(run.broken.empty() ? states.at(static_cast<std::size_t>(run.state)) : broken);
  }
  std::string text = runs.size() == all ? "" : text::with_separators(std::ssize(runs)) + " of ";
  text += text::counted(all, "run") + ", " + text::byte_text(static_cast<double>(bytes));
  std::vector<std::string> parts;
  for (const campaign::RunState state :
       {campaign::RunState::kRunning, campaign::RunState::kInterrupted,
        campaign::RunState::kUnfinished}) {
    const std::size_t count = states.at(static_cast<std::size_t>(state));
    if (count > 0) parts.push_back(formatted("{} {}", count, name_of(state)));
  }
  if (broken > 0) parts.push_back(formatted("{} unreadable", broken));
  if (!parts.empty()) text += "; " + text::join(parts);
  return text + (dirty ? "\n* after a commit: with uncommitted changes\n" : "\n");
}

std::string dropped_text(const std::vector<std::string>& dropped) {
  if (dropped.empty()) return {};
  return formatted("No room for: {} (a wider terminal or --format csv has it).\n",
                   text::join(dropped));
}

}  // namespace

std::string kind_words(const campaign::RunSummary& run) {
  std::string text = run.smoke ? "smoke " : "";
  text += run.kind;
  if (!run.verdict.empty()) text += ": " + run.verdict;
  if (run.profiled > 0) text += " + profile";
  if (run.wrapped > 0) text += " + wrapped";
  return text;
}

std::string render_runs(std::span<const campaign::RunSummary> runs, std::size_t all, Format format,
                        const TableStyle& style, campaign::Moment now) {
  if (format == Format::kCsv) return runs_csv(runs);
  if (format == Format::kJson) return runs_json(runs);
  if (runs.empty()) return {};
  const document::Table grid = runs_grid(runs, now);
  if (format == Format::kMarkdown)
    return document::markdown_table(grid) + '\n' + totals_text(runs, all);
  const document::DrawnTable drawn =
      document::draw(grid, static_cast<std::size_t>(style.columns), style.colour);
  return formatted("{}\n{}{}", drawn.text, totals_text(runs, all), dropped_text(drawn.dropped));
}

}  // namespace stepbench::report
