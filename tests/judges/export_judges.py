# SPDX-License-Identifier: Apache-2.0
"""Values that other programs read from our exports: export_judges.py STEPBENCH SOURCE_DIR BUILD_DIR JUDGE.

JUDGE: compare_py, bridge, junit, openmetrics, promtool or pandas. Exits with 77 if the judge is not installed.
"""
import io
import itertools
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = "a/b:c\"<&>\n\x01é" + "x" * 4096
RUNS = [SOURCE / "results/sample", SOURCE / "tests/unit/report/data/sweep.jsonl"]


def absent(why):
    print(why)
    sys.exit(77)


def export(run, form):
    command = [PROGRAM, "export", run, "--format", form, "--max-series", "1000000"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def unpacked(file):
    """Returns a file of Debian's packages, which the first caller unpacks into the build folder."""
    folder = BUILD / "readers"
    if not (folder / file).exists():
        with tempfile.TemporaryDirectory(dir=BUILD) as fresh:
            done = subprocess.run([HERE / "unpack_readers.sh", fresh], capture_output=True, text=True)
            if done.returncode:
                absent(f"Debian's packages cannot be downloaded: {done.stderr}")
            shutil.copytree(fresh, folder, dirs_exist_ok=True, symlinks=True)
    return folder / file


def composed(folder, name, times_ns, **options):
    """Makes a run of one case with a launch of ten equal steps per time."""
    lines = [json.loads(line) for line in next((SOURCE / "results/sample").glob("*.jsonl")).open()]
    first = {row["kind"]: row for row in reversed(lines)}
    rows = [first["run"], first["columns"], first["worker"]]
    for launch, time in enumerate(times_ns):
        key = {"case_id": "c0ffee", "arm": "", "pass": "timing", "launch": launch, "rank": 0}
        rows.append({"kind": "samples", **key, "cycle": 0, "columns": ["index", "step_ns", "samples"],
                     "values": [list(range(10)), [time] * 10, [16] * 10]})
        row = dict(first["launch"], **key)
        row["options"] = dict(row["options"], **options)
        rows.append(row)
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def with_hostile_names(folder):
    return composed(folder, "hostile", [10**7], **{"loader.num_workers": HOSTILE, "data.path": HOSTILE})


def judge_compare_py(folder):
    script = unpacked("usr/share/benchmark/compare.py")
    seeded = random.Random(7)
    for shift in (0, 30_000, 300_000):
        times = [10**7 + n for n in seeded.sample(range(0, 500_000), 16)]
        old = composed(folder, "old", times[:8])
        new = composed(folder, "new", [time + shift for time in times[8:]])
        files = []
        for run in (old, new):
            files.append(run.with_suffix(".json"))
            files[-1].write_text(export(run, "gbench"))
        dump = folder / "dump.json"
        subprocess.run([sys.executable, script, "--no-color", "--dump_to_json", dump, "benchmarks", *files], check=True)
        told = [row["utest"]["time_pvalue"] for row in json.loads(dump.read_text()) if row.get("utest")]
        ours = subprocess.run([PROGRAM, "compare", old, new, "--format", "json"], capture_output=True, text=True)
        step = json.loads(ours.stdout)["cases"][0]["metrics"][0]
        print(f"shift {shift}: p {told}, {step['p_mann_whitney']} to us")
        assert len(told) == 1 and abs(told[0] - step["p_mann_whitney"]) < 1e-12


def judge_bridge(folder):
    """compare.py pairs benchmarks by name: two runs of stepbench-gbench with different repetitions, and an export."""
    script = unpacked("usr/share/benchmark/compare.py")
    bridge = pathlib.Path(PROGRAM).with_name("stepbench-gbench")
    if not bridge.exists():
        absent("stepbench-gbench was not built: Google Benchmark is not installed")
    worker = pathlib.Path(PROGRAM).parents[2] / "tests/stub_worker/stub-worker"
    experiment = folder / "two.yaml"
    experiment.write_text("workload: stub\nlaunches: 3\nschedule: {wait: 0, warmup: 0, active: 5}\n"
                          "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n")
    files = []
    for repetitions in (3, 4):
        files.append(folder / f"{repetitions}.json")
        subprocess.run([bridge, experiment, "--sb-worker", worker, "--sb-results", folder / f"results{repetitions}",
                        "--sb-no-lock", f"--benchmark_repetitions={repetitions}", f"--benchmark_out={files[-1]}"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run, = (folder / "results3").iterdir()
    exported = folder / "exported.json"
    exported.write_text(export(run, "gbench"))
    for old, new in (files, (exported, files[1])):
        dump = folder / "dump.json"
        shown = subprocess.run([sys.executable, script, "--no-color", "--dump_to_json", dump, "benchmarks", old, new],
                               check=True, capture_output=True, text=True).stdout
        rows = {row["name"] for row in json.loads(dump.read_text())}
        print(shown)
        for case in ("stub/step_us:1000", "stub/step_us:2000"):
            assert {case, f"{case}_median", f"{case}_cv"} <= rows and f"{case}_median" in shown, rows


def judge_junit(folder):
    if shutil.which("xmllint") is None:
        absent("xmllint is not installed")
    try:
        import junitparser
    except ImportError as missing:
        absent(f"junitparser is not installed: {missing}")
    verdict = folder / "verdict.json"
    subprocess.run([PROGRAM, "compare", RUNS[0], RUNS[0], "--verdict", verdict], stdout=subprocess.DEVNULL)
    for run in (*RUNS, verdict, with_hostile_names(folder), composed(folder, "empty", [])):
        file = folder / "report.xml"
        file.write_text(export(run, "junit") if run.name != "empty.jsonl" else empty_export(run, "junit"))
        subprocess.run(["xmllint", "--noout", "--schema", HERE / "junit.xsd", file], check=True)
        report = junitparser.JUnitXml.fromfile(str(file))
        cases = list(itertools.chain.from_iterable(report))
        failed = sum(any(isinstance(result, junitparser.Failure) for result in case.result) for case in cases)
        print(f"{run.name}: {len(cases)} cases, {failed} failed")
        assert (report.tests, report.failures) == (len(cases), failed)


def empty_export(run, form):
    """Exports a run without measurements: it succeeds, and the status says so."""
    done = subprocess.run([PROGRAM, "export", run, "--format", form], capture_output=True, text=True)
    assert done.returncode == 4, done.stderr
    return done.stdout


def judge_openmetrics(folder):
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError as missing:
        absent(f"prometheus_client is not installed: {missing}")
    for run in (*RUNS, with_hostile_names(folder)):
        families = {each.name: each for each in text_string_to_metric_families(export(run, "openmetrics"))}
        for case in json.loads(export(run, "json"))["cases"]:
            samples = [each for each in families["stepbench_step_seconds"].samples
                       if each.labels["case"] == case["case_id"] and each.labels.get("arm", "") == case["arm"]]
            if case["step_ns"] is None or case["pass"] != "timing":
                continue
            assert len(samples) == 1 and abs(samples[0].value * 1e9 - case["step_ns"]) < 1e-3, case["case_id"]
        print(f"{run.name}: {len(families)} families")


def judge_promtool(folder):
    promtool = unpacked("usr/bin/promtool")
    verdict = folder / "verdict.json"
    subprocess.run([PROGRAM, "compare", RUNS[0], RUNS[0], "--verdict", verdict], stdout=subprocess.DEVNULL)
    for run in (*RUNS, verdict, with_hostile_names(folder)):
        page = export(run, "openmetrics")
        done = subprocess.run([promtool, "check", "metrics"], input=page, capture_output=True, text=True)
        print(f"{run.name}: {done.returncode} {done.stdout}{done.stderr}")
        assert done.returncode == 0


def judge_pandas(folder):
    try:
        import pandas
    except ImportError as missing:
        absent(f"pandas is not installed: {missing}")
    for run in (*RUNS, with_hostile_names(folder)):
        text = export(run, "csv")
        table = pandas.read_csv(io.StringIO(text))
        head = next(iter(pandas.read_csv(io.StringIO(text), header=None, nrows=1, dtype=str).values)).tolist()
        assert list(table.columns) == head and len(set(head)) == len(head), "a column was renamed"
        cases = json.loads(export(run, "json"))["cases"]
        assert len(table) == len(cases)
        for case, (_, row) in zip(cases, table.iterrows()):
            assert case["step_ns"] is None or abs(row["step_ns"] - case["step_ns"]) < 1e-6
            for name in ("started_utc", "host"):
                assert row[name] == case[name] or (case[name] is None and pandas.isna(row[name])), name
            for name, value in case.get("metrics", {}).items():
                column = name if name in table.columns and name not in case else f"metric.{name}"
                assert value is None or abs(row[column] - value) <= 1e-9 * abs(value), name
        print(f"{run.name}: {table.shape}")


with tempfile.TemporaryDirectory() as made:
    globals()[f"judge_{sys.argv[4]}"](pathlib.Path(made))
