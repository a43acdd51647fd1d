// SPDX-License-Identifier: Apache-2.0
#include "harness/fleet/group_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace stepbench::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(GroupLines, AJoinComesBackAsItWasSaid) {
  const RankJoin said{.token = "0f",
                      .version = "abc",
                      .place = {.rank = 3, .world = 4, .local_rank = 1, .local_world = 2},
                      .host = "n\"1",
                      .pid = 17,
                      .address = "10.0.0.2",
                      .port = 4711,
                      .cpus = "0-3",
                      .threads = "1",
                      .devices = "0,1"};
  const RankJoin heard = decode_join(encode(said));
  EXPECT_EQ(encode(heard), encode(said));
  EXPECT_EQ(heard.place.rank, 3);
  EXPECT_EQ(heard.host, "n\"1");
}

TEST(GroupLines, ABeginKeepsOrderAndBlanks) {
  const RankBegin heard = decode_begin(encode(RankBegin{.argv = {"python3", "-c", "print(1)\n", ""},
                                                        .folder = "/tmp/a b",
                                                        .set = {{"A", "1=2"}, {"B", ""}},
                                                        .unset = {"C"}}));
  EXPECT_THAT(heard.argv, ElementsAre("python3", "-c", "print(1)\n", ""));
  EXPECT_EQ(heard.folder, "/tmp/a b");
  EXPECT_THAT(heard.set, ElementsAre(Pair("A", "1=2"), Pair("B", "")));
  EXPECT_THAT(heard.unset, ElementsAre("C"));
}

TEST(GroupLines, AnExitKeepsItsOutput) {
  const RankExit heard =
      decode_exit(encode(RankExit{.status = 9, .cut = true, .told = 15, .output = "two\nlines\n"}));
  EXPECT_EQ(heard.status, 9);
  EXPECT_TRUE(heard.cut);
  EXPECT_EQ(heard.output, "two\nlines\n");
}

TEST(GroupLines, WhatIsNoneIsRefused) {
  for (const char* line : {"", "!", "{\"kind\":\"join\"}", "!{}", "![1]", "!{\"kind\":\"exit\"}",
                           "!{\"kind\":\"join\",\"rank\":-1}",
                           "!{\"kind\":\"join\",\"rank\":\"x\"}", "GET / HTTP/1.1"}) {
    EXPECT_THROW(static_cast<void>(decode_join(line)), Error) << line;
  }
}

}  // namespace
}  // namespace stepbench::fleet
