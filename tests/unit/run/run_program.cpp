// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/run/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "harness/os/text_file.h"

extern char** environ;  // NOLINT: POSIX

namespace stepbench::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kStub = STEPBENCH_BINARY_DIR "/tests/stub_worker/stub-worker";
constexpr int kPatience = 60'000;  // pauses of 10 ms

void pause() {
  const timespec time{.tv_sec = 0, .tv_nsec = 10'000'000};
  ::nanosleep(&time, nullptr);
}

int exit_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The controllers of the runs in this folder, from their file names, HOST-SHARD-PID.jsonl:
// leftovers of other tests' runs are ignored.
std::set<std::int64_t> controllers_in(const fs::path& results) {
  std::set<std::int64_t> pids;
  std::error_code error;
  for (fs::recursive_directory_iterator at{results, error}, end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().stem().string();
    const auto pid = os::parse_integer(name.substr(name.rfind('-') + 1));
    if (pid && at->path().extension() == ".jsonl") pids.insert(*pid);
  }
  return pids;
}

}  // namespace

bool StartedRun::read_line(std::string& line) {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return true;
    }
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(err_.value(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

void StartedRun::signal(int number) const { ::kill(pid_, number); }

int StartedRun::wait() {
  for (std::string line; read_line(line);) {
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status(status);
}

RunProgram::RunProgram(std::string_view yaml) : worker(kStub) {
  token_ = "STEPBENCH_TEST_FOLDER=" + folder.string();
  fs::create_directory(folder / "tmp");
  if (!yaml.empty()) config(yaml);
}

void RunProgram::config(std::string_view yaml) const {
  std::ofstream{folder / "config.yaml"} << yaml;
}

fs::path RunProgram::script(const std::string& name, const std::string& body) const {
  const fs::path file = folder / name;
  std::ofstream{file} << "#!/bin/sh\n" << body;
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

fs::path RunProgram::stub_after(const std::string& lines) const {
  return script("worker", "stub=" + std::string(kStub) + "\n" + lines + "\nexec $stub \"$@\"\n");
}

std::vector<std::string> RunProgram::command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {"/usr/bin/env", token_, "TMPDIR=" + (folder / "tmp").string(),
                                    "XDG_CACHE_HOME=" + (folder / "cache").string(),
                                    "XDG_STATE_HOME=" + (folder / "state").string()};
  words.insert(words.end(), prefix.begin(), prefix.end());
  words.insert(words.end(), {STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", ab ? "ab" : "run",
                             (folder / "config.yaml").string(), "--no-lock"});
  for (const char* flag : ab ? std::vector{"--a", "--b"} : std::vector{"--worker"}) {
    words.insert(words.end(), {flag, worker.string()});
  }
  // Other load of this machine is not tested.
  if (ab) words.insert(words.end(), {"--allow", "load", "--allow", "steal"});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

os::CommandResult RunProgram::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = command({"--results", (folder / "results").string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return os::run_command(words, "", 10min);
}

os::CommandResult RunProgram::resume(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = command({"--resume", run_dir().string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return os::run_command(words, "", 10min);
}

std::vector<std::string> RunProgram::command_to_start(
    const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = command({"--results", (folder / "results").string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

StartedRun RunProgram::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = command_to_start(arguments);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  os::Descriptor read{ends[0]};
  const os::Descriptor write{ends[1]};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write.value(), STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (folder / "out").c_str(),
                                   O_WRONLY | O_CREAT, 0600);
  // A shell that starts the tests with & has them ignore SIGINT.
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &all);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("posix_spawn");
  return {pid, std::move(read)};
}

fs::path RunProgram::run_dir() const {
  for (const auto& entry : fs::directory_iterator{folder / "results"}) return entry.path();
  throw std::runtime_error("no run in " + folder.string());
}

const record::LaunchRow& RunProgram::launch_with(const record::Results& results,
                                                 const std::string& behaviour) const {
  for (const record::Launch& launch : results.launches) {
    const auto found = launch.row.options.find("stub.behaviour");
    if (found != launch.row.options.end() && to_text(found->second) == behaviour) return launch.row;
  }
  throw std::runtime_error("no launch with " + behaviour);
}

std::vector<std::string> RunProgram::processes() const {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at{"/proc", error}, end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto environment = os::read_text(at->path() / "environ");
    if (environment && environment->find(token_) != std::string::npos) {
      found.push_back("process " + name + ": " +
                      os::read_text(at->path() / "cmdline").value_or(""));
    }
  }
  return found;
}

std::vector<std::string> RunProgram::leftovers(bool killed) const {
  std::vector<std::string> left = processes();
  for (int turn = 0; turn < kPatience && !left.empty(); ++turn) {
    pause();
    left = processes();
  }
  for (const auto& entry : fs::directory_iterator{folder / "tmp"}) {
    // ThreadSanitizer's file, of a program that was killed while starting.
    if (!entry.path().filename().string().starts_with("tsan.")) left.push_back(entry.path());
  }
  std::error_code error;
  for (fs::recursive_directory_iterator at{folder / "results", error}, end; !error && at != end;
       at.increment(error)) {
    const fs::path& file = at->path();
    const bool wanted = file.extension() == ".jsonl" || (ab && file.filename() == "verdict.json");
    if (at->is_regular_file() && !wanted) left.push_back(file);
  }
  const std::set<std::int64_t> controllers = controllers_in(folder / "results");
  for (fs::directory_iterator at{"/dev/shm", error}, end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (killed && name.ends_with("-processes")) continue;
    const auto pid =
        name.starts_with("stepbench-") ? os::parse_integer(name.substr(10)) : std::nullopt;
    if (pid && controllers.contains(*pid) && ::kill(static_cast<pid_t>(*pid), 0) != 0) {
      left.push_back(at->path());
    }
  }
  return left;
}

std::string yaml_with(const std::string& behaviours, const std::string& more) {
  return "name: fault\n"
         "workload: stub\n"
         "launches: 1\n"
         "schedule: {wait: 0, warmup: 2, active: 5}\n" +
         more + "sweep: {matrix: {stub.behaviour: [" + behaviours + "]}}\n";
}

bool appears(const fs::path& file) {
  for (int turn = 0; turn < kPatience; ++turn) {
    if (fs::exists(file)) return true;
    pause();
  }
  return false;
}

}  // namespace stepbench::testing
