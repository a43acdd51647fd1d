// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/group_lines.h"

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/fields.h"

namespace stepbench::run {

template <typename V>
void fields(V& v, json::Of<RankPlace> auto& place) {
  v("rank", place.rank)("world", place.world);
  v("local_rank", place.local_rank)("local_world", place.local_world);
}

template <typename V>
void fields(V& v, json::Of<RankHello> auto& hello) {
  v.constant("kind", "hello")("challenge", hello.challenge);
}

template <typename V>
void fields(V& v, json::Of<ControllerChallenge> auto& challenge) {
  v.constant("kind", "challenge")("challenge", challenge.challenge)("proof", challenge.proof);
}

template <typename V>
void fields(V& v, json::Of<RankJoin> auto& join) {
  v.constant("kind", "join")("proof", join.proof)("token", join.token)("version", join.version);
  fields(v, join.place);
  v("error", join.error)("host", join.host)("pid", join.pid)("address", join.address);
  v("port", join.port)("cpus", join.cpus)("threads", join.threads)("devices", join.devices);
}

template <typename V>
void fields(V& v, json::Of<RankBegin> auto& begin) {
  v.constant("kind", "begin")("argv", begin.argv)("folder", begin.folder);
  v("set", begin.set)("unset", begin.unset)("device", begin.device);
}

template <typename V>
void fields(V& v, json::Of<RankExit> auto& exit) {
  v.constant("kind", "exit")("status", exit.status, {.below_zero = true})("cut", exit.cut);
  v("oom_killed", exit.oom_killed)("told", exit.signalled)("output", exit.output);
  v("message", exit.message)("machine", exit.machine)("pss_bytes", exit.pss_bytes);
  v("compilers_bytes", exit.compilers_bytes)("had_children", exit.had_children);
  v("cpu_share", exit.cpu_share);
}

namespace {

template <typename Line>
Line decoded(std::string_view line, std::string_view kind) {
  if (line.empty() || line.front() != kMark) throw Error("not a line of a group");
  json::LineParser parser;
  const std::string text(line.substr(1));
  const json::LineObject in = parser.parse(text, json::LineParser::Padding::kNone).object;
  const auto found = json::read_field<std::string>(in, "kind", json::kFilled);
  if (found != kind) throw Error(formatted("expected !{}, got !{}", kind, found));
  return json::read<Line>(in);
}

}  // namespace

std::string encode(const RankHello& hello) { return kMark + json::object_text(hello); }
std::string encode(const ControllerChallenge& challenge) {
  return kMark + json::object_text(challenge);
}
std::string encode(const RankJoin& join) { return kMark + json::object_text(join); }
std::string encode(const RankBegin& begin) { return kMark + json::object_text(begin); }
std::string encode(const RankExit& exit) { return kMark + json::object_text(exit); }

bool is_hello(std::string_view line) {
  return line.starts_with("!{") && line.find("\"kind\":\"hello\"") != std::string_view::npos;
}
RankHello decode_hello(std::string_view line) { return decoded<RankHello>(line, "hello"); }
ControllerChallenge decode_challenge(std::string_view line) {
  return decoded<ControllerChallenge>(line, "challenge");
}
RankJoin decode_join(std::string_view line) { return decoded<RankJoin>(line, "join"); }
RankBegin decode_begin(std::string_view line) { return decoded<RankBegin>(line, "begin"); }
RankExit decode_exit(std::string_view line) { return decoded<RankExit>(line, "exit"); }

namespace {

constexpr std::size_t kBlock = 64;  // SHA-256 block size

std::string hash(std::string_view bytes) {
  const Sha256 made = sha256(bytes);
  return {made.begin(), made.end()};
}

}  // namespace

std::string proof(std::string_view token, std::string_view role, std::string_view of_rank,
                  std::string_view of_controller) {
  std::string key(token.size() > kBlock ? hash(token) : std::string(token));
  key.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char byte : key) {
    inner.push_back(static_cast<char>(byte ^ 0x36));
    outer.push_back(static_cast<char>(byte ^ 0x5c));
  }
  for (const std::string_view part : {role, of_rank, of_controller}) {
    inner += formatted("{}:", part.size());
    inner += part;
  }
  return hex_text(hash(outer + hash(inner)));
}

bool is_same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    differs |= static_cast<unsigned>(static_cast<unsigned char>(one[i] ^ other[i]));
  }
  return differs == 0;
}

}  // namespace stepbench::run
