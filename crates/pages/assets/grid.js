// The grid of items: one item beside it, and values that are edited in their cells. Both use the page of the item, which
// is what opens without this script.
(function () {
  "use strict";

  const LIST = "#items-list";
  const MAX_ERROR = 200;
  // The address of the item that is shown beside the grid.
  let shown = null;
  // The cell that is edited, what it showed, the form of the item's page, the input and the text that it began with.
  let editing = null;
  // The cell to edit when the one before is saved.
  let wanted = null;
  // Whether the rows changed while a cell was edited.
  let isStale = false;

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
  // The row may no longer be there.
  const focusOn = function (link) {
    const place = link || document.querySelector(LIST + " .table") || document.getElementById("content");
    if (place) place.focus();
  };
  const isOpen = function () {
    return panel() && !panel().hidden;
  };
  const mark = function () {
    const link = isOpen() && shown && linkTo(shown);
    document.querySelectorAll(LIST + " tbody tr").forEach(function (row) {
      row.classList.toggle("is-open", Boolean(link) && row.contains(link));
    });
  };

  const close = function () {
    const link = shown && linkTo(shown);
    shown = null;
    panel().hidden = true;
    document.getElementById("side-item").replaceChildren();
    mark();
    focusOn(link);
  };

  // Shows the rows as they are now. What is selected stays selected.
  const refresh = function () {
    const selected = new Set(
      Array.from(document.querySelectorAll(LIST + " [name=item]:checked"), function (box) {
        return box.value;
      })
    );
    const swap = "outerHTML show:none ignoreTitle:true";
    return htmx.ajax("GET", location.href, { target: LIST, select: LIST, swap }).then(function () {
      document.querySelectorAll(LIST + " [name=item]").forEach(function (box) {
        box.checked = selected.has(box.value);
      });
      mark();
    });
  };

  document.addEventListener("htmx:beforeSwap", function (event) {
    const { target, xhr, shouldSwap } = event.detail;
    if (!target || !shouldSwap) return;
    if (target.id === "items-list") {
      const hasRows = xhr.responseText.includes(' id="items-list"');
      if (hasRows && !editing) return;
      event.detail.shouldSwap = false;
      isStale = isStale || hasRows;
      // The session has ended. After an error, the old rows stay.
      if (!hasRows && xhr.status < 400) location.reload();
    } else if (target.id === "side-item" && !xhr.responseText.includes(' id="item"')) {
      // What is no item, such as an error, is a page.
      event.detail.target = document.body;
      event.detail.selectOverride = "unset";
    }
  });
  document.addEventListener("htmx:afterSettle", function (event) {
    const { target, requestConfig, xhr } = event.detail;
    if (!target || target.id !== "side-item" || !panel()) return;
    if (requestConfig.verb === "get" && requestConfig.elt.closest(LIST)) {
      shown = requestConfig.elt.getAttribute("href");
    }
    panel().hidden = false;
    panel().scrollTop = 0;
    if (!panel().querySelector("[autofocus]")) panel().focus();
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
  const isRefused = function () {
    return editing.input.hasAttribute("aria-invalid");
  };

  const stop = function () {
    const { cell, before } = editing;
    editing = null;
    cell.classList.remove("is-edited");
    cell.replaceChildren(...before);
    if (isStale) refresh();
    isStale = false;
  };
  const fail = function (text) {
    if (!editing) return;
    const { cell, input } = editing;
    const error = document.createElement("p");
    error.className = "field-error";
    error.id = "cell-error";
    error.setAttribute("role", "alert");
    error.textContent = text;
    const discard = document.createElement("button");
    discard.type = "button";
    discard.className = "button button-quiet";
    discard.textContent = "Discard";
    discard.addEventListener("click", function () {
      const back = at(cell, null);
      stop();
      back();
    });
    cell.replaceChildren(input, error, discard);
    input.disabled = false;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", error.id);
    input.focus();
  };

  // Says what the page of the item says of the value. Its form has what the item has now: submitting it again saves.
  const refused = function (page) {
    const { cell } = editing;
    const next = page.querySelector("#item form");
    if (controlOf(next, cell)) editing.form = next;
    editing.text = null;
    const own = page.getElementById("field." + cell.dataset.field + "-error");
    const found = own || page.querySelector(".notice-error") || page.querySelector("main h1 ~ p");
    fail(found ? found.textContent.trim().slice(0, MAX_ERROR) : "The value was not saved. Press Enter to try again.");
  };

  const save = function (then) {
    const own = editing;
    const { cell, form, input, text } = own;
    wanted = null;
    if (input.value === text) {
      stop();
      then();
      return;
    }
    controlOf(form, cell).value = input.value;
    const body = new URLSearchParams(new FormData(form));
    input.removeAttribute("aria-invalid");
    input.disabled = true;
    fetch(form.getAttribute("action"), { method: "POST", body })
      .then(function (response) {
        return pageOf(response).then(function (page) {
          return { response, page };
        });
      })
      .then(function ({ response, page }) {
        if (editing !== own) return undefined;
        if (new URL(response.url).pathname.startsWith("/auth/")) {
          fail("You are signed out. Copy the value, reload the page, and sign in.");
          return undefined;
        }
        if (!response.ok || !page.getElementById("item")) {
          refused(page);
          return undefined;
        }
        isStale = false;
        stop();
        // Until the rows are there.
        const value = cell.querySelector("bdi");
        if (value) value.textContent = input.value;
        return refresh().then(then, then);
      })
      .catch(function () {
        fail("The service cannot be reached. Press Enter to try again.");
      });
  };

  const edit = function (cell) {
    if (editing && !editing.cell.isConnected) editing = null;
    if (editing && isRefused()) {
      editing.input.focus();
      return;
    }
    if (editing) {
      wanted = cell;
      return;
    }
    const link = linkOf(cell);
    const open = function () {
      link.click();
    };
    fetch(link.href).then(pageOf).then(function (page) {
      const form = page.querySelector("#item form");
      const control = controlOf(form, cell);
      if (editing || !cell.isConnected) return;
      if (!control) {
        // Data that cannot be changed, or a page that says why the item is not there.
        open();
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
    }, open);
  };

  // Returns what edits the cell that is so many steps from this one in its row, or goes to the row without one. Both may be
  // other elements by then.
  const at = function (cell, step) {
    const cells = Array.from(cell.closest("tr").querySelectorAll("[data-field]"));
    const other = step === null ? null : cells[cells.indexOf(cell) + step];
    const address = linkOf(cell).getAttribute("href");
    return function () {
      const link = linkTo(address);
      const name = other && CSS.escape(other.dataset.field);
      const next = link && name && link.closest("tr").querySelector('[data-field="' + name + '"]');
      if (next) edit(next);
      else focusOn(link);
    };
  };

  document.addEventListener("dblclick", function (event) {
    const cell = event.target instanceof Element && event.target.closest(LIST + " td[data-field]");
    if (cell && !cell.classList.contains("is-edited")) edit(cell);
  });
  // What was refused is only saved on purpose.
  document.addEventListener("focusout", function (event) {
    if (!editing || event.target !== editing.input || editing.input.disabled || isRefused()) return;
    save(function () {
      const next = wanted;
      wanted = null;
      if (next) at(next, 0)();
    });
  });
  document.addEventListener("keydown", function (event) {
    // Keys of an input method.
    if (event.isComposing) return;
    if (editing && event.target === editing.input) {
      const { cell } = editing;
      if (event.key === "Escape") {
        const back = at(cell, null);
        stop();
        back();
      } else if (event.key === "Enter" && !event.shiftKey) {
        save(at(cell, null));
      } else if (event.key === "Tab" && !isRefused()) {
        save(at(cell, event.shiftKey ? -1 : 1));
      } else {
        return;
      }
      event.preventDefault();
      return;
    }
    const row = event.key === "F2" && event.target.closest(LIST + " tbody tr");
    const cell = row && row.querySelector("[data-field]");
    if (cell) edit(cell);
    const isOfForm = event.target.closest("#side form");
    if (event.key === "Escape" && isOpen() && panel().contains(event.target) && !isOfForm) close();
  });
})();
