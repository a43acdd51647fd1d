// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "harness/report/html/call_charts.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kBytesPerMib = 0x1p20;

struct MemoryLine {
  std::int64_t device = -1;
  std::vector<const ops::MemoryPoint*> points = {};
};

// Of each device and launch: within one, times rise.
std::vector<MemoryLine> memory_lines(const ops::OpTable& table) {
  std::vector<MemoryLine> lines;
  for (const ops::MemoryPoint& point : table.memory) {
    const bool goes_on = !lines.empty() && lines.back().device == point.device &&
                         lines.back().points.back()->at_ns <= point.at_ns;
    if (!goes_on) lines.push_back({point.device, {}});
    lines.back().points.push_back(&point);
  }
  return lines;
}

std::string device_name(std::int64_t device) {
  return device < 0 ? "host" : "device " + std::to_string(device);
}

std::vector<std::string> memory_hover(const ops::OpTable& table, const ops::MemoryPoint& point,
                                      const std::string& line) {
  std::vector<std::string> lines = {line + ": " +
                                    text::byte_text(static_cast<double>(point.allocated_bytes)) +
                                    (point.peak ? ", its peak" : "")};
  std::string where = text::duration(static_cast<double>(point.at_ns)) + " after the first record";
  if (point.step >= 0) where += ", step " + std::to_string(point.step);
  lines.push_back(where);
  if (point.phase != ops::kNoIndex) lines.emplace_back(table.text(point.phase));
  lines.emplace_back(point.op == ops::kNoIndex ? "in no op" : table.text(point.op));
  return lines;
}

std::string peak_text(const ops::OpTable& table, const ops::MemoryPoint& peak) {
  std::string text = text::byte_text(static_cast<double>(peak.allocated_bytes)) + " of the " +
                     device_name(peak.device) + " in " +
                     (peak.op == ops::kNoIndex ? "no op" : std::string(table.text(peak.op)));
  if (peak.phase != ops::kNoIndex) text += ", " + std::string(table.text(peak.phase));
  if (peak.step >= 0) text += " of step " + std::to_string(peak.step);
  return text;
}

}  // namespace

std::optional<document::Figure> memory_figure(const ops::OpTable& table) {
  const std::vector<MemoryLine> lines = memory_lines(table);
  if (lines.empty()) return std::nullopt;
  FigureJson figure;
  std::vector<std::string> peaks;
  std::map<std::int64_t, std::size_t> launches;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t launch = launches[lines[i].device]++;
    std::string name = device_name(lines[i].device);
    if (launch > 0) name += ", profiled launch " + std::to_string(launch + 1);
    std::vector<double> times;
    std::vector<double> levels;
    std::vector<std::string> hovers;
    std::vector<double> sizes;
    for (const ops::MemoryPoint* point : lines[i].points) {
      times.push_back(static_cast<double>(point->at_ns) / kNsPerMs);
      levels.push_back(static_cast<double>(point->allocated_bytes) / kBytesPerMib);
      hovers.push_back(hover_text(memory_hover(table, *point, name)));
      sizes.push_back(point->peak ? 11 : 3);
      if (point->peak) peaks.push_back(peak_text(table, *point));
    }
    json::JsonText& json = figure.open_trace("scatter", name);
    json.text("mode", "lines+markers");
    add_numbers(json, "x", times, 7);
    add_numbers(json, "y", levels, 7);
    add_hovers(json, hovers);
    json.open_object("line").text("color", series_colour(i)).text("dash", series_dash(i));
    json.text("shape", "hv").close_object().open_object("marker").text("color", series_colour(i));
    add_numbers(json, "size", sizes);
    json.close_object();
    figure.close_trace();
  }
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "time since the first record [ms]"});
  add_axis(layout, "yaxis", {.title = "allocated [MiB]", .from_zero = true});
  layout.flag("showlegend", lines.size() > 1);
  return document::Figure{
      .title = "Memory over the profiled steps",
      .alt = "Allocated memory over time. Peak: " + text::join(peaks, "; ") + '.',
      .json = figure.take(),
      .note = "Peak, the large mark: " + text::join(peaks, "; ") +
              ". Each point is the highest level of its span: between two points of a "
              "line it was never higher than both."};
}

}  // namespace stepbench::report
