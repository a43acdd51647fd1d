// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/worker_main.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "harness/catalogue/digest.h"
#include "harness/catalogue/json.h"
#include "harness/error.h"
#include "harness/protocol/channel.h"
#include "harness/worker/arguments.h"
#include "harness/worker/check.h"
#include "harness/worker/defaults.h"
#include "harness/worker/launch.h"
#include "harness/worker/process.h"

namespace stepbench {
namespace {

constexpr int kUsageError = 2;

class Program {
 public:
  Program(const Catalogue& catalogue, std::span<const WorkloadType> workloads,
          std::span<InstrumentFactory* const> instruments, const WorkerFacts& facts)
      : catalogue_(catalogue), workloads_(workloads), instruments_(instruments), facts_(facts) {}

  int driven(int descriptor) const {
    become_a_worker();
    say_hello(descriptor);
    protocol::LineReader reader(descriptor);
    const auto line = reader.next();
    if (!line) throw ConfigError("--control-fd", "the other end said nothing");
    measure(*line, descriptor);
    return 0;
  }

  int case_file(const std::filesystem::path& file) const {
    std::ifstream in(file);
    if (!in) throw ConfigError(file.string(), "cannot be opened");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    say_hello(STDOUT_FILENO);
    measure(text, STDOUT_FILENO);
    return 0;
  }

 private:
  void send(int descriptor, const protocol::WorkerMessage& message) const {
    if (!protocol::write_line(descriptor, protocol::encode(message))) {
      throw Error("nobody reads what this worker says");
    }
  }

  void say_hello(int descriptor) const {
    send(descriptor,
         protocol::Hello{protocol::kSupported, build_id(), catalogue_digest(catalogue_), ::getpid(),
                         facts_.software == nullptr ? Fields{} : facts_.software()});
  }

  void measure(std::string_view line, int descriptor) const {
    protocol::CaseMessage message;
    try {
      message = protocol::decode_case(line);
      (void)protocol::agree(protocol::kSupported, message.protocol);
    } catch (const Error& error) {
      send(descriptor, protocol::FailedMessage{error.what(), protocol::Stage::kSetUp});
      return;
    }
    fill_defaults(message.resolved, catalogue_);
    const HostClock host_clock;
    const bool scripted = facts_.clock != nullptr;
    const Clock& clock = scripted ? *facts_.clock : host_clock;
    const std::int64_t began_ns = clock.now_ns() - (scripted ? 0 : process_age_ns());
    run_case(message, catalogue_, workloads_, instruments_, facts_, clock, began_ns,
             [&](const protocol::WorkerMessage& out) { send(descriptor, out); });
  }

  const Catalogue& catalogue_;
  std::span<const WorkloadType> workloads_;
  std::span<InstrumentFactory* const> instruments_;
  const WorkerFacts& facts_;
};

}  // namespace

int worker_main(int argc, char** argv, const Catalogue& catalogue,
                std::span<const WorkloadType> workloads,
                std::span<InstrumentFactory* const> instruments, const WorkerFacts& facts) {
  using Mode = WorkerArguments::Mode;
  try {
    const auto given = std::span<const char* const>(argv, static_cast<std::size_t>(argc));
    const WorkerArguments arguments = parse_worker_arguments(given.subspan(argc > 0 ? 1 : 0));
    const Program program(catalogue, workloads, instruments, facts);
    switch (arguments.mode) {
      case Mode::kHelp:
        std::cout << kWorkerHelp;
        return 0;
      case Mode::kDriven:
        return program.driven(arguments.control_descriptor);
      case Mode::kCaseFile:
        return program.case_file(arguments.case_file);
      case Mode::kDescribe:
        std::cout << to_json(catalogue) << '\n';
        return 0;
      case Mode::kCheck:
        check_cases(std::cin, std::cout, catalogue, workloads, facts.rules);
        return 0;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return kUsageError;
}

}  // namespace stepbench
