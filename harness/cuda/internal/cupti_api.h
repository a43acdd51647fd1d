// SPDX-License-Identifier: Apache-2.0
// The part of CUPTI that the collector calls, loaded at run time. Results are CUptiResult as
// integers; kinds and domains are the values of CUPTI's enumerations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace stepbench::cuda {

inline constexpr int kCuptiSuccess = 0;
inline constexpr int kCuptiInvalidKind = 21;
inline constexpr int kCuptiMaxLimitReached = 12;
inline constexpr int kCuptiQueueEmpty = 18;
inline constexpr int kCuptiMultipleSubscribers = 39;
inline constexpr int kCuptiUnknown = 999;  // also: no driver
inline constexpr int kCuptiInsufficientPrivileges = 35;
inline constexpr int kCuptiSystemThreadIds = 1;
inline constexpr std::uint32_t kCuptiFlushForced = 1;
inline constexpr std::uint32_t kCuptiCustom0 = 3;  // a kind of external correlation

struct CuptiApi {
  using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                   std::size_t* max_records);
  using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                   std::size_t size, std::size_t valid_size);
  using Timestamp = std::uint64_t (*)();

  std::function<int(std::uint32_t* version)> version;
  std::function<int(void** subscriber)> subscribe;
  std::function<int(void* subscriber)> unsubscribe;
  std::function<int(Timestamp)> register_timestamp;
  std::function<int(BufferRequested, BufferCompleted)> register_callbacks;
  std::function<int()> use_system_thread_ids;
  std::function<int(std::uint32_t kind)> enable;
  std::function<int(std::uint32_t kind)> disable;
  std::function<int(std::uint32_t callback)> ignore_runtime_call;
  std::function<int(std::uint32_t callback)> ignore_driver_call;
  std::function<int(std::uint32_t flags)> flush_all;
  std::function<int(std::uint8_t* buffer, std::size_t valid_size, void** record)> next_record;
  std::function<int(void* context, std::uint32_t stream, std::size_t* dropped)> dropped;
  std::function<int(std::uint32_t kind, std::uint64_t id)> push;
  std::function<int(std::uint32_t kind, std::uint64_t* id)> pop;
  std::function<std::string(std::uint32_t domain, std::uint32_t callback)> callback_name;
  std::function<std::string(int)> error_name;
};

// Uses only the library that libtorch has loaded: a second copy would compete for the device.
[[nodiscard]] std::variant<CuptiApi, std::string> load_cupti_api();

}  // namespace stepbench::cuda
