#!/usr/bin/env python3
"""history_page.py FOLDER WEB SHOTS: the page of the past as a browser has it; pictures of it go to SHOTS."""
import sys

import page as pages
from browser import Browser

pages.TAGS |= {"svg", "path", "rect", "pattern", "defs", "text", "title", "desc", "line"}
pages.ATTRIBUTES |= {"aria-current", "aria-hidden", "viewBox", "preserveAspectRatio", "width", "height", "x", "y", "x1", "x2", "y1", "y2", "d", "fill",
                     "patternUnits", "patternTransform", "text-anchor"}


def shown(page, selector):
    """Of each: its width and height in pixels."""
    return page.browser.run("""return [...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect())
        .map(r => [Math.round(r.width), Math.round(r.height)]);""", selector)


def look(page, path, clusters):
    page.go(path)
    pages.equal(f"{path}: clusters", page.texts("section.was h2"), clusters)
    pages.equal(f"{path}: pictures", page.count("svg.timeline"), len(clusters))
    pages.equal(f"{path}: titles", page.texts("svg.timeline > title"), [f"Open findings of {name}" for name in clusters])
    pages.holds(f"{path}: descriptions", all("At most" in text and "Not synced for" in text for text in page.texts("svg.timeline > desc")))
    pages.holds(f"{path}: images for who hears them", len([1 for role, name in page.tree() if role in ("image", "img") and "Open findings of" in name]) ==
                len(clusters))
    legend = page.texts(".legend li")
    pages.holds(f"{path}: the legend {legend}", [text.strip() for text in legend][:5] == ["critical", "error", "warning", "notice", "info"] and
                "nothing was watched" in legend[6])
    pages.holds(f"{path}: no script", page.count("script") == 0 and page.count("[style]") == 0)
    for kind in ("gap", "away"):
        bands = shown(page, f"svg.timeline rect.{kind}")
        pages.holds(f"{path}: hatched {kind}: {bands}", bands and all(width >= 1 and height == 130 for width, height in bands))
        hatch = page.browser.run("return getComputedStyle(document.querySelector(arguments[0])).fill", f"svg.timeline rect.{kind}")
        pages.holds(f"{path}: {kind} is filled by {hatch}", f"#{kind}" in hatch)
    steps = shown(page, "svg.timeline path")
    pages.holds(f"{path}: steps {steps}", steps and all(height > 0 for _, height in steps))
    ticks = page.texts("svg.timeline .when")
    pages.holds(f"{path}: times {ticks}", 2 <= len(ticks) / len(clusters) <= 8)
    pages.holds(f"{path}: what began and ended", page.count("section[aria-labelledby=happened] tbody tr") > 3)


def colours(page):
    """Each severity differs from what is behind it, in both schemes (WCAG 2, 1.4.11: 3 to 1)."""
    for scheme in ("light", "dark"):
        page.browser.screen(1280, 900, scheme)
        weak = page.browser.run("""
            const parse = c => c.match(/[\\d.]+/g).map(Number);
            const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
            const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
            const back = light(parse(getComputedStyle(document.querySelector("svg.timeline")).backgroundColor));
            return [...document.querySelectorAll(".legend rect.at")].map(e => {
                const a = light(parse(getComputedStyle(e).fill));
                return [e.getAttribute("class"), (Math.max(a, back) + 0.05) / (Math.min(a, back) + 0.05)]; }).filter(x => x[1] < 3);""")
        pages.equal(f"{scheme}: colours too weak to see", weak, [])


def shoot(page, folder, name, width=1280, scheme="light"):
    page.browser.screen(width, 900 if width > 600 else 780, scheme)
    page.browser.shoot(f"{folder}/history-{name}.png")
    page.browser.screen(1280, 900)


def main(folder, web, shots):
    with Browser(folder) as browser:
        page = pages.Page(browser, web)
        for span in ("day", "week", "quarter"):
            path = f"/history?range={span}"
            look(page, path, ["prod-eu", "staging-eu"])
            shoot(page, shots, span)
            page.fits(path)
            page.is_readable(path)
        page.go("/history?range=day")
        page.is_told("/history", ["The latest first"])
        colours(page)
        page.go("/history?range=week")
        shoot(page, shots, "week-dark", scheme="dark")
        page.go("/history?range=week&cluster=prod-eu")
        pages.equal("one cluster", page.texts("section.was h2"), ["prod-eu"])
        page.browser.screen(360, 780)
        wide = shown(page, "svg.timeline")[0][0]
        pages.holds(f"on a phone the picture is {wide} wide", 300 <= wide <= 360)
        size = page.browser.run("return parseFloat(getComputedStyle(document.querySelector('svg .when')).fontSize)")
        pages.holds(f"on a phone its letters are {size} high", size >= 11)
        shoot(page, shots, "week-narrow", 360)
        page.browser.follow("section[aria-labelledby=happened] tbody th ~ td a")
        pages.holds("the story of one object", page.texts("h1")[0].startswith("History of ") and page.count("tbody tr") >= 1)
        page.go("/history?range=quarter&namespace=%3Cscript%3Ealert(1)%3C/script%3E")
        pages.holds("markup is text", any("<script>" in text for text in page.texts("tbody code")))
        browser.go(page.web + "/history?range=year")
        pages.holds("a mistake is told", "day, week or quarter" in page.texts("main")[0])


main(*sys.argv[1:])
