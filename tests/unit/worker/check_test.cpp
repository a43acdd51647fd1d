// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/check.h"

#include "harness/base/error.h"
#include "harness/protocol/messages.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

void rule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const std::string& what = resolved.text("w.what");
  if (what == "error") {
    sink.skip("also this");
    sink.error("w.what", "is wrong");
    sink.error("w.what", "is wrong again");
  }
  if (what == "skip") sink.skip(facts.cuda_available ? "a device" : "no device");
  if (what == "note") sink.note("by the way");
  if (what == "longer") {
    resolved.options["schedule.active"] = std::int64_t{96};
    resolved.options["w.what"] = std::string("other");
  }
}

std::string check(const std::string& input) {
  const Catalogue catalogue{
      {{.name = "w",
        .doc = "",
        .options = {{.name = "what", .doc = "", .default_value = std::string("ok")}}}},
      {{.name = "mine", .doc = "", .sections = {"w"}}}};
  const WorkloadType types[] = {{"mine", nullptr}};
  const WorkloadRule rules[] = {{"mine", rule}};
  std::istringstream in(input);
  std::ostringstream out;
  check_cases(in, out, catalogue, types, rules);
  return out.str();
}

std::string asked(const std::string& what) {
  protocol::CaseMessage message;
  message.resolved.case_id = "1";
  message.resolved.workload = "mine";
  if (!what.empty()) message.resolved.options["w.what"] = what;
  return protocol::encode(message) + "\n";
}

const std::string kFacts = protocol::encode(RuleFacts{.cores = 4}) + "\n";

TEST(Check, EachCase_IsCheckedInOrder) {
  EXPECT_EQ(check(kFacts + asked("") + asked("skip") + asked("error") + asked("note")),
            "{\"answer\":\"ok\"}\n"
            "{\"answer\":\"skip\",\"reason\":\"no device\"}\n"
            "{\"answer\":\"error\",\"option\":\"w.what\",\"reason\":\"is wrong\"}\n"
            "{\"answer\":\"ok\",\"notes\":[\"by the way\"]}\n");
  EXPECT_EQ(check(kFacts + asked("longer")),
            "{\"answer\":\"ok\",\"schedule\":{\"schedule.active\":96},"
            "\"options\":{\"w.what\":\"other\"}}\n");
  EXPECT_EQ(check(protocol::encode(RuleFacts{.cuda_available = true}) + "\n" + asked("skip")),
            "{\"answer\":\"skip\",\"reason\":\"a device\"}\n");
  EXPECT_EQ(check(""), "") << "nothing is asked";
  EXPECT_EQ(check(kFacts), "");
}

TEST(Check, UnknownWorkload_IsAnError) {
  protocol::CaseMessage message;
  message.resolved.workload = "theirs";
  EXPECT_THAT(check(kFacts + protocol::encode(message) + "\n"),
              HasSubstr("\"option\":\"workload\""));
}

TEST(Check, UnreadableLine_IsNamed) {
  EXPECT_THAT([] { (void)check("{}\n"); }, ThrowsMessage<ConfigError>(HasSubstr("line 1")));
  EXPECT_THAT([] { (void)check(kFacts + asked("") + "?\n"); },
              ThrowsMessage<ConfigError>(HasSubstr("line 3")));
}

}  // namespace
}  // namespace stepbench::worker
