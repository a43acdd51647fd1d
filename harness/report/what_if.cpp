// SPDX-License-Identifier: Apache-2.0
#include "harness/report/what_if.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/estimate/loader_what_if.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using estimate::CaseRow;
using estimate::WorkersWhatIf;

constexpr std::int64_t kMostWorkers = 1024;

[[noreturn]] void refuse_what_if(const std::string& reason) {
  throw ConfigError("--what-if", reason);
}

std::vector<std::int64_t> parse_workers(std::string_view asked) {
  const std::size_t equals = asked.find('=');
  const std::string_view name = asked.substr(0, std::min(equals, asked.size()));
  if (name != "num_workers" && name != "loader.num_workers") {
    refuse_what_if("'" + std::string(asked) +
                   "': the number of workers alone is told of: num_workers=4,6");
  }
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = equals == std::string_view::npos ? "" : asked.substr(equals + 1);;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view one = rest.substr(0, comma);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (error != std::errc() || end != one.data() + one.size() || number < 0 ||
        number > kMostWorkers) {
      refuse_what_if("'" + std::string(one) + "' is no number of workers, 0 to " +
                     std::to_string(kMostWorkers));
    }
    numbers.push_back(number);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::string workers_text(std::int64_t workers) {
  return workers == 0 ? "no workers" : text::counted(workers, "worker");
}

std::string signed_percent(double share) {
  return (share < 0 ? "-" : "+") + text::percent_text(std::abs(share));
}

std::int64_t workers_of(const CaseRow& row) {
  return std::llround(number_of(*row.option("loader.num_workers")).value_or(0));
}

// "6 workers would give 61.0 ms +- 2.0 ms (not measured), from 4 workers"
std::string asked_line(const WorkersWhatIf& what, const std::optional<double>& median_error) {
  std::string line = workers_text(what.workers) + " would give " + text::duration(what.step_ns);
  if (median_error) {
    line += " +- " + text::duration(std::max(what.within_ns, *median_error * what.step_ns));
  }
  line += what.measured == nullptr ? " (not measured)"
                                   : "; measured: " + text::duration(*what.measured->step_ns) +
                                         ", so it is off by " + signed_percent(*what.error);
  return line + ", from " + workers_text(workers_of(*what.base));
}

}  // namespace

std::string what_if_text(const record::Results& results, const std::string& asked) {
  const std::vector<std::int64_t> workers = parse_workers(asked);
  const std::vector<CaseRow> rows = estimate::case_rows(results);
  const std::vector<estimate::WorkersSweep> sweeps = estimate::workers_what_if(rows, workers);
  if (sweeps.empty()) {
    refuse_what_if(
        "nothing here can be told of: it takes cases that were measured with workers of engine "
        "thread, fork or python, by this version, and for a number that was measured another one "
        "beside it");
  }
  std::vector<std::string> names = estimate::varying_options(rows, results);
  std::erase(names, "loader.num_workers");
  std::string text;
  for (const estimate::WorkersSweep& sweep : sweeps) {
    if (sweeps.size() > 1) {
      text += estimate::case_label(sweep.asked.front().base->options(), names,
                                   sweep.asked.front().base->case_id) +
              ":\n";
    }
    const std::string indent = sweeps.size() > 1 ? "  " : "";
    for (const WorkersWhatIf& what : sweep.asked) {
      text += indent + asked_line(what, sweep.median_error) + '\n';
    }
    if (sweep.held.empty()) {
      text += indent +
              "how far that is off is not known: measure a second number of workers beside it\n";
      continue;
    }
    text += indent + "held against what was measured: " +
            text::join(sweep.held, ", ",
                       [](const WorkersWhatIf& what) {
                         return workers_text(what.workers) + ' ' + signed_percent(*what.error);
                       }) +
            "; " + text::percent_text(*sweep.median_error) + " in the median\n";
  }
  return text;
}

}  // namespace stepbench::report
