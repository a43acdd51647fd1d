// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/nsight_database.h"

#include <sqlite3.h>
#include <algorithm>
#include <charconv>
#include <limits>

#include "harness/base/error.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/traces/internal/trace_builder.h"

namespace stepbench::traces {
namespace {

constexpr int kInstructions = 1000;

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

struct ForeignDatabase::Handle {
  sqlite3* connection = nullptr;
  std::uint64_t file_bytes = 0;
  std::uint64_t looks_left = 0;  // left to the running query; each is kInstructions of SQLite
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { ::sqlite3_close(connection); }
};

std::optional<std::int64_t> ForeignDatabase::Row::integer(std::size_t column) const {
  auto* const statement = static_cast<sqlite3_stmt*>(statement_);
  const int index = static_cast<int>(column);
  if (::sqlite3_column_type(statement, index) != SQLITE_INTEGER) return std::nullopt;
  return ::sqlite3_column_int64(statement, index);
}

std::optional<std::string> ForeignDatabase::Row::text(std::size_t column) const {
  auto* const statement = static_cast<sqlite3_stmt*>(statement_);
  const int index = static_cast<int>(column);
  if (::sqlite3_column_type(statement, index) != SQLITE_TEXT) return std::nullopt;
  const unsigned char* const bytes = ::sqlite3_column_text(statement, index);
  const int size = ::sqlite3_column_bytes(statement, index);
  if (bytes == nullptr || size < 0) return std::nullopt;
  *text_left_ -= std::min(*text_left_, std::uint64_t(size));
  return std::string(reinterpret_cast<const char*>(bytes), std::size_t(size));
}

ForeignDatabase::ForeignDatabase(const std::filesystem::path& path)
    : path_(path), handle_(std::make_unique<Handle>()) {
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  if (::sqlite3_open_v2(path.c_str(), &handle_->connection, kFlags, nullptr) != SQLITE_OK) fail();
  handle_->file_bytes = std::filesystem::file_size(path);
  ::sqlite3_progress_handler(
      handle_->connection, kInstructions,
      [](void* data) {
        std::uint64_t& left = static_cast<Handle*>(data)->looks_left;
        return left == 0 ? 1 : static_cast<int>(--left == 0);
      },
      handle_.get());
  constexpr int kMaxRowBytes = 64 << 20;  // as for other traces
  ::sqlite3_limit(handle_->connection, SQLITE_LIMIT_LENGTH, kMaxRowBytes);
  // Never execute code from the file's schema.
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  query("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
        [this](const Row& row) {
          if (const std::optional<std::string> name = row.text(0)) tables_.insert(*name);
        });
}

ForeignDatabase::~ForeignDatabase() = default;

bool ForeignDatabase::has(std::string_view table) const { return tables_.contains(table); }

std::set<std::string, std::less<>> ForeignDatabase::columns(std::string_view table) const {
  std::set<std::string, std::less<>> found;
  if (!has(table)) return found;
  constexpr std::size_t kName = 1;
  query("PRAGMA table_info(" + quoted_name(table) + ")", [&](const Row& row) {
    if (const std::optional<std::string> name = row.text(kName)) found.insert(*name);
  });
  return found;
}

void ForeignDatabase::read(std::string_view table, const std::vector<std::string_view>& wanted,
                           const std::function<void(const Row&)>& on_row, Order order) const {
  const std::set<std::string, std::less<>> there = columns(table);
  if (there.empty()) return;
  const std::string list = text::join(wanted, ", ", [&](std::string_view column) {
    return there.contains(column) ? quoted_name(column) : std::string("NULL");
  });
  const std::string sorted = order == Order::kSorted ? " ORDER BY 1" : "";
  query("SELECT " + list + " FROM " + quoted_name(table) + sorted, on_row);
}

void ForeignDatabase::query(const std::string& sql,
                            const std::function<void(const Row&)>& on_row) const {
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
  };
  // A sound row needs fewer instructions per byte; its text is at most twice its bytes (UTF-16).
  constexpr std::uint64_t kInstructionsPerByte = 16;
  constexpr std::uint64_t kMinLooks = 1000;
  handle_->looks_left = kMinLooks + handle_->file_bytes / kInstructions * kInstructionsPerByte;
  std::uint64_t text_left = 2 * handle_->file_bytes + 1;
  sqlite3_stmt* prepared = nullptr;
  const int size = static_cast<int>(sql.size());
  if (::sqlite3_prepare_v2(handle_->connection, sql.data(), size, &prepared, nullptr) !=
      SQLITE_OK) {
    fail();
  }
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  int code = SQLITE_ROW;
  while (text_left > 0 && (code = ::sqlite3_step(statement.get())) == SQLITE_ROW) {
    on_row(Row(statement.get(), text_left));
  }
  if (code != SQLITE_DONE) fail();
}

void ForeignDatabase::fail() const {
  const int code = ::sqlite3_errcode(handle_->connection);
  if (code == SQLITE_INTERRUPT || code == SQLITE_ROW) {
    throw ConfigError(path_, "is damaged: it leads to more rows than its bytes can hold");
  }
  const char* const why =
      handle_->connection == nullptr ? "no memory" : ::sqlite3_errmsg(handle_->connection);
  throw ConfigError(path_, std::string("cannot be read as a SQLite database: ") + why);
}

std::int32_t nsight::small_of(const ForeignDatabase::Row& row, std::size_t column,
                              std::int32_t absent) {
  const std::int64_t value = row.integer_or(column, absent);
  return value < 0 || value > std::numeric_limits<std::int32_t>::max() ? absent
                                                                       : std::int32_t(value);
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
  detail.shared_memory_bytes =
      std::int32_t(std::min<std::int64_t>(shared, std::numeric_limits<std::int32_t>::max()));
  detail.context = small_of(row, 17, -1);
  const ops::TraceDevice* const device = trace.device(small_of(row, 2, 0));
  if (device == nullptr || !is_sane(detail)) return detail;
  set_device_use(detail, *device);
  if (detail.occupancy_percent == 0) detail.occupancy_percent = -1;
  return detail;
}

}  // namespace stepbench::traces
