// SPDX-License-Identifier: Apache-2.0
// What `track confirm` measured, for people. Pure; any thread.
#pragma once

#include "harness/campaign/confirm_suspects.h"
#include "harness/document/document.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

// The two nights, and per series its state, its numbers, what changed inside a step and where the
// launches are.
[[nodiscard]] document::Document confirmation_document(const campaign::ConfirmedNight& measured,
                                                       const campaign::ConfirmRequest& request,
                                                       const SeriesNames& names);

}  // namespace stepbench::report
