// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench {

// Rows of data.kind beside synthetic data and JPEG files.
[[nodiscard]] std::vector<Variant> data_format_variants();
// Options of several kinds.
[[nodiscard]] Option image_size_option();
[[nodiscard]] Option augment_option();
[[nodiscard]] Option decode_option();
[[nodiscard]] Option on_error_option();

}  // namespace stepbench
