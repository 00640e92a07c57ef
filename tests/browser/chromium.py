"""A headless Chromium of our own: a fresh profile, no network, and a record of all that it asks for and complains about."""

import json
import os
import shutil
from contextlib import contextmanager

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip


def missing():
    """What of the browser is not installed, as a sentence; empty when all is there."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"skipped without {' and '.join(absent)}, which .ci/browser installs" if absent else ""


class Browser:
    """What the tests do with the browser."""

    def __init__(self, driver, downloads):
        self.driver = driver
        self.downloads = downloads

    def open(self, file, fragment=""):
        """Load a page afresh, even when only its fragment differs."""
        if fragment:
            self.driver.get("about:blank")
        self.driver.get(file.as_uri() + fragment)

    def run(self, script, *arguments):
        """The value that a script returns."""
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector):
        """The texts of the elements that are shown."""
        return [element.text for element in self.all(selector)]

    def all(self, selector):
        """Every such element."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector):
        """The first such element; a selector that begins with // is a path of XPath."""
        by = By.XPATH if selector.startswith("//") else By.CSS_SELECTOR
        return self.driver.find_element(by, selector)

    def click(self, selector):
        """Click the first such element."""
        self.find(selector).click()

    def choose(self, selector, text):
        """Choose an option by its text."""
        Select(self.find(selector)).select_by_visible_text(text)

    def wait(self, look):
        """Wait until `look` returns something."""
        WebDriverWait(self.driver, 10).until(lambda _: look())

    def address(self):
        """The fragment of the address."""
        return str(self.run("return location.hash"))

    def downloaded(self, pattern):
        """The text of the file that was just downloaded, whose name fits; it is then removed."""
        self.wait(lambda: [*self.downloads.glob(pattern)])
        (file,) = self.downloads.glob(pattern)
        text = file.read_text()
        file.unlink()
        return text

    def forget(self):
        """Delete what pages have stored."""
        self.command("Storage.clearDataForOrigin", origin="file://", storageTypes="local_storage")

    def command(self, name, **parameters):
        """A command of the developer tools."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def complaints(self):
        """What the console says since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def asked_for(self):
        """The schemes of all that was asked for since the last look."""
        entries = self.driver.get_log("performance")
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        urls = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return {url.partition(":")[0] for url in urls}

    def media(self, scheme="light", medium="screen"):
        """Light or dark, screen or print."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=medium, features=features)

    def size(self, width, height):
        """The size of the window's inside, in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)

    def without_scripts(self, file):
        """Load a page whose scripts do not run."""
        self.command("Emulation.setScriptExecutionDisabled", value=True)
        self.open(file)
        self.command("Emulation.setScriptExecutionDisabled", value=False)


@contextmanager
def chromium(folder):
    """A browser whose profile and downloads are in a folder; it is gone at the end."""
    downloads = folder / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = Service(
        executable_path=shutil.which("chromedriver") or "",
        env=dict(os.environ) | {"SE_OFFLINE": "true"},
    )
    driver = Chrome(options=options, service=service)
    try:
        browser = Browser(driver, downloads)
        browser.command(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads.as_posix()
        )
        browser.command("Network.enable")
        browser.command(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )
        yield browser
    finally:
        driver.quit()
