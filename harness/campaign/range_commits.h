// SPDX-License-Identifier: Apache-2.0
// The commits between the last good and the first bad program of an alert, asked of git where the
// repository of the night is at hand. Runs git; one thread.
#pragma once

#include <functional>
#include <span>

#include "harness/nights/alert.h"
#include "harness/track/history.h"

namespace stepbench::campaign {

inline constexpr std::size_t kListedCommits = 20;  // of a range, the newest

// Into Alert::commits, of the alerts `of` which it is asked, or of open ones. An alert whose nights
// have one commit, or whose repository is elsewhere, keeps none.
void list_commits(nights::AlertLog& log, std::span<const track::TrackedRun> runs,
                  const std::function<bool(const nights::Alert&)>& of = {});

}  // namespace stepbench::campaign
