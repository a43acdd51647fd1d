// SPDX-License-Identifier: Apache-2.0
// Keeps passwords and tokens out of what is recorded. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepbench::text {

inline constexpr std::string_view kMask = "***";

// True if an environment variable of this name is likely to hold a secret: the name contains TOKEN,
// SECRET, KEY, PASS, CREDENTIAL, AUTH, COOKIE, JWT, WEBHOOK or BEARER, or the word PAT, PW, CRED or
// CREDS, in any case. Exception: TOKENIZERS_...
[[nodiscard]] bool is_secret_name(std::string_view variable);

// True for `env.NAME` of such a variable.
[[nodiscard]] bool is_secret_option(std::string_view full_name);

// True for an option of any program whose value is a secret: "--api-key", "--token", but not
// "--max-tokens" or "--pad-token".
[[nodiscard]] bool is_secret_flag(std::string_view word);

// "***" and eight hex digits of the value's digest, so that different values stay different.
[[nodiscard]] std::string masked_value(std::string_view value);

// Masks secrets in a command line or YAML text with "***": the value in `NAME=value`,
// `env.NAME=value` and `NAME: value` if NAME, in capitals or after "env.", is a secret variable;
// in `--api-key value` and `--api-key=value`; every occurrence of those of `values` that are long
// enough; the passwords of URLs. References such as ${NAME} stay.
[[nodiscard]] std::string mask_secrets(std::string_view text, std::span<const std::string> values);

// "http://me:***@proxy:8080?page=1&x=***" for a URL with a password or a query. Query values that
// identify a repository page stay, as does {sha}.
[[nodiscard]] std::string mask_url_passwords(std::string_view text);

}  // namespace stepbench::text
