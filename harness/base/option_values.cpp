// SPDX-License-Identifier: Apache-2.0
#include "harness/base/option_values.h"

#include <algorithm>

#include "harness/base/error.h"

namespace stepbench {
namespace {

template <typename Entries>
auto lower_bound(Entries& entries, std::string_view name) {
  return std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const auto& entry, std::string_view key) { return entry.first < key; });
}

template <typename Entries>
std::size_t index_of(const Entries& entries, std::string_view name) {
  return static_cast<std::size_t>(lower_bound(entries, name) - entries.begin());
}

template <typename Entries>
bool holds(const Entries& entries, std::size_t index, std::string_view name) {
  return index < entries.size() && entries[index].first == name;
}

}  // namespace

OptionValues::OptionValues(std::initializer_list<value_type> values) {
  for (const value_type& entry : values) emplace(entry.first, entry.second);
}

OptionValues::OptionValues(const Map& values) : own_(values.begin(), values.end()) {}

OptionValues::operator Map() const { return {begin(), end()}; }

const OptionValues::Entries& OptionValues::base() const {
  static const Entries none;
  return base_ ? *base_ : none;
}

OptionValues::const_iterator::pointer OptionValues::const_iterator::current() const {
  const Entries& base = values_->base();
  const Entries& own = values_->own_;
  if (own_ == own.size()) return &base[base_];
  if (base_ == base.size()) return &own[own_];
  return base[base_].first < own[own_].first ? &base[base_] : &own[own_];
}

OptionValues::const_iterator& OptionValues::const_iterator::operator++() {
  const Entries& base = values_->base();
  const Entries& own = values_->own_;
  if (own_ == own.size()) {
    ++base_;
  } else if (base_ == base.size()) {
    ++own_;
  } else {
    const int order = base[base_].first.compare(own[own_].first);
    if (order <= 0) ++base_;
    if (order >= 0) ++own_;
  }
  return *this;
}

OptionValues::const_iterator OptionValues::const_iterator::operator++(int) {
  const_iterator before = *this;
  ++*this;
  return before;
}

OptionValues::const_iterator OptionValues::end() const {
  return {this, base().size(), own_.size()};
}

OptionValues::const_iterator OptionValues::find(std::string_view name) const {
  const std::size_t in_base = index_of(base(), name);
  const std::size_t in_own = index_of(own_, name);
  if (!holds(base(), in_base, name) && !holds(own_, in_own, name)) return end();
  return {this, in_base, in_own};
}

const Value* OptionValues::get(std::string_view name) const {
  const std::size_t in_own = index_of(own_, name);
  if (holds(own_, in_own, name)) return &own_[in_own].second;
  const std::size_t in_base = index_of(base(), name);
  return holds(base(), in_base, name) ? &base()[in_base].second : nullptr;
}

const Value& OptionValues::at(std::string_view name) const {
  const Value* value = get(name);
  if (value == nullptr) throw Error("no option '" + std::string(name) + "' in this case");
  return *value;
}

std::size_t OptionValues::size() const {
  return static_cast<std::size_t>(std::distance(begin(), end()));
}

Value& OptionValues::operator[](std::string_view name) {
  const auto place = lower_bound(own_, name);
  if (place != own_.end() && place->first == name) return place->second;
  const std::size_t in_base = index_of(base(), name);
  Value inherited = holds(base(), in_base, name) ? base()[in_base].second : Value{};
  return own_.insert(place, {std::string(name), std::move(inherited)})->second;
}

void OptionValues::emplace(std::string_view name, Value value) {
  if (!contains(name)) (*this)[name] = std::move(value);
}

std::size_t OptionValues::erase(std::string_view name) {
  if (!contains(name)) return 0;
  flatten();
  own_.erase(lower_bound(own_, name));
  return 1;
}

void OptionValues::flatten() {
  if (!base_) return;
  own_ = Entries(begin(), end());
  base_.reset();
}

void OptionValues::share() {
  base_ = std::make_shared<const Entries>(begin(), end());
  own_.clear();
  own_.shrink_to_fit();
}

bool OptionValues::operator==(const OptionValues& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

}  // namespace stepbench
