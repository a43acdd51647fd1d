// SPDX-License-Identifier: Apache-2.0
#include "harness/base/option_values.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "harness/base/error.h"

namespace stepbench {

// Entries sorted by name, with a hash table of their indices.
struct OptionValues::Frozen {
  explicit Frozen(std::vector<value_type> all)
      : entries(std::move(all)), table(std::bit_ceil(2 * entries.size() + 1), 0) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::size_t at = std::hash<std::string_view>{}(entries[i].first) & (table.size() - 1);
      while (table[at] != 0) at = (at + 1) & (table.size() - 1);
      table[at] = static_cast<std::uint32_t>(i + 1);
      names = names * 31 + std::hash<std::string_view>{}(entries[i].first);
    }
  }

  [[nodiscard]] std::size_t slot(std::string_view name) const {
    std::size_t at = std::hash<std::string_view>{}(name) & (table.size() - 1);
    for (; table[at] != 0; at = (at + 1) & (table.size() - 1)) {
      if (entries[table[at] - 1].first == name) return table[at] - 1;
    }
    return kNoSlot;
  }

  std::vector<value_type> entries;
  std::vector<std::uint32_t> table;  // index + 1; 0: free
  std::size_t names = 0;             // hash of all names
};

namespace {

template <typename Entries>
auto find_place(Entries& entries, std::string_view name) {
  return std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const auto& entry, std::string_view key) { return entry.first < key; });
}

std::uint64_t bit_of(std::size_t slot) { return std::uint64_t{1} << (slot % 64); }

template <typename Changes>
auto find_slot(Changes& changes, std::size_t slot) {
  return std::find_if(changes.begin(), changes.end(),
                      [slot](const auto& change) { return change.slot >= slot; });
}

}  // namespace

OptionValues::OptionValues(std::initializer_list<value_type> values) {
  for (const value_type& entry : values) emplace(entry.first, entry.second);
}

OptionValues::OptionValues(const Fields& values) : added_(values.begin(), values.end()) {}

OptionValues::operator Fields() const { return {begin(), end()}; }

bool OptionValues::const_iterator::at_frozen() const {
  if (!values_->frozen_ || frozen_ == values_->frozen_->entries.size()) return false;
  return added_ == values_->added_.size() ||
         values_->frozen_->entries[frozen_].first < values_->added_[added_].first;
}

OptionValues::reference OptionValues::const_iterator::operator*() const {
  if (at_frozen()) return {values_->frozen_->entries[frozen_].first, values_->in_slot(frozen_)};
  return {values_->added_[added_].first, values_->added_[added_].second};
}

OptionValues::const_iterator& OptionValues::const_iterator::operator++() {
  ++(at_frozen() ? frozen_ : added_);
  return *this;
}

OptionValues::const_iterator OptionValues::const_iterator::operator++(int) {
  const_iterator before = *this;
  ++*this;
  return before;
}

OptionValues::const_iterator OptionValues::end() const {
  return {this, frozen_ ? frozen_->entries.size() : 0, added_.size()};
}

OptionValues::const_iterator OptionValues::find(std::string_view name) const {
  const auto added = static_cast<std::size_t>(find_place(added_, name) - added_.begin());
  if (added < added_.size() && added_[added].first == name) {
    const auto frozen = frozen_ ? find_place(frozen_->entries, name) - frozen_->entries.begin() : 0;
    return {this, static_cast<std::size_t>(frozen), added};
  }
  const std::size_t place = slot(name);
  return place == kNoSlot ? end() : const_iterator{this, place, added};
}

const Value* OptionValues::get(std::string_view name) const {
  const std::size_t place = slot(name);
  if (place != kNoSlot) return &in_slot(place);
  const auto added = find_place(added_, name);
  return added == added_.end() || added->first != name ? nullptr : &added->second;
}

const Value& OptionValues::at(std::string_view name) const {
  const Value* value = get(name);
  if (value == nullptr) throw Error("no option '" + std::string(name) + "' in this case");
  return *value;
}

std::size_t OptionValues::size() const {
  return (frozen_ ? frozen_->entries.size() : 0) + added_.size();
}

std::size_t OptionValues::slot(std::string_view name) const {
  return frozen_ ? frozen_->slot(name) : kNoSlot;
}

const Value& OptionValues::in_slot(std::size_t slot) const {
  if ((changed_slots_ & bit_of(slot)) == 0) return frozen_->entries[slot].second;
  const auto changed = find_slot(changed_, slot);
  if (changed != changed_.end() && changed->slot == slot) return changed->value;
  return frozen_->entries[slot].second;
}

Value& OptionValues::change_slot(std::size_t slot) {
  constexpr std::size_t kUsualChanges = 24;
  if (changed_.empty()) changed_.reserve(kUsualChanges);
  changed_slots_ |= bit_of(slot);
  const auto changed = find_slot(changed_, slot);
  if (changed != changed_.end() && changed->slot == slot) return changed->value;
  return changed_
      .insert(changed, {static_cast<std::uint32_t>(slot), frozen_->entries[slot].second})
      ->value;
}

Value& OptionValues::operator[](std::string_view name) {
  const std::size_t place = slot(name);
  if (place != kNoSlot) return change_slot(place);
  const auto added = find_place(added_, name);
  if (added != added_.end() && added->first == name) return added->second;
  return added_.insert(added, {std::string(name), Value{}})->second;
}

void OptionValues::emplace(std::string_view name, Value value) {
  if (!contains(name)) (*this)[name] = std::move(value);
}

std::size_t OptionValues::erase(std::string_view name) {
  if (!contains(name)) return 0;
  flatten();
  added_.erase(find_place(added_, name));
  return 1;
}

void OptionValues::flatten() {
  if (!frozen_) return;
  added_ = std::vector<value_type>(begin(), end());
  frozen_.reset();
  changed_.clear();
  changed_slots_ = 0;
}

void OptionValues::share() {
  frozen_ = std::make_shared<const Frozen>(std::vector<value_type>(begin(), end()));
  changed_ = {};
  changed_slots_ = 0;
  added_ = {};
}

void OptionValues::share_with(const OptionValues& other) {
  if (!frozen_ || !other.frozen_ || !added_.empty()) return;
  const std::vector<value_type>& mine = frozen_->entries;
  const std::vector<value_type>& theirs = other.frozen_->entries;
  if (mine.size() != theirs.size() || frozen_->names != other.frozen_->names) return;
  std::vector<Changed> differing;
  auto changed = changed_.begin();
  for (std::size_t slot = 0; slot < mine.size(); ++slot) {
    const bool is_changed = changed != changed_.end() && changed->slot == slot;
    const Value& value = is_changed ? changed->value : mine[slot].second;
    if (value != theirs[slot].second) {
      differing.push_back({static_cast<std::uint32_t>(slot), value});
    }
    if (is_changed) ++changed;
  }
  changed_.assign(std::make_move_iterator(differing.begin()),
                  std::make_move_iterator(differing.end()));
  changed_.shrink_to_fit();
  changed_slots_ = 0;
  for (const Changed& each : changed_) changed_slots_ |= bit_of(each.slot);
  frozen_ = other.frozen_;
}

bool OptionValues::operator==(const OptionValues& other) const {
  return size() == other.size() && std::equal(begin(), end(), other.begin());
}

}  // namespace stepbench
