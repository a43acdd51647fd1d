// SPDX-License-Identifier: Apache-2.0
// One element of traceEvents, taken apart: its fields as views of their text. Nothing is judged
// here; event_sink.h does.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/trace/json_scanner.h"

namespace stepbench::trace {

// Arguments that somebody reads; all others are passed over.
enum class Argument : std::uint8_t {
  kExternalId,
  kCorrelation,
  kDevice,
  kStream,
  kContext,
  kBytes,  // of a copy or a set
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
  kName,  // of a process or thread
  kCount
};

struct EventRow {
  // As written: strings with their quotation marks; empty where absent.
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

  std::uint64_t present = 0;  // bits by Argument
  std::array<std::string_view, static_cast<std::size_t>(Argument::kCount)> arguments;
  bool is_object = true;  // no other type has fields

  void clear() {
    phase = category = name = pid = tid = start = duration = {};
    present = 0;
    is_object = true;
  }
};

// Reads the row at which the scanner stands; false: see scanner.stop().
[[nodiscard]] bool read_row(JsonScanner& scanner, EventRow& row);

}  // namespace stepbench::trace
