// SPDX-License-Identifier: Apache-2.0
// Values by name, for results of many launches, which report the same names: a set of names can be
// stored once for all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace stepbench {

// Names in order, without repetition. Not changed, because several objects may share them.
using SharedNames = std::shared_ptr<const std::vector<std::string>>;

// The sets of names seen so far. One thread.
class NamePool {
 public:
  // Returns the first set that was given with these names.
  [[nodiscard]] SharedNames first_like(const SharedNames& names) {
    return *seen_.insert(names).first;
  }

 private:
  struct ByNames {
    bool operator()(const SharedNames& a, const SharedNames& b) const { return *a < *b; }
  };
  std::set<SharedNames, ByNames> seen_;
};

// What operator-> of an iterator returns that has no entry to point to, but a pair of references.
template <typename Reference>
class EntryPointer {
 public:
  explicit EntryPointer(Reference entry) : entry_(entry) {}
  const Reference* operator->() const { return &entry_; }

 private:
  Reference entry_;
};

// Name -> value, ordered by name. Reads like a std::map, but an iterator yields a pair of
// references, valid until a name is added or removed, which takes as long as a copy of all names.
// A value; concurrent reads are safe.
template <typename T>
class NamedValues {
 public:
  using Map = std::map<std::string, T, std::less<>>;
  using value_type = std::pair<std::string, T>;
  using mapped_type = T;

  class const_iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = NamedValues::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = std::pair<const std::string&, const T&>;
    using pointer = EntryPointer<reference>;

    const_iterator() = default;
    reference operator*() const { return {(*of_->names_)[at_], of_->values_[at_]}; }
    pointer operator->() const { return pointer(**this); }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) { return {of_, at_++}; }
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }

   private:
    friend class NamedValues;
    const_iterator(const NamedValues* of, std::size_t at) : of_(of), at_(at) {}
    const NamedValues* of_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = const_iterator;

  NamedValues() = default;
  explicit NamedValues(Map values) {
    std::vector<std::string> names;
    names.reserve(values.size());
    values_.reserve(values.size());
    for (auto& [name, value] : values) {
      names.push_back(name);
      values_.push_back(std::move(value));
    }
    put(std::move(names));
  }
  template <typename Iterator>
  NamedValues(Iterator first, Iterator last) : NamedValues(Map(first, last)) {}
  NamedValues(std::initializer_list<typename Map::value_type> values) : NamedValues(Map(values)) {}

  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, values_.size()}; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] const_iterator find(std::string_view name) const {
    const std::size_t at = place_of(name);
    return is_at(at, name) ? const_iterator(this, at) : end();
  }
  [[nodiscard]] bool contains(std::string_view name) const { return is_at(place_of(name), name); }
  [[nodiscard]] const T& at(std::string_view name) const {
    const std::size_t at = place_of(name);
    if (!is_at(at, name)) throw Error("no value '" + std::string(name) + '\'');
    return values_[at];
  }

  // Inserts a default value if absent.
  T& operator[](std::string_view name) {
    const std::size_t at = place_of(name);
    if (!is_at(at, name)) {
      std::vector<std::string> all = names();
      all.emplace(all.begin() + static_cast<std::ptrdiff_t>(at), name);
      put(std::move(all));
      values_.emplace(values_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return values_[at];
  }
  void insert_or_assign(std::string_view name, T value) { (*this)[name] = std::move(value); }
  void emplace(std::string_view name, T value) {  // keeps an existing value
    if (!contains(name)) (*this)[name] = std::move(value);
  }
  void merge(const NamedValues& others) {  // keeps existing values
    for (const auto& [name, value] : others) emplace(name, value);
  }
  std::size_t erase(std::string_view name) {
    const std::size_t at = place_of(name);
    if (!is_at(at, name)) return 0;
    std::vector<std::string> all = names();
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    put(std::move(all));
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(at));
    return 1;
  }

  // Stores the names once for all objects with these names and this pool.
  void share_names(NamePool& pool) {
    if (names_ != nullptr) names_ = pool.first_like(names_);
  }

  bool operator==(const NamedValues& other) const {
    return values_ == other.values_ && names() == other.names();
  }

 private:
  [[nodiscard]] const std::vector<std::string>& names() const {
    static const std::vector<std::string> kNone;
    return names_ == nullptr ? kNone : *names_;
  }
  void put(std::vector<std::string> names) {
    names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  }
  [[nodiscard]] std::size_t place_of(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(names(), name, std::less<>{}) -
                                    names().begin());
  }
  [[nodiscard]] bool is_at(std::size_t place, std::string_view name) const {
    return place < values_.size() && names()[place] == name;
  }

  SharedNames names_;      // null: none
  std::vector<T> values_;  // one for each name
};

}  // namespace stepbench
