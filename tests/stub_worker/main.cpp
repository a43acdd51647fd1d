// SPDX-License-Identifier: Apache-2.0
// A worker with scripted steps, faults and time, for tests of plan, run and resume. A shell script
// that sets one of these variables and starts it counts as another build:
//   STUB_SLOWER=1.03     multiplies all times
//   STUB_LOSS=0.6        computes this loss in place of stub.loss
//   STUB_TORCH=2.10.0    reports this version of torch
//   STUB_MEMORY_MB=96    allocates more memory, so that variation between starts is small
//   STUB_LACKS=jitter    does not know this option of the section `stub`
//   STUB_AS=built_in     accepts the options of the real worker and runs its script
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/protocol/messages.h"
#include "harness/worker/worker_main.h"
#include "tests/stub_worker/catalogue.h"
#include "tests/stub_worker/faults.h"
#include "tests/stub_worker/stub_clock.h"
#include "tests/stub_worker/stub_workload.h"
#include "workloads/built_in.h"

namespace {

using namespace stepbench;

int control_descriptor(int argc, char** argv) {
  constexpr std::string_view kPrefix = "--control-fd=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    int descriptor = -1;
    if (argument.starts_with(kPrefix)) {
      std::from_chars(argument.data() + kPrefix.size(), argument.data() + argument.size(),
                      descriptor);
      return descriptor;
    }
  }
  return -1;
}

// Reads the case for worker_main() without taking it from the socket.
std::string peek_line(int descriptor) {
  std::vector<char> bytes(std::size_t{1} << 16);
  while (true) {
    const ssize_t got = ::recv(descriptor, bytes.data(), bytes.size(), MSG_PEEK);
    if (got <= 0) return {};
    const std::string_view seen(bytes.data(), static_cast<std::size_t>(got));
    const std::size_t newline = seen.find('\n');
    if (newline != std::string_view::npos) return std::string(seen.substr(0, newline));
    if (seen.size() == bytes.size()) return {};
    ::usleep(100);
  }
}

bool from_the_future(int descriptor) {
  if (descriptor < 0) return false;
  try {
    const auto message = protocol::decode_case(peek_line(descriptor));
    const Value* behaviour = message.resolved.options.get("stub.behaviour");
    return behaviour != nullptr && *behaviour == Value(std::string("future_protocol"));
  } catch (const std::exception&) {
    return false;  // worker_main reports the error
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

// Its times are scripted and independent of this machine.
Fields software() {
  Fields fields{{"stub", std::string("1")}, {"clock", std::string("scripted")}};
  if (std::string torch = variable("STUB_TORCH"); !torch.empty()) fields["torch"] = torch;
  return fields;
}

double slower() {
  const std::string text = variable("STUB_SLOWER");
  return text.empty() ? 1 : std::stod(text);
}

Catalogue known_catalogue() {
  if (variable("STUB_AS") == "built_in") return built_in_catalogue();
  Catalogue catalogue = stub_catalogue();
  const std::string lacking = variable("STUB_LACKS");
  for (Section& section : catalogue.sections) {
    if (section.name != "stub") continue;
    std::erase_if(section.options, [&](const Option& option) { return option.name == lacking; });
  }
  return catalogue;
}

}  // namespace

int main(int argc, char** argv) {
  const int descriptor = control_descriptor(argc, argv);
  if (from_the_future(descriptor)) {
    const protocol::Hello hello{{7, 9}, "future", "", ::getpid(), {}};
    (void)protocol::write_line(descriptor, protocol::encode(hello));
    hang();
  }
  StubClock clock(descriptor, slower());
  const Catalogue catalogue = known_catalogue();
  std::vector<WorkloadType> types;
  for (const WorkloadSpec& workload : catalogue.workloads) {
    types.push_back({workload.name, make_stub});
  }
  return worker_main(argc, argv, catalogue, types, {}, {.software = software, .clock = &clock});
}
