// SPDX-License-Identifier: Apache-2.0
#include "harness/text/secrets.h"

#include <algorithm>
#include <array>
#include <vector>

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

// "Api-Key" -> "api_key".
std::string plain_name(std::string_view name) {
  std::string plain{name};
  for (char& c : plain) {
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

// For plain names: "db_password", "accountkey".
bool ends_like_a_secret(std::string_view name) {
  constexpr std::array<std::string_view, 14> kEnds = {
      "password",  "passwd",     "passphrase",   "secret",     "api_key",
      "apikey",    "accesskey",  "access_key",   "secret_key", "private_key",
      "api_token", "auth_token", "access_token", "accountkey"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

struct Piece {
  std::size_t from = 0;
  std::size_t to = 0;
};

// Masks all pieces, which are in order, at once: the time must not grow with the square of a text.
std::string with_masks(std::string_view text, const std::vector<Piece>& pieces) {
  std::string masked;
  std::size_t copied = 0;
  for (const Piece& piece : pieces) {
    masked.append(text.substr(copied, piece.from - copied)).append(kMask);
    copied = piece.to;
  }
  return masked.append(text.substr(copied));
}

std::string mask_value(std::string_view text, std::string_view value) {
  std::vector<Piece> pieces;
  for (std::size_t at = text.find(value); at != std::string::npos;
       at = text.find(value, at + value.size())) {
    pieces.push_back({at, at + value.size()});
  }
  return with_masks(text, pieces);
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
void mask_lines_below(std::string_view text, std::size_t key, std::vector<Piece>& pieces) {
  const std::size_t before = text.rfind('\n', key);
  const std::size_t line_begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t depth = indent_of(text.substr(line_begin));
  const bool first = key - line_begin - depth <= 1;  // allows for a quote before the name
  std::size_t at = text.find('\n', key);
  if (!first || at == std::string::npos) return;
  const std::size_t masked = pieces.empty() ? 0 : pieces.back().to;
  for (++at; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t indent = indent_of(line);
    const bool item = line.substr(indent).starts_with("- ");
    if (indent < line.size() && indent <= depth && !(item && indent == depth)) return;
    const std::size_t from = at + indent + (item ? 2 : 0);
    if (from < end && text[from] != '$' && from >= masked) pieces.push_back({from, end});
    at = end + 1;
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
std::string mask_flag_values(std::string_view text) {
  constexpr std::string_view kBefore = " \t\n\"'=[,(";
  constexpr std::string_view kNoValue = "-$\n])";
  std::vector<Piece> pieces;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    const std::size_t end = std::min(text.find_first_of(" \t\n,=\"'])", at), text.size());
    const bool is_word = at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
    const bool is_secret = is_word && is_secret_flag(text.substr(at, end - at));
    at = end;
    if (!is_secret) continue;
    const std::size_t from = std::min(text.find_first_not_of("=, \t\"'", end), text.size());
    if (from == text.size() || kNoValue.find(text[from]) != std::string_view::npos) continue;
    const bool quoted = text[from - 1] == '"' || text[from - 1] == '\'';
    at = quoted ? text.find(text[from - 1], from) : text.find_first_of(" \t\n,\"'])", from);
    at = std::min(at, text.size());
    pieces.push_back({from, at});
  }
  return with_masks(text, pieces);
}

// Masks the values of secret variables in `NAME=value` and `NAME: value`.
std::string mask_variables(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t passed = 0;  // pieces that end before `at`
  for (std::size_t at = 0; at < text.size();) {
    while (passed < pieces.size() && pieces[passed].to <= at) ++passed;
    if (passed < pieces.size() && pieces[passed].from <= at) {
      at = pieces[passed].to;
      continue;
    }
    if (!is_name_char(text[at])) {
      ++at;
      continue;
    }
    const std::size_t name_begin = at;
    while (at < text.size() && is_name_char(text[at])) ++at;
    const std::string_view name = text.substr(name_begin, at - name_begin);
    const bool is_option = text.substr(0, name_begin).ends_with(kVariables);
    const bool is_variable = is_option || std::none_of(name.begin(), name.end(),
                                                       [](char c) { return c >= 'a' && c <= 'z'; });
    if (is_variable ? !is_secret_name(name) : !ends_like_a_secret(plain_name(name))) continue;
    const std::size_t separator = text.find_first_not_of("\"'", at);
    const bool has_lines = separator != std::string::npos && text[separator] == ':';
    const std::size_t begin = value_after(text, at);
    if (begin < text.size() && text[begin] != '\n' && text[begin] != '$') {
      const std::size_t from = begin + (text[begin] == '"' || text[begin] == '\'' ? 1 : 0);
      const std::size_t to = end_of_value(text, begin);
      if (to > from && text[from] != '$') {
        pieces.push_back({from, to});
        at = to;
      }
    }
    if (has_lines) {
      mask_lines_below(text, name_begin - (is_option ? kVariables.size() : 0), pieces);
    }
  }
  return with_masks(text, pieces);
}

std::string mask_urls(std::string_view text) {
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

}  // namespace

bool is_secret_flag(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWhole = {"auth", "hf_token", "pass", "pw", "token"};
  if (!word.starts_with('-')) return false;
  const std::string name =
      plain_name(word.substr(std::min(word.find_first_not_of('-'), word.size())));
  return std::ranges::find(kWhole, name) != kWhole.end() || ends_like_a_secret(name);
}

bool is_secret_name(std::string_view variable) {
  constexpr std::array<std::string_view, 10> kAnywhere = {
      "TOKEN", "SECRET", "KEY", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "JWT", "WEBHOOK", "BEARER"};
  constexpr std::array<std::string_view, 6> kBetweenUnderscores = {
      "_PAT_", "_PW_", "_PWD_", "_CRED_", "_CREDS_", "_CONNECTION_STRING_"};
  std::string name = "_" + std::string(variable) + "_";
  std::transform(name.begin(), name.end(), name.begin(), upper);
  if (name.starts_with("_TOKENIZERS_") || name == "_PWD_") return false;
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

// Word by word: no URL has a blank.
std::string mask_url_passwords(std::string_view text) {
  std::string masked;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find_first_of(" \t\n"), text.size() - 1);
    masked += mask_urls(text.substr(0, blank + 1));
    text.remove_prefix(blank + 1);
  }
  return masked;
}

std::string mask_secrets(std::string_view text, std::span<const std::string> values) {
  std::string masked = mask_url_passwords(text);
  for (const std::string& value : values) {
    if (value.size() >= kMinValueBytes) masked = mask_value(masked, value);
  }
  return mask_flag_values(mask_variables(masked));
}

}  // namespace stepbench::text
