// SPDX-License-Identifier: Apache-2.0
// The commits between two of a git repository, and trees of them to build in. The user's own tree
// is never touched. Runs git; one thread. All throw ConfigError with what git said, and
// Interrupted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepbench::bisect {

struct Commit {
  std::string id;  // the whole hash; of a version its name
  std::string title = {};
};

// The hash as people write it; a version as it is.
[[nodiscard]] std::string short_id(const Commit& commit);

// What a merge brought: the commits from where its branch began up to its end.
struct MergedBranch {
  std::string base;
  std::string tip;
};

class Repository {
 public:
  // That of this folder.
  explicit Repository(const std::filesystem::path& inside);

  [[nodiscard]] const std::filesystem::path& top() const { return top_; }
  // From `good` to `bad`, both included, the oldest first, along first parents: a merge is one
  // step. Throws where `good` is not on that line, with their merge base, or is the same commit.
  [[nodiscard]] std::vector<Commit> commits_between(const std::string& good,
                                                    const std::string& bad) const;
  // A tree of its own in `folder`, which is made anew, with the mark of this process.
  void check_out(const std::string& id, const std::filesystem::path& folder) const;
  // Nothing where there is none. Throws nothing: a signal waits.
  void remove(const std::filesystem::path& folder) const;
  // The trees with the mark of a process that is dead.
  void remove_left() const;
  [[nodiscard]] bool ignores(const std::filesystem::path& path) const;
  // What the commit changed: files and lines.
  [[nodiscard]] std::string changes_of(const std::string& id) const;
  // Along the branch's own first parents. nullopt: it is no merge of two, or its branch has one
  // commit.
  [[nodiscard]] std::optional<MergedBranch> branch_of(const std::string& merge) const;
  [[nodiscard]] bool has_submodules() const;

 private:
  // First parents of `last` that `without` does not reach, the oldest first, and the parent of the
  // oldest; empty where that has none.
  struct Line {
    std::vector<Commit> commits = {};
    std::string from = {};
  };
  [[nodiscard]] Line line_to(const std::string& last, const std::string& without) const;
  [[nodiscard]] bool is_shallow() const;
  [[nodiscard]] Commit commit_named(const std::string& name) const;

  std::filesystem::path top_;
  std::filesystem::path entries_;  // a folder for each tree that it knows
};

// The commit that the tree in `folder` is at; empty: none.
[[nodiscard]] std::string commit_of_tree(const std::filesystem::path& folder);

// In place of commits: `all` from `good` to `bad`. Throws ConfigError unless they lie so.
[[nodiscard]] std::vector<Commit> versions_between(const std::vector<std::string>& all,
                                                   const std::string& good, const std::string& bad);

}  // namespace stepbench::bisect
