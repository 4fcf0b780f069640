// SPDX-License-Identifier: MIT
// What page_test.py asks of a page in the browser. Each function returns what is wrong, or how large the page is.
"use strict";

// A browser may leave out sections outside the window until they are scrolled to. When it does depends on timing.
document.head.insertAdjacentHTML("beforeend", "<style>* { content-visibility: visible !important }</style>");

window.probe = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const box = (element) => element.getBoundingClientRect();
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);

  // By the rules of WCAG: the contrast of each text with what lies behind it.
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = () => {
    const found = {};
    for (const e of all("h1, h2, h3, h4, p, li, dt, dd, th, td, a, small, code, summary, .badge, .filter button, figcaption")) {
      const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const place = e.closest("section, article, header")?.id;
      if (contrast < 4.5) found[`${e.tagName} ${e.className} in ${place}`] = contrast.toFixed(2);
    }
    return found;
  };

  // Each printed number has exactly one number or reason beside it, whatever choice is made.
  const besideWrongly = () => all(".as-printed td").filter((td) => td.querySelector(".now") &&
    all(".now", td).filter((e) => getComputedStyle(e).display !== "none").length !== 1).length;
  const doubled = () => {
    let count = besideWrongly();
    for (const choice of all(".choice")) {
      for (const input of all("input", choice)) {
        input.checked = true;
        count += besideWrongly();
      }
      choice.querySelector("input").checked = true;
    }
    return count;
  };

  // The first column after its last sort button was clicked.
  const sorted = () => all("table").filter((t) => t.querySelector("thead button")).map((t) => {
    const button = all("thead button", t).at(-1);
    button.click();
    return button.closest("th").getAttribute("aria-sort");
  });

  // Marks of figures that their axes cut off.
  const clipped = () => all("figure svg").flatMap((svg) => all("[clip-path]", svg).flatMap((group) => {
    const clip = svg.querySelector(group.getAttribute("clip-path").slice(4, -1).replace(/["']/g, "").replace(/([.:])/g, "\\$1"));
    if (!clip) return [];
    const area = clip.firstElementChild.getBBox();
    const cut = all("use", group).filter((use) => {
      const m = use.getBBox();
      const [right, bottom] = [area.x + area.width, area.y + area.height];
      const middle = [m.x + m.width / 2, m.y + m.height / 2];
      const isShown = middle[0] > area.x - 0.01 && middle[0] < right + 0.01 && middle[1] > area.y - 0.01 && middle[1] < bottom + 0.01;
      const overhang = Math.max(area.x - m.x, m.x + m.width - right, area.y - m.y, m.y + m.height - bottom);
      return isShown && overhang > 0.6;
    });
    return cut.length ? [`${svg.querySelector("title")?.textContent}: ${cut.length} marks`] : [];
  }));

  // Texts of figures that overlap.
  const colliding = () => all("figure svg").flatMap((svg) => {
    const texts = all("text", svg).filter((t) => t.textContent.trim()).map((t) => [t.textContent, box(t)]);
    return texts.flatMap(([text, a], i) => texts.slice(i + 1).filter(([, b]) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2.5)
      .map(([other]) => `${svg.querySelector("title")?.textContent}: "${text}" and "${other}"`));
  });

  // Printed tables that a wide window does not show whole.
  const cut = () => innerWidth < 1400 ? 0 : all(".wide").filter((e) =>
    e.querySelector(":scope > .as-printed") && e.scrollWidth > e.clientWidth + 1).length;

  // Claims are read from top to bottom in any window.
  const sideways = () => all(".wide").filter((e) => e.querySelector(":scope > .claims") && e.scrollWidth > e.clientWidth + 1).length;

  const size = () => ({
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    screens: document.documentElement.scrollHeight / innerHeight,
  });

  const seen = () => {
    const levels = all("h1, h2, h3, h4, h5, h6").map((h) => Number(h.tagName[1]));
    return {
      figures: all("figure svg").map((s) => [box(s).width, box(s).height]),
      clipped: clipped(), colliding: colliding(), faint: faint(), doubled: doubled(), cut: cut(), sideways: sideways(), tables: sorted(),
      printed: all(".as-printed td").filter((td) => td.querySelector(".now")).length,
      skipped: levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1).length,
      unnamed: all("svg[role=img], table, .wide").filter((e) =>
        !(e.querySelector("title, caption")?.textContent || e.closest("[aria-label]"))).length,
      unreachable: all(".wide").filter((e) => e.tabIndex < 0).length,
    };
  };

  // Folded parts count too.
  const open = () => all("details").forEach((d) => { d.open = true; });

  const accessibility = async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.filter((v) => ["serious", "critical"].includes(v.impact))
      .map((v) => `${v.id} (${v.impact}) in ${v.nodes.length} places, first ${v.nodes[0].target.join(" ")}`);
  };

  return { size, seen, open, accessibility };
})();
