// SPDX-License-Identifier: Apache-2.0
// Models and steps that users wrote in Python, in a worker process. python_files.py makes the
// files.
#include "harness/findings/finding.h"
#include "harness/ops/op_trees.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/workloads/worker_run.h"

namespace stepbench {
namespace {

using test::failure_of;
using test::report_of;
using ::testing::Gt;

test::Options python_model(const std::string& file) {
  return {{"model.kind", std::string("python")},
          {"model.path", test::made_by("python_files.py", file)}};
}

test::Options python_step(const std::string& file) {
  return {{"workload", std::string("python_step")},
          {"step.path", test::made_by("python_files.py", file)}};
}

const Finding* finding(const record::LaunchReport& report, std::string_view id) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& each) { return each.id == id; });
  return found == report.findings.end() ? nullptr : &*found;
}

double number(const Fields& fields, const char* name) { return std::get<double>(fields.at(name)); }

// Both have the same weights. The learning rate is so small that they do not change.
TEST(PythonModel, TorchvisionResnet_MatchesOurs) {
  test::Options ours = {{"model.size", std::string("standard")},
                        {"optimizer.lr", 1e-9},
                        {"schedule.active", std::int64_t{2}}};
  test::Options theirs = ours;
  for (const auto& [name, value] : python_model("resnet_file.py")) theirs[name] = value;
  const record::LaunchReport expected = report_of(ours);
  const record::LaunchReport found = report_of(theirs);
  for (const char* same : {"model_parameters", "model_flops_per_step"}) {
    EXPECT_EQ(found.metrics.at(same), expected.metrics.at(same)) << same;
  }
  for (const char* same : {"loss", "gradient_norm"}) {
    const double value = number(expected.fingerprint, same);
    EXPECT_NEAR(number(found.fingerprint, same), value, 1e-4 * value) << same;
  }
}

TEST(PythonModel, Arguments_AreTakenAndFilesIdentified) {
  test::Options options = python_model("dense_file.py");
  options["python.width"] = std::string("8");
  options["model.precision"] = std::string("bf16");
  options["model.memory_format"] = std::string("channels_last");
  const record::LaunchReport report = report_of(options);
  EXPECT_EQ(report.metrics.at("model_parameters"), 3073 * 8 + 9 * 10);
  EXPECT_GT(number(report.fingerprint, "gradient_norm"), 0);
  EXPECT_EQ(std::get<std::string>(report.effective.at("model.digest")).size(), 16U);
  EXPECT_THAT(std::get<std::string>(report.effective.at("python.version")), HasSubstr("3."));
}

TEST(PythonModel, Modules_NameTheProfiledOps) {
  test::Options options = python_model("resnet_file.py");
  options["profile.active"] = std::int64_t{3};
  const ops::ModuleTree tree =
      ops::make_module_tree(test::profiled_ops(test::run_worker(options, Pass::kNative)), 9);
  std::vector<std::string> paths;
  for (const ops::ModuleNode& node : tree.nodes) paths.push_back(node.path);
  EXPECT_THAT(paths, AllOf(Contains("layer3.0.conv1"), Contains("fc"), Contains("layer1.1.bn2")));
}

TEST(PythonModel, OtherInputShape_IsNamed) {
  const auto failed = failure_of(python_model("vectors_file.py"));
  EXPECT_EQ(failed.stage, protocol::Stage::kSetUp);
  EXPECT_THAT(failed.message, AllOf(HasSubstr("given 'image' {3, 32, 32} per sample"),
                                    HasSubstr("'1.weight' {10, 64} expects 64 features"),
                                    HasSubstr("mat1 and mat2 shapes cannot be multiplied")));
}

TEST(PythonModel, LaterError_HasItsPlace) {
  EXPECT_EQ(failure_of(python_model("falls_file.py")).message,
            "RuntimeError: the fourth call (falls_file.py, line 7, in forward)");
}

TEST(PythonModel, ChangedThreads_AreSetBack) {
  EXPECT_THAT(report_of(python_model("threads_file.py")).notes,
              Contains(AllOf(HasSubstr("set torch's threads to 3"), HasSubstr("back to 1"))));
}

TEST(PythonStep, Phases_AreMarked) {
  const auto messages = test::run_worker(python_step("loop_file.py"));
  const Series& samples = test::only<record::CycleSamples>(messages).steps;
  for (const char* phase :
       {"data_wait_ns", "zero_grad_ns", "forward_ns", "loss_ns", "backward_ns", "optimizer_ns"}) {
    EXPECT_THAT(samples.column(phase), Each(Gt(0))) << phase;
  }
  // 40 samples in batches of 16.
  EXPECT_THAT(samples.column("samples"), AllOf(Contains(16), Contains(8)));
  const record::LaunchReport& report = test::only<record::LaunchReport>(messages);
  EXPECT_EQ(number(report.fingerprint, "loss"), 2.5);
  EXPECT_EQ(number(report.fingerprint, "gradient_norm"), 1.5);
  EXPECT_EQ(std::get<std::string>(report.effective.at("step.digest")).size(), 16U);
}

std::map<std::string, std::int64_t> calls_of(const test::Options& options, Pass pass) {
  const ops::OpTable table = test::profiled_ops(test::run_worker(options, pass));
  std::map<std::string, std::int64_t> calls;
  for (const ops::OpRow& row : table.rows) calls[std::string(table.text(row.name))] += row.calls;
  return calls;
}

TEST(PythonStep, BothCollectors_CountAsTorch) {
  const test::TemporaryFolder folder;
  test::Options options = python_step("counted_file.py");
  options["python.seen"] = (folder / "seen").string();
  options["profile.active"] = std::int64_t{3};
  for (const Pass pass : {Pass::kNative, Pass::kKineto}) {
    std::map<std::string, std::int64_t> calls = calls_of(options, pass);
    EXPECT_EQ(calls["ProfilerStep*"], 3);
    calls.erase("ProfilerStep*");
    std::map<std::string, std::int64_t> seen;
    std::ifstream file(folder / "seen");
    std::string name;
    for (std::int64_t count = 0; file >> count && std::getline(file >> std::ws, name);) {
      seen[name] = count;
    }
    EXPECT_GT(seen.size(), 20U);
    EXPECT_EQ(calls, seen);
  }
}

TEST(PythonStep, NestedPhases_AreANamedError) {
  EXPECT_THAT(
      failure_of(python_step("nested_file.py")).message,
      AllOf(HasSubstr("phase 'loss' begins inside phase 'forward'"), HasSubstr("nested_file.py")));
}

TEST(PythonStep, SysExit_IsAFailure) {
  EXPECT_THAT(failure_of(python_step("leaves_file.py")).message,
              HasSubstr("the code called sys.exit('enough')"));
}

TEST(PythonStep, ChangedThreads_AreNoted) {
  EXPECT_THAT(report_of(python_step("quick_file.py")).notes,
              Contains(HasSubstr("the step set torch's threads to 2; they were 1")));
}

TEST(PythonStep, RecompiledGraph_IsAFinding) {
  const record::LaunchReport report = report_of(python_step("recompiles_file.py"));
  EXPECT_GT(report.metrics.at("python_recompiled_graphs"), 0);
  EXPECT_GT(report.metrics.at("python_compiled_graphs"),
            report.metrics.at("python_recompiled_graphs"));
  EXPECT_NE(finding(report, "python.recompiled"), nullptr);
}

}  // namespace
}  // namespace stepbench
