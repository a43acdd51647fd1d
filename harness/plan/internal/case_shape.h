// SPDX-License-Identifier: Apache-2.0
// The shape of a case: which options it has, as its workload and variants declare. And its id,
// which identifies equal cases on every machine and in every version. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/plan/internal/settings.h"
#include "harness/plan/option_index.h"

namespace stepbench::plan {

// The case_id is the digest of one line "name=value\n" per option, ordered by name, for each option
// that is part of the identity, has a value, and differs from its identity_default. In values '\'
// and newline are written as \\ and \n. `device` enters by its class: cuda:1 is cuda.

// The part of a catalogue that identity needs: the options of one shape, by name.
struct IdentityKey {
  std::string name;
  Value identity_default;
  // Slot in options that share those of the shape; other options are looked up by name.
  std::size_t slot = OptionValues::kNoSlot;
};
using IdentityKeys = std::vector<IdentityKey>;

[[nodiscard]] std::string case_id(const OptionValues& options, const IdentityKeys& keys);

// The options that apply to one workload with one choice of variants, and their values outside a
// sweep. Cases of the same shape share it.
struct CaseShape {
  struct Declared {
    std::string name;
    const Option* option;  // null: a key of an open section
  };
  // An option with `requires`; slots are those of `base`.
  struct Demand {
    const Declared* declared;
    std::size_t slot;
    std::size_t needed_slot;  // kNoSlot: this shape lacks the required option
  };
  std::string workload;
  std::vector<Declared> options;  // sorted by name
  std::vector<Demand> demands;
  std::vector<std::string> missing;  // required options without a value in the file
  struct Choice {
    std::string selector;  // full name
    std::string variant;
    std::size_t slot;
  };
  std::vector<Choice> variants;
  OptionValues base;
  IdentityKeys identity;

  [[nodiscard]] const Declared* find(std::string_view name) const;
};

// Creates each shape once.
class CaseShapes {
 public:
  // `swept`: all names that a sweep sets; keys of open sections exist only by being named.
  CaseShapes(const OptionIndex& index, const Settings& settings, std::set<std::string> swept)
      : index_(index), settings_(settings), swept_(std::move(swept)) {}

  // Returns the shape of a case whose workload and selectors (data.kind) come from `chosen`, then
  // the file, then the defaults. Throws ConfigError if no workload is named.
  [[nodiscard]] const CaseShape& shape_of(const OptionValues& chosen);
  [[nodiscard]] const std::vector<const CaseShape*>& all() const { return order_; }

 private:
  [[nodiscard]] Value chosen_value(const OptionValues& chosen, const std::string& name,
                                   const Value& default_value) const;
  [[nodiscard]] std::unique_ptr<CaseShape> make(
      const std::string& workload, const std::map<std::string, std::string>& variants) const;
  void add_options(CaseShape& shape, const Section& section, std::string_view variant,
                   const std::vector<Option>& options) const;
  void add_open_keys(CaseShape& shape, const Section& section) const;

  const OptionIndex& index_;
  const Settings& settings_;
  std::set<std::string> swept_;
  std::map<std::string, std::unique_ptr<CaseShape>> shapes_;  // key: workload and variants
  std::vector<const CaseShape*> order_;
};

// Sets options to null whose requirements are not met, until nothing changes. `values` must start
// as a copy of shape.base. Appends to `nulled`.
void null_unmet(const CaseShape& shape, OptionValues& values,
                std::vector<const CaseShape::Declared*>& nulled);

}  // namespace stepbench::plan
