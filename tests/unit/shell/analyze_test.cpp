// SPDX-License-Identifier: Apache-2.0
// `stepbench analyze` as a user meets it: what it says of a trace, and of what is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::stepbench;

// Steps of 100 us: 40 of loading data, then an operator whose kernel runs to the end.
std::string trace_text(int steps, int lost_kernels = 0, const std::string& header = {}) {
  std::ostringstream out;
  out << R"({"schemaVersion": 1, "displayTimeUnit": "ms", )" << header << R"("traceEvents": [)";
  const auto row = [&](const char* category, const std::string& name, int pid, int tid, double ts,
                       double duration, const std::string& arguments) {
    out << R"({"ph": "X", "cat": ")" << category << R"(", "name": ")" << name << R"(", "pid": )"
        << pid << R"(, "tid": )" << tid << R"(, "ts": )" << ts << R"(, "dur": )" << duration
        << R"(, "args": {)" << arguments << "}},\n";
  };
  for (int i = 0; i < steps; ++i) {
    const double at = 1000 + 100.0 * i;
    const std::string id = R"("correlation": )" + std::to_string(i + 1);
    row("user_annotation", "ProfilerStep#" + std::to_string(i), 7, 7, at, 100, "");
    row("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 7, 7, at,
        40, "");
    row("cpu_op", "aten::conv2d", 7, 7, at + 40, 60, "");
    row("cuda_runtime", "cudaLaunchKernel", 7, 7, at + 40, 1, id);
    if (i >= lost_kernels) {
      row("kernel", "sgemm", 0, 7, at + 41, 59, R"("device": 0, "stream": 7, )" + id);
    }
  }
  out << R"({"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}}]})";
  return out.str();
}

class Analyze : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  test::TemporaryFolder folder_;
};

TEST_F(Analyze, NamesTheCauseWithItsShareAndWhatToDo) {
  const os::CommandResult page = stepbench({"analyze", write("my.pt.trace.json", trace_text(8))});
  EXPECT_EQ(page.exit_status, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("my.pt.trace.json: 8 steps"));
  EXPECT_THAT(page.out,
              HasSubstr("the device waits for data 40.0 % of the time (40.0 us per step)"));
  EXPECT_THAT(page.out, HasSubstr("gain: at most 40.0 us per step (40.0 %)"));
  EXPECT_THAT(page.out, HasSubstr("mean of 6 steps of 8, without the first and the last"));
  EXPECT_THAT(page.out, Not(HasSubstr("--set"))) << "a foreign trace has no option of ours";
}

TEST_F(Analyze, WritesJsonWhosePartsSumToTheStep) {
  const os::CommandResult made =
      stepbench({"analyze", write("a.json", trace_text(8)), "--format", "json"});
  const auto json = nlohmann::json::parse(made.out);
  EXPECT_EQ(json["schema"], "stepbench.analysis");
  EXPECT_EQ(json["version"], "1.4.0");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_EQ(json["findings"][0]["id"], "trace.data_exposed");
  EXPECT_EQ(json["findings"][0]["gain_ns"], 40000);
  const auto& idle = json["idle"][0];
  for (std::size_t i = 0; i < 8; ++i) {
    std::int64_t sum = 0;
    for (const char* part :
         {"compute_ns", "communication_ns", "copy_ns", "idle_data_loading_ns",
          "idle_synchronise_ns", "idle_copy_call_ns", "idle_launch_ns", "idle_backward_ns",
          "idle_host_op_ns", "idle_other_thread_ns", "idle_unattributed_ns"}) {
      sum += idle[part][i].get<std::int64_t>();
    }
    EXPECT_EQ(sum, idle["wall_ns"][i].get<std::int64_t>());
  }
  EXPECT_TRUE(json["blocks"]["memory"].is_null());
  EXPECT_FALSE(json["blocks"]["memory_reason"].get<std::string>().empty());
}

TEST_F(Analyze, SaysWhatAStepWouldTakeIfLoadingDataWereFree) {
  const std::string file = write("a.json", trace_text(8));
  EXPECT_THAT(
      stepbench({"analyze", file, "--critical-path"}).out,
      HasSubstr("if data loading took no time, a step would take 60.0 us in place of 100 us"));
  EXPECT_THAT(stepbench({"analyze", file}).out, Not(HasSubstr("critical path")));
}

TEST_F(Analyze, ShowsKernelsBelowTheirOperators) {
  const os::CommandResult shown =
      stepbench({"analyze", write("a.json", trace_text(8)), "--kernel-tree"});
  EXPECT_THAT(shown.out, HasSubstr("kernels by the operators that launched them"));
  EXPECT_THAT(shown.out, HasSubstr("  > sgemm"));
  EXPECT_THAT(shown.out, HasSubstr("not counted: 8 calls, 472 us: shapes were not recorded"));
}

TEST_F(Analyze, WritesTheTraceAgainForAViewer) {
  const std::string file = write("a.json", trace_text(8));
  const std::string seen = (folder_ / "seen.json.gz").string();
  EXPECT_EQ(stepbench({"analyze", file, "--augment", seen}).exit_status, 0);
  EXPECT_THAT(stepbench({"analyze", seen}).out, HasSubstr("seen.json.gz: 8 steps"));
  const os::CommandResult over = stepbench({"analyze", file, "--augment", file});
  EXPECT_EQ(over.exit_status, 2);
  EXPECT_THAT(over.err, HasSubstr("is what this command reads"));
  write("log/a.json", trace_text(4));
  write("log/b.json", trace_text(4));
  const os::CommandResult two =
      stepbench({"analyze", (folder_ / "log").string(), "--augment", seen});
  EXPECT_EQ(two.exit_status, 2);
  EXPECT_THAT(two.err, HasSubstr("one file cannot hold 2 traces"));
}

TEST_F(Analyze, OfTheSameFileTwiceIsTheSame) {
  const std::string file = write("a.json", trace_text(8));
  for (const char* format : {"page", "markdown", "json"}) {
    EXPECT_EQ(stepbench({"analyze", file, "--format", format}).out,
              stepbench({"analyze", file, "--format", format}).out);
  }
}

TEST_F(Analyze, ReadsAFolderOfTracesAndTheTracesOfARun) {
  write("log/b.json", trace_text(4));
  write("log/a.json", trace_text(6));
  const os::CommandResult both = stepbench({"analyze", (folder_ / "log").string()});
  EXPECT_LT(both.out.find("a.json: 6 steps"), both.out.find("b.json: 4 steps"));
  write("run/x.jsonl", "");
  const os::CommandResult none = stepbench({"analyze", (folder_ / "run").string()});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_THAT(none.err, HasSubstr("--set profile.trace=true"));
  write("run/traces/0123-native-0-0.1.pt.trace.json", trace_text(4));
  EXPECT_EQ(stepbench({"analyze", (folder_ / "run").string(), "--case", "0123"}).exit_status, 0);
  const os::CommandResult other =
      stepbench({"analyze", (folder_ / "run").string(), "--case", "ff"});
  EXPECT_EQ(other.exit_status, 2);
  EXPECT_THAT(other.err, HasSubstr("begins with 'ff'"));
}

TEST_F(Analyze, PrintsTheWholeTracesOfAFolderAndNamesTheBrokenOne) {
  write("log/a.json", trace_text(6));
  write("log/broken.json", trace_text(8).substr(0, 700));
  write("log/c.json", trace_text(4));
  const os::CommandResult shown = stepbench({"analyze", (folder_ / "log").string()});
  EXPECT_EQ(shown.exit_status, 2);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("a.json: 6 steps"), HasSubstr("c.json: 4 steps")));
  EXPECT_THAT(shown.err, AllOf(HasSubstr("broken.json"), HasSubstr("byte")));
}

TEST_F(Analyze, ComparesTwoTracesFoldersAndRuns) {
  std::string slower = trace_text(8);
  for (std::size_t at = 0; (at = slower.find("\"dur\": 40,", at)) != std::string::npos; ++at) {
    slower.replace(at, 10, "\"dur\": 35,");
  }
  const std::string base = write("base/worker0.111.pt.trace.json", trace_text(8));
  const std::string next = write("new/worker0.222.pt.trace.json", slower);
  const os::CommandResult same = stepbench({"analyze", base, "--diff", base});
  EXPECT_EQ(same.exit_status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("nothing changed"));
  const os::CommandResult files = stepbench({"analyze", next, "--diff", base, "--format", "json"});
  const auto json = nlohmann::json::parse(files.out);
  EXPECT_EQ(json["diff"]["findings"][0]["id"], "trace.data_exposed");
  EXPECT_EQ(json["diff"]["findings"][0]["change"], "shrank");
  EXPECT_EQ(json["diff"]["findings"][1]["id"], "trace.unattributed");
  EXPECT_EQ(json["diff"]["findings"][1]["change"], "appeared");
  EXPECT_EQ(json["diff"]["step"]["difference_ns"], 0);
  EXPECT_EQ(json["diff"]["operators"][0]["difference_ns"], -5000);
  const auto folder = [&](const char* name) { return (folder_ / name).string(); };
  EXPECT_EQ(stepbench({"analyze", folder("new"), "--diff", folder("base"), "--format", "json"})
                .out.size(),
            files.out.size());
  EXPECT_EQ(stepbench({"analyze", next, "--diff", base, "--fail-on", "warning"}).exit_status, 1);
  EXPECT_EQ(stepbench({"analyze", next, "--diff", base, "--fail-on", "problem"}).exit_status, 0);
  EXPECT_EQ(stepbench({"analyze", base, "--diff", next, "--fail-on", "problem"}).exit_status, 1);

  write("base/worker1.111.pt.trace.json", trace_text(8));
  write("new/worker2.222.pt.trace.json", trace_text(8));
  const os::CommandResult some = stepbench({"analyze", folder("new"), "--diff", folder("base")});
  EXPECT_EQ(some.exit_status, 0);
  EXPECT_THAT(some.err, AllOf(HasSubstr("worker2 (only in new)"), HasSubstr("worker1 (only in")));
  const std::string damaged = write("damaged.json", trace_text(8, 4));
  const os::CommandResult refused = stepbench({"analyze", next, "--diff", damaged});
  EXPECT_EQ(refused.exit_status, 4);
  EXPECT_THAT(refused.out, HasSubstr("comparable: NO"));
}

TEST_F(Analyze, ComparesTheCasesOfTwoRunsWithAllTheirLaunches) {
  const auto header = [](const char* case_id) {
    return R"("stepbench": {"engine": "native", "case_id": ")" + std::string(case_id) + "\"}, ";
  };
  for (const char* run : {"one", "two"}) {
    for (const char* name : {"0123-native-0-0.1", "0123-native-1-0.2", "4567-native-0-0.3"}) {
      write(std::string(run) + "/traces/" + name + ".pt.trace.json",
            trace_text(8, 0, header(std::string(name, 4).c_str())));
    }
  }
  const std::string one = (folder_ / "one").string();
  const std::string two = (folder_ / "two").string();
  const auto lines =
      testing::lines_of_text(stepbench({"analyze", two, "--diff", one, "--format", "json"}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["diff"]["base"]["steps"], 12);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["diff"]["new"]["steps"], 6);
  const os::CommandResult chosen =
      stepbench({"analyze", two, "--diff", one, "--case", "4567", "--format", "json"});
  EXPECT_EQ(testing::lines_of_text(chosen.out).size(), 1U);
  std::filesystem::rename(folder_ / "two/traces/4567-native-0-0.3.pt.trace.json",
                          folder_ / "elsewhere.json");
  EXPECT_THAT(stepbench({"analyze", two, "--diff", one}).err,
              HasSubstr("case 4567 native (only in base)"));
}

TEST_F(Analyze, ShowsTheRanksOfAJobOnOnePageAndOneOfThemAlone) {
  const auto header = [](int rank, int world) {
    return R"("distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": )" +
           std::to_string(world) + "}, ";
  };
  for (const int rank : {0, 1, 3}) {
    write("log/r" + std::to_string(rank) + ".json", trace_text(8, 0, header(rank, 4)));
  }
  write("log/other.json", trace_text(8, 0, header(0, 2)));
  const std::string log = (folder_ / "log").string();
  const os::CommandResult job = stepbench({"analyze", log});
  EXPECT_EQ(job.exit_status, 0) << job.err;
  EXPECT_THAT(job.out, HasSubstr("one job: traces of 3 ranks of 4, 6 steps in all of them"));
  EXPECT_THAT(job.out, HasSubstr("no trace of rank 2 of 4"));
  EXPECT_THAT(job.out, HasSubstr("1 other trace with a rank"));
  EXPECT_THAT(job.out, HasSubstr("other.json: 8 steps"));
  EXPECT_THAT(job.out, Not(HasSubstr("r1.json: 8 steps")));
  EXPECT_THAT(stepbench({"analyze", log, "--rank", "1"}).out, HasSubstr("r1.json: 8 steps"));
  const os::CommandResult absent = stepbench({"analyze", log, "--rank", "7"});
  EXPECT_EQ(absent.exit_status, 2);
  EXPECT_THAT(absent.err, HasSubstr("there are: 0, 1, 3"));
  const std::vector<std::string> lines =
      testing::lines_of_text(stepbench({"analyze", log, "--format", "json"}).out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(nlohmann::json::parse(lines[4])["ranks"]["rows"][2]["rank"], 3);
}

TEST_F(Analyze, CountsInTheWindowThatWasAskedFor) {
  const std::string file = write("a.json", trace_text(8));
  const auto json_in = [&](const char* window) {
    return nlohmann::json::parse(
        stepbench({"analyze", file, "--window", window, "--format", "json"}).out);
  };
  for (const char* window : {"host_step", "tb_step", "device_span", "hta"}) {
    const auto json = json_in(window);
    EXPECT_EQ(json["steps"]["window"], window);
    EXPECT_EQ(json["idle"][0]["window"], window);
    EXPECT_EQ(json["blocks"]["tb_step_time"], json_in("host_step")["blocks"]["tb_step_time"]);
  }
  EXPECT_EQ(json_in("device_span")["idle"][0]["wall_ns"][0],
            json_in("hta")["blocks"]["tracelens"][0]["span"]["end_ns"].get<std::int64_t>() -
                json_in("hta")["blocks"]["tracelens"][0]["span"]["start_ns"].get<std::int64_t>());
  EXPECT_EQ(json_in("device_span")["idle"][0]["compute_ns"][0],
            json_in("hta")["blocks"]["tracelens"][0]["computation_ns"]);
  EXPECT_EQ(json_in("hta")["idle"][0]["compute_ns"][0],
            json_in("hta")["blocks"]["hta"]["temporal"]["compute_ns"]);
  EXPECT_THAT(stepbench({"analyze", file, "--window", "device_span"}).out,
              HasSubstr("where the time of a step goes (mean of 1 step); window device_span"));
}

TEST_F(Analyze, EndsWith4WhereTheNumbersWouldLie) {
  const os::CommandResult broken = stepbench({"analyze", write("a.json", trace_text(8, 4))});
  EXPECT_EQ(broken.exit_status, 4);
  EXPECT_THAT(broken.out, HasSubstr("integrity: BROKEN"));
}

TEST_F(Analyze, FailsOnFindingsOnlyWhenAsked) {
  const std::string file = write("a.json", trace_text(8));
  EXPECT_EQ(stepbench({"analyze", file, "--fail-on", "problem"}).exit_status, 1);
  EXPECT_EQ(stepbench({"analyze", file, "--fail-on", "problem", "--threshold", "data_exposed=50%"})
                .exit_status,
            0);
}

TEST_F(Analyze, CountsTheStepsThatWereAskedFor) {
  const std::string file = write("a.json", trace_text(8));
  EXPECT_THAT(stepbench({"analyze", file, "--steps", "0-1"}).out,
              HasSubstr("mean of 2 steps as chosen"));
  const os::CommandResult absent = stepbench({"analyze", file, "--steps", "50"});
  EXPECT_EQ(absent.exit_status, 2);
  EXPECT_THAT(absent.err, HasSubstr("there is no such step"));
}

TEST_F(Analyze, AnswersMistakes) {
  const std::string file = write("a.json", trace_text(8));
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{}, "TRACE is missing"},
      {{"no/such.json"}, "no such file or folder"},
      {{write("broken.json", trace_text(8).substr(0, 700))}, "byte"},
      {{write("text.json", "hello")}, "text.json"},
      {{write("empty.json", "")}, "empty.json"},
      {{file, "--steps", "5-3"}, "a range such as 5-8"},
      {{file, "--threshold", "sync_bund=5%"}, "did you mean 'trace.sync_bound'?"},
      {{file, "--threshold", "sync_bound"}, "expected trace.sync_bound=VALUE"},
      {{file, "--threshold", "sync_bound=-1"}, "expected a positive number"},
      {{file, "--device", "3"}, "device 3 ran no work"},
      {{file, "--fail-on", "info"}, "expected one of problem, warning"},
      {{file, "--output", file}, "--output"},
      {{file, "--diff", "no/such.json"}, "no such file or folder"},
      {{file, "--window", "tb_stp"}, "did you mean 'tb_step'?"},
      {{folder_.path().string(), "--format", "html"}, "expected one of page, markdown, json"}};
  for (const auto& [arguments, answer] : wrong) {
    std::vector<std::string> all = {"analyze"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const os::CommandResult answered = stepbench(all);
    EXPECT_EQ(answered.exit_status, 2) << answer;
    EXPECT_THAT(answered.err, HasSubstr(answer));
    EXPECT_EQ(answered.out, "") << answer;
  }
}

TEST_F(Analyze, ShowsHostileNamesAsText) {
  std::string text = trace_text(6);
  const std::string name = "sgemm";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    text.replace(at, name.size(), R"(\u001b[31m</script>|`x`\n)");
  }
  const std::string file = write("a.json", text);
  for (const char* format : {"page", "markdown", "json"}) {
    const os::CommandResult shown = stepbench({"analyze", file, "--format", format});
    EXPECT_EQ(shown.exit_status, 0);
    EXPECT_THAT(shown.out, Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace stepbench
