// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/run_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/files.h"
#include "harness/run/launch.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

constexpr const char* kShard = "STEPBENCH_SHARD";

std::string value_of(const machine::Variables& variables, std::string_view name) {
  return std::string(machine::find_variable(variables, name).value_or(""));
}

}  // namespace

plan::Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const char* const end = text.data() + text.size();
  std::int64_t index = 0;
  std::int64_t count = 0;
  const auto [slash, first] = std::from_chars(text.data(), end, index);
  const bool parted = first == std::errc{} && slash != end && *slash == '/';
  const auto [rest, second] =
      parted ? std::from_chars(slash + 1, end, count) : std::from_chars_result{};
  if (!parted || second != std::errc{} || rest != end || index < 1 || count < 1 || index > count) {
    throw ConfigError("--shard", formatted("`{}` is not I/N with 1 <= I <= N, as in 2/4", text));
  }
  return {.index = index - 1, .count = count};
}

plan::Shard shard_here(const std::string& given, const machine::Variables& variables) {
  if (!given.empty()) return parse_shard(given);
  if (const std::string shard = value_of(variables, kShard); !shard.empty()) {
    try {
      return parse_shard(shard);
    } catch (const ConfigError&) {
      throw ConfigError(kShard, formatted("`{}` is not I/N with 1 <= I <= N, as in 2/4", shard));
    }
  }
  for (const char* task : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    if (value_of(variables, task).empty()) continue;
    throw ConfigError("--shard",
                      formatted("is missing: {} is set, so this is one of several tasks, and their "
                                "number is unknown; give --shard I/N, or 1/1 for the whole plan",
                                task));
  }
  return {};
}

void refuse_copies(const plan::Plan& plan, const OneStart& start,
                   const machine::Variables& variables) {
  const auto several = run::one_of_several(variables);
  const bool is_part =
      start.shard && (!start.shard->empty() || !value_of(variables, kShard).empty());
  if (!several || is_part) return;
  const auto has_one_rank = [](const plan::PlannedCase& planned) {
    return planned.resolved.integer_or("distributed.ranks", 1) < 2;
  };
  if (several->may_be_stale && std::ranges::none_of(plan.cases, has_one_rank)) return;
  const std::string world = std::to_string(several->world);
  std::string remedy = formatted("start stepbench once: `stepbench {}{}` starts the ranks itself",
                                 start.ranks, world);
  if (start.shard) {
    remedy += formatted("; or say --shard I/{} to measure a part of the plan in each", world);
  }
  if (several->may_be_stale) remedy += "; or unset the two where they are left from another job";
  const std::string fact = formatted(
      " are set, so that this is one of {} processes, each of which would measure the whole plan; "
      "{}",
      world, remedy);
  if (start.shard)
    throw ConfigError("--shard", formatted("is missing: {}{}", several->variables, fact));
  throw ConfigError("the environment", several->variables + fact);
}

std::string repeat_prefix(const RunRequest& request) {
  std::string command = "stepbench run " + text::shell_word(request.file);
  for (const std::string& assignment : request.set)
    command += " --set " + text::shell_word(assignment);
  for (const std::string& axis : request.sweep) command += " --sweep " + text::shell_word(axis);
  if (!request.worker.empty()) command += " --worker " + text::shell_word(request.worker);
  if (!request.wrap.empty()) command += " --wrap " + text::shell_word(request.wrap);
  if (!request.profile.empty()) command += " --profile=" + request.profile;
  if (request.smoke) command += " --smoke";
  if (request.quick) command += " --quick";
  if (request.stores_results && request.results != RunRequest().results) {
    command += " --results " + text::shell_word(request.results);
  }
  return command;
}

namespace {

namespace fs = std::filesystem;

constexpr int kFirstMinorWithAsked = 5;

std::string shard_of(const record::Results& earlier, const std::string& folder) {
  const std::string first = text_of(earlier.runs.front().context, "shard");
  const bool one = std::all_of(
      earlier.runs.begin(), earlier.runs.end(),
      [&](const record::RunRow& run) { return text_of(run.context, "shard") == first; });
  if (!one) {
    throw ConfigError("--shard", formatted("is missing: the run in {} was made in parts; name the "
                                           "one to resume, as in --shard 2/4",
                                           folder));
  }
  std::string shard = first;  // "2of4"
  const std::size_t of = shard.find("of");
  return of == std::string::npos ? std::string() : shard.replace(of, 2, "/");
}

// "env.HF_TOKEN=***" -> "env.HF_TOKEN".
std::string key_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

bool is_masked(const std::string& text) { return text.find(text::kMask) != std::string::npos; }

// Masked values were not recorded and must be given again.
void refuse_masked(const RunRequest& given, RunRequest& request) {
  const auto given_again = [&](const std::string& assignment) {
    return std::any_of(given.set.begin(), given.set.end(), [&](const std::string& other) {
      return key_of(other) == key_of(assignment);
    });
  };
  std::erase_if(request.set, [&](const std::string& assignment) {
    return is_masked(assignment) && given_again(assignment);
  });
  const auto masked = std::find_if(request.set.begin(), request.set.end(), is_masked);
  if (masked != request.set.end()) {
    throw ConfigError(
        "--set", formatted("{} holds a secret, which is not recorded: give --set {}=VALUE again",
                           key_of(*masked), key_of(*masked)));
  }
  const bool any = is_masked(request.text.value_or("")) ||
                   std::any_of(request.sweep.begin(), request.sweep.end(), is_masked) ||
                   std::any_of(request.filter.begin(), request.filter.end(), is_masked);
  if (any) {
    throw ConfigError("FILE", formatted("is missing: the experiment holds a secret, which is not "
                                        "recorded in {}; give FILE and its options again",
                                        request.resume));
  }
}

template <typename T>
void take_if_empty(T& given, const T& recorded) {
  if (given.empty()) given = recorded;
}

}  // namespace

record::CommandLine asked_for(const RunRequest& request, std::vector<std::string> set) {
  return {.folder = fs::current_path().string(),
          .set = std::move(set),
          .sweep = request.sweep,
          .filter = request.filter,
          .cases = request.cases,
          .worker = request.worker};
}

RecordedRequest recorded_request(const RunRequest& given) {
  check_resume_folder(given.resume);
  const record::Results earlier = earlier_results(given.resume);
  const auto refuse = [&](const std::string& why) {
    throw ConfigError("FILE", formatted("is missing: {} {}", given.resume, why));
  };
  if (earlier.runs.empty()) refuse("does not record what it measures");
  const record::RunRow& first = earlier.runs.front();
  if (first.context.contains("ab_seed")) {
    refuse("is a campaign of `stepbench ab`; resume it with `stepbench ab FILE --resume`");
  }
  if (first.schema_minor < kFirstMinorWithAsked) {
    refuse("was begun by an earlier stepbench, which did not record the command line");
  }
  RecordedRequest recorded{.request = given, .folder = first.asked.folder};
  RunRequest& request = recorded.request;
  request.file = first.config_path;
  request.text = first.config_text;
  request.set = first.asked.set;
  request.set.insert(request.set.end(), given.set.begin(), given.set.end());
  take_if_empty(request.sweep, first.asked.sweep);
  take_if_empty(request.filter, first.asked.filter);
  take_if_empty(request.cases, first.asked.cases);
  take_if_empty(request.worker, first.asked.worker);
  refuse_masked(given, request);
  take_if_empty(request.wrap, text_of(first.context, "wrap"));
  if (given.shard.count == 1) request.shard = parse_shard(shard_of(earlier, given.resume));
  request.quick = given.quick || record::is_first_look(first);
  request.smoke = given.smoke || (first.smoke && !request.quick);
  request.max_cases = plan::kMostCases;
  if (!fs::is_directory(recorded.folder)) {
    throw ConfigError(given.resume,
                      formatted("was begun in {}, which no longer exists: its paths cannot be "
                                "found; give FILE to resume it from this folder",
                                recorded.folder.string()));
  }
  return recorded;
}

std::string readable_again(const std::string& file, const std::string& config_text,
                           const fs::path& run_folder) {
  if (file != plan::kStandardInput) return file;
  const fs::path copy = run_folder / kExperimentCopy;
  if (!fs::exists(copy)) os::write_output_file({}, copy, config_text);
  return copy.string();
}

Fields parse_labels(std::span<const std::string> labels) {
  const auto in_key = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("._-/").find(letter) != std::string_view::npos;
  };
  Fields fields;
  for (const std::string& label : labels) {
    const std::size_t equals = label.find('=');
    const std::string key = label.substr(0, equals);
    if (equals == std::string::npos || key.empty()) {
      throw ConfigError("--label", formatted("expected KEY=VALUE, found '{}'", label));
    }
    if (!std::all_of(key.begin(), key.end(), in_key)) {
      throw ConfigError(
          "--label",
          formatted("the key '{}' may hold letters, digits, '.', '_', '-' and '/' only", key));
    }
    fields.insert_or_assign(key, Value{label.substr(equals + 1)});
  }
  return fields;
}

Fields labels_with(const record::Results& earlier, const Fields& given) {
  Fields labels;
  for (const record::RunRow& run : earlier.runs) {
    for (const auto& [key, value] : run.labels) labels.insert_or_assign(key, value);
  }
  for (const auto& [key, value] : given) labels.insert_or_assign(key, value);
  return labels;
}

std::string resuming_command(std::span<const std::string> argv, const RunRequest& request,
                             const std::filesystem::path& run_folder) {
  const std::string resume = " --resume " + text::shell_word(run_folder.string());
  std::string command = "stepbench";
  bool of_script = false;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (argv[i] == "--" && !of_script) {
      of_script = true;
      command += resume;
    }
    const bool has_folder = !of_script && (argv[i] == "--resume" || argv[i] == "--results");
    if (has_folder) ++i;
    if (has_folder ||
        (!of_script && (argv[i].starts_with("--resume=") || argv[i].starts_with("--results=")))) {
      continue;
    }
    const bool is_file = argv[i] == request.file;
    command +=
        ' ' + text::shell_word(
                  is_file ? readable_again(request.file, request.text.value_or(""), run_folder)
                          : argv[i]);
  }
  return of_script ? command : command + resume;
}

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

// Parses "1.5h" with the units in `units`.
double amount(const std::string& where, const std::string& text, std::span<const Unit> units,
              const std::string& expected) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && std::isfinite(number) && number > 0) {
    const std::string_view name(rest, static_cast<std::size_t>(end - rest));
    for (const Unit& unit : units) {
      if (unit.name == name) return number * unit.factor;
    }
  }
  throw ConfigError(where, formatted("expected {}, found `{}`", expected, text));
}

}  // namespace

double seconds_of(const std::string& where, const std::string& text) {
  static constexpr Unit kUnits[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
  return amount(where, text, kUnits, "a time such as 90s, 20m or 1.5h");
}

double bytes_of(const std::string& where, const std::string& text) {
  static constexpr Unit kUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                                    {"TiB", 0x1p40}, {"kB", 1e3},     {"MB", 1e6},
                                    {"GB", 1e9},     {"TB", 1e12}};
  return amount(where, text, kUnits, "a size such as 512MiB or 20GiB");
}

}  // namespace stepbench::campaign
