// SPDX-License-Identifier: Apache-2.0
// Values of cudaDeviceAttr.
#pragma once

namespace stepbench::cuda {

inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kMaxSharedMemoryPerBlock = 8;
inline constexpr int kWarpSize = 10;
inline constexpr int kMaxRegistersPerBlock = 12;
inline constexpr int kMultiprocessors = 16;
inline constexpr int kMaxThreadsPerMultiprocessor = 39;
inline constexpr int kComputeMajor = 75;
inline constexpr int kComputeMinor = 76;

}  // namespace stepbench::cuda
