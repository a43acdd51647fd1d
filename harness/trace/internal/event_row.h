// SPDX-License-Identifier: Apache-2.0
// One element of traceEvents, split into views of its text; event_sink.h interprets them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/trace/internal/json_scanner.h"

namespace stepbench::trace {

// Arguments used by the reader; all others are skipped.
enum class Argument : std::uint8_t {
  kExternalId,
  kCorrelation,
  kDevice,
  kStream,
  kContext,
  kBytes,  // copy or set
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kBlocksPerSm,
  kWarpsPerSm,
  kOccupancy,
  kGraphNode,
  kInputDims,
  kInputTypes,
  kConcreteInputs,
  kSequence,
  kForwardThread,
  kModule,
  kCallStack,
  kDeviceType,
  kDeviceId,
  kMemoryBytes,
  kAddress,
  kTotalAllocated,
  kTotalReserved,
  kWaitOnStream,
  kEventId,
  kEventCorrelation,
  kCollective,
  kInElements,
  kOutElements,
  kGroupSize,
  kDtype,
  kGroupName,
  kGroupRanks,
  kGroupDescription,
  kFromRank,
  kToRank,
  kName,  // process or thread
  kCount
};

struct EventRow {
  // As written: strings include their quotation marks; empty if absent.
  std::string_view phase;
  std::string_view category;
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  std::string_view start;
  std::string_view duration;

  [[nodiscard]] std::string_view argument(Argument which) const {
    return has(which) ? arguments[static_cast<std::size_t>(which)] : std::string_view{};
  }
  [[nodiscard]] bool has(Argument which) const {
    return (present >> static_cast<unsigned>(which) & 1U) != 0;
  }
  [[nodiscard]] bool has_any_argument() const { return present != 0; }

  std::uint64_t present = 0;  // bit mask by Argument
  std::array<std::string_view, static_cast<std::size_t>(Argument::kCount)> arguments;
  bool is_object = true;  // only objects have fields

  void clear() {
    phase = category = name = pid = tid = start = duration = {};
    present = 0;
    is_object = true;
  }
};

// Reads the row at the scanner's position. Returns false on failure: see scanner.stop().
[[nodiscard]] bool read_row(JsonScanner& scanner, EventRow& row);

}  // namespace stepbench::trace
