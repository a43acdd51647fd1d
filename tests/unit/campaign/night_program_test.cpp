// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/reference_program.h"

#include "harness/campaign/internal/prune_programs.h"
#include "harness/campaign/internal/script_files.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/run/worker_program.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

constexpr const char* kNow = "2026-01-31T12:00:00Z";

class NightProgramTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path keep() const { return folder / "kept"; }
  // An executable text, measured in its current form.
  [[nodiscard]] NightProgram program(const std::string& text, const std::string& name = "worker") {
    folder.write("src/" + name, text);
    const fs::path path = folder / "src" / name;
    fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
    return night_program({run::WorkerProgram{path, run::program_build_id(path)}, {}});
  }
  // A script of a repository, as an experiment on it has it.
  [[nodiscard]] NightProgram script(const std::string& path,
                                    const machine::Variables& variables = {}) {
    PlannedRun run{
        run::WorkerProgram{.path = "/share/stepbench_worker/__main__.py", .build_id = "package"},
        {}};
    plan::PlannedCase one;
    one.resolved.workload = "python_script";
    one.resolved.options["script.path"] = (folder / path).string();
    run.planned.plan.cases.push_back(std::move(one));
    return night_program(run, variables);
  }
  void commit() const {
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"init", "--quiet"},
             {"add", "--all"},
             {"-c", "user.name=me", "-c", "user.email=me@example.com", "commit", "--quiet",
              "--message=all"}}) {
      const os::CommandResult git = os::run_git(folder.path(), words);
      ASSERT_EQ(git.exit_status, 0) << git.err;
    }
  }

  test::TemporaryFolder folder;
  nights::TrackStore store =
      nights::TrackStore::open("sqlite:" + std::string(folder / "history.db"));
};

TEST_F(NightProgramTest, RebuiltFolder_KeepsTheProgram) {
  const NightProgram first = program("#!/bin/sh\necho first\n");
  EXPECT_EQ(store_program(store, first, keep(), "box", kNow), "");
  (void)program("#!/bin/sh\necho second\n");
  const auto found = find_program(store, first.build, "box", nullptr);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, keep() / first.build / "worker");
  EXPECT_EQ(run::program_build_id(*found), first.build);
  EXPECT_EQ(fs::status(*found).permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
  EXPECT_FALSE(find_program(store, first.build, "another-host", nullptr)) << "not on its disk";
  EXPECT_THAT(store.builds(), SizeIs(1));
}

TEST_F(NightProgramTest, DamagedCopy_IsReplaced) {
  const NightProgram first = program("#!/bin/sh\necho first\n");
  ASSERT_EQ(store_program(store, first, keep(), "box", kNow), "");
  fs::resize_file(keep() / first.build / "worker", 4);
  EXPECT_FALSE(find_program(store, first.build, "box", nullptr));
  EXPECT_EQ(store_program(store, first, keep(), "box", kNow), "");
  EXPECT_TRUE(find_program(store, first.build, "box", nullptr));
  EXPECT_THAT(store.builds(), SizeIs(1)) << "it is told once";
}

TEST_F(NightProgramTest, UnfinishedCopy_IsDiscarded) {
  folder.write("src/model.py", "STEPS = 1\n");
  const NightProgram first = program("#!/bin/sh\nexec python3 model.py\n");
  folder.write("kept/" + first.build + ".unfinished/stale.py", "STEPS = 9\n");
  ASSERT_EQ(store_program(store, first, keep(), "box", kNow), "");
  EXPECT_TRUE(find_program(store, first.build, "box", nullptr));
  EXPECT_FALSE(fs::exists(keep() / first.build / "stale.py"));
  EXPECT_FALSE(fs::exists(keep() / (first.build + ".unfinished")));
}

TEST_F(NightProgramTest, ProgramChangedMeanwhile_IsNotKept) {
  const NightProgram first = program("#!/bin/sh\necho first\n");
  (void)program("#!/bin/sh\necho second\n");
  EXPECT_THAT(store_program(store, first, keep(), "box", kNow),
              HasSubstr("worker changed while the night was measured"));
  EXPECT_FALSE(find_program(store, first.build, "box", nullptr));
}

TEST_F(NightProgramTest, NoCopy_UsesTheUnchangedProgram) {
  const NightProgram first = program("#!/bin/sh\necho first\n");
  const nights::TrackedRun run{.worker_path = first.program.string()};
  EXPECT_EQ(find_program(store, first.build, "box", &run), first.program);
  (void)program("#!/bin/sh\necho second\n");
  EXPECT_FALSE(find_program(store, first.build, "box", &run));
}

TEST_F(NightProgramTest, ShellScript_IsKeptWithItsFiles) {
  folder.write("src/model.py", "STEPS = 1\n");
  const NightProgram first = program("#!/bin/sh\nexec python3 model.py /opt/other/tool\n");
  EXPECT_THAT(first.files, ElementsAre("model.py"));
  ASSERT_EQ(store_program(store, first, keep(), "box", kNow), "");
  folder.write("src/model.py", "STEPS = 2\n");
  const NightProgram second = program("#!/bin/sh\nexec python3 model.py /opt/other/tool\n");
  EXPECT_NE(second.build, first.build) << "what it names is part of the program";
  const auto found = find_program(store, first.build, "box", nullptr);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(os::read_text(found->parent_path() / "model.py"), "STEPS = 1\n");
}

TEST_F(NightProgramTest, PythonScript_IsKeptWithItsFolder) {
  folder.write("train/step.py", "import model\n");
  folder.write("train/model.py", "STEPS = 1\n");
  folder.write("train/data/names.txt", "a b\n");
  commit();
  folder.write("train/scratch.py", "not tracked\n");
  const NightProgram first = script("train/step.py");
  EXPECT_EQ(first.why_not, "");
  EXPECT_THAT(first.files, UnorderedElementsAre("model.py", "data/names.txt"));
  ASSERT_EQ(store_program(store, first, keep(), "box", kNow), "");
  folder.write("train/model.py", "STEPS = 2\n");
  EXPECT_NE(script("train/step.py").build, first.build);
  const auto found = find_program(store, first.build, "box", nullptr);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(os::read_text(found->parent_path() / "model.py"), "STEPS = 1\n");
  EXPECT_FALSE(fs::exists(found->parent_path() / "scratch.py"));
}

TEST_F(NightProgramTest, OtherVersions_AreAnotherProgram) {
  folder.write("train/step.py", "import torch\n");
  commit();
  const auto in_environment = [&](const std::string& name, const std::string& torch) {
    const fs::path python = folder / name / "bin/python";
    folder.write(name + "/bin/python", "#!/bin/sh\necho cpython 3.11.7, torch " + torch + "\n");
    fs::permissions(python, fs::perms::owner_exec, fs::perm_options::add);
    return script("train/step.py", {{"VIRTUAL_ENV", (folder / name).string()}});
  };
  const NightProgram old_torch = in_environment("old", "2.10.0");
  ASSERT_EQ(store_program(store, old_torch, keep(), "box", kNow), "");
  EXPECT_EQ(in_environment("copy", "2.10.0").build, old_torch.build);
  const NightProgram new_torch = in_environment("new", "2.11.0");
  EXPECT_NE(new_torch.build, old_torch.build);

  const auto found = find_program(store, old_torch.build, "box", nullptr);
  ASSERT_TRUE(found.has_value());
  const ScriptInterpreter stored = stored_interpreter(*found);
  EXPECT_EQ(stored.path, folder / "old/bin/python");
  EXPECT_EQ(stored.versions, "cpython 3.11.7, torch 2.10.0");
  EXPECT_EQ(state_of(stored, new_torch.interpreter), InterpreterState::kUnchanged);
  const NightProgram upgraded = in_environment("old", "2.12.0");
  EXPECT_EQ(state_of(stored, upgraded.interpreter), InterpreterState::kReplaceable);
  EXPECT_EQ(state_of(stored, new_torch.interpreter), InterpreterState::kMissing);
  fs::remove_all(folder / "old");
  EXPECT_EQ(state_of(stored, new_torch.interpreter), InterpreterState::kMissing);
  EXPECT_EQ(state_of(stored, in_environment("copy", "2.10.0").interpreter),
            InterpreterState::kReplaceable);
}

TEST_F(NightProgramTest, ScriptBesideThePackage_IsStored) {
  folder.write("train/step.py", "from stepbench_worker import measure\nimport shared\n");
  folder.write("python/stepbench_worker/__init__.py", "");
  commit();
  EXPECT_EQ(script("train/step.py").why_not, "");
}

TEST_F(NightProgramTest, ScriptWithoutItsImports_IsNotKept) {
  folder.write("train/step.py", "from shared import model\n");
  folder.write("shared/__init__.py", "");
  EXPECT_THAT(script("train/step.py").why_not, HasSubstr("is not in a git repository"));
  commit();
  const NightProgram outside = script("train/step.py");
  EXPECT_THAT(outside.why_not, HasSubstr("it imports shared, which lies in the repository"));
  EXPECT_EQ(store_program(store, outside, keep(), "box", kNow), outside.why_not);
  folder.write("train/step.py", "import torch\n");
  folder.write("train/weights.bin", std::string(kMaxProgramBytes, 'w'));
  commit();
  EXPECT_THAT(script("train/step.py").why_not, HasSubstr("more than 10.0 MiB"));
}

TEST_F(NightProgramTest, UnreferencedProgram_IsPruned) {
  const NightProgram first = program("#!/bin/sh\necho first\n");
  ASSERT_EQ(store_program(store, first, keep(), "box", kNow), "");
  const auto pruned = [&](bool dry_run) {
    return prune_programs(store, "box", keep(), kNow, dry_run);
  };
  EXPECT_TRUE(pruned(true).programs.at(0).removed);
  EXPECT_TRUE(fs::exists(keep() / first.build)) << "it was only said";
  EXPECT_EQ(pruned(false).bytes_after, 0U);
  EXPECT_FALSE(fs::exists(keep() / first.build));
  EXPECT_THAT(store.builds(), IsEmpty());
}

TEST_F(NightProgramTest, ForeignFolder_StaysAndIsForgotten) {
  folder.write("precious/thesis.txt", "years of work");
  store.store_build({.build_id = "precious",
                     .host = "box",
                     .worker = folder / "precious/thesis.txt",
                     .stored_utc = kNow});
  const PrunedPrograms pruned = prune_programs(store, "box", {}, kNow, false);
  EXPECT_THAT(pruned.notes, ElementsAre(HasSubstr("does not hold the program that was kept")));
  EXPECT_TRUE(fs::exists(folder / "precious/thesis.txt"));
  EXPECT_THAT(store.builds(), IsEmpty());
}

}  // namespace
}  // namespace stepbench::campaign
