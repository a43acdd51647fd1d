// SPDX-License-Identifier: Apache-2.0
// Who may include whom. This table is the one place where it stands.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

const std::string kRoot = STEPBENCH_SOURCE_DIR;

// "harness" is the seam: the headers beside the folders, which every part may include.
// A part that is absent here may include itself and the seam only.
const std::map<std::string, std::set<std::string>> kArrows = {
    {"harness", {"harness/catalogue", "harness/measure", "harness/findings", "harness/ops"}},
    {"harness/catalogue", {}},
    {"harness/stats", {}},
    {"harness/measure", {"harness/schedule"}},
    {"harness/schedule", {"harness/stats"}},
    {"harness/plan", {"harness/catalogue"}},
    {"harness/findings", {}},
    {"harness/ops", {"harness/findings", "harness/stats"}},
    {"harness/cuda",
     {"harness/measure", "harness/schedule", "harness/catalogue", "harness/ops",
      "harness/findings"}},
    {"harness/record", {"harness/catalogue", "harness/stats", "harness/findings", "harness/ops"}},
    {"harness/protocol",
     {"harness/record", "harness/catalogue", "harness/findings", "harness/ops"}},
    {"harness/machine",
     {"harness/record", "harness/measure", "harness/catalogue", "harness/stats",
      "harness/findings"}},
    {"harness/run",
     {"harness/plan", "harness/protocol", "harness/record", "harness/machine", "harness/catalogue",
      "harness/stats", "harness/measure", "harness/estimate"}},
    {"harness/worker",
     {"harness/schedule", "harness/measure", "harness/protocol", "harness/record",
      "harness/catalogue", "harness/stats", "harness/findings", "harness/ops"}},
    {"harness/estimate", {"harness/record", "harness/stats"}},
    {"harness/compare", {"harness/estimate", "harness/stats", "harness/record", "harness/ops"}},
    {"harness/track", {"harness/compare", "harness/stats", "harness/record"}},
    {"harness/trace", {"harness/ops"}},
    {"harness/analyze", {"harness/trace", "harness/ops", "harness/record"}},
    {"workloads/catalogue", {"harness/catalogue"}},
};

// These may include any part of harness.
bool may_use_all_of_harness(const std::string& part) {
  return part == "harness/report" ||
         (part.starts_with("workloads/") && part != "workloads/catalogue") ||
         part.starts_with("tools/");
}

// Among the parts of workloads; catalogue is data and stands below all of them.
const std::map<std::string, std::set<std::string>> kWorkloadArrows = {
    {"workloads/data", {"workloads/catalogue"}},
    {"workloads/loader", {"workloads/data", "workloads/catalogue"}},
    {"workloads/torch_loader", {"workloads/loader", "workloads/data", "workloads/catalogue"}},
    {"workloads/transfer",
     {"workloads/torch_loader", "workloads/loader", "workloads/data", "workloads/catalogue"}},
    {"workloads/profile",
     {"workloads/model", "workloads/loader", "workloads/data", "workloads/catalogue"}},
    {"workloads/model", {"workloads/data", "workloads/catalogue"}},
    {"workloads/step",
     {"workloads/profile", "workloads/model", "workloads/transfer", "workloads/torch_loader",
      "workloads/loader", "workloads/data", "workloads/catalogue"}},
};

bool in(const std::map<std::string, std::set<std::string>>& table, const std::string& from,
        const std::string& to) {
  const auto row = table.find(from);
  return row != table.end() && row->second.contains(to);
}

bool allowed(const std::string& from, const std::string& to) {
  if (from == to || to == "harness") return true;
  if (from.starts_with("tools/")) return to.starts_with("harness/") || to.starts_with("workloads/");
  if (to.starts_with("workloads/")) return in(kWorkloadArrows, from, to);
  if (to.starts_with("harness/")) return may_use_all_of_harness(from) || in(kArrows, from, to);
  return false;
}

// `catalogue` and `stats` know nothing of the project, but for the error types.
bool is_leaf(const std::string& part) {
  return part == "harness/catalogue" || part == "harness/stats";
}

std::vector<std::string> all_sources() {
  std::vector<std::string> all;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    const std::vector<std::string> some = sources(kRoot, folder);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(Arrows, EveryIncludeFollowsOne) {
  for (const std::string& file : all_sources()) {
    for (const Include& include : includes_of(kRoot, file)) {
      if (include.angled) continue;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(kRoot) / include.target))
          << file << ':' << include.line << ": \"" << include.target
          << "\" is not a path from the project root";
      EXPECT_TRUE(allowed(part_of(file), part_of(include.target)))
          << file << ':' << include.line << ": " << part_of(file) << " may not use "
          << part_of(include.target);
      if (is_leaf(part_of(file)) && part_of(include.target) == "harness") {
        EXPECT_EQ(include.target, "harness/base/error.h") << file << ':' << include.line;
      }
    }
  }
}

TEST(Arrows, NeverFormACircleOfFolders) {
  std::map<std::string, std::set<std::string>> graph;
  for (const std::string& file : all_sources()) {
    for (const Include& include : includes_of(kRoot, file)) {
      const std::string from = part_of(file);
      const std::string to = part_of(include.target);
      // The seam stands on both sides by design: its headers hold no code.
      if (!include.angled && from != to && from != "harness" && to != "harness")
        graph[from].insert(to);
    }
  }
  // Whoever uses nothing that is left can go; in a circle nobody can.
  bool removed = true;
  while (removed) {
    removed = false;
    for (auto part = graph.begin(); part != graph.end();) {
      const bool uses_others =
          std::any_of(part->second.begin(), part->second.end(),
                      [&](const std::string& to) { return graph.contains(to); });
      part = uses_others ? std::next(part) : graph.erase(part);
      removed = removed || !uses_others;
    }
  }
  std::string circle;
  for (const auto& [part, uses] : graph) circle += part + " ";
  EXPECT_TRUE(graph.empty()) << "these use each other: " << circle;
}

TEST(Arrows, AnIncludeAgainstThemWouldBeSeen) {
  EXPECT_FALSE(allowed("harness/stats", "harness/record"));
  EXPECT_FALSE(allowed("harness/run", "workloads/data"));
  EXPECT_FALSE(allowed("workloads/data", "workloads/loader"));
  EXPECT_FALSE(allowed("harness/worker", "harness/run"));
  EXPECT_FALSE(allowed("workloads/step", "tools/stepbench"));
  EXPECT_FALSE(allowed("harness/run", "tests/stub_worker"));
  EXPECT_TRUE(allowed("workloads/step", "harness/worker"));
}

}  // namespace
}  // namespace stepbench::structure
