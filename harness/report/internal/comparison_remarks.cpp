// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/comparison_remarks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "harness/base/format.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxCauses = 200;

using Paragraphs = std::vector<document::Paragraph>;

// "aten::copy_ +120 calls/step (12 -> 132), 4 % -> 9 % of op time, in forward [[8, 32]]"
std::string op_text(const verdict::OpChange& change) {
  std::string text = change.name;
  const double more = change.candidate_calls - change.base_calls;
  if (more != 0) {
    text +=
        formatted("{}{} calls/step ({} -> {}),", more > 0 ? " +" : " ", text::significant(more),
                  text::significant(change.base_calls), text::significant(change.candidate_calls));
  }
  if (change.change_ns) {
    text += formatted(
        "{}{} per step ({} to {} over profiled launches),", *change.change_ns < 0 ? " -" : " +",
        text::duration(std::abs(*change.change_ns)), text::signed_duration(change.range_ns.low),
        text::signed_duration(change.range_ns.high));
  }
  text += formatted(" {} % -> {} % of op time", text::significant(100 * change.base_share, 2),
                    text::significant(100 * change.candidate_share, 2));
  if (!change.phase.empty()) text += ", in " + change.phase;
  if (!change.shapes.empty()) text += ' ' + change.shapes;
  return text;
}

document::Paragraph cause_of(const verdict::CaseResult& one, const ComparisonNames& names) {
  document::Paragraph paragraph{.text = names.of(one) + ":"};
  paragraph.text += text::join(one.cause, ",", [](const verdict::PhaseChange& change) {
    return formatted(" {}{}{} per step ({} % of the change)", phase_text(change),
                     change.change_ns < 0 ? " -" : " +", text::duration(std::abs(change.change_ns)),
                     text::significant(100 * change.share, 2));
  });
  if (one.page_faults) {
    paragraph.below.emplace_back(fault_text(*one.page_faults) +
                                 ": memory given back to the system and taken again");
  }
  for (const std::string& line : one.waiting_ranks) paragraph.below.emplace_back(line);
  for (std::size_t i = 0; i < std::min(one.ops.size(), verdict::kMaxOpChanges); ++i) {
    paragraph.below.emplace_back(op_text(one.ops[i]));
  }
  if (one.ops.size() > verdict::kMaxOpChanges) {
    paragraph.below.emplace_back(
        formatted("{} more ops (the JSON form has all)", one.ops.size() - verdict::kMaxOpChanges));
  }
  return paragraph;
}

void add_environment(const verdict::Comparison& comparison, Paragraphs& remarks) {
  for (const verdict::EnvironmentDifference& difference : comparison.environment) {
    if (difference.field_class == verdict::FieldClass::kInformative) continue;
    if (difference.allowed && difference.field_class == verdict::FieldClass::kShouldMatch) continue;
    // Interleaved arms differ only by design: such a difference is the subject of the comparison.
    const bool compared = comparison.rule.design == verdict::Design::kInterleaved &&
                          difference.field_class == verdict::FieldClass::kShouldMatch;
    const bool fine = difference.allowed || compared;
    std::string text = compared ? "compared: " : difference.allowed ? "allowed: " : "warning: ";
    text +=
        formatted("{} differs: {} -> {}", difference.field, difference.base, difference.candidate);
    if (difference.cases > 0) {
      text += " (in " + text::counted(difference.cases, "case") + ')';
    }
    remarks.push_back({.text = std::move(text),
                       .tone = fine ? document::Tone::kPlain : document::Tone::kDoubt,
                       .doubt = fine ? "" : difference.field + " differs"});
  }
}

// Notes that drift of the machine looks like a change.
void add_order(const verdict::Comparison& comparison, Paragraphs& remarks) {
  const bool timed = std::ranges::any_of(comparison.cases, [](const verdict::CaseResult& one) {
    return std::ranges::any_of(one.metrics, &verdict::MetricResult::decides) &&
           std::ranges::all_of(one.metrics, &verdict::MetricResult::decides);
  });
  if (!timed || comparison.rule.design != verdict::Design::kSequential) return;
  remarks.push_back({.text =
                         "One was measured after the other, so a drift of the machine looks like "
                         "a change: nothing is confirmed.",
                     .tone = document::Tone::kDoubt,
                     .doubt = "one was measured after the other"});
}

// Names at most the first of many noisy cases.
void add_gates(const verdict::Comparison& comparison, const ComparisonNames& names,
               Paragraphs& remarks) {
  constexpr std::size_t kNamed = 6;
  std::size_t of_cases = 0;
  std::size_t more = 0;
  for (const verdict::Gate& gate : comparison.gates) {
    if (gate.state == verdict::GateState::kPassed) continue;
    if (!gate.case_id.empty() && of_cases++ >= kNamed) {
      ++more;
      continue;
    }
    const bool failed = gate.state == verdict::GateState::kFailed;
    std::string text = failed ? "invalid: " : gate.allowed ? "allowed: " : "warning: ";
    const std::string of_case = gate.case_id.empty() ? "" : names.of_id(gate.case_id) + ": ";
    const bool doubted = failed || !gate.allowed;
    const std::string& doubt = gate.doubt.empty() ? gate.text : gate.doubt;
    remarks.push_back({.text = text + of_case + gate.text,
                       .tone = doubted ? tone_of(gate.state) : document::Tone::kPlain,
                       .doubt = doubted ? of_case + doubt : ""});
  }
  if (more > 0) {
    remarks.push_back({formatted("warning: {} of cases differ like that (the JSON form has all)",
                                 text::counted(more, "more arm")),
                       document::Tone::kDoubt});
  }
}

// Converts the judge's note names to words; sentences are returned unchanged.
std::string note_text(const std::string& note) {
  if (note == "skewed") {
    return "the pairs are skewed: without assuming symmetry it is unclear whether the change is "
           "beyond the margin";
  }
  if (note == "clock_resolution") {
    return "more than a fifth of the pairs are exactly equal: the clock is too coarse";
  }
  if (note == "zero_variance") return "every pair changed by exactly the same";
  return note;
}

void add_case_notes(const verdict::Comparison& comparison, const ComparisonNames& names,
                    Paragraphs& remarks) {
  struct Where {
    const verdict::CaseResult* first;
    std::size_t cases = 0;
  };
  std::map<std::string, Where> by_text;
  for (const verdict::CaseResult& one : comparison.cases) {
    const auto add = [&](const std::string& text) {
      ++by_text.try_emplace(text, Where{&one}).first->second.cases;
    };
    for (const std::string& note : one.notes) add(note);
    for (const verdict::MetricResult& metric : one.metrics) {
      for (const std::string& note : metric.test.notes) {
        if (note == "zero_variance" && !metric.timed) continue;  // bytes often have none
        add(metric.name + ": " + note_text(note));
      }
    }
  }
  for (const auto& [note, where] : by_text) {
    std::string text = "note: " + names.of(*where.first);
    if (where.cases > 1) text += formatted(" and {} more", where.cases - 1);
    remarks.push_back({text + ": " + note, document::Tone::kDoubt});
  }
}

// "ok does not exclude that up to 14 % of the launches are far slower: none of 20 was"
std::string limits_of_ok(const verdict::Comparison& comparison) {
  std::map<std::size_t, double> shares;  // by number of launches, none of them slow
  for (const auto& [all, one, metric, test] : compared_metrics({&comparison, 1})) {
    if (test->verdict != verdict::Verdict::kOk || !metric->timed || !metric->decides) continue;
    if (test->candidate_launches == 0 || test->slow_candidate > 0) continue;
    shares.emplace(test->candidate_launches, test->slow_share_below);
  }
  if (shares.empty()) return {};
  return formatted("ok does not exclude that up to {}: more launches exclude more",
                   text::join(shares, ", ", [](const auto& share) {
                     return formatted("{} % of all launches are far slower (none of {} was)",
                                      text::significant(100 * share.second, 2), share.first);
                   }));
}

void add_missing(const std::vector<verdict::MissingCase>& cases, const std::string& side,
                 const ComparisonNames& names, Paragraphs& remarks) {
  constexpr std::size_t kNamed = 5;
  if (cases.empty()) return;
  std::string text = formatted("only in {}: {},", side, text::counted(std::ssize(cases), "case"));
  for (std::size_t i = 0; i < std::min(kNamed, cases.size()); ++i) {
    text += (i == 0 ? " " : ", ") + names.of(cases[i]);
    if (!cases[i].nearest.empty())
      text += formatted(" (the nearest differs in {})", cases[i].nearest);
  }
  if (cases.size() > kNamed) text += " ...";
  remarks.push_back({std::move(text)});
}

document::Paragraph self_check(const verdict::AaControl& control) {
  const auto launches = static_cast<std::int64_t>(4 * control.pooled_quads);
  const std::string begin = "A/A self-check: ";
  const std::string seen =
      formatted(" ({}, p {})", text::counted(launches, "launch"), adjusted_p_text(control.p));
  switch (control.state) {
    case verdict::AaControl::State::kTooFew:
      break;
    case verdict::AaControl::State::kPassed:
      return {begin + "passed" + seen};
    case verdict::AaControl::State::kFailed:
      return {formatted("{}failed{}: the base differs from itself, so no verdict is valid", begin,
                        seen),
              document::Tone::kBad};
  }
  return {formatted("{}too few launches ({} of {})", begin, launches, 4 * verdict::kMinQuads)};
}

// Command line that turns failed gates into warnings; empty if none failed.
std::string judge_again_command(const verdict::Comparison& comparison) {
  std::set<std::string> failed;
  for (const verdict::Gate& gate : comparison.gates) {
    if (gate.state == verdict::GateState::kFailed) failed.insert(gate.name);
  }
  if (failed.empty() || comparison.judge_again.empty()) return {};
  return comparison.judge_again + " --allow " + text::join(failed, " --allow ");
}

}  // namespace

Paragraphs cause_paragraphs(const verdict::Comparison& comparison, const ComparisonNames& names) {
  Paragraphs paragraphs;
  for (const verdict::CaseResult& one : comparison.cases) {
    if (one.cause.empty() && one.ops.empty() && !one.page_faults) continue;
    if (paragraphs.size() < kMaxCauses) paragraphs.push_back(cause_of(one, names));
  }
  return paragraphs;
}

Paragraphs remark_paragraphs(const verdict::Comparison& comparison, const ComparisonNames& names) {
  const bool arms = !comparison.looks.empty();
  Paragraphs remarks;
  add_environment(comparison, remarks);
  for (const std::string& warning : comparison.warnings) {
    remarks.push_back({"warning: " + warning, document::Tone::kDoubt});
  }
  add_order(comparison, remarks);
  add_gates(comparison, names, remarks);
  add_case_notes(comparison, names, remarks);
  if (std::string open = limits_of_ok(comparison); !open.empty()) {
    remarks.push_back({std::move(open)});
  }
  add_missing(comparison.only_base, arms ? "arm A" : comparison.base, names, remarks);
  add_missing(comparison.only_candidate, arms ? "arm B" : comparison.candidate, names, remarks);
  remarks.push_back(self_check(comparison.aa_control));
  if (!comparison.machine.empty()) remarks.push_back({comparison.machine});
  return remarks;
}

void add_remarks(document::Document& document, Paragraphs causes, const Paragraphs& remarks,
                 std::span<const verdict::Comparison> comparisons) {
  document::Chapter inside{.id = comparison_chapters::kCauses, .title = "Causes", .blocks = {}};
  if (!causes.empty()) {
    inside.blocks.emplace_back(document::Heading{"What changed inside a step"});
    std::ranges::move(causes, std::back_inserter(inside.blocks));
  }
  document::Chapter plain{.id = comparison_chapters::kRemarks, .title = "Remarks", .blocks = {}};
  document::Chapter doubts{.id = comparison_chapters::kDoubts, .title = "Doubts", .blocks = {}};
  for (const document::Paragraph& remark : remarks) {
    const std::string& doubt = remark.doubt;
    const bool already_shown =
        !doubt.empty() && remark.below.empty() && remark.text.ends_with(doubt);
    if (already_shown) continue;  // already shown below the answer
    (remark.tone == document::Tone::kPlain ? plain : doubts).blocks.emplace_back(remark);
  }
  std::string commands;
  for (const verdict::Comparison& comparison : comparisons) {
    const std::string command = judge_again_command(comparison);
    if (commands.find(command) == std::string::npos) commands += command + '\n';
  }
  if (!commands.empty()) {
    doubts.blocks.emplace_back(document::Verbatim{
        .title = "To judge the same launches again without measuring, with this as a warning",
        .text = std::move(commands)});
  }
  for (document::Chapter* chapter : {&inside, &plain, &doubts}) {
    document.chapters.push_back(std::move(*chapter));
  }
}

MovedMetrics moved_metrics(std::span<const verdict::Comparison> comparisons) {
  MovedMetrics moved;
  for (const auto& [comparison, one, metric, test] : compared_metrics(comparisons)) {
    if (!metric->primary || !test->change) continue;
    if (!verdict::is_rejected(*test, comparisons.front().rule.q)) continue;
    ++(*test->change > 0 ? moved.rose : moved.fell);
  }
  return moved;
}

std::string moved_text(const MovedMetrics& moved) {
  return formatted("{} rose, {} fell, before margins", moved.rose, moved.fell);
}

}  // namespace stepbench::report
