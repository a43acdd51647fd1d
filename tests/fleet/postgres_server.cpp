// SPDX-License-Identifier: Apache-2.0
#include "tests/fleet/postgres_server.h"

#include <stdexcept>

#include "harness/nights/internal/database.h"
#include "harness/os/process.h"

namespace stepbench::testing_fleet {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kPrograms = "usr/lib/postgresql/15/bin";

os::CommandResult shell(const std::string& command) {
  return os::run_command({"sh", "-c", command}, "", 5min);
}

std::string programs(std::string& reason) {
  const fs::path installed = fs::path("/") / kPrograms;
  if (fs::exists(installed / "initdb")) return installed;
  const fs::path unpacked = fs::path(STEPBENCH_BINARY_DIR) / "postgres";
  if (!fs::exists(unpacked / kPrograms / "initdb")) {
    const os::CommandResult result = shell(std::string(STEPBENCH_SOURCE_DIR) +
                                           "/tests/fleet/unpack_postgres.sh " + unpacked.string());
    if (result.exit_status != 0) {
      reason = "no PostgreSQL server is installed, and Debian's cannot be unpacked: " + result.err;
      return {};
    }
  }
  return unpacked / kPrograms;
}

}  // namespace

// The server refuses to run as root.
std::string PostgresServer::as_server(const std::string& command) const {
  const std::string libraries =
      "LD_LIBRARY_PATH=" + programs_ + "/../../../x86_64-linux-gnu:$LD_LIBRARY_PATH ";
  const std::string whole = "cd " + folder_.path().string() + " && " + libraries + command;
  return ::geteuid() == 0 ? "runuser -u nobody -- sh -c '" + whole + "'" : whole;
}

std::string PostgresServer::initialise() {
  if (::geteuid() == 0) (void)shell("chown nobody " + folder_.path().string());
  const os::CommandResult made = shell(
      as_server(programs_ + "/initdb --no-sync -A trust -U bench -E UTF8 --locale=C -D data"));
  return made.exit_status == 0 ? std::string() : "initdb failed: " + made.err + made.out;
}

std::unique_ptr<PostgresServer> PostgresServer::start(std::string& reason) {
  const std::string found = programs(reason);
  if (found.empty()) return nullptr;
  std::unique_ptr<PostgresServer> server(new PostgresServer(found));
  reason = server->initialise();
  if (!reason.empty()) return nullptr;
  server->start_again();
  return server;
}

void PostgresServer::start_again() {
  const os::CommandResult result = shell(as_server(
      programs_ + "/pg_ctl -D data -w -t 120 -l log -o \"-p " + std::to_string(port_.number()) +
      " -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off\" start"));
  if (result.exit_status != 0) throw std::runtime_error("pg_ctl: " + result.err + result.out);
}

void PostgresServer::stop() {
  (void)shell(as_server(programs_ + "/pg_ctl -D data -w -m immediate stop"));
}

PostgresServer::~PostgresServer() { stop(); }

std::string PostgresServer::url() const {
  return "postgresql://bench@127.0.0.1:" + std::to_string(port_.number()) + "/postgres";
}

std::string PostgresServer::new_database(const std::string& name) const {
  nights::Database::open(url())->exec("CREATE DATABASE " + name);
  return "postgresql://bench@127.0.0.1:" + std::to_string(port_.number()) + "/" + name;
}

}  // namespace stepbench::testing_fleet
