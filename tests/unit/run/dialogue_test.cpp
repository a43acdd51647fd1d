// SPDX-License-Identifier: Apache-2.0
#include "harness/run/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::uint64_t kPlenty = 1 << 20;

std::string line(const protocol::WorkerMessage& message) {
  return protocol::encode(message) + "\n";
}
std::string hello(protocol::VersionRange range = protocol::kSupported) {
  return line(protocol::Hello{range, "build", "", 7, {}});
}

TEST(Dialogue, FollowsAWorkerToItsFinalLine) {
  Dialogue dialogue{kPlenty};
  EXPECT_EQ(dialogue.stage(), "start");
  dialogue.receive(hello());
  EXPECT_EQ(dialogue.stage(), "set_up");
  dialogue.receive(line(protocol::StageMessage{protocol::Stage::kActive}));
  EXPECT_EQ(dialogue.stage(), "active");
  dialogue.receive(line(protocol::CycleMessage{0, 5, 1234}));
  EXPECT_EQ(dialogue.last_cycle_step_ns(), 1234);
  dialogue.receive(line(Samples{0, {{"step_ns"}, {{1, 2}}}}));
  dialogue.receive(line(protocol::LaunchMessage{}));
  EXPECT_FALSE(dialogue.complaint());
  ASSERT_TRUE(dialogue.final_outcome());
  EXPECT_EQ(dialogue.final_outcome()->kind, Outcome::Kind::kMeasured);
  EXPECT_EQ(dialogue.take_samples().size(), 1U);
}

TEST(Dialogue, TakesBytesOneByOne) {
  Dialogue dialogue{kPlenty};
  for (const char c : hello() + line(protocol::SkippedMessage{"no GPU"})) dialogue.receive({&c, 1});
  ASSERT_TRUE(dialogue.final_outcome());
  EXPECT_EQ(dialogue.final_outcome()->reason, "no GPU");
}

TEST(Dialogue, WantsHelloFirst) {
  Dialogue dialogue{kPlenty};
  dialogue.receive(line(protocol::LaunchMessage{}));
  EXPECT_THAT(dialogue.complaint(), Optional(HasSubstr("first message must be `hello`")));
}

TEST(Dialogue, WantsNothingAfterTheFinalLine) {
  Dialogue dialogue{kPlenty};
  dialogue.receive(hello() + line(protocol::LaunchMessage{}) + line(protocol::LaunchMessage{}));
  EXPECT_THAT(dialogue.complaint(), Optional(HasSubstr("nothing may follow the final line")));
}

TEST(Dialogue, NamesBothRangesOfProtocolVersions) {
  Dialogue dialogue{kPlenty};
  dialogue.receive(hello({7, 9}));
  EXPECT_THAT(dialogue.complaint(), Optional(HasSubstr("7 to 9")));
}

TEST(Dialogue, WantsColumnsOfOneLength) {
  Dialogue dialogue{kPlenty};
  dialogue.receive(hello());
  dialogue.receive(
      R"({"kind":"samples","cycle":0,"columns":["index","step_ns"],"values":[[1,2],[3]]})"
      "\n");
  EXPECT_TRUE(dialogue.complaint());
}

TEST(Dialogue, QuotesGarbageReadably) {
  Dialogue dialogue{kPlenty};
  dialogue.receive("\x01\xff garbage " + std::string(500, 'x') + "\n");
  ASSERT_TRUE(dialogue.complaint());
  EXPECT_THAT(*dialogue.complaint(), HasSubstr("message 1 of the worker breaks the protocol"));
  EXPECT_LT(dialogue.complaint()->size(), 600U);
}

TEST(Dialogue, HasALimitForAllMessagesTogether) {
  Dialogue dialogue{4 << 20};
  dialogue.receive(hello());
  const std::string stage = line(protocol::StageMessage{protocol::Stage::kActive});
  std::string many;
  while (many.size() < (1U << 20)) many += stage;
  for (int times = 0; times < 5; ++times) dialogue.receive(many);
  EXPECT_THAT(dialogue.complaint(), Optional(HasSubstr("more than 4 MiB")));
}

}  // namespace
}  // namespace stepbench
