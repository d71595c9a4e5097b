"""A headless Chromium, driven over the WebDriver protocol (https://www.w3.org/TR/webdriver2/) and, for what that has not, over the
developer tools of the browser (https://chromedevtools.github.io/devtools-protocol/)."""
import base64
import json
import re
import subprocess
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """For "with": the driver and the browser end with it. @folder is the browser's own."""

    def __init__(self, folder):
        self.folder = folder
        self.session = None

    def __enter__(self):
        self.base = f"http://127.0.0.1:{self.start_driver()}"
        try:
            self.session = self.start()
            self.go("about:blank")
            self.log("performance")  # what the browser's own first page loaded
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def start_driver(self):
        """Its port. It ends when what it chose for IPv4 is taken for IPv6, and may be slow where much else runs."""
        for _ in range(3):
            log = open(f"{self.folder}/chromedriver.out", "w+", encoding="utf-8")
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=subprocess.STDOUT,
                                           env={"HOME": self.folder, "PATH": "/usr/bin:/bin", "TMPDIR": self.folder})
            until = time.monotonic() + 60
            while self.driver.poll() is None and time.monotonic() < until:
                log.seek(0)
                found = re.search(r"started successfully on port (\d+)", log.read())
                if found:
                    return found.group(1)
                time.sleep(0.1)
            self.driver.kill()
            self.driver.wait()
        log.seek(0)
        raise RuntimeError(f"chromedriver does not start: {log.read()}")

    def start(self):
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en",
                     "--disable-background-networking", "--no-proxy-server", f"--user-data-dir={self.folder}/profile"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        return self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def ask(self, method, path, body=None):
        session = f"/session/{self.session}" if self.session else "/session"
        request = urllib.request.Request(self.base + session + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if method != "POST" else json.dumps(body or {}).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(f"{method} {path}: {e.read().decode()[:600]}") from e

    def go(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What the body of a function returns in the page."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        """What came since the last time."""
        return self.ask("POST", "/se/log", {"type": kind})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.ask("POST", f"/element/{self.find(selector)}/click")

    def follow(self, selector):
        """A click that leads to another page, and that page: the driver may answer before the browser has left this one."""
        self.run("window.left = true")
        self.click(selector)
        for _ in range(200):
            if self.run("return !window.left && document.readyState === 'complete'"):
                return
            time.sleep(0.05)
        raise RuntimeError(f"a click on {selector} leads nowhere")

    def type(self, selector, text):
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, key):
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def screen(self, width, height, scheme="light", scale=1):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shoot(self, file):
        """What the screen shows, as PNG."""
        shot = self.devtools("Page.captureScreenshot", format="png", optimizeForSpeed=False)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
