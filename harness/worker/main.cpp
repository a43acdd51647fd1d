// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/worker_main.h"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/catalogue/json.h"
#include "harness/protocol/messages.h"
#include "harness/worker/internal/check.h"
#include "harness/worker/internal/launch.h"
#include "harness/worker/process.h"

namespace stepbench {
namespace {

// "my-worker describe", for messages.
std::string command_of(std::span<const char* const> argv) {
  if (argv.empty()) return "worker";
  std::string command = std::filesystem::path(argv.front()).filename().string();
  if (argv.size() > 1) command += std::string(" ") + argv[1];
  return command;
}

class Program {
 public:
  explicit Program(const worker::WorkerParts& parts) : parts_(parts) {}

  int run_controlled(int descriptor) const {
    worker::init_worker_process(descriptor);
    send_hello(descriptor);
    protocol::LineReader reader(descriptor);
    const auto line = reader.next();
    if (!line) throw ConfigError("--control-fd", "connection closed before a case was received");
    if (measure(*line, descriptor) > 1) {
      // Other ranks may still communicate with this one: stepbench closes the input once all have
      // ended.
      while (reader.next()) {
      }
    }
    return 0;
  }

  int case_file(const std::filesystem::path& file) const {
    std::ifstream in(file);
    if (!in) throw ConfigError(file.string(), "cannot be opened");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    send_hello(STDOUT_FILENO);
    static_cast<void>(measure(text, STDOUT_FILENO));
    return 0;
  }

  void show_data() const {
    if (parts_.facts.show_data == nullptr) {
      throw ConfigError("data", "this worker cannot show data");
    }
    std::string line;
    std::string request;
    if (!std::getline(std::cin, line) || !std::getline(std::cin, request)) {
      throw ConfigError("data", "expected a case and a request on standard input, one line each");
    }
    protocol::CaseMessage message = protocol::decode_case(line);
    worker::fill_defaults(message.resolved, parts_.catalogue);
    std::cout << parts_.facts.show_data(message.resolved, request, parts_.facts.python)
              << std::flush;
  }

 private:
  static void send(int descriptor, const protocol::WorkerMessage& message) {
    if (!protocol::write_line(descriptor, protocol::encode(message))) {
      throw Error("stepbench closed the control connection");
    }
  }

  void send_hello(int descriptor) const {
    send(descriptor,
         protocol::Hello{protocol::kSupported,
                         parts_.facts.build_id.empty() ? worker::build_id() : parts_.facts.build_id,
                         catalogue::catalogue_digest(parts_.catalogue), ::getpid(),
                         parts_.facts.software == nullptr ? Fields{} : parts_.facts.software()});
  }

  // Returns the number of ranks that measure the case.
  int measure(std::string_view line, int descriptor) const {
    protocol::CaseMessage message;
    try {
      message = protocol::decode_case(line);
      (void)protocol::agree(protocol::kSupported, message.protocol);
    } catch (const Error& error) {
      send(descriptor, protocol::FailedMessage{error.what(), protocol::Stage::kSetUp});
      return 1;
    }
    worker::fill_defaults(message.resolved, parts_.catalogue);
    const HostClock host_clock;
    const bool scripted = parts_.facts.clock != nullptr;
    const Clock& clock = scripted ? *parts_.facts.clock : host_clock;
    const std::int64_t began_ns = clock.now_ns() - (scripted ? 0 : worker::process_age_ns());
    worker::run_case(message, parts_, clock, began_ns,
                     [&](const protocol::WorkerMessage& out) { send(descriptor, out); });
    return message.world;
  }

  const worker::WorkerParts& parts_;
};

}  // namespace

int worker_main(int argc, char** argv, const Catalogue& catalogue,
                std::span<const WorkloadType> workloads,
                std::span<const InstrumentType> instruments, const WorkerFacts& facts) {
  using Mode = worker::WorkerArguments::Mode;
  const auto given = std::span<const char* const>(argv, static_cast<std::size_t>(argc));
  Failure failure;
  try {
    const worker::WorkerArguments arguments =
        worker::parse_worker_arguments(given.subspan(argc > 0 ? 1 : 0));
    const worker::WorkerParts parts{catalogue, workloads, instruments, facts};
    const Program program(parts);
    switch (arguments.mode) {
      case Mode::kHelp:
        std::cout << worker::kWorkerHelp;
        return 0;
      case Mode::kControlled:
        return program.run_controlled(arguments.control_descriptor);
      case Mode::kCaseFile:
        return program.case_file(arguments.case_file);
      case Mode::kDescribe:
        std::cout << catalogue::to_json(catalogue) << '\n';
        return 0;
      case Mode::kData:
        program.show_data();
        return 0;
      case Mode::kCheck:
        worker::check_cases(std::cin, std::cout, catalogue, workloads, facts.rules);
        return 0;
    }
  } catch (const std::exception& error) {
    failure = failure_of(error, command_of(given));
  } catch (...) {
    failure = unknown_failure(command_of(given));
  }
  std::cerr << failure.text << '\n';
  return failure.exit_status;
}

}  // namespace stepbench
