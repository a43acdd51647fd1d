// SPDX-License-Identifier: Apache-2.0
#include "harness/base/value.h"

#include <charconv>
#include <random>

#include "tests/testing.h"

namespace stepbench {
namespace {

std::string text_of_real(double number) {
  std::string text;
  append_number(text, number);
  return text;
}

std::string by_to_chars(double number) {
  std::array<char, 64> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

TEST(NumberText, Number_IsTheShortestThatReadsBack) {
  EXPECT_EQ(text_of_real(1.5), "1.5");
  EXPECT_EQ(text_of_real(1e7), "1e+07");
  EXPECT_EQ(text_of_real(12'345'678), "12345678");
  EXPECT_EQ(text_of_real(0), "0");
  EXPECT_EQ(text_of_real(-0.0), "-0");
  std::string text = "n=";
  append_number(text, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(text, "n=-9223372036854775808");
  for (const double number :
       {1e4, 1e5, 1e6, 1.2e5, 1.2e6, 123e4, 123e5, 100'100.0, 9007199254740991.0,
        9007199254740992.0, 1e15, 1e16, 1e22, 5e-324, 0.1, 1.0 / 3,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(text_of_real(number), by_to_chars(number));
    EXPECT_EQ(text_of_real(-number), by_to_chars(-number));
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const int digits = static_cast<int>(random() % 18);
    const auto whole =
        static_cast<double>(random() % static_cast<std::uint64_t>(std::pow(10.0, digits) + 1));
    const double zeros = std::pow(10.0, static_cast<double>(random() % 8));
    for (const double number : {whole, -whole, whole * zeros, whole / zeros}) {
      ASSERT_EQ(text_of_real(number), by_to_chars(number)) << number;
    }
  }
}

}  // namespace
}  // namespace stepbench
