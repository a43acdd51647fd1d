// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/be_rank.h"

#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "harness/run/rank_agent.h"
#include "harness/run/worker_program.h"

namespace stepbench::cli {

int be_rank(const Environment& environment) {
  constexpr std::size_t kLauncher = 2;
  constexpr std::size_t kRanks = 3;
  const std::vector<std::string>& argv = environment.argv;
  if (argv.size() <= kLauncher) throw ConfigError(argv[1], "a launcher's name is missing");
  const fleet::Launcher launcher = fleet::launcher_named(argv[kLauncher]).launcher;
  const std::string build = run::program_build_id(environment.program_dir + "/stepbench");
  if (launcher != fleet::Launcher::kLocal) {
    return run::run_rank(launcher, environment.variables, build);
  }
  const auto ranks = argv.size() > kRanks ? os::parse_integer(argv[kRanks]) : std::nullopt;
  if (!ranks || *ranks < 1) throw ConfigError(argv[1], "a number of ranks is missing");
  return run::run_local_ranks(static_cast<int>(*ranks), environment.variables, build);
}

}  // namespace stepbench::cli
