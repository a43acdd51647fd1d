// SPDX-License-Identifier: Apache-2.0
// Errors of JSON lines.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench::json {

// An unusable line: not JSON, not written by stepbench, of a later major version, or with a field
// of the wrong type.
class LineError : public Error {
 public:
  using Error::Error;
};

// A field holds a name unknown to this version.
class UnknownName : public LineError {
 public:
  UnknownName(std::string_view field, std::string_view name, const std::string& known)
      : LineError("field '" + std::string(field) + "' is '" + std::string(name) +
                  "'; known: " + known),
        field_(field),
        name_(name),
        known_(known) {}
  [[nodiscard]] const std::string& field() const { return field_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& known() const { return known_; }  // "timing, native"

 private:
  std::string field_;
  std::string name_;
  std::string known_;
};

}  // namespace stepbench::json
