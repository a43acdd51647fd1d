// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/kernel_tree.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "harness/analyze/kernel_sequences.h"
#include "harness/analyze/python_frames.h"

namespace stepbench::analyze {
namespace {

constexpr std::uint32_t kNoTreeNode = std::numeric_limits<std::uint32_t>::max();

struct TreeNode {
  KernelTreeRow row = {};
  std::int64_t longest_ns = -1;  // of its launches
  std::vector<std::uint32_t> below = {};
};

// An operator or annotation that is open on its thread.
struct OpenTreeRow {
  const trace::TraceEvent* event = nullptr;
  std::uint32_t node = kNoTreeNode;  // found once something is launched in it
};

class KernelTreeMaker {
 public:
  KernelTreeMaker(const Timeline& timeline, const Steps& steps)
      : timeline_(timeline), trace_(*timeline.trace) {
    std::vector<TimeSpan> windows;
    for (const std::size_t i : steps.counted()) windows.push_back(steps.steps[i].window);
    launched_.resize(trace_.lanes.size());
    for (std::uint32_t i = 0; i < timeline.work.size(); ++i) {
      const trace::TraceEvent* call = timeline.call_of(timeline.work[i]);
      if (call == nullptr) {
        if (window_at(windows, timeline.work[i].event->start_ns)) {
          out_.unlaunched_ns += timeline.work[i].event->duration_ns();
        }
      } else if (window_at(windows, call->start_ns)) {
        launched_[call->lane].push_back({call, timeline.work[i].event});
      }
    }
  }

  KernelTree make() {
    for (std::uint32_t lane = 0; lane < trace_.lanes.size(); ++lane) {
      if (!launched_[lane].empty()) add_lane(lane);
    }
    sum_up();
    list();
    return std::move(out_);
  }

 private:
  struct Launch {
    const trace::TraceEvent* call = nullptr;
    const trace::TraceEvent* row = nullptr;
  };

  void add_lane(std::uint32_t lane) {
    std::vector<Launch>& launches = launched_[lane];
    std::stable_sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) {
      return a.call->start_ns < b.call->start_ns;
    });
    const PythonFrames frames =
        timeline_.python == 0 ? PythonFrames() : PythonFrames(trace_, trace_.lanes[lane]);
    open_.clear();
    const std::vector<trace::TraceEvent>& events = trace_.lanes[lane].events;
    auto event = events.begin();
    for (const Launch& launch : launches) {
      for (; event != events.end() && event->start_ns <= launch.call->start_ns; ++event) {
        if (!is_host_op(trace_, *event)) continue;
        close_until(event->start_ns);
        open_.push_back({.event = &*event});
      }
      close_until(launch.call->start_ns);
      const std::uint32_t node =
          child(open_node(), launch.row->name, true, launch.row->duration_ns());
      TreeNode& leaf = nodes_[node];
      if (launch.row->duration_ns() <= leaf.longest_ns) continue;
      leaf.longest_ns = launch.row->duration_ns();
      leaf.row.line = frames.empty() ? ops::kNoIndex : frames.user_at(launch.call->start_ns);
    }
  }

  void close_until(std::int64_t at_ns) {
    while (!open_.empty() && open_.back().event->end_ns <= at_ns) open_.pop_back();
  }

  // Of the innermost open row; one that calls itself (autocast) is one.
  std::uint32_t open_node() {
    std::size_t known = open_.size();
    while (known > 0 && open_[known - 1].node == kNoTreeNode) --known;
    std::uint32_t node = known == 0 ? kNoTreeNode : open_[known - 1].node;
    for (; known < open_.size(); ++known) {
      const std::uint32_t name = open_[known].event->name;
      const bool again = node != kNoTreeNode && nodes_[node].row.name == name;
      if (!again) node = child(node, name, false, -1);
      open_[known].node = node;
    }
    return node;
  }

  // A duration below 0 only looks it up.
  std::uint32_t child(std::uint32_t parent, std::uint32_t name, bool on_device,
                      std::int64_t duration_ns) {
    const std::uint64_t key = (std::uint64_t{parent} << 32U) | name;
    const auto [at, is_new] =
        index_[on_device ? 1 : 0].try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_.push_back({.row = {.name = name, .on_device = on_device}});
      (parent == kNoTreeNode ? roots_ : nodes_[parent].below).push_back(at->second);
    }
    if (duration_ns >= 0) {
      TreeNode& node = nodes_[at->second];
      ++node.row.launches;
      node.row.device_ns += duration_ns;
    }
    return at->second;
  }

  // Children are made after their parents.
  void sum_up() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      for (const std::uint32_t below : nodes_[i].below) {
        nodes_[i].row.launches += nodes_[below].row.launches;
        nodes_[i].row.device_ns += nodes_[below].row.device_ns;
      }
    }
  }

  void list() {
    std::vector<std::pair<std::uint32_t, std::int64_t>> to_list;
    const auto push = [&](std::vector<std::uint32_t>& nodes, std::int64_t at_depth) {
      std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
        return nodes_[a].row.device_ns < nodes_[b].row.device_ns;
      });
      for (const std::uint32_t node : nodes) to_list.emplace_back(node, at_depth);
    };
    push(roots_, 0);
    while (!to_list.empty()) {
      const auto [node, at_depth] = to_list.back();
      to_list.pop_back();
      out_.rows.push_back(nodes_[node].row);
      out_.rows.back().depth = at_depth;
      push(nodes_[node].below, at_depth + 1);
    }
  }

  const Timeline& timeline_;
  const trace::Trace& trace_;
  std::vector<std::vector<Launch>> launched_;  // by lane of the call
  std::vector<OpenTreeRow> open_;
  std::vector<TreeNode> nodes_;
  std::vector<std::uint32_t> roots_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_[2];  // of the host, of the device
  KernelTree out_;
};

}  // namespace

ValueOrReason<KernelTree> find_kernel_tree(const Timeline& timeline, const Steps& steps) {
  if (timeline.work.empty()) {
    return ValueOrReason<KernelTree>::absent("the trace has no device rows");
  }
  KernelTree tree = KernelTreeMaker(timeline, steps).make();
  tree.sequences = repeated_sequences(timeline, steps);
  return tree;
}

}  // namespace stepbench::analyze
