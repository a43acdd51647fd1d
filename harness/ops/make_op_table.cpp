// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/make_op_table.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "harness/ops/call_tree.h"
#include "harness/ops/memory_levels.h"
#include "harness/ops/op_table.h"
#include "harness/ops/op_tree.h"
#include "harness/ops/op_work.h"

namespace stepbench::ops {
namespace {

// Deduplicates texts; maps the tables of a log onto one table.
class Strings {
 public:
  explicit Strings(std::vector<std::string>& all) : all_(all) {}

  std::uint32_t intern(std::string_view text) {
    const auto [at, is_new] =
        index_.try_emplace(std::string(text), static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.emplace_back(text);
    return at->second;
  }
  std::vector<std::uint32_t> intern(const std::vector<std::string>& texts) {
    std::vector<std::uint32_t> indices;
    indices.reserve(texts.size());
    for (const std::string& text : texts) indices.push_back(intern(text));
    return indices;
  }

 private:
  std::vector<std::string>& all_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

std::uint32_t mapped(const std::vector<std::uint32_t>& map, std::uint32_t index) {
  return index < map.size() ? map[index] : kNoIndex;
}

class Maker {
 public:
  static constexpr std::size_t kMemoryPoints = 512;  // per device

  Maker(const OpLog& log, const OpTree& tree)
      : log_(log),
        tree_(tree),
        strings_(table_.strings),
        names_(strings_.intern(tree.names)),
        shapes_(strings_.intern(log.shapes)),
        modules_(strings_.intern(log.modules)),
        marks_(log.marks),
        causes_(causes_of(log, tree)),
        module_of_(modules_of(log, tree)) {}

  OpTable make() {
    table_.dropped = log_.dropped;
    for (std::size_t i = 0; i < log_.activities.size(); ++i) {
      const DeviceActivity& each = log_.activities[i];
      if (is_call(each) && each.correlation != 0) calls_.emplace(each.correlation, i);
    }
    add_nodes();
    add_device_work();
    add_activities();
    add_memory_points();
    add_calls();
    table_.rows = rows_.by_first_call();
    return std::move(table_);
  }

 private:
  void add_nodes() {
    const std::vector<OpNode>& nodes = tree_.nodes;
    std::vector<std::int64_t> self_cpu_ns(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].async) self_cpu_ns[i] += nodes[i].duration_ns();
      if (nodes[i].parent != kNoIndex) self_cpu_ns[nodes[i].parent] -= nodes[i].duration_ns();
    }
    find_device_times();
    find_memory();
    find_repeated();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      OpRow row = place(nodes[i].start_ns);
      row.name = names_[nodes[i].name];
      row.module = mapped(modules_, module_of_[i]);
      row.kind = nodes[i].kind;
      row.async = nodes[i].async;
      row.calls = 1;
      row.cpu_ns = nodes[i].duration_ns();
      row.self_cpu_ns = self_cpu_ns[i];
      if (!self_device_ns_.empty()) {
        row.self_device_ns = self_device_ns_[i];
        row.device_ns = device_ns_[i];
      }
      if (!bytes_.empty()) add_memory(i, row);
      add_shapes(i, row);
      rows_.add(row, nodes[i].start_ns);
    }
  }

  // Autocast casts an op's inputs and calls the op again: the inner call does the work.
  void find_repeated() {
    repeated_.resize(tree_.nodes.size());
    for (const OpNode& node : tree_.nodes) {
      if (node.parent == kNoIndex) continue;
      if (tree_.nodes[node.parent].name == node.name) repeated_[node.parent] = true;
    }
  }

  void add_shapes(std::size_t i, OpRow& row) {
    const OpNode& node = tree_.nodes[i];
    if (node.kind == OpKind::kCall || node.source >= log_.ops.size()) return;
    const std::uint32_t shapes = log_.ops[node.source].shapes;
    if (shapes == kNoIndex) return;
    row.shapes = shapes_[shapes];
    if (repeated_[i]) return;
    const std::uint64_t key = (std::uint64_t{node.name} << 32U) | shapes;
    const auto [at, is_new] = flops_.try_emplace(key, 0);
    if (is_new) {
      const std::string_view arguments =
          shapes < log_.arguments.size() ? log_.arguments[shapes] : std::string_view();
      at->second = flops(tree_.names[node.name], log_.shapes[shapes], arguments).value_or(0);
    }
    row.flops = at->second;
  }

  // Children follow their parents, so sums propagate upwards in one pass.
  void find_device_times() {
    if (log_.activities.empty()) return;
    self_device_ns_.resize(tree_.nodes.size());
    for (std::size_t i = 0; i < log_.activities.size(); ++i) {
      if (is_device_work(i) && has_cause(i)) self_device_ns_[causes_[i]] += duration_ns(i);
    }
    device_ns_ = self_device_ns_;
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      if (tree_.nodes[i].parent != kNoIndex) device_ns_[tree_.nodes[i].parent] += device_ns_[i];
    }
  }

  void find_memory() {
    MemorySums sums(log_.memory);
    if (sums.empty()) return;
    const std::vector<OpNode>& nodes = tree_.nodes;
    bytes_.resize(nodes.size());
    self_bytes_.resize(nodes.size());
    own_bytes_.resize(nodes.size());
    allocated_.resize(nodes.size());
    allocations_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      bytes_[i] = sums.claim(nodes[i].start_ns, nodes[i].end_ns);
      if (!nodes[i].async) {
        self_bytes_[i].cpu += bytes_[i].cpu;
        self_bytes_[i].device += bytes_[i].device;
      }
      if (nodes[i].parent == kNoIndex) continue;
      self_bytes_[nodes[i].parent].cpu -= bytes_[i].cpu;
      self_bytes_[nodes[i].parent].device -= bytes_[i].device;
    }
    for (const MemoryEvent& event : log_.memory) {
      if (event.op == kNoIndex || tree_.node_of_op[event.op] == kNoIndex) continue;
      const std::uint32_t node = tree_.node_of_op[event.op];
      const bool host = event.device < 0;
      (host ? own_bytes_[node].cpu : own_bytes_[node].device) += event.bytes;
      if (event.bytes < 0) continue;
      (host ? allocated_[node].cpu : allocated_[node].device) += event.bytes;
      ++(host ? allocations_[node].cpu : allocations_[node].device);
    }
    for (const MemorySums::Unclaimed& left : sums.unclaimed()) {
      OpRow row = place(left.at_ns);
      row.name = strings_.intern("[memory]");
      row.kind = OpKind::kMemory;
      row.calls = 1;
      row.self_cpu_bytes = row.cpu_bytes = left.bytes.cpu;
      row.self_device_bytes = row.device_bytes = left.bytes.device;
      rows_.add(row, left.at_ns);
    }
  }

  void add_memory(std::size_t node, OpRow& row) const {
    row.cpu_bytes = bytes_[node].cpu;
    row.device_bytes = bytes_[node].device;
    row.self_cpu_bytes = self_bytes_[node].cpu;
    row.self_device_bytes = self_bytes_[node].device;
    row.own_cpu_bytes = own_bytes_[node].cpu;
    row.own_device_bytes = own_bytes_[node].device;
    row.own_cpu_allocated_bytes = allocated_[node].cpu;
    row.own_device_allocated_bytes = allocated_[node].device;
    row.own_cpu_allocations = allocations_[node].cpu;
    row.own_device_allocations = allocations_[node].device;
  }

  void add_device_work() {
    for (std::size_t i = 0; i < log_.activities.size(); ++i) {
      if (!is_device_work(i)) continue;
      const DeviceActivity& activity = log_.activities[i];
      OpRow row = place_of_activity(i);
      row.name = names_[tree_.name_of_log[activity.name]];
      if (causes_[i] != kNoIndex) row.module = mapped(modules_, module_of_[causes_[i]]);
      row.kind = OpKind::kDevice;
      row.calls = 1;
      row.device_ns = row.self_device_ns = duration_ns(i);
      rows_.add(row, activity.start_ns);
    }
  }

  void add_activities() {
    const bool has_steps = std::any_of(log_.marks.begin(), log_.marks.end(),
                                       [](const StepMark& mark) { return mark.phase == kNoIndex; });
    std::unordered_map<RowKey, std::size_t, RowKeyHash> index;
    for (std::size_t i = 0; i < log_.activities.size(); ++i) {
      const DeviceActivity& activity = log_.activities[i];
      const OpRow where = place_of_activity(i);
      if (has_steps && where.step < 0) continue;  // harness's work outside of the steps
      ActivityRow row;
      row.name = names_[tree_.name_of_log[activity.name]];
      if (causes_[i] != kNoIndex) row.op = names_[tree_.nodes[causes_[i]].name];
      row.phase = where.phase;
      row.kind = activity.kind;
      const RowKey key{
          static_cast<std::int64_t>(row.kind), row.phase, row.name, row.op, 0, OpKind::kDevice};
      const auto [at, is_new] = index.try_emplace(key, table_.activities.size());
      if (is_new) {
        row.min_ns = duration_ns(i);
        table_.activities.push_back(row);
      }
      ActivityRow& sum = table_.activities[at->second];
      ++sum.launches;
      sum.total_ns += duration_ns(i);
      sum.min_ns = std::min(sum.min_ns, duration_ns(i));
      sum.max_ns = std::max(sum.max_ns, duration_ns(i));
      sum.bytes += std::max<std::int64_t>(activity.bytes, 0);
    }
  }

  void add_memory_points() {
    const std::int64_t base_ns = log_.memory.empty() ? 0 : begin_ns(log_);
    for (const MemoryLevel& level : memory_levels(log_.memory, kMemoryPoints)) {
      const MemoryEvent& event = log_.memory[level.event];
      const OpRow where = place(event.at_ns);
      MemoryPoint point{.at_ns = event.at_ns - base_ns,
                        .step = where.step,
                        .device = event.device,
                        .allocated_bytes = level.allocated_bytes,
                        .phase = where.phase,
                        .peak = level.peak};
      if (event.op != kNoIndex && tree_.node_of_op[event.op] != kNoIndex) {
        point.op = names_[tree_.nodes[tree_.node_of_op[event.op]].name];
      }
      table_.memory.push_back(point);
    }
  }

  void add_calls() {
    table_.calls = folded_calls(log_, tree_, self_device_ns_);
    const std::uint32_t others = strings_.intern(kOtherCalls);
    const std::uint32_t threads = strings_.intern(kOtherThreads);
    for (FoldedCall& row : table_.calls) {
      row.name = row.name == kOtherCallsName     ? others
                 : row.name == kOtherThreadsName ? threads
                                                 : names_[row.name];
    }
  }

  [[nodiscard]] OpRow place(std::int64_t at_ns) {
    const MarkIndex::Place found = marks_.at(at_ns);
    OpRow row;
    row.step = found.step;
    if (found.phase != kNoIndex) row.phase = names_[tree_.name_of_log[found.phase]];
    return row;
  }

  // Device work belongs to the step and phase that launched it, whenever it runs.
  [[nodiscard]] OpRow place_of_activity(std::size_t i) {
    if (causes_[i] != kNoIndex) return place(tree_.nodes[causes_[i]].start_ns);
    const auto call = calls_.find(log_.activities[i].correlation);
    return place(log_.activities[call == calls_.end() ? i : call->second].start_ns);
  }

  [[nodiscard]] bool is_device_work(std::size_t i) const {
    const ActivityKind kind = log_.activities[i].kind;
    return kind == ActivityKind::kKernel || kind == ActivityKind::kMemcpy ||
           kind == ActivityKind::kMemset;
  }
  [[nodiscard]] bool has_cause(std::size_t i) const {
    return causes_[i] != kNoIndex && !tree_.nodes[causes_[i]].async;
  }
  [[nodiscard]] std::int64_t duration_ns(std::size_t i) const {
    return log_.activities[i].end_ns - log_.activities[i].start_ns;
  }

  const OpLog& log_;
  const OpTree& tree_;
  OpTable table_;
  Strings strings_;
  std::vector<std::uint32_t> names_;  // name of the tree -> index into strings
  std::vector<std::uint32_t> shapes_;
  std::vector<std::uint32_t> modules_;
  MarkIndex marks_;
  std::unordered_map<std::uint64_t, std::size_t> calls_;  // correlation -> activity
  std::vector<std::uint32_t> causes_;                     // node of each activity
  std::vector<std::uint32_t> module_of_;                  // module of each node
  std::vector<std::int64_t> self_device_ns_;
  std::vector<std::int64_t> device_ns_;
  std::vector<MemorySums::Bytes> bytes_;
  std::vector<MemorySums::Bytes> self_bytes_;
  std::vector<MemorySums::Bytes> own_bytes_;
  std::vector<MemorySums::Bytes> allocated_;
  std::vector<MemorySums::Bytes> allocations_;             // number of allocations
  std::vector<bool> repeated_;                             // has an inner node of the same name
  std::unordered_map<std::uint64_t, std::int64_t> flops_;  // key: name and shapes
  RowSet rows_;
};

}  // namespace

OpTable make_op_table(const OpLog& log, const OpTree& tree) { return Maker(log, tree).make(); }

OpTable make_op_table(const OpLog& log) { return make_op_table(log, build_op_tree(log)); }

std::size_t RowKeyHash::operator()(const RowKey& key) const {
  const auto& [step, phase, name, shapes, module, kind] = key;
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(step), (std::uint64_t{phase} << 32U) | name,
        (std::uint64_t{shapes} << 32U) | module, static_cast<std::uint64_t>(kind)}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

void RowSet::add(const OpRow& row, std::int64_t at_ns) {
  const RowKey key{row.step, row.phase, row.name, row.shapes, row.module, row.kind};
  const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    rows_.push_back(row);
    first_ns_.push_back(at_ns);
    return;
  }
  rows_[at->second] += row;
  first_ns_[at->second] = std::min(first_ns_[at->second], at_ns);
}

std::vector<OpRow> RowSet::by_first_call() const {
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return first_ns_[a] < first_ns_[b]; });
  std::vector<OpRow> sorted;
  sorted.reserve(rows_.size());
  for (const std::size_t i : order) sorted.push_back(rows_[i]);
  return sorted;
}

OpRow& OpRow::operator+=(const OpRow& other) {
  calls += other.calls;
  self_cpu_ns += other.self_cpu_ns;
  cpu_ns += other.cpu_ns;
  self_device_ns += other.self_device_ns;
  device_ns += other.device_ns;
  self_cpu_bytes += other.self_cpu_bytes;
  cpu_bytes += other.cpu_bytes;
  self_device_bytes += other.self_device_bytes;
  device_bytes += other.device_bytes;
  own_cpu_bytes += other.own_cpu_bytes;
  own_device_bytes += other.own_device_bytes;
  own_cpu_allocated_bytes += other.own_cpu_allocated_bytes;
  own_device_allocated_bytes += other.own_device_allocated_bytes;
  own_cpu_allocations += other.own_cpu_allocations;
  own_device_allocations += other.own_device_allocations;
  flops += other.flops;
  return *this;
}

std::vector<OpRow> grouped(const std::vector<OpRow>& rows, OpGrouping by) {
  RowSet sums;
  std::int64_t order = 0;
  for (OpRow row : rows) {
    if (!by.shapes) row.shapes = kNoIndex;
    if (!by.phase) row.phase = kNoIndex;
    if (!by.module) row.module = kNoIndex;
    if (!by.step) row.step = -1;
    sums.add(row, order++);
  }
  return sums.by_first_call();
}

OpTotals totals_of(const std::vector<OpRow>& rows) {
  OpTotals totals;
  for (const OpRow& row : rows) {
    totals.self_cpu_ns += row.self_cpu_ns;
    if (row.kind == OpKind::kDevice) totals.self_device_ns += row.self_device_ns;
    totals.flops += row.flops;
  }
  return totals;
}

}  // namespace stepbench::ops
