// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/launch.h"
#include "harness/estimate/columns.h"
#include "harness/ops/op_table.h"

#include "harness/worker/internal/check.h"
#include "tests/testing.h"
#include "tests/unit/measure/recording_instrument.h"
#include "tests/unit/worker/scripted_workload.h"

namespace stepbench::worker {
namespace {

using protocol::Stage;

// Behaviour of one workload; `make` reads it because WorkloadType holds a plain function.
struct Script {
  ScriptedClock clock{};
  std::vector<std::string> log = {};
  bool throw_in_make = false;
  bool throw_in_set_up = false;
  bool throw_in_tear_down = false;
  bool skip = false;
  bool ops = false;
  int torn_down = 0;
  std::int64_t throw_at_step = -1;
};

class ScriptClock final : public Clock {
 public:
  explicit ScriptClock(Script& script) : script_(script) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return script_.clock.now_ns(); }
  [[nodiscard]] Script& script() const { return script_; }

 private:
  Script& script_;
};

class LaunchWorkload final : public ScriptedWorkload {
 public:
  LaunchWorkload(Script& script, WorkerContext& context)
      : ScriptedWorkload(script.clock, script.log), script_(script), context_(context) {
    throw_at_step = script.throw_at_step;
  }
  std::optional<std::string> set_up() override {
    (void)ScriptedWorkload::set_up();
    script_.clock.pass(500);
    context_.life_cycle = {.loader_construct_ns = 5, .first_batch_ns = 70};
    if (script_.throw_in_set_up) throw std::runtime_error("set_up failed");
    if (script_.skip) return "no device";
    return std::nullopt;
  }
  void tear_down() override {
    ScriptedWorkload::tear_down();
    ++script_.torn_down;
    script_.clock.pass(30);
    context_.life_cycle.loader_tear_down_ns = 20;
    if (script_.throw_in_tear_down) throw std::runtime_error("tear_down failed");
  }
  void report(ReportSink& sink) const override {
    script_.log.emplace_back("report");
    sink.metric("flops", 1e9);
    sink.effective("device", std::string("cpu"));
    sink.note("as asked");
    if (!script_.ops) return;
    ops::OpTable table;
    table.strings = {"aten::mm"};
    table.rows = {{.name = 0, .calls = 4}};
    table.dropped = 2;
    sink.ops(table);
  }

 private:
  Script& script_;
  WorkerContext& context_;
};

std::unique_ptr<Workload> make(const ResolvedCase&, WorkerContext& context) {
  Script& script = dynamic_cast<const ScriptClock&>(context.clock).script();
  if (script.throw_in_make) throw std::runtime_error("make failed");
  return std::make_unique<LaunchWorkload>(script, context);
}

InstrumentType recording(measure::InstrumentLog& log, Passes passes = kAllPasses) {
  return {.name = "A",
          .passes = passes,
          .make = [&log](const ResolvedCase&, WorkerContext&) -> std::unique_ptr<Instrument> {
            return std::make_unique<measure::RecordingInstrument>("A", log);
          }};
}

Catalogue launch_catalogue() {
  return {harness_sections(), {{.name = "scripted", .doc = "A scripted workload."}}};
}

struct Said {
  std::vector<std::string> kinds;
  std::vector<Stage> stages;
  std::vector<record::CycleSamples> samples;
  std::vector<ops::OpFrame> ops;
  std::optional<record::LaunchReport> report;
  std::optional<std::string> skipped;
  std::optional<protocol::FailedMessage> failed;

  void hear(const protocol::WorkerMessage& message) {
    constexpr const char* kKinds[] = {"hello", "stage",  "cycle",   "samples",
                                      "ops",   "launch", "skipped", "failed"};
    kinds.emplace_back(kKinds[message.index()]);
    if (const auto* stage = std::get_if<protocol::StageMessage>(&message)) {
      stages.push_back(stage->stage);
    }
    if (const auto* cycle = std::get_if<record::CycleSamples>(&message)) samples.push_back(*cycle);
    if (const auto* frame = std::get_if<ops::OpFrame>(&message)) ops.push_back(*frame);
    if (const auto* launch = std::get_if<record::LaunchReport>(&message)) report = *launch;
    if (const auto* skip = std::get_if<protocol::SkippedMessage>(&message)) skipped = skip->reason;
    if (const auto* failure = std::get_if<protocol::FailedMessage>(&message)) failed = *failure;
  }
};

Said run(Script& script, const std::vector<std::pair<std::string, Value>>& options = {},
         std::span<const InstrumentType> instruments = {}, const std::string& name = "scripted",
         Pass pass = Pass::kTiming, protocol::VersionRange versions = protocol::kSupported,
         int world = 1, const WorkerFacts& facts = {}) {
  protocol::CaseMessage message;
  message.world = world;
  message.rank = world - 1;
  message.protocol = versions;
  message.pass = pass;
  message.resolved.case_id = "0123";
  message.resolved.workload = name;
  message.resolved.options["schedule.warmup"] = std::int64_t{1};
  message.resolved.options["schedule.active"] = std::int64_t{3};
  for (const auto& [option, value] : options) message.resolved.options[option] = value;
  fill_defaults(message.resolved, launch_catalogue());
  const WorkloadType types[] = {{"scripted", make}};
  const ScriptClock clock(script);
  Said said;
  const Catalogue known = launch_catalogue();
  run_case(message, {known, types, instruments, facts}, clock, clock.now_ns(),
           [&](const protocol::WorkerMessage& out) { said.hear(out); });
  return said;
}

TEST(Launch, Ops_PrecedeTheFinalLine) {
  Script script;
  script.ops = true;
  const Said said = run(script);
  ASSERT_EQ(said.ops.size(), 1U);
  EXPECT_EQ(said.kinds.at(said.kinds.size() - 2), "ops");
  EXPECT_EQ(ops::op_table_of(said.ops).rows[0].calls, 4);
  EXPECT_THAT(said.report->flags, Contains("ops_incomplete"));
  EXPECT_THAT(said.report->notes, Contains(HasSubstr("2 records were lost")));
  const Said to_older = run(script, {}, {}, "scripted", Pass::kNative, {1, 1});
  EXPECT_TRUE(to_older.ops.empty());
  EXPECT_EQ(to_older.kinds.back(), "launch");
}

TEST(Launch, Messages_ComeInOrder) {
  Script script;
  const Said said = run(script, {{"schedule.repeat", std::int64_t{2}}});
  EXPECT_THAT(said.kinds, ElementsAre("stage", "stage", "stage", "stage", "cycle", "stage", "stage",
                                      "cycle", "samples", "samples", "stage", "launch"));
  EXPECT_THAT(said.stages,
              ElementsAre(Stage::kSetUp, Stage::kExercise, Stage::kWarmup, Stage::kActive,
                          Stage::kWarmup, Stage::kActive, Stage::kTearDown));
  EXPECT_EQ(said.samples[1].cycle, 1);
}

TEST(Launch, HostOnlyWarmUp_ReportsProgress) {
  Script script;
  const Said said =
      run(script, {{"device", std::string("cpu")}, {"schedule.warmup", std::int64_t{5}}});
  EXPECT_THAT(said.stages, ElementsAre(Stage::kSetUp, Stage::kExercise, Stage::kWarmup,
                                       Stage::kWarmup, Stage::kActive, Stage::kTearDown))
      << "after its first step, then once a second";
}

TEST(Launch, Report_IsMadeBeforeTearDown) {
  Script script;
  const record::LaunchReport report = run(script).report.value();
  ASSERT_GE(script.log.size(), 3U);
  EXPECT_THAT(std::vector<std::string>(script.log.end() - 3, script.log.end()),
              ElementsAre("fingerprint", "report", "tear_down"));
  for (const auto& [name, value] : {std::pair("set_up_ns", 500.0),
                                    {"tear_down_ns", 30.0},
                                    {"first_batch_ns", 70.0},
                                    {"loader_construct_ns", 5.0},
                                    {"loader_tear_down_ns", 20.0},
                                    {"flops", 1e9}}) {
    EXPECT_EQ(report.metrics.at(name), value) << name;
  }
  EXPECT_GT(report.metrics.at("peak_rss_bytes").value(), 0);
  for (const char* name : {"cpu_user_ns", "cpu_system_ns", "minor_faults", "major_faults",
                           "voluntary_switches", "involuntary_switches"}) {
    EXPECT_GE(report.metrics.at(name).value(), 0) << name;
  }
  EXPECT_EQ(report.fingerprint.at("loss"), Value(0.25));
  EXPECT_EQ(report.effective.at("device"), Value(std::string("cpu")));
  EXPECT_THAT(report.notes, ElementsAre("as asked"));
  EXPECT_EQ(report.schedule.at("stop_reason"), Value(std::string("count")));
  EXPECT_EQ(report.schedule.at("active"), Value(std::int64_t{3}));
  EXPECT_EQ(report.schedule.at("warmup"), Value(std::int64_t{1}));
  EXPECT_EQ(report.schedule.at("warmup_verdict"), Value(std::string("unknown")));
  const auto& declared = estimate::harness_metrics();
  for (const auto& [name, value] : report.metrics) {
    if (name == "flops") continue;  // the workload's own
    EXPECT_TRUE(std::any_of(declared.begin(), declared.end(),
                            [&](const Metric& metric) { return metric.name == name; }))
        << name << " is not declared";
  }
}

Said run_as_rank(Script& script, int world, std::vector<std::string>& devices) {
  const InstrumentType asks = {
      .name = "A",
      .passes = {Pass::kTiming},
      .make = [&](const ResolvedCase& resolved, WorkerContext&) -> std::unique_ptr<Instrument> {
        devices.push_back(resolved.text("device"));
        return nullptr;
      }};
  const WorkerFacts facts = {
      .place_rank = [](ResolvedCase& resolved, const WorkerContext& context) {
        resolved.options["device"] = "cuda:" + std::to_string(context.rank);
      }};
  return run(script, {{"device", std::string("cuda")}}, std::span(&asks, 1), "scripted",
             Pass::kTiming, protocol::kSupported, world, facts);
}

TEST(Launch, Rank_HasItsOwnDevice) {
  for (const auto& [world, device] : {std::pair(2, "cuda:1"), std::pair(1, "cuda")}) {
    Script script;
    std::vector<std::string> devices;
    EXPECT_TRUE(run_as_rank(script, world, devices).report);
    EXPECT_THAT(devices, ElementsAre(device));
  }
}

TEST(Launch, Collectors_AreInTheirPassOnly) {
  for (const Pass pass : {Pass::kTiming, Pass::kNative, Pass::kKineto}) {
    Script script;
    measure::InstrumentLog log;
    const InstrumentType types[] = {recording(log, {Pass::kNative})};
    (void)run(script, {}, types, "scripted", pass);
    EXPECT_EQ(log.lines.empty(), pass != Pass::kNative);
  }
}

TEST(Launch, Profile_TakesAsManySteps) {
  using Options = std::vector<std::pair<std::string, Value>>;
  Script script;
  const Options options{{"schedule.warmup", std::int64_t{5}},
                        {"schedule.repeat", std::int64_t{2}},
                        {"profile.active", std::int64_t{2}}};
  const record::LaunchReport timed = run(script, options).report.value();
  const Said profiled = run(script, options, {}, "scripted", Pass::kNative);
  EXPECT_EQ(profiled.report->schedule.at("steps"), timed.schedule.at("steps"));
  EXPECT_EQ(profiled.report->schedule.at("active"), Value(std::int64_t{2}));
  EXPECT_EQ(profiled.samples.size(), 1U);
  // Its own warm-up makes it short.
  const Options own{{"profile.active", std::int64_t{4}}, {"profile.warmup", std::int64_t{2}}};
  EXPECT_EQ(run(script, own, {}, "scripted", Pass::kKineto).report->schedule.at("steps"),
            Value(std::int64_t{6}));
}

TEST(Launch, Skip_IsNoFailure) {
  Script script{.skip = true};
  const Said said = run(script);
  EXPECT_EQ(said.skipped, "no device");
  EXPECT_EQ(said.kinds.back(), "skipped");
  EXPECT_THAT(script.log, ElementsAre("set_up", "tear_down"));
}

TEST(Launch, Exception_NamesItsStage) {
  struct {
    Script script;
    const char* message;
    Stage stage;
    int torn_down;
    std::size_t cycles;
  } rows[] = {
      {{.throw_in_make = true}, "make failed", Stage::kSetUp, 0, 0},
      {{.throw_in_set_up = true}, "set_up failed", Stage::kSetUp, 1, 0},
      {{.throw_in_tear_down = true, .skip = true}, "tear_down failed", Stage::kTearDown, 1, 0},
      {{.throw_in_tear_down = true}, "tear_down failed", Stage::kTearDown, 1, 2},
      // The second cycle's warm-up is step 5.
      {{.throw_at_step = 6}, "step failed", Stage::kWarmup, 1, 1},
      {{.throw_in_tear_down = true, .throw_at_step = 0}, "step failed", Stage::kWarmup, 1, 0}};
  for (auto& row : rows) {
    const Said said = run(row.script, {{"schedule.repeat", std::int64_t{2}}});
    SCOPED_TRACE(row.message);
    ASSERT_TRUE(said.failed);
    EXPECT_EQ(said.failed->message, row.message);
    EXPECT_EQ(said.failed->stage, row.stage);
    EXPECT_EQ(row.script.torn_down, row.torn_down);
    EXPECT_EQ(said.samples.size(), row.cycles);
    EXPECT_EQ(said.kinds.back(), "failed");
  }
}

TEST(Launch, UnknownWorkload_NamesTheKnown) {
  Script script;
  EXPECT_THAT(run(script, {}, {}, "other").failed->message,
              HasSubstr("no workload 'other'; it has: scripted"));
}

TEST(Launch, WindowWithoutSteps_IsRejected) {
  Script script;
  EXPECT_THAT(run(script, {{"schedule.active", std::int64_t{0}}}).failed->message,
              HasSubstr("schedule.active must be at least 1"));
}

TEST(Launch, WallLimit_KeepsFinishedCycles) {
  Script script;
  // 4,000 of 5,000 ns are left for set-up and steps: 500 and two cycles of 500 + 2 x 1000.
  const Said said = run(script, {{"limits.wall_s", 5e-6}, {"schedule.repeat", std::int64_t{9}}});
  ASSERT_TRUE(said.report);
  EXPECT_EQ(said.report->schedule.at("stop_reason"), Value(std::string("wall_limit")));
  EXPECT_THAT(said.report->flags, Contains("truncated"));
  EXPECT_EQ(said.report->schedule.at("cycles"),
            Value(static_cast<std::int64_t>(said.samples.size())));
  EXPECT_GE(said.samples.size(), 1U);
}

TEST(Launch, LongWindow_IsSentInParts) {
  Script script;
  const Said said = run(script, {{"schedule.active", std::int64_t{20'000}}});
  ASSERT_EQ(said.samples.size(), 2U);
  EXPECT_EQ(said.samples[0].steps.columns[0].size(), record::kMaxStepsPerSamplesRow);
  EXPECT_EQ(said.samples[1].steps.columns[0].size(), 20'000 - record::kMaxStepsPerSamplesRow);
  EXPECT_EQ(said.samples[0].cycle, said.samples[1].cycle);
}

TEST(Launch, ThrowingInstrument_TearsDown) {
  Script quiet;
  measure::InstrumentLog all;
  const InstrumentType counted[] = {recording(all)};
  (void)run(quiet, {}, counted);
  EXPECT_EQ(all.lines.front(), "A exercise") << "once, before the first step";
  EXPECT_EQ(std::count(all.lines.begin(), all.lines.end(), "A exercise"), 1);
  EXPECT_EQ(all.lines.back(), "A report");
  for (int n = 0; n < all.throwing_actions; ++n) {
    SCOPED_TRACE("action " + std::to_string(n));
    Script script;
    measure::InstrumentLog log;
    log.throw_at = n;
    const InstrumentType types[] = {recording(log)};
    const Said said = run(script, {}, types);
    ASSERT_TRUE(said.failed);
    EXPECT_EQ(said.failed->message, "scripted");
    EXPECT_EQ(script.log.back(), "tear_down");
    EXPECT_EQ(said.kinds.back(), "failed");
  }
}

}  // namespace
}  // namespace stepbench::worker
