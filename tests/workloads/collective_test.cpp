// SPDX-License-Identifier: Apache-2.0
// Ranks of a group as threads of one process: each has its own group, which meets the others over
// loopback.
#include "workloads/distributed/group_steps.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <cstdlib>
#include <future>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "tests/kept_port.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/distributed/distributed_sections.h"
#include "workloads/distributed/internal/collective_data.h"
#include "workloads/distributed/internal/process_group.h"

namespace stepbench {
namespace {

using distributed::CollectiveOp;
using distributed::CollectiveShape;

constexpr int kSteps = 3;

// torch's flight recorder keeps the groups of a process in a map without a lock: with a group in
// each of several threads it crashes. In a worker, where a rank has its own process, it is on.
[[maybe_unused]] const int kFlightRecorderIsOff = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);

struct Exchanged {
  test::Told reported;
  std::vector<std::int64_t> bytes;  // per step
};

// Drives it like a worker; the workload checks the exchanged data.
Exchanged exchange(const test::Options& options, int rank, int world, std::uint16_t port) {
  const TickClock clock;
  WorkerContext context{clock, {}, {}, rank, world};
  const std::vector<std::pair<std::string, std::string>> variables = {
      {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port)}};
  context.variables = &variables;
  test::Options all = options;
  all["workload"] = std::string("collective");
  const auto workload = distributed::make_collective(test::train_case(all), context);
  EXPECT_EQ(workload->set_up(), std::nullopt);
  StepRecorder step(clock);
  Exchanged out;
  workload->window(Edge::kBegin);
  for (const StepRecorder::Step& each : test::take_steps(*workload, step, kSteps)) {
    out.bytes.push_back(test::count_of(each, Count::kBytes));
  }
  workload->window(Edge::kEnd);
  static_cast<void>(workload->fingerprint());
  out.reported = test::told_by(*workload);
  workload->tear_down();
  return out;
}

std::vector<Exchanged> exchange_in_threads(const test::Options& options, int world) {
  const test::KeptPort kept;
  std::vector<std::future<Exchanged>> ranks;
  for (int rank = 0; rank < world; ++rank) {
    ranks.push_back(std::async(std::launch::async, [=, port = kept.number()] {
      return exchange(options, rank, world, port);
    }));
  }
  std::vector<Exchanged> out;
  for (auto& rank : ranks) out.push_back(rank.get());
  return out;
}

class EachCollective : public testing::TestWithParam<std::string> {};

TEST_P(EachCollective, EachTypeAndWorld_IsRight) {
  for (const std::string dtype :
       {"float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "uint8"}) {
    for (const int world : {1, 2, 3}) {
      SCOPED_TRACE(dtype + " on " + std::to_string(world));
      const auto ranks = exchange_in_threads({{"collective.op", GetParam()},
                                              {"collective.dtype", dtype},
                                              {"collective.bytes", std::int64_t{24 * 8}}},
                                             world);
      for (const Exchanged& rank : ranks) {
        EXPECT_EQ(rank.bytes, std::vector<std::int64_t>(kSteps, 192));
        EXPECT_EQ(rank.reported.effects.at("collective.backend"), Value("gloo"));
        // That of the slowest rank, which all report.
        EXPECT_EQ(rank.reported.metrics.at("bus_bytes_per_s"),
                  ranks.front().reported.metrics.at("bus_bytes_per_s"));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collective, EachCollective,
                         testing::Values("all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                         "all_to_all"),
                         [](const auto& each) { return each.param; });

// More than one block of the indices that fill and check a buffer.
TEST(Collective, LargeBuffers_AreCheckedToTheEnd) {
  EXPECT_EQ(exchange_in_threads({{"collective.op", std::string("all_to_all")},
                                 {"collective.dtype", std::string("int8")},
                                 {"collective.bytes", std::int64_t{(2 << 20) + 6}}},
                                2)
                .size(),
            2U);
}

TEST(RankDevice, LocalRank_SelectsIt) {
  EXPECT_EQ(distributed::device_of_rank(0, 2), 0);
  EXPECT_EQ(distributed::device_of_rank(1, 2), 1);
  EXPECT_EQ(distributed::device_of_rank(3, 1), 0);
  EXPECT_THROW((void)distributed::device_of_rank(2, 2), Error);
}

TEST(RankDevice, PlainCuda_IsPlaced) {
  const HostClock clock;
  const WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  ResolvedCase resolved;
  for (const std::string device : {"cpu", "cuda:1"}) {
    resolved.options["device"] = device;
    distributed::place_rank(resolved, context);
    EXPECT_EQ(resolved.text("device"), device);
  }
  resolved.options["device"] = std::string("cuda");
  distributed::place_rank(resolved, context);
  EXPECT_EQ(resolved.text("device"), "cuda:0");
}

TEST(MeetingPlace, LauncherVariables_SetIt) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const Variables said = {{"MASTER_ADDR", "node1"},
                          {"MASTER_PORT", "29500"},
                          {"LOCAL_RANK", "3"},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  const distributed::MeetingPlace place = distributed::meeting_place(&said);
  EXPECT_EQ(place.address, "node1");
  EXPECT_EQ(place.port, 29500);
  EXPECT_EQ(place.local_rank, 3);
  EXPECT_TRUE(place.agent_hosts_store);
  const Variables wrong = {{"MASTER_PORT", "65536"}, {"LOCAL_RANK", "-1"}};
  for (const Variables* variables : {&wrong, static_cast<const Variables*>(nullptr)}) {
    const distributed::MeetingPlace none = distributed::meeting_place(variables);
    EXPECT_EQ(none.address, "");
    EXPECT_EQ(none.port, 0);
    EXPECT_EQ(none.local_rank, 0);
    EXPECT_FALSE(none.agent_hosts_store);
  }
}

TEST(Collective, NoMeetingPlace_NamesTheMissingOption) {
  try {
    exchange({}, 1, 2, 0);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MASTER_ADDR and MASTER_PORT do not say where"));
  }
}

TEST(CollectiveData, LostOrDoubledPart_IsFound) {
  const CollectiveShape shape{.op = CollectiveOp::kAllReduce, .rank = 0, .world = 3, .elements = 9};
  at::Tensor sum = at::zeros({9});
  at::Tensor last;
  for (int rank = 0; rank < 3; ++rank) {
    at::Tensor sent = at::zeros({9});
    distributed::fill_sent(sent, {.op = shape.op, .rank = rank, .world = 3, .elements = 9});
    sum += sent;
    last = sent;
  }
  EXPECT_EQ(wrong_element(sum, shape), std::nullopt);
  EXPECT_NE(wrong_element(sum - last, shape), std::nullopt);
  EXPECT_NE(wrong_element(sum + last, shape), std::nullopt);
  EXPECT_NE(wrong_element(sum.flip(0), shape), std::nullopt);
  sum[4] += 1;
  EXPECT_EQ(wrong_element(sum, shape), "element 4 is 3 and must be 2");
}

TEST(BusBandwidth, Factors_AreNcclTests) {
  const auto factor = [](const char* op, int ranks) {
    return distributed::bus_factor(distributed::collective_kind(op), ranks);
  };
  EXPECT_DOUBLE_EQ(factor("all_reduce", 2), 1);
  EXPECT_DOUBLE_EQ(factor("all_reduce", 8), 2 * 7 / 8.);
  for (const char* op : {"all_gather", "reduce_scatter", "all_to_all"}) {
    EXPECT_DOUBLE_EQ(factor(op, 8), 7 / 8.) << op;
    EXPECT_DOUBLE_EQ(factor(op, 1), 0) << op;
  }
  EXPECT_DOUBLE_EQ(factor("broadcast", 8), 1);
}

// A tick of the clock is a nanosecond, so all numbers of the report are known.
TEST(BusBandwidth, KnownClock_GivesBytesOverTime) {
  const auto ranks = exchange_in_threads({{"collective.bytes", std::int64_t{1200}}}, 3);
  const double per_step_ns =
      1200 * 4 / 3. * 1e9 / ranks.front().reported.metrics.at("bus_bytes_per_s");
  EXPECT_NEAR(per_step_ns * kSteps, std::round(per_step_ns * kSteps), 1e-6);
  EXPECT_GT(per_step_ns, 1);
}

}  // namespace
}  // namespace stepbench
