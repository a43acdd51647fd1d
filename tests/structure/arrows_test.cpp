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
    {"harness/stats", {}},
    {"harness/catalogue", {}},
    {"harness/schedule", {"harness/stats"}},
    {"harness/findings", {}},
    {"harness/measure", {"harness/schedule"}},
    {"harness", {"harness/measure"}},
    {"harness/plan", {"harness/catalogue"}},
    {"harness/traces", {"harness/findings", "harness/ops", "harness/stats"}},
    {"harness/record",
     {"harness/catalogue", "harness/findings", "harness/ops", "harness/schedule"}},
    {"harness/protocol", {"harness/record"}},
    {"harness/machine", {"harness/findings", "harness/record", "harness/stats"}},
    {"harness/cuda", {"harness/findings", "harness/machine", "harness/measure", "harness/ops"}},
    {"harness/worker",
     {"harness/catalogue", "harness/findings", "harness/measure", "harness/ops", "harness/protocol",
      "harness/record", "harness/schedule"}},
    {"harness/estimate",
     {"harness/catalogue", "harness/findings", "harness/ops", "harness/record", "harness/stats"}},
    {"harness/run",
     {"harness/catalogue", "harness/estimate", "harness/findings", "harness/machine",
      "harness/measure", "harness/ops", "harness/plan", "harness/protocol", "harness/record",
      "harness/stats"}},
    {"harness/gbench",
     {"harness/catalogue", "harness/estimate", "harness/findings", "harness/measure",
      "harness/plan"}},
    {"harness/verdict",
     {"harness/catalogue", "harness/estimate", "harness/findings", "harness/ops", "harness/record",
      "harness/stats"}},
    {"harness/nights",
     {"harness/catalogue", "harness/estimate", "harness/record", "harness/stats",
      "harness/verdict"}},
    {"harness/document", {}},
    {"harness/campaign",
     {"harness/catalogue", "harness/estimate", "harness/findings", "harness/machine",
      "harness/nights", "harness/ops", "harness/plan", "harness/record", "harness/run",
      "harness/schedule", "harness/stats", "harness/traces", "harness/verdict"}},
    {"harness/bisect",
     {"harness/campaign", "harness/machine", "harness/record", "harness/run", "harness/stats",
      "harness/verdict"}},
    {"harness/tune",
     {"harness/campaign", "harness/estimate", "harness/machine", "harness/plan", "harness/record",
      "harness/run", "harness/stats", "harness/verdict"}},
    {"harness/report",
     {"harness/bisect", "harness/campaign", "harness/catalogue", "harness/document",
      "harness/estimate", "harness/findings", "harness/machine", "harness/nights", "harness/ops",
      "harness/plan", "harness/record", "harness/run", "harness/schedule", "harness/stats",
      "harness/traces", "harness/tune", "harness/verdict"}},
    {"workloads/data", {"harness/catalogue"}},
    {"workloads/loader",
     {"harness/catalogue", "harness/document", "harness/findings", "harness/machine",
      "harness/measure", "harness/record", "harness/stats", "workloads/data"}},
    {"workloads/model", {"harness/catalogue", "harness/machine", "harness/plan", "workloads/data"}},
    {"workloads/profile",
     {"harness/cuda", "harness/findings", "harness/measure", "harness/ops", "harness/record",
      "harness/schedule", "harness/traces", "workloads/loader", "workloads/model"}},
    {"workloads/transfer",
     {"harness/catalogue", "harness/measure", "workloads/data", "workloads/loader"}},
    {"workloads/step",
     {"harness/catalogue", "harness/cuda", "harness/findings", "harness/machine", "harness/measure",
      "harness/ops", "harness/record", "workloads/data", "workloads/loader", "workloads/model",
      "workloads/transfer"}},
    {"workloads/distributed",
     {"harness/catalogue", "harness/machine", "harness/measure", "workloads/model",
      "workloads/step"}},
    {"workloads",
     {"harness/catalogue", "harness/cuda", "harness/machine", "harness/record", "harness/worker",
      "workloads/data", "workloads/distributed", "workloads/loader", "workloads/model",
      "workloads/profile", "workloads/step", "workloads/transfer"}},
    {"workloads/python",
     {"harness/cuda", "harness/findings", "harness/machine", "harness/measure", "harness/ops",
      "harness/protocol", "harness/run", "harness/worker", "workloads", "workloads/data",
      "workloads/loader", "workloads/model", "workloads/step"}},
    {"tools/stepbench",
     {"harness/bisect", "harness/campaign", "harness/catalogue", "harness/document",
      "harness/estimate", "harness/machine", "harness/nights", "harness/plan", "harness/record",
      "harness/report", "harness/run", "harness/traces", "harness/tune", "harness/verdict",
      "workloads", "workloads/data", "workloads/loader", "workloads/python"}},
    {"tools/gbench",
     {"harness/campaign", "harness/catalogue", "harness/estimate", "harness/gbench",
      "harness/machine", "harness/plan", "harness/record", "harness/report", "harness/run",
      "tools/stepbench"}},
};

// Built before the seam, so these cannot include it.
const std::set<std::string> kBelowTheSeam = {
    "harness/base",     "harness/text",     "harness/json",    "harness/os",       "harness/stats",
    "harness/schedule", "harness/findings", "harness/measure", "harness/catalogue"};

bool allowed(const std::string& from, const std::string& to) {
  if (from == to) return true;
  if (kGroundFloor.contains(to) && !kGroundFloor.contains(from) && from != "harness/stats")
    return true;
  if (to == "harness") return !kBelowTheSeam.contains(from);
  const auto row = kArrows.find(from);
  return row != kArrows.end() && row->second.contains(to);
}

std::vector<std::string> all_sources() {
  std::vector<std::string> all;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    const std::vector<std::string> some = sources(kRoot, folder);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// Other rooms include the headers of a room's folder; the rest lies in internal/.
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

TEST(Arrows, Include_IsAllowedByTheTable) {
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

// The door of a room: the headers in its folder, beside those that are installed.
TEST(Arrows, RoomHeaders_AreFewAndUsedByOthers) {
  constexpr std::size_t kMaxDoors = 6;
  std::map<std::string, std::set<std::string>> doors;
  for (const std::string& file : all_sources()) {
    const std::string room = part_of(file);
    if (!file.ends_with(".h") || room.starts_with("tools/") || public_headers().contains(file)) {
      continue;
    }
    if (file.find('/', room.size() + 1) == std::string::npos) doors[room].insert(file);
  }
  EXPECT_GT(doors.size(), 25U);
  for (const auto& [room, headers] : doors) {
    // Each kind of command has its own header of outputs: writing a plan needs no night.
    EXPECT_LE(headers.size(), room == "harness/report" ? 8 : kMaxDoors) << room;
  }
  for (const std::string& file : all_sources()) {
    for (const Include& include : includes_of(kRoot, file)) {
      const std::string to = part_of(include.target);
      if (part_of(file) != to) doors[to].erase(include.target);
    }
  }
  for (const auto& [room, unused] : doors) {
    for (const std::string& header : unused) {
      ADD_FAILURE() << header << ": only " << room << " includes it; move it to internal/";
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
TEST(Arrows, DataFloors_AreIncludedByTheKindTableOnly) {
  const std::string room = "workloads/data/";
  const auto floor_of = [&](const std::string& path) {
    if (!path.starts_with(room + "internal/")) return std::string();
    const std::size_t begin = room.size() + std::string("internal/").size();
    const std::size_t end = path.find('/', begin);
    return end == std::string::npos ? std::string() : path.substr(begin, end - begin);
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

// Library of each room, as in the folder's CMakeLists.txt: "harness/nights" -> "nights".
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
TEST(Arrows, Arrow_NeedsALinkedLibrary) {
  const std::map<std::string, std::string> libraries = libraries_of_rooms();
  ASSERT_EQ(libraries.at("harness/nights"), "nights");
  ASSERT_TRUE(linked_by("report").contains("ground"));
  ASSERT_FALSE(linked_by("traces").contains("results"));
  for (const auto& [from, targets] : kArrows) {
    if (!from.starts_with("harness")) continue;
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
  EXPECT_FALSE(allowed("workloads/step", "harness/report"));
  EXPECT_FALSE(allowed("tools/stepbench", "harness/worker"));
  EXPECT_TRUE(allowed("workloads/step", "harness/measure"));
}

}  // namespace
}  // namespace stepbench::structure
