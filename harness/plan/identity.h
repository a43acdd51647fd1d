// SPDX-License-Identifier: Apache-2.0
// case_id: identifies equal cases on every machine and in every version.
//
// The digest of one line "name=value\n" per option, ordered by name, for each option that is part
// of the identity, has a value, and differs from its identity_default. In values '\' and newline
// are written as \\ and \n. `device` enters by its class: cuda:1 is cuda.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::plan {

// The part of a catalogue that identity needs: the options of one shape, by name.
struct IdentityKey {
  std::string name;
  Value identity_default;
  // Slot in options that share those of the shape; other options are looked up by name.
  std::size_t slot = OptionValues::kNoSlot;
};
using IdentityKeys = std::vector<IdentityKey>;

// Returns the text of a value that enters the identity; nullopt if it is null or the default.
[[nodiscard]] std::optional<std::string> identity_text(std::string_view name, const Value& value,
                                                       const Value& identity_default);

[[nodiscard]] std::string case_id(const OptionValues& options, const IdentityKeys& keys);

}  // namespace stepbench::plan
