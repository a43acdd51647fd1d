// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_table.h"
#include "harness/record/result_file.h"

#include <libdeflate.h>

#include "harness/base/error.h"
#include "harness/record/input.h"
#include "tests/testing.h"
#include "tests/unit/record/sample_rows.h"

namespace stepbench::record {
namespace {

using test::TemporaryFolder;
using testing::write_file;

const std::string kRun = encode(testing::run_row()) + '\n';
const std::string kVersion = "\"1." + std::to_string(kResultMinor) + ".0\"";

std::string start(const LaunchKey& key, int attempt = 0) {
  return encode(StartRow{.key = key,
                         .attempt = attempt,
                         .started_utc = "t",
                         .options = {{"loader.num_workers", std::int64_t{4}}}}) +
         '\n';
}
std::string samples(const LaunchKey& key, std::int64_t cycle = 0, std::int64_t first = 11) {
  return encode(testing::samples_row(key, cycle, first)) + '\n';
}
std::string launch(const LaunchKey& key, int attempt = 0, Outcome outcome = {}) {
  LaunchRow row = testing::launch_row(key);
  row.attempt = attempt;
  row.outcome = std::move(outcome);
  return encode(row) + '\n';
}
std::string whole(const LaunchKey& key) { return start(key) + samples(key) + launch(key); }

Results read_text(const std::string& text) {
  const TemporaryFolder folder;
  return read_results(write_file(folder / "a.jsonl", text));
}

// The error message, with the file's own path reduced to its name.
std::string error_of(const std::string& text) {
  const TemporaryFolder folder;
  const auto file = write_file(folder / "a.jsonl", text);
  try {
    (void)read_results(file);
  } catch (const ConfigError& error) {
    return std::string(error.what()).substr(folder.path().string().size() + 1);
  }
  return "no error";
}

std::string gzip(const std::string& text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(
      libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the text: " + from);
  return text.replace(at, from.size(), to);
}

TEST(OptionsOfACase, CaseId_FindsTheOptionsOfItsLaunches) {
  const TemporaryFolder folder;
  const LaunchKey key{.case_id = "89dcd98dde63f459"};
  write_file(folder / "a.jsonl", kRun + whole(key));
  const auto cases = options_of_cases(folder.path());
  ASSERT_TRUE(cases.contains(key.case_id));
  EXPECT_EQ(cases.at(key.case_id), testing::launch_row(key).options);
  EXPECT_FALSE(cases.contains("another"));
  EXPECT_FALSE(cases.contains(""));
  EXPECT_TRUE(options_of_cases(folder / "nowhere").empty());
}

TEST(Reader, SamplesWithoutALaunch_AreUnfinished) {
  const Results results = read_text(kRun + start(testing::key()) + samples(testing::key()));
  EXPECT_TRUE(results.launches.empty());
  ASSERT_EQ(results.unfinished.size(), 1U);
  EXPECT_EQ(results.unfinished[0].key, testing::key());
  EXPECT_EQ(to_text(results.unfinished[0].options.at("loader.num_workers")), "4");
}

TEST(Reader, NewAttempt_DropsTheOneBefore) {
  const auto key = testing::key();
  const Results results = read_text(kRun + start(key) + samples(key, 0, 11) + start(key, 1) +
                                    samples(key, 0, 500) + launch(key, 1));
  ASSERT_EQ(results.launches.size(), 1U);
  ASSERT_EQ(results.launches[0].samples.size(), 1U);
  EXPECT_EQ(results.launches[0].samples[0].steps.columns[0][0], 500);
  EXPECT_TRUE(results.unfinished.empty());
}

std::string ops(const LaunchKey& key, std::int64_t calls) {
  return encode(OpsRow{.key = key,
                       .frame = {.table = "ops",
                                 .strings = {"op", "aten::mm", "[[2, 3]],\"values\":\n"},
                                 .series = {.names = {"kind", "name", "shapes", "calls"},
                                            .columns = {{0}, {1}, {2}, {calls}}}}}) +
         '\n';
}

TEST(Reader, LaunchLine_CommitsItsOps) {
  const auto key = testing::key();
  const Results results = read_text(kRun + start(key) + ops(key, 3) + start(key, 1) + ops(key, 4) +
                                    ops(key, 5) + launch(key, 1));
  ASSERT_EQ(results.launches.size(), 1U);
  const ops::OpTable table = ops::op_table_of(results.launches[0].ops);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].calls, 4);
  EXPECT_EQ(table.rows[1].calls, 5);
  EXPECT_EQ(table.text(table.rows[0].shapes), "[[2, 3]],\"values\":\n");
}

TEST(Reader, InconsistentOps_NameTheirLine) {
  const auto key = testing::key();
  const std::string wrong = replaced(ops(key, 3), "\"rows\":1", "\"rows\":2");
  EXPECT_THAT(error_of(kRun + start(key) + wrong), HasSubstr(":3: "));
}

TEST(Reader, NamesAndLines_HaveALimit) {
  const std::string longest(kMaxNameBytes, 'c');
  EXPECT_EQ(read_text(kRun + whole({longest})).launches.at(0).row.key.case_id, longest);
  EXPECT_EQ(error_of(kRun + whole({longest + "c"})),
            "a.jsonl:2: field 'case_id' is a name of 65,537 bytes; names have 65,536 at most");
  const std::string line(kMaxResultLineBytes + 1, ' ');
  EXPECT_THAT(error_of(kRun + line + '\n' + whole({"c"})),
              HasSubstr("a.jsonl:2: this line is longer than 64.0 MiB"));
}

TEST(Reader, LastCommittedAttempt_Wins) {
  const auto key = testing::key();
  const Results results = read_text(kRun + launch(key, 0, Outcome::failed("boom")) + start(key, 1) +
                                    samples(key) + launch(key, 1) + start(key, 2));
  ASSERT_EQ(results.launches.size(), 1U);
  EXPECT_EQ(results.launches[0].row.attempt, 1);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured);
  EXPECT_TRUE(results.unfinished.empty()) << "it has a launch line";
}

TEST(Reader, RepeatedLaunchLine_KeepsItsSamples) {
  const LaunchKey key = testing::key();
  const Results results = read_text(kRun + whole(key) + launch(key));
  ASSERT_EQ(results.launches.size(), 1U);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured);
  ASSERT_EQ(results.launches[0].samples.size(), 1U);
}

TEST(Reader, EqualAttempts_CountTheLater) {
  const LaunchKey key = testing::key();
  const Results results = read_text(kRun + start(key) + samples(key, 0, 11) + launch(key) +
                                    start(key) + samples(key, 0, 51) + launch(key));
  ASSERT_EQ(results.launches.size(), 1U);
  ASSERT_EQ(results.launches[0].samples.size(), 1U);
  EXPECT_EQ(results.launches[0].samples[0].steps.column("index").front(), 51);
}

TEST(Reader, Launches_AreInOrderOfAppearance) {
  const Results results = read_text(kRun + whole(testing::key("b")) + whole(testing::key("a")) +
                                    launch(testing::key("b"), 1));
  std::vector<std::string> order;
  for (const Launch& each : results.launches) order.push_back(each.row.key.case_id);
  EXPECT_THAT(order, ElementsAre("b", "a"));
}

TEST(Reader, CyclesAndParts_AreSorted) {
  const auto key = testing::key();
  const Results results = read_text(kRun + start(key) + samples(key, 1, 50) + samples(key, 0, 30) +
                                    samples(key, 0, 11) + launch(key));
  std::vector<std::int64_t> first;
  for (const CycleSamples& part : results.launches.at(0).samples)
    first.push_back(part.steps.columns[0][0]);
  EXPECT_THAT(first, ElementsAre(11, 30, 50));
}

TEST(Reader, RepeatedSamples_AreDroppedAndNoted) {
  const auto key = testing::key();
  const Results results = read_text(kRun + start(key) + samples(key) + samples(key) + launch(key));
  EXPECT_EQ(results.launches.at(0).samples.size(), 1U);
  EXPECT_THAT(results.warnings,
              ElementsAre(AllOf(HasSubstr("a.jsonl:4"), HasSubstr("already has"))));
}

TEST(Reader, ResumedRun_JoinsItsFilesInOrder) {
  const TemporaryFolder folder;
  RunRow later = testing::run_row();
  later.started_utc = "2026-01-31T13:00:00Z";
  const auto key = testing::key("a", 0);
  write_file(folder / "z.jsonl",
             kRun + launch(key, 0, Outcome::failed("first")) + start(testing::key("a", 1)));
  write_file(folder / "b.jsonl.gz",
             gzip(encode(later) + '\n' + whole(key) + whole(testing::key("a", 1))));
  write_file(folder / "notes.txt", "not ours");
  const Results results = read_results(folder.path());
  EXPECT_EQ(results.runs.size(), 2U);
  ASSERT_EQ(results.launches.size(), 2U);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured)
      << "the later file wins";
  EXPECT_TRUE(results.unfinished.empty());
}

TEST(Reader, OtherRun_KeepsItsLaunches) {
  const TemporaryFolder folder;
  RunRow other = testing::run_row();
  other.run_id += "-other";
  other.started_utc = "2026-01-31T13:00:00Z";
  const auto key = testing::key("a", 0);
  write_file(folder / "a.jsonl", kRun + whole(key) + start(testing::key("a", 1)));
  write_file(folder / "b.jsonl", encode(other) + '\n' + whole(key) + whole(testing::key("a", 1)));
  const Results results = read_results(folder.path());
  ASSERT_EQ(results.launches.size(), 3U);
  EXPECT_EQ(results.launches[0].run, 0U);
  EXPECT_EQ(results.launches[1].run, 1U);
  EXPECT_EQ(results.launches[1].row.key, key);
  ASSERT_EQ(results.unfinished.size(), 1U) << "the other run's launch does not end it";
  EXPECT_EQ(results.unfinished[0].run, 0U);
}

TEST(Reader, SeveralGzipMembers_AreOneText) {
  const TemporaryFolder folder;
  const auto file = write_file(folder / "a.jsonl.gz", gzip(kRun) + gzip(whole(testing::key())));
  EXPECT_EQ(read_results(file).launches.size(), 1U);
}

TEST(Reader, BrokenGzip_NamesTheFile) {
  const TemporaryFolder folder;
  const std::string packed = gzip(kRun + whole(testing::key()));
  for (const std::size_t cut : {3UL, 12UL, packed.size() / 2, packed.size() - 1}) {
    const auto file = write_file(folder / "a.jsonl.gz", packed.substr(0, cut));
    EXPECT_THAT(
        [&] { (void)read_results(file); },
        ThrowsMessage<ConfigError>(AllOf(StartsWith(file.string() + ": "), HasSubstr("gzip"))))
        << "cut at " << cut;
  }
}

TEST(Reader, LaterMinor_HasOneWarning) {
  const auto key = testing::key();
  const std::string newer = replaced(kRun, kVersion, R"("1.99.3","future":{"a":[1]})");
  const std::string later_launch =
      replaced(launch(key), R"("world":1)", R"("world":1,"extra":[{}])");
  const Results results =
      read_text(newer + "{\"kind\":\"op_table\",\"rows\":[]}\n{\"kind\":\"op_table\"}\n" +
                start(key) + samples(key) + later_launch);
  EXPECT_EQ(results.launches.size(), 1U);
  EXPECT_THAT(results.warnings, ElementsAre(HasSubstr("newer schema 1.99"), HasSubstr("op_table")));
}

// data/versions has the files of each version's writer for one case.
TEST(Reader, EachVersion_HasNoWarning) {
  for (int minor = 0; minor <= kResultMinor; ++minor) {
    SCOPED_TRACE(minor);
    const Results results =
        read_results(fs::path(STEPBENCH_SOURCE_DIR) /
                     ("tests/unit/record/data/versions/1_" + std::to_string(minor) + ".jsonl"));
    EXPECT_THAT(results.warnings, IsEmpty());
    const RunRow& run = results.runs.at(0);
    EXPECT_EQ(run.schema_minor, minor);
    EXPECT_EQ(run.asked.set.size(), minor >= 5 ? 1U : 0U);
    EXPECT_EQ(run.labels.contains("branch"), minor >= 6);
    const Metric& launches = results.columns.at(2);
    EXPECT_TRUE(launches.exact) << "by its unit, or because it says so";
    EXPECT_EQ(launches.source, minor >= 2 ? Source::kCounted : Source::kUnknown);
    EXPECT_EQ(results.columns.at(1).phase, minor >= 4);
    EXPECT_EQ(results.columns.back().source, minor >= 8   ? Source::kNvml
                                             : minor == 7 ? Source::kInstructions
                                                          : launches.source);
    ASSERT_EQ(results.launches.size(), minor >= 1 ? 2U : 1U);
    const Launch& timed = results.launches.back();
    EXPECT_EQ(timed.samples.at(0).steps.column("step_ns").back(), 1200);
    EXPECT_EQ(timed.samples.at(0).steps.find("period_device_ns") != nullptr, minor >= 3);
    EXPECT_TRUE(is_null(timed.row.options.at("loader.prefetch_factor")));
    EXPECT_EQ(to_text(timed.row.report.fingerprint.at("loss")), "nan");
    EXPECT_EQ(timed.row.report.metrics.at("grad_scale"), std::nullopt);
    if (minor == 0) continue;
    EXPECT_EQ(ops::op_table_of(results.launches[0].ops).rows.at(0).calls, 3);
  }
}

TEST(Reader, UnknownAttempt_DropsTheOneBefore) {
  const auto key = testing::key();
  const std::string newer = replaced(kRun, kVersion, "\"1.99.0\"");
  const std::string paused =
      replaced(launch(key, 1), R"("outcome":"measured")", R"("outcome":"paused")");
  const std::string first = newer + start(key) + launch(key, 0, Outcome::failed("boom"));
  EXPECT_TRUE(read_text(first + start(key, 1) + paused).launches.empty());
  const Results again =
      read_text(first + start(key, 1) + paused + start(key, 2) + samples(key) + launch(key, 2));
  ASSERT_EQ(again.launches.size(), 1U) << "a new attempt that is understood counts";
  EXPECT_EQ(again.launches[0].row.attempt, 2);
}

TEST(Reader, UnknownNamesOfThisVersion_AreErrors) {
  const auto key = testing::key();
  const std::string column =
      R"({"kind":"columns","columns":[{"name":"lane","unit":"","role":"tag","direction":"neither","doc":""}]})"
      "\n";
  EXPECT_THAT(error_of(kRun + column), HasSubstr("a.jsonl:2: field 'role' is 'tag'; known: key"));
  EXPECT_THAT(error_of(kRun + start(key) +
                       replaced(launch(key), R"("pass":"timing")", R"("pass":"replayed")")),
              HasSubstr("a.jsonl:3: field 'pass' is 'replayed'"));
}

TEST(Reader, Fields_MayBeInAnyOrderAndSpaced) {
  const auto key = testing::key();
  const std::string other =
      R"( { "values" : [ [ 1 , 2 ] , [ 5 , -6 ] ], "columns": ["index", "step_ns"], )"
      R"("case_id":"00112233aabbccdd", "launch" : 0, "kind" : "samples" } )";
  const Results results = read_text(kRun + other + '\n' + launch(key));
  EXPECT_THAT(results.launches.at(0).samples.at(0).steps.columns[1], ElementsAre(5, -6));
}

TEST(Reader, NoExactFlag_FollowsTheUnit) {
  const Results results = read_text(
      kRun +
      R"({"kind":"columns","columns":[)"
      R"({"name":"tries","unit":"calls","role":"metric","direction":"lower","doc":""},)"
      R"({"name":"guesses","unit":"calls","role":"metric","direction":"lower","doc":"","exact":false},)"
      R"({"name":"held","unit":"bytes","role":"metric","direction":"lower","doc":"","exact":true},)"
      R"({"name":"step_ns","unit":"ns","role":"metric","direction":"lower","doc":""}]})"
      "\n");
  ASSERT_EQ(results.columns.size(), 4U);
  EXPECT_TRUE(results.columns[0].exact);
  EXPECT_FALSE(results.columns[1].exact);
  EXPECT_TRUE(results.columns[2].exact);
  EXPECT_FALSE(results.columns[3].exact);
}

TEST(Reader, Launches_KnowTheirPhaseColumns) {
  const std::string columns =
      R"({"kind":"columns","columns":[)"
      R"({"name":"think_ns","unit":"ns","role":"metric","direction":"lower","phase":true},)"
      R"({"name":"queue_ns","unit":"ns","role":"metric","direction":"lower"}]})"
      "\n";
  const std::string rest = columns + whole(testing::key());
  const Results results = read_text(kRun + rest);
  EXPECT_TRUE(results.columns.at(0).phase);
  EXPECT_FALSE(results.columns.at(1).phase);
  ASSERT_NE(results.launches.at(0).phases, nullptr);
  EXPECT_THAT(*results.launches[0].phases,
              ElementsAre(Pair("queue_ns", false), Pair("think_ns", true)));
  const Results older = read_text(replaced(kRun, kVersion, "\"1.3.0\"") + rest);
  EXPECT_EQ(older.launches.at(0).phases, nullptr) << "files before 1.4 do not say";
}

TEST(Reader, ForeignFileOrVersion_NamesTheLine) {
  EXPECT_THAT(error_of(replaced(kRun, kVersion, "\"2.1.0\"")),
              AllOf(HasSubstr("a.jsonl:1"), HasSubstr("2.1.0"), HasSubstr("reads 1.x")));
  for (const char* foreign :
       {"hello\n", "{\"traceEvents\":[]}\n", "[1,2]\n", "{\"kind\":\"run\",\"schema\":\"other\"}\n",
        "{\"kind\":\"launch\",\"case_id\":\"c\",\"outcome\":\"measured\"}\n", "42"}) {
    EXPECT_THAT(error_of(foreign),
                AllOf(HasSubstr("a.jsonl:1: "), HasSubstr("not a stepbench result file")))
        << foreign;
  }
  const Results results = read_text("");
  EXPECT_TRUE(results.launches.empty());
  EXPECT_THAT(results.warnings, ElementsAre(HasSubstr("is empty")));
}

TEST(Reader, DamagedLine_IsANumberedError) {
  const auto key = testing::key();
  EXPECT_THAT(error_of(kRun + start(key) + "{\"kind\":\"samp\n" + launch(key)),
              AllOf(HasSubstr("a.jsonl:3: "), HasSubstr("not valid JSON")));
  EXPECT_THAT(error_of(kRun + start(key) + std::string(10, '\0') + '\n'), HasSubstr("a.jsonl:3: "));
}

struct WrongField {
  std::string from;
  std::string to;
  std::string says;
};

TEST(Reader, WrongField_NamesLineAndReason) {
  const auto key = testing::key();
  const std::string text = start(key) + samples(key) + launch(key);
  const std::vector<WrongField> cases = {
      {R"("launch":0)", R"("launch":"zero")",
       "a.jsonl:2: field 'launch' must be an integer, is a string"},
      {R"("launch":0)", R"("launch":-1)", "a.jsonl:2: field 'launch' is out of range"},
      {R"("pass":"timing")", R"("pass":"guess")", "field 'pass' is 'guess'; known: timing, native"},
      {R"([1000,2000,3000])", R"([1000,2000])",
       "a.jsonl:3: column 'step_ns' holds 2 steps, column 'index' 3"},
      {R"([1000,2000,3000])", R"([1000,2000,3000,4000])",
       "a.jsonl:3: column 'step_ns' holds 4 steps"},
      {R"([1000,2000,3000])", R"([1000,9223372036854775808,3000])",
       "a.jsonl:3: field 'values', array 1, value 1: expected a 64-bit"},
      {R"([1000,2000,3000])", R"([1000,-9223372036854775809,3000])",
       "array 1, value 1: expected a 64-bit"},
      {R"([1000,2000,3000])", R"([1000,99999999999999999999999,3000])",
       "array 1, value 1: expected a 64-bit"},
      {R"([1000,2000,3000])", R"([1000,2.5,3000])", "array 1, value 1: expected a 64-bit integer"},
      {R"([1000,2000,3000])", R"([1000,007,3000])", "array 1, value 1: expected a 64-bit integer"},
      {R"([1000,2000,3000])", R"([1000,null,3000])", "array 1, value 1: expected a 64-bit integer"},
      {R"([1000,2000,3000])", R"([1000,2000,3000)", "a.jsonl:3: "},
      {R"([1000,2000,3000],)", "", "a.jsonl:3: samples name 6 columns and hold 5 arrays"},
      {R"("other_ns")", R"("step_ns")", "a.jsonl:3: duplicate column 'step_ns'"},
      {R"("steps":3)", R"("steps":4)", "a.jsonl:3: field 'steps' says 4, the columns hold 3"},
      {R"("outcome":"measured")", R"("outcome":"great")", "a.jsonl:4: field 'outcome' is 'great'"},
      {R"("outcome":"measured",)", "", "a.jsonl:4: field 'outcome' is missing"},
      {R"("set_up_ns":1500000.0)", R"("set_up_ns":"long")",
       "a.jsonl:4: field 'metrics/set_up_ns' must be a number or null"},
      {R"("wall_ns":123456789)", R"("wall_ns":9223372036854775808)",
       "a.jsonl:4: field 'wall_ns' must be an integer"},
      {R"("flags":["clock_ties"])", R"("flags":[1])",
       "a.jsonl:4: field 'flags' must be an array of strings"},
      {R"("options":{)", R"("options":[{)", "a.jsonl:2: "},
      {R"("attempt":0,"started_utc":"t",)", R"("attempt":0}},"started_utc":"t",)",
       "a.jsonl:2: not valid JSON"},
  };
  for (const WrongField& wrong : cases) {
    EXPECT_THAT(error_of(kRun + replaced(text, wrong.from, wrong.to)), HasSubstr(wrong.says))
        << wrong.from << " -> " << wrong.to;
  }
}

TEST(Reader, ConcatenatedFiles_AreOne) {
  const Results results =
      read_text(kRun + whole(testing::key("a")) + kRun + whole(testing::key("b")));
  EXPECT_EQ(results.runs.size(), 2U);
  EXPECT_EQ(results.launches.size(), 2U);
  const TemporaryFolder folder;
  EXPECT_THROW((void)read_results(folder / "none"), ConfigError);
  EXPECT_THROW((void)read_results(folder.path()), ConfigError) << "without results";
}

TEST(ResultFile, Name_IdentifiesIt) {
  EXPECT_TRUE(is_result_file("results/run/vm-1of1-12.jsonl"));
  EXPECT_TRUE(is_result_file("vm-1of1-12.jsonl.gz"));
  EXPECT_FALSE(is_result_file("experiment.yaml"));
  EXPECT_FALSE(is_result_file("history.db"));
  EXPECT_FALSE(is_result_file("results/history.db.events.jsonl"));
  EXPECT_FALSE(is_result_file("results/history.events.jsonl"));
  EXPECT_FALSE(is_result_file("results/unfinished-night-0123456789abcdef.jsonl"));
}

TEST(Reader, OldSentences_BecomeFlags) {
  LaunchRow row = testing::launch_row({.case_id = "89dcd98dde63f459"});
  LaunchReport& report = row.report;
  report.flags = {"steal"};
  report.notes = {"the machine was busy: the training thread waited 3.0 % of its time for a CPU",
                  "more threads than CPUs: the training thread waited, and nothing else ran",
                  "the hypervisor took more than 1 % of the machine's CPU time",
                  "the control group's CPU quota stopped the worker",
                  "the GPU was slowed down: power brake",
                  "the GPU was lost while this launch ran: it answers nothing more",
                  "the GPU had 2 memory errors during this launch that could not be repaired",
                  "warm-up too short, at least 9 more steps",
                  "drifting: steps became 3.0 % slower",
                  "the first measured step alone is slow: one more warm-up step leaves it out",
                  "the workers of a loader deliver in turns: where the file asks for less",
                  "the machine of a user's own note"};
  const LaunchReport read = read_text(kRun + encode(row) + '\n').launches.at(0).row.report;
  EXPECT_EQ(read.notes, std::vector<std::string>{"the machine of a user's own note"});
  EXPECT_EQ(read.flags,
            (std::vector<std::string>{"steal", "waited_for_cpu", "cpu_quota", "throttled",
                                      "gpu_lost", "gpu_memory_errors", "warmup_too_short",
                                      "drifting", "first_step_slow"}));
}

}  // namespace
}  // namespace stepbench::record
