// SPDX-License-Identifier: Apache-2.0
// The tables of a history. What stands here is on disks of users: a change is a new version behind
// the last one. Pure.
#pragma once

#include <span>

#include "harness/store/schema.h"

namespace stepbench::track {

[[nodiscard]] std::span<const store::SchemaVersion> track_schema();

}  // namespace stepbench::track
