// SPDX-License-Identifier: Apache-2.0
// Runs `stepbench data` as a program.
#include <sys/stat.h>

#include <chrono>

#include "harness/os/process.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

class DataCommand : public ::testing::Test {
 protected:
  DataCommand() {
    EXPECT_EQ(data({"make", "jpeg_folder", "--images", "12", "--classes", "3", "--width", "24",
                    "--height", "24", "--out", (root / "set").string()})
                  .exit_status,
              0);
  }

  [[nodiscard]] static os::CommandResult data(std::vector<std::string> words) {
    words.insert(words.begin(), {STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "data"});
    return os::run_command(words, "", std::chrono::minutes(10));
  }
  // An experiment over the set, with `more` appended.
  [[nodiscard]] os::CommandResult show(const std::string& more, std::vector<std::string> words = {},
                                       const std::string& workload = "loader") const {
    root.write("x.yaml", "name: x\nworkload: " + workload + "\ndata: {kind: jpeg_folder, path: \"" +
                             (root / "set").string() +
                             "\", image_size: 16}\n"
                             "loader: {engine: thread, num_workers: 2, batch_size: 4}\n" +
                             more);
    words.insert(words.begin(), {"show", (root / "x.yaml").string()});
    return data(words);
  }

  test::TemporaryFolder root;
};

TEST_F(DataCommand, Pictures_NeverOverwriteAFile) {
  const std::string folder = root / "new/seen";
  const os::CommandResult shown = show("", {"--png", folder});
  EXPECT_THAT(shown.out, HasSubstr("new/seen: 8 pictures")) << shown.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 8);
  const os::CommandResult again = show("", {"--png", folder});
  EXPECT_EQ(again.exit_status, 2);
  EXPECT_THAT(again.err, HasSubstr("-000.png: already exists; nothing is overwritten"));
  EXPECT_EQ(again.out, "");
}

TEST_F(DataCommand, DifferingData_NeedsACase) {
  const std::string sweep = "sweep: {matrix: {data.image_size: [16, 32]}}\n";
  const os::CommandResult shown = show(sweep);
  EXPECT_EQ(shown.exit_status, 2);
  EXPECT_THAT(shown.err, AllOf(HasSubstr("--case: the cases differ in the data that they read"),
                               HasSubstr("data.image_size=32")));
  const std::size_t line = shown.err.find("data.image_size=32");
  const std::string id = shown.err.substr(line - 18, 16);
  EXPECT_THAT(show(sweep, {"--case", id}).out, HasSubstr("[4, 3, 32, 32]"));
  EXPECT_THAT(show("sweep: {matrix: {loader.num_workers: [1, 2]}}\n").out,
              HasSubstr("one of 2; all of them read the same samples"));
}

TEST_F(DataCommand, BadData_IsNamed) {
  root.write("set/class_00000/broken.jpg", "\xff\xd8\xff no more");
  const os::CommandResult broken = show("");
  EXPECT_EQ(broken.exit_status, 2);
  EXPECT_THAT(broken.err, HasSubstr("class_00000/broken.jpg: "));
  EXPECT_THAT(show("", {"--set", "data.on_error=skip"}).out,
              HasSubstr("could not be read, and the next took its place"));
  fs::remove(root / "set/class_00000/broken.jpg");
  fs::create_symlink("nowhere", root / "set/class_00000/gone.jpg");
  EXPECT_THAT(show("").out, HasSubstr("note: 1 of 13 files is left out: 1 dangling link"));
}

// A foreign worker with its own loader; `answer` is its command when asked for data.
std::string foreign_worker(const std::string& answer) {
  return R"(#!/bin/sh
case $1 in
  describe) cat <<'END'
{"stepbench_catalogue": 1, "sections": [
{"name": "data", "doc": "own", "options": [{"name": "kind", "doc": "own", "type": "string", "default": "own"}]},
{"name": "loader", "doc": "own", "options": [{"name": "batch_size", "doc": "own", "type": "integer", "default": 4}]}],
"workloads": [{"name": "reader", "doc": "own", "sections": ["data", "loader"], "phases": [], "metrics": []},
{"name": "adder", "doc": "own", "sections": [], "phases": [], "metrics": []}]}
END
  ;;
  data) )" +
         answer + " ;;\n  *) exit 2 ;;\nesac\n";
}

TEST_F(DataCommand, OtherWorker_IsAskedAndQuoted) {
  const auto ask = [&](const std::string& answer, const std::string& workload) {
    root.write("worker", foreign_worker(answer));
    ::chmod((root / "worker").c_str(), 0755);
    root.write("own.yaml", "name: own\nworkload: " + workload + "\n");
    return data({"show", root / "own.yaml", "--worker", root / "worker"});
  };
  EXPECT_EQ(ask("head -n 1 | grep -o '\"loader.batch_size\":4'", "reader").out,
            "\"loader.batch_size\":4\n");
  const os::CommandResult unknown = ask("echo 'data: unknown argument' >&2; exit 2", "reader");
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("worker data: data: unknown argument"));
  EXPECT_THAT(ask("echo 'disk gone' >&2; exit 3", "reader").err,
              HasSubstr("worker data: disk gone"));
  EXPECT_THAT(ask("exit 0", "adder").err, HasSubstr("has no case with a DataLoader"));
}

}  // namespace
}  // namespace stepbench
