// SPDX-License-Identifier: Apache-2.0
// Options that several kinds of data sets share.
#pragma once

#include <string>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::data {

// data.path: a file or folder that must exist.
[[nodiscard]] Option path_option(std::string doc);
// Number of samples of a synthetic data set.
[[nodiscard]] Option samples_option();
[[nodiscard]] Option image_size_option();
[[nodiscard]] Option augment_option();
[[nodiscard]] Option decode_option();
[[nodiscard]] Option jpeg_decoder_option();
[[nodiscard]] Option on_error_option();
[[nodiscard]] Option split_option();
// `otherwise` is the default: float32 or stored.
[[nodiscard]] Option dtype_option(const std::string& otherwise);
// A null `default_value`: unset unless the file sets it.
[[nodiscard]] Option classes_option(Value default_value, std::string doc);

// data.jpeg_decoder: own
[[nodiscard]] bool has_own_jpeg_decoder(const ResolvedCase& resolved);
// data.on_error: skip
[[nodiscard]] bool skips_errors(const ResolvedCase& resolved);
// data.dtype: float32
[[nodiscard]] bool wants_floats(const ResolvedCase& resolved);

}  // namespace stepbench::data
