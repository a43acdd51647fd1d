// SPDX-License-Identifier: Apache-2.0
// A file of its own: where two types have one name, no file can include both.
#pragma once

namespace stepbench::structure {

// Brings the segments of the fork loader into the program.
[[nodiscard]] bool has_shared_memory();

}  // namespace stepbench::structure
