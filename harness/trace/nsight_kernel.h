// SPDX-License-Identifier: Apache-2.0
// A kernel row of an Nsight Systems export. Pure; any thread.
#pragma once

#include <array>
#include <string_view>

#include "harness/trace/foreign_database.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// The first six columns are common to all device tables.
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

// The launch configuration and, if the trace describes the device, how far the kernel fills it.
[[nodiscard]] KernelDetail nsight_kernel(const ForeignDatabase::Row& row, const Trace& trace);

}  // namespace stepbench::trace
