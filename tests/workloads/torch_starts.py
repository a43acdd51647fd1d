# SPDX-License-Identifier: Apache-2.0
"""How many programs loaded libtorch in a run of the tests, as libtorch_starts.so (torch_starts.cpp) noted them, and for which
tests: torch_starts.py FILE [MOST]. Exit status 1 where they are more than MOST."""
import collections
import pathlib
import sys


def main():
    file, most = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else None
    lines = file.read_text(errors="replace").splitlines() if file.exists() else []
    tests = collections.Counter(line.partition("\t")[2].strip() or "no test" for line in lines)
    too_many = most is not None and len(lines) > most
    print(f"{len(lines)} processes loaded torch" + (f", at most {most} may" if most is not None else ""))
    for test, count in tests.most_common(len(tests) if too_many else 5):
        print(f"  {count:3} {test[:200]}")
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
