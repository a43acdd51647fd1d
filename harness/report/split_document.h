// SPDX-License-Identifier: Apache-2.0
// Why two series of a history are not one, and where one of them begins anew, as documents. Pure;
// any thread.
#pragma once

#include "harness/document/document.h"
#include "harness/track/history.h"

namespace stepbench::report {

// `newest`: with the newest point of both, whose environments are set beside each other.
[[nodiscard]] document::Document series_split_document(const track::SeriesHistory& a,
                                                       const track::SeriesHistory& b,
                                                       const track::History& newest);

// `history`: with all points of the series.
[[nodiscard]] document::Document segments_document(const track::SeriesHistory& series,
                                                   const track::History& history);

}  // namespace stepbench::report
