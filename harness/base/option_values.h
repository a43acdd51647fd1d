// SPDX-License-Identifier: Apache-2.0
// The options of a case by name; cases share the values that they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/value.h"

namespace stepbench {

// Full option name -> value, ordered by name. Reads like a std::map, but an iterator yields a pair
// of references. Copies share the entries frozen by share(), so that a plan of a million cases
// stores only the options that differ. Concurrent reads are safe.
class OptionValues {
 public:
  using value_type = std::pair<std::string, Value>;
  using reference = std::pair<const std::string&, const Value&>;

  class const_iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = OptionValues::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = OptionValues::reference;
    using pointer = EntryPointer<reference>;

    const_iterator() = default;
    reference operator*() const;
    pointer operator->() const { return pointer(**this); }
    const_iterator& operator++();
    const_iterator operator++(int);
    bool operator==(const const_iterator& other) const {
      return frozen_ == other.frozen_ && added_ == other.added_;
    }

   private:
    friend class OptionValues;
    const_iterator(const OptionValues* values, std::size_t frozen, std::size_t added)
        : values_(values), frozen_(frozen), added_(added) {}
    [[nodiscard]] bool at_frozen() const;
    const OptionValues* values_ = nullptr;
    std::size_t frozen_ = 0;
    std::size_t added_ = 0;
  };
  using iterator = const_iterator;

  OptionValues() = default;
  OptionValues(std::initializer_list<value_type> values);
  explicit OptionValues(const Fields& values);
  explicit operator Fields() const;

  [[nodiscard]] const_iterator begin() const { return {this, 0, 0}; }
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] const_iterator find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return get(name) != nullptr; }
  [[nodiscard]] const Value* get(std::string_view name) const;  // null when absent
  [[nodiscard]] const Value& at(std::string_view name) const;   // throws Error when absent
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  // Inserts null if absent; the reference is valid until the next change.
  Value& operator[](std::string_view name);
  void insert_or_assign(std::string_view name, Value value) { (*this)[name] = std::move(value); }
  void emplace(std::string_view name, Value value);  // keeps an existing value
  std::size_t erase(std::string_view name);
  void share();  // freezes the entries: later copies cost only their own changes
  // True if every name was frozen by share(): slots are then offsets from begin().
  [[nodiscard]] bool is_shared() const { return frozen_ != nullptr && added_.empty(); }
  // Constant time. Also false for equal names that are not shared.
  [[nodiscard]] bool has_names_of(const OptionValues& other) const {
    return is_shared() && other.is_shared() && shares(other);
  }
  // Shares the frozen entries of `other` instead, if the names are the same: only differing values
  // then take memory.
  void share_with(const OptionValues& other);

  // Index of a name among the frozen entries, the same in all copies: a much quicker key than the
  // name. kNoSlot if the name is not frozen.
  static constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t slot(std::string_view name) const;
  [[nodiscard]] const Value& in_slot(std::size_t slot) const;
  Value& change_slot(std::size_t slot);
  void shrink_to_fit() { changed_.shrink_to_fit(); }  // releases spare capacity
  // True if the slots of both objects are interchangeable.
  [[nodiscard]] bool shares(const OptionValues& other) const { return frozen_ == other.frozen_; }

  bool operator==(const OptionValues& other) const;

 private:
  struct Frozen;
  struct Changed {
    std::uint32_t slot;
    Value value;
  };
  void flatten();

  std::shared_ptr<const Frozen> frozen_;
  std::vector<Changed> changed_;  // override frozen values; by slot
  // Bit slot % 64 is set if such a slot has a changed value: a quick check, as most have none.
  std::uint64_t changed_slots_ = 0;
  std::vector<value_type> added_;  // not frozen; by name
};

}  // namespace stepbench
