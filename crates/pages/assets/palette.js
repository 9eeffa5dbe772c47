// Suggestions while a person types in the search field, and the same as a palette with Ctrl+K. They are what the page
// of the search shows, which is complete without this script, and what this page leads to.
(function () {
  "use strict";

  const DELAY = 120;
  const SEARCH = "/console/search";
  let count = 0;

  const create = function (name, attributes, text) {
    const created = document.createElement(name);
    for (const key of Object.keys(attributes)) created.setAttribute(key, attributes[key]);
    if (text) created.textContent = text;
    return created;
  };

  const iconOf = function (element) {
    return element.querySelector(".icon");
  };

  const linkTo = function (link, place, icon) {
    return { label: link.textContent.trim(), address: link.getAttribute("href"), place, icon };
  };

  // Groups of links: a title, and links with a place and an icon.
  const groupsOf = function (page) {
    return Array.from(page.querySelectorAll("main section[aria-labelledby]"), function (section) {
      const links = Array.from(section.querySelectorAll("tbody tr"), function (row) {
        const link = row.querySelector("a[href]");
        const place = row.cells.length > 1 ? row.cells[row.cells.length - 1].textContent.trim() : "";
        return link && linkTo(link, place, iconOf(row));
      });
      return { title: section.querySelector("h2").textContent, links: links.filter(Boolean) };
    });
  };

  // The links of this page and of the menus that contain the text.
  const ofThisPage = function (text) {
    const group = function (title, selector) {
      const links = Array.from(document.querySelectorAll(selector), function (link) {
        const name = link.querySelector("bdi") || link;
        const place = link.querySelector(".muted");
        const found = linkTo(link, place ? place.textContent : "", iconOf(link));
        found.label = name.textContent.trim();
        return found;
      });
      const matching = links.filter(function (link) {
        return link.label.toLowerCase().includes(text.toLowerCase());
      });
      return { title, links: matching };
    };
    return [
      group("This page", ".page-head a.button, .panel-head a.button, .sections a"),
      group("Go to", ".menu-panel a"),
    ];
  };

  // Makes a field suggest. `list` and `status` are elements; `isEager`: whether the first suggestion is chosen.
  const suggest = function (input, list, status, isEager) {
    let timer = 0;
    let request = null;
    let chosen = null;
    const id = "suggestions-" + (count += 1);
    list.id = id;
    const attributes = { role: "combobox", "aria-controls": id, "aria-autocomplete": "list", "aria-expanded": "false" };
    for (const key of Object.keys(attributes)) input.setAttribute(key, attributes[key]);

    const options = function () {
      return Array.from(list.querySelectorAll("[role=option]"));
    };
    const choose = function (option) {
      if (chosen) chosen.setAttribute("aria-selected", "false");
      chosen = option || null;
      if (chosen) {
        chosen.setAttribute("aria-selected", "true");
        chosen.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", chosen.id);
      } else {
        input.removeAttribute("aria-activedescendant");
      }
    };
    const close = function () {
      clearTimeout(timer);
      if (request) request.abort();
      list.replaceChildren();
      status.textContent = "";
      choose(null);
      input.setAttribute("aria-expanded", "false");
    };
    const show = function (groups) {
      list.replaceChildren();
      const seen = new Set();
      let number = 0;
      for (const { title, links } of groups) {
        const own = links.filter(function (link) {
          return !seen.has(link.address + link.label) && seen.add(link.address + link.label);
        });
        if (own.length === 0) continue;
        const group = create("div", { role: "group", "aria-label": title });
        group.append(create("div", { role: "presentation" }, title));
        for (const { label, address, place, icon } of own.slice(0, 8)) {
          const option = create("a", { role: "option", href: address, tabindex: "-1", "aria-selected": "false" });
          option.id = id + "-" + (number += 1);
          if (icon) option.append(icon.cloneNode(true));
          option.append(create("bdi", {}, label));
          if (place) option.append(" ", create("span", { class: "muted" }, place));
          if (address.startsWith("/docs") || address.startsWith("/auth")) option.setAttribute("hx-boost", "false");
          group.append(option);
        }
        list.append(group);
      }
      if (window.htmx) window.htmx.process(list);
      const all = options();
      input.setAttribute("aria-expanded", String(all.length > 0));
      // A page of the documentation is not what most people mean by a word.
      const first = all.find(function (option) {
        return !option.getAttribute("href").startsWith("/docs");
      });
      choose(isEager && input.value.trim() ? first : null);
    };
    const load = function () {
      const text = input.value.trim();
      if (request) request.abort();
      // At once; what the service finds follows. It finds nothing without words.
      show(ofThisPage(text));
      status.textContent = "";
      if (!text) return;
      const own = new AbortController();
      request = own;
      fetch(SEARCH + "?q=" + encodeURIComponent(text), { signal: own.signal, headers: { Accept: "text/html" } })
        .then(function (response) {
          if (!response.ok) throw new Error(String(response.status));
          return response.text();
        })
        .then(function (html) {
          const page = new DOMParser().parseFromString(html, "text/html");
          show(ofThisPage(text).concat(groupsOf(page)));
          const found = options().length;
          status.textContent = found === 1 ? "1 suggestion" : found ? found + " suggestions" : "Nothing was found.";
        })
        .catch(function (error) {
          if (error.name === "AbortError") return;
          status.textContent = "The search cannot be reached. Press Enter to try again.";
        });
    };

    input.addEventListener("input", function () {
      clearTimeout(timer);
      if (!input.value.trim() && !isEager) close();
      else timer = setTimeout(load, DELAY);
    });
    input.addEventListener("keydown", function (event) {
      const all = options();
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (step && all.length) {
        event.preventDefault();
        const at = all.indexOf(chosen);
        choose(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length]);
      } else if (event.key === "Enter" && chosen) {
        event.preventDefault();
        chosen.click();
      } else if (event.key === "Escape" && !isEager && all.length) {
        event.preventDefault();
        close();
      }
    });
    return { load, close };
  };

  const openPalette = function () {
    const frame = document.querySelector(".console");
    const shown = document.querySelector(".palette");
    if (!frame || (shown && shown.open)) return;
    const dialog = create("dialog", { class: "palette", "aria-label": "Search and actions" });
    const form = create("form", { role: "search", action: SEARCH, method: "get" });
    const words = "Search, or choose an action";
    const input = create("input", { name: "q", autocomplete: "off", placeholder: words, "aria-label": words });
    const list = create("div", { class: "suggestions", role: "listbox", "aria-label": "Suggestions" });
    const status = create("p", { class: "palette-status", role: "status" });
    form.append(input);
    dialog.append(form, list, status);
    frame.append(dialog);
    if (window.htmx) window.htmx.process(dialog);
    const suggestions = suggest(input, list, status, true);
    dialog.addEventListener("click", function (event) {
      const isOption = event.target instanceof Element && event.target.closest("[role=option]");
      if (event.target === dialog || isOption) dialog.close();
    });
    dialog.addEventListener("close", function () {
      suggestions.close();
      dialog.remove();
    });
    dialog.showModal();
    input.focus();
    suggestions.load();
  };

  // The field in the header, once it is used: each page has its own.
  document.addEventListener("focusin", function (event) {
    const input = event.target;
    if (!(input instanceof Element) || !input.matches(".top-search #search:not([role])")) return;
    const list = create("div", { class: "suggestions", role: "listbox", "aria-label": "Suggestions" });
    const status = create("span", { class: "unseen", role: "status" });
    input.form.append(list, status);
    const suggestions = suggest(input, list, status, false);
    // An option is chosen before the field loses the focus to it.
    list.addEventListener("mousedown", function (pressed) {
      pressed.preventDefault();
    });
    input.addEventListener("blur", suggestions.close);
    list.addEventListener("click", suggestions.close);
  });

  document.addEventListener("keydown", function (event) {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (isCommand && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
      return;
    }
    const target = event.target;
    const isTyping = target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
    const search = document.getElementById("search");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping || !search) return;
    event.preventDefault();
    search.focus();
  });
})();
