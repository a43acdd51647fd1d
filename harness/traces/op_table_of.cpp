// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/op_table_of.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/ops/op_log.h"
#include "harness/ops/op_table.h"
#include "harness/ops/op_work.h"
#include "harness/text/numbers.h"
#include "harness/traces/internal/folded_calls.h"

namespace stepbench::traces {
namespace {

using ops::kNoIndex;
using ops::OpRow;

std::optional<ops::ActivityKind> activity_kind(EventKind kind) {
  switch (kind) {
    case EventKind::kRuntime:
      return ops::ActivityKind::kRuntime;
    case EventKind::kDriver:
      return ops::ActivityKind::kDriver;
    case EventKind::kKernel:
      return ops::ActivityKind::kKernel;
    case EventKind::kMemcpy:
      return ops::ActivityKind::kMemcpy;
    case EventKind::kMemset:
      return ops::ActivityKind::kMemset;
    case EventKind::kSync:
      return ops::ActivityKind::kSynchronization;
    default:
      return std::nullopt;
  }
}

// Bytes of one node.
struct NodeMemory {
  MemorySums::Bytes all = {};
  MemorySums::Bytes self = {};
  MemorySums::Bytes own = {};  // while it was the innermost of its thread
  MemorySums::Bytes allocated = {};
  MemorySums::Bytes allocations = {};  // number of them
};

class TableMaker {
 public:
  explicit TableMaker(const OpTree& tree)
      : tree_(tree), trace_(tree.trace()), strings_(table_.strings), modules_(tree.modules()) {}

  ops::OpTable make() {
    table_.dropped = trace_.dropped;
    add_memory();
    add_nodes();
    add_activities();
    table_.calls = folded_calls(tree_, self_device_ns_, strings_);
    table_.rows = rows_.by_first_call();
    return std::move(table_);
  }

 private:
  template <typename Visit>
  void for_each_activity(const Visit& visit) const {
    for (const TraceLane& lane : trace_.lanes) {
      for (const TraceEvent& event : lane.events) {
        if (const auto kind = activity_kind(event.kind)) visit(event, *kind);
      }
    }
  }

  void add_memory() {
    MemorySums sums(trace_.memory);
    if (sums.empty()) return;
    const std::vector<OpNode>& nodes = tree_.nodes();
    memory_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      memory_[i].all = sums.claim(nodes[i].row->start_ns, nodes[i].row->end_ns);
      if (!nodes[i].async()) memory_[i].self += memory_[i].all;
      if (nodes[i].parent != kNoIndex) memory_[nodes[i].parent].self -= memory_[i].all;
    }
    causes_ = tree_.causes_of_memory();
    for (std::size_t i = 0; i < causes_.size(); ++i) {
      if (causes_[i] == kNoIndex) continue;
      const TraceMemory& event = trace_.memory[i];
      const auto part = event.device < 0 ? &MemorySums::Bytes::cpu : &MemorySums::Bytes::device;
      NodeMemory& memory = memory_[causes_[i]];
      memory.own.*part += event.bytes;
      if (event.bytes < 0) continue;
      memory.allocated.*part += event.bytes;
      ++(memory.allocations.*part);
    }
    for (const MemorySums::Unclaimed& left : sums.unclaimed()) {
      OpRow row = place(left.at_ns);
      row.name = strings_.id("[memory]");
      row.kind = ops::OpKind::kMemory;
      row.calls = 1;
      row.self_cpu_bytes = row.cpu_bytes = left.bytes.cpu;
      row.self_device_bytes = row.device_bytes = left.bytes.device;
      rows_.add(row, left.at_ns);
    }
    add_memory_points();
  }

  void add_memory_points() {
    constexpr std::size_t kPoints = 512;  // per device
    const std::int64_t first_ns = first_row_ns();
    for (const MemoryLevel& level : memory_levels(trace_.memory, kPoints)) {
      const TraceMemory& event = trace_.memory[level.event];
      const OpRow where = place(event.at_ns);
      const std::uint32_t op = causes_[level.event];
      table_.memory.push_back({.at_ns = event.at_ns - first_ns,
                               .step = where.step,
                               .device = event.device,
                               .allocated_bytes = level.allocated_bytes,
                               .phase = where.phase,
                               .op = op == kNoIndex ? kNoIndex : name_of(tree_.nodes()[op]),
                               .peak = level.peak});
    }
  }

  [[nodiscard]] std::int64_t first_row_ns() const {
    std::int64_t first_ns = trace_.memory.front().at_ns;
    for (const TraceLane& lane : trace_.lanes) {
      const auto row = std::ranges::find_if(lane.events, [](const TraceEvent& event) {
        return event.kind != EventKind::kPython && event.kind != EventKind::kOverhead &&
               event.kind != EventKind::kSpan && event.kind != EventKind::kGpuAnnotation;
      });
      if (row != lane.events.end()) first_ns = std::min(first_ns, row->start_ns);
    }
    return first_ns;
  }

  void add_nodes() {
    const std::vector<OpNode>& nodes = tree_.nodes();
    const std::vector<std::int64_t> self_ns = tree_.self_times();
    std::vector<bool> repeated(nodes.size());  // has an inner node of the same name
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].parent == kNoIndex) continue;
      if (nodes[nodes[i].parent].name == nodes[i].name) repeated[nodes[i].parent] = true;
    }
    const std::vector<std::int64_t> device_ns = device_times();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      OpRow row = place(nodes[i].row->start_ns);
      row.name = name_of(nodes[i]);
      row.module = text(modules_[i]);
      row.kind = nodes[i].kind;
      row.async = nodes[i].async();
      row.calls = 1;
      row.cpu_ns = nodes[i].row->duration_ns();
      row.self_cpu_ns = self_ns[i];
      if (!device_ns.empty()) {
        row.self_device_ns = self_device_ns_[i];
        row.device_ns = device_ns[i];
      }
      if (!memory_.empty()) add_bytes(memory_[i], row);
      add_shapes(nodes[i], repeated[i], row);
      rows_.add(row, nodes[i].row->start_ns);
    }
  }

  // Returns the device time of each node with its callees; empty without a device. Children follow
  // their parents, so sums propagate upwards in one pass.
  std::vector<std::int64_t> device_times() {
    const std::vector<OpNode>& nodes = tree_.nodes();
    for_each_activity([&](const TraceEvent& event, ops::ActivityKind /*kind*/) {
      self_device_ns_.resize(nodes.size());
      if (!is_device_work(event.kind)) return;
      const std::uint32_t cause = tree_.cause_of(event);
      if (cause != kNoIndex && !nodes[cause].async()) self_device_ns_[cause] += event.duration_ns();
    });
    std::vector<std::int64_t> device_ns = self_device_ns_;
    for (std::size_t i = device_ns.size(); i-- > 0;) {
      if (nodes[i].parent != kNoIndex) device_ns[nodes[i].parent] += device_ns[i];
    }
    return device_ns;
  }

  static void add_bytes(const NodeMemory& memory, OpRow& row) {
    row.cpu_bytes = memory.all.cpu;
    row.device_bytes = memory.all.device;
    row.self_cpu_bytes = memory.self.cpu;
    row.self_device_bytes = memory.self.device;
    row.own_cpu_bytes = memory.own.cpu;
    row.own_device_bytes = memory.own.device;
    row.own_cpu_allocated_bytes = memory.allocated.cpu;
    row.own_device_allocated_bytes = memory.allocated.device;
    row.own_cpu_allocations = memory.allocations.cpu;
    row.own_device_allocations = memory.allocations.device;
  }

  void add_shapes(const OpNode& node, bool repeated, OpRow& row) {
    const OpDetail* detail = trace_.op_detail(*node.row);
    if (detail == nullptr || detail->shapes == kNoIndex) return;
    row.shapes = text(detail->shapes);
    // Autocast casts an op's inputs and calls the op again: the inner call does the work.
    if (repeated) return;
    const std::uint64_t key = (std::uint64_t{node.name} << 32U) | node.row->detail;
    const auto [at, is_new] = flops_.try_emplace(key, 0);
    if (is_new) {
      at->second =
          ops::flops(tree_.name(node), trace_.text(detail->shapes), trace_.text(detail->arguments))
              .value_or(0);
    }
    row.flops = at->second;
  }

  // Device work, calls and waits. In a trace with steps the table of activities leaves out those
  // outside of them, which are the harness's.
  void add_activities() {
    std::unordered_map<ops::RowKey, std::size_t, ops::RowKeyHash> index;
    for_each_activity([&](const TraceEvent& event, ops::ActivityKind kind) {
      const std::uint32_t cause = tree_.cause_of(event);
      OpRow row = place_of(event, cause);
      row.name = string_of(tree_.name_of(event));
      if (is_device_work(event.kind)) add_work(event, cause, row);
      if (tree_.has_steps() && row.step < 0) return;
      ops::ActivityRow activity{.name = row.name, .phase = row.phase, .kind = kind};
      if (cause != kNoIndex) activity.op = name_of(tree_.nodes()[cause]);
      const ops::RowKey key{std::int64_t(kind),  activity.phase, activity.name, activity.op, 0,
                            ops::OpKind::kDevice};
      const auto [at, is_new] = index.try_emplace(key, table_.activities.size());
      if (is_new) {
        activity.min_ns = event.duration_ns();
        table_.activities.push_back(activity);
      }
      ops::ActivityRow& sum = table_.activities[at->second];
      ++sum.launches;
      sum.total_ns += event.duration_ns();
      sum.min_ns = std::min(sum.min_ns, event.duration_ns());
      sum.max_ns = std::max(sum.max_ns, event.duration_ns());
      const bool moves = kind == ops::ActivityKind::kMemcpy || kind == ops::ActivityKind::kMemset;
      if (moves) sum.bytes += std::max<std::int64_t>(event.value, 0);
    });
  }

  void add_work(const TraceEvent& event, std::uint32_t cause, OpRow row) {
    if (cause != kNoIndex) row.module = text(modules_[cause]);
    row.kind = ops::OpKind::kDevice;
    row.calls = 1;
    row.device_ns = row.self_device_ns = event.duration_ns();
    rows_.add(row, event.start_ns);
  }

  [[nodiscard]] OpRow place(std::int64_t at_ns) {
    const OpTree::Place found = tree_.place(at_ns);
    OpRow row;
    row.step = found.step;
    if (found.phase != kNoIndex) row.phase = string_of(found.phase);
    return row;
  }
  // Device work belongs to the step and phase that launched it, whenever it runs.
  [[nodiscard]] OpRow place_of(const TraceEvent& event, std::uint32_t cause) {
    if (cause != kNoIndex) return place(tree_.nodes()[cause].row->start_ns);
    const TraceEvent* call = tree_.call_of(event);
    return place((call == nullptr ? event : *call).start_ns);
  }

  // Maps indices of the tree's names and of Trace::texts to OpTable::strings.
  [[nodiscard]] std::uint32_t string_of(std::uint32_t name) {
    return mapped(names_, name, [&] { return std::string_view(tree_.names()[name]); });
  }
  [[nodiscard]] std::uint32_t name_of(const OpNode& node) { return string_of(node.name); }
  [[nodiscard]] std::uint32_t text(std::uint32_t index) {
    if (index == kNoIndex) return kNoIndex;
    return mapped(texts_, index, [&] { return trace_.text(index); });
  }
  template <typename TextOf>
  std::uint32_t mapped(std::vector<std::uint32_t>& map, std::uint32_t index, const TextOf& text) {
    if (index >= map.size()) map.resize(index + 1, kNoIndex);
    if (map[index] == kNoIndex) map[index] = strings_.id(text());
    return map[index];
  }

  const OpTree& tree_;
  const Trace& trace_;
  ops::OpTable table_;
  ops::StringTable strings_;
  std::vector<std::uint32_t> names_;
  std::vector<std::uint32_t> texts_;
  std::vector<std::uint32_t> modules_;  // of each node
  std::vector<std::uint32_t> causes_;   // node of each change of memory
  std::vector<std::int64_t> self_device_ns_;
  std::vector<NodeMemory> memory_;
  std::unordered_map<std::uint64_t, std::int64_t> flops_;  // key: name and detail
  ops::RowSet rows_;
};

}  // namespace

ops::OpTable op_table_of(const OpTree& tree) { return TableMaker(tree).make(); }
ops::OpTable op_table_of(const Trace& trace) { return op_table_of(OpTree(trace)); }

namespace {

struct MemoryLevelAt {
  std::uint32_t event = 0;
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
};

// By device, each sorted by time as Trace::memory is.
std::map<int, std::vector<MemoryLevelAt>> levels_by_device(const std::vector<TraceMemory>& events) {
  std::map<int, std::vector<MemoryLevelAt>> devices;
  for (std::size_t i = 0; i < events.size(); ++i) {
    devices[events[i].device].push_back({std::uint32_t(i), events[i].at_ns, 0});
  }
  for (auto& [device, levels] : devices) {
    // -1: not recorded.
    const auto total = [&](const MemoryLevelAt& level) {
      const std::int64_t bytes = events[level.event].total_allocated;
      return bytes == -1 ? 0 : bytes;
    };
    const bool reported = std::ranges::any_of(levels, total);
    std::int64_t sum = 0;
    for (MemoryLevelAt& level : levels) {
      sum += events[level.event].bytes;
      level.bytes = reported ? total(level) : sum;
    }
  }
  return devices;
}

std::size_t highest(const std::vector<MemoryLevelAt>& levels, std::size_t first, std::size_t last) {
  const auto begin = levels.begin() + std::ptrdiff_t(first);
  const auto end = levels.begin() + std::ptrdiff_t(last);
  const auto found = std::max_element(
      begin, end, [](const MemoryLevelAt& a, const MemoryLevelAt& b) { return a.bytes < b.bytes; });
  return std::size_t(found - levels.begin());
}

// The level not exceeded for 95 % of the time between the first and the last event.
std::int64_t usual_bytes(const std::vector<MemoryLevelAt>& levels) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;  // bytes, duration
  std::int64_t total_ns = 0;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const std::int64_t span_ns = levels[i + 1].at_ns - levels[i].at_ns;
    spans.emplace_back(levels[i].bytes, span_ns);
    total_ns += span_ns;
  }
  std::ranges::sort(spans);
  std::int64_t below_ns = 0;
  for (const auto& [bytes, span_ns] : spans) {
    below_ns += span_ns;
    if (below_ns >= total_ns - total_ns / 20) return bytes;
  }
  return spans.empty() ? 0 : spans.back().first;
}

Finding spike(const ops::OpTable& table, const ops::MemoryPoint& peak, std::int64_t usual,
              double threshold) {
  const std::string device = peak.device < 0 ? "host" : formatted("device {}", peak.device);
  std::string where(table.text(peak.op));
  if (where.empty()) where = "no op";
  if (peak.phase != ops::kNoIndex) where += " in " + std::string(table.text(peak.phase));
  if (peak.step >= 0) where += formatted(" of step {}", peak.step);
  Finding finding;
  finding.id = "memory.spike";
  finding.severity = Severity::kWarning;
  finding.value = double(peak.allocated_bytes) / double(usual) - 1;
  finding.threshold = threshold;
  finding.unit = "ratio";
  finding.text = formatted(
      "memory spike of the {}: {} at {}; for 95 % of the time it holds at most {}", device,
      text::byte_text(double(peak.allocated_bytes)), where, text::byte_text(double(usual)));
  finding.evidence = {std::string(table.text(peak.op)), std::string(table.text(peak.phase))};
  std::erase(finding.evidence, "");
  finding.remedy =
      "Look for a temporary of that op that can be made smaller, reused or freed earlier: this "
      "moment alone decides which batch size fits.";
  return finding;
}

}  // namespace

std::vector<MemoryLevel> memory_levels(const std::vector<TraceMemory>& events, std::size_t points) {
  std::vector<MemoryLevel> chosen;
  for (const auto& [device, levels] : levels_by_device(events)) {
    const std::size_t runs = std::min(points, levels.size());
    const std::size_t peak = highest(levels, 0, levels.size());
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t at =
          highest(levels, run * levels.size() / runs, (run + 1) * levels.size() / runs);
      chosen.push_back({levels[at].event, levels[at].bytes, at == peak});
    }
  }
  return chosen;
}

std::vector<Finding> memory_findings(const Trace& trace, const ops::OpTable& table,
                                     double threshold) {
  std::vector<Finding> findings;
  for (const auto& [device, levels] : levels_by_device(trace.memory)) {
    const std::int64_t usual = usual_bytes(levels);
    const auto peak = std::ranges::find_if(
        table.memory,
        [of = device](const ops::MemoryPoint& point) { return point.device == of && point.peak; });
    if (peak == table.memory.end() || usual <= 0) continue;
    const std::int64_t excess = peak->allocated_bytes - usual;
    if (excess < kMinSpikeBytes || double(excess) <= threshold * double(usual)) {
      continue;
    }
    findings.push_back(spike(table, *peak, usual, threshold));
  }
  return findings;
}

MemorySums::MemorySums(const std::vector<TraceMemory>& events)
    : sums_(1), openings_(events.size() + 1) {
  for (const TraceMemory& event : events) {
    times_.push_back(event.at_ns);
    sums_.push_back(sums_.back());
    (event.device < 0 ? sums_.back().cpu : sums_.back().device) += event.bytes;
  }
}

MemorySums::Bytes MemorySums::claim(std::int64_t start_ns, std::int64_t end_ns) {
  const auto begin = std::ranges::lower_bound(times_, start_ns);
  const auto end = std::upper_bound(begin, times_.end(), std::max(start_ns, end_ns));
  const auto first = std::size_t(begin - times_.begin());
  const auto last = std::size_t(end - times_.begin());
  if (first >= last) return {};
  ++openings_[first];
  --openings_[last];
  return {sums_[last].cpu - sums_[first].cpu, sums_[last].device - sums_[first].device};
}

std::vector<MemorySums::Unclaimed> MemorySums::unclaimed() const {
  std::vector<Unclaimed> found;
  std::int64_t open = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    open += openings_[i];
    if (open > 0) continue;
    found.push_back(
        {times_[i], {sums_[i + 1].cpu - sums_[i].cpu, sums_[i + 1].device - sums_[i].device}});
  }
  return found;
}

}  // namespace stepbench::traces
