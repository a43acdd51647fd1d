// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/call_charts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/report/html/figure.h"
#include "harness/report/html/per_step.h"
#include "harness/report/html/tree_figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::int64_t time_of(const ops::CallNode& node, OpTime time) {
  return time == OpTime::kHost ? node.cpu_ns : node.device_ns;
}

std::int64_t own_time_of(const ops::CallNode& node, OpTime time) {
  return time == OpTime::kHost ? node.self_cpu_ns : node.self_device_ns;
}

bool is_step(const ops::CallNode& node) {
  return node.parent == ops::CallNode::kNoParent && node.kind == ops::OpKind::kAnnotation &&
         node.name == ops::kStepNode;
}

// Phases have a colour each, and what is below them has it too.
std::string_view colour_of(const std::vector<ops::CallNode>& calls, std::size_t i,
                           std::size_t& phases) {
  const ops::CallNode& node = calls[i];
  if (node.name == ops::kOtherCalls || node.parent == ops::CallNode::kNoParent) return kDimColour;
  return is_step(calls[node.parent]) ? series_colour(phases++ % kPartColours) : std::string_view();
}

std::string largest_of(const std::vector<ops::CallNode>& calls, OpTime time,
                       const PerStep& per_step) {
  std::map<std::string, std::int64_t> own_ns;
  for (const ops::CallNode& node : calls) {
    if (node.kind == ops::OpKind::kOp) own_ns[node.name] += own_time_of(node, time);
  }
  const auto most =
      std::max_element(own_ns.begin(), own_ns.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == own_ns.end()) return {};
  return " The op with the most time of its own: " + most->first + ", " +
         per_step.time(most->second) + '.';
}

}  // namespace

std::int64_t steps_in(const ops::OpTable& table) { return ops::make_module_tree(table, 0).steps; }

std::optional<document::Figure> flame_figure(const std::vector<ops::CallNode>& calls, OpTime time) {
  std::int64_t all_ns = 0;
  std::int64_t steps = 0;
  std::int64_t beside_ns = 0;
  for (const ops::CallNode& node : calls) {
    if (node.parent != ops::CallNode::kNoParent) continue;
    all_ns += time_of(node, time);
    if (is_step(node)) steps += node.calls;
    if (node.name == ops::kOtherThreads) beside_ns += time_of(node, time);
  }
  if (all_ns <= 0) return std::nullopt;
  const PerStep per_step(steps, all_ns);
  std::vector<TreeItem> items;
  const bool one_root = std::count_if(calls.begin(), calls.end(), [](const ops::CallNode& node) {
                          return node.parent == ops::CallNode::kNoParent;
                        }) == 1;
  if (!one_root) {
    items.push_back({.label = "all calls",
                     .hover = {"all calls", per_step.time(all_ns)},
                     .parent = TreeItem::kNoParent,
                     .value = 0,
                     .colour = kDimColour});
  }
  const std::size_t first = items.size();
  std::size_t phases = 0;
  std::int64_t negative_ns = 0;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const ops::CallNode& node = calls[i];
    const std::string name = is_step(node) ? "step" : node.name;
    std::vector<std::string> hover = {name,
                                      "with what it called: " + per_step.time(time_of(node, time))};
    hover.push_back("by itself: " + per_step.time(own_time_of(node, time)));
    if (node.calls > 0) hover.push_back(per_step.calls(node.calls));
    if (time == OpTime::kHost && node.device_ns > 0) {
      hover.push_back("device time from it: " + text::duration(per_step.of(node.device_ns)) +
                      per_step.words());
    }
    items.push_back({.label = name,
                     .hover = std::move(hover),
                     .parent = node.parent != ops::CallNode::kNoParent ? node.parent + first
                               : one_root                              ? TreeItem::kNoParent
                                                                       : 0,
                     .value = per_step.of(own_time_of(node, time)) / kNsPerMs,
                     .colour = colour_of(calls, i, phases)});
    negative_ns += std::min<std::int64_t>(own_time_of(node, time), 0);
    if (node.name == ops::kOtherCalls) others += node.calls;
  }
  std::vector<std::string> notes;
  if (beside_ns > 0) {
    notes.push_back(text::duration(per_step.of(beside_ns)) + per_step.words() +
                    " passed on other threads, beside the step.");
  }
  if (others > 0) {
    notes.push_back(per_step.calls(others) +
                    " of little weight are folded into (others), sums kept.");
  }
  if (negative_ns < 0) {
    notes.emplace_back("Times below zero, which come of two clocks, are not drawn.");
  }
  document::Figure figure{.title = time == OpTime::kHost
                                       ? "Flame view: host time by call"
                                       : "Flame view: device time by the call it came from",
                          .alt = "Nested calls of the profiled steps, " +
                                 std::string(time == OpTime::kHost ? "host" : "device") + " time " +
                                 per_step.time(all_ns) + "." + largest_of(calls, time, per_step),
                          .json = tree_figure("icicle", items),
                          .note = text::join(notes, " ")};
  figure.height_px =
      static_cast<int>(std::clamp<std::size_t>(60 + 34 * levels_of(items), 300, 900));
  return figure;
}

}  // namespace stepbench::report
