// SPDX-License-Identifier: Apache-2.0
#include "harness/report/bisect_document.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/bisect/programs.h"
#include "harness/document/cells.h"
#include "harness/report/comparison_chapters.h"
#include "harness/report/comparison_document.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using bisect::BisectRun;
using bisect::Ends;
using bisect::JudgedStep;
using bisect::SearchAnswer;
using bisect::SearchStep;
using bisect::Side;

constexpr std::size_t kShownHidden = 5;  // commits that may hide the culprit

std::string change_between(const Ends& change) {
  if (change.low == change.high) return text::signed_percent(std::expm1(change.size)) + " %";
  return text::signed_percent(std::expm1(change.size)) + " % [" +
         text::signed_percent(std::expm1(change.low)) + ", " +
         text::signed_percent(std::expm1(change.high)) + "]";
}

std::string titled(const bisect::Commit& commit) {
  return bisect::short_id(commit) + (commit.title.empty() ? "" : " \"" + commit.title + "\"");
}

// "step", of counts the one that moved.
const std::string& judged_metric(const BisectRun& run) {
  return run.counted.empty() ? run.metric : run.counted;
}

// " in backward (aten::copy_ +4 calls/step)", as far as it is known.
std::string cause_of_culprit(const BisectRun& run) {
  if (run.comparison.cases.empty()) return {};
  const compare::CaseResult& one = run.comparison.cases.front();
  std::string phase = one.cause.empty() ? std::string() : one.cause.front().phase;
  const auto called = std::ranges::find_if(one.ops, [&](const compare::OpChange& op) {
    return op.candidate_calls != op.base_calls && (phase.empty() || op.phase == phase);
  });
  if (called == one.ops.end()) return phase.empty() ? std::string() : " in " + phase;
  const double more = called->candidate_calls - called->base_calls;
  if (phase.empty()) phase = called->phase;
  return (phase.empty() ? std::string() : " in " + phase) + " (" + called->name +
         (more > 0 ? " +" : " ") + text::significant(more) + " calls/step)";
}

std::string cost_of_search(const BisectRun& run) {
  return text::counted(static_cast<std::int64_t>(run.builds), "build") + ", " +
         text::counted(static_cast<std::int64_t>(run.launches), "launch") + ", " +
         text::rough_duration(run.seconds);
}

std::string search_answer(const BisectRun& run) {
  const std::string good = bisect::short_id(run.commits[run.good]);
  const std::string bad = bisect::short_id(run.commits[run.bad]);
  const std::string first = bisect::short_id(run.commits.front());
  const std::string last = bisect::short_id(run.commits.back());
  switch (run.answer) {
    case SearchAnswer::kFound:
      return "culprit: " + titled(run.commits[run.bad]) + ": " + judged_metric(run) + ' ' +
             change_between(run.culprit) + cause_of_culprit(run) + ", " +
             (run.counted.empty() ? "confidence " + text::percent_text(run.confidence)
                                  : std::string("counted")) +
             "; " + cost_of_search(run);
    case SearchAnswer::kRange:
      return "the culprit is one of the " +
             text::counted(static_cast<std::int64_t>(run.bad - run.good), "commit") + " after " +
             good + " up to " + bad + ": those between could not be judged";
    case SearchAnswer::kNotReproduced:
      return "not reproduced: " + last + " against " + first + ": " + judged_metric(run) + ' ' +
             change_between(run.ends);
    case SearchAnswer::kContradicted:
      return "not decided: the search ends at " + bad +
             ", but fresh pairs of it and the commit "
             "before it do not show the change (" +
             change_between(run.culprit) + ")";
    case SearchAnswer::kOpen:
      return "not finished";
  }
  return {};
}

std::vector<document::Line> below_search_answer(const BisectRun& run) {
  std::vector<document::Line> lines;
  if (run.answer == SearchAnswer::kContradicted) {
    lines.emplace_back(
        "the culprit may be any commit of the range: a change that comes from where "
        "code lies in memory moves with every build; a build that is relinked in "
        "another order, or more launches per side, tell");
  }
  if (run.answer == SearchAnswer::kNotReproduced && run.ends.high > 0) {
    lines.emplace_back("a change above " + text::signed_percent(std::expm1(run.ends.high)) +
                       " % is ruled out");
  }
  if (run.answer == SearchAnswer::kRange) {
    std::size_t shown = 0;
    for (std::size_t i = run.good + 1; i <= run.bad && shown < kShownHidden; ++i, ++shown) {
      lines.emplace_back(titled(run.commits[i]));
    }
    const std::size_t more = run.bad - run.good - shown;
    if (more > 0) lines.emplace_back("and " + std::to_string(more) + " more");
  }
  if (run.rest && run.rest->worse) {
    lines.emplace_back("later commits made it slower again: " + change_between(*run.rest) +
                       " from there to the bad end; search from the culprit on to find them");
  } else if (run.rest && run.rest->high < 0) {
    lines.emplace_back("later commits took some of it back: " + change_between(*run.rest));
  }
  if (run.branch && run.inside.empty()) {
    lines.emplace_back("it merges a branch: --all, or `stepbench bisect " +
                       bisect::short_id({.id = run.branch->base}) + ' ' +
                       bisect::short_id({.id = run.branch->tip}) + " ...` searches its commits");
  }
  if (!run.inside.empty() && run.inside.front().answer == SearchAnswer::kNotReproduced) {
    lines.emplace_back(
        "the branch alone is not slower: the merge itself, or both sides together, "
        "made the change");
  }
  if (!run.repeat.empty()) lines.emplace_back(run.repeat, true);
  return lines;
}

std::string step_verdict(const JudgedStep& judged) {
  if (!judged.why_not.empty()) return "left out: " + judged.why_not;
  switch (judged.step.kind) {
    case SearchStep::Kind::kEnds:
      return judged.change.worse ? "slower: the change to find" : "no change";
    case SearchStep::Kind::kCulprit:
      return judged.side == Side::kBad ? "confirmed" : "not confirmed";
    case SearchStep::Kind::kRest:
      return judged.change.worse ? "slower again" : "nothing more";
    case SearchStep::Kind::kCommit:
      break;
  }
  if (judged.side == Side::kOpen) return "undecided";
  const std::string side = judged.side == Side::kGood ? "as good" : "as bad";
  if (judged.counted.empty()) return side;
  return side + ": " + judged.counted + ' ' + text::signed_percent(std::expm1(judged.change.size)) +
         " %";
}

document::Table judged_table(const BisectRun& run) {
  document::Column title = document::words("title");
  title.drop_at = 2;
  title.shrink_at = 1;
  title.shrink_to = 20;
  document::Table table{.columns = {document::words("commit"),
                                    std::move(title),
                                    document::words("against"),
                                    {.head = "pairs"},
                                    {.head = judged_metric(run)},
                                    document::words("95 %"),
                                    document::words("verdict")}};
  table.columns[5].head = "interval";
  for (const JudgedStep& each : run.judged) {
    const bisect::Commit& commit = run.commits[each.step.candidate];
    document::TableRow row{.cells = {bisect::short_id(commit), commit.title,
                                     bisect::short_id(run.commits[each.step.base])}};
    if (!each.counted.empty()) {
      row.cells.insert(row.cells.end(), {"counted", "-", "-"});
    } else if (each.why_not.empty()) {
      row.cells.push_back(document::count(static_cast<std::int64_t>(each.pairs)));
      row.cells.push_back(document::change(std::expm1(each.change.size)));
      row.cells.emplace_back(each.change.low == each.change.high
                                 ? std::string("-")
                                 : text::signed_percent(std::expm1(each.change.low)) + ", " +
                                       text::signed_percent(std::expm1(each.change.high)));
    } else {
      row.cells.insert(row.cells.end(), {"-", "-", "-"});
      row.tone = document::Tone::kDoubt;
    }
    row.cells.emplace_back(step_verdict(each));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Of the comparison of the culprit with the commit before it: what changed inside a step.
void add_causes_of_culprit(const BisectRun& run, std::vector<document::Block>& blocks) {
  if (run.answer != SearchAnswer::kFound || run.comparison.cases.empty()) return;
  const document::Document comparison = comparison_document({&run.comparison, 1}, false);
  for (const document::Chapter& chapter : comparison.chapters) {
    if (chapter.id != comparison_chapters::kCauses) continue;
    blocks.insert(blocks.end(), chapter.blocks.begin(), chapter.blocks.end());
  }
}

document::Chapter chapter_of_search(const BisectRun& run) {
  document::Chapter chapter{.id = "bisect", .title = "Search", .blocks = {}};
  const bool found = run.answer == SearchAnswer::kFound;
  chapter.blocks.emplace_back(
      document::Paragraph{.text = search_answer(run),
                          .tone = found ? document::Tone::kBad : document::Tone::kDoubt,
                          .below = below_search_answer(run)});
  chapter.blocks.emplace_back(judged_table(run));
  chapter.blocks.emplace_back(document::Paragraph{
      .text = cost_of_search(run) + ", " +
              text::counted(static_cast<std::int64_t>(run.commits.size()) - 1, "commit") +
              " in the range"});
  add_causes_of_culprit(run, chapter.blocks);
  if (!run.changes.empty()) {
    chapter.blocks.emplace_back(
        document::Verbatim{.title = "What the commit changed", .text = run.changes});
  }
  return chapter;
}

}  // namespace

document::Document bisect_document(const bisect::BisectRun& run) {
  document::Document document;
  document.chapters.push_back(chapter_of_search(run));
  // The closer answer stands first.
  if (!run.inside.empty()) {
    const BisectRun& inside = run.inside.front();
    document::Document closer = bisect_document(inside);
    const bool found =
        inside.answer == SearchAnswer::kFound || inside.answer == SearchAnswer::kRange;
    document.chapters.insert(found ? document.chapters.begin() : document.chapters.end(),
                             closer.chapters.begin(), closer.chapters.end());
  }
  return document;
}

}  // namespace stepbench::report
