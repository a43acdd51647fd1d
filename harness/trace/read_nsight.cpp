// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read_nsight.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"
#include "harness/trace/bounded_sums.h"
#include "harness/trace/foreign_database.h"
#include "harness/trace/trace_builder.h"

namespace stepbench::trace {
namespace {

using Row = ForeignDatabase::Row;

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kRanges = "NVTX_EVENTS";

// A process and a thread in one number: 24 bits each, below those of the machine.
std::int64_t pid_of(std::int64_t global) { return (global >> 24) & 0xffffff; }
std::int64_t tid_of(std::int64_t global) { return global & 0xffffff; }

// "cudaLaunchKernel" of "cudaLaunchKernel_v7000". The driver's own "_v2" belongs to its names.
std::string without_version(const std::string& name) {
  const std::size_t at = name.rfind("_v");
  constexpr std::size_t kDigits = 4;
  if (at == std::string::npos || name.size() < at + 2 + kDigits) return name;
  const bool version = name.find_first_not_of("0123456789", at + 2) == std::string::npos;
  return version ? name.substr(0, at) : name;
}

std::int32_t small_of(const Row& row, std::size_t column, std::int32_t absent) {
  const std::int64_t value = row.integer_or(column, absent);
  return value < 0 || value > std::numeric_limits<std::int32_t>::max()
             ? absent
             : static_cast<std::int32_t>(value);
}

std::string_view copy_word(std::int64_t kind) {
  switch (kind) {
    case 1:
    case 11:
      return "HtoD";
    case 2:
    case 12:
      return "DtoH";
    case 3:
      return "HtoA";
    case 4:
      return "AtoH";
    case 5:
      return "AtoA";
    case 6:
      return "AtoD";
    case 7:
      return "DtoA";
    case 8:
    case 13:
      return "DtoD";
    case 9:
      return "HtoH";
    case 10:
      return "PtoP";
    default:
      return "Unknown";
  }
}

class NsightReader {
 public:
  explicit NsightReader(const std::filesystem::path& path) : path_(path), database_(path) {}

  Trace read() {
    refuse_others();
    texts();
    header();
    kernels();
    graphs();
    copies();
    sets();
    calls();
    waits();
    ranges();
    overhead();
    thread_names();
    not_kept();
    Trace& trace = builder_.trace();
    trace.reading.path = path_.string();
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(path_, ignored);
    trace.reading.file_bytes = trace.reading.text_bytes = ignored ? 0 : bytes;
    trace.with_shapes = trace.with_memory = trace.with_stack = false;
    return builder_.finish();
  }

 private:
  // The name itself, or that of the latest version of the table: "NVTX_EVENTS_V2".
  std::string table_of(std::string_view name) const {
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
  bool has(std::string_view table) const { return database_.has(table_of(table)); }

  void refuse_others() const {
    const bool any = database_.has("StringIds") &&
                     (has(kKernels) || has(kCalls) || has(kRanges) || has(kGraphs) ||
                      database_.has("TARGET_INFO_SESSION_START_TIME"));
    if (any) return;
    throw ConfigError(path_,
                      database_.has("StringTable")
                          ? "is a database of nvprof; only exports of Nsight Systems are read"
                          : "is a SQLite database, but no export of Nsight Systems: it has no "
                            "table StringIds with CUPTI_ACTIVITY_KIND_KERNEL or NVTX_EVENTS");
  }

  void texts() {
    database_.read("StringIds", {"id", "value"}, [this](const Row& row) {
      const std::optional<std::int64_t> id = row.integer(0);
      std::optional<std::string> text = row.text(1);
      if (id && text) texts_.emplace(*id, text::to_valid_utf8(*text));
    });
  }

  std::string text_of(const std::optional<std::int64_t>& id, std::string_view absent) const {
    const auto found = id ? texts_.find(*id) : texts_.end();
    return found == texts_.end() ? std::string(absent) : found->second;
  }

  void header() {
    Trace& trace = builder_.trace();
    database_.read("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                   [&](const Row& row) { trace.base_ns = row.integer(0); });
    database_.read("META_DATA_EXPORT", {"name", "value"}, [&](const Row& row) {
      add_header(row.text(0).value_or(""), row.text(1).value_or(""));
    });
    database_.read("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const Row& row) {
      if (row.text(0) == "Hostname")
        trace.host_name = text::to_valid_utf8(row.text(1).value_or(""));
    });
    constexpr std::size_t kMostLines = 1000;
    database_.read("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const Row& row) {
      constexpr std::int64_t kWarning = 2;
      const std::int64_t severity = row.integer_or(0, 0);
      if (severity < kWarning || trace.log_lines.size() >= kMostLines) return;
      trace.log_lines.push_back((severity == kWarning ? "WARNING: " : "ERROR: ") +
                                text::to_valid_utf8(row.text(1).value_or("")));
    });
    devices();
  }

  void add_header(const std::string& key, const std::string& value) {
    constexpr std::size_t kMostValues = 256;
    Trace& trace = builder_.trace();
    if (trace.header.size() >= kMostValues) return;
    trace.header.emplace_back(text::to_valid_utf8(key), text::to_valid_utf8(value.substr(0, 4096)));
  }

  void devices() {
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
    database_.read("TARGET_INFO_GPU", {columns.begin(), columns.end()}, [this](const Row& row) {
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
      constexpr std::int64_t kMostThreads = 1 << 20;
      if (threads <= kMostThreads) {
        device.max_threads_per_multiprocessor = static_cast<int>(threads);
      }
      builder_.trace().devices.push_back(std::move(device));
    });
  }

  // Null where the times are none: the row is left out and counted.
  TraceEvent* add(std::uint32_t lane, EventKind kind, std::string_view name, const Row& row) {
    ReadingFacts& facts = builder_.trace().reading;
    ++facts.rows;
    const std::optional<std::int64_t> start = row.integer(0);
    const std::int64_t end = row.integer_or(1, kLatestNs);
    if (!start || *start < kEarliestNs || *start >= kLatestNs || end < kEarliestNs ||
        end >= kLatestNs) {
      ++without_time_;
      return nullptr;
    }
    TraceEvent& event = builder_.add(lane, kind, name, *start, end);
    if (event.negative) ++facts.negative_durations;
    if (event.start_ns == event.end_ns && !event.negative) ++facts.zero_durations;
    if (event.duration_ns() > kLongestNs || !times_.add(event.duration_ns())) {
      throw ConfigError(path_, "the durations of its rows add up to no sensible number");
    }
    return &event;
  }

  // Numbers of two processes may be the same ones.
  std::uint64_t correlation_of(std::int64_t global, std::int64_t id) {
    if (id <= 0) return 0;
    const auto process = processes_.try_emplace(pid_of(global), processes_.size()).first->second;
    constexpr unsigned kBits = 40;
    return static_cast<std::uint64_t>(id) ^ (static_cast<std::uint64_t>(process) << kBits);
  }

  // Columns 2 to 6 of every table of the device.
  std::uint32_t stream_of(const Row& row) {
    constexpr std::int32_t kMostDevices = 1 << 20;
    const std::int32_t device = std::min(small_of(row, 2, 0), kMostDevices);
    return builder_.stream_lane(device, std::max<std::int64_t>(row.integer_or(3, -1), -1));
  }
  void join(TraceEvent& event, const Row& row) {
    event.correlation = correlation_of(row.integer_or(5, 0), row.integer_or(4, 0));
  }

  void kernels() {
    const auto columns = {"start",
                          "end",
                          "deviceId",
                          "streamId",
                          "correlationId",
                          "globalPid",
                          "demangledName",
                          "shortName",
                          "gridX",
                          "gridY",
                          "gridZ",
                          "blockX",
                          "blockY",
                          "blockZ",
                          "registersPerThread",
                          "staticSharedMemory",
                          "dynamicSharedMemory",
                          "contextId",
                          "graphNodeId"};
    database_.read(table_of(kKernels), {columns.begin(), columns.end()}, [this](const Row& row) {
      const std::string name = text_of(row.integer(6), text_of(row.integer(7), "kernel"));
      TraceEvent* const event = add(stream_of(row), EventKind::kKernel, name, row);
      if (event == nullptr) return;
      join(*event, row);
      ops::DeviceActivity shape;
      for (std::size_t i = 0; i < 3; ++i) {
        shape.grid[i] = small_of(row, 8 + i, 0);
        shape.block[i] = small_of(row, 11 + i, 0);
      }
      event->detail = builder_.detail(kernel_detail(row, shape));
    });
  }

  KernelDetail kernel_detail(const Row& row, ops::DeviceActivity& shape) {
    KernelDetail detail;
    std::copy(std::begin(shape.grid), std::end(shape.grid), std::begin(detail.grid));
    std::copy(std::begin(shape.block), std::end(shape.block), std::begin(detail.block));
    detail.registers_per_thread = small_of(row, 14, -1);
    const std::int64_t shared =
        std::int64_t{small_of(row, 15, 0)} + std::int64_t{small_of(row, 16, 0)};
    detail.shared_memory_bytes = static_cast<std::int32_t>(
        std::min<std::int64_t>(shared, std::numeric_limits<std::int32_t>::max()));
    detail.context = small_of(row, 17, -1);
    detail.graph_node = row.integer_or(18, -1);
    shape.registers_per_thread = std::max(detail.registers_per_thread, 0);
    const ops::TraceDevice* const device = builder_.trace().device(small_of(row, 2, 0));
    if (device == nullptr || !is_sane(shape)) return detail;
    constexpr double kHundredth = 100;
    if (device->multiprocessors > 0) {
      detail.blocks_per_sm =
          static_cast<double>(ops::blocks_per_sm_hundredths(shape, *device)) / kHundredth;
      detail.warps_per_sm =
          static_cast<double>(ops::warps_per_sm_hundredths(shape, *device)) / kHundredth;
    }
    const std::int64_t occupancy = ops::occupancy_percent(shape, *device);
    if (occupancy > 0) detail.occupancy_percent = static_cast<double>(occupancy);
    return detail;
  }

  // Products of what CUDA allows fit; those of a damaged file need not.
  static bool is_sane(const ops::DeviceActivity& shape) {
    constexpr double kMostBlocks = 1e11;
    constexpr double kMostThreads = 1 << 16;
    constexpr std::int32_t kMostRegisters = 1 << 16;
    double blocks = 1;
    double threads = 1;
    for (const std::int32_t extent : shape.grid) blocks *= std::max(extent, 1);
    for (const std::int32_t extent : shape.block) threads *= std::max(extent, 1);
    return blocks < kMostBlocks && threads <= kMostThreads &&
           shape.registers_per_thread <= kMostRegisters;
  }

  // A graph that was recorded whole: its kernels have no rows of their own.
  void graphs() {
    const auto columns = {"start",         "end",       "deviceId", "streamId",
                          "correlationId", "globalPid", "graphId"};
    database_.read(table_of(kGraphs), {columns.begin(), columns.end()}, [this](const Row& row) {
      const std::string name = "CUDA graph " + std::to_string(row.integer_or(6, 0));
      TraceEvent* const event = add(stream_of(row), EventKind::kKernel, name, row);
      if (event != nullptr) join(*event, row);
    });
  }

  void copies() {
    std::map<std::int64_t, std::string> memories = {
        {0, "Pageable"}, {1, "Pinned"}, {2, "Device"}, {3, "Array"}, {4, "Managed"}};
    database_.read("ENUM_CUDA_MEM_KIND", {"id", "label"}, [&](const Row& row) {
      if (const auto label = row.text(1))
        memories[row.integer_or(0, -1)] = text::to_valid_utf8(*label);
    });
    const auto memory = [&](const Row& row, std::size_t column) -> std::string {
      const std::optional<std::int64_t> kind = row.integer(column);
      const auto found = kind ? memories.find(*kind) : memories.end();
      return found == memories.end() ? "Unknown" : found->second;
    };
    const auto columns = {"start",     "end",   "deviceId", "streamId", "correlationId",
                          "globalPid", "bytes", "copyKind", "srcKind",  "dstKind"};
    database_.read(table_of(kCopies), {columns.begin(), columns.end()}, [&](const Row& row) {
      const std::string name = "Memcpy " + std::string(copy_word(row.integer_or(7, 0))) + " (" +
                               memory(row, 8) + " -> " + memory(row, 9) + ")";
      add_bytes(add(stream_of(row), EventKind::kMemcpy, name, row), row);
    });
  }

  void sets() {
    const auto columns = {"start",         "end",       "deviceId", "streamId",
                          "correlationId", "globalPid", "bytes"};
    database_.read(table_of(kSets), {columns.begin(), columns.end()}, [this](const Row& row) {
      add_bytes(add(stream_of(row), EventKind::kMemset, "Memset", row), row);
    });
  }

  void add_bytes(TraceEvent* event, const Row& row) {
    if (event == nullptr) return;
    join(*event, row);
    const std::int64_t bytes = row.integer_or(6, -1);
    if (bytes < 0 || bytes > kMostBytes) return;
    event->value = bytes;
    if (!bytes_.add(bytes)) {
      throw ConfigError(path_, "the bytes of its copies add up to no sensible number");
    }
  }

  void calls() {
    const auto columns = {"start", "end", "globalTid", "correlationId", "nameId"};
    database_.read(table_of(kCalls), {columns.begin(), columns.end()}, [this](const Row& row) {
      const std::int64_t global = row.integer_or(2, 0);
      const std::string name = without_version(text_of(row.integer(4), "CUDA call"));
      const bool driver = name.starts_with("cu") && !name.starts_with("cuda");
      TraceEvent* const event = add(builder_.host_lane(pid_of(global), tid_of(global)),
                                    driver ? EventKind::kDriver : EventKind::kRuntime, name, row);
      if (event != nullptr) event->correlation = correlation_of(global, row.integer_or(3, 0));
    });
  }

  void waits() {
    const auto columns = {"start",         "end",       "deviceId", "streamId",
                          "correlationId", "globalPid", "syncType", "eventId"};
    database_.read(table_of(kWaits), {columns.begin(), columns.end()}, [this](const Row& row) {
      constexpr std::string_view kNames[] = {"Sync", "Event Sync", "Stream Wait Event",
                                             "Stream Sync", "Context Sync"};
      const std::int64_t type = row.integer_or(6, 0);
      constexpr std::int64_t kAllStreams = std::numeric_limits<std::uint32_t>::max();
      std::int64_t stream = row.integer_or(3, -1);
      if (stream < 0 || stream == kAllStreams) stream = -1;
      const std::uint32_t lane =
          builder_.notes_lane(std::min(small_of(row, 2, 0), 1 << 20), stream);
      TraceEvent* const event =
          add(lane, EventKind::kSync, kNames[type >= 0 && type < 5 ? type : 0], row);
      if (event == nullptr) return;
      join(*event, row);
      event->detail = builder_.detail(SyncDetail{.event_id = row.integer_or(7, -1)});
    });
  }

  void ranges() {
    constexpr std::int64_t kPushPop = 59;
    constexpr std::int64_t kStartEnd = 60;
    constexpr std::int64_t kLastRange = 71;  // 70 and 71: the same with a payload
    const auto columns = {"start", "end", "globalTid", "eventType", "text", "textId"};
    database_.read(
        table_of(kRanges), {columns.begin(), columns.end()},
        [&](const Row& row) {
          const std::int64_t type = row.integer_or(3, kPushPop);
          const bool range =
              type == kPushPop || type == kStartEnd || type == kLastRange - 1 || type == kLastRange;
          if (!range || !row.integer(0)) {
            ++builder_.trace().reading.instants;
            return;
          }
          if (!row.integer(1)) {
            ++open_ranges_;
            return;
          }
          const std::int64_t global = row.integer_or(2, 0);
          const std::uint32_t lane = builder_.host_lane(pid_of(global), tid_of(global));
          add_range(lane,
                    text::to_valid_utf8(row.text(4).value_or(text_of(row.integer(5), "range"))),
                    row);
        },
        ForeignDatabase::Order::kSorted);
  }

  void add_range(std::uint32_t lane, const std::string& name, const Row& row) {
    const std::int64_t step = step_of_range(name);
    if (step >= 0) {
      (void)add(lane, EventKind::kAnnotation, "ProfilerStep#" + std::to_string(step), row);
    } else if (is_step_range(name)) {
      const std::string numbered = "ProfilerStep#" + std::to_string(unnumbered_steps_++);
      (void)add(lane, EventKind::kAnnotation, numbered, row);
    } else if (is_data_range(name)) {
      (void)add(lane, EventKind::kAnnotation, "enumerate(DataLoader)#" + name + ".__next__", row);
    } else {
      const std::size_t end = std::min(name.find(", seq = "), name.find(", op_id = "));
      const bool op = end != std::string::npos || name.starts_with("aten::");
      (void)add(lane, op ? EventKind::kOp : EventKind::kAnnotation, name.substr(0, end), row);
    }
  }

  // Since 2024 what CUPTI and the driver tell of themselves has a table of its own.
  void overhead() {
    const auto columns = {"start", "end", "globalTid", "nameId"};
    for (const std::string_view table : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
      database_.read(table_of(table), {columns.begin(), columns.end()}, [this](const Row& row) {
        const std::string lane = "overhead " + std::to_string(tid_of(row.integer_or(2, 0)));
        (void)add(builder_.other_lane(lane), EventKind::kOverhead,
                  text_of(row.integer(3), "profiler"), row);
      });
    }
  }

  void thread_names() {
    database_.read("ThreadNames", {"nameId", "globalTid"}, [this](const Row& row) {
      const std::int64_t global = row.integer_or(1, 0);
      builder_.name_thread(pid_of(global), tid_of(global), text_of(row.integer(0), ""));
    });
    database_.read("PROCESSES", {"globalPid", "name"}, [this](const Row& row) {
      builder_.name_process(pid_of(row.integer_or(0, 0)),
                            text::to_valid_utf8(row.text(1).value_or("")));
    });
  }

  void not_kept() {
    std::vector<IgnoredRows>& ignored = builder_.trace().reading.ignored;
    for (const char* table : {"COMPOSITE_EVENTS", "GPU_METRICS", "OSRT_API", "SCHED_EVENTS"}) {
      std::int64_t rows = 0;
      database_.read(table, {"start"}, [&](const Row&) { ++rows; });
      if (rows > 0) ignored.push_back({.what = table, .count = rows});
    }
    if (open_ranges_ > 0) {
      ignored.push_back({.what = "ranges that had not ended", .count = open_ranges_});
    }
    if (without_time_ > 0)
      ignored.push_back({.what = "rows without a time", .count = without_time_});
  }

  const std::filesystem::path& path_;
  ForeignDatabase database_;
  TraceBuilder builder_;
  std::unordered_map<std::int64_t, std::string> texts_;
  std::map<std::int64_t, std::size_t> processes_;
  std::int64_t unnumbered_steps_ = 0;
  std::int64_t open_ranges_ = 0;
  std::int64_t without_time_ = 0;
  BoundedSum times_;
  BoundedSum bytes_;
};

}  // namespace

Trace read_nsight(const std::filesystem::path& path) { return NsightReader(path).read(); }

}  // namespace stepbench::trace
