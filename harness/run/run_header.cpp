// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_header.h"

#include <unistd.h>
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/columns.h"
#include "harness/record/result_file.h"
#include "harness/text/secrets.h"
#include "harness/text/time_text.h"

namespace stepbench::run {
namespace {

std::string shard_text(const plan::Shard& shard) {
  return formatted("{}of{}", shard.index + 1, shard.count);
}

}  // namespace

std::string file_name_part(std::string_view text) {
  std::string name{text};
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '.' || c == '_');
      },
      '-');
  return name;
}

record::RunRow make_run_header(const RunFacts& facts, const Fields& host, Fields git,
                               std::chrono::system_clock::time_point started) {
  record::RunRow row;
  row.started_utc = text::utc_text(started);
  row.name = facts.plan.name;
  row.run_id = text::compact_utc(row.started_utc) + "-" + file_name_part(facts.plan.name);
  row.config_path = facts.plan.file.string();
  row.config_text = facts.plan.config_text;
  row.config_hash = facts.plan.config_hash;
  row.plan_digest = facts.plan.digest;
  row.cases = static_cast<std::int64_t>(facts.plan.cases.size());
  row.swept = facts.plan.varying;
  row.smoke = facts.smoke;
  row.asked = facts.asked;
  row.context = std::move(git);
  if (const auto name = host.find("host"); name != host.end()) row.context["host"] = name->second;
  row.context.emplace("shard", shard_text(facts.shard));
  row.context.emplace("worker", facts.worker.path.string());
  row.context.emplace("worker_build_id", facts.worker.build_id);
  row.context.emplace("data_digest", data_digest(facts.plan, facts.catalogue));
  if (!facts.wrap.empty()) row.context.emplace("wrap", facts.wrap);
  return row;
}

namespace {

// A workload's own phases explain a step; they are not compared.
std::vector<Metric> columns_of_phase(const Phase& phase) {
  const auto column = [&](const char* suffix, Source source) {
    return Metric{.name = phase.name + suffix,
                  .unit = "ns",
                  .role = Role::kContext,
                  .direction = Direction::kNeither,
                  .doc = phase.doc,
                  .source = source,
                  .phase = true};
  };
  return {column("_ns", Source::kHostClock), column("_device_ns", Source::kCudaEvents),
          column("_side_device_ns", Source::kCudaEvents)};
}

}  // namespace

record::ColumnRow columns_of(const plan::Plan& plan, const Catalogue& catalogue) {
  record::ColumnRow row{estimate::harness_metrics()};
  std::set<std::string> workloads;
  for (const plan::PlannedCase& planned : plan.cases) workloads.insert(planned.resolved.workload);
  std::set<std::string> names;
  for (const Metric& metric : row.columns) names.insert(metric.name);
  for (const std::string& name : workloads) {
    const WorkloadSpec* spec = catalogue.find_workload(name);
    if (spec == nullptr) continue;
    const auto add = [&](const Metric& metric) {
      if (names.insert(metric.name).second) row.columns.push_back(metric);
    };
    for (const Phase& phase : spec->phases) {
      for (const Metric& metric : columns_of_phase(phase)) add(metric);
    }
    for (const Metric& metric : spec->metrics) add(metric);
  }
  return row;
}

namespace {

std::string stem_of(const std::string& host, const plan::Shard& shard) {
  return formatted("{}-{}-", file_name_part(host), shard_text(shard));
}

}  // namespace

void refuse_running(const std::filesystem::path& run_dir, const std::string& host,
                    const plan::Shard& shard) {
  std::error_code error;
  std::filesystem::directory_iterator at{run_dir, error};
  for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error)) {
    const std::filesystem::path& file = at->path();
    if (!file.filename().string().starts_with(stem_of(host, shard))) continue;
    if (file.extension() != ".jsonl" || !record::is_being_written(file)) continue;
    throw ConfigError("--resume", formatted("{} is still being measured, into {}; --no-lock does "
                                            "not change that. Wait for its end, or end it",
                                            run_dir.string(), file.filename().string()));
  }
}

std::filesystem::path free_result_file(const std::filesystem::path& run_dir,
                                       const std::string& host, const plan::Shard& shard) {
  const std::string stem = stem_of(host, shard) + std::to_string(::getpid());
  std::filesystem::path file = run_dir / (stem + ".jsonl");
  const auto taken = [](const std::filesystem::path& path) {
    return std::filesystem::exists(path) || std::filesystem::exists(path.string() + ".gz");
  };
  for (int number = 2; taken(file); ++number) {
    file = run_dir / formatted("{}-{}.jsonl", stem, number);
  }
  return file;
}

namespace fs = std::filesystem;

std::string path_digest(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  if (!fs::is_directory(path, error)) {
    const auto bytes = fs::file_size(path, error);
    return error ? std::string{} : digest(std::to_string(bytes));
  }
  std::vector<std::string> entries;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at{path, options, error}, end; !error && at != end;
       at.increment(error)) {
    std::error_code unreadable;
    if (at->is_directory(unreadable)) continue;
    const auto bytes = at->file_size(unreadable);
    entries.push_back(formatted("{}\t{}\n", at->path().lexically_relative(path).string(),
                                unreadable ? std::string{"-"} : std::to_string(bytes)));
  }
  std::sort(entries.begin(), entries.end());
  std::string text;
  for (const std::string& entry : entries) text += entry;
  return digest(text);
}

std::string data_digest(const plan::Plan& plan, const Catalogue& catalogue) {
  std::set<std::string> paths;
  for (const plan::PlannedCase& planned : plan.cases) {
    for (const auto& [name, value] : planned.resolved.options) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr || text->empty() || paths.contains(*text)) continue;
      const Option* option = catalogue.find_option(name);
      if (option != nullptr && option->type == OptionType::kPath) paths.insert(*text);
    }
  }
  std::set<std::string> digests;
  for (const std::string& path : paths) {
    if (std::string one = path_digest(path); !one.empty()) digests.insert(std::move(one));
  }
  if (digests.empty()) return {};
  std::string text;
  for (const std::string& one : digests) text += one;
  return digest(text);
}

namespace {

bool is_secret(std::string_view name, const Value& value) {
  return !is_null(value) && text::is_secret_option(name);
}

}  // namespace

std::vector<std::string> secret_values(const plan::Plan& plan,
                                       const machine::Variables& inherited) {
  std::set<std::string> values;
  for (const auto& [name, value] : inherited) {
    // Shorter values may be ordinary words. Paths, such as sockets, are not secret.
    constexpr std::size_t kMinBytes = 8;
    const bool is_path = value.starts_with('/');
    if (text::is_secret_name(name) && value.size() >= kMinBytes && !is_path) values.insert(value);
  }
  for (const plan::PlannedCase& planned : plan.cases) {
    for (const auto& [name, value] : planned.resolved.options) {
      if (is_secret(name, value)) values.insert(stepbench::to_text(value));
    }
  }
  return {values.begin(), values.end()};
}

OptionValues without_secrets(const OptionValues& options) {
  OptionValues shown = options;
  for (const auto& [name, value] : options) {
    if (is_secret(name, value)) {
      shown.insert_or_assign(name, text::masked_value(stepbench::to_text(value)));
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      // The masked value keeps different passwords distinguishable.
      std::string masked = text::mask_secrets(*text, {});
      if (masked != *text) {
        shown.insert_or_assign(name, formatted("{} ({})", masked, text::masked_value(*text)));
      }
    }
  }
  return shown;
}

void hide_secrets(record::RunRow& row, const std::vector<std::string>& values) {
  constexpr std::string_view kCommand = "--on-alert";
  for (std::size_t i = 0; i < row.argv.size(); ++i) {
    const bool precedes = row.argv[i] == kCommand || text::is_secret_flag(row.argv[i]);
    if (precedes && i + 1 < row.argv.size()) row.argv[i + 1] = text::kMask;
    if (row.argv[i].starts_with("--on-alert=")) row.argv[i] = "--on-alert=***";
  }
  for (auto* texts : {&row.argv, &row.asked.set, &row.asked.sweep, &row.asked.filter}) {
    for (std::string& text : *texts) text = text::mask_secrets(text, values);
  }
  row.config_text = text::mask_secrets(row.config_text, values);
  for (Fields* fields : {&row.context, &row.labels}) {
    for (const auto& [name, value] : *fields) {
      if (const auto* text = std::get_if<std::string>(&value)) {
        (*fields)[name] = text::mask_secrets(*text, values);
      }
    }
  }
}

}  // namespace stepbench::run
