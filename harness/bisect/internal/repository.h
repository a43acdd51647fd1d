// SPDX-License-Identifier: Apache-2.0
// Lists the commits between two of a git repository, and checks out trees to build in. Never
// touches the user's own tree. Runs git; one thread. All throw ConfigError with git's message, and
// Interrupted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepbench::bisect {

struct Commit {
  std::string id;  // full hash, or a version's name
  std::string title = {};
};

// Abbreviated hash, or a version's name.
[[nodiscard]] std::string short_id(const Commit& commit);

// The branch that a merge brought in: commits from its base to its tip.
struct MergedBranch {
  std::string base;
  std::string tip;
};

class Repository {
 public:
  // The repository that contains this folder.
  explicit Repository(const std::filesystem::path& inside);

  [[nodiscard]] const std::filesystem::path& top() const { return top_; }
  // Returns commits from `good` to `bad`, inclusive, oldest first, along first parents: a merge is
  // one step. Throws if `good` is not on that line (naming their merge base), or is the same
  // commit.
  [[nodiscard]] std::vector<Commit> commits_between(const std::string& good,
                                                    const std::string& bad) const;
  // Checks out a tree in `folder`, which is recreated, with the mark of this process.
  void check_out(const std::string& id, const std::filesystem::path& folder) const;
  // Does nothing if there is no tree. Does not throw: handling of a signal is deferred.
  void remove(const std::filesystem::path& folder) const;
  // Removes trees with the mark of a dead process.
  void remove_left() const;
  [[nodiscard]] bool ignores(const std::filesystem::path& path) const;
  // Files and lines that the commit changed.
  [[nodiscard]] std::string changes_of(const std::string& id) const;
  // Along the branch's own first parents. nullopt: not a merge of two, or its branch has one
  // commit.
  [[nodiscard]] std::optional<MergedBranch> branch_of(const std::string& merge) const;
  [[nodiscard]] bool has_submodules() const;

 private:
  // First parents of `last` that are not reachable from `without`, oldest first, and the parent of
  // the oldest; empty if it has none.
  struct Line {
    std::vector<Commit> commits = {};
    std::string from = {};
  };
  [[nodiscard]] Line line_to(const std::string& last, const std::string& without) const;
  [[nodiscard]] bool is_shallow() const;
  [[nodiscard]] Commit commit_named(const std::string& name) const;

  std::filesystem::path top_;
  std::filesystem::path entries_;  // contains a folder for each tree known to the repository
};

// The commit checked out in `folder`; empty: none.
[[nodiscard]] std::string commit_of_tree(const std::filesystem::path& folder);

// For versions instead of commits: the part of `all` from `good` to `bad`. Throws ConfigError
// unless they are in that order.
[[nodiscard]] std::vector<Commit> versions_between(const std::vector<std::string>& all,
                                                   const std::string& good, const std::string& bad);

}  // namespace stepbench::bisect
