// SPDX-License-Identifier: Apache-2.0
#include "harness/protocol/messages.h"
#include "harness/base/error.h"
#include "harness/findings/finding.h"
#include "tests/testing.h"

namespace stepbench::protocol {
namespace {

template <typename T>
T round_trip(const T& message) {
  const WorkerMessage decoded = decode_worker(encode(WorkerMessage(message)));
  return std::get<T>(decoded);
}

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

TEST(CaseMessage, MinimalCase_UsesDefaults) {
  const CaseMessage read =
      decode_case(R"({"kind":"case","protocol":[1,1],"case_id":"ab","workload":"w"})");
  EXPECT_EQ(read.resolved.point_id, "ab");
  EXPECT_EQ(read.pass, Pass::kTiming);
  EXPECT_EQ(read.world, 1);
}

TEST(Samples, Integers_AreExact) {
  const record::CycleSamples message{
      7, {{"index", "step_ns"}, {{0, 1, 2}, {kSmallest, -1, kLargest}}}};
  const record::CycleSamples read = round_trip(message);
  EXPECT_EQ(read.cycle, 7);
  EXPECT_EQ(read.steps, message.steps);
}

TEST(LaunchReport, InvalidFinding_NamesTheMember) {
  const auto refused = [](const std::string& finding) {
    return test::error_of(
        [&] { (void)decode_worker(R"({"kind":"launch","findings":[)" + finding + "]}"); });
  };
  EXPECT_THAT(refused("7"), HasSubstr("field 'findings/0' must be an object"));
  EXPECT_THAT(refused("{}"), HasSubstr("field 'findings/0/id' is missing"));
  EXPECT_THAT(refused(R"({"id":"a","value":"much"})"),
              HasSubstr("field 'findings/0/value' must be a number"));
  EXPECT_THAT(refused(R"({"id":"a","set":[{"option":1}]})"),
              HasSubstr("field 'findings/0/set/0/option' must be a string"));
  EXPECT_EQ(refused(R"({"id":"a","severity":"of a later version","more":1})"), "");
}

TEST(LaunchReport, NonFiniteNumbers_AreSpelledOut) {
  record::LaunchReport report;
  report.metrics = {{"bad", std::numeric_limits<double>::quiet_NaN()}};
  report.fingerprint = {{"loss", std::numeric_limits<double>::infinity()}};
  const record::LaunchReport read = round_trip(report);
  EXPECT_EQ(read.metrics.at("bad"), std::nullopt);
  EXPECT_EQ(read.fingerprint.at("loss"), report.fingerprint.at("loss"));
  EXPECT_THAT(encode(WorkerMessage(report)), HasSubstr(R"("fingerprint":{"loss":null})"));
}

TEST(FailedMessage, InvalidUtf8_StillArrives) {
  const FailedMessage read = round_trip(FailedMessage{"bad \xFF byte", Stage::kTearDown});
  EXPECT_THAT(read.message, HasSubstr("bad "));
  EXPECT_EQ(read.stage, Stage::kTearDown);
}

TEST(WorkerMessages, EachKind_ReadsBack) {
  const Hello hello = round_trip(Hello{{1, 2}, "b", "c", 12, {{"torch", std::string("2.11")}}});
  EXPECT_EQ(hello.protocol.max, 2);
  EXPECT_EQ(hello.pid, 12);
  EXPECT_EQ(hello.software.size(), 1U);
  EXPECT_EQ(round_trip(StageMessage{Stage::kExercise}).stage, Stage::kExercise);
  EXPECT_EQ(round_trip(StageMessage{Stage::kExercise}).device_pci, "");
  EXPECT_EQ(round_trip(StageMessage{Stage::kWarmup, 0, 0, "0000:17:00.0"}).device_pci,
            "0000:17:00.0");
  EXPECT_EQ(round_trip(CycleMessage{1, 50, kLargest}).mean_step_ns, kLargest);
  EXPECT_EQ(round_trip(SkippedMessage{"no device"}).reason, "no device");
}

TEST(WorkerMessages, UnknownFields_AreIgnored) {
  const auto read =
      decode_worker(R"({"kind":"skipped","reason":"r","colour":"red","deep":{"a":[1]}})");
  EXPECT_EQ(std::get<SkippedMessage>(read).reason, "r");
}

TEST(WorkerMessages, BadLine_IsRejectedWithAReason) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "not valid JSON"},
      {"garbage", "'garbage'"},
      {"[1]", "expected a JSON object"},
      {"{}", "without a 'kind'"},
      {R"({"kind":3})", "without a 'kind'"},
      {R"({"kind":"dance"})", "unknown kind 'dance'"},
      {R"({"kind":"case"})", "unknown kind 'case'"},
      {R"({"kind":"skipped"})", "field 'reason' is missing"},
      {R"({"kind":"skipped","reason":1})", "'reason' must be a string"},
      {R"({"kind":"stage","stage":"lunch"})", "one of set_up, exercise"},
      {R"({"kind":"hello","protocol":[2,1],"build_id":"","pid":1})", "[min, max]"},
      {R"({"kind":"hello","protocol":1,"build_id":"","pid":1})", "[min, max]"},
      {R"({"kind":"cycle","cycle":0,"steps":1.0,"median_step_ns":1})", "an integer"},
      {R"({"kind":"cycle","cycle":0,"steps":1,"median_step_ns":9223372036854775808})",
       "beyond 64 bits"},
      {R"({"kind":"cycle","cycle":0,"steps":true,"median_step_ns":1})", "an integer"},
      {R"({"kind":"samples","cycle":0,"columns":["step_ns"],"values":[]})",
       "name 1 columns and hold 0 arrays"},
      {R"({"kind":"samples","cycle":0,"columns":["a"],"values":[[1]]})", "no 'step_ns'"},
      {R"({"kind":"samples","cycle":0,"columns":["step_ns","b"],"values":[[1],[1,2]]})",
       "column 'b' holds 2 steps"},
      {R"({"kind":"samples","cycle":0,"columns":["step_ns"],"values":[[1.5]]})",
       "value 0: expected a 64-bit integer"},
      {R"({"kind":"samples","cycle":0,"columns":["step_ns","step_ns"],"values":[[],[]]})",
       "duplicate column 'step_ns'"},
      {R"({"kind":"launch","metrics":{"m":"1"}})", "a number or null"},
      {R"({"kind":"launch","metrics":[]})", "an object"},
      {R"({"kind":"launch","schedule":{"a":[1]}})", "'schedule/a'"},
      {R"({"kind":"launch","flags":[1]})", "'flags' must be an array of strings"},
      {R"({"kind":"launch","x":[[[[[[[[1]]]]]]]]})", "nested"}};
  for (const auto& [line, says] : kBad) {
    EXPECT_THAT([&] { (void)decode_worker(line); }, ThrowsMessage<Error>(HasSubstr(says)));
  }
  EXPECT_THAT([] { (void)decode_case(R"({"kind":"hello"})"); },
              ThrowsMessage<Error>(HasSubstr("kind 'case'")));
  EXPECT_THAT([] { (void)decode_worker(std::string(kMaxLineBytes + 1, ' ')); },
              ThrowsMessage<Error>(HasSubstr("the limit")));
}

TEST(CheckAnswer, JsonLine_IsDecoded) {
  const CheckAnswer answer = decode_answer(
      R"({"answer":"error","option":"a.b","reason":"r\"","notes":["n"],"plan_notes":["p"]})");
  EXPECT_EQ(answer.kind, CheckAnswer::Kind::kError);
  EXPECT_EQ(answer.option, "a.b");
  EXPECT_EQ(answer.reason, "r\"");
  EXPECT_EQ(answer.notes, std::vector<std::string>{"n"});
  EXPECT_EQ(answer.plan_notes, std::vector<std::string>{"p"});
  EXPECT_EQ(decode_answer(R"({"answer":"ok","schedule":{"schedule.active":96}})").options,
            (Fields{{"schedule.active", std::int64_t{96}}}));
  EXPECT_EQ(
      decode_answer(
          R"({"answer":"ok","options":{"a.text":"x","a.flag":true,"a.count":-2,"a.share":0.5,"a.none":null}})")
          .options,
      (Fields{{"a.text", std::string("x")},
              {"a.flag", true},
              {"a.count", std::int64_t{-2}},
              {"a.share", 0.5},
              {"a.none", Value{}}}));
}

TEST(CheckAnswer, AnythingElse_IsRejected) {
  for (const char* line :
       {"", "{", "[]", "{}", R"({"answer":"maybe"})", R"({"answer":"skip"})", R"({"answer":4})",
        R"({"answer":"ok","schedule":{"loader.num_workers":4}})",
        R"({"answer":"ok","schedule":{"schedule.active":"auto"}})",
        R"({"answer":"ok","schedule":{"schedule.active":-1}})", R"({"answer":"ok","options":[]})",
        R"({"answer":"ok","options":{"a.list":[1]}})"}) {
    EXPECT_THROW((void)decode_answer(line), Error) << line;
  }
}

TEST(Versions, HighestCommon_IsUsed) {
  EXPECT_EQ(agree({1, 3}, {2, 5}), 3);
  EXPECT_THAT(
      [] {
        (void)agree({1, 1}, {2, 3});
      },
      ThrowsMessage<Error>(HasSubstr("ours 1, theirs 2 to 3")));
}

}  // namespace
}  // namespace stepbench::protocol
