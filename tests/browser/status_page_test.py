"""The status page of sms-router, in a real browser, over a made-up router (status_server.cpp): it is
live, keeps focus and rows, steers, says when nobody answers, escapes what others wrote, and can be
read wide and narrow, light and dark, and used without a mouse.

status_page_test.py STATUS_SERVER [PICTURES]

PICTURES: a folder for screenshots. Exit code 77 (skipped) where there is no Chromium, unless
NIO_REQUIRE_ALL=1.
"""
import base64
import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import webdriver

SKIPPED = 77
PATIENCE = 240
PAUSE = 2.5  # longer than the page waits between two questions
CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")
VIEWS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]
HOSTILE = "<img src=x onerror=\"console.error('img')\">&amp;'"
HOSTILE_CONNECTOR = HOSTILE + "/?#%"
TOKEN = "a token+with/signs"
# Everything that can be used, in the order of the page.
CONTROLS = """
  return [...document.querySelectorAll('button, input, a[href], select, textarea')]
      .filter(e => e.getClientRects().length > 0)
      .map(e => e.id || e.getAttribute('aria-label') || e.textContent)"""
FOCUSED = """
  const e = document.activeElement;
  return e === document.body ? '' : e.id || e.getAttribute('aria-label') || e.textContent"""
SEEN_FOCUS = """
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2"""
ROW = """
  const [table, name] = arguments;
  const more = [...document.querySelectorAll(`#${table} button.more`)]
      .find(button => button.textContent === name);
  return more.closest('tr');"""
CONNECTOR = "const row = (function() {" + ROW + "})('connectors', arguments[0]);"
ACCOUNT = "const row = (function() {" + ROW + "})('accounts', arguments[0]);"


class InVain(Exception):
    pass


class Troubles(list):
    def unless(self, fine, text):
        if not fine:
            self.append(text)


@contextlib.contextmanager
def status_server(program, *options):
    """Its address."""
    command = [program, *(options or ["0"])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def wait_for(browser, what, script, *arguments):
    """What the script gives, once it is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := browser.run(script, *arguments):
            return found
        time.sleep(0.05)
    raise InVain(f"waited in vain for: {what}")


def text_of(browser, element):
    return browser.run("return document.getElementById(arguments[0]).textContent", element)


def wait_for_text(browser, element, text):
    wait_for(browser, f"{element}: {text}",
             "return document.getElementById(arguments[0]).textContent.includes(arguments[1])",
             element, text)


def wait_for_updates(browser, count):
    for _ in range(count):
        before = text_of(browser, "uptime")
        wait_for(browser, "an update",
                 "return document.getElementById('uptime').textContent !== arguments[0]", before)


def open_page(browser, address):
    browser.visit(address)
    wait_for_text(browser, "state", "Live, with 2 alarms")
    wait_for(browser, "rates", "return document.getElementById('in').textContent !== '–'")


def complaints(browser, expected=()):
    """What the console has, but for the browser's own notes on answers that are meant so."""
    messages = [f"{entry['level']} {entry['message']}" for entry in browser.log("browser")]
    return [f"console: {text}" for text in messages if not any(e in text for e in expected)]


# --- what is tested -------------------------------------------------------------------------------


def check_it_is_live(browser, troubles):
    browser.run("document.getElementById('in').dataset.mark = 'same';"
                "document.querySelectorAll('tr').forEach(row => row.dataset.mark = 'same');")
    rates = set()
    for _ in range(4):
        wait_for_updates(browser, 1)
        rates.add(text_of(browser, "in"))
    troubles.unless(len(rates) > 1, f"the rate does not change: {rates}")
    rebuilt = browser.run("return [...document.querySelectorAll('tr')]"
                          ".filter(row => row.dataset.mark !== 'same').length")
    troubles.unless(rebuilt == 0, f"{rebuilt} rows were made anew")
    curve = browser.run("return document.querySelector('#in-curve .line').getAttribute('d')")
    troubles.unless(curve.count("L") >= 3, f"a curve of {curve}")


def check_alarms_are_not_green(browser, troubles):
    colours = browser.run("""
        const back = node => getComputedStyle(node).backgroundColor;
        const good = document.createElement('span');
        good.className = 'lamp on';
        document.body.append(good);
        const found = {good: back(good), lamp: back(document.getElementById('lamp'))};
        good.remove();
        return found;""")
    troubles.unless(colours["lamp"] != colours["good"], f"green beside an alarm: {colours}")
    badge = browser.run(CONNECTOR + "return row.querySelector('.badge').className", "north")
    troubles.unless(badge == "badge warn", f"north has an alarm and is '{badge}'")


def check_curves_have_axes(browser, troubles):
    for curve in ("in", "accepted", "receipts"):
        axis = text_of(browser, curve + "-span") + ", " + text_of(browser, curve + "-most")
        troubles.unless(re.fullmatch(r"last (\d+ s|\d+ min.*), max [\d.,]+", axis),
                        f"the axes of {curve} say '{axis}'")


def check_queues_say_why(browser, troubles):
    reasons = {"north": "throttled until ", "south": "no bind", "full": "window full",
               HOSTILE_CONNECTOR: "rate limit"}
    for name, reason in reasons.items():
        row = browser.run(CONNECTOR + "return row.innerText", name)
        troubles.unless(f"17 ({reason}" in row, f"{name} has no '{reason}': {row}")


def check_focus_stays(browser, troubles):
    for script in ("row.querySelector('.do button').focus()",
                   "row.querySelector('button.more').focus()"):
        browser.run(CONNECTOR + script, "north")
        before = browser.run(FOCUSED)
        wait_for_updates(browser, 3)
        after = browser.run(FOCUSED)
        troubles.unless(after == before, f"the focus went from {before!r} to {after!r}")


def check_keyboard(browser, troubles):
    browser.run("document.activeElement.blur(); document.getElementById('state').tabIndex = -1;"
                "document.getElementById('state').focus()")
    expected, reached, unseen = browser.run(CONTROLS), [], []
    for _ in expected:
        browser.press("Tab")
        reached.append(browser.run(FOCUSED))
        if not browser.run(SEEN_FOCUS):
            unseen.append(reached[-1])
    troubles.unless(reached == expected, f"Tab reaches {reached}, not {expected}")
    troubles.unless(not unseen, f"no focus is seen on {unseen}")


def check_switch(browser, name, troubles):
    """With the keyboard."""
    browser.run(CONNECTOR + "row.querySelector('.do button').focus()", name)
    state = CONNECTOR + "return row.cells[1].textContent === arguments[1]"
    label = CONNECTOR + "return row.querySelector('.do button').getAttribute('aria-label')"
    for wanted, offered in (("stopped", "Start " + name), ("live", "Stop " + name)):
        browser.press("Enter")
        wait_for(browser, f"{name} is {wanted}", state, name, wanted)
        wait_for(browser, offered, label + " === arguments[1]", name, offered)
        troubles.unless(browser.run(FOCUSED) == offered, f"the switch of {name} lost the focus")
    troubles.unless(text_of(browser, "news") == f"Connector {name} is live.",
                    f"the news is {text_of(browser, 'news')!r}")


def check_details(browser, troubles):
    browser.run(ACCOUNT + "row.querySelector('button.more').click()", HOSTILE)
    peers = ACCOUNT + """
        return [...row.nextSibling.querySelectorAll('table > tbody > tr')]
            .filter(r => r.closest('table') !== row.closest('table')).map(r => r.cells[2].textContent)"""
    found = wait_for(browser, "binds", peers + ".join('\\n')", HOSTILE).split("\n")
    expected = [HOSTILE, "192.0.2.7:40002 (TLS)"]
    others = browser.run(ACCOUNT + "return row.nextSibling.querySelector('p').textContent", HOSTILE)
    troubles.unless(others == "Receipts and messages not acknowledged: 14. The webhook at "
                    "shop.example:443 has failed 36 times in a row, for 37 s: " + HOSTILE +
                    "; posts under way: 4. HTTP requests answered: 34 with 2xx, 35 with 4xx.",
                    f"besides its binds an account has: {others}")
    troubles.unless(found == expected, f"the binds are those of {found}")
    for name in ("north", HOSTILE_CONNECTOR):
        browser.run(CONNECTOR + "row.querySelector('button.more').click()", name)
    wait_for(browser, "more binds",
             "return document.querySelectorAll('.detail:not([hidden]) tbody tr').length === 6")


def check_escaping(browser, troubles):
    images = browser.run("return document.querySelectorAll('img, script').length")
    troubles.unless(images == 1, "a name has become markup")
    errors = browser.run(ACCOUNT + "return row.cells[8].textContent", "esme1")
    troubles.unless(errors == "bind refused: " + HOSTILE, f"an error is shown as {errors}")


def check_filter(browser, troubles):
    shown = "return [...document.querySelectorAll('#accounts > tbody > tr:not(.detail)')]" \
            ".filter(row => !row.hidden).length"
    everything = browser.run(shown)
    script = "const f = document.getElementById('filter'); f.value = arguments[0];" \
             "f.dispatchEvent(new Event('input'))"
    browser.run(script, "ESME1")
    wait_for_updates(browser, 2)
    found = browser.run(shown)
    troubles.unless(found == 4, f"{found} of {everything} accounts are called like esme1")
    browser.run(script, "")
    troubles.unless(browser.run(shown) == everything, "accounts stay hidden")


def check_explain(browser, troubles):
    browser.run("document.getElementById('ask-to').value = '4366012345'; "
                "document.getElementById('ask-data_coding').value = '0xF5'; "
                "document.querySelector('#explain button').click()")
    wait_for_text(browser, "lines", "=> connector")
    lines = browser.run("return [...document.querySelectorAll('#lines li')].map(e => e.textContent)")
    expected = ['route "vip" does not match: account', f'route "{HOSTILE}" matches',
                '=> connector "north"']
    troubles.unless(lines == expected, f"the explanation is {lines}")
    browser.run("const coding = document.getElementById('ask-data_coding'); "
                "coding.removeAttribute('pattern'); coding.value = '256'; "
                "document.querySelector('#explain button').click()")
    wait_for_text(browser, "explain-error", "data_coding is a number from 0 to 255")
    browser.run("document.getElementById('ask-data_coding').value = ''; "
                "document.getElementById('ask-account').value = 'esme1'; "
                "document.getElementById('ask-connector').value = 'north'; "
                "document.querySelector('#explain button').click()")
    wait_for_text(browser, "explain-error", "either an account or a connector")
    browser.run("document.getElementById('ask-account').value = ''; "
                "document.getElementById('ask-connector').value = ''; "
                "document.querySelector('#explain button').click()")
    wait_for_text(browser, "lines", "=> connector")
    for kind, known in (("account", HOSTILE), ("connector", "north")):
        names = browser.run("return [...document.getElementById(arguments[0] + '-names').options]"
                            ".map(option => option.value)", kind)
        troubles.unless(known in names, f"the {kind}s to choose from are {names}")


def check_reload(browser, troubles):
    browser.run("document.getElementById('reload').click()")
    wait_for_text(browser, "reloaded-text", "Configuration reloaded at")
    wait_for_text(browser, "mistakes", "router.toml:12: no such connector")
    browser.run("document.getElementById('reload').click()")
    wait_for_text(browser, "reloaded-text", "The configuration has mistakes")
    mistakes = browser.run(
        "return [...document.querySelectorAll('#mistakes li')].map(e => e.textContent)")
    expected = ['router.toml:12: no such connector: "nort"', "router.toml:40: " + HOSTILE]
    troubles.unless(mistakes == expected, f"the mistakes are {mistakes}")


def check_pause(browser, troubles):
    """A page that nobody sees asks nothing."""
    say = "Object.defineProperty(document, 'hidden', {value: arguments[0], configurable: true});" \
          "document.dispatchEvent(new Event('visibilitychange'))"
    wait_for_updates(browser, 1)
    browser.run(say, True)
    time.sleep(PAUSE)
    browser.requested()
    time.sleep(PAUSE)
    asked = browser.requested()
    troubles.unless(not asked, f"hidden, it asks for {asked}")
    browser.run(say, False)
    wait_for_updates(browser, 2)


def check_looks(browser, pictures, troubles):
    """With everything open that can be open."""
    backgrounds = {}
    for width, scheme in VIEWS:
        browser.show(width, scheme)
        wait_for_updates(browser, 1)
        if pictures:
            name = f"status-{width}-{scheme}.png"
            (Path(pictures) / name).write_bytes(base64.b64decode(browser.picture()))
        found = browser.run(CHECKS)
        backgrounds[scheme] = found["background"]
        where = f"{width} px, {scheme}: "
        troubles.unless(found["dark"] == (scheme == "dark"), where + "no colour scheme")
        troubles.unless(found["contentWidth"] <= width,
                        where + f"content is {found['contentWidth']} px wide")
        troubles.unless(found["texts"] > 100, where + f"{found['texts']} texts")
        for text in found["faintTexts"]:
            troubles.append(where + f"contrast {text['contrast']:.2f}: {text['text']}")
    troubles.unless(backgrounds["light"] != backgrounds["dark"], "dark looks like light")


def check_motion(browser, troubles):
    moving = browser.run("""
        return [...document.querySelectorAll('*')].filter(e => {
          const style = getComputedStyle(e);
          return style.animationName !== 'none' ||
              style.transitionDuration.split(',').some(time => parseFloat(time) > 0);
        }).length""")
    troubles.unless(moving == 0, f"{moving} elements move")


def check_requests(browser, address, troubles):
    outside = {a for a in browser.requested() if not a.startswith((address, "data:,"))}
    troubles.unless(not outside, f"asks for {outside}")


def check_page(browser, program, pictures, troubles):
    with status_server(program) as address:
        browser.show(1280, "light")
        browser.visit("about:blank")
        browser.requested()
        open_page(browser, address)
        check_it_is_live(browser, troubles)
        check_alarms_are_not_green(browser, troubles)
        check_curves_have_axes(browser, troubles)
        check_queues_say_why(browser, troubles)
        check_focus_stays(browser, troubles)
        check_keyboard(browser, troubles)
        check_switch(browser, "north", troubles)
        check_switch(browser, HOSTILE_CONNECTOR, troubles)
        check_filter(browser, troubles)
        check_details(browser, troubles)
        check_escaping(browser, troubles)
        check_motion(browser, troubles)
        troubles += complaints(browser)
        check_explain(browser, troubles)
        check_reload(browser, troubles)
        check_looks(browser, pictures, troubles)
        check_keyboard(browser, troubles)
        check_requests(browser, address, troubles)
        check_pause(browser, troubles)
        troubles += complaints(browser, [
            "/reload - Failed to load resource: the server responded with a status of 422",
            "data_coding=256 - Failed to load resource: the server responded with a status of 400",
            "data_coding= - Failed to load resource: the server responded with a status of 400",
        ])


def check_lost(browser, program, troubles):
    """A router that goes away and comes back."""
    with status_server(program) as address:
        open_page(browser, address)
        browser.run(CONNECTOR + "row.querySelector('.do button').focus()", "north")
        troubles.unless(browser.run("return document.getElementById('lost').hidden"), "lost early")
    wait_for_text(browser, "state", "No connection")
    wait_for_text(browser, "lost", "What is below is from")
    faint = browser.run(CHECKS)["faintTexts"]
    troubles.unless(not faint, f"faint without a connection: {faint}")
    port = address.rstrip("/").rsplit(":", 1)[1]
    with status_server(program, port):
        wait_for_text(browser, "state", "Live, with 2 alarms")
        wait_for(browser, "no banner", "return document.getElementById('lost').hidden")
        wait_for_updates(browser, 3)
        rate = text_of(browser, "in")
        troubles.unless("-" not in rate and rate != "–", f"counted on as {rate}")
        troubles.unless(browser.run(FOCUSED) == "Stop north", "the focus is lost")
    troubles += complaints(browser, ["ERR_CONNECTION_", "ERR_EMPTY_RESPONSE"])


def check_token(browser, program, troubles):
    """The token, once in the form: a cookie then, and no trace of it in the page."""
    submit = "document.getElementById('token').value = arguments[0];" \
             "document.querySelector('form button').click()"
    with status_server(program, "0", TOKEN) as address:
        for width, scheme in VIEWS:
            browser.show(width, scheme)
            browser.visit(address)
            found = browser.run(CHECKS)
            troubles.unless(found["contentWidth"] <= width, "the form is too wide")
            troubles.unless(not found["faintTexts"], f"faint: {found['faintTexts']}")
        browser.run(submit, "wrong")
        wait_for(browser, "a refusal",
                 "return document.body.textContent.includes('This is not the token.')")
        browser.run(submit, TOKEN)
        wait_for(browser, "the page", "return document.getElementById('state') !== null")
        wait_for_text(browser, "state", "Live, with 2 alarms")
        troubles.unless(browser.run("return location.href") == address, "the address has more")
        troubles.unless(browser.run("return document.cookie") == "", "scripts see the cookie")
        browser.run("document.getElementById('reload').click()")
        wait_for_text(browser, "reloaded-text", "Configuration reloaded at")
    troubles += complaints(browser, ["401 (Unauthorized)", "ERR_CONNECTION_"])


def main():
    program, pictures = sys.argv[1], (sys.argv[2:] or [None])[0]
    if lacks := webdriver.missing():
        print("not installed: " + ", ".join(lacks))
        sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else SKIPPED)
    troubles = Troubles()
    with webdriver.Browser() as browser:
        try:
            check_page(browser, program, pictures, troubles)
            check_lost(browser, program, troubles)
            check_token(browser, program, troubles)
        except InVain as reason:
            troubles.append(str(reason))
    print("\n".join(troubles) or "the status page is fine")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
