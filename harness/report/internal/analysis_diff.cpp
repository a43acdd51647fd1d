// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace_analysis.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/analysis_rows.h"
#include "harness/report/internal/analysis_words.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string name_of_side(const std::vector<std::string>& paths) {
  if (paths.empty()) return "nothing";
  std::string name = std::filesystem::path(paths.front()).filename().string();
  if (paths.size() > 1) name += formatted(" and {} more", paths.size() - 1);
  return name;
}

std::string headline_of_diff(const traces::TraceDiff& diff) {
  return formatted("{} (new, {}) against {} (base, {})", name_of_side(diff.new_paths),
                   text::counted(diff.new_steps, "step"), name_of_side(diff.base_paths),
                   text::counted(diff.base_steps, "step"));
}

void add_diff_notes(const traces::TraceDiff& diff, std::vector<document::Block>& blocks) {
  blocks.emplace_back(diff.comparable()
                          ? document::Paragraph{"comparable: yes"}
                          : document::Paragraph{"comparable: NO, do not trust the differences",
                                                document::Tone::kBad});
  for (const traces::DiffNote& note : diff.notes) {
    blocks.emplace_back(document::Paragraph{std::string(name_of(note.level)) + ": " + note.text,
                                            tone_of(note.level)});
  }
}

// Change of the step time and its cause.
document::Answer diff_answer(const traces::TraceDiff& diff) {
  const document::Answer unknown = {.text = "not comparable, do not trust the differences",
                                    .tone = document::Tone::kBad};
  const traces::DiffRow& step = diff.step;
  if (step.base_ns <= 0) return diff.comparable() ? document::Answer{} : unknown;
  std::string text = "a step takes " + text::duration(step.new_ns);
  if (step.difference_ns() == 0) {
    text += ", as long as in base";
  } else {
    text += formatted(", {} ({} %) against {} in base", text::signed_duration(step.difference_ns()),
                      text::signed_percent(step.difference_ns() / step.base_ns),
                      text::duration(step.base_ns));
  }
  if (!step.changed() && step.difference_ns() != 0) {
    text += ": within the variation of the steps";
  }
  const auto most =
      std::ranges::max_element(diff.parts, [](const traces::DiffRow& a, const traces::DiffRow& b) {
        return std::abs(a.changed() ? a.difference_ns() : 0) <
               std::abs(b.changed() ? b.difference_ns() : 0);
      });
  if (most != diff.parts.end() && most->changed()) {
    text += formatted("; largest change: {}, {}", words_of_part(most->name, diff.scope),
                      text::signed_duration(most->difference_ns()));
  }
  if (diff.nothing_changed()) text = "no change beyond the variation of the steps: " + text;
  if (diff.comparable()) return {.text = std::move(text)};
  return {.text = unknown.text + ": " + text, .tone = unknown.tone};
}

void add_parts(const traces::TraceDiff& diff, std::vector<document::Block>& blocks) {
  const std::string title = "where the step's time changed (means of a step)";
  const std::string window = window_subtitle(words_of_window(diff.window));
  const double longest_ns = std::max(diff.step.base_ns, diff.step.new_ns);
  if (longest_ns <= 0) {
    blocks.emplace_back(document::Heading{title, window});
    blocks.emplace_back(document::Paragraph{"no step to compare"});
    return;
  }
  const traces::Trace none;
  BlockTable table(
      title, none,
      {.total = diff.step.base_ns, .unit = text::unit_for(std::vector<double>{longest_ns})},
      window);
  for (const traces::DiffRow& row : diff.parts) {
    table.add(DiffRowOf{.row = row, .name = words_of_part(row.name, diff.scope)});
  }
  table.add(DiffRowOf{.row = diff.step, .name = "sum"});
  blocks.emplace_back(table.take());
  blocks.emplace_back(document::Paragraph{
      diff.step.noise_ns
          ? "a difference counts if it is at least three times its uncertainty from the spread of "
            "steps or launches, 2 % of the value, and 0.1 % of the step"
          : "a difference counts if it is at least 5 % of the value and 0.1 % of the step"});
}

void add_changed(const traces::DiffTable& costs, std::size_t limit,
                 std::vector<document::Block>& blocks) {
  const ComparedKind& kind = compared(costs.kind);
  if (costs.rows.empty() && !kind.rate.empty()) return;
  const auto changed = std::ranges::count_if(costs.rows, &traces::DiffRow::changed);
  const std::size_t shown = limited(std::size_t(changed), limit);
  if (shown == 0) {
    std::string text = costs.rows.empty()
                           ? "none recorded"
                           : "none of " + text::with_separators(std::ssize(costs.rows));
    if (!costs.rows.empty() && costs.sum.difference_ns() != 0) {
      text += formatted("; together {} per step", text::signed_duration(costs.sum.difference_ns()));
    }
    blocks.emplace_back(document::Heading{kind.title});
    blocks.emplace_back(document::Paragraph{std::move(text)});
    return;
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < shown; ++i) {
    times.push_back(std::max(costs.rows[i].base_ns, costs.rows[i].new_ns));
  }
  const bool rates = std::ranges::any_of(
      costs.rows, [](const traces::DiffRow& row) { return row.base_rate || row.new_rate; });
  const traces::Trace none;
  BlockTable table(kind.title, none, {.unit = text::unit_for(times)});
  const auto add = [&](const traces::DiffRow& row, std::string name, bool is_sum) {
    table.add(DiffRowOf{row, &kind, std::move(name), is_sum, rates});
  };
  traces::DiffRow rest;
  for (std::size_t i = 0; i < costs.rows.size(); ++i) {
    const traces::DiffRow& row = costs.rows[i];
    if (i < shown) {
      add(row, kind.rate.empty() ? traces::short_row_name(row.name) : row.name, false);
      continue;
    }
    rest.base_ns += row.base_ns;
    rest.new_ns += row.new_ns;
    rest.base_count += row.base_count;
    rest.new_count += row.new_count;
  }
  if (shown < costs.rows.size()) {
    add(rest, text::counted(std::ssize(costs.rows) - std::int64_t(shown), "other"), true);
  }
  add(costs.sum, kind.all, true);
  blocks.emplace_back(table.take());
  if (std::size_t(changed) <= shown) return;
  blocks.emplace_back(
      document::Paragraph{formatted("first {} of {} that changed; --row-limit 0 shows all", shown,
                                    text::with_separators(changed))});
}

std::string finding_text(const traces::DiffFinding& finding) {
  const auto size_text = [&](double size) {
    return finding.is_gain ? text::duration(size) : text::significant(size);
  };
  const bool other_value = !finding.is_gain && finding.base && finding.next;
  std::string text =
      formatted("{}: {} [{}", other_value ? "other value" : words_of_change(finding.change),
                finding.text, finding.id);
  if (finding.base && finding.next) {
    text += formatted(", {}{} -> {}", finding.is_gain ? "gain " : "", size_text(*finding.base),
                      size_text(*finding.next));
  } else if (finding.is_gain) {
    text += ", gain " + size_text(finding.next.value_or(finding.base.value_or(0)));
  }
  return text + ']';
}

}  // namespace

const ComparedKind& compared(traces::CostKind kind) {
  static constexpr ComparedKind kCompared[traces::kCostKinds] = {
      {.key = "operators",
       .chart = "Operators",
       .title = "operators that changed (own time with their calls, of all threads)",
       .head = "operator",
       .all = "all operators",
       .phase = "phase"},
      {.key = "kernels",
       .chart = "Kernels",
       .title = "kernels, copies and sets that changed",
       .head = "kernel",
       .all = "all kernels"},
      {.key = "calls",
       .chart = "Runtime calls",
       .title = "calls of the runtime and driver that changed",
       .head = "call",
       .all = "all calls"},
      {.key = "shapes",
       .chart = "Matrix products, convolutions and attention by shape",
       .title = "matrix products, convolutions and attention that changed, by shape",
       .head = "operator",
       .all = "all shapes",
       .phase = "pass",
       .rate = "flops_per_s",
       .shown_rate = {.cell = as_tera, .unit = "TFLOP/s", .drop_at = 1}},
      {.key = "collectives",
       .chart = "Collectives",
       .title = "collectives that changed",
       .head = "collective",
       .all = "all collectives",
       .phase = "group",
       .rate = "bus_bytes_per_s",
       .shown_rate = {.cell = as_giga, .unit = "GB/s on the bus", .drop_at = 1}}};

  return kCompared[std::size_t(kind)];
}

document::Document diff_document(const traces::TraceDiff& diff, std::size_t row_limit) {
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  add_diff_notes(diff, overview.blocks);
  add_parts(diff, overview.blocks);
  overview.blocks.emplace_back(document::Heading{"findings that changed"});
  for (const traces::DiffFinding& finding : diff.findings) {
    overview.blocks.emplace_back(document::Paragraph{finding_text(finding)});
  }
  if (diff.findings.empty()) overview.blocks.emplace_back(document::Paragraph{"none"});
  document::Chapter tables{.id = "tables", .title = "Tables", .blocks = {}, .folded = true};
  for (const traces::DiffTable& table : diff.tables) add_changed(table, row_limit, tables.blocks);
  return {.headline = headline_of_diff(diff),
          .answer = diff_answer(diff),
          .chapters = {std::move(overview), std::move(tables)},
          .all_columns_in = "--format markdown"};
}

std::string diff_json(const traces::TraceDiff& diff, int exit_status) {
  json::JsonText json;
  const traces::Trace none;
  BlockJson out(json, none);
  const auto add_side = [&](std::string_view key, const std::vector<std::string>& paths,
                            std::int64_t steps) {
    json.open_object(key).texts("paths", paths).integer("steps", steps).close_object();
  };
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  json.open_object("diff");
  add_side("base", diff.base_paths, diff.base_steps);
  add_side("new", diff.new_paths, diff.new_steps);
  json.text("window", name_of(diff.window)).flag("comparable", diff.comparable());
  json.flag("nothing_changed", diff.nothing_changed());
  out.rows("notes", diff.notes);
  out.object("step", DiffRowOf{.row = diff.step});
  const auto add_rows = [&](std::string_view key, const std::vector<traces::DiffRow>& rows,
                            const ComparedKind* kind) {
    json.open_array(key);
    for (const traces::DiffRow& row : rows) out.object({}, DiffRowOf{.row = row, .kind = kind});
    json.close_array();
  };
  add_rows("parts", diff.parts, nullptr);
  for (const traces::DiffTable& table : diff.tables) {
    add_rows(compared(table.kind).key, table.rows, &compared(table.kind));
  }
  out.rows("findings", diff.findings);
  json.close_object().integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
