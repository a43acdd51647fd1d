// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "harness/document/cells.h"
#include "harness/document/render_text.h"
#include "harness/report/analysis_blocks.h"
#include "harness/report/analysis_report.h"
#include "harness/report/analysis_words.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kBarCells = 20;

// "my.pt.trace.json.gz: 8 steps, 48,120 rows, 1 device (Tesla V100), rank 0 of 1"
std::string headline_of(const AnalysedTrace& analysed) {
  const trace::Trace& trace = *analysed.trace;
  const std::vector<int>& devices = analysed.analysis.devices;
  std::string text = analysed.path.empty()
                         ? std::string("trace")
                         : std::filesystem::path(analysed.path).filename().string();
  text += ": " + text::counted(std::ssize(analysed.analysis.steps.steps), "step") + ", " +
          text::with_separators(trace.reading.rows) + " rows, " +
          (devices.empty() ? "no device" : text::counted(std::ssize(devices), "device"));
  const ops::TraceDevice* first = devices.empty() ? nullptr : trace.device(devices.front());
  if (first != nullptr && !first->name.empty()) text += " (" + first->name + ')';
  if (trace.rank) {
    text += ", rank " + std::to_string(*trace.rank);
    if (trace.world) text += " of " + std::to_string(*trace.world);
  }
  if (trace.own) text += ", written by stepbench";
  return text;
}

// "launches without record: 12 of 80"
std::string integrity_doubt(const analyze::IntegrityNote& note) {
  std::string text = note.id;
  std::ranges::replace(text, '_', ' ');
  if (note.count == 0) return text;
  text += ": " + text::with_separators(note.count);
  return note.of == 0 ? text : text + " of " + text::with_separators(note.of);
}

// "integrity: ok", or each doubt in a line.
void add_integrity(const AnalysedTrace& analysed, std::vector<document::Block>& blocks) {
  const std::vector<analyze::IntegrityNote>& notes = analysed.analysis.integrity;
  document::Tone worst = document::Tone::kPlain;
  for (const analyze::IntegrityNote& note : notes) worst = std::max(worst, tone_of(note.level));
  if (analysed.analysis.blocked()) {
    blocks.emplace_back(
        document::Paragraph{"integrity: BROKEN, do not trust the numbers", document::Tone::kBad});
  } else {
    blocks.emplace_back(document::Paragraph{
        worst == document::Tone::kPlain ? "integrity: ok" : "integrity: see the warnings", worst});
  }
  for (const analyze::IntegrityNote& note : notes) {
    blocks.emplace_back(document::Paragraph{
        .text = std::string(name_of(note.level)) + ": " + note.text, .tone = tone_of(note.level)});
  }
}

// "the largest part of a step of 10.0 ms is compute, 79.8 %"; empty where there is no step.
std::string largest_part(const AnalysedTrace& analysed) {
  const analyze::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0) return {};
  const auto parts = analyze::step_parts();
  const auto largest = std::ranges::max_element(
      parts, {}, [&](const analyze::StepPart& part) { return part.of(idle->counted); });
  const auto wall_ns = double(idle->counted.wall_ns);
  return "the largest part of a step of " +
         text::duration(wall_ns / double(analysed.analysis.steps.counted().size())) + " is " +
         words_of_part(largest->name, idle->scope) + ", " +
         text::percent_text(double(largest->of(idle->counted)) / wall_ns);
}

// The finding by which most can be won, or that there is none.
document::Answer trace_answer(const AnalysedTrace& analysed) {
  document::Answer answer;
  const std::string part = largest_part(analysed);
  const auto first = std::ranges::find_if(analysed.findings, [](const Finding& finding) {
    return finding.undecided.empty() && finding.severity != Severity::kInfo;
  });
  if (first != analysed.findings.end()) {
    answer = {.text = first->text, .tone = tone_of(first->severity)};
    if (first->gain_ns) {
      answer.text += "; to be won at most: " + text::duration(*first->gain_ns) + " per step (" +
                     text::percent_text(first->share.value_or(0)) + ')';
    }
  } else {
    answer.text = part.empty() ? "there is no step, and no time to break down"
                               : "nothing to mend was found: " + part;
  }
  for (const analyze::IntegrityNote& note : analysed.analysis.integrity) {
    if (note.level != analyze::IntegrityLevel::kNote)
      answer.doubts.push_back(integrity_doubt(note));
  }
  if (!analysed.analysis.blocked()) return answer;
  answer.text = "the trace is broken, do not trust its numbers: " + answer.text;
  answer.tone = document::Tone::kBad;
  return answer;
}

// What stands for the rows that are shown.
std::string counted_words(const analyze::Steps& steps) {
  const std::size_t counts = steps.counted().size();
  std::string text = "mean of " + text::counted(std::int64_t(counts), "step");
  if (steps.chosen) return text + " as chosen";
  if (counts < steps.steps.size()) {
    text += " of " + std::to_string(steps.steps.size()) +
            (counts + 2 == steps.steps.size() ? ", without the first and the last"
                                              : ", without those that are not whole");
  }
  return text;
}

std::string scope_words(const analyze::IdleReport& idle) {
  switch (idle.scope) {
    case analyze::IdleScope::kDevice:
      return "device " + std::to_string(*idle.device);
    case analyze::IdleScope::kAllDevices:
      return "all devices together: idle is where none works";
    case analyze::IdleScope::kHost:
      return "the step thread of the host: no device in this trace";
  }
  return {};
}

document::Table parts_table(const analyze::Steps& steps, const analyze::IdleReport& idle) {
  const auto counts = static_cast<double>(steps.counted().size());
  const double wall_ns = double(idle.counted.wall_ns) / counts;
  const text::TimeUnit unit = text::unit_for(std::vector<double>{wall_ns});
  document::Table table{.title = "where the time of a step goes (" + counted_words(steps) + ')',
                        .aside = window_aside(words_of_window(steps.window)),
                        .columns = {document::words("part"),
                                    {.head = "per step", .unit = std::string(unit.name)},
                                    {.head = "share", .unit = "%"},
                                    {.head = "", .left = true, .drop_at = 1}}};
  // Of one step there is no spread, and of one in all neither a first nor a last.
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
  const auto add = [&](std::string name, std::int64_t (*of)(const analyze::StepTime&), bool bar) {
    const double mean_ns = double(of(idle.counted)) / counts;
    std::vector<document::Cell> cells = {
        std::move(name), document::time(mean_ns, unit), document::share(mean_ns, wall_ns),
        bar ? document::bar(mean_ns / wall_ns, kBarCells) : std::string()};
    const analyze::Summary spread = idle.summary(steps, of);
    std::vector<double> more_ns;
    if (spreads) more_ns = {spread.median, spread.p90, spread.max};
    if (edges) {
      more_ns.push_back(double(of(idle.steps.front())));
      more_ns.push_back(double(of(idle.steps.back())));
    }
    for (const double ns : more_ns) cells.push_back(document::time(ns, unit));
    table.rows.push_back({.cells = std::move(cells)});
  };
  for (const analyze::StepPart& part : analyze::step_parts()) {
    const bool of_device =
        idle.scope == analyze::IdleScope::kHost && !part.name.starts_with("idle_");
    if (of_device || part.of(idle.counted) <= 0) continue;
    add(words_of_part(part.name, idle.scope), part.of, true);
  }
  add(
      "sum", [](const analyze::StepTime& step) { return step.wall_ns; }, false);
  return table;
}

void add_step(const AnalysedTrace& analysed, std::vector<document::Block>& blocks) {
  const analyze::Steps& steps = analysed.analysis.steps;
  const analyze::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0) {
    blocks.emplace_back(
        document::Heading{"where the time of a step goes (" + counted_words(steps) + ')',
                          window_aside(words_of_window(steps.window))});
    blocks.emplace_back(document::Paragraph{"there is no step, and no time to break down"});
    return;
  }
  blocks.emplace_back(parts_table(steps, *idle));
  std::vector<std::string> lines = {scope_words(*idle)};
  if (idle->counted.data_hidden_ns > 0) {
    lines.push_back(
        "of loading data, another " +
        text::duration(double(idle->counted.data_hidden_ns) / double(steps.counted().size())) +
        " per step is hidden behind work of the device");
  }
  if (!steps.reason.empty()) lines.push_back(steps.reason);
  document::add_paragraphs(blocks, lines);
}

// Viewers count time from the first row on.
std::int64_t first_ns(const trace::Trace& trace) {
  std::optional<std::int64_t> first;
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.events.empty()) continue;
    const std::int64_t begin_ns = lane.events.front().start_ns;
    first = std::min(first.value_or(begin_ns), begin_ns);
  }
  return first.value_or(0);
}

std::string place_words(const Finding::Place& place, std::int64_t begin_ns) {
  return place.name + ' ' + text::duration(double(place.duration_ns)) + " at " +
         text::significant(double(place.at_ns - begin_ns) / 1e6, 6) + " ms" +
         (place.step < 0 ? "" : " (step " + std::to_string(place.step) + ')');
}

document::Paragraph finding_paragraph(const Finding& finding, std::int64_t begin_ns) {
  document::Paragraph paragraph{.text = std::string(name_of(finding.severity)) + ": " +
                                        finding.text + " [" + finding.id +
                                        (finding.low_confidence ? ", low confidence" : "") + ']',
                                .tone = tone_of(finding.severity)};
  if (finding.gain_ns) {
    paragraph.below.emplace_back("gain: at most " + text::duration(*finding.gain_ns) +
                                 " per step (" + text::percent_text(finding.share.value_or(0)) +
                                 ")");
  }
  if (!finding.remedy.empty()) paragraph.below.emplace_back(finding.remedy);
  if (!finding.set.empty()) {
    const auto option = [](const Finding::Set& set) {
      return "--set " + text::shell_word(set.option + '=' + set.value);
    };
    paragraph.below.emplace_back("try: " + text::join(finding.set, " ", option), true);
  }
  constexpr std::size_t kShown = 3;
  const std::span shown = std::span(finding.places).first(std::min(kShown, finding.places.size()));
  if (!shown.empty()) {
    const auto words = [&](const Finding::Place& place) { return place_words(place, begin_ns); };
    paragraph.below.emplace_back("look at: " + text::join(shown, "; ", words));
  }
  return paragraph;
}

void add_findings(const AnalysedTrace& analysed, std::vector<document::Block>& blocks) {
  const std::int64_t begin_ns = first_ns(*analysed.trace);
  bool found = false;
  std::map<std::string, std::vector<std::string>> undecided;
  blocks.emplace_back(document::Heading{"findings, by what could be won"});
  for (const Finding& finding : analysed.findings) {
    if (finding.undecided.empty()) {
      blocks.emplace_back(finding_paragraph(finding, begin_ns));
      found = true;
    } else {
      undecided[finding.undecided].push_back(finding.id);
    }
  }
  if (!found) blocks.emplace_back(document::Paragraph{"nothing reaches its threshold"});
  constexpr std::size_t kMostNamed = 3;
  for (const auto& [reason, ids] : undecided) {
    blocks.emplace_back(document::Paragraph{
        "not decided: " +
        (ids.size() <= kMostNamed ? text::join(ids) : text::counted(std::ssize(ids), "rule")) +
        ": " + reason});
  }
}

}  // namespace

document::Document analysis_document(const AnalysedTrace& analysed, std::size_t row_limit) {
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  add_integrity(analysed, overview.blocks);
  add_step(analysed, overview.blocks);
  add_findings(analysed, overview.blocks);
  return {.headline = headline_of(analysed),
          .answer = trace_answer(analysed),
          .chapters = {std::move(overview),
                       {.id = "tables",
                        .title = "Tables",
                        .blocks = analysis_tables(analysed, row_limit),
                        .folded = true}},
          .all_columns_in = "--format markdown"};
}

}  // namespace stepbench::report
