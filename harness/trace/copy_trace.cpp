// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/copy_trace.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/trace/byte_source.h"

namespace stepbench::trace {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

void check_copy(const ReadingFacts& facts, const std::filesystem::path& to) {
  std::error_code ignored;
  if (facts.rows_end_at_byte == 0 || !std::filesystem::is_regular_file(facts.path, ignored)) {
    throw ConfigError(facts.path,
                      "is no JSON file that can be read again: rows can be added to a "
                      "trace of torch.profiler or of stepbench alone");
  }
  if (std::filesystem::equivalent(facts.path, to, ignored)) {
    throw ConfigError(to, "is the trace itself; name another file");
  }
}

}  // namespace

void copy_trace(const ReadingFacts& facts, const std::filesystem::path& to,
                const std::function<void(MoreRows&)>& add_rows) {
  check_copy(facts, to);
  ByteSource source(facts.path);
  TraceFile file(to);
  std::string buffer(kPieceBytes, ' ');
  std::uint64_t left = facts.rows_end_at_byte;
  const auto next = [&](std::uint64_t most) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(most, buffer.size()));
    return std::string_view(buffer.data(), source.read(buffer.data(), bytes));
  };
  while (left > 0) {
    const std::string_view piece = next(left);
    if (piece.empty()) break;
    file.text(piece);
    left -= piece.size();
  }
  std::string_view rest = next(kPieceBytes);
  if (left > 0 || !rest.starts_with(']')) {
    throw ConfigError(facts.path, "has changed since it was read");
  }
  MoreRows rows(file, facts.rows == 0);
  add_rows(rows);
  for (; !rest.empty(); rest = next(kPieceBytes)) file.text(rest);
  file.commit();
}

}  // namespace stepbench::trace
