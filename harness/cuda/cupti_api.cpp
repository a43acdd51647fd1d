// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cupti_api.h"

#include <dlfcn.h>

#include <array>

#include "harness/os/symbols.h"

namespace stepbench::cuda {
namespace {

// Values of CUPTI's enumerations that its calls take.
constexpr int kSystemThreadIds = 1;
constexpr std::uint8_t kOff = 0;

}  // namespace

std::variant<CuptiApi, std::string> load_cupti_api() {
  void* library = nullptr;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  }
  if (library == nullptr) return std::string("libtorch has loaded no CUPTI (libcupti)");
  os::Symbols symbols(library);
  CuptiApi api;
  api.version = symbols.find<int(std::uint32_t*)>("cuptiGetVersion");
  using Callback = void (*)(void*, int, std::uint32_t, const void*);
  auto* subscribe = symbols.find<int(void**, Callback, void*)>("cuptiSubscribe");
  api.subscribe = [subscribe](void** subscriber) {
    return subscribe(
        subscriber, [](void*, int, std::uint32_t, const void*) {}, nullptr);
  };
  api.unsubscribe = symbols.find<int(void*)>("cuptiUnsubscribe");
  api.register_timestamp =
      symbols.find<int(CuptiApi::Timestamp)>("cuptiActivityRegisterTimestampCallback");
  api.register_callbacks = symbols.find<int(CuptiApi::BufferRequested, CuptiApi::BufferCompleted)>(
      "cuptiActivityRegisterCallbacks");
  auto* thread_ids = symbols.find<int(int)>("cuptiSetThreadIdType");
  api.use_system_thread_ids = [thread_ids] { return thread_ids(kSystemThreadIds); };
  api.enable = symbols.find<int(std::uint32_t)>("cuptiActivityEnable");
  api.disable = symbols.find<int(std::uint32_t)>("cuptiActivityDisable");
  auto* runtime_call =
      symbols.find<int(std::uint32_t, std::uint8_t)>("cuptiActivityEnableRuntimeApi");
  api.ignore_runtime_call = [runtime_call](std::uint32_t callback) {
    return runtime_call(callback, kOff);
  };
  auto* driver_call =
      symbols.find<int(std::uint32_t, std::uint8_t)>("cuptiActivityEnableDriverApi");
  api.ignore_driver_call = [driver_call](std::uint32_t callback) {
    return driver_call(callback, kOff);
  };
  api.flush_all = symbols.find<int(std::uint32_t)>("cuptiActivityFlushAll");
  api.next_record =
      symbols.find<int(std::uint8_t*, std::size_t, void**)>("cuptiActivityGetNextRecord");
  api.dropped =
      symbols.find<int(void*, std::uint32_t, std::size_t*)>("cuptiActivityGetNumDroppedRecords");
  api.push =
      symbols.find<int(std::uint32_t, std::uint64_t)>("cuptiActivityPushExternalCorrelationId");
  api.pop =
      symbols.find<int(std::uint32_t, std::uint64_t*)>("cuptiActivityPopExternalCorrelationId");
  auto* callback_name =
      symbols.find<int(std::uint32_t, std::uint32_t, const char**)>("cuptiGetCallbackName");
  api.callback_name = [callback_name](std::uint32_t domain, std::uint32_t callback) {
    const char* name = nullptr;
    const int code = callback_name(domain, callback, &name);
    return code == kCuptiSuccess && name != nullptr ? std::string(name)
                                                    : "call " + std::to_string(callback);
  };
  auto* error_name = symbols.find<int(int, const char**)>("cuptiGetResultString");
  api.error_name = [error_name](int code) {
    const char* name = nullptr;
    return error_name(code, &name) == kCuptiSuccess && name != nullptr ? std::string(name)
                                                                       : std::string("CUPTI error");
  };
  if (!symbols.missing().empty()) return "libcupti has no " + symbols.missing();
  return api;
}

}  // namespace stepbench::cuda
