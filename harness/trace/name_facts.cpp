// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/name_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "harness/ops/launch_calls.h"
#include "harness/trace/communication_names.h"

namespace stepbench::trace {
namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// N of "ProfilerStep#N"; blanks are allowed around the '#'.
std::int64_t step_number(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep";
  if (!name.starts_with(kStep)) return -1;
  name.remove_prefix(kStep.size());
  const auto skip_blanks = [&] {
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
  };
  skip_blanks();
  if (!name.starts_with('#')) return -1;
  name.remove_prefix(1);
  skip_blanks();
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && number >= 0 ? number : -1;
}

MemoryKind memory_kind(std::string_view word) {
  if (word == "Pageable") return MemoryKind::kPageable;
  if (word == "Pinned") return MemoryKind::kPinned;
  return word == "Device"                      ? MemoryKind::kDevice
         : word == "Unknown" || word == "Host" ? MemoryKind::kUnknown
                                               : MemoryKind::kOther;
}

ops::CopyKind copy_kind(std::string_view word) {
  if (word == "HtoD" || word == "HtoA") return ops::CopyKind::kHostToDevice;
  if (word == "DtoH" || word == "AtoH") return ops::CopyKind::kDeviceToHost;
  if (word == "DtoD" || word == "AtoA" || word == "AtoD" || word == "DtoA") {
    return ops::CopyKind::kDeviceToDevice;
  }
  if (word == "HtoH") return ops::CopyKind::kHostToHost;
  return word == "PtoP" ? ops::CopyKind::kPeer : ops::CopyKind::kNone;
}

// "Memcpy HtoD (Pageable -> Device)"
void read_copy(std::string_view name, NameFacts& facts) {
  constexpr std::string_view kCopy = "Memcpy ";
  if (!name.starts_with(kCopy)) return;
  name.remove_prefix(kCopy.size());
  facts.copy = copy_kind(name.substr(0, name.find(' ')));
  const std::size_t open = name.find('(');
  const std::size_t arrow = name.find(" -> ");
  const std::size_t close = name.rfind(')');
  if (open == std::string_view::npos || arrow == std::string_view::npos || arrow < open ||
      close == std::string_view::npos || close < arrow) {
    return;
  }
  facts.from = memory_kind(name.substr(open + 1, arrow - open - 1));
  facts.to = memory_kind(name.substr(arrow + 4, close - arrow - 4));
}

// Level Zero and SYCL (ze, ur, pi), Ascend (acl) and MTIA, whose call names are similar.
CallClass call_class_of_others(std::string_view name) {
  constexpr std::array<std::string_view, 8> kBeginnings = {
      "ur", "ze", "pi", "acl", "synchronize", "runFunction", "enqueueCommand", "mtia"};
  if (std::none_of(kBeginnings.begin(), kBeginnings.end(),
                   [&](std::string_view each) { return name.starts_with(each); })) {
    return CallClass::kOther;
  }
  struct Words {
    CallClass call;
    std::array<std::string_view, 3> parts;
  };
  constexpr std::array<Words, 5> kWords = {
      {{CallClass::kLaunch, {"LaunchKernel", "KernelLaunch", "runFunction"}},
       {CallClass::kSynchronize, {"ynchronize", "QueueFinish", "EventWait"}},
       {CallClass::kCopy, {"emcpy", "MemoryCopy", "BufferCopy"}},
       {CallClass::kSet, {"emset", "MemoryFill", "BufferFill"}},
       {CallClass::kAllocate, {"Alloc", "Free", "alloc"}}}};
  for (const Words& words : kWords) {
    if (std::any_of(words.parts.begin(), words.parts.end(),
                    [&](std::string_view part) { return holds(name, part); })) {
      return words.call;
    }
  }
  return CallClass::kOther;
}

CallClass call_class(std::string_view name) {
  const std::string_view bare = name.substr(std::min(name.find_first_not_of('_'), name.size()));
  if (!bare.starts_with("cu") && !bare.starts_with("hip") && !bare.starts_with("hsa")) {
    return call_class_of_others(bare);
  }
  if (ops::starts_work(bare)) {
    return holds(bare, "GraphLaunch") ? CallClass::kGraphLaunch : CallClass::kLaunch;
  }
  if (holds(bare, "Synchronize")) return CallClass::kSynchronize;
  if (holds(bare, "Memcpy")) return CallClass::kCopy;
  if (holds(bare, "Memset")) return CallClass::kSet;
  constexpr std::array<std::string_view, 7> kAllocation = {
      "Malloc", "Free", "HostAlloc", "MemAlloc", "HostRegister", "HostUnregister", "MemCreate"};
  const bool allocates = std::any_of(kAllocation.begin(), kAllocation.end(),
                                     [&](std::string_view part) { return holds(bare, part); });
  return allocates ? CallClass::kAllocate : CallClass::kOther;
}

// "MmBackward" (2021), "MmBackward0" (current); not kernels or aten's own functions.
bool is_of_autograd(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  if (name.starts_with("autograd::engine::evaluate_function")) return true;
  if (name.starts_with("torch::autograd::")) return true;
  const std::size_t last = name.find_last_not_of(kDigits);
  return last != std::string_view::npos && name.substr(0, last + 1).ends_with("Backward");
}

// Tensor core kernel names of cuBLAS and cuDNN from Volta to Ampere. Later libraries use nvjet_*
// and wgmma, which do not show the type: see TraceLens and the plug-in's list.
bool uses_tensor_cores(std::string_view name) {
  constexpr std::array<std::string_view, 18> kParts = {"h884",
                                                       "s884",
                                                       "h1688",
                                                       "s1688",
                                                       "c1688",
                                                       "i1688",
                                                       "16816",
                                                       "i8816",
                                                       "i16832",
                                                       "hmma",
                                                       "imma",
                                                       "bmma",
                                                       "xmma_gemm",
                                                       "xmma_implicit_gemm",
                                                       "xmma_sparse_conv",
                                                       "xmma_warp_specialized",
                                                       "volta_h884",
                                                       "mma_tensor_op"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return holds(name, part); });
}

}  // namespace

std::string with_numbers_folded(std::string_view name) {
  std::string text;
  bool in_number = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && !in_number) text += '#';
    in_number = digit;
  }
  return text;
}

NameFacts facts_of_name(std::string_view name) {
  NameFacts facts;
  facts.step = step_number(name);
  facts.data_wait =
      name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#");
  facts.optimizer = name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#");
  const Exchanges exchanging = exchanges(name);
  facts.communication = exchanging == Exchanges::kYes;
  facts.perhaps_communication = exchanging == Exchanges::kAmbiguous;
  facts.autograd = is_of_autograd(name);
  facts.call = call_class(name);
  facts.tensor_core = uses_tensor_cores(name);
  read_copy(name, facts);
  facts.moves_memory = name.starts_with("MEMORY_COPY_") ||
                       name.starts_with("__amd_rocclr_copyBuffer") || name == "dma_request";
  facts.device_waits = name == "event_wait" || name == "event_record";
  facts.sets_memory = name.starts_with("__amd_rocclr_fillBuffer");
  return facts;
}

std::string_view iterator_class(std::string_view data_wait) {
  const std::size_t from = data_wait.find('#');
  if (from == std::string_view::npos) return {};
  const std::string_view rest = data_wait.substr(from + 1);
  return rest.substr(0, rest.rfind(".__next__"));
}

}  // namespace stepbench::trace
