// SPDX-License-Identifier: Apache-2.0
// A night on the stub worker whose program differs from the last good one, and what is said of its
// suspects. Builds of the worker are shell scripts that start it with another speed.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "harness/campaign/confirm_suspects.h"
#include "tests/temporary_folder.h"

namespace stepbench::testing {

class ConfirmBench {
 public:
  explicit ConfirmBench(const std::string& yaml);

  // A build of the stub worker: `settings` as "STUB_SLOWER=1.03", `before`: lines of the script.
  std::filesystem::path make_build(const std::string& name, const std::string& settings = {},
                                   const std::string& before = {});
  // A night of this machine that measured with that program.
  [[nodiscard]] track::TrackedRun night(const std::string& run_id,
                                        const std::filesystem::path& worker) const;
  // Every case of tonight, its step slower.
  [[nodiscard]] campaign::ConfirmRequest request(const std::filesystem::path& good,
                                                 const std::filesystem::path& tonight);
  [[nodiscard]] campaign::ConfirmedNight confirm(const campaign::ConfirmRequest& request);
  // What progress was said since the last call.
  [[nodiscard]] std::string said();
  [[nodiscard]] track::TrackStore open_store() const;

  test::TemporaryFolder folder;

 private:
  Catalogue no_workloads_;
  campaign::CampaignContext context_;
  HostClock clock_;
  std::string yaml_;
  std::ostringstream out_;
};

}  // namespace stepbench::testing
