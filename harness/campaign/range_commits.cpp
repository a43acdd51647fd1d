// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/range_commits.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "harness/os/command.h"

namespace stepbench::campaign {
namespace {

constexpr char kBetweenFields = '\x1f';

// Rejects anything that git could parse as an option.
bool is_commit(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t end = line.find(kBetweenFields);
    fields.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

void list_of(nights::Alert& alert, const track::TrackedRun& good, const track::TrackedRun& bad) {
  using namespace std::chrono_literals;
  if (good.git_sha == bad.git_sha || !is_commit(good.git_sha) || !is_commit(bad.git_sha)) return;
  if (bad.asked.folder.empty()) return;
  const os::CommandResult git = os::run_git(
      bad.asked.folder, {"log", "--format=%H%x1f%an%x1f%s", good.git_sha + ".." + bad.git_sha});
  if (!git.started || git.exit_status != 0) return;
  for (std::string_view rest = git.out; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::vector<std::string> fields = fields_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (fields.size() != 3) continue;
    ++alert.commits_in_range;
    if (alert.commits.size() == kListedCommits) continue;
    alert.commits.push_back({fields[0], fields[1], fields[2], track::commit_url(bad, fields[0])});
  }
}

}  // namespace

void list_commits(nights::AlertLog& log, std::span<const track::TrackedRun> runs,
                  const std::function<bool(const nights::Alert&)>& of) {
  for (nights::Alert& alert : log.alerts) {
    if (of ? !of(alert) : alert.state != nights::AlertState::kOpen) continue;
    const track::TrackedRun* good = track::find_run(runs, alert.last_good);
    const track::TrackedRun* bad = track::find_run(runs, alert.first_bad);
    if (good != nullptr && bad != nullptr) list_of(alert, *good, *bad);
  }
}

}  // namespace stepbench::campaign
