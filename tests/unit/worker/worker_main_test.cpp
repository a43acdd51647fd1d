// SPDX-License-Identifier: Apache-2.0
// A worker program's arguments and exit status.
#include "harness/worker/worker_main.h"
#include "harness/base/error.h"
#include "harness/worker/process.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

using Mode = WorkerArguments::Mode;
WorkerArguments parse(std::vector<const char*> arguments) {
  return parse_worker_arguments(arguments);
}

TEST(WorkerArguments, FirstArgument_IsTheMode) {
  EXPECT_EQ(parse({}).mode, Mode::kHelp);
  EXPECT_EQ(parse({"--help"}).mode, Mode::kHelp);
  EXPECT_EQ(parse({"describe"}).mode, Mode::kDescribe);
  EXPECT_EQ(parse({"check"}).mode, Mode::kCheck);
}

TEST(WorkerArguments, Value_MayFollowAnEqualsSign) {
  EXPECT_EQ(parse({"--control-fd=3"}).control_descriptor, 3);
  EXPECT_EQ(parse({"--control-fd", "4"}).control_descriptor, 4);
  EXPECT_EQ(parse({"--case", "a b.json"}).case_file, "a b.json");
  EXPECT_EQ(parse({"--case=x"}).mode, Mode::kCaseFile);
}

TEST(WorkerArguments, Mistake_NamesTheArgument) {
  for (const auto& [argument, what] :
       {std::pair("--contrl-fd=3", "--contrl-fd=3: unknown argument; known:"),
        {"--control-fd=three", "expected a file descriptor, found 'three'"},
        {"--control-fd=-1", "found '-1'"},
        {"--case", "needs a value"}}) {
    EXPECT_THAT([&] { (void)parse({argument}); }, ThrowsMessage<ConfigError>(HasSubstr(what)));
  }
}

struct Ended {
  int exit_status = -1;
  std::string err;
};

Ended worker(std::vector<std::string> words, const WorkerFacts& facts = {}) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ended ended;
  ended.exit_status = worker_main(static_cast<int>(argv.size()), argv.data(), {}, {}, {}, facts);
  ended.err = ::testing::internal::GetCapturedStderr();
  (void)::testing::internal::GetCapturedStdout();
  return ended;
}

Fields broken_software() { throw std::logic_error("no version"); }

TEST(WorkerMain, CallerError_ExitsWithTwo) {
  EXPECT_EQ(worker({"bin/my-worker", "--no-such-flag"}).exit_status, 2);
  EXPECT_EQ(worker({"bin/my-worker", "--case", "/nowhere/case.json"}).exit_status, 2);
}

TEST(WorkerMain, OwnBug_ExitsWithSeventy) {
  const test::TemporaryFolder folder;
  folder.write("case.json", "{}");
  const Ended ended = worker({"bin/my-worker", "--case", (folder / "case.json").string()},
                             {.software = broken_software});
  EXPECT_EQ(ended.exit_status, 70);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("internal error in `my-worker --case`: no version "
                                         "(std::logic_error)"),
                               HasSubstr("please report it")));
}

TEST(WorkerMain, Describe_ExitsWithZero) {
  EXPECT_EQ(worker({"bin/my-worker", "describe"}).exit_status, 0);
}

}  // namespace
}  // namespace stepbench::worker
