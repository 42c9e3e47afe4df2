# pages.py - opens pages in headless Chromium, through its pipe for tools (no port, no network).
#
#	with Browser(profile_folder) as b:
#		b.open("/path/page.html", "find=x")
#		b.ask("document.title")
import json
import os
import select
import subprocess
import urllib.parse

WAIT_S = 180


class Browser:
    def __init__(self, folder, program="chromium"):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def place():
            # both ends above the numbers that they get
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.child = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", "--window-size=1200,900",
             "--user-data-dir=" + folder, "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.n, self.rest, self.requests, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        self.call("Network.enable")
        self.call("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        os.close(self.to)
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        os.close(self.back)

    def message(self):
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], WAIT_S)[0]:
                raise RuntimeError("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    # Calls a method and returns its result.  Notes which addresses the page requests meanwhile.
    def call(self, method, **given):
        self.n += 1
        m = {"id": self.n, "method": method, "params": given}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.to, json.dumps(m).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("method") == "Network.requestWillBeSent":
                self.requests.append(got["params"]["request"]["url"])
            if got.get("id") == self.n:
                if "error" in got:
                    raise RuntimeError(method + ": " + got["error"]["message"])
                return got["result"]

    # The value of an expression, or of the promise that it is.
    def ask(self, expression):
        got = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                        returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(str(got["exceptionDetails"])[:500])
        return got["result"].get("value")

    # Loads a page and waits until its script is done.  Returns what it says if it failed, or if it
    # is not done after a minute.
    def open(self, path, words=""):
        self.requests = []
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate",
                  url="file://" + urllib.parse.quote(os.path.abspath(path)) + "#" + words)
        return self.ask("""new Promise((done) => {
            const end = Date.now() + 60000;
            const look = () => {
                const root = document.documentElement, d = root ? root.dataset : {};
                if (d.ready || d.failed)
                    done(d.failed || "");
                else if (Date.now() > end)
                    done("the page is not ready");
                else
                    setTimeout(look, 5);
            };
            look();
        })""")
