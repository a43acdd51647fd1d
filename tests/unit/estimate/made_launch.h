// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/record/result_file.h"
#include "tests/testing.h"

namespace stepbench::estimate {

inline record::Launch made_launch(std::vector<std::string> columns,
                                  std::vector<std::vector<std::int64_t>> values) {
  record::Launch launch;
  launch.row.key.case_id = "00112233aabbccdd";
  launch.row.outcome = Outcome::measured();
  launch.samples.push_back(
      {.cycle = 0, .steps = {.names = std::move(columns), .columns = std::move(values)}});
  return launch;
}

// Launches of one case, numbered.
inline record::Results made_results(std::vector<record::Launch> launches) {
  record::Results results;
  for (record::Launch& launch : launches) {
    launch.row.key.launch = static_cast<int>(results.launches.size());
    results.launches.push_back(std::move(launch));
  }
  return results;
}

}  // namespace stepbench::estimate
