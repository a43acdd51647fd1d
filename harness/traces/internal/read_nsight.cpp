// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/read_nsight.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/traces/internal/foreign_database.h"
#include "harness/traces/internal/number_text.h"
#include "harness/traces/internal/trace_builder.h"
#include "harness/traces/trace_files.h"

namespace stepbench::traces {
namespace {

using Row = ForeignDatabase::Row;

// Their names in all versions.
constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kRanges = "NVTX_EVENTS";

// Columns 0 to 5 of all device tables.
constexpr std::string_view kDeviceColumns = "start end deviceId streamId correlationId globalPid ";

// Returns `absent` for a missing, negative or too large value.
std::int32_t small_of(const Row& row, std::size_t column, std::int32_t absent) {
  const std::int64_t value = row.integer_or(column, absent);
  return value < 0 || value > std::numeric_limits<std::int32_t>::max() ? absent
                                                                       : std::int32_t(value);
}

std::string text_of(const Row& row, std::size_t column) {
  return text::to_valid_utf8(row.text(column).value_or(""));
}

// A global id packs process and thread, 24 bits each, below the bits of the machine.
std::int64_t pid_of(std::int64_t global) { return (global >> 24) & 0xffffff; }
std::int64_t tid_of(std::int64_t global) { return global & 0xffffff; }

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel". The driver's "_v2" is part of its names.
std::string without_version(const std::string& name) {
  const std::size_t at = name.rfind("_v");
  constexpr std::size_t kDigits = 4;
  if (at == std::string::npos || name.size() < at + 2 + kDigits) return name;
  const bool version = name.find_first_not_of("0123456789", at + 2) == std::string::npos;
  return version ? name.substr(0, at) : name;
}

// By the number of the kind in an export.
std::string_view copy_word(std::int64_t kind) {
  constexpr std::array<std::string_view, 14> kWords = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                       "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                       "PtoP",    "HtoD", "DtoH", "DtoD"};
  return kWords[kind > 0 && kind < std::ssize(kWords) ? std::size_t(kind) : 0];
}

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

// The launch configuration and, if the trace describes the device, how far the kernel fills it.
KernelDetail kernel_of(const Row& row, const Trace& trace) {
  KernelDetail detail;
  for (std::size_t i = 0; i < 3; ++i) {
    detail.grid[i] = small_of(row, 8 + i, 0);
    detail.block[i] = small_of(row, 11 + i, 0);
  }
  detail.registers_per_thread = small_of(row, 14, -1);
  const std::int64_t shared =
      std::int64_t{small_of(row, 15, 0)} + std::int64_t{small_of(row, 16, 0)};
  detail.shared_memory_bytes =
      std::int32_t(std::min<std::int64_t>(shared, std::numeric_limits<std::int32_t>::max()));
  detail.context = small_of(row, 17, -1);
  const ops::TraceDevice* const device = trace.device(small_of(row, 2, 0));
  if (device == nullptr || !is_sane(detail)) return detail;
  set_device_use(detail, *device);
  if (detail.occupancy_percent == 0) detail.occupancy_percent = -1;
  return detail;
}

class NsightReader {
 public:
  explicit NsightReader(const std::filesystem::path& path) : path_(path), database_(path) {
    const auto has = [&](std::string_view table) { return database_.has(table_of(table)); };
    const bool any =
        database_.has("StringIds") && (has(kKernels) || has(kCalls) || has(kRanges) ||
                                       has(kGraphs) || has("TARGET_INFO_SESSION_START_TIME"));
    if (!any) {
      throw ConfigError(
          path, database_.has("StringTable")
                    ? "is a database of nvprof; only exports of Nsight Systems are read"
                    : "is a SQLite database, but not an export of Nsight Systems: it has no "
                      "table StringIds with CUPTI_ACTIVITY_KIND_KERNEL or NVTX_EVENTS");
    }
    database_.read("StringIds", "id value", [this](const Row& row) {
      const std::optional<std::int64_t> id = row.integer(0);
      std::optional<std::string> text = row.text(1);
      if (id && text) texts_.emplace(*id, text::to_valid_utf8(*text));
    });
  }

  Trace read() {
    header();
    devices();
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
    trace.reading.text_bytes = ignored ? 0 : bytes;
    trace.with_shapes = trace.with_memory = trace.with_stack = false;
    return builder_.finish();
  }

 private:
  // The table or its latest version: "NVTX_EVENTS_V2".
  [[nodiscard]] std::string table_of(std::string_view name) const {
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
  void each_row(std::string_view table, const std::string& columns,
                const std::function<void(const Row&)>& on_row,
                ForeignDatabase::Order order = ForeignDatabase::Order::kAny) const {
    database_.read(table_of(table), columns, on_row, order);
  }
  void each_device_row(std::string_view table, const std::string& more,
                       const std::function<void(const Row&)>& on_row) const {
    each_row(table, std::string(kDeviceColumns) + more, on_row);
  }

  [[nodiscard]] std::string text_at(const std::optional<std::int64_t>& id,
                                    std::string_view absent) const {
    const auto found = id ? texts_.find(*id) : texts_.end();
    return found == texts_.end() ? std::string(absent) : found->second;
  }

  // Time, host and the profiler's diagnostics.
  void header() {
    Trace& trace = builder_.trace();
    each_row("TARGET_INFO_SESSION_START_TIME", "utcEpochNs",
             [&](const Row& row) { trace.base_ns = row.integer(0); });
    each_row("TARGET_INFO_SYSTEM_ENV", "name value", [&](const Row& row) {
      if (row.text(0) == "Hostname") trace.host_name = text_of(row, 1);
    });
    constexpr std::size_t kMaxHeaderLines = 1000;
    each_row("DIAGNOSTIC_EVENT", "severity text", [&](const Row& row) {
      constexpr std::int64_t kWarning = 2;
      const std::int64_t severity = row.integer_or(0, 0);
      if (severity < kWarning || trace.log_lines.size() >= kMaxHeaderLines) return;
      trace.log_lines.push_back((severity == kWarning ? "WARNING: " : "ERROR: ") + text_of(row, 1));
    });
  }

  void devices() {
    constexpr const char* kColumns =
        "id name totalMemory smCount computeMajor computeMinor maxThreadsPerBlock maxWarpsPerSm "
        "threadsPerWarp maxRegistersPerBlock maxShmemPerBlock";
    each_row("TARGET_INFO_GPU", kColumns, [&](const Row& row) {
      ops::TraceDevice device{.id = small_of(row, 0, 0),
                              .name = text_of(row, 1),
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
      builder_.trace().devices.push_back(std::move(device));
    });
  }

  // Returns null if the times are invalid; the row is then skipped and counted.
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
      throw ConfigError(path_, "the durations of its rows add up to an impossible number");
    }
    return &event;
  }

  // Two processes may use the same numbers.
  std::uint64_t correlation_of(std::int64_t global, std::int64_t id) {
    if (id <= 0) return 0;
    const auto process = processes_.try_emplace(pid_of(global), processes_.size()).first->second;
    constexpr unsigned kBits = 40;
    return std::uint64_t(id) ^ (std::uint64_t(process) << kBits);
  }

  // Columns 2 to 6 are common to all device tables.
  std::uint32_t stream_of(const Row& row) {
    constexpr std::int32_t kMaxDeviceNumber = 1 << 20;
    const std::int32_t device = std::min(small_of(row, 2, 0), kMaxDeviceNumber);
    return builder_.stream_lane(device, std::max<std::int64_t>(row.integer_or(3, -1), -1));
  }
  void join(TraceEvent& event, const Row& row) {
    event.correlation = correlation_of(row.integer_or(5, 0), row.integer_or(4, 0));
  }

  void kernels() {
    constexpr const char* kMore =
        "demangledName shortName gridX gridY gridZ blockX blockY blockZ registersPerThread "
        "staticSharedMemory dynamicSharedMemory contextId";
    each_device_row(kKernels, kMore, [this](const Row& row) {
      const std::string name = text_at(row.integer(6), text_at(row.integer(7), "kernel"));
      TraceEvent* const event = add(stream_of(row), EventKind::kKernel, name, row);
      if (event == nullptr) return;
      join(*event, row);
      event->detail = builder_.detail(kernel_of(row, builder_.trace()));
    });
  }

  // A graph recorded as a whole: its kernels have no rows of their own.
  void graphs() {
    each_device_row(kGraphs, "graphId", [this](const Row& row) {
      const std::string name = formatted("CUDA graph {}", row.integer_or(6, 0));
      TraceEvent* const event = add(stream_of(row), EventKind::kKernel, name, row);
      if (event != nullptr) join(*event, row);
    });
  }

  void copies() {
    std::map<std::int64_t, std::string> memories = {
        {0, "Pageable"}, {1, "Pinned"}, {2, "Device"}, {3, "Array"}, {4, "Managed"}};
    each_row("ENUM_CUDA_MEM_KIND", "id label", [&](const Row& row) {
      if (const auto label = row.text(1))
        memories[row.integer_or(0, -1)] = text::to_valid_utf8(*label);
    });
    const auto memory = [&](const Row& row, std::size_t column) -> std::string {
      const std::optional<std::int64_t> kind = row.integer(column);
      const auto found = kind ? memories.find(*kind) : memories.end();
      return found == memories.end() ? "Unknown" : found->second;
    };
    constexpr const char* kMore = "bytes copyKind srcKind dstKind";
    each_device_row("CUPTI_ACTIVITY_KIND_MEMCPY", kMore, [&](const Row& row) {
      const std::string name = formatted("Memcpy {} ({} -> {})", copy_word(row.integer_or(7, 0)),
                                         memory(row, 8), memory(row, 9));
      add_bytes(add(stream_of(row), EventKind::kMemcpy, name, row), row);
    });
  }

  void sets() {
    each_device_row("CUPTI_ACTIVITY_KIND_MEMSET", "bytes", [this](const Row& row) {
      add_bytes(add(stream_of(row), EventKind::kMemset, "Memset", row), row);
    });
  }

  void add_bytes(TraceEvent* event, const Row& row) {
    if (event == nullptr) return;
    join(*event, row);
    const std::int64_t bytes = row.integer_or(6, -1);
    if (bytes < 0 || bytes > kMaxBytes) return;
    event->value = bytes;
    if (!bytes_.add(bytes)) {
      throw ConfigError(path_, "the bytes of its copies add up to an impossible number");
    }
  }

  void calls() {
    each_row(kCalls, "start end globalTid correlationId nameId", [this](const Row& row) {
      const std::int64_t global = row.integer_or(2, 0);
      const std::string name = without_version(text_at(row.integer(4), "CUDA call"));
      const bool driver = name.starts_with("cu") && !name.starts_with("cuda");
      TraceEvent* const event = add(builder_.host_lane(pid_of(global), tid_of(global)),
                                    driver ? EventKind::kDriver : EventKind::kRuntime, name, row);
      if (event != nullptr) event->correlation = correlation_of(global, row.integer_or(3, 0));
    });
  }

  void waits() {
    each_device_row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType", [this](const Row& row) {
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
    });
  }

  void ranges() {
    constexpr std::int64_t kPushPop = 59;
    constexpr std::int64_t kStartEnd = 60;
    constexpr std::int64_t kLastRange = 71;  // 70 and 71: with a payload
    each_row(
        kRanges, "start end globalTid eventType text textId",
        [&](const Row& row) {
          const std::int64_t type = row.integer_or(3, kPushPop);
          const bool range =
              type == kPushPop || type == kStartEnd || type == kLastRange - 1 || type == kLastRange;
          if (!range || !row.integer(0)) return;
          if (!row.integer(1)) {
            ++open_ranges_;
            return;
          }
          const std::int64_t global = row.integer_or(2, 0);
          const std::uint32_t lane = builder_.host_lane(pid_of(global), tid_of(global));
          add_range(lane,
                    text::to_valid_utf8(row.text(4).value_or(text_at(row.integer(5), "range"))),
                    row);
        },
        ForeignDatabase::Order::kSorted);
  }

  void add_range(std::uint32_t lane, const std::string& name, const Row& row) {
    const std::int64_t step = step_of_range(name);
    if (step >= 0) {
      (void)add(lane, EventKind::kAnnotation, formatted("ProfilerStep#{}", step), row);
    } else if (is_step_range(name)) {
      const std::string numbered = formatted("ProfilerStep#{}", unnumbered_steps_++);
      (void)add(lane, EventKind::kAnnotation, numbered, row);
    } else if (is_data_range(name)) {
      (void)add(lane, EventKind::kAnnotation, formatted("enumerate(DataLoader)#{}.__next__", name),
                row);
    } else {
      const std::size_t end = std::min(name.find(", seq = "), name.find(", op_id = "));
      const bool op = end != std::string::npos || name.starts_with("aten::");
      (void)add(lane, op ? EventKind::kOp : EventKind::kAnnotation, name.substr(0, end), row);
    }
  }

  // Since 2024 the overhead of CUPTI and the driver has its own table.
  void overhead() {
    for (const std::string_view table : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
      each_row(table, "start end globalTid nameId", [this](const Row& row) {
        const std::string lane = formatted("overhead {}", tid_of(row.integer_or(2, 0)));
        (void)add(builder_.other_lane(lane), EventKind::kOverhead,
                  text_at(row.integer(3), "profiler"), row);
      });
    }
  }

  void thread_names() {
    each_row("ThreadNames", "nameId globalTid", [this](const Row& row) {
      const std::int64_t global = row.integer_or(1, 0);
      builder_.name_thread(pid_of(global), tid_of(global), text_at(row.integer(0), ""));
    });
    each_row("PROCESSES", "globalPid name", [this](const Row& row) {
      builder_.name_process(pid_of(row.integer_or(0, 0)), text_of(row, 1));
    });
  }

  void not_kept() {
    std::vector<IgnoredRows>& ignored = builder_.trace().reading.ignored;
    for (const char* table : {"COMPOSITE_EVENTS", "GPU_METRICS", "OSRT_API", "SCHED_EVENTS"}) {
      std::int64_t rows = 0;
      each_row(table, "start", [&](const Row&) { ++rows; });
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
  std::unordered_map<std::int64_t, std::string> texts_;  // StringIds
  TraceBuilder builder_;
  std::map<std::int64_t, std::size_t> processes_;
  std::int64_t unnumbered_steps_ = 0;
  std::int64_t open_ranges_ = 0;
  std::int64_t without_time_ = 0;
  BoundedSum times_;
  BoundedSum bytes_;
};

}  // namespace

Trace read_nsight(const std::filesystem::path& path) { return NsightReader(path).read(); }

namespace {

// Converts to lower case, with a single blank between words.
std::string plain_words(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool parts = c == '_' || c == '-' || c == '#' || c == ':' || c == '=' || c == '.' ||
                       c == '/' || c == ' ' || c == '[' || c == ']' || c == '(' || c == ')';
    if (!parts) {
      plain += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  while (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

bool is_step_word(std::string_view words) {
  constexpr std::array<std::string_view, 12> kSteps = {
      "step",       "profilerstep", "iteration",       "iter",      "train step", "training step",
      "train iter", "global step",  "train iteration", "trainstep", "batch",      "train batch"};
  return std::ranges::find(kSteps, words) != kSteps.end();
}

}  // namespace

std::int64_t step_of_range(std::string_view name) {
  const std::string words = plain_words(name);
  const std::size_t digits = words.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits >= words.size()) return -1;
  std::string_view before = std::string_view(words).substr(0, digits);
  while (before.ends_with(' ')) before.remove_suffix(1);
  std::int64_t number = -1;
  const auto [end, error] =
      std::from_chars(words.data() + digits, words.data() + words.size(), number);
  return error == std::errc{} && is_step_word(before) ? number : -1;
}

bool is_step_range(std::string_view name) { return is_step_word(plain_words(name)); }

bool is_data_range(std::string_view name) {
  constexpr std::array<std::string_view, 12> kWaits = {
      "data wait",  "dataloader", "data loader", "data loading", "dataloading", "load data",
      "load batch", "next batch", "get batch",   "fetch batch",  "data load",   "dataloader next"};
  const std::string words = plain_words(name);
  return std::ranges::find(kWaits, words) != kWaits.end();
}

bool is_nsight_export(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ForeignDatabase(path).has("StringIds");
}

}  // namespace stepbench::traces
