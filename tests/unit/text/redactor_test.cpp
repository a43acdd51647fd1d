// SPDX-License-Identifier: Apache-2.0
#include "harness/text/redactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepbench::text {
namespace {

using ::testing::ElementsAre;
using Kind = Redactor::Kind;

std::string redacted(std::string_view text) { return Redactor().redact(text); }

TEST(Redactor, ReplacesAbsolutePathsAndLeavesRelativeOnes) {
  EXPECT_EQ(redacted("/mnt/secret/data"), "<path1>");
  EXPECT_EQ(redacted("--worker=/opt/x/worker run a/b.yaml"), "--worker=<path1> run a/b.yaml");
  EXPECT_EQ(redacted("'/a/b' \"/c/d\" (/e/f), /g/h."), "'<path1>' \"<path2>\" (<path3>), <path4>.");
  EXPECT_EQ(redacted("/a/b:/c/d"), "<path1>:<path2>");
  EXPECT_EQ(redacted("sweep: /x/y.yaml:12:5"), "sweep: <path1>:12:5");
  EXPECT_EQ(redacted("~/photos and ${STEPBENCH_DATA:-data/imagefolder}"),
            "<path1> and ${STEPBENCH_DATA:-data/imagefolder}");
  EXPECT_EQ(redacted("/home/${USER}/x {path: /data/y}"), "<path1> {path: <path2>}");
  EXPECT_EQ(redacted("gcc -I/home/ann/include"), "gcc -I<path1>");
  EXPECT_EQ(redacted("/mnt/\xC3\xA9t\xC3\xA9/x"), "<path1>");
}

TEST(Redactor, LeavesRatesDivisionsAndComments) {
  for (const char* text : {"245 samples/s", "1 / 2", "and/or", "// a comment", "5 /s", "a ~ b",
                           "torch 2.11.0", "aten::mm [[8, 32]]", "x = y/z;"}) {
    EXPECT_EQ(redacted(text), text);
  }
}

TEST(Redactor, GivesTheSameTextTheSameToken) {
  Redactor redactor;
  EXPECT_EQ(redactor.redact("/a/b /c/d /a/b"), "<path1> <path2> <path1>");
  EXPECT_EQ(redactor.redact("/c/d"), "<path2>");
  ASSERT_EQ(redactor.replaced().size(), 2U);
  EXPECT_EQ(redactor.replaced()[1].original, "/c/d");
  EXPECT_EQ(redactor.replaced()[1].token, "<path2>");
}

TEST(Redactor, ReplacesAddressesOfPeopleAndMachines) {
  EXPECT_EQ(redacted("ask ann.lee+x@example.org."), "ask <email1>.");
  EXPECT_EQ(redacted("git@git.example.org:team/model.git"), "<email1>");
  EXPECT_EQ(redacted("see https://wiki.example.org/a?b=c#d, now"), "see <url1>, now");
  EXPECT_EQ(redacted("file:///home/ann/x"), "<url1>");
  EXPECT_EQ(redacted("tcp://10.1.2.3:29500"), "<url1>");
  EXPECT_EQ(redacted("at 10.1.2.3:29500"), "at <address1>:29500");
  EXPECT_EQ(redacted("6.18.44 and 1.2.3.4.5 and 999.1.1.1"), "6.18.44 and 1.2.3.4.5 and 999.1.1.1");
}

TEST(Redactor, ReplacesWhatItWasToldAsWordsOnly) {
  Redactor redactor;
  redactor.know(Kind::kHost, "gpu7");
  redactor.know(Kind::kHost, "gpu7.example.org");
  redactor.know(Kind::kUser, "ann");
  EXPECT_EQ(redactor.redact("ann@gpu7 GPU7.example.org gpu7_17.json gpu77 annex Joann"),
            "<email1> <host1> <host2>_17.json gpu77 annex Joann");
  EXPECT_EQ(redactor.redact("\x1b[1;31mgpu7\x1b[0m: ann"), "\x1b[1;31m<host2>\x1b[0m: <user1>");
}

TEST(Redactor, ReplacesPathsWithBlanksAndWhatLiesBelowThem) {
  Redactor redactor;
  redactor.know(Kind::kPath, "/mnt/My Photos");
  EXPECT_EQ(redactor.redact("ls '/mnt/My Photos' '/mnt/My Photos/cats/1.jpg'"),
            "ls '<path1>' '<path2>'");
  EXPECT_EQ(redactor.redact("ls /srv/My\\ Films/x y"), "ls <path3> y");
}

TEST(Redactor, LeavesValuesOfVariablesInFactsAboutTheMachine) {
  Redactor redactor;
  redactor.know(Kind::kVariable, "Haswell");
  EXPECT_EQ(redactor.redact("Intel Haswell", Redactor::Values::kLeave), "Intel Haswell");
  EXPECT_EQ(redactor.redact("CORE=Haswell"), "CORE=<variable1>");
}

TEST(Redactor, FindsTheUsersOfHomeFolders) {
  EXPECT_THAT(users_in("/home/ann/x:/Users/bob.lee/y /home/"), ElementsAre("ann", "bob.lee"));
}

}  // namespace
}  // namespace stepbench::text
