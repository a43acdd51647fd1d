// SPDX-License-Identifier: Apache-2.0
// Units that need each other cannot be read, tested or replaced separately. A unit is a header with
// its source, or a module of a Python package.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

namespace fs = std::filesystem;

using Graph = std::map<std::string, std::set<std::string>>;

// Repeatedly removes nodes that no remaining node uses, or that use none.
std::string circles_of(Graph graph) {
  for (bool removed = true; removed;) {
    std::set<std::string> used;
    for (const auto& [unit, uses] : graph) used.insert(uses.begin(), uses.end());
    removed = std::erase_if(graph, [&](const auto& node) {
                return !used.contains(node.first) ||
                       std::none_of(node.second.begin(), node.second.end(),
                                    [&](const std::string& to) { return graph.contains(to); });
              }) > 0;
  }
  std::string text;
  for (const auto& [unit, uses] : graph) {
    text += "\n  " + unit + " uses";
    for (const std::string& to : uses) {
      if (graph.contains(to)) text += " " + to;
    }
  }
  return text;
}

std::string without_ending(const std::string& file) { return file.substr(0, file.rfind('.')); }

TEST(Circles, CppUnitsAndFolders_HaveNone) {
  Graph units;
  Graph folders;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      for (const Include& include : includes_of(kRoot, file)) {
        if (include.angled) continue;
        const std::string from = without_ending(file);
        const std::string to = without_ending(include.target);
        if (from != to) units[from].insert(to);
        if (part_of(from) != part_of(to)) folders[part_of(from)].insert(part_of(to));
      }
    }
  }
  EXPECT_GT(units.size(), 400U);
  EXPECT_EQ(circles_of(units), "");
  EXPECT_EQ(circles_of(folders), "");
}

// "from .loop import Loop" and "from . import facts, session", also inside functions.
std::set<std::string> modules_used(const std::string& text) {
  static const std::regex kFromModule(R"(^\s*from \.(\w+) import .*$)");
  static const std::regex kFromPackage(R"(^\s*from \. import ([\w, ]+).*$)");
  static const std::regex kName(R"(\w+)");
  std::set<std::string> used;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kFromModule)) used.insert(match[1]);
    if (!std::regex_match(line, match, kFromPackage)) continue;
    const std::string names = match[1];
    for (std::sregex_iterator at(names.begin(), names.end(), kName), end; at != end; ++at) {
      used.insert(at->str());
    }
  }
  return used;
}

TEST(Circles, PythonPackages_HaveNone) {
  for (const char* package :
       {"tools/python/stepbench_worker", "workloads/python/stepbench_user_code",
        "workloads/python/stepbench_fallback_worker"}) {
    Graph graph;
    for (const auto& entry : fs::directory_iterator(fs::path(kRoot) / package)) {
      if (entry.path().extension() != ".py") continue;
      const std::string file = entry.path().lexically_relative(kRoot).generic_string();
      graph[entry.path().stem().string()] = modules_used(text_of(kRoot, file));
    }
    EXPECT_FALSE(graph.empty()) << package;
    EXPECT_EQ(circles_of(graph), "") << package;
  }
}

TEST(Circles, Circle_IsFound) {
  EXPECT_EQ(circles_of({{"a", {"b"}}, {"b", {"c"}}, {"c", {}}}), "");
  EXPECT_EQ(circles_of({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b", "d"}}}),
            "\n  b uses c\n  c uses b");
  const std::set<std::string> expected = {"facts", "loop", "session"};
  EXPECT_EQ(modules_used("from . import facts, session\n    from .loop import Loop\nimport os\n"),
            expected);
}

}  // namespace
}  // namespace stepbench::structure
