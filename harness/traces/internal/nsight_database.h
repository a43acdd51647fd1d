// SPDX-License-Identifier: Apache-2.0
// Reads the SQLite export of an Nsight Systems report, which is a foreign file: reads it without
// changing or trusting it. Tables and columns may be absent, values may have any type, and pages
// may form cycles. Reads no more than its size. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/traces/trace.h"

namespace stepbench::traces {

class ForeignDatabase {
 public:
  // One row of a query; values are indexed like the requested columns.
  class Row {
   public:
    [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const;
    [[nodiscard]] std::int64_t integer_or(std::size_t column, std::int64_t absent) const {
      return integer(column).value_or(absent);
    }
    [[nodiscard]] std::optional<std::string> text(std::size_t column) const;

   private:
    friend class ForeignDatabase;
    Row(void* statement, std::uint64_t& text_left)
        : statement_(statement), text_left_(&text_left) {}
    void* statement_;
    std::uint64_t* text_left_;  // remaining bytes for all rows of the query; 0: limit exceeded
  };

  // Throws ConfigError naming the file if it cannot be opened.
  explicit ForeignDatabase(const std::filesystem::path& path);
  ForeignDatabase(const ForeignDatabase&) = delete;
  ForeignDatabase& operator=(const ForeignDatabase&) = delete;
  ~ForeignDatabase();

  [[nodiscard]] bool has(std::string_view table) const;  // ignores views
  [[nodiscard]] const std::set<std::string, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] std::set<std::string, std::less<>> columns(std::string_view table) const;
  // Reads every row of the table; does nothing if the table is missing. Absent columns are null.
  // kSorted: by the first column. Throws ConfigError for a damaged file, e.g. with repeated pages.
  enum class Order : bool { kAny, kSorted };
  void read(std::string_view table, const std::vector<std::string_view>& wanted,
            const std::function<void(const Row&)>& on_row, Order order = Order::kAny) const;

 private:
  void query(const std::string& sql, const std::function<void(const Row&)>& on_row) const;
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::set<std::string, std::less<>> tables_;
};

// An export of Nsight Systems: its tables, by names that its versions share, the texts that rows
// refer to, facts about the whole recording, and rows of kernels. One thread.

namespace nsight {

inline constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
inline constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
inline constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
inline constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr std::string_view kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
inline constexpr std::string_view kRanges = "NVTX_EVENTS";

// Returns `absent` for a missing, negative or too large value.
[[nodiscard]] std::int32_t small_of(const ForeignDatabase::Row& row, std::size_t column,
                                    std::int32_t absent);

}  // namespace nsight

class NsightDatabase {
 public:
  // Throws ConfigError if the database is not such an export.
  explicit NsightDatabase(const std::filesystem::path& path);

  // Reads the table or its latest version: "NVTX_EVENTS_V2".
  void read(std::string_view table, const std::vector<std::string_view>& columns,
            const std::function<void(const ForeignDatabase::Row&)>& on_row,
            ForeignDatabase::Order order = ForeignDatabase::Order::kAny) const;
  [[nodiscard]] std::string text_of(const std::optional<std::int64_t>& id,
                                    std::string_view absent) const;

 private:
  [[nodiscard]] std::string table_of(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view table) const { return database_.has(table_of(table)); }

  ForeignDatabase database_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

// Facts about the whole recording: time, host, devices and the profiler's diagnostics.

void read_nsight_header(const NsightDatabase& database, Trace& trace);

// A row of a kernel.

// The first six columns are common to all device tables.
inline constexpr std::array<std::string_view, 18> kNsightKernelColumns = {"start",
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
                                                                          "contextId"};

// The launch configuration and, if the trace describes the device, how far the kernel fills it.
[[nodiscard]] KernelDetail nsight_kernel(const ForeignDatabase::Row& row, const Trace& trace);

}  // namespace stepbench::traces
