// SPDX-License-Identifier: Apache-2.0
// The key that joins the cases of two results must follow the rule of a case's identity.
#include "harness/campaign/run_ab.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::campaign {
namespace {

constexpr const char* kBase = "name: n\nworkload: loader\n";

record::LaunchRow row_of(const plan::PlannedCase& planned) {
  record::LaunchRow row;
  row.key.case_id = planned.resolved.case_id;
  row.options = planned.resolved.options;
  return row;
}

std::vector<record::LaunchRow> rows_of(const std::string& yaml) {
  std::vector<record::LaunchRow> rows;
  for (const plan::PlannedCase& planned : testing::plan_of(yaml).cases)
    rows.push_back(row_of(planned));
  return rows;
}

record::Results results_of(const std::string& yaml) {
  record::Results results;
  for (record::LaunchRow& row : rows_of(yaml)) results.launches.emplace_back().row = std::move(row);
  return results;
}

std::string key(const record::LaunchRow& row, const std::vector<std::string>& ignored = {}) {
  return key_without(ignored, testing::sample_catalogue())(row);
}

TEST(CompareKey, SameKey_HasSameCaseId) {
  std::vector<record::LaunchRow> rows;
  for (const std::string more :
       {"", "launches: 3\n", "limits: {wall_s: 5}\n", "schedule: {active: 7}\n",
        "loader: {num_workers: 0}\n", "loader: {num_workers: 2}\n",
        "loader: {num_workers: 2, prefetch: 2}\n", "loader: {num_workers: 2, prefetch: 3}\n",
        "loader: {batch_size: 8}\n", "loader: {pin_memory: true}\n", "data: {samples: 100}\n",
        "data: {samples: 50}\n", "data: {id: x}\n", "device: cpu\n"}) {
    const std::vector<record::LaunchRow> some = rows_of(kBase + more);
    rows.insert(rows.end(), some.begin(), some.end());
  }
  for (const record::LaunchRow& a : rows) {
    for (const record::LaunchRow& b : rows) {
      EXPECT_EQ(key(a) == key(b), a.key.case_id == b.key.case_id) << key(a) << "against\n"
                                                                  << key(b);
    }
  }
}

TEST(CompareKey, Device_CountsByClass) {
  record::LaunchRow a = rows_of(kBase).front();
  record::LaunchRow b = a;
  a.options.insert_or_assign("device", Value{std::string("cuda:0")});
  b.options.insert_or_assign("device", Value{std::string("cuda:1")});
  EXPECT_EQ(key(a), key(b));
  b.options.insert_or_assign("device", Value{std::string("cpu")});
  EXPECT_NE(key(a), key(b));
  b = a;
  b.options.emplace("mine.depth", Value{std::int64_t{2}});
  EXPECT_NE(key(a), key(b));
  EXPECT_EQ(key(a), key(b, {"mine.depth"}));
  const std::vector<record::LaunchRow> rows =
      rows_of(std::string(kBase) + "sweep: {matrix: {loader.batch_size: [8, 16]}}\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NE(key(rows[0]), key(rows[1]));
  EXPECT_EQ(key(rows[0], {"loader.batch_size"}), key(rows[1], {"loader.batch_size"}));
}

TEST(CompareKey, UnambiguousShortName_IsEnough) {
  record::Results results = results_of(kBase);
  const record::Results* const all[] = {&results, &results};
  EXPECT_THAT(full_names({"batch_size", "loader.num_workers"}, all),
              ElementsAre("loader.batch_size", "loader.num_workers"));
  results.launches.front().row.options.emplace("mine.batch_size", Value{std::int64_t{1}});
  EXPECT_THAT([&] { (void)full_names({"batch_size"}, all); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("'batch_size' may be loader.batch_size or mine.batch_size")));
  EXPECT_THAT(
      [&] { (void)full_names({"loader.batch_szie"}, all); },
      ThrowsMessage<ConfigError>(HasSubstr("no case has an option 'loader.batch_szie' (did you "
                                           "mean 'loader.batch_size'?)")));
}

TEST(CompareKey, NoJoin_NamesTheDifferingOptions) {
  const record::Results base = results_of(std::string(kBase) + "loader: {batch_size: 8}\n");
  const record::Results other = results_of(std::string(kBase) + "loader: {batch_size: 16}\n");
  EXPECT_THAT(
      no_common_case_reason(base, other, testing::sample_catalogue()),
      AllOf(HasSubstr("loader.batch_size (8 -> 16)"), HasSubstr("--ignore loader.batch_size")));
  EXPECT_THAT(no_common_case_reason({}, other, testing::sample_catalogue()), IsEmpty());
}

TEST(CompareKey, UnpairedCase_NamesTheNearest) {
  const record::Results base =
      results_of(std::string(kBase) + "sweep: {matrix: {loader.batch_size: [8, 16]}}\n");
  const record::LaunchRow fresh =
      rows_of(std::string(kBase) + "loader: {batch_size: 8, num_workers: 3}\n").front();
  std::vector<verdict::MissingCase> missing = {
      {.case_id = fresh.key.case_id, .workload = fresh.workload, .options = fresh.options},
      {.case_id = "x", .workload = "other", .options = {{"a.b", true}, {"a.c", true}}}};
  find_nearest(missing, base, testing::sample_catalogue());
  EXPECT_EQ(missing[0].nearest, "loader.num_workers (0 -> 3)");
  EXPECT_THAT(missing[1].nearest, IsEmpty());
  find_nearest(missing, {}, testing::sample_catalogue());
}

}  // namespace
}  // namespace stepbench::campaign
