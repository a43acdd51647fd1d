// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench {

[[nodiscard]] Catalogue stub_catalogue();

}  // namespace stepbench
