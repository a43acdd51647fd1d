// SPDX-License-Identifier: Apache-2.0
#include "harness/fleet/group_lines.h"

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/json/line_object.h"

namespace stepbench::fleet {
namespace {

std::string marked(json::JsonText& json) { return kMark + json.close_object().take(); }

// `take` gets the object of a line of this kind.
template <typename Take>
auto decoded(std::string_view line, std::string_view kind, const Take& take) {
  if (line.empty() || line.front() != kMark) throw Error("no line of a group");
  json::LineParser parser;
  const json::LineParser::Line parsed =
      parser.parse(std::string(line.substr(1)), json::LineParser::Padding::kNone);
  if (parsed.object.needed_text("kind") != kind) {
    throw Error("expected !" + std::string(kind) + ", got !" + parsed.object.text("kind"));
  }
  return take(parsed.object);
}

}  // namespace

std::string encode(const RankJoin& join) {
  json::JsonText json;
  json.open_object().text("kind", "join").text("token", join.token).text("version", join.version);
  json.integer("rank", join.place.rank).integer("world", join.place.world);
  json.integer("local_rank", join.place.local_rank).integer("local_world", join.place.local_world);
  json.text("error", join.error).text("host", join.host).integer("pid", join.pid);
  json.text("address", join.address).integer("port", join.port).text("cpus", join.cpus);
  json.text("threads", join.threads).text("devices", join.devices);
  return marked(json);
}

std::string encode(const RankBegin& begin) {
  json::JsonText json;
  json.open_object().text("kind", "begin").texts("argv", begin.argv).text("folder", begin.folder);
  json.open_object("set");
  for (const auto& [name, value] : begin.set) json.text(name, value);
  json.close_object().texts("unset", begin.unset);
  return marked(json);
}

std::string encode(const RankExit& exit) {
  json::JsonText json;
  json.open_object().text("kind", "exit").integer("status", exit.status).flag("cut", exit.cut);
  json.flag("oom_killed", exit.oom_killed).integer("told", exit.told);
  json.text("output", exit.output).text("message", exit.message);
  return marked(json);
}

RankJoin decode_join(std::string_view line) {
  return decoded(line, "join", [](const json::LineObject& in) {
    return RankJoin{.token = in.text("token"),
                    .version = in.text("version"),
                    .place = {.rank = in.count("rank"),
                              .world = in.count("world", 1),
                              .local_rank = in.count("local_rank"),
                              .local_world = in.count("local_world", 1)},
                    .error = in.text("error"),
                    .host = in.text("host"),
                    .pid = in.integer("pid"),
                    .address = in.text("address"),
                    .port = in.count("port"),
                    .cpus = in.text("cpus"),
                    .threads = in.text("threads"),
                    .devices = in.text("devices")};
  });
}

RankBegin decode_begin(std::string_view line) {
  return decoded(line, "begin", [](const json::LineObject& in) {
    RankBegin begin{.argv = in.texts("argv"), .folder = in.text("folder")};
    if (const auto set = in.object("set")) {
      for (const auto& [name, value] : set->members()) {
        begin.set.emplace_back(name, value.text().value_or(""));
      }
    }
    begin.unset = in.texts("unset");
    return begin;
  });
}

RankExit decode_exit(std::string_view line) {
  return decoded(line, "exit", [](const json::LineObject& in) {
    return RankExit{.status = static_cast<int>(in.integer("status")),
                    .cut = in.flag("cut"),
                    .oom_killed = in.flag("oom_killed"),
                    .told = in.count("told"),
                    .output = in.text("output"),
                    .message = in.text("message")};
  });
}

}  // namespace stepbench::fleet
