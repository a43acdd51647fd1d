// SPDX-License-Identifier: Apache-2.0
// usage: random_op_log SEED
// Prints a random log and its table as JSON.
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/ops/op_table.h"
#include "tests/unit/ops/log_maker.h"

int main(int argc, char** argv) {
  using namespace stepbench;
  using Json = nlohmann::json;
  if (argc != 2) return 2;
  const ops::OpLog log = RandomLog(static_cast<std::uint32_t>(std::stoul(argv[1]))).make();
  Json out = {{"ops", Json::array()}, {"activities", Json::array()}, {"memory", Json::array()}};
  for (const ops::OpEvent& op : log.ops) {
    out["ops"].push_back({{"name", log.names[op.name]},
                          {"shapes", op.shapes == ops::kNoIndex ? "" : log.shapes[op.shapes]},
                          {"start", op.start_ns},
                          {"end", op.end_ns},
                          {"thread", op.thread},
                          {"end_thread", op.end_thread},
                          {"annotation", op.scope == ops::OpScope::kUserScope}});
  }
  for (const ops::DeviceActivity& activity : log.activities) {
    out["activities"].push_back({{"kind", name_of(activity.kind)},
                                 {"name", log.names[activity.name]},
                                 {"start", activity.start_ns},
                                 {"end", activity.end_ns},
                                 {"op", activity.op}});
  }
  for (const ops::MemoryEvent& event : log.memory) {
    out["memory"].push_back({event.at_ns, event.bytes, event.device});
  }
  const ops::OpTable table = table_of(log);
  for (const ops::OpRow& row : ops::grouped(table.rows, {.shapes = true})) {
    out["table"].push_back({{"name", table.text(row.name)},
                            {"shapes", table.text(row.shapes)},
                            {"kind", name_of(row.kind)},
                            {"values",
                             {row.calls, row.self_cpu_ns, row.cpu_ns, row.self_device_ns,
                              row.device_ns, row.self_cpu_bytes, row.cpu_bytes}}});
  }
  std::cout << out << '\n';
  return 0;
}
