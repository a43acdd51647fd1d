// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/launcher_environment.h"

#include <algorithm>
#include <array>

#include "harness/text/secrets.h"

namespace stepbench::machine {
namespace {

constexpr std::array<std::string_view, 2> kDenied = {"CUDA_INJECTION64_PATH",
                                                     "NVTX_INJECTION64_PATH"};
constexpr std::array<std::string_view, 1> kDeniedPrefixes = {"KINETO_"};
constexpr std::array<std::string_view, 5> kRelevant = {"LD_PRELOAD", "LD_LIBRARY_PATH",
                                                       "LD_BIND_NOW", "NUMEXPR_NUM_THREADS",
                                                       "TOKENIZERS_PARALLELISM"};
constexpr std::array<std::string_view, 17> kRelevantPrefixes = {
    "OMP_",      "GOMP_",    "KMP_",    "MKL_",    "DNNL_",         "ONEDNN_",
    "OPENBLAS_", "CUDA_",    "CUBLAS_", "CUDNN_",  "NCCL_",         "GLOO_",
    "NVIDIA_",   "PYTORCH_", "TORCH_",  "MALLOC_", "GLIBC_TUNABLES"};

void set(Variables& variables, std::string_view name, std::string value) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& variable) { return variable.first == name; });
  if (found == variables.end()) {
    variables.emplace_back(name, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

// By default glibc returns the top of the heap to the kernel when a step frees its tensors and
// faults it in again in the next step: thousands of page faults per step or none, depending on the
// heap's layout. With these settings model steps keep freed memory. The first value is glibc's own
// upper limit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKeepFreedMemory = {
    {{"MALLOC_MMAP_THRESHOLD_", "33554432"}, {"MALLOC_TRIM_THRESHOLD_", "1099511627776"}}};

bool chooses_allocator(const Variables& variables) {
  return std::any_of(variables.begin(), variables.end(), [](const auto& variable) {
    return variable.first.starts_with("MALLOC_") || variable.first == "GLIBC_TUNABLES" ||
           variable.first == "LD_PRELOAD";
  });
}

}  // namespace

bool is_denied(std::string_view variable) {
  return std::find(kDenied.begin(), kDenied.end(), variable) != kDenied.end() ||
         std::any_of(kDeniedPrefixes.begin(), kDeniedPrefixes.end(),
                     [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

LauncherEnvironment launcher_environment(const Variables& inherited, const ResolvedCase& resolved) {
  LauncherEnvironment environment;
  for (const auto& [name, value] : inherited) {
    if (is_denied(name)) {
      environment.removed.push_back(name);
    } else {
      environment.variables.emplace_back(name, value);
    }
  }
  const auto threads = resolved.options.find("threads.intra_op");
  if (threads != resolved.options.end() && std::holds_alternative<std::int64_t>(threads->second)) {
    set(environment.variables, "OMP_NUM_THREADS", to_text(threads->second));
    set(environment.variables, "MKL_NUM_THREADS", to_text(threads->second));
  }
  if (resolved.has("model.kind") && !chooses_allocator(environment.variables)) {
    for (const auto& [name, value] : kKeepFreedMemory)
      set(environment.variables, name, std::string(value));
  }
  constexpr std::string_view kSection = "env.";
  for (const auto& [name, value] : resolved.options) {
    if (name.starts_with(kSection) && !is_null(value)) {
      set(environment.variables, std::string_view{name}.substr(kSection.size()), to_text(value));
    }
  }
  return environment;
}

Fields relevant_variables(const Variables& variables) {
  Fields fields;
  for (const auto& [name, value] : variables) {
    const std::string_view whole = name;
    const auto starts = [whole](std::string_view prefix) { return whole.starts_with(prefix); };
    if (std::find(kRelevant.begin(), kRelevant.end(), whole) != kRelevant.end() ||
        std::any_of(kRelevantPrefixes.begin(), kRelevantPrefixes.end(), starts)) {
      fields.emplace("env." + name, text::is_secret_name(name) ? std::string{text::kMask} : value);
    }
  }
  return fields;
}

}  // namespace stepbench::machine
