// SPDX-License-Identifier: Apache-2.0
// The options of a case by name, sharing what equal cases have in common.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/value.h"

namespace stepbench {

// Full option name -> value, in order of names. Reads like a std::map. Copies share what share()
// froze, so that a plan of 100,000 cases keeps only the options in which they differ. Concurrent
// reads are fine.
class OptionValues {
 public:
  using Map = Fields;
  using value_type = std::pair<std::string, Value>;

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = OptionValues::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    const_iterator() = default;
    reference operator*() const { return *current(); }
    pointer operator->() const { return current(); }
    const_iterator& operator++();
    const_iterator operator++(int);
    bool operator==(const const_iterator& other) const = default;

   private:
    friend class OptionValues;
    const_iterator(const OptionValues* values, std::size_t base, std::size_t own)
        : values_(values), base_(base), own_(own) {}
    [[nodiscard]] pointer current() const;
    const OptionValues* values_ = nullptr;
    std::size_t base_ = 0;
    std::size_t own_ = 0;
  };
  using iterator = const_iterator;

  OptionValues() = default;
  OptionValues(std::initializer_list<value_type> values);
  // NOLINTBEGIN(google-explicit-constructor): the same thing in another shape
  OptionValues(const Map& values);
  operator Map() const;
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const_iterator begin() const { return {this, 0, 0}; }
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] const_iterator find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return get(name) != nullptr; }
  [[nodiscard]] const Value* get(std::string_view name) const;  // null when absent
  [[nodiscard]] const Value& at(std::string_view name) const;   // throws Error when absent
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  // Inserts null; the reference lives until the next change.
  Value& operator[](std::string_view name);
  void insert_or_assign(std::string_view name, Value value) { (*this)[name] = std::move(value); }
  void emplace(std::string_view name, Value value);  // keeps an existing value
  std::size_t erase(std::string_view name);
  void share();  // freezes what is here: later copies cost only their own changes

  bool operator==(const OptionValues& other) const;

 private:
  using Entries = std::vector<value_type>;  // sorted by name
  [[nodiscard]] const Entries& base() const;
  void flatten();

  std::shared_ptr<const Entries> base_;
  Entries own_;  // wins over base_
};

}  // namespace stepbench
