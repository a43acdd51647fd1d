// SPDX-License-Identifier: Apache-2.0
#include "harness/os/near_file.h"

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace stepbench::os {
namespace {

namespace fs = std::filesystem;

class NearFile : public ::testing::Test {
 protected:
  NearFile() {
    for (const char* name : {"train.yaml", "configs/quickstart.yaml"}) folder_.write(name, "");
  }

  [[nodiscard]] std::string of(const fs::path& name) const {
    return near_file(folder_.path() / name);
  }
  [[nodiscard]] std::string meant(const fs::path& name) const {
    return " (did you mean '" + (folder_.path() / name).string() + "'?)";
  }

  test::TemporaryFolder folder_;
};

TEST_F(NearFile, IsTheEntryBesideItWhoseNameIsNearest) {
  EXPECT_EQ(of("trian.yaml"), meant("train.yaml"));
  EXPECT_EQ(of("train.yml"), meant("train.yaml"));
  EXPECT_EQ(of("config"), meant("configs"));
  EXPECT_EQ(of("configs/quickstrat.yaml"), meant("configs/quickstart.yaml"));
}

TEST_F(NearFile, IsAnExperimentOfTheConfigsBesideItWhereNoneIsNear) {
  EXPECT_EQ(of("quickstrat.yaml"), meant("configs/quickstart.yaml"));
  EXPECT_EQ(of("quickstart.yaml"), meant("configs/quickstart.yaml"));
}

TEST_F(NearFile, IsNothingWhereNothingIsNear) {
  EXPECT_EQ(of("something-else"), "");
  EXPECT_EQ(of("other.yaml"), "");
  EXPECT_EQ(of("no-folder/train.yaml"), "");
  EXPECT_EQ(near_file(""), "");
}

}  // namespace
}  // namespace stepbench::os
