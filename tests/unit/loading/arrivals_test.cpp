// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/arrivals.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <random>

#include "harness/base/error.h"
#include "tests/scripted_clock.h"
#include "tests/temporary_folder.h"
#include "workloads/loader/recording_loader.h"

namespace stepbench {
namespace {

using loader::Arrival;
using loader::ArrivalPace;
using loader::BatchArrivals;
using loader::WorkerTurns;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Plan {
  std::int64_t ahead = 0;
  std::int64_t workers = 1;
  bool tells = true;  // which batches lay there
};

// What a loader whose workers make batches in the given times does to steps of `own_ns`.
BatchArrivals simulated(const std::vector<std::int64_t>& makes_ns, Plan plan, std::int64_t own_ns) {
  BatchArrivals arrivals{
      .case_id = "abc",
      .engine = "thread",
      .ahead = plan.ahead,
      .workers = plan.workers,
      .fields = {{.dtype = "float32", .shape = {3, 4}}, {.dtype = "int64", .shape = {}}}};
  std::vector<std::int64_t> free_ns(static_cast<std::size_t>(plan.workers));
  const auto ahead = static_cast<std::size_t>(plan.ahead);
  std::int64_t now = 0;
  for (std::size_t i = 0; i < makes_ns.size(); ++i) {
    std::int64_t& made = free_ns[i % free_ns.size()];
    const bool room = ahead == 0 || i < ahead;
    made = std::max(ahead == 0 ? now : made, room ? 0 : arrivals.batches[i - ahead].arrived_ns) +
           makes_ns[i];
    const std::int64_t asked = now;
    now = std::max(now, made);
    arrivals.batches.push_back({.asked_ns = asked,
                                .arrived_ns = now,
                                .size = 2,
                                .bytes = 112,
                                .ready = plan.tells && made <= asked,
                                .in_window = i >= 2});
    now += own_ns;
  }
  return arrivals;
}

std::vector<std::int64_t> turns(const BatchArrivals& arrivals) {
  std::vector<std::int64_t> all;
  for (const loader::ArrivalGap& each : loader::gaps_of(arrivals)) all.push_back(each.turn_ns);
  return all;
}

// The time of so many steps beside what was recorded.
std::int64_t played(const BatchArrivals& arrivals, std::size_t steps, std::int64_t own_ns) {
  ArrivalPace pace(loader::gaps_of(arrivals), WorkerTurns(arrivals.workers, arrivals.ahead, 0));
  std::int64_t now = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::int64_t asked = now;
    now = std::max(now, pace.due_ns(asked));
    pace.given(asked, now);
    now += own_ns;
  }
  return now;
}

// Uneven: their standard deviation is .8 of their mean of `mean_ns`.
std::vector<std::int64_t> uneven(std::size_t batches, double mean_ns) {
  std::mt19937 random(7);
  std::vector<std::int64_t> makes;
  constexpr double kShape = 1 / (0.8 * 0.8);
  std::gamma_distribution<double> turn(kShape, mean_ns / kShape);
  for (std::size_t i = 0; i < batches; ++i) makes.push_back(std::llround(turn(random)));
  return makes;
}

const std::vector<std::int64_t> kMakes = {500, 500, 300, 700, 400, 900};

TEST(BatchArrivals, OfALoaderThatIsWaitedForAreItsOwnTimes) {
  for (const bool tells : {true, false}) {
    const Plan plan{.ahead = 4, .tells = tells};
    EXPECT_THAT(turns(simulated(kMakes, plan, 0)), ElementsAre(300, 700, 400, 900));
    EXPECT_THAT(turns(simulated(kMakes, plan, 100)), ElementsAre(300, 700, 400, 900));
  }
}

TEST(BatchArrivals, OfALoaderThatReadsNothingAheadAreWhatEachBatchTook) {
  EXPECT_THAT(turns(simulated(kMakes, {}, 1000)), ElementsAre(300, 700, 400, 900));
}

TEST(BatchArrivals, OfABatchThatLayThereHalfOfWhatThereWasForIt) {
  for (const bool tells : {true, false}) {
    const BatchArrivals slow = simulated(kMakes, {.ahead = 2, .tells = tells}, 10'000);
    // Begun when the one before was made, half of its own time earlier.
    EXPECT_NEAR(static_cast<double>(turns(slow).back()), 10'000, 500);
    EXPECT_EQ(loader::share_in_time(slow), 1);
  }
  EXPECT_EQ(loader::share_in_time(simulated(kMakes, {.ahead = 2}, 0)), 0);
}

TEST(BatchArrivals, PlayedToAnyStepWaitAsTheLoaderWouldHave) {
  constexpr std::size_t kSteps = 4000;
  for (const Plan plan : {Plan{.ahead = 0}, Plan{.ahead = 4}, Plan{.ahead = 4, .workers = 2},
                          Plan{.ahead = 6, .workers = 3}, Plan{.ahead = 8, .workers = 8}}) {
    const auto makes = uneven(kSteps, 10'000.0 * static_cast<double>(plan.workers));
    const BatchArrivals recorded = simulated(makes, plan, 0);
    for (const std::int64_t own : {0, 5'000, 9'000, 11'000, 15'000, 30'000}) {
      const std::int64_t really = simulated(makes, plan, own).batches.back().arrived_ns + own;
      EXPECT_NEAR(static_cast<double>(played(recorded, kSteps, own)) / static_cast<double>(really),
                  1, 0.02)
          << plan.workers << " workers, " << plan.ahead << " ahead, step " << own;
    }
  }
}

TEST(BatchArrivals, PlayedToTheStepThatTheyWereRecordedWithGiveItsTime) {
  constexpr std::size_t kSteps = 4000;
  for (const bool tells : {true, false}) {
    const Plan plan{.ahead = 4, .workers = 2, .tells = tells};
    for (const std::int64_t own : {5'000, 9'000, 20'000}) {
      const BatchArrivals recorded = simulated(uneven(kSteps, 20'000), plan, own);
      const std::int64_t really = recorded.batches.back().arrived_ns + own;
      EXPECT_NEAR(static_cast<double>(played(recorded, kSteps, own)) / static_cast<double>(really),
                  1, 0.02)
          << own;
    }
  }
}

TEST(BatchArrivals, AnEpochThatBeginsHasNothingReadAhead) {
  BatchArrivals recorded = simulated({500, 500, 500, 500}, {.ahead = 2}, 0);
  recorded.batches[3].begins_epoch = true;
  ArrivalPace pace(loader::gaps_of(recorded), WorkerTurns(1, 2, 0));
  EXPECT_EQ(pace.due_ns(10'000), 10'000) << "made long before it is asked for";
  pace.given(10'000, 10'000);
  EXPECT_EQ(pace.due_ns(20'000), 20'500);
}

class BatchArrivalsFile : public testing::Test {
 protected:
  void write(const std::string& lines) { std::ofstream(file) << lines; }
  void expect_refused(const std::string& why) {
    EXPECT_THAT([&] { (void)loader::read_arrivals(file); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr("loader.arrivals: "),
                                                 HasSubstr(file.string()), HasSubstr(why))));
  }
  const BatchArrivals some = simulated({500, 500, 300, 700}, {.ahead = 2}, 0);
  const std::string text = loader::arrivals_text(some);
  test::TemporaryFolder dir;
  std::filesystem::path file = dir.path() / "a.jsonl";
};

TEST_F(BatchArrivalsFile, IsReadAsItWasWritten) {
  write(text);
  const BatchArrivals read = loader::read_arrivals(file);
  EXPECT_EQ(loader::arrivals_text(read), text);
  EXPECT_EQ(read.fields, some.fields);
  EXPECT_EQ(read.case_id, "abc");
  EXPECT_EQ(loader::words_of(2, read.fields), "2 samples of float32 3x4, int64");
}

TEST_F(BatchArrivalsFile, ThatIsNotThereOrAnotherFileIsRefused) {
  expect_refused("cannot be read");
  write("");
  expect_refused("is empty");
  write("hello\n");
  expect_refused("line 1: ");
  write("{\"record\":\"launch\"}\n");
  expect_refused("line 1: is no file that --record-arrivals wrote");
  write("{\"record\":\"arrivals\",\"version\":2}\n");
  expect_refused("line 1: is of version 2, and this program reads 1");
}

TEST_F(BatchArrivalsFile, ThatWasCutOffIsRefusedWhereverThatWas) {
  for (std::size_t length = 1; length < text.size(); ++length) {
    write(text.substr(0, length));
    expect_refused("cut off");
  }
}

TEST_F(BatchArrivalsFile, WithWhatCannotBeIsRefused) {
  const auto changed = [&](std::string_view from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    write(other);
  };
  changed("\"ahead\":2", "\"ahead\":-2");
  expect_refused("line 1: has 'ahead' of -2 batches");
  changed("\"workers\":1", "\"workers\":0");
  expect_refused("line 1: has 0 workers");
  changed("\"arrived_ns\":1000", "\"arrived_ns\":400");
  expect_refused("line 3: has times that run backwards");
  changed("\"size\":2", "\"size\":0");
  expect_refused("line 2: has a batch of no samples");
  changed("\"shape\":[3,4]", "\"shape\":\"x\"");
  expect_refused("line 1: ");
  changed("\"size\":2,", "");
  expect_refused("line 2: lacks 'size'");
  BatchArrivals none = some;
  for (Arrival& each : none.batches) each.in_window = false;
  write(loader::arrivals_text(none));
  expect_refused("no batch of a measured window");
}

// A batch every 500 ns, two in an epoch.
class SlowLoader final : public loader::Loader {
 public:
  explicit SlowLoader(ScriptedClock& clock) : clock_(clock) {}
  void begin_epoch(std::int64_t) override {
    clock_.pass(100);
    given_ = 0;
  }
  [[nodiscard]] std::optional<Batch> next() override {
    if (given_ == 2) return std::nullopt;
    clock_.pass(500);
    ++given_;
    Batch batch;
    batch.size = 1;
    batch.fields.push_back(
        BatchField(nullptr, FieldSpec{.name = "x", .shape = {2}, .dtype = DType::kFloat32}));
    return batch;
  }
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return 2; }
  [[nodiscard]] const loader::LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override {}

 private:
  ScriptedClock& clock_;
  int given_ = 0;
  loader::LoaderMetrics metrics_;
};

TEST(RecordingLoader, KeepsWhenABatchWasAskedForAndWhenItCame) {
  ScriptedClock clock(1'000'000);
  loader::RecordingLoader recording(std::make_unique<SlowLoader>(clock), 0, 1, clock);
  recording.begin_epoch(0);
  (void)recording.next();
  recording.window(Edge::kBegin);
  clock.pass(50);
  (void)recording.next();
  EXPECT_FALSE(recording.next());
  recording.begin_epoch(1);
  (void)recording.next();
  recording.window(Edge::kEnd);
  (void)recording.next();
  const BatchArrivals& kept = recording.arrivals();
  EXPECT_THAT(kept.fields, ElementsAre(loader::RecordedField{.dtype = "float32", .shape = {2}}));
  ASSERT_EQ(kept.batches.size(), 4);
  const auto expect = [&](std::size_t i, std::int64_t asked, std::int64_t came, bool epoch,
                          bool window) {
    EXPECT_EQ(kept.batches[i].asked_ns, asked) << i;
    EXPECT_EQ(kept.batches[i].arrived_ns, came) << i;
    EXPECT_EQ(kept.batches[i].begins_epoch, epoch) << i;
    EXPECT_EQ(kept.batches[i].in_window, window) << i;
    EXPECT_EQ(kept.batches[i].bytes, 8) << i;
  };
  expect(0, 0, 600, true, false);
  expect(1, 650, 1150, false, true);
  expect(2, 1150, 1750, true, true);
  expect(3, 1750, 2250, false, false);
}

}  // namespace
}  // namespace stepbench
