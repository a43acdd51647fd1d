// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/name_facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>

#include "harness/ops/op_log.h"
#include "harness/text/printable.h"

namespace stepbench::traces {
namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

using Parts = std::initializer_list<std::string_view>;

bool holds_any(std::string_view text, Parts parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return holds(text, part); });
}

bool begins_with_any(std::string_view text, Parts parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.starts_with(part); });
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

ops::CopyKind copy_kind(std::string_view word) {  // an array is in a device's memory
  std::string both(word);
  std::ranges::replace(both, 'A', 'D');
  return one_of<ops::CopyKind>(both).value_or(ops::CopyKind::kNone);
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
  if (!begins_with_any(name, {"ur", "ze", "pi", "acl", "synchronize", "runFunction",
                              "enqueueCommand", "mtia"})) {
    return CallClass::kOther;
  }
  if (holds_any(name, {"LaunchKernel", "KernelLaunch", "runFunction"})) return CallClass::kLaunch;
  if (holds_any(name, {"ynchronize", "QueueFinish", "EventWait"})) return CallClass::kSynchronize;
  if (holds_any(name, {"emcpy", "MemoryCopy", "BufferCopy"})) return CallClass::kCopy;
  if (holds_any(name, {"emset", "MemoryFill", "BufferFill"})) return CallClass::kSet;
  return holds_any(name, {"Alloc", "Free", "alloc"}) ? CallClass::kAllocate : CallClass::kOther;
}

CallClass call_class(std::string_view name) {
  const std::string_view bare = name.substr(std::min(name.find_first_not_of('_'), name.size()));
  if (!begins_with_any(bare, {"cu", "hip", "hsa"})) return call_class_of_others(bare);
  if (ops::starts_work(bare)) {
    return holds(bare, "GraphLaunch") ? CallClass::kGraphLaunch : CallClass::kLaunch;
  }
  if (holds(bare, "Synchronize")) return CallClass::kSynchronize;
  if (holds(bare, "Memcpy")) return CallClass::kCopy;
  if (holds(bare, "Memset")) return CallClass::kSet;
  return holds_any(bare, {"Malloc", "Free", "HostAlloc", "MemAlloc", "HostRegister",
                          "HostUnregister", "MemCreate"})
             ? CallClass::kAllocate
             : CallClass::kOther;
}

// "MmBackward" (2021), "MmBackward0" (current); not kernels or aten's own functions.
bool is_of_autograd(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  if (begins_with_any(name, {"autograd::engine::evaluate_function", "torch::autograd::"})) {
    return true;
  }
  const std::size_t last = name.find_last_not_of(kDigits);
  return last != std::string_view::npos && name.substr(0, last + 1).ends_with("Backward");
}

// Tensor core kernel names of cuBLAS and cuDNN from Volta to Ampere. Later libraries use nvjet_*
// and wgmma, which do not show the type: see TraceLens and the plug-in's list.
bool uses_tensor_cores(std::string_view name) {
  return holds_any(
      name, {"h884", "s884", "h1688", "s1688", "c1688", "i1688", "16816", "i8816", "i16832", "hmma",
             "imma", "bmma", "xmma_gemm", "xmma_implicit_gemm", "xmma_sparse_conv",
             "xmma_warp_specialized", "volta_h884", "mma_tensor_op"});
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
  facts.data_wait = begins_with_any(name, {"enumerate(DataLoader)#", "enumerate(DataPipe)#"});
  facts.optimizer = begins_with_any(name, {"Optimizer.step#", "Optimizer.zero_grad#"});
  const Exchanges exchanging = exchanges(name);
  facts.communication = exchanging == Exchanges::kYes;
  facts.perhaps_communication = exchanging == Exchanges::kAmbiguous;
  facts.autograd = is_of_autograd(name);
  facts.call = call_class(name);
  facts.tensor_core = uses_tensor_cores(name);
  read_copy(name, facts);
  facts.moves_memory =
      begins_with_any(name, {"MEMORY_COPY_", "__amd_rocclr_copyBuffer"}) || name == "dma_request";
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

namespace {

struct CommunicationName {
  std::string_view part;  // substring of the name
  std::string_view library;
  std::string_view source;   // file in the library's sources
  std::string_view version;  // or the year
};

constexpr std::string_view kTorch = "PyTorch";
constexpr std::string_view kTorchVersion = "2.8";
constexpr std::string_view kSymmetric = "c10d/symm_mem/CUDASymmetricMemoryOps.cu";
constexpr std::string_view kOneCcl = "oneCCL";
constexpr std::string_view kOneCclVersion = "2021.14";
constexpr std::string_view kFlashInfer = "TensorRT-LLM, FlashInfer";
constexpr std::string_view kFlashInferVersion = "FlashInfer 0.6.18";
constexpr std::string_view kAiter = "aiter";
constexpr std::string_view kAiterVersion = "0.1.20";

constexpr CommunicationName kKernelNames[] = {
    // DeepEP's kernels in this namespace are dispatch, combine and notify_dispatch.
    {"deep_ep::", "DeepEP", "csrc/kernels/legacy/intranode.cu", "1.2.1"},
    {"uccl::", "UCCL", "ep/src/intranode.cu", "2025"},
    {"mscclpp::", "MSCCL++", "src/core/include/execution_kernel.hpp", "0.10"},
    {"mscclKernel_", "RCCL", "src/include/msccl/msccl_kernel.h", "2.21"},
    {"allreduce8Read", "RCCL", "ext-src/mscclpp", "2.21"},
    {"nvshmem", "NVSHMEM", "src/device/comm", "3.4"},
    {"rocshmem", "rocSHMEM", "c10d/symm_mem/rocshmem_extension.cu", "2026-08"},
    {"_on_stream_kernel", "NVSHMEM", "src/host/stream/coll", "3.4"},
    {"symmetric_memory::", kTorch, "c10d/symm_mem/CUDASymmetricMemory.cu", kTorchVersion},
    {"one_shot_all_reduce", kTorch, kSymmetric, kTorchVersion},
    {"two_shot_all_reduce", kTorch, kSymmetric, kTorchVersion},
    {"multimem_", kTorch, kSymmetric, kTorchVersion},
    {"exchangeSplitAndOffset", kTorch, "c10d/symm_mem/nvshmem_extension.cu", kTorchVersion},
    {"allToAllV", kTorch, "c10d/symm_mem/nvshmem_extension.cu", kTorchVersion},
    {"hybridCubeMeshAllReduceKernel", kTorch, "c10d/intra_node_comm.cu", "2.4"},
    {"neShotAllReduceKernel", kFlashInfer, "customAllReduceKernels.cu", kFlashInferVersion},
    {"woShotAllReduceKernel", kFlashInfer, "customAllReduceKernels.cu", kFlashInferVersion},
    {"neshotAllreduce", kFlashInfer, "trtllm_mnnvl_allreduce.cuh", kFlashInferVersion},
    {"woshotAllreduce", kFlashInfer, "trtllm_mnnvl_allreduce.cuh", kFlashInferVersion},
    {"rmsNormLamport", kFlashInfer, "trtllm_mnnvl_allreduce.cuh", kFlashInferVersion},
    {"allreduce_fusion_kernel_", kFlashInfer, "trtllm_allreduce_fusion.cuh", kFlashInferVersion},
    {"moeA2A", kFlashInfer, "moeAlltoAllKernels.cu", kFlashInferVersion},
    {"moeAllToAllKernel", kFlashInfer, "trtllm_alltoall.cuh", kFlashInferVersion},
    {"cross_device_reduce_", "vLLM, SGLang, aiter", "csrc/custom_all_reduce.cuh", "vLLM 0.11"},
    {"allreduce_prototype_", "vLLM, aiter", "csrc/custom_quickreduce.cu", "vLLM 0.11"},
    {"allreduce_rmsnorm_prototype_", kAiter, "csrc/include/quick_all_reduce.cuh", kAiterVersion},
    {"reduce_scatter_cross_device_", kAiter, "csrc/include/custom_all_reduce.cuh", kAiterVersion},
    {"reduce_scatter_split_", kAiter, "csrc/include/custom_all_reduce.cuh", kAiterVersion},
    {"userbuffers_", "Transformer Engine", "comm_gemm_overlap/userbuffers/userbuffers.cu", "2.16"},
    {"Allreduce_small_kernel", kOneCcl, "allreduce/sycl/allreduce_small_sycl.hpp", kOneCclVersion},
    {"AllreduceMediumKernel", kOneCcl, "allreduce/sycl", kOneCclVersion},
    {"AllreduceLargeKernel", kOneCcl, "allreduce/sycl", kOneCclVersion},
    {"AllgatherMediumKernel", kOneCcl, "allgatherv/sycl", kOneCclVersion},
    {"AllgathervMediumKernel", kOneCcl, "allgatherv/sycl", kOneCclVersion},
    {"Allgatherv_small_kernel", kOneCcl, "allgatherv/sycl", kOneCclVersion},
    {"ReduceScatterMediumKernel", kOneCcl, "reduce_scatter/sycl", kOneCclVersion},
    {"ReduceScatterLarge", kOneCcl, "reduce_scatter/sycl", kOneCclVersion},
    {"Reduce_scatter_small_kernel", kOneCcl, "reduce_scatter/sycl", kOneCclVersion},
    {"and_distribute_to_remote_ranks", kOneCcl, "allreduce/sycl", kOneCclVersion},
    {"ather_from_remote_and_dist_", kOneCcl, "allreduce/sycl", kOneCclVersion},
    {"NoCopyKernel_", kOneCcl, "allreduce/sycl", kOneCclVersion},
};

// Case-insensitive: ncclDevKernel_, ncclSymkDevKernel_, ncclKernel_ and their wrappers.
constexpr CommunicationName kLibraryNames[] = {
    {"nccl", "NCCL, RCCL", "src/device/generate.py", "2.28"},
    {"rccl", "RCCL", "src/device", "2.21"},
    {"hccl", "HCCL", "torch_npu, habana", "2025"},
    {"xccl", kTorch, "c10d, of torch-xpu-ops", kTorchVersion},
    {"oneccl", kOneCcl, "src", kOneCclVersion},
};

// These kernels compute despite their names.
constexpr CommunicationName kComputingNames[] = {
    {"get_dispatch_layout", "DeepEP", "csrc/kernels/legacy/layout.cu", "1.2.1"},
    {"splitkv_combine", "FlashAttention", "csrc/flash_attn/src/flash_fwd_launch_template.h", "2.8"},
    {"FlashAttnFwdCombine", "FlashAttention", "hopper/flash_fwd_combine_kernel.h", "3"},
    {"mla_combine", "FlashMLA", "csrc/smxx/mla_combine.cu", "2025"},
};

template <std::size_t kRows>
bool names(const CommunicationName (&rows)[kRows], std::string_view text) {
  return std::ranges::any_of(rows,
                             [&](const CommunicationName& row) { return holds(text, row.part); });
}

// Strips return type, template arguments and parameters from "void
// vllm::cross_device_reduce_1stage<half, 2>(...)", because they name only what a kernel works with.
std::string_view callable_of(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kUnnamed)) i += kUnnamed.size();
    if (i < name.size() && i > 0 && (name[i] == '<' || name[i] == '(')) return name.substr(0, i);
  }
  return name;
}

// Matches whole words only: "moe_dispatch", "combineKernel".
bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t i = 0; i + word.size() <= text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool same = std::ranges::equal(rest.substr(1, word.size() - 1), word.substr(1)) &&
                      std::tolower(static_cast<unsigned char>(rest.front())) == word.front();
    if (!same) continue;
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool begins =
        i == 0 || !std::isalpha(static_cast<unsigned char>(text[i - 1])) || !is_lower(rest.front());
    const bool ends = rest.size() == word.size() || !is_lower(rest[word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

bool may_exchange(std::string_view callable) {
  std::string folded;
  for (const char c : callable) {
    if (c != '_') folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return holds_any(folded, {"allreduce", "allgather", "alltoall"}) ||
         holds_word(callable, "dispatch") || holds_word(callable, "combine");
}

}  // namespace

bool is_backend_row(std::string_view name) {
  return begins_with_any(name, {"nccl:", "gloo:", "hccl:", "xccl:", "mccl:", "mpi:", "ucc:"});
}

Exchanges exchanges(std::string_view name) {
  if (is_backend_row(name) || name == "record_param_comms") return Exchanges::kYes;
  // Operators and Python frames, which make up most of a trace's names, are not kernels.
  if (name.starts_with("aten::") || holds(name, ".py(")) {
    return Exchanges::kNo;
  }
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (names(kLibraryNames, lower)) return Exchanges::kYes;
  const std::string_view callable = callable_of(name);
  if (names(kComputingNames, callable)) return Exchanges::kNo;
  if (names(kKernelNames, callable)) return Exchanges::kYes;
  return may_exchange(callable) ? Exchanges::kAmbiguous : Exchanges::kNo;
}

bool is_tensor_core_eligible(std::string_view op) {
  // Sorted.
  constexpr std::array<std::string_view, 52> kOps = {
      "AddbmmBackward",
      "AddmmBackward",
      "AddmvBackward",
      "BmmBackward0",
      "CudnnConvolutionBackward",
      "CudnnConvolutionTransposeBackward",
      "MmBackward",
      "MvBackward",
      "aten::_convolution",
      "aten::_scaled_dot_product_cudnn_attention",
      "aten::_scaled_dot_product_cudnn_attention_backward",
      "aten::_scaled_dot_product_efficient_attention",
      "aten::_scaled_dot_product_efficient_attention_backward",
      "aten::_scaled_dot_product_flash_attention",
      "aten::_scaled_dot_product_flash_attention_backward",
      "aten::_thnn_fused_gru_cell",
      "aten::_thnn_fused_lstm_cell",
      "aten::addbmm",
      "aten::addmm",
      "aten::addmm_",
      "aten::addmv",
      "aten::addr",
      "aten::baddbmm",
      "aten::bmm",
      "aten::chain_matmul",
      "aten::conv1d",
      "aten::conv2d",
      "aten::conv3d",
      "aten::conv_tbc",
      "aten::conv_transpose1d",
      "aten::conv_transpose2d",
      "aten::conv_transpose3d",
      "aten::convolution",
      "aten::convolution_backward",
      "aten::cudnn_convolution",
      "aten::cudnn_convolution_backward",
      "aten::cudnn_convolution_backward_input",
      "aten::cudnn_convolution_backward_weight",
      "aten::cudnn_convolution_transpose",
      "aten::cudnn_convolution_transpose_backward",
      "aten::cudnn_convolution_transpose_backward_input",
      "aten::cudnn_convolution_transpose_backward_weight",
      "aten::gru_cell",
      "aten::linalg_multi_dot",
      "aten::linear",
      "aten::lstm_cell",
      "aten::matmul",
      "aten::mm",
      "aten::mv",
      "aten::prelu",
      "aten::rnn_relu_cell",
      "aten::rnn_tanh_cell"};
  return std::binary_search(kOps.begin(), kOps.end(), op);
}

bool probably_uses_tensor_cores(std::string_view kernel) {
  return holds_any(kernel, {"nvjet", "wgmma", "tensorop", "tensor16x8", "sm90_xmma", "xmma_fprop",
                            "xmma_dgrad", "xmma_wgrad"});
}

std::string readable_row_name(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (!name.starts_with(kVoid) || !name.ends_with(')')) return std::string(name);
  name.remove_prefix(kVoid.size());
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      name = name.substr(0, i);
      break;
    }
  }
  // Scopes are less informative than the name itself.
  constexpr std::array<std::string_view, 7> kScopes = {
      "at::native::", "at::cuda::", "(anonymous namespace)::", "at::detail::", "std::",
      "c10::",        "cub::"};
  std::string text;
  while (!name.empty()) {
    const auto scope = std::ranges::find_if(
        kScopes, [&](std::string_view each) { return name.starts_with(each); });
    const bool at_its_start =
        text.empty() ||
        (std::isalnum(static_cast<unsigned char>(text.back())) == 0 && text.back() != '_');
    if (scope != kScopes.end() && at_its_start) {
      name.remove_prefix(scope->size());
      continue;
    }
    text += name.front();
    name.remove_prefix(1);
  }
  return text;
}

std::string short_row_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  return text::shortened_inside(readable_row_name(name), kLongest);
}

std::vector<std::string> distinct_row_names(std::span<const std::string_view> names,
                                            std::size_t cells) {
  std::vector<std::string> readable;
  std::vector<std::string> cut;
  for (const std::string_view name : names) {
    readable.push_back(readable_row_name(name));
    cut.push_back(text::shortened_inside(readable.back(), cells));
  }
  text::keep_apart(readable, cells, cut);
  return cut;
}

std::string tensor_shapes(std::string_view shapes) {
  if (shapes.size() < 2) return std::string(shapes);
  std::string out;
  for (std::size_t open = shapes.find('[', 1); open != std::string_view::npos;) {
    const std::size_t close = shapes.find(']', open);
    if (close == std::string_view::npos) break;
    if (close > open + 1) {
      out += (out.empty() ? "" : " ") + std::string(shapes.substr(open, close - open + 1));
    }
    open = shapes.find('[', close);
  }
  return out;
}

}  // namespace stepbench::traces
