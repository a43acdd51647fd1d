// SPDX-License-Identifier: Apache-2.0
// One launch of a scripted worker: a shell that writes to descriptor 3.
#include "harness/run/internal/worker_launch.h"

#include <unistd.h>

#include <csignal>

#include "harness/base/error.h"
#include "harness/run/internal/worker_process.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

constexpr const char* kHello =
    "echo '{\"kind\":\"hello\",\"protocol\":[1,1],\"build_id\":\"b\",\"pid\":1}' >&3; read line "
    "<&3; ";
constexpr const char* kSkipped = "echo '{\"kind\":\"skipped\",\"reason\":\"said so\"}' >&3; ";

class LaunchOfAScript : public ::testing::Test {
 protected:
  LaunchOfAScript() { become_subreaper(); }

  LaunchResult launch(const std::string& script, const fs::path& root = "/") {
    LaunchRequest request;
    request.spawn = {{"sh", "-c", script},
                     {{"PATH", "/usr/bin:/bin"}, {"MARK", "set by the launcher"}}};
    request.spawn.data_bytes = data_bytes_;
    request.limits = limits_;
    Interrupts interrupts;
    const HostClock clock;
    return run_launch(request, {.clock = clock, .interrupts = interrupts, .root = root});
  }

  const test::TemporaryFolder folder_;
  LaunchLimits limits_;
  std::optional<std::int64_t> data_bytes_ = {};
};

TEST_F(LaunchOfAScript, FinalLine_IsTheOutcome) {
  const LaunchResult result = launch(std::string{kHello} + kSkipped);
  EXPECT_EQ(result.outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_EQ(result.outcome.reason, "said so");
  EXPECT_EQ(result.hello->build_id, "b");
}

TEST_F(LaunchOfAScript, DescriptorsAndEnvironment_AreSet) {
  const LaunchResult result = launch(
      "readlink /proc/$$/fd/0; echo $MARK; [ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo leader; "
      "exec ls /proc/self/fd");
  EXPECT_EQ(result.output, "/dev/null\nset by the launcher\nleader\n0\n1\n2\n3\n4\n5\n")
      << "5 is the folder that ls reads";
}

TEST_F(LaunchOfAScript, DataLimit_IsSet) {
  data_bytes_ = std::int64_t{64} << 20;
  const LaunchResult result = launch("ulimit -d; ulimit -d unlimited || echo refused; exit 1");
  EXPECT_THAT(result.output, HasSubstr("65536\n"));
  EXPECT_THAT(result.output, HasSubstr("refused"));
}

TEST_F(LaunchOfAScript, MemoryLimit_EndsTheTree) {
  limits_.memory_bytes = 1;
  const LaunchResult result = launch(std::string{kHello} + "exec sleep 1000");
  EXPECT_EQ(result.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(result.outcome.reason, StartsWith("out of memory: it held "));
  EXPECT_THAT(result.outcome.reason, HasSubstr("more than 1.00 B"));
}

TEST_F(LaunchOfAScript, Grandchildren_AreReaped) {
  const auto pid_file = folder_ / "pid";
  static_cast<void>(launch(std::string{kHello} + "setsid sh -c 'echo $$ > " + pid_file.string() +
                           "; exec sleep 1000' & while [ ! -s " + pid_file.string() +
                           " ]; do :; done; " + kSkipped));
  std::ifstream in{pid_file};
  pid_t grandchild = 0;
  in >> grandchild;
  ASSERT_GT(grandchild, 0);
  EXPECT_EQ(::kill(grandchild, 0), -1);
}

TEST_F(LaunchOfAScript, UnfinishedLastLine_IsReported) {
  const LaunchResult result =
      launch(std::string{kHello} + "printf '{\"kind\":\"lau' >&3; kill -9 $$");
  EXPECT_THAT(result.outcome.reason, HasSubstr("killed by SIGKILL"));
  EXPECT_THAT(result.outcome.reason, HasSubstr("its last line is cut off"));
}

TEST_F(LaunchOfAScript, CrashAfterTheFinalLine_IsANote) {
  const LaunchResult result = launch(std::string{kHello} + kSkipped + "kill -11 $$");
  EXPECT_EQ(result.outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_THAT(result.report.notes.at(0),
              HasSubstr("after its final line the worker was killed by SIGSEGV"));
}

TEST_F(LaunchOfAScript, LingeringWorker_IsKilled) {
  limits_.tear_down_ns = 200'000'000;
  const LaunchResult result = launch(std::string{kHello} + kSkipped + "exec sleep 1000");
  EXPECT_EQ(result.outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_THAT(result.report.notes.at(0), HasSubstr("did not exit"));
}

TEST_F(LaunchOfAScript, ClosedSocket_IsNoDeath) {
  limits_.set_up_ns = 300'000'000;
  const LaunchResult result = launch("exec 3>&- 3<&-; exec sleep 1000");
  EXPECT_THAT(result.outcome.reason, HasSubstr("no message for"));
}

TEST_F(LaunchOfAScript, StoppedBySignal_EndsEarly) {
  EXPECT_LE(limits_.stopped_ns, 15'000'000'000);
  limits_.stopped_ns = 0;
  const LaunchResult result = launch(std::string{kHello} + "kill -STOP $$; exit 7");
  EXPECT_THAT(result.outcome.reason, HasSubstr("timed out: a signal stopped it"));
}

TEST_F(LaunchOfAScript, SleepOfThisProgram_KillsNothing) {
  // Jumps when the file `waits` exists, and makes a file `jumped` when the launch has seen it.
  class JumpingClock final : public Clock {
   public:
    explicit JumpingClock(fs::path folder) : folder_(std::move(folder)) {}
    [[nodiscard]] std::int64_t now_ns() const noexcept override {
      constexpr int kReadsOfSomeTurns = 20;
      constexpr std::int64_t kHour = 3600 * kNsPerS;
      std::error_code error;
      if (reads_ == 0 && !fs::exists(folder_ / "waits", error)) return host_.now_ns();
      if (++reads_ == kReadsOfSomeTurns) std::ofstream{folder_ / "jumped"};
      return host_.now_ns() + kHour;
    }

   private:
    fs::path folder_;
    HostClock host_;
    mutable int reads_ = 0;
  };
  const JumpingClock clock(folder_.path());
  Interrupts interrupts;
  LaunchRequest request;
  request.spawn = {{"sh", "-c",
                    std::string{kHello} + "cd " + folder_.path().string() +
                        "; : > waits; while [ ! -e jumped ]; do sleep 0.02; done; " + kSkipped},
                   {{"PATH", "/usr/bin:/bin"}}};
  const LaunchResult result = run_launch(request, {.clock = clock, .interrupts = interrupts});
  EXPECT_EQ(result.outcome.kind, Outcome::Kind::kSkipped) << result.outcome.reason;
  EXPECT_GT(result.wall_ns, 3600 * kNsPerS) << "the clock did jump";
}

TEST_F(LaunchOfAScript, MissingProgram_IsAUserError) {
  Interrupts interrupts;
  const HostClock clock;
  LaunchRequest request;
  request.spawn = {{"/nowhere/worker"}, {}};
  EXPECT_THROW(static_cast<void>(run_launch(request, {.clock = clock, .interrupts = interrupts})),
               ConfigError);
}

TEST_F(LaunchOfAScript, KernelOom_IsReadFromTheCgroup) {
  fs::create_directories(folder_ / "proc/self");
  fs::create_directories(folder_ / "sys/fs/cgroup");
  std::ofstream{folder_ / "proc/self/cgroup"} << "0::/\n";
  std::ofstream{folder_ / "sys/fs/cgroup/cgroup.controllers"} << "cpu memory\n";
  std::ofstream{folder_ / "sys/fs/cgroup/memory.max"} << (64 << 20) << '\n';
  const auto events = folder_ / "sys/fs/cgroup/memory.events";
  std::ofstream{events} << "oom 0\noom_kill 4\n";
  const LaunchResult result = launch(
      std::string{kHello} + "printf 'oom 1\\noom_kill 5\\n' > " + events.string() + "; kill -9 $$",
      folder_.path());
  EXPECT_EQ(result.outcome.reason,
            "the worker was killed by the kernel for lack of memory (the limit of its control "
            "group is 64 MiB) "
            "without a final line");
  const LaunchResult of_child = launch(
      std::string{kHello} + "printf 'oom 2\\noom_kill 6\\n' > " + events.string() +
          R"(; echo '{"kind":"failed","message":"a loader worker is gone","stage":"active"}' >&3)",
      folder_.path());
  EXPECT_EQ(of_child.outcome.reason,
            "a loader worker is gone; a process of its control group was killed for lack of "
            "memory (the limit of its control group is 64 MiB)");
}

TEST(Limits, SilentCycle_AllowsEachStepsLimit) {
  ResolvedCase resolved;
  resolved.options = {{"limits.step_s", Value{0.5}},
                      {"limits.wall_s", Value{std::int64_t{7}}},
                      {"schedule.active", Value{std::int64_t{50}}},
                      {"schedule.warmup", Value{std::int64_t{10}}}};
  const LaunchLimits limits = limits_of(resolved);
  EXPECT_EQ(StallWatch{limits.stall}.silence_ns(), 30 * kNsPerS);
  EXPECT_EQ(limits.wall_ns, 7 * kNsPerS);
  EXPECT_EQ(limits.set_up_ns, 120 * kNsPerS);
}

}  // namespace
}  // namespace stepbench::run
