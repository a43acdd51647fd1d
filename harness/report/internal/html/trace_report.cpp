// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/format.h"
#include "harness/report/internal/html/trace_charts.h"
#include "harness/report/pages.h"
#include "harness/report/trace_analysis.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kRows = 200;  // per table; the data has all rows

// Suffix of the ids of the place-th pair, job or trace: "-2", "-3".
std::string id_suffix(std::size_t place) { return place == 0 ? "" : formatted("-{}", place + 1); }

// Adds a trace or a pair with its charts: to a page of its own as chapters, the first chart in the
// first one; to a page of several as one chapter, `all`, whose answer is above all of them.
void add_parts(document::Document document, std::optional<document::Chapter> charts,
               std::optional<document::Chapter> all, ReportContent& content) {
  document::Chapter& overview = document.chapters.front();
  overview.blocks.insert(overview.blocks.begin(), document::Paragraph{document.headline});
  if (!all) {
    content.answer = std::move(document.answer);
    if (charts) move_first_figure(*charts, overview, 1);
  } else if (!document.answer.text.empty()) {
    overview.blocks.insert(overview.blocks.begin() + 1,
                           document::Paragraph{document.answer.text, document.answer.tone});
  }
  if (charts) {
    if (all) charts->blocks.insert(charts->blocks.begin(), document::Heading{charts->title});
    document.chapters.insert(document.chapters.begin() + 1, std::move(*charts));
  }
  for (document::Chapter& chapter : document.chapters) {
    if (all) {
      std::ranges::move(chapter.blocks, std::back_inserter(all->blocks));
    } else if (!chapter.blocks.empty()) {
      content.sections.push_back(std::move(chapter));
    }
  }
  if (all) content.sections.push_back(std::move(*all));
}

// The jobs of several ranks among the page's traces, members by rank.
std::vector<traces::RankJob> jobs_of(std::span<const AnalysedTrace> analysed) {
  std::vector<std::optional<traces::RankTrace>> ranks;
  for (const AnalysedTrace& each : analysed) {
    ranks.push_back(traces::rank_trace(each.path, *each.trace, each.analysis));
  }
  std::vector<traces::RankJob> jobs = traces::compare_jobs(std::move(ranks));
  for (traces::RankJob& job : jobs) {
    std::ranges::stable_sort(job.members, {},
                             [&](std::size_t i) { return analysed[i].trace->rank; });
  }
  return jobs;
}

// Adds the jobs' stragglers as first chapters. The first job with a straggler, or the first one,
// gives the page's answer. `first_place`: index of the first job in the data.
void add_jobs(const std::vector<traces::RankJob>& jobs, std::size_t first_place,
              ReportContent& content) {
  const auto slow = std::ranges::find_if(
      jobs, [](const traces::RankJob& job) { return job.report.straggler.has_value(); });
  const auto answering = slow == jobs.end() ? 0 : slow - jobs.begin();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    document::Document document = ranks_document(jobs[i].report, kRows);
    document::Chapter& chapter = document.chapters.front();
    chapter.id += id_suffix(i);
    std::vector<document::Block> first = {document::Paragraph{document.headline}};
    if (jobs.size() > 1) {
      const std::string job = formatted("job {}", i + 1);
      chapter.title += " of " + job;
      document.answer.text = job + ": " + document.answer.text;
      first.emplace_back(document::Paragraph{document.answer.text, document.answer.tone});
    }
    const auto table = std::ranges::find_if(chapter.blocks, [](const document::Block& block) {
      return std::holds_alternative<document::Table>(block);
    });
    const auto figures = rank_figures(jobs[i].report, first_place + i);
    chapter.blocks.insert(table, figures.begin(), figures.end());
    chapter.blocks.insert(chapter.blocks.begin(), first.begin(), first.end());
    if (std::ssize(content.sections) == answering) content.answer = std::move(document.answer);
    content.sections.push_back(std::move(chapter));
  }
}

// Name of one of several traces: its file, with folders if the file name is ambiguous.
std::string name_among(const AnalysedTrace& analysed, std::span<const AnalysedTrace> traces) {
  const auto file = [](const AnalysedTrace& each) {
    return std::filesystem::path(each.path).filename();
  };
  const bool once = 1 == std::ranges::count(traces, file(analysed), file);
  return once ? file(analysed).string() : analysed.path;
}

void add_data(std::string json, ReportContent& content) {
  while (json.ends_with('\n')) json.pop_back();
  content.data += (content.data.empty() ? "[" : ",") + json;
}

}  // namespace

ReportContent analysis_content(std::span<const AnalysedTrace> traces, const DrawOptions& /*draw*/) {
  ReportContent content{.kind = "analysis", .title = "Trace", .sections = {}};
  const std::vector<traces::RankJob> jobs = jobs_of(traces);
  add_jobs(jobs, traces.size(), content);
  std::vector<bool> added(traces.size());
  std::map<std::string, std::size_t> used;
  const auto add = [&](std::size_t place, const std::string& title, const std::string& id) {
    const AnalysedTrace& each = traces[place];
    added[place] = true;
    document::Document document = analysis_document(each, kRows);
    std::optional<document::Chapter> chapter;
    if (traces.size() > 1) {
      chapter = {
          .id = id + id_suffix(used[id]++), .title = title, .blocks = {}, .folded = !jobs.empty()};
      if (content.sections.empty()) {
        content.answer = document.answer;
        content.answer.text = title + ": " + content.answer.text;
      }
    }
    add_parts(std::move(document), trace_section(each, place, "steps"), std::move(chapter),
              content);
  };
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const std::size_t place : jobs[job].members) {
      const std::string rank = std::to_string(*traces[place].trace->rank);
      add(place,
          "Rank " + rank + (jobs.size() > 1 ? formatted(" of job {}", job + 1) : std::string()),
          "rank-" + rank);
    }
  }
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!added[i]) add(i, name_among(traces[i], traces), "trace");
    add_data(analysis_json(traces[i], 0), content);
    steps += std::ssize(traces[i].analysis.steps.counted());
  }
  for (const traces::RankJob& job : jobs) add_data(ranks_json(job.report, 0), content);
  content.data += traces.empty() ? "[]" : "]";
  if (jobs.size() == 1 && jobs.front().members.size() == traces.size()) {
    content.title = text::counted(std::ssize(jobs.front().report.rows), "rank") + " of one job";
  } else if (!traces.empty()) {
    content.title = std::filesystem::path(traces.front().path).filename().string();
    if (traces.size() > 1) {
      content.title += " and " + text::counted(std::ssize(traces) - 1, "other trace");
    }
  }
  content.summary =
      text::counted(std::ssize(traces), "trace") + ", " + text::counted(steps, "step");
  content.measured = steps > 0;
  return content;
}

ReportContent diff_content(std::span<const traces::TraceDiff> diffs, const DrawOptions& /*draw*/) {
  ReportContent content{.kind = "analysis", .title = "What changed between traces", .sections = {}};
  for (std::size_t i = 0; i < diffs.size(); ++i) {
    document::Document document = diff_document(diffs[i], kRows);
    std::optional<document::Chapter> chapter;
    if (diffs.size() > 1) {
      chapter = {.id = "pair" + id_suffix(i), .title = document.headline, .blocks = {}};
      if (i == 0) content.answer = document.answer;
    }
    add_parts(std::move(document), diff_section(diffs[i], i, "changes"), std::move(chapter),
              content);
    add_data(diff_json(diffs[i], 0), content);
  }
  content.data += diffs.empty() ? "[]" : "]";
  content.summary = text::counted(std::ssize(diffs), "comparison") + " of traces";
  content.measured = std::ranges::any_of(diffs, &traces::TraceDiff::comparable);
  return content;
}

}  // namespace stepbench::report
