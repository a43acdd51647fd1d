// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/event_sink.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "harness/text/printable.h"
#include "harness/traces/internal/shapes_text.h"

namespace stepbench::traces {
namespace {

constexpr std::size_t kMaxKinds = 64;  // limit on remembered categories and on notes

char phase_of(const EventRow& row) { return row.phase.size() == 3 ? row.phase[1] : '\0'; }

bool is_quoted(std::string_view raw) { return raw.size() >= 2 && raw.front() == '"'; }

}  // namespace

void EventSink::damaged(std::int64_t& count) {
  if (!facts_.damaged()) facts_.first_damage_at_byte = at_byte_;
  ++count;
}

void EventSink::ignore(std::string_view what) {
  auto found = ignored_.find(what);
  if (found == ignored_.end()) {
    std::string name(ignored_.size() < kMaxKinds ? what : "rows of other categories");
    found = ignored_.try_emplace(name, IgnoredRows{name, 0}).first;
  }
  ++found->second.count;
}

bool EventSink::add_up(BoundedSum& sum, std::int64_t value, std::string_view what) {
  if (sum.add(value)) return true;
  problem_ = "the " + std::string(what) + " of the rows up to here add up to an impossible number";
  return false;
}

CategoryMeaning EventSink::category_of(std::string_view raw) {
  if (last_category_ < categories_.size() && categories_[last_category_].first == raw) {
    return categories_[last_category_].second;
  }
  for (std::size_t i = 0; i < categories_.size(); ++i) {
    if (categories_[i].first != raw) continue;
    last_category_ = i;
    return categories_[i].second;
  }
  const CategoryMeaning meaning = meaning_of(unquoted(raw));
  if (categories_.size() < kMaxKinds) categories_.emplace_back(raw, meaning);
  return meaning;
}

std::string EventSink::plain_text(std::string_view raw) {
  const std::string_view inside = unquoted(raw);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  std::int64_t bad = 0;
  std::string text = unescaped(inside, bad);
  if (bad > 0) damaged(facts_.bad_escapes);
  return text;
}

std::uint32_t EventSink::name_of(std::string_view raw) {
  const std::string_view inside = unquoted(raw);
  if (inside.find('\\') == std::string_view::npos) return builder_.name(inside);
  return builder_.name(plain_text(raw));
}

// The first look-up usually suffices, because most lists are already in canonical form.
std::uint32_t EventSink::text_of(std::string_view raw) {
  if (raw.empty() || raw == "\"\"" || raw == "null") return ops::kNoIndex;
  if (is_quoted(raw)) {
    const std::string_view inside = unquoted(raw);
    if (inside.find('\\') == std::string_view::npos) return builder_.text(inside);
    return builder_.text(plain_text(raw));
  }
  const std::uint32_t known = builder_.known_text(raw);
  return known != ops::kNoIndex ? known : builder_.text(spaced_array(raw));
}

std::int64_t EventSink::id_of(std::string_view raw) {
  std::string_view bare = unquoted(raw);
  constexpr std::string_view kStream = "stream ";
  if (bare.starts_with(kStream)) bare.remove_prefix(kStream.size());
  std::int64_t id = 0;
  const auto [stop, error] = std::from_chars(bare.data(), bare.data() + bare.size(), id);
  if (error == std::errc{} && stop == bare.data() + bare.size()) return id;
  if (bare.empty()) return 0;
  constexpr std::int64_t kTexts = std::int64_t{1} << 40;  // beyond any process id
  const auto next = -kTexts - std::int64_t(text_ids_.size());
  return text_ids_.try_emplace(std::string(bare), next).first->second;
}

std::optional<std::int64_t> EventSink::start_of(const EventRow& row) {
  const std::optional<TimeText> time = microseconds_text(row.start);
  if (!time || time->ns < kEarliestNs) return std::nullopt;
  if (is_quoted(row.start)) damaged(facts_.text_times);
  fractions_ = fractions_ || time->fraction;
  times_ = true;
  return time->ns;
}

std::uint32_t EventSink::device_lane(const EventRow& row, EventKind kind) {
  constexpr std::int64_t kMaxDevices = 1 << 20;
  constexpr std::int64_t kAllStreams = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t kSyncLanes = 1'000'000;  // newer files put stream waits on these tids
  std::int64_t device = row.arguments.device;
  if (device < 0) device = id_of(row.pid);
  if (device < 0 || device > kMaxDevices) device = 0;
  std::int64_t stream = -1;
  if (!row.arguments.stream.empty()) {
    stream = integer_text(row.arguments.stream).value_or(-1);
  } else {
    stream = id_of(row.tid);
    if (kind == EventKind::kSync && stream >= kSyncLanes) stream -= kSyncLanes;
  }
  if (stream < 0 || stream == kAllStreams) stream = -1;
  const int id = static_cast<int>(device);
  return is_device_work(kind) ? builder_.stream_lane(id, stream) : builder_.notes_lane(id, stream);
}

std::uint32_t EventSink::lane_of(const EventRow& row, EventKind kind) {
  switch (kind) {
    case EventKind::kKernel:
    case EventKind::kMemcpy:
    case EventKind::kMemset:
    case EventKind::kSync:
    case EventKind::kGpuAnnotation:
      return device_lane(row, kind);
    case EventKind::kSpan:
      return builder_.other_lane(plain_text(row.pid) + ' ' + plain_text(row.tid));
    case EventKind::kOverhead:
      return builder_.other_lane("overhead " + plain_text(row.tid));
    default:
      break;
  }
  const std::int64_t pid = id_of(row.pid);
  return builder_.host_lane(pid, id_of(row.tid));
}

std::uint32_t EventSink::collective_of(const RowArguments& from) {
  if (from.collective_name.empty()) return ops::kNoIndex;
  CollectiveDetail detail = from;
  detail.name = text_of(from.collective_name);
  detail.dtype = text_of(from.collective_type);
  detail.group = text_of(from.group_name);
  detail.ranks = text_of(from.group_ranks);
  detail.description = text_of(from.group_description);
  return builder_.detail(detail);
}

void EventSink::read_op(const RowArguments& from, TraceEvent& event) {
  event.value = std::max<std::int64_t>(from.sequence, -1);
  const OpDetail detail = {.shapes = text_of(from.shapes),
                           .types = text_of(from.types),
                           .arguments = text_of(from.concrete_inputs),
                           .module = text_of(from.module),
                           .stack = text_of(from.stack),
                           .collective = collective_of(from),
                           .forward_thread = from.forward_thread};
  if (detail != OpDetail{}) event.detail = builder_.detail(detail);
}

void EventSink::read_kernel(const RowArguments& from, TraceEvent& event) {
  KernelDetail detail = from;
  detail.collective = collective_of(from);
  if (detail != KernelDetail{}) event.detail = builder_.detail(detail);
}

void EventSink::read_details(const RowArguments& from, TraceEvent& event) {
  event.correlation = from.correlation;
  event.external = from.external;
  switch (event.kind) {
    case EventKind::kOp:
    case EventKind::kAnnotation:
      return read_op(from, event);
    case EventKind::kKernel:
      return read_kernel(from, event);
    case EventKind::kMemcpy:
    case EventKind::kMemset:
      if (from.bytes >= 0 && from.bytes <= kMaxBytes) event.value = from.bytes;
      return;
    default:
      return;
  }
}

bool EventSink::add_complete(const EventRow& row) {
  if (row.category.empty()) {
    ignore("rows without a category");
    return true;
  }
  const CategoryMeaning category = category_of(row.category);
  if (category.use != CategoryMeaning::Use::kUsed &&
      category.use != CategoryMeaning::Use::kByName) {
    ignore(unquoted(row.category));
    return true;
  }
  const std::optional<std::int64_t> start_ns = start_of(row);
  if (!start_ns) {
    ignore("rows without a time");
    return true;
  }
  std::int64_t duration_ns = 0;
  const std::optional<TimeText> duration = microseconds_text(row.duration);
  if (!duration || duration->ns > kLongestNs || duration->ns < -kLongestNs) {
    ++facts_.missing_durations;
  } else {
    if (is_quoted(row.duration)) damaged(facts_.text_times);
    fractions_ = fractions_ || duration->fraction;
    duration_ns = duration->ns;
  }
  const std::uint32_t name = name_of(row.name);
  const EventKind kind = kind_of(category, builder_.facts(name));
  TraceEvent& event =
      builder_.add(lane_of(row, kind), kind, name, *start_ns, *start_ns + duration_ns);
  if (event.negative) ++facts_.negative_durations;
  if (duration_ns == 0 && kind != EventKind::kSpan) ++facts_.zero_durations;
  if (row.has_arguments) read_details(row.arguments, event);
  if (!add_up(times_sum_, event.duration_ns(), "durations")) return false;
  const bool bytes = kind == EventKind::kMemcpy || kind == EventKind::kMemset;
  return !bytes || event.value < 0 || add_up(bytes_sum_, event.value, "bytes");
}

void EventSink::add_memory(const EventRow& row) {
  const std::optional<std::int64_t> at_ns = start_of(row);
  const RowArguments& from = row.arguments;
  const auto is_possible = [](std::int64_t bytes) {
    return bytes >= -kMaxBytes && bytes <= kMaxBytes;
  };
  if (!at_ns || !is_possible(from.memory_bytes)) {
    ignore("[memory] rows without a time or with an impossible size");
    return;
  }
  const auto level = [&](std::int64_t bytes) { return is_possible(bytes) ? bytes : -1; };
  builder_.add({.at_ns = *at_ns,
                .bytes = from.memory_bytes,
                .address = from.address,
                .total_allocated = level(from.total_allocated),
                .total_reserved = level(from.total_reserved),
                .lane = builder_.host_lane(id_of(row.pid), id_of(row.tid)),
                .device = from.device_type == 0 ? -1 : from.device_id});
}

void EventSink::add_metadata(const EventRow& row) {
  if (row.arguments.label.empty()) return;
  const std::string_view what = unquoted(row.name);
  const std::string name = text::to_valid_utf8(plain_text(row.arguments.label));
  const std::int64_t pid = id_of(row.pid);
  if (what == "process_name") builder_.name_process(pid, name);
  if (what == "thread_name") builder_.name_thread(pid, id_of(row.tid), name);
}

bool EventSink::add(const EventRow& row, std::uint64_t at_byte) {
  at_byte_ = at_byte;
  ++facts_.rows;
  if (!row.is_object) {
    ignore("elements that are not rows");
    return true;
  }
  switch (phase_of(row)) {
    case 'X':
      return add_complete(row);
    case 'M':
      add_metadata(row);
      return true;
    case 's':
    case 't':
    case 'f':  // arrows: correlation links calls and device rows
    case 'C':  // counters
      return true;
    case 'i':
    case 'I':
    case 'R':
      if (row.name == "\"[memory]\"") add_memory(row);
      return true;
    case '\0':
      ignore("rows without a phase");
      return true;
    default:
      ignore(std::string("rows of phase ") + phase_of(row));
      return true;
  }
}

void EventSink::finish() {
  Trace& trace = builder_.trace();
  for (auto& [what, rows] : ignored_) {
    rows.what = text::to_valid_utf8(rows.what);
    facts_.ignored.push_back(std::move(rows));
  }
  for (TraceName& name : trace.names) {
    std::string valid = text::to_valid_utf8(name.text);
    if (valid == name.text) continue;
    damaged(facts_.invalid_utf8);
    name.text = std::move(valid);
  }
  for (std::string& text : trace.texts) text = text::to_valid_utf8(text);
  for (const auto& [text, id] : text_ids_) builder_.name_unnamed(id, text::to_valid_utf8(text));
  trace.resolution_ns = times_ && !fractions_ ? 1000 : 1;
}

CategoryMeaning meaning_of(std::string_view category) {
  using Use = CategoryMeaning::Use;
  struct Known {
    std::string_view name;
    CategoryMeaning meaning;
  };
  constexpr std::array kOthers = {
      Known{"operator", {Use::kByName, EventKind::kOp}},
      Known{"runtime", {Use::kUsed, EventKind::kRuntime}},
      Known{"driver", {Use::kUsed, EventKind::kDriver}},
      Known{"memcpy", {Use::kUsed, EventKind::kMemcpy}},
      Known{"memset", {Use::kUsed, EventKind::kMemset}},
      Known{"cuda_event", {Use::kUsed, EventKind::kSync}},
      Known{"xpu_sync", {Use::kUsed, EventKind::kSync}},
      Known{"mtia_ccp_events", {Use::kUsed, EventKind::kKernel}},
      Known{"collective_comm", {Use::kUsed, EventKind::kKernel}},
      Known{"hpu_op", {Use::kUsed, EventKind::kRuntime}},
      Known{"ac2g", {Use::kNotNeeded}},
      Known{"async", {Use::kNotNeeded}},
      Known{"async_cpu_to_gpu", {Use::kNotNeeded}},
      Known{"fwdbwd", {Use::kNotNeeded}},
      Known{"hardware_counters", {Use::kNotNeeded}},
      Known{"mtia_counters", {Use::kNotNeeded}},
      Known{"mtia_insight", {Use::kNotNeeded}},
      Known{"xpu_scope_profiler", {Use::kNotNeeded}},
  };
  std::string lower(category.substr(0, 64));
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (const auto kind = one_of<EventKind>(lower)) return {Use::kUsed, *kind};
  const auto found = std::ranges::find(kOthers, lower, &Known::name);
  if (found != kOthers.end()) return found->meaning;
  // The prefixes of other devices: hip_, xpu_, mtia_, privateuse1_, glow_.
  if (lower.ends_with("_runtime")) return {Use::kUsed, EventKind::kRuntime};
  if (lower.ends_with("_driver")) return {Use::kUsed, EventKind::kDriver};
  return {};
}

EventKind kind_of(const CategoryMeaning& category, const NameFacts& name) {
  if (category.use == CategoryMeaning::Use::kByName) {
    const bool annotation = name.step >= 0 || name.data_wait || name.optimizer;
    return annotation ? EventKind::kAnnotation : EventKind::kOp;
  }
  if (category.kind == EventKind::kKernel) {
    if (name.moves_memory) return EventKind::kMemcpy;
    if (name.sets_memory) return EventKind::kMemset;
    if (name.device_waits) return EventKind::kSync;
  }
  return category.kind;
}

}  // namespace stepbench::traces
