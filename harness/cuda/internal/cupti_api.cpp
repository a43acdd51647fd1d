// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/internal/cupti_api.h"

#include <dlfcn.h>

#include "harness/cuda/internal/cuda_calls.h"

namespace stepbench::cuda {
namespace {

constexpr std::uint8_t kOff = 0;

}  // namespace

std::variant<CuptiApi, std::string> load_cupti_api() {
  void* library = nullptr;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  }
  if (library == nullptr) return std::string("libtorch has loaded no CUPTI (libcupti)");
  os::Symbols symbols(library);
  const CuptiCalls calls(symbols);
  if (!symbols.missing().empty()) return "libcupti has no " + symbols.missing();
  CuptiApi api;
  api.version = calls.cuptiGetVersion;
  api.subscribe = [calls](void** subscriber) {
    return calls.cuptiSubscribe(
        subscriber, [](void*, int, std::uint32_t, const void*) {}, nullptr);
  };
  api.unsubscribe = calls.cuptiUnsubscribe;
  api.register_timestamp = calls.cuptiActivityRegisterTimestampCallback;
  api.register_callbacks = calls.cuptiActivityRegisterCallbacks;
  api.use_system_thread_ids = [calls] { return calls.cuptiSetThreadIdType(kCuptiSystemThreadIds); };
  api.enable = calls.cuptiActivityEnable;
  api.disable = calls.cuptiActivityDisable;
  api.ignore_runtime_call = [calls](std::uint32_t callback) {
    return calls.cuptiActivityEnableRuntimeApi(callback, kOff);
  };
  api.ignore_driver_call = [calls](std::uint32_t callback) {
    return calls.cuptiActivityEnableDriverApi(callback, kOff);
  };
  api.flush_all = calls.cuptiActivityFlushAll;
  api.next_record = calls.cuptiActivityGetNextRecord;
  api.dropped = calls.cuptiActivityGetNumDroppedRecords;
  api.push = calls.cuptiActivityPushExternalCorrelationId;
  api.pop = calls.cuptiActivityPopExternalCorrelationId;
  api.callback_name = [calls](std::uint32_t domain, std::uint32_t callback) {
    const char* name = nullptr;
    const int code = calls.cuptiGetCallbackName(static_cast<int>(domain), callback, &name);
    return code == kCuptiSuccess && name != nullptr ? std::string(name)
                                                    : "call " + std::to_string(callback);
  };
  api.error_name = [calls](int code) {
    const char* name = nullptr;
    return calls.cuptiGetResultString(code, &name) == kCuptiSuccess && name != nullptr
               ? std::string(name)
               : std::string("CUPTI error");
  };
  return api;
}

}  // namespace stepbench::cuda
