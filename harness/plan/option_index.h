// SPDX-License-Identifier: Apache-2.0
// A catalogue's options by name. Immutable after construction; any thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/torch_names.h"

namespace stepbench::plan {

// A catalogue's options by full name. The catalogue must outlive it.
class OptionIndex {
 public:
  explicit OptionIndex(const Catalogue& catalogue);
  OptionIndex(const OptionIndex&) = delete;
  OptionIndex& operator=(const OptionIndex&) = delete;

  // Every declaration of the name: several when variants of one section share it. Empty when
  // unknown.
  [[nodiscard]] std::span<const Option* const> find(std::string_view full_name) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Full names that `name` may mean: itself, or those that end in it, or else what torch calls so.
  // An option that needs its section is meant by its end where no other is.
  [[nodiscard]] std::vector<std::string> meant(std::string_view name) const;
  // The full name for a name as people type it: a full one, the end of one, a key of an open
  // section. Throws Error with the nearest name when it is unknown, with all when it may be
  // several.
  [[nodiscard]] std::string resolve(std::string_view name) const;
  // What torch calls so, in full or, where no option of ours ends in it, by its end; null: nothing.
  // Names of options that the catalogue lacks are none.
  [[nodiscard]] const catalogue::TorchName* torch_name(std::string_view name) const;
  [[nodiscard]] const catalogue::TorchName* torch_name_in_full(std::string_view name) const;
  // A section that torch's names alone have: "autocast".
  [[nodiscard]] bool is_torch_section(std::string_view name) const;
  // Where that is said instead, for a name that no option has: "; define collate(samples) in ...".
  // Empty: not known.
  [[nodiscard]] std::string elsewhere(std::string_view name) const;
  // The full names of options that other tools call so.
  [[nodiscard]] std::vector<std::string> called(std::string_view name) const;
  // "unknown option 'loader.num_wrokers' (did you mean 'loader.num_workers'?)"
  [[nodiscard]] std::string unknown(std::string_view name) const;

  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
  // The declaration of `workload` with the catalogue's workloads as its choices.
  [[nodiscard]] const Option& workload_option() const { return workload_; }

 private:
  void add_torch_names();
  [[nodiscard]] std::vector<std::string> meant_of_ours(std::string_view name) const;

  const Catalogue& catalogue_;
  Option workload_;
  Option open_;  // stands for every key of an open section
  std::vector<const Option*> open_list_;
  std::map<std::string, std::vector<const Option*>, std::less<>> options_;
  std::vector<std::string> names_;
  std::vector<std::string> short_names_;  // those that need no section
  std::map<std::string_view, const catalogue::TorchName*> torch_;
};

[[nodiscard]] std::string full_name(std::string_view section, std::string_view option);
// Whether every workload may use the section without naming it.
[[nodiscard]] bool is_harness_section(std::string_view section);

}  // namespace stepbench::plan
