// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/recorded_request.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/value.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/output_file.h"
#include "harness/text/secrets.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstMinorWithAsked = 5;

std::string shard_of(const record::Results& earlier, const std::string& folder) {
  const std::string first = text_of(earlier.runs.front().context, "shard");
  const bool one = std::all_of(
      earlier.runs.begin(), earlier.runs.end(),
      [&](const record::RunRow& run) { return text_of(run.context, "shard") == first; });
  if (!one) {
    throw ConfigError("--shard",
                      "is missing: the run in " + folder +
                          " was made in parts; name the one to resume, as in --shard 2/4");
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
    throw ConfigError("--set", key_of(*masked) +
                                   " holds a secret, which is not recorded: give --set " +
                                   key_of(*masked) + "=VALUE again");
  }
  const bool any = is_masked(request.text.value_or("")) ||
                   std::any_of(request.sweep.begin(), request.sweep.end(), is_masked) ||
                   std::any_of(request.filter.begin(), request.filter.end(), is_masked);
  if (any) {
    throw ConfigError("FILE",
                      "is missing: the experiment holds a secret, which is not recorded in " +
                          request.resume + "; give FILE and its options again");
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
    throw ConfigError("FILE", "is missing: " + given.resume + " " + why);
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
    throw ConfigError(given.resume, "was begun in " + recorded.folder.string() +
                                        ", which no longer exists: its paths cannot be found; give "
                                        "FILE to resume it from this folder");
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

}  // namespace stepbench::campaign
