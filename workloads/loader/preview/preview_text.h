// SPDX-License-Identifier: Apache-2.0
// A DataPreview for people and for programs. Pure; any thread.
#pragma once

#include <string>

#include "workloads/loader/preview/data_preview.h"

namespace stepbench::loader {

// `title` goes behind the case's id; may be empty. Lines fit `columns` where they can.
[[nodiscard]] std::string preview_text(const DataPreview& preview, const std::string& title,
                                       std::size_t columns);
// One object, on one line.
[[nodiscard]] std::string preview_json(const DataPreview& preview);

}  // namespace stepbench::loader
