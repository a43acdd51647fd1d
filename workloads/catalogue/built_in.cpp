// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/built_in.h"

namespace stepbench {

const Catalogue& built_in_catalogue() {
  static const Catalogue catalogue{.sections = harness_sections(), .workloads = {}};
  return catalogue;
}

}  // namespace stepbench
