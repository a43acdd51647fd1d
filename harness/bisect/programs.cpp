// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/programs.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/command.h"
#include "harness/os/output_file.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kBuildLimit{4};
constexpr const char* kWorkerName = "stepbench-worker";
constexpr const char* kKept = "kept";  // in a program's folder: its path there
constexpr std::size_t kHashDigits = 12;

bool is_hash(const std::string& id) {
  return id.size() >= 40 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string folder_name(const Commit& commit) {
  std::string name = short_id(commit);
  for (char& letter : name) {
    if (letter == '/' || letter == '\0') letter = '_';
  }
  if (name.starts_with('.')) name.front() = '_';  // "..", of which all is removed in the end
  return name;
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::vector<fs::path> workers_in(const fs::path& tree) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(tree, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename() == ".git" && at->is_directory()) at.disable_recursion_pending();
    if (at->path().filename() == kWorkerName && is_program(at->path())) found.push_back(at->path());
  }
  return found;
}

// The last line that says anything: compilers and `make` end with what went wrong.
std::string last_line(std::string_view text) {
  text = os::trim(text);
  const std::size_t line = text.rfind('\n');
  return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

void copy_all(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy(from, to,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing |
               fs::copy_options::copy_symlinks);
}

}  // namespace

std::string short_id(const Commit& commit) {
  return is_hash(commit.id) ? commit.id.substr(0, kHashDigits) : commit.id;
}

std::string filled_in(std::string text, const Commit& commit, const fs::path& tree) {
  const std::vector<std::pair<std::string_view, std::string>> holes = {
      {"{commit}", commit.id}, {"{version}", commit.id}, {"{worktree}", tree.string()}};
  for (const auto& [hole, value] : holes) {
    for (std::size_t at = text.find(hole); at != std::string::npos;
         at = text.find(hole, at + value.size())) {
      text.replace(at, hole.size(), value);
    }
  }
  return text;
}

Programs::Programs(BuildRequest request, const Repository* repository, fs::path folder,
                   std::function<void(const std::string&)> say)
    : request_(std::move(request)),
      repository_(repository),
      folder_(std::move(folder)),
      say_(std::move(say)) {}

Programs::~Programs() {
  std::error_code ignored;
  while (!trees_.empty()) remove_tree_at(fs::path(*trees_.begin()));
  fs::remove(folder_ / "trees", ignored);  // unless a tree is left
}

// An environment of a version is kept: it takes long to make, and has a name.
void Programs::remove_tree_at(const fs::path& tree) {
  std::error_code ignored;
  if (repository_ != nullptr) {
    repository_->remove(tree);
  } else if (!request_.keep_trees) {
    fs::remove_all(tree, ignored);
  }
  trees_.erase(tree);
}

std::size_t Programs::builds() const {
  std::error_code none;
  const fs::directory_iterator logs(folder_ / "logs", none);
  return none ? 0 : static_cast<std::size_t>(std::distance(begin(logs), end(logs)));
}

fs::path Programs::tree_of(const Commit& commit) const {
  return folder_ / "trees" / folder_name(commit);
}

void Programs::make_tree(const Commit& commit) {
  const fs::path tree = tree_of(commit);
  trees_.insert(tree);
  std::error_code error;
  fs::create_directories(repository_ == nullptr ? tree : tree.parent_path(), error);
  if (error) throw ConfigError(tree.string(), "cannot be made: " + error.message());
  if (repository_ != nullptr) repository_->check_out(commit.id, tree);
}

bool Programs::is_built(const Commit& commit) const {
  return fs::exists(folder_ / "programs" / folder_name(commit) / kKept) ||
         why_not_.contains(commit.id);
}

// One shell runs all commands at once, so that a signal ends them together.
void Programs::build_beside(const std::vector<Commit>& commits) {
  constexpr const char* kAtOnce =
      "while [ $# -gt 0 ]; do ( (cd \"$1\" && eval \"$2\") >\"$3.out\" 2>\"$3.err\" </dev/null; "
      "echo $? >\"$3.status\" ) & shift 3; done; wait";
  const fs::path said = folder_ / "building";
  std::vector<std::string> words = {"sh", "-c", kAtOnce, "sh"};
  std::vector<std::pair<Commit, std::string>> begun;
  for (const Commit& commit : commits) {
    if (request_.command.empty() || is_built(commit)) continue;
    // What reads the tree finds it there already.
    if (!request_.keep_trees || !trees_.contains(tree_of(commit))) make_tree(commit);
    const std::string command = filled_in(request_.command, commit, tree_of(commit));
    words.insert(words.end(),
                 {tree_of(commit).string(), command, (said / folder_name(commit)).string()});
    begun.emplace_back(commit, command);
  }
  if (begun.empty()) return;
  fs::create_directories(said);
  say_("building " +
       text::join(begun, ", ", [](const auto& each) { return short_id(each.first); }) +
       ", logs in " + (folder_ / "logs").string());
  const os::CommandResult result = os::run_command(words, "", kBuildLimit);
  interrupted_ = interrupted_ || result.interrupted;
  for (const auto& [commit, command] : begun) {
    std::string why = result.interrupted ? "interrupted"
                      : !result.started  ? "sh cannot be run: " + result.reason
                      : result.timed_out ? "the build took more than 4 hours"
                                         : built(commit, command);
    if (why.empty()) why = keep(commit);
    if (!why.empty() && !result.interrupted) why_not_.insert_or_assign(commit.id, why);
    if (!request_.keep_trees) remove_tree_at(tree_of(commit));
  }
  std::error_code ignored;
  fs::remove_all(said, ignored);
}

// Writes its log. Why there is no program; empty: there may be one.
std::string Programs::built(const Commit& commit, const std::string& command) {
  const fs::path said = folder_ / "building" / folder_name(commit);
  const std::string out = os::read_text(said.string() + ".out").value_or("");
  const std::string err = os::read_text(said.string() + ".err").value_or("");
  fs::create_directories(folder_ / "logs");
  os::write_output_file("", folder_ / "logs" / (folder_name(commit) + ".log"),
                        "$ " + command + "\n" + out + err);
  const std::string status = os::read_line(said.string() + ".status").value_or("");
  if (status.empty()) return "the build was ended from outside";
  if (status != "0") {
    const std::string last = last_line(err.empty() ? out : err);
    return "the build ends with exit status " + status + (last.empty() ? "" : ": " + last);
  }
  if (repository_ != nullptr && commit_of_tree(tree_of(commit)) != commit.id) {
    return "the build command checked out another commit in its tree";
  }
  return {};
}

// Out of the tree. Why it cannot be; empty: it is kept.
std::string Programs::keep(const Commit& commit) {
  const fs::path tree = tree_of(commit);
  const fs::path kept = folder_ / "programs" / folder_name(commit);
  fs::path found = tree / request_.worker;
  if (request_.worker.empty()) {
    if (request_.keep_trees) {  // what is measured reads the tree
      fs::create_directories(kept);
      os::write_output_file("", kept / kKept, "\n");
      return {};
    }
    const std::vector<fs::path> workers = workers_in(tree);
    if (workers.empty()) {
      return "the build left no stepbench-worker; --worker PATH tells where the program is";
    }
    if (workers.size() > 1) {
      return "the build left several programs, " + fs::relative(workers[0], tree).string() +
             " and " + fs::relative(workers[1], tree).string() + "; --worker PATH tells which";
    }
    found = workers.front();
  }
  const fs::path program = fs::is_directory(found) ? found / kWorkerName : found;
  if (!is_program(program)) return "the build left no program " + program.string();
  copy_all(found, kept / "program" / found.filename());
  const fs::path relative = fs::relative(program, found.parent_path());
  os::write_output_file("", kept / kKept, (fs::path("program") / relative).string() + "\n");
  return {};
}

BuiltProgram Programs::of(const Commit& commit) {
  const fs::path kept = folder_ / "programs" / folder_name(commit);
  const fs::path tree = tree_of(commit);
  BuiltProgram program;
  if (request_.keep_trees) {
    // A tree that is made anew is built anew.
    if (!trees_.contains(tree)) {
      make_tree(commit);
      if (repository_ != nullptr) fs::remove(kept / kKept);
    }
    program.tree = tree;
  }
  if (request_.command.empty()) return program;
  build_beside({commit});
  if (interrupted_ && !is_built(commit)) program.why_not = "interrupted";
  if (const auto why = why_not_.find(commit.id); why != why_not_.end()) {
    program.why_not = why->second;
  }
  if (const auto path = os::read_line(kept / kKept); path && !path->empty()) {
    program.worker = kept / *path;
  }
  return program;
}

BuiltProgram Programs::fresh_copy(const Commit& commit) {
  BuiltProgram program = of(commit);
  if (!program.why_not.empty() || program.worker.empty()) return program;
  const fs::path kept = folder_ / "programs" / folder_name(commit) / "program";
  const fs::path copy = folder_ / "fresh" / (folder_name(commit) + "-at-another-path");
  copy_all(kept, copy);
  program.worker = copy / fs::relative(program.worker, kept);
  return program;
}

}  // namespace stepbench::bisect
