// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night.h"

#include <nlohmann/json.hpp>

#include "tests/testing.h"

namespace stepbench::report {
namespace {

nights::TrackedSeries made_series(const std::string& id, const std::string& kind) {
  return {.id = id,
          .experiment = "nightly",
          .workload = "train_step",
          .case_id = "0011223344556677",
          .metric = "step_ns",
          .unit = "ns",
          .direction = Direction::kLowerIsBetter,
          .options = {{"model.kind", kind}}};
}

nights::History made_history() {
  nights::History history;
  history.runs = {{.run_id = "20260202-030000-nightly",
                   .started_utc = "2026-02-02T03:00:00Z",
                   .build_id = "77ab00112233445566",
                   .labels = {{"branch", std::string("main")}}},
                  {.run_id = "20260203-030000-nightly",
                   .started_utc = "2026-02-03T03:00:00Z",
                   .git_sha = "9f3c5d7e9f3c5d7e9f3c5d7e",
                   .git_dirty = true}};
  history.series = {{.series = made_series("s1", "resnet18")},
                    {.series = made_series("s2", "mlp")}};
  return history;
}

nights::Alert made_alert() {
  nights::Alert alert{.id = "A17",
                      .host = "bench1",
                      .experiment = "nightly",
                      .opened_run = "20260203-030000-nightly",
                      .first_bad = "20260203-030000-nightly",
                      .last_good = "20260202-030000-nightly"};
  alert.series = {{.id = "s1",
                   .experiment = "nightly",
                   .change = {.size = std::log(1.032),
                              .low = std::log(1.026),
                              .high = std::log(1.039),
                              .good = "20260202-030000-nightly",
                              .bad = "20260203-030000-nightly"},
                   .usual = 76.0e6,
                   .value = 78.6e6,
                   .cause = "data_wait +2.1 ms"},
                  {.id = "s2", .experiment = "nightly", .change = {.size = 0.02}}};
  return alert;
}

TEST(AlertJson, Sentence_HasSizeAndPrograms) {
  EXPECT_EQ(alert_sentence(made_alert(), made_history()),
            "A17 on bench1: regression: nightly kind=resnet18, step: 76.0 ms -> 78.6 ms, "
            "+3.20 % [+2.60, +3.90] (data_wait +2.1 ms) and 1 more series; "
            "between build 77ab00112233 and 9f3c5d7e9f3c (dirty)");
}

TEST(AlertJson, OnlyBenchmark_IsNamed) {
  nights::History history = made_history();
  history.series.resize(1);
  history.series.front().series.options = {{"benchmark", std::string("BM_Load")}};
  EXPECT_THAT(alert_sentence(made_alert(), history), HasSubstr(": nightly BM_Load, step: "));
  const auto json = nlohmann::json::parse(alert_json(made_alert(), history, ""));
  EXPECT_EQ(json["series"][0]["case"], "BM_Load");
}

TEST(AlertJson, OtherVersions_AreInTheRange) {
  nights::History history = made_history();
  for (nights::TrackedRun& run : history.runs) run.git_sha = "9f3c5d7e9f3c5d7e9f3c5d7e";
  history.runs[0].environment = {{"torch", std::string("2.11.0")}, {"python", std::string("3.11")}};
  history.runs[1].environment = {{"torch", std::string("2.12.0")}, {"python", std::string("3.11")}};
  EXPECT_THAT(
      alert_sentence(made_alert(), history),
      HasSubstr("between 9f3c5d7e9f3c, torch 2.11.0 and 9f3c5d7e9f3c (dirty), torch 2.12.0"));
}

TEST(AlertJson, FallenRate_HasItsOwnChange) {
  nights::Alert alert = made_alert();
  alert.series.pop_back();
  nights::History history = made_history();
  history.series.front().series.direction = Direction::kHigherIsBetter;
  EXPECT_THAT(alert_sentence(alert, history), HasSubstr("-3.10 % [-3.75, -2.53]"));
  const auto json = nlohmann::json::parse(alert_json(alert, history, ""));
  EXPECT_LT(json["series"][0]["change_low"], json["series"][0]["change_high"]);
  EXPECT_GT(json["series"][0]["told"]["size"], 0) << "larger is worse";
}

TEST(AlertJson, KnownFields_AreThere) {
  const auto json = nlohmann::json::parse(alert_json(made_alert(), made_history(), " --last 9"));
  EXPECT_EQ(json["schema"], "stepbench.alert");
  EXPECT_EQ(json["version"], kAlertVersion);
  EXPECT_EQ(json["show"], "stepbench track show A17 --last 9");
  EXPECT_EQ(json["first_bad"]["git_sha"], "9f3c5d7e9f3c5d7e9f3c5d7e");
  EXPECT_EQ(json["last_good"]["labels"]["branch"], "main");
  ASSERT_EQ(json["series"].size(), 2U);
  EXPECT_EQ(json["series"][0]["case"], "kind=resnet18");
  EXPECT_EQ(json["series"][0]["usual"], 76.0e6);
  EXPECT_NEAR(json["series"][0]["change"], 0.032, 1e-9);
  EXPECT_EQ(json["series"][0]["cause"], "data_wait +2.1 ms");
  const nights::History nothing;
  EXPECT_THAT(alert_sentence(made_alert(), nothing), HasSubstr("between 20260202-030000-nightly "));
  const auto ids = nlohmann::json::parse(alert_json(made_alert(), nothing, ""));
  EXPECT_EQ(ids["series"][0]["id"], "s1");
  EXPECT_EQ(ids["first_bad"]["run_id"], "20260203-030000-nightly");
}

TEST(AlertJson, ForeignNames_AreEscaped) {
  nights::Alert alert = made_alert();
  alert.host = "a\"\x1b[31m\n{}";
  const std::string text = alert_json(alert, made_history(), "");
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(nlohmann::json::parse(text)["host"], alert.host);
}

}  // namespace
}  // namespace stepbench::report
