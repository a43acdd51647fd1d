// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/repository.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/machine/environment.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/run/launch.h"

namespace stepbench::bisect {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGitLimit{10};  // allows a check-out from a slow disk
constexpr std::size_t kHashDigits = 12;

os::CommandResult git(const fs::path& folder, std::vector<std::string> arguments) {
  return os::run_git(folder, std::move(arguments), kGitLimit);
}

bool is_hash(const std::string& id) {
  return id.size() >= 40 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string trimmed(std::string_view text) { return std::string(os::trim(text)); }

std::string error_output_of(const os::CommandResult& result) {
  if (!result.started) return result.reason;
  if (result.timed_out) return "no answer within 10 minutes";
  if (result.flooded) return "more than 64 MiB of text";
  const std::string text = trimmed(result.err.empty() ? result.out : result.err);
  return text.empty() ? formatted("exit status {}", result.exit_status) : text;
}

// Locks our trees with their owner's name, so that git does not remove them and leftovers of a
// killed search can be found.
constexpr std::string_view kMark = "stepbench bisect, ";

// A pid of another machine or container says nothing here.
std::string place_of_pids() {
  return formatted(" on {} in {}", machine::host_name("/"), run::pid_namespace("/proc/self"));
}

std::string mark() {
  return std::string(kMark) + run::controller_name("/", ::getpid()) + place_of_pids();
}

bool is_left(std::string_view reason) {
  if (!reason.starts_with(kMark)) return false;
  reason.remove_prefix(kMark.size());
  const std::size_t end = std::min(reason.find(" on "), reason.size());
  return reason.substr(end) == place_of_pids() &&
         !run::lives("/", std::string(reason.substr(0, end)));
}

// A tree as recorded in the repository's files. Reads the files, because git's own worktree
// commands fail after git was killed during one. git writes the lock first.
struct Tree {
  fs::path entry;   // in the repository
  fs::path folder;  // empty: git was killed before it wrote it
  std::string lock;
};

std::vector<Tree> trees_in(const fs::path& entries) {
  std::vector<Tree> all;
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(entries, ignored)) {
    const std::string file = trimmed(os::read_text(each.path() / "gitdir").value_or(""));
    const fs::path whole =
        file.empty() ? fs::path() : fs::weakly_canonical(each.path() / file, ignored);
    all.push_back({.entry = each.path(),
                   .folder = whole.parent_path(),
                   .lock = trimmed(os::read_text(each.path() / "locked").value_or(""))});
  }
  return all;
}

bool is_done(const os::CommandResult& result) { return result.started && result.exit_status == 0; }

std::string needed(const std::string& where, const os::CommandResult& result) {
  if (!is_done(result)) throw ConfigError(where, "git: " + error_output_of(result));
  return result.out;
}

}  // namespace

std::string short_id(const Commit& commit) {
  return is_hash(commit.id) ? commit.id.substr(0, kHashDigits) : commit.id;
}

Repository::Repository(const fs::path& inside)
    : top_(trimmed(needed("bisect", git(inside, {"rev-parse", "--show-toplevel"})))),
      entries_(fs::path(trimmed(needed("bisect", git(inside, {"rev-parse", "--path-format=absolute",
                                                              "--git-common-dir"})))) /
               "worktrees") {}

bool Repository::is_shallow() const {
  return trimmed(git(top_, {"rev-parse", "--is-shallow-repository"}).out) == "true";
}

Commit Repository::commit_named(const std::string& name) const {
  if (name.starts_with('^')) {
    throw ConfigError(name, "excludes a commit and names none; name it without ^");
  }
  const os::CommandResult found =
      git(top_, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!is_done(found)) {
    throw ConfigError(
        name, formatted("is not a commit, branch or tag of the repository {}{}", top_.string(),
                        is_shallow() ? ", which is a shallow clone: `git fetch "
                                       "--unshallow` brings all commits"
                                     : ""));
  }
  Commit commit{.id = trimmed(found.out)};
  commit.title = trimmed(needed(name, git(top_, {"show", "-s", "--format=%s", commit.id})));
  return commit;
}

std::vector<Commit> Repository::commits_between(const std::string& good,
                                                const std::string& bad) const {
  const Commit first = commit_named(good);
  const Commit last = commit_named(bad);
  if (first.id == last.id) throw ConfigError(bad, "is the same commit as " + good);
  auto [commits, from] = line_to(last.id, first.id);
  if (commits.empty()) {
    throw ConfigError(
        good,
        formatted("is not an ancestor of {} but comes after it; give the good commit first", bad));
  }
  if (from == first.id) {
    commits.insert(commits.begin(), first);
    return commits;
  }
  if (is_shallow()) {
    throw ConfigError(good, formatted("is not reached from {}: this clone is shallow; `git fetch "
                                      "--unshallow` brings the rest",
                                      bad));
  }
  throw ConfigError(
      good, formatted("is not on the line of first parents of {}{}", bad,
                      from.empty() ? ", and has no commit in common with it"
                                   : formatted(": what only {} has would be taken for the change; "
                                               "their merge base on that line is {}, begin there",
                                               good, short_id({.id = from}))));
}

Repository::Line Repository::line_to(const std::string& last, const std::string& without) const {
  const std::string list =
      needed(last, git(top_, {"log", "--first-parent", "--reverse", "--format=%H %P%x00%s", last,
                              "--not", without}));
  Line line;
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view row = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(row.size() + 1, rest.size()));
    const std::string_view hashes = row.substr(0, row.find('\0'));
    const std::size_t blank = std::min(hashes.find(' '), hashes.size());
    const std::string_view parents = hashes.substr(std::min(blank + 1, hashes.size()));
    if (line.commits.empty()) line.from = parents.substr(0, parents.find(' '));
    line.commits.push_back({.id = std::string(hashes.substr(0, blank)),
                            .title = trimmed(row.substr(std::min(hashes.size() + 1, row.size())))});
  }
  return line;
}

void Repository::check_out(const std::string& id, const fs::path& folder) const {
  remove(folder);
  const os::CommandResult result = git(top_, {"worktree", "add", "--quiet", "--detach", "--lock",
                                              "--reason", mark(), folder.string(), id});
  if (is_done(result)) return;
  const bool is_silent = result.started && result.out.empty() && result.err.empty();
  throw ConfigError(id,
                    formatted("cannot be checked out: {}{}", error_output_of(result),
                              is_silent ? "; perhaps of the repository's hook post-checkout" : ""));
}

void Repository::remove(const fs::path& folder) const {
  std::error_code ignored;
  for (const Tree& tree : trees_in(entries_)) {
    if (tree.folder == fs::weakly_canonical(folder, ignored)) fs::remove_all(tree.entry, ignored);
  }
  fs::remove_all(folder, ignored);
}

void Repository::remove_left() const {
  std::error_code ignored;
  for (const Tree& tree : trees_in(entries_)) {
    if (!is_left(tree.lock)) continue;
    if (!tree.folder.empty()) fs::remove_all(tree.folder, ignored);
    fs::remove_all(tree.entry, ignored);
  }
}

bool Repository::ignores(const fs::path& path) const {
  return is_done(git(top_, {"check-ignore", "--quiet", path.string()}));
}

std::string Repository::changes_of(const std::string& id) const {
  return trimmed(git(top_, {"show", "--first-parent", "--stat=80", "--format=", id}).out);
}

std::optional<MergedBranch> Repository::branch_of(const std::string& merge) const {
  const os::CommandResult found = git(top_, {"rev-parse", merge + "^1", merge + "^2"});
  if (!is_done(found) || is_done(git(top_, {"rev-parse", "--verify", "--quiet", merge + "^3"}))) {
    return std::nullopt;
  }
  const std::size_t line = found.out.find('\n');
  const std::string tip = trimmed(std::string_view(found.out).substr(line));
  auto [commits, from] = line_to(tip, found.out.substr(0, line));
  if (commits.size() < 2 || from.empty()) return std::nullopt;
  return MergedBranch{.base = std::move(from), .tip = tip};
}

bool Repository::has_submodules() const {
  std::error_code ignored;
  return fs::exists(top_ / ".gitmodules", ignored);
}

std::string commit_of_tree(const fs::path& folder) {
  const os::CommandResult found = git(folder, {"rev-parse", "HEAD"});
  return is_done(found) ? trimmed(found.out) : std::string();
}

std::vector<Commit> versions_between(const std::vector<std::string>& all, const std::string& good,
                                     const std::string& bad) {
  const auto first = std::ranges::find(all, good);
  const auto last = std::ranges::find(all, bad);
  for (const auto& [at, name] : {std::pair(first, good), std::pair(last, bad)}) {
    if (at == all.end()) throw ConfigError(name, "is not one of --versions");
  }
  if (first >= last)
    throw ConfigError(bad, formatted("does not come after {} in --versions", good));
  std::vector<Commit> commits;
  for (auto at = first; at <= last; ++at) commits.push_back({.id = *at});
  return commits;
}

}  // namespace stepbench::bisect
