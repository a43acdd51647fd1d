// SPDX-License-Identifier: Apache-2.0
#include "harness/text/redactor.h"

#include <algorithm>

namespace stepbench::text {
namespace {

constexpr std::array<std::string_view, 3> kHomes = {"/home/", "/Users/", "/root/"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
// '_' and '-' part words: `box_17.json` holds the host `box`.
bool is_of_word(char c) { return is_digit(c) || is_letter(c) || is_beyond_ascii(c); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether a colour sequence of a terminal, "\x1b[31m", ends before `at`: its letter is of no word.
bool is_after_colour(std::string_view text, std::size_t at) {
  if (at == 0 || !is_letter(text[at - 1])) return false;
  std::size_t begin = at - 1;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == ';')) --begin;
  return text.substr(0, begin).ends_with("\x1b[");
}

char before(std::string_view text, std::size_t at) {
  return at == 0 || is_after_colour(text, at) ? ' ' : text[at - 1];
}
char behind(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : ' '; }

bool one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

std::size_t run_of(std::string_view text, std::size_t at, bool (*accepts)(char)) {
  std::size_t end = at;
  while (end < text.size() && accepts(text[end])) ++end;
  return end - at;
}

bool ends_url(char c) { return static_cast<unsigned char>(c) <= ' ' || one_of(c, "\"'<>`|\\^{}"); }

// "https://host/path"; 0: none begins here.
std::size_t url_at(std::string_view text, std::size_t at) {
  if (!is_letter(text[at]) || is_of_word(before(text, at))) return 0;
  const std::size_t scheme =
      run_of(text, at, [](char c) { return is_of_word(c) || one_of(c, "+.-"); });
  if (text.substr(at + scheme, 3) != "://") return 0;
  const std::size_t rest =
      run_of(text, at + scheme + 3, [](char c) { return !ends_url(c) && !one_of(c, ",;)]"); });
  return rest == 0 ? 0 : scheme + 3 + rest;
}

bool is_of_mail(char c) { return is_of_word(c) || one_of(c, "._%+-"); }
bool is_of_domain(char c) { return is_of_word(c) || one_of(c, ".-"); }

// "ann@example.org"; also what git names a remote by: "git@example.org:team/model.git".
std::size_t email_at(std::string_view text, std::size_t at) {
  if (!is_of_word(text[at]) || is_of_mail(before(text, at))) return 0;
  const std::size_t name = run_of(text, at, is_of_mail);
  if (behind(text, at + name) != '@') return 0;
  std::size_t domain = run_of(text, at + name + 1, is_of_domain);
  while (domain > 0 && one_of(text[at + name + domain], ".-")) --domain;
  if (domain == 0) return 0;
  std::size_t end = at + name + 1 + domain;
  const std::size_t remote = behind(text, end) != ':' ? 0 : run_of(text, end + 1, [](char c) {
    return is_of_mail(c) || c == '/';
  });
  if (text.substr(end, remote + 1).find('/') != std::string_view::npos) end += 1 + remote;
  return end - at;
}

// "10.0.0.5", alone.
std::size_t address_at(std::string_view text, std::size_t at) {
  if (!is_digit(text[at]) || is_of_word(before(text, at)) || before(text, at) == '.') return 0;
  std::size_t end = at;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && behind(text, end++) != '.') return 0;
    const std::size_t digits = run_of(text, end, is_digit);
    if (digits == 0 || digits > 3) return 0;
    int number = 0;
    for (std::size_t i = 0; i < digits; ++i) number = 10 * number + (text[end + i] - '0');
    if (number > 255) return 0;
    end += digits;
  }
  const bool goes_on = is_of_word(behind(text, end)) ||
                       (behind(text, end) == '.' && is_digit(behind(text, end + 1)));
  return goes_on ? 0 : end - at;
}

bool is_of_path(char c) { return is_of_word(c) || one_of(c, "_.~@+-/%=$"); }

bool begins_path(std::string_view text, std::size_t at) {
  if (text[at] == '~') {
    return behind(text, at + 1) == '/' && !is_of_path(before(text, at));
  }
  if (text[at] != '/') return false;
  const std::string_view rest = text.substr(at);
  // As in -I/home/ann: what stands before it is no folder.
  for (const std::string_view home : kHomes) {
    if (rest.starts_with(home)) return true;
  }
  const char first = behind(text, at + 1);
  const bool apart = !is_of_word(before(text, at)) && !one_of(before(text, at), "_.~-/%})>");
  return apart && (is_of_word(first) || one_of(first, "_.~@+-$"));
}

// An absolute path, or one from the home folder; it ends at a blank, a quote, a bracket, a colon.
std::size_t path_at(std::string_view text, std::size_t at) {
  if (!begins_path(text, at)) return 0;
  std::size_t end = at + 1;
  while (end < text.size()) {
    if (text.substr(end, 2) == "${") {
      const std::size_t close = text.find('}', end);
      if (close == std::string_view::npos) break;
      end = close + 1;
    } else if (is_of_path(text[end])) {
      ++end;
    } else if (text.substr(end, 2) == "\\ ") {  // a blank, as a shell wants it
      end += 2;
    } else {
      break;
    }
  }
  while (end > at + 1 && text[end - 1] == '.') --end;  // a sentence may end here
  constexpr std::size_t kShortest = 3;                 // "5 /s" is a rate
  return end - at < kShortest ? 0 : end - at;
}

}  // namespace

std::string_view name_of(Redactor::Kind kind) {
  static constexpr std::array<std::string_view, 7> kNames = {"host",  "user", "path",   "variable",
                                                             "email", "url",  "address"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::vector<std::string> users_in(std::string_view text) {
  std::vector<std::string> users;
  for (const std::string_view home : {kHomes[0], kHomes[1]}) {
    for (std::size_t at = text.find(home); at != std::string_view::npos; at = text.find(home, at)) {
      at += home.size();
      const std::size_t length =
          run_of(text, at, [](char c) { return is_of_word(c) || one_of(c, "_.-"); });
      if (length > 0) users.emplace_back(text.substr(at, length));
    }
  }
  return users;
}

void Redactor::know(Kind kind, const std::string& text) {
  const auto same = [&](const Known& known) { return known.text == text; };
  if (text.empty() || std::any_of(known_.begin(), known_.end(), same)) return;
  const auto longer = [](const Known& a, const Known& b) { return a.text.size() > b.text.size(); };
  const Known known{kind, text};
  known_.insert(std::upper_bound(known_.begin(), known_.end(), known, longer), known);
  for (const char c : {text.front(), lower(text.front())}) {
    begins_known_[static_cast<unsigned char>(c)] = true;
  }
}

const Redactor::Known* Redactor::known_at(std::string_view text, std::size_t at,
                                          std::initializer_list<Kind> kinds) const {
  if (!begins_known_[static_cast<unsigned char>(lower(text[at]))] &&
      !begins_known_[static_cast<unsigned char>(text[at])]) {
    return nullptr;
  }
  for (const Known& known : known_) {
    if (std::find(kinds.begin(), kinds.end(), known.kind) == kinds.end()) continue;
    const std::string_view piece = text.substr(at, known.text.size());
    if (piece.size() != known.text.size()) continue;
    const bool any_case = known.kind == Kind::kHost;
    const bool equal =
        std::equal(piece.begin(), piece.end(), known.text.begin(),
                   [&](char a, char b) { return a == b || (any_case && lower(a) == lower(b)); });
    if (!equal) continue;
    const bool begins = !is_of_word(piece.front()) || !is_of_word(before(text, at));
    const bool ends = !is_of_word(piece.back()) || !is_of_word(behind(text, at + piece.size()));
    if (begins && ends) return &known;
  }
  return nullptr;
}

std::string Redactor::token(Kind kind, const std::string& original) {
  const auto [at, is_new] = tokens_.try_emplace({kind, original});
  if (is_new) {
    at->second = '<' + std::string(name_of(kind)) + std::to_string(++counts_[kind]) + '>';
    replaced_.push_back({kind, original, at->second});
  }
  return at->second;
}

std::size_t Redactor::path_known_at(std::string_view text, std::size_t at) const {
  const Known* known = known_at(text, at, {Kind::kPath});
  if (known == nullptr) return 0;
  const std::size_t end = at + known->text.size();
  return known->text.size() + (behind(text, end) == '/' ? run_of(text, end, is_of_path) : 0);
}

// Names of hosts and users come last: they are parts of the others.
std::string Redactor::redact(std::string_view text, Values values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto take = [&](Kind kind, std::size_t length) {
      out += token(kind, std::string(text.substr(at, length)));
      at += length;
    };
    const auto take_known = [&](const Known& known) {
      out += token(known.kind, known.text);
      at += known.text.size();
    };
    const Known* variable =
        values == Values::kLeave ? nullptr : known_at(text, at, {Kind::kVariable});
    if (const std::size_t known_path = path_known_at(text, at)) {
      take(Kind::kPath, known_path);
    } else if (variable != nullptr) {
      take_known(*variable);
    } else if (const std::size_t url = url_at(text, at)) {
      take(Kind::kUrl, url);
    } else if (const std::size_t email = email_at(text, at)) {
      take(Kind::kEmail, email);
    } else if (const std::size_t path = path_at(text, at)) {
      take(Kind::kPath, path);
    } else if (const std::size_t address = address_at(text, at)) {
      take(Kind::kAddress, address);
    } else if (const Known* known = known_at(text, at, {Kind::kHost, Kind::kUser})) {
      take_known(*known);
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace stepbench::text
