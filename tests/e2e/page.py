#!/usr/bin/env python3
"""page.py FOLDER WEB PART [ARGUMENTS...] | page.py wellformed FILE...

What test_page.sh wants to know of the status page as a browser has it. FOLDER is for the browser; WEB, the page's address, may have a user.
"""
import json
import pathlib
import re
import sys
import unicodedata
import urllib.parse
import urllib.request
from html.parser import HTMLParser

from browser import Browser

VOID = {"meta", "link", "br", "input"}
TAGS = VOID | {"html", "head", "title", "body", "a", "header", "nav", "ul", "li", "main", "h1", "h2", "h3", "p", "span", "section",
               "table", "caption", "thead", "tr", "th", "tbody", "td", "code", "time", "dl", "div", "dt", "dd", "details", "summary", "form",
               "label", "select", "option", "button", "footer", "pre", "strong"}
ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "rel", "href", "class", "id", "aria-label", "aria-labelledby", "role",
              "scope", "aria-sort", "data-is", "datetime", "title", "method", "action", "for", "value", "autocomplete", "type", "selected", "tabindex"}
CONTRAST = 4.5  # WCAG 2, AA
ROWS = 500      # of a page


def equal(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def holds(what, condition):
    if not condition:
        sys.exit(f"{what}: not so")


# ---- without a browser ----

class Strict(HTMLParser):
    """Every element is known and closed in its order, every attribute is known."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        holds(f"<{tag}> is an element of the pages", tag in TAGS)
        holds(f"attributes of <{tag}>: {names}", set(names) <= ATTRIBUTES and len(names) == len(set(names)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        equal("closed", tag, self.open.pop() if self.open else None)

    def handle_comment(self, data):
        sys.exit(f"a comment: {data[:100]!r}")


def wellformed(files):
    for file in files:
        text = pathlib.Path(file).read_text(encoding="utf-8")
        parser = Strict()
        parser.feed(text)
        parser.close()
        equal(f"{file}: left open", parser.open, [])
        holds(f"{file}: no entity is broken", not re.search(r"&(?!(amp|lt|gt|quot|#39);)", text))
        holds(f"{file}: it begins and ends", text.startswith("<!DOCTYPE html>\n<html lang=\"en\">") and text.endswith("</html>\n"))


def visible(text):
    """What base/printable.h makes of it."""
    def one(c):
        if c == "\n":
            return "\\n"
        if c == " " or unicodedata.category(c)[0] in "LMNPS":
            return c
        n = ord(c)
        return f"\\x{n:02x}" if n < 0x20 or n == 0x7F else f"\\u{n:04x}" if n <= 0xFFFF else f"\\U{n:08x}"
    return "".join(map(one, text))


# ---- with one ----

class Page:
    def __init__(self, browser, web):
        parts = urllib.parse.urlsplit(web)
        self.browser = browser
        self.web = f"{parts.scheme}://{parts.hostname}:{parts.port}"
        self.headers = {}
        if parts.username:
            import base64
            self.headers["Authorization"] = "Basic " + base64.b64encode(f"{parts.username}:{parts.password}".encode()).decode()
            browser.devtools("Network.enable")
            browser.devtools("Network.setExtraHTTPHeaders", headers=self.headers)

    def json(self, path):
        with urllib.request.urlopen(urllib.request.Request(self.web + path, headers=self.headers), timeout=60) as answer:
            return json.load(answer)

    def go(self, path):
        """Whatever page it is, these hold."""
        self.browser.go(self.web + path)
        self.is_quiet(path)
        self.is_built_of_ours(path)

    def is_quiet(self, path):
        """No mistake in the console, which has violations of the policy too; nothing loaded from elsewhere."""
        equal(f"{path}: console", [entry["message"] for entry in self.browser.log("browser")], [])
        for entry in self.browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                holds(f"{path} asks for {address}", address.startswith(self.web + "/") or address.startswith("data:,"))

    def is_built_of_ours(self, path):
        built = self.browser.run("""
            const all = [...document.querySelectorAll("*")];
            return {tags: [...new Set(all.map(e => e.localName))], names: [...new Set(all.flatMap(e => e.getAttributeNames()))],
                links: [...document.querySelectorAll("a, link")].map(e => e.getAttribute("href")),
                hacked: typeof hacked, comments: document.createNodeIterator(document, NodeFilter.SHOW_COMMENT).nextNode() != null};""")
        holds(f"{path}: elements {set(built['tags']) - TAGS}", set(built["tags"]) <= TAGS)
        holds(f"{path}: attributes {set(built['names']) - ATTRIBUTES}", set(built["names"]) <= ATTRIBUTES)
        for link in built["links"]:
            holds(f"{path}: a link to {link}", re.match(r"/([^/]|$)|#", link))
        equal(f"{path}: scripts that ran, comments", (built["hacked"], built["comments"]), ("undefined", False))

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def links(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(e => e.getAttribute('href'))", selector)

    def count(self, selector):
        return len(self.texts(selector))

    def rows(self):
        """Of each finding: severity, object, type, cluster and since when."""
        return self.browser.run("""
            return [...document.querySelectorAll("section[aria-labelledby=findings] tbody tr")].map(r => [
                r.querySelector(".sev").textContent, r.querySelector("th a").textContent, 
                [...r.querySelector("th .sub").childNodes].filter(n => n.nodeType === 3).map(n => n.data).join("").trim(),
                r.querySelector("td[data-is=Cluster]").textContent, r.querySelector("td[data-is=Since] time").dateTime]);""")

    def fits(self, path):
        """Nothing sticks out at the side, and no column of a table is a line of letters."""
        for width in (1280, 900, 720):
            self.browser.screen(width, 900)
            equal(f"{path} at {width}: width", self.browser.run("return document.documentElement.scrollWidth"), width)
            thin = self.browser.run("""return [...document.querySelectorAll("tbody td, tbody th")]
                .filter(e => e.getBoundingClientRect().width && e.getBoundingClientRect().width < 80)
                .map(e => e.outerHTML.slice(0, 200)).slice(0, 3);""")
            equal(f"{path} at {width}: thin columns", thin, [])
        for width in (360, 320):
            self.browser.screen(width, 740)
            out = self.browser.run("""
                const width = document.documentElement.clientWidth;
                return [...document.querySelectorAll("body *")].filter(e => !e.closest(".skip, thead"))
                    .filter(e => e.getBoundingClientRect().right > width + 0.5).map(e => e.outerHTML.slice(0, 200)).slice(0, 3);""")
            equal(f"{path} at {width}: sticks out", out, [])
            equal(f"{path} at {width}: width", self.browser.run("return document.documentElement.scrollWidth"), width)
        self.browser.screen(1280, 900)

    def is_readable(self, path):
        """The contrast of every text with what is behind it."""
        backs = set()
        for scheme in ("light", "dark"):
            self.browser.screen(1280, 900, scheme)
            backs.add(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
            weak = self.browser.run("""
                const parse = c => c.match(/[\\d.]+/g).map(Number);
                const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
                const back = e => { for (; e; e = e.parentElement) {
                    const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } };
                const weak = [];
                for (const e of document.querySelectorAll("body *")) {
                    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
                    const a = light(parse(getComputedStyle(e).color)), b = light(back(e));
                    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                    if (ratio < arguments[0]) weak.push([ratio, e.outerHTML.slice(0, 120)]);
                }
                return weak.slice(0, 3);""", CONTRAST)
            equal(f"{path}, {scheme}: too weak to read", weak, [])
        equal(f"{path}: light and dark", len(backs), 2)
        self.browser.screen(1280, 900)

    def tree(self):
        """(role, name) of all that a screen reader is told of."""
        nodes = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        return [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n["ignored"]]

    def is_told(self, path, tables):
        """Landmarks, headings and tables, on a wide and on a narrow screen."""
        for width in (1280, 360):
            self.browser.screen(width, 800)
            tree = self.tree()
            roles = [role for role, _ in tree]
            levels = self.browser.run("return [...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.localName[1]))")
            holds(f"{path}: headings go down one by one: {levels}", all(b <= a + 1 for a, b in zip([0] + levels, levels)))
            links = self.browser.run("""return [...document.querySelectorAll("a")].map(a => [a.textContent.trim(), a.href])""")
            names = dict(links)
            for name, address in links:
                holds(f"{path}: all links {name!r} lead to the same", address == names[name] or "/findings/" in address)
            for role in ("banner", "main", "contentinfo", "navigation"):
                holds(f"{path} at {width}: landmark {role}", role in roles)
            equal(f"{path}: headings of the first level", len(self.texts("h1")), 1)
            found = [name for role, name in tree if role == "table"]
            for name in tables:
                holds(f"{path} at {width}: a table {name!r} among {found}", any(name in x for x in found))
            for role in ("row", "cell", "columnheader", "rowheader"):
                holds(f"{path} at {width}: {role}", not tables or role in roles)
            holds(f"{path}: names of links", all(name for role, name in tree if role == "link"))
        self.browser.screen(1280, 900)

    def item(self, **query):
        return self.json("/api/v1/findings?" + urllib.parse.urlencode(query))["items"][0]


def name_of(x):
    """The text of an object in a row."""
    if x["type"] == "component":
        kind, name = "Component", f"{x['part']}/{x['component']}"
    else:
        kind = x.get("kind") or x.get("resource") or "Cluster"
        name = "/".join(filter(None, (x.get("namespace"), x.get("name"))))
        name = name or ("" if x.get("kind") or x.get("resource") else x["cluster"])
    return visible(kind) + (" " + visible(name) if name else "")


def row_of(x):
    return [x["severity"], name_of(x), x["type"], x["cluster"], x["since"]]


def rows_are_all(page, path="/", query=""):
    """The rows are what the API lists, in its order."""
    items = page.json("/api/v1/findings" + query)["items"]
    page.go(path)
    equal(f"rows of {path}", page.rows(), [row_of(x) for x in items][:ROWS])


# ---- the parts of the test ----

def shots(page, folder):
    rows_are_all(page)
    page.fits("/")
    page.is_readable("/")
    page.is_told("/", ["Open findings"])
    page.browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.is_told("/", ["Open findings", "Watches of prod-eu", "Watches of staging-eu"])
    page.fits("/ with watches")
    page.is_readable("/ with watches")
    equal("clusters", page.texts("h3"), ["prod-eu synced", "staging-eu unreachable"])
    page.go("/")
    pictures(page, folder, ("light", "dark", "narrow"))
    page.go("/?group=cause")
    pictures(page, folder, ("grouped", "grouped-dark", "grouped-narrow"))
    keyboard(page)
    filters(page)


def pictures(page, folder, names):
    """For docs/: as it is, in dark colours, on a phone."""
    for name, *screen in zip(names, (1200, 1200, 360), (900, 900, 1640), ("light", "dark", "light"), (1, 1, 1.25)):
        page.browser.screen(*screen)
        page.browser.shoot(f"{folder}/page-{name}.png")
    page.browser.screen(1280, 900)


def keyboard(page):
    page.go("/?refresh=0")
    page.browser.press("\ue004")
    equal("the first that has the focus", page.browser.run("return document.activeElement.textContent"), "Skip to the content")
    holds("it is seen then", page.browser.run("return document.activeElement.getBoundingClientRect().left >= 0"))
    page.browser.press("\ue004")
    holds("what has the focus is seen", page.browser.run("return parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2"))


def filters(page):
    equal("refreshes itself", refreshes(page, "/"), 1)
    equal("not when that is not wanted", refreshes(page, "/?refresh=0"), 0)
    equal("nor while the filter is filled in", refreshes(page, "/?form=1"), 0)
    page.is_readable("/?form=1")
    page.fits("/?form=1")
    page.browser.run("document.querySelector('#severity').value = 'error'")
    page.browser.type("#namespace", "shop")
    page.browser.follow("button")
    equal("the address", page.browser.run("return location.pathname + location.search"),
          "/?cluster=&reference=&severity=error&type=&namespace=shop&kind=&name=&field=&manager=")
    items = page.json("/api/v1/findings?severity=error&namespace=shop")["items"]
    equal("what passes the filter", page.rows(), [row_of(x) for x in items])
    equal("the filter is said", page.texts(".filters .mark"), ["at least error", "namespace shop"])
    rows_are_all(page, "/?type=drift&type=gap", "?type=drift&type=gap")
    page.go("/?name=nowhere")
    equal("nothing passes", page.rows(), [])
    orders(page)
    causes(page)
    numbers(page)


def orders(page):
    """Each heading leads to the rows in its order, and the filter stays."""
    for heading, order in (("Object", "name"), ("Cluster", "cluster"), ("What is wrong", "field"), ("Written by", "manager"),
                           ("Since", "since")):
        page.go("/?severity=warning")
        page.browser.follow(f"thead a[href$='sort={order}']")
        equal(f"sorted by {heading}", page.texts("thead th[aria-sort=ascending]"), [heading])
        equal(f"by {heading}", page.rows(), [row_of(x) for x in page.json(f"/api/v1/findings?severity=warning&sort={order}")["items"]])
    page.browser.follow("thead th:first-child a")
    equal("by severity again", page.browser.run("return location.search"), "?severity=warning")
    equal("sorted by it", page.texts("thead th[aria-sort=descending]"), ["Severity"])


def causes(page):
    """A row for each cause, whose count leads to all that it has."""
    page.go("/")
    page.browser.follow(".filters a[href*='group=cause']")
    page.fits("/?group=cause")
    page.is_readable("/?group=cause")
    groups = page.json("/api/v1/findings?group=cause")["items"]
    counts = page.texts("section[aria-labelledby=findings] tbody td a[href*='cause=']")
    equal("how many each has", counts, [f"{g['count']:,} finding{'s' * (g['count'] != 1)} of this cause" for g in groups])
    page.go(page.links("section[aria-labelledby=findings] tbody td a[href*='cause=']")[0])
    equal("all of the first", page.rows(), [row_of(x) for x in page.json(f"/api/v1/findings?cause={groups[0]['cause']}")["items"]])
    holds("which is said", any(t.startswith("cause ") for t in page.texts(".filters .mark")))
    page.go("/?group=cause&namespace=shop&refresh=0")
    for link in page.links("section[aria-labelledby=findings] tbody td a[href*='cause=']"):
        holds(f"{link}: the filter stays", "namespace=shop" in link and "refresh=0" in link)


def numbers(page):
    """Each number of a card leads to just what it counts, and each cluster to what is open there."""
    page.go("/?refresh=0&kind=namespaces")
    found = list(zip(page.links("main a"), page.texts("main a")))
    counted = [(link, text) for link, text in found if "severity_is=" in link or "type=accepted" in link]
    holds(f"numbers with links: {counted}", len(counted) >= 4)
    for link, text in counted:
        page.go(link)
        equal(f"{link}: {text}", len(page.rows()), int(text.split()[0].replace(",", "")))
        holds(f"{link}: what else was asked for", "refresh=0" in link and "kind=" not in link)
    for link, name in found:
        if link.startswith("/?cluster=") and "severity_is" not in link:
            rows_are_all(page, link, f"?cluster={name}")


def refreshes(page, path):
    page.go(path)
    return page.count("meta[http-equiv=refresh]")


def runbook(page, file):
    """What to do about a finding is a link away; the page has all that the file says."""
    sections = {"drift": "driftd(critical|error|warning)drift", "component": "driftd(critical|error)component|driftdcomponentunsatisfied",
                "validation": "driftd(critical|error|warning)violation", "gap": "driftdclusterunreachable"}
    for x in page.json("/api/v1/findings")["items"]:
        page.go(f"/findings/{x['id']}")
        page.browser.follow(".facts a[href^='/runbook#']")
        holds(f"the section of {x['type']}", re.fullmatch(sections[x["type"]], page.browser.run("return document.querySelector(':target').id")))
    page.is_told("/runbook", ["DriftdStepStuck"])
    page.fits("/runbook")
    page.is_readable("/runbook")
    text = re.sub(r"^```.*$|\]\([^)]*\)", " ", pathlib.Path(file).read_text(encoding="utf-8"), flags=re.M)
    page.go("/runbook")
    page.browser.run("document.querySelectorAll('caption').forEach(c => c.remove())")
    shown = page.browser.run("return document.querySelector('main').innerText")
    equal("all words of the file, in their order", re.findall(r"\w+", shown), re.findall(r"\w+", text))


def since(page, file):
    """Since when, by id, and of the cluster that is away: the same on each page, and as @file has it if that is there."""
    items = page.json("/api/v1/findings")["items"]
    page.go("/")
    listed = page.browser.run("""return Object.fromEntries([...document.querySelectorAll("section[aria-labelledby=findings] tbody tr")]
        .map(r => [r.querySelector("th a").getAttribute("href"), r.querySelector("td[data-is=Since] time").dateTime]))""")
    gaps = page.browser.run("""return Object.fromEntries([...document.querySelectorAll(".gaps li")]
        .map(r => [r.querySelector("a").getAttribute("href"), r.querySelector("time").dateTime]))""")
    card = page.browser.run("""return [...document.querySelectorAll(".cards li")].filter(c => c.querySelector(".unreachable"))
        .flatMap(c => [...c.querySelectorAll("div")]).filter(d => d.querySelector("dt").textContent === "Since")
        .map(d => d.querySelector("time").dateTime)""")
    away = next(x for x in items if x["type"] == "gap" and x["cluster"] == "staging-eu")
    status = next(c for c in page.json("/status.json")["clusters"] if c["name"] == "staging-eu")
    equal("the gap, the card and the status", [away["since"]] * 2, card + [status["since"]])
    equal("in the list of gaps", gaps[f"/findings/{away['id']}"], away["since"])
    for x in items:
        path = f"/findings/{x['id']}"
        equal(f"{path}: listed", listed[path], x["since"])
        page.go(path)
        equal(f"{path}: its page", page.browser.run("return document.querySelector('.facts time').dateTime"), x["since"])
    found = {x["id"]: x["since"] for x in items}
    if pathlib.Path(file).exists():
        before = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
        equal("over a restart", {i: found.get(i) for i in before}, before)
    pathlib.Path(file).write_text(json.dumps(found), encoding="utf-8")


def hostile(page, names, mark):
    wanted = sorted("ConfigMap " + visible("shop/" + name) for name in json.loads(pathlib.Path(names).read_text(encoding="utf-8")))
    rows_are_all(page)
    shown = [row[1] for row in page.rows()]
    equal("hostile names", sorted(x for x in shown if x in wanted), wanted)
    page.fits("/ with hostile names")
    page.is_readable("/ with hostile names")
    for x in page.json("/api/v1/findings")["items"]:
        path = f"/findings/{x['id']}"
        page.go(path)
        equal(f"{path}: what it is about", page.texts("h1"), [name_of(x)])
        equal(f"{path}: title", page.browser.run("return document.title").startswith(name_of(x)[:60].rstrip()), True)
        equal(f"{path}: fields", page.texts("section[aria-labelledby=fields] th code"), [visible(p) for p in x.get("paths", [])])
        holds(f"{path}: no value", mark not in page.browser.run("return document.documentElement.outerHTML"))
    page.go(f"/findings/{page.item(kind='configmaps', name='web')['id']}")
    page.fits("a finding with hostile keys")


def trouble(page):
    rows_are_all(page)
    equal("clusters", [x.split(" ", 1)[1] for x in page.texts("h3")], ["degraded", "unreachable"])
    holds("why", any("deployments.apps cannot be watched" in x for x in page.texts(".why")))
    holds("the mistake", any("nonsense<script>" in x for x in page.texts(".alert p")))
    holds("said in the lead", page.count(".lead.blind") == 1)
    page.fits("/ in trouble")
    page.is_readable("/ in trouble")


def all_pages(page):
    """The count, and the links of all pages; a finding may begin or end while they are read."""
    for _ in range(5):
        total = page.json("/api/v1/findings")["count"]
        page.go("/")
        equal("rows of the first page", len(page.rows()), ROWS)
        seen = page.links("tbody th a")
        for _ in range(2):
            page.go(next(x for x, text in zip(page.links(".pages a"), page.texts(".pages a")) if text == "Next page"))
            seen += page.links("tbody th a")
        if page.json("/api/v1/findings")["count"] == total:
            break
    return total, seen


def many(page):
    total, seen = all_pages(page)
    equal("rows of all pages", (len(seen), len(set(seen))), (total, total))
    holds("the caption counts them", f"1,001 to {total:,} of {total:,}" in page.texts("section[aria-labelledby=findings] caption")[0])
    for _ in range(5):
        total = page.json("/api/v1/findings")["count"]
        page.go("/?page=99")
        if page.json("/api/v1/findings")["count"] == total:
            break
    equal("a page behind the last is the last", len(page.rows()), total - 2 * ROWS)


def known(page, mark, folder):
    x = page.item(type="drift", kind="namespaces")
    detail = page.json(f"/api/v1/findings/{x['id']}")
    page.go(f"/findings/{x['id']}")
    equal("expected and found", page.texts("section[aria-labelledby=fields] td code"),
          [visible(c[k]) for c in detail["changes"] for k in ("expected", "found")])
    holds("the value", any(mark in t for t in page.texts("td code")))
    equal("the diff", page.texts(".diff"), [detail["diff"].rstrip("\n") + "\n"])
    holds("the history", len(page.texts("section[aria-labelledby=history] tbody tr")) == len(detail["history"]))
    page.is_told("a finding", ["Fields that differ", "Records"])
    page.fits("a finding")
    page.is_readable("a finding")
    page.go(f"/findings/{page.item(type='drift', kind='deployments')['id']}")
    pictures(page, folder, ("finding", "finding-dark", "finding-narrow"))


def main():
    if sys.argv[1] == "wellformed":
        return wellformed(sys.argv[2:])
    folder, web, part, *arguments = sys.argv[1:]
    with Browser(folder) as browser:
        browser.screen(1280, 900)
        return {f.__name__: f for f in (shots, since, runbook, hostile, trouble, many, known)}[part](Page(browser, web), *arguments)


if __name__ == "__main__":
    main()
