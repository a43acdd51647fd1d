// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/validate.h"

#include "tests/testing.h"

namespace stepbench::catalogue {
namespace {

Option integer() {
  return {.name = "n",
          .type = OptionType::kInteger,
          .doc = "",
          .min = 0,
          .max = 8,
          .choices = {"auto"}};
}

TEST(CheckValue, Integer_IsInRangeOrAKeyword) {
  EXPECT_FALSE(check_value(integer(), std::int64_t{8}));
  EXPECT_FALSE(check_value(integer(), std::string("auto")));
  EXPECT_EQ(check_value(integer(), std::int64_t{9}),
            "expected an integer in 0 .. 8 or auto, found 9");
  EXPECT_EQ(check_value(integer(), std::string("atuo")),
            "expected an integer in 0 .. 8 or auto, found 'atuo' (did you mean 'auto'?)");
  EXPECT_EQ(check_value(integer(), 1.5), "expected an integer in 0 .. 8 or auto, found 1.5");
  EXPECT_EQ(check_value(integer(), true), "expected an integer in 0 .. 8 or auto, found true");
  EXPECT_EQ(check_value(integer(), {}), "expected an integer in 0 .. 8 or auto, found nothing");
}

TEST(CheckValue, OutOfRange_IsAnError) {
  const Option number{.name = "x", .type = OptionType::kNumber, .doc = "", .min = 0};
  EXPECT_FALSE(check_value(number, std::int64_t{1}));
  EXPECT_FALSE(check_value(number, 0.5));
  EXPECT_TRUE(check_value(number, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(check_value(number, std::numeric_limits<double>::quiet_NaN()));
  const Option device{.name = "device", .doc = "", .pattern = "auto|cpu|cuda(:[0-9]+)?"};
  EXPECT_FALSE(check_value(device, std::string("cuda:3")));
  EXPECT_TRUE(check_value(device, std::string("cuda:")));
  EXPECT_TRUE(check_value(device, std::string(100'000, 'a')));
  const Option path{.name = "p", .type = OptionType::kPath, .doc = ""};
  EXPECT_FALSE(check_value(path, std::string("/x")));
  EXPECT_TRUE(check_value(path, std::string()));
}

}  // namespace
}  // namespace stepbench::catalogue
