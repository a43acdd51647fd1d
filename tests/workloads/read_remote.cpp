// SPDX-License-Identifier: Apache-2.0
// Reads shards behind addresses whole, as a data set does, and prints what came of it as a line of
// JSON each: for remote_shards.py and http_reading.py.
//
//   read-remote [--timeout=MS] [--retries=N] [--endpoint=URL] [--stop-at-end] [--no-digest]
//               ADDRESS...
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/sha256.h"
#include "harness/json/json_text.h"
#include "workloads/data/remote_reader.h"

extern char** environ;  // NOLINT: POSIX

namespace {

using namespace stepbench;

machine::Variables environment() {
  machine::Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string hex(const Sha256& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

struct Wanted {
  data::RemoteOptions options;
  bool stop_at_end = false;  // of standard input
  bool digest = true;        // false: its CPU time would be measured with the reading's
  std::vector<std::string> addresses;
};

Wanted parse(int argc, char** argv) {
  Wanted wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    const auto value = [&] { return std::string(text.substr(text.find('=') + 1)); };
    if (text.starts_with("--timeout=")) {
      wanted.options.timeout = std::chrono::milliseconds(std::stoll(value()));
    } else if (text.starts_with("--retries=")) {
      wanted.options.retries = std::stoll(value());
    } else if (text.starts_with("--endpoint=")) {
      wanted.options.s3_endpoint = value();
    } else if (text == "--stop-at-end") {
      wanted.stop_at_end = true;
    } else if (text == "--no-digest") {
      wanted.digest = false;
    } else {
      for (std::string& each : data::expand_braces(text)) {
        wanted.addresses.push_back(std::move(each));
      }
    }
  }
  return wanted;
}

void read_all(data::RemoteReader& reader, const std::string& address, bool digest) {
  const data::RemoteReads had = reader.reads();
  std::string error, content;
  std::int64_t bytes = 0;
  try {
    reader.open(address);
    for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) {
      bytes += static_cast<std::int64_t>(piece.size());
      if (digest) content.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
  } catch (const Error& failed) {
    error = failed.what();
  }
  const data::RemoteReads reads = reader.reads() - had;
  json::JsonText json;
  json.open_object()
      .integer("bytes", bytes)
      .text("sha256", digest ? hex(sha256(content)) : std::string())
      .integer("received", reads.bytes)
      .integer("refused", reads.refused)
      .integer("broken", reads.broken)
      .integer("late", reads.late)
      .text("error", error)
      .close_object();
  std::cout << json.take() << std::endl;
}

}  // namespace

int main(int argc, char** argv) try {
  const Wanted wanted = parse(argc, argv);
  const bool s3 = !wanted.addresses.empty() && wanted.addresses.front().starts_with("s3://");
  data::RemoteReader reader(
      std::make_shared<data::RemoteAccess>(wanted.options, s3, environment()));
  std::atomic<bool> stop = false;
  reader.stop_by(&stop);
  // Its other end stops us when it closes.
  std::thread stopper;
  if (wanted.stop_at_end) {
    stopper = std::thread([&] {
      while (std::cin.get() != std::char_traits<char>::eof()) {
      }
      stop = true;
    });
  }
  for (const std::string& address : wanted.addresses) read_all(reader, address, wanted.digest);
  if (stopper.joinable()) stopper.join();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
