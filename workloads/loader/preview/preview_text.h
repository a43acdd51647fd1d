// SPDX-License-Identifier: Apache-2.0
// Formats a DataPreview as text or JSON. Pure; any thread.
#pragma once

#include <string>

#include "workloads/loader/preview/data_preview.h"

namespace stepbench::loader {

// `title` follows the case's id; may be empty. Lines fit `columns` if possible.
[[nodiscard]] std::string preview_text(const DataPreview& preview, const std::string& title,
                                       std::size_t columns);
// One JSON object on one line.
[[nodiscard]] std::string preview_json(const DataPreview& preview);

}  // namespace stepbench::loader
