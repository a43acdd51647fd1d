// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/relink.h"

#include <chrono>

#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::bisect {
namespace {

class Relink : public ::testing::Test {
 protected:
  Relink() {
    folder_.write("main.cpp",
                  "#include <cstdio>\nvoid a();\nvoid b();\nint seen = 1;\n"
                  "int main() { a(); b(); std::printf(\"%d\\n\", seen); }\n");
    folder_.write("a.cpp", "extern int seen;\nvoid a() { seen += 2; }\n");
    folder_.write("b.cpp", "extern int seen;\nvoid b() { seen += 4; }\n");
    sh("c++ -c main.cpp a.cpp b.cpp && ar rc libb.a b.o", {});
  }
  std::string sh(const std::string& command, std::vector<std::string> variables) const {
    const os::CommandResult done =
        os::run_command({"sh", "-c", command}, "", std::chrono::minutes(2),
                        {.folder = folder_.path(), .set = std::move(variables)});
    EXPECT_EQ(done.exit_status, 0) << command << done.err;
    return done.out + done.err;
  }
  // Returns a linked program, identified by its printed text.
  std::string linked(const std::string& command, std::size_t number,
                     const std::string& compiler_path = "") const {
    std::vector<std::string> variables;
    if (number > 0) variables = variables_of_layout(folder_ / "linker", number, compiler_path);
    EXPECT_EQ(sh(command, variables), "") << number;
    EXPECT_EQ(sh("./program", {}), "7\n");
    return os::read_text(folder_ / "program").value_or("");
  }
  const test::TemporaryFolder folder_;
};

TEST_F(Relink, EachNumber_MakesAnEquivalentProgram) {
  for (const char* command : {"c++ main.o a.o b.o -o program", "c++ main.o a.o -L. -lb -o program",
                              "echo main.o a.o b.o -o program > words && c++ @words",
                              "c++ -Wl,--gc-sections -flto -O2 main.cpp a.cpp b.cpp -o program"}) {
    std::set<std::string> programs;
    for (std::size_t number = 0; number < 4; ++number) programs.insert(linked(command, number));
    EXPECT_EQ(programs.size(), 4U) << command;
    EXPECT_EQ(linked(command, 2), linked(command, 2)) << "the same number draws the same";
  }
}

// The compiler calls its own objects ccXXXXXX.o, so some ccrtXXXX.o.
TEST_F(Relink, ObjectCalledLikeCrt_IsMovedToo) {
  sh("cp a.o ccrtab.o", {});
  EXPECT_EQ(linked("c++ main.o ccrtab.o b.o -o program", 1),
            linked("c++ main.o a.o b.o -o program", 1));
}

TEST_F(Relink, FailingTool_LinksAsAsked) {
  const char* command = "c++ main.o a.o b.o -o program";
  const std::string first = linked(command, 0);
  const std::string tools = (folder_ / "tools").string();
  sh("mkdir tools && printf '#!/bin/sh\\nexit 1\\n' > tools/as && chmod +x tools/as", {});
  EXPECT_EQ(linked(command, 1, tools), first);
  sh("rm tools/as && printf '%s\\n' '#!/bin/sh' 'case $1 in @*) exit 1; esac' 'exec ld \"$@\"' > "
     "tools/ld"
     " && chmod +x tools/ld",
     {});
  EXPECT_EQ(linked(command, 1, tools), first);
}

TEST_F(Relink, FailingLink_ShowsTheLinkersError) {
  const os::CommandResult done = os::run_command(
      {"sh", "-c", "c++ main.o a.o -o program"}, "", std::chrono::minutes(2),
      {.folder = folder_.path(), .set = variables_of_layout(folder_ / "linker", 1, "")});
  EXPECT_NE(done.exit_status, 0);
  EXPECT_THAT(done.err, HasSubstr("undefined reference to `b()"));
}

TEST_F(Relink, BuildFolder_ListsLinkedFiles) {
  sh("mkdir -p kept/lib && c++ -shared -fPIC a.cpp -o kept/lib/liba.so; echo text > kept/words",
     {});
  EXPECT_THAT(linked_in(folder_ / "kept"), ElementsAre(fs::path("lib/liba.so")));
  EXPECT_TRUE(linked_in(folder_ / "nosuch").empty());
}

}  // namespace
}  // namespace stepbench::bisect
