// SPDX-License-Identifier: Apache-2.0
// The installed headers are a small set, closed under inclusion: the interface of custom workers
// and plug-ins.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

void add_with_includes(const std::string& header, std::set<std::string>& reached) {
  if (!reached.insert(header).second) return;
  for (const Include& include : includes_of(kRoot, header)) {
    if (!include.angled) add_with_includes(include.target, reached);
  }
}

TEST(PublicHeaders, Includes_AreInstalled) {
  const std::set<std::string> all = public_headers();
  ASSERT_TRUE(all.contains("harness/workload.h"));
  for (const std::string& header : all) {
    for (const Include& include : includes_of(kRoot, header)) {
      EXPECT_TRUE(include.angled || all.contains(include.target))
          << header << ':' << include.line << ": " << include.target << " is not installed";
    }
  }
}

TEST(PublicHeaders, WorkerMain_PullsNoProtocol) {
  std::set<std::string> reached;
  add_with_includes("harness/worker/worker_main.h", reached);
  for (const std::string& header : reached) {
    for (const char* room : {"harness/ops/", "harness/protocol/", "harness/record/"}) {
      EXPECT_FALSE(header.starts_with(room)) << "worker_main.h pulls " << header;
    }
  }
}

}  // namespace
}  // namespace stepbench::structure
