// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/printable.h"

namespace stepbench::ops {
namespace {

// A member of a row that is a column of integers.
template <typename Row>
struct Column {
  using Text = std::uint32_t Row::*;
  using Number = std::int64_t Row::*;
  using Flag = bool Row::*;
  std::string_view name;
  std::variant<Text, Number, Flag> member;
};

constexpr Column<OpRow> kOpColumns[] = {
    {"step", &OpRow::step},
    {"phase", &OpRow::phase},
    {"name", &OpRow::name},
    {"shapes", &OpRow::shapes},
    {"module", &OpRow::module},
    {"async", &OpRow::async},
    {"calls", &OpRow::calls},
    {"self_cpu_ns", &OpRow::self_cpu_ns},
    {"cpu_ns", &OpRow::cpu_ns},
    {"self_device_ns", &OpRow::self_device_ns},
    {"device_ns", &OpRow::device_ns},
    {"self_cpu_bytes", &OpRow::self_cpu_bytes},
    {"cpu_bytes", &OpRow::cpu_bytes},
    {"self_device_bytes", &OpRow::self_device_bytes},
    {"device_bytes", &OpRow::device_bytes},
    {"own_cpu_bytes", &OpRow::own_cpu_bytes},
    {"own_device_bytes", &OpRow::own_device_bytes},
    {"own_cpu_allocated_bytes", &OpRow::own_cpu_allocated_bytes},
    {"own_device_allocated_bytes", &OpRow::own_device_allocated_bytes},
    {"own_cpu_allocations", &OpRow::own_cpu_allocations},
    {"own_device_allocations", &OpRow::own_device_allocations},
    {"flops", &OpRow::flops},
};

constexpr Column<ActivityRow> kActivityColumns[] = {
    {"phase", &ActivityRow::phase},
    {"name", &ActivityRow::name},
    {"op", &ActivityRow::op},
    {"launches", &ActivityRow::launches},
    {"total_ns", &ActivityRow::total_ns},
    {"min_ns", &ActivityRow::min_ns},
    {"max_ns", &ActivityRow::max_ns},
    {"bytes", &ActivityRow::bytes},
};

constexpr Column<MemoryPoint> kMemoryColumns[] = {
    {"device", &MemoryPoint::device}, {"at_ns", &MemoryPoint::at_ns},
    {"step", &MemoryPoint::step},     {"phase", &MemoryPoint::phase},
    {"op", &MemoryPoint::op},         {"allocated_bytes", &MemoryPoint::allocated_bytes},
    {"peak", &MemoryPoint::peak},
};

constexpr Column<StackRow> kStackColumns[] = {
    {"part", &StackRow::part},   {"place", &StackRow::place}, {"code", &StackRow::code},
    {"calls", &StackRow::calls}, {"stack", &StackRow::stack}, {"samples", &StackRow::samples},
};

constexpr Column<FoldedCall> kCallColumns[] = {
    {"name", &FoldedCall::name},           {"depth", &FoldedCall::depth},
    {"calls", &FoldedCall::calls},         {"self_cpu_ns", &FoldedCall::self_cpu_ns},
    {"cpu_ns", &FoldedCall::cpu_ns},       {"self_device_ns", &FoldedCall::self_device_ns},
    {"device_ns", &FoldedCall::device_ns},
};

template <typename Row>
struct Layout {
  std::string_view table;
  std::vector<Row> OpTable::*rows;
  std::span<const Column<Row>> columns;

  static constexpr bool kHasKind = requires(Row row) { row.kind; };  // the first column, by name
};

void for_each_layout(const auto& use) {
  use(Layout<OpRow>{"ops", &OpTable::rows, kOpColumns});
  use(Layout<ActivityRow>{"activities", &OpTable::activities, kActivityColumns});
  use(Layout<MemoryPoint>{"memory", &OpTable::memory, kMemoryColumns});
  use(Layout<StackRow>{"stacks", &OpTable::stacks, kStackColumns});
  use(Layout<FoldedCall>{"calls", &OpTable::calls, kCallColumns});
}

class Packer {
 public:
  Packer(const OpTable& table, std::size_t max_bytes) : table_(table), max_bytes_(max_bytes) {}

  template <typename Row>
  void pack(const Layout<Row>& layout) {
    for (const Row& row : table_.*layout.rows) {
      if (frame_ == nullptr || bytes_ > max_bytes_) open(layout);
      std::size_t at = 0;
      if constexpr (Layout<Row>::kHasKind) put(at++, intern(name_of(row.kind)));
      for (const Column<Row>& column : layout.columns) put(at++, integer(row, column));
    }
    frame_ = nullptr;
  }

  [[nodiscard]] std::vector<OpFrame> take() { return std::move(frames_); }

 private:
  static constexpr std::size_t kBytesPerNumber = 8;  // an estimate: most numbers are short

  template <typename Row>
  void open(const Layout<Row>& layout) {
    frame_ = &frames_.emplace_back();
    frame_->table = layout.table;
    if constexpr (Layout<Row>::kHasKind) frame_->series.add("kind", 0);
    for (const Column<Row>& column : layout.columns) {
      frame_->series.add(std::string(column.name), 0);
    }
    strings_.clear();
    bytes_ = 0;
  }

  template <typename Row>
  std::int64_t integer(const Row& row, const Column<Row>& column) {
    if (const auto* text = std::get_if<typename Column<Row>::Text>(&column.member)) {
      return row.**text == kNoIndex ? -1 : intern(table_.strings[row.**text]);
    }
    if (const auto* number = std::get_if<typename Column<Row>::Number>(&column.member)) {
      return row.**number;
    }
    return row.*std::get<typename Column<Row>::Flag>(column.member) ? 1 : 0;
  }

  std::int64_t intern(std::string_view text) {
    const auto [at, is_new] =
        strings_.try_emplace(std::string(text), std::int64_t(strings_.size()));
    if (is_new) {
      frame_->strings.emplace_back(text);
      bytes_ += 6 * text.size() + 3;  // a control character takes six bytes
    }
    return at->second;
  }

  void put(std::size_t column, std::int64_t value) {
    frame_->series.columns[column].push_back(value);
    bytes_ += kBytesPerNumber;
    for (std::int64_t rest = value / 10'000'000; rest != 0; rest /= 10) ++bytes_;
  }

  const OpTable& table_;
  std::size_t max_bytes_;
  std::vector<OpFrame> frames_;
  OpFrame* frame_ = nullptr;
  std::unordered_map<std::string, std::int64_t> strings_;
  std::size_t bytes_ = 0;
};

class Unpacker {
 public:
  OpTable take() { return std::move(table_); }

  void add(const OpFrame& frame) {
    strings_.clear();
    for (const std::string& text : frame.strings) strings_.push_back(intern(text));
    for_each_layout([&](const auto& layout) {
      if (frame.table == layout.table) add_rows(layout, frame);
    });
  }

 private:
  template <typename Row>
  void add_rows(const Layout<Row>& layout, const OpFrame& frame) {
    std::vector<Row>& rows = table_.*layout.rows;
    const std::size_t before = rows.size();
    rows.resize(before + frame.series.steps());
    for (std::size_t at = 0; at < frame.series.names.size(); ++at) {
      const std::string& name = frame.series.names[at];
      const auto column = std::ranges::find(layout.columns, name, &Column<Row>::name);
      for (std::size_t i = 0; i < frame.series.columns[at].size(); ++i) {
        const std::int64_t value = frame.series.columns[at][i];
        if (column != layout.columns.end()) set(rows[before + i], *column, value, frame);
        if constexpr (Layout<Row>::kHasKind) {
          if (name == "kind") set_kind(rows[before + i], value, frame);
        }
      }
    }
  }

  template <typename Row>
  void set(Row& row, const Column<Row>& column, std::int64_t value, const OpFrame& frame) {
    if (const auto* text = std::get_if<typename Column<Row>::Text>(&column.member)) {
      row.** text = value == -1 ? kNoIndex : text_of(value, frame, column.name);
    } else if (const auto* number = std::get_if<typename Column<Row>::Number>(&column.member)) {
      row.** number = value;
    } else {
      row.*std::get<typename Column<Row>::Flag>(column.member) = value != 0;
    }
  }

  template <typename Row>
  void set_kind(Row& row, std::int64_t value, const OpFrame& frame) {
    const std::string& name = table_.strings[text_of(value, frame, "kind")];
    const auto kind = one_of<decltype(row.kind)>(name);
    if (!kind) throw Error(formatted("table '{}': unknown row kind '{}'", frame.table, name));
    row.kind = *kind;
  }

  std::uint32_t text_of(std::int64_t value, const OpFrame& frame, std::string_view column) const {
    if (value < 0 || std::size_t(value) >= strings_.size()) {
      throw Error(formatted("table '{}', column '{}': {} is not the index of one of its {} strings",
                            frame.table, column, value, strings_.size()));
    }
    return strings_[std::size_t(value)];
  }

  std::uint32_t intern(const std::string& text) {
    const auto [at, is_new] = index_.try_emplace(text, std::uint32_t(table_.strings.size()));
    if (is_new) table_.strings.push_back(text);
    return at->second;
  }

  OpTable table_;
  std::vector<std::uint32_t> strings_;  // index in the frame -> index in the table
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace

std::vector<OpFrame> frames_of(const OpTable& table, std::size_t max_bytes) {
  Packer packer(table, max_bytes);
  for_each_layout([&](const auto& layout) { packer.pack(layout); });
  return packer.take();
}

OpTable op_table_of(std::span<const OpFrame> frames) {
  Unpacker unpacker;
  for (const OpFrame& frame : frames) unpacker.add(frame);
  return unpacker.take();
}

std::vector<SampledLine> sampled_lines(const OpTable& table) {
  struct Line {
    std::int64_t samples = 0;
    std::uint32_t code = kNoIndex;
    std::map<std::string_view, std::int64_t> calls;
  };
  std::map<std::pair<std::string_view, std::string_view>, Line> lines;
  for (const StackRow& row : table.stacks) {
    Line& line = lines[{table.text(row.place), table.text(row.part)}];
    line.samples += row.samples;
    line.code = row.code;
    line.calls[table.text(row.calls)] += row.samples;
  }
  std::vector<SampledLine> sorted;
  for (const auto& [key, line] : lines) {
    const auto most =
        std::ranges::max_element(line.calls, {}, [](const auto& each) { return each.second; });
    sorted.push_back({.part = std::string(key.second),
                      .place = std::string(key.first),
                      .code = std::string(table.text(line.code)),
                      .calls = std::string(most->first),
                      .samples = line.samples});
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &SampledLine::samples);
  return sorted;
}

std::string in_words(const SampledLine& line) {
  std::string text = line.place;
  if (!line.code.empty()) text += ", `" + line.code + '`';
  if (!line.calls.empty()) text += ", in " + line.calls;
  return text::printable(text);
}

std::size_t RowKeyHash::operator()(const RowKey& key) const {
  const auto& [step, phase, name, shapes, module, kind] = key;
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint64_t part : {std::uint64_t(step), (std::uint64_t{phase} << 32U) | name,
                                   (std::uint64_t{shapes} << 32U) | module, std::uint64_t(kind)}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

void RowSet::add(const OpRow& row, std::int64_t at_ns) {
  const RowKey key{row.step, row.phase, row.name, row.shapes, row.module, row.kind};
  const auto [at, is_new] = index_.try_emplace(key, std::uint32_t(rows_.size()));
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
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return first_ns_[a] < first_ns_[b]; });
  std::vector<OpRow> sorted;
  sorted.reserve(rows_.size());
  for (const std::size_t i : order) sorted.push_back(rows_[i]);
  return sorted;
}

OpRow& OpRow::operator+=(const OpRow& other) {
  for (const Column<OpRow>& column : kOpColumns) {
    const auto* number = std::get_if<Column<OpRow>::Number>(&column.member);
    if (number != nullptr && *number != &OpRow::step) this->** number += other.**number;
  }
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
