// SPDX-License-Identifier: Apache-2.0
#include "harness/base/resolved_case.h"

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench {
namespace {

const Value& find(const ResolvedCase& resolved, std::string_view name) {
  const Value* found = resolved.options.get(name);
  if (found == nullptr || is_null(*found)) {
    throw Error(formatted("option '{}' has no value in case {}", name, resolved.case_id));
  }
  return *found;
}

template <typename T>
const T& get(const ResolvedCase& resolved, std::string_view name, const char* wanted) {
  const Value& value = find(resolved, name);
  if (const T* typed = std::get_if<T>(&value)) return *typed;
  throw Error(formatted("option '{}' is not {}: {}", name, wanted, to_text(value)));
}

}  // namespace

bool ResolvedCase::has(std::string_view name) const {
  const Value* found = options.get(name);
  return found != nullptr && !is_null(*found);
}

bool ResolvedCase::flag(std::string_view name) const { return get<bool>(*this, name, "a boolean"); }

std::int64_t ResolvedCase::integer(std::string_view name) const {
  return get<std::int64_t>(*this, name, "an integer");
}

double ResolvedCase::number(std::string_view name) const {
  const Value& value = find(*this, name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return get<double>(*this, name, "a number");
}

const std::string& ResolvedCase::text(std::string_view name) const {
  return get<std::string>(*this, name, "a string");
}

bool ResolvedCase::flag_or(std::string_view name, bool otherwise) const {
  return has(name) ? flag(name) : otherwise;
}

std::int64_t ResolvedCase::integer_or(std::string_view name, std::int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}

double ResolvedCase::number_or(std::string_view name, double otherwise) const {
  return has(name) ? number(name) : otherwise;
}

std::string ResolvedCase::text_or(std::string_view name, std::string_view otherwise) const {
  return has(name) ? text(name) : std::string(otherwise);
}

}  // namespace stepbench
