// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/report/internal/analysis_words.h"
#include "harness/report/internal/block_fields.h"
#include "harness/report/trace_analysis.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

// The kernels, operators and copies that take most time in a trace, in one table. Pure; any thread.

// At most `row_limit` rows per kind (0: all), by self time in the counted steps. No rows if none
// ran in them.
[[nodiscard]] document::Table largest_table(const AnalysedTrace& analysed, std::size_t row_limit);

namespace {

constexpr std::size_t kNameCells = 44;

struct Largest {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;
  std::int64_t device_ns = 0;
  std::optional<std::int64_t> host_ns = {};
};

struct LargestOf {
  const Largest& row;
  const char* kind;
  std::string name;
  bool on_device;
};
void block_fields(BlockTable& v, const LargestOf& of) {
  const std::optional<double> host_ns = of.row.host_ns;
  const auto device_ns = double(of.row.device_ns);
  v.words(document::words("kind"), of.kind).words(name_column("name", 1, kNameCells), of.name);
  if (of.on_device) v.shown({"device", as_us_per_step, "us"}, device_ns);
  v.shown({"share", as_share, "%"}, of.on_device ? device_ns : host_ns);
  v.shown({"host", as_us_per_step, "us"}, host_ns).shown({"times", as_times}, double(of.row.calls));
}

}  // namespace

document::Table largest_table(const AnalysedTrace& analysed, std::size_t row_limit) {
  const traces::Analysis& analysis = analysed.analysis;
  const bool on_device = !analysis.devices.empty();
  const traces::IdleReport* idle = analysis.idle_of(analysed.device);
  BlockTable table(on_device ? "largest kernels, operators and copies: own time per step"
                             : "largest operators: own time per step",
                   *analysed.trace,
                   {.steps = double(std::max<std::size_t>(1, analysis.steps.counted().size())),
                    .total = idle == nullptr ? 0 : double(idle->counted.wall_ns)});
  const auto add = [&](const char* kind, std::vector<Largest> rows) {
    std::erase_if(rows, [](const Largest& row) { return row.calls == 0; });
    std::ranges::stable_sort(rows, std::greater(), [](const Largest& row) {
      return std::tuple(row.device_ns, row.host_ns.value_or(0));
    });
    rows.resize(limited(rows.size(), row_limit));
    std::vector<std::string_view> names;
    for (const Largest& row : rows) names.emplace_back(analysed.trace->names[row.name].text);
    const std::vector<std::string> distinct = traces::distinct_row_names(names, kNameCells);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      table.add(LargestOf{rows[i], kind, distinct[i], on_device});
    }
  };
  std::vector<Largest> rows;
  if (analysis.kernels) {
    for (const traces::KernelRow& row : analysis.kernels->rows) {
      rows.push_back({row.name, row.step_calls, row.step_ns, std::nullopt});
    }
  }
  add("kernel", std::exchange(rows, {}));
  if (analysis.operators) {
    for (const traces::OperatorRow& row : *analysis.operators) {
      rows.push_back({row.name, row.step_calls, row.step_self_device_ns, row.step_self_host_ns});
    }
  }
  add("operator", std::exchange(rows, {}));
  if (analysis.copies) {
    for (const traces::CopyGroup& group : analysis.copies->groups) {
      rows.push_back({group.name, group.in_steps, group.device_ns, group.call_ns});
    }
  }
  add("copy", std::move(rows));
  return table.take();
}

namespace {

constexpr std::size_t kBarCells = 20;

// "my.pt.trace.json.gz: 8 steps, 48,120 rows, 1 device (Tesla V100), rank 0 of 1"
std::string headline_of(const AnalysedTrace& analysed) {
  const traces::Trace& trace = *analysed.trace;
  const std::vector<int>& devices = analysed.analysis.devices;
  std::string text = analysed.path.empty()
                         ? std::string("trace")
                         : std::filesystem::path(analysed.path).filename().string();
  text += formatted(": {}, {} rows, {}",
                    text::counted(std::ssize(analysed.analysis.steps.steps), "step"),
                    text::with_separators(trace.reading.rows),
                    devices.empty() ? "no device" : text::counted(std::ssize(devices), "device"));
  const ops::TraceDevice* first = devices.empty() ? nullptr : trace.device(devices.front());
  if (first != nullptr && !first->name.empty()) text += " (" + first->name + ')';
  if (trace.rank) {
    text += formatted(", rank {}", *trace.rank);
    if (trace.world) text += formatted(" of {}", *trace.world);
  }
  if (trace.own) text += ", written by stepbench";
  return text;
}

// "launches without record: 12 of 80"
std::string integrity_doubt(const traces::IntegrityNote& note) {
  std::string text = note.id;
  std::ranges::replace(text, '_', ' ');
  if (note.count == 0) return text;
  text += ": " + text::with_separators(note.count);
  return note.of == 0 ? text : text + " of " + text::with_separators(note.of);
}

// Adds doubts about the numbers. Notes are listed with the unknowns instead.
void add_integrity(const AnalysedTrace& analysed, std::vector<document::Block>& blocks) {
  const std::vector<traces::IntegrityNote>& notes = analysed.analysis.integrity;
  const bool sound = std::ranges::all_of(notes, [](const traces::IntegrityNote& note) {
    return note.level == traces::IntegrityLevel::kNote;
  });
  if (analysed.analysis.blocked()) {
    blocks.emplace_back(
        document::Paragraph{"integrity: BROKEN, do not trust the numbers", document::Tone::kBad});
  } else if (sound) {
    blocks.emplace_back(document::Paragraph{"integrity: ok"});
  }
  for (const traces::IntegrityNote& note : notes) {
    if (note.level == traces::IntegrityLevel::kNote) continue;
    blocks.emplace_back(document::Paragraph{
        .text = std::string(name_of(note.level)) + ": " + note.text, .tone = tone_of(note.level)});
  }
}

// "the largest part of a step of 10.0 ms is compute, 79.8 %"; empty if there is no step.
std::string largest_part(const AnalysedTrace& analysed) {
  const traces::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0) return {};
  const auto parts = traces::step_parts();
  const auto largest = std::ranges::max_element(
      parts, {}, [&](const traces::StepPart& part) { return part.of(idle->counted); });
  const auto wall_ns = double(idle->counted.wall_ns);
  return formatted("the largest part of a step of {} is {}, {}",
                   text::duration(wall_ns / double(analysed.analysis.steps.counted().size())),
                   words_of_part(largest->name, idle->scope),
                   text::percent_text(double(largest->of(idle->counted)) / wall_ns));
}

// The finding with the largest gain; null if there is nothing to improve.
const Finding* finding_of_answer(const AnalysedTrace& analysed) {
  const auto first = std::ranges::find_if(analysed.findings, [](const Finding& finding) {
    return finding.undecided.empty() && finding.severity != Severity::kInfo;
  });
  return first == analysed.findings.end() ? nullptr : &*first;
}

std::string gain_text(const Finding& finding) {
  return formatted("at most {} per step ({})", text::duration(*finding.gain_ns),
                   text::percent_text(finding.share.value_or(0)));
}

document::Answer trace_answer(const AnalysedTrace& analysed) {
  document::Answer answer;
  const std::string part = largest_part(analysed);
  if (const Finding* first = finding_of_answer(analysed)) {
    answer = {.text = first->text, .tone = tone_of(first->severity)};
    if (first->gain_ns) answer.text += "; possible gain: " + gain_text(*first);
  } else {
    answer.text = part.empty() ? "no step to break down" : "no problem found: " + part;
  }
  for (const traces::IntegrityNote& note : analysed.analysis.integrity) {
    if (note.level != traces::IntegrityLevel::kNote) answer.doubts.push_back(integrity_doubt(note));
  }
  if (!analysed.analysis.blocked()) return answer;
  answer.text = "the trace is broken, do not trust its numbers: " + answer.text;
  answer.tone = document::Tone::kBad;
  return answer;
}

// Describes what the shown rows represent.
std::string counted_words(const traces::Steps& steps) {
  const std::size_t counts = steps.counted().size();
  std::string text = formatted("mean of {}", counts);
  const std::string all = text::counted(std::ssize(steps.steps), "step");
  if (steps.chosen) return formatted("{} of {}, as chosen", text, all);
  if (counts == steps.steps.size()) return "mean of " + all;
  return formatted(
      "{} of {}{}", text, all,
      counts + 2 == steps.steps.size() ? ", not the first and last" : ", those that are whole");
}

std::string scope_words(const traces::IdleReport& idle) {
  switch (idle.scope) {
    case traces::IdleScope::kDevice:
      return formatted("device {}", *idle.device);
    case traces::IdleScope::kAllDevices:
      return "all devices together: idle is where none works";
    case traces::IdleScope::kHost:
      return "the step thread of the host: no device in this trace";
  }
  return {};
}

// Parts below this share are merged on a short page.
constexpr double kSmallPart = 0.005;

document::Table parts_table(const traces::Steps& steps, const traces::IdleReport& idle, bool all) {
  const auto counts = double(steps.counted().size());
  const double wall_ns = double(idle.counted.wall_ns) / counts;
  const text::TimeUnit unit = text::unit_for(std::vector<double>{wall_ns});
  document::Table table{
      .title = formatted("where the time of a step goes ({})", counted_words(steps)),
      .subtitle = window_subtitle(all ? words_of_window(steps.window) : name_of(steps.window)),
      .columns = {document::words("part"),
                  {.head = "per step", .unit = std::string(unit.name)},
                  {.head = "share", .unit = "%"},
                  {.head = "", .left = true, .drop_at = 1}}};
  // A single counted step has no spread; a single step overall has neither first nor last.
  const bool spreads = counts > 1;
  const bool edges = steps.steps.size() > 1;
  if (spreads) {
    table.columns.push_back({.head = "median", .drop_at = 3});
    table.columns.push_back({.head = "p90", .drop_at = 2});
    table.columns.push_back({.head = "max", .drop_at = 4});
  }
  if (edges) {
    table.columns.push_back({.head = "first step", .drop_at = 6});
    table.columns.push_back({.head = "last step", .drop_at = 5});
  }
  const auto add = [&](std::string name, std::int64_t (*of)(const traces::StepTime&), bool bar) {
    const double mean_ns = double(of(idle.counted)) / counts;
    std::vector<document::Cell> cells = {
        std::move(name), document::time(mean_ns, unit), document::share(mean_ns, wall_ns),
        bar ? document::bar(mean_ns / wall_ns, kBarCells) : std::string()};
    const traces::Summary spread = idle.summary(steps, of);
    std::vector<double> more_ns;
    if (spreads) more_ns = {spread.median, spread.p90, spread.max};
    if (edges) {
      more_ns.push_back(double(of(idle.steps.front())));
      more_ns.push_back(double(of(idle.steps.back())));
    }
    for (const double ns : more_ns) cells.push_back(document::time(ns, unit));
    table.rows.push_back({.cells = std::move(cells)});
  };
  std::vector<const traces::StepPart*> small;
  for (const traces::StepPart& part : traces::step_parts()) {
    const bool of_device =
        idle.scope == traces::IdleScope::kHost && !part.name.starts_with("idle_");
    if (of_device || part.of(idle.counted) <= 0) continue;
    if (!all && double(part.of(idle.counted)) < kSmallPart * double(idle.counted.wall_ns)) {
      small.push_back(&part);
    } else {
      add(words_of_part(part.name, idle.scope), part.of, true);
    }
  }
  if (small.size() == 1)
    add(words_of_part(small.front()->name, idle.scope), small.front()->of, true);
  if (small.size() > 1) {
    double mean_ns = 0;
    for (const traces::StepPart* part : small) mean_ns += double(part->of(idle.counted)) / counts;
    std::vector<document::Cell> cells(table.columns.size(), "");
    cells[0] = formatted("{} smaller parts", small.size());
    cells[1] = document::time(mean_ns, unit);
    cells[2] = document::share(mean_ns, wall_ns);
    table.rows.push_back({.cells = std::move(cells)});
  }
  add(
      "sum", [](const traces::StepTime& step) { return step.wall_ns; }, false);
  return table;
}

void add_step(const AnalysedTrace& analysed, bool all, std::vector<document::Block>& blocks) {
  const traces::Steps& steps = analysed.analysis.steps;
  const traces::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0) {
    blocks.emplace_back(document::Heading{"where the time of a step goes"});
    blocks.emplace_back(
        document::Paragraph{steps.reason.empty() ? "no step to break down" : steps.reason});
    return;
  }
  blocks.emplace_back(parts_table(steps, *idle, all));
  std::vector<std::string> lines;
  if (analysed.analysis.devices.size() != 1) lines.push_back(scope_words(*idle));
  if (idle->counted.data_hidden_ns > 0) {
    lines.push_back(formatted(
        "of loading data, another {} per step is hidden behind work of the device",
        text::duration(double(idle->counted.data_hidden_ns) / double(steps.counted().size()))));
  }
  if (!steps.reason.empty()) lines.push_back(steps.reason);
  document::add_paragraphs(blocks, lines);
}

// Trace viewers count time from the first row.
std::int64_t first_ns(const traces::Trace& trace) {
  std::optional<std::int64_t> first;
  for (const traces::TraceLane& lane : trace.lanes) {
    if (lane.events.empty()) continue;
    const std::int64_t begin_ns = lane.events.front().start_ns;
    first = std::min(first.value_or(begin_ns), begin_ns);
  }
  return first.value_or(0);
}

std::string place_words(const Finding::Place& place, std::int64_t begin_ns) {
  return formatted("{} {} at {} ms{}", place.name, text::duration(double(place.duration_ns)),
                   text::significant(double(place.at_ns - begin_ns) / 1e6, 6),
                   place.step < 0 ? "" : formatted(" (step {})", place.step));
}

// The answer already has the text and gain of the first finding, so do not repeat them.
document::Paragraph finding_paragraph(const Finding& finding, bool is_answer, bool all,
                                      std::int64_t begin_ns) {
  document::Paragraph paragraph{
      .text = formatted("{}: {} [{}{}]", name_of(finding.severity),
                        is_answer ? "the answer above" : finding.text, finding.id,
                        finding.low_confidence ? ", low confidence" : ""),
      .tone = tone_of(finding.severity)};
  std::string below = finding.gain_ns && !is_answer ? "gain: " + gain_text(finding) : "";
  if (!finding.remedy.empty()) below += (below.empty() ? "" : ". ") + finding.remedy;
  if (!below.empty()) paragraph.below.emplace_back(std::move(below));
  if (!finding.set.empty()) {
    const auto option = [](const Finding::Set& set) {
      return "--set " + text::shell_word(set.option + '=' + set.value);
    };
    paragraph.below.emplace_back("try: " + text::join(finding.set, " ", option), true);
  }
  const std::size_t most = all ? 3 : is_answer ? 1 : 0;
  const std::span shown = std::span(finding.places).first(std::min(most, finding.places.size()));
  if (!shown.empty()) {
    const auto words = [&](const Finding::Place& place) { return place_words(place, begin_ns); };
    paragraph.below.emplace_back("look at: " + text::join(shown, "; ", words));
  }
  return paragraph;
}

// "trace.gpu_gaps (warning, at most 1.20 ms per step (3 %))"
std::string finding_in_short(const Finding& finding) {
  return formatted("{} ({}{})", finding.id, name_of(finding.severity),
                   finding.gain_ns ? ", " + gain_text(finding) : std::string());
}

void add_findings(const AnalysedTrace& analysed, bool all, std::vector<document::Block>& blocks) {
  constexpr std::size_t kOnShortPage = 4;
  const std::int64_t begin_ns = first_ns(*analysed.trace);
  const Finding* answer = finding_of_answer(analysed);
  std::size_t shown = 0;
  std::vector<std::string> more;
  blocks.emplace_back(document::Heading{"findings, by possible gain"});
  for (const Finding& finding : analysed.findings) {
    if (!finding.undecided.empty()) continue;
    const bool minor = finding.severity == Severity::kInfo && answer != nullptr;
    if (!all && (minor || shown == kOnShortPage)) {
      more.push_back(finding_in_short(finding));
      continue;
    }
    blocks.emplace_back(finding_paragraph(finding, &finding == answer, all, begin_ns));
    ++shown;
  }
  if (shown == 0) blocks.emplace_back(document::Paragraph{"no finding reaches its threshold"});
  if (!more.empty()) {
    blocks.emplace_back(document::Paragraph{"more, with --all: " + text::join(more)});
  }
}

// Lists undecided, unrecorded or uncounted items, one line per reason.
void add_unknown(const AnalysedTrace& analysed, std::vector<document::Block>& blocks) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  const auto add = [&](const std::string& reason, std::string what) {
    const auto found =
        std::ranges::find(by_reason, reason, [](const auto& each) { return each.first; });
    if (found == by_reason.end()) {
      by_reason.push_back({reason, {std::move(what)}});
    } else {
      found->second.push_back(std::move(what));
    }
  };
  for (const TraceBlock& block : trace_blocks()) {
    const std::string reason = block.reason(analysed.analysis);
    if (!reason.empty() && !block.words.empty()) add(reason, std::string(block.words));
  }
  std::map<std::string, std::vector<std::string>> undecided;
  for (const Finding& finding : analysed.findings) {
    if (!finding.undecided.empty()) undecided[finding.undecided].push_back(finding.id);
  }
  for (const auto& [reason, ids] : undecided) {
    if (ids.size() > kMaxNamed) {
      add(reason, text::counted(std::ssize(ids), "rule"));
    } else {
      for (const std::string& id : ids) add(reason, id);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [reason, what] : by_reason) lines.push_back(text::join(what) + ": " + reason);
  if (analysed.analysis.efficiency) {
    for (const traces::UncountedWork& each : analysed.analysis.efficiency->uncounted) {
      lines.push_back(formatted("efficiency of {}, {}: {}", text::counted(each.calls, "call"),
                                text::duration(double(each.time_ns)), each.reason));
    }
  }
  for (const traces::IntegrityNote& note : analysed.analysis.integrity) {
    const bool already_shown = note.text == analysed.analysis.steps.reason;
    if (note.level == traces::IntegrityLevel::kNote && !already_shown) lines.push_back(note.text);
  }
  if (lines.empty()) return;
  blocks.emplace_back(document::Heading{"undecided, not recorded or not counted"});
  document::add_paragraphs(blocks, lines);
}

constexpr std::size_t kLargest = 5;  // if tables below have all

// `largest`: rows per kind.
document::Chapter overview_of(const AnalysedTrace& analysed, bool all, std::size_t largest) {
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  add_integrity(analysed, overview.blocks);
  add_step(analysed, all, overview.blocks);
  add_findings(analysed, all, overview.blocks);
  overview.blocks.emplace_back(largest_table(analysed, largest));
  add_unknown(analysed, overview.blocks);
  return overview;
}

}  // namespace

document::Document analysis_page(const AnalysedTrace& analysed, std::size_t row_limit) {
  return {.headline = headline_of(analysed),
          .answer = trace_answer(analysed),
          .chapters = {overview_of(analysed, false, row_limit)},
          .answer_once = true,
          .all_columns_in = "--all"};
}

document::Document analysis_document(const AnalysedTrace& analysed, std::size_t row_limit) {
  return {.headline = headline_of(analysed),
          .answer = trace_answer(analysed),
          .chapters = {overview_of(analysed, true, kLargest),
                       {.id = "tables",
                        .title = "Tables",
                        .blocks = analysis_tables(analysed, row_limit),
                        .folded = true}},
          .answer_once = true,
          .all_columns_in = "--format markdown"};
}

}  // namespace stepbench::report
