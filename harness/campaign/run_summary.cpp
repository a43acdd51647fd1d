// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_folder.h"

#include <fnmatch.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/line_object.h"
#include "harness/os/text_file.h"
#include "harness/record/fields.h"
#include "harness/record/input.h"
#include "harness/record/result_file.h"
#include "harness/text/time_text.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kStampLetters = 16;  // "20260131-120000-"

struct LaunchFacts {
  record::LaunchKey key;
  std::string point;
  Outcome::Kind outcome = Outcome::Kind::kMeasured;
  int attempt = 0;
};
using LaunchesByKey = std::map<record::LaunchKey, LaunchFacts>;

template <typename V>
void fields(V& v, json::Of<LaunchFacts> auto& facts) {
  fields(v, facts.key);
  v("point_id", facts.point)("outcome", facts.outcome, json::kFilled)("attempt", facts.attempt);
}

// One result file. A resumed run has several per shard, a sharded run some per shard.
struct FileFacts {
  record::RunRow run;
  LaunchesByKey launches = {};
  std::string end_reason = {};  // empty: no end line
  bool running = false;
};

record::RunRow read_head(std::string_view line, record::LineDecoder& decoder) {
  record::Row row = decoder.decode(line);
  auto* run = std::get_if<record::RunRow>(&row);
  if (run == nullptr) throw json::LineError("its first line is not of kind 'run'");
  return std::move(*run);
}

// The highest attempt counts; of equal ones, the later.
void take_launch(LaunchFacts facts, LaunchesByKey& launches) {
  if (facts.point.empty()) facts.point = facts.key.case_id;
  const auto [at, is_new] = launches.try_emplace(facts.key, facts);
  if (!is_new && facts.attempt >= at->second.attempt) at->second = std::move(facts);
}

// Parses only launches and the end: samples are most of a file. nullopt if the first line is
// incomplete: its program was killed, or has only just begun.
std::optional<FileFacts> read_facts(const fs::path& file, record::LineDecoder& decoder,
                                    json::LineParser& parser) {
  const bool running = record::is_being_written(file);
  const record::Input input = record::Input::read(file);
  std::string_view rest = input.text();
  const std::string_view head = rest.substr(0, rest.find('\n'));
  if (head.size() == rest.size() && !decoder.is_json(head)) return std::nullopt;
  FileFacts facts{.run = read_head(head, decoder), .running = running};
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const bool launch = line.starts_with(R"({"kind":"launch",)");
    const bool end = line.starts_with(R"({"kind":"end",)");
    if (!launch && !end) continue;
    try {
      const json::LineObject object =
          parser.parse(line, json::LineParser::Padding::kReadable).object;
      if (launch) take_launch(json::read<LaunchFacts>(object), facts.launches);
      if (end) facts.end_reason = object.text("reason");
    } catch (const json::LineError&) {
      continue;  // cut short: `show` drops it as well
    }
  }
  return facts;
}

RunState state_of(const std::map<std::string, const FileFacts*>& last_of_shard) {
  RunState worst = RunState::kComplete;
  for (const auto& [shard, file] : last_of_shard) {
    RunState state = RunState::kUnfinished;
    if (file->end_reason == "complete") state = RunState::kComplete;
    if (file->end_reason == "interrupted") state = RunState::kInterrupted;
    worst = std::max(worst, state);
  }
  return worst;
}

void count_cases(const LaunchesByKey& launches, RunSummary& run) {
  // By point; a failed launch decides, then a measured one.
  std::map<std::string, Outcome::Kind> worst;
  const auto rank = [](Outcome::Kind outcome) {
    return outcome == Outcome::Kind::kFailed ? 2 : outcome == Outcome::Kind::kMeasured ? 1 : 0;
  };
  for (const auto& [key, launch] : launches) {
    const bool measured = launch.outcome == Outcome::Kind::kMeasured;
    if (measured) ++run.launches;
    if (measured && key.pass == Pass::kWrapped) ++run.wrapped;
    if (measured && (key.pass == Pass::kNative || key.pass == Pass::kKineto)) ++run.profiled;
    Outcome::Kind& outcome = worst.try_emplace(launch.point, launch.outcome).first->second;
    if (rank(launch.outcome) > rank(outcome)) outcome = launch.outcome;
  }
  for (const auto& [point, outcome] : worst) {
    ++(outcome == Outcome::Kind::kFailed     ? run.failed
       : outcome == Outcome::Kind::kMeasured ? run.ok
                                             : run.skipped);
  }
}

std::string verdict_in(const fs::path& folder, json::LineParser& parser) {
  const auto text = os::read_text(folder / campaign::kVerdictFile);
  if (!text) return {};
  try {
    return parser.parse(os::trim(*text), json::LineParser::Padding::kNone).object.text("verdict");
  } catch (const json::LineError&) {
    return {};
  }
}

void take_header(const record::RunRow& header, RunSummary& run) {
  run.run_id = header.run_id;
  run.name = header.name;
  run.started_utc = header.started_utc;
  run.smoke = header.smoke;
  run.host = text_of(header.context, "host");
  run.git_sha = text_of(header.context, "git.sha");
  run.git_branch = text_of(header.context, "git.branch");
  const auto dirty = header.context.find("git.dirty");
  run.git_dirty = dirty != header.context.end() && dirty->second == Value{true};
  if (!text_of(header.context, "ab_seed").empty()) run.kind = "ab";
}

void join_files(std::vector<FileFacts>& files, RunSummary& run) {
  std::stable_sort(files.begin(), files.end(), [](const FileFacts& a, const FileFacts& b) {
    return a.run.started_utc < b.run.started_utc;
  });
  take_header(files.front().run, run);
  LaunchesByKey launches;
  std::map<std::string, const FileFacts*> last_of_shard;
  bool running = false;
  for (FileFacts& file : files) {
    running = running || file.running;
    last_of_shard[text_of(file.run.context, "shard")] = &file;
    for (auto& [key, facts] : file.launches) take_launch(std::move(facts), launches);
    for (const auto& [name, value] : file.run.labels) run.labels.insert_or_assign(name, value);
  }
  for (const auto& [shard, file] : last_of_shard) run.cases += file->run.cases;
  run.state = running ? RunState::kRunning : state_of(last_of_shard);
  count_cases(launches, run);
}

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (!at->is_symlink(gone) && at->is_regular_file(gone)) {
      const std::uintmax_t size = at->file_size(gone);
      if (!gone) bytes += size;
    }
  }
  return bytes;
}

std::vector<fs::path> result_files(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && record::is_result_file(at->path()))
      files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Names the file unless the error already does.
std::string reason_text(const fs::path& file, const std::exception& error) {
  const std::string text = error.what();
  const std::string path = file.string() + ": ";
  return file.filename().string() + ": " +
         (text.starts_with(path) ? text.substr(path.size()) : text);
}

// Start time for sorting; a broken run only has the one in its name.
std::string time_of(const RunSummary& run) {
  if (!run.started_utc.empty()) return run.started_utc;
  const std::string name = run.folder.filename().string();
  if (!is_run_name(name)) return {};
  return formatted("{}-{}-{}T{}:{}:{}Z", name.substr(0, 4), name.substr(4, 2), name.substr(6, 2),
                   name.substr(9, 2), name.substr(11, 2), name.substr(13, 2));
}

// For `bisect`: its launches are in the runs that it contains.
RunSummary summarise_search(const fs::path& folder, RunSummary run) {
  run.run_id = folder.filename().string();
  run.kind = "bisect";
  run.name = is_run_name(run.run_id) ? run.run_id.substr(kStampLetters) : run.run_id;
  run.started_utc = time_of(run);
  run.state = RunState::kInterrupted;
  json::LineParser parser;
  try {
    const std::string text = os::read_text(folder / "bisect.json").value_or("");
    const json::LineObject search =
        parser.parse(os::trim(text), json::LineParser::Padding::kNone).object;
    run.launches = json::read_field<std::int64_t>(search, "launches");
    if (search.text("answer") != "open") run.state = RunState::kComplete;
    if (is_being_searched(folder)) run.state = RunState::kRunning;
  } catch (const json::LineError& error) {
    run.broken = reason_text(folder / "bisect.json", error);
  }
  return run;
}

}  // namespace

RunSummary summarise_run(const fs::path& folder) {
  RunSummary run{.folder = folder, .bytes = bytes_in(folder)};
  std::error_code error;
  const std::vector<fs::path> files = result_files(folder, error);
  if (error) {
    run.broken = "cannot be read: " + error.message();
    return run;
  }
  if (files.empty() && is_search(folder)) return summarise_search(folder, std::move(run));
  if (files.empty()) {
    run.broken = "holds no result file: killed before it measured anything";
    return run;
  }
  record::LineDecoder decoder;
  json::LineParser parser;
  std::vector<FileFacts> facts;
  for (const fs::path& file : files) {
    try {
      if (auto one = read_facts(file, decoder, parser)) facts.push_back(std::move(*one));
    } catch (const Error& failure) {
      run.broken = reason_text(file, failure);
      return run;
    }
  }
  if (facts.empty()) {
    run.broken = "has no complete line: killed before it measured anything, or only just begun";
    return run;
  }
  join_files(facts, run);
  if (is_search(folder)) run.kind = "tune";
  if (run.kind == "ab") run.verdict = verdict_in(folder, parser);
  return run;
}

bool is_run_name(std::string_view name) {
  constexpr std::string_view kForm = "00000000-000000-";
  if (name.size() <= kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (kForm[i] == '0' ? !digit : name[i] != kForm[i]) return false;
  }
  return true;
}

bool holds_results(const fs::path& folder) {
  std::error_code error;
  return !result_files(folder, error).empty();
}

std::vector<fs::path> run_folders(const fs::path& results) {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path own = fs::canonical(results, error);
  for (fs::directory_iterator at(results, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool hidden = at->path().filename().string().starts_with('.');
    if (hidden || !at->is_directory(ignored)) continue;
    // An alias of a listed run, such as "latest".
    if (at->is_symlink(ignored) && fs::canonical(at->path(), ignored).parent_path() == own)
      continue;
    if (is_run_name(at->path().filename().string()) || holds_results(at->path())) {
      folders.push_back(at->path());
    }
  }
  if (error) throw ConfigError(results.string(), "cannot be read: " + error.message());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<RunSummary> summarise_runs(const fs::path& results) {
  std::vector<RunSummary> runs;
  for (const fs::path& folder : run_folders(results)) runs.push_back(summarise_run(folder));
  std::stable_sort(runs.begin(), runs.end(), [](const RunSummary& a, const RunSummary& b) {
    const std::string first = time_of(a);
    const std::string second = time_of(b);
    return first != second ? first > second : a.folder > b.folder;
  });
  return runs;
}

namespace {

bool has_label(const RunSummary& run, const std::string& wanted) {
  const std::size_t equals = wanted.find('=');
  const auto found = run.labels.find(wanted.substr(0, equals));
  if (found == run.labels.end()) return false;
  return equals == std::string::npos || to_text(found->second) == wanted.substr(equals + 1);
}

bool is_named(const RunSummary& run, const std::string& pattern) {
  const std::string folder = run.folder.filename().string();
  for (const std::string* name : {&run.name, &run.run_id, &folder}) {
    if (::fnmatch(pattern.c_str(), name->c_str(), 0) == 0) return true;
  }
  return false;
}

}  // namespace

bool passes(const RunSummary& run, const RunFilter& filter) {
  if (!filter.name.empty() && !is_named(run, filter.name)) return false;
  if (!std::all_of(filter.labels.begin(), filter.labels.end(),
                   [&](const std::string& label) { return has_label(run, label); })) {
    return false;
  }
  if (!filter.since) return true;
  const auto time = begun(run);
  return time && *time >= *filter.since;
}

std::optional<Moment> begun(const RunSummary& run) { return text::parse_utc(run.started_utc); }

Moment parse_since(const std::string& flag, const std::string& text, Moment now) {
  if (const auto time = text::parse_utc(text)) return *time;
  if (const auto age = text::parse_age(text)) return now - *age;
  throw ConfigError(flag, formatted("expected a day such as 2026-01-31, with a time of day (UTC) "
                                    "or without, or {}, found '{}'",
                                    text::kAgeExamples, text));
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kLeftover = ".deleting-";

// Why the run must not be deleted; empty: it may be.
std::string protection_of(const RunSummary& run) {
  std::error_code error;
  if (fs::is_symlink(run.folder, error)) return "is a symbolic link";
  if (!run.broken.empty()) return formatted("is not readable as a run ({})", run.broken);
  if (run.state == RunState::kRunning) return "is running";
  if (const auto label = run.labels.find(kKeepLabel); label != run.labels.end()) {
    return "is labelled keep=" + to_text(label->second);
  }
  try {
    const RunFiles files = files_of_run(run.folder);
    if (!files.foreign.empty()) {
      return formatted("holds {}, which does not belong to a run",
                       files.foreign.front().filename().string());
    }
  } catch (const Error& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

PrunePlan plan_prune(std::span<const RunSummary> runs, const PruneRequest& request) {
  PrunePlan plan;
  std::size_t newer = 0;
  for (const RunSummary& run : runs) {
    if (!passes(run, request.filter)) continue;
    const auto time = begun(run);
    const bool is_new = request.keep && newer < *request.keep;
    if (run.broken.empty()) ++newer;
    if (is_new) continue;
    if (request.older_than && (!time || request.now - *time <= *request.older_than)) continue;
    std::string reason = protection_of(run);
    if (reason.empty()) {
      plan.removable.push_back(run);
    } else {
      plan.retained.push_back({run, std::move(reason)});
    }
  }
  return plan;
}

void remove_run(const fs::path& folder) {
  if (record::is_being_written(folder) || is_being_searched(folder))
    throw ConfigError(folder.string(), "is running by now");
  const fs::path removable = folder.parent_path() / (kLeftover + folder.filename().string());
  std::error_code error;
  fs::rename(folder, removable, error);
  if (!error) fs::remove_all(removable, error);
  if (error) throw ConfigError(folder.string(), "cannot be deleted: " + error.message());
}

void remove_leftovers(const fs::path& results) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(results, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool ours = at->path().filename().string().starts_with(kLeftover);
    if (ours && !at->is_symlink(ignored) && at->is_directory(ignored)) {
      leftovers.push_back(at->path());
    }
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
}

}  // namespace stepbench::campaign
