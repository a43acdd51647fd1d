// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/rows.h"

namespace stepbench {

// "an array", "a string": for messages.
[[nodiscard]] std::string_view name_of(simdjson::dom::element_type type);

// Fields of one JSON object. An absent field has its default; one of another type throws LineError.
class Source {
 public:
  explicit Source(simdjson::dom::object object) : object_(object) {}

  [[nodiscard]] std::optional<simdjson::dom::element> find(std::string_view field) const;
  [[nodiscard]] std::string text(std::string_view field) const;
  [[nodiscard]] std::string needed_text(std::string_view field) const;
  [[nodiscard]] std::int64_t integer(std::string_view field, std::int64_t absent = 0) const;
  [[nodiscard]] int count(std::string_view field, int absent = 0) const;
  [[nodiscard]] bool flag(std::string_view field) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view field) const;
  [[nodiscard]] std::optional<simdjson::dom::object> object(std::string_view field) const;
  [[nodiscard]] Fields fields(std::string_view field) const;
  // Numbers by name; null stands for one that is not finite.
  [[nodiscard]] LaunchReport::Metrics numbers(std::string_view field) const;

 private:
  simdjson::dom::object object_;
};

// Throws LineError: the field must be `wanted` ("an integer") and is not.
[[noreturn]] void wrong_type(std::string_view field, std::string_view wanted,
                             simdjson::dom::element value);

}  // namespace stepbench
