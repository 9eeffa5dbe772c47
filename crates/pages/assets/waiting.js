// Nothing fails in silence: a bar and a disabled button while a page takes long, and a banner while the service cannot
// be reached, with a button that tries again.
(function () {
  "use strict";

  // Most pages are there before it.
  const DELAY = 200;
  // A form that downloads a file does not say when it is there.
  const MAX_WAIT = 10 * 1000;
  const PROBE = 3 * 1000;

  // Shows that something is being waited for, after the delay. Returns what ends it.
  const wait = function (button) {
    let bar = null;
    let hadFocus = false;
    const timer = setTimeout(function () {
      bar = document.createElement("div");
      bar.className = "progress";
      bar.setAttribute("role", "progressbar");
      bar.setAttribute("aria-label", "Loading");
      document.querySelector(".console").append(bar);
      if (!button) return;
      hadFocus = document.activeElement === button;
      button.disabled = true;
    }, DELAY);
    return function () {
      clearTimeout(timer);
      if (bar) bar.remove();
      if (!bar || !button) return;
      button.disabled = false;
      if (hadFocus && button.isConnected) button.focus();
    };
  };

  const buttonOf = function (event) {
    return event && event.submitter instanceof HTMLButtonElement ? event.submitter : null;
  };

  // What htmx loads. Parts of a page that refresh themselves are not waited for.
  const waits = new WeakMap();
  document.addEventListener("htmx:beforeRequest", function (event) {
    const { boosted, xhr, requestConfig } = event.detail;
    if (boosted) waits.set(xhr, wait(buttonOf(requestConfig.triggeringEvent)));
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    const end = waits.get(event.detail.xhr);
    if (end) end();
  });

  // What the browser loads.
  let endOfPage = null;
  document.addEventListener("submit", function (event) {
    if (event.defaultPrevented) return;
    endOfPage = wait(buttonOf(event));
    setTimeout(endOfPage, MAX_WAIT);
  });
  addEventListener("pageshow", function () {
    if (endOfPage) endOfPage();
  });

  let banner = null;
  let retry = null;
  let probe = 0;

  const hide = function () {
    clearTimeout(probe);
    if (banner) banner.remove();
    banner = null;
  };

  const check = function () {
    clearTimeout(probe);
    fetch("/health/live", { cache: "no-store" }).then(
      function (response) {
        if (response.ok) hide();
        else probe = setTimeout(check, PROBE);
      },
      function () {
        probe = setTimeout(check, PROBE);
      }
    );
  };

  // Says that the service cannot be reached, until it can be. `again` repeats what failed.
  const show = function (text, again) {
    hide();
    retry = again;
    const top = document.querySelector(".console > .top");
    if (!top) return;
    banner = document.createElement("div");
    banner.className = "offline";
    const words = document.createElement("p");
    words.setAttribute("role", "alert");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-secondary";
    button.textContent = "Try again";
    button.addEventListener("click", function () {
      hide();
      if (retry) retry();
      else location.reload();
    });
    banner.append(words, button);
    top.after(banner);
    // In an element that is already there, so that screen readers say it.
    requestAnimationFrame(function () {
      words.textContent = text;
    });
    probe = setTimeout(check, PROBE);
  };

  // A form has the ID of its submission, so that submitting it again has no further effect.
  const again = function ({ requestConfig }) {
    const { elt, boosted, triggeringEvent } = requestConfig;
    if (!boosted || !(elt instanceof HTMLElement)) return null;
    return function () {
      const button = buttonOf(triggeringEvent);
      if (elt instanceof HTMLFormElement) elt.requestSubmit(button && button.form === elt ? button : null);
      else elt.click();
    };
  };

  const unreachable = "The service cannot be reached. What you entered is still on this page.";
  document.addEventListener("htmx:sendError", function (event) {
    show(unreachable, again(event.detail));
  });
  document.addEventListener("htmx:timeout", function (event) {
    show(unreachable, again(event.detail));
  });
  // What is between the browser and the service says that the service is away. It knows no page of the service.
  document.addEventListener("htmx:beforeSwap", function (event) {
    const { xhr } = event.detail;
    if (xhr.status < 502 || xhr.responseText.includes("<main")) return;
    event.detail.shouldSwap = false;
    show("The service is not available at the moment. What you entered is still on this page.", again(event.detail));
  });
  addEventListener("offline", function () {
    show("This device is not connected to a network.", null);
  });
  addEventListener("online", check);
})();
