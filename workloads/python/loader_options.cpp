// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/loader_options.h"

namespace stepbench::python {

namespace py = pybind11;

py::dict options_for_python(const loader::LoaderOptions& options, const ResolvedCase& resolved) {
  py::dict given;
  given["batch_size"] =
      options.batch_size == 0 ? py::object(py::none()) : py::int_(options.batch_size);
  given["shuffle"] = options.shuffle;
  given["with_replacement"] = options.with_replacement;
  given["num_samples"] = options.num_samples;
  given["seed"] = options.seed;
  given["joined"] = options.joined;
  given["num_workers"] = options.num_workers;
  given["prefetch_factor"] = options.prefetch_factor;
  given["pin_memory"] = options.pin_memory;
  given["persistent_workers"] = options.persistent_workers;
  given["drop_last"] = options.drop_last;
  given["timeout_s"] = options.timeout_s;
  given["in_order"] = options.in_order;
  given["threads_per_worker"] = options.threads_per_worker;
  given["switch_interval_us"] = options.switch_interval_us;
  given["start_method"] = resolved.text_or("loader.start_method", "fork");
  given["sharing_strategy"] = resolved.text_or("loader.sharing_strategy", "");
  given["rank"] = options.rank;
  given["world"] = options.world;
  return given;
}

}  // namespace stepbench::python
