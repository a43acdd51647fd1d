// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace stepbench::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(PlotlyText, ShowsMarkupEntitiesAndTemplatesAsTheyWereWritten) {
  EXPECT_EQ(plotly_text("<b>a</b> & <a href='javascript:x'>"),
            "&lt;b&gt;a&lt;/b&gt; &amp; &lt;a href='javascript:x'&gt;");
  EXPECT_EQ(plotly_text("&lt; %{x} 5 %"), "&amp;lt; &#37;{x} 5 %");
}

TEST(PlotlyText, ShowsWhatTurnsOrHidesTextAndBytesThatAreNoText) {
  EXPECT_EQ(plotly_text("a\u202e\n\xff"), "a\\u202e\\n\uFFFD");
}

TEST(PlotlyText, IsCutBetweenCharactersHoweverLongTheTextIs) {
  EXPECT_EQ(plotly_text("äöüäöü", 4), "äöü…");
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

TEST(FigureAxis, NamesStandAtPlacesSoThatTheyMayBeAlike) {
  FigureJson figure;
  add_axis(figure.layout(), "xaxis", {.title = "<kind>", .tick_texts = {"8", "8", "true"}});
  const auto read = nlohmann::json::parse(figure.take());
  const auto& axis = read["layout"]["xaxis"];
  EXPECT_EQ(axis["title"]["text"], "&lt;kind&gt;");
  EXPECT_EQ(axis["tickvals"], nlohmann::json::parse("[0,1,2]"));
  EXPECT_EQ(axis["ticktext"], nlohmann::json::parse(R"(["8","8","true"])"));
}

TEST(FigureAxis, OfVeryManyNamesWritesSome) {
  FigureJson figure;
  add_axis(figure.layout(), "xaxis", {.tick_texts = std::vector<std::string>(1000, "x")});
  const auto axis = nlohmann::json::parse(figure.take())["layout"]["xaxis"];
  EXPECT_EQ(axis["ticktext"].size(), 50U);
  EXPECT_EQ(axis["tickvals"][1], 20);
}

TEST(FigureFrame, HoldsItsTracesAndNoColoursOfATheme) {
  FigureJson figure;
  figure.open_trace("bar", "<x>").integer("a", 1);
  figure.close_trace();
  const std::string text = figure.take();
  const auto read = nlohmann::json::parse(text);
  ASSERT_EQ(read["data"].size(), 1U);
  EXPECT_EQ(read["data"][0]["name"], "&lt;x&gt;");
  EXPECT_EQ(text.find("bgcolor"), std::string::npos);
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

TEST(FigureColours, ARoundOfColoursHasItsOwnDashAndSymbol) {
  EXPECT_EQ(series_colour(0), series_colour(6));
  EXPECT_NE(series_dash(0), series_dash(6));
  EXPECT_NE(series_symbol(0), series_symbol(6));
}

}  // namespace
}  // namespace stepbench::report
