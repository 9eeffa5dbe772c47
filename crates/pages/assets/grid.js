// The grid of items: one item beside it, and values that are edited in their cells. Both use the page of the item, which
// is what opens without this script.
(function () {
  "use strict";

  const LIST = "#items-list";
  const MAX_ERROR = 200;
  // The address of the item that is shown beside the grid.
  let shown = null;
  // The cell that is edited, the form of the item's page, the input and the text that it began with.
  let editing = null;

  const panel = function () {
    return document.getElementById("side");
  };
  const linkTo = function (address) {
    return Array.from(document.querySelectorAll(LIST + " .id a")).find(function (link) {
      return link.getAttribute("href") === address;
    });
  };
  const linkOf = function (cell) {
    return cell.closest("tr").querySelector(".id a");
  };
  const mark = function () {
    const row = shown && linkTo(shown) && linkTo(shown).closest("tr");
    document.querySelectorAll(LIST + " tbody tr").forEach(function (one) {
      one.classList.toggle("is-open", one === row);
    });
  };

  const close = function () {
    const link = shown && linkTo(shown);
    shown = null;
    panel().hidden = true;
    document.getElementById("side-item").replaceChildren();
    mark();
    if (link) link.focus();
  };

  // Shows the rows as they are now.
  const refresh = function () {
    const swap = "outerHTML show:none ignoreTitle:true";
    return htmx.ajax("GET", location.href, { target: LIST, select: LIST, swap }).then(mark);
  };

  const isOfPanel = function (event) {
    return event.detail.target && event.detail.target.id === "side-item";
  };
  document.addEventListener("htmx:beforeSwap", function (event) {
    if (!isOfPanel(event) || / id="item"/.test(event.detail.xhr.responseText)) return;
    // What is no item, such as an error, is a page.
    event.detail.target = document.body;
    event.detail.selectOverride = "unset";
  });
  document.addEventListener("htmx:afterSettle", function (event) {
    if (!isOfPanel(event) || !panel()) return;
    const { requestConfig, xhr } = event.detail;
    if (requestConfig.verb === "get" && requestConfig.elt.closest(LIST)) {
      shown = requestConfig.elt.getAttribute("href");
    }
    panel().hidden = false;
    panel().scrollTop = 0;
    panel().focus();
    mark();
    if (requestConfig.verb === "post" && xhr.status < 300) refresh();
  });
  // Before htmx follows the link.
  document.addEventListener(
    "click",
    function (event) {
      const link = event.target instanceof Element && event.target.closest("#side [data-close]");
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      close();
    },
    true
  );

  const pageOf = function (response) {
    return response.text().then(function (text) {
      return new DOMParser().parseFromString(text, "text/html");
    });
  };
  const controlOf = function (form, cell) {
    return form && form.elements.namedItem("field." + cell.dataset.field);
  };

  const stop = function () {
    const { cell, before } = editing;
    editing = null;
    cell.classList.remove("is-edited");
    cell.replaceChildren(...before);
  };
  const fail = function (text) {
    if (!editing) return;
    const { cell, input } = editing;
    cell.querySelectorAll(".field-error").forEach(function (one) {
      one.remove();
    });
    const error = document.createElement("p");
    error.className = "field-error";
    error.setAttribute("role", "alert");
    error.textContent = text;
    input.after(error);
    input.disabled = false;
    input.setAttribute("aria-invalid", "true");
    input.focus();
  };
  const unreachable = function () {
    fail("The service cannot be reached. Press Enter to try again.");
  };

  // Says what the page of the item says of the value. Its form has what the item has now: submitting it again saves.
  const refused = function (page) {
    const { cell, form } = editing;
    const name = "field." + cell.dataset.field;
    const next = page.querySelector("#item form");
    if (controlOf(next, cell)) editing.form = next;
    editing.text = null;
    const found = page.getElementById(name + "-error") || page.querySelector(".notice-error, main p") || form;
    fail(found.textContent.trim().slice(0, MAX_ERROR));
  };

  const save = function (then) {
    const { cell, form, input, text } = editing;
    if (input.value === text) {
      stop();
      then();
      return;
    }
    controlOf(form, cell).value = input.value;
    const body = new URLSearchParams(new FormData(form));
    input.disabled = true;
    fetch(form.getAttribute("action"), { method: "POST", body }).then(function (response) {
      return pageOf(response).then(function (page) {
        if (!response.ok || !page.getElementById("item")) {
          refused(page);
          return undefined;
        }
        editing = null;
        return refresh().then(then);
      });
    }, unreachable);
  };

  const edit = function (cell) {
    if (editing) return;
    const link = linkOf(cell);
    fetch(link.href).then(pageOf).then(function (page) {
      const form = page.querySelector("#item form");
      const control = controlOf(form, cell);
      if (editing || !cell.isConnected) return;
      if (!control) {
        // Data that cannot be changed, or a page that says why the item is not there.
        link.click();
        return;
      }
      const input = document.importNode(control, true);
      input.value = control.value;
      input.removeAttribute("id");
      input.removeAttribute("aria-describedby");
      input.setAttribute("aria-label", cell.dataset.field);
      editing = { cell, form, input, text: input.value, before: Array.from(cell.childNodes) };
      cell.classList.add("is-edited");
      cell.replaceChildren(input);
      input.focus();
      if (input.select) input.select();
    }, function () {
      link.click();
    });
  };

  // The cell after this one, or before it, in its row.
  const beside = function (cell, isBack) {
    const cells = Array.from(cell.closest("tr").querySelectorAll("[data-field]"));
    const other = cells[cells.indexOf(cell) + (isBack ? -1 : 1)];
    const address = linkOf(cell).getAttribute("href");
    return function () {
      const link = linkTo(address);
      if (!link) return;
      const name = other && CSS.escape(other.dataset.field);
      const next = name && link.closest("tr").querySelector('[data-field="' + name + '"]');
      if (next) edit(next);
      else link.focus();
    };
  };
  // Back to the row, which may be another element after the rows were refreshed.
  const rowOf = function (cell) {
    const address = linkOf(cell).getAttribute("href");
    return function () {
      const link = linkTo(address);
      if (link) link.focus();
    };
  };

  document.addEventListener("dblclick", function (event) {
    const cell = event.target instanceof Element && event.target.closest(LIST + " td[data-field]");
    if (cell && !cell.classList.contains("is-edited")) edit(cell);
  });
  document.addEventListener("focusout", function (event) {
    if (editing && event.target === editing.input && !editing.input.disabled) save(function () {});
  });
  document.addEventListener("keydown", function (event) {
    if (editing && event.target === editing.input) {
      const { cell } = editing;
      if (event.key === "Escape") {
        const back = rowOf(cell);
        stop();
        back();
      } else if (event.key === "Enter" && !event.shiftKey) {
        save(rowOf(cell));
      } else if (event.key === "Tab") {
        save(beside(cell, event.shiftKey));
      } else {
        return;
      }
      event.preventDefault();
      return;
    }
    const row = event.key === "F2" && event.target.closest(LIST + " tbody tr");
    const cell = row && row.querySelector("[data-field]");
    if (cell) edit(cell);
    if (event.key === "Escape" && panel() && !panel().hidden && panel().contains(event.target)) close();
  });
})();
