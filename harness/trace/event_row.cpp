// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/event_row.h"

namespace stepbench {
namespace {

// By length first: most keys need one comparison. kCount: nobody reads it.
Argument argument_of(std::string_view key) {
  const auto is = [&](std::string_view wanted, Argument argument) {
    return key == wanted ? argument : Argument::kCount;
  };
  switch (key.size()) {
    case 4:
      if (key == "grid") return Argument::kGrid;
      return key == "Addr" ? Argument::kAddress : is("name", Argument::kName);
    case 5:
      if (key == "bytes") return Argument::kBytes;
      if (key == "block") return Argument::kBlock;
      return key == "Bytes" ? Argument::kMemoryBytes : is("dtype", Argument::kDtype);
    case 6:
      if (key == "device") return Argument::kDevice;
      return key == "stream" ? Argument::kStream : is("Module", Argument::kModule);
    case 7:
      return is("context", Argument::kContext);
    case 9:
      return is("Device Id", Argument::kDeviceId);
    case 10:
      if (key == "Input Dims" || key == "Input dims") return Argument::kInputDims;
      if (key == "Input type") return Argument::kInputTypes;
      return key == "Call stack" ? Argument::kCallStack : is("Group size", Argument::kGroupSize);
    case 11:
      if (key == "External id" || key == "external id") return Argument::kExternalId;
      return key == "correlation" ? Argument::kCorrelation
                                  : is("Device Type", Argument::kDeviceType);
    case 12:
      return is("warps per SM", Argument::kWarpsPerSm);
    case 13:
      if (key == "blocks per SM") return Argument::kBlocksPerSm;
      if (key == "shared memory") return Argument::kSharedMemory;
      if (key == "Fwd thread id") return Argument::kForwardThread;
      return key == "graph node id" ? Argument::kGraphNode
                                    : is("In msg nelems", Argument::kInElements);
    case 14:
      if (key == "Total Reserved") return Argument::kTotalReserved;
      return key == "wait_on_stream" ? Argument::kWaitOnStream
                                     : is("Out msg nelems", Argument::kOutElements);
    case 15:
      if (key == "Sequence number") return Argument::kSequence;
      if (key == "Concrete Inputs") return Argument::kConcreteInputs;
      return key == "Total Allocated" ? Argument::kTotalAllocated
                                      : is("Collective name", Argument::kCollective);
    case 16:
      return is("Module Hierarchy", Argument::kModule);
    case 18:
      return is("Process Group Name", Argument::kGroupName);
    case 20:
      return is("registers per thread", Argument::kRegisters);
    case 21:
      return is("wait_on_cuda_event_id", Argument::kEventId);
    case 25:
      return is("est. achieved occupancy %", Argument::kOccupancy);
    case 33:
      return is("wait_on_cuda_event_record_corr_id", Argument::kEventCorrelation);
    default:
      return Argument::kCount;
  }
}

bool read_arguments(JsonScanner& scanner, EventRow& row) {
  char c = 0;
  if (!scanner.next(c)) return false;
  std::string_view value;
  if (c != '{') return scanner.value(value);
  scanner.skip(1);
  if (!scanner.next(c)) return false;
  if (c == '}') {
    scanner.skip(1);
    return true;
  }
  std::string_view key;
  for (bool ended = false; !ended;) {
    if (!scanner.key(key) || !scanner.value(value) || !scanner.separator('}', ended)) return false;
    const Argument which = argument_of(key);
    if (which == Argument::kCount) continue;
    row.arguments[static_cast<std::size_t>(which)] = value;
    row.present |= std::uint64_t{1} << static_cast<unsigned>(which);
  }
  return true;
}

std::string_view* field_of(EventRow& row, std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ts") return &row.start;
      return key == "ph" ? &row.phase : nullptr;
    case 3:
      if (key == "cat") return &row.category;
      if (key == "pid") return &row.pid;
      if (key == "tid") return &row.tid;
      return key == "dur" ? &row.duration : nullptr;
    case 4:
      return key == "name" ? &row.name : nullptr;
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
  if (!scanner.next(c)) return false;
  if (c == '}') {
    scanner.skip(1);
    return true;
  }
  std::string_view key;
  for (bool ended = false; !ended;) {
    if (!scanner.key(key)) return false;
    if (key == "args") {
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

}  // namespace stepbench
