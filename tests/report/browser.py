# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, started alike by all tests that need a browser, and a report's page in it."""
import base64
import json
import os
import pathlib
import shutil
import signal
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

PATIENCE_S = 600  # anything slower hangs, on any machine
PATIENCE_AT_THE_END_S = 30


def missing_programs():
    return [program for program in ("chromium", "chromedriver") if shutil.which(program) is None]


def browser(*more, logs=False):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", *more):
        options.add_argument(argument)
    if logs:
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Browser(options=options, service=Service(shutil.which("chromedriver"), popen_kw={"start_new_session": True}))
    driver.command_executor.client_config.timeout = PATIENCE_S
    driver.set_script_timeout(PATIENCE_S)
    return driver


class Browser(webdriver.Chrome):
    def quit(self):
        """Leaves no process of the browser, also where it hangs."""
        self.command_executor.client_config.timeout = PATIENCE_AT_THE_END_S
        super().quit()
        for process in processes_of_session(self.service.process.pid):
            os.kill(process, signal.SIGKILL)


def processes_of_session(session):
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            yield int(stat.parent.name)


class Page:
    """One report in a browser, with all console messages since it was opened."""

    def __init__(self, driver, path, *, script=True, fragment="", address=""):
        self.driver, self.path = driver, pathlib.Path(path)
        self.address = (address or self.path.resolve().as_uri()) + fragment
        self.command("Emulation.setScriptExecutionDisabled", value=not script)
        self.emulate_focus(True)
        driver.get("about:blank")
        for log in ("browser", "performance"):
            driver.get_log(log)
        driver.get(self.address)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def emulate_focus(self, enabled):
        """The page has the focus, whatever window has it on this machine."""
        self.command("Emulation.setFocusEmulationEnabled", enabled=enabled)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not (value := self.run(f"return {condition}")):
            if time.monotonic() > end:
                raise AssertionError(f"{self.path.name}: waited {PATIENCE_S} s for {what}")
            time.sleep(0.05)
        return value

    def begin_at_its_top(self):
        """Resets the start of TAB to the top, as on a newly opened page: scrolling, drawing and pointing may have
        moved it."""
        self.run("document.body.tabIndex = -1; document.body.focus()")
        self.until("document.hasFocus() && document.activeElement === document.body", "the focus")

    def press_tab(self):
        """Returns after the focus has moved."""
        self.run("window.left = document.activeElement")
        webdriver.ActionChains(self.driver).send_keys(Keys.TAB).perform()
        self.until("document.activeElement !== window.left", "the focus to move")

    def draw_all(self):
        """Opens folded parts, looks at every figure and each of its views, and returns the state of each."""
        self.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        self.draw_visible()
        for number in reversed(range(self.run("return document.querySelectorAll('.views option').length"))):
            self.run("""const option = document.querySelectorAll('.views option')[arguments[0]];
                        option.selected = true;
                        option.parentElement.dispatchEvent(new Event('change'))""", number)
        return self.run("return [...document.querySelectorAll('.plot')].map(each => each.dataset.state)")

    def draw_visible(self):
        hidden = "each.closest('[hidden], details:not([open])')"
        for number in self.run("return [...document.querySelectorAll('.plot')].map((each, i) => "
                               f"each.dataset.state || {hidden} ? -1 : i).filter(i => i >= 0)"):
            self.run("document.querySelectorAll('.plot')[arguments[0]].scrollIntoView({block: 'center'})", number)
            self.until(f"['drawn', 'failed'].includes(document.querySelectorAll('.plot')[{number}].dataset.state)",
                       f"figure {number}")

    def figures(self):
        """Returns Plotly's result for each figure: its title, the traces, and the points of each."""
        return self.run("""
            return [...document.querySelectorAll('figure')].map(figure => {
              const plot = figure.querySelector('.plot');
              return {title: figure.querySelector('h3').textContent,
                      alt: figure.querySelector('.alt').textContent,
                      data: plot.data, full: plot._fullData.map(trace => trace.type),
                      points: plot.calcdata.map(trace => trace.length),
                      axes: Object.keys(plot._fullLayout).filter(key => /^[xy]axis/.test(key)).map(
                        key => (plot._fullLayout[key].title || {}).text || '')};
            });""")

    def console(self):
        return [entry for entry in self.driver.get_log("browser")]

    def requests(self):
        """Returns the addresses that the page requested, besides its own; data: and blob: are in the page."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            address = message["params"]["request"]["url"]
            if address.split("#")[0] != self.address.split("#")[0] and not address.startswith(("data:", "blob:")):
                asked.append(address)
        return asked

    def picture(self, file, whole=False):
        """Saves a PNG of the visible part, or of the whole page."""
        parameters = {}
        if whole:
            size = self.command("Page.getLayoutMetrics")["cssContentSize"]
            parameters = {"captureBeyondViewport": True,
                          "clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000),
                                   "scale": 1}}
        file.parent.mkdir(parents=True, exist_ok=True)
        self.emulate_focus(False)  # with it, Chromium sometimes draws no picture, and nothing after it
        file.write_bytes(base64.b64decode(self.command("Page.captureScreenshot", **parameters)["data"]))
        self.emulate_focus(True)

    def on_paper(self, width):
        """Shows the print layout on the screen."""
        self.command("Emulation.setEmulatedMedia", media="print")
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        self.run("window.dispatchEvent(new Event('beforeprint'))")
        self.until("[...document.querySelectorAll('.plot .main-svg')].every(each => "
                   f"each.getBoundingClientRect().width < {width})", "figures as wide as paper")

    def first_chart_ms(self):
        """Milliseconds from the page's start, by its own clock."""
        return self.until("(performance.getEntriesByName('first-chart')[0] || {}).startTime", "the first chart")

    def printed(self):
        return base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=False)["data"])
