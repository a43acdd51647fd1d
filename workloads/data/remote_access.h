// SPDX-License-Identifier: Apache-2.0
// Addresses of shards on HTTP servers and in object stores, and what it takes to read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/machine/devices.h"
#include "harness/rule.h"
#include "workloads/data/curl_api.h"

namespace stepbench::data {

struct RemoteOptions {
  std::chrono::milliseconds timeout = std::chrono::seconds(10);  // for each piece of a shard
  std::int64_t retries = 4;                                      // for each piece
  std::string s3_endpoint = {};  // empty: the environment's, or AWS's own
};

[[nodiscard]] std::vector<Option> remote_options();
[[nodiscard]] RemoteOptions remote_options_of(const ResolvedCase& resolved);
// What needs no server to tell: the address itself, and options that have no meaning beside one.
void check_remote(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// "http://host/shard-{000..002}.tar" -> three, "{a,b}.tar" -> two, as WebDataset writes them.
// Throws ConfigError for braces that mean nothing, and for more than a million.
[[nodiscard]] std::vector<std::string> expand_braces(std::string_view text);

// What a request for a shard needs.
struct RemoteRequest {
  std::string url;
  std::string signing = {};               // CURLOPT_AWS_SIGV4; empty: it is not signed
  std::string credentials = {};           // KEY:SECRET
  std::vector<std::string> headers = {};  // whole lines
};

// How shards are reached: library, limits and credentials. Immutable; any thread, and any process
// that is forked after it was made.
class RemoteAccess {
 public:
  // Throws ConfigError("data.path") in one sentence: without libcurl, or, `for_s3`, without
  // credentials, or with a libcurl that cannot sign.
  RemoteAccess(RemoteOptions options, bool for_s3, const machine::Variables& variables,
               std::span<const char* const> libraries = kCurlLibraries);

  [[nodiscard]] RemoteRequest request(const std::string& shard) const;
  [[nodiscard]] const CurlApi& curl() const { return curl_; }
  [[nodiscard]] const RemoteOptions& options() const { return options_; }
  // Certificates that servers are held to; empty: the library's own.
  [[nodiscard]] const std::string& ca_file() const { return ca_file_; }

 private:
  void find_credentials(const machine::Variables& variables);

  RemoteOptions options_;
  CurlApi curl_;
  std::string credentials_;
  std::string token_;
  std::string region_;
  std::string ca_file_;
};

}  // namespace stepbench::data
