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

#include "harness/report/internal/html/trace_charts.h"
#include "harness/report/pages.h"
#include "harness/report/trace_analysis.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kRows = 200;  // per table; the data has all rows

// Suffix of the ids of the place-th pair, job or trace: "-2", "-3".
std::string id_suffix(std::size_t place) {
  return place == 0 ? "" : "-" + std::to_string(place + 1);
}

// Page of a single trace or pair: summary, charts, then tables.
void add_as_page(document::Document document, std::optional<document::Chapter> charts,
                 ReportContent& content) {
  content.answer = std::move(document.answer);
  document::Chapter& overview = document.chapters.front();
  overview.blocks.insert(overview.blocks.begin(), document::Paragraph{document.headline});
  for (document::Chapter& chapter : document.chapters) {
    if (&chapter == &overview && charts) {
      move_first_figure(*charts, overview, 1);
      if (!chapter.blocks.empty()) content.sections.push_back(std::move(chapter));
      content.sections.push_back(std::move(*charts));
    } else if (!chapter.blocks.empty()) {
      content.sections.push_back(std::move(chapter));
    }
  }
}

// As add_as_page(), as a chapter of a page with several, whose answer is above all of them.
void add_as_chapter(document::Document document, std::optional<document::Chapter> charts,
                    document::Chapter chapter, ReportContent& content) {
  std::vector<document::Block>& blocks = chapter.blocks;
  blocks.emplace_back(document::Paragraph{std::move(document.headline)});
  if (!document.answer.text.empty()) {
    blocks.emplace_back(document::Paragraph{std::move(document.answer.text), document.answer.tone});
  }
  for (document::Chapter& each : document.chapters) {
    std::ranges::move(each.blocks, std::back_inserter(blocks));
    if (!charts) continue;
    blocks.emplace_back(document::Heading{charts->title});
    std::ranges::move(charts->blocks, std::back_inserter(blocks));
    charts.reset();
  }
  content.sections.push_back(std::move(chapter));
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

// Adds the jobs' stragglers as first chapters. The first job with a straggler gives the page's
// answer. `first_place`: index of the first job in the data.
void add_jobs(const std::vector<traces::RankJob>& jobs, std::size_t first_place,
              ReportContent& content) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const traces::RankReport& report = jobs[i].report;
    document::Document document = ranks_document(report, kRows);
    document::Chapter& chapter = document.chapters.front();
    std::vector<document::Block>& blocks = chapter.blocks;
    const bool several = jobs.size() > 1;
    if (several) {
      chapter.title += " of job " + std::to_string(i + 1);
      document.answer.text = "job " + std::to_string(i + 1) + ": " + document.answer.text;
    }
    chapter.id += id_suffix(i);
    const auto table = std::ranges::find_if(blocks, [](const document::Block& block) {
      return std::holds_alternative<document::Table>(block);
    });
    const std::vector<document::Figure> figures = rank_figures(report, first_place + i);
    blocks.insert(table, figures.begin(), figures.end());
    std::vector<document::Block> words = {document::Paragraph{std::move(document.headline)}};
    if (several)
      words.emplace_back(document::Paragraph{document.answer.text, document.answer.tone});
    blocks.insert(blocks.begin(), std::make_move_iterator(words.begin()),
                  std::make_move_iterator(words.end()));
    const bool first_straggler =
        report.straggler &&
        std::none_of(jobs.begin(), jobs.begin() + std::ptrdiff_t(i),
                     [](const traces::RankJob& job) { return job.report.straggler.has_value(); });
    if (i == 0 || first_straggler) content.answer = std::move(document.answer);
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
    if (traces.size() == 1)
      return add_as_page(std::move(document), trace_section(each, place, "steps"), content);
    if (content.sections.empty()) {
      content.answer = document.answer;
      content.answer.text = title + ": " + content.answer.text;
    }
    add_as_chapter(
        std::move(document), trace_section(each, place, ""),
        {.id = id + id_suffix(used[id]++), .title = title, .blocks = {}, .folded = !jobs.empty()},
        content);
  };
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const std::size_t place : jobs[job].members) {
      const std::string rank = std::to_string(*traces[place].trace->rank);
      add(place,
          "Rank " + rank + (jobs.size() > 1 ? " of job " + std::to_string(job + 1) : std::string()),
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
    std::optional<document::Chapter> charts = diff_section(diffs[i], i, "changes");
    if (diffs.size() == 1) {
      add_as_page(std::move(document), std::move(charts), content);
    } else {
      if (i == 0) content.answer = document.answer;
      const std::string title = document.headline;
      add_as_chapter(std::move(document), std::move(charts),
                     {.id = "pair" + id_suffix(i), .title = title, .blocks = {}}, content);
    }
    add_data(diff_json(diffs[i], 0), content);
  }
  content.data += diffs.empty() ? "[]" : "]";
  content.summary = text::counted(std::ssize(diffs), "comparison") + " of traces";
  content.measured = std::ranges::any_of(diffs, &traces::TraceDiff::comparable);
  return content;
}

}  // namespace stepbench::report
