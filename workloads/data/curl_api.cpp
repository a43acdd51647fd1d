// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/curl_api.h"

#include <dlfcn.h>

#include <type_traits>

#include "harness/os/symbols.h"

namespace stepbench::data {

std::variant<CurlApi, std::string> load_curl_api(std::span<const char* const> libraries) {
  void* loaded = nullptr;
  const char* name = "";
  for (const char* library : libraries) {
    name = library;
    loaded = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded != nullptr) break;
  }
  if (loaded == nullptr) {
    return "what lies behind an address is read by libcurl, and " + std::string(libraries.front()) +
           " is not installed: `apt install libcurl4`, or copy the shards to this machine";
  }
  os::Symbols symbols(loaded);
  CurlApi api;
  const auto fill = [&](auto& function, const char* symbol) {
    using Function = std::remove_pointer_t<std::remove_reference_t<decltype(function)>>;
    function = symbols.find<Function>(symbol);
  };
  fill(api.global_init, "curl_global_init");
  fill(api.version, "curl_version_info");
  fill(api.easy_init, "curl_easy_init");
  fill(api.easy_cleanup, "curl_easy_cleanup");
  fill(api.set, "curl_easy_setopt");
  fill(api.info, "curl_easy_getinfo");
  fill(api.pause, "curl_easy_pause");
  fill(api.error_text, "curl_easy_strerror");
  fill(api.append, "curl_slist_append");
  fill(api.free_list, "curl_slist_free_all");
  fill(api.multi_init, "curl_multi_init");
  fill(api.multi_cleanup, "curl_multi_cleanup");
  fill(api.add, "curl_multi_add_handle");
  fill(api.remove, "curl_multi_remove_handle");
  fill(api.perform, "curl_multi_perform");
  fill(api.poll, "curl_multi_poll");
  fill(api.message, "curl_multi_info_read");
  if (!symbols.missing().empty()) {
    return std::string(name) + " has no " + symbols.missing() +
           "(): `apt install libcurl4` brings one that has (7.66 or later)";
  }
  if (api.global_init(kCurlInitAll) != 0) return std::string(name) + " cannot be initialised";
  return api;
}

}  // namespace stepbench::data
