// Copies values, focuses the search with `/`, closes menus, and moves the focus to a new page. The console works without
// it.
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

  // A page that replaces another one without a navigation: without this, its reader is left nowhere.
  document.addEventListener("htmx:afterSettle", function () {
    const content = document.getElementById("content");
    if (content && document.activeElement === document.body) content.focus({ preventScroll: true });
  });
})();
