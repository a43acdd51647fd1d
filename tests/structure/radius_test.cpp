// SPDX-License-Identifier: Apache-2.0
// How many sources a change of a header compiles anew. A number that is too large here wants a cut:
// a forward declaration, or a header split in two.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

// Most sources, outside of tests, that may include it, also by way of others.
const std::map<std::string, std::size_t> kMost = {
    {"harness/findings/finding.h", 90},
    {"harness/ops/op_log.h", 70},
};

using Includers = std::map<std::string, std::set<std::string>>;

Includers includers() {
  Includers found;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      for (const Include& include : includes_of(kRoot, file)) found[include.target].insert(file);
    }
  }
  return found;
}

void add_reached(const Includers& includers, const std::string& header,
                 std::set<std::string>& reached) {
  const auto here = includers.find(header);
  if (here == includers.end()) return;
  for (const std::string& file : here->second) {
    if (reached.insert(file).second) add_reached(includers, file, reached);
  }
}

TEST(Radius, OfHotHeadersStaysSmall) {
  const Includers all = includers();
  for (const auto& [header, most] : kMost) {
    ASSERT_TRUE(all.contains(header)) << header;
    std::set<std::string> reached;
    add_reached(all, header, reached);
    std::erase_if(reached, [](const std::string& file) { return !file.ends_with(".cpp"); });
    EXPECT_LE(reached.size(), most) << header;
    EXPECT_GT(reached.size(), most / 2) << header << ": the bound can be lowered";
  }
}

}  // namespace
}  // namespace stepbench::structure
