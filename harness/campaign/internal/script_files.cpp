// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/script_files.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/os/text_file.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// Scripts import it; it comes with this program, also where both lie in one repository.
constexpr const char* kMeasuring = "stepbench_worker";

constexpr std::uintmax_t kMaxScriptBytes = std::uintmax_t{4} << 20;

bool is_name_letter(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 ||
         std::string_view("/._-+@%").find(letter) != std::string_view::npos;
}

// Extracts runs of file name characters: "bench/model.py" from `python "$here/bench/model.py"`.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text) {
    if (is_name_letter(letter)) {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

class Walk {
 public:
  explicit Walk(const fs::path& script) : folder_(script.parent_path()), own_(script.filename()) {
    read(own_);
  }

  ScriptFiles take() {
    seen_.erase(own_);
    return {.local_files = {seen_.begin(), seen_.end()},
            .elsewhere = {outside_.begin(), outside_.end()}};
  }

 private:
  void read(const fs::path& file) {
    if (!seen_.insert(file).second) return;
    std::error_code error;
    if (fs::file_size(folder_ / file, error) > kMaxScriptBytes || error) return;
    const std::string text = os::read_text(folder_ / file).value_or("");
    if (text.find('\0') != std::string::npos) return;
    const bool python =
        file.extension() == ".py" ||
        std::string_view(text).substr(0, text.find('\n')).find("python") != std::string_view::npos;
    for (const std::string& word : names_in(text)) {
      take_name(word);
      if (python) take_module(word);
    }
  }

  void take_name(const std::string& word) {
    std::error_code error;
    if (word.starts_with("/") && word.find('/', 1) != std::string::npos) {
      const fs::path path(word);
      if (fs::is_regular_file(path, error)) take_absolute(path);
      // "$here/model.py": the prefix is known only at run time.
      take_inside(path.relative_path());
      return;
    }
    if (word.find('.') != std::string::npos || word.find('/') != std::string::npos) {
      take_inside(word);
    }
  }

  void take_absolute(const fs::path& path) {
    const fs::path inside = path.lexically_relative(folder_);
    if (!inside.empty() && *inside.begin() != "..") return take_inside(inside);
    // System interpreters and tools are always available; other files, as in /dev/shm, are the
    // user's.
    for (const char* system : {"/usr/", "/bin/", "/lib", "/etc/", "/proc/", "/sys/"}) {
      if (path.string().starts_with(system)) return;
    }
    outside_.insert(path);
  }

  void take_inside(const fs::path& named) {
    const fs::path inside = named.lexically_normal();
    std::error_code error;
    if (inside.empty() || *inside.begin() == ".." ||
        !fs::is_regular_file(folder_ / inside, error)) {
      return;
    }
    read(inside);
  }

  // Adds a module next to the script, or a package: "bench.model" is bench/model.py with
  // bench/__init__.py.
  void take_module(const std::string& word) {
    std::string path = word;
    std::replace(path.begin(), path.end(), '.', '/');
    if (path.starts_with('/')) return;
    take_inside(path + ".py");
    for (fs::path package = path; !package.empty(); package = package.parent_path()) {
      take_inside(package / "__init__.py");
      take_inside(package.string() + ".py");
    }
  }

  fs::path folder_;
  fs::path own_;
  std::set<fs::path> seen_;
  std::set<fs::path> outside_;
};

// "bench" for `import bench.model as model` and `from bench import model`.
std::set<std::string> imported_modules(const std::string& python) {
  std::set<std::string> modules;
  std::istringstream lines(python);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || (word != "import" && word != "from")) continue;
    while (words >> word && word != "import") {
      if (word.starts_with('.')) continue;
      modules.insert(word.substr(0, word.find_first_of(".,;")));
    }
  }
  return modules;
}

// Names under which files of a repository can be imported if they are on the path.
std::set<std::string> modules_in(std::span<const std::string> files) {
  std::set<std::string> modules;
  for (const std::string& file : files) {
    const fs::path path(file);
    if (path.extension() != ".py") continue;
    modules.insert(path.filename() == "__init__.py" ? path.parent_path().filename().string()
                                                    : path.stem().string());
  }
  return modules;
}

}  // namespace

std::string module_elsewhere(const fs::path& script, std::span<const fs::path> local_files,
                             std::span<const std::string> tracked, const fs::path& folder) {
  const std::string inside = folder == "." ? std::string() : folder.generic_string() + '/';
  std::vector<std::string> own;
  std::vector<std::string> others;
  for (const std::string& file : tracked) (file.starts_with(inside) ? own : others).push_back(file);
  std::set<std::string> known = modules_in(own);
  known.insert(kMeasuring);
  const std::set<std::string> elsewhere = modules_in(others);
  std::vector<fs::path> files(local_files.begin(), local_files.end());
  files.push_back(script.filename());
  for (const fs::path& file : files) {
    if (file.extension() != ".py") continue;
    const std::string python = os::read_text(script.parent_path() / file).value_or("");
    for (const std::string& module : imported_modules(python)) {
      if (elsewhere.contains(module) && !known.contains(module)) return module;
    }
  }
  return {};
}

ScriptFiles files_of_script(const fs::path& script) {
  const auto first = os::read_line(script);
  if (!first || !first->starts_with("#!")) return {};
  return Walk(fs::absolute(script)).take();
}

}  // namespace stepbench::campaign
