// SPDX-License-Identifier: Apache-2.0
// Builds a Trace row by row, in any order. Used by readers of files, op logs and databases, and by
// tests:
//
//   TraceBuilder builder;
//   const std::uint32_t main = builder.host_lane(1, 1);
//   builder.add(main, EventKind::kAnnotation, "ProfilerStep#1", 0, 100);
//   const Trace trace = builder.finish();
//
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

// Unique texts, referred to by index. A look-up is a hash and a comparison.

// Hash index of texts that are stored elsewhere.
class TextIndex {
 public:
  static constexpr std::uint32_t kAbsent = ops::kNoIndex;

  [[nodiscard]] static std::uint64_t hash(std::string_view text);

  // Returns the index of an entry with this hash that `same(index)` accepts, or kAbsent.
  template <typename Same>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
    if (slots_.empty()) return kAbsent;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].index != kAbsent; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.hash == hash && same(slot.index)) return slot.index;
    }
    return kAbsent;
  }
  void insert(std::uint64_t hash, std::uint32_t index);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t index = kAbsent;
  };
  void grow();

  std::vector<Slot> slots_;  // size is a power of two; at most half full
  std::size_t size_ = 0;
};

class TraceBuilder {
 public:
  // Lanes are created on first use.
  std::uint32_t host_lane(std::int64_t pid, std::int64_t tid);
  std::uint32_t stream_lane(int device, std::int64_t stream);  // kernels, copies, sets
  std::uint32_t notes_lane(int device, std::int64_t stream);   // sync records, annotations
  std::uint32_t other_lane(std::string_view name);             // spans, overhead
  // Names shown instead of ids. Names of lanes without rows are dropped.
  void name_thread(std::int64_t pid, std::int64_t tid, std::string_view name);
  void name_process(std::int64_t pid, std::string_view name);
  // A text that was given in place of an id, for all unnamed lanes with this id.
  void name_unnamed(std::int64_t id, std::string_view name);

  // Return indices into the trace's tables; equal texts or details share an index.
  std::uint32_t name(std::string_view text);
  std::uint32_t text(std::string_view text);
  [[nodiscard]] std::uint32_t known_text(std::string_view text) const;  // kNoIndex: missing
  std::uint32_t detail(const OpDetail& detail);
  std::uint32_t detail(const KernelDetail& detail);
  std::uint32_t detail(const CollectiveDetail& detail);

  // The returned reference is valid until the next row is added to its lane.
  TraceEvent& add(std::uint32_t lane, EventKind kind, std::uint32_t name, std::int64_t start_ns,
                  std::int64_t end_ns);
  TraceEvent& add(std::uint32_t lane, EventKind kind, std::string_view name, std::int64_t start_ns,
                  std::int64_t end_ns) {
    return add(lane, kind, this->name(name), start_ns, end_ns);
  }
  void add(const TraceMemory& memory) { trace_.memory.push_back(memory); }

  [[nodiscard]] Trace& trace() { return trace_; }  // its header and notes are filled in directly
  [[nodiscard]] const NameFacts& facts(std::uint32_t name) const {
    return trace_.names[name].facts;
  }

  // Sorts lanes and rows. Leaves the builder empty.
  [[nodiscard]] Trace finish();

 private:
  using LaneKey = std::pair<std::int64_t, std::int64_t>;
  struct LaneHash {
    std::size_t operator()(const LaneKey& key) const;
  };
  using LaneMap = std::unordered_map<LaneKey, std::uint32_t, LaneHash>;

  std::uint32_t new_lane(LaneKind kind);
  std::uint32_t device_lane(LaneMap& lanes, LaneKind kind, int device, std::int64_t stream);
  template <typename Detail>
  std::uint32_t detail_in(std::vector<Detail>& table, TextIndex& index, const Detail& detail);
  using Place = std::tuple<EventKind, std::uint64_t, EventKind, std::uint64_t, std::int64_t,
                           std::string_view>;
  [[nodiscard]] Place place_of(const TraceEvent& event) const;
  void name_lanes();
  void order_lanes();
  void fold_names();

  Trace trace_;
  LaneMap hosts_;
  LaneMap streams_;
  LaneMap notes_;
  std::map<std::string, std::uint32_t, std::less<>> others_;
  std::map<LaneKey, std::string> thread_names_;
  std::map<std::int64_t, std::string> process_names_;
  std::map<std::int64_t, std::string> texts_of_ids_;
  LaneKey last_host_ = {};
  std::uint32_t last_host_lane_ = ops::kNoIndex;
  TextIndex names_;
  TextIndex texts_;
  TextIndex ops_;
  TextIndex kernels_;
  TextIndex collectives_;
};

// Sets how a kernel with this grid fills the device: blocks and warps per multiprocessor in
// hundredths, rounded down, if their number is known, and the occupancy in percent as limited by
// threads, registers and blocks; 0: unknown.
void set_device_use(KernelDetail& kernel, const ops::TraceDevice& device);

}  // namespace stepbench::traces
