// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include "harness/base/error.h"
#include "harness/findings/finding.h"
#include "harness/json/json_text.h"
#include "harness/record/result_file.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

Value value_of(const std::string& text) { return Value{text}; }

Catalogue small_catalogue() {
  return {.sections = {{.name = "loader",
                        .doc = {},
                        .options = {{.name = "engine",
                                     .type = OptionType::kEnum,
                                     .doc = {},
                                     .choices = {"inline", "thread"}}}}},
          .workloads = {}};
}

// A measured run in which every text field is "secret-N".
class SecretRun {
 public:
  SecretRun() {
    const fs::path root = STEPBENCH_SOURCE_DIR;
    results_ = record::read_results(root / "results/sample");
    record::RunRow& run = results_.runs.front();
    plant(run.run_id);
    plant(run.name);
    plant(run.config_path);
    plant(run.config_text);
    run.argv = {secret(), secret()};
    run.asked = {.folder = secret(), .set = {"env.API=" + secret()}};
    run.labels.insert_or_assign("unit", value_of(secret()));
    run.labels.insert_or_assign(secret(), value_of("1"));
    for (const char* name : {"host", "worker", "git.branch", "user"}) {
      run.context.insert_or_assign(name, value_of(secret()));
    }
    for (record::WorkerRow& worker : results_.workers) {
      plant(worker.path);
      for (const char* name : {"host", "env.USER", "kernel", "os", "path", "mkl"}) {
        worker.environment.insert_or_assign(name, value_of(secret()));
      }
      worker.environment.insert_or_assign("env." + secret(), value_of("auto"));
    }
    for (record::Launch& launch : results_.launches) {
      launch.row.options["name"] = value_of(secret());
      launch.row.options["data.path"] = value_of(secret());
      launch.row.options["env.API"] = value_of(secret());
      launch.row.options["env." + secret()] = value_of("thread");
      plant(launch.row.output);
      plant(launch.row.repeat_command);
      launch.row.report.notes = {secret()};
      std::vector<Finding> findings;
      for (Finding finding : launch.row.report.findings) {
        plant(finding.text);
        plant(finding.remedy);
        findings.push_back(std::move(finding));
      }
      launch.row.report.findings = std::move(findings);
    }
    record::Launch failed = results_.launches.back();
    failed.row.key.launch = 99;
    failed.row.outcome = {.kind = Outcome::Kind::kFailed, .reason = secret()};
    results_.launches.push_back(failed);
  }

  [[nodiscard]] const record::Results& results() const { return results_; }
  [[nodiscard]] int planted() const { return planted_; }

 private:
  std::string secret() { return "secret-" + std::to_string(++planted_); }
  void plant(std::string& place) { place = secret(); }

  record::Results results_;
  int planted_ = 0;
};

std::string exported(const record::Results& results) {
  return json::whole_text(
      [&](const json::TextSink& sink) { export_format("json")->of_run(results, {}, sink); });
}

TEST(WithoutText, SecretTexts_AreAllRemoved) {
  const SecretRun secret;
  const std::string whole = exported(secret.results());
  EXPECT_THAT(whole, HasSubstr("secret-")) << "or this test proves nothing";
  EXPECT_GT(secret.planted(), 20);
  const std::string shared = json_without_text(whole, small_catalogue());
  EXPECT_THAT(shared, Not(HasSubstr("secret")));
  for (const char* kept :
       {R"("case_id":"393d3a56bf8f3c96")", R"("cpu.model":"AMD EPYC")", R"("torch":"2.11.0")",
        R"("loader.engine":"thread")", R"("loader.batch_size":16)", R"("launch_estimates":[{)",
        R"("id":"loader.no_workers")"}) {
    EXPECT_THAT(shared, HasSubstr(kept));
  }
}

TEST(WithoutText, NumbersAndProgramWords_AreKept) {
  struct Row {
    const char* before;
    const char* after;
  };
  for (const Row& row : std::vector<Row>{
           {R"({"case_id":"ab12","values":[1,-2.5,9223372036854775807],"n":null,"ok":true})",
            R"({"case_id":"ab12","values":[1,-2.5,9223372036854775807],"n":null,"ok":true})"},
           {R"({"base":"/home/a","gates":[{"name":"drift","text":"of a"}],"notes":["x","y"]})",
            R"({"gates":[{"name":"drift"}],"notes":[]})"},
           {R"({"options":{"case_id":"a","loader.engine":"thread","data.path":"a"}})",
            R"({"options":{"loader.engine":"thread"}})"},
           {R"({"labels":{"unit":"a"},"series":[{"workload":"mine"}]})", R"({"series":[{}]})"},
           {R"({"fields":{"torch":"2.11.0","unit":"a"},"machine":{"cpu.model":"EPYC"}})",
            R"({"fields":{"torch":"2.11.0"},"machine":{"cpu.model":"EPYC"}})"}}) {
    EXPECT_EQ(json_without_text(row.before, small_catalogue()), std::string(row.after) + '\n');
  }
}

TEST(WithoutText, InvalidJson_IsRejected) {
  for (const std::string& json :
       {std::string(), std::string("{"), std::string(R"({"a":"\x"})"), std::string("{} {}"),
        std::string(1000, '[') + std::string(1000, ']')}) {
    EXPECT_THAT([&] { (void)json_without_text(json, small_catalogue()); },
                ThrowsMessage<ConfigError>(HasSubstr("--no-text: ")));
  }
}

}  // namespace
}  // namespace stepbench::report
