// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server for one test: in a temporary folder, on a free port of the loopback, removed
// with the object. Uses the programs of an installed package, or Debian's package unpacked into the
// build folder; installs nothing. One thread.
#pragma once

#include <memory>
#include <string>

#include "tests/kept_port.h"
#include "tests/temporary_folder.h"

namespace stepbench::testing_fleet {

class PostgresServer {
 public:
  // Null if no server is available; `reason` has the cause.
  [[nodiscard]] static std::unique_ptr<PostgresServer> start(std::string& reason);
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  [[nodiscard]] std::string url() const;
  // Creates an empty database and returns its URL.
  [[nodiscard]] std::string new_database(const std::string& name) const;
  // Stops without shutdown, like a power loss.
  void stop();
  void start_again();

 private:
  explicit PostgresServer(std::string programs) : programs_(std::move(programs)) {}
  [[nodiscard]] std::string as_server(const std::string& command) const;
  [[nodiscard]] std::string initialise();

  test::TemporaryFolder folder_;
  std::string programs_;
  test::KeptPort port_;
};

}  // namespace stepbench::testing_fleet
