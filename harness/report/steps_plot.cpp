// SPDX-License-Identifier: Apache-2.0
#include "harness/report/steps_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/base/step_flags.h"
#include "harness/report/case_page.h"
#include "harness/report/text_chart.h"
#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLines = 12;
constexpr std::size_t kHalves = 2 * kLines;
constexpr std::size_t kLeastColumns = 20;    // of steps in a chart
constexpr std::size_t kColumnsOfLaunch = 8;  // at least, or as many as it has steps
constexpr std::size_t kCharts = 4;           // below each other
constexpr std::size_t kNameWidth = 13;       // " p99 1,234 ms"
constexpr char kManyFlags = '+';

// One cycle of one launch.
struct StepWindow {
  int launch = 0;
  std::vector<double> times_ns = {};
  std::vector<std::int64_t> flags = {};
};

std::vector<StepWindow> windows_of(const estimate::CaseRow& row) {
  std::vector<StepWindow> windows;
  for (const auto& [launch, estimate] : row.measured) {
    std::optional<std::int64_t> cycle;
    for (const record::CycleSamples& samples : launch->samples) {
      const Series& steps = samples.steps;
      const auto* times = steps.find("step_ns");
      if (times == nullptr || times->empty()) continue;
      if (cycle != samples.cycle) windows.push_back({.launch = launch->row.key.launch});
      cycle = samples.cycle;
      const auto* wait = row.latency_ns ? steps.find("data_wait_ns") : nullptr;
      const auto* flags = steps.find("flags");
      for (std::size_t i = 0; i < times->size(); ++i) {
        windows.back().times_ns.push_back(
            static_cast<double>((*times)[i] - (wait == nullptr ? 0 : (*wait)[i])));
        windows.back().flags.push_back(flags == nullptr ? 0 : (*flags)[i]);
      }
    }
  }
  return windows;
}

// Some steps next to each other.
struct StepColumn {
  double low = 0;
  double median = 0;
  double high = 0;
  std::int64_t flags = 0;
};

std::vector<StepColumn> columns_of(const StepWindow& window, std::size_t steps_each) {
  std::vector<StepColumn> columns;
  for (std::size_t from = 0; from < window.times_ns.size(); from += steps_each) {
    const std::size_t count = std::min(steps_each, window.times_ns.size() - from);
    const std::span<const double> part = std::span(window.times_ns).subspan(from, count);
    const auto [low, high] = std::minmax_element(part.begin(), part.end());
    StepColumn& column = columns.emplace_back(StepColumn{*low, stats::median(part), *high});
    for (std::size_t i = from; i < from + count; ++i) column.flags |= window.flags[i];
  }
  return columns;
}

std::size_t column_count(const StepWindow& window, std::size_t steps_each) {
  return (window.times_ns.size() + steps_each - 1) / steps_each;
}

// How many steps a column stands for, and the windows of each chart. A launch is not torn apart.
struct StepLayout {
  std::size_t steps_each = 1;
  std::vector<std::span<const StepWindow>> charts = {};
  std::size_t left_out = 0;  // launches
};

std::size_t launch_end(const std::vector<StepWindow>& windows, std::size_t from) {
  std::size_t to = from;
  while (to < windows.size() && windows[to].launch == windows[from].launch) ++to;
  return to;
}

std::size_t cells_of(const std::vector<StepWindow>& windows, std::size_t from, std::size_t to,
                     std::size_t steps_each) {
  std::size_t cells = 0;
  for (std::size_t i = from; i < to; ++i) cells += column_count(windows[i], steps_each) + 1;
  return cells;
}

StepLayout layout_of(const std::vector<StepWindow>& windows, std::size_t cells) {
  StepLayout layout;
  // So few steps in a column that a launch has enough columns, as long as it fits by itself.
  std::size_t most = 1;
  std::size_t longest = 0;
  for (std::size_t from = 0; from < windows.size(); from = launch_end(windows, from)) {
    std::size_t steps = 0;
    for (std::size_t i = from; i < launch_end(windows, from); ++i) {
      steps += windows[i].times_ns.size();
    }
    most = std::max(most, steps / kColumnsOfLaunch);
    longest = std::max(longest, launch_end(windows, from) - from);
  }
  const auto widest = [&](std::size_t each) {
    std::size_t result = 0;
    for (std::size_t from = 0; from < windows.size(); from = launch_end(windows, from)) {
      result = std::max(result, cells_of(windows, from, launch_end(windows, from), each) - 1);
    }
    return result;
  };
  const auto all = [&](std::size_t each) { return cells_of(windows, 0, windows.size(), each) - 1; };
  while (layout.steps_each < most && all(layout.steps_each) > cells) ++layout.steps_each;
  while (widest(layout.steps_each) > cells && widest(layout.steps_each) > 2 * longest) {
    layout.steps_each += 1 + layout.steps_each / 8;
  }
  for (std::size_t from = 0; from < windows.size();) {
    std::size_t to = launch_end(windows, from);
    while (to < windows.size() &&
           cells_of(windows, from, launch_end(windows, to), layout.steps_each) - 1 <= cells) {
      to = launch_end(windows, to);
    }
    if (layout.charts.size() < kCharts) {
      layout.charts.push_back(std::span(windows).subspan(from, to - from));
    } else {
      for (std::size_t i = from; i < to; i = launch_end(windows, i)) ++layout.left_out;
    }
    from = to;
  }
  return layout;
}

struct QuantileLine {
  std::string_view name;
  double ns = 0;
};

std::vector<QuantileLine> quantile_lines(const estimate::CaseRow& row) {
  std::vector<QuantileLine> lines;
  if (row.p99_ns) lines.push_back({"p99", *row.p99_ns});
  if (row.p90_ns && !row.p99_ns) lines.push_back({"p90", *row.p90_ns});
  if (row.p50_ns) lines.push_back({"p50", *row.p50_ns});
  return lines;
}

// Few steps that are much longer than the others would press these together: they are cut off.
ChartScale steps_scale(const std::vector<StepWindow>& windows,
                       const std::vector<QuantileLine>& lines) {
  constexpr double kUsual = 0.95;
  constexpr double kFar = 4;  // times the span of the usual steps
  std::vector<double> times;
  for (const StepWindow& window : windows) {
    times.insert(times.end(), window.times_ns.begin(), window.times_ns.end());
  }
  std::sort(times.begin(), times.end());
  const double usual = stats::quantile_of_sorted(times, kUsual);
  const ChartScale least = *chart_scale(std::span(times).first(static_cast<std::size_t>(
      std::upper_bound(times.begin(), times.end(), usual) - times.begin())));
  const double span = least.high - least.low;
  if (times.back() <= least.low + kFar * span) {
    return *chart_scale(std::vector{times.front(), times.back()});
  }
  double high = least.low + kFar / 2 * span;
  for (const QuantileLine& line : lines) high = std::max(high, line.ns);
  return {least.low, high};
}

char flag_letter(std::int64_t flags) {
  char letter = 0;
  for (const StepFlagName& flag : kStepFlagNames) {
    if ((flags & flag.bits) == 0) continue;
    letter = letter == 0 ? flag.name.front() : kManyFlags;
  }
  return letter;
}

class StepChart {
 public:
  StepChart(const ChartScale& scale, const std::vector<QuantileLine>& quantiles)
      : scale_(scale), quantiles_(quantiles), lines_(kLines) {}

  std::string draw(std::span<const StepWindow> windows, std::size_t steps_each,
                   std::size_t label_width) {
    std::vector<std::pair<std::size_t, std::string>> launches;
    std::string flags;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if (i > 0) separate(windows[i].launch != windows[i - 1].launch ? "║" : "┊");
      if (i == 0 || windows[i].launch != windows[i - 1].launch) {
        const std::string number = std::to_string(windows[i].launch);
        if (launches.empty() || launches.back().first + launches.back().second.size() < columns_) {
          launches.emplace_back(columns_, number);
        }
      }
      for (const StepColumn& column : columns_of(windows[i], steps_each)) {
        flags.resize(columns_, ' ');
        const char letter = flag_letter(column.flags);
        flags += letter == 0 ? ' ' : letter;
        add(column);
      }
    }
    name_quantiles();
    std::string text =
        framed_chart(lines_, chart_labels(scale_, kLines, "ns"), label_width, columns_);
    text += padded_left("launch", label_width) + "  " + marks_line(launches) + '\n';
    while (flags.ends_with(' ')) flags.pop_back();
    if (!flags.empty()) text += padded_left("flags", label_width) + "  " + flags + '\n';
    return text;
  }

 private:
  void separate(const char* line) {
    for (std::string& each : lines_) each += line;
    ++columns_;
  }

  void add(const StepColumn& column) {
    const std::size_t top = scale_.part(column.high, kHalves);
    const std::size_t bottom = scale_.part(column.low, kHalves);
    const std::size_t middle = scale_.part(column.median, kHalves) / 2;
    for (std::size_t line = 0; line < kLines; ++line) {
      const bool upper = top <= 2 * line && 2 * line <= bottom;
      const bool lower = top <= 2 * line + 1 && 2 * line + 1 <= bottom;
      const char* cell = upper && lower ? "│" : upper ? "╵" : lower ? "╷" : blank(line);
      if (line == middle) cell = "•";
      if (line == 0 && column.high > scale_.high) cell = "▲";
      lines_[line] += cell;
    }
    ++columns_;
  }

  [[nodiscard]] std::size_t line_of(const QuantileLine& quantile) const {
    return scale_.part(quantile.ns, kHalves) / 2;
  }

  [[nodiscard]] const char* blank(std::size_t line) const {
    const bool marked =
        std::any_of(quantiles_.begin(), quantiles_.end(),
                    [&](const QuantileLine& quantile) { return line_of(quantile) == line; });
    return marked ? "┄" : " ";
  }

  void name_quantiles() {
    for (std::size_t line = 0; line < kLines; ++line) {
      std::vector<const QuantileLine*> here;
      for (const QuantileLine& quantile : quantiles_) {
        if (line_of(quantile) == line) here.push_back(&quantile);
      }
      if (here.empty()) continue;
      lines_[line] += ' ' + text::join(here, ", ", [](const auto* each) { return each->name; });
      if (here.size() == 1) lines_[line] += ' ' + text::duration(here.front()->ns);
    }
  }

  const ChartScale& scale_;
  const std::vector<QuantileLine>& quantiles_;
  std::vector<std::string> lines_;
  std::size_t columns_ = 0;
};

std::string steps_legend(const estimate::CaseRow& row, const std::vector<StepWindow>& windows,
                         std::size_t steps_each) {
  const std::string what = row.latency_ns ? "step without the wait for data" : "step";
  std::string text = what + ", by the host's clock; ";
  text += steps_each == 1
              ? "• one step"
              : "a column: " + text::counted(static_cast<std::int64_t>(steps_each), "step") +
                    ", │ smallest to largest, • median";
  bool launches = false;
  bool cycles = false;
  for (std::size_t i = 1; i < windows.size(); ++i) {
    (windows[i].launch == windows[i - 1].launch ? cycles : launches) = true;
  }
  if (launches) text += "; ║ between launches";
  if (cycles) text += "; ┊ between windows";
  return text;
}

// "flags: e epoch border 12, f first batch 6 of 600 steps; all are part of the numbers".
std::string flags_legend(const std::vector<StepWindow>& windows) {
  std::vector<std::string> parts;
  std::int64_t steps = 0;
  for (const StepFlagName& flag : kStepFlagNames) {
    std::int64_t count = 0;
    for (const StepWindow& window : windows) {
      count += std::count_if(window.flags.begin(), window.flags.end(),
                             [&](std::int64_t flags) { return (flags & flag.bits) != 0; });
    }
    if (count == 0) continue;
    parts.push_back(std::string(1, flag.name.front()) + " = " + std::string(flag.name) + ", " +
                    text::with_separators(count));
  }
  for (const StepWindow& window : windows) steps += std::ssize(window.flags);
  if (parts.empty()) return {};
  if (parts.size() > 1) parts.push_back(std::string(1, kManyFlags) + " = several");
  return "flags: " + text::join(parts, "; ") + "; of " + text::counted(steps, "step") +
         ", all part of the numbers";
}

std::string cut_legend(const std::vector<StepWindow>& windows, const ChartScale& scale) {
  std::int64_t count = 0;
  double longest = 0;
  int launch = 0;
  for (const StepWindow& window : windows) {
    for (const double time : window.times_ns) {
      if (time <= scale.high) continue;
      ++count;
      if (time > longest) launch = window.launch;
      longest = std::max(longest, time);
    }
  }
  if (count == 0) return {};
  return "▲ " + text::counted(count, "step") + " longer than the axis, the longest " +
         text::duration(longest) + " in launch " + std::to_string(launch);
}

}  // namespace

std::string render_steps(const estimate::CaseRow& row, const record::Results& results,
                         const TableStyle& style) {
  const auto terminal = static_cast<std::size_t>(std::max(style.columns, 40));
  std::string text;
  for (const std::string& line : case_title(row, results)) text += text::printable(line) + '\n';
  const std::vector<StepWindow> windows = windows_of(row);
  if (windows.empty()) {
    std::string none = "no step of it was measured";
    const record::Launch* other = !row.failed.empty()    ? row.failed.front()
                                  : !row.skipped.empty() ? row.skipped.front()
                                                         : nullptr;
    if (other != nullptr) none += ": " + text::printable(estimate::reason_of(*other));
    return text + '\n' + text::wrap_hanging(none, terminal) + '\n';
  }
  const std::vector<QuantileLine> quantiles = quantile_lines(row);
  const ChartScale scale = steps_scale(windows, quantiles);
  std::size_t label_width = std::string_view("launch").size();
  for (const std::string& label : chart_labels(scale, kLines, "ns")) {
    label_width = std::max(label_width, text::width(label));
  }
  const std::size_t used = label_width + 2 + kNameWidth;
  const std::size_t cells = std::max(terminal - std::min(terminal, used), kLeastColumns);
  const StepLayout layout = layout_of(windows, cells);
  for (const auto& chart : layout.charts) {
    text += '\n' + StepChart(scale, quantiles).draw(chart, layout.steps_each, label_width);
  }
  std::vector<std::string> notes = {steps_legend(row, windows, layout.steps_each)};
  if (layout.left_out > 0) {
    notes.push_back("not drawn for want of room: the last " +
                    text::counted(static_cast<std::int64_t>(layout.left_out), "launch") +
                    " (a wider terminal shows more, --samples all)");
  }
  for (const std::string& note : {cut_legend(windows, scale), flags_legend(windows)}) {
    if (!note.empty()) notes.push_back(note);
  }
  text += '\n';
  for (const std::string& note : notes) text += text::wrap_hanging(note, terminal) + '\n';
  return text;
}

}  // namespace stepbench::report
