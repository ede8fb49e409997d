"""Opens a running server's console page in a real browser, and fails with a text if it shows something wrong.

    python console_page.py HOST:HTTP_PORT [BROWSER]

BROWSER is a Chromium, found as chromium if it is not said. The page must show every model of the server by its
name, as text, and a ready server as ready; if the browser refused the page's script or style, it would show none.
"""
import html
import json
import re
import subprocess
import sys
import tempfile
import urllib.request


def page(browser, url):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--virtual-time-budget=3000", "--dump-dom", url],
            check=True, capture_output=True, text=True, timeout=60).stdout


def main(address, browser="chromium"):
    with urllib.request.urlopen(f"http://{address}/console.json") as answer:
        state = json.load(answer)
    for path in ("/", "/grps/v1/monitor/metrics"):
        shown = page(browser, f"http://{address}{path}")
        names = [html.unescape(name) for name in re.findall(r'<td class="name">([^<]*)</td>', shown)]
        for model in state["models"]:
            assert model["name"] in names, f"{path} shows {names}, but not {model['name']}"
        ready = re.search(r'<span id="ready" class="[^"]*">([^<]*)</span>', shown).group(1)
        assert ready == ("ready" if state["ready"] else "not ready"), f"{path} says {ready}"
        drawn = re.findall(r'<path class="line" d="M[^"]+"', shown)
        assert len(drawn) == len(state["trends"]), f"{path} draws {len(drawn)} charts"
        print(f"{path}: {len(names)} rows, {len(drawn)} charts, {ready}")


if __name__ == "__main__":
    main(*sys.argv[1:])
