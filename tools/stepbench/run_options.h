// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace stepbench::cli {

// The command line of `stepbench run`.
struct RunOptions {
  std::string file;
  std::string results = "results";
  std::string resume = {};
  bool retry_failed = false;
  bool dry_run = false;
  std::vector<std::string> filter = {};
  std::vector<std::string> set = {};
  std::vector<std::string> cases = {};  // ids, or their beginnings
  std::string shard = {};
  bool smoke = false;
  std::string wrap = {};
  std::string profile = {};  // native or kineto; empty: as the file says
  std::string worker = {};
  std::int64_t max_cases = 100'000;
  std::int64_t launches = 0;  // 0: as the file says
  bool wait_lock = false;
  bool no_lock = false;
  bool quiet = false;
};

[[nodiscard]] Shard parse_shard(
    const std::string& text);  // "2/4"; empty: everything. Throws ConfigError.

// Keeps the cases whose id begins with one of `ids`; throws ConfigError for one that fits none.
void keep_cases(Plan& plan, const std::vector<std::string>& ids);

// The command line that does the same again, without --resume, --shard, --case and --launches.
[[nodiscard]] std::string repeat_prefix(const RunOptions& options);

}  // namespace stepbench::cli
