// SPDX-License-Identifier: Apache-2.0
// The programs of each commit: built in a tree of its own by the user's command, then kept, so that
// a search that goes on builds nothing twice. Runs git and the command; one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/bisect/repository.h"
#include "harness/os/command.h"

namespace stepbench::bisect {

struct Build {
  Commit commit;
  std::size_t number = 0;  // of this commit; later ones than the first draw a layout of their own
};

struct BuiltProgram {
  std::filesystem::path worker = {};  // empty: the one that measures all commits
  std::filesystem::path tree = {};    // of the commit; empty: it was removed after the build
  std::string why_not = {};           // why there is no program; empty: there is one
};

struct BuildRequest {
  // Run by sh in the commit's tree, with {commit}, {version} and {worktree}; empty: nothing is
  // built.
  std::string command = {};
  // Where the command leaves the program, or the folder that holds it and what it needs, relative
  // to the tree; empty: the only stepbench-worker in it.
  std::string worker = {};
  bool keep_trees = false;         // what is measured reads files of the commit
  std::string compiler_path = {};  // COMPILER_PATH of this process
};

class Programs {
 public:
  // `folder`: of this search; trees, programs and logs are in it. `say` tells what is built.
  Programs(BuildRequest request, const Repository* repository, std::filesystem::path folder,
           std::function<void(const std::string&)> say);
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs();  // removes the trees

  // Builds those that are not built yet, all at once. of() then tells what became of each. Throws
  // Interrupted, as all that follow.
  void build_beside(const std::vector<Build>& builds);
  [[nodiscard]] bool is_built(const Build& build) const;  // or was tried
  // Throws ConfigError where the tree cannot be made: no space, no permission.
  [[nodiscard]] BuiltProgram of(const Build& build);

  // Of one that was built: whether it is linked, so that another build may lie elsewhere.
  [[nodiscard]] bool has_layout(const Build& build) const;
  // Of a later build: whether it differs from the first one, which may have found its linker where
  // no other can be put.
  [[nodiscard]] bool is_drawn_anew(const Build& build) const;

  [[nodiscard]] std::size_t builds() const;  // of this search, also before it was cut off

 private:
  [[nodiscard]] std::filesystem::path tree_of(const Build& build) const;
  [[nodiscard]] std::filesystem::path kept_in(const Build& build) const;
  [[nodiscard]] bool make_tree(const Build& build);
  void remove_tree_at(const std::filesystem::path& tree);
  [[nodiscard]] os::CommandResult run_build(const Build& build) const;
  [[nodiscard]] std::string built(const Build& build, const os::CommandResult& end);
  [[nodiscard]] std::string keep(const Build& build);

  BuildRequest request_;
  const Repository* repository_;  // null of versions: trees are empty folders
  std::filesystem::path folder_;
  std::function<void(const std::string&)> say_;
  std::set<std::filesystem::path> trees_;
  std::map<std::string, std::string> why_not_ = {};  // by folder: of those that were tried
};

// `text` with {commit}, {version} and {worktree} as of this commit.
[[nodiscard]] std::string filled_in(std::string text, const Commit& commit,
                                    const std::filesystem::path& tree);

}  // namespace stepbench::bisect
