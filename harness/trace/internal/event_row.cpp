// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/internal/event_row.h"

#include <cstring>

namespace stepbench::trace {
namespace {

// `key` must have the length of `wanted`, so that the compiler compares it in a few words.
template <std::size_t kSize>
bool same(std::string_view key, const char (&wanted)[kSize]) {
  return std::memcmp(key.data(), wanted, kSize - 1) == 0;
}

// Dispatches by length first, so that most keys need one comparison. kCount: unused argument.
Argument argument_of(std::string_view key) {
  const auto is = [&](const auto& wanted, Argument argument) {
    return same(key, wanted) ? argument : Argument::kCount;
  };
  switch (key.size()) {
    case 4:
      if (same(key, "grid")) return Argument::kGrid;
      if (same(key, "size")) return Argument::kBytes;
      return same(key, "Addr") ? Argument::kAddress : is("name", Argument::kName);
    case 5:
      if (same(key, "bytes")) return Argument::kBytes;
      if (same(key, "block")) return Argument::kBlock;
      return same(key, "Bytes") ? Argument::kMemoryBytes : is("dtype", Argument::kDtype);
    case 6:
      if (same(key, "device")) return Argument::kDevice;
      return same(key, "stream") ? Argument::kStream : is("Module", Argument::kModule);
    case 7:
      return is("context", Argument::kContext);
    case 8:
      return same(key, "Src Rank") ? Argument::kFromRank : is("Dst Rank", Argument::kToRank);
    case 9:
      return is("Device Id", Argument::kDeviceId);
    case 10:
      if (same(key, "Input Dims") || same(key, "Input dims")) return Argument::kInputDims;
      if (same(key, "Input type")) return Argument::kInputTypes;
      return same(key, "Call stack") ? Argument::kCallStack
                                     : is("Group size", Argument::kGroupSize);
    case 11:
      if (same(key, "External id") || same(key, "external id")) return Argument::kExternalId;
      return same(key, "correlation") ? Argument::kCorrelation
                                      : is("Device Type", Argument::kDeviceType);
    case 12:
      return is("warps per SM", Argument::kWarpsPerSm);
    case 13:
      if (same(key, "blocks per SM")) return Argument::kBlocksPerSm;
      if (same(key, "shared memory")) return Argument::kSharedMemory;
      if (same(key, "Fwd thread id")) return Argument::kForwardThread;
      return same(key, "graph node id") ? Argument::kGraphNode
                                        : is("In msg nelems", Argument::kInElements);
    case 14:
      if (same(key, "Total Reserved")) return Argument::kTotalReserved;
      return same(key, "wait_on_stream") ? Argument::kWaitOnStream
                                         : is("Out msg nelems", Argument::kOutElements);
    case 15:
      if (same(key, "Sequence number")) return Argument::kSequence;
      if (same(key, "Concrete Inputs")) return Argument::kConcreteInputs;
      return same(key, "Total Allocated") ? Argument::kTotalAllocated
                                          : is("Collective name", Argument::kCollective);
    case 16:
      return is("Module Hierarchy", Argument::kModule);
    case 18:
      return is("Process Group Name", Argument::kGroupName);
    case 19:
      return is("Process Group Ranks", Argument::kGroupRanks);
    case 20:
      return is("registers per thread", Argument::kRegisters);
    case 21:
      return is("wait_on_cuda_event_id", Argument::kEventId);
    case 25:
      if (same(key, "Process Group Description")) return Argument::kGroupDescription;
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
  if (!scanner.next(c)) return false;
  if (c == '}') {
    scanner.skip(1);
    return true;
  }
  std::string_view key;
  for (bool ended = false; !ended;) {
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

}  // namespace stepbench::trace
