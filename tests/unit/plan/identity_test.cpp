// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/internal/case_shape.h"

#include <random>

#include "harness/base/digest.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

std::string id_of(const std::string& yaml, const Change& change = {}) {
  return plan_of(yaml, change).cases.at(0).resolved.case_id;
}

TEST(CaseId, Options_AreDigestedAsDocumented) {
  EXPECT_EQ(id_of("workload: loader\nloader: {num_workers: 4}\n"),
            digest("data.kind=synthetic\ndevice=cpu\nloader.num_workers=4\nworkload=loader\n"));
}

TEST(CaseId, ReorderedKeys_GiveTheSameId) {
  std::vector<std::string> lines = {"workload: train",
                                    "data: {samples: 7, cost: spin}",
                                    "loader: {batch_size: 4, num_workers: 2}",
                                    "model: {width: 3, rate: 0.5}",
                                    "threads: {intra_op: 2}",
                                    "env: {B: x, A: y}"};
  std::mt19937 random(7);
  std::string first;
  for (int i = 0; i < 20; ++i) {
    std::shuffle(lines.begin(), lines.end(), random);
    std::string yaml;
    for (const std::string& line : lines) yaml += line + "\n";
    const std::string id = id_of(yaml);
    if (first.empty()) first = id;
    EXPECT_EQ(id, first) << yaml;
  }
}

TEST(CaseId, ContextAndDefaults_DoNotCount) {
  const std::string plain = id_of("workload: loader\n");
  for (const char* same : {"name: other\nseed: 4\nlaunches: 2\nlimits: {wall_s: 5}\n"
                           "schedule: {warmup: 3, active: 9, repeat: 2}\n",
                           "loader: {num_workers: 0, batch_size: 1, pin_memory: false}\n"}) {
    EXPECT_EQ(id_of(std::string("workload: loader\n") + same), plain) << same;
  }
  for (const char* other : {"schedule: {sync: step}\n", "threads: {intra_op: 1}\n", "env: {A: x}\n",
                            "data: {id: mine}\n"}) {
    EXPECT_NE(id_of(std::string("workload: loader\n") + other), plain) << other;
  }
  EXPECT_EQ(id_of("workload: loader\ndata: {kind: files, path: /tmp}\n"),
            id_of("workload: loader\ndata: {kind: files, path: /}\n"));
  EXPECT_NE(id_of("workload: train\nmodel: {width: 1}\n"), plain);
  EXPECT_EQ(id_of("workload: train\nmodel: {width: 1, rate: 1}\n"),
            id_of("workload: train\nmodel: {width: 1, rate: 1.0}\n"));
}

TEST(CaseId, Device_CountsByItsClass) {
  const auto with_cuda = [](plan::PlanRequest& request) { request.cuda_available = true; };
  EXPECT_EQ(id_of("workload: loader\ndevice: cuda:3\n", with_cuda),
            id_of("workload: loader\n", with_cuda));
  EXPECT_NE(id_of("workload: loader\ndevice: cpu\n", with_cuda),
            id_of("workload: loader\n", with_cuda));
  EXPECT_EQ(id_of("workload: loader\ndevice: cpu\n", with_cuda), id_of("workload: loader\n"));
}

TEST(CaseId, Sweep_GivesTheIdsOfSingleFiles) {
  const auto sweep = [](const std::string& values) {
    return ids(
        plan_of("workload: loader\nsweep: {matrix: {loader.num_workers: [" + values + "]}}\n"));
  };
  const std::vector<std::string> large = sweep("0, 2, 3");
  EXPECT_EQ(sweep("0, 3"), (std::vector<std::string>{large[0], large[2]}));
  EXPECT_EQ(large[0], id_of("workload: loader\n"));
  EXPECT_EQ(large[2], id_of("workload: loader\nloader: {num_workers: 3}\n"));
}

TEST(CaseId, OptionAtItsIdentityDefault_KeepsIt) {
  const OptionValues before = {{"device", std::string("cpu")},
                               {"loader.num_workers", std::int64_t{2}}};
  const plan::IdentityKeys keys = {{"device", {}}, {"loader.num_workers", std::int64_t{0}}};
  OptionValues after = before;
  after["loader.added"] = std::int64_t{5};
  const plan::IdentityKeys more = {
      {"device", {}}, {"loader.added", std::int64_t{5}}, {"loader.num_workers", std::int64_t{0}}};
  EXPECT_EQ(plan::case_id(before, keys), plan::case_id(after, more));
  after["loader.added"] = std::int64_t{6};
  EXPECT_NE(plan::case_id(before, keys), plan::case_id(after, more));
  after["loader.added"] = {};
  EXPECT_EQ(plan::case_id(before, keys), plan::case_id(after, more));
}

TEST(CaseId, Texts_CannotForgeOptions) {
  const plan::IdentityKeys keys = {{"env.A", {}}, {"env.B", {}}};
  const OptionValues forged = {{"env.A", std::string("x\nenv.B=y")}};
  const OptionValues honest = {{"env.A", std::string("x")}, {"env.B", std::string("y")}};
  EXPECT_NE(plan::case_id(forged, keys), plan::case_id(honest, keys));
}

TEST(PlanDigest, CasesAndLaunches_ChangeIt) {
  const std::string yaml =
      "workload: loader\nsweep: {matrix: {loader.num_workers: [1, 2, 3, 4]}}\n";
  const std::string whole = plan_of(yaml).digest;
  EXPECT_EQ(plan_of(yaml, [](plan::PlanRequest& r) { r.shard = {1, 2}; }).digest, whole);
  EXPECT_EQ(plan_of(yaml, [](plan::PlanRequest& r) { r.filter = {"num_workers=2"}; }).digest,
            whole);
  EXPECT_EQ(plan_of("name: x\n" + yaml).digest, whole);
  EXPECT_NE(plan_of("launches: 7\n" + yaml).digest, whole);
  EXPECT_NE(plan_of(yaml, [](plan::PlanRequest& r) { r.set = {"loader.batch_size=2"}; }).digest,
            whole);
}

}  // namespace
}  // namespace stepbench::testing
