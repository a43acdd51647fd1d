# SPDX-License-Identifier: Apache-2.0
"""How far builds of one source differ by where their code lies: layout.py [--builds N] [--rounds N] [--compiler "c++ -O2"]

Builds a small C++ step N times through the linker that `stepbench bisect` puts into COMPILER_PATH, launches the builds in
turns, and takes what they differ by beyond launches apart from what launches vary by. The same with N copies of one file,
which differ by nothing. Run it on a quiet machine; results/DECISIONS.md has what it printed.
"""
import argparse
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A parser, a hash table and a matrix: branches, calls and loops, in separate files as in a real program.
SOURCES = {
    "table.cpp": """
#include <cstdint>
#include <vector>
std::uint64_t mix(std::uint64_t x) { x ^= x >> 31; x *= 0x9e3779b97f4a7c15u; return x ^ (x >> 29); }
std::uint64_t fill(std::vector<std::uint64_t>& table, std::uint64_t seed) {
  std::uint64_t hits = 0;
  for (int i = 0; i < 60000; ++i) {
    seed = mix(seed + i);
    std::size_t at = seed & (table.size() - 1);
    while (table[at] != 0 && table[at] != seed) at = (at + 1) & (table.size() - 1), ++hits;
    table[at] = seed;
    if ((i & 16383) == 16383) for (auto& one : table) one = 0;
  }
  return hits;
}
""",
    "parse.cpp": """
#include <string>
long number(const char*& at) { long n = 0; while (*at >= '0' && *at <= '9') n = n * 10 + (*at++ - '0'); return n; }
long value(const char*& at);
long list(const char*& at) { long sum = 0; ++at; while (*at != ']') { sum += value(at); if (*at == ',') ++at; } ++at; return sum; }
long value(const char*& at) { return *at == '[' ? list(at) : number(at); }
long parse(const std::string& text) { const char* at = text.c_str(); return value(at); }
""",
    "matrix.cpp": """
void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
""",
    "main.cpp": """
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>
std::uint64_t fill(std::vector<std::uint64_t>& table, std::uint64_t seed);
long parse(const std::string& text);
void multiply(const float* a, const float* b, float* c, int n);
double now() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main() {
  std::vector<std::uint64_t> table(1 << 15);
  std::string text = "[";
  for (int i = 0; i < 3000; ++i) text += (i % 7 == 0 ? "[12,[345]]," : "6789,");
  text.back() = ']';
  std::vector<float> a(96 * 96, 1), b(96 * 96, 2), c(96 * 96);
  std::vector<double> steps;
  std::uint64_t sum = 0;
  for (int step = 0; step < 60; ++step) {
    const double begin = now();
    sum += fill(table, step + 1);
    for (int i = 0; i < 20; ++i) sum += parse(text);
    multiply(a.data(), b.data(), c.data(), 96);
    if (step >= 10) steps.push_back(now() - begin);
  }
  std::sort(steps.begin(), steps.end());
  std::printf("%.9f %llu\\n", steps[steps.size() / 2], static_cast<unsigned long long>(sum));
}
"""}


def linkers(folder):
    """Writes the search's linker script, extracted from the program's source, under each linker's name; returns the
    folder."""
    source = (ROOT / "harness/bisect/internal/relink.cpp").read_text()
    script = re.search(r'R"sh\((.*?)\)sh"', source, re.S).group(1)
    folder.mkdir()
    for name in ("ld", "ld.bfd", "ld.gold", "ld.lld"):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return folder


def build(folder, link, number, linker):
    out = folder / f"step-{number}"
    environment = {**os.environ, "COMPILER_PATH": str(linker), "STEPBENCH_COMPILER_PATH": "", "STEPBENCH_LAYOUT": str(number)}
    subprocess.run(["sh", "-c", link.format(out=out)], cwd=folder, env=environment, check=True)
    return out


def step_s(program):
    return float(subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()[0])


def spread(programs, rounds):
    """Returns standard deviations of logarithms, without the median of their round, which a drift of the machine
    moves: of builds beyond launches, of launches, and the error of a build's mean."""
    logs = [[] for _ in programs]
    for _ in range(rounds):
        for place in random.sample(range(len(programs)), len(programs)):
            logs[place].append(math.log(step_s(programs[place])))
    level = [statistics.median(column) for column in zip(*logs)]  # per round
    logs = [[value - shift for value, shift in zip(row, level)] for row in logs]
    launches = statistics.mean(statistics.variance(row) for row in logs)
    between = statistics.variance(statistics.mean(row) for row in logs)
    return math.sqrt(max(0, between - launches / rounds)), math.sqrt(launches), math.sqrt(launches / rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--builds", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--compiler", default="c++ -O2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in SOURCES.items():
            (folder / file).write_text(text)
        subprocess.run(["sh", "-c", f"{options.compiler} -c {' '.join(SOURCES)}"], cwd=folder, check=True)
        link = f"{options.compiler} {' '.join(file.replace('.cpp', '.o') for file in SOURCES)} -o {{out}}"
        linker = linkers(folder / "linker")
        drawn = [build(folder, link, number + 1, linker) for number in range(options.builds)]
        if len({program.read_bytes() for program in drawn}) < len(drawn):
            raise SystemExit("the builds do not differ: the compiler finds its linker elsewhere")
        copies = [pathlib.Path(shutil.copy(drawn[0], folder / f"copy-{number}")) for number in range(options.builds)]
        print("| what | differs by | launches vary by | error |\n|---|---:|---:|---:|")
        for what, programs in (("builds with a layout of their own", drawn), ("copies of one file", copies)):
            print("| {} | {:.2f} % | {:.2f} % | {:.2f} % |".format(what, *(100 * x for x in spread(programs, options.rounds))))


if __name__ == "__main__":
    main()
