// SPDX-License-Identifier: Apache-2.0
// Tables of a history. Users have them on disk: changes must be appended as new versions. Pure.
#pragma once

#include <span>

#include "harness/store/schema.h"

namespace stepbench::track {

[[nodiscard]] std::span<const store::SchemaVersion> track_schema();

}  // namespace stepbench::track
