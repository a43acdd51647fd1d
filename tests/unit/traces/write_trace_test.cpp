// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace_files.h"

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/record/sample_rows.h"

namespace stepbench::traces {
namespace {

using Json = nlohmann::json;
using test::TemporaryFolder;

// One step: a wait for a batch, a product on the device, its gradient on another thread.
LogMaker one_step() {
  LogMaker maker;
  maker.step(7, 1'000'000, 1'100'000);
  maker.phase("data_wait", 7, 1'000'000, 1'020'000);
  maker.phase("forward", 7, 1'020'000, 1'060'000);
  ops::OpEvent& forward = maker.shaped("aten::mm", "[[2, 3], [3, 4]]", 1'020'500, 1'030'007);
  forward.sequence = 5;
  ops::OpEvent& backward = maker.op("MmBackward0", 1'070'000, 1'080'000, 1);
  backward.scope = ops::OpScope::kBackwardFunction;
  backward.sequence = 5;
  backward.forward_thread = 0;
  maker.memory(1'021'000, 4096, 0).total_reserved = 8192;
  maker.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", 1'022'000, 1'024'000, 31, 0);
  ops::DeviceActivity& kernel =
      maker.activity(ops::ActivityKind::kKernel, "gemm", 1'040'000, 1'050'000, 31, 0);
  kernel.grid[0] = 216;
  kernel.grid[1] = kernel.grid[2] = 1;
  kernel.block[0] = 256;
  kernel.block[1] = kernel.block[2] = 1;
  kernel.registers_per_thread = 32;
  ops::DeviceActivity& copy = maker.activity(
      ops::ActivityKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)", 1'052'000, 1'053'000, 32);
  copy.bytes = 12'500;
  maker.log.foreign.push_back({1'001'000, 1'015'000, 5000, index_of(maker.log.names, "decode")});
  return maker;
}

TraceHeader header() {
  TraceHeader made;
  made.engine = "native";
  made.rank = 3;
  made.backend = "gloo";
  made.unix_offset_ns = 1'700'000'000'000'000'000;
  made.devices = {{.id = 0,
                   .name = "Scripted GPU",
                   .max_threads_per_multiprocessor = 2048,
                   .registers_per_block = 65536,
                   .multiprocessors = 108}};
  return made;
}

std::string written(const ops::OpLog& log, const TraceHeader& with = header()) {
  const TemporaryFolder folder;
  write_trace(trace_of(log, with), folder / "t.pt.trace.json");
  EXPECT_FALSE(fs::exists(folder / "t.pt.trace.json.tmp"));
  return testing::read_file(folder / "t.pt.trace.json");
}

Json event(const Json& trace, const std::string& name, const std::string& phase = "X") {
  for (const Json& each : trace.at("traceEvents")) {
    if (each.at("name") == name && each.at("ph") == phase) return each;
  }
  ADD_FAILURE() << "no event " << name;
  return {};
}

struct Field {
  const char* event;  // "": the header
  const char* phase;
  const char* place;
  const char* value;
};

// Required by viewers, torch-tb-profiler 0.4.3 and HolisticTraceAnalysis 0.5.
constexpr const char* kWait = "enumerate(DataLoader)#StepbenchLoader.__next__";
constexpr const char* kCopy = "Memcpy HtoD (Pinned -> Device)";
constexpr Field kFields[] = {
    {"", "", "/schemaVersion", "1"},
    {"", "", "/displayTimeUnit", R"("ms")"},
    {"", "", "/deviceProperties/0/numSms", "108"},
    {"", "", "/traceName", R"("t.pt.trace.json")"},
    {"", "", "/baseTimeNanoseconds", "1700000000001000000"},
    {"", "", "/distributedInfo/rank", "3"},
    {"", "", "/distributedInfo/backend", R"("gloo")"},
    {"ProfilerStep#7", "X", "/cat", R"("user_annotation")"},
    {"ProfilerStep#7", "X", "/tid", "4711"},
    {kWait, "X", "/dur", "20.0"},
    {kWait, "X", "/cat", R"("cpu_op")"},  // the plug-in accepts nothing else
    {"stepbench::forward", "X", "/cat", R"("user_annotation")"},
    {"aten::mm", "X", "/args/Input Dims", "[[2, 3], [3, 4]]"},
    {"aten::mm", "X", "/args/Sequence number", "5"},
    {"MmBackward0", "X", "/args/Fwd thread id", "4711"},
    {"MmBackward0", "X", "/tid", "4712"},
    {"gemm", "X", "/cat", R"("kernel")"},
    {"gemm", "X", "/pid", "0"},
    {"gemm", "X", "/tid", "7"},
    {"gemm", "X", "/args/stream", "7"},
    {"gemm", "X", "/args/correlation", "31"},
    {"gemm", "X", "/args/blocks per SM", "2.0"},
    {"gemm", "X", "/args/warps per SM", "16.0"},
    {"gemm", "X", "/args/est. achieved occupancy %", "100"},
    {"cudaLaunchKernel", "X", "/cat", R"("cuda_runtime")"},
    {"cudaLaunchKernel", "X", "/args/correlation", "31"},
    {kCopy, "X", "/cat", R"("gpu_memcpy")"},
    {kCopy, "X", "/args/bytes", "12500"},
    {kCopy, "X", "/args/memory bandwidth (GB~1s)", "12.5"},
    {"ac2g", "s", "/id", "31"},
    {"ac2g", "f", "/id", "31"},
    {"ac2g", "f", "/bp", R"("e")"},
    {"fwdbwd", "f", "/tid", "4712"},
    {"decode", "X", "/pid", "5000"},
    {"[memory]", "i", "/args",
     R"({"Device Type": 0, "Device Id": -1, "Addr": 4096, "Bytes": 4096, "Total Allocated": 4096,
         "Total Reserved": 8192})"},
};

TEST(WriteTrace, Readers_FindTheirFields) {
  const Json trace = Json::parse(written(one_step().log));
  for (const Field& each : kFields) {
    const Json of = *each.event == '\0' ? trace : event(trace, each.event, each.phase);
    const Json::json_pointer place(each.place);
    ASSERT_TRUE(of.contains(place)) << each.event << each.place;
    EXPECT_EQ(of.at(place), Json::parse(each.value)) << each.event << each.place;
  }
  EXPECT_EQ(event(trace, "gemm").at("args").at("External id"),
            event(trace, "aten::mm").at("args").at("External id"));
  EXPECT_EQ(event(trace, "ac2g", "s").at("ts"), event(trace, "cudaLaunchKernel").at("ts"));
  EXPECT_EQ(event(trace, "ac2g", "f").at("ts"), event(trace, "gemm").at("ts"));
  EXPECT_EQ(event(trace, "fwdbwd", "s").at("ts"), event(trace, "aten::mm").at("ts"));
  for (const Json& each : trace.at("traceEvents")) {
    if (each.at("ph") != "X") continue;
    for (const char* field : {"cat", "pid", "tid", "ts", "dur"}) {
      EXPECT_TRUE(each.contains(field)) << each.at("name") << " without " << field;
    }
  }
}

TEST(WriteTrace, Times_HaveThreeDecimals) {
  const std::string text = written(one_step().log);
  EXPECT_THAT(text, HasSubstr(R"("ts":20.500,"dur":9.507)"));
  EXPECT_THAT(text, HasSubstr("\"rank\": 3,")) << "a reader's pattern wants the blank";
}

TEST(WriteTrace, RecordedSteps_AreNotDoubled) {
  LogMaker maker = one_step();
  maker.annotation("ProfilerStep#7", 1'000'000, 1'100'000);
  int steps = 0;
  const Json trace = Json::parse(written(maker.log));
  for (const Json& each : trace.at("traceEvents")) {
    steps += each.at("name") == "ProfilerStep#7" ? 1 : 0;
  }
  EXPECT_EQ(steps, 1);
}

TEST(WriteTrace, LoaderWorker_IsAProcess) {
  const Json trace = Json::parse(written(one_step().log));
  std::vector<std::string> processes;
  for (const Json& each : trace.at("traceEvents")) {
    if (each.at("name") == "process_name") {
      processes.push_back(each.at("args").at("name").get<std::string>());
    }
  }
  EXPECT_THAT(processes,
              UnorderedElementsAre("stepbench-worker", "loader worker 5000", "stepbench-worker"));
}

TEST(WriteTrace, EmptyLog_IsAValidTrace) {
  EXPECT_FALSE(Json::parse(written(ops::OpLog{})).at("traceEvents").empty());
}

TEST(WriteTrace, FailedWrite_NamesThePath) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      test::error_of([&] { write_trace(trace_of({}, header()), folder / "no/such/folder.json"); }),
      HasSubstr("no/such/folder.json: cannot be written: No such file or directory"));
  EXPECT_THAT(std::vector<fs::directory_entry>(fs::directory_iterator(folder.path()), {}),
              IsEmpty());
}

TEST(WriteTrace, FileName_IsAsReadersExpect) {
  EXPECT_EQ(trace_file_name("host_0", 1'700'000'000'000, true),
            "host_0.1700000000000.pt.trace.json.gz");
}

}  // namespace
}  // namespace stepbench::traces
