// SPDX-License-Identifier: Apache-2.0
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

const std::string kSweep =
    "workload: loader\nsweep: {matrix: {loader.num_workers: [0, 1, 2], loader.batch_size: [4, "
    "8]}}\n";

Change filters(std::vector<std::string> filter) {
  return [filter](plan::PlanRequest& request) { request.filter = filter; };
}

TEST(Filter, ShortNamesAndSeveralValues_Match) {
  EXPECT_THAT(points(plan_of(kSweep, filters({"num_workers=1,2", "loader.batch_size=8"}))),
              ElementsAre("num_workers=1", "num_workers=2"));
}

TEST(Filter, Error_NamesTheFlag) {
  EXPECT_EQ(refusal_of(kSweep, filters({"num_wrokers=1"})).where, "--filter num_wrokers");
  EXPECT_THAT(refusal_of(kSweep, filters({"num_wrokers=1"})).what, HasSubstr("did you mean"));
  EXPECT_THAT(refusal_of(kSweep, filters({"num_workers=x"})).what,
              HasSubstr("expected an integer"));
  EXPECT_THAT(refusal_of(kSweep, filters({"num_workers"})).what, HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(refusal_of(kSweep, filters({"num_workers=7"})).what,
              HasSubstr("no case is left; it takes 0, 1, 2"));
}

TEST(Shard, Shards_AreDisjointAndCoverThePlan) {
  const std::vector<std::string> whole = ids(plan_of(kSweep));
  for (std::int64_t count = 1; count <= 8; ++count) {
    std::set<std::string> seen;
    for (std::int64_t index = 0; index < count; ++index) {
      const std::vector<std::string> part = ids(plan_of(kSweep, [&](plan::PlanRequest& request) {
        request.shard = {index, count};
      }));
      std::size_t at = 0;
      for (const std::string& id : part) {
        EXPECT_TRUE(seen.insert(id).second) << "case in two shards";
        const auto found =
            std::find(whole.begin() + static_cast<std::ptrdiff_t>(at), whole.end(), id);
        ASSERT_NE(found, whole.end()) << "order changed";
        at = static_cast<std::size_t>(found - whole.begin()) + 1;
      }
    }
    EXPECT_EQ(seen.size(), whole.size());
  }
}

TEST(Shard, ImpossibleNumbers_AreRejected) {
  for (const plan::Shard shard : {plan::Shard{4, 4}, plan::Shard{-1, 2}, plan::Shard{0, 0}}) {
    EXPECT_EQ(refusal_of(kSweep, [&](plan::PlanRequest& request) { request.shard = shard; }).where,
              "--shard");
  }
}

}  // namespace
}  // namespace stepbench::testing
