// SPDX-License-Identifier: Apache-2.0
// A minimal NVTX tool in place of Nsight: NVTX loads it through NVTX_INJECTION64_PATH, and it
// writes each range of each domain into the file named by STEPBENCH_NVTX_LOG, or, with
// STEPBENCH_NVTX_COUNTS set, only their counts.
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

namespace {

std::FILE* log_file() {
  static std::FILE* const file = std::fopen(std::getenv("STEPBENCH_NVTX_LOG"), "w");
  return file;
}

struct Counts {
  Counts() = default;
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;
  ~Counts() {
    if (!wanted) return;
    std::fprintf(log_file(), "domains %ld\nstrings %ld\nranges %ld\nopen %ld\ndeepest %ld\n",
                 domains, strings, ranges, open, deepest);
    std::fflush(log_file());
  }
  const bool wanted = std::getenv("STEPBENCH_NVTX_COUNTS") != nullptr;
  long domains = 0;
  long strings = 0;
  long ranges = 0;
  long open = 0;
  long deepest = 0;
};
Counts& counts() {
  static Counts one;
  return one;
}

// NVTX passes domains and strings back as handles; they are their texts.
const char* keep(const char* text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(text).c_str();
}

nvtxDomainHandle_t create(const char* name) {
  ++counts().domains;
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(keep(name)));
}
nvtxStringHandle_t register_string(nvtxDomainHandle_t, const char* text) {
  ++counts().strings;
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(keep(text)));
}
int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  ++counts().ranges;
  counts().deepest = std::max(counts().deepest, ++counts().open);
  if (counts().wanted) return 0;
  const char* text = attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED
                         ? reinterpret_cast<const char*>(attributes->message.registered)
                         : attributes->message.ascii;
  std::fprintf(log_file(), "%s push %s\n", reinterpret_cast<const char*>(domain), text);
  return 0;
}
int pop(nvtxDomainHandle_t domain) {
  --counts().open;
  if (counts().wanted) return 0;
  std::fprintf(log_file(), "%s pop\n", reinterpret_cast<const char*>(domain));
  std::fflush(log_file());
  return 0;
}

void name_thread(std::uint32_t, const char* name) {
  if (!counts().wanted) std::fprintf(log_file(), "thread %s\n", name);
}

template <typename Function>
void install(NvtxFunctionTable table, unsigned int size, unsigned int id, Function* function) {
  if (id < size && table[id] != nullptr) {
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) {
    return 0;
  }
  install(table, size, NVTX_CBID_CORE2_DomainCreateA, create);
  install(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  install(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push);
  install(table, size, NVTX_CBID_CORE2_DomainRangePop, pop);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) return 0;
  install(table, size, NVTX_CBID_CORE_NameOsThreadA, name_thread);
  return 1;
}
