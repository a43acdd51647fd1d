// SPDX-License-Identifier: Apache-2.0
// Uses real repositories, made by git for each test.
#include "harness/bisect/internal/repository.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "harness/base/error.h"
#include "harness/bisect/programs.h"
#include "harness/machine/environment.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::bisect {
namespace {

class RepositoryTest : public ::testing::Test {
 protected:
  void SetUp() override { git({"init", "-q", "-b", "main"}); }

  std::string git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", folder_.string(), "-c", "user.name=A", "-c",
                                 "user.email=a@b", "-c", "commit.gpgsign=false"});
    const os::CommandResult result = os::run_command(words, "", std::chrono::minutes(1));
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return std::string(os::trim(result.out));
  }
  // Returns its hash.
  std::string commit(const std::string& title, const std::string& text) {
    std::ofstream(folder_ / "file.txt") << text;
    git({"add", "-A"});
    git({"commit", "-q", "--allow-empty", "-m", title});
    return git({"rev-parse", "HEAD"});
  }
  std::vector<std::string> titles(const std::string& good, const std::string& bad) {
    std::vector<std::string> found;
    for (const Commit& each : Repository(folder_).commits_between(good, bad)) {
      found.push_back(each.title);
    }
    return found;
  }
  std::string refusal(const std::string& good, const std::string& bad) {
    return test::error_of<ConfigError>(
        [&] { (void)Repository(folder_).commits_between(good, bad); });
  }

  const test::TemporaryFolder own_folder_;
  const fs::path& folder_ = own_folder_.path();
};

TEST_F(RepositoryTest, CommitRange_ListsOldestFirst) {
  const std::string first = commit("first", "1");
  commit("third: with words", "3");
  git({"checkout", "-q", "-b", "topic"});
  commit("on the topic", "2");
  git({"checkout", "-q", "main"});
  git({"merge", "-q", "--no-ff", "-m", "merge of the topic", "topic"});
  EXPECT_THAT(titles(first, "main"),
              ElementsAre("first", "third: with words", "merge of the topic"));
}

TEST_F(RepositoryTest, InvalidEnds_AreRefusedWithTheReason) {
  const std::string first = commit("first", "1");
  commit("second", "2");
  EXPECT_THAT(refusal("nosuch", "main"), HasSubstr("nosuch: is not a commit, branch or tag"));
  EXPECT_THAT(refusal("main", first), HasSubstr("give the good commit first"));
  EXPECT_THAT(refusal("main", "HEAD"), HasSubstr("is the same commit"));
  EXPECT_THAT(refusal("--upload-pack=x", "HEAD"), HasSubstr("is not a commit"));
  commit("third", "3");
  const fs::path shallow = folder_ / "shallow";
  git({"clone", "-q", "--depth", "2", "file://" + folder_.string(), shallow.string()});
  EXPECT_THAT([&] { (void)Repository(shallow).commits_between(first, "main"); },
              ThrowsMessage<ConfigError>(HasSubstr("`git fetch --unshallow`")));
  git({"checkout", "-q", "--orphan", "other"});
  commit("elsewhere", "4");
  EXPECT_THAT(refusal("main", "other"), HasSubstr("has no commit in common with it"));
}

// Commits only on GOOD's side would otherwise count as part of the first commit of the line.
TEST_F(RepositoryTest, SideGoodEnd_NamesTheMergeBase) {
  const std::string base = commit("base", "1");
  git({"checkout", "-q", "-b", "release"});
  const std::string good = commit("faster, on the release", "2");
  git({"checkout", "-q", "main"});
  commit("a comment", "3");
  EXPECT_THAT(refusal("release", "main"),
              HasSubstr("their merge base on that line is " + base.substr(0, 12) + ", begin there"))
      << "beside the line";
  git({"merge", "-q", "--no-ff", "-X", "ours", "-m", "merge of the release", "release"});
  EXPECT_THAT(refusal("release", "main"),
              HasSubstr("release: is not on the line of first parents of main"));
  EXPECT_THAT(refusal(good, "main"), HasSubstr(base.substr(0, 12)));
  EXPECT_THAT(titles(base, "main"), ElementsAre("base", "a comment", "merge of the release"));
}

TEST_F(RepositoryTest, MergedBranch_IsItsOwnLine) {
  const std::string first = commit("first", "1");
  git({"checkout", "-q", "-b", "topic"});
  const std::string begun = commit("begun", "2");
  git({"checkout", "-q", "main"});
  commit("meanwhile", "3");
  git({"checkout", "-q", "topic"});
  git({"merge", "-q", "-X", "ours", "-m", "with the news of main", "main"});
  const std::string tip = commit("done", "4");
  git({"checkout", "-q", "main"});
  commit("later", "5");
  git({"merge", "-q", "--no-ff", "-X", "theirs", "-m", "merge of the topic", "topic"});
  const auto branch = Repository(folder_).branch_of("HEAD");
  ASSERT_TRUE(branch);
  EXPECT_EQ(branch->base, first);
  EXPECT_EQ(branch->tip, tip);
  EXPECT_THAT(titles(branch->base, branch->tip),
              ElementsAre("first", "begun", "with the news of main", "done"));
  EXPECT_FALSE(Repository(folder_).branch_of(begun)) << "no merge";
}

TEST_F(RepositoryTest, CheckOut_LeavesTheUsersTree) {
  const std::string first = commit("first", "1");
  commit("second", "2");
  std::ofstream(folder_ / "file.txt") << "changed and not committed";
  const Repository repository(folder_);
  const fs::path tree = folder_ / "trees" / "first";
  fs::create_directories(tree.parent_path());
  repository.check_out(first, tree);
  EXPECT_EQ(os::read_text(tree / "file.txt"), "1");
  EXPECT_EQ(commit_of_tree(tree), first);
  repository.check_out(first, tree);  // left by a killed search
  // Simulates git killed between writing its note of the tree and the tree.
  std::ofstream(folder_ / ".git/worktrees/first/locked") << "initializing";
  fs::remove_all(tree);
  repository.check_out(first, tree);
  EXPECT_EQ(os::read_text(tree / "file.txt"), "1");
  repository.remove(tree);
  EXPECT_FALSE(fs::exists(tree));
  EXPECT_EQ(os::read_text(folder_ / "file.txt"), "changed and not committed");
  EXPECT_EQ(git({"worktree", "list"}).find('\n'), std::string::npos);
}

TEST_F(RepositoryTest, DeadSearchTrees_AreRemoved) {
  const std::string first = commit("first", "1");
  const Repository repository(folder_);
  const auto trees = [&] { return git({"worktree", "list"}); };
  for (const char* name : {"killed", "gone", "half"}) {
    const pid_t search = ::fork();
    if (search == 0) {
      repository.check_out(first, folder_ / name);
      ::_exit(0);
    }
    ASSERT_EQ(::waitpid(search, nullptr, 0), search);
  }
  fs::remove_all(folder_ / "gone");
  git({"worktree", "add", "-q", "--detach", (folder_ / "users").string()});
  git({"worktree", "add", "-q", "--detach", "--lock", (folder_ / "locked").string()});
  git({"worktree", "add", "-q", "--detach", "--lock", "--reason",
       "stepbench bisect, 1.1 on " + machine::host_name("/") + " in pid:[1]",
       (folder_ / "container").string()});
  git({"worktree", "add", "-q", "--detach", (folder_ / "away").string()});
  fs::remove_all(folder_ / "away");  // perhaps on a disk that is not mounted now
  repository.check_out(first, folder_ / "ours");
  // Simulates git killed while writing this entry: commands on trees then fail.
  std::ofstream(folder_ / ".git/worktrees/half/commondir").flush();
  Repository(folder_ / "ours").remove_left();
  for (const char* left : {"users", "locked", "container", "away", "ours"}) {
    EXPECT_THAT(trees(), HasSubstr((folder_ / left).string()));
  }
  for (const char* removed : {"killed", "gone", "half"}) {
    EXPECT_THAT(trees(), Not(HasSubstr((folder_ / removed).string())));
    EXPECT_FALSE(fs::exists(folder_ / removed));
  }
}

TEST_F(RepositoryTest, HookVariables_LeaveTheUsersIndex) {
  const std::string first = commit("first", "1");
  commit("second", "2");
  ::setenv("GIT_INDEX_FILE", (folder_ / ".git/index").c_str(), 1);
  ::setenv("GIT_DIR", (folder_ / ".git").c_str(), 1);
  const Repository repository(folder_);
  repository.check_out(first, folder_ / "tree");
  EXPECT_EQ(commit_of_tree(folder_ / "tree"), first);
  repository.remove(folder_ / "tree");
  ::unsetenv("GIT_INDEX_FILE");
  ::unsetenv("GIT_DIR");
  EXPECT_EQ(git({"status", "--porcelain", "--untracked-files=no"}), "");
}

TEST_F(RepositoryTest, OddSettings_KeepTitles) {
  const std::string first = commit("first", "1");
  commit("zweit\xC3\xA4", "2");
  git({"config", "i18n.logOutputEncoding", "UTF-16"});
  git({"config", "color.ui", "always"});
  EXPECT_THAT(titles(first, "main"), ElementsAre("first", "zweit\xC3\xA4"));
}

TEST_F(RepositoryTest, RefusedCheckOut_NamesTheHook) {
  const std::string first = commit("first", "1");
  std::ofstream(folder_ / ".git/hooks/post-checkout") << "#!/bin/sh\nexit 3\n";
  fs::permissions(folder_ / ".git/hooks/post-checkout", fs::perms::owner_all);
  EXPECT_THAT(
      [&] { Repository(folder_).check_out(first, folder_ / "tree"); },
      ThrowsMessage<ConfigError>(HasSubstr("exit status 3; perhaps of the repository's hook")));
  EXPECT_THAT(refusal("^main", "main"), HasSubstr("name it without ^"));
}

class ProgramsTest : public RepositoryTest {
 protected:
  BuiltProgram built(const std::string& command, const std::string& worker = "") {
    const Repository repository(folder_);
    Programs programs({.command = command, .worker = worker}, &repository, folder_ / "search",
                      [this](const std::string& words) { said_.push_back(words); });
    return programs.of({{.id = git({"rev-parse", "HEAD"})}});
  }
  std::vector<std::string> said_;
};

constexpr const char* kMakesWorker =
    "mkdir -p out && cp file.txt out/stepbench-worker && chmod +x out/stepbench-worker";

TEST_F(ProgramsTest, OnlyWorker_IsBuiltOnce) {
  commit("first", "#!/bin/sh\n");
  const BuiltProgram first = built(kMakesWorker);
  EXPECT_EQ(first.why_not, "");
  EXPECT_EQ(os::read_text(first.worker), "#!/bin/sh\n");
  EXPECT_THAT(said_, SizeIs(1));
  EXPECT_EQ(built(kMakesWorker).worker, first.worker);
  EXPECT_THAT(said_, SizeIs(1));
  EXPECT_FALSE(fs::exists(folder_ / "search" / "trees"));
  commit("with a library", "#!/bin/sh\n");
  const BuiltProgram program =
      built(std::string(kMakesWorker) + " && echo lib > out/lib.so", "out");
  EXPECT_EQ(os::read_text(program.worker.parent_path() / "lib.so"), "lib\n");
}

TEST_F(ProgramsTest, MissingProgram_ReportsTheCause) {
  commit("first", "#!/bin/sh\n");
  EXPECT_EQ(built("echo 'no rule to make target' >&2; exit 2").why_not,
            "the build failed with exit status 2: no rule to make target");
  EXPECT_THAT(built("true").why_not,
              HasSubstr("produced no stepbench-worker; name the program by --worker PATH"));
  EXPECT_THAT(built(std::string(kMakesWorker) + " && cp -r out again").why_not,
              HasSubstr("produced several programs"));
  EXPECT_THAT(built("true", "bin/mine").why_not, HasSubstr("produced no program"));
  EXPECT_THAT(built("git commit -q --allow-empty -m x --author='A <a@b>' || true; git checkout -q "
                    "--orphan y; git -c user.name=A -c user.email=a@b commit -q -m z")
                  .why_not,
              HasSubstr("checked out another commit"));
  EXPECT_THAT(built("read answer || echo nobody answers >&2; test \"$answer\"").why_not,
              HasSubstr("nobody answers"));
}

TEST_F(ProgramsTest, LargeLogOrProgram_IsCut) {
  commit("first", "#!/bin/sh\n");
  const BuiltProgram program =
      built("yes | head -c 30000000; " + std::string(kMakesWorker) + "; truncate -s 100M out/large",
            "out");
  EXPECT_EQ(program.why_not, "");
  const fs::path logs = folder_ / "search" / "logs";
  EXPECT_LT(fs::file_size(fs::directory_iterator(logs)->path()), 10'000'000U);
  struct stat large {};
  ASSERT_EQ(::stat((program.worker.parent_path() / "large").c_str(), &large), 0);
  EXPECT_EQ(large.st_size, 100 << 20);
  EXPECT_LT(large.st_blocks, 1000);
}

TEST_F(ProgramsTest, HostileFolderName_RunsNothing) {
  commit("first", "#!/bin/sh\n");
  const std::string id = git({"rev-parse", "HEAD"});
  const Repository repository(folder_);
  for (const std::string& name : {std::string("my project"), std::string("pr-7$(touch mark)")}) {
    Programs programs({.command = "mkdir {worktree}/out && cp '{worktree}/file.txt' "
                                  "\"{worktree}/out/stepbench-worker\" && chmod +x out/*"},
                      &repository, folder_ / name, [](const std::string&) {});
    const BuiltProgram program = programs.of({{.id = id}});
    EXPECT_EQ(program.why_not, "");
    EXPECT_FALSE(fs::exists("mark"));
    EXPECT_FALSE(fs::exists(program.worker.parent_path() / "mark"));
  }
}

TEST_F(ProgramsTest, FailedCheckOut_ReportsTheCause) {
  commit("first", "1");
  const Repository repository(folder_);
  Programs programs({.command = "true"}, &repository, folder_ / "search",
                    [](const std::string&) {});
  EXPECT_THAT(programs.of({{.id = std::string(40, '1')}}).why_not,
              HasSubstr("cannot be checked out"));
}

// Each waits for the other to have started.
TEST_F(ProgramsTest, Builds_RunInParallel) {
  commit("first", "first");
  commit("second", "second");
  commit("third", "broken");
  const fs::path met = folder_ / "met";
  fs::create_directories(met);
  const std::string command =
      "grep -q broken file.txt && { echo 'does not compile' >&2; exit 2; }; touch " + met.string() +
      "/$(cat file.txt); i=0; until test -e " + met.string() + "/first && test -e " + met.string() +
      "/second; do sleep 0.05; i=$((i + 1)); test $i -lt 12000 || exit 3; done; " +
      std::string(kMakesWorker);
  const Repository repository(folder_);
  Programs programs({.command = command}, &repository, folder_ / "search",
                    [this](const std::string& words) { said_.push_back(words); });
  std::vector<Build> commits;
  for (const char* name : {"HEAD~2", "HEAD~1", "HEAD"}) {
    commits.push_back({{.id = git({"rev-parse", name})}});
  }
  programs.build_in_parallel(commits);
  EXPECT_EQ(os::read_text(programs.of(commits[0]).worker), "first");
  EXPECT_EQ(os::read_text(programs.of(commits[1]).worker), "second");
  EXPECT_EQ(programs.of(commits[2]).why_not,
            "the build failed with exit status 2: does not compile");
  EXPECT_EQ(programs.builds(), 3U);
  EXPECT_THAT(said_, SizeIs(1)) << "nothing is built twice, not even what failed";
  EXPECT_EQ(git({"worktree", "list"}).find('\n'), std::string::npos);
}

TEST_F(ProgramsTest, Commit_IsFilledIn) {
  const std::string id = commit("first", "#!/bin/sh\n");
  const Repository repository(folder_);
  Programs programs({.command = "test $(basename {worktree}) = $(echo {commit} | cut -c1-12) && " +
                                std::string(kMakesWorker)},
                    &repository, folder_ / "search", [](const std::string&) {});
  EXPECT_EQ(programs.of({{.id = id}}).why_not, "");
  EXPECT_FALSE(programs.has_layout({{.id = id}})) << "a script";
  EXPECT_EQ(filled_in("a={worktree}/b:{commit}", {.id = id}, "/t"), "a=/t/b:" + id);
}

TEST_F(ProgramsTest, Rebuild_HasItsOwnLayout) {
  const std::string id = commit("first", "int f() { return 0; }\nint main() { return f(); }\n");
  const Repository repository(folder_);
  Programs programs({.command = "c++ -x c++ file.txt -o stepbench-worker"}, &repository,
                    folder_ / "search", [](const std::string&) {});
  const Build first{{.id = id}};
  const Build second{{.id = id}, 1};
  EXPECT_EQ(programs.of(first).why_not, "");
  EXPECT_TRUE(programs.has_layout(first));
  const BuiltProgram copy = programs.of(second);
  EXPECT_EQ(copy.why_not, "");
  EXPECT_TRUE(programs.is_layout_redrawn(second));
  EXPECT_EQ(os::run_command({copy.worker.string()}, "", std::chrono::minutes(1)).exit_status, 0);
  EXPECT_EQ(programs.builds(), 2U);
}

TEST_F(ProgramsTest, LinkerElsewhere_IsReported) {
  const std::string id = commit("first", "int main() { return 0; }\n");
  const Repository repository(folder_);
  Programs programs({.command = "unset COMPILER_PATH; c++ -x c++ file.txt -o stepbench-worker"},
                    &repository, folder_ / "search", [](const std::string&) {});
  const Build second{{.id = id}, 1};
  EXPECT_EQ(programs.of({{.id = id}}).why_not, "");
  EXPECT_EQ(programs.of(second).why_not, "");
  EXPECT_FALSE(programs.is_layout_redrawn(second));
}

TEST(Programs, Versions_KeepTheirEnvironments) {
  const test::TemporaryFolder folder;
  std::vector<std::string> said;
  for (int time = 0; time < 2; ++time) {
    Programs programs({.command = "echo {version} > {worktree}/made", .keep_trees = true}, nullptr,
                      folder.path(), [&](const std::string& words) { said.push_back(words); });
    const BuiltProgram program = programs.of({{.id = "2.10.0"}});
    EXPECT_EQ(program.why_not, "");
    EXPECT_EQ(os::read_text(program.tree / "made"), "2.10.0\n");
  }
  EXPECT_THAT(said, SizeIs(1));
}

}  // namespace
}  // namespace stepbench::bisect
