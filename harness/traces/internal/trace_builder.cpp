// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/trace_builder.h"

#include <xxhash.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stepbench::traces {

std::size_t TraceBuilder::LaneHash::operator()(const LaneKey& key) const {
  constexpr std::uint64_t kHashMultiplier = 0x9e3779b97f4a7c15;
  const auto mixed = (std::uint64_t(key.first) * kHashMultiplier) ^ std::uint64_t(key.second);
  return std::size_t((mixed * kHashMultiplier) >> 16U);
}

std::uint32_t TraceBuilder::new_lane(LaneKind kind) {
  trace_.lanes.emplace_back();
  trace_.lanes.back().kind = kind;
  return std::uint32_t(trace_.lanes.size() - 1);
}

std::uint32_t TraceBuilder::host_lane(std::int64_t pid, std::int64_t tid) {
  const LaneKey key{pid, tid};
  if (last_host_lane_ != ops::kNoIndex && key == last_host_) return last_host_lane_;
  last_host_ = key;
  const auto found = hosts_.find(key);
  if (found != hosts_.end()) return last_host_lane_ = found->second;
  last_host_lane_ = new_lane(LaneKind::kHost);
  trace_.lanes[last_host_lane_].pid = pid;
  trace_.lanes[last_host_lane_].tid = tid;
  hosts_.emplace(key, last_host_lane_);
  return last_host_lane_;
}

std::uint32_t TraceBuilder::device_lane(LaneMap& lanes, LaneKind kind, int device,
                                        std::int64_t stream) {
  const auto found = lanes.find({device, stream});
  if (found != lanes.end()) return found->second;
  const std::uint32_t made = new_lane(kind);
  trace_.lanes[made].device = device;
  trace_.lanes[made].stream = stream;
  lanes.emplace(LaneKey{device, stream}, made);
  return made;
}

std::uint32_t TraceBuilder::stream_lane(int device, std::int64_t stream) {
  return device_lane(streams_, LaneKind::kStream, device, stream);
}

std::uint32_t TraceBuilder::notes_lane(int device, std::int64_t stream) {
  return device_lane(notes_, LaneKind::kDeviceNotes, device, stream);
}

std::uint32_t TraceBuilder::other_lane(std::string_view name) {
  const auto found = others_.find(name);
  if (found != others_.end()) return found->second;
  const std::uint32_t made = new_lane(LaneKind::kOther);
  trace_.lanes[made].name = name;
  others_.emplace(name, made);
  return made;
}

void TraceBuilder::name_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  thread_names_[{pid, tid}] = name;
}

void TraceBuilder::name_process(std::int64_t pid, std::string_view name) {
  process_names_[pid] = name;
}

void TraceBuilder::name_unnamed(std::int64_t id, std::string_view name) {
  texts_of_ids_[id] = name;
}

std::uint32_t TraceBuilder::name(std::string_view text) {
  const std::uint64_t hash = TextIndex::hash(text);
  const std::uint32_t found =
      names_.find(hash, [&](std::uint32_t index) { return trace_.names[index].text == text; });
  if (found != TextIndex::kAbsent) return found;
  const auto made = std::uint32_t(trace_.names.size());
  trace_.names.push_back({std::string(text), facts_of_name(text)});
  names_.insert(hash, made);
  return made;
}

std::uint32_t TraceBuilder::text(std::string_view text) {
  const std::uint32_t known = known_text(text);
  if (known != ops::kNoIndex) return known;
  const auto made = std::uint32_t(trace_.texts.size());
  trace_.texts.emplace_back(text);
  texts_.insert(TextIndex::hash(text), made);
  return made;
}

std::uint32_t TraceBuilder::known_text(std::string_view text) const {
  return texts_.find(TextIndex::hash(text),
                     [&](std::uint32_t index) { return trace_.texts[index] == text; });
}

// Details have no padding, so they can be compared bytewise.
template <typename Detail>
std::uint32_t TraceBuilder::detail_in(std::vector<Detail>& table, TextIndex& index,
                                      const Detail& detail) {
  const std::uint64_t hash =
      TextIndex::hash({reinterpret_cast<const char*>(&detail), sizeof detail});
  const std::uint32_t found =
      index.find(hash, [&](std::uint32_t at) { return table[at] == detail; });
  if (found != TextIndex::kAbsent) return found;
  const auto made = std::uint32_t(table.size());
  table.push_back(detail);
  index.insert(hash, made);
  return made;
}

std::uint32_t TraceBuilder::detail(const OpDetail& detail) {
  static_assert(sizeof(OpDetail) == 32);
  return detail_in(trace_.ops, ops_, detail);
}

std::uint32_t TraceBuilder::detail(const KernelDetail& detail) {
  static_assert(sizeof(KernelDetail) == 64);
  return detail_in(trace_.kernels, kernels_, detail);
}

std::uint32_t TraceBuilder::detail(const CollectiveDetail& detail) {
  static_assert(sizeof(CollectiveDetail) == 48);
  return detail_in(trace_.collectives, collectives_, detail);
}

TraceEvent& TraceBuilder::add(std::uint32_t lane, EventKind kind, std::uint32_t name,
                              std::int64_t start_ns, std::int64_t end_ns) {
  TraceEvent& event = trace_.lanes[lane].events.emplace_back();
  event.start_ns = start_ns;
  event.end_ns = std::max(start_ns, end_ns);
  event.negative = end_ns < start_ns;
  event.name = name;
  event.lane = lane;
  event.kind = kind;
  return event;
}

void TraceBuilder::name_lanes() {
  for (TraceLane& lane : trace_.lanes) {
    if (lane.kind == LaneKind::kOther) continue;
    const bool host = lane.kind == LaneKind::kHost;
    const LaneKey key = host ? LaneKey{lane.pid, lane.tid} : LaneKey{lane.device, lane.stream};
    const auto thread = thread_names_.find(key);
    if (thread != thread_names_.end()) lane.name = thread->second;
    const auto text = texts_of_ids_.find(host ? lane.tid : lane.stream);
    if (text != texts_of_ids_.end() && lane.name.empty()) lane.name = text->second;
    const auto process = process_names_.find(key.first);
    if (process != process_names_.end()) lane.process_name = process->second;
  }
}

void TraceBuilder::order_lanes() {
  std::vector<std::uint32_t> order(trace_.lanes.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t index) {
    const TraceLane& lane = trace_.lanes[index];
    return std::tuple(lane.kind, lane.pid, lane.tid, lane.device, lane.stream,
                      std::string_view(lane.name), index);
  };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<std::uint32_t> place(order.size());
  std::vector<TraceLane> lanes;
  lanes.reserve(order.size());
  for (const std::uint32_t index : order) {
    place[index] = std::uint32_t(lanes.size());
    lanes.push_back(std::move(trace_.lanes[index]));
  }
  trace_.lanes = std::move(lanes);
  for (TraceMemory& memory : trace_.memory) memory.lane = place[memory.lane];
  for (std::uint32_t index = 0; index < trace_.lanes.size(); ++index) {
    for (TraceEvent& event : trace_.lanes[index].events) event.lane = index;
  }
}

// Decides which of several rows of the same interval encloses the others. Recorders number
// operators as they begin; marks without a number enclose numbered rows. The remaining keys make
// the result independent of the order of rows in the file.
auto TraceBuilder::place_of(const TraceEvent& event) const -> Place {
  const TraceName& name = trace_.names[event.name];
  const bool host = is_op_or_annotation(event.kind);
  const bool mark = event.kind == EventKind::kAnnotation || name.facts.data_wait;
  EventKind outer = event.kind;
  if (host && event.external == 0) outer = mark ? EventKind::kAnnotation : EventKind::kRuntime;
  if (host && event.external != 0) outer = EventKind::kOp;
  return {outer, event.external, event.kind, event.correlation, event.value, name.text};
}

// Skips steps, which have their number already, and messages, whose numbers are ranks.
void TraceBuilder::fold_names() {
  std::vector<bool> seen(trace_.names.size());
  std::map<std::string, std::vector<std::uint32_t>> alike;
  for (const TraceLane& lane : trace_.host_lanes()) {
    for (const TraceEvent& event : lane.events) {
      if (event.kind != EventKind::kAnnotation || seen[event.name]) continue;
      seen[event.name] = true;
      const TraceName& name = trace_.names[event.name];
      if (name.facts.step >= 0 || name.facts.communication) continue;
      alike[with_numbers_folded(name.text)].push_back(event.name);
    }
  }
  for (const auto& [text, members] : alike) {
    if (members.size() < 2) continue;
    const std::uint32_t folded = name(text);
    for (const std::uint32_t member : members) trace_.names[member].folded = folded;
  }
}

Trace TraceBuilder::finish() {
  name_lanes();
  order_lanes();
  fold_names();
  const auto before = [this](const TraceEvent& a, const TraceEvent& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
    return place_of(a) < place_of(b);
  };
  for (TraceLane& lane : trace_.lanes) {
    std::vector<TraceEvent>& events = lane.events;
    if (!std::ranges::is_sorted(events, before)) {
      std::ranges::sort(events, before);
    }
  }
  const auto earlier = [](const TraceMemory& a, const TraceMemory& b) {
    return std::tuple(a.at_ns, a.lane, a.bytes, a.address) <
           std::tuple(b.at_ns, b.lane, b.bytes, b.address);
  };
  std::ranges::stable_sort(trace_.memory, earlier);
  Trace made = std::move(trace_);
  *this = TraceBuilder{};
  return made;
}

std::uint64_t TextIndex::hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

void TextIndex::insert(std::uint64_t hash, std::uint32_t index) {
  if (slots_.size() < 2 * (size_ + 1)) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].index != kAbsent) at = (at + 1) & mask;
  slots_[at] = {hash, index};
  ++size_;
}

void TextIndex::grow() {
  constexpr std::size_t kFirst = 256;
  std::vector<Slot> old(slots_.empty() ? kFirst : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.index == kAbsent) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].index != kAbsent) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void set_device_use(KernelDetail& kernel, const ops::TraceDevice& device) {
  constexpr std::int64_t kMaxBlocks = 32;
  const auto volume = [](const std::int32_t(&extent)[3]) {
    return std::int64_t{extent[0]} * extent[1] * extent[2];
  };
  const std::int64_t grid = volume(kernel.grid);
  const std::int64_t threads = volume(kernel.block);
  if (device.multiprocessors > 0) {
    const std::int64_t lanes = std::int64_t{device.multiprocessors} * std::max(device.warp_size, 1);
    kernel.blocks_per_sm = double(grid * 100 / device.multiprocessors) / 100;
    kernel.warps_per_sm = double(grid * threads * 100 / lanes) / 100;
  }
  kernel.occupancy_percent = 0;
  if (threads <= 0 || device.max_threads_per_multiprocessor <= 0) return;
  std::int64_t blocks = std::min(kMaxBlocks, device.max_threads_per_multiprocessor / threads);
  const std::int64_t registers = kernel.registers_per_thread * threads;
  if (registers > 0 && device.registers_per_block > 0) {
    blocks = std::min(blocks, device.registers_per_block / registers);
  }
  kernel.occupancy_percent = double(100 * blocks * threads / device.max_threads_per_multiprocessor);
}

}  // namespace stepbench::traces
