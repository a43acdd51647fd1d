// SPDX-License-Identifier: Apache-2.0
#include "harness/run/data_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace stepbench::run {
namespace {

using ::testing::IsEmpty;

TEST(DataDigest, IsOfNamesAndSizesNotOfThePlace) {
  const test::TemporaryFolder folder;
  folder.write("one/cat/1.jpg", "aa");
  folder.write("one/dog/2.jpg", "bbb");
  folder.write("two/dog/2.jpg", "ccc");
  folder.write("two/cat/1.jpg", "dd");
  EXPECT_EQ(path_digest(folder / "one"), path_digest(folder / "two"));
  folder.write("two/cat/1.jpg", "d");
  EXPECT_NE(path_digest(folder / "one"), path_digest(folder / "two"));
  EXPECT_THAT(path_digest(folder / "three"), IsEmpty());
}

}  // namespace
}  // namespace stepbench::run
