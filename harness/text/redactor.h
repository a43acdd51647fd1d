// SPDX-License-Identifier: Apache-2.0
// Replaces what tells of whom and where a text is: host and user names, absolute paths, e-mail
// addresses, URLs, IP addresses, and values that it was told of. The same text has the same token
// everywhere, "<path1>", so that what was equal stays equal. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::text {

class Redactor {
 public:
  enum class Kind : std::uint8_t { kHost, kUser, kPath, kVariable, kEmail, kUrl, kAddress };
  struct Replaced {
    Kind kind;
    std::string original;
    std::string token;
  };
  // Whether values of variables are looked for: they may be common words, and in facts about the
  // machine a common word is none of them.
  enum class Values : bool { kLeave, kReplace };

  // From now on it is replaced wherever it stands as a word of its own; of a host in any case.
  void know(Kind kind, const std::string& text);

  [[nodiscard]] std::string redact(std::string_view text, Values values = Values::kReplace);
  // The token for a text that is one of this kind as a whole.
  [[nodiscard]] std::string token(Kind kind, const std::string& original);

  // In the order in which they were first met.
  [[nodiscard]] const std::vector<Replaced>& replaced() const { return replaced_; }

 private:
  struct Known {
    Kind kind;
    std::string text;
  };
  [[nodiscard]] const Known* known_at(std::string_view text, std::size_t at,
                                      std::initializer_list<Kind> kinds) const;
  // Bytes of a path that was told, with what lies below it; 0: none begins here.
  [[nodiscard]] std::size_t path_known_at(std::string_view text, std::size_t at) const;

  std::vector<Known> known_;  // the longest first
  std::array<bool, 256> begins_known_ = {};
  std::map<std::pair<Kind, std::string>, std::string> tokens_;
  std::map<Kind, std::size_t> counts_;
  std::vector<Replaced> replaced_;
};

// "host", "path", ...: what tokens are made of.
[[nodiscard]] std::string_view name_of(Redactor::Kind kind);

// Names of users in paths of home folders: /home/NAME, /Users/NAME.
[[nodiscard]] std::vector<std::string> users_in(std::string_view text);

}  // namespace stepbench::text
