// SPDX-License-Identifier: Apache-2.0
// Builds the program of each commit in its own tree with the user's command, and keeps it, so that
// a resumed search builds nothing twice. Runs git and the command; one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/bisect/internal/repository.h"
#include "harness/os/process.h"

namespace stepbench::bisect {

struct Build {
  Commit commit;
  std::size_t number = 0;  // within the commit; builds after the first have a randomised layout
};

struct BuiltProgram {
  std::filesystem::path worker = {};  // empty: one worker measures all commits
  std::filesystem::path tree = {};    // the commit's; empty: removed after the build
  std::string why_not = {};           // why there is no program; empty: there is one
};

struct BuildRequest {
  // Run by sh in the commit's tree; replaces {commit}, {version}, {worktree}; empty: no build.
  std::string command = {};
  // Path of the program, or of the folder that contains it and what it needs, after the build;
  // relative to the tree. Empty: the only stepbench-worker in the tree.
  std::string worker = {};
  bool keep_trees = false;                // the measured program reads files of the commit
  std::string compiler_path = {};         // COMPILER_PATH of this process
  std::vector<std::string> secrets = {};  // masked in logs and reasons
};

class Programs {
 public:
  // `folder`: of this search; contains trees, programs and logs. `print_line` reports progress.
  Programs(BuildRequest request, const Repository* repository, std::filesystem::path folder,
           std::function<void(const std::string&)> print_line);
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs();  // removes the trees

  // Builds missing programs concurrently, for of(). Throws Interrupted, as do all below.
  void build_in_parallel(const std::vector<Build>& builds);
  [[nodiscard]] bool is_built(const Build& build) const;  // or failed to build
  // Throws ConfigError if the tree cannot be created, e.g. for lack of space or permission.
  [[nodiscard]] BuiltProgram of(const Build& build);

  // True if a finished build is linked: another build may have another memory layout.
  [[nodiscard]] bool has_layout(const Build& build) const;
  // True if a later build differs from the first; not if it finds its linker elsewhere.
  [[nodiscard]] bool is_layout_redrawn(const Build& build) const;

  [[nodiscard]] std::size_t builds() const;  // in this search, including before a resume

 private:
  [[nodiscard]] std::filesystem::path tree_of(const Build& build) const;
  [[nodiscard]] std::filesystem::path program_folder(const Build& build) const;
  [[nodiscard]] bool make_tree(const Build& build);
  void remove_tree_at(const std::filesystem::path& tree);
  [[nodiscard]] os::CommandOptions build_options(const Build& build) const;
  [[nodiscard]] std::string built(const Build& build, const os::CommandResult& end);
  [[nodiscard]] std::string store_program(const Build& build);

  BuildRequest request_;
  const Repository* repository_;  // null for versions: trees are empty folders
  std::filesystem::path folder_;
  std::function<void(const std::string&)> print_line_;
  std::set<std::filesystem::path> trees_;
  std::map<std::string, std::string> why_not_ = {};  // by folder, of those that were tried
};

// Replaces {commit}, {version} and {worktree} in `text`.
[[nodiscard]] std::string filled_in(std::string text, const Commit& commit,
                                    const std::filesystem::path& tree);

// Removes the work trees that a killed search left in its folder; git has them registered.
void remove_left_trees(const std::filesystem::path& run);

}  // namespace stepbench::bisect
