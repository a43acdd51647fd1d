// SPDX-License-Identifier: Apache-2.0
// What `doctor` says of a machine, of the ranks that a launcher starts, and of the changes that
// launches here can show.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/campaign/examine_machine.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/machine/doctor.h"
#include "harness/report/plans.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
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

void add_findings(const std::vector<Finding>& findings, std::vector<document::Block>& blocks) {
  for (const Finding& finding : findings) {
    const bool note = finding.severity == Severity::kInfo;
    document::Paragraph paragraph{
        .text = (note ? "note" : std::string(name_of(finding.severity))) + ": " + finding.text,
        .tone = tone_of(finding.severity)};
    if (!finding.remedy.empty()) paragraph.below.emplace_back("remedy: " + finding.remedy);
    blocks.emplace_back(document::Heading{});
    blocks.emplace_back(std::move(paragraph));
  }
}

}  // namespace

document::Document launcher_document(const campaign::RanksRequest& request,
                                     const campaign::RanksSeen& seen,
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
  std::vector<std::string> lines = {
      formatted("rendezvous with rank 0 at {} (MASTER_ADDR, MASTER_PORT)", seen.address)};
  if (seen.barrier_ns && seen.all_reduce_ns) {
    lines.push_back(formatted(
        "{}: a barrier takes {}, an all-reduce of 1 MiB {}, with the right sum", seen.backend,
        text::duration(*seen.barrier_ns), text::duration(*seen.all_reduce_ns)));
  }
  lines.push_back("start, exchange and end of the group took " + text::duration(seen.start_ns));
  document::add_paragraphs(chapter.blocks, lines);
  add_findings(findings, chapter.blocks);
  page.chapters.push_back(std::move(chapter));
  return page;
}

std::string launcher_json(const campaign::RanksRequest& request, const campaign::RanksSeen& seen,
                          const std::vector<Finding>& findings) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v("launcher", request.launcher)("world", request.ranks)("failed", seen.failed);
  v("address", seen.address)("backend", seen.backend)("barrier_ns", seen.barrier_ns);
  v("all_reduce_ns", seen.all_reduce_ns)("group_ns", seen.start_ns);
  json.open_array("ranks");
  for (const campaign::RankSeen& rank : seen.ranks) {
    json.open_object();
    v("rank", rank.rank)("host", rank.host)("local_rank", rank.local_rank)("cpus", rank.cpus);
    v("omp_num_threads", rank.omp_threads);
    v("torch_threads", rank.torch_threads, json::kSparse)("devices", rank.devices);
    json.close_object();
  }
  json.close_array();
  v("findings", findings);
  return std::string(json.close_object().line()) + '\n';
}

bool is_pointless(const std::vector<Finding>& findings) {
  return std::ranges::count(findings, Severity::kProblem, &Finding::severity) > 0;
}

namespace {

document::Answer answer_of(const std::vector<Finding>& findings) {
  const auto of = [&](Severity severity) {
    return std::ranges::count(findings, severity, &Finding::severity);
  };
  if (const auto problems = of(Severity::kProblem); problems > 0) {
    return {.text = formatted(
                "Measuring here is pointless until the {} gone.",
                problems == 1 ? std::string("problem is") : formatted("{} problems are", problems)),
            .tone = document::Tone::kBad};
  }
  if (const auto doubts = of(Severity::kWarning); doubts > 0) {
    return {.text = formatted(
                "Measuring here is possible; results carry {} below.",
                doubts == 1 ? std::string("the doubt") : formatted("the {} doubts", doubts)),
            .tone = document::Tone::kDoubt};
  }
  return {.text = findings.empty() ? "Nothing here makes results untrustworthy."
                                   : "Nothing here makes results untrustworthy; the notes matter "
                                     "for small differences.",
          .tone = document::Tone::kGood};
}

// "host: 2 CPUs (Some Model), 47 GiB, Linux 6.1, no GPU"
std::string machine_text(const machine::Examination& seen, const Fields& facts) {
  const auto text = [&](const char* name) { return text_of(facts, name); };
  std::string line = formatted("{}: {}", text("host"), seen.before.cores);
  if (seen.before.online > seen.before.cores) line += formatted(" of {}", seen.before.online);
  line += seen.before.cores == 1 && seen.before.online <= 1 ? " CPU" : " CPUs";
  if (!text("cpu.model").empty()) line += " (" + text("cpu.model") + ")";
  if (seen.before.memory_bytes) {
    line += formatted(", {} GiB", *seen.before.memory_bytes >> 30);
  }
  if (!text("kernel").empty()) line += ", Linux " + text("kernel");
  if (seen.devices.empty()) return line + ", no GPU";
  for (const machine::DeviceState& state : seen.devices) line += ", " + state.name;
  return line;
}

}  // namespace

document::Document machine_document(const machine::Examination& seen,
                                    const std::vector<Finding>& findings, const Fields& facts) {
  document::Chapter page{.id = "machine", .title = "Machine", .blocks = {}};
  page.blocks.emplace_back(document::Paragraph{formatted(
      "The same work, {} times {}: coefficient of variation {}, the slowest hundredth {} over the "
      "median",
      seen.spin.times_ns.size(), text::duration(seen.spin.median_ns()),
      text::percent_text(seen.spin.variation()), text::percent_text(seen.spin.slowest() - 1))});
  add_findings(findings, page.blocks);
  return {.headline = machine_text(seen, facts),
          .answer = answer_of(findings),
          .chapters = {std::move(page)}};
}

std::string machine_json(const machine::Examination& seen, const std::vector<Finding>& findings,
                         const Fields& facts, const verdict::MachineNoise* measured) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v("machine", facts);
  json.open_object("spin");
  v("runs", seen.spin.times_ns.size())("median_ns", seen.spin.median_ns());
  v("variation", seen.spin.variation())("slowest_over_median", seen.spin.slowest());
  json.close_object();
  v("cores", seen.before.cores)("devices", seen.devices.size());
  v("pointless", is_pointless(findings))("findings", findings);
  if (measured != nullptr) json.json("measured", campaign::machine_json(*measured));
  return std::string(json.close_object().line()) + '\n';
}

namespace {

std::string against_itself(const verdict::CaseSpread& one) {
  std::string text = one.differs ? "differs from itself: " : "no difference: ";
  text += text::signed_percent(one.aa_change) + " %";
  if (std::isfinite(one.aa_interval.high)) {
    text += formatted(" [{}, {}]", text::signed_percent(one.aa_interval.low),
                      text::signed_percent(one.aa_interval.high));
  }
  return text;
}

}  // namespace

std::string machine_noise_text(const verdict::MachineNoise& noise, bool colour,
                               std::size_t columns) {
  std::string out = formatted(
      "Changes that this machine can detect, from {} of launches of three small cases in turns",
      text::duration(noise.seconds * 1e9));
  if (noise.others_share) out += "; other programs used " + text::percent_text(*noise.others_share);
  if (noise.steal_share) {
    out += noise.others_share ? ", the hypervisor took " : "; the hypervisor took ";
    out += text::percent_text(*noise.steal_share);
  }
  out += ":\n\n";
  if (!noise.cases.empty()) {
    document::Table grid{.columns = {document::words("case"),
                                     {.head = "step"},
                                     {.head = "launches"},
                                     {.head = "steps"},
                                     {.head = "between launches"},
                                     {.head = "over minutes"},
                                     {.head = "10 pairs find"},
                                     {.head = "40 pairs find"},
                                     {.head = "A/A", .left = true, .drop_at = 10}},
                         .rows = {}};
    for (const verdict::CaseSpread& one : noise.cases) {
      grid.rows.push_back(
          {{one.name, text::duration(one.step_ns), std::to_string(one.launches),
            one.step_sd ? text::percent_text(*one.step_sd) : "-", text::percent_text(one.launch_sd),
            text::percent_text(one.minutes_sd), text::percent_text(one.found_by_10),
            text::percent_text(one.found_by_40), against_itself(one)},
           one.differs ? document::Tone::kBad : document::Tone::kPlain});
    }
    out += document::draw(std::move(grid), columns, colour).text;
    out +=
        "Spreads are relative standard deviations: of one step; from one launch to the next of the "
        "same\nprogram; and what the minutes add to that. A change of the size under \"pairs "
        "find\" is found by `ab`\nin four campaigns of five. A/A: half of the launches against the "
        "other half; both are the same program.\n";
  }
  for (const std::string& name : noise.too_few) {
    out += formatted("{}: fewer than {} launches were measured: give more SECONDS\n", name,
                     verdict::kMinLaunchesForSpread);
  }
  return out;
}

}  // namespace stepbench::report
