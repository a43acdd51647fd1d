// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/sample_lengths.h"

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/internal/synthetic/synthetic_tokens.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/analysis/loader_facts.h"
#include "workloads/loader/internal/inline_loader.h"
#include "workloads/loader/internal/make_loader.h"

namespace stepbench {
namespace {

using testing::Ge;
using testing::Le;

std::vector<std::int64_t> numbers_of(const Batch& batch, std::size_t field) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(batch.elements()));
  std::memcpy(numbers.data(), batch.fields.at(field).data, numbers.size() * sizeof numbers[0]);
  return numbers;
}

// 8 and 32 tokens alternating.
data::SyntheticTokens in_turns(std::int64_t samples, data::SampleLengthsOptions lengths = {}) {
  lengths.longest = 32;
  lengths.listed = {8, 32};
  return data::SyntheticTokens({.samples = samples,
                                .sequence_length = 32,
                                .vocabulary = 100,
                                .lengths = data::SampleLengths(lengths)});
}

loader::LoaderMetrics metrics_of_epoch(const data::Dataset& data, std::int64_t batch_size,
                                       std::int64_t bucket_batches) {
  const HostClock clock;
  loader::InlineLoader loader(
      data, {.batch_size = batch_size, .bucket_batches = bucket_batches, .lengths = data.lengths()},
      loader::sequential_order(data.size()), clock);
  loader.begin_epoch(0);
  while (loader.next()) {
  }
  return loader.metrics();
}

TEST(SampleLengths, DrawnLengths_FollowSeedAndIndex) {
  const data::SampleLengths lengths({.shortest = 10, .longest = 30});
  std::vector<std::int64_t> drawn;
  double sum = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    drawn.push_back(lengths.of(i, 3));
    sum += static_cast<double>(drawn.back());
    ASSERT_EQ(drawn.back(), lengths.of(i, 3));
  }
  EXPECT_THAT(drawn, Each(AllOf(Ge(10), Le(30))));
  EXPECT_THAT(drawn, testing::IsSupersetOf({10, 30}));
  EXPECT_NEAR(sum / 10'000, 20, 0.25);
  EXPECT_NE(lengths.of(0, 3) + 100 * lengths.of(1, 3) + 10'000 * lengths.of(2, 3),
            lengths.of(0, 4) + 100 * lengths.of(1, 4) + 10'000 * lengths.of(2, 4));
}

TEST(SampleLengths, Batch_IsPadded) {
  EXPECT_EQ(data::SampleLengths({.longest = 64}).padded(17), 17);
  EXPECT_EQ(data::SampleLengths({.longest = 64, .multiple_of = 8}).padded(17), 24);
  EXPECT_EQ(data::SampleLengths({.longest = 64, .multiple_of = 8}).padded(64), 64);
  EXPECT_EQ(data::SampleLengths({.longest = 64, .pads_to_longest = false}).padded(17), 64);
}

TEST(SampleLengths, Padding_HasNoTarget) {
  const data::SyntheticTokens data = in_turns(2);
  const HostClock clock;
  loader::InlineLoader loader(data, {.batch_size = 2}, loader::sequential_order(2), clock);
  loader.begin_epoch(0);
  const Batch batch = *loader.next();
  EXPECT_THAT(batch.fields[0].spec->shape, ElementsAre(32));
  EXPECT_EQ(batch.bytes(), 2U * 2U * 32U * 8U);
  EXPECT_EQ(batch.padding, 24);
  const std::vector<std::int64_t> tokens = numbers_of(batch, 0);
  const std::vector<std::int64_t> targets = numbers_of(batch, 1);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(targets[i] == -100, i >= 8) << i;
    EXPECT_TRUE(i < 8 || tokens[i] == 0) << i;
    EXPECT_TRUE(i >= 7 || tokens[i + 1] == targets[i]) << i;
    EXPECT_NE(targets[32 + i], -100);
  }
}

TEST(SampleLengths, PlantedLengths_GiveTheirPadding) {
  const data::SyntheticTokens data = in_turns(64);
  const loader::LoaderMetrics mixed = metrics_of_epoch(data, 4, 1);
  EXPECT_EQ(mixed.elements, 64 * 32);
  EXPECT_EQ(mixed.padding, 32 * 24);  // 37.5 %
  EXPECT_EQ(metrics_of_epoch(data, 4, 2).padding, 0);
  // 12 samples are 6 short and 6 long ones: the batch between has two of each, and so has the last
  // one.
  EXPECT_EQ(metrics_of_epoch(data, 4, 3).padding, (5 + 1) * 2 * 24);
  EXPECT_EQ(metrics_of_epoch(in_turns(64, {.pads_to_longest = false}), 4, 2).padding, 32 * 24);
}

TEST(SampleLengths, EqualLengths_HaveNoPadding) {
  const data::SyntheticTokens data({.samples = 8, .sequence_length = 16});
  const loader::LoaderMetrics metrics = metrics_of_epoch(data, 4, 2);
  EXPECT_EQ(metrics.elements, 0);
  EXPECT_EQ(metrics.bytes, 8 * 2 * 16 * 8);
  const data::SyntheticTokens equal(
      {.samples = 8,
       .sequence_length = 16,
       .lengths = data::SampleLengths({.shortest = 16, .longest = 16})});
  EXPECT_EQ(metrics_of_epoch(equal, 4, 1).padding, 0);
  EXPECT_EQ(metrics_of_epoch(equal, 4, 1).elements, 8 * 16);
}

TEST(SampleLengths, SortingEstimate_IsExact) {
  const data::SyntheticTokens data(
      {.samples = 1000,
       .sequence_length = 100,
       .lengths = data::SampleLengths({.shortest = 10, .longest = 100})});
  for (const std::int64_t bucket : {1, 4, 50}) {
    const loader::LoaderMetrics metrics = metrics_of_epoch(data, 8, bucket);
    const auto share =
        loader::padding_of_epoch(data, {.batch_size = 8}, loader::sequential_order(1000), bucket);
    ASSERT_TRUE(share.has_value());
    EXPECT_NEAR(*share,
                static_cast<double>(metrics.padding) / static_cast<double>(metrics.elements), 1e-9);
  }
  const data::SyntheticTokens fixed({.samples = 8});
  EXPECT_FALSE(loader::padding_of_epoch(fixed, {}, loader::sequential_order(8), 4).has_value());
}

// A batch of whole buckets holds samples of similar length, and each sample comes once.
TEST(SampleLengths, JoinedEpochs_SortWithinBorders) {
  const data::SampleLengths lengths({.shortest = 1, .longest = 1000});
  constexpr std::int64_t kSamples = 10;
  loader::BatchOrder order(
      kSamples, {.batch_size = 4, .bucket_batches = 2, .lengths = &lengths, .joined = true},
      loader::shuffled_order(kSamples, 0));
  order.begin(0);
  std::vector<std::vector<std::int64_t>> epochs(4);
  for (std::int64_t batch = 0; batch < 10; ++batch) {
    const auto samples = order.next();
    std::vector<std::int64_t> of_batch;
    for (std::size_t i = 0; i < samples->indices.size(); ++i) {
      const auto epoch = static_cast<std::size_t>(samples->epoch_of(static_cast<std::int64_t>(i)));
      epochs[epoch].push_back(samples->indices[i]);
      of_batch.push_back(lengths.of(samples->indices[i], 0));
    }
    // The third batch of every five spans two epochs.
    EXPECT_TRUE(batch % 5 == 2 || std::ranges::is_sorted(of_batch)) << batch;
  }
  for (std::vector<std::int64_t>& epoch : epochs) {
    std::ranges::sort(epoch);
    EXPECT_THAT(epoch, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  }
}

TEST(SampleLengths, BucketOrder_FollowsFromTheSeed) {
  const data::SampleLengths lengths({.shortest = 1, .longest = 1'000'000});
  const auto order_of = [&](std::uint64_t seed, std::int64_t epoch) {
    std::vector<std::int64_t> order(400);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    loader::sort_by_length(
        order, {.batch_size = 4, .bucket_batches = 100, .lengths = &lengths, .seed = seed}, epoch);
    return order;
  };
  EXPECT_EQ(order_of(1, 0), order_of(1, 0));
  EXPECT_NE(order_of(1, 0), order_of(1, 1));
  std::int64_t rising = 0;
  const std::vector<std::int64_t> order = order_of(1, 0);
  for (std::size_t i = 4; i < order.size(); i += 4) {
    rising += lengths.of(order[i], 1) > lengths.of(order[i - 4], 1) ? 1 : 0;
  }
  EXPECT_THAT(rising, AllOf(Ge(30), Le(70)));
}

class LengthsFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string path = folder_.path() / ("lengths" + std::to_string(files_++) + ".txt");
    std::ofstream(path) << text;
    return path;
  }
  static ResolvedCase with(const std::string& lengths, std::int64_t samples = 8) {
    return test::loader_case({{"data.kind", std::string("synthetic_tokens")},
                              {"data.sequence_length", std::int64_t{64}},
                              {"data.samples", samples},
                              {"data.lengths", lengths}});
  }

 private:
  test::TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(LengthsFile, MoreSamplesThanLengths_Repeat) {
  const auto lengths = data::sample_lengths(with(write("3\n5 64")));
  ASSERT_TRUE(lengths.has_value());
  std::vector<std::int64_t> first;
  for (std::int64_t i = 0; i < 5; ++i) first.push_back(lengths->of(i, 7));
  EXPECT_THAT(first, ElementsAre(3, 5, 64, 3, 5));
  EXPECT_FALSE(data::sample_lengths(with("fixed")).has_value());
  EXPECT_NE(lengths->digest(), data::sample_lengths(with(write("3 5 63")))->digest());
}

TEST_F(LengthsFile, InvalidFile_IsRefusedWithTheReason) {
  const auto says = [&](const std::string& path, const std::string& what) {
    EXPECT_THAT([&] { (void)data::sample_lengths(with(path)); },
                ThrowsMessage<ConfigError>(AllOf(StartsWith("data.lengths: "), HasSubstr(what))));
  };
  says(write("3 x 4"), "line 1: expected a number, found 'x'");
  says(write(""), "holds no length");
  says(write("3 0"), "number 1 of ");
  says(write("3.5"), "is 3.5, expected a whole number of tokens from 1 to 64");
  says(write("65"), "is 65, expected a whole number of tokens from 1 to 64 (data.sequence_length)");
  says(write("-1"), "is -1, expected");
  says(write("nan"), "is nan, expected");
  says(write("1 2 3 4 5 6 7 8 9"), "has 9 lengths for 8 samples: raise data.samples");
  says("/nowhere/l.txt", "cannot read /nowhere/l.txt; expected `fixed`, `uniform` or a text file");
}

}  // namespace
}  // namespace stepbench
