// Copies values, focuses the search with `/`, closes menus, moves the focus to a new page, and shows times in the time
// zone of the reader. The console works without it.
(function () {
  "use strict";

  document.documentElement.classList.add("scripted");

  document.addEventListener("click", function (event) {
    const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
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

  document.addEventListener("keydown", function (event) {
    const isPlain = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const target = event.target;
    const isTyping = target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
    const search = document.getElementById("search");
    if (!isPlain || isTyping || !search) return;
    event.preventDefault();
    search.focus();
  });

  const closeMenus = function (except) {
    document.querySelectorAll(".menu[open]").forEach(function (menu) {
      if (menu !== except) menu.open = false;
    });
  };

  document.addEventListener("click", function (event) {
    closeMenus(event.target instanceof Element ? event.target.closest(".menu") : null);
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
    return unit ? relative.format(Math.trunc(seconds / unit[1]), unit[0]) : seconds > 0 ? "in a moment" : "just now";
  };

  // Without this script, they are in UTC. The title keeps UTC, too.
  const showTimes = function () {
    document.querySelectorAll("time[datetime]").forEach(function (element) {
      const time = new Date(element.dateTime);
      if (Number.isNaN(time.getTime())) return;
      if (!element.dataset.utc) {
        element.dataset.utc = element.title;
        element.title = exact.format(time) + " (" + element.title + ")";
      }
      const text = local.format(time) + ", " + distance(time);
      if (element.textContent !== text) element.textContent = text;
    });
  };
  showTimes();
  setInterval(showTimes, 60 * 1000);
  document.addEventListener("htmx:afterSettle", showTimes);

  // A page that replaces another one without a navigation: without this, its reader is left nowhere.
  document.addEventListener("htmx:afterSettle", function (event) {
    // A part of a page that shows the progress of something: its reader stays where they are.
    if (event.target instanceof Element && event.target.closest("[data-live]")) return;
    const content = document.getElementById("content");
    if (content && document.activeElement === document.body) content.focus({ preventScroll: true });
  });
})();
