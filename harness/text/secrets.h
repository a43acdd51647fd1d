// SPDX-License-Identifier: Apache-2.0
// Keeps passwords and tokens out of what is recorded. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepbench::text {

inline constexpr std::string_view kMask = "***";

// Whether an environment variable of this name holds one: the name contains TOKEN, SECRET, KEY,
// PASS, CREDENTIAL or AUTH, in any case. TOKENIZERS_... is none.
[[nodiscard]] bool is_secret_name(std::string_view variable);

// Whether it is `env.NAME` of such a variable.
[[nodiscard]] bool is_secret_option(std::string_view full_name);

// "***" and eight hex digits of the value's digest: two different values stay different.
[[nodiscard]] std::string masked_value(std::string_view value);

// A command line or a YAML text with "***" for the value in `NAME=value`, `env.NAME=value` and
// `NAME: value` where NAME, in capitals or after "env.", is such a variable, and for each of
// `values` that is long enough to be one wherever it stands, and for the passwords of URLs.
// References as ${NAME} stay.
[[nodiscard]] std::string mask_secrets(std::string_view text, std::span<const std::string> values);

// "http://me:***@proxy:8080?page=1&x=***" for a URL with a password or a query: of the latter
// what names a page of a repository stays, and {sha}. The rest as it is.
[[nodiscard]] std::string mask_url_passwords(std::string_view text);

}  // namespace stepbench::text
