// SPDX-License-Identifier: Apache-2.0
// A real worker process on a socket, as the controller sees it.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "harness/base/error.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"
#include "tests/unit/worker/worker_process.h"

namespace stepbench::worker {
namespace {

using testing::HasSubstr;

class Worker : public WorkerProcess {
 public:
  explicit Worker(const std::vector<std::pair<std::string, Value>>& options)
      : WorkerProcess({STUB_WORKER}, message_with(options)) {}

 private:
  static protocol::CaseMessage message_with(
      const std::vector<std::pair<std::string, Value>>& options) {
    protocol::CaseMessage message;
    message.resolved.case_id = "00000000000000aa";
    message.resolved.workload = "stub";
    message.resolved.options["schedule.warmup"] = std::int64_t{1};
    message.resolved.options["schedule.active"] = std::int64_t{4};
    for (const auto& [name, value] : options) message.resolved.options[name] = value;
    return message;
  }
};

Value text(const char* value) { return std::string(value); }

TEST(StubWorker, MeasuresInScriptedTimeExactly) {
  Worker worker({{"stub.step_us", 2.5}});
  const auto messages = worker.listen();
  ASSERT_TRUE(std::holds_alternative<protocol::Hello>(messages.front()));
  const auto samples = all_of<record::CycleSamples>(messages);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].steps.names[1], "step_ns");
  EXPECT_THAT(samples[0].steps.columns[1], testing::ElementsAre(2500, 2500, 2500, 2500));
  EXPECT_TRUE(std::holds_alternative<record::LaunchReport>(messages.back()));
  EXPECT_EQ(worker.wait(), 0);
}

TEST(StubWorker, EpochBordersAreFlagged) {
  Worker worker({{"stub.epoch_steps", std::int64_t{2}}});
  const auto samples = all_of<record::CycleSamples>(worker.listen());
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].steps.names.back(), "flags");
  EXPECT_THAT(samples[0].steps.columns.back(), testing::ElementsAre(1, 0, 1, 0));
}

TEST(StubWorker, JitterComesFromTheSeed) {
  const auto steps = [](std::int64_t seed) {
    Worker worker({{"stub.jitter", 0.1}, {"seed", seed}});
    return all_of<record::CycleSamples>(worker.listen()).at(0).steps.columns.at(1);
  };
  EXPECT_EQ(steps(1), steps(1));
  EXPECT_NE(steps(1), steps(2));
}

TEST(StubWorker, SkipsWithAReason) {
  Worker worker({{"stub.behaviour", text("skip")}});
  const auto messages = worker.listen();
  EXPECT_TRUE(std::holds_alternative<protocol::SkippedMessage>(messages.back()));
}

TEST(StubWorker, FailsInTheStageThatThrew) {
  using protocol::Stage;
  for (const auto& [behaviour, stage] :
       {std::pair{"throw_in_set_up", Stage::kSetUp}, std::pair{"throw_in_step", Stage::kActive},
        std::pair{"throw_in_tear_down", Stage::kTearDown},
        std::pair{"nested_phases", Stage::kActive}}) {
    Worker worker({{"stub.behaviour", text(behaviour)}, {"stub.at_step", std::int64_t{4}}});
    const auto messages = worker.listen();
    const auto* failed = std::get_if<protocol::FailedMessage>(&messages.back());
    ASSERT_NE(failed, nullptr) << behaviour;
    EXPECT_EQ(failed->stage, stage) << behaviour;
    EXPECT_EQ(worker.wait(), 0) << behaviour;
  }
}

TEST(StubWorker, DiesAsScriptedWithoutAFinalLine) {
  for (const auto& [behaviour, signal] :
       {std::pair{"segfault", SIGSEGV}, std::pair{"abort", SIGABRT},
        std::pair{"kill_self", SIGKILL}, std::pair{"oom", SIGKILL}}) {
    Worker worker({{"stub.behaviour", text(behaviour)}});
    const auto messages = worker.listen();
    EXPECT_TRUE(std::holds_alternative<protocol::StageMessage>(messages.back())) << behaviour;
    const int status = worker.wait();
    ASSERT_TRUE(WIFSIGNALED(status)) << behaviour;
    EXPECT_EQ(WTERMSIG(status), signal) << behaviour;
  }
}

TEST(StubWorker, ExitsWithoutAFinalLine) {
  for (const auto& [behaviour, code] : {std::pair{"exit_3", 3}, std::pair{"no_final_line", 0}}) {
    Worker worker({{"stub.behaviour", text(behaviour)}});
    const auto messages = worker.listen();
    EXPECT_TRUE(std::holds_alternative<protocol::StageMessage>(messages.back())) << behaviour;
    const int status = worker.wait();
    ASSERT_TRUE(WIFEXITED(status)) << behaviour;
    EXPECT_EQ(WEXITSTATUS(status), code) << behaviour;
  }
}

TEST(StubWorker, BreaksTheProtocol) {
  for (const char* behaviour : {"garbage", "flood_protocol"}) {
    Worker worker({{"stub.behaviour", text(behaviour)}});
    EXPECT_THROW((void)worker.listen(), Error) << behaviour;
  }
}

TEST(StubWorker, ComesFromTheFuture) {
  Worker worker({{"stub.behaviour", text("future_protocol")}});
  protocol::LineReader reader(worker.socket());
  const auto line = reader.next();
  ASSERT_TRUE(line.has_value());
  const auto hello = std::get<protocol::Hello>(protocol::decode_worker(*line));
  EXPECT_THROW((void)protocol::agree(protocol::kSupported, hello.protocol), Error);
}

TEST(StubWorker, HangsUntilItIsKilled) {
  Worker worker({{"stub.behaviour", text("hang_in_step")}, {"stub.at_step", std::int64_t{3}}});
  protocol::LineReader reader(worker.socket());
  std::string last;
  while (last.find("\"active\"") == std::string::npos) last = reader.next().value();
}  // the destructor kills it; without that the test would not end

TEST(StubWorker, MarksEachLaunch) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("stub_marker_" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  for (int i = 0; i < 2; ++i) {
    Worker worker({{"stub.marker", file.string()}});
    (void)worker.listen();
  }
  std::ifstream in(file);
  const std::string marks{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(marks, "00000000000000aa 0 0\n00000000000000aa 0 0\n");
  std::filesystem::remove(file);
}

TEST(StubWorker, NamesAnOptionThatIsWrong) {
  Worker worker({{"schedule.active", std::int64_t{0}}});
  const auto messages = worker.listen();
  const auto* failed = std::get_if<protocol::FailedMessage>(&messages.back());
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->message, HasSubstr("schedule.active must be at least 1"));
}

}  // namespace
}  // namespace stepbench::worker
