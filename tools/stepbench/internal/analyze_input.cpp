// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/analyze_input.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/os/files.h"
#include "harness/record/result_file.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/trace_files.h"
#include "tools/stepbench/parse.h"

namespace stepbench::cli {
namespace {

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::pair<std::int64_t, std::int64_t>> steps_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t dash = text.find('-');
  const auto first = whole(std::string_view(text).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : whole(std::string_view(text).substr(dash + 1));
  if (!first || !last || *last < *first) {
    throw ConfigError(
        "--steps",
        "expected the number of a ProfilerStep or a range such as 5-8, not '" + text + "'");
  }
  return std::pair(*first, *last);
}

double threshold_in(std::string text, const traces::TraceRule& rule) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) {
    throw ConfigError("--threshold", std::string(rule.id) + ": expected a positive number" +
                                         (rule.unit == "ratio" ? " such as 5% or 0.05" : "") +
                                         ", in " + std::string(rule.unit));
  }
  return percent && rule.unit == "ratio" ? value / 100 : value;
}

std::map<std::string, double, std::less<>> thresholds_of(const std::vector<std::string>& texts) {
  std::map<std::string, double, std::less<>> all;
  std::vector<std::string> known;
  for (const traces::TraceRule& rule : traces::trace_rules()) known.emplace_back(rule.id);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::string id = text.substr(0, equals);
    if (!id.starts_with("trace.")) id = "trace." + id;
    const auto rule = std::ranges::find(traces::trace_rules(), id, &traces::TraceRule::id);
    if (rule == traces::trace_rules().end()) {
      throw ConfigError("--threshold", "unknown rule '" + id + "'" + text::did_you_mean(id, known) +
                                           "; rules: " + text::join(known));
    }
    if (equals == std::string::npos) {
      throw ConfigError("--threshold", "expected " + id + "=VALUE, such as " + id + "=5%");
    }
    all[id] = threshold_in(text.substr(equals + 1), *rule);
  }
  return all;
}

bool is_trace_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".sqlite");
}

// Returns the traces in a folder, or those of the run if it is a run's folder.
std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder,
                                             const std::string& case_id) {
  const std::filesystem::path of_run = folder / "traces";
  const bool is_run = std::filesystem::is_directory(of_run);
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(is_run ? of_run : folder)) {
    if (!entry.is_regular_file() || !is_trace_name(entry.path())) continue;
    if (!case_id.empty() && !entry.path().filename().string().starts_with(case_id)) continue;
    found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (!found.empty()) return found;
  const bool has_results =
      std::any_of(std::filesystem::directory_iterator(folder),
                  std::filesystem::directory_iterator(), [](const auto& entry) {
                    return entry.path().filename().string().find(".jsonl") != std::string::npos;
                  });
  if (!case_id.empty() && is_run) {
    throw ConfigError("--case",
                      "no trace in " + of_run.string() + " begins with '" + case_id + "'");
  }
  throw ConfigError(folder.string(),
                    has_results ? "this run has no traces; `stepbench run FILE --profile --set "
                                  "profile.trace=true` writes them"
                                : "no trace (*.json, *.json.gz, *.sqlite) in this folder");
}

void check_device(std::optional<int> device, const traces::Analysis& analysis,
                  const std::filesystem::path& path) {
  if (!device || analysis.idle_of(device) != nullptr) return;
  throw ConfigError(
      "--device",
      "device " + std::to_string(*device) + " ran no work in " + path.string() + "; it has: " +
          (analysis.devices.empty() ? std::string("none")
                                    : text::join(analysis.devices, ", ",
                                                 [](int each) { return std::to_string(each); })));
}

// Traces of stepbench do not record operator types. TF32 counts as FP32: the kernels show which it
// is.
ops::Dtype precision_of(const Fields& options) {
  const auto found = options.find("model.precision");
  if (found == options.end()) return ops::Dtype::kUnknown;
  const ops::Dtype dtype = ops::dtype_named(to_text(found->second));
  return dtype == ops::Dtype::kTf32 ? ops::Dtype::kFp32 : dtype;
}

}  // namespace

AnalyzeRequest::AnalyzeRequest(const AnalyzeOptions& options)
    : how{.steps = {.from_loading = options.from_loading, .numbers = steps_of(options.steps)}},
      rules{.device = options.device, .thresholds = thresholds_of(options.thresholds)} {}

Fields AnalyzeRequest::case_options(const traces::Trace& trace, const std::filesystem::path& path) {
  const std::string_view case_id = trace.own_fact("case_id");
  if (case_id.empty()) return {};
  const std::filesystem::path run = std::filesystem::absolute(path).parent_path().parent_path();
  const auto [cases, is_new] = runs_.try_emplace(run);
  if (is_new) cases->second = record::options_of_cases(run);
  const auto found = cases->second.find(case_id);
  return found == cases->second.end() ? Fields{} : Fields(found->second);
}

std::vector<std::filesystem::path> traces_of(const std::vector<std::string>& paths,
                                             const std::string& case_id) {
  std::vector<std::filesystem::path> traces;
  for (const std::string& text : paths) {
    const std::filesystem::path path = text;
    if (!std::filesystem::exists(path)) {
      throw ConfigError(
          text, os::why_absent(path, "no such file or folder" + os::similar_file_hint(path)));
    }
    if (!std::filesystem::is_directory(path)) {
      traces.push_back(path);
      continue;
    }
    const auto found = traces_in(path, case_id);
    traces.insert(traces.end(), found.begin(), found.end());
  }
  return traces;
}

TimeLimit limit_of(const AnalyzeOptions& options, std::size_t traces,
                   const Environment& environment) {
  const double limit_s =
      options.time_limit_s * static_cast<double>(std::max<std::size_t>(1, traces));
  return {limit_s, [limit_s, &environment] {
            print_error(environment.err,
                        "--time-limit: the traces took more than " + text::seconds_text(limit_s) +
                            " of CPU time; give more, or record fewer steps",
                        environment.err_colour);
          }};
}

std::optional<traces::Trace> read_one(const std::filesystem::path& path, bool of_several,
                                      const Environment& environment) {
  if (!of_several) return traces::read_trace(path);
  try {
    return traces::read_trace(path);
  } catch (const ConfigError& error) {
    print_error(environment.err, error.what(), environment.err_colour);
    return std::nullopt;
  }
}

report::AnalysedTrace analyse_one(const traces::Trace& trace, const std::filesystem::path& path,
                                  AnalyzeRequest& request) {
  traces::RuleOptions rules = request.rules;
  rules.options = request.case_options(trace, path);
  traces::AnalysisOptions how = request.how;
  how.untyped = precision_of(rules.options);
  report::AnalysedTrace analysed{.trace = &trace,
                                 .path = path.string(),
                                 .analysis = traces::analyse(trace, how),
                                 .device = request.rules.device};
  check_device(request.rules.device, analysed.analysis, path);
  if (request.how.steps.numbers && analysed.analysis.steps.counted().empty()) {
    throw ConfigError("--steps", "no such step in " + path.string());
  }
  analysed.findings = traces::find_causes(trace, analysed.analysis, rules);
  return analysed;
}

bool fails_on(const AnalyzeOptions& options, Severity severity) {
  return !options.fail_on.empty() &&
         severity >= one_of<Severity>(options.fail_on).value_or(Severity::kProblem);
}

namespace {

double process_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TimeLimit::TimeLimit(double cpu_s, std::function<void()> over)
    : watch_([until_s = process_cpu_s() + cpu_s, over = std::move(over)](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          const double left_s = until_s - process_cpu_s();
          if (left_s <= 0) {
            over();
            std::_Exit(kExitUsage);
          }
          // The limit cannot be reached earlier by one core; the loop checks again.
          ended.wait_for(lock, stop, std::chrono::duration<double>(left_s), [] { return false; });
        }
      }) {}

}  // namespace stepbench::cli
