// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/cached_batches.h"

#include "harness/base/error.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "workloads/loader/loader_section.h"

namespace stepbench {
namespace {

// Calls of a counting loader, which may end before its reader asks.
struct Counts {
  int asked = 0;
  bool gone = false;
};

// Batches of one number, which is the count of requested batches; all in the same memory.
class CountingLoader final : public loader::Loader {
 public:
  CountingLoader(Counts& counts, int per_epoch) : counts_(counts), per_epoch_(per_epoch) {}
  ~CountingLoader() override { counts_.gone = true; }

  void begin_epoch(std::int64_t) override { given_ = 0; }
  [[nodiscard]] std::optional<Batch> next() override {
    if (given_ == per_epoch_) return std::nullopt;
    ++given_;
    number_ = counts_.asked++;
    Batch batch;
    batch.size = 1;
    batch.fields.push_back(
        BatchField(reinterpret_cast<std::byte*>(&number_),
                   FieldSpec{.name = "number", .shape = {}, .dtype = DType::kInt32}));
    return batch;
  }
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return per_epoch_; }
  [[nodiscard]] std::vector<loader::WorkerThread> worker_threads() const override {
    return {{.process = 1, .thread = 2}};
  }
  [[nodiscard]] const loader::LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override {}

 private:
  Counts& counts_;
  int per_epoch_;
  int given_ = 0;
  int number_ = 0;
  loader::LoaderMetrics metrics_;
};

class KeptBatchesTest : public testing::Test {
 protected:
  std::unique_ptr<loader::CachedBatches> keep(std::int64_t batches, int per_epoch = 1 << 20) {
    auto made = std::make_unique<loader::CachedBatches>(
        std::make_unique<CountingLoader>(counts, per_epoch), batches, nullptr, clock, free_bytes);
    made->begin_epoch(0);
    return made;
  }
  static std::vector<int> numbers(loader::Loader& loader, int count) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) {
      const std::optional<Batch> batch = loader.next();
      all.push_back(batch ? *reinterpret_cast<const int*>(batch->fields[0].data) : -1);
    }
    return all;
  }

  ScriptedClock clock{0};
  Counts counts;
  std::int64_t free_bytes = std::numeric_limits<std::int64_t>::max();
};

TEST_F(KeptBatchesTest, FirstBatches_RepeatFromMemory) {
  const auto loader = keep(3);
  EXPECT_THAT(numbers(*loader, 2), ElementsAre(0, 1));
  EXPECT_THAT(loader->worker_threads(), ElementsAre(loader::WorkerThread{1, 2}));
  EXPECT_FALSE(counts.gone);
  EXPECT_THAT(numbers(*loader, 6), ElementsAre(2, 0, 1, 2, 0, 1));
  EXPECT_TRUE(counts.gone);
  EXPECT_EQ(counts.asked, 3);
  EXPECT_THAT(loader->worker_threads(), IsEmpty());
  EXPECT_EQ(loader->batches_per_epoch(), -1) << "there is no end any more";
}

TEST_F(KeptBatchesTest, ShortEpochs_KeepFilling) {
  const auto loader = keep(3, 2);
  EXPECT_THAT(numbers(*loader, 3), ElementsAre(0, 1, -1));
  loader->begin_epoch(1);
  EXPECT_THAT(numbers(*loader, 4), ElementsAre(2, 0, 1, 2));
}

TEST_F(KeptBatchesTest, TooLargeBatches_AreRejected) {
  free_bytes = 11;
  const auto loader = keep(3);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("loader.alone: 3 batches"), HasSubstr("a smaller batch_size"))));
}

std::vector<std::string> refusals(const test::OptionList& changes, bool swept = false) {
  test::Said said = test::said_by(loader::check_alone, changes, {.swept = swept, .cores = 4});
  for (const std::string& skip : said.skips) said.errors.push_back("skip: " + skip);
  return said.errors;
}

TEST(AloneRules, NoLoaderOrStepAlone_IsRejected) {
  const test::OptionList::value_type step{"loader.alone", "step"}, loader{"loader.alone", "loader"},
      pin_thread{"transfer.placement", "pin_thread"}, ranks{"distributed.ranks", std::int64_t{2}};
  EXPECT_THAT(refusals({step, pin_thread}, true),
              ElementsAre(HasSubstr("skip: with transfer.placement: pin_thread")));
  EXPECT_THAT(refusals({step, pin_thread}), ElementsAre(HasSubstr("leave out the copies")));
  EXPECT_THAT(refusals({loader, ranks}, true), ElementsAre(HasSubstr("several ranks")));
  for (const test::OptionList& fine :
       {test::OptionList{step, ranks}, {loader, pin_thread}, {pin_thread, ranks}}) {
    EXPECT_THAT(refusals(fine, true), IsEmpty());
  }
}

TEST(AloneRules, WarmUp_CoversTheKeptBatches) {
  const auto warmup = [](const char* alone, const char* lengths) {
    return test::said_by(loader::fit_loader_schedule,
                         {{"loader.alone", alone},
                          {"data.lengths", lengths},
                          {"loader.num_workers", std::int64_t{0}},
                          {"schedule.active", std::int64_t{50}},
                          {"schedule.warmup", std::int64_t{1}}},
                         {.cores = 4})
        .resolved.integer("schedule.warmup");
  };
  EXPECT_EQ(warmup("none", "fixed"), 1);
  EXPECT_EQ(warmup("loader", "fixed"), 1);
  EXPECT_EQ(warmup("step", "fixed"), 4 + 2);
  EXPECT_EQ(warmup("step", "uniform"), 64 + 2);
}

}  // namespace
}  // namespace stepbench
