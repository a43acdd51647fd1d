// SPDX-License-Identifier: Apache-2.0
// The program of each commit: built in a tree of its own by the user's command, then kept, so that
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
  bool keep_trees = false;  // what is measured reads files of the commit
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
  void build_beside(const std::vector<Commit>& commits);
  [[nodiscard]] bool is_built(const Commit& commit) const;  // or was tried

  // Throws ConfigError where the tree cannot be made: no space, no permission.
  [[nodiscard]] BuiltProgram of(const Commit& commit);
  // A copy at another path of another length: what lies beside the code in memory moves. The code's
  // own layout is that of the build.
  [[nodiscard]] BuiltProgram fresh_copy(const Commit& commit);

  [[nodiscard]] std::size_t builds() const;  // of this search, also before it was cut off

 private:
  [[nodiscard]] std::filesystem::path tree_of(const Commit& commit) const;
  [[nodiscard]] bool make_tree(const Commit& commit);
  void remove_tree_at(const std::filesystem::path& tree);
  [[nodiscard]] std::string built(const Commit& commit, const os::CommandResult& end);
  [[nodiscard]] std::string keep(const Commit& commit);

  BuildRequest request_;
  const Repository* repository_;  // null of versions: trees are empty folders
  std::filesystem::path folder_;
  std::function<void(const std::string&)> say_;
  std::set<std::filesystem::path> trees_;
  std::map<std::string, std::string> why_not_ = {};  // by commit: of those that were tried
};

// `text` with {commit}, {version} and {worktree} as of this commit.
[[nodiscard]] std::string filled_in(std::string text, const Commit& commit,
                                    const std::filesystem::path& tree);
// The hash as people write it; a version as it is.
[[nodiscard]] std::string short_id(const Commit& commit);

}  // namespace stepbench::bisect
