// Copies values, closes menus, moves the focus to a new page, and shows times in the time zone of the reader and what a
// pointer is at. The console works without it, and without waiting.js and palette.js, which follow it in one file.
(function () {
  "use strict";

  document.documentElement.classList.add("scripted");

  const closest = function (target, selector) {
    return target instanceof Element ? target.closest(selector) : null;
  };

  document.addEventListener("click", function (event) {
    const button = closest(event.target, "[data-copy]");
    const source = button && document.getElementById(button.dataset.copy);
    if (!source) return;
    const status = button.parentElement.querySelector("[role=status]");
    const report = function (text) {
      status.textContent = "";
      requestAnimationFrame(function () {
        status.textContent = text;
      });
    };
    const select = function () {
      getSelection().selectAllChildren(source);
      report("Selected. Copy it with the keyboard.");
    };
    // Without TLS, browsers offer no clipboard.
    if (!navigator.clipboard) {
      select();
      return;
    }
    navigator.clipboard.writeText(source.textContent).then(function () {
      button.classList.add("copied");
      report("Copied.");
      setTimeout(function () {
        button.classList.remove("copied");
      }, 2000);
    }, select);
  });

  const closeMenus = function (except) {
    document.querySelectorAll(".menu[open]").forEach(function (menu) {
      if (menu !== except) menu.open = false;
    });
  };

  document.addEventListener("click", function (event) {
    closeMenus(closest(event.target, ".menu"));
  });

  document.addEventListener("keydown", function (event) {
    const menu = event.key === "Escape" ? document.querySelector(".menu[open]") : null;
    if (!menu) return;
    closeMenus(null);
    menu.querySelector("summary").focus();
  });

  const units = [
    ["year", 365 * 24 * 3600],
    ["month", 30 * 24 * 3600],
    ["day", 24 * 3600],
    ["hour", 3600],
    ["minute", 60],
  ];
  const language = "en-GB";
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const local = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const exact = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "long" });

  // "3 hours ago", or "in 2 days".
  const distance = function (time) {
    const seconds = Math.round((time - Date.now()) / 1000);
    const unit = units.find(function (unit) {
      return Math.abs(seconds) >= unit[1];
    });
    if (!unit) return seconds > 0 ? "in a moment" : "just now";
    // What was to last seven days has seven, and not six, when it is begun.
    const count = seconds > 0 ? Math.round(seconds / unit[1]) : Math.trunc(seconds / unit[1]);
    return relative.format(count, unit[0]);
  };

  // Without this script, they are in UTC. The title keeps UTC, too. A cell has room for one of both.
  const showTimes = function () {
    document.querySelectorAll("time[datetime]").forEach(function (shown) {
      const time = new Date(shown.dateTime);
      if (Number.isNaN(time.getTime())) return;
      if (!shown.dataset.utc) {
        shown.dataset.utc = shown.title;
        shown.title = exact.format(time) + " (" + shown.title + ")";
      }
      const isNear = Math.abs(time - Date.now()) < 7 * 24 * 3600 * 1000;
      const both = [local.format(time), distance(time)];
      const text = shown.closest("td") ? both[isNear ? 1 : 0] : both.join(", ");
      if (shown.textContent !== text) shown.textContent = text;
    });
  };
  showTimes();
  setInterval(showTimes, 60 * 1000);
  document.addEventListener("htmx:afterSettle", showTimes);

  // The number of a day of a chart, and the whole value of a cell that is cut.
  document.addEventListener("pointerover", function (event) {
    const day = closest(event.target, ".chart-day");
    const read = day && day.closest(".chart-frame").querySelector(".chart-read");
    if (read) read.textContent = day.querySelector("title").textContent;
    const cell = closest(event.target, ".clip td, .grid td");
    if (cell && !cell.title && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent.trim();
  });

  // The section of the page, where the list of sections is wider than the window.
  const showSection = function () {
    const sections = document.querySelector(".sections");
    const current = sections && sections.querySelector("[aria-current]");
    if (current && sections.scrollWidth > sections.clientWidth) sections.scrollLeft = current.offsetLeft - 16;
  };
  showSection();
  document.addEventListener("htmx:afterSettle", showSection);

  // A page that replaces another one without a navigation: without this, its reader is left nowhere.
  document.addEventListener("htmx:afterSettle", function (event) {
    // A part of a page that shows the progress of something: its reader stays where they are.
    if (closest(event.target, "[data-live]")) return;
    const content = document.getElementById("content");
    if (content && document.activeElement === document.body) content.focus({ preventScroll: true });
  });
})();
