// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/augment_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "harness/trace/copy_trace.h"

namespace stepbench::analyze {
namespace {

// No system gives a process such a number.
constexpr std::int64_t kOwnProcess = 900'000'000;
constexpr std::int64_t kFindingsTrack = 1;
constexpr std::int64_t kFirstDeviceTrack = 2;

// Of a counter: when, and by how much.
using Changes = std::vector<std::pair<std::int64_t, std::int64_t>>;

class Augmentation {
 public:
  Augmentation(const trace::Trace& trace, const Analysis& analysis, trace::MoreRows& rows)
      : trace_(trace), analysis_(analysis), rows_(rows), timeline_(trace) {}

  void add(const std::vector<Finding>& findings) {
    add_name("process_name", 0, "stepbench");
    add_findings(findings);
    add_idle();
    add_queues();
    add_bandwidths();
    add_memory();
  }

 private:
  trace::TraceFile& open(std::string_view phase, std::string_view name, std::int64_t track) {
    trace::TraceFile& row =
        rows_.row().text(R"({"ph":")").text(phase).text(R"(","cat":"stepbench")");
    row.text(R"(,"name":)").quoted(name).text(R"(,"pid":)").number(kOwnProcess);
    return row.text(R"(,"tid":)").number(track);
  }

  void add_name(std::string_view what, std::int64_t track, std::string_view name) {
    open("M", what, track).text(R"(,"args":{"name":)").quoted(name).text("}}");
  }

  void add_findings(const std::vector<Finding>& findings) {
    add_name("thread_name", kFindingsTrack, "findings");
    for (const Finding& finding : findings) {
      if (!finding.undecided.empty()) continue;
      const std::string name = std::string(name_of(finding.severity)) + ": " + finding.id;
      for (const Finding::Place& place : finding.places) {
        trace::TraceFile& row = open("i", name, kFindingsTrack).text(R"(,"s":"p","ts":)");
        row.microseconds(place.at_ns).text(R"(,"args":{"text":)").quoted(finding.text);
        row.text(R"(,"remedy":)").quoted(finding.remedy).text(R"(,"row":)").quoted(place.name);
        row.text("}}");
      }
    }
  }

  void add_idle() {
    for (std::size_t i = 0; i < timeline_.devices.size(); ++i) {
      const int device = timeline_.devices[i];
      const std::int64_t track = kFirstDeviceTrack + std::int64_t(i);
      add_name("thread_name", track, "idle time of device " + std::to_string(device));
      const auto sets = idle_intervals(timeline_, analysis_.steps, device);
      for (std::size_t cause = 0; cause < sets.size(); ++cause) {
        std::string name = "idle: " + std::string(name_of(static_cast<IdleCause>(cause)));
        std::replace(name.begin(), name.end(), '_', ' ');
        for (const TimeSpan& span : sets[cause]) {
          trace::TraceFile& row =
              open("X", name, track).text(R"(,"ts":)").microseconds(span.begin_ns);
          row.text(R"(,"dur":)").microseconds(span.length_ns()).text("}");
        }
      }
    }
  }

  // Changes of one moment are one.
  void add_counter(const std::string& name, std::string_view unit, Changes changes) {
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::int64_t level = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      level += changes[i].second;
      if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first) continue;
      trace::TraceFile& row = open("C", name, 0).text(R"(,"ts":)").microseconds(changes[i].first);
      row.text(R"(,"args":{)").quoted(unit).text(":").number(level).text("}}");
    }
  }

  [[nodiscard]] std::string place_of(const trace::TraceEvent& event) const {
    const trace::TraceLane& lane = trace_.lane_of(event);
    return "device " + std::to_string(lane.device) + ", stream " + std::to_string(lane.stream);
  }

  void add_queues() {
    std::map<std::uint32_t, Changes> by_lane;
    std::map<std::uint32_t, const trace::TraceEvent*> one;
    for (const WorkRow& row : timeline_.work) {
      const trace::TraceEvent* call = timeline_.call_of(row);
      if (call == nullptr || call->start_ns > row.event->start_ns) continue;
      one[row.event->lane] = row.event;
      by_lane[row.event->lane].emplace_back(call->start_ns, 1);
      by_lane[row.event->lane].emplace_back(row.event->start_ns, -1);
    }
    for (auto& [lane, changes] : by_lane) {
      add_counter("launches that wait, " + place_of(*one[lane]), "launches", std::move(changes));
    }
  }

  void add_bandwidths() {
    std::map<std::uint32_t, Changes> by_name;
    for (const WorkRow& row : timeline_.work) {
      const trace::TraceEvent& event = *row.event;
      if (!is_copy(row) || event.value < 0 || event.duration_ns() == 0) continue;
      const auto mb_per_s = std::llround(1e3 * double(event.value) / double(event.duration_ns()));
      by_name[event.name].emplace_back(event.start_ns, mb_per_s);
      by_name[event.name].emplace_back(event.end_ns, -mb_per_s);
    }
    for (auto& [name, changes] : by_name) {
      add_counter("bandwidth, " + trace_.names[name].text, "MB/s", std::move(changes));
    }
  }

  void add_memory() {
    std::map<std::int32_t, Changes> by_device;
    std::map<std::int32_t, std::int64_t> last;
    for (const trace::TraceMemory& event : trace_.memory) {
      if (event.total_allocated < 0) continue;
      by_device[event.device].emplace_back(event.at_ns, event.total_allocated - last[event.device]);
      last[event.device] = event.total_allocated;
    }
    for (auto& [device, changes] : by_device) {
      add_counter("memory allocated, " +
                      (device < 0 ? std::string("host") : "device " + std::to_string(device)),
                  "bytes", std::move(changes));
    }
  }

  const trace::Trace& trace_;
  const Analysis& analysis_;
  trace::MoreRows& rows_;
  Timeline timeline_;
};

}  // namespace

void augment_trace(const trace::Trace& trace, const Analysis& analysis,
                   const std::vector<Finding>& findings, const std::filesystem::path& to) {
  trace::copy_trace(trace.reading, to, [&](trace::MoreRows& rows) {
    Augmentation(trace, analysis, rows).add(findings);
  });
}

}  // namespace stepbench::analyze
