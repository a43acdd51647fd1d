// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/torch_software.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/version.h>

#include <string>

#include "harness/cuda/cuda_api.h"
#include "harness/machine/devices.h"
#include "workloads/step/torch_errors.h"

namespace stepbench::step {
namespace {

std::string cudnn_version(long number) {  // 91900 -> "9.19.0"
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

// Not from CUDA's driver itself: querying it would initialise it before the loader forks. NVML,
// used if /proc does not have the version, initialises no device.
std::string driver_version() {
  const std::string version = machine::find_devices("/", machine::nvml_devices).driver_version;
  return version.empty() ? "none" : version;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Fields torch_software() {
  Fields fields;
  fields["torch"] = std::string(TORCH_VERSION);
  fields["compiler"] = std::string("g++ " __VERSION__);
  fields["cpu_capability"] = at::get_cpu_capability();
  fields["openmp"] = first_line(at::get_openmp_version());
  fields["mkl"] = at::hasMKL() ? first_line(at::get_mkl_version()) : std::string("none");
  fields["onednn"] = at::hasMKLDNN() ? first_line(at::get_mkldnn_version()) : std::string("none");
  fields["intra_op_threads"] = static_cast<std::int64_t>(at::get_num_threads());
  fields["inter_op_threads"] = static_cast<std::int64_t>(at::get_num_interop_threads());
  fields["cuda_driver"] = driver_version();
  with_torch_errors([&] {  // a mismatched driver is a problem of the machine
    const bool cuda = at::detail::getCUDAHooks().hasCUDART();
    fields["cuda_runtime"] =
        cuda ? cuda::cuda_version_text(static_cast<int>(at::detail::getCUDAHooks().versionCUDART()))
             : std::string("none");
    fields["cudnn"] = cuda && at::detail::getCUDAHooks().compiledWithCuDNN()
                          ? cudnn_version(at::detail::getCUDAHooks().versionCuDNN())
                          : std::string("none");
  });
  return fields;
}

void set_torch_threads(int intra_op, int inter_op) {
  if (intra_op > 0) at::set_num_threads(intra_op);
  if (inter_op > 0 && static_cast<std::size_t>(inter_op) != at::get_num_interop_threads())
    at::set_num_interop_threads(inter_op);
}

}  // namespace stepbench::step
