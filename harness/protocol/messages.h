// SPDX-License-Identifier: Apache-2.0
// Messages between controller and worker: JSON lines on one inherited socket (fd 3,
// --control-fd=3). Controller: one `case`. Worker: hello, stage..., cycle..., samples..., ops...,
// then exactly one of launch|skipped|failed. Measurements (samples, ops, launch) are lines of a
// result file without the launch's key: record/ writes and reads them. For workers in other
// languages, harness/protocol/PROTOCOL.md specifies the format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "harness/base/enum_names.h"
#include "harness/base/resolved_case.h"
#include "harness/record/rows.h"

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

}  // namespace stepbench::protocol
