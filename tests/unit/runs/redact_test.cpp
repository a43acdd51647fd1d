// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "harness/base/error.h"
#include "harness/record/input.h"
#include "harness/record/pack.h"
#include "harness/record/writer.h"
#include "harness/runs/bundle.h"
#include "harness/runs/redact_json.h"
#include "harness/runs/redact_run.h"
#include "tests/unit/compare/result_maker.h"
#include "tests/unit/runs/made_runs.h"
#include "tests/unit/shell/program.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::stepbench;
using ::testing::ThrowsMessage;
using testing_compare::around_10_ms;

// What no copy may hold, in any spelling.
const std::vector<std::string> kSecrets = {"gpu7",
                                           "annika",
                                           "acme",
                                           "hunter2-token",
                                           "10.20.30.40",
                                           "My Photos",
                                           "\xC3\xA9"
                                           "clair"};

Value text(const std::string& value) { return Value{value}; }

// A run in which the secrets stand wherever a run can hold them.
fs::path secret_run(const test::TemporaryFolder& folder, const std::string& id, double factor,
                    int seed) {
  record::Results results = testing_compare::make(
      {.cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = around_10_ms(factor, seed)}}});
  record::RunRow& run = results.runs.front();
  run.run_id = id;
  run.name = "night of annika";
  run.argv = {"/home/annika/bin/stepbench", "run", "--worker=/home/annika/My Photos/worker",
              "--set", "env.API=hunter2-token"};
  run.config_path = "/home/annika/acme/x.yaml";
  run.config_text =
      "# ask annika@acme.example or https://git.acme.example/x\n"
      "data: {path: \"/home/annika/My Photos\"}\nenv: {API: hunter2-token}\n"
      "rendezvous: 10.20.30.40:29500\n";
  run.asked = {.folder = "/home/annika/acme", .set = {"env.API=hunter2-token"}};
  run.context["host"] = text("gpu7.acme.example");
  run.context["worker"] = text(
      "/home/annika/\xC3\xA9"
      "clair/worker");
  results.workers.front().path =
      "/home/annika/\xC3\xA9"
      "clair/worker";
  Fields& machine = results.workers.front().environment;
  machine["host"] = text("gpu7.acme.example");
  machine["env.USER"] = text("annika");
  machine["env.API"] = text("hunter2-token");
  machine["env.OMP_NUM_THREADS"] = text("4");
  for (record::Launch& launch : results.launches) {
    launch.row.options["data.path"] = text("/home/annika/My Photos");
    launch.row.options["env.API"] = text("hunter2-token");
    launch.row.output =
        "\x1b[31mgpu7: cannot open \"/home/annika/acme/\xC3\xA9"
        "clair\"\n";
    launch.row.repeat_command = "/home/annika/bin/stepbench run '/home/annika/My Photos/x.yaml'";
  }
  const fs::path run_folder = folder / id;
  fs::create_directories(run_folder / "traces");
  testing_compare::write(results, run_folder / "gpu7.acme.example-1of1-17.jsonl");
  folder.write(
      id + "/traces/gpu7_17.1700.pt.trace.json.gz",
      record::gzip_text(R"({"traceName":"gpu7_17.json","traceEvents":[{"ph":"X","name":"mm",)"
                        R"("ts":1.50,"args":{"file":"\/home\/annika\/m.py","who":"\u0061nnika",)"
                        R"("dir":"/mnt/acme/\u00e9clair"}}]})"));
  folder.write(id + "/verdict.json", R"({"exit_code":0,"base":"/home/annika/acme/old","p":1e-9})");
  folder.write(id + "/experiment.yaml", "path: /home/annika/My\\ Photos\n# annika\n");
  folder.write(id + "/notes.txt", "call annika");
  return run_folder;
}

// Names and contents, unpacked; JSON also with its escapes undone.
std::string everything_in(const fs::path& folder) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    all += entry.path().lexically_relative(folder).string() + '\n';
    if (!entry.is_regular_file()) continue;
    const std::string content{record::Input::read(entry.path()).text()};
    all += content + '\n';
    std::istringstream lines(content);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_discarded()) all += json.flatten().dump(0) + '\n';
    }
  }
  return all;
}

// Some characters on both sides of the first place; empty where it does not occur.
std::string context_of(const std::string& all, const std::string& secret) {
  const std::size_t at = all.find(secret);
  return at == std::string::npos ? "" : all.substr(at < 60 ? 0 : at - 60, 120 + secret.size());
}

class Redact : public ::testing::Test {
 protected:
  void SetUp() override { run_ = secret_run(folder_, "20260131-120000-night", 1, 0); }

  test::TemporaryFolder folder_;
  fs::path run_;
};

TEST_F(Redact, NoSecretIsInTheCopyInAnySpelling) {
  ASSERT_NE(context_of(everything_in(run_), "hunter2-token"), "");
  const RedactedRuns done = redact_runs({{run_}}, folder_ / "copy", {});
  const std::string all = everything_in(folder_ / "copy");
  for (const std::string& secret : kSecrets) EXPECT_EQ(context_of(all, secret), "");
  for (const char* spelling : {"\\u0061nnika", "\\/home", "/home", "\\u00e9clair"}) {
    EXPECT_EQ(context_of(all, spelling), "");
  }
  EXPECT_NE(context_of(all, "<text1>"), "");
  EXPECT_NE(context_of(all, "\"env.OMP_NUM_THREADS\":\"4\""), "") << "a number tells of nobody";
  ASSERT_EQ(done.runs.size(), 1U);
  EXPECT_THAT(
      done.runs[0].left_out,
      ::testing::ElementsAre("experiment.yaml: is text",
                             "gpu7_17.1700.pt.trace.json.gz: is a trace, which names your code",
                             "notes.txt: is not of a run"));
}

TEST_F(Redact, ShowAndCompareSayTheSameOfTheCopy) {
  const fs::path slow = secret_run(folder_, "20260201-120000-night", 1.05, 1);
  (void)redact_runs({{run_, slow}}, folder_ / "copies", {});
  std::vector<fs::path> copies;
  for (const auto& entry : fs::directory_iterator(folder_ / "copies")) {
    copies.push_back(entry.path());
  }
  std::sort(copies.begin(), copies.end());
  ASSERT_EQ(copies.size(), 2U);
  const auto csv = [](const fs::path& run) {
    return stepbench({"show", run.string(), "--samples", "--format", "csv"}).out;
  };
  EXPECT_EQ(csv(run_), csv(copies[0]));
  EXPECT_GT(csv(run_).size(), 1000U);
  const auto compared = [](const fs::path& base, const fs::path& candidate) {
    const os::CommandResult result =
        stepbench({"compare", base.string(), candidate.string(), "--format", "json"});
    auto json = nlohmann::json::parse(result.out);
    for (auto& one : json.at("cases")) one.erase("options");
    return json.at("cases").dump() + json.at("verdict").dump() + std::to_string(result.exit_status);
  };
  EXPECT_EQ(compared(run_, slow), compared(copies[0], copies[1]));
}

TEST_F(Redact, RefusesAnOutputThatIsThereAndRunsThatCannotBeCopied) {
  const auto refuses = [&](const fs::path& run, const fs::path& copy, const std::string& why) {
    EXPECT_THAT([&] { (void)redact_runs({{run}}, copy, {}); },
                ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  folder_.write("full/x", "");
  refuses(run_, folder_ / "full", "is there already");
  refuses(run_, run_ / "copy", "lies in the run itself");
  refuses(folder_ / "absent", folder_ / "copy", "is no folder of a run");
  refuses(folder_ / "full", folder_ / "copy", "holds no result file");
  record::ResultWriter writer(run_ / "live.jsonl");
  refuses(run_, folder_ / "copy", "is running");
  EXPECT_FALSE(fs::exists(folder_ / "copy"));
}

TEST_F(Redact, ADamagedLastLineIsLeftOut) {
  const fs::path file = run_ / "gpu7.acme.example-1of1-17.jsonl";
  const std::string whole{record::Input::read(file).text()};
  folder_.write("20260131-120000-night/gpu7.acme.example-1of1-17.jsonl",
                whole.substr(0, whole.size() - 50));
  const RedactedRuns done = redact_runs({{run_}}, folder_ / "copy", {});
  EXPECT_THAT(done.runs[0].left_out, ::testing::Contains(HasSubstr("1 damaged line")));
}

std::string redacted(const std::string& json, const KnownWords& known = {}) {
  Tokens tokens;
  return redact_json(json, known, tokens).value_or("no JSON");
}

TEST(RedactJson, LeavesWhatTellsOfNobody) {
  struct Row {
    const char* before;
    const char* after;  // empty: as it was
  };
  for (
      const Row& row : std::vector<Row>{
          {R"({"kind":"samples","values":[[1,-2,9223372036854775807],[]],"case_id":"/x/y","n":null,"ok":true})",
           ""},
          {R"({"environment":{"numpy":"2.4.6","torchvision":"0.26.0"}})", ""},
          {R"({"a":{"b":["/x/y",1.5,"/x/y","/z"]}})",
           R"({"a":{"b":["<text1>",1.5,"<text1>","<text2>"]}})"},
          {R"({"options":{"loader.engine":"thread","data.path":"thread_of_annika","name":"x"}})",
           R"({"options":{"loader.engine":"thread","data.path":"<text1>","name":"<text2>"}})"},
          // A name that stands elsewhere means nothing there.
          {R"({"options":{"case_id":"annika"},"labels":{"unit":"annika"}})",
           R"({"options":{"case_id":"<text1>"},"labels":{"unit":"<text1>"}})"},
          {R"({"environment":{"cpu.model":"EPYC","gpu.0":"H200","host":"gpu7","env.A":"1"}})",
           R"({"environment":{"cpu.model":"EPYC","gpu.0":"H200","host":"<text1>","env.A":"1"}})"},
          // Operations of torch, but no names of modules.
          {R"({"kind":"ops","strings":["op","aten::mm","[[8, 32]]","forward","acme_fc"]})",
           R"({"kind":"ops","strings":["op","aten::mm","[[8, 32]]","forward","<text1>"]})"}}) {
    const std::string after = row.after;
    EXPECT_EQ(redacted(row.before, {"thread", "forward"}), after.empty() ? row.before : after);
  }
}

TEST(RedactCommand, LeavesOptionsNumbersAndWordsOfTheProgram) {
  using Value = runs::GivenOption::Value;
  const std::vector<runs::GivenOption> given = {
      {.values = {"acme.yaml"}},
      {.name = "--b-set", .value = Value::kPair, .values = {"data.path=/home/annika", "x.y=fused"}},
      {.name = "--pairs", .values = {"20"}},
      {.name = "--no-lock"},
      {.name = "--metric", .value = Value::kWord, .values = {"step_p99"}},
      {.name = "--"},
      {.values = {"acme.yaml", "--lr"}}};
  runs::Tokens tokens;
  EXPECT_EQ(runs::redacted_command(given, {"fused"}, tokens),
            "stepbench ab <text1> --b-set data.path=<text2> --b-set x.y=fused --pairs 20 --no-lock "
            "--metric step_p99 -- <text1> <text3>\n");
}

// The same keys, numbers and lists; only texts may differ.
bool same_but_for_texts(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_string() && b.is_string()) return true;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (!a.is_structured()) return a == b;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), same_but_for_texts);
  const auto& items = a.items();
  return std::all_of(items.begin(), items.end(), [&](const auto& item) {
    return b.contains(item.key()) && same_but_for_texts(item.value(), b.at(item.key()));
  });
}

TEST(RedactJson, OfDamagedLinesKeepsNumbersOrGivesNothing) {
  const test::TemporaryFolder folder;
  const fs::path run = secret_run(folder, "20260131-120000-night", 1, 0);
  const std::string whole{record::Input::read(run / "gpu7.acme.example-1of1-17.jsonl").text()};
  std::istringstream stream(whole);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line) && lines.size() < 6;) lines.push_back(line);
  std::mt19937 random(7);
  int valid = 0;
  for (int round = 0; round < 300; ++round) {
    std::string line = lines[random() % lines.size()];
    for (std::size_t i = random() % 3; i > 0; --i) {
      line[random() % line.size()] = "\"\\{}[],:/0a\x80 "[random() % 13];
    }
    const auto before = nlohmann::json::parse(line, nullptr, false);
    if (before.is_discarded()) continue;
    const auto after = nlohmann::json::parse(redacted(line), nullptr, false);
    ASSERT_TRUE(same_but_for_texts(before, after)) << line;
    ++valid;
  }
  EXPECT_GT(valid, 30);
}

TEST(RedactJson, RefusesWhatIsNoJson) {
  for (const char* text :
       {"", "{", "{\"a\":}", "[1,2", "{\"a\" 1}", "\"open", "{} {}", "{\"a\":\"\\x\"}"}) {
    EXPECT_EQ(redacted(text), "no JSON") << text;
  }
  EXPECT_EQ(redacted(std::string(100'000, '[') + std::string(100'000, ']')), "no JSON");
}

}  // namespace
}  // namespace stepbench::runs
