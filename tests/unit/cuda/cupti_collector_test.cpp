// SPDX-License-Identifier: Apache-2.0
// Buffers are composed of CUPTI's own structures, in the layout of its headers.
#include "harness/cuda/device_activity.h"

#include "harness/cuda/internal/cupti_records.h"
#include "tests/testing.h"
#include "tests/unit/cuda/collector_scene.h"
#include "tests/unit/cuda/composed_records.h"

namespace stepbench::cuda {
namespace {

TEST(CuptiCollector, KernelName_KeepsItsVersion) {
  StartedScene scene;
  CUpti_ActivityKernel10 first = kernel(5, 120, 180);
  first.name = "add_v1";
  CUpti_ActivityKernel10 second = kernel(6, 220, 280);
  second.name = "add_v2";
  EXPECT_THAT(scene.log_of(first, second).names, ElementsAre("add_v1", "add_v2"));
}

TEST(CuptiCollector, Kernel_IsJoinedWithCallAndOperator) {
  StartedScene scene;
  const ops::OpLog log = scene.log_of(external(5, 77), launch(5, 100), kernel(5, 120, 180));
  ASSERT_THAT(log.activities, SizeIs(2));
  const ops::DeviceActivity& called = log.activities[0];
  const ops::DeviceActivity& ran = log.activities[1];
  EXPECT_EQ(called.kind, ops::ActivityKind::kRuntime);
  EXPECT_EQ(log.names[called.name], "cudaLaunchKernel");
  EXPECT_EQ(log.threads[called.thread].id, 4321);
  EXPECT_EQ(ran.kind, ops::ActivityKind::kKernel);
  EXPECT_EQ(log.names[ran.name], "add(float*, float*, int)");
  EXPECT_EQ(ran.start_ns, 120);
  EXPECT_EQ(ran.end_ns, 180);
  EXPECT_EQ(ran.correlation, called.correlation);
  EXPECT_EQ(ran.external, 77U);
  EXPECT_EQ(called.external, 77U);
  EXPECT_EQ(ran.device, 1);
  EXPECT_EQ(ran.stream, 7U);
  EXPECT_THAT(ran.grid, ElementsAre(128, 2, 1));
  EXPECT_THAT(ran.block, ElementsAre(256, 1, 1));
  EXPECT_EQ(ran.registers_per_thread, 40);
  EXPECT_EQ(ran.shared_memory_bytes, 1536);
  EXPECT_EQ(scene.collector->incomplete(), std::nullopt);
  EXPECT_EQ(log.dropped, 0);
}

TEST(CuptiCollector, Records_MayComeInAnyOrder) {
  StartedScene scene;
  scene.cupti.emit(kernel(5, 120, 180));
  for (std::uint32_t i = 100; i < 150; ++i) scene.cupti.emit(kernel(i, 200 + i, 210 + i));
  const ops::OpLog log = scene.log_of(external(5, 77));
  ASSERT_THAT(log.activities, SizeIs(51));
  EXPECT_EQ(log.activities.front().external, 77U);
  EXPECT_THAT(log.names, SizeIs(1)) << "each name stands once";
}

TEST(CuptiCollector, Copy_HasKindBytesAndPinning) {
  struct Case {
    std::uint8_t kind, from, to;
    ops::CopyKind expected;
    bool pinned;
    const char* name;
  };
  const Case cases[] = {{CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                         CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, ops::CopyKind::kHostToDevice, true,
                         "Memcpy HtoD (Pinned -> Device)"},
                        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
                         CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, ops::CopyKind::kHostToDevice, false,
                         "Memcpy HtoD (Pageable -> Device)"},
                        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                         CUPTI_ACTIVITY_MEMORY_KIND_PINNED, ops::CopyKind::kDeviceToHost, true,
                         "Memcpy DtoH (Device -> Pinned)"},
                        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                         CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, ops::CopyKind::kDeviceToDevice, false,
                         "Memcpy DtoD (Device -> Device)"}};
  StartedScene scene;
  for (const Case& each : cases) {
    scene.cupti.emit(copy(each.kind, each.from, each.to));
    const ops::OpLog log = scene.collect();
    ASSERT_THAT(log.activities, SizeIs(1));
    EXPECT_EQ(log.activities[0].kind, ops::ActivityKind::kMemcpy);
    EXPECT_EQ(log.activities[0].copy, each.expected) << each.name;
    EXPECT_EQ(log.activities[0].pinned, each.pinned) << each.name;
    EXPECT_EQ(log.activities[0].bytes, 4096);
    EXPECT_EQ(log.names[log.activities[0].name], each.name);
  }
}

TEST(CuptiCollector, SetsCallsAndWaits_AreKept) {
  StartedScene scene;
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.bytes = 64;
  set.start = 1;
  set.end = 2;
  scene.cupti.emit(set);
  scene.cupti.emit(call(CUPTI_ACTIVITY_KIND_DRIVER, 307, 3, 10));
  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  wait.start = 20;
  wait.end = 50;
  const ops::OpLog log = scene.log_of(wait);
  ASSERT_THAT(log.activities, SizeIs(3));
  EXPECT_EQ(log.activities[0].kind, ops::ActivityKind::kMemset);
  EXPECT_EQ(log.activities[0].bytes, 64);
  EXPECT_EQ(log.activities[1].kind, ops::ActivityKind::kDriver);
  EXPECT_EQ(log.names[log.activities[1].name], "cuLaunchKernel");
  EXPECT_EQ(log.activities[2].kind, ops::ActivityKind::kSynchronization);
  EXPECT_EQ(log.names[log.activities[2].name], "Stream Synchronize");
}

TEST(CuptiCollector, CallNames_LoseVersionAndStreamKind) {
  StartedScene scene;
  constexpr std::uint32_t kLaunchOnThreadStream = 214;
  const ops::OpLog log =
      scene.log_of(call(CUPTI_ACTIVITY_KIND_RUNTIME, kLaunchOnThreadStream, 8, 10), launch(9, 20));
  EXPECT_THAT(log.names, ElementsAre("cudaLaunchKernel"));
}

TEST(CuptiCollector, Query_IsNoWait) {
  StartedScene scene;
  CUpti_ActivitySynchronization2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
  record.correlationId = 8;
  scene.cupti.emit(record);
  constexpr std::uint32_t kEventQuery = 138;
  const ops::OpLog log = scene.log_of(call(CUPTI_ACTIVITY_KIND_RUNTIME, kEventQuery, 8, 10));
  ASSERT_THAT(log.activities, SizeIs(2));
  EXPECT_EQ(log.names[log.activities[0].name], "Event Query");
  EXPECT_EQ(summarise_activities(log).synchronisations, 0);
}

TEST(CuptiCollector, UnreturnedBuffer_StaysAllocated) {
  std::uint8_t* kept = nullptr;
  {
    StartedScene scene;
    kept = scene.cupti.take_buffer();
    ASSERT_NE(kept, nullptr);
    scene.collector->stop();
  }
  *kept = 1;
  const std::unique_ptr<std::uint8_t[]> nobody_else_owns_it(kept);
}

TEST(CuptiCollector, UnknownKind_IsIgnored) {
  StartedScene scene;
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  EXPECT_THAT(scene.log_of(overhead, kernel(1, 2, 3)).activities, SizeIs(1));
}

TEST(CuptiCollector, LostRecords_AreCounted) {
  StartedScene scene;
  scene.cupti.emit(launch(1, 10));
  scene.cupti.emit(launch(2, 20));
  scene.cupti.emit(kernel(2, 30, 40));
  scene.cupti.emit(kernel(3, 0, 0));
  scene.cupti.emit(kernel(4, 0, 9));  // began at the clock's zero
  scene.cupti.lost = 12;
  const ops::OpLog log = scene.collect();
  EXPECT_EQ(log.dropped, 12 + 1);
  EXPECT_THAT(scene.collector->incomplete(),
              Optional(testing::StrEq("12 activity records dropped by the driver, 1 launches "
                                      "without a record of their work, 1 records without times")));
}

TEST(CuptiCollector, FullMemory_DropsAndCountsRecords) {
  StartedScene scene;
  for (std::uint32_t i = 1; i <= 1000; ++i) scene.cupti.emit(kernel(i, i, i + 1));
  const std::size_t lost = scene.cupti.lost;
  EXPECT_GT(lost, 0U);
  const ops::OpLog log = scene.log_of(kernel(1001, 1, 2));
  EXPECT_LT(log.activities.size(), 1000U);
}

TEST(CuptiCollector, Buffers_AreReused) {
  StartedScene scene;
  std::size_t records = 0;
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t i = 1; i <= 20; ++i) scene.cupti.emit(kernel(i, i, i + 1));
    records += scene.collect().activities.size();
  }
  EXPECT_EQ(records, 2000U) << "four buffers suffice for a hundred windows";
}

TEST(CuptiCollector, EarlierRecords_AreDiscarded) {
  StartedScene scene;
  scene.cupti.emit(launch(1, 10));
  scene.cupti.lost = 3;
  scene.collector->discard();
  const ops::OpLog log = scene.log_of(kernel(2, 30, 40));
  EXPECT_THAT(log.activities, SizeIs(1));
  EXPECT_EQ(log.dropped, 0);
}

TEST(CuptiCollector, Collect_SynchronizesTheDevice) {
  StartedScene scene;
  (void)scene.collect();
  EXPECT_EQ(scene.cuda.calls["synchronize"], 1);
  EXPECT_EQ(scene.cupti.log.back(), "flush");
}

TEST(CuptiCollector, Operators_AreBalancedOrCounted) {
  CollectorScene scene;
  scene.collector->push(1);
  EXPECT_THAT(scene.cupti.external, IsEmpty()) << "not collecting yet";
  ASSERT_EQ(scene.collector->start(), std::nullopt);
  scene.collector->push(4);
  scene.collector->push(5);
  EXPECT_THAT(scene.cupti.external[CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0], ElementsAre(4, 5));
  scene.collector->pop();
  scene.collector->pop();
  EXPECT_EQ(scene.collector->incomplete(), std::nullopt);
  scene.collector->pop();
  EXPECT_THAT(scene.collector->incomplete(),
              Optional(HasSubstr("1 operator marks that CUPTI refused")));
}

TEST(CuptiCollector, Times_AreOnTheHostClock) {
  StartedScene scene;
  const HostClock clock;
  const auto before = static_cast<std::uint64_t>(clock.now_ns());
  const std::uint64_t now = scene.cupti.timestamp();
  EXPECT_LE(before, now);
  EXPECT_LE(now, static_cast<std::uint64_t>(clock.now_ns()));
}

TEST(CuptiCollector, ClockAndBuffers_ComeBeforeKinds) {
  StartedScene scene;
  const std::vector<std::string>& log = scene.cupti.log;
  EXPECT_THAT(std::vector<std::string>(log.begin(), log.begin() + 5),
              ElementsAre("version", "subscribe", "thread ids", "timestamp", "callbacks"));
  EXPECT_THAT(log, Not(Contains("enable 3"))) << "that kind makes kernels wait in line";
  const auto last_enabled = std::find_if(
      log.rbegin(), log.rend(), [](const std::string& line) { return line.starts_with("enable"); });
  const auto quiet = std::find_if(
      log.begin(), log.end(), [](const std::string& line) { return line.starts_with("ignore"); });
  EXPECT_GE(quiet, last_enabled.base()) << "enabling a kind would undo it";
  EXPECT_THAT(log, Contains("ignore driver call"));
}

TEST(CuptiCollector, RefusedCall_GivesAReasonAndCleansUp) {
  struct Refusal {
    const char* call;
    int code;
    const char* reason;
  };
  for (const Refusal& each :
       {Refusal{"subscribe", kCuptiMultipleSubscribers, "another profiler is attached"},
        Refusal{"subscribe", kCuptiInsufficientPrivileges, "NVreg_RestrictProfilingToAdminUsers"},
        Refusal{"thread ids", kCuptiUnknown, "CUPTI_ERROR_999 (999)"},
        Refusal{"timestamp", kCuptiUnknown, "CUPTI_ERROR_999 (999)"},
        Refusal{"callbacks", kCuptiUnknown, "CUPTI_ERROR_999 (999)"},
        Refusal{"enable 10", kCuptiUnknown, "CUPTI_ERROR_999 (999)"},
        Refusal{"enable 1", kCuptiUnknown, "CUPTI_ERROR_999 (999)"}}) {
    CollectorScene scene;
    scene.cupti.failing[each.call] = each.code;
    EXPECT_THAT(scene.collector->start(), Optional(HasSubstr(each.reason))) << each.call;
    EXPECT_EQ(scene.cupti.log.back(),
              each.call == std::string("subscribe") ? "subscribe" : "unsubscribe");
    scene.collector->push(1);
    scene.collector->pop();
    EXPECT_THAT(scene.collect().activities, IsEmpty());
    scene.cupti.failing.clear();
    EXPECT_EQ(scene.collector->start(), std::nullopt) << "it may be tried again";
  }
  CollectorScene older;  // its records are shorter
  older.cupti.version = 18;
  EXPECT_THAT(older.collector->start(), Optional(HasSubstr("libcupti is version 18")));
}

TEST(CuptiCollector, SecondCollector_IsRefused) {
  CollectorScene first;
  CollectorScene second;
  ASSERT_EQ(first.collector->start(), std::nullopt);
  EXPECT_EQ(second.collector->start(), "this process is collecting already");
  first.collector->stop();
  EXPECT_EQ(second.collector->start(), std::nullopt);
}

TEST(CuptiCollector, Stop_DisablesAllEnabledKinds) {
  StartedScene scene;
  const auto enabled =
      std::count_if(scene.cupti.log.begin(), scene.cupti.log.end(),
                    [](const std::string& line) { return line.starts_with("enable"); });
  scene.collector->stop();
  EXPECT_EQ(std::count(scene.cupti.log.begin(), scene.cupti.log.end(), "disable"), enabled);
  const auto& log = scene.cupti.log;
  EXPECT_EQ(*(log.end() - 2), "flush") << "after the last kind, which would ask for a buffer again";
  EXPECT_EQ(scene.cupti.log.back(), "unsubscribe");
}

TEST(ActivityCollector, NoDevice_GivesAReason) {
  const auto collector = make_activity_collector(0);
  const auto reason = collector->start();
  EXPECT_NE(reason, "");
}

// NCCL's and torch's copies between cards have their own kind of record.
TEST(CuptiCollector, PeerCopies_AreCounted) {
  StartedScene scene;
  EXPECT_THAT(scene.cupti.log, Contains("enable 22"));
  CUpti_ActivityMemcpyPtoP4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  record.srcKind = record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = 4096;
  record.start = 10;
  record.end = 30;
  record.deviceId = 1;
  record.streamId = 9;
  record.correlationId = 5;
  const ops::OpLog log = scene.log_of(record);
  ASSERT_EQ(log.activities.size(), 1U);
  const ops::DeviceActivity& copy = log.activities[0];
  EXPECT_EQ(log.names[copy.name], "Memcpy PtoP (Device -> Device)");
  EXPECT_EQ(copy.kind, ops::ActivityKind::kMemcpy);
  EXPECT_EQ(copy.copy, ops::CopyKind::kPeer);
  EXPECT_EQ(copy.bytes, 4096);
  EXPECT_EQ(copy.start_ns, 10);
  EXPECT_EQ(copy.end_ns, 30);
  EXPECT_EQ(copy.stream, 9U);
  EXPECT_EQ(copy.correlation, 5U);
}

TEST(CuptiCollector, Cuda12Records_AreReadAsCuda13Ones) {
  const CUpti_ActivityKernel10 newer = kernel(3, 100, 200);
  CUpti_ActivityKernel9 older{};
  older.kind = newer.kind;
  older.name = newer.name;
  older.correlationId = newer.correlationId;
  older.start = newer.start;
  older.end = newer.end;
  older.deviceId = newer.deviceId;
  older.streamId = newer.streamId;
  older.gridX = newer.gridX;
  older.blockX = newer.blockX;
  older.registersPerThread = newer.registersPerThread;
  const auto names = [](std::uint32_t, std::uint32_t) { return std::string(); };
  ActivityRecord of_newer;
  ActivityRecord of_older;
  ASSERT_TRUE(read_activity(&newer, names, of_newer));
  ASSERT_TRUE(read_activity(&older, names, of_older));
  EXPECT_EQ(of_older.name, of_newer.name);
  EXPECT_EQ(of_older.activity.end_ns, of_newer.activity.end_ns);
  EXPECT_EQ(of_older.activity.stream, of_newer.activity.stream);
  EXPECT_EQ(of_older.activity.registers_per_thread, of_newer.activity.registers_per_thread);
}

// Waiting on the thread's default device, 0, would create a context on an unused card.
TEST(CuptiCollector, Wait_UsesTheDeviceOfTheCase) {
  CollectorScene scene;
  scene.cuda.keep_log = true;
  scene.options.device = 1;
  scene.collector = make_cupti_collector(scene.cupti.api(), scene.cuda.api(), scene.options);
  ASSERT_EQ(scene.collector->start(), std::nullopt);
  scene.collector->discard();
  EXPECT_EQ(scene.cuda.device, 1);
  EXPECT_THAT(scene.cuda.log, ElementsAre("set_device", "synchronize"));
  scene.cuda.failing["set_device"] = 101;
  (void)scene.collect();
  EXPECT_EQ(scene.cuda.calls["synchronize"], 1) << "of a device that is not there nothing is asked";
}

}  // namespace
}  // namespace stepbench::cuda
