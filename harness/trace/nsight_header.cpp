// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/nsight_header.h"

#include "harness/text/utf8.h"

namespace stepbench::trace {
namespace {

using Row = ForeignDatabase::Row;
using nsight::small_of;

void add_header(Trace& trace, const std::string& key, const std::string& value) {
  constexpr std::size_t kMaxHeaderValues = 256;
  if (trace.header.size() >= kMaxHeaderValues) return;
  trace.header.emplace_back(text::to_valid_utf8(key), text::to_valid_utf8(value.substr(0, 4096)));
}

void read_devices(const NsightDatabase& database, Trace& trace) {
  const auto columns = {"id",
                        "name",
                        "totalMemory",
                        "smCount",
                        "computeMajor",
                        "computeMinor",
                        "maxThreadsPerBlock",
                        "maxWarpsPerSm",
                        "threadsPerWarp",
                        "maxRegistersPerBlock",
                        "maxShmemPerBlock"};
  database.read("TARGET_INFO_GPU", {columns.begin(), columns.end()}, [&](const Row& row) {
    ops::TraceDevice device{.id = small_of(row, 0, 0),
                            .name = text::to_valid_utf8(row.text(1).value_or("")),
                            .total_memory_bytes = row.integer_or(2, 0),
                            .compute_major = small_of(row, 4, 0),
                            .compute_minor = small_of(row, 5, 0),
                            .max_threads_per_block = small_of(row, 6, 0),
                            .registers_per_block = small_of(row, 9, 0),
                            .warp_size = small_of(row, 8, 32),
                            .shared_memory_per_block = row.integer_or(10, 0),
                            .multiprocessors = small_of(row, 3, 0)};
    const std::int64_t threads = std::int64_t{small_of(row, 7, 0)} * device.warp_size;
    constexpr std::int64_t kMaxThreads = 1 << 20;
    if (threads <= kMaxThreads) {
      device.max_threads_per_multiprocessor = static_cast<int>(threads);
    }
    trace.devices.push_back(std::move(device));
  });
}

}  // namespace

void read_nsight_header(const NsightDatabase& database, Trace& trace) {
  database.read("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                [&](const Row& row) { trace.base_ns = row.integer(0); });
  database.read("META_DATA_EXPORT", {"name", "value"}, [&](const Row& row) {
    add_header(trace, row.text(0).value_or(""), row.text(1).value_or(""));
  });
  database.read("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const Row& row) {
    if (row.text(0) == "Hostname") trace.host_name = text::to_valid_utf8(row.text(1).value_or(""));
  });
  constexpr std::size_t kMaxHeaderLines = 1000;
  database.read("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const Row& row) {
    constexpr std::int64_t kWarning = 2;
    const std::int64_t severity = row.integer_or(0, 0);
    if (severity < kWarning || trace.log_lines.size() >= kMaxHeaderLines) return;
    trace.log_lines.push_back((severity == kWarning ? "WARNING: " : "ERROR: ") +
                              text::to_valid_utf8(row.text(1).value_or("")));
  });
  read_devices(database, trace);
}

}  // namespace stepbench::trace
