// SPDX-License-Identifier: Apache-2.0
#include "harness/text/secrets.h"

#include <algorithm>
#include <array>

#include "harness/base/digest.h"

namespace stepbench::text {
namespace {

// Shorter values cannot be told from other text.
constexpr std::size_t kMinValueBytes = 6;
constexpr std::string_view kVariables = "env.";

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

void replace_each(std::string& text, std::string_view value) {
  for (std::size_t at = text.find(value); at != std::string::npos;
       at = text.find(value, at + kMask.size())) {
    text.replace(at, value.size(), kMask);
  }
}

// Position of the value after a name that ends at `at`; npos if there is none.
std::size_t value_after(std::string_view text, std::size_t at) {
  constexpr std::string_view kQuotes = "\"'";
  if (at < text.size() && kQuotes.find(text[at]) != std::string_view::npos) ++at;
  if (at >= text.size() || (text[at] != '=' && text[at] != ':')) return std::string_view::npos;
  if (text[at++] == '=') return at;
  return text.find_first_not_of(' ', at);
}

std::size_t end_of_value(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  if (quote == '[') return std::min(text.find(']', begin), text.size() - 1) + 1;
  const std::size_t end = quote == '"' || quote == '\'' ? text.find(quote, begin + 1)
                                                        : text.find_first_of(" \t\n,}\"'", begin);
  return std::min(end, text.size());
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Masks the lines of a YAML value that continues below its key, such as a block scalar or a list.
// `key` is the position of a name that begins its line; the lines are indented deeper or are list
// items at the same depth.
void mask_lines_below(std::string& text, std::size_t key) {
  const std::size_t before = text.rfind('\n', key);
  const std::size_t line_begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t depth = indent_of(std::string_view(text).substr(line_begin));
  const bool first = key - line_begin - depth <= 1;  // allows for a quote before the name
  std::size_t at = text.find('\n', key);
  if (!first || at == std::string::npos) return;
  for (++at; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t indent = indent_of(line);
    const bool item = line.substr(indent).starts_with("- ");
    if (indent < line.size() && indent <= depth && !(item && indent == depth)) return;
    const std::size_t from = at + indent + (item ? 2 : 0);
    if (from < end && text[from] != '$') {
      text.replace(from, end - from, kMask);
      at = from + kMask.size() + 1;
    } else {
      at = end + 1;
    }
  }
}

// Masks the query and fragment values of the URL that continues at `at`, except for known names.
void mask_query(std::string& text, std::size_t at) {
  constexpr std::array<std::string_view, 14> kKnown = {"a",   "branch", "format", "h",    "hb",
                                                       "id",  "p",      "page",   "path", "q",
                                                       "ref", "rev",    "tab",    "view"};
  constexpr std::string_view kBorders = "&;#";
  constexpr std::string_view kEnds = "<>\"' \t\n";
  at = text.find_first_of("?#<>\"' \t\n", at);
  while (at < text.size() && kEnds.find(text[at]) == std::string_view::npos) {
    const std::size_t begin = at + 1;
    const auto ends = [&](char c) {
      return kBorders.find(c) != std::string_view::npos || kEnds.find(c) != std::string_view::npos;
    };
    const auto end = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), ends) -
        text.begin());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t sign = std::min(part.find('='), part.size());
    const bool is_known = std::ranges::find(kKnown, part.substr(0, sign)) != kKnown.end();
    const std::size_t from = sign < part.size() ? sign + 1 : 0;
    const bool is_hole = part.substr(from).starts_with('{') || part.substr(from).starts_with('$');
    at = end;
    if (is_known || is_hole || from == part.size()) continue;
    text.replace(begin + from, part.size() - from, kMask);
    at = begin + from + kMask.size();
  }
}

// Masks the values in `--api-key VALUE` and `--api-key=VALUE`, also as items of a list.
void mask_flag_values(std::string& text) {
  constexpr std::string_view kBefore = " \t\n\"'=[,(";
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    const std::size_t end = std::min(text.find_first_of(" \t\n,=\"'])", at), text.size());
    const bool is_word = at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
    const bool is_secret = is_word && is_secret_flag(std::string_view(text).substr(at, end - at));
    at = end;
    if (!is_secret) continue;
    const std::size_t from = text.find_first_not_of("=, \t\"'", end);
    if (from == std::string::npos ||
        std::string_view("-$\n])").find(text[from]) != std::string_view::npos) {
      continue;
    }
    const bool quoted = text[from - 1] == '"' || text[from - 1] == '\'';
    const std::size_t to =
        quoted ? text.find(text[from - 1], from) : text.find_first_of(" \t\n,\"'])", from);
    text.replace(from, std::min(to, text.size()) - from, kMask);
    at = from + kMask.size();
  }
}

}  // namespace

bool is_secret_flag(std::string_view word) {
  constexpr std::array<std::string_view, 12> kEnds = {
      "password",   "passwd",     "passphrase",  "secret",    "api_key",    "apikey",
      "access_key", "secret_key", "private_key", "api_token", "auth_token", "access_token"};
  if (!word.starts_with('-')) return false;
  std::string name{word.substr(std::min(word.find_first_not_of('-'), word.size()))};
  for (char& c : name)
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name == "token" || name == "hf_token" ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_secret_name(std::string_view variable) {
  constexpr std::array<std::string_view, 10> kAnywhere = {
      "TOKEN", "SECRET", "KEY", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "JWT", "WEBHOOK", "BEARER"};
  constexpr std::array<std::string_view, 4> kBetweenUnderscores = {"_PAT_", "_PW_", "_CRED_",
                                                                   "_CREDS_"};
  std::string name = "_" + std::string(variable) + "_";
  std::transform(name.begin(), name.end(), name.begin(), upper);
  if (name.starts_with("_TOKENIZERS_")) return false;
  const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  return std::ranges::any_of(kAnywhere, has) || std::ranges::any_of(kBetweenUnderscores, has);
}

bool is_secret_option(std::string_view full_name) {
  return full_name.starts_with(kVariables) && is_secret_name(full_name.substr(kVariables.size()));
}

std::string masked_value(std::string_view value) {
  constexpr std::size_t kDigits = 8;
  return std::string{kMask} + digest(value).substr(0, kDigits);
}

std::string mask_url_passwords(std::string_view text) {
  constexpr std::string_view kScheme = "://";
  std::string masked{text};
  for (std::size_t at = masked.find(kScheme); at != std::string::npos;
       at = masked.find(kScheme, at)) {
    at += kScheme.size();
    const std::size_t end = std::min(masked.find_first_of("/?#,}<>\"' \t\n", at), masked.size());
    const std::size_t host = masked.substr(at, end - at).rfind('@');
    const std::size_t colon = masked.find(':', at);
    if (host != std::string::npos && colon < at + host - 1 && masked[colon + 1] != '$') {
      masked.replace(colon + 1, at + host - colon - 1, kMask);
    }
    mask_query(masked, at);
  }
  return masked;
}

std::string mask_secrets(std::string_view text, std::span<const std::string> values) {
  std::string masked = mask_url_passwords(text);
  for (const std::string& value : values) {
    if (value.size() >= kMinValueBytes) replace_each(masked, value);
  }
  for (std::size_t at = 0; at < masked.size();) {
    if (!is_name_char(masked[at])) {
      ++at;
      continue;
    }
    const std::size_t name_begin = at;
    while (at < masked.size() && is_name_char(masked[at])) ++at;
    const std::string_view whole = masked;
    const std::string_view name = whole.substr(name_begin, at - name_begin);
    const bool is_variable =
        std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }) ||
        whole.substr(0, name_begin).ends_with(kVariables);
    if (!is_variable || !is_secret_name(name)) continue;
    const std::size_t separator = masked.find_first_not_of("\"'", at);
    if (separator != std::string::npos && masked[separator] == ':') {
      const bool is_option = whole.substr(0, name_begin).ends_with(kVariables);
      mask_lines_below(masked, name_begin - (is_option ? kVariables.size() : 0));
    }
    const std::size_t begin = value_after(masked, at);
    if (begin >= masked.size() || masked[begin] == '\n' || masked[begin] == '$') continue;
    const bool quoted = masked[begin] == '"' || masked[begin] == '\'';
    const std::size_t from = begin + (quoted ? 1 : 0);
    const std::size_t to = end_of_value(masked, begin);
    if (to <= from || masked[from] == '$') continue;
    masked.replace(from, to - from, kMask);
    at = from + kMask.size();
  }
  mask_flag_values(masked);
  return masked;
}

}  // namespace stepbench::text
