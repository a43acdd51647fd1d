// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/arguments.h"

#include <gmock/gmock.h>

#include <vector>

#include "harness/base/error.h"

namespace stepbench::worker {
namespace {

using Mode = WorkerArguments::Mode;
using testing::HasSubstr;
using testing::ThrowsMessage;

WorkerArguments parse(std::vector<const char*> arguments) {
  return parse_worker_arguments(arguments);
}

TEST(WorkerArguments, NameOneOfTheModes) {
  EXPECT_EQ(parse({}).mode, Mode::kHelp);
  EXPECT_EQ(parse({"--help"}).mode, Mode::kHelp);
  EXPECT_EQ(parse({"describe"}).mode, Mode::kDescribe);
  EXPECT_EQ(parse({"check"}).mode, Mode::kCheck);
}

TEST(WorkerArguments, ValuesMayFollowAnEqualsSignOrASpace) {
  EXPECT_EQ(parse({"--control-fd=3"}).control_descriptor, 3);
  EXPECT_EQ(parse({"--control-fd", "4"}).control_descriptor, 4);
  EXPECT_EQ(parse({"--case", "a b.json"}).case_file, "a b.json");
  EXPECT_EQ(parse({"--case=x"}).mode, Mode::kCaseFile);
}

TEST(WorkerArguments, MistakesNameTheArgument) {
  EXPECT_THAT([] { (void)parse({"--contrl-fd=3"}); },
              ThrowsMessage<ConfigError>(HasSubstr("--contrl-fd=3: unknown argument; known:")));
  EXPECT_THAT([] { (void)parse({"--control-fd=three"}); },
              ThrowsMessage<ConfigError>(HasSubstr("expected a file descriptor, found 'three'")));
  EXPECT_THAT([] { (void)parse({"--control-fd=-1"}); },
              ThrowsMessage<ConfigError>(HasSubstr("found '-1'")));
  EXPECT_THAT([] { (void)parse({"--case"}); },
              ThrowsMessage<ConfigError>(HasSubstr("needs a value")));
}

}  // namespace
}  // namespace stepbench::worker
