// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/internal/nsight_database.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "harness/base/error.h"
#include "harness/text/utf8.h"
#include "harness/trace/internal/trace_builder.h"

namespace stepbench::trace {

std::int32_t nsight::small_of(const ForeignDatabase::Row& row, std::size_t column,
                              std::int32_t absent) {
  const std::int64_t value = row.integer_or(column, absent);
  return value < 0 || value > std::numeric_limits<std::int32_t>::max()
             ? absent
             : static_cast<std::int32_t>(value);
}

NsightDatabase::NsightDatabase(const std::filesystem::path& path) : database_(path) {
  using namespace nsight;
  const bool any =
      database_.has("StringIds") && (has(kKernels) || has(kCalls) || has(kRanges) || has(kGraphs) ||
                                     database_.has("TARGET_INFO_SESSION_START_TIME"));
  if (!any) {
    throw ConfigError(path,
                      database_.has("StringTable")
                          ? "is a database of nvprof; only exports of Nsight Systems are read"
                          : "is a SQLite database, but not an export of Nsight Systems: it has no "
                            "table StringIds with CUPTI_ACTIVITY_KIND_KERNEL or NVTX_EVENTS");
  }
  database_.read("StringIds", {"id", "value"}, [this](const ForeignDatabase::Row& row) {
    const std::optional<std::int64_t> id = row.integer(0);
    std::optional<std::string> text = row.text(1);
    if (id && text) texts_.emplace(*id, text::to_valid_utf8(*text));
  });
}

void NsightDatabase::read(std::string_view table, const std::vector<std::string_view>& columns,
                          const std::function<void(const ForeignDatabase::Row&)>& on_row,
                          ForeignDatabase::Order order) const {
  database_.read(table_of(table), columns, on_row, order);
}

std::string NsightDatabase::text_of(const std::optional<std::int64_t>& id,
                                    std::string_view absent) const {
  const auto found = id ? texts_.find(*id) : texts_.end();
  return found == texts_.end() ? std::string(absent) : found->second;
}

std::string NsightDatabase::table_of(std::string_view name) const {
  if (database_.has(name)) return std::string(name);
  std::string latest(name);
  int version = 0;
  for (const std::string& table : database_.tables()) {
    if (!table.starts_with(name)) continue;
    std::string_view rest = std::string_view(table).substr(name.size());
    if (!rest.starts_with("_V")) continue;
    rest.remove_prefix(2);
    int number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || end != rest.data() + rest.size() || number <= version) continue;
    version = number;
    latest = table;
  }
  return latest;
}

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

namespace {

using nsight::small_of;

// Products within CUDA's limits do not overflow; values of a damaged file may.
bool is_sane(const KernelDetail& shape) {
  constexpr double kMaxBlocks = 1e11;
  constexpr double kMaxThreads = 1 << 16;
  constexpr std::int32_t kMaxRegisters = 1 << 16;
  double blocks = 1;
  double threads = 1;
  for (const std::int32_t extent : shape.grid) blocks *= std::max(extent, 1);
  for (const std::int32_t extent : shape.block) threads *= std::max(extent, 1);
  return blocks < kMaxBlocks && threads <= kMaxThreads &&
         shape.registers_per_thread <= kMaxRegisters;
}

}  // namespace

KernelDetail nsight_kernel(const ForeignDatabase::Row& row, const Trace& trace) {
  KernelDetail detail;
  for (std::size_t i = 0; i < 3; ++i) {
    detail.grid[i] = small_of(row, 8 + i, 0);
    detail.block[i] = small_of(row, 11 + i, 0);
  }
  detail.registers_per_thread = small_of(row, 14, -1);
  const std::int64_t shared =
      std::int64_t{small_of(row, 15, 0)} + std::int64_t{small_of(row, 16, 0)};
  detail.shared_memory_bytes = static_cast<std::int32_t>(
      std::min<std::int64_t>(shared, std::numeric_limits<std::int32_t>::max()));
  detail.context = small_of(row, 17, -1);
  detail.graph_node = row.integer_or(18, -1);
  const ops::TraceDevice* const device = trace.device(small_of(row, 2, 0));
  if (device == nullptr || !is_sane(detail)) return detail;
  set_device_use(detail, *device);
  if (detail.occupancy_percent == 0) detail.occupancy_percent = -1;
  return detail;
}

}  // namespace stepbench::trace
