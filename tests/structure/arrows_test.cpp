// SPDX-License-Identifier: Apache-2.0
// Allowed includes between rooms. This table is their only definition.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

// The ground floor, which every room needs. Any room except `stats` may include it.
const std::set<std::string> kGroundFloor = {"harness/base", "harness/text", "harness/json",
                                            "harness/os"};

// "harness" is the seam: workload.h and rule.h next to the rooms, which every measuring room may
// include. A room that is absent here may include the ground floor and the seam only.
const std::map<std::string, std::set<std::string>> kArrows = {
    {"harness/base", {}},
    {"harness/text", {"harness/base"}},
    {"harness/json", {"harness/base", "harness/text"}},
    {"harness/os", {"harness/base", "harness/text"}},
    {"harness/stats", {"harness/base"}},
    {"harness/catalogue", {}},
    {"harness/schedule", {"harness/stats"}},
    {"harness/findings", {}},
    {"harness/measure", {"harness/schedule"}},
    {"harness", {"harness/measure"}},
    {"harness/plan", {"harness/catalogue"}},
    {"harness/ops", {"harness/findings"}},
    {"harness/trace", {"harness/ops"}},
    {"harness/cuda", {"harness/measure", "harness/ops", "harness/findings", "harness/machine"}},
    {"harness/record",
     {"harness/catalogue", "harness/stats", "harness/findings", "harness/ops", "harness/schedule"}},
    {"harness/protocol", {"harness/record"}},
    {"harness/machine", {"harness/record", "harness/stats", "harness/findings"}},
    {"harness/fleet", {"harness/machine"}},
    {"harness/run",
     {"harness/plan", "harness/fleet", "harness/protocol", "harness/record", "harness/machine",
      "harness/catalogue", "harness/stats", "harness/measure", "harness/estimate", "harness/ops",
      "harness/trace", "harness/analyze", "harness/findings"}},
    {"harness/worker",
     {"harness/schedule", "harness/measure", "harness/protocol", "harness/record",
      "harness/catalogue", "harness/findings", "harness/ops"}},
    {"harness/gbench",
     {"harness/plan", "harness/catalogue", "harness/measure", "harness/estimate",
      "harness/findings"}},
    {"harness/estimate",
     {"harness/record", "harness/stats", "harness/catalogue", "harness/findings", "harness/ops"}},
    {"harness/verdict", {"harness/stats"}},
    {"harness/compare",
     {"harness/verdict", "harness/estimate", "harness/stats", "harness/record", "harness/ops",
      "harness/catalogue", "harness/findings"}},
    {"harness/store", {}},
    {"harness/document", {}},
    {"harness/track",
     {"harness/store", "harness/record", "harness/estimate", "harness/compare", "harness/stats",
      "harness/catalogue"}},
    {"harness/nights", {"harness/track", "harness/verdict", "harness/stats"}},
    {"harness/analyze", {"harness/trace", "harness/ops", "harness/findings", "harness/stats"}},
    {"harness/bisect",
     {"harness/campaign", "harness/compare", "harness/machine", "harness/record", "harness/run",
      "harness/stats", "harness/verdict"}},
    {"harness/tune",
     {"harness/campaign", "harness/compare", "harness/estimate", "harness/machine", "harness/plan",
      "harness/record", "harness/run", "harness/stats", "harness/verdict"}},
    {"harness/runs", {"harness/campaign", "harness/record"}},
    {"harness/campaign",
     {"harness/plan", "harness/fleet", "harness/run", "harness/record", "harness/compare",
      "harness/estimate", "harness/track", "harness/nights", "harness/machine", "harness/catalogue",
      "harness/schedule", "harness/findings"}},
};

// Built before the seam, so these cannot include it.
const std::set<std::string> kBelowTheSeam = {
    "harness/base",     "harness/text",     "harness/json",    "harness/os",       "harness/stats",
    "harness/schedule", "harness/findings", "harness/measure", "harness/catalogue"};

// These may include any part of harness.
bool may_use_all_of_harness(const std::string& part) {
  return part == "harness/report" || part == "workloads" || part.starts_with("workloads/") ||
         part.starts_with("tools/");
}

// Includes among the parts of workloads. "workloads" is the files next to the rooms: the catalogue
// and the table of workloads, which name all of them.
const std::map<std::string, std::set<std::string>> kWorkloadArrows = {
    {"workloads/data", {}},
    {"workloads/loader", {"workloads/data"}},
    {"workloads/torch_loader", {"workloads/loader", "workloads/data"}},
    {"workloads/transfer", {"workloads/torch_loader", "workloads/loader", "workloads/data"}},
    {"workloads/profile", {"workloads/model", "workloads/loader", "workloads/data"}},
    {"workloads/model", {"workloads/data"}},
    {"workloads/script", {}},
    {"workloads/step",
     {"workloads/profile", "workloads/model", "workloads/transfer", "workloads/torch_loader",
      "workloads/loader", "workloads/data"}},
    {"workloads/distributed", {"workloads/step", "workloads/model"}},
    {"workloads/python",
     {"workloads", "workloads/step", "workloads/profile", "workloads/model",
      "workloads/torch_loader", "workloads/loader", "workloads/data"}},
    {"workloads",
     {"workloads/distributed", "workloads/step", "workloads/profile", "workloads/model",
      "workloads/transfer", "workloads/torch_loader", "workloads/loader", "workloads/data",
      "workloads/script"}},
};

bool in(const std::map<std::string, std::set<std::string>>& table, const std::string& from,
        const std::string& to) {
  const auto row = table.find(from);
  return row != table.end() && row->second.contains(to);
}

bool allowed(const std::string& from, const std::string& to) {
  if (from == to) return true;
  if (kGroundFloor.contains(to) && !kGroundFloor.contains(from) && from != "harness/stats")
    return true;
  if (to == "harness") return !kBelowTheSeam.contains(from);
  if (from == "tools/gbench" && to == "tools/stepbench") return true;  // the same options
  if (from.starts_with("tools/")) {
    return to.starts_with("harness/") || to == "workloads" || to.starts_with("workloads/");
  }
  if (to == "workloads" || to.starts_with("workloads/")) return in(kWorkloadArrows, from, to);
  if (to.starts_with("harness/")) return may_use_all_of_harness(from) || in(kArrows, from, to);
  return false;
}

std::vector<std::string> all_sources() {
  std::vector<std::string> all;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    const std::vector<std::string> some = sources(kRoot, folder);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// What a room shows to others stands in its folder, the rest in internal/.
TEST(Arrows, InternalHeader_IsIncludedByItsRoomOnly) {
  std::set<std::string> rooms;
  for (const std::string& file : all_sources()) {
    for (const Include& include : includes_of(kRoot, file)) {
      if (include.angled || include.target.find("/internal/") == std::string::npos) continue;
      rooms.insert(part_of(include.target));
      EXPECT_EQ(part_of(file), part_of(include.target)) << file << " includes " << include.target;
    }
  }
  EXPECT_GT(rooms.size(), 10U);
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
    }
  }
}

TEST(Arrows, EachArrow_IsUsed) {
  std::map<std::string, std::set<std::string>> unused = kArrows;
  for (const std::string& file : all_sources()) {
    for (const Include& include : includes_of(kRoot, file)) {
      unused[part_of(file)].erase(part_of(include.target));
    }
  }
  for (const auto& [from, targets] : unused) {
    for (const std::string& to : targets)
      EXPECT_TRUE(kGroundFloor.contains(to)) << from << " uses nothing of " << to;
  }
}

// The floors of workloads/data: only the table of kinds names the parts that make files, and the
// shared part includes none of them.
TEST(Arrows, OnlyTheKindTableNamesDataFloors) {
  const std::string room = "workloads/data/";
  const auto floor_of = [&](const std::string& path) {
    const std::size_t end = path.find('/', room.size());
    return end == std::string::npos ? std::string() : path.substr(room.size(), end - room.size());
  };
  for (const std::string& file : sources(kRoot, "workloads/data")) {
    if (file.starts_with(room + "data_kinds.")) continue;
    for (const Include& include : includes_of(kRoot, file)) {
      if (include.angled || !include.target.starts_with(room)) continue;
      const std::string from = floor_of(file);
      const std::string to = floor_of(include.target);
      EXPECT_TRUE(from == to || to.empty() || (to == "jpeg" && from != "" && from != "synthetic"))
          << file << ':' << include.line << ": may not use the floor " << to;
    }
  }
}

std::string first_match(const std::string& text, const std::string& pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

// Library of each room, as in the folder's CMakeLists.txt: "harness/track" -> "nights".
std::map<std::string, std::string> libraries_of_rooms() {
  std::map<std::string, std::string> found = {{"harness", "ground"}};
  for (const std::string& file : all_sources()) {
    const std::string room = part_of(file);
    if (!room.starts_with("harness/") || found.contains(room)) continue;
    found[room] =
        first_match(text_of(kRoot, room + "/CMakeLists.txt"), R"(stepbench_room\(stepbench_(\w+))");
  }
  return found;
}

// "report" -> "campaigns" and all libraries that it links, as in harness/CMakeLists.txt.
std::set<std::string> linked_by(const std::string& library) {
  const std::string text = text_of(kRoot, "harness/CMakeLists.txt");
  std::istringstream links(
      first_match(text, R"(stepbench_harness_library\()" + library + R"( LINK ([a-z ]+))"));
  std::set<std::string> linked = {library};
  for (std::string one; links >> one;) linked.merge(linked_by(one));
  return linked;
}

// The linker does not see dependencies that are only in headers.
TEST(Arrows, FollowLinkedLibraries) {
  const std::map<std::string, std::string> libraries = libraries_of_rooms();
  ASSERT_EQ(libraries.at("harness/track"), "nights");
  ASSERT_TRUE(linked_by("report").contains("ground"));
  ASSERT_FALSE(linked_by("traces").contains("results"));
  for (const auto& [from, targets] : kArrows) {
    const std::string library = libraries.at(from);
    if (library == "worker" || library == "cuda" || library == "gbench") continue;
    const std::set<std::string> linked = linked_by(library);
    for (const std::string& to : targets) {
      EXPECT_TRUE(linked.contains(libraries.at(to)))
          << from << " is in " << library << ", which does not link " << libraries.at(to)
          << ", the library of " << to;
    }
  }
}

TEST(Arrows, WrongInclude_IsFound) {
  EXPECT_FALSE(allowed("harness/stats", "harness/record"));
  EXPECT_FALSE(allowed("harness/run", "workloads/data"));
  EXPECT_FALSE(allowed("harness/base", "harness/text"));
  EXPECT_FALSE(allowed("harness/measure", "harness"));
  EXPECT_FALSE(allowed("workloads/data", "workloads/loader"));
  EXPECT_FALSE(allowed("harness/worker", "harness/run"));
  EXPECT_FALSE(allowed("workloads/step", "tools/stepbench"));
  EXPECT_FALSE(allowed("harness/run", "tests/stub_worker"));
  EXPECT_TRUE(allowed("workloads/step", "harness/worker"));
}

}  // namespace
}  // namespace stepbench::structure
