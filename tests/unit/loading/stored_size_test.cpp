// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_kinds.h"

#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "tests/unit/loading/test_data.h"

namespace stepbench {
namespace {

class StoredSizes : public testing::Test {
 protected:
  void write(const std::string& name, std::size_t bytes) {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << std::string(bytes, 'x');
  }
  test::TemporaryFolder folder_;
};

TEST_F(StoredSizes, SampleFiles_HaveTheirSizes) {
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

TEST_F(StoredSizes, Shards_HaveNoKnownSampleSize) {
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

TEST_F(StoredSizes, SyntheticData_HasNone) {
  const ResolvedCase resolved = test::loader_case({});
  EXPECT_EQ(data::stored_size(resolved, *data::make_dataset(resolved, nullptr)), std::nullopt);
}

}  // namespace
}  // namespace stepbench
