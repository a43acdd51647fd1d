// SPDX-License-Identifier: Apache-2.0
// Messages between controller and worker: JSON lines on one inherited socket (fd 3,
// --control-fd=3), and reading and writing such lines. Controller: one `case`. Worker: hello,
// stage..., cycle..., samples..., ops..., then exactly one of launch|skipped|failed. Measurements
// (samples, ops, launch) are lines of a result file without the launch's key: record/ writes and
// reads them. For workers in other languages, harness/protocol/PROTOCOL.md specifies the format.
// codec.cpp encodes and decodes, channel.cpp transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/base/enum_names.h"
#include "harness/base/resolved_case.h"
#include "harness/record/rows.h"
#include "harness/rule.h"

namespace stepbench::json {
class LineParser;
}  // namespace stepbench::json

namespace stepbench::protocol {

struct VersionRange {
  int min = 1;
  int max = 1;
};
inline constexpr VersionRange kSupported{1, 3};
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

// Everything a worker needs; `stepbench-worker --case FILE` reads the same line from a file.
struct CaseMessage {
  VersionRange protocol = kSupported;
  ResolvedCase resolved;
  Pass pass = Pass::kTiming;
  int launch = 0;
  int rank = 0;
  int world = 1;
  bool smoke = false;
  std::string run_dir;
  std::string shared_memory_prefix;
};

struct Hello {
  VersionRange protocol;
  std::string build_id;
  std::string catalogue_digest;
  std::int64_t pid = 0;
  Fields software;  // torch, CUDA, compiler, ...
};

enum class Stage : std::uint8_t { kSetUp, kExercise, kWarmup, kActive, kTearDown };
constexpr EnumNames<5> names_of(Stage) {
  return {"set_up", "exercise", "warmup", "active", "tear_down"};
}

struct StageMessage {
  Stage stage;
  std::int64_t steps = 0;       // kActive: steps of the window; 0: as scheduled
  std::int64_t step_ns = 0;     // per step so far, including device work; 0: unknown
  std::string device_pci = {};  // "0000:17:00.0": device of the steps; empty: unknown
};

struct CycleMessage {  // end of a cycle's active window
  std::int64_t cycle = 0;
  std::int64_t steps = 0;
  std::int64_t mean_step_ns = 0;
};

struct SkippedMessage {
  std::string reason;
};

struct FailedMessage {
  std::string message;
  Stage stage;
};

using WorkerMessage =
    std::variant<Hello, StageMessage, CycleMessage, record::CycleSamples, ops::OpFrame,
                 record::LaunchReport, SkippedMessage, FailedMessage>;

// One line without its newline. Decoding throws Error describing the problem; '\n' or NUL must
// follow the line. Ignores unknown fields; an unknown kind is an error.
[[nodiscard]] std::string encode(const CaseMessage& message);
[[nodiscard]] std::string encode(const WorkerMessage& message);
[[nodiscard]] CaseMessage decode_case(std::string_view line);
[[nodiscard]] WorkerMessage decode_worker(std::string_view line);

// Reads the lines of one worker and reuses its memory between them. One thread.
class WorkerDecoder {
 public:
  WorkerDecoder();
  WorkerDecoder(const WorkerDecoder&) = delete;
  WorkerDecoder& operator=(const WorkerDecoder&) = delete;
  ~WorkerDecoder();
  [[nodiscard]] WorkerMessage decode(std::string_view line);

 private:
  std::unique_ptr<json::LineParser> parser_;
};

// The highest common version; throws Error with both ranges if there is none.
[[nodiscard]] int agree(VersionRange ours, VersionRange theirs);

// The lines of `WORKER check`: it reads facts and then cases, and answers each case.

[[nodiscard]] std::string encode(const RuleFacts& facts);
// Absent fields keep their defaults. Throws Error.
[[nodiscard]] RuleFacts decode_facts(std::string_view line);

// {"answer":"ok"} | {"answer":"skip","reason":"..."} | {"answer":"error","option":"...","reason":
// "..."}, each with "notes", "plan_notes", "schedule" and "options" unless they are empty.
[[nodiscard]] std::string encode(const CheckAnswer& answer);
// `options` has all that the rules changed, `schedule` nothing. Throws Error.
[[nodiscard]] CheckAnswer decode_answer(std::string_view line);

// Lines on a file descriptor. One thread per object.

// Writes all of `line` and a newline, blocking; handles EINTR and short writes. Returns false if
// the reader is gone (EPIPE, ECONNRESET); raises no SIGPIPE on a socket. Throws Error with the
// reason for other failures.
[[nodiscard]] bool write_line(int descriptor, std::string_view line);

// Splits a stream of bytes into lines; holds at most one unfinished line of `max_line_bytes`.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line_bytes = kMaxLineBytes) : limit_(max_line_bytes) {}

  void append(std::string_view bytes);
  // Returns the next whole line without its newline, valid until the next call of any member.
  // Throws Error if a line exceeds the limit.
  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] std::string_view rest() const;  // the unfinished line

 private:
  std::size_t limit_;
  std::string bytes_;
  std::size_t begin_ = 0;    // start of the current line
  std::size_t scanned_ = 0;  // searched up to here
};

// Blocking reader of lines.
class LineReader {
 public:
  explicit LineReader(int descriptor, std::size_t max_line_bytes = kMaxLineBytes)
      : descriptor_(descriptor), buffer_(max_line_bytes) {}
  // nullopt at the end of the stream; drops an unfinished last line. Throws Error.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  int descriptor_;
  LineBuffer buffer_;
};

}  // namespace stepbench::protocol
