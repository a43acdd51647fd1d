// SPDX-License-Identifier: Apache-2.0
// One JSON text in which only numbers, keys and words of stepbench itself are left. One thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::runs {

struct Replaced {
  std::string original;
  std::string token;  // "<text1>"
};

// The same text has the same token everywhere, so that what was equal stays equal.
class Tokens {
 public:
  [[nodiscard]] const std::string& token(const std::string& original);
  // In the order in which they were first met.
  [[nodiscard]] const std::vector<Replaced>& replaced() const { return replaced_; }

 private:
  std::map<std::string, std::string> tokens_;
  std::vector<Replaced> replaced_;
};

// Texts that say nothing of anybody: "thread", "resnet18", "forward".
using KnownWords = std::set<std::string, std::less<>>;

// Every text becomes a token, but for what programs join by (ids, digests, times, names of metrics
// and options), facts of hardware and software, `known` texts where stepbench writes such ones,
// numbers and switches, and names of torch's and CUDA's operations. nullopt for a text that is no
// JSON.
[[nodiscard]] std::optional<std::string> redact_json(std::string_view json, const KnownWords& known,
                                                     Tokens& tokens);

}  // namespace stepbench::runs
