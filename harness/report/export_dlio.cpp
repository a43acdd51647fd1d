// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export_dlio.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/launch_values.h"
#include "harness/estimate/replayed.h"
#include "harness/estimate/step_columns.h"
#include "harness/json/json_text.h"
#include "harness/stats/order.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using estimate::CaseRow;

constexpr double kAcceptedAu = 0.9;  // MLPerf Storage's least AU

// The kinds of ours for whose files DLIO has a format.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kDlioFormats = {
    {{"jpeg_folder", "jpeg"}, {"synthetic", "synthetic"}}};

[[noreturn]] void refuse_dlio(const std::string& reason) { throw ConfigError("--format", reason); }

std::string text_option(const CaseRow& row, std::string_view name) {
  const Value* value = row.option(name);
  return value == nullptr ? std::string() : to_text(*value);
}

std::int64_t integer_option(const CaseRow& row, std::string_view name, std::int64_t otherwise) {
  const Value* value = row.option(name);
  const auto number = value == nullptr ? std::nullopt : number_of(*value);
  return number ? std::llround(*number) : otherwise;
}

// Never an exponent, which YAML 1.1 takes for text.
std::string decimal(double value) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 9).ptr;
  return {text.data(), end};
}

const CaseRow& only_case(const std::vector<CaseRow>& rows) {
  std::vector<const CaseRow*> found;
  for (const CaseRow& row : rows) {
    if (row.pass == Pass::kTiming && !row.measured.empty() &&
        estimate::replayed(row) == estimate::Replayed::kNot) {
      found.push_back(&row);
    }
  }
  if (found.empty()) refuse_dlio("dlio describes a measured case, and none was measured");
  if (found.size() > 1) {
    throw ConfigError("--case", "a file of DLIO is one workload, and these are " +
                                    text::counted(std::ssize(found), "case") +
                                    ": choose one; `stepbench show` lists them");
  }
  return *found.front();
}

// Of all steps of all launches, in seconds.
std::vector<double> computation_s(const CaseRow& row) {
  std::vector<double> times;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const estimate::StepColumns steps(*each.launch);
    const std::vector<std::int64_t> step_ns = steps.filled("step_ns");
    const std::vector<std::int64_t> wait_ns = steps.filled("data_wait_ns");
    for (std::size_t i = 0; i < step_ns.size(); ++i) {
      times.push_back(static_cast<double>(std::max<std::int64_t>(0, step_ns[i] - wait_ns[i])) *
                      1e-9);
    }
  }
  return times;
}

struct StoredSet {
  std::string format = {};
  std::int64_t files = 0;
  std::int64_t samples_per_file = 1;
  double record_bytes = 0;
  double record_bytes_sd = 0;
};

StoredSet stored_set(const CaseRow& row) {
  const std::string kind = text_option(row, "data.kind");
  const auto format =
      std::ranges::find(kDlioFormats, kind, &std::pair<std::string_view, std::string_view>::first);
  if (format == kDlioFormats.end()) {
    refuse_dlio("dlio has no format for the files of data.kind " +
                (kind.empty() ? "(none)" : kind) + "; of ours it reads " +
                text::join(kDlioFormats, ", ", [](const auto& each) { return each.first; }));
  }
  StoredSet set{.format = std::string(format->second)};
  const record::Launch& launch = *row.measured.front().launch;
  const auto metric = [&](std::string_view name) { return estimate::reported(launch, name); };
  if (set.format == "synthetic") {
    set.files = 1;
    set.samples_per_file = integer_option(row, "data.samples", 1);
    const auto& bytes = row.measured.front().estimate;
    const estimate::StepColumns steps(launch);
    if (!bytes.samples || *bytes.samples <= 0 || !steps.has("bytes")) {
      refuse_dlio("dlio wants the size of a sample, which these results do not tell");
    }
    set.record_bytes =
        static_cast<double>(steps.sum("bytes")) / static_cast<double>(steps.sum("samples"));
    return set;
  }
  if (std::isnan(metric("data_set_files")) || std::isnan(metric("data_record_bytes"))) {
    refuse_dlio(
        "dlio wants number and size of the files, which results of this version's predecessors "
        "do not tell: measure the case again");
  }
  set.files = std::llround(metric("data_set_files"));
  set.record_bytes = metric("data_record_bytes");
  set.record_bytes_sd = metric("data_record_bytes_sd");
  return set;
}

}  // namespace

std::string dlio_yaml(const record::Results& results) {
  const std::vector<CaseRow> rows = estimate::case_rows(results);
  const CaseRow& row = only_case(rows);
  const StoredSet set = stored_set(row);
  const std::vector<double> times = computation_s(row);
  double mean = 0;
  for (const double time : times) mean += time / static_cast<double>(times.size());
  const double sd = times.size() < 2 ? 0 : stats::standard_deviation(times);
  const std::string name = row.run == nullptr ? "stepbench" : row.run->name;
  const std::string shuffle = text_option(row, "loader.shuffle") == "true" ? "seed" : "off";
  const std::string path = text_option(row, "data.path");

  std::string yaml;
  const auto line = [&yaml](std::string_view text) { yaml.append(text).append("\n"); };
  const auto field = [&yaml](std::string_view key, const std::string& value) {
    yaml.append("  ").append(key).append(": ").append(value).append("\n");
  };
  line("# Case " + text::printable(row.case_id) +
       " as measured by stepbench: " + text::counted(std::ssize(times), "step") + " in " +
       text::counted(std::ssize(row.measured), "launch") + ".");
  line("model:");
  field("name", json::json_string(name));
  line("framework: pytorch");
  line("workflow:");
  field("generate_data", set.format == "jpeg" ? "False" : "True");
  field("train", "True");
  field("checkpoint", "False");
  line("dataset:");
  field("data_folder", json::json_string(path.empty() ? "data/" + name : path));
  field("format", set.format);
  field("num_files_train", std::to_string(set.files));
  field("num_samples_per_file", std::to_string(set.samples_per_file));
  field("record_length_bytes", std::to_string(std::llround(set.record_bytes)));
  field("record_length_bytes_stdev", std::to_string(std::llround(set.record_bytes_sd)));
  line("reader:");
  field("data_loader", "pytorch");
  field("batch_size", std::to_string(integer_option(row, "loader.batch_size", 1)));
  field("read_threads", std::to_string(integer_option(row, "loader.num_workers", 0)));
  field("prefetch_size", std::to_string(integer_option(row, "loader.prefetch_factor", 2)));
  field("pin_memory", text_option(row, "loader.pin_memory") == "true" ? "True" : "False");
  field("file_shuffle", "\"" + shuffle + "\"");
  field("sample_shuffle", "\"" + shuffle + "\"");
  line("train:");
  field("epochs", "5");
  field("computation_time", decimal(mean));
  field("computation_time_stdev", decimal(sd));
  line("metric:");
  field("au", decimal(kAcceptedAu).substr(0, 3));
  return yaml;
}

}  // namespace stepbench::report
