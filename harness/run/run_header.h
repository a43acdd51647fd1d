// SPDX-License-Identifier: Apache-2.0
// The first lines of a run's result file, among them the digest of the data that it reads, without
// passwords and tokens. Throws ConfigError.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"
#include "harness/record/rows.h"
#include "harness/run/worker_program.h"

namespace stepbench::run {

struct RunFacts {
  const plan::Plan& plan;
  const Catalogue& catalogue;
  const WorkerProgram& worker;
  plan::Shard shard = {};
  bool smoke = false;
  std::string wrap = {};
  record::CommandLine asked = {};
};

// run_id is <UTC yyyymmdd-hhmmss>-<name>. The context holds host, git, shard, worker,
// worker_build_id and data_digest. The caller adds the command line and this program's version.
[[nodiscard]] record::RunRow make_run_header(const RunFacts& facts, const Fields& host, Fields git,
                                             std::chrono::system_clock::time_point started);

// Every metric that a launch of this plan may report.
[[nodiscard]] record::ColumnRow columns_of(const plan::Plan& plan, const Catalogue& catalogue);

// Throws ConfigError if a running process of this host already writes results of this shard there,
// because both would measure the same launches.
void refuse_running(const std::filesystem::path& run_dir, const std::string& host,
                    const plan::Shard& shard);
// <host>-<shard>-<pid>.jsonl, with a number appended if the name is taken (pids repeat between
// containers).
[[nodiscard]] std::filesystem::path free_result_file(const std::filesystem::path& run_dir,
                                                     const std::string& host,
                                                     const plan::Shard& shard);

[[nodiscard]] std::string file_name_part(
    std::string_view text);  // replaces all but letters, digits, '.' and '_' by '-'

// Digest of names and sizes of all files below `path`, or of the single file, independent of its
// location. Empty if there is none.
[[nodiscard]] std::string path_digest(const std::filesystem::path& path);

// Digest of all paths named by the plan's path options; empty if none exists.
[[nodiscard]] std::string data_digest(const plan::Plan& plan, const Catalogue& catalogue);

// Removes passwords and tokens from what is recorded of a run: see harness/text/secrets.h. Pure.

// Values of secret variables that are inherited or set by cases of the plan.
[[nodiscard]] std::vector<std::string> secret_values(const plan::Plan& plan,
                                                     const machine::Variables& inherited);

// Options by full name; masks each secret env.NAME, and passwords in URLs.
[[nodiscard]] OptionValues without_secrets(const OptionValues& options);

// Masks secrets in the command line (with that of --on-alert), configuration and context.
void hide_secrets(record::RunRow& row, const std::vector<std::string>& values);

}  // namespace stepbench::run
