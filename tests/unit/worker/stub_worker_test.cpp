// SPDX-License-Identifier: Apache-2.0
// A real worker process on a socket, as seen by the controller. tests/unit/run/faults_test.cpp
// tests its failures.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <variant>
#include <vector>

#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"

namespace stepbench::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// All messages of the stub for one case until it closes its end; it must exit with 0.
std::vector<protocol::WorkerMessage> messages_of(
    const std::vector<std::pair<std::string, Value>>& options) {
  protocol::CaseMessage message;
  message.resolved.case_id = "00000000000000aa";
  message.resolved.workload = "stub";
  message.resolved.options["schedule.warmup"] = std::int64_t{1};
  message.resolved.options["schedule.active"] = std::int64_t{4};
  for (const auto& [name, value] : options) message.resolved.options[name] = value;
  int ends[2] = {};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const std::string control = "--control-fd=" + std::to_string(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::fcntl(ends[1], F_SETFD, 0);
    ::execl(STUB_WORKER, STUB_WORKER, control.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  EXPECT_TRUE(protocol::write_line(ends[0], protocol::encode(message)));
  protocol::LineReader reader(ends[0]);
  std::vector<protocol::WorkerMessage> out;
  while (const auto line = reader.next()) out.push_back(protocol::decode_worker(*line));
  ::close(ends[0]);
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  return out;
}

Series steps_of(const std::vector<std::pair<std::string, Value>>& options) {
  for (const protocol::WorkerMessage& message : messages_of(options)) {
    if (const auto* samples = std::get_if<record::CycleSamples>(&message)) return samples->steps;
  }
  return {};
}

TEST(StubWorker, ScriptedTime_IsExact) {
  const auto messages = messages_of({});
  EXPECT_TRUE(std::holds_alternative<protocol::Hello>(messages.front()));
  EXPECT_TRUE(std::holds_alternative<record::LaunchReport>(messages.back()));
  EXPECT_THAT(steps_of({{"stub.step_us", 2.5}}).column("step_ns"),
              ElementsAre(2500, 2500, 2500, 2500));
  EXPECT_THAT(steps_of({{"stub.epoch_steps", std::int64_t{2}}}).column("flags"),
              ElementsAre(1, 0, 1, 0));
}

TEST(StubWorker, Jitter_ComesFromTheSeed) {
  const auto steps = [](std::int64_t seed) {
    return steps_of({{"stub.jitter", 0.1}, {"seed", seed}}).column("step_ns");
  };
  EXPECT_EQ(steps(1), steps(1));
  EXPECT_NE(steps(1), steps(2));
}

TEST(StubWorker, WrongOption_IsNamed) {
  const auto messages = messages_of({{"schedule.active", std::int64_t{0}}});
  const auto* failed = std::get_if<protocol::FailedMessage>(&messages.back());
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->message, HasSubstr("schedule.active must be at least 1"));
}

}  // namespace
}  // namespace stepbench::worker
