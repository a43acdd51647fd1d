// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/nsight_database.h"

#include <charconv>
#include <limits>

#include "harness/base/error.h"
#include "harness/text/utf8.h"

namespace stepbench::trace {

std::int32_t nsight::small_of(const ForeignDatabase::Row& row, std::size_t column,
                              std::int32_t absent) {
  const std::int64_t value = row.integer_or(column, absent);
  return value < 0 || value > std::numeric_limits<std::int32_t>::max()
             ? absent
             : static_cast<std::int32_t>(value);
}

NsightDatabase::NsightDatabase(const std::filesystem::path& path) : database_(path) {
  using namespace nsight;
  const bool any =
      database_.has("StringIds") && (has(kKernels) || has(kCalls) || has(kRanges) || has(kGraphs) ||
                                     database_.has("TARGET_INFO_SESSION_START_TIME"));
  if (!any) {
    throw ConfigError(path,
                      database_.has("StringTable")
                          ? "is a database of nvprof; only exports of Nsight Systems are read"
                          : "is a SQLite database, but not an export of Nsight Systems: it has no "
                            "table StringIds with CUPTI_ACTIVITY_KIND_KERNEL or NVTX_EVENTS");
  }
  database_.read("StringIds", {"id", "value"}, [this](const ForeignDatabase::Row& row) {
    const std::optional<std::int64_t> id = row.integer(0);
    std::optional<std::string> text = row.text(1);
    if (id && text) texts_.emplace(*id, text::to_valid_utf8(*text));
  });
}

void NsightDatabase::read(std::string_view table, const std::vector<std::string_view>& columns,
                          const std::function<void(const ForeignDatabase::Row&)>& on_row,
                          ForeignDatabase::Order order) const {
  database_.read(table_of(table), columns, on_row, order);
}

std::string NsightDatabase::text_of(const std::optional<std::int64_t>& id,
                                    std::string_view absent) const {
  const auto found = id ? texts_.find(*id) : texts_.end();
  return found == texts_.end() ? std::string(absent) : found->second;
}

std::string NsightDatabase::table_of(std::string_view name) const {
  if (database_.has(name)) return std::string(name);
  std::string latest(name);
  int version = 0;
  for (const std::string& table : database_.tables()) {
    if (!table.starts_with(name)) continue;
    std::string_view rest = std::string_view(table).substr(name.size());
    if (!rest.starts_with("_V")) continue;
    rest.remove_prefix(2);
    int number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || end != rest.data() + rest.size() || number <= version) continue;
    version = number;
    latest = table;
  }
  return latest;
}
}  // namespace stepbench::trace
