// SPDX-License-Identifier: Apache-2.0
// Converts rows of a file to rows of a Trace: determines each one's kind by category and name, and
// its lane, and counts the rows that it drops. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/traces/internal/event_row.h"
#include "harness/traces/internal/name_facts.h"
#include "harness/traces/internal/number_text.h"
#include "harness/traces/internal/trace_builder.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

// Meaning of a row's category: the names of 2021, the current ones, and those of other devices.
// Pure.

struct CategoryMeaning {
  enum class Use : std::uint8_t {
    kUsed,
    kByName,     // "Operator" of 2021: both operators and annotations
    kNotNeeded,  // arrows, counters: known but discarded
    kUnknown
  };
  Use use = Use::kUnknown;
  EventKind kind = EventKind::kOp;
};

// Case-insensitive.
[[nodiscard]] CategoryMeaning meaning_of(std::string_view category);

// Uses the name, too: an operator of 2021 may be an annotation, a ROCm kernel a copy.
[[nodiscard]] EventKind kind_of(const CategoryMeaning& category, const NameFacts& name);

class EventSink {
 public:
  explicit EventSink(TraceBuilder& builder) : builder_(builder), facts_(builder.trace().reading) {}

  // `at_byte`: position, for notes. Returns false if the file cannot be used; see problem().
  [[nodiscard]] bool add(const EventRow& row, std::uint64_t at_byte);
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Call after the last row: writes notes and the resolution of the times.
  void finish();

 private:
  [[nodiscard]] bool add_complete(const EventRow& row);
  void add_memory(const EventRow& row);
  void add_metadata(const EventRow& row);
  void read_details(const RowArguments& from, TraceEvent& event);
  void read_op(const RowArguments& from, TraceEvent& event);
  void read_kernel(const RowArguments& from, TraceEvent& event);
  [[nodiscard]] std::uint32_t collective_of(const RowArguments& from);
  [[nodiscard]] std::uint32_t lane_of(const EventRow& row, EventKind kind);
  [[nodiscard]] std::uint32_t device_lane(const EventRow& row, EventKind kind);
  [[nodiscard]] CategoryMeaning category_of(std::string_view raw);
  [[nodiscard]] std::optional<std::int64_t> start_of(const EventRow& row);
  [[nodiscard]] std::int64_t id_of(std::string_view raw);  // process or thread id
  [[nodiscard]] std::uint32_t name_of(std::string_view raw);
  [[nodiscard]] std::uint32_t text_of(std::string_view raw);
  [[nodiscard]] std::string plain_text(std::string_view raw);
  void ignore(std::string_view what);
  void damaged(std::int64_t& count);
  bool add_up(BoundedSum& sum, std::int64_t value, std::string_view what);

  TraceBuilder& builder_;
  ReadingFacts& facts_;
  std::uint64_t at_byte_ = 0;
  std::string problem_;
  std::vector<std::pair<std::string, CategoryMeaning>> categories_;
  std::size_t last_category_ = 0;
  std::map<std::string, std::int64_t, std::less<>> text_ids_;
  std::map<std::string, IgnoredRows, std::less<>> ignored_;
  bool fractions_ = false;
  bool times_ = false;
  BoundedSum times_sum_;
  BoundedSum bytes_sum_;
};

}  // namespace stepbench::traces
