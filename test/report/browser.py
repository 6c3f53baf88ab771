"""A headless browser through chromedriver, by the commands of WebDriver that
the tests need."""
import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

DRIVER, BROWSER = shutil.which("chromedriver"), shutil.which("chromium")


def is_there():
    return bool(DRIVER and BROWSER)


class Browser:
    """One window of `width` x `height`; closes at the end of a `with`."""

    def __init__(self, width=1440, height=1000, dark=False):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            [DRIVER, f"--port={port}", "--silent"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.session = ""
        # The sandbox needs a user other than root; the pages are our own.
        arguments = ["--headless", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size={width},{height}"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        try:
            self.wait()
            made = self.call("POST", "/session", {"capabilities": {
                "alwaysMatch": {
                    "goog:chromeOptions": {"args": arguments,
                                           "binary": BROWSER},
                    "goog:loggingPrefs": {"browser": "ALL"}}}})
        except Exception:
            self.driver.kill()
            raise
        self.session = f"/session/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(30)

    def wait(self):
        for _ in range(300):
            try:
                self.call("GET", "/status")
                return
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.1)
        raise TimeoutError("chromedriver does not answer")

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method,
            data=json.dumps(body or {}).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        self.call("POST", self.session + "/url", {"url": f"file://{path}"})

    def run(self, script, *arguments):
        """The value that `script`, a function's body, returns."""
        return self.call("POST", self.session + "/execute/sync",
                         {"script": script, "args": list(arguments)})

    def type(self, selector, keys):
        self.call("POST", self.element(selector) + "/value", {"text": keys})

    def click(self, selector):
        self.call("POST", self.element(selector) + "/click")

    def element(self, selector):
        found = self.call("POST", self.session + "/element", {
            "using": "css selector", "value": selector})
        return f"{self.session}/element/{next(iter(found.values()))}"

    def errors(self):
        """What the page has written to the console."""
        return [entry["message"] for entry in self.call(
            "POST", self.session + "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        picture = self.call("GET", self.session + "/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))
