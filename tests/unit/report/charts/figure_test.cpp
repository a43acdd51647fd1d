// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness/report/html/figure.h"
#include "harness/report/html/thin_out.h"

namespace stepbench::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(PlotlyText, OfMarkup_ShowsItAsItWasWritten) {
  EXPECT_EQ(plotly_text("<b>a</b> & <a href='javascript:x'>"),
            "&lt;b&gt;a&lt;/b&gt; &amp; &lt;a href='javascript:x'&gt;");
  EXPECT_EQ(plotly_text("&lt; %{x} 5 %"), "&amp;lt; &#37;{x} 5 %");
  EXPECT_EQ(plotly_text("a\u202e\n\xff"), "a\\u202e\\n\uFFFD");
  EXPECT_EQ(plotly_text("äöüäöü", 4), "äöü…") << "cut between characters";
  EXPECT_LT(plotly_text(std::string(1 << 20, '<')).size(), 1000U);
}

TEST(FigureNumbers, AreShortAndNullWhereTheyAreNotFinite) {
  json::JsonText json;
  const double values[] = {53.216789, 1, 0.00012345678, -2e300, kNan, 123456789};
  json.open_object();
  add_numbers(json, "y", values);
  EXPECT_EQ(json.close_object().line(), R"({"y":[53.217,1,0.00012346,-2e+300,null,1.2346e+08]})");
  EXPECT_EQ(rounded(53.216789), 53.217);
}

TEST(FigureNumbers, AnIntervalWithoutAnEndHasNoBarThere) {
  json::JsonText json;
  const double centres[] = {10, 10, 10};
  const stats::Interval intervals[] = {
      {9, 12}, {kNan, kNan}, {8, std::numeric_limits<double>::infinity()}};
  json.open_object();
  add_intervals(json, "error_y", centres, intervals);
  EXPECT_EQ(json.close_object().line(),
            R"({"error_y":{"type":"data","symmetric":false,"array":[2,null,null],)"
            R"("arrayminus":[1,null,2]}})");
}

TEST(FigureAxis, OfVeryManyNames_WritesSome) {
  FigureJson figure;
  add_axis(figure.layout(), "xaxis", {.title = "<kind>", .tick_texts = {"8", "8", "true"}});
  add_axis(figure.layout(), "yaxis", {.tick_texts = std::vector<std::string>(1000, "x")});
  const auto layout = nlohmann::json::parse(figure.take())["layout"];
  EXPECT_EQ(layout["xaxis"]["title"]["text"], "&lt;kind&gt;");
  EXPECT_EQ(layout["xaxis"]["tickvals"], nlohmann::json::parse("[0,1,2]"));
  EXPECT_EQ(layout["xaxis"]["ticktext"], nlohmann::json::parse(R"(["8","8","true"])"));
  EXPECT_EQ(layout["yaxis"]["ticktext"].size(), 50U);
  EXPECT_EQ(layout["yaxis"]["tickvals"][1], 20);
}

double luminance(std::string_view colour) {
  const auto channel = [&](std::size_t at) {
    const double c = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

TEST(FigureColours, AreSeenOnAWhiteAndOnANearlyBlackPage) {
  constexpr double kDarkPage = 0.01;  // of #17191c
  std::vector<std::string_view> colours(std::begin(kSeriesColours), std::end(kSeriesColours));
  colours.insert(colours.end(), {kBestColour, kBadColour});
  for (const std::string_view colour : colours) {
    const double light = luminance(colour) + 0.05;
    EXPECT_GE(1.05 / light, 3) << colour;
    EXPECT_GE(light / (kDarkPage + 0.05), 3) << colour;
  }
}

TEST(ThinOut, KeepsAllWhereThereAreFewEnough) {
  EXPECT_THAT(thin_out({}, 10), IsEmpty());
  const double few[] = {3, 1, 2};
  EXPECT_THAT(thin_out(few, 3), ElementsAre(0U, 1U, 2U));
}

TEST(ThinOut, KeepsTheEndsAndTheExtremesOfEachStretch) {
  std::mt19937 random(20260131);
  for (const std::size_t size : {5U, 17U, 100U, 9999U}) {
    for (const std::size_t points : {4U, 5U, 50U, 1000U}) {
      std::vector<double> values(size);
      for (double& each : values) each = static_cast<double>(random() % 1000);
      const std::size_t spike = 1 + random() % (size - 2);
      values[spike] = 1e6;
      const std::vector<std::size_t> kept = thin_out(values, points);
      EXPECT_LE(kept.size(), std::max(points, std::size_t{4}));
      EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
      EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end()) << "each once";
      EXPECT_EQ(kept.front(), 0U);
      EXPECT_EQ(kept.back(), size - 1);
      EXPECT_THAT(kept, Contains(spike));
      const auto low = std::min_element(values.begin() + 1, values.end() - 1);
      EXPECT_TRUE(
          std::any_of(kept.begin(), kept.end(), [&](std::size_t i) { return values[i] == *low; }));
    }
  }
}

}  // namespace
}  // namespace stepbench::report
