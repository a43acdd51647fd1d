// SPDX-License-Identifier: Apache-2.0
// Copies of worker programs by their build, so that a night can be measured again when its build
// folder has long been overwritten. One thread; throws ConfigError where the folder cannot be
// written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/track/track_store.h"

namespace stepbench::campaign {

struct KeepReport {
  std::optional<track::KeptBuild> kept =
      {};                                 // new; nothing: it was there already, or see the notes
  std::vector<std::string> removed = {};  // builds
  std::vector<std::string> notes = {};    // why it was not kept, what may be missing
};

// Copies the program that `run` was measured with to DIR/<build id>/ and tells the history. A link
// would not do: whoever writes the next build over the program would change the copy too. Of a
// script also the files in its folder that it names, and the modules that it imports. What changed
// since the run is not kept. Then removes builds of this folder that nobody needs, see
// harness/track/kept_programs.h.
KeepReport archive_worker(track::TrackStore& store, const track::TrackedRun& run,
                          const std::filesystem::path& dir, const std::string& now_utc);

}  // namespace stepbench::campaign
