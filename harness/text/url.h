// SPDX-License-Identifier: Apache-2.0
// Tells addresses from the names of files. Pure; any thread.
#pragma once

#include <string_view>

namespace stepbench::text {

// "s3" of "s3://bucket/key", as it stands; empty where the text does not begin with a scheme and
// "://".
[[nodiscard]] std::string_view url_scheme(std::string_view text);
[[nodiscard]] inline bool is_url(std::string_view text) { return !url_scheme(text).empty(); }

// Whether the address holds what must not be written into results: a user or a password before its
// host, or a signature or token in its query.
[[nodiscard]] bool has_credentials(std::string_view url);

}  // namespace stepbench::text
