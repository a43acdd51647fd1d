// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/bisect/bisect_result.h"
#include "harness/bisect/programs.h"
#include "harness/document/document.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using bisect::BisectRun;
using bisect::JudgedStep;
using bisect::RelativeChange;
using bisect::SearchAnswer;

constexpr std::size_t kShownHidden = 5;  // commits shown of a range

std::string change_text_of(double change) { return text::signed_percent(change) + " %"; }

std::string change_between(const RelativeChange& change) {
  if (change.low == change.high) return change_text_of(change.change);
  return formatted("{} [{}, {}]", change_text_of(change.change), text::signed_percent(change.low),
                   text::signed_percent(change.high));
}

std::string short_commit(const std::string& id) { return bisect::short_id({.id = id}); }

std::string titled_commit(const bisect::Commit& commit) {
  return bisect::short_id(commit) + (commit.title.empty() ? "" : " \"" + commit.title + "\"");
}

std::size_t place_of(const BisectRun& run, const std::string& id) {
  return static_cast<std::size_t>(std::ranges::find(run.commits, id, &bisect::Commit::id) -
                                  run.commits.begin());
}

std::string commits(std::size_t count) { return text::counted(count, "commit"); }

// The judged metric: "step", or for counts the one that changed.
const std::string& judged_metric(const BisectRun& run) {
  return run.is_counted() && !run.counted.empty() ? run.counted : run.metric;
}

// " in backward (aten::copy_ +4 calls/step)", as far as known.
std::string cause_of_culprit(const BisectRun& run) {
  if (run.comparison.cases.empty()) return {};
  const verdict::CaseResult& one = run.comparison.cases.front();
  std::string phase = one.cause.empty() ? std::string() : one.cause.front().phase;
  const auto called = std::ranges::find_if(one.ops, [&](const verdict::OpChange& op) {
    return op.candidate_calls != op.base_calls && (phase.empty() || op.phase == phase);
  });
  if (called == one.ops.end()) return phase.empty() ? std::string() : " in " + phase;
  const double more = called->candidate_calls - called->base_calls;
  if (phase.empty()) phase = called->phase;
  return formatted("{} ({}{}{} calls/step)", phase.empty() ? std::string() : " in " + phase,
                   called->name, more > 0 ? " +" : " ", text::significant(more));
}

std::string cost_of_search(const BisectRun& run) {
  return formatted("{}, {}, {}", text::counted(run.builds, "build"),
                   text::counted(run.launches, "launch"), text::rough_duration(run.seconds));
}

std::string chance_of(const BisectRun& run) {
  return "chance " + text::percent_text(run.range->chance);
}

std::string search_answer(const BisectRun& run) {
  const std::string& metric = judged_metric(run);
  const auto culprit = [&] {
    return formatted("{}: {} {}{}", titled_commit(run.commits[place_of(run, run.culprit->commit)]),
                     metric, change_between(run.culprit->change), cause_of_culprit(run));
  };
  switch (run.answer) {
    case SearchAnswer::kFound:
      return formatted("culprit: {}, {}; {}", culprit(),
                       run.is_counted() ? std::string("counted")
                                        : "confidence " + text::percent_text(run.confidence),
                       cost_of_search(run));
    case SearchAnswer::kLikely:
      return formatted("likely, not sure: {}; {}", culprit(), cost_of_search(run));
    case SearchAnswer::kRange:
      return formatted("the culprit is one of the {} after {} up to {}, {}: {} {} between the ends",
                       commits(run.range->commits), short_commit(run.range->after),
                       short_commit(run.range->last), chance_of(run), metric,
                       change_between(run.ends));
    case SearchAnswer::kUndecided:
      return formatted(
          "not decided: the culprit may be any of the {} after {} up to {}, {}: {} {} between the "
          "ends",
          commits(run.range->commits), short_commit(run.range->after),
          short_commit(run.range->last), chance_of(run), metric, change_between(run.ends));
    case SearchAnswer::kNotReproduced:
      return formatted("not reproduced: {} against {}: {} {}", bisect::short_id(run.commits.back()),
                       bisect::short_id(run.commits.front()), metric, change_between(run.ends));
    case SearchAnswer::kOpen:
      return "not finished";
  }
  return {};
}

std::string uncertainty_reason(const BisectRun& run) {
  if (!run.layout_redrawn) {
    return "both of its builds have the same memory layout, because its linker is not the one in "
           "COMPILER_PATH: layout may explain the whole change";
  }
  const bool any_built_separately = std::ranges::any_of(run.judged, [](const JudgedStep& each) {
    return each.built_separately && each.why_not.empty();
  });
  if (!any_built_separately || !run.layout) {
    return "it and the commit before it could not be rebuilt with other layouts to confirm it";
  }
  return formatted(
      "builds of the same source differ by about {}, by where code lies in memory: a step below "
      "twice that may be such a difference",
      text::percent_text(*run.layout));
}

void add_elsewhere(const BisectRun& run, std::vector<document::Line>& lines) {
  if (!run.elsewhere) return;
  if (run.elsewhere->change < 0) {
    lines.emplace_back("other commits reversed some of it: " + change_between(*run.elsewhere));
    return;
  }
  const std::size_t culprit = place_of(run, run.culprit->commit);
  std::string text =
      formatted("further change elsewhere: {}; search", change_between(*run.elsewhere));
  if (culprit > 1) {
    text += formatted(" from {} to {}", bisect::short_id(run.commits.front()),
                      bisect::short_id(run.commits[culprit - 1]));
  }
  if (culprit + 1 < run.commits.size()) {
    text += formatted("{} from {} to {}", culprit > 1 ? " and" : "",
                      bisect::short_id(run.commits[culprit]), bisect::short_id(run.commits.back()));
  }
  lines.emplace_back(text);
}

std::vector<document::Line> below_search_answer(const BisectRun& run) {
  std::vector<document::Line> lines;
  if (run.answer == SearchAnswer::kLikely) lines.emplace_back(uncertainty_reason(run));
  if (run.answer == SearchAnswer::kNotReproduced && run.ends.high > 0) {
    lines.emplace_back(formatted("a change above {} is ruled out", change_text_of(run.ends.high)));
  }
  if (run.range && run.answer == SearchAnswer::kRange) {
    const std::size_t first = place_of(run, run.range->after) + 1;
    const std::size_t shown = std::min(kShownHidden, run.range->commits);
    for (std::size_t i = first; i < first + shown; ++i)
      lines.emplace_back(titled_commit(run.commits[i]));
    const std::size_t more = run.range->commits - shown;
    if (more > 0) lines.emplace_back(formatted("and {} more", more));
  }
  if (run.range && !run.culprit && run.range->skipped > 0) {
    lines.emplace_back(formatted("{} of them could not be built or measured", run.range->skipped));
  }
  if (run.culprit && !run.is_counted() && !run.counted.empty()) {
    lines.emplace_back(run.counted + " moved in the same commit");
  }
  add_elsewhere(run, lines);
  if (run.branch && run.inside.empty()) {
    lines.emplace_back(
        formatted("it merges a branch: --all, or `stepbench bisect {} {} ...` searches its commits",
                  short_commit(run.branch->base), short_commit(run.branch->tip)));
  }
  if (!run.inside.empty() && run.inside.front().answer == SearchAnswer::kNotReproduced) {
    lines.emplace_back(
        "the branch alone is not slower: the merge itself, or both sides together, "
        "made the change");
  }
  if (!run.repeat.empty()) lines.emplace_back(run.repeat, true);
  return lines;
}

std::string step_verdict(const BisectRun& run, const JudgedStep& judged) {
  if (!judged.why_not.empty()) return "left out: " + judged.why_not;
  // Without a layout the same programs are measured again.
  const std::string confirmed = run.layout ? "built apart" : "fresh pairs";
  std::string words;
  const std::size_t place = place_of(run, judged.commit);
  if (judged.base == run.commits.front().id && judged.commit == run.commits.back().id) {
    words = judged.built_separately ? "the ends, " + confirmed : "the ends";
  } else if (judged.built_separately) {
    words = confirmed;
  } else if (!run.range ||
             (place > place_of(run, run.range->after) && place < place_of(run, run.range->last))) {
    words = "undecided";
  } else {
    words = place <= place_of(run, run.range->after) ? "as good" : "as bad";
  }
  if (judged.repeated > 0) {
    words += formatted("; {} measured again: the machine favoured one side",
                       text::counted(judged.repeated, "pair"));
  }
  return words;
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
                                    document::words("interval"),
                                    document::words("verdict")}};
  for (const JudgedStep& each : run.judged) {
    document::TableRow row{.cells = {short_commit(each.commit),
                                     run.commits[place_of(run, each.commit)].title,
                                     short_commit(each.base)}};
    if (each.change) {
      row.cells.push_back(document::count(each.pairs));
      row.cells.push_back(document::change(each.change->change));
      row.cells.emplace_back(each.change->low == each.change->high
                                 ? std::string("-")
                                 : text::signed_percent(each.change->low) + ", " +
                                       text::signed_percent(each.change->high));
    } else {
      row.cells.insert(row.cells.end(), {"-", "-", "-"});
      row.tone = document::Tone::kDoubt;
    }
    row.cells.emplace_back(step_verdict(run, each));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Adds what changed inside a step between the culprit and the commit before it.
void add_causes_of_culprit(const BisectRun& run, std::vector<document::Block>& blocks) {
  if (!run.culprit || run.comparison.cases.empty()) return;
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
  chapter.blocks.emplace_back(
      document::Paragraph{.text = formatted("{}, {} in the range", cost_of_search(run),
                                            text::counted(run.commits.size() - 1, "commit"))});
  add_causes_of_culprit(run, chapter.blocks);
  if (!run.changes.empty()) {
    chapter.blocks.emplace_back(
        document::Verbatim{.title = "What the commit changed", .text = run.changes});
  }
  if (const std::string log = bisect::bisect_log(run); !log.empty()) {
    chapter.blocks.emplace_back(document::Verbatim{
        .title = formatted("For `git bisect replay {}`",
                           text::shell_word((run.folder / bisect::kLogFile).string())),
        .text = log,
        .folded = true});
  }
  return chapter;
}

std::string usual_and_most(const bisect::Expected& expected, std::string_view noun) {
  return formatted("about {}, at most {}", text::counted(expected.usual, noun), expected.most);
}

}  // namespace

document::Document bisect_document(const bisect::BisectRun& run) {
  document::Document document;
  document.chapters.push_back(chapter_of_search(run));
  // The more precise answer comes first.
  if (!run.inside.empty()) {
    const BisectRun& inside = run.inside.front();
    document::Document closer = bisect_document(inside);
    const bool found = inside.culprit.has_value() || inside.answer == SearchAnswer::kRange;
    document.chapters.insert(found ? document.chapters.begin() : document.chapters.end(),
                             closer.chapters.begin(), closer.chapters.end());
  }
  return document;
}

std::string bisect_plan_text(const bisect::BisectRequest& request,
                             const bisect::BisectPlan& planned) {
  std::string text =
      formatted("{} to search between {} and {}\n",
                text::counted(planned.commits, request.versions.empty() ? "commit" : "version"),
                request.good, request.bad);
  if (planned.builds.most > 0) {
    text += formatted("{}, by `{}`", usual_and_most(planned.builds, "build"), request.build);
    if (request.jobs > 1) text += formatted(", {} in parallel", request.jobs);
    text += '\n';
  }
  text += usual_and_most(planned.launches, "launch");
  if (!planned.launch_s) {
    return text + "; not measured before: the ends show the time of a launch\n";
  }
  const auto time = [&](std::size_t launches) {
    return text::rough_duration(static_cast<double>(launches) * *planned.launch_s);
  };
  return formatted("{}; about {}, at most {} by earlier results{}", text,
                   time(planned.launches.usual), time(planned.launches.most),
                   planned.builds.most > 0 ? ", plus the builds\n" : "\n");
}

}  // namespace stepbench::report
