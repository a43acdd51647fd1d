// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace_files.h"

#include "tests/testing.h"
#include "tests/unit/traces/read_text.h"
#include "tests/unit/traces/trace_text.h"

namespace stepbench::traces {
namespace {

std::string row(const char* category, const char* name, const char* more = "") {
  return R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" + name +
         R"(","pid":0,"tid":7,"ts":10,"dur":5)" + more + "}";
}

EventKind kind_in(const Trace& trace) { return trace.lanes.at(0).events.at(0).kind; }

TEST(ReadTrace, EachCategory_HasItsKind) {
  const std::pair<EventKind, std::vector<const char*>> kCategories[] = {
      {EventKind::kOp, {"cpu_op", "Operator"}},
      {EventKind::kAnnotation, {"user_annotation"}},
      {EventKind::kRuntime,
       {"cuda_runtime", "Runtime", "hip_runtime", "xpu_runtime", "mtia_runtime",
        "privateuse1_runtime", "hpu_op"}},
      {EventKind::kDriver, {"cuda_driver"}},
      {EventKind::kKernel, {"kernel", "Kernel", "mtia_ccp_events", "collective_comm"}},
      {EventKind::kMemcpy, {"gpu_memcpy", "Memcpy"}},
      {EventKind::kMemset, {"gpu_memset", "Memset"}},
      {EventKind::kGpuAnnotation, {"gpu_user_annotation"}},
      {EventKind::kSync, {"cuda_sync", "cuda_event", "xpu_sync"}},
      {EventKind::kPython, {"python_function"}},
      {EventKind::kOverhead, {"overhead"}},
      {EventKind::kSpan, {"Trace"}},
      {EventKind::kWorker, {"loader_worker"}}};
  for (const auto& [kind, names] : kCategories) {
    for (const char* name : names) EXPECT_EQ(kind_in(trace_of_rows(row(name, "x"))), kind) << name;
  }
}

TEST(ReadTrace, MtiaRows_AreKernelsCopiesAndWaits) {
  const char* const pid = R"(","pid":9,"tid":4,"ts":1,"dur":2,"args":{"stream":1)";
  const auto device_row = [&](const char* name, const char* more) {
    return R"({"ph":"X","cat":"mtia_ccp_events","name":")" + std::string(name) + pid + more + "}}";
  };
  const Trace trace = trace_of_rows(device_row("fc-dtype_Float", R"(,"correlation":7)") + "," +
                                    device_row("dma_request", R"(,"size":4096)") + "," +
                                    device_row("event_wait", ""));
  EXPECT_EQ(trace.count(EventKind::kKernel), 1);
  EXPECT_EQ(trace.count(EventKind::kMemcpy), 1);
  EXPECT_EQ(trace.count(EventKind::kSync), 1);
  for (const TraceLane& lane : trace.lanes) {
    EXPECT_EQ(lane.device, 9);
    EXPECT_EQ(lane.stream, 1);
    for (const TraceEvent& event : lane.events) {
      EXPECT_EQ(event.value, event.kind == EventKind::kMemcpy ? 4096 : -1);
      EXPECT_EQ(event.correlation, event.kind == EventKind::kKernel ? 7U : 0U);
    }
  }
}

TEST(ReadTrace, UnclearCategory_UsesTheName) {
  EXPECT_EQ(kind_in(trace_of_rows(row("Operator", "ProfilerStep#5"))), EventKind::kAnnotation);
  EXPECT_EQ(kind_in(trace_of_rows(row("Operator", "enumerate(DataLoader)#X.__next__"))),
            EventKind::kAnnotation);
  EXPECT_EQ(kind_in(trace_of_rows(row("Operator", "Optimizer.step#SGD.step"))),
            EventKind::kAnnotation);
  EXPECT_EQ(kind_in(trace_of_rows(row("kernel", "MEMORY_COPY_HOST_TO_DEVICE"))),
            EventKind::kMemcpy);
  EXPECT_EQ(kind_in(trace_of_rows(row("kernel", "__amd_rocclr_fillBufferAligned.kd"))),
            EventKind::kMemset);
}

TEST(ReadTrace, DeviceAndStream_AreArgumentsFirst) {
  const Trace trace = trace_of_rows(row("kernel", "k", R"(,"args":{"device":1,"stream":20})"));
  EXPECT_EQ(trace.lanes.at(0).device, 1);
  EXPECT_EQ(trace.lanes.at(0).stream, 20);
  const Trace without = trace_of_rows(row("kernel", "k"));
  EXPECT_EQ(without.lanes.at(0).device, 0);
  EXPECT_EQ(without.lanes.at(0).stream, 7);
  const Trace triton = trace_of_rows(row("cpu_op", "triton_add", R"(,"args":{"stream":0})"));
  EXPECT_EQ(triton.lanes.at(0).kind, LaneKind::kHost) << "an operator, though it names a stream";
}

TEST(ReadTrace, StreamWaits_AreOutsideTheirStream) {
  const Trace moved = trace_of_rows(
      R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000007,"ts":1,"dur":2})");
  EXPECT_EQ(moved.lanes.at(0).stream, 7);
  EXPECT_EQ(moved.lanes.at(0).kind, LaneKind::kDeviceNotes);
  const Trace context = trace_of_rows(
      row("cuda_sync", "Context Sync", R"(,"args":{"stream":4294967295,"device":0})"));
  EXPECT_EQ(context.lanes.at(0).stream, -1);
}

TEST(ReadTrace, ProcessOrThread_MayBeAText) {
  const Trace trace = trace_of_rows(
      R"({"ph":"X","cat":"Operator","name":"a","pid":25738,"tid":"25738","ts":1,"dur":2},
         {"ph":"X","cat":"Operator","name":"b","pid":"25738","tid":25738,"ts":3,"dur":2},
         {"ph":"X","cat":"Operator","name":"c","pid":25738,"tid":"worker pool","ts":5,"dur":2})");
  ASSERT_EQ(trace.lanes.size(), 2U);
  EXPECT_EQ(trace.lanes[0].name, "worker pool");
  EXPECT_EQ(trace.lanes[1].tid, 25'738);
  EXPECT_EQ(trace.lanes[1].events.size(), 2U);
}

TEST(ReadTrace, OperatorArguments_AreKept) {
  const Trace trace =
      trace_of_rows(op_row("nccl:all_reduce", "1", "2",
                           R"(,"args":{"External id":12,"Sequence number":4,"Fwd thread id":99,
       "Input Dims":[[8,32], [ 32 ],[]],"Input type":["float","", "Scalar"],
       "Concrete Inputs":["","","1"],"Call stack":"a.py(3): f;\\x","Module Hierarchy":"",
       "Collective name":"allreduce","dtype":"Float","In msg nelems":1048576,
       "Out msg nelems":1048576,"Group size":8,"Process Group Name":"0"})"));
  const TraceEvent& event = trace.lanes.at(0).events.at(0);
  EXPECT_EQ(event.external, 12U);
  EXPECT_EQ(event.value, 4);
  const OpDetail* op = trace.op_detail(event);
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(trace.text(op->shapes), "[[8, 32], [32], []]");
  EXPECT_EQ(trace.text(op->types), R"(["float", "", "Scalar"])");
  EXPECT_EQ(trace.text(op->arguments), R"(["", "", "1"])");
  EXPECT_EQ(trace.text(op->stack), "a.py(3): f;\\x");
  EXPECT_EQ(op->module, ops::kNoIndex);
  EXPECT_EQ(op->forward_thread, 99);
  ASSERT_NE(op->collective, ops::kNoIndex);
  const CollectiveDetail& collective = trace.collectives[op->collective];
  EXPECT_EQ(trace.text(collective.name), "allreduce");
  EXPECT_EQ(collective.in_elements, 1'048'576);
  EXPECT_EQ(collective.group_size, 8);
}

TEST(ReadTrace, HeaderKeys_MayFollowTheRows) {
  const Trace trace =
      trace_from(R"({"traceEvents":[)" + op_row("a") +
                 R"(],"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},"with_stack":1,
        "deviceProperties":[{"id":0,"name":"GPU","numSms":108}],"baseTimeNanoseconds":1700,
        "record_shapes":false,"INFO":["hello"],"ERROR":["lost 3 buffers"],"mine":{"a":[1]},
        "traceName":"x.json","host_name":"node7"})");
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world, 8);
  EXPECT_EQ(trace.backend, "nccl");
  EXPECT_EQ(trace.base_ns, 1700);
  EXPECT_EQ(trace.with_stack, true);
  EXPECT_EQ(trace.with_shapes, false);
  EXPECT_EQ(trace.with_memory, std::nullopt);
  EXPECT_EQ(trace.devices.at(0).multiprocessors, 108);
  EXPECT_THAT(trace.log_lines, ElementsAre("INFO: hello", "ERROR: lost 3 buffers"));
  EXPECT_EQ(trace.host_name, "node7");
  EXPECT_FALSE(trace.own);
}

TEST(ReadTrace, BareList_IsATrace) {
  EXPECT_EQ(trace_from("[" + op_row("a") + "," + op_row("b") + "]").count(EventKind::kOp), 2);
}

TEST(ReadTrace, UnknownRows_AreCountedByCategory) {
  const Trace trace = trace_of_rows(
      row("tpu_events", "x") + "," + row("tpu_events", "y") + "," + row("mtia_insight", "z") +
      R"(,{"ph":"X","name":"n","ts":1,"dur":1},{"ph":"B","ts":1},{"ph":"C"},
      {"ph":"X","cat":"cpu_op","name":"n"},{},null,7,{"ph":"s","id":1},{"ph":"M","name":"x"},
      {"ph":"i","name":"Record Window End","ts":1e300})" +
      "," + op_row("kept"));
  std::string ignored;
  for (const IgnoredRows& each : trace.reading.ignored) {
    ignored += each.what + " " + std::to_string(each.count) + "; ";
  }
  EXPECT_EQ(ignored,
            "elements that are not rows 2; mtia_insight 1; rows of phase B 1; rows without a "
            "category 1; rows without a phase 1; rows without a time 1; tpu_events 2; ");
  EXPECT_EQ(trace.reading.rows, 14);
  EXPECT_EQ(trace.count(EventKind::kOp), 1);
}

TEST(ReadTrace, MemoryRows_AreKept) {
  const Trace trace = trace_of_rows(
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":2,"ts":5,
          "args":{"Device Type":0,"Device Id":-1,"Bytes":4}},
         {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":2,"ts":4.5,
          "args":{"Total Reserved":1024,"Total Allocated":512,"Bytes":-64,
                  "Addr":140737488355328,"Device Id":0,"Device Type":1}})");
  ASSERT_EQ(trace.memory.size(), 2U);
  EXPECT_EQ(trace.memory[0].at_ns, 4'500);
  EXPECT_EQ(trace.memory[0].bytes, -64);
  EXPECT_EQ(trace.memory[0].device, 0);
  EXPECT_EQ(trace.memory[0].total_allocated, 512);
  EXPECT_EQ(trace.memory[0].address, 140'737'488'355'328U);
  EXPECT_EQ(trace.memory[1].device, -1);
  EXPECT_EQ(trace.memory[1].total_reserved, -1);
}

TEST(ReadTrace, Escapes_AreDecoded) {
  const Trace trace = trace_of_rows(op_row(R"(a\"b\\c\/d\u0041\u00e9\u20ac\ud83d\ude00\n\ud83dx)"));
  EXPECT_EQ(trace.names.at(0).text,
            "a\"b\\c/dA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n\xEF\xBF\xBDx");
}

TEST(ReadTrace, RowFields_MayBeInAnyOrder) {
  const std::string one = R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,)"
                          R"("args":{"stream":7,"device":0,"correlation":5,"grid":[2,1,1]}})";
  const std::string other =
      R"({ "args" : { "grid" : [ 2 , 1 , 1 ] , "correlation" : 5 , "device" : 0 , "stream" : 7 },)"
      R"( "dur" : 2 , "ts" : 1 , "tid" : "stream 7" , "pid" : "0" , "id" : {"a":[{}]} ,)"
      R"( "name" : "k" , "cat" : "Kernel" , "ph" : "X" } )";
  EXPECT_EQ(rows_text(trace_of_rows(one)), rows_text(trace_of_rows(other)));
}

}  // namespace
}  // namespace stepbench::traces
