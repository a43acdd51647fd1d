// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/device_work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "harness/base/format.h"
#include "harness/traces/internal/name_facts.h"
#include "harness/traces/internal/nesting.h"

namespace stepbench::traces {
namespace {

// A row and the host rows around it or around its launch, innermost first.
using RowAndAround = std::vector<const TraceEvent*>;

std::string message_key(std::int64_t from, std::int64_t to) {
  return formatted("message {}->{}", from, to);
}

// "nccl:send 0->1" and "nccl:recv 1<-0" are the two ends of one message.
std::optional<std::string> key_of_message(std::string_view name) {
  for (const std::string_view arrow : {"->", "<-"}) {
    const std::size_t at = name.find(arrow);
    const std::size_t begin = name.rfind(' ', at);
    if (at == std::string_view::npos || begin == std::string_view::npos) continue;
    std::int64_t left = -1;
    std::int64_t right = -1;
    std::from_chars(name.data() + begin + 1, name.data() + at, left);
    std::from_chars(name.data() + at + arrow.size(), name.data() + name.size(), right);
    if (left < 0 || right < 0) continue;
    return arrow == "->" ? message_key(left, right) : message_key(right, left);
  }
  return std::nullopt;
}

bool holds_message(std::string_view name) {
  for (const char* part : {"send", "Send", "recv", "Recv", "oalesced"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string key_of_detail(const Trace& trace, const CollectiveDetail& detail) {
  if (detail.name == ops::kNoIndex) return {};
  const std::string_view name = trace.text(detail.name);
  if (holds_message(name)) {
    const bool known = detail.from_rank >= 0 && detail.to_rank >= 0;
    return known ? message_key(detail.from_rank, detail.to_rank) : std::string();
  }
  std::string key(name);
  if (detail.group != ops::kNoIndex) key += ", group " + std::string(trace.text(detail.group));
  if (detail.ranks != ops::kNoIndex) key += ' ' + std::string(trace.text(detail.ranks));
  return key;
}

const CollectiveDetail* detail_of(const Trace& trace, const TraceEvent& event) {
  const KernelDetail* kernel = trace.kernel_detail(event);
  const OpDetail* op = trace.op_detail(event);
  const std::uint32_t index = kernel != nullptr ? kernel->collective
                              : op != nullptr   ? op->collective
                                                : ops::kNoIndex;
  return index == ops::kNoIndex ? nullptr : &trace.collectives[index];
}

// Returns the operation and its peers, taken from the innermost row that knows them:
// "nccl:all_to_all", record_param_comms, c10d::alltoall_base_.
std::string key_of_collective(const Trace& trace, const RowAndAround& rows) {
  for (const TraceEvent* row : rows) {
    const CollectiveDetail* detail = detail_of(trace, *row);
    if (detail == nullptr) continue;
    if (std::string key = key_of_detail(trace, *detail); !key.empty()) return key;
  }
  for (const TraceEvent* row : std::span(rows).subspan(1)) {
    const std::string& name = trace.name_of(*row);
    if (!is_backend_row(name) && !name.starts_with("c10d::")) continue;
    if (const auto message = key_of_message(name)) return *message;
    if (!holds_message(name)) return name;
  }
  const std::string& name = trace.name_of(*rows.front());
  if (const auto message = key_of_message(name)) return *message;
  return holds_message(name) ? std::string() : short_row_name(name);
}

// "_allgather_base", "AllGather_RING" and "all_gather_into_tensor" are the same kind.
struct ExchangeKind {
  std::string_view part;  // substring of the lower-case name without '_'
  bool of_larger_side;    // size is the larger of input and output
  double (*bus_factor)(double ranks);
};

constexpr double without_own_part(double ranks) { return (ranks - 1) / ranks; }
constexpr double all_sent(double /*ranks*/) { return 1; }

// The first match wins.
constexpr ExchangeKind kKinds[] = {
    {"allreduce", false, [](double ranks) { return 2 * without_own_part(ranks); }},
    {"reducescatter", true, without_own_part},
    {"allgather", true, without_own_part},
    {"alltoall", false, without_own_part},
    {"broadcast", false, all_sent},
    {"reduce", false, all_sent},
    {"gather", true, without_own_part},
    {"scatter", true, without_own_part},
    {"send", true, all_sent},
    {"recv", true, all_sent},
};

const ExchangeKind* exchange_kind(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != '_') folded += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  const auto* found = std::ranges::find_if(kKinds, [&](const ExchangeKind& kind) {
    return folded.find(kind.part) != std::string::npos;
  });
  return found == std::end(kKinds) ? nullptr : found;
}

// "[0, 1, 2, 3]" -> 4; -1 for an abbreviated list such as "[0, ..., 7]".
std::int64_t ranks_in(std::string_view list) {
  if (list.size() < 3 || list.find("..") != std::string_view::npos) return -1;
  return 1 + std::count(list.begin(), list.end(), ',');
}

ExchangeFacts facts_of_detail(const Trace& trace, const CollectiveDetail& detail) {
  ExchangeFacts facts{.name = std::string(trace.text(detail.name)),
                      .group = std::string(trace.text(detail.group)),
                      .group_size = detail.group_size,
                      .dtype = ops::dtype_named(trace.text(detail.dtype))};
  const std::string_view ranks = trace.text(detail.ranks);
  if (!ranks.empty()) facts.group += (facts.group.empty() ? "" : " ") + std::string(ranks);
  if (facts.group_size < 0) facts.group_size = ranks_in(ranks);
  const ExchangeKind* kind = exchange_kind(facts.name);
  const std::int64_t elements = kind != nullptr && kind->of_larger_side
                                    ? std::max(detail.in_elements, detail.out_elements)
                                    : detail.in_elements;
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 52;
  const std::int64_t each = ops::element_bytes(facts.dtype);
  if (elements >= 0 && elements < kMaxElements && each > 0) facts.bytes = elements * each;
  return facts;
}

ExchangeFacts facts_of(const Trace& trace, const RowAndAround& rows) {
  for (const TraceEvent* row : rows) {
    if (const auto* detail = detail_of(trace, *row)) return facts_of_detail(trace, *detail);
  }
  for (const TraceEvent* row : std::span(rows).subspan(1)) {
    if (is_backend_row(trace.name_of(*row))) return {.name = trace.name_of(*row)};
  }
  return {.name = short_row_name(trace.name_of(*rows.front()))};
}

class ExchangeList {
 public:
  explicit ExchangeList(const Trace& trace) : trace_(trace) {}

  // `placed_by`: its launch, or a row of the host itself; null: unknown.
  void add(const TraceEvent& event, const TraceEvent* placed_by) {
    RowAndAround rows = {&event};
    if (placed_by != nullptr) {
      const Nesting& thread = thread_of(placed_by->lane);
      for (std::uint32_t row = thread.at(placed_by->start_ns); row != ops::kNoIndex;
           row = thread[row].parent) {
        rows.push_back(thread[row].event);
      }
    }
    found_.push_back({.key = key_of_collective(trace_, rows),
                      .at = span_of(event),
                      .placed_by_ns = (placed_by == nullptr ? event : *placed_by).start_ns,
                      .facts = facts_of(trace_, rows)});
  }

  [[nodiscard]] std::vector<ExchangeRow> take() { return std::move(found_); }

 private:
  const Nesting& thread_of(std::uint32_t lane) {
    const auto found = threads_.find(lane);
    if (found != threads_.end()) return found->second;
    const auto keep = [](const TraceEvent& event) { return is_op_or_annotation(event.kind); };
    return threads_.try_emplace(lane, trace_.lanes[lane], keep).first->second;
  }

  const Trace& trace_;
  std::map<std::uint32_t, Nesting> threads_;  // by lane
  std::vector<ExchangeRow> found_;
};

}  // namespace

std::optional<double> ExchangeFacts::bus_factor() const {
  const ExchangeKind* kind = exchange_kind(name);
  if (kind == nullptr || group_size < 1) return std::nullopt;
  return kind->bus_factor(double(group_size));
}

std::optional<double> ExchangeFacts::algorithm_bandwidth(double duration_ns) const {
  if (bytes < 0 || !(duration_ns > 0)) return std::nullopt;
  return double(bytes) / duration_ns;
}

std::optional<double> ExchangeFacts::bus_bandwidth(double duration_ns) const {
  const std::optional<double> algorithm = algorithm_bandwidth(duration_ns);
  const std::optional<double> factor = bus_factor();
  if (!algorithm || !factor) return std::nullopt;
  return *algorithm * *factor;
}

std::vector<ExchangeRow> exchanges_of(const Timeline& timeline) {
  const Trace& trace = *timeline.trace;
  ExchangeList exchanges(trace);
  for (const WorkRow& row : timeline.work) {
    if (row.communication) exchanges.add(*row.event, timeline.call_of(row));
  }
  std::vector<ExchangeRow> all = exchanges.take();
  if (!all.empty()) return all;
  for (const TraceLane& lane : trace.host_lanes()) {
    for (const TraceEvent& event : lane.events) {
      const bool exchanges_data = is_host_op(trace, event) && is_backend_row(trace.name_of(event));
      if (exchanges_data) exchanges.add(event, &event);
    }
  }
  all = exchanges.take();
  std::ranges::stable_sort(all, {}, [](const ExchangeRow& row) { return row.at.begin_ns; });
  return all;
}

ValueOrReason<std::vector<CollectiveRow>> list_collectives(const Timeline& timeline,
                                                           const Steps& steps) {
  const std::vector<TimeSpan> windows = steps.counted_windows();
  std::map<ExchangeFacts, std::pair<CollectiveRow, std::vector<double>>> rows;
  const std::vector<ExchangeRow> exchanges = exchanges_of(timeline);
  if (exchanges.empty()) return Absent{"no communication with other ranks"};
  const IntervalSet computing = timeline.busy(
      std::nullopt, [](const WorkRow& row) { return is_kernel(row) && !row.communication; });
  for (const ExchangeRow& each : exchanges) {
    auto& [row, durations] = rows[each.facts];
    durations.push_back(double(each.at.length_ns()));
    const auto step = window_at(windows, each.placed_by_ns);
    if (!step) continue;
    row.in_steps.add(*step, each.at.length_ns());
    row.step_exposed_ns += each.at.length_ns() - computing.length_in(each.at);
  }
  std::vector<CollectiveRow> out;
  for (auto& [facts, each] : rows) {
    each.first.facts = facts;
    each.first.duration = summarise(std::move(each.second));
    out.push_back(std::move(each.first));
  }
  std::ranges::stable_sort(out, std::greater(), [](const CollectiveRow& row) {
    return std::pair(double(row.in_steps.ns), row.duration.mean * double(row.duration.n));
  });
  return out;
}

}  // namespace stepbench::traces
