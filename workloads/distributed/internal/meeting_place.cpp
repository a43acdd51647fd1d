// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/internal/meeting_place.h"

#include <limits>
#include <string_view>

#include "harness/machine/devices.h"
#include "harness/os/text_file.h"

namespace stepbench::distributed {
namespace {

constexpr int kMaxRanks = 1 << 20;

int number_of(const machine::Variables& variables, std::string_view name, int most) {
  const auto number = os::parse_integer(machine::find_variable(variables, name).value_or(""));
  return number && *number >= 0 && *number <= most ? static_cast<int>(*number) : 0;
}

}  // namespace

MeetingPlace meeting_place(const machine::Variables* variables) {
  if (variables == nullptr) return {};
  return {.address = std::string(machine::find_variable(*variables, "MASTER_ADDR").value_or("")),
          .port = static_cast<std::uint16_t>(
              number_of(*variables, "MASTER_PORT", std::numeric_limits<std::uint16_t>::max())),
          .local_rank = number_of(*variables, "LOCAL_RANK", kMaxRanks),
          .agent_hosts_store =
              machine::find_variable(*variables, "TORCHELASTIC_USE_AGENT_STORE") == "True"};
}

}  // namespace stepbench::distributed
