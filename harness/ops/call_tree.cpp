// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/call_tree.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stepbench::ops {

std::vector<CallNode> call_tree(const OpTable& table) {
  std::vector<CallNode> nodes;
  std::map<std::tuple<std::size_t, std::uint32_t, OpKind>, std::size_t> index;
  std::vector<std::size_t> open;  // from the root to the previous row
  for (const FoldedCall& row : table.calls) {
    const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(row.depth, 0));
    open.resize(std::min(depth, open.size()));
    const std::size_t parent = open.empty() ? CallNode::kNoParent : open.back();
    const auto [at, is_new] = index.try_emplace({parent, row.name, row.kind}, nodes.size());
    if (is_new) {
      nodes.push_back(
          {.name = std::string(table.text(row.name)), .kind = row.kind, .parent = parent});
    }
    open.push_back(at->second);
    CallNode& node = nodes[at->second];
    node.calls += row.calls;
    node.self_cpu_ns += row.self_cpu_ns;
    node.self_device_ns += row.self_device_ns;
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    CallNode& node = nodes[i];
    node.cpu_ns += node.self_cpu_ns;
    node.device_ns += node.self_device_ns;
    if (node.parent == CallNode::kNoParent) continue;
    nodes[node.parent].cpu_ns += node.cpu_ns;
    nodes[node.parent].device_ns += node.device_ns;
  }
  return nodes;
}

}  // namespace stepbench::ops
