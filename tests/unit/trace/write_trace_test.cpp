// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/record/sample_rows.h"

namespace stepbench::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;
using test::TemporaryFolder;
using testing::LogMaker;

// One step: a batch is waited for, a product runs on the device, its gradient on another thread.
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
  maker.log.foreign.push_back(
      {1'001'000, 1'015'000, 5000, testing::index_of(maker.log.names, "decode")});
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
  write_trace(log, with, folder / "t.pt.trace.json");
  EXPECT_FALSE(std::filesystem::exists(folder / "t.pt.trace.json.tmp"));
  return testing::read_file(folder / "t.pt.trace.json");
}

Json event(const Json& trace, const std::string& name, const std::string& phase = "X") {
  for (const Json& each : trace.at("traceEvents")) {
    if (each.at("name") == name && each.at("ph") == phase) return each;
  }
  ADD_FAILURE() << "no event " << name;
  return {};
}

TEST(WriteTrace, ItsHeaderIsThatOfKineto) {
  const std::string text = written(one_step().log);
  const Json trace = Json::parse(text);
  EXPECT_EQ(trace.at("schemaVersion"), 1);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  EXPECT_EQ(trace.at("deviceProperties").at(0).at("numSms"), 108);
  EXPECT_EQ(trace.at("traceName"), "t.pt.trace.json");
  EXPECT_THAT(text, HasSubstr("\"rank\": 3,")) << "a reader's pattern wants the blank";
}

TEST(WriteTrace, TimesAreMicrosecondsWithThreeDecimalsFromTheFirstRecord) {
  const std::string text = written(one_step().log);
  EXPECT_EQ(Json::parse(text).at("baseTimeNanoseconds"), 1'700'000'000'001'000'000);
  EXPECT_THAT(text, HasSubstr(R"("ts":20.500,"dur":9.507)"));
}

TEST(WriteTrace, StepsAndWaitsForDataAreNamedAsReadersExpect) {
  const Json trace = Json::parse(written(one_step().log));
  const Json step = event(trace, "ProfilerStep#7");
  EXPECT_EQ(step.at("cat"), "user_annotation");
  EXPECT_EQ(step.at("tid"), 4711);
  const Json wait = event(trace, "enumerate(DataLoader)#StepbenchLoader.__next__");
  EXPECT_EQ(wait.at("dur"), 20.0);
  EXPECT_EQ(wait.at("cat"), "cpu_op") << "torch-tb-profiler 0.4.3 sees it as nothing else";
  EXPECT_EQ(event(trace, "stepbench::forward").at("cat"), "user_annotation");
}

TEST(WriteTrace, StepsThatTheCollectorRecordedAreNotDoubled) {
  LogMaker maker = one_step();
  maker.annotation("ProfilerStep#7", 1'000'000, 1'100'000);
  int steps = 0;
  const Json trace = Json::parse(written(maker.log));
  for (const Json& each : trace.at("traceEvents")) {
    steps += each.at("name") == "ProfilerStep#7" ? 1 : 0;
  }
  EXPECT_EQ(steps, 1);
}

TEST(WriteTrace, OpsCarryShapesAndSequenceNumbers) {
  const Json trace = Json::parse(written(one_step().log));
  const Json arguments = event(trace, "aten::mm").at("args");
  EXPECT_EQ(arguments.at("Input Dims"), Json::parse("[[2, 3], [3, 4]]"));
  EXPECT_EQ(arguments.at("Sequence number"), 5);
  EXPECT_EQ(event(trace, "MmBackward0").at("args").at("Fwd thread id"), 4711);
  EXPECT_EQ(event(trace, "MmBackward0").at("tid"), 4712);
}

TEST(WriteTrace, DeviceRowsLieOnTheirDeviceAndStream) {
  const Json trace = Json::parse(written(one_step().log));
  const Json kernel = event(trace, "gemm");
  EXPECT_EQ(kernel.at("cat"), "kernel");
  EXPECT_EQ(kernel.at("pid"), 0);
  EXPECT_EQ(kernel.at("tid"), 7);
  EXPECT_EQ(kernel.at("args").at("blocks per SM"), 2.0);
  EXPECT_EQ(kernel.at("args").at("warps per SM"), 16.0);
  EXPECT_EQ(kernel.at("args").at("est. achieved occupancy %"), 100);
  EXPECT_EQ(kernel.at("args").at("External id"),
            event(trace, "aten::mm").at("args").at("External id"));
  const Json copy = event(trace, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copy.at("cat"), "gpu_memcpy");
  EXPECT_EQ(copy.at("args").at("bytes"), 12'500);
  EXPECT_EQ(copy.at("args").at("memory bandwidth (GB/s)"), 12.5);
}

// hta.common.trace of HolisticTraceAnalysis 0.5: what its breakdowns, launch statistics, queue
// lengths and critical path are built on. It leaves the last step out unless told
// include_last_profiler_step=True, and its critical path needs device rows.
TEST(WriteTrace, HasWhatHolisticTraceAnalysisReads) {
  LogMaker maker = one_step();
  maker.step(8, 1'100'000, 1'200'000);
  const Json trace = Json::parse(written(maker.log));
  EXPECT_EQ(trace.at("distributedInfo").at("rank"), 3);
  EXPECT_EQ(trace.at("distributedInfo").at("backend"), "gloo");
  std::vector<std::string> steps;
  for (const Json& each : trace.at("traceEvents")) {
    const std::string& name = each.at("name").get_ref<const std::string&>();
    if (name.starts_with("ProfilerStep#")) steps.push_back(name);
    if (each.at("ph") != "X") continue;
    for (const char* field : {"cat", "pid", "tid", "ts", "dur"}) {
      EXPECT_TRUE(each.contains(field)) << name << " without " << field;
    }
  }
  EXPECT_THAT(steps, ::testing::ElementsAre("ProfilerStep#7", "ProfilerStep#8"));
  const Json launch = event(trace, "cudaLaunchKernel");
  EXPECT_EQ(launch.at("cat"), "cuda_runtime");
  const Json kernel = event(trace, "gemm");
  EXPECT_TRUE(kernel.at("args").at("stream").is_number_integer());
  EXPECT_EQ(kernel.at("args").at("correlation"), launch.at("args").at("correlation"));
  EXPECT_GT(launch.at("args").at("correlation"), 0);
  const Json copy = event(trace, "Memcpy HtoD (Pinned -> Device)").at("args");
  EXPECT_EQ(copy.at("bytes"), 12'500);
  EXPECT_TRUE(copy.contains("memory bandwidth (GB/s)"));
}

TEST(WriteTrace, ArrowsGoFromCallsToDeviceRowsAndFromForwardToBackward) {
  const Json trace = Json::parse(written(one_step().log));
  const Json launch = event(trace, "ac2g", "s");
  const Json arrival = event(trace, "ac2g", "f");
  EXPECT_EQ(launch.at("id"), 31);
  EXPECT_EQ(launch.at("ts"), event(trace, "cudaLaunchKernel").at("ts"));
  EXPECT_EQ(arrival.at("id"), 31);
  EXPECT_EQ(arrival.at("ts"), event(trace, "gemm").at("ts"));
  EXPECT_EQ(arrival.at("bp"), "e");
  EXPECT_EQ(event(trace, "fwdbwd", "s").at("ts"), event(trace, "aten::mm").at("ts"));
  EXPECT_EQ(event(trace, "fwdbwd", "f").at("tid"), 4712);
}

TEST(WriteTrace, MemoryEventsHaveAllThatAMemoryViewNeeds) {
  const Json trace = Json::parse(written(one_step().log));
  const Json memory = event(trace, "[memory]", "i");
  std::vector<std::string> keys;
  for (const auto& [key, value] : memory.at("args").items()) keys.push_back(key);
  EXPECT_THAT(keys, UnorderedElementsAre("Device Type", "Device Id", "Addr", "Bytes",
                                         "Total Allocated", "Total Reserved"));
  EXPECT_EQ(memory.at("args").at("Device Type"), 0);
  EXPECT_EQ(memory.at("args").at("Total Allocated"), 4096);
}

TEST(WriteTrace, ALoaderWorkerIsAProcessOfItsOwn) {
  const Json trace = Json::parse(written(one_step().log));
  EXPECT_EQ(event(trace, "decode").at("pid"), 5000);
  std::vector<std::string> processes;
  for (const Json& each : trace.at("traceEvents")) {
    if (each.at("name") == "process_name") {
      processes.push_back(each.at("args").at("name").get<std::string>());
    }
  }
  EXPECT_THAT(processes,
              UnorderedElementsAre("stepbench-worker", "loader worker 5000", "stepbench-worker"));
}

TEST(WriteTrace, NamesMayHoldAnything) {
  LogMaker maker;
  maker.op("quote\" back\\slash \n \x01 caf\xC3\xA9 \xFF (x)", 10, 20);
  maker.shaped("aten::cat", "[[[2], [3]], bad]", 30, 40);
  const Json trace = Json::parse(written(maker.log));
  EXPECT_EQ(event(trace, "quote\" back\\slash \n \x01 caf\xC3\xA9 \xEF\xBF\xBD (x)").at("dur"),
            0.010);
  EXPECT_EQ(event(trace, "aten::cat").at("args").at("Input Dims"), "[[[2], [3]], bad]");
}

TEST(WriteTrace, AnEmptyLogIsAValidTrace) {
  EXPECT_FALSE(Json::parse(written(ops::OpLog{})).at("traceEvents").empty());
}

std::string unpacked(std::string_view packed) {
  std::string text;
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  std::string piece(std::size_t{8} << 20, '\0');
  while (!packed.empty()) {
    std::size_t used = 0;
    std::size_t size = 0;
    if (libdeflate_gzip_decompress_ex(decompressor, packed.data(), packed.size(), piece.data(),
                                      piece.size(), &used, &size) != LIBDEFLATE_SUCCESS) {
      ADD_FAILURE() << "not gzip";
      break;
    }
    text.append(piece, 0, size);
    packed.remove_prefix(used);
  }
  libdeflate_free_decompressor(decompressor);
  return text;
}

TEST(WriteTrace, CompressedItHoldsTheSameText) {
  const TemporaryFolder folder;
  LogMaker maker;
  for (int i = 0; i < 60'000; ++i) maker.op("aten::add", i * 100, i * 100 + 50);
  write_trace(maker.log, header(), folder / "t.json");
  write_trace(maker.log, header(), folder / "t.json.gz");
  std::string plain = testing::read_file(folder / "t.json");
  const std::string packed = testing::read_file(folder / "t.json.gz");
  EXPECT_LT(packed.size(), plain.size() / 4);
  plain.replace(plain.find("\"t.json\""), 8, "\"t.json.gz\"");
  EXPECT_EQ(unpacked(packed), plain);
}

TEST(WriteTrace, WhatCannotBeWrittenLeavesNothingAndNamesThePath) {
  const TemporaryFolder folder;
  try {
    write_trace(ops::OpLog{}, header(), folder / "no/such/folder.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no/such/folder.json: cannot be written: No such file or directory"));
  }
  EXPECT_THAT(std::vector<std::filesystem::directory_entry>(
                  std::filesystem::directory_iterator(folder.path()), {}),
              IsEmpty());
}

TEST(WriteTrace, ItsNameEndsAsReadersLookForIt) {
  EXPECT_EQ(trace_file_name("host_0", 1'700'000'000'000, true),
            "host_0.1700000000000.pt.trace.json.gz");
}

}  // namespace
}  // namespace stepbench::trace
