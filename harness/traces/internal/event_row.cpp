// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/event_row.h"

#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <variant>

#include "harness/traces/internal/number_text.h"

namespace stepbench::traces {
namespace {

// `key` must have the length of `wanted`, so that the compiler compares it in a few words.
template <std::size_t kSize>
bool same(std::string_view key, const char (&wanted)[kSize]) {
  return std::memcmp(key.data(), wanted, kSize - 1) == 0;
}

using Target = std::variant<std::string_view RowArguments::*, std::uint64_t RowArguments::*,
                            std::int64_t RowArguments::*, std::int32_t RowArguments::*,
                            double RowArguments::*, std::int32_t (RowArguments::*)[3]>;

struct Argument {
  std::string_view key;
  Target target;
};

// Sorted by the length of the key.
constexpr Argument kArguments[] = {
    {"grid", &RowArguments::grid},
    {"size", &RowArguments::bytes},
    {"Addr", &RowArguments::address},
    {"name", &RowArguments::label},
    {"bytes", &RowArguments::bytes},
    {"block", &RowArguments::block},
    {"Bytes", &RowArguments::memory_bytes},
    {"dtype", &RowArguments::collective_type},
    {"device", &RowArguments::device},
    {"stream", &RowArguments::stream},
    {"Module", &RowArguments::module},
    {"context", &RowArguments::context},
    {"Src Rank", &RowArguments::from_rank},
    {"Dst Rank", &RowArguments::to_rank},
    {"Device Id", &RowArguments::device_id},
    {"Input Dims", &RowArguments::shapes},
    {"Input dims", &RowArguments::shapes},
    {"Input type", &RowArguments::types},
    {"Call stack", &RowArguments::stack},
    {"Group size", &RowArguments::group_size},
    {"External id", &RowArguments::external},
    {"external id", &RowArguments::external},
    {"correlation", &RowArguments::correlation},
    {"Device Type", &RowArguments::device_type},
    {"warps per SM", &RowArguments::warps_per_sm},
    {"blocks per SM", &RowArguments::blocks_per_sm},
    {"shared memory", &RowArguments::shared_memory_bytes},
    {"Fwd thread id", &RowArguments::forward_thread},
    {"In msg nelems", &RowArguments::in_elements},
    {"Total Reserved", &RowArguments::total_reserved},
    {"Out msg nelems", &RowArguments::out_elements},
    {"Sequence number", &RowArguments::sequence},
    {"Concrete Inputs", &RowArguments::concrete_inputs},
    {"Total Allocated", &RowArguments::total_allocated},
    {"Collective name", &RowArguments::collective_name},
    {"Module Hierarchy", &RowArguments::module},
    {"Process Group Name", &RowArguments::group_name},
    {"Process Group Ranks", &RowArguments::group_ranks},
    {"registers per thread", &RowArguments::registers_per_thread},
    {"Process Group Description", &RowArguments::group_description},
    {"est. achieved occupancy %", &RowArguments::occupancy_percent},
};

// First row of kArguments whose key has at least this length.
constexpr std::size_t kLongest = 25;
constexpr auto kFirstOfLength = [] {
  std::array<std::uint8_t, kLongest + 2> first = {};
  for (std::size_t length = 0; length < first.size(); ++length) {
    while (first[length] < std::size(kArguments) && kArguments[first[length]].key.size() < length) {
      ++first[length];
    }
  }
  return first;
}();

// Values of another type change nothing.
void parse(std::string_view raw, std::string_view& to) { to = raw; }
void parse(std::string_view raw, std::uint64_t& to) { to = unsigned_text(raw).value_or(to); }
void parse(std::string_view raw, std::int64_t& to) { to = integer_text(raw).value_or(to); }
void parse(std::string_view raw, double& to) { to = real_text(raw).value_or(to); }
void parse(std::string_view raw, std::int32_t& to) {
  const std::int64_t value = integer_text(raw).value_or(to);
  if (value >= -1 && value <= std::numeric_limits<std::int32_t>::max()) {
    to = std::int32_t(value);
  }
}
// "[216, 1, 1]"
void parse(std::string_view raw, std::int32_t (&to)[3]) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  for (std::int32_t& each : to) {
    while (at < end && (*at < '0' || *at > '9')) ++at;
    const auto [stop, error] = std::from_chars(at, end, each);
    if (error != std::errc{}) return;
    at = stop;
  }
}

void take_argument(std::string_view key, std::string_view value, EventRow& row) {
  if (key.size() > kLongest) return;
  for (std::size_t i = kFirstOfLength[key.size()]; i < kFirstOfLength[key.size() + 1]; ++i) {
    if (std::memcmp(key.data(), kArguments[i].key.data(), key.size()) != 0) continue;
    row.has_arguments = true;
    std::visit([&](auto member) { parse(value, row.arguments.*member); }, kArguments[i].target);
    return;
  }
}

bool read_arguments(JsonScanner& scanner, EventRow& row) {
  char c = 0;
  if (!scanner.next(c)) return false;
  std::string_view value;
  if (c != '{') return scanner.value(value);
  scanner.skip(1);
  bool ended = false;
  if (!scanner.first('}', ended)) return false;
  std::string_view key;
  while (!ended) {
    if (!scanner.key(key) || !scanner.value(value) || !scanner.separator('}', ended)) return false;
    take_argument(key, value, row);
  }
  return true;
}

std::string_view* field_of(EventRow& row, std::string_view key) {
  switch (key.size()) {
    case 2:
      if (same(key, "ts")) return &row.start;
      return same(key, "ph") ? &row.phase : nullptr;
    case 3:
      if (same(key, "cat")) return &row.category;
      if (same(key, "pid")) return &row.pid;
      if (same(key, "tid")) return &row.tid;
      return same(key, "dur") ? &row.duration : nullptr;
    case 4:
      return same(key, "name") ? &row.name : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

bool read_row(JsonScanner& scanner, EventRow& row) {
  row.clear();
  char c = 0;
  if (!scanner.next(c)) return false;
  std::string_view value;
  if (c != '{') {
    row.is_object = false;
    return scanner.value(value);
  }
  scanner.skip(1);
  bool ended = false;
  if (!scanner.first('}', ended)) return false;
  std::string_view key;
  while (!ended) {
    if (!scanner.key(key)) return false;
    if (key.size() == 4 && same(key, "args")) {
      if (!read_arguments(scanner, row)) return false;
    } else {
      if (!scanner.value(value)) return false;
      std::string_view* const field = field_of(row, key);
      if (field != nullptr) *field = value;
    }
    if (!scanner.separator('}', ended)) return false;
  }
  return true;
}

}  // namespace stepbench::traces
