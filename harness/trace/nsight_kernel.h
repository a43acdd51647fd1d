// SPDX-License-Identifier: Apache-2.0
// A row of the kernels of an export of Nsight Systems. Pure; any thread.
#pragma once

#include <array>
#include <string_view>

#include "harness/trace/foreign_database.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// The first six are those of every table of the device.
inline constexpr std::array<std::string_view, 19> kNsightKernelColumns = {"start",
                                                                          "end",
                                                                          "deviceId",
                                                                          "streamId",
                                                                          "correlationId",
                                                                          "globalPid",
                                                                          "demangledName",
                                                                          "shortName",
                                                                          "gridX",
                                                                          "gridY",
                                                                          "gridZ",
                                                                          "blockX",
                                                                          "blockY",
                                                                          "blockZ",
                                                                          "registersPerThread",
                                                                          "staticSharedMemory",
                                                                          "dynamicSharedMemory",
                                                                          "contextId",
                                                                          "graphNodeId"};

// Its launch, and how far it fills the device, where the trace names that.
[[nodiscard]] KernelDetail nsight_kernel(const ForeignDatabase::Row& row, const Trace& trace);

}  // namespace stepbench::trace
