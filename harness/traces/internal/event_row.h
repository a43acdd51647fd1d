// SPDX-License-Identifier: Apache-2.0
// One element of traceEvents: its members as views of the text, and its arguments, parsed.
// event_sink.h interprets them.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/traces/internal/json_scanner.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

// Arguments that the reader uses; event_row.cpp has their keys. Those that are absent or of another
// type keep these defaults. Texts are as written: strings include their quotation marks.
struct RowArguments : KernelDetail, CollectiveDetail {
  std::uint64_t external = 0;
  std::uint64_t correlation = 0;
  std::uint64_t address = 0;
  std::int64_t device = -1;
  std::int64_t bytes = -1;  // copy or set
  std::int64_t sequence = -1;
  std::int64_t forward_thread = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t total_allocated = -1;
  std::int64_t total_reserved = -1;
  std::int32_t device_type = 0;
  std::int32_t device_id = -1;
  std::string_view stream = {};
  std::string_view label = {};  // of a process or thread
  std::string_view shapes = {};
  std::string_view types = {};
  std::string_view concrete_inputs = {};
  std::string_view module = {};
  std::string_view stack = {};
  std::string_view collective_name = {};
  std::string_view collective_type = {};
  std::string_view group_name = {};
  std::string_view group_ranks = {};
  std::string_view group_description = {};
};

struct EventRow {
  // As written: strings include their quotation marks; empty if absent.
  std::string_view phase;
  std::string_view category;
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  std::string_view start;
  std::string_view duration;
  RowArguments arguments;
  bool has_arguments = false;  // any that the reader uses
  bool is_object = true;       // only objects have members

  void clear() {
    phase = category = name = pid = tid = start = duration = {};
    if (has_arguments) arguments = {};
    has_arguments = false;
    is_object = true;
  }
};

// Reads the row at the scanner's position. Returns false on failure: see scanner.stop().
[[nodiscard]] bool read_row(JsonScanner& scanner, EventRow& row);

}  // namespace stepbench::traces
