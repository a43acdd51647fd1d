// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_session.h"

#include "tests/testing.h"

namespace stepbench::run {
namespace {

constexpr std::uint64_t kPlenty = 1 << 20;

std::string line(const protocol::WorkerMessage& message) {
  return protocol::encode(message) + "\n";
}
std::string hello(protocol::VersionRange range = protocol::kSupported) {
  return line(protocol::Hello{range, "build", "", 7, {}});
}

TEST(WorkerSession, FinalLine_EndsTheSession) {
  WorkerSession session{kPlenty};
  EXPECT_EQ(session.stage(), std::nullopt);
  session.receive(hello());
  EXPECT_EQ(session.stage(), protocol::Stage::kSetUp);
  session.receive(line(protocol::StageMessage{protocol::Stage::kActive}));
  EXPECT_EQ(session.stage(), protocol::Stage::kActive);
  session.receive(line(protocol::CycleMessage{0, 5, 1234}));
  EXPECT_EQ(session.last_cycle_step_ns(), 1234);
  session.receive(line(record::CycleSamples{0, {{"step_ns"}, {{1, 2}}}}));
  session.receive(line(record::LaunchReport{}));
  EXPECT_FALSE(session.protocol_error());
  ASSERT_TRUE(session.final_outcome());
  EXPECT_EQ(session.final_outcome()->kind, Outcome::Kind::kMeasured);
  EXPECT_EQ(session.take_samples().size(), 1U);
}

TEST(WorkerSession, SingleBytes_AreAccepted) {
  WorkerSession session{kPlenty};
  for (const char c : hello() + line(protocol::SkippedMessage{"no GPU"})) session.receive({&c, 1});
  ASSERT_TRUE(session.final_outcome());
  EXPECT_EQ(session.final_outcome()->reason, "no GPU");
}

TEST(WorkerSession, ProtocolBreach_IsRejected) {
  const std::string report = line(record::LaunchReport{});
  const std::pair<std::string, const char*> kBreaches[] = {
      {report, "first message must be `hello`"},
      {hello() + report + report, "nothing may follow the final line"},
      {hello({7, 9}), "7 to 9"},
      {hello() +
           R"({"kind":"samples","cycle":0,"columns":["index","step_ns"],"values":[[1,2],[3]]})"
           "\n",
       ""}};
  for (const auto& [said, what] : kBreaches) {
    WorkerSession session{kPlenty};
    session.receive(said);
    EXPECT_THAT(session.protocol_error(), Optional(HasSubstr(what)));
  }
  WorkerSession of_others{kPlenty, LaunchRules{.catalogue_digest = "ours"}};
  of_others.receive(line(protocol::Hello{protocol::kSupported, "build", "theirs", 7, {}}));
  EXPECT_THAT(of_others.protocol_error(), Optional(HasSubstr("built with other options")));
}

TEST(WorkerSession, Garbage_IsQuotedReadably) {
  WorkerSession session{kPlenty};
  session.receive("\x01\xff garbage " + std::string(500, 'x') + "\n");
  ASSERT_TRUE(session.protocol_error());
  EXPECT_THAT(*session.protocol_error(), HasSubstr("message 1 of the worker breaks the protocol"));
  EXPECT_LT(session.protocol_error()->size(), 600U);
}

TEST(WorkerSession, AllMessages_ShareALimit) {
  WorkerSession session{4 << 20};
  session.receive(hello());
  const std::string stage = line(protocol::StageMessage{protocol::Stage::kActive});
  std::string many;
  while (many.size() < (1U << 20)) many += stage;
  for (int times = 0; times < 5; ++times) session.receive(many);
  EXPECT_THAT(session.protocol_error(), Optional(HasSubstr("more than 4 MiB")));
}

}  // namespace
}  // namespace stepbench::run
