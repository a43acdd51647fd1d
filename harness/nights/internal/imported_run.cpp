// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/imported_run.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/comparison.h"

namespace stepbench::nights {
namespace {

namespace fs = std::filesystem;

// Context facts that have their own fields in TrackedRun.
constexpr std::array<std::string_view, 6> kOwnFields = {"host",      "git.sha", "git.branch",
                                                        "git.dirty", "worker",  "worker_build_id"};

// The run's relative paths are relative to its own folder, not to ours.
std::string seen_from(const std::string& folder, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute() || folder.empty()) return path;
  return (fs::path(folder) / path).lexically_normal().string();
}

const record::WorkerRow* worker_of(const record::Results& results, const std::string& run_id) {
  for (const record::Launch& launch : results.launches) {
    if (results.runs.at(launch.run).run_id != run_id) continue;
    if (launch.row.key.arm == record::kReferenceArm) continue;
    const auto found = std::find_if(
        results.workers.begin(), results.workers.end(),
        [&](const record::WorkerRow& worker) { return worker.worker_id == launch.row.worker_id; });
    if (found != results.workers.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

TrackedRun tracked_run(const record::Results& results, const std::string& run_id,
                       const fs::path& folder) {
  TrackedRun run;
  for (const record::RunRow& row : results.runs) {
    if (row.run_id != run_id) continue;
    for (const auto& [key, value] : row.labels) run.labels.insert_or_assign(key, value);
    const bool first = run.run_id.empty();
    if (!first && row.started_utc >= run.started_utc) continue;
    run.run_id = run_id;
    run.started_utc = row.started_utc;
    run.experiment = row.name;
    run.host = text_of(row.context, "host");
    run.build_id = text_of(row.context, "worker_build_id");
    run.worker_path = seen_from(row.asked.folder, text_of(row.context, "worker"));
    run.git_sha = text_of(row.context, "git.sha");
    run.git_branch = text_of(row.context, "git.branch");
    run.git_dirty = text_of(row.context, "git.dirty") == "true";
    run.config_path = row.config_path;
    run.config_text = row.config_text;
    run.config_hash = row.config_hash;
    run.plan_digest = row.plan_digest;
    run.asked = row.asked;
    run.context = row.context;
  }
  for (const std::string_view name : kOwnFields) run.context.erase(name);
  run.folder = folder.string();
  if (const record::WorkerRow* worker = worker_of(results, run_id)) {
    run.environment = worker->environment;
    if (run.build_id.empty()) run.build_id = worker->build_id;
    if (run.worker_path.empty()) run.worker_path = seen_from(run.asked.folder, worker->path);
    if (run.host.empty()) run.host = text_of(worker->environment, "host");
  }
  return run;
}

bool is_shard(const record::Results& results, const std::string& run_id) {
  return std::any_of(results.runs.begin(), results.runs.end(), [&](const record::RunRow& row) {
    return row.run_id == run_id && text_of(row.context, "shard", "1of1") != "1of1";
  });
}

namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// "6.18.44-fc-v669" -> "6.18", "Ubuntu 22.04.4 LTS" -> "Ubuntu 22.04": drops patch versions.
std::string first_two_numbers(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && !is_digit(text[at])) ++at;
  const auto skip_digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  skip_digits();
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    skip_digits();
  }
  return std::string(text.substr(0, at));
}

// "/opt/a/lib:/opt/b/libtcmalloc.so" -> "lib:libtcmalloc.so": a job's folder differs nightly.
std::string last_parts(std::string_view paths) {
  std::string text;
  while (!paths.empty()) {
    const std::size_t end = std::min(paths.find(':'), paths.size());
    std::string_view path = paths.substr(0, end);
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    text += (text.empty() ? "" : ":") + std::string(path.substr(path.rfind('/') + 1));
    paths.remove_prefix(std::min(end + 1, paths.size()));
  }
  return text;
}

// A value that the machine measures each time, not a setting.
bool is_reading(std::string_view name, const Value& value) {
  if (name.ends_with("_khz") || name.ends_with("_mhz") || name.ends_with("bogomips")) return true;
  const bool text = std::holds_alternative<std::string>(value);
  return !text && (name.find("clock") != std::string_view::npos ||
                   name.find("free") != std::string_view::npos ||
                   name.find("temperature") != std::string_view::npos);
}

Value lasting(std::string_view name, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return value;
  if (name == "kernel" || name == "os") return first_two_numbers(*text);
  if (name == "cpu.affinity") {
    // A job gets different CPUs each time; only their number matters.
    const auto cpus = text::parse_cpu_list(*text);
    return cpus ? Value{text::counted(static_cast<std::int64_t>(cpus->size()), "CPU")} : value;
  }
  if (name.starts_with("env.") && text->find('/') != std::string::npos) return last_parts(*text);
  return value;
}

bool is_machine(std::string_view name) {
  return name.starts_with("cpu") || name.starts_with("gpu");
}

bool was_left_open(const record::LaunchRow& launch, std::string_view option) {
  const auto asked = launch.options.find(option);
  return asked != launch.options.end() &&
         (is_null(asked->second) || to_text(asked->second) == "auto");
}

// Options that the machine decides if set to auto. The number of measured steps is not one of them.
bool is_surrounding(const record::LaunchRow& launch, std::string_view option) {
  constexpr std::array<std::string_view, 4> kOfTheRun = {"schedule.", "limits.", "profile.",
                                                         "compare."};
  if (option == "data.digest") return true;
  if (verdict::class_of(option, true) == verdict::FieldClass::kInformative) return false;
  return was_left_open(launch, option) &&
         std::none_of(kOfTheRun.begin(), kOfTheRun.end(),
                      [&](std::string_view section) { return option.starts_with(section); });
}

bool is_on_gpu(const record::LaunchRow& launch) {
  return text_of(launch.report.effective, "device", text_of(launch.options, "device"))
      .starts_with("cuda");
}

}  // namespace

EnvironmentKey environment_key_of(const record::LaunchRow& launch, const Fields& environment) {
  EnvironmentKey found;
  const bool on_gpu = is_on_gpu(launch);
  for (const auto& [name, value] : environment) {
    if (is_null(value)) continue;
    const verdict::FieldClass meaning = verdict::class_of(name, on_gpu);
    if (meaning == verdict::FieldClass::kInformative || is_reading(name, value)) continue;
    // Versions of CUDA and cuDNN do not affect a case on the CPU.
    if (!on_gpu && name.starts_with("cud")) continue;
    // The instruction set that torch chose is a property of the machine.
    if ((meaning == verdict::FieldClass::kMustMatch && is_machine(name)) ||
        name == "cpu_capability") {
      found.machine.emplace(name, value);
    } else {
      found.cohort.emplace(name, lasting(name, value));
    }
  }
  for (const auto& [name, value] : launch.report.effective) {
    if (is_null(value) || !is_surrounding(launch, name)) continue;
    // Devices of one machine are equivalent: cuda:1 and cuda:0 are the same.
    const std::string text = to_text(value);
    found.cohort.insert_or_assign(name,
                                  name == "device" ? Value{text.substr(0, text.find(':'))} : value);
  }
  return found;
}

}  // namespace stepbench::nights
