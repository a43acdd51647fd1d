// SPDX-License-Identifier: Apache-2.0
// A catalogue's options by name, and their values as texts: of a file, a command line or a case's
// identity. Immutable after construction; any thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/torch_names.h"

namespace stepbench::plan {

// Looks up a catalogue's options by full name. The catalogue must outlive it.
class OptionIndex {
 public:
  explicit OptionIndex(const Catalogue& catalogue);
  OptionIndex(const OptionIndex&) = delete;
  OptionIndex& operator=(const OptionIndex&) = delete;

  // Returns every declaration of the name: several if variants of one section share it. Empty if
  // unknown.
  [[nodiscard]] std::span<const Option* const> find(std::string_view full_name) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Returns the full names that `name` may mean: itself, else those that end in it, else torch's
  // names. An option that needs its section only matches by its end if no other does.
  [[nodiscard]] std::vector<std::string> meant(std::string_view name) const;
  // Resolves a name as people type it: a full name, the end of one, a key of an open section.
  // Throws Error with the nearest name if it is unknown, with all matches if it is ambiguous.
  [[nodiscard]] std::string resolve(std::string_view name) const;
  // Finds a name of torch, in full or, unless an option ends in it, by its end; null if unknown.
  // Ignores torch's names for options that the catalogue lacks.
  [[nodiscard]] const catalogue::TorchName* torch_name(std::string_view name) const;
  [[nodiscard]] const catalogue::TorchName* torch_name_in_full(std::string_view name) const;
  // True for a section that only torch has: "autocast".
  [[nodiscard]] bool is_torch_section(std::string_view name) const;
  // Suggests the alternative to a name without an option: "; define collate(samples) in ...". Empty
  // if unknown.
  [[nodiscard]] std::string elsewhere(std::string_view name) const;
  // Returns the full names of options with this name in other tools.
  [[nodiscard]] std::vector<std::string> called(std::string_view name) const;
  // Returns the full name of the option that an unknown key of a section ("": the top level) means:
  // by another tool's name in this section, the end of a longer name there, or the same name in
  // another section. Empty if there is none.
  [[nodiscard]] std::string same_word(std::string_view section, std::string_view key) const;
  // "unknown option 'loader.num_wrokers' (did you mean 'loader.num_workers'?)"
  [[nodiscard]] std::string unknown(std::string_view name) const;

  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
  // The declaration of `workload` with the catalogue's workloads as its choices.
  [[nodiscard]] const Option& workload_option() const { return workload_; }

 private:
  void add_torch_names();
  [[nodiscard]] std::vector<std::string> meant_of_ours(std::string_view name) const;
  // The full name of the section's option with the most similar key; empty if none is.
  [[nodiscard]] std::string similar_in(std::string_view section, std::string_view key) const;

  const Catalogue& catalogue_;
  Option workload_;
  Option open_;  // used for every key of an open section
  std::vector<const Option*> open_list_;
  std::map<std::string, std::vector<const Option*>, std::less<>> options_;
  std::vector<std::string> names_;
  std::vector<std::string> short_names_;  // options that need no section
  std::map<std::string_view, const catalogue::TorchName*> torch_;
};

[[nodiscard]] std::string full_name(std::string_view section, std::string_view option);
// True if every workload may use the section without declaring it.
[[nodiscard]] bool is_harness_section(std::string_view section);

// Parses the value of an option from the file or the command line. `text` is already interpolated;
// quoted text is never read as a number. Throws Error describing the expected value.
[[nodiscard]] Value parse_value(const Option& option, std::string_view text, bool quoted);

// The same for the first of `options` (one name in several variants) that accepts it.
[[nodiscard]] Value parse_value(std::span<const Option* const> options, std::string_view text,
                                bool quoted);

// Returns the text of a value that enters the identity; nullopt if it is null or the default.
[[nodiscard]] std::optional<std::string> identity_text(std::string_view name, const Value& value,
                                                       const Value& identity_default);

}  // namespace stepbench::plan
