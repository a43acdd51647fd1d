// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/worker_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/temporary_folder.h"

namespace stepbench::test {
namespace {

namespace fs = std::filesystem;

struct Done {
  int status = 0;
  std::string output;
};

// The warm Python, for the lifetime of this program.
class Warm {
 public:
  static Warm& of_program() {
    static Warm warm;
    return warm;
  }

  // `what`: "script" or "worker", with its file.
  Done run(const char* what, const std::string& file, const std::vector<std::string>& arguments,
           const std::string& given) {
    folder_.write("input", given);
    const fs::path output = folder_ / "output";
    ask({{what, file},
         {"arguments", arguments},
         {"folder", folder_.path().string()},
         {"input", (folder_ / "input").string()},
         {"output", output.string()}});
    (void)answer();  // its pid
    const int status = answer().at("status").get<int>();
    std::ostringstream text;
    text << std::ifstream(output).rdbuf();
    return {status, text.str()};
  }

 private:
  Warm() {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("pipe2");
    const std::string script = STEPBENCH_SOURCE_DIR "/tests/workloads/warm_python.py";
    const std::string host = fs::path(STEPBENCH_WORKER).parent_path() / "python";
    if (::fork() == 0) {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      ::execlp(STEPBENCH_PYTHON, STEPBENCH_PYTHON, script.c_str(), host.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    requests_ = ::fdopen(to[1], "w");
    answers_ = ::fdopen(from[0], "r");
    (void)answer();
  }

  void ask(const nlohmann::json& request) {
    std::fputs((request.dump() + "\n").c_str(), requests_);
    std::fflush(requests_);
  }

  nlohmann::json answer() {
    std::array<char, 256> line{};
    if (std::fgets(line.data(), line.size(), answers_) == nullptr)
      throw std::runtime_error("the Python that the workers are forked from has ended");
    return nlohmann::json::parse(line.data());
  }

  TemporaryFolder folder_;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
};

protocol::CaseMessage message_of(const ResolvedCase& resolved, Pass pass) {
  protocol::CaseMessage message;
  message.resolved = resolved;
  message.pass = pass;
  return message;
}

}  // namespace

std::vector<protocol::WorkerMessage> run_worker(const Options& options, Pass pass) {
  Options all = tiny_images("resnet18");
  all["threads.intra_op"] = std::int64_t{1};
  all["schedule.warmup"] = std::int64_t{1};
  all["schedule.active"] = std::int64_t{4};
  for (const auto& [name, value] : options) all[name] = value;
  const std::string text = protocol::encode(message_of(train_case(all), pass)) + '\n';
  std::istringstream lines(
      Warm::of_program().run("worker", STEPBENCH_WORKER, {"--case", "/dev/stdin"}, text).output);
  std::vector<protocol::WorkerMessage> messages;
  for (std::string line; std::getline(lines, line);) {
    // Libraries may print other lines to standard error in between.
    if (line.starts_with("{\"kind\":")) messages.push_back(protocol::decode_worker(line));
  }
  return messages;
}

std::string data_shown(const ResolvedCase& resolved, const std::string& request) {
  const Done done = Warm::of_program().run(
      "worker", STEPBENCH_WORKER, {"data"},
      protocol::encode(message_of(resolved, Pass::kTiming)) + '\n' + request + '\n');
  if (done.status != 0) throw std::runtime_error(done.output);
  return done.output;
}

ops::OpTable profiled_ops(const std::vector<protocol::WorkerMessage>& messages) {
  std::vector<ops::OpFrame> frames;
  for (const protocol::WorkerMessage& message : messages) {
    if (const auto* frame = std::get_if<ops::OpFrame>(&message)) frames.push_back(*frame);
  }
  return ops::op_table_of(frames);
}

std::string made_by(const std::string& script, const std::string& name) {
  static const TemporaryFolder folder;
  const fs::path made = folder / fs::path(script).stem().string();
  if (!fs::exists(made)) {
    const Done done = Warm::of_program().run(
        "script", STEPBENCH_SOURCE_DIR "/tests/workloads/" + script, {made.string()}, "");
    if (done.status != 0) throw std::runtime_error(done.output);
  }
  return made / name;
}

}  // namespace stepbench::test
