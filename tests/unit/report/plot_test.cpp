// SPDX-License-Identifier: Apache-2.0
// Pictures of a sweep and of the steps of a case, drawn in text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/step_flags.h"
#include "harness/report/steps_plot.h"
#include "harness/report/sweep_plot.h"
#include "harness/report/table.h"
#include "harness/text/ascii.h"
#include "harness/text/utf8.h"

namespace stepbench::report {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kPictures =
    std::filesystem::path(STEPBENCH_SOURCE_DIR) / "tests/unit/report/data";

void expect_picture(const std::string& name, const std::string& text) {
  if (std::getenv("STEPBENCH_APPROVE") != nullptr) std::ofstream(kPictures / name) << text;
  std::ostringstream approved;
  approved << std::ifstream(kPictures / name).rdbuf();
  EXPECT_EQ(text, approved.str()) << "STEPBENCH_APPROVE=1 accepts a change";
}

record::Results plotted_sweep() { return record::read_results(kPictures / "sweep.jsonl"); }

std::size_t widest_plot_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("repeat: ") == std::string::npos) widest = std::max(widest, text::width(line));
  }
  return widest;
}

// One case of so many launches, each of two windows of `steps` steps.
record::Results stepped(int launches, int steps) {
  record::Results results = plotted_sweep();
  record::Launch pattern = results.launches.front();
  results.launches.clear();
  for (int number = 0; number < launches; ++number) {
    record::Launch& launch = results.launches.emplace_back(pattern);
    launch.row.key.launch = number;
    launch.samples.clear();
    for (int cycle = 0; cycle < 2; ++cycle) {
      record::CycleSamples& window =
          launch.samples.emplace_back(record::CycleSamples{.cycle = cycle});
      auto& times = window.steps.add("step_ns", static_cast<std::size_t>(steps));
      for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = 50'000'000 + static_cast<std::int64_t>(i % 7) * 1'000'000;
      }
      window.steps.add("flags", times.size())[0] = kEpochBorder | kFirstBatch;
    }
  }
  return results;
}

std::string plot_of(const record::Results& results, int columns = 100) {
  return render_steps(estimate::case_rows(results).front(), results, {.columns = columns});
}

TEST(SweepPlot, HasABarForEachCaseBesideItsNumbers) {
  expect_picture("sweep_plot.txt", render_table(plotted_sweep(), {.columns = 120, .plot = true}));
}

TEST(SweepPlot, FitsTheTerminal) {
  for (const int columns : {80, 100, 140, 200}) {
    const std::string text = render_table(plotted_sweep(), {.columns = columns, .plot = true});
    EXPECT_LE(widest_plot_line(text), static_cast<std::size_t>(columns));
  }
}

TEST(SweepPlot, ABarEndsAtItsNumberAndHasItsInterval) {
  EXPECT_EQ(bar_with_interval(5, {5, 5}, 10, 10), "█████");
  EXPECT_EQ(bar_with_interval(5, {3, 8.5}, 10, 10), "███├─┼──┤");
  EXPECT_EQ(bar_with_interval(5, {4.5, 5.5}, 10, 10), "████├┤");
  EXPECT_EQ(bar_with_interval(10, {10, 10}, 10, 10), "██████████");
  EXPECT_EQ(bar_with_interval(1e-9, {0, 0}, 10, 10), "▏") << "something was measured";
  EXPECT_EQ(bar_with_interval(-3, {-3, -3}, 10, 10), "");
  EXPECT_EQ(bar_with_interval(1, {1, 1}, 0, 10), "");
}

TEST(SweepPlot, StandsInTheOrderThatWasAskedFor) {
  const std::string text =
      render_table(plotted_sweep(), {.columns = 120, .sort = "step", .plot = true});
  EXPECT_LT(text.find("\n13995f"), text.find("\n35dcaa"));
  EXPECT_EQ(text.find("\n\n4bce2c"), std::string::npos) << "no groups in an order";
  const std::string pivot = render_table(
      plotted_sweep(), {.columns = 120, .pivot = {"pin_memory", "num_workers"}, .plot = true});
  EXPECT_LT(pivot.find("\n35dcaa"), pivot.find("\n13995f"));
  EXPECT_LT(pivot.find("\ne0d8e4"), pivot.find("\n\n4bce2c")) << "false stands before true";
}

TEST(SweepPlot, DrawsAnotherColumnAndRefusesWhatIsNoNumber) {
  const auto plot = [](const std::string& column) {
    return render_table(plotted_sweep(), {.columns = 120, .select = {column}, .plot = true});
  };
  EXPECT_THAT(plot("data_wait_ns"), AllOf(HasSubstr("bars from 0"), Not(HasSubstr("├"))));
  EXPECT_THROW((void)plot("case_id"), ConfigError);
  EXPECT_THROW((void)render_table(plotted_sweep(), {.select = {"step", "p50"}, .plot = true}),
               ConfigError);
}

TEST(StepsPlot, HasEachStepOfFewWithPercentilesAndFlags) {
  const record::Results results = plotted_sweep();
  for (const estimate::CaseRow& row : estimate::case_rows(results)) {
    if (row.case_id.starts_with("35dc")) {
      expect_picture("steps_plot.txt", render_steps(row, results, {.columns = 100}));
    }
  }
}

TEST(StepsPlot, OfManyStepsHasTheSmallestTheLargestAndTheMedian) {
  const std::string text = plot_of(stepped(3, 2'000));
  EXPECT_THAT(text, AllOf(HasSubstr("│ smallest to largest, • median"), HasSubstr("║"),
                          HasSubstr("┊ between windows"), HasSubstr("p99 56.0 ms")));
  EXPECT_THAT(text, AllOf(HasSubstr("e = epoch border, 6; f = first batch, 6"),
                          HasSubstr("+ = several; of 12,000 steps")));
}

TEST(StepsPlot, FitsTheTerminalWhateverThereIs) {
  for (const int columns : {60, 100, 180}) {
    for (const int launches : {1, 7, 300}) {
      for (const int steps : {1, 50, 20'000 / launches}) {
        const std::string text = plot_of(stepped(launches, steps), columns);
        EXPECT_LE(widest_plot_line(text), static_cast<std::size_t>(columns))
            << launches << " launches of " << steps << " steps\n"
            << text;
        EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 80);
      }
    }
  }
  EXPECT_THAT(plot_of(stepped(300, 50)), HasSubstr("not drawn for want of room: the last "));
}

TEST(StepsPlot, CutsOffStepsThatWouldPressTheOthersTogether) {
  record::Results results = stepped(1, 100);
  results.launches[0].samples[1].steps.find("step_ns")->at(7) = 2'000'000'000;
  EXPECT_THAT(plot_of(results),
              AllOf(HasSubstr("▲ 1 step longer than the axis, the longest 2.00 s in launch 0"),
                    Not(HasSubstr("2.00 s ┤"))));
}

TEST(StepsPlot, OfACaseWithoutNumbersSaysWhy) {
  const record::Results results = plotted_sweep();
  for (const estimate::CaseRow& row : estimate::case_rows(results)) {
    if (!row.case_id.starts_with("e0d8")) continue;
    EXPECT_THAT(render_steps(row, results, {}),
                HasSubstr("no step of it was measured: killed by signal 9"));
  }
}

TEST(Ascii, KeepsTheWidthOfEveryLine) {
  const std::string drawn = render_table(plotted_sweep(), {.columns = 100, .plot = true}) +
                            plot_of(stepped(2, 3'000)) + "caf\xC3\xA9 \xFF";
  const std::string ascii = text::drawn_in_ascii(drawn);
  EXPECT_EQ(text::width(ascii), text::width(drawn));
  EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c >= 0; }));
  EXPECT_THAT(ascii, AllOf(HasSubstr("####"), EndsWith("caf? ?")));
}

TEST(Ascii, IsForLocalesThatSayTheyHaveNoUtf8) {
  for (const char* locale : {"", "C.UTF-8", "en_US.utf8", "de_DE.UTF-8@euro"}) {
    EXPECT_TRUE(text::has_utf8(locale)) << locale;
  }
  for (const char* locale : {"C", "POSIX", "de_DE", "de_DE.ISO-8859-1"}) {
    EXPECT_FALSE(text::has_utf8(locale)) << locale;
  }
}

}  // namespace
}  // namespace stepbench::report
