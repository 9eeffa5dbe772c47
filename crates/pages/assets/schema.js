// The editors of a schema: rows are added and removed without a request, and what is entered is kept as a draft. Both work
// without it, with the buttons of the form.
(function () {
  "use strict";

  const DELAY = 1000;
  // Browsers send no more than this for a page that is left.
  const KEPT_ALIVE = 60 * 1000;
  const FIRST = "input:not([type=hidden])";

  const closest = function (target, selector) {
    return target instanceof Element ? target.closest(selector) : null;
  };

  let typing = null;
  let waiting = null;
  let isSaving = false;

  // Saves one after the other: none ends one that is running, and the last one is what was entered last.
  const send = function () {
    if (isSaving || !waiting) return;
    const { form, body, note } = waiting;
    waiting = null;
    isSaving = true;
    const options = { method: "POST", body, redirect: "manual", keepalive: body.toString().length < KEPT_ALIVE };
    fetch(form.action, options)
      .then(
        function (response) {
          const result = response.status === 204 ? "Saved as a draft." : "Your changes could not be saved.";
          form.querySelector("[role=status]").textContent = note + result;
        },
        function () {
          document.dispatchEvent(new CustomEvent("htmx:sendError", { detail: { requestConfig: {} } }));
        }
      )
      .finally(function () {
        isSaving = false;
        send();
      });
  };

  const stop = function () {
    if (typing) clearTimeout(typing.timer);
    typing = null;
  };

  const save = function (form, note) {
    stop();
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "autosave");
    waiting = { form, body, note };
    send();
  };

  document.addEventListener("input", function (event) {
    const form = closest(event.target, "form[data-draft]");
    if (!form) return;
    stop();
    const timer = setTimeout(function () {
      save(form, "");
    }, DELAY);
    typing = { form, timer };
  });

  document.addEventListener("change", function (event) {
    const form = closest(event.target, "form[data-draft]");
    if (!form) return;
    save(form, "");
    // The texts for screen readers that name the row.
    const id = event.target.name.replace(/-name$/, "");
    form.querySelectorAll('[data-name="' + id + '"]').forEach(function (name) {
      name.textContent = event.target.value;
    });
  });

  addEventListener("pagehide", function () {
    // The page does not live to see the end of a save that is running.
    isSaving = false;
    if (typing) save(typing.form, "");
    send();
  });

  // The form itself keeps what it contains.
  document.addEventListener("submit", function (event) {
    if (!closest(event.target, "form[data-draft]")) return;
    stop();
    waiting = null;
  });

  // Adds a field to a table, or a table. A field without a name is continued.
  const add = function (form, table) {
    const list = table ? table.querySelector(".field-rows") : form.querySelector(".tables");
    const prefix = table ? table.querySelector(FIRST).id.replace(/name$/, "f") : "t";
    const last = list.lastElementChild && list.lastElementChild.querySelector(FIRST);
    if (last && !last.value) {
      last.focus();
      return;
    }
    let number = list.children.length;
    while (document.getElementById(prefix + number + "-name")) number += 1;
    const blank = document.querySelector("template[data-blank]").content.querySelector(table ? ".field-row" : "section");
    const html = blank.outerHTML.replaceAll(table ? "new-f0" : "new", prefix + number);
    list.insertAdjacentHTML("beforeend", html);
    list.lastElementChild.querySelector(FIRST).focus();
  };

  const remove = function (form, row) {
    const table = row.parentElement.closest("section");
    const neighbor = row.nextElementSibling || row.previousElementSibling || table;
    const name = row.querySelector(FIRST).value;
    row.remove();
    (neighbor ? neighbor.querySelector(FIRST) : form.querySelector("[value=add-table]:not([hidden])")).focus();
    save(form, name && "Removed " + name + ". ");
  };

  document.addEventListener("click", function (event) {
    const button = closest(event.target, "form[data-draft] button[value]");
    if (!button) return;
    if (button.value.startsWith("add-")) {
      // Enter presses the hidden button, whatever table it is pressed in.
      add(button.form, closest(button.hidden ? document.activeElement : button, "section"));
    } else if (button.value.startsWith("remove-")) {
      remove(button.form, closest(button, ".field-row, section"));
    } else {
      return;
    }
    event.preventDefault();
  });
})();
