// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/finding.h"

#include <vector>

#include "harness/text/words.h"

namespace stepbench {

std::string rank_names(std::span<const std::int64_t> ranks) {
  std::vector<std::string> names;
  for (const std::int64_t rank : ranks) names.push_back(std::to_string(rank));
  return (ranks.size() == 1 ? "rank " : "ranks ") + text::join_and(names);
}

}  // namespace stepbench
