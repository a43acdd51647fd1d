// SPDX-License-Identifier: Apache-2.0
#include "harness/text/url.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace stepbench::text {
namespace {

constexpr std::string_view kEnd = "://";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_of_scheme(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
}

// As signed addresses of object stores and links with tokens have them.
bool is_secret_parameter(std::string_view name) {
  constexpr std::array kSecret = {"signature", "credential", "token",   "sig",
                                  "key",       "secret",     "password"};
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(kSecret, [&](std::string_view word) { return small.ends_with(word); });
}

}  // namespace

std::string_view url_scheme(std::string_view text) {
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos || end == 0 || !is_letter(text[0])) return {};
  const std::string_view scheme = text.substr(0, end);
  return std::ranges::all_of(scheme, is_of_scheme) ? scheme : std::string_view();
}

bool has_credentials(std::string_view url) {
  if (!is_url(url)) return false;
  url.remove_prefix(url_scheme(url).size() + kEnd.size());
  if (url.substr(0, url.find_first_of("/?#")).find('@') != std::string_view::npos) return true;
  std::size_t query = url.find('?');
  while (query != std::string_view::npos) {
    url.remove_prefix(query + 1);
    if (is_secret_parameter(url.substr(0, url.find_first_of("=&#")))) return true;
    query = url.find('&');
  }
  return false;
}

}  // namespace stepbench::text
