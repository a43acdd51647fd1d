// SPDX-License-Identifier: Apache-2.0
// Storage that is made to look slow, and how large a data set is where it lies. That rates are what
// arithmetic says is tests/benchmarks/planted_storage.py.
#include "workloads/data/storage_shape.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/temporary_folder.h"
#include "tests/unit/loading/case.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/data_section.h"
#include "workloads/data/stored_size.h"

namespace stepbench {
namespace {

using data::StorageShape;
using std::chrono::microseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr StorageShape::Time kBegan{std::chrono::seconds(1000)};

TEST(StorageShape, AReadIsThereAfterItsLatencyAndItsBytes) {
  const StorageShape shape({.latency_us = 2000, .bandwidth_bytes_us = 10});
  EXPECT_EQ(shape.due(kBegan, 20'000, 0) - kBegan, microseconds(4000));
  const auto later = kBegan + std::chrono::seconds(1);
  EXPECT_EQ(shape.due(later, 20'000, std::nullopt) - later, microseconds(2000)) << "read ahead";
}

TEST(StorageShape, ReadersShareTheLinkAndNotTheLatency) {
  const StorageShape shape({.latency_us = 500, .bandwidth_bytes_us = 10});
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(shape.due(kBegan, 20'000, 0) - kBegan, microseconds(2000 * i + 500));
  }
  const StorageShape endless({.latency_us = 500});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(endless.due(kBegan, 20'000, 0) - kBegan, microseconds(500));
  }
}

TEST(StorageShape, LatenciesHaveTheMeanAndTheSpreadThatWereAskedForAndRepeat) {
  const StorageShape shape({.latency_us = 500, .cv = 0.5, .seed = 7});
  const StorageShape again({.latency_us = 500, .cv = 0.5, .seed = 7});
  constexpr int kReads = 20'000;
  double sum = 0, squares = 0;
  for (std::uint64_t which = 0; which < kReads; ++which) {
    const double us = shape.latency_us(which);
    EXPECT_EQ(us, again.latency_us(which));
    sum += us;
    squares += us * us;
  }
  const double mean = sum / kReads;
  EXPECT_NEAR(mean, 500, 10);
  EXPECT_NEAR(std::sqrt(squares / kReads - mean * mean) / mean, 0.5, 0.02);
}

TEST(StorageShape, ACaseThatAsksForNoneHasNone) {
  EXPECT_EQ(data::storage_shape(test::loader_case({})), nullptr);
  EXPECT_NE(data::storage_shape(test::loader_case({{"data.storage_latency_us", 5.0}})), nullptr);
  EXPECT_NE(data::storage_shape(test::loader_case({{"data.storage_bandwidth_mb_s", 5.0}})),
            nullptr);
}

TEST(StorageShape, WhatReadsNoFilesOfOursCannotBeMadeSlower) {
  const auto check = [](const char* option, bool swept) {
    return test::said_by(data::check_data, {{option, 5.0}, {"data.path", Value{}}},
                         {.swept = swept});
  };
  EXPECT_THAT(check("data.storage_latency_us", false).errors, ElementsAre(HasSubstr("data.cost")));
  const test::Said swept = check("data.storage_bandwidth_mb_s", true);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_THAT(swept.skips, IsEmpty());
  EXPECT_FALSE(swept.resolved.has("data.storage_bandwidth_mb_s")) << "one case";
}

class StoredSizes : public testing::Test {
 protected:
  void write(const std::string& name, std::size_t bytes) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << std::string(bytes, 'x');
  }
  test::TemporaryFolder folder_;
};

TEST_F(StoredSizes, OfASampleEachAreOfTheirFiles) {
  write("cat/a.jpg", 1000);
  write("cat/b.jpg", 3000);
  const ResolvedCase resolved =
      test::loader_case({{"data.kind", "jpeg_folder"}, {"data.path", folder_.path().string()}});
  const auto dataset = data::make_dataset(resolved, nullptr);
  const auto size = data::stored_size(resolved, *dataset);
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size->files, 2);
  EXPECT_EQ(size->bytes, 4000);
  EXPECT_EQ(size->samples, 2);
  EXPECT_DOUBLE_EQ(*size->record_bytes, 2000);
  EXPECT_NEAR(*size->record_bytes_sd, 1414.2, 0.1);
}

TEST_F(StoredSizes, OfShardsAreOfTheShardsAndTheirSamplesAreNotKnown) {
  write("0.tar", 512);
  write("1.tar", 1024);
  const ResolvedCase resolved =
      test::loader_case({{"data.kind", "webdataset"}, {"data.path", folder_.path().string()}});
  const auto dataset = data::make_dataset(resolved, nullptr);
  const auto size = data::stored_size(resolved, *dataset);
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size->files, 2);
  EXPECT_EQ(size->bytes, 1536);
  EXPECT_EQ(size->samples, 0);
  EXPECT_FALSE(size->record_bytes.has_value());
}

TEST_F(StoredSizes, OfSyntheticDataThereAreNone) {
  const ResolvedCase resolved = test::loader_case({});
  EXPECT_EQ(data::stored_size(resolved, *data::make_dataset(resolved, nullptr)), std::nullopt);
}

}  // namespace
}  // namespace stepbench
