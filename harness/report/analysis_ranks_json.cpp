// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"
#include "harness/report/analysis_ranks.h"
#include "harness/report/analysis_report.h"
#include "harness/report/analysis_rows.h"

namespace stepbench::report {
namespace {

void add_straggler(json::JsonText& json, const std::optional<analyze::Straggler>& straggler) {
  if (!straggler) {
    json.null("straggler");
    return;
  }
  json.open_object("straggler").integer("rank", straggler->rank);
  json.number("gain_ns", straggler->gain_ns).number("excess_ns", straggler->excess_ns);
  json.number("share", straggler->share);
  if (straggler->part.empty()) {
    json.null("part");
  } else {
    json.text("part", straggler->part);
  }
  json.number("part_excess_ns", straggler->part_ns).close_object();
}

void add_rank(json::JsonText& json, const analyze::RankRow& row) {
  json.open_object().integer("rank", row.rank).text("path", row.path);
  json.number("step_ns", row.step_ns).number("work_ns", row.work_ns);
  json.number("wait_ns", row.wait_ns).numbers("waits_for_ns", row.waits_for_ns);
  json.open_object("parts");
  for (std::size_t i = 0; i < row.parts_ns.size(); ++i) {
    json.number(std::string(analyze::step_parts()[i].name) + "_ns", row.parts_ns[i]);
  }
  json.close_object().number("communication_ns", row.communication_ns);
  json.number("exposed_communication_ns", row.exposed_ns);
  json.number("hidden_share", row.hidden_share);
  json.integer("entered_last", row.entered_last).integer("slowest_in", row.slowest_in);
  json.number("starts_late_ns", row.starts_late_ns);
  json.close_object();
}

}  // namespace

std::string ranks_json(const analyze::RankReport& report, int exit_status) {
  json::JsonText json;
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  json.open_object("ranks");
  if (report.world) {
    json.integer("world", *report.world);
  } else {
    json.null("world");
  }
  json.text("window", name_of(report.window)).texts("warnings", report.warnings);
  json.integer("steps", report.steps).integer("collectives", report.collectives);
  json.integer("unmatched", report.unmatched).number("unmatched_ns", report.unmatched_ns);
  json.number("step_ns", report.step_ns);
  json.number("imbalance_ns", report.imbalance_ns);
  add_straggler(json, report.straggler);
  json.text("clocks", name_of(report.clocks));
  json.number("skew_mean_ns", report.skew_mean_ns);
  json.number("skew_max_ns", report.skew_max_ns);
  const trace::Trace none;
  BlockJson(json, none).rows("sizes", report.sizes);
  json.open_array("rows");
  for (const analyze::RankRow& row : report.rows) add_rank(json, row);
  json.close_array().close_object().integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
