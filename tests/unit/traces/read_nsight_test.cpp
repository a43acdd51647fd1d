// SPDX-License-Identifier: Apache-2.0
// Databases like those of `nsys export --type sqlite`, composed table by table.
#include "harness/traces/internal/read_nsight.h"

#include <sqlite3.h>

#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "harness/traces/trace_files.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/traces/trace_text.h"

namespace stepbench::traces {
namespace {

class Export {
 public:
  Export() { EXPECT_EQ(sqlite3_open((folder_ / "report.sqlite").c_str(), &database_), SQLITE_OK); }
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;
  ~Export() { sqlite3_close(database_); }

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database_) << "\n"
        << sql;
  }
  [[nodiscard]] fs::path path() const { return folder_ / "report.sqlite"; }
  [[nodiscard]] Trace read() const { return read_trace(path()); }
  [[nodiscard]] std::string refusal() const {
    return test::error_of<ConfigError>([&] { (void)read(); });
  }

 private:
  test::TemporaryFolder folder_;
  sqlite3* database_ = nullptr;
};

// Thread 4712 of process 4711, combined into one number like in nsys.
constexpr std::int64_t kProcess = (std::int64_t{7} << 48) | (std::int64_t{4711} << 24);
const std::string kThread = std::to_string(kProcess | 4712);
const std::string kGlobalPid = std::to_string(kProcess);

// Nsight Systems 2024's tables for two steps: wait for data, copy, kernel, wait for the device.
void compose(Export& file) {
  file.run(R"(
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000'),(2,'cudaMemcpyAsync_v3020'),
      (3,'cuLaunchKernelEx'),(4,'void gemm<float>(int)'),(5,'gemm'),(6,'data_wait'),
      (7,'cudaStreamSynchronize_v3020'),(8,'worker');
    CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);
    INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000,'x');
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER,
      computeMajor INTEGER, computeMinor INTEGER, maxWarpsPerSm INTEGER, threadsPerWarp INTEGER,
      maxRegistersPerBlock INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES (0,'Some GPU',17179869184,108,8,0,64,32,65536);
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION','3.13.1');
    CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);
    INSERT INTO DIAGNOSTIC_EVENT VALUES (1,1,'hello'),(2,2,'Not all events were collected.');
    CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER, name TEXT, label TEXT);
    INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0,'x','Pageable'),(1,'x','Pinned'),(2,'x','Device');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
      deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
      globalPid INTEGER, demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER,
      gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,
      blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER,
      graphNodeId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
      contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
      bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
      globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER,
      deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
      syncType INTEGER, eventId INTEGER);
    CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
      text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);
    CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
    CREATE TABLE OSRT_API (start INTEGER, end INTEGER);
    INSERT INTO OSRT_API VALUES (1,2),(3,4);)");
  file.run("INSERT INTO ThreadNames VALUES (8,20," + kThread + ")");
  for (int step = 0; step < 2; ++step) {
    const auto at = [&](int ns) { return std::to_string(100'000 * step + ns); };
    const auto id = [&](int number) { return std::to_string(10 * step + number); };
    const std::string range = "," + kThread + ",";
    file.run("INSERT INTO NVTX_EVENTS VALUES (" + at(0) + "," + at(90'000) + ",59,'ProfilerStep#" +
             std::to_string(5 + step) + "'" + range + "NULL,1)");
    file.run("INSERT INTO NVTX_EVENTS VALUES (" + at(100) + "," + at(20'000) + ",59,NULL" + range +
             "6,1)");
    file.run("INSERT INTO NVTX_EVENTS VALUES (" + at(30'000) + "," + at(40'000) +
             ",59,'aten::mm, seq = 3, op_id = 9, sizes = [[2]]'" + range + "NULL,0)");
    file.run("INSERT INTO NVTX_EVENTS VALUES (" + at(5) + ",NULL,34,'mark'" + range + "NULL,0)");
    const auto call = [&](int start, int end, int number, int name) {
      file.run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + at(start) + "," + at(end) +
               ",0," + kThread + "," + id(number) + "," + std::to_string(name) + ",0)");
    };
    call(21'000, 22'000, 1, 2);
    call(31'000, 32'000, 2, 1);
    call(33'000, 34'000, 3, 3);
    call(60'000, 80'000, 4, 7);
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" + at(23'000) + "," + at(29'000) +
             ",0,1,13," + id(1) + "," + kGlobalPid + ",4096,1,0,2)");
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + at(35'000) + "," + at(50'000) +
             ",0,1,7," + id(2) + "," + kGlobalPid + ",4,5,32,216,1,1,256,1,1,1024,2048,NULL)");
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + at(50'000) + "," + at(70'000) +
             ",0,1,7," + id(3) + "," + kGlobalPid + ",99,5,32,1,1,1,32,1,1,0,0,77)");
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (" + at(71'000) + "," + at(72'000) +
             ",0,7,0," + kGlobalPid + ",64)");
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (" + at(60'000) + "," +
             at(80'000) + ",0,7," + id(4) + "," + kGlobalPid + ",3,0)");
  }
}

std::vector<std::string> names_of(const Trace& trace, const TraceLane& lane) {
  std::vector<std::string> names;
  for (const TraceEvent& event : lane.events) names.push_back(trace.name_of(event));
  return names;
}

TEST(ReadNsight, Export_IsATraceWithAllRows) {
  Export file;
  compose(file);
  const Trace trace = file.read();
  ASSERT_EQ(trace.lanes.size(), 4U);
  const TraceLane& thread = trace.lanes[0];
  EXPECT_EQ(thread.pid, 4711);
  EXPECT_EQ(thread.tid, 4712);
  EXPECT_EQ(thread.name, "worker");
  ASSERT_EQ(thread.events.size(), 14U);
  EXPECT_EQ(trace.facts_of(thread.events[0]).step, 5);
  EXPECT_TRUE(trace.facts_of(thread.events[1]).data_wait);
  EXPECT_EQ(trace.name_of(thread.events[2]), "cudaMemcpyAsync");
  EXPECT_EQ(trace.name_of(thread.events[3]), "aten::mm");
  EXPECT_EQ(thread.events[3].kind, EventKind::kOp);
  EXPECT_EQ(trace.facts_of(thread.events[4]).call, CallClass::kLaunch);
  EXPECT_EQ(thread.events[5].kind, EventKind::kDriver);
  EXPECT_EQ(trace.facts_of(thread.events[6]).call, CallClass::kSynchronize);

  const TraceLane& stream = trace.lanes[1];
  EXPECT_EQ(stream.stream, 7);
  ASSERT_EQ(stream.events.size(), 6U);
  EXPECT_THAT(names_of(trace, stream), ElementsAre("void gemm<float>(int)", "gemm", "Memset",
                                                   "void gemm<float>(int)", "gemm", "Memset"));
  EXPECT_EQ(stream.events[0].correlation, thread.events[4].correlation);
  EXPECT_EQ(stream.events[0].duration_ns(), 15'000);
  const KernelDetail* kernel = trace.kernel_detail(stream.events[0]);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->grid[0], 216);
  EXPECT_EQ(kernel->blocks_per_sm, 2);
  EXPECT_EQ(kernel->warps_per_sm, 16);
  EXPECT_EQ(kernel->occupancy_percent, 100);
  EXPECT_EQ(kernel->shared_memory_bytes, 3072);

  const TraceEvent& copy = trace.lanes[2].events.at(0);
  EXPECT_EQ(trace.name_of(copy), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(trace.facts_of(copy).from, MemoryKind::kPageable);
  EXPECT_EQ(copy.value, 4096);
  EXPECT_EQ(copy.correlation, thread.events[2].correlation);
  EXPECT_EQ(trace.lanes[3].kind, LaneKind::kDeviceNotes);
  EXPECT_EQ(trace.name_of(trace.lanes[3].events.at(0)), "Stream Sync");

  EXPECT_EQ(trace.base_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(trace.resolution_ns, 1);
  EXPECT_EQ(trace.devices.at(0).name, "Some GPU");
  EXPECT_EQ(trace.devices.at(0).max_threads_per_multiprocessor, 2048);
  EXPECT_THAT(trace.log_lines, ElementsAre("WARNING: Not all events were collected."));
  ASSERT_EQ(trace.reading.ignored.size(), 1U);
  EXPECT_EQ(trace.reading.ignored[0].what, "OSRT_API");
  EXPECT_EQ(trace.reading.ignored[0].count, 2);
}

TEST(ReadNsight, OldExport_IsReadInPart) {
  Export file;
  file.run(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES (1,'gemm');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT,
      correlationId INT, shortName INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,1,7,3,1),(NULL,30,1,7,4,1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, copyKind INT, bytes INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,2,8,5);)");
  const Trace trace = file.read();
  ASSERT_EQ(trace.lanes.size(), 2U);
  EXPECT_EQ(trace.name_of(trace.lanes[0].events.at(0)), "Memcpy DtoD (Unknown -> Unknown)");
  EXPECT_EQ(trace.lanes[1].device, 1);
  EXPECT_EQ(names_of(trace, trace.lanes[1]), std::vector<std::string>{"gemm"});
  EXPECT_EQ(trace.reading.ignored.at(0).what, "rows without a time");
  EXPECT_EQ(trace.base_ns, std::nullopt);
  EXPECT_TRUE(trace.devices.empty());
}

// Like 2025 and 2026: more columns, an older one renamed, CUPTI's own overhead in a separate table,
// and tables with a version in their names.
TEST(ReadNsight, NewExport_EqualsOneOf2024) {
  Export earlier;
  compose(earlier);
  Export later;
  compose(later);
  later.run(R"(
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN greenContextId INTEGER;
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterX INTEGER;
    ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ADD COLUMN deprecatedSyncType INTEGER;
    ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER;
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO CUPTI_ACTIVITY_KIND_KERNEL_V3;
    ALTER TABLE NVTX_EVENTS RENAME TO NVTX_EVENTS_V10;
    CREATE TABLE NVTX_EVENTS_V2 (start INTEGER, end INTEGER, eventType INTEGER);
    CREATE TABLE NVTX_EVENTS_VIEW (start INTEGER);
    INSERT INTO StringIds VALUES (70,'Buffer Flush'),(71,'Command Buffer Full');
    CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, end INTEGER, eventClass INTEGER,
      globalTid INTEGER, correlationId INTEGER, nameId INTEGER, overheadType INTEGER);)");
  later.run("INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (10,20,103," + kThread +
            ",0,70,3),(30,40,103," + kThread + ",0,71,8)");
  const Trace old_form = earlier.read();
  const Trace new_form = later.read();
  for (const EventKind kind :
       {EventKind::kAnnotation, EventKind::kOp, EventKind::kRuntime, EventKind::kDriver,
        EventKind::kKernel, EventKind::kMemcpy, EventKind::kSync}) {
    EXPECT_EQ(new_form.count(kind), old_form.count(kind)) << name_of(kind);
    EXPECT_GT(new_form.count(kind), 0) << name_of(kind);
  }
  EXPECT_EQ(old_form.count(EventKind::kOverhead), 0);
  EXPECT_EQ(new_form.count(EventKind::kOverhead), 2);
}

TEST(ReadNsight, WholeGraph_IsDeviceWork) {
  Export file;
  file.run(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, streamId INT,
      correlationId INT, globalPid INT, graphId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10,20,0,7,3,0,12);)");
  const Trace trace = file.read();
  EXPECT_EQ(trace.lanes.at(0).events.at(0).kind, EventKind::kKernel);
  EXPECT_EQ(trace.name_of(trace.lanes[0].events[0]), "CUDA graph 12");
}

TEST(ReadNsight, Processes_HaveOwnCorrelations) {
  Export file;
  const auto global = [](std::int64_t pid) { return std::to_string(pid << 24); };
  file.run(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT,
      correlationId INT, globalPid INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,
      correlationId INT);)");
  file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,0,7,3," + global(1) +
           "),(10,20,1,7,3," + global(2) + ")");
  file.run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5,6," + global(1) + ",3),(5,6," +
           global(2) + ",3)");
  const Trace trace = file.read();
  ASSERT_EQ(trace.lanes.size(), 4U);
  const auto correlation = [&](std::size_t lane) {
    return trace.lanes[lane].events.at(0).correlation;
  };
  EXPECT_EQ(correlation(0), correlation(2));
  EXPECT_EQ(correlation(1), correlation(3));
  EXPECT_NE(correlation(0), correlation(1));
}

TEST(ReadNsight, StepRanges_AreRecognised) {
  for (const auto& [range, step] :
       {std::pair("ProfilerStep#7", 7), std::pair("step 12", 12), std::pair("Iteration_3", 3),
        std::pair("train_step: 40", 40), std::pair("layer 3", -1), std::pair("step", -1),
        std::pair("12", -1), std::pair("", -1), std::pair("step 99999999999999999999", -1)}) {
    EXPECT_EQ(step_of_range(range), step) << range;
  }
  EXPECT_TRUE(is_step_range("train_step"));
  EXPECT_FALSE(is_step_range("optimizer.step"));
  EXPECT_TRUE(is_data_range("Data Loading"));
  EXPECT_FALSE(is_data_range("data parallel"));
}

TEST(ReadNsight, UnnumberedRanges_AreCounted) {
  Export file;
  file.run(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);
    INSERT INTO NVTX_EVENTS VALUES (20,30,59,'step',1),(0,10,59,'step',1),(40,NULL,59,'step',1);)");
  const Trace trace = file.read();
  EXPECT_THAT(names_of(trace, trace.lanes.at(0)), ElementsAre("ProfilerStep#0", "ProfilerStep#1"));
  EXPECT_EQ(trace.reading.ignored.at(0).what, "ranges that had not ended");
}

TEST(ReadNsight, OtherOrDamagedDatabase_IsRejected) {
  for (const auto& [sql, why] :
       {std::pair("CREATE TABLE mine (a INT)", "not an export of Nsight Systems"),
        std::pair("CREATE TABLE StringTable (a INT)", "a database of nvprof"),
        std::pair("CREATE TABLE StringIds (id INT, value TEXT); "  // views do not count
                  "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start",
                  "not an export of Nsight Systems")}) {
    Export file;
    file.run(sql);
    EXPECT_THAT(file.refusal(), HasSubstr(why));
  }
  const test::TemporaryFolder folder;
  folder.write("cut.sqlite", std::string_view("SQLite format 3\0 and rubbish", 28));
  EXPECT_THAT(test::error_of<ConfigError>([&] { (void)read_trace(folder / "cut.sqlite"); }),
              HasSubstr("cut.sqlite: cannot be read as a SQLite database"));
}

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8U | std::uint8_t(bytes[at + i]);
  return number;
}

// An inner page of a table like `page`, with the page `child` as every child.
std::string leading_to(std::string page, std::uint32_t child) {
  std::string number;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) number += char(child >> shift & 0xFFU);
  page.replace(8, number.size(), number);
  constexpr std::size_t kCells = 12;
  for (std::size_t i = 0; i < number_at(page, 3, 2); ++i) {
    page.replace(number_at(page, kCells + 2 * i, 2), number.size(), number);
  }
  return page;
}

TEST(ReadNsight, MoreRowsThanBytes_AreRejected) {
  constexpr std::size_t kPage = 512;
  const test::TemporaryFolder folder;
  Export file;
  file.run(R"(
    PRAGMA page_size = 512;
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
      INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, 'step', 1 FROM n;)");
  EXPECT_EQ(file.read().reading.rows, 700);
  std::string bytes = os::read_text(file.path()).value();
  const std::string inner = bytes.substr(2 * kPage, kPage);  // of the root
  ASSERT_EQ(inner[0], 5);
  ASSERT_GT(number_at(inner, 3, 2), 25U);
  // Each level points about thirty times to the next one, the last to one leaf.
  const std::vector<std::uint32_t> pages = {3, 4, 5, 6, 7, 8};
  for (std::size_t i = 0; i + 1 < pages.size(); ++i) {
    bytes.replace((pages[i] - 1) * kPage, kPage, leading_to(inner, pages[i + 1]));
  }
  folder.write("circles.sqlite", bytes);
  EXPECT_THAT([&] { (void)read_trace(folder / "circles.sqlite"); },
              ThrowsMessage<ConfigError>(HasSubstr("leads to more rows than its bytes can hold")));
}

}  // namespace
}  // namespace stepbench::traces
