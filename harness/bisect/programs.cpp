// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/programs.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/bisect/internal/relink.h"
#include "harness/bisect/internal/shell_template.h"
#include "harness/os/files.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/run/launch.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kBuildLimit{4};
constexpr std::size_t kMaxPrintedBytes = 10'000'000;  // limit for a build's log, in bytes
constexpr const char* kWorkerName = "stepbench-worker";
constexpr const char* kStoredMarker = "kept";  // in a program's folder: its path there
constexpr const char* kProgram = "program";

std::string folder_name(const Build& build) {
  std::string name = short_id(build.commit);
  for (char& letter : name) {
    if (letter == '/' || letter == '\0') letter = '_';
  }
  if (name.starts_with('.')) name.front() = '_';  // "..": would be removed recursively at the end
  return build.number == 0 ? name : formatted("{}-build-{}", name, build.number + 1);
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

// The last non-empty line: compilers and `make` end with the error.
std::string last_line(std::string_view text) {
  text = os::trim(text);
  const std::size_t line = text.rfind('\n');
  return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

// Preserves sparse files.
void copy_all(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  const os::CommandResult copied = os::run_command(
      {"cp", "-aT", "--sparse=always", from.string(), to.string()}, "", kBuildLimit);
  if (!copied.started || copied.exit_status != 0) {
    throw ConfigError(from.string(),
                      formatted("cannot be copied: {}{}", copied.reason, last_line(copied.err)));
  }
}

constexpr std::array<ShellHole, 3> kHoles = {{{"{commit}", "STEPBENCH_COMMIT"},
                                              {"{version}", "STEPBENCH_VERSION"},
                                              {"{worktree}", "STEPBENCH_WORKTREE"}}};

std::string value_of(std::string_view hole, const Commit& commit, const fs::path& tree) {
  return hole == "{worktree}" ? tree.string() : commit.id;
}

void refuse_unsafe_name(const std::string& command, const fs::path& tree) {
  if (text::shell_word(tree.string()) == tree.string() || !is_read_again(command, kHoles)) {
    return;
  }
  throw ConfigError("--build", formatted("the shell that it starts would execute parts of the name "
                                         "{}; use \"$STEPBENCH_WORKTREE\" in place of {{worktree}}",
                                         tree.string()));
}

}  // namespace

std::string filled_in(std::string text, const Commit& commit, const fs::path& tree) {
  for (const ShellHole& hole : kHoles) {
    const std::string value = value_of(hole.name, commit, tree);
    for (std::size_t at = text.find(hole.name); at != std::string::npos;
         at = text.find(hole.name, at + value.size())) {
      text.replace(at, hole.name.size(), value);
    }
  }
  return text;
}

Programs::Programs(BuildRequest request, const Repository* repository, fs::path folder,
                   std::function<void(const std::string&)> print_line)
    : request_(std::move(request)),
      repository_(repository),
      folder_(std::move(folder)),
      print_line_(std::move(print_line)) {
  if (!request_.command.empty()) run::become_subreaper();
}

Programs::~Programs() {
  if (!request_.command.empty()) static_cast<void>(run::reap_children());
  std::error_code ignored;
  while (!trees_.empty()) remove_tree_at(fs::path(*trees_.begin()));
  fs::remove(folder_ / "trees", ignored);  // fails if a tree is left
}

// The environment of a version is kept: it takes long to create and has its own name.
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

fs::path Programs::tree_of(const Build& build) const {
  return folder_ / "trees" / folder_name(build);
}

fs::path Programs::program_folder(const Build& build) const {
  return folder_ / "programs" / folder_name(build);
}

// Returns false if git cannot check it out; why_not_ then has the reason.
bool Programs::make_tree(const Build& build) {
  const fs::path tree = tree_of(build);
  trees_.insert(tree);
  std::error_code error;
  fs::create_directories(repository_ == nullptr ? tree : tree.parent_path(), error);
  if (error) throw ConfigError(tree.string(), "cannot be made: " + error.message());
  try {
    if (repository_ != nullptr) repository_->check_out(build.commit.id, tree);
    return true;
  } catch (const ConfigError& failure) {
    why_not_.insert_or_assign(folder_name(build), failure.what() + failure.where().size() + 2);
    remove_tree_at(tree);
    return false;
  }
}

bool Programs::is_built(const Build& build) const {
  return fs::exists(program_folder(build) / kStoredMarker) || why_not_.contains(folder_name(build));
}

void Programs::build_in_parallel(const std::vector<Build>& builds) {
  struct Running {
    Build build;
    os::CommandOptions options;
    std::future<os::CommandResult> end = {};
  };
  std::vector<Running> all;
  for (const Build& build : builds) {
    if (request_.command.empty() || is_built(build)) continue;
    refuse_unsafe_name(request_.command, tree_of(build));
    // With keep_trees the tree may exist already.
    if ((!request_.keep_trees || !trees_.contains(tree_of(build))) && !make_tree(build)) continue;
    all.push_back({build, build_options(build)});
  }
  if (all.empty()) return;
  print_line_(
      formatted("building {}, logs in {}",
                text::join(all, ", ", [](const auto& each) { return folder_name(each.build); }),
                (folder_ / "logs").string()));
  for (Running& each : all) {
    each.end = std::async(std::launch::async, [this, &each] {
      return os::run_command({"sh", "-c", with_variables(request_.command, kHoles)}, "",
                             kBuildLimit, each.options);
    });
  }
  std::exception_ptr interrupted;
  for (Running& each : all) {
    try {
      std::string why = built(each.build, each.end.get());
      if (why.empty()) why = store_program(each.build);
      if (!why.empty()) why_not_.insert_or_assign(folder_name(each.build), why);
    } catch (const Interrupted&) {
      interrupted = std::current_exception();
    }
    if (!request_.keep_trees) remove_tree_at(tree_of(each.build));
  }
  if (interrupted) std::rethrow_exception(interrupted);
}

// The build runs in its tree. Processes left running end with this process or at the next start.
// Writes the linker that all builds of the search share, so never while another is being made.
os::CommandOptions Programs::build_options(const Build& build) const {
  const fs::path tree = tree_of(build);
  os::CommandOptions options{
      .folder = tree,
      .unset = os::variables_of_git(),
      .set = {std::string(run::kControllerVariable) + "=" + run::controller_name("/", ::getpid())},
      .most_output = kMaxPrintedBytes / 2,
      .drops_rest = true};
  for (const ShellHole& hole : kHoles) {
    options.set.push_back(std::string(hole.variable) + "=" +
                          value_of(hole.name, build.commit, tree));
  }
  if (build.number > 0) {
    for (std::string& variable :
         variables_of_layout(folder_ / "linker", build.number, request_.compiler_path)) {
      options.set.push_back(std::move(variable));
    }
  }
  return options;
}

// Writes the build's log. Returns why there is no program; empty: there may be one.
std::string Programs::built(const Build& build, const os::CommandResult& end) {
  fs::create_directories(folder_ / "logs");
  const bool cut = std::max(end.out.size(), end.err.size()) >= kMaxPrintedBytes / 2;
  os::write_output_file(
      "", folder_ / "logs" / (folder_name(build) + ".log"),
      text::mask_secrets(formatted("in {}\n$ {}\n{}{}{}", tree_of(build).string(), request_.command,
                                   end.out, end.err, cut ? "\n(further output was dropped)\n" : ""),
                         request_.secrets));
  if (!end.started) return "sh cannot be run: " + end.reason;
  if (end.timed_out) return "the build took more than 4 hours";
  if (end.exit_status != 0) {
    const std::string last =
        text::mask_secrets(last_line(end.err.empty() ? end.out : end.err), request_.secrets);
    return formatted("the build failed with exit status {}{}", end.exit_status,
                     last.empty() ? "" : ": " + last);
  }
  if (repository_ != nullptr && commit_of_tree(tree_of(build)) != build.commit.id) {
    return "the build command checked out another commit in its tree";
  }
  return {};
}

// Copies the program out of the tree. Returns the reason on failure; empty: kept.
std::string Programs::store_program(const Build& build) {
  const fs::path tree = tree_of(build);
  const fs::path home = program_folder(build);
  fs::path found = tree / request_.worker;
  if (request_.worker.empty()) {
    if (request_.keep_trees) {  // the measured program reads the tree
      fs::create_directories(home);
      os::write_output_file("", home / kStoredMarker, "\n");
      return {};
    }
    const std::vector<fs::path> workers = workers_in(tree);
    if (workers.empty()) {
      return "the build produced no stepbench-worker; name the program by --worker PATH";
    }
    if (workers.size() > 1) {
      return formatted(
          "the build produced several programs, {} and {}; choose one by --worker PATH",
          fs::relative(workers[0], tree).string(), fs::relative(workers[1], tree).string());
    }
    found = workers.front();
  }
  const fs::path program = fs::is_directory(found) ? found / kWorkerName : found;
  if (!is_program(program)) return "the build produced no program " + program.string();
  copy_all(found, home / kProgram / found.filename());
  const fs::path relative = fs::relative(program, found.parent_path());
  os::write_output_file("", home / kStoredMarker, (fs::path(kProgram) / relative).string() + "\n");
  return {};
}

BuiltProgram Programs::of(const Build& build) {
  const fs::path home = program_folder(build);
  const fs::path tree = tree_of(build);
  BuiltProgram program;
  if (request_.keep_trees) {
    // If the tree has to be created again, so does the build.
    if (!trees_.contains(tree) && make_tree(build) && repository_ != nullptr) {
      fs::remove(home / kStoredMarker);
    }
    program.tree = tree;
  }
  build_in_parallel({build});
  if (const auto why = why_not_.find(folder_name(build)); why != why_not_.end()) {
    program.why_not = why->second;
  }
  if (const auto path = os::read_line(home / kStoredMarker); path && !path->empty()) {
    program.worker = home / *path;
  }
  return program;
}

bool Programs::has_layout(const Build& build) const {
  return !linked_in(program_folder(build) / kProgram).empty();
}

bool Programs::is_layout_redrawn(const Build& build) const {
  const fs::path first = program_folder({build.commit}) / kProgram;
  const fs::path copy = program_folder(build) / kProgram;
  return std::ranges::any_of(linked_in(copy), [&](const fs::path& file) {
    return os::read_text(copy / file) != os::read_text(first / file);
  });
}

void remove_left_trees(const std::filesystem::path& run) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(run / "trees", error), end; !error && at != end;
       at.increment(error)) {
    if (!std::filesystem::is_regular_file(at->path() / ".git", error)) continue;
    try {
      return Repository(at->path()).remove_left();
    } catch (const ConfigError&) {
      continue;  // the repository no longer exists
    }
  }
}

}  // namespace stepbench::bisect
