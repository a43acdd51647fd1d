// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/checkpoint.h"

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/data/data_files.h"
#include "workloads/step/steps.h"

namespace stepbench {
namespace {

// The only file of the folder; empty if there is none.
fs::path file_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") return entry.path();
  }
  return {};
}

struct Trained {
  std::vector<std::int64_t> phase_ns;  // of checkpoints, in each step
  std::string file;                    // as written by the last one
  std::vector<data::StoredTensor> tensors;
  test::Told reported;
};

// Six steps in one window, a checkpoint after each third.
Trained train(const test::TemporaryFolder& folder, const test::Options& more = {}) {
  test::Options options = test::tiny_images("mlp");
  options["checkpoint.every"] = std::int64_t{3};
  options["checkpoint.path"] = folder.path().string();
  for (const auto& [name, value] : more) options[name] = value;
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  Trained trained;
  {
    const auto workload = step::make_train_step(test::train_case(options), context);
    EXPECT_EQ(workload->set_up(), std::nullopt);
    workload->window(Edge::kBegin);
    StepRecorder recorder(clock);
    for (const StepRecorder::Step& step : test::take_steps(*workload, recorder, 6)) {
      trained.phase_ns.push_back(step.phase_ns[static_cast<std::size_t>(declared_phase(0))]);
    }
    workload->window(Edge::kEnd);
    workload->tear_down();
    trained.reported = test::told_by(*workload);
    std::ifstream in(file_in(folder.path()), std::ios::binary);
    trained.file.assign(std::istreambuf_iterator<char>(in), {});
    trained.tensors = data::read_safetensors(data::MappedFile(file_in(folder.path())));
  }
  EXPECT_TRUE(file_in(folder.path()).empty()) << "it is removed at the end";
  return trained;
}

TEST(Checkpoint, EachThirdStep_WritesInItsPhase) {
  const test::TemporaryFolder folder;
  std::vector<bool> written;
  for (const std::int64_t ns : train(folder).phase_ns) written.push_back(ns > 0);
  EXPECT_THAT(written, ElementsAre(false, false, true, false, false, true));
}

TEST(Checkpoint, Optimizer_AddsItsStateToTheFile) {
  const test::TemporaryFolder folder;
  const auto bytes = [](const Trained& trained) {
    return std::accumulate(
        trained.tensors.begin(), trained.tensors.end(), std::uint64_t{0},
        [](std::uint64_t sum, const data::StoredTensor& each) { return sum + each.bytes; });
  };
  const Trained sgd = train(folder);
  const Trained adam = train(folder, {{"optimizer.kind", std::string("adam")}});
  ASSERT_FALSE(sgd.tensors.empty());
  // Two means and a step counter per parameter.
  EXPECT_EQ(adam.tensors.size(), 4 * sgd.tensors.size());
  EXPECT_EQ(bytes(adam), 3 * bytes(sgd) + sizeof(float) * sgd.tensors.size());
  EXPECT_EQ(adam.reported.metrics.at("checkpoint_bytes"), static_cast<double>(adam.file.size()));
}

TEST(Checkpoint, AnyWriter_WritesTheSame) {
  const test::TemporaryFolder folder;
  const Trained by_the_step = train(folder);
  const Trained beside_it = train(folder, {{"checkpoint.async", true}, {"checkpoint.fsync", true}});
  EXPECT_EQ(by_the_step.file, beside_it.file);
}

TEST(Checkpoint, SlowCheckpoints_AreAFinding) {
  const test::TemporaryFolder folder;
  const test::Options often = {{"checkpoint.every", std::int64_t{1}}};
  const Trained trained = train(folder, often);
  ASSERT_EQ(trained.reported.findings.size(), 1U);
  const Finding& finding = trained.reported.findings.front();
  EXPECT_EQ(finding.id, "checkpoint.blocks");
  ASSERT_EQ(finding.set.size(), 1U);
  EXPECT_EQ(finding.set.front().option, "checkpoint.async");
  test::Options beside = often;
  beside["checkpoint.async"] = true;
  EXPECT_TRUE(train(folder, beside).reported.findings.front().set.empty());
  EXPECT_TRUE(train(folder, {{"checkpoint.every", std::int64_t{6}}}).reported.findings.empty());
}

TEST(Checkpoint, NoCheckpoint_IsNotReported) {
  const test::Driven driven =
      test::drive(test::train_case(test::tiny_images("mlp")), step::make_train_step, 0);
  EXPECT_FALSE(driven.reported.metrics.contains("checkpoint_bytes"));
}

TEST(Checkpoint, ForeignFolder_KeepsItsFiles) {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder mine;
  mine.write("precious.txt", "precious");
  const std::string old = folder / "stepbench-checkpoint.safetensors";
  for (const std::string& name : {old, old + ".part"}) {
    fs::create_symlink(mine / "precious.txt", name);
  }
  test::Options options = test::tiny_images("mlp");
  options["checkpoint.every"] = std::int64_t{1};
  options["checkpoint.path"] = folder.path().string();
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  {
    const auto one = step::make_train_step(test::train_case(options), context);
    const auto other = step::make_train_step(test::train_case(options), context);
    for (const auto* each : {&one, &other}) {
      EXPECT_EQ((*each)->set_up(), std::nullopt);
      StepRecorder recorder(clock);
      recorder.start_step(0);
      (*each)->step(recorder);
    }
    const auto files = fs::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 4) << "each run has its own";
  }
  std::string text;
  std::ifstream(mine / "precious.txt") >> text;
  EXPECT_EQ(text, "precious");
  EXPECT_TRUE(fs::is_symlink(old));
}

TEST(Checkpoint, InvalidOrLostFolder_IsAUserError) {
  const test::TemporaryFolder folder;
  test::Options options = test::tiny_images("mlp");
  options["checkpoint.every"] = std::int64_t{1};
  options["checkpoint.path"] = (folder / "none").string();
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  EXPECT_THROW(
      static_cast<void>(step::make_train_step(test::train_case(options), context)->set_up()),
      ConfigError);
  const auto set_up_and_lose = [&](Workload& workload) {
    fs::create_directory(folder / "none");
    EXPECT_EQ(workload.set_up(), std::nullopt);
    fs::remove_all(folder / "none");
  };
  for (const bool async : {false, true}) {
    options["checkpoint.async"] = async;
    const auto workload = step::make_train_step(test::train_case(options), context);
    set_up_and_lose(*workload);
    StepRecorder recorder(clock);
    const auto step = [&](std::int64_t index) {
      recorder.start_step(index);
      workload->step(recorder);
    };
    // An error of an asynchronous one is thrown by the next one.
    if (async) step(0);
    EXPECT_THROW(step(async ? 1 : 0), ConfigError);
    // An error of the last one is thrown at the end.
    if (!async) continue;
    const auto last = step::make_train_step(test::train_case(options), context);
    set_up_and_lose(*last);
    recorder.start_step(2);
    last->step(recorder);
    EXPECT_THROW(last->tear_down(), ConfigError);
  }
}

}  // namespace
}  // namespace stepbench
