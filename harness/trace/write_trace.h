// SPDX-License-Identifier: Apache-2.0
// Writes a launch's trace as a Chrome trace in torch.profiler's format, for Perfetto,
// chrome://tracing, torch-tb-profiler and HolisticTraceAnalysis.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "harness/os/output_file.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// A path that ends in .gz is compressed. The file appears complete or not at all. Throws Error.
void write_trace(const Trace& trace, const std::filesystem::path& path);

// "worker.1700000000000.pt.trace.json.gz": readers find traces by this suffix.
[[nodiscard]] std::string trace_file_name(const std::string& worker, std::int64_t unix_ms,
                                          bool compressed);

// A large text file, written piece by piece and optionally compressed.

// The file is complete after commit(), and does not exist without it. Paths that end in .gz are
// written as gzip members of a few MiB each.
class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path& path);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();

  void commit();

  TraceFile& text(std::string_view piece) {
    if (piece.size() > room()) make_room(piece.size());
    if (piece.size() > room()) return write_through(piece);
    std::memcpy(end_, piece.data(), piece.size());
    end_ += piece.size();
    return *this;
  }
  template <std::integral Number>
  TraceFile& number(Number value) {
    constexpr std::size_t kMaxDigits = 24;
    if (room() < kMaxDigits) make_room(kMaxDigits);
    end_ = std::to_chars(end_, end_ + kMaxDigits, value).ptr;
    return *this;
  }
  // Nanoseconds as microseconds with three decimals.
  TraceFile& microseconds(std::int64_t ns) {
    if (ns < 0) {
      text("-");
      ns = -ns;
    }
    number(ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    const char digits[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    return text({digits, sizeof digits});
  }
  TraceFile& quoted(std::string_view piece);  // as a JSON string

 private:
  [[nodiscard]] std::size_t room() const {
    return static_cast<std::size_t>(buffer_.data() + buffer_.size() - end_);
  }
  void make_room(std::size_t bytes);
  TraceFile& write_through(std::string_view piece);
  void flush();

  struct Compressor;
  std::filesystem::path path_;
  os::OutputFile file_;
  std::string buffer_;
  char* end_ = nullptr;
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace stepbench::trace
