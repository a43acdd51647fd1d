// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/doctor_ranks.h"

#include <csignal>
#include <ostream>
#include <utility>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/document/cells.h"
#include "harness/document/render.h"
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/campaign_context.h"

namespace stepbench::cli {
namespace {

std::string title(const campaign::RanksRequest& request) {
  return text::counted(request.ranks, "rank") + " by " + request.launcher;
}

document::Table table_of(const campaign::RanksSeen& seen) {
  document::Table table{.columns = {{.head = "rank"},
                                    document::words("host"),
                                    {.head = "local rank"},
                                    document::words("CPUs"),
                                    {.head = "OMP_NUM_THREADS"},
                                    {.head = "torch threads"},
                                    {.head = "GPUs"}}};
  for (const campaign::RankSeen& rank : seen.ranks) {
    table.rows.push_back(
        {.cells = {document::count(rank.rank), rank.host, rank.local_rank, rank.cpus,
                   rank.omp_threads.empty() ? "-" : rank.omp_threads,
                   rank.torch_threads ? document::count(*rank.torch_threads) : document::Cell("-"),
                   document::count(rank.devices)}});
  }
  return table;
}

document::Document page_of(const campaign::RanksRequest& request, const campaign::RanksSeen& seen,
                           const std::vector<Finding>& findings) {
  document::Document page{.headline = title(request)};
  document::Chapter chapter{.id = "ranks", .title = "Ranks", .blocks = {}};
  if (!seen.failed.empty()) {
    page.answer = {.text = "Cannot start such a group here: " + seen.failed,
                   .tone = document::Tone::kBad};
    if (!seen.output.empty())
      chapter.blocks.emplace_back(document::Verbatim{"Its output", seen.output});
    page.chapters.push_back(std::move(chapter));
    return page;
  }
  page.answer = {.text = seen.backend.empty()
                             ? "All ranks started; unknown whether they reach each other."
                             : "All ranks started and reach each other.",
                 .tone = seen.backend.empty() ? document::Tone::kDoubt : document::Tone::kGood};
  chapter.blocks.emplace_back(table_of(seen));
  std::vector<std::string> lines = {"rendezvous with rank 0 at " + seen.address +
                                    " (MASTER_ADDR, MASTER_PORT)"};
  if (seen.barrier_ns && seen.all_reduce_ns) {
    lines.push_back(seen.backend + ": a barrier takes " + text::duration(*seen.barrier_ns) +
                    ", an all-reduce of 1 MiB " + text::duration(*seen.all_reduce_ns) +
                    ", with the right sum");
  }
  lines.push_back("start, exchange and end of the group took " + text::duration(seen.start_ns));
  document::add_paragraphs(chapter.blocks, lines);
  for (const Finding& finding : findings) {
    document::Paragraph paragraph{
        .text = std::string(name_of(finding.severity)) + ": " + finding.text,
        .tone = report::tone_of(finding.severity)};
    paragraph.below.emplace_back("remedy: " + finding.remedy);
    chapter.blocks.emplace_back(document::Heading{});
    chapter.blocks.emplace_back(std::move(paragraph));
  }
  page.chapters.push_back(std::move(chapter));
  return page;
}

void print_json(const campaign::RanksRequest& request, const campaign::RanksSeen& seen,
                const std::vector<Finding>& findings, std::ostream& out) {
  json::JsonText json;
  json.open_object().text("launcher", request.launcher).integer("world", request.ranks);
  json.text("failed", seen.failed).text("address", seen.address).text("backend", seen.backend);
  json.number("barrier_ns", seen.barrier_ns).number("all_reduce_ns", seen.all_reduce_ns);
  json.number("group_ns", seen.start_ns).open_array("ranks");
  for (const campaign::RankSeen& rank : seen.ranks) {
    json.open_object().integer("rank", rank.rank).text("host", rank.host);
    json.text("local_rank", rank.local_rank).text("cpus", rank.cpus);
    json.text("omp_num_threads", rank.omp_threads);
    if (rank.torch_threads) json.integer("torch_threads", *rank.torch_threads);
    json.integer("devices", rank.devices).close_object();
  }
  json.close_array();
  json::FieldWriter writer(json);
  writer("findings", findings);
  out << json.close_object().line() << '\n';
}

}  // namespace

int examine_ranks_and_report(const campaign::RanksRequest& request, const std::string& format,
                             const Environment& environment) {
  const HostClock clock;
  run::Interrupts interrupts;
  const campaign::RanksSeen seen =
      campaign::examine_ranks(request, campaign_context(environment), interrupts, clock);
  if (seen.interrupted) return exit_status_of_signal(interrupts.first().value_or(SIGINT));
  const std::vector<Finding> findings = campaign::diagnose_ranks(seen);
  if (format == "json") {
    print_json(request, seen, findings, environment.out);
  } else {
    environment.out << document::render(
        page_of(request, seen, findings),
        {.colour = environment.colour, .columns = environment.terminal_columns});
  }
  return seen.failed.empty() ? kExitOk : kExitNothingMeasured;
}

}  // namespace stepbench::cli
