// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_work_json.h"

#include <string>

namespace stepbench::report {
namespace {

void name_or_null(json::JsonText& json, std::string_view key, const trace::Trace& trace,
                  std::uint32_t name) {
  if (name == ops::kNoIndex) {
    json.null(key);
  } else {
    json.text(key, trace.names[name].text);
  }
}

}  // namespace
void add_summary(json::JsonText& json, std::string_view key, const analyze::Summary& of) {
  json.open_object(key).integer("n", of.n).number("min", of.min).number("mean", of.mean);
  json.number("median", of.median).number("p90", of.p90).number("p95", of.p95);
  json.number("max", of.max).number("mad", of.mad).number("iqr", of.iqr).close_object();
}

void add_exchange(json::JsonText& json, const analyze::ExchangeFacts& facts, double duration_ns) {
  json.text("name", facts.name).text("group", facts.group).text("dtype", name_of(facts.dtype));
  json.integer("group_size", facts.group_size).integer("bytes", facts.bytes);
  json.number("algorithm_bytes_per_ns", facts.algorithm_bandwidth(duration_ns));
  json.number("bus_bytes_per_ns", facts.bus_bandwidth(duration_ns));
}

void add_collective(json::JsonText& json, const analyze::CollectiveRow& row) {
  add_exchange(json, row.facts, row.duration.median);
  add_summary(json, "duration_ns", row.duration);
  json.integer("step_calls", row.in_steps.calls).integer("step_ns", row.in_steps.ns);
  json.integer("step_exposed_ns", row.step_exposed_ns);
}

void add_critical_path(json::JsonText& json, const trace::Trace& trace,
                       const analyze::CriticalPath& path) {
  json.integer("steps", path.steps).number("step_ns", path.step_ns);
  json.integer("path_ns", path.path_ns).open_object("parts");
  for (std::size_t i = 0; i < analyze::kPathKinds; ++i) {
    json.integer(std::string(name_of(static_cast<analyze::PathKind>(i))) + "_ns", path.ns[i]);
  }
  json.close_object().open_array("places");
  for (const analyze::PathPlace& place : path.places) {
    json.open_object().text("part", name_of(place.kind));
    name_or_null(json, "name", trace, place.name);
    json.integer("ns", place.ns).integer("times", place.times).close_object();
  }
  json.close_array().integer("launch_ns", path.launch_ns);
  json.integer("guessed_waits", path.guessed_waits);
}

void add_efficiency(json::JsonText& json, const trace::Trace& trace,
                    const analyze::Efficiency& efficiency) {
  json.flag("on_host", efficiency.on_host).integer("work_ns", efficiency.work_ns);
  json.integer("known_ns", efficiency.known_ns).integer("fused_ns", efficiency.fused_ns);
  json.number("step_flops", efficiency.step_flops).text("device", efficiency.device);
  if (efficiency.peaks) {
    json.text("peaks_source", efficiency.peaks->source);
    json.number("memory_bytes_per_s", efficiency.peaks->memory_bytes);
  } else {
    json.text("no_peaks", efficiency.no_peaks);
  }
  json.open_array("uncounted");
  for (const analyze::UncountedWork& each : efficiency.uncounted) {
    json.open_object().text("reason", each.reason).integer("calls", each.calls);
    json.integer("time_ns", each.time_ns).close_object();
  }
  json.close_array().open_array("rows");
  for (const analyze::EfficiencyRow& row : efficiency.rows) {
    json.open_object().text("name", trace.names[row.name].text);
    json.text("kind", name_of(row.work.kind)).text("shapes", trace.text(row.shapes));
    json.text("arguments", trace.text(row.arguments)).text("dtype", name_of(row.dtype));
    json.flag("backward", row.backward).integer("calls", row.calls);
    json.integer("time_ns", row.time_ns).integer("step_calls", row.in_steps.calls);
    json.integer("step_ns", row.in_steps.ns).integer("flops", row.flops());
    json.integer("masked_flops", row.work.masked_flops);
    if (row.bytes()) {
      json.integer("bytes", *row.bytes());
    } else {
      json.null("bytes");
    }
    json.number("flops_per_s", row.flops_per_s());
    json.number("bytes_per_s", row.bytes_per_s());
    json.number("intensity", row.intensity());
    json.number("peak_flops", row.peak_flops);
    json.number("peak_share", row.peak_share);
    json.number("ridge", row.ridge);
    json.number("roofline_share", row.roofline_share);
    json.number("lost_ns", row.lost_ns);
    json.number("step_lost_ns", row.step_lost_ns);
    json.close_object();
  }
  json.close_array();
}

}  // namespace stepbench::report
