// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/path_kind.h"

namespace stepbench::analyze {

std::string_view name_of(PathKind kind) {
  constexpr std::array<std::string_view, kPathKinds> kNames = {
      "compute", "communication", "copy",  "data_loading", "operators",
      "launch",  "wait",          "queue", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace stepbench::analyze
