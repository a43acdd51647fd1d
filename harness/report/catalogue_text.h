// SPDX-License-Identifier: Apache-2.0
// The catalogue for people: workloads and all options with their meaning.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace stepbench::report {

// Display name of the section without a name.
inline constexpr std::string_view kTopLevel = "top-level";

// "device_busy_ns (ns, by cupti)"
[[nodiscard]] std::string metric_head(const Metric& metric);

[[nodiscard]] std::string overview_text(const Catalogue& catalogue, std::size_t width);
[[nodiscard]] std::string workload_text(const WorkloadSpec& workload, const Catalogue& catalogue,
                                        std::size_t width);
[[nodiscard]] std::string section_text(const Section& section, std::size_t width);
[[nodiscard]] std::string option_text(const Option& option, const std::string& full_name,
                                      std::size_t width);

[[nodiscard]] std::string section_markdown(const Section& section);
[[nodiscard]] std::string catalogue_markdown(const Catalogue& catalogue);

}  // namespace stepbench::report
