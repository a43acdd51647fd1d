// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/replay_loader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <limits>

#include "harness/base/error.h"
#include "tests/scripted_clock.h"
#include "tests/unit/loading/case.h"
#include "workloads/loader/recording_loader.h"
#include "workloads/loader/schedule_rule.h"

namespace stepbench {
namespace {

using loader::ReplayMode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr std::int64_t kPlenty = std::numeric_limits<std::int64_t>::max();

// What happened to a counting loader, which may end before its reader asks.
struct Counts {
  std::atomic<int> asked = 0;
  std::atomic<int> epochs = 0;
  std::atomic<bool> gone = false;
  std::atomic<int> fails_at = -1;
};

// Batches of one number, which is how many were asked for; all in the same memory.
class CountingLoader final : public loader::Loader {
 public:
  CountingLoader(Counts& counts, int per_epoch, bool workers)
      : counts_(counts), per_epoch_(per_epoch), workers_(workers) {}
  ~CountingLoader() override { counts_.gone = true; }

  void begin_epoch(std::int64_t) override {
    ++counts_.epochs;
    given_ = 0;
  }
  [[nodiscard]] std::optional<Batch> next() override {
    if (given_ == per_epoch_) return std::nullopt;
    ++given_;
    number_ = counts_.asked++;
    counts_.asked.notify_all();
    if (number_ == counts_.fails_at) throw Error("batch " + std::to_string(number_) + " is broken");
    Batch batch;
    batch.size = 1;
    batch.fields.push_back(
        BatchField(reinterpret_cast<std::byte*>(&number_),
                   FieldSpec{.name = "number", .shape = {}, .dtype = DType::kInt32}));
    return batch;
  }
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return per_epoch_; }
  [[nodiscard]] std::vector<loader::WorkerThread> worker_threads() const override {
    if (!workers_) return {};
    return {{.process = 1, .thread = 2}};
  }
  [[nodiscard]] const loader::LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override {}

 private:
  Counts& counts_;
  int per_epoch_;
  bool workers_;
  int given_ = 0;
  int number_ = 0;
  loader::LoaderMetrics metrics_;
};

class Replays : public testing::Test {
 protected:
  std::unique_ptr<loader::ReplayLoader> replay(std::int64_t batches, ReplayMode how,
                                               int per_epoch = 1 << 20, bool workers = true) {
    auto made = std::make_unique<loader::ReplayLoader>(
        std::make_unique<CountingLoader>(counts, per_epoch, workers), batches, how, nullptr, clock,
        free_bytes);
    made->begin_epoch(0);
    return made;
  }
  static int number_of(loader::Loader& loader) {
    const std::optional<Batch> batch = loader.next();
    return batch ? *reinterpret_cast<const int*>(batch->fields[0].data) : -1;
  }
  static std::vector<int> numbers(loader::Loader& loader, int count) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) all.push_back(number_of(loader));
    return all;
  }
  void wait_until_asked(int times) {
    for (int now = counts.asked; now < times; now = counts.asked) counts.asked.wait(now);
  }

  ScriptedClock clock{0};
  Counts counts;
  std::int64_t free_bytes = kPlenty;
};

TEST_F(Replays, TheFirstBatchesComeAgainFromMemoryOfTheirOwnAndTheStoppedLoaderIsGone) {
  const auto loader = replay(3, ReplayMode::kStopped);
  EXPECT_THAT(numbers(*loader, 2), ElementsAre(0, 1));
  EXPECT_FALSE(counts.gone);
  EXPECT_THAT(numbers(*loader, 6), ElementsAre(2, 0, 1, 2, 0, 1));
  EXPECT_TRUE(counts.gone);
  EXPECT_EQ(counts.asked, 3);
  EXPECT_EQ(loader->batches_per_epoch(), -1) << "there is no end any more";
}

TEST_F(Replays, AWorkingLoaderIsAskedForOneBatchPerStepAndItIsThrownAway) {
  const auto loader = replay(2, ReplayMode::kWorking);
  EXPECT_THAT(numbers(*loader, 2), ElementsAre(0, 1));
  for (int step = 0; step < 20; ++step) {
    EXPECT_EQ(number_of(*loader), step % 2);
    wait_until_asked(3 + step);
    EXPECT_EQ(counts.asked, 3 + step);
  }
  EXPECT_FALSE(counts.gone);
  EXPECT_THAT(loader->worker_threads(), ElementsAre(loader::WorkerThread{1, 2}));
}

TEST_F(Replays, AWorkingLoaderBeginsItsNextEpochByItself) {
  const auto loader = replay(2, ReplayMode::kWorking, 3);
  EXPECT_THAT(numbers(*loader, 2), ElementsAre(0, 1));
  // An epoch's end takes the place of a batch.
  for (int step = 0; counts.epochs < 3; ++step) {
    (void)number_of(*loader);
    std::this_thread::yield();
    ASSERT_LT(step, 100'000'000);
  }
}

TEST_F(Replays, OneThatWorksWithoutWorkersOfItsOwnIsStopped) {
  const auto loader = replay(2, ReplayMode::kWorking, 1 << 20, false);
  EXPECT_THAT(numbers(*loader, 5), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_TRUE(counts.gone);
}

TEST_F(Replays, AnErrorOfTheLoaderThatWorksFailsTheStepsAfterIt) {
  counts.fails_at = 2;
  const auto loader = replay(2, ReplayMode::kWorking);
  EXPECT_THAT(
      [&] {
        while (true) (void)number_of(*loader);
      },
      ThrowsMessage<Error>(HasSubstr("batch 2 is broken")));
}

TEST_F(Replays, EpochsThatEndBeforeAllIsKeptGoOn) {
  const auto loader = replay(3, ReplayMode::kStopped, 2);
  EXPECT_THAT(numbers(*loader, 3), ElementsAre(0, 1, -1));
  loader->begin_epoch(1);
  EXPECT_THAT(numbers(*loader, 4), ElementsAre(2, 0, 1, 2));
}

TEST_F(Replays, BatchesThatDoNotFitIntoMemoryAreRefused) {
  free_bytes = 11;
  const auto loader = replay(3, ReplayMode::kStopped);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<ConfigError>(testing::AllOf(
                  HasSubstr("loader.replay_batches: 3 batches"), HasSubstr("keep fewer"))));
}

// A loader that takes `gap_ns` for a batch of one int32, `ahead` before they are asked for.
loader::BatchArrivals even_arrivals(std::int64_t gap_ns, std::int64_t ahead, int batches = 8) {
  loader::BatchArrivals arrivals{.ahead = ahead, .fields = {{.dtype = "int32", .shape = {}}}};
  for (std::int64_t i = 0; i < batches; ++i) {
    arrivals.batches.push_back({.asked_ns = i * gap_ns,
                                .arrived_ns = (i + 1) * gap_ns,
                                .size = 1,
                                .bytes = 4,
                                .in_window = true});
  }
  return arrivals;
}

class RecordedReplays : public Replays {
 protected:
  std::unique_ptr<loader::ReplayLoader> replay(const loader::BatchArrivals& arrivals) {
    auto made = std::make_unique<loader::ReplayLoader>(
        std::make_unique<CountingLoader>(counts, 1 << 20, true), 2, arrivals, arrivals.ahead,
        nullptr, clock, free_bytes);
    made->begin_epoch(0);
    (void)numbers(*made, 2);  // those that are kept
    return made;
  }
  // Steps of `own_ns` beside the loader.
  std::int64_t time_of(loader::Loader& loader, int steps, std::int64_t own_ns) {
    const std::int64_t began = clock.now_ns();
    for (int i = 0; i < steps; ++i) {
      (void)number_of(loader);
      clock.pass(own_ns);
    }
    return clock.now_ns() - began;
  }
};

TEST_F(RecordedReplays, AStepWaitsAsItWouldHaveForTheLoader) {
  const auto loader = replay(even_arrivals(1000, 2));
  EXPECT_TRUE(counts.gone);
  EXPECT_EQ(time_of(*loader, 100, 200), 100 * 1000 + 200);
  EXPECT_EQ(loader->metrics().batches, 102);
}

TEST_F(RecordedReplays, AStepThatIsSlowerThanTheLoaderNeverWaits) {
  const auto loader = replay(even_arrivals(1000, 2));
  (void)number_of(*loader);
  clock.pass(5000);
  EXPECT_EQ(time_of(*loader, 100, 1100), 100 * 1100);
}

TEST_F(RecordedReplays, ALoaderThatReadsNothingAheadTakesItsTimeWithinEachStep) {
  const auto loader = replay(even_arrivals(1000, 0));
  EXPECT_EQ(time_of(*loader, 100, 5000), 100 * 6000);
}

TEST_F(RecordedReplays, BatchesComeInTurnsFromTheKeptOnes) {
  const auto loader = replay(even_arrivals(1000, 2));
  EXPECT_THAT(numbers(*loader, 4), ElementsAre(0, 1, 0, 1));
}

TEST_F(RecordedReplays, OthersThanTheRecordedBatchesAreRefused) {
  loader::BatchArrivals arrivals = even_arrivals(1000, 2);
  arrivals.fields = {{.dtype = "float32", .shape = {3, 8, 8}}};
  EXPECT_THAT([&] { (void)replay(arrivals); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "loader.arrivals: batches of 1 sample of float32 3x8x8 were recorded, and this "
                  "case's are of 1 sample of int32")));
  arrivals = even_arrivals(1000, 2);
  for (loader::Arrival& each : arrivals.batches) {
    each.size = 32;
    each.bytes *= 32;
  }
  EXPECT_THAT([&] { (void)replay(arrivals); },
              ThrowsMessage<ConfigError>(HasSubstr("batches of 32 samples of int32")));
}

std::vector<std::string> refusals(const test::OptionList& changes, bool swept = false) {
  const RuleFacts facts{.swept = swept, .cores = 4};
  const auto both = [](ResolvedCase& resolved, const RuleFacts& of, RuleSink& sink) {
    loader::check_replay(resolved, of, sink);
    loader::check_recording(resolved, of, sink);
  };
  test::Said said = test::said_by(both, changes, facts);
  for (const std::string& skip : said.skips) said.errors.push_back("skip: " + skip);
  return said.errors;
}

TEST(ReplayRules, RefuseWhatCannotBeReplayedOrRecorded) {
  const test::OptionList::value_type working{"loader.replay", "working"},
      recorded{"loader.replay", "recorded"}, two{"loader.num_workers", std::int64_t{2}},
      file{"loader.arrivals", "a.jsonl"}, record{"loader.record_arrivals", true};
  EXPECT_THAT(refusals({working}, true), ElementsAre(HasSubstr("skip: without workers")));
  EXPECT_THAT(refusals({working}), ElementsAre(HasSubstr("loader.replay: without workers")));
  EXPECT_THAT(refusals({working, two, {"transfer.placement", "pin_thread"}}, true),
              ElementsAre(HasSubstr("leave out the copies")));
  EXPECT_THAT(refusals({recorded}), ElementsAre(HasSubstr("needs the file of a recording")));
  EXPECT_THAT(refusals({recorded, file, record}),
              ElementsAre(HasSubstr("have no arrivals of their own")));
  for (const test::OptionList& fine : {test::OptionList{working, two},
                                       {{"loader.replay", "stopped"}},
                                       {recorded, file},
                                       {record}}) {
    EXPECT_THAT(refusals(fine, true), IsEmpty());
  }
}

// A recorded loader's queue is filled, too.
TEST(ReplayRules, TheWarmUpHoldsTheBatchesThatAreKept) {
  const auto warmup = [](const char* how, std::int64_t batches, std::int64_t workers) {
    return test::said_by(loader::fit_loader_schedule,
                         {{"loader.replay", how},
                          {"loader.replay_batches", batches},
                          {"loader.num_workers", workers},
                          {"schedule.active", std::int64_t{50}},
                          {"schedule.warmup", std::int64_t{10}}},
                         {.cores = 4})
        .resolved.integer("schedule.warmup");
  };
  EXPECT_EQ(warmup("recorded", 4, 4), 4 + 2 * 4 * 2 + 2);
  EXPECT_EQ(warmup("stopped", 30, 0), 32);
}

}  // namespace
}  // namespace stepbench
