// SPDX-License-Identifier: Apache-2.0
// No command writes over its inputs. Commands, options and arguments are taken from the program's
// own help, so that new ones are tested without a change here.
#include <regex>

#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::AnyOf;
using testing::stepbench;

constexpr const char* kKept = "what must not be lost\n";

struct DeclaredOption {
  std::string name;   // "--verdict"; an argument: "FILE"
  std::string value;  // "FILE"
  bool required = false;
};

struct DeclaredCommand {
  std::vector<std::string> words;  // {"track", "check"}
  std::vector<DeclaredOption> outputs;
  std::vector<DeclaredOption> inputs;
  std::vector<std::string> required;  // required arguments
};

// How an option of this kind of value names FILE. Empty: it names none.
const std::map<std::string, std::vector<std::string>>& uses_of_a_file() {
  static const std::map<std::string, std::vector<std::string>> uses = {
      {"EXPERIMENT", {"FILE"}},
      {"FILE", {"FILE"}},
      {"FILE|none", {"FILE"}},
      {"PATH", {"FILE"}},
      {"RUN", {"FILE", "sqlite:FILE"}},
      {"SCRIPT", {"FILE"}},
      {"URL", {"sqlite:FILE"}},
      {"KEY=VALUE", {"data.path=FILE"}},
      {"KEY=V1,V2,...", {"data.path=other,FILE"}},
      {"NAME=VALUE", {"data=FILE"}},
      {"COMMAND", {"sh FILE", "FILE --quick"}},
      {"ARG", {"FILE"}},
  };
  return uses;
}

// Kinds of values that name no file.
const std::string kNoFile =
    " AGE FIELD CHANGE COLUMN COLUMN[,COLUMN] DIR HH:MM I/N ID N NAME NAME[,NAME]"
    " N|FIRST-LAST METRIC[,METRIC] METRIC=SHARE TEXT TITLE WHAT KEY ROWS,COLUMNS SERIES"
    " RULE=VALUE SECONDS PERCENT KEY=VALUE[,KEY=VALUE]|ID|RUN KEY=VALUE[,VALUE] WORDS"
    " num_workers=N[,N] NAME=V1,V2,... S1,S2,... TIME METRIC SIZE ";

bool is_choice(const std::string& value) {
  static const std::regex names(R"([a-z0-9_]+(\|[a-z0-9_]+)*)");
  return std::regex_match(value, names);
}

std::vector<std::string> below(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  std::vector<std::string> asked = {"__complete"};
  asked.insert(asked.end(), words.begin(), words.end());
  asked.emplace_back("");
  for (const std::string& line : testing::lines_of_text(stepbench(asked).out)) {
    const std::string name = line.substr(0, line.find('\t'));
    if (!name.empty() && name.front() != '-') names.push_back(name);
  }
  return names;
}

DeclaredCommand declared(const std::vector<std::string>& words) {
  DeclaredCommand command{.words = words, .outputs = {}, .inputs = {}, .required = {}};
  std::vector<std::string> asked = words;
  asked.emplace_back("--help-all");
  static const std::regex option(R"(^  (--[a-z-]+) ([^ ]+)(  .*)?$)");
  static const std::regex argument(R"(^  ([A-Z]+)(\.\.\.)?  .*$)");
  static const std::regex usage(R"(^  stepbench .*$)");
  std::string group;
  std::string usage_line;
  for (const std::string& line : testing::lines_of_text(stepbench(asked).out)) {
    std::smatch match;
    if (group == "Usage:" && std::regex_match(line, usage)) usage_line = line;
    if (!line.empty() && line.front() != ' ' && line.back() == ':') group = line;
    if (group == "Examples:" || group == "General:") break;
    if (std::regex_match(line, match, option)) {
      const DeclaredOption found{match[1], match[2], false};
      if (found.value.front() == '[' || is_choice(found.value)) continue;
      const bool is_output = group == "Output:" && (found.value == "FILE" || found.value == "DIR");
      (is_output ? command.outputs : command.inputs).push_back(found);
    } else if (group == "Usage:" && std::regex_match(line, match, argument)) {
      const std::string name = match[1];
      // `ab` and `run` need it unless another option replaces it.
      const bool required = name == "FILE" || usage_line.find('[' + name) == std::string::npos;
      command.inputs.push_back({name, name == "FILE" || name == "TRACE" ? "FILE" : name, required});
      if (required) command.required.push_back(name);
    }
  }
  return command;
}

// Commands that write a file named by an option.
std::vector<DeclaredCommand> commands_with_outputs() {
  std::vector<DeclaredCommand> commands;
  for (const std::string& name : below({})) {
    if (name == "help" || name == "completion" || name == "schema" || name == "list") continue;
    std::vector<std::vector<std::string>> leaves = {{name}};
    if (name == "track" || name == "runs") {
      for (const std::string& each : below({name})) leaves.push_back({name, each});
    }
    for (const auto& words : leaves) {
      DeclaredCommand command = declared(words);
      if (!command.outputs.empty()) commands.push_back(std::move(command));
    }
  }
  return commands;
}

class CommandFilesTest : public ::testing::Test {
 protected:
  CommandFilesTest() {
    folder_.write("other.yaml", "workload: stub\n");
    folder_.write("kept", kKept);
    fs::create_symlink(folder_ / "kept", folder_ / "link");
    fs::create_hard_link(folder_ / "kept", folder_ / "hard");
    fs::create_directory(folder_ / "sub");
    names_ = {folder_ / "kept", folder_ / "link", folder_ / "hard",
              folder_.path() / "sub" / ".." / "kept"};
  }

  // The input has one of the file's names, the output another.
  void refuses(const DeclaredCommand& command, const DeclaredOption& output,
               const DeclaredOption& input, const std::string& use) {
    ++tried_;
    const std::string read = names_[tried_ % names_.size()].string();
    const bool folder = output.value == "DIR";
    const std::string written =
        folder ? read_in(read) : names_[tried_ / names_.size() % names_.size()].string();
    std::string value = use;
    value.replace(value.find("FILE"), 4, read);
    std::vector<std::string> line = command.words;
    bool takes_its_place = false;
    if (input.name.starts_with("--")) {
      line.push_back(input.name + "=" + value);
    } else {
      takes_its_place = true;
    }
    line.push_back(output.name + "=" + written);
    for (const std::string& argument : command.required) {
      line.push_back(takes_its_place && argument == input.name ? value
                                                               : (folder_ / "other.yaml").string());
    }
    if (takes_its_place && !input.required) {
      if (input.name == "ARGS") line.insert(line.end(), {"--python", "script.py", "--"});
      line.push_back(value);
    }
    const os::CommandResult result = stepbench(line);
    const std::string shown = ::testing::PrintToString(line);
    EXPECT_EQ(result.exit_status, 2) << shown << result.err;
    EXPECT_THAT(result.err, HasSubstr(output.name + ": " + written +
                                      (folder ? " holds what this command reads"
                                              : " is what this command reads; it would be lost")))
        << shown;
    EXPECT_EQ(os::read_text(folder_ / "kept"), kKept) << shown;
  }

  // Its folder, under different names.
  [[nodiscard]] std::string read_in(const std::string& file) const {
    const fs::path folder = fs::path(file).parent_path();
    return (tried_ % 2 == 0 ? folder : folder_.path() / "sub" / "..").string();
  }

  const test::TemporaryFolder folder_;
  std::vector<fs::path> names_;
  std::size_t tried_ = 0;
};

TEST_F(CommandFilesTest, Output_IsNoInputOfTheCommand) {
  const std::vector<DeclaredCommand> commands = commands_with_outputs();
  std::set<std::string> found;
  for (const DeclaredCommand& command : commands) {
    std::string name;
    for (const std::string& word : command.words) name += (name.empty() ? "" : " ") + word;
    for (const DeclaredOption& output : command.outputs) {
      found.insert(name + ' ' + output.name);
      for (const DeclaredOption& input : command.inputs) {
        const auto uses = uses_of_a_file().find(input.value);
        const bool argument = !input.name.starts_with("--");
        ASSERT_TRUE(uses != uses_of_a_file().end() || argument ||
                    kNoFile.find(" " + input.value + " ") != std::string::npos)
            << name << ' ' << input.name << ": does a " << input.value << " name a file?";
        if (argument) {
          refuses(command, output, input, "FILE");
        } else if (uses != uses_of_a_file().end()) {
          for (const std::string& use : uses->second) refuses(command, output, input, use);
        }
      }
    }
  }
  // Checks the parsing of the help.
  for (const char* one :
       {"nightly --verdict", "nightly --report", "track check --openmetrics", "run --junit",
        "ab --markdown", "compare --verdict", "show --output", "export --output", "report --output",
        "analyze --output", "analyze --report", "track report --site"}) {
    EXPECT_THAT(found, Contains(one));
  }
  EXPECT_GT(tried_, 100U);
}

TEST_F(CommandFilesTest, FilesOfAHistory_AreProtected) {
  for (const char* ending : {"", "-wal", "-shm", "-journal", ".events.jsonl"}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"track", "check"},
          std::vector<std::string>{"nightly", folder_ / "other.yaml"}}) {
      for (const char* output : {"--verdict", "--junit", "--openmetrics", "--report"}) {
        std::vector<std::string> line = command;
        // Neither the history nor its folder exists yet.
        const std::string database = (folder_ / "new/history.db").string();
        line.insert(line.end(), {"--db", "sqlite:" + database, output, database + ending});
        const os::CommandResult result = stepbench(line);
        EXPECT_EQ(result.exit_status, 2);
        EXPECT_THAT(result.err, HasSubstr(std::string(output) + ": ")) << result.err;
        EXPECT_THAT(result.err, HasSubstr("is what this command reads")) << result.err;
        EXPECT_FALSE(fs::exists(folder_ / "new"));
      }
    }
  }
}

TEST_F(CommandFilesTest, DefaultHistory_IsProtected) {
  const os::CommandResult result =
      stepbench({"nightly", folder_ / "other.yaml", "--results", folder_ / "nights", "--verdict",
                 folder_ / "nights/history.db.events.jsonl"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("is what this command reads"));
  EXPECT_FALSE(fs::exists(folder_ / "nights"));
}

TEST_F(CommandFilesTest, ForeignDatabaseOrProgram_Stays) {
  using namespace std::string_literals;
  folder_.write("history.db", "SQLite format 3\0 and more"s);
  folder_.write("history.db.events.jsonl", "{}\n");
  folder_.write("worker", "#!/bin/sh\n");
  for (const char* file : {"history.db", "history.db.events.jsonl", "worker"}) {
    const os::CommandResult result = stepbench(
        {"compare", folder_ / "other.yaml", folder_ / "other.yaml", "--verdict", folder_ / file});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.err, HasSubstr("it would be lost")) << file;
  }
}

// It exists, but there is nothing behind it.
TEST_F(CommandFilesTest, EndlessLink_IsNoMissingFile) {
  const std::string loop = folder_ / "loop.yaml";
  fs::create_symlink("loop.yaml", loop);
  const std::string other = folder_ / "other.yaml";
  const std::string stub = testing::stub_worker();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"plan", loop},
           {"run", loop},
           {"ab", loop},
           {"tune", loop},
           {"nightly", loop},
           {"run", "--python", loop},
           {"plan", other, "--worker", loop},
           {"run", other, "--worker", stub, "--resume", loop},
           {"plan", STEPBENCH_SOURCE_DIR "/configs/quickstart.yaml", "--set",
            "data.kind=jpeg_folder", "--set", "data.path=" + loop},
           {"show", loop},
           {"compare", loop, loop},
           {"report", loop},
           {"report", STEPBENCH_SOURCE_DIR "/results/sample", "--plotly", loop},
           {"export", loop, "--format", "csv"},
           {"analyze", loop},
           {"runs", "--results", loop},
           {"track", "list", "--db", "sqlite:" + loop},
           {"track", "add", loop, "--db", "sqlite:" + (folder_ / "new.db").string()},
           {"track", "list", "--db", "sqlite:" + (folder_ / "new.db").string(), "--events", loop},
           {"data", "show", loop}}) {
    const os::CommandResult result = stepbench(words);
    EXPECT_EQ(result.exit_status, 2) << words.front() << result.err;
    EXPECT_THAT(result.err, AnyOf(HasSubstr("a symbolic link leads to itself"),
                                  HasSubstr("Too many levels of symbolic links")))
        << words.front();
  }
}

// Files named only in the experiment's file.
TEST_F(CommandFilesTest, FilesOfAnExperiment_AreProtected) {
  folder_.write("train.py", kKept);
  folder_.write("script.yaml", "name: s\nworkload: python_script\nscript:\n  path: " +
                                   (folder_ / "train.py").string() + "\n");
  for (const char* command : {"run", "nightly", "ab"}) {
    const os::CommandResult result =
        stepbench({command, folder_ / "script.yaml", "--results", folder_ / "results", "--junit",
                   folder_ / "train.py", "--force"});
    EXPECT_EQ(result.exit_status, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("--junit: ")) << command << result.err;
    EXPECT_THAT(result.err, HasSubstr("is what this command reads")) << command << result.err;
    EXPECT_EQ(os::read_text(folder_ / "train.py"), kKept) << command;
  }
}

}  // namespace
}  // namespace stepbench
