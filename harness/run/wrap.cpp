// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launch.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/measure/instruction_counter.h"
#include "harness/os/text_file.h"
#include "harness/run/internal/worker_process.h"
#include "harness/text/words.h"

namespace stepbench::run {

std::vector<std::string> split_command(std::string_view line, const std::string& where) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && at + 1 < line.size()) {
      words.back() += line[++at];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw ConfigError(where, formatted("the quote {} is not closed", quote));
  return words;
}

std::vector<std::string> fill_in(const std::vector<std::string>& words,
                                 const std::vector<std::pair<std::string, std::string>>& values,
                                 const std::string& where) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::string filled;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t open = word.find('{', at);
      const std::size_t close = open == std::string::npos ? open : word.find('}', open);
      if (close == std::string::npos) {
        filled += word.substr(at);
        break;
      }
      const std::string name = word.substr(open + 1, close - open - 1);
      const auto value = std::find_if(values.begin(), values.end(),
                                      [&](const auto& v) { return v.first == name; });
      if (value == values.end()) {
        const auto in_braces = [](const auto& entry) { return '{' + entry.first + '}'; };
        throw ConfigError(where, formatted("unknown placeholder {{{}}}; known: {}", name,
                                           text::join(values, ", ", in_braces)));
      }
      filled += word.substr(at, open - at) + value->second;
      at = close + 1;
    }
    result.push_back(std::move(filled));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> wrap_values(const std::string& run_dir,
                                                             const std::string& case_id,
                                                             int launch) {
  return {{"run_dir", run_dir}, {"case_id", case_id}, {"launch", std::to_string(launch)}};
}

void check_wrap(const std::vector<std::string>& words, const machine::Variables& variables) {
  if (words.empty()) return;
  const std::string program = fill_in(words, wrap_values("-", "-", 0), "--wrap").front();
  const bool fixed = program == words.front();
  try {
    if (fixed) static_cast<void>(resolve_program(program, variables));
  } catch (const ConfigError& error) {
    throw ConfigError("--wrap", error.what());
  }
}

std::optional<std::string> wrap_warning(const std::vector<std::string>& words) {
  const auto is_nsys = [](std::string_view word) {
    return word.substr(word.rfind('/') + 1) == "nsys";  // npos + 1 is 0
  };
  const auto begins = [&](std::string_view text) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return word.starts_with(text); });
  };
  if (std::none_of(words.begin(), words.end(), is_nsys)) return std::nullopt;
  const auto is_short_range = [](const std::string& option, const std::string& value) {
    return option == "-c" && value == "cudaProfilerApi";
  };
  const bool by_range =
      begins("--capture-range=cudaProfilerApi") ||
      std::adjacent_find(words.begin(), words.end(), is_short_range) != words.end();
  if (!by_range || begins("--capture-range-end")) return std::nullopt;
  return "--wrap: nsys ends the worker with its first window, and the row fails; add "
         "--capture-range-end=stop (repeat:N where schedule.repeat is N)";
}

namespace {

constexpr std::string_view kOption = "profile.counts";
constexpr std::int64_t kCountedSteps = 3;
// Factor for limits: code without vector instructions is 50 times slower; start-up and loader less.
constexpr double kSlowdown = 50;

std::string asked_of(const ResolvedCase& resolved) { return resolved.text_or(kOption, "none"); }

bool on_cuda(const ResolvedCase& resolved) {
  return resolved.text_or("device", "").starts_with("cuda");
}

// Callgrind treats '%' as the start of a format code.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

}  // namespace

CountTools count_tools(const plan::Plan& plan, const machine::Variables& variables) {
  CountTools tools;
  const bool any = std::any_of(plan.cases.begin(), plan.cases.end(), [](const auto& planned) {
    return asked_of(planned.resolved) != "none";
  });
  if (!any) return tools;
  tools.no_counters = measure::no_counters_reason();
  try {
    tools.valgrind = resolve_program("valgrind", variables);
  } catch (const ConfigError&) {
    tools.valgrind.clear();
  }
  return tools;
}

CountEngine count_engine(const ResolvedCase& resolved, const CountTools& tools) {
  const std::string asked = asked_of(resolved);
  if (asked == "none") return CountEngine::kNone;
  if (asked == "perf" || (asked == "auto" && tools.no_counters.empty())) return CountEngine::kPerf;
  if (asked == "auto") {
    return tools.valgrind.empty() || on_cuda(resolved) ? CountEngine::kNone
                                                       : CountEngine::kValgrind;
  }
  if (on_cuda(resolved)) {
    throw ConfigError(
        std::string(kOption),
        "valgrind cannot run programs that use CUDA; count on device: cpu, or with perf");
  }
  if (tools.valgrind.empty()) {
    throw ConfigError(std::string(kOption),
                      "valgrind is not installed here (Debian's package valgrind)");
  }
  return CountEngine::kValgrind;
}

std::optional<std::string> count_note(const plan::Plan& plan, const CountTools& tools) {
  std::optional<std::string> note;
  for (const plan::PlannedCase& planned : plan.cases) {
    const std::string asked = asked_of(planned.resolved);
    const CountEngine engine = count_engine(planned.resolved, tools);
    if (note || asked == "none" || asked == "valgrind" || tools.no_counters.empty()) continue;
    if (engine == CountEngine::kValgrind) {
      note = "valgrind counts instructions, in launches of its own: " + tools.no_counters;
    } else {
      note = "instructions are not counted: " + tools.no_counters;
      if (asked == "auto" && tools.valgrind.empty()) *note += "; valgrind is not installed";
    }
  }
  return note;
}

ResolvedCase counted_case(const ResolvedCase& resolved) {
  ResolvedCase counted = resolved;
  OptionValues& options = counted.options;
  const std::int64_t active =
      static_cast<std::int64_t>(number_of(options, "schedule.active").value_or(kCountedSteps));
  options["schedule.active"] = std::min(active, kCountedSteps);
  options["schedule.repeat"] = std::int64_t{1};
  for (const char* threads : {"threads.intra_op", "threads.inter_op"}) {
    if (options.get(threads) != nullptr) options[threads] = std::int64_t{1};
  }
  for (const char* limit : {"limits.wall_s", "limits.set_up_s", "limits.step_s", "limits.stall_s",
                            "limits.tear_down_s"}) {
    if (const auto seconds = number_of(options, limit)) options[limit] = *seconds * kSlowdown;
  }
  options[std::string(kOption)] = std::string(name_of(CountEngine::kValgrind));
  return counted;
}

CountFiles count_files(const std::filesystem::path& run_dir, const record::LaunchKey& key) {
  return {
      .folder = run_dir / kCountsFolder,
      .stem = formatted("{}{}-{}", key.case_id, key.arm.empty() ? "" : "-" + key.arm, key.launch)};
}

std::vector<std::string> callgrind_words(const std::string& valgrind, const CountFiles& files) {
  return {valgrind, "--tool=callgrind", "--instr-atstart=no", "--quiet",
          formatted("--callgrind-out-file={}.%p", escaped((files.folder / files.stem).string()))};
}

std::int64_t take_callgrind_total(const CountFiles& files, std::int64_t worker_pid) {
  const std::string own = formatted("{}.{}", files.stem, worker_pid);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(files.folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(files.stem + '.') && name != own) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
  std::ifstream file(files.folder / own);
  constexpr std::string_view kTotals = "totals:";
  std::optional<std::int64_t> total;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kTotals))
      total = os::parse_integer(os::trim(std::string_view(line).substr(kTotals.size())));
  }
  if (!total) throw Error("valgrind wrote no instruction count to " + own);
  if (*total <= 0) throw Error("valgrind counted no instruction in the measured steps");
  return *total;
}

void add_counts(const ResolvedCase& counted, const CountFiles& files, std::int64_t worker_pid,
                record::LaunchRow& row) {
  for (const char* name :
       {"schedule.active", "schedule.repeat", "threads.intra_op", "threads.inter_op"}) {
    const Value* value = counted.options.get(name);
    if (value != nullptr) row.report.effective.emplace(name, *value);
  }
  row.report.effective[std::string(kOption)] = std::string(name_of(CountEngine::kValgrind));
  if (row.outcome.kind != Outcome::Kind::kMeasured) return;
  const Value& steps = row.report.schedule["active"];
  const auto* number = std::get_if<std::int64_t>(&steps);
  try {
    if (number == nullptr || *number <= 0) throw Error("the worker did not report its steps");
    const auto total = static_cast<double>(take_callgrind_total(files, worker_pid));
    row.report.metrics["instructions_per_step"] = total / static_cast<double>(*number);
  } catch (const Error& error) {
    row.outcome = Outcome::failed(error.what());
    for (const std::string& note : row.report.notes) row.outcome.reason += "; " + note;
  }
}

}  // namespace stepbench::run
